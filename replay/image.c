// SPDX-License-Identifier: BSD-2-Clause
#include "replay/image.h"

#include <glib.h>
#include <string.h>

static void add(struct rp_image *image, enum rdt_hdr_id hdr, const uint8_t *bytes, size_t have)
{
	if (image->layer_count < RP_LAYERS_MAX && have)
		image->layers[image->layer_count++] = (struct rdt_layer){
			.hdr = hdr,
			.bytes = bytes,
			.have = (uint32_t)MIN(have, rdt_hdrs[hdr].len),
		};
}

/* ---- CM ------------------------------------------------------------------------------------------ */

static const struct rdt_layer *find(const struct rp_image *image, enum rdt_hdr_id hdr)
{
	return rdt_layer_find(image->layers, image->layer_count, hdr);
}

/* Which message does the MAD hold? False when it is none of CM. */
static bool cm_message(struct rp_image *image, const uint8_t *mad)
{
	const struct rdt_name *attr;

	if (rdt_mad_mgmt_class(mad) != RDT_CLASS_CM || rdt_mad_method(mad) != RDT_METHOD_SEND)
		return false;
	attr = rdt_name_find(RDT_NAMES_cm_attr, rdt_mad_attr_id(mad));
	return attr && rp_msg_find(attr->key, strlen(attr->key), &image->msg) &&
	       image->msg.family == RP_CM;
}

static bool cm_image(struct rp_image *image)
{
	const struct rdt_layer *mad = find(image, RDT_H_mad), *main, *ipcm;
	const struct rdt_field *f;
	uint8_t hdrs[RP_HDRS_MAX];
	size_t skip;

	if (!mad || mad->have < RDT_LEN_mad || !cm_message(image, mad->bytes))
		return false;
	rp_msg_hdrs(image->msg, hdrs);
	main = find(image, (enum rdt_hdr_id)hdrs[0]);
	if (!main)
		return false;
	f = rp_msg_private(image->msg);
	skip = f->at / 8u;
	ipcm = find(image, RDT_H_ipcm);
	if (ipcm)
		skip = (size_t)(ipcm->bytes - main->bytes) + RDT_LEN_ipcm;
	if (main->have > skip) {
		image->private_data = main->bytes + skip;
		image->private_len = main->have - skip;
	}
	return true;
}

/* ---- iWARP --------------------------------------------------------------------------------------- */

static bool mpa_image(struct rp_image *image, const struct rdt_frame *frame)
{
	const struct rdt_layer *mpa = find(image, RDT_H_mpa);
	size_t skip = RDT_LEN_mpa, len;

	if (!mpa || mpa->have < RDT_LEN_mpa)
		return false;
	image->msg = (struct rp_msg){ RP_MPA, RDT_MSG_MPA_REQ };
	if (!memcmp(rdt_mpa_key(mpa->bytes), "MPA ID Rep", 10))
		image->msg.code = RDT_MSG_MPA_REP;
	if (find(image, RDT_H_mpa2))
		skip += RDT_LEN_mpa2;
	len = RDT_LEN_mpa + (size_t)rdt_mpa_pd_length(mpa->bytes);
	len = MIN(len, frame->payload_have);
	image->private_data = mpa->bytes + skip;
	image->private_len = len > skip ? len - skip : 0;
	return true;
}

static bool fpdu_image(struct rp_image *image, const struct rdt_frame *frame)
{
	const uint8_t *p = frame->payload;
	const size_t head = RDT_LEN_fpdu + RDT_LEN_ddp_untagged, have = frame->payload_have;
	size_t end;

	if (have < head + RDT_LEN_terminate || rdt_ddp_untagged_tagged(p + RDT_LEN_fpdu) ||
	    rdt_ddp_untagged_opcode(p + RDT_LEN_fpdu) != RDT_RDMAP_TERMINATE ||
	    rdt_ddp_untagged_qn(p + RDT_LEN_fpdu) != 2)
		return false;
	end = RDT_LEN_fpdu + (size_t)rdt_fpdu_ulpdu_length(p);
	if (end < head + RDT_LEN_terminate || end > have)
		return false;
	image->msg = (struct rp_msg){ RP_FPDU, RDT_RDMAP_TERMINATE };
	add(image, RDT_H_fpdu, p, have);
	add(image, RDT_H_ddp_untagged, p + RDT_LEN_fpdu, have - RDT_LEN_fpdu);
	add(image, RDT_H_terminate, p + head, have - head);
	image->payload = p + head + RDT_LEN_terminate;
	image->payload_len = end - head - RDT_LEN_terminate;
	return true;
}

/* ---- frames -------------------------------------------------------------------------------------- */

static bool packet_image(struct rp_image *image, const struct rdt_frame *frame)
{
	struct rdt_pkt pkt;

	if (rdt_pkt_parse(frame->bth, frame->bth_have, frame->bth_len, &pkt) != RDT_OK)
		return false;
	image->msg = (struct rp_msg){ RP_PACKET, (uint8_t)rdt_bth_opcode(frame->bth) };
	if (pkt.op->payload) {
		image->payload = rdt_pkt_payload(&pkt);
		image->payload_len = MIN(pkt.payload_len, pkt.have - pkt.op->hdr_len);
	}
	return true;
}

bool rp_image_frame(const uint8_t *bytes, size_t len, uint16_t port, struct rp_image *ret_image)
{
	struct rdt_frame frame;

	*ret_image = (struct rp_image){ .layer_count = 0 };
	rdt_frame_parse(RDT_LINK_ETHERNET, bytes, len, len, port, &frame);
	if (frame.kind != RDT_FRAME_IB && (frame.kind != RDT_FRAME_TCP || !frame.payload))
		return false;
	ret_image->layer_count = rdt_layers(bytes, &frame, ret_image->layers);
	if (frame.kind == RDT_FRAME_TCP)
		return mpa_image(ret_image, &frame) || fpdu_image(ret_image, &frame);
	return cm_image(ret_image) || packet_image(ret_image, &frame);
}

/* ---- operations ---------------------------------------------------------------------------------- */

void rp_image_op(const struct rp_op *op, struct rp_image *ret_image)
{
	static const struct {
		uint8_t hdr;
		size_t at, len;
	} parts[] = {
		{ RDT_H_bth, offsetof(struct rp_op, bth), RDT_LEN_bth },
		{ RDT_H_reth, offsetof(struct rp_op, reth), RDT_LEN_reth },
		{ RDT_H_atomiceth, offsetof(struct rp_op, atomiceth), RDT_LEN_atomiceth },
		{ RDT_H_immdt, offsetof(struct rp_op, immdt), RDT_LEN_immdt },
		{ RDT_H_ieth, offsetof(struct rp_op, ieth), RDT_LEN_ieth },
	};
	uint8_t hdrs[RP_HDRS_MAX];
	size_t count;

	*ret_image = (struct rp_image){ .msg = { RP_OP, op->kind } };
	count = rp_msg_hdrs(ret_image->msg, hdrs);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < G_N_ELEMENTS(parts); k++) {
			if (parts[k].hdr == hdrs[i])
				add(ret_image, (enum rdt_hdr_id)hdrs[i],
				    (const uint8_t *)op + parts[k].at, parts[k].len);
		}
	}
	ret_image->payload = op->payload;
	ret_image->payload_len = op->payload_len;
	ret_image->reply = op->reply;
	ret_image->reply_len = op->reply_len;
}

const uint8_t *rp_image_hdr(const struct rp_image *image, unsigned field)
{
	const struct rdt_field *f = &rdt_fields[field];
	const struct rdt_layer *layer = find(image, (enum rdt_hdr_id)f->hdr);

	return layer && rdt_layer_has(layer, f) ? layer->bytes : NULL;
}

void rp_op_clear(struct rp_op *op)
{
	g_free(op->payload);
	g_free(op->reply);
	op->payload = op->reply = NULL;
}

void rp_op_copy(const struct rp_op *from, struct rp_op *to)
{
	*to = *from;
	to->payload = from->payload ? g_memdup2(from->payload, from->payload_len) : NULL;
	to->reply = from->reply ? g_memdup2(from->reply, from->reply_len) : NULL;
}
