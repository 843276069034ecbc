/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must hold of rdt_frame_parse() and rdt_layers() for any bytes whatever. Shared by the unit
 * tests and the fuzz target.
 */
#ifndef RDT_TESTS_FRAME_PROPS_H
#define RDT_TESTS_FRAME_PROPS_H

#include <stdlib.h>
#include <string.h>

#include "rdmatrace/layers.h"

/* Do n bytes at p lie in the buffer? */
static inline bool props_inside(const uint8_t *buf, size_t have, const uint8_t *p, size_t n)
{
	return p >= buf && p <= buf + have && n <= (size_t)(buf + have - p);
}

/* Read every field that is said to be there: the sanitizers see a byte too many. */
static inline uint64_t props_read(const struct rdt_layer *layer)
{
	const struct rdt_hdr *hdr = &rdt_hdrs[layer->hdr];
	uint64_t sum = 0;

	for (unsigned i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];

		if (!rdt_layer_has(layer, f))
			continue;
		if (rdt_field_is_num(f))
			sum += rdt_field_get(f, layer->bytes);
		else
			for (unsigned k = 0; k < f->width / 8u; k++)
				sum += rdt_field_bytes(f, layer->bytes)[k];
	}
	return sum;
}

/* NULL, or the first thing that does not hold of the layers. */
static inline const char *props_layers(const uint8_t *buf, size_t have, const struct rdt_frame *f)
{
	struct rdt_layer layers[RDT_LAYERS_MAX + 1];
	size_t count, ib = 0;
	uint32_t off = 0;
	uint64_t sum = 0;

	memset(layers, 0xa5, sizeof(layers));
	count = rdt_layers(buf, f, layers);
	if (count > RDT_LAYERS_MAX)
		return "more layers than RDT_LAYERS_MAX";
	for (size_t i = 0; i < count; i++) {
		const struct rdt_layer *l = &layers[i];

		if ((unsigned)l->hdr >= RDT_HDR_COUNT || l->guess > 1)
			return "a layer without a header";
		if (l->bytes != buf + l->off || !l->have || l->have > rdt_hdrs[l->hdr].len ||
		    !props_inside(buf, have, l->bytes, l->have))
			return "a layer is not inside the frame";
		if (l->off < off)
			return "the layers are not in the order of their bytes";
		off = l->off;
		sum += props_read(l);
		ib += l->hdr == RDT_H_bth;
	}
	if (ib != (f->kind == RDT_FRAME_IB && f->bth_have))
		return "a BTH layer without a BTH, or the other way round";
	if (ib && rdt_layer_find(layers, count, RDT_H_bth)->bytes != f->bth)
		return "the BTH layer is not the BTH";
	/* Never true, but no compiler knows: the reads above must happen. */
	return sum == UINT64_MAX && !count ? "a sum of nothing" : NULL;
}

/* NULL, or the first thing that does not hold of the frame and its layers. */
static inline const char *props_frame(const uint8_t *buf, size_t have, const struct rdt_frame *f)
{
	const size_t net = f->net && f->net[0] >> 4 == 4 ? RDT_LEN_ipv4 : RDT_LEN_ipv6;

	if (f->eth && !props_inside(buf, have, f->eth, RDT_LEN_eth))
		return "eth leaves the frame";
	if (f->lrh && !props_inside(buf, have, f->lrh, RDT_LEN_lrh))
		return "lrh leaves the frame";
	if (f->net && !props_inside(buf, have, f->net, net))
		return "net leaves the frame";
	if (f->l4 &&
	    !props_inside(buf, have, f->l4, f->kind == RDT_FRAME_TCP ? RDT_LEN_tcp : RDT_LEN_udp))
		return "l4 leaves the frame";
	if (f->kind > RDT_FRAME_ICMP || f->encap > RDT_ENCAP_IB || f->tunnel > RDT_TUNNEL_MPLS ||
	    f->problem >= RDT_PROBLEM_COUNT || f->vlans > RDT_VLAN_MAX)
		return "a code is not one of its list";
	if (f->problem_off > have)
		return "the problem is not in the frame";

	if ((f->kind == RDT_FRAME_IB) != (f->bth != NULL) ||
	    (f->kind == RDT_FRAME_IB) != (f->encap != RDT_ENCAP_NONE))
		return "kind, bth and encap do not agree";
	if (f->bth && (!props_inside(buf, have, f->bth, f->bth_have) || f->bth_have > f->bth_len ||
		       f->bth_len < RDT_LEN_bth + RDT_LEN_icrc))
		return "the BTH leaves the frame";
	if (!f->bth && (f->bth_have || f->bth_len))
		return "lengths without a BTH";
	if (f->bth && f->bth_have < f->bth_len && f->problem == RDT_PROBLEM_NONE)
		return "a cut packet without a problem";

	if (f->payload && (f->kind == RDT_FRAME_IB || f->kind == RDT_FRAME_OTHER))
		return "payload of a kind that has none";
	if (f->payload && !props_inside(buf, have, f->payload, f->payload_have))
		return "the payload leaves the frame";
	if (f->payload_have > f->payload_len || (!f->payload && f->payload_have))
		return "payload_have is wrong";
	if (f->payload && f->payload_have < f->payload_len && f->problem == RDT_PROBLEM_NONE)
		return "a cut payload without a problem";

	if ((f->net || f->lrh) && f->src.kind == RDT_ADDR_NONE) {
		static const uint8_t zero[16];

		if (f->src.bytes[0] || memcmp(f->src.bytes, zero, 16))
			return "an address without a kind";
	}
	if (!f->net && !f->lrh && (f->src.kind != RDT_ADDR_NONE || f->dst.kind != RDT_ADDR_NONE))
		return "an address out of nowhere";
	return props_layers(buf, have, f);
}

/* Parse a copy in a buffer of exactly its size, so that ASan sees one byte too many. */
static inline const char *props_parse(unsigned linktype, const uint8_t *buf, size_t have,
				      size_t wire_len, uint16_t port, struct rdt_frame *ret_frame)
{
	uint8_t *copy = malloc(have ? have : 1);
	const char *wrong;

	if (!copy)
		abort();
	if (have)
		memcpy(copy, buf, have);
	memset(ret_frame, 0xa5, sizeof(*ret_frame));
	rdt_frame_parse(linktype, copy, have, wire_len, port, ret_frame);
	wrong = props_frame(copy, have, ret_frame);
	free(copy);
	return wrong;
}

#endif
