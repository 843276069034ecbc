#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Bad input: a clear message with file and place, everything readable shown, the right exit code.
. "$(dirname "$0")/lib.sh"
odd_captures
cd "$ODD" || exit 99
good=$CAPTURES/rping4.pcap

# What is there is shown, then what is missing is said: 3.
expect 3 'cut-record.pcap: damaged at frame 46, byte 4990: .*; the 45 frames before it were read' \
	"$RDT" cut-record.pcap
check "the connection before the damage is listed" prints '^ 1 .* open '
expect 3 'garbage-later.pcap: damaged at frame 46, byte 4990: ' "$RDT" garbage-later.pcap
check "the connection before the garbage is listed" prints '^ 1 .* open '
expect 3 'one-byte-short.pcap.gz: damaged at frame [0-9]+, byte [0-9]+: ' "$RDT" one-byte-short.pcap.gz
check "the connection of the short gzip is listed" prints '^ 1 '
expect 3 'cut-record.pcap: damaged' "$RDT" dump -T ndjson cut-record.pcap
check "the end line says partial" is "$(tail -1 "$out" | jq .partial)" true
expect 3 'damaged' "$RDT" -T json cut-record.pcap
check "a damaged input is marked in the header" is "$(jq '.[0].inputs[0].truncated' "$out")" true
expect 3 'cut-record.pcap: damaged' "$RDT" "$CAPTURES/accept.pcap" cut-record.pcap
check "the good input is shown beside the damaged one" lines 6
run bash -c "'$RDT' - <cut-record.pcap"
check "stdin is named" says 'standard input: damaged at frame 46'
check "stdin: 3" exits 3

# Nothing could be read: 2.
expect 2 'cut-first.pcap: damaged at frame 1, byte 24: .*; no frame could be read' "$RDT" cut-first.pcap
check "nothing is printed" nothing
expect 2 'garbage.pcap: damaged at frame 1, byte 24: .*no frame could be read' "$RDT" garbage.pcap
expect 2 'huge.pcap: damaged at frame 1, byte 24: ' "$RDT" huge.pcap
expect 2 'cut-header.pcap is cut off inside its file header: 10 of 24 bytes' "$RDT" cut-header.pcap
expect 2 'empty.pcap is empty' "$RDT" empty.pcap
expect 2 '/dev/null is empty' "$RDT" /dev/null
expect 2 'standard input is empty' "$RDT" -
expect 2 '\. is a directory; name the capture files in it' "$RDT" .
expect 2 'text.pcap is not a capture: it looks like text' "$RDT" text.pcap
expect 2 'json.pcap is not a capture: it looks like JSON' "$RDT" json.pcap
expect 2 'bytes.pcap is not a capture: it begins with 40 9b f6' "$RDT" bytes.pcap
expect 2 '/bin/sh is not a capture: it looks like a program' "$RDT" /bin/sh
expect 2 'absent.pcap: there is no such file' "$RDT" absent.pcap
expect 2 'absent.pcap: there is no such file' "$RDT" "$good" absent.pcap
check "with one input missing nothing is printed" nothing
expect 2 'link-999.pcap: link type 999 carries no RDMA' "$RDT" link-999.pcap
expect 2 'link-105.pcap: link type 105 \(802.11\) carries no RDMA' "$RDT" link-105.pcap
expect 2 'usb.pcapng: link type 220 \(USB.*\) carries no RDMA' "$RDT" usb.pcapng
expect 0 'link type 220 .* skipped' "$RDT" two-links.pcapng
check "what else is in it is read" prints '^ 1 .* closed '
zstd -q cut-record.pcap -o short.zst && head -c 1000 short.zst >shorter.zst
expect 2 'shorter.zst: its compressed data \(zstd\) is cut off before the first packet' "$RDT" shorter.zst
cp "$good" secret.pcap && chmod 0 secret.pcap
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$TMP" "$ODD"
	expect 2 'secret.pcap: no permission to read it' \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$RDT" secret.pcap
else
	expect 2 'secret.pcap: no permission to read it' "$RDT" secret.pcap
fi

# Strange, and no reason to complain.
for f in caplen snaplen-0 snaplen-max snaplen-wrong big-endian nanoseconds back; do
	run "$RDT" "$f.pcap"
	check "$f.pcap: exit code" exits 0
	check "$f.pcap: no message" silent
	check "$f.pcap: the connection" prints '^ 1 .* closed '
	check "$f.pcap: one connection" lines 2
done
run "$RDT" -T csv -e rel_ns,life_ns nanoseconds.pcap
check "nanoseconds are kept" prints '^8396969000,523755000$'
run "$RDT" dump -T csv -E header=n -e frame.time,frame.time_ns -c 1 -f 'udp port 4791' nanoseconds.pcap
check "nanoseconds of a frame" prints '^2026-11-29T13:27:14.044035007Z,1795958834044035007$'
run "$RDT" dump -T csv -E header=n -e frame.len,frame.cap_len snaplen-96.pcap
check "captured and wire length of a cut packet" is "$(head -1 "$out")" 322,96
run "$RDT" dump -T csv -E header=n -e frame.len,frame.cap_len snaplen-wrong.pcap
check "a wrong snapshot length does not cut" is "$(head -1 "$out")" 322,322
expect 0 'no packets in no-packets.pcap' "$RDT" no-packets.pcap
expect 0 'no RDMA in 16 packets: 2 ARP, 14 ICMP' "$RDT" no-rdma.pcap
expect 0 'no RDMA in 65 packets: 65 UDP; --port N' "$RDT" port-5000.pcap
expect 0 'some packets have no usable time' "$RDT" no-times.pcapng
run "$RDT" -q no-rdma.pcap
check "-q says nothing" silent
run "$RDT" --port 5000 port-5000.pcap
check "--port" prints '^ 1 .* closed '

# Each message cut at each length, and turned bits: nothing crashes, every view prints.
for view in list 'list -T ndjson' dump 'dump -V' 'dump -T ndjson' 'show' 'show -T ndjson'; do
	# shellcheck disable=SC2086
	run "$RDT" $view every-length.pcap
	check "$view of cut packets" exits 0
	# shellcheck disable=SC2086
	run "$RDT" $view noise.pcap
	check "$view of turned bits" exits 3
done
run "$RDT" dump every-length.pcap
# The shortest that shows a BTH: Ethernet 14, IPv4 20, UDP 8.
check "each packet that shows its UDP port is listed" \
	is "$(awk '{ print $1 }' "$out" | sort -u | wc -l)" $((5 * (323 - 42)))
check "a cut packet says so" is "$(grep -c 'the capture cut' "$out")" $((5 * (322 - 42)))

# The command line.
expect 2 'there is no command or file shwo; did you mean rdma-trace show' "$RDT" shwo
expect 2 'there is no command or file frobnicate; rdma-trace --help' "$RDT" frobnicate
expect 2 'list: no capture to read' "$RDT" list
expect 2 'list: Unknown option --foo; see rdma-trace list --help' "$RDT" --foo "$good"
expect 2 'Unknown option --reed; did you mean --read' "$RDT" --reed "$good"
expect 2 'Missing argument for -r' "$RDT" -r
expect 2 'list does not take -V; it is for dump' "$RDT" -V "$good"
expect 2 'explain does not take -r' "$RDT" explain -r "$good"
expect 2 '-T junit: that is none of text, json, ndjson, csv or tsv$' "$RDT" -T junit "$good"
expect 2 '-T csv: that is none of text, json, ndjson, junit or tap$' "$RDT" diff -T csv "$good" "$good"
expect 2 '-T xml: that is none of text, json' "$RDT" -T xml "$good"
expect 2 '-T md: that is none of text, json, ndjson, csv or tsv$' "$RDT" -T md "$good"
expect 2 '-c 0: give a number from 1' "$RDT" -c 0 "$good"
expect 2 '-c 12x: give a number' "$RDT" -c 12x "$good"
expect 2 '-t q: that is none of' "$RDT" -t q "$good"
expect 2 '--port 65536: give a number from 1 to 65535' "$RDT" --port 65536 "$good"
expect 2 '--color blue: give auto, always or never' "$RDT" --color blue "$good"
expect 2 '-E foo=1: give header=' "$RDT" -E foo=1 "$good"
expect 2 '-s x: give connection numbers' "$RDT" -s x "$good"
expect 2 'there is no connection 9; rdma-trace list' "$RDT" -s 9 "$good"
expect 2 'no connection has the id 00000001; rdma-trace list' "$RDT" -s 00000001 "$good"
expect 2 '-e: there is no outcom; did you mean outcome' "$RDT" -e outcom "$good"
expect 2 '-e: bth.psn is of packets.*use it with dump' "$RDT" -e bth.psn "$good"
expect 2 '-e: there is no bth.psm; did you mean bth.psn' "$RDT" dump -e bth.psm "$good"
expect 2 '-f "udp prot" is not a filter for link type 1 \(Ethernet\)' "$RDT" -f 'udp prot' "$good"
expect 0 'none of the 81 packets passed -f "tcp"' "$RDT" -f tcp "$good"
expect 2 'standard input \(-\) is named twice' "$RDT" - -
expect 2 '-V is for text' "$RDT" dump -V -T csv "$good"
expect 2 'there is no record, header, field or code bht; did you mean bth' "$RDT" fields bht
run "$RDT" -Y 'outcome = rejected' "$good"
check "a bad filter: 2" exits 2
check "a bad filter: the expression is shown" says '^  outcome = rejected$'
check "a bad filter: a caret under the place" says '^          \^'

# Files that must not be lost.
cp "$good" mine.pcap
expect 2 '-w mine.pcap would overwrite the file that is read' "$RDT" -w mine.pcap mine.pcap
expect 2 '-o mine.pcap would overwrite the file that is read' "$RDT" -o mine.pcap mine.pcap
expect 2 '-o and -w name the same file' "$RDT" -o both -w both mine.pcap
echo trace >mine.trace
expect 2 '--ftrace mine.trace is given twice' "$RDT" show --ftrace active=mine.trace --ftrace mine.trace mine.pcap
expect 2 '-o mine.trace would overwrite the trace that is read' "$RDT" show --ftrace active=mine.trace -o mine.trace mine.pcap
check "the capture is as it was" cmp -s mine.pcap "$good"
expect 4 'cannot write /nonexistent/x' "$RDT" -o /nonexistent/x "$good"
for cmd in list show dump; do
	expect 4 'cannot write /nonexistent/x' "$RDT" $cmd -w /nonexistent/x "$good"
	check "$cmd -w that cannot be written: said before anything is printed" nothing
done
expect 4 'cannot write .*: Is a directory' "$RDT" -w "$TMP" "$good"
run "$RDT" -w "$TMP/none.pcapng" /nonexistent.pcap
check "-w leaves no file where nothing could be read" [ ! -e "$TMP/none.pcapng" ]
expect 4 'cannot write /dev/full: No space left' "$RDT" -o /dev/full "$good"
expect 4 'cannot write /dev/full: No space left' "$RDT" -w /dev/full "$good"
expect 2 '-w - takes standard output' "$RDT" -w - "$good"

# A name may hold anything; it must not reach the terminal as it is.
printf 'x' >$'bad\033[31mname'
run "$RDT" $'./bad\033[31mname'
check "control bytes of a name are shown, not sent" says 'bad\\x1b\[31mname is not a capture'
finish
