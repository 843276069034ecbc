#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# diagnose from outside: exit codes, forms, selection, damaged and odd input. What is found in which
# capture is the matter of tests/why/check-findings.
. "$(dirname "$0")/lib.sh"
cd "$CAPTURES" || exit 99

# Exit codes by --fail-on: an error, a warning, a note, nothing.
while read -r name note warning error never; do
	for word in note warning error never; do
		run "$RDT" diagnose --fail-on "$word" "$name.pcap"
		check "$name --fail-on $word" exits "${!word}"
	done
done <<-END
	reject 1 1 1 0
	slow 1 1 0 0
	ucmatose 1 0 0 0
	rping4 0 0 0 0
END
run "$RDT" diagnose reject.pcap
check "--fail-on is error without the option" exits 1
run "$RDT" diagnose slow.pcap
check "a warning is no failure without the option" exits 0
expect 2 '--fail-on loud: that is none of note, warning, error or never' "$RDT" diagnose --fail-on loud reject.pcap

# The screen.
run "$RDT" diagnose --width 100 nolisten.pcap
check "the count comes first" prints '^2 errors in 2 connections'
check "severity and code" prints '^error    CM-REJ-8  connection 1$'
check "the cause in words" prints '^ *nobody listens on 10\.0\.0\.1:7174 \(rping\?\)$'
check "a command to type" prints 'rdma resource show cm_id'
check "frames" prints '^  frames #18$'
check "a filter" prints '^  filter infiniband\.cm\.rej\.reason == 8'
check "no line is longer than the screen" is "$(awk 'length > 100' "$out" | wc -l)" 0
run "$RDT" diagnose reject.pcap
check "alike ones are one" prints '^error    CM-REJ-28  connections 1-3 \(3\)$'
check "the file stands in the next step" prints 'rdma-trace show 1 reject\.pcap '
run "$RDT" diagnose --color always reject.pcap
check "colours" prints "$(printf '\033')\[.*error"
run "$RDT" diagnose rping4.pcap
check "nothing found is said" prints '^no transport fault found in 1 connection'
check "the last request of the active side" prints 'last request of 10\.0\.0\.2: RC SEND Only, PSN [0-9]+.*, acknowledged$'
check "the last request of the passive side" prints 'last request of 10\.0\.0\.1: '

# -s and -Y.
run "$RDT" diagnose -s 2 nolisten.pcap
check "-s: one of the two" prints '^1 error in 1 connection'
check "-s: the other is not there" is "$(grep -c 'CM-REJ-8' "$out")" 1
run "$RDT" diagnose -Y 'svc_port == 7777' nolisten.pcap
check "-Y" prints 'nobody listens on 10\.0\.0\.1:7777'
run "$RDT" diagnose -Y 'svc_port == 1' nolisten.pcap
check "-Y that selects nothing finds nothing" exits 0
run "$RDT" diagnose -Y 'rej.reason == 8 and frame.number > 19' nolisten.pcap
check "-Y that asks about packets" prints '^1 error in 1 connection'
expect 2 'no connection 9' "$RDT" diagnose -s 9 nolisten.pcap

# JSON, NDJSON, CSV.
run "$RDT" diagnose -T ndjson reject.pcap
check "NDJSON: exit code" exits 1
check "NDJSON: header, finding, end" is "$(python3 -c '
import json, sys
print(" ".join(json.loads(line)["type"] for line in open(sys.argv[1])))' "$out")" 'header finding end'
check "NDJSON: keys" is "$(python3 -c '
import json, sys
f = [json.loads(line) for line in open(sys.argv[1])][1]
print(f["code"], f["severity"], f["conns"], f["count"], f["confidence"], len(f["next"]), f["evidence"][0]["field"],
      f["evidence"][0]["value"], f["evidence"][0]["frame"])' "$out")" 'CM-REJ-28 error [1, 2, 3] 3 1.0 2 rej.reason 28 18'
run "$RDT" diagnose -T json reject.pcap
check "JSON: one array" is "$(python3 -c 'import json, sys; print(len(json.load(open(sys.argv[1]))))' "$out")" 3
run "$RDT" diagnose -T csv reject.pcap
check "CSV" is "$(python3 -c '
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
print(len(rows), rows[0]["code"], rows[0]["conns"])' "$out")" '1 CM-REJ-28 1-3'

# Damaged input: what was read is judged, and 3 never hides 1.
head -c 1500 reject.pcap >"$TMP/cut.pcap"
run "$RDT" diagnose "$TMP/cut.pcap"
check "a cut file with nothing wrong is partial" exits 3
check "a cut file is said" prints '^warning  CAP-FILE$'
check "partial: yes" prints 'partial: yes'
head -c "$(($(stat -c %s reject.pcap) - 7))" reject.pcap >"$TMP/cut.pcap"
run "$RDT" diagnose "$TMP/cut.pcap"
check "a cut file with errors exits 1" exits 1
run "$RDT" diagnose --max-conns 1 reject.pcap
check "connections that were dropped are judged" prints 'CM-REJ-28  connections 1-3'
check "that they were dropped is said" prints 'CAP-EVICTED'
last="diagnose -"
"$RDT" diagnose - <reject.pcap >"$out" 2>"$err"
rc=$?
check "from a pipe" exits 1
run "$RDT" diagnose iwarp-nolisten.pcap
check "no RDMA: nothing is claimed" nothing
check "no RDMA: said" says 'no RDMA in'

# Several files: frames say of which.
run "$RDT" diagnose reject.pcap slow.pcap
check "frames of two files" prints '#1:18'
check "frames of the second" prints '#2:[0-9]+'

# list's note, show's head and explain know the same codes.
run "$RDT" list nolisten.pcap
check "list: the code is in the note" prints 'CM-REJ-8: nobody listens on this service id \(8\)'
run "$RDT" show 1 slow.pcap
check "show: findings" prints '^findings +CM-MRA-SLOW: the program on 10\.0\.0\.1 was slow'
run "$RDT" show -T ndjson 1 slow.pcap
check "show: finding lines" prints '"type":"finding","code":"CM-MRA-SLOW"'
run "$RDT" explain CM-REJ-8 rc-rnr
check "explain: a code" prints '^finding CM-REJ-8: error: nobody listens on the service$'
check "explain: in small letters" prints '^finding RC-RNR: warning: '
for code in $(sed -nE 's/^F\([A-Z0-9_]+, "([^"{]+)".*/\1/p' "$SOURCE/decoder/why/findings.def"); do
	run "$RDT" explain "$code"
	check "explain $code" exits 0
	check "explain $code: no placeholder is left" is "$(grep -c '[{}]' "$out")" 0
done

# What the capture cut or left out is not taken for a fault of the network.
work=$TMP
changed() { # capture, how, wanted codes
	python3 "$SOURCE/tests/cli/cut.py" "$1.pcap" "$work/x.pcap" $2
	"$RDT" diagnose -T ndjson "$work/x.pcap" 2>/dev/null |
		sed -nE 's/.*"type":"finding","code":"([^"]*)".*/\1/p' | sort -u >"$out"
	last="diagnose $1 ($2)"
	check "$1, $2: codes" is "$(tr '\n' ' ' <"$out")" "$3"
}
changed rnr "snap 54" "CAP-TRUNC "
changed rnr "snap 66" "CAP-TRUNC RC-RNR "
for name in rping4 mixed rc-operations perftest-write perftest-read jumbo pingpong-rc; do
	changed $name "snap 54" "CAP-TRUNC "
	changed $name "snap 60" "CAP-TRUNC "
done
changed perftest-read "skip 22" ""
changed mixed "skip 6" "CAP-MID CM-RNR-DIFFER "
# Times that go backwards: nothing by order or waiting is more than a guess.
for name in lost-rep rping4; do
	python3 "$SOURCE/tests/cli/cut.py" $name.pcap "$work/x.pcap" reverse
	run "$RDT" diagnose "$work/x.pcap"
	check "$name reversed: said" prints 'steps backwards: what is found by order'
	run "$RDT" diagnose -T ndjson "$work/x.pcap"
	check "$name reversed: no certainty" \
		is "$(grep -v CAP- "$out" | grep -cE '"confidence":(1|0[.][4-9])')" 0
done
for command in list ladder stats diagnose; do
	python3 "$SOURCE/tests/cli/cut.py" accept.pcap "$work/x.pcap" snap 60
	run "$RDT" $command "$work/x.pcap"
	check "$command: all was cut" exits 3
	check "$command: that it was cut is said" says '20 RDMA packets were cut by the capture'
done
python3 "$SOURCE/tests/cli/cut.py" iwarp-ping.pcap "$work/x.pcap" snap 80
run "$RDT" list "$work/x.pcap"
check "iWARP that was cut" says '37 of the TCP packets were cut by the capture'

# A command that is told can be typed.
cp reject.pcap "$work/a b;rm -rf \$x'.pcap"
run "$RDT" diagnose "$work/a b;rm -rf \$x'.pcap"
check "a name that the shell would take apart is quoted" prints "show 1 '.*/a b;rm -rf .x'.''[.]pcap'"

run "$RDT" diagnose "$CAPTURES/cmtime.pcap"
check "no line about last requests where there are none" bash -c "! grep -q 'last request' '$out'"
run "$RDT" diagnose "$CAPTURES/rping4.pcap"
check "PSNs in hex" prints 'last request of 10\.0\.0\.2: RC SEND Only, PSN 0xad09b8,'

finish
