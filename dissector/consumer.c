/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Headers that the packet alone does not tell: FPDUs, which begin where the stream says, and private data
 * that only the connection's service gives a meaning.
 */
#include <string.h>

#include "rdmacm.h"
#include "rdmatrace/field.h"
#include "rdmatrace/private.h"

/* Private data: in a message's field, from begin bytes on. */
struct data {
	enum rdt_hdr_id hdr;
	uint32_t begin, len; /* from the message's start */
};

/* Replies and rejections: rdt_layers() has done the requests, which name their service. */
static bool find_cm(const struct packet *p, struct data *ret, const struct rdt_layer **ret_message)
{
	static const struct {
		enum rdt_hdr_id hdr;
		enum rdt_field_id field;
	} rows[] = {
		{ RDT_H_rep, RDT_F_rep_private_data },
		{ RDT_H_rej, RDT_F_rej_private_data },
		{ RDT_H_sidr_rep, RDT_F_sidr_rep_private_data },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const struct rdt_field *f = &rdt_fields[rows[i].field];

		*ret_message = rdt_layer_find(p->layers, p->layer_count, rows[i].hdr);
		if (!*ret_message)
			continue;
		*ret = (struct data){ rows[i].hdr, f->at / 8u, f->width / 8u };
		return (*ret_message)->have > ret->begin;
	}
	return false;
}

/* Of an MPA frame; its layer ends before the private data. */
static bool find_mpa(const struct packet *p, struct data *ret, const struct rdt_layer **ret_message)
{
	const struct rdt_layer *mpa2 = rdt_layer_find(p->layers, p->layer_count, RDT_H_mpa2);
	uint32_t all;

	*ret_message = rdt_layer_find(p->layers, p->layer_count, RDT_H_mpa);
	if (!*ret_message || (*ret_message)->have < RDT_LEN_mpa)
		return false;
	all = (uint32_t)RDT_LEN_mpa + (uint32_t)rdt_mpa_pd_length((*ret_message)->bytes);
	*ret = (struct data){ .hdr = RDT_H_mpa,
			      .begin = (uint32_t)(RDT_LEN_mpa + (mpa2 ? RDT_LEN_mpa2 : 0u)) };
	ret->len = all > ret->begin ? all - ret->begin : 0;
	return ret->len && p->frame.payload_have > ret->begin;
}

static void add_private(struct packet *p)
{
	const unsigned port =
		p->conn->port_space || p->conn->kind == RDT_CONN_MPA ? p->conn->p_port : 0;
	const struct rdt_layer *message = NULL;
	struct rdt_private found;
	struct data data;
	uint32_t have;

	if (!find_cm(p, &data, &message) && !find_mpa(p, &data, &message))
		return;
	have = data.hdr == RDT_H_mpa ? p->frame.payload_have : message->have;
	have = MIN(have - data.begin, data.len);
	if (!rdt_private_find(data.hdr, port, message->bytes + data.begin, have, data.len,
			      &found) ||
	    rdt_layer_find(p->layers, p->layer_count, found.hdr) ||
	    p->layer_count == RDT_LAYERS_MAX)
		return;
	p->layers[p->layer_count++] = (struct rdt_layer){ .hdr = (uint8_t)found.hdr,
							  .guess = true,
							  .bytes = message->bytes + data.begin,
							  .have = rdt_hdrs[found.hdr].len,
							  .off = message->off + data.begin };
}

void consumer_add(struct packet *p)
{
	if (p->note->fpdu_at && p->frame.kind == RDT_FRAME_TCP)
		p->layer_count = rdt_layers_fpdu(tvb_get_ptr(p->tvb, 0, -1), &p->frame,
						 p->note->fpdu_at - 1, p->layers, p->layer_count);
	if (p->conn && p->note->message)
		add_private(p);
}
