// SPDX-License-Identifier: BSD-2-Clause
#include "msg_layers.h"

#include <string.h>

enum rdt_hdr_id msg_hdr(enum rdt_msg msg)
{
	switch (msg) {
	case RDT_MSG_REQ:
		return RDT_H_req;
	case RDT_MSG_MRA:
		return RDT_H_mra;
	case RDT_MSG_REJ:
		return RDT_H_rej;
	case RDT_MSG_REP:
		return RDT_H_rep;
	case RDT_MSG_RTU:
		return RDT_H_rtu;
	case RDT_MSG_DREQ:
		return RDT_H_dreq;
	case RDT_MSG_DREP:
		return RDT_H_drep;
	case RDT_MSG_SIDR_REQ:
		return RDT_H_sidr_req;
	case RDT_MSG_SIDR_REP:
		return RDT_H_sidr_rep;
	case RDT_MSG_LAP:
		return RDT_H_lap;
	case RDT_MSG_APR:
		return RDT_H_apr;
	case RDT_MSG_MPA_REQ:
	case RDT_MSG_MPA_REP:
		return RDT_H_mpa;
	case RDT_MSG_TERMINATE:
		return RDT_H_terminate;
	case RDT_MSG_TCP_FIN:
	case RDT_MSG_TCP_RST:
	case RDT_MSG_OOB:
	case RDT_MSG_OOB_DONE:
	case RDT_MSG_COUNT:
		break;
	}
	return RDT_HDR_COUNT;
}

/* Keep what begins with the message; what was made up around it is dropped. */
static void keep(struct msg_layers *m, enum rdt_hdr_id first, const struct rdt_layer *layers,
		 size_t count)
{
	size_t i = 0;

	while (i < count && layers[i].hdr != first)
		i++;
	for (; i < count && m->count < MSG_LAYERS_MAX; i++)
		if (layers[i].hdr != RDT_H_icrc)
			m->layer[m->count++] = layers[i];
}

/* A TERMINATE stands behind a DDP header: its body begins with that. */
static void terminate(const struct rdt_msg_rec *rec, struct msg_layers *m)
{
	const uint32_t have = rec->body_have > RDT_LEN_ddp_untagged
				      ? rec->body_have - (uint32_t)RDT_LEN_ddp_untagged
				      : 0;

	if (have)
		m->layer[m->count++] =
			(struct rdt_layer){ .hdr = RDT_H_terminate,
					    .bytes = rec->body + RDT_LEN_ddp_untagged,
					    .have = have < RDT_LEN_terminate ? have
									     : RDT_LEN_terminate };
}

void msg_layers(const struct rdt_msg_rec *rec, struct msg_layers *ret_layers)
{
	const enum rdt_hdr_id hdr = msg_hdr((enum rdt_msg)rec->msg);
	struct rdt_layer layers[RDT_LAYERS_MAX];
	struct rdt_frame frame = { .kind = RDT_FRAME_TCP };
	uint8_t *bth = ret_layers->packet, *deth = bth + RDT_LEN_bth, *mad = deth + RDT_LEN_deth;
	uint32_t have = rec->body_have;

	ret_layers->count = 0;
	if (hdr == RDT_HDR_COUNT || !rec->body || !have)
		return;
	if (hdr == RDT_H_terminate) {
		terminate(rec, ret_layers);
		return;
	}
	if (hdr == RDT_H_mpa) {
		frame.payload = rec->body;
		frame.payload_have = frame.payload_len = have;
		keep(ret_layers, hdr, layers, rdt_layers(rec->body, &frame, layers));
		return;
	}
	/*
	 * What follows a message is decided by the packet that carries it, in one place (layers.h):
	 * so a datagram to QP1 is made around the bytes.
	 */
	if (have > RDT_LEN_req)
		have = RDT_LEN_req;
	memset(ret_layers->packet, 0, sizeof(ret_layers->packet));
	rdt_bth_set_opcode(bth, RDT_OP_UD_SEND_ONLY);
	rdt_bth_set_dest_qpn(bth, RDT_QP1);
	rdt_deth_set_qkey(deth, RDT_QP1_QKEY);
	rdt_deth_set_src_qpn(deth, RDT_QP1);
	rdt_mad_set_base_version(mad, 1);
	rdt_mad_set_mgmt_class(mad, RDT_CLASS_CM);
	rdt_mad_set_class_version(mad, 2);
	rdt_mad_set_method(mad, RDT_METHOD_SEND);
	/* The messages stand in the order of their attributes. */
	rdt_mad_set_attr_id(mad, RDT_CM_ATTR_REQ + (uint32_t)rec->msg - RDT_MSG_REQ);
	memcpy(mad + RDT_LEN_mad, rec->body, have);
	frame.kind = RDT_FRAME_IB;
	frame.bth = bth;
	frame.bth_len = sizeof(ret_layers->packet);
	frame.bth_have = (uint32_t)(mad - bth) + RDT_LEN_mad + have;
	keep(ret_layers, hdr, layers, rdt_layers(bth, &frame, layers));
}
