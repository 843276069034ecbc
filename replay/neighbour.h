/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's table of neighbours (ip neigh). */
#ifndef REPLAY_NEIGHBOUR_H
#define REPLAY_NEIGHBOUR_H

#include <stdbool.h>
#include <stdint.h>

#include "rdmatrace/addr.h"

/*
 * The MAC address of an IPv4 or IPv6 host on a link, when the kernel knows it (also when it was not
 * confirmed lately). False: it does not, or does not tell.
 */
bool rp_neighbour(int ifindex, const struct rdt_addr *addr, uint8_t ret_mac[6]);

#endif
