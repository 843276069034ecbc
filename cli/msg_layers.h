/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers of a message from its kept bytes: the message itself, and what its private data and
 * additional information hold. For those who have no packet any more.
 */
#ifndef RDT_CLI_MSG_LAYERS_H
#define RDT_CLI_MSG_LAYERS_H

#include "rdmatrace/layers.h"
#include "rdmatrace/track.h"

#define MSG_LAYERS_MAX 8

struct msg_layers {
	uint8_t packet[RDT_LEN_bth + RDT_LEN_deth + RDT_MAD_LEN + RDT_LEN_icrc];
	struct rdt_layer
		layer[MSG_LAYERS_MAX]; /* the message first; they point into packet or body */
	size_t count;                  /* 0 when no byte of it was kept */
};

/* rec->body is borrowed as long as ret_layers is used. */
void msg_layers(const struct rdt_msg_rec *rec, struct msg_layers *ret_layers);

/* The header that a message begins with; RDT_HDR_COUNT for those without (TCP_FIN, OOB). */
enum rdt_hdr_id msg_hdr(enum rdt_msg msg);

/* The first layer of a kind, NULL when there is none. */
static inline const struct rdt_layer *msg_layer(const struct msg_layers *m, enum rdt_hdr_id hdr)
{
	return rdt_layer_find(m->layer, m->count, hdr);
}

#endif
