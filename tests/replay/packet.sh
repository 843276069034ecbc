#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# loopback.py with backend packet, in network namespaces: on a loopback, and between two ends of a link with
# MAC addresses of their own; IPv4 and IPv6.
# Usage: packet.sh RDMA_TRACE CAPTURES
set -e
if [ "$REPLAY_BACKEND" != packet ]; then
	unshare -rn true 2>/dev/null || exit 77
	REPLAY_BACKEND=packet exec unshare -rn "$0" "$@"
fi
here=$(dirname "$(readlink -f "$0")")
ip link set lo up
"$here/loopback.py" "$1" "$2" rping4 slow reject access-error "$here/frames.rdt"
ip addr add fd00::1/128 dev lo
ip addr add fd00::2/128 dev lo
REPLAY_ADDRESSES="fd00::1 fd00::2" "$here/loopback.py" "$1" "$2" rping-ipv6

unshare -n sleep 120 &
other=$!
trap 'kill $other' EXIT
while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
ip link add v0 type veth peer name v1 netns $other 2>/dev/null || {
	echo "no veth in this kernel: the link is not tried"
	exit 0
}
ip addr add 10.9.0.1/24 dev v0
ip addr add fd01::1/64 dev v0 nodad
ip link set v0 up
nsenter -t $other -n sh -c 'ip link set lo up && ip addr add 10.9.0.2/24 dev v1 && ip addr add fd01::2/64 dev v1 nodad && ip link set v1 up'
export REPLAY_NS=$other
REPLAY_ADDRESSES="10.9.0.1 10.9.0.2" "$here/loopback.py" "$1" "$2" rping4 reject "$here/frames.rdt"
REPLAY_ADDRESSES="fd01::1 fd01::2" "$here/loopback.py" "$1" "$2" rping-ipv6
