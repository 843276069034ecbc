/* SPDX-License-Identifier: BSD-2-Clause */
/* What a socket does not tell of a received packet. */
#ifndef REPLAY_ICRC_ID_H
#define REPLAY_ICRC_ID_H

#include "replay/item.h"

/*
 * The ICRC covers the IP id and the fragment bits, which a socket does not hand over. Find those
 * that make the ICRC of item's frame right and write them into it; sets bad_icrc when there are none
 * (a random wrong ICRC passes with a probability of 2^-15). Nothing to find for IPv6.
 */
void rp_find_ip_id(struct rp_item *item, uint32_t wire_icrc);

#endif
