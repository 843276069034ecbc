// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/layers.h"

#include "frame_walk.h"
#include "rdmatrace/private.h"

/* Tunnels in tunnels may fill the list; what is inside the transport must still have room. */
#define INNER_MAX 12

/* ---- the rows of payload.def ---------------------------------------------------------- */

struct mad_row {
	uint8_t mgmt_class;
	uint16_t attr;
	uint8_t hdr; /* enum rdt_hdr_id, as in all rows */
	uint8_t at;
};

#define M(cls, attribute, h, offset)     \
	{ .mgmt_class = RDT_CLASS_##cls, \
	  .attr = RDT_##attribute,       \
	  .hdr = RDT_H_##h,              \
	  .at = (offset) },
#define P(h, field, space, maybe)
#define D(h, field)
#define V(h, port, alone, next, check, why)
#define R(h, code, is, field, next)
static const struct mad_row mad_rows[] = {
#include "wire/payload.def"
};
#undef M
#undef P

struct prefix_row {
	uint8_t hdr;
	uint16_t field; /* enum rdt_field_id */
	uint16_t prefix;
	bool guess;
};

#define M(cls, attribute, h, offset)
#define P(h, name, space, maybe) \
	{ .hdr = RDT_H_##h, .field = RDT_F_##h##_##name, .prefix = RDT_##space, .guess = (maybe) },
static const struct prefix_row prefix_rows[] = {
#include "wire/payload.def"
};
#undef P
#undef D

/* Where a message has its private data. */
static const struct {
	uint8_t hdr;
	uint16_t field;
} data_rows[] = {
#define P(h, field, space, maybe)
#define D(h, name) { RDT_H_##h, RDT_F_##h##_##name },
#include "wire/payload.def"
};
#undef D
#undef R

struct code_row {
	uint8_t hdr;
	uint16_t code; /* enum rdt_field_id, as field */
	uint16_t value;
	uint16_t field;
	uint8_t next;
};

#define D(h, field)
#define R(h, name, is, info, what)     \
	{ .hdr = RDT_H_##h,            \
	  .code = RDT_F_##h##_##name,  \
	  .value = RDT_##is,           \
	  .field = RDT_F_##h##_##info, \
	  .next = RDT_H_##what },
static const struct code_row code_rows[] = {
#include "wire/payload.def"
};
#undef M
#undef P
#undef D
#undef V
#undef R

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* ---- the list ------------------------------------------------------------------------- */

struct list {
	const uint8_t *buf;
	struct rdt_layer *layers;
	size_t count;
};

/* Bytes that can be looked into: how many were captured, how many there were. */
struct span {
	const uint8_t *at;
	size_t have, len;
};

static struct span after(struct span s, size_t n)
{
	const size_t skip = n < s.have ? n : s.have;

	return (struct span){ s.at + skip, s.have - skip, n < s.len ? s.len - n : 0 };
}

/* The bytes of one field of a header that begins at s. */
static struct span inside(struct span s, enum rdt_field_id id)
{
	const struct rdt_field *f = &rdt_fields[id];
	struct span in = after(s, f->at / 8u);

	if (in.len > f->width / 8u)
		in.len = f->width / 8u;
	if (in.have > in.len)
		in.have = in.len;
	return in;
}

/* Add a header; false when it is not whole, so that nothing is to be looked for behind it. */
static bool add(struct list *l, enum rdt_hdr_id hdr, struct span s, bool guess)
{
	const size_t need = rdt_hdrs[hdr].len;

	if (l->count == RDT_LAYERS_MAX || !s.have)
		return false;
	l->layers[l->count++] = (struct rdt_layer){
		.hdr = hdr,
		.guess = guess,
		.bytes = s.at,
		.have = (uint32_t)(s.have < need ? s.have : need),
		.off = (uint32_t)(s.at - l->buf),
	};
	return s.have >= need;
}

#define ADD(l, h, s) add(l, RDT_H_##h, s, false)

/* Is the field captured? When it is, *ret_value is its value. */
static bool value(struct span s, enum rdt_field_id id, uint64_t *ret_value)
{
	if (s.have < rdt_field_need(&rdt_fields[id]))
		return false;
	*ret_value = rdt_field_get(&rdt_fields[id], s.at);
	return true;
}

/* ---- communication management --------------------------------------------------------- */

/*
 * Do the bytes speak for an RDMA IP CM header? Version 0.0, IP version 4 or 6, and IPv4 addresses
 * in the last bytes of fields that are otherwise zero. When cut, what is there must do.
 */
static bool is_ipcm(struct span s)
{
	static const uint8_t zero[RDT_SIZE_ipcm_src_ip - 4];
	uint64_t version, minor, ip;

	if (!value(s, RDT_F_ipcm_major_version, &version) ||
	    !value(s, RDT_F_ipcm_minor_version, &minor) || !value(s, RDT_F_ipcm_ip_version, &ip))
		return false;
	if (version || minor || (ip != 4 && ip != 6))
		return false;
	return ip == 6 || s.have < RDT_LEN_ipcm ||
	       (!memcmp(rdt_ipcm_src_ip(s.at), zero, sizeof(zero)) &&
		!memcmp(rdt_ipcm_dst_ip(s.at), zero, sizeof(zero)));
}

/* The RDMA IP CM header of a request; data becomes the bytes behind it. False: it has none. */
static bool ip_cm(struct list *l, enum rdt_hdr_id hdr, struct span msg, uint64_t service_id,
		  struct span *data)
{
	for (size_t i = 0; i < COUNT(prefix_rows); i++) {
		const struct prefix_row *row = &prefix_rows[i];

		if (row->hdr != hdr || row->prefix != service_id >> 16)
			continue;
		*data = inside(msg, row->field);
		if (!is_ipcm(*data))
			return false;
		add(l, RDT_H_ipcm, *data, row->guess);
		*data = after(*data, RDT_LEN_ipcm);
		return true;
	}
	return false;
}

/* What an upper layer put there. */
static void upper_layer(struct list *l, enum rdt_hdr_id hdr, unsigned port, struct span data)
{
	struct rdt_private found;

	if (rdt_private_find(hdr, port, data.at, data.have, data.len, &found))
		add(l, found.hdr, data, true);
}

static void private_data(struct list *l, enum rdt_hdr_id hdr, struct span msg)
{
	struct span data = { .have = 0 };
	uint64_t service_id = 0;
	size_t i = 0;
	bool ip;

	if ((hdr == RDT_H_req && !value(msg, RDT_F_req_service_id, &service_id)) ||
	    (hdr == RDT_H_sidr_req && !value(msg, RDT_F_sidr_req_service_id, &service_id)))
		return;
	while (i < COUNT(data_rows) && data_rows[i].hdr != hdr)
		i++;
	if (i == COUNT(data_rows))
		return;
	ip = ip_cm(l, hdr, msg, service_id, &data);
	if (!ip)
		data = inside(msg, (enum rdt_field_id)data_rows[i].field);
	if (data.have)
		upper_layer(l, hdr, ip ? service_id & 0xffff : 0, data);
}

static void message(struct list *l, enum rdt_hdr_id hdr, struct span msg)
{
	uint64_t code;

	for (size_t i = 0; i < COUNT(code_rows); i++)
		if (code_rows[i].hdr == hdr && value(msg, code_rows[i].code, &code) &&
		    code == code_rows[i].value) {
			add(l, code_rows[i].next, inside(msg, code_rows[i].field), false);
			return;
		}
	private_data(l, hdr, msg);
}

/* Does this segment of a transfer begin with a record? RMPP acknowledges carry none. */
static bool sa_has_record(const uint8_t *rmpp)
{
	if (!rdt_rmpp_active(rmpp))
		return true;
	return rdt_rmpp_type(rmpp) == RDT_RMPP_DATA && rdt_rmpp_seg_num(rmpp) == 1;
}

static void mad(struct list *l, struct span s)
{
	const uint8_t *hdr = s.at;
	struct span body;

	if (s.len > RDT_MAD_LEN)
		s.len = RDT_MAD_LEN;
	if (s.have > s.len)
		s.have = s.len;
	/* Other versions of the base or the class lay out the rest in another way. */
	if (!ADD(l, mad, s) || rdt_mad_base_version(hdr) != 1 || rdt_mad_class_version(hdr) != 2)
		return;
	if (rdt_mad_mgmt_class(hdr) == RDT_CLASS_SA) {
		body = after(s, RDT_LEN_mad);
		if (!ADD(l, rmpp, body) || !ADD(l, sa, after(body, RDT_LEN_rmpp)) ||
		    !sa_has_record(body.at))
			return;
	}
	for (size_t i = 0; i < COUNT(mad_rows); i++) {
		const struct mad_row *row = &mad_rows[i];

		if (row->mgmt_class != rdt_mad_mgmt_class(hdr) || row->attr != rdt_mad_attr_id(hdr))
			continue;
		body = after(s, row->at);
		add(l, row->hdr, body, false);
		message(l, row->hdr, body);
		return;
	}
}

/* ---- transport ------------------------------------------------------------------------ */

static const uint8_t ext_hdr[RDT_EXT_COUNT] = {
#define X(h) [RDT_EXT_##h] = RDT_H_##h,
	RDT_EXT_LIST(X)
#undef X
};

/* Is a datagram one of management? Those to QP0 and QP1 are; others when they use QP1's key. */
static bool is_mad(const uint8_t *bth, const uint8_t *deth)
{
	return rdt_bth_opcode(bth) == RDT_OP_UD_SEND_ONLY &&
	       (rdt_bth_dest_qpn(bth) <= RDT_QP1 || rdt_deth_qkey(deth) == RDT_QP1_QKEY);
}

static void transport(struct list *l, const struct rdt_frame *frame)
{
	const struct span s = { frame->bth, frame->bth_have, frame->bth_len };
	const struct rdt_opcode *op;
	struct rdt_pkt pkt;
	enum rdt_status status;

	if (!ADD(l, bth, s))
		return;
	status = rdt_pkt_parse(s.at, s.have, s.len, &pkt);
	if (status == RDT_OK || status == RDT_SNAPPED) {
		op = &rdt_opcodes[rdt_bth_opcode(s.at)];
		for (unsigned i = 0; i < RDT_EXT_COUNT; i++)
			if ((op->ext >> i & 1) && !add(l, ext_hdr[i], after(s, op->off[i]), false))
				return;
	}
	if (status == RDT_OK && rdt_pkt_deth(&pkt) && is_mad(s.at, rdt_pkt_deth(&pkt))) {
		struct span payload = after(s, pkt.op->hdr_len);

		payload.len = pkt.payload_len;
		if (payload.have > payload.len)
			payload.have = payload.len;
		mad(l, payload);
	}
	ADD(l, icrc, after(s, s.len - RDT_LEN_icrc));
}

/* MPA says how long its private data are. */
static void mpa_private(struct list *l, const struct rdt_frame *frame, struct span s)
{
	const bool mpa2 = l->layers[l->count - 1].hdr == RDT_H_mpa2,
		   request = rdt_mpa_key(s.at)[9] == 'q';
	const size_t skip = mpa2 ? RDT_LEN_mpa2 : 0, length = rdt_mpa_pd_length(s.at);
	struct span data = after(s, RDT_LEN_mpa + skip);

	data.len = length > skip ? length - skip : 0;
	if (data.have > data.len)
		data.have = data.len;
	if (data.have)
		upper_layer(l, RDT_H_mpa, request ? frame->dport : frame->sport, data);
}

static void stream(struct list *l, const struct rdt_frame *frame)
{
	static const char req[] = "MPA ID Req Frame", rep[] = "MPA ID Rep Frame";
	const struct span s = { frame->payload, frame->payload_have, frame->payload_len };

	if (s.have < RDT_SIZE_mpa_key || (memcmp(rdt_mpa_key(s.at), req, RDT_SIZE_mpa_key) &&
					  memcmp(rdt_mpa_key(s.at), rep, RDT_SIZE_mpa_key)))
		return;
	/* Nobody but the first bytes of the stream says that this is MPA. */
	if (!add(l, RDT_H_mpa, s, true))
		return;
	if (rdt_mpa_enhanced(s.at) && rdt_mpa_rev(s.at) == 2 &&
	    rdt_mpa_pd_length(s.at) >= RDT_LEN_mpa2)
		ADD(l, mpa2, after(s, RDT_LEN_mpa));
	mpa_private(l, frame, s);
}

size_t rdt_layers(const uint8_t *buf, const struct rdt_frame *frame,
		  struct rdt_layer layers[RDT_LAYERS_MAX])
{
	struct list l = { .buf = buf, .layers = layers };

	l.count = rdt_frame_walk(buf, frame, layers, RDT_LAYERS_MAX - INNER_MAX);
	if (frame->kind == RDT_FRAME_IB)
		transport(&l, frame);
	else if (frame->kind == RDT_FRAME_TCP && frame->payload)
		stream(&l, frame);
	return l.count;
}

/* What follows the header of an untagged segment, by its opcode. */
static void rdmap(struct list *l, unsigned opcode, struct span s)
{
	static const uint8_t next[] = {
		[RDT_RDMAP_READ_REQUEST] = RDT_H_rdmap_read,
		[RDT_RDMAP_TERMINATE] = RDT_H_terminate,
		[RDT_RDMAP_IMM] = RDT_H_rdmap_imm,
		[RDT_RDMAP_IMM_SE] = RDT_H_rdmap_imm,
		[RDT_RDMAP_ATOMIC_REQUEST] = RDT_H_rdmap_atomic,
		[RDT_RDMAP_ATOMIC_RESPONSE] = RDT_H_rdmap_atomic_resp,
	};

	if (opcode < COUNT(next) && next[opcode])
		add(l, next[opcode], s, false);
}

size_t rdt_layers_fpdu(const uint8_t *buf, const struct rdt_frame *frame, uint32_t at,
		       struct rdt_layer layers[RDT_LAYERS_MAX], size_t count)
{
	struct list l = { .buf = buf, .layers = layers, .count = count };
	struct span s = { frame->payload, frame->payload_have, frame->payload_len };
	uint32_t len;

	if (frame->kind != RDT_FRAME_TCP || !frame->payload || at >= s.have)
		return count;
	s = after(s, at);
	if (!ADD(&l, fpdu, s))
		return l.count;
	len = rdt_fpdu_ulpdu_length(s.at);
	s = after(s, RDT_LEN_fpdu);
	if (s.len > len)
		s.len = len;
	if (s.have > s.len)
		s.have = s.len;
	if (s.have < RDT_NEED_ddp_tagged_opcode)
		return l.count;
	if (rdt_ddp_tagged_tagged(s.at))
		ADD(&l, ddp_tagged, s);
	else if (ADD(&l, ddp_untagged, s))
		rdmap(&l, rdt_ddp_untagged_opcode(s.at), after(s, RDT_LEN_ddp_untagged));
	return l.count;
}

const struct rdt_layer *rdt_layer_find(const struct rdt_layer *layers, size_t count,
				       enum rdt_hdr_id hdr)
{
	for (size_t i = 0; i < count; i++)
		if (layers[i].hdr == hdr)
			return &layers[i];
	return NULL;
}
