#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# show: which connections, in which forms, and that all forms tell the same.
. "$(dirname "$0")/lib.sh"
accept=$CAPTURES/accept.pcap reject=$CAPTURES/reject.pcap

# holds JQ-PROGRAM FILE: true of all its lines.
holds() { jq -ne "$1" "$2" >/dev/null; }
heads() { grep -c '^connection ' "$out"; }

run "$RDT" show -q "$accept"
check "all connections without N" is "$(heads)" 4
run "$RDT" show -q 2 "$accept"
check "one by its number" is "$(heads)" 1
check "the right one" prints '^connection 2 '
id=$(sed -n 's/^connection 2   id \([0-9a-f]*\) .*/\1/p' "$out")
cp "$out" "$TMP/two"
run "$RDT" show -q "$id" "$accept"
check "by its id: the same" cmp -s "$out" "$TMP/two"
run "$RDT" show -q -s 2 "$accept"
check "with -s: the same" cmp -s "$out" "$TMP/two"
run "$RDT" show -q -Y 'n == 2' "$accept"
check "with -Y: the same" cmp -s "$out" "$TMP/two"
run "$RDT" show -q -Y 'req.private_data contains "hello" and rep' "$accept"
check "-Y about bytes of messages" is "$(heads)" 4
run "$RDT" show -q -Y 'rej' "$accept"
check "nothing selected is nothing printed" nothing
check "and no error" exits 0
run sh -c '"$1" show -q 2 - <"$2"' sh "$RDT" "$accept"
check "from a pipe, with two passes: the same" cmp -s "$out" "$TMP/two"
run "$RDT" show -q 1-2,4 "$accept"
check "a list and a range" is "$(heads)" 3
expect 2 'accept[.]pcap: there is no connection 9' "$RDT" show 9 "$accept"
expect 2 'accept[.]pcap: there is no connection 9' "$RDT" show -s 9 "$accept"
run "$RDT" show -q -o "$TMP/file" 2 "$accept"
check "-o writes the same" cmp -s "$TMP/file" "$TMP/two"

# A capture that ends in the middle: what is there is shown.
head -c 2000 "$accept" >"$TMP/cut.pcap"
run "$RDT" show "$TMP/cut.pcap"
check "cut file: exit code 3" exits 3
check "cut file: the first connection" prints '^connection 1 '

# The characters and the colours of the screen.
run "$RDT" show -q --ascii "$accept"
check "--ascii is ASCII" is "$(LC_ALL=C tr -d '\n\040-\176' <"$out" | wc -c)" 0
run env LC_ALL=C "$RDT" show -q "$accept"
check "a locale without UTF-8 is ASCII" is "$(LC_ALL=C tr -d '\n\040-\176' <"$out" | wc -c)" 0
run "$RDT" show -q --color always "$reject"
check "--color always colours" grep -q "$(printf '\033')" "$out"
run "$RDT" show -q "$reject"
check "no colour in a file" is "$(tr -cd '\033' <"$out" | wc -c)" 0
check "no blanks at the ends of lines" is "$(grep -c ' $' "$out")" 0

# What was refused says who, why and what to type.
check "the reason" prints '^verdict .*REJ 28'
check "who it was" prints '^who  '
check "what next" prints '^next +rdma-trace explain rej 28$'
check "private data as text" prints 'REJ .*"denied: quota"'

# Calls: every message has both ways.
run "$RDT" show -q --ascii --calls "$accept"
check "each message is sent by something" is "$(grep -c ' sent by  ' "$out")" 20
check "and got by something" is "$(grep -c ' got by  ' "$out")" 20

# The hosts' traces: what the kernel says has a *, replaces what was inferred, and is never in doubt.
trace=$CAPTURES/slow.client.trace.gz
run "$RDT" show -q --ascii --ftrace active="$trace" --ftrace "$CAPTURES/slow.server.trace.gz" "$CAPTURES/slow.pcap"
check "both traces agree" is "$(grep -c '^host .*agrees with the packets$' "$out")" 2
check "the armed MRA" prints '\*MRA_REQ_SENT +\*kernel '
check "an event's time" prints '\*kernel .*passive program is told DISCONNECTED$'
check "no event is inferred any more" is "$(grep -c 'inferred from the packets' "$out")" 0
run "$RDT" show -q -T ndjson --ftrace "$trace" "$CAPTURES/slow.pcap"
check "a host line" holds '[inputs | select(.type == "host")] | length == 1 and .[0].compared == 3
	and .[0].conflicts == 0 and .[0].unsent == 0 and .[0].clock_steady' "$out"
check "the active side's events are the kernel's" holds '[inputs | select(.type == "event" and
	.side == "active")] | length == 4 and all(.basis == "kernel")' "$out"
check "the passive side's are not" holds '[inputs | select(.type == "event" and .side == "passive")]
	| length == 3 and all(.basis == "inferred")' "$out"
gzip -dc "$trace" | sed 's/state=ESTABLISHED/state=REP_RCVD/; /icm_send_rtu/p' >"$TMP/other.trace"
run "$RDT" show -q --ascii --ftrace "$TMP/other.trace" "$CAPTURES/slow.pcap"
check "a state that the packets do not show" prints 'DREQ .*its kernel was in REP_RCVD, the packets before it show ESTABLISHED'
check "a message that is not captured" prints '1 message it sent is not in the capture'
expect 0 'passive side of every connection.*--ftrace says active' \
	"$RDT" show --ftrace active="$CAPTURES/slow.server.trace.gz" "$CAPTURES/slow.pcap"
expect 0 'none of its lines belongs to a connection' "$RDT" show --ftrace "$trace" "$accept"
expect 2 'cannot be read: No such file' "$RDT" show --ftrace active=/no/such/file "$accept"
expect 2 'is a directory' "$RDT" show --ftrace "$TMP" "$accept"
expect 2 'no kernel trace.*none of its [0-9]+ lines' "$RDT" show --ftrace "$accept" "$accept"
expect 2 'more than twice' "$RDT" show --ftrace "$trace" --ftrace "$trace" --ftrace "$trace" "$accept"
head -c 700 "$trace" >"$TMP/cut.gz"
expect 3 'damaged after line' "$RDT" show --ftrace "$TMP/cut.gz" "$CAPTURES/slow.pcap"

# The forms for programs: as many records, in the same order, by time.
for capture in "$CAPTURES"/*.pcap; do
	name=$(basename "$capture")
	run "$RDT" show -q -T ndjson "$capture"
	jq -r 'select(.type | IN("msg", "state", "event")) | [.type, .conn, .rel_ns] | @csv' "$out" |
		tr -d '"' >"$TMP/json"
	check "$name: records are in the order of time" holds '
		[inputs | select(.type | IN("msg", "state", "event"))]
		| group_by(.conn) | all(map(.rel_ns) | . == sort)' "$out"
	check "$name: states continue where they were" holds '
		[inputs | select(.type == "state")] | group_by([.conn, .side, .machine])
		| all(. as $s | all(range(1; length); $s[.].from == $s[. - 1].to))' "$out"
	check "$name: what is guessed says why" holds '
		[inputs | select(.type == "msg")]
		| all((.private_type == null) == (.private_why == null) and (.private == null) == (.private_why == null))' "$out"
	run "$RDT" show -q -T csv "$capture"
	check "$name: csv has the records of ndjson" python3 - "$out" "$TMP/json" <<'PY'
import csv, sys
rows = [[r["type"], r["conn"], r["rel_ns"]] for r in csv.DictReader(open(sys.argv[1]))]
sys.exit(rows != [l.strip().split(",") for l in open(sys.argv[2])])
PY
done

# Private data: whose they are, for people and for programs.
run "$RDT" show --width 300 1 "$CAPTURES/rsocket.pcap"
check "rsocket: a guess, and why" prints 'rsocket connection parameters \(a guess: .*credits 384, '
run "$RDT" show -T ndjson 1 "$CAPTURES/rsocket.pcap"
check "rsocket: its fields" is "$(jq -r 'select(.msg == "REQ") | [.private_type, .private.credits, .private.buf_length] | @tsv' "$out")" \
	"$(printf 'rsocket\t384\t524288')"
run "$RDT" show -T ndjson 1 "$CAPTURES/accept.pcap"
check "text is nobody's" is "$(jq -r 'select(.msg == "REQ") | [.private_type, .private_data] | @tsv' "$out")" \
	"$(printf '\t6170702d68656c6c6f2d7631')"

finish
