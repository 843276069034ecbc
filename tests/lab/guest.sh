# SPDX-License-Identifier: BSD-2-Clause
# What a scenario's functions can call, in a guest and (but for what needs its kernel) in a
# process of the host. The two roles meet through files in the shared folder: no packet is spent.

# busybox has applets of these names, and its shell would take them
ip() { /usr/bin/ip "$@"; }
tc() { /usr/bin/tc "$@"; }

LAB=${LAB:-/lab}
CLIENT=10.0.0.2 SERVER=10.0.0.1
CLIENT6=fd00::2 SERVER6=fd00::1
CLIENT_LL=fe80::5054:ff:fe00:2 SERVER_LL=fe80::5054:ff:fe00:1

say() {
	echo "lab: $*"
}

# ---- the guest ------------------------------------------------------------------------------

# load NAME: the module and what it needs, in order; each once.
load() {
	local file name
	while read -r file; do
		name=${file%.ko}
		[ -e "/sys/module/${name//-/_}" ] || insmod "/modules/$file" || say "cannot load $file"
	done <"/modules/$1.list"
}

# Addresses, modules, the RDMA device, traces: all before the roles start.
host_up() {
	local n=1 module conf
	[ "$role" = client ] && n=2
	load virtio_net
	[ "$device" = rxe ] && load crc32_generic # it cannot add a device without
	for module in ${modules_of[$role]:-$modules}; do
		load "$module"
	done
	# eth0 is there already, others may follow. Else link-local addresses are tentative while roles start.
	for conf in default eth0; do
		sysctl_set net/ipv6/conf/$conf/accept_dad 0
		sysctl_set net/ipv6/conf/$conf/router_solicitations 0
	done
	sysctl_set net/ipv6/conf/all/accept_ra 0
	ip link set lo up
	ip link set eth0 mtu "${mtu:-1500}" up
	ip addr add "10.0.0.$n/24" dev eth0
	ip addr add "fd00::$n/64" dev eth0 nodad
	declare -F before >/dev/null && before
	case $device in
	rxe) rdma link add rxe0 type rxe netdev eth0 || say "no rxe device" ;;
	siw) rdma link add siw0 type siw netdev eth0 || say "no siw device" ;;
	esac
	trace_on
	counters >/tmp/counters.before
}

sysctl_set() {
	echo "$2" >"/proc/sys/$1"
}

trace_on() {
	local system
	echo 16384 >/sys/kernel/tracing/buffer_size_kb
	for system in ib_cma rdma_cma ib_mad ib_umad; do
		[ -d /sys/kernel/tracing/events/$system ] && echo 1 >/sys/kernel/tracing/events/$system/enable
	done
}

# Name and value of every counter of the device.
counters() {
	local file value
	rdma -p statistic show 2>/dev/null
	for file in /sys/class/infiniband/*/ports/1/hw_counters/* /sys/class/infiniband/*/ports/1/cm_*/*; do
		[ -f "$file" ] && read -r value <"$file" && echo "${file#/sys/class/infiniband/} $value"
	done
}

# "name before after"
counters_both() {
	counters >/tmp/counters.after
	awk 'NR == FNR { if (NF == 2) was[$1] = $2; next }
		NF == 2 { print $1, ($1 in was) ? was[$1] : 0, $2; next } { print }' \
		/tmp/counters.before /tmp/counters.after
}

# nap SECONDS: sleep without a process, which costs much in a guest
exec {never}<> <(:)
nap() {
	read -rt "$1" -u "$never"
	return 0
}

# ---- meeting the other role ------------------------------------------------------------------

other() {
	[ "$role" = client ] && echo server || echo client
}

# mark WORD, await WORD [SECONDS]: one role tells, the other waits.
mark() {
	: >"$LAB/mark.$1"
}

await() {
	local end=$((SECONDS + ${2:-60}))
	until [ -e "$LAB/mark.$1" ]; do
		[ $SECONDS -ge $end ] && {
			say "waited in vain for $1"
			return 1
		}
		nap 0.05
	done
}

# logged TEXT [SECONDS]: wait until this role's log has it.
logged() {
	local end=$((SECONDS + ${2:-30}))
	until [[ $(<"$LAB/$role.log") == *"$1"* ]]; do
		[ $SECONDS -ge $end ] && return 1
		nap 0.1
	done
}

# A frame that shows that the capture went on for a while after the last event.
still_here() {
	nap 4
	echo end >"/dev/udp/$1/9"
	nap 0.5
}

# The neighbour's address before the network is impaired.
resolve() {
	local end=$((SECONDS + 10))
	until ip neigh show "$1" | grep -q lladdr; do
		[ $SECONDS -ge $end ] && return 1
		echo >"/dev/udp/$1/9"
		nap 0.3
	done
}

# Somebody listens: an rdma_cm id or a TCP socket.
listening() {
	rdma res show cm_id 2>/dev/null | grep -q LISTEN || grep -q ' 0A ' /proc/net/tcp /proc/net/tcp6
}

await_listener() {
	local end=$((SECONDS + 10))
	until listening; do
		[ $SECONDS -ge $end ] && return
		nap 0.1
	done
}

# ---- impairments ----------------------------------------------------------------------------

# netem OPTIONS: what leaves this host is lost, delayed, duplicated; before its own capture point.
netem() {
	load sch_netem
	say "netem $*"
	tc qdisc replace dev eth0 root netem "$@"
}

hooks() {
	load sch_ingress
	load cls_u32
	load act_gact
	tc qdisc show dev eth0 | grep -q clsact || tc qdisc add dev eth0 clsact
}

# drop ingress|egress WHAT [every N]: frames of a kind never arrive (the captures of both have
# them) or never leave (neither has). WHAT: all, roce, mad, data, send, or a CM message.
drop() {
	local way=$1 what=$2 action=(action drop) match family protocol header
	# a sender that is told of the drop would send again at once
	[ "$way" = egress ] && action=(action trap)
	[ "${3:-}" = every ] && action=(action pass random determ "${action[1]}" "$4")
	hooks
	say "drop $*"
	for family in 4 6; do
		protocol=ip header=20
		[ $family = 6 ] && protocol=ipv6 header=40
		# UDP destination port; BTH opcode and destination QP; attribute of the MAD
		match=(match u16 4791 0xffff at $((header + 2)))
		case $what in
		all) match=(match u8 0 0 at 0) ;;
		roce) ;;
		mad) match+=(match u32 1 0x00ffffff at $((header + 12))) ;;
		# RC and UC requests and answers: opcodes 0x00 to 0x3f
		data) match+=(match u8 0 0xc0 at $((header + 8))) ;;
		send) match+=(match u8 0x04 0xff at $((header + 8))) ;; # SEND Only
		*) match+=(match u32 1 0x00ffffff at $((header + 12)) match u16 "$(cm_attr "$what")" 0xffff at $((header + 44))) ;;
		esac
		tc filter add dev eth0 "$way" protocol $protocol prio $family u32 "${match[@]}" "${action[@]}"
	done
}

# undrop ingress|egress
undrop() {
	say "undrop $*"
	tc filter del dev eth0 "$1"
}

# drop_first ingress|egress WHAT [N]: as drop, but the N+1st passes.
drop_first() {
	drop "$1" "$2"
	(
		until [ "$(dropped "$1")" -ge "${3:-1}" ]; do
			nap 0.1
		done
		undrop "$1"
	) &
}

dropped() {
	tc -s filter show dev eth0 "$1" | awk '$1 == "Sent" { n += $4 } END { print n + 0 }'
}

cm_attr() {
	case $1 in
	REQ) echo 0x10 ;; MRA) echo 0x11 ;; REJ) echo 0x12 ;; REP) echo 0x13 ;; RTU) echo 0x14 ;;
	DREQ) echo 0x15 ;; DREP) echo 0x16 ;; SIDR_REQ) echo 0x17 ;; SIDR_REP) echo 0x18 ;;
	*) echo "lab: no CM message is called $1" >&2 && echo 0 ;;
	esac
}

# ---- one role from start to end -------------------------------------------------------------

# both_up; function of the role; marks and results in the shared folder.
play() {
	local rc pid end
	mark "$role.up"
	await "$(other).up" 120 || return
	mark "$role.run"
	end=$((SECONDS + limit))
	[ "$role" = client ] && await server.ready 30
	set -m
	if declare -F "$role" >/dev/null; then
		"$role" >"$LAB/$role.log" 2>&1 </dev/null &
	else
		: >"$LAB/$role.log"
		true &
	fi
	pid=$!
	set +m
	if [ "$role" = server ]; then
		declare -F server >/dev/null && [ "$listener" = yes ] && await_listener
		mark server.ready
	fi
	while :; do
		if ! kill -0 $pid 2>/dev/null; then
			wait $pid
			rc=$?
			break
		fi
		if [ $SECONDS -ge $end ]; then
			rc=timeout
			break
		fi
		# a server has no end of its own: it gets some time after the client
		if [ "$role" = server ] && [ -e $LAB/mark.client.done ]; then
			[ -z "$grace_end" ] && grace_end=$((SECONDS + grace))
			[ $SECONDS -ge $grace_end ] && rc=ended && break
		fi
		nap 0.1
	done
	kill -KILL -- -$pid 2>/dev/null
	echo $rc >"$LAB/$role.rc"
	mark "$role.done"
	await "$(other).done" $((limit + 30))
	sleep "$linger"
	finish
}

# What the kernel has to say.
finish() {
	[ -d /sys/kernel/tracing/events ] || return
	echo 0 >/sys/kernel/tracing/tracing_on
	cp /sys/kernel/tracing/trace "$LAB/$role.trace"
	counters_both >"$LAB/$role.counters"
	dmesg >"$LAB/$role.dmesg"
	sync
}
