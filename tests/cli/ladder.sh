#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# ladder: the pictures are whole, fit the screen, and say what list and tshark say.
. "$(dirname "$0")/lib.sh"
c=$CAPTURES

# Every connection of every capture can be drawn, in every form.
well_formed() { python3 -c 'import sys, xml.dom.minidom as m; [m.parse(f) for f in sys.argv[1:]]' "$@"; }
widest() { python3 -c 'import sys; print(max((len(l.rstrip("\n")) for l in open(sys.argv[1], encoding="utf-8")), default=0))' "$out"; }
for name in rping4 slow reject dup udaddy pingpong perftest iwarp-rping iwarp-reject ignore nolisten; do
	count=$("$RDT" list -q -T tsv -E header=n -e n "$c/$name.pcap" | wc -l)
	for ((n = 1; n <= count; n++)); do
		run "$RDT" ladder -T svg "$n" "$c/$name.pcap"
		check "$name $n: svg" exits 0
		cp "$out" "$TMP/$name-$n.svg"
		run "$RDT" ladder -T mermaid "$n" "$c/$name.pcap"
		check "$name $n: mermaid" prints '^sequenceDiagram$'
		check "$name $n: mermaid has nothing that ends a statement" is "$(grep -c '[;#]' "$out")" 0
		run "$RDT" ladder -T plantuml "$n" "$c/$name.pcap"
		check "$name $n: plantuml" is "$(sed -n '1p;$p' "$out" | paste -sd' ')" '@startuml @enduml'
	done
	check "$name: svg is well formed" well_formed "$TMP/$name"-*.svg
	for width in 80 100 140; do
		run "$RDT" ladder --width $width "$c/$name.pcap"
		check "$name: $width columns" exits 0
		check "$name: fits $width columns" [ "$(grep -E '[│├┤]' "$out" >"$TMP/lane"; cp "$TMP/lane" "$out"; widest)" -le $width ]
	done
	run "$RDT" ladder --ascii "$c/$name.pcap"
	check "$name: --ascii is ASCII" is "$(LC_ALL=C grep -c '[^ -~]' "$out")" 0
done

# The arrows are the messages, in order and direction.
arrows() { "$RDT" ladder -q --ascii --expand "$@" | grep -oE '\|(<-+|-+) [A-Z_]+( again)?' | sed 's/ again//' |
	awk '{ print ($1 ~ /</ ? "passive" : "active"), $2 }' | paste -sd,; }
told() { "$RDT" show -q -T ndjson "$@" | python3 -c '
import json, sys
rows = [json.loads(l) for l in sys.stdin]
print(",".join(r["from"] + " " + r["msg"] for r in rows if r["type"] == "msg"))'; }
for name in rping4 slow reject dup pingpong iwarp-rping ignore udaddy; do
	check "$name: an arrow for each message" is "$(arrows 1 "$c/$name.pcap")" "$(told 1 "$c/$name.pcap")"
done

# Data are counted as they are in list.
for name in rping4 pingpong perftest udaddy; do
	sum=$("$RDT" ladder -q --ascii 1 "$c/$name.pcap" | grep -oE '[0-9,]+ data packets?' | tr -d , | awk '{ s += $1 } END { print s + 0 }')
	check "$name: data" is "$sum" "$("$RDT" list -q -s 1 -T tsv -E header=n -e data_pkts "$c/$name.pcap")"
done

run "$RDT" ladder 1 "$c/slow.pcap"
check "repetitions are one arrow" prints 'REQ ×2 .*at 0, \+6\.26 s'
run "$RDT" ladder --expand 1 "$c/slow.pcap"
check "--expand: an arrow each" is "$(grep -c '─ REQ' "$out")" 2
run "$RDT" ladder 1 "$c/mute.pcap"
check "a timer stands between the lifelines" prints '~ timer: all REQ retries'
check "what is inferred says so" prints '~ no packet shows it'
run "$RDT" ladder "$c/rping4.pcap"
check "without a number: all" exits 0
run bash -c '"$1" ladder - <"$2"' - "$RDT" "$c/rping4.pcap"
check "from a pipe" exits 0

expect 2 'draws one connection and 4 are selected' "$RDT" ladder -T svg "$c/dup.pcap"
expect 2 'none of text, mermaid, plantuml or svg' "$RDT" ladder -T json "$c/dup.pcap"
expect 2 'none of text, json' "$RDT" show -T svg "$c/dup.pcap"
expect 2 '' "$RDT" ladder 99 "$c/dup.pcap"
finish
