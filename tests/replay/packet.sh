#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# loopback.py with backend packet, in a network namespace.
# Usage: packet.sh RDMA_TRACE CAPTURES
here=$(dirname "$(readlink -f "$0")")
unshare -rn true 2>/dev/null || exit 77
export REPLAY_BACKEND=packet
exec unshare -rn sh -c 'ip link set lo up && exec "$0" "$@"' "$here/loopback.py" "$1" "$2" rping4 slow reject access-error \
	"$here/frames.rdt"
