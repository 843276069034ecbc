# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# What the tests of the program share. RDT is the program, CAPTURES the folder of captures; both come
# from ctest. Each script sources this, calls its checks and ends with finish.
set -u
export LC_ALL=C.UTF-8 TZ=UTC
unset NO_COLOR
: "${RDT:?the program}" "${CAPTURES:?the folder of captures}"
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SOURCE=$(cd "$HERE/../.." && pwd)
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
ODD=$TMP/odd # what make_captures.py makes
checks=0 failed=0

odd_captures() {
	mkdir -p "$ODD"
	python3 "$HERE/make_captures.py" "$CAPTURES/rping4.pcap" "$ODD" || exit 99
}

# run COMMAND...: its output is in $out, its messages in $err (files), its exit code in $rc.
out=$TMP/out err=$TMP/err rc=0
run() {
	last="$*"
	"$@" >"$out" 2>"$err" </dev/null
	rc=$?
}

bad() {
	failed=$((failed + 1))
	printf 'FAILED: %s\n  command: %s\n  exit code %s\n' "$1" "${last:-}" "$rc"
	head -5 "$out" | sed 's/^/  out: /' | cut -c1-300
	head -5 "$err" | sed 's/^/  err: /' | cut -c1-300
}

# check WHAT CONDITION...
check() {
	local what=$1
	shift
	checks=$((checks + 1))
	"$@" || bad "$what"
}

is() { [ "$1" = "$2" ] || { printf '  is "%s", should be "%s"\n' "$1" "$2"; return 1; }; }
exits() { [ "$rc" -eq "$1" ]; }
says() { grep -qE -- "$1" "$err"; }
prints() { grep -qE -- "$1" "$out"; }
silent() { [ ! -s "$err" ]; }
nothing() { [ ! -s "$out" ]; }
lines() { [ "$(wc -l <"$out")" -eq "$1" ]; }

# expect CODE MESSAGE COMMAND...: the usual test of a bad input. Every message is one sentence that
# begins with the program's name.
expect() {
	local code=$1 message=$2
	shift 2
	run "$@"
	checks=$((checks + 1))
	if ! exits "$code"; then
		bad "exit code $code expected"
	elif ! says "$message"; then
		bad "message '$message' expected"
	elif grep -qvE '^(rdma-trace: |  )' "$err"; then
		bad "a line of stderr is not ours"
	fi
}

finish() {
	echo "$checks checks, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}
