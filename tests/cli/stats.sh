#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# stats against what the programs themselves counted and timed (the logs), and against list.
. "$(dirname "$0")/lib.sh"
cd "$CAPTURES" || exit 99

# value TABLE NAME KEY: of the CSV in $out.
value() { awk -F, -v t="$1" -v n="$2" -v k="$3" '$1 == t && $2 == n && $3 == k { print $4 }' "$out"; }
# within A B C: A <= B <= C
within() { awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { exit !(a <= b && b <= c) }'; }

# cmtime measured the same 200 connections from inside: from its call on, so a little longer.
run "$RDT" stats -T csv cmtime.pcap
check "exit code" exits 0
check "200 connections" is "$(value total all conns)" 200
check "all of one service" is "$(value service 'cm tcp 7471' ok)" 200
longest=$(awk '/^connect / { print $4 }' cmtime.client.log) # ms
check "the slowest setup is that of the program" within "$(awk -v m="$longest" 'BEGIN { print m * 0.95e6 }')" \
	"$(value total all setup_max_ns)" "$(awk -v m="$longest" 'BEGIN { print m * 1e6 }')"
longest=$(awk '/^disconnect / { print $4 }' cmtime.client.log)
check "the slowest disconnect is that of the program" within "$(awk -v m="$longest" 'BEGIN { print m * 0.95e6 }')" \
	"$(value step disconnect max_ns)" "$(awk -v m="$longest" 'BEGIN { print m * 1e6 }')"
check "percentiles ascend" within "$(value step connect p50_ns)" "$(value step connect p90_ns)" "$(value step connect max_ns)"
check "200 in one second" is "$(value total all peak_per_second)" 200

# A step is the difference of two frames of the one connection.
run "$RDT" stats -T csv rping4.pcap
for step in connect:REQ:REP establish:REP:RTU disconnect:DREQ:DREP; do
	IFS=: read -r name from to <<<"$step"
	want=$("$RDT" show -T ndjson 1 rping4.pcap | python3 -c '
import json, sys
at = {}
for line in sys.stdin:
    r = json.loads(line)
    if r["type"] == "msg":
        at.setdefault(r["msg"], r["rel_ns"])
print(at[sys.argv[2]] - at[sys.argv[1]])' "$from" "$to")
	check "step $name" is "$(value step "$name" p50_ns)" "$want"
done
check "messages of rping: 5 READs" is "$(value data read messages)" 5
check "of 64 bytes" is "$(value data read bytes)" 320

# Outcomes are those of list.
for name in mixed nolisten sidr-reject mute perftest iwarp-reject stale; do
	run "$RDT" stats -T csv "$name.pcap"
	check "$name: as many as list" is "$(value total all conns)" \
		"$("$RDT" list -T csv -e n -E header=n "$name.pcap" | wc -l)"
	check "$name: refused" is "$(value total all rejected)" \
		"$("$RDT" list -T csv -e outcome -E header=n "$name.pcap" | grep -cE '^(rejected|refused)$')"
	check "$name: services add up" is \
		"$(awk -F, '$1 == "service" && $3 == "conns" { n += $4 } END { print n }' "$out")" \
		"$(value total all conns)"
done
run "$RDT" stats nolisten.pcap
check "reasons" prints '^invalid-service-id \(8\), kernel +2 '
run "$RDT" stats -Y 'outcome == rejected' perftest.pcap
check "-Y" prints '^1 connection'
check "-Y leaves data out" is "$(grep -c '^data:' "$out")" 0
run "$RDT" stats -T ndjson rping4.pcap
check "NDJSON" is "$(python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(rows[0]["type"], rows[-1]["type"], sum(r["conns"] for r in rows if r["type"] == "service"))' "$out")" 'header end 1'
run "$RDT" stats --max-conns 1 reject.pcap
check "dropped connections are counted" prints '^3 connections'
check "and that they were dropped is said" exits 3
run "$RDT" stats iwarp-nolisten.pcap
check "no RDMA" nothing
finish
