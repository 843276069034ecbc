#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# explain: questions as people type them, forms for programs, exit codes. The texts are golden.
. "$(dirname "$0")/lib.sh"

holds() { jq -e "$1" "$2" >/dev/null; }
first() { head -1 "$out" | cut -d: -f1; }

ask() { # question, first line up to the colon
	# shellcheck disable=SC2086
	run "$RDT" explain $1
	check "$1: exit code" exits 0
	check "$1" is "$(first)" "$2"
}

ask "8" "REJ reason 8, invalid-service-id"
ask "-28" "REJ reason 28, consumer-defined"
ask "rej 28" "REJ reason 28, consumer-defined"
ask "Unknown error -28" "REJ reason 28, consumer-defined"
ask "status = 10" "REJ reason 10, stale-connection"
ask "invalid service ID" "REJ reason 8, invalid-service-id"
ask "-110" "error -110, ETIMEDOUT"
ask "errno 110" "error -110, ETIMEDOUT"
ask "timeout 20" "timeout code 20"
ask "svc 0x0000000001061144" "service id 0x0000000001061144"
ask "RDMA_CM_EVENT_REJECTED" "event 8, RDMA_CM_EVENT_REJECTED"
ask "REQ" "message 0x10, REQ"

# One argument with blanks, as it is pasted; words that show prints.
paste() { # argument, first line up to the colon
	run "$RDT" explain "$1"
	check "pasted: $1" is "$(first)" "$2"
}
paste "Unknown error -28" "REJ reason 28, consumer-defined"
paste "REJ 8" "REJ reason 8, invalid-service-id"
paste "mtu 3" "MTU code 3"
paste "invalid service ID" "REJ reason 8, invalid-service-id"
ask "path_mtu" "req.path_mtu"
ask "mtu" "req.path_mtu"
ask "rnr_retry" "req.rnr_retry_count"
run "$RDT" explain rej
check "what more there is is no circle" prints '^more: rdma-trace fields rej$'

run "$RDT" explain rej 8 10
check "two values of a topic" is "$(grep -c '^REJ reason' "$out")" 2
run "$RDT" explain 8 frobnicate
check "one of two is not known: exit code 2" exits 2
check "the other is told" prints '^REJ reason 8'
expect 2 'closest match: invalid-service-id' "$RDT" explain invalid-servce-id
expect 2 'lists the topics' "$RDT" explain frobnicate
run "$RDT" explain
check "without a question, what can be asked" prints '^rdma-trace explain'
check "without a question: exit code" exits 0

# Every next line names something that can be typed, and our own commands are right.
"$RDT" explain -T json 1 2 3 4 5 6 7 8 9 10 11 12 26 27 28 >"$TMP/all.json"
jq -r '.[].details[] | select(.label == "next") | .text' "$TMP/all.json" |
	sed -n "s/^rdma-trace \(list\|dump\|dump -V\) -Y '\([^']*\)' FILE.*/\2/p; s/^rdma-trace dump -V -Y \([a-z]*\) FILE.*/\1/p" |
	sort -u >"$TMP/filters"
check "some of them filter" [ "$(wc -l <"$TMP/filters")" -gt 0 ]
while IFS= read -r filter; do
	run "$RDT" list -q -Y "$filter" "$CAPTURES/rping4.pcap"
	check "the filter of a next line: $filter" exits 0
done <<END
$(sed -n "s/.*-Y '\([^']*\)' FILE.*/\1/p" "$SOURCE/cli/explain.def" | sed 's/0x\.\.\./0x1/' | sort -u)
$(cat "$TMP/filters")
END

# For programs.
run "$RDT" explain -T json 8
check "json parses" holds 'length > 1 and .[0].topic == "rej_reason" and .[0].value == 8' "$out"
run "$RDT" explain -T ndjson 8
check "ndjson: one meaning a line" holds '.type == "meaning" and .query == "8"' "$out"
run "$RDT" explain -T csv 8
check "csv has names" is "$(head -1 "$out")" "query,topic,value,name,text"
check "csv has rows" [ "$(wc -l <"$out")" -gt 5 ]
run "$RDT" explain --width 60 28
check "--width holds" is "$(awk 'length > 60' "$out" | wc -l)" 0

finish
