#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Pipes and signals: a reader that goes away, a capture that is still being written, SIGUSR1, SIGINT.
. "$(dirname "$0")/lib.sh"
good=$CAPTURES/rping4.pcap
python3 - "$CAPTURES/cmtime.pcap" "$TMP/long.pcap" <<'PY'
import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[2], "wb").write(data[:24] + data[24:] * 60)
PY

# head has what it wants: no message, no crash, the exit of a program that SIGPIPE ended.
for view in 'list -T csv' 'list -T ndjson' 'dump' 'dump -T ndjson' 'fields' 'dump -V'; do
	case $view in fields) input= ;; *) input=$TMP/long.pcap ;; esac
	# shellcheck disable=SC2086
	run bash -c "'$RDT' $view $input | head -2 >/dev/null; echo \${PIPESTATUS[0]}"
	check "$view | head: silent" silent
	check "$view | head: ended by SIGPIPE, or done" prints '^(141|0)$'
done

# A capture in the making: lines come while it is written.
mkfifo "$TMP/slow"
"$RDT" dump - <"$TMP/slow" >"$TMP/lines" 2>"$TMP/messages" &
pid=$!
exec 3>"$TMP/slow"
head -c 5000 "$good" >&3
for _ in $(seq 100); do
	[ "$(wc -l <"$TMP/lines")" -ge 29 ] && break
	sleep 0.05
done
last="dump of a pipe that stays open"
check "lines come while the pipe is open" is "$(wc -l <"$TMP/lines")" 29
kill -USR1 $pid
for _ in $(seq 100); do
	[ -s "$TMP/messages" ] && break
	sleep 0.05
done
check "SIGUSR1 prints one line" is "$(cat "$TMP/messages")" 'rdma-trace: 45 packets read'
kill -INT $pid
wait $pid
check "the first SIGINT ends reading: partial" is $? 3
check "and says so" grep -q 'stopped by a signal after 45 packets' "$TMP/messages"
exec 3>&-

mkfifo "$TMP/slow2"
"$RDT" list - <"$TMP/slow2" >"$TMP/lines" 2>"$TMP/messages" &
pid=$!
exec 3>"$TMP/slow2"
head -c 5000 "$good" >&3
sleep 0.5
kill -TERM $pid
wait $pid
check "SIGTERM: what was read is listed" is "$? $(grep -c ' open ' "$TMP/lines")" '3 1'
exec 3>&-

# The progress line: on a terminal only, and removed.
run "$RDT" list -T csv -e n "$TMP/long.pcap"
check "no progress without a terminal" silent
finish
