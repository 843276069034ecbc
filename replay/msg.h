/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a script can send and expect, by name, and which fields each has. Names of fields are the
 * decoder's (rdma-trace fields), with the short ones of alias.def and three that are no wire field:
 * private, payload and reply.
 *
 * Constant tables; nothing is allocated or kept.
 */
#ifndef REPLAY_MSG_H
#define REPLAY_MSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdmatrace/field.h"
#include "rdmatrace/track.h"

enum rp_family {
	RP_CM,     /* code is an enum rdt_msg: a datagram between the QP1 of both ends */
	RP_OP,     /* enum rp_op_kind: an operation, with the packets and ACKs that it takes */
	RP_PACKET, /* a BTH opcode: this one packet */
	RP_MPA,    /* RDT_MSG_MPA_REQ, RDT_MSG_MPA_REP */
	RP_FPDU,   /* an RDMAP opcode: RDT_RDMAP_TERMINATE */
	RP_TCP,    /* enum rp_tcp */
};

enum rp_op_kind {
#define OP(symbol, name, main, second, payload, reply) RP_OP_##symbol,
#include "replay/op.def"
#undef OP
	RP_OP_COUNT
};

enum rp_tcp { RP_TCP_CONNECT, RP_TCP_CLOSE, RP_TCP_RESET, RP_TCP_COUNT };

struct rp_msg {
	uint8_t family; /* enum rp_family */
	uint8_t code;
};

static inline bool rp_msg_equal(struct rp_msg a, struct rp_msg b)
{
	return a.family == b.family && a.code == b.code;
}

/* The message of a name as scripts have it: REQ, SEND, RC_ACK, MPA_REQ, TERMINATE. */
bool rp_msg_find(const char *name, size_t len, struct rp_msg *ret_msg);

/* Its name; static. */
const char *rp_msg_name(struct rp_msg msg);

/* The i-th name of all, NULL after the last: for "did you mean". Opcodes are not among them. */
const char *rp_msg_list(size_t i);

/* Headers in the order in which a bare field name is looked for. The first is the main one. */
#define RP_HDRS_MAX 20
size_t rp_msg_hdrs(struct rp_msg msg, uint8_t hdrs[RP_HDRS_MAX]);

/* Is a header one of link, network or UDP? Those are the carrier's, unless a script speaks of them. */
bool rp_is_network(unsigned hdr);

/* How many of those may be named without their header; the rest needs header.field. */
size_t rp_msg_bare(struct rp_msg msg);

/* Ids of what is no wire field, after the decoder's. */
enum {
	RP_FIELD_PRIVATE = RDT_FIELD_COUNT, /* private data of the user, after an IP CM header */
	RP_FIELD_PAYLOAD,                   /* bytes that an operation or a packet carries */
	RP_FIELD_REPLY,                     /* bytes that a READ or an atomic brings back */
	RP_FIELD_COUNT
};

/* Does the message have one? */
bool rp_msg_has(struct rp_msg msg, unsigned field);

/*
 * The field of a name in a message; RP_FIELD_COUNT when there is none. len and length of an
 * operation that carries bytes are RP_FIELD_PAYLOAD with *ret_is_size set.
 */
unsigned rp_field_find(struct rp_msg msg, const char *name, size_t len, bool *ret_is_size);

/* What scripts and results call it: "local_qpn", "mad.tid", "private". buf has 64 bytes. */
const char *rp_field_name(struct rp_msg msg, unsigned field, char buf[64]);

/* The name of the message's field that is nearest to a wrong one, NULL when none is near. */
const char *rp_field_near(struct rp_msg msg, const char *name, size_t len, char buf[64]);

/* The field whose bytes are the private data of the message; NULL when it has none. */
const struct rdt_field *rp_msg_private(struct rp_msg msg);

/* Which message holds back, ends or refuses: what follows is not to be waited for. */
bool rp_msg_ends(struct rp_msg msg);

#endif
