#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Kinds of input: formats, compression, links, standard input, several captures as one.
. "$(dirname "$0")/lib.sh"
odd_captures
cd "$ODD" || exit 99
good=$CAPTURES/rping4.pcap
what=kind,svc_port,a_qpn,p_qpn,a_psn,p_psn,outcome,msgs,data_pkts,data_bytes,setup_ns
run "$RDT" -T csv -e $what "$good"
want=$(cat "$out")
check "the good capture" is "$(sed -n 2p "$out")" cm,7174,17,17,11340207,5269582,closed,5,60,960,39897000

same() {
	check "$1: exit code" exits 0
	check "$1 tells the same" is "$(cat "$out")" "$want"
}

gzip -kc "$good" >x.gz
zstd -q "$good" -o x.zst
lz4 -q "$good" x.lz4
editcap -F pcapng "$good" x.pcapng 2>/dev/null
gzip -kc x.pcapng >x.pcapng.gz
for f in x.gz x.zst x.lz4 x.pcapng x.pcapng.gz big-endian.pcap ib.pcap ib.pcapng erf.pcap native.erf \
	raw.pcap sll.pcap loop.pcap vlans.pcap; do
	run "$RDT" -T csv -e $what $f
	same "$f"
	run bash -c "cat $f | '$RDT' -T csv -e $what -"
	same "$f by a pipe"
	run "$RDT" -T csv -e $what -r - <$f
	run bash -c "'$RDT' -T csv -e $what - <$f"
	same "$f by redirection"
done
run "$RDT" -q -T csv -e $what two-links.pcapng
same "two link types in one pcapng"
run "$RDT" -T ndjson two-links.pcapng
check "link types of the header" is "$(head -1 "$out" | jq -c '.inputs[0].link_types')" '[1,101,220]'
check "packets of the header" is "$(head -1 "$out" | jq '.inputs[0].packets')" 82
run "$RDT" -T csv -e $what,transport ib.pcap
check "native InfiniBand" prints 'closed,5,60,960,39897000,ib$'
for f in erf.pcap native.erf; do
	run "$RDT" dump -T csv -E header=n -e frame.len,frame.cap_len -c 1 $f
	check "an ERF record is whole: $f" is "$(cat "$out")" 306,306
done
mkfifo pipe
(cat "$good" >pipe &)
run timeout 10 "$RDT" -T csv -e $what pipe
same "a named pipe"
# In pieces, with pauses: the header may come alone.
run bash -c "(head -c 10 $good; sleep 0.1; tail -c +11 $good | head -c 2000; sleep 0.1; tail -c +2011 $good) |
	'$RDT' -T csv -e $what -"
same "a pipe in pieces"

# Several captures as one stream.
run "$RDT" -T csv -e $what half-1.pcap half-2.pcap
same "two halves"
run "$RDT" -T csv -e $what half-2.pcap -r half-1.pcap
same "two halves in the other order"
run "$RDT" -T csv -e $what from-1.pcap from-2.pcap
same "a file for each direction"
run "$RDT" -T ndjson half-1.pcap half-2.pcap
check "two inputs in the header" is "$(head -1 "$out" | jq -c '[.inputs[].packets]')" '[40,41]'
run "$RDT" dump -T csv -E header=n -e frame.input,frame.number half-1.pcap half-2.pcap
check "frame numbers are those of their own capture" is "$(tail -1 "$out")" 1,41
# The first REQ is frame 17.
us() { tshark -r "$good" -Y "frame.number == $1" -T fields -e frame.time_relative 2>/dev/null | tr -d . |
	sed 's/^0*//'; }
run "$RDT" -T csv -e rel_ns half-2.pcap half-1.pcap
check "times count from the earliest packet of all captures, whatever their order" \
	is "$(sed -n 2p "$out")" "$(us 17)"
# Captures of different runs: as many connections as each has.
run "$RDT" -T csv -e n,active,start "$CAPTURES/accept.pcap" "$CAPTURES/reject.pcap"
check "connections of two captures" lines 8
check "in order of time" bash -c "tail -n +2 '$out' | sort -c -t, -k3"

# Filters for packets; the numbers of frames stay.
run "$RDT" dump -T csv -E header=n -e frame.number -f 'udp port 4791' "$good"
check "-f keeps frame numbers" is "$(head -1 "$out")" 17
check "-f" lines 65
run "$RDT" -T csv -e $what -f 'udp port 4791' "$good"
same "-f that lets all RDMA through"
run "$RDT" -T csv -e rel_ns -f 'udp port 4791' "$good"
check "-f does not move the beginning of time" is "$(sed -n 2p "$out")" 8396969000
run "$RDT" dump -T csv -E header=n -e frame.number -c 20 "$good"
check "-c counts packets read" is "$(paste -sd, "$out")" 17,18,19,20
run "$RDT" -c 20 "$good"
check "-c is no damage" exits 0
run "$RDT" -T csv -e $what --max-conns 100 "$good"
same "--max-conns"
# More connections than room, one after the other: all are there, the first is printed as it goes.
run "$RDT" -T csv -e n,outcome --max-conns 3 "$CAPTURES/accept.pcap"
check "dropped connections: 3" exits 3
check "dropped connections are counted" says '^rdma-trace: 1 connections were dropped .*--max-conns'
check "dropped connections are printed" is "$(paste -sd' ' "$out")" \
	'n,outcome 1,closed 2,closed 3,closed 4,closed'
run "$RDT" -T ndjson --max-conns 3 "$CAPTURES/accept.pcap"
check "evicted in the end line" is "$(tail -1 "$out" | jq -c '[.evicted, .partial, .conns]')" '[1,true,4]'
run "$RDT" --max-conns 3 -Y 'n > 1' "$CAPTURES/accept.pcap"
check "in text, with a filter" lines 4
# All at the same time: they are cut in pieces, which is said.
run "$RDT" --max-conns 50 "$CAPTURES/cmtime.pcap"
check "connections cut by the limit" exits 3
check "are marked" prints 'dropped from memory before its end$'
finish
