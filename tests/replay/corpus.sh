#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Every connection of every capture becomes a script, is played in simulation to F5, and is the same
# as itself for diff.
# Usage: corpus.sh RDMA_TRACE CAPTURES
set -u
rdt=$1 captures=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0 made=0
for capture in "$captures"/*.pcap; do
	name=$(basename "$capture" .pcap)
	for n in $("$rdt" list -q -T csv -e n -E header=n "$capture" 2>/dev/null | head -40); do
		"$rdt" script -q "$n" "$capture" -o "$folder/$name.$n.rdt" 2>"$folder/err"
		rc=$?
		if [ $rc -ne 0 ] && [ $rc -ne 3 ]; then
			echo "FAILED: script $n $name: exit $rc: $(head -1 "$folder/err")"
			failed=$((failed + 1))
		fi
		made=$((made + 1))
	done
	[ -e "$folder/$name.1.rdt" ] || continue
	"$rdt" diff -q "$capture:1" "$capture:1" >"$folder/diff" 2>&1
	rc=$?
	if [ $rc -ne 0 ] && [ $rc -ne 3 ]; then
		echo "FAILED: diff of $name with itself: exit $rc: $(grep -E 'not F|FAIL' "$folder/diff" | head -2)"
		failed=$((failed + 1))
	fi
done
"$rdt" replay --require F5 --speed asap --max-msgs 100000 "$folder" >"$folder/suite"
grep -v ^PASS "$folder/suite" | head -20
[ "$(grep -c ^PASS "$folder/suite")" -eq "$made" ] || failed=$((failed + 1))
echo "$made connections, $failed failures"
[ "$failed" -eq 0 ] && [ "$made" -gt 0 ]
