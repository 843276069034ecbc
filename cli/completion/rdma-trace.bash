# SPDX-License-Identifier: BSD-2-Clause
# bash completion for rdma-trace. tests/cli/options.sh holds it against the option table.

_rdma_trace_options()
{
	local common="-T --format -o --output -v --verbose -q --quiet --color --ascii --width -h --help --version"
	local read="-r --read -f --capture-filter -c --count --port -Y --filter -s --select -t --time
		-n --numeric --resolve --max-conns"
	local read_script="-r --read -f --capture-filter -c --count --port -Y --filter -s --select --max-conns"
	local capture="$read -E --table -w --write"

	case $1 in
	list) echo "$common $capture -e --field" ;;
	show) echo "$common $capture --calls --ftrace" ;;
	ladder) echo "$common $read --expand" ;;
	diagnose) echo "$common $read -E --table --fail-on --no-icrc" ;;
	stats) echo "$common $read -E --table" ;;
	dump) echo "$common $capture -e --field -V --decode" ;;
	script) echo "${common/-T --format/} $read_script" ;;
	replay) echo "$common --port -w --write --play --backend --local --peer --dev --speed --tolerance --timeout
		--require --keep-ids --seed --max-msgs --rate --realtime --share --check" ;;
	diff) echo "$common --port --tolerance --require" ;;
	explain) echo "$common" ;;
	fields) echo "$common -E --table" ;;
	esac
}

_rdma_trace()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local commands="list show ladder diagnose stats dump script replay diff explain fields" command=list formats="text json ndjson csv tsv"
	local IFS=$' \t\n'

	[[ " $commands " == *" ${COMP_WORDS[1]} "* ]] && command=${COMP_WORDS[1]}
	[[ $command == fields ]] && formats+=" md"
	[[ $command == ladder ]] && formats="text mermaid plantuml svg"
	[[ $command == replay || $command == diff ]] && formats="text json ndjson junit tap"
	COMPREPLY=()
	case $prev in
	-T | --format)
		COMPREPLY=($(compgen -W "$formats" -- "$cur"))
		return
		;;
	-t | --time)
		COMPREPLY=($(compgen -W "a ad d e r u" -- "$cur"))
		return
		;;
	--fail-on)
		COMPREPLY=($(compgen -W "note warning error never" -- "$cur"))
		return
		;;
	--backend)
		COMPREPLY=($(compgen -W "auto sim udp mpa packet rdmacm umad" -- "$cur"))
		return
		;;
	--speed)
		COMPREPLY=($(compgen -W "orig asap x2 x4 x10" -- "$cur"))
		return
		;;
	--require)
		COMPREPLY=($(compgen -W "F0 F1 F2 F3 F4 F5" -- "$cur"))
		return
		;;
	--color)
		COMPREPLY=($(compgen -W "auto always never" -- "$cur"))
		return
		;;
	-E | --table)
		COMPREPLY=($(compgen -W "header=y header=n separator= quote=d quote=s quote=n" -- "$cur"))
		return
		;;
	-e | --field)
		# The last of a list with commas.
		local before=
		[[ $cur == *,* ]] && before=${cur%,*},
		COMPREPLY=($(compgen -P "$before" -W "$(rdma-trace fields -T tsv -E header=n 2>/dev/null |
			cut -f2)" -- "${cur##*,}"))
		return
		;;
	--ftrace)
		COMPREPLY=($(compgen -P "${cur%%[!=]*}" -f -- "$cur") $(compgen -W "active= passive=" -- "$cur"))
		return
		;;
	-f | --capture-filter | -Y | --filter | -s | --select | -c | --count | --port | --width | --max-conns | --play | --local | --peer | \
		--dev | --tolerance | --timeout | --seed | --max-msgs | --rate)
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$(_rdma_trace_options "$command")" -- "$cur"))
		return
	fi
	case $command in
	fields)
		COMPREPLY=($(compgen -W "$(rdma-trace fields -T tsv -E header=n 2>/dev/null | cut -f1 | sort -u)" \
			-- "$cur"))
		return
		;;
	explain)
		return
		;;
	esac
	((COMP_CWORD == 1)) && COMPREPLY=($(compgen -W "$commands" -- "$cur"))
	COMPREPLY+=($(compgen -f -- "$cur"))
}

complete -o filenames -F _rdma_trace rdma-trace
