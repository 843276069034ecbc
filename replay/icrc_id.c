// SPDX-License-Identifier: BSD-2-Clause
#include "replay/icrc_id.h"

#include <glib.h>

#include "rdmatrace/icrc.h"

static uint32_t compute(const uint8_t *net, const uint8_t *bth, size_t len)
{
	return rdt_icrc_compute(RDT_ENCAP_ROCEV2, NULL, net, bth - RDT_LEN_udp, bth,
				len - RDT_LEN_icrc);
}

/* The CRC is linear: each bit of the id changes it by a constant. Solve for the bits. */
static bool solve(uint8_t *net, const uint8_t *bth, size_t len, uint32_t want)
{
	uint32_t base, basis[32] = { 0 }, id_of[32] = { 0 }, delta, id = 0;

	rdt_ipv4_set_id(net, 0);
	base = compute(net, bth, len);
	delta = base ^ want;
	if (!delta)
		return true;
	for (unsigned bit = 0; bit < 16; bit++) {
		uint32_t row, mask = 1u << bit;

		rdt_ipv4_set_id(net, mask);
		row = compute(net, bth, len) ^ base;
		for (unsigned i = 32; i-- > 0 && row;) {
			if (!(row >> i & 1))
				continue;
			if (!basis[i]) {
				basis[i] = row;
				id_of[i] = mask;
				break;
			}
			row ^= basis[i];
			mask ^= id_of[i];
		}
	}
	for (unsigned i = 32; i-- > 0;) {
		if (delta >> i & 1 && basis[i]) {
			delta ^= basis[i];
			id ^= id_of[i];
		}
	}
	rdt_ipv4_set_id(net, id);
	return !delta;
}

void rp_find_ip_id(struct rp_item *item, uint32_t wire_icrc)
{
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);
	uint8_t *net = rp_item_net(item);

	item->bad_icrc = false;
	if (!bth || len < RDT_LEN_bth + RDT_LEN_icrc)
		return;
	if (rdt_ipv4_version(net) != 4) {
		item->bad_icrc = compute(net, bth, len) != wire_icrc;
	} else if (!solve(net, bth, len, wire_icrc)) {
		rdt_ipv4_set_df(net, false);
		if (!solve(net, bth, len, wire_icrc)) {
			rdt_ipv4_set_df(net, true);
			rdt_ipv4_set_id(net, 0);
			item->bad_icrc = true;
		}
	}
	rp_item_seal(item);
}
