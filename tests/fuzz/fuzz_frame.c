// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a frame. Input: two bytes link type, most significant first; then the frame.
 *
 * Checked: all that frame_props.h says; a shorter capture of the same frame finds no other packet;
 * Ethernet and raw IP find the same packet in the same bytes (two ways through frame.c).
 */
#include <stdio.h>

#include "../frame_props.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(const char *wrong)
{
	if (!wrong)
		return;
	fprintf(stderr, "fuzz_frame: %s\n", wrong);
	abort();
}

/* What a cut may not change: only a packet that was found whole can be compared. */
static void compare_cut(unsigned linktype, const uint8_t *buf, size_t have,
			const struct rdt_frame *f)
{
	const size_t cut = have - have / 4 - 1;
	struct rdt_frame g;

	must(props_parse(linktype, buf, cut, have, 0, &g));
	if (g.kind == RDT_FRAME_IB && (f->kind != RDT_FRAME_IB || g.bth_len != f->bth_len ||
				       g.encap != f->encap || g.bth_have > f->bth_have))
		must("a cut frame holds another packet");
	if (f->problem == RDT_PROBLEM_NONE && g.problem != RDT_PROBLEM_NONE &&
	    !rdt_frame_problem_is_snap((enum rdt_frame_problem)g.problem))
		must("a cut frame is malformed, the whole one is not");
}

static void compare_raw(const uint8_t *buf, size_t have, const struct rdt_frame *f)
{
	struct rdt_frame g;

	if (have <= RDT_LEN_eth || f->tunnel != RDT_TUNNEL_NONE || f->vlans)
		return;
	if (rdt_eth_type(buf) == RDT_ETHERTYPE_IPV4)
		rdt_frame_parse(RDT_LINK_IPV4, buf + RDT_LEN_eth, have - RDT_LEN_eth, 0, 0, &g);
	else if (rdt_eth_type(buf) == RDT_ETHERTYPE_IPV6)
		rdt_frame_parse(RDT_LINK_IPV6, buf + RDT_LEN_eth, have - RDT_LEN_eth, 0, 0, &g);
	else
		return;
	if (f->kind != g.kind || f->problem != g.problem || f->bth != g.bth || f->l4 != g.l4 ||
	    f->net != g.net || f->bth_have != g.bth_have || f->bth_len != g.bth_len ||
	    f->payload != g.payload || f->payload_len != g.payload_len || f->sport != g.sport ||
	    f->dport != g.dport || f->tos != g.tos || f->ttl != g.ttl ||
	    !rdt_addr_equal(&f->src, &g.src) || !rdt_addr_equal(&f->dst, &g.dst))
		must("Ethernet and raw IP differ");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rdt_frame f;
	unsigned linktype;

	if (size < 2)
		return 0;
	linktype = (unsigned)data[0] << 8 | data[1];
	data += 2;
	size -= 2;
	rdt_frame_parse(linktype, data, size, size, 0, &f);
	must(props_frame(data, size, &f));
	if (size)
		compare_cut(linktype, data, size, &f);
	if (linktype == RDT_LINK_ETHERNET)
		compare_raw(data, size, &f);
	return 0;
}
