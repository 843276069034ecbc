/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What only the connection gives a meaning: private data of a reply or a rejection, which say nothing
 * about the service, the request that they answer did; and a TERMINATE in a stream.
 */
#include <string.h>

#include "rdmacm.h"
#include "rdmatrace/field.h"

#define NVME_PORT 4420u

/* The header at a field of a message, added as a guess when it was captured whole. */
static void add_inside(struct packet *p, const struct rdt_layer *message, enum rdt_field_id field,
		       enum rdt_hdr_id hdr)
{
	const uint32_t at = rdt_fields[field].at / 8u, need = rdt_hdrs[hdr].len;

	if (message->have < at + need || p->layer_count == RDT_LAYERS_MAX)
		return;
	/* In front of the ICRC, as rdt_layers() has what is inside a message. */
	memmove(&p->layers[p->layer_count], &p->layers[p->layer_count - 1], sizeof(p->layers[0]));
	p->layers[p->layer_count - 1] = (struct rdt_layer){ .hdr = (uint8_t)hdr,
							    .guess = true,
							    .bytes = message->bytes + at,
							    .have = need,
							    .off = message->off + at };
	p->layer_count++;
}

/* A TERMINATE stands behind a DDP header, somewhere in the stream. */
static void add_terminate(struct packet *p, const struct message *m)
{
	const struct rdt_frame *f = &p->frame;
	const uint32_t at = m->body_at - 1 + (uint32_t)RDT_LEN_ddp_untagged;

	if (!m->body_at || f->kind != RDT_FRAME_TCP || at >= f->payload_have ||
	    p->layer_count == RDT_LAYERS_MAX)
		return;
	p->layers[p->layer_count++] = (struct rdt_layer){
		.hdr = RDT_H_terminate,
		.bytes = f->payload + at,
		.have = MIN(f->payload_have - at, (uint32_t)RDT_LEN_terminate),
		.off = (uint32_t)(f->payload + at - tvb_get_ptr(p->tvb, 0, -1)),
	};
}

void consumer_add(struct packet *p)
{
	const struct rdt_layer *rep, *rej;
	uint8_t sts[4];

	for (const struct message *m = p->note->message; m; m = m->next)
		if (m->rec.msg == RDT_MSG_TERMINATE)
			add_terminate(p, m);
	if (!p->conn || p->conn->kind != RDT_CONN_CM || !p->conn->has_svc ||
	    p->conn->svc >> 16 != RDT_PS_TCP || (p->conn->svc & 0xffff) != NVME_PORT)
		return;
	rep = rdt_layer_find(p->layers, p->layer_count, RDT_H_rep);
	rej = rdt_layer_find(p->layers, p->layer_count, RDT_H_rej);
	if (rep)
		add_inside(p, rep, RDT_F_rep_private_data, RDT_H_nvme_rep);
	/* A rejection by the kernel's CM has nothing there; no status of NVMe is 0. */
	if (rej && rej->have >= RDT_NEED_rej_reason &&
	    rdt_rej_reason(rej->bytes) == RDT_REJ_CONSUMER &&
	    rej->have >= rdt_fields[RDT_F_rej_private_data].at / 8u + sizeof(sts)) {
		memcpy(sts, rdt_rej_private_data(rej->bytes), sizeof(sts));
		if (rdt_nvme_rej_sts(sts))
			add_inside(p, rej, RDT_F_rej_private_data, RDT_H_nvme_rej);
	}
}
