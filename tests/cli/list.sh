#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The screen of list: what it says of each capture, widths, colours, the summary; -s and -Y.
. "$(dirname "$0")/lib.sh"
odd_captures
c=$CAPTURES

# One line a connection, with what the programs' logs and the kernels' traces say of it.
run "$RDT" "$c/rping4.pcap"
check "rping4" is "$(sed -n 2p "$out")" \
	' 1   8.396969  10.0.0.2   10.0.0.1:7174  cm tcp rping?  0x11/0x11  closed   39.9 ms  523.8 ms    65     -  ok'
check "titles stand over their columns" is "$(head -1 "$out")" \
	' #      start  active     passive        service        qpn a/p    state      setup      life  pkts  retr  note'
check "no message where stderr is no terminal" silent
run "$RDT" "$c/reject.pcap"
check "reject: by the application, in words" is "$(grep -c ' 0x1[123]/-  *rejected .*the application refused (28)$' "$out")" 3
run "$RDT" "$c/nolisten.pcap"
check "nolisten: by the kernel" is "$(grep -c ' rejected .* nobody listens on this service id (8), by the kernel$' "$out")" 2
run "$RDT" "$c/ignore.pcap"
check "ignore: the client gave up" prints ' timeout .* gave up waiting, 1 repeated message$'
run "$RDT" "$c/slow.pcap"
check "slow" prints ' closed +11\.03 s +11\.13 s +7 +1  CM-MRA-SLOW: the program on 10\.0\.0\.1 was slow'
run "$RDT" "$c/udaddy.pcap"
check "udaddy: SIDR" is "$(grep -c ' sidr udp udaddy?  .* resolved .* ok$' "$out")" 3
run "$RDT" "$c/pingpong.pcap"
check "pingpong: RC, UC and UD set up out of band" is "$(grep -oE ' oob (rc|uc|ud) pingpong ' "$out" | tr -d '\n')" \
	' oob rc pingpong  oob uc pingpong  oob ud pingpong '
run "$RDT" "$c/iwarp-rping.pcap"
check "iwarp-rping" prints ' 10\.0\.0\.1:7174  mpa tcp rping\?  -  +closed '
run "$RDT" "$c/iwarp-reject.pcap"
check "iwarp-reject" is "$(grep -c ' mpa tcp .* rejected ' "$out")" 3
run "$RDT" "$c/cmtime.pcap"
check "cmtime: 200 connections" is "$(grep -c ' closed ' "$out")" 200
check "wider numbers keep their columns" is "$(awk '{ print index($0, "10.0.0.2") }' "$out" | tail -n +2 | sort -u | wc -l)" 1
run "$RDT" "$ODD/ib.pcap"
check "LIDs" prints ' lid:2 +lid:1:7174 +cm tcp '

# Without a command, with one, and options before or after the file: the same.
run "$RDT" list "$c/dup.pcap"
cp "$out" "$TMP/list"
run "$RDT" "$c/dup.pcap"
check "list is what happens without a command" cmp -s "$out" "$TMP/list"
run "$RDT" -r "$c/dup.pcap"
check "-r FILE without a command" cmp -s "$out" "$TMP/list"
run "$RDT" list "$c/dup.pcap" -n -q --color never
check "options after the file" cmp -s "$out" "$TMP/list"
cp "$c/dup.pcap" "$TMP/-odd.pcap"
run bash -c "cd '$TMP' && '$RDT' list -- -odd.pcap"
check "a file that begins with a dash" cmp -s "$out" "$TMP/list"
run "$RDT" -o "$TMP/file" "$c/dup.pcap"
check "-o" cmp -s "$TMP/file" "$TMP/list"
check "-o leaves nothing on standard output" nothing

# A filter that matches nothing.
run "$RDT" -Y 'outcome == rejected' "$c/accept.pcap"
check "-Y that matches nothing is told" says '^rdma-trace: none of 4 connections match$'
check "-Y that matches nothing: exit code" exits 0
run "$RDT" -q -Y 'outcome == rejected' "$c/accept.pcap"
check "-q: not told" silent
expect 2 'rdma-trace fields lists all names' "$RDT" -Y 'foo == 1' "$c/accept.pcap"
check "a far name is not suggested" bash -c "! grep -q 'did you mean' '$err'"
expect 2 'did you mean outcome\?' "$RDT" -Y 'outcom == rejected' "$c/accept.pcap"
expect 2 'did you mean outcome\?' "$RDT" -e outcom "$c/accept.pcap"

# Which connections.
numbers() { "$RDT" -T csv -E header=n -e n "$@" "$c/cmtime.pcap" | paste -sd, | cut -c1-60; }
check "-s N" is "$(numbers -s 7)" 7
check "-s with list and range" is "$(numbers -s 3,7-9)" 3,7,8,9
check "-s twice" is "$(numbers -s 9 -s 2)" 2,9
check "-s open range" is "$(numbers -s 198-)" 198,199,200
id=$("$RDT" -T csv -E header=n -e id -s 5 "$c/cmtime.pcap")
check "-s ID" is "$(numbers -s "$id")" 5
check "the id is the same in another capture of it" \
	is "$("$RDT" -T csv -E header=n -e id "$c/rping4.pcap")" "$("$RDT" -T csv -E header=n -e id "$c/rping4.server.pcap")"
check "-s and -Y" is "$(numbers -s 1-9 -Y 'n >= 8')" 8,9
count() { "$RDT" -T csv -E header=n -e n "$@" | wc -l; }
check "-Y on columns" is "$(count -Y 'outcome == rejected' "$c/perftest.pcap")" 1
check "-Y on messages" is "$(count -Y 'rep' "$c/perftest.pcap")" 1
check "-Y on what is not there" is "$(count -Y 'req and not rep' "$c/perftest.pcap")" 1
check "-Y on records of one kind" is "$(count -Y 'some(event.event == RDMA_CM_EVENT_REJECTED and event.side == active)' "$c/reject.pcap")" 3
check "-Y on packets" is "$(count -Y 'reth' "$c/rping4.pcap")" 1
check "-Y on packets: none" is "$(count -Y 'atomiceth' "$c/rping4.pcap")" 0

# The width of the screen. awk counts bytes.
too_wide() { sed 's/…/./g' | awk -v w="$1" 'length($0) > w' | wc -l; }
for width in 40 60 80 100 120 200; do
	run "$RDT" --width $width "$c/nolisten.pcap"
	check "--width $width" is "$(too_wide $width <"$out")" 0
	check "--width $width: the ends stay" prints '^ 1 .*10\.0\.0\.2'
done
run "$RDT" --width 80 "$c/nolisten.pcap"
check "a cut note says so" prints '…$'
run "$RDT" --width 80 --ascii "$c/nolisten.pcap"
check "--ascii" is "$(LC_ALL=C grep -c '[^ -~]' "$out")" 0
run env LC_ALL=C "$RDT" --width 80 "$c/nolisten.pcap"
check "no UTF-8 where the locale has none" is "$(LC_ALL=C grep -c '[^ -~]' "$out")" 0
run "$RDT" --color always "$c/reject.pcap"
check "--color always" is "$(grep -c $'\033\[31mrejected\033\[0m' "$out")" 3
run "$RDT" "$c/reject.pcap"
check "no colour where there is no terminal" is "$(grep -c $'\033' "$out")" 0

# On a terminal: colour, the summary on stderr, the width of the terminal.
tty() { script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
export RDT c
check "summary" is "$(tty 'stty cols 200; TERM=xterm "$RDT" "$c/perftest.pcap" >/dev/null')" \
	'6 connections: 4 open at the end of the capture, 1 closed, 1 rejected. 1 error: rdma-trace diagnose'
check "-q: no summary" is "$(tty '"$RDT" -q "$c/perftest.pcap" >/dev/null')" ''
check "colour on a terminal" is "$(tty 'stty cols 200; TERM=xterm "$RDT" "$c/reject.pcap" 2>/dev/null' | grep -c $'\033\[31mrejected')" 3
check "NO_COLOR" is "$(tty 'stty cols 200; NO_COLOR=1 TERM=xterm "$RDT" "$c/reject.pcap"' | grep -c $'\033')" 0
check "the terminal's width" is "$(tty 'stty cols 70; NO_COLOR=1 TERM=xterm "$RDT" -q "$c/nolisten.pcap"' | too_wide 70)" 0
run "$RDT" -v "$c/perftest.pcap"
check "-v tells what was read" says '^ +541 packets$'
finish
