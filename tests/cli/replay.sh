#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# script, replay and diff: results, formats, exit codes, and what is said of bad input.
. "$(dirname "$0")/lib.sh"

port=$((23000 + $$ % 20000))
run "$RDT" script 1 "$CAPTURES/reject.pcap" -o "$TMP/reject.rdt"
check "a script is written" exits 0
run grep -c '' "$TMP/reject.rdt"
run "$RDT" script "$CAPTURES/reject.pcap"
check "several connections: say which" exits 2
check "several connections: said" says 'has [0-9]+ connections: say which'
run "$RDT" script 99 "$CAPTURES/reject.pcap"
check "no such connection" exits 2

# Results.
run "$RDT" replay "$TMP/reject.rdt"
check "a simulation passes" exits 0
check "its level" prints 'fidelity   F5\+T \(bytes\)   required F3   PASS'
check "what was not tested" prints 'not tested a real peer'
run "$RDT" replay -T json "$TMP/reject.rdt"
check "json is json" jq -e '.[] | select(.type == "result") | .level == "F5" and .passed' "$out"
check "json has a record a field" jq -e '[.[] | select(.type == "field")] | length > 50' "$out"
run "$RDT" replay -T junit "$TMP/reject.rdt"
check "junit is xml" python3 -c 'import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); assert d.documentElement.getAttribute("failures") == "0"' "$out"
run "$RDT" replay -T tap "$TMP/reject.rdt"
check "tap" prints '^ok 1 - '
mkdir "$TMP/suite"
cp "$TMP/reject.rdt" "$TMP/suite/a.rdt"
printf 'rdt 1\nservice tcp:1\na > REQ[]\nrequire F5\n' >"$TMP/suite/b.rdt"
printf 'rdt 1\na > REQ[\n' >"$TMP/suite/c.rdt"
run "$RDT" replay "$TMP/suite"
check "a suite: the worst exit code" exits 2
check "a suite: its sum" prints '^1 passed, 1 failed, 1 could not be played$'
check "a suite: where the error is" says 'c.rdt: 3:1: expected'
run "$RDT" replay --require F5 -w "$TMP/own.pcapng" "$TMP/reject.rdt"
check "its own capture" exits 0
run "$RDT" diff "$CAPTURES/reject.pcap:1" "$TMP/own.pcapng:1"
check "diff: the replay is the capture" exits 0
run "$RDT" diff "$CAPTURES/reject.pcap:1" "$CAPTURES/accept.pcap:1"
check "diff: others differ" exits 1
check "diff: how" prints 'not F1 +closed instead of rejected'
check "diff: which field" prints 'private  expected'
run "$RDT" diff "$CAPTURES/slow.pcap:1" "$CAPTURES/rping4.pcap:1"
check "diff: data with other PSNs is no repetition" test "$(grep -c repetition "$out")" = 0
check "diff: gaps are no deviations" prints 'p > REP +received, gap 29.76 ms, expected 4.756 s: not in time'

# Data: simulated without packets, and told over TCP.
"$RDT" script 1 "$CAPTURES/rping4.pcap" >"$TMP/rping.rdt"
run "$RDT" replay "$TMP/rping.rdt" -w "$TMP/sim.pcapng"
check "a simulation writes no data and says so" prints 'sim.pcapng; without [0-9]+ operations: a simulation'
check "long lists are wrapped" test "$(grep -A9 "  fields " "$out" | awk "length > 80" | grep -vc captured)" = 0
run "$RDT" script 1 "$CAPTURES/pingpong.pcap" -o "$TMP/pingpong.rdt"
run cat "$TMP/pingpong.rdt"
check "an exchange over TCP becomes bind lines" prints '^bind +\$a.psn = 0xa6446e$'
pair() { # script options of both...
	local script=$1 port=$((port + 1))
	shift
	"$RDT" replay "$script" --play p --backend udp --local 127.0.0.2 --peer 127.0.0.1 --port $port -v "$@" \
		>"$TMP/p.out" 2>"$TMP/p.err" &
	local p=$!
	until grep -q bound "$TMP/p.err"; do sleep 0.05; done
	"$RDT" replay "$script" --play a --backend udp --local 127.0.0.1 --peer 127.0.0.2 --port $port "$@"
	local rc=$?
	wait $p && return $rc
}
run pair "$TMP/pingpong.rdt"
check "an exchange over TCP is played by udp" exits 0
check "an exchange over TCP: bytes" prints 'fidelity   F5'
check "no gap is negative" test "$(grep -c 'gap -' "$out" "$TMP/p.out" | grep -vc ':0$')" = 0
run cat "$TMP/p.err"
check "what is waited for is said" prints 'waiting for SEND of 127.0.0.1 \(30 s\)'
grep -v ^bind "$TMP/pingpong.rdt" >"$TMP/untold.rdt"
run "$RDT" replay "$TMP/untold.rdt"
check "without them the simulation says what it cannot promise" prints 'no live backend can play it without bind'
run "$RDT" replay "$TMP/untold.rdt" --play a --backend udp --local 127.0.0.1 --peer 127.0.0.2 --port "$port"
check "without them udp cannot" exits 1
check "not both sent and not sent" test "$(grep -c 'a > SEND  *sent' "$out")" = 0
check "of 20 lines there are 20 messages" prints 'messages   0 of 20,'
check "nothing came: no level" prints 'fidelity   F0'
check "what was not reached is a number" prints '[.]{3} 19 more not reached'

# Two processes; then each kind of trouble.
live() { # role local peer options...
	local role=$1 local=$2 peer=$3
	shift 3
	"$RDT" replay "$TMP/reject.rdt" --play "$role" --backend udp --local "$local" --peer "$peer" --port "$port" "$@"
}
live p 127.0.0.2 127.0.0.1 -v >"$TMP/p.out" 2>"$TMP/p.err" &
p=$!
until grep -q bound "$TMP/p.err"; do sleep 0.05; done
run live a 127.0.0.9 127.0.0.2 --timeout 300ms
check "a stranger is not answered" exits 1
run live p 127.0.0.2 127.0.0.1
check "port in use" exits 4
check "port in use: said" says 'in use'
run live a 127.0.0.1 127.0.0.2
check "two processes" exits 0
check "two processes: bytes" prints 'fidelity   F5'
wait $p
rc=$?
check "the passive one" exits 0
run live a 127.0.0.1 127.0.0.2 --timeout 300ms
check "a silent peer is no success" exits 1
check "a silent peer: what is missing" prints 'p > REJ +did not come'
# Nobody listens: the REQ goes again now and then, counted and told.
run live a 127.0.0.1 127.0.0.2 --timeout 2500ms -w "$TMP/knock.pcapng"
check "nobody listens" exits 1
check "nobody listens: told" prints 'stopped +nobody listens on UDP [0-9]+ of 127.0.0.2 \(ICMP port unreachable\); REQ was sent [23] times; p did not send REJ'
check "nobody listens: each is told" prints 'a > REQ +sent, and [12] more times?: nobody listened'
check "nobody listens: no claim about timers" prints 'not tested retransmission timers of the peer'
run "$RDT" dump "$TMP/knock.pcapng"
check "nobody listens: one REQ a second" test "$(grep -c 'CM REQ' "$out")" -le 3
run live a 127.0.0.1 127.0.0.2 --timeout 2500ms --max-msgs 1 -T json
check "nobody listens: --max-msgs holds" jq -e '.[] | select(.type == "result") | .resent == 0' "$out"
run live a 192.0.2.1 127.0.0.2
check "an address of somebody else" exits 4
check "an address of somebody else: said" says 'no address of this host'
for address in 224.0.0.1 255.255.255.255 0.0.0.0 ff02::1; do
	run live a 127.0.0.1 $address
	check "$address is refused" exits 2
	check "$address: said" says 'never spoken to'
done
run live a 127.0.0.1 ::1
check "two kinds of addresses" exits 2
run "$RDT" replay "$TMP/reject.rdt" --peer 127.0.0.2
check "no role" exits 2
check "no role: said" says 'say which role is played: --play a or --play p'
run "$RDT" replay "$TMP/reject.rdt" --play x --peer 127.0.0.2 --local 127.0.0.1
check "no such role" exits 2
run "$RDT" replay "$TMP/reject.rdt" --backend nothing
check "no such backend" exits 2
check "no such backend: which there are" says 'it has auto, sim, udp'
run "$RDT" replay "$TMP/reject.rdt" --speed fast
check "no such speed" exits 2
run "$RDT" replay "$TMP/nothing.rdt"
check "no such file" exits 2
check "no such file: said once" says '/nothing.rdt: No such file or directory$'
run "$RDT" replay
check "nothing to play" exits 2
check "nothing to play: said" says 'replay: no script to play; name a script'
run "$RDT" replay "$CAPTURES/reject.pcap"
check "a capture is no script" exits 2
check "a capture is no script: said" says 'reject.pcap: is a capture; make a script first: rdma-trace script N '
run "$RDT" diff "$CAPTURES/slow.pcap:99" "$CAPTURES/rping4.pcap:1"
check "diff: no such connection" exits 2
check "diff: no such connection: the file is named" says ': .*slow.pcap: there is no connection 99'
run "$RDT" replay -q "$TMP/reject.rdt"
check "-q: the verdict alone" test "$(wc -l <"$out")" = 1
check "-q: the verdict" prints '^fidelity   F5\+T'
printf 'rdt 1\nservice tcp:1\na > REQ[private=file:"%s/none"]\n' "$TMP" >"$TMP/file.rdt"
run "$RDT" replay "$TMP/file.rdt"
check "a file that is not there" exits 2
check "a file that is not there: where" says 'line 3'
# Files have an end, and are files.
printf 'rdt 1\nservice tcp:7\na > REQ[private=file:"/dev/zero"]\n' >"$TMP/device.rdt"
run "$RDT" replay "$TMP/device.rdt"
check "a device is no file" exits 2
check "a device is no file: said" says 'line 3.*not a regular file'
run "$RDT" replay /dev/zero
check "a device is no script" exits 2
check "a device is no script: said" says 'not a regular file'
# Nothing to play is not faithful.
printf 'rdt 1\n...\n' >"$TMP/nothing.rdt"
run "$RDT" replay "$TMP/nothing.rdt"
check "a script without a message" exits 2
check "a script without a message: said" says 'nothing to play'
# A value that its symbol cannot hold.
printf 'rdt 1\nservice tcp:7\nbind $p.psn = 0x1000001\na > REQ[]\n' >"$TMP/wide.rdt"
run "$RDT" replay "$TMP/wide.rdt"
check "a PSN of 25 bits" exits 2
check "a PSN of 25 bits: said" says 'line 3.*24 bits'
# Services that are not the IP CM's have the whole room.
bytes=$(printf 'ab%.0s' $(seq 92))
printf 'rdt 1\nservice 0x0002c90200000001\na > REQ[private=hex:%s]\n+1ms p > REJ[]\n' "$bytes" >"$TMP/room.rdt"
run "$RDT" replay "$TMP/room.rdt"
check "private data of a native service" exits 0
printf 'rdt 1\nservice tcp:7\na > REQ[private=hex:%s]\n' "$bytes" >"$TMP/room.rdt"
run "$RDT" replay "$TMP/room.rdt"
check "private data behind an IP CM header" exits 2
check "private data behind an IP CM header: said" says 'room for 56'
if "$RDT" replay "$TMP/reject.rdt" --backend rdmacm --play a --local 127.0.0.1 --peer 127.0.0.2 --check 2>&1 | grep -q 'there is no backend'; then
	echo "built without rdma-core: its backends are not tried"
else
	for backend in rdmacm umad; do
		run "$RDT" replay "$TMP/reject.rdt" --backend $backend --play a --local 127.0.0.1 --peer 127.0.0.2
		check "$backend without a device" exits 4
		check "$backend without a device: said" says 'RDMA device'
	done
fi
run live a 127.0.0.1 127.0.0.2 --check
check "--check" exits 0
check "--check: what it found" prints 'reachable: F5'

# Ctrl-C: the result is printed, the connection is left.
printf 'rdt 1\nservice tcp:7\na > REQ[]\n+20s p > REP[]\n' >"$TMP/long.rdt"
"$RDT" replay "$TMP/long.rdt" --play a --backend udp --local 127.0.0.1 --peer 127.0.0.2 --port "$port" \
	-w "$TMP/left.pcapng" >"$out" 2>"$err" &
p=$!
sleep 1
kill -INT $p
wait $p
rc=$?
check "a signal ends it" exits 1
check "a signal: said" prints 'stopped by a signal'
run "$RDT" list -T csv -e outcome,rej_reason -E header=n "$TMP/left.pcapng"
check "a signal: the connection was left" prints '^(timeout|rejected),4$'
finish
