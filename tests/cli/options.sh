#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One table of options and commands: --help, the manual page and the completion agree with it.
. "$(dirname "$0")/lib.sh"
man=$SOURCE/cli/man/rdma-trace.1.scd
completion=$SOURCE/cli/completion/rdma-trace.bash
"$RDT" --dump-options >"$TMP/options"
commands=$(awk '$1 == "command" { print $2 }' "$TMP/options")
check "commands of this issue" is "$(echo $commands)" 'list show ladder diagnose stats dump script replay diff explain fields'

# --help.
run "$RDT" --help
check "--help" exits 0
check "--help goes to standard output" silent
for command in $commands; do
	check "--help names $command" prints "^  $command "
	run "$RDT" "$command" --help
	check "$command --help" exits 0
	check "$command --help has examples" prints '^  rdma-trace '
	case $command in
	diagnose | replay | diff) check "$command --help names exit code 1" prints '^Exit: 0 done, 1 ' ;;
	ladder) check "ladder --help: its formats" prints 'FORMAT +text, mermaid, plantuml or svg ' ;;
	explain) check "explain --help: its formats" prints 'FORMAT +text, json, ndjson, csv or tsv ' ;;
	esac
	while read -r _ _ long short _; do
		check "$command --help has $long" prints "^  .*$long"
		[ "$short" = - ] || check "$command --help has $short" prints "^  $short, "
	done < <(grep "^option $command " "$TMP/options")
	# What it shows and does not take.
	check "$command --help shows no other option" is \
		"$(grep -oE '^  (-., )?--[a-z-]+' "$out" | grep -oE -- '--[a-z-]+' | sort | paste -sd' ')" \
		"$(awk -v c="$command" '$1 == "option" && $2 == c { print $3 }' "$TMP/options" | sort | paste -sd' ')"
	run "$RDT" --help
done
run "$RDT"
check "no argument: usage, 2" exits 2
run "$RDT" --version
check "--version" prints '^rdma-trace [0-9]+\.[0-9]+\.[0-9]+$'
check "--version names the libraries" prints '^libpcap version'
check "--version names the licence" prints '^licence: (GPL-2\.0-or-later|BSD-2-Clause)'
for command in $commands; do
	run "$RDT" "$command" --version
	check "$command --version" prints '^rdma-trace [0-9]'
done

# Every option of the table works in its command and in no other.
while read -r _ command long _ arg; do
	[ "$long" = --help ] || [ "$long" = --version ] && continue
	for other in $commands; do
		[ "$other" = "$command" ] && continue
		grep -q "^option $other $long " "$TMP/options" && continue
		if [ "$arg" = - ]; then
			run "$RDT" "$other" "$long"
		else
			run "$RDT" "$other" "$long" 1
		fi
		check "$other does not take $long" says "$other does not take -"
		check "$other $long: 2" exits 2
	done
done < <(grep ^option "$TMP/options")

# The manual page: each command and option has its paragraph, and there is nothing else.
for command in $commands; do
	check "the manual has $command" grep -qE "^\*$command\*" "$man"
done
sed -n '/^# OPTIONS/,/^# FILTERS/p' "$man" | grep -oE '^(\*-.\*, )?\*--[a-z-]+\*' |
	tr -d '*,' | awk '{ print NF == 2 ? $2 " " $1 : $1 " -" }' | sort >"$TMP/in-man"
awk '$1 == "option" { print $3, $4 }' "$TMP/options" | sort -u >"$TMP/in-table"
check "the manual has the options of the table" diff "$TMP/in-man" "$TMP/in-table"
for code in 0 1 2 3 4; do
	check "the manual has exit code $code" grep -qx "\*$code\*" "$man"
done
if command -v scdoc >/dev/null; then
	last=scdoc
	scdoc <"$man" >"$TMP/rdma-trace.1" 2>"$err"
	check "scdoc has no complaint" silent
	man --warnings -l "$TMP/rdma-trace.1" >"$out" 2>"$err"
	check "man has no complaint" silent
	check "man shows it" prints 'EXIT STATUS'
fi
# Each example of the manual that needs no other program is a right command line.
cd "$TMP" || exit 99
cp "$CAPTURES/accept.pcap" c.pcap
cp "$CAPTURES/accept.pcap" client.pcap
cp "$CAPTURES/reject.pcap" server.pcap
cp c.pcap a.pcap
cp c.pcap b.pcap
mkdir suite
"$RDT" script 1 c.pcap -o suite/one.rdt
ln -s "$RDT" rdma-trace
sed -n '/^# EXAMPLES/,/^# SEE/p' "$man" | grep -E $'^\trdma-trace' | tr -d '\t' >examples
for command in $commands; do
	"$RDT" "$command" --help | sed -n '/^Examples:/,$p' | grep -E '^  rdma-trace ' | sed 's/^  //; s/   *[a-z].*//' >>examples
done
# Those of a live peer need one.
sed -i '/--peer/d' examples
check "there are examples" [ "$(wc -l <examples)" -gt 12 ]
while read -r line; do
	run env PATH="$TMP:$PATH" bash -c "set -o pipefail; $line"
	check "an example works: $line" exits 0
	# There need not be such connections in the capture that stands for the reader's.
	sed -i '/^rdma-trace: none of [0-9]* connections match$/d' "$err"
	check "an example says nothing wrong: $line" silent
done <examples

# The completion.
check "bash reads the completion" bash -n "$completion"
# shellcheck source=/dev/null
. "$completion"
complete_line() { # words...; prints what would be offered for the last
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	PATH=$TMP:$PATH _rdma_trace
	printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd' '
}
check "commands are offered" is "$(cd / && complete_line rdma-trace sh)" show
for command in $commands; do
	check "$command: the options of the table are offered" is "$(complete_line rdma-trace "$command" -)" \
		"$(awk -v c="$command" '$1 == "option" && $2 == c { print $3; if ($4 != "-") print $4 }' "$TMP/options" |
			sort | paste -sd' ')"
done
check "formats" is "$(complete_line rdma-trace list -T '')" 'csv json ndjson text tsv'
check "formats of fields" is "$(complete_line rdma-trace fields -T '')" 'csv json md ndjson text tsv'
check "names of columns" is "$(complete_line rdma-trace dump -e bth.ps)" bth.psn
check "after a comma" is "$(complete_line rdma-trace dump -e frame.number,bth.ps)" frame.number,bth.psn
check "files" is "$(complete_line rdma-trace list clie)" client.pcap
finish
