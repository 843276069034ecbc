/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message as bytes, with the place of each of its headers: what is sent, what came, and what
 * should have come have one form, so that one loop compares them.
 *
 * CM messages and packets are whole frames from the Ethernet header on, also where the backend has
 * no Ethernet (it says which headers it vouches for). MPA is a TCP frame. An operation has no
 * frame: its headers are those that its packets share.
 */
#ifndef REPLAY_IMAGE_H
#define REPLAY_IMAGE_H

#include "rdmatrace/layers.h"
#include "replay/msg.h"

/* Longest frame: 4096 bytes of payload and every header there is. */
#define RP_FRAME_MAX (4096 + 512)

/* Headers of an operation, as in its first packet, and the bytes it moves. */
struct rp_op {
	uint8_t kind; /* enum rp_op_kind */
	uint8_t bth[RDT_LEN_bth];
	uint8_t reth[RDT_LEN_reth];
	uint8_t atomiceth[RDT_LEN_atomiceth];
	uint8_t immdt[RDT_LEN_immdt];
	uint8_t ieth[RDT_LEN_ieth];
	uint8_t *payload, *reply; /* g_malloc; NULL when not known */
	size_t payload_len, reply_len;
	bool refused; /* the peer answered with a NAK that is final */
};

#define RP_LAYERS_MAX RDT_LAYERS_MAX

struct rp_image {
	struct rp_msg msg;
	struct rdt_layer layers[RP_LAYERS_MAX];
	size_t layer_count;
	const uint8_t *private_data; /* of the user; NULL when there is none */
	size_t private_len;
	const uint8_t *payload; /* NULL when not known; then payload_len may still be */
	size_t payload_len;
	const uint8_t *reply;
	size_t reply_len;
};

/*
 * The image of a frame (Ethernet, len bytes). Returns false when it is no message of a script:
 * neither CM, MPA, Terminate nor an assigned opcode. The image borrows the bytes.
 */
bool rp_image_frame(const uint8_t *bytes, size_t len, uint16_t port, struct rp_image *ret_image);

/* The image of an operation; borrows it. */
void rp_image_op(const struct rp_op *op, struct rp_image *ret_image);

/* The first byte of the header that a field is in; NULL when it is not there or cut before it. */
const uint8_t *rp_image_hdr(const struct rp_image *image, unsigned field);

void rp_op_clear(struct rp_op *op); /* frees its bytes */

/* A copy with bytes of its own. */
void rp_op_copy(const struct rp_op *from, struct rp_op *to);

#endif
