/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections that may carry what sets RDMA up: MPA (mpa.c) or an exchange of QPs (oob.c), on any
 * port, told by the first bytes. All others cost one look and an entry in a table of fixed size.
 *
 *   fresh flows  opened, and not yet told what they are: few, the oldest gives way
 *   kept flows   those that are ours
 */
#ifndef RDT_TRACK_TCP_H
#define RDT_TRACK_TCP_H

#include "internal.h"
#include "rdmatrace/exchange.h"
#include "stream.h"

enum flow_kind { FLOW_FRESH, FLOW_OOB, FLOW_MPA, FLOW_OTHER };

#define FLOW_ENDS 2u

struct oob;
struct mpa;

struct flow {
	struct rdt_addr addr[FLOW_ENDS]; /* in an order that does not depend on who sends */
	uint16_t port[FLOW_ENDS];
	uint32_t place; /* in its table */
	uint32_t isn;   /* sequence number of the opener's SYN */
	uint8_t kind;   /* enum flow_kind */
	uint8_t opener; /* the end that sent the SYN, or FLOW_ENDS: not seen */
	uint8_t closed; /* bit of each end: FIN or RST seen */
	uint8_t head_len[FLOW_ENDS];
	struct stream stream[FLOW_ENDS];           /* by sender */
	uint8_t head[FLOW_ENDS][RDT_EXCHANGE_MAX]; /* bytes that do not yet tell */
	struct oob *oob;
	struct mpa *mpa;
};

/* The TCP packet that is being fed. */
struct flow_packet {
	struct rdt_tracker *t;
	struct flow *flow;
	const struct rdt_frame *frame;
	const struct rdt_when *when;
	struct rdt_verdict *verdict;
	unsigned end;     /* of the flow: who sent it */
	uint32_t fpdu_at; /* as in struct rdt_verdict */
};

/* Address and port of a flow's end. */
static inline uint32_t flow_addr(struct rdt_tracker *t, const struct flow *flow, unsigned end)
{
	return addr_index(t, &flow->addr[end]);
}

/* ---- mpa.c ------------------------------------------------------------------------------------ */

/* What the bytes at the beginning of a direction are. */
enum mpa_look { MPA_NOT, MPA_MORE, MPA_REQUEST, MPA_REPLY };
enum mpa_look mpa_look(const uint8_t *bytes, uint32_t have);

/* The flow is MPA: first is what its sender begins with, or MPA_NOT for an FPDU. False: no memory. */
bool mpa_begin(struct flow_packet *p, enum mpa_look first);
void mpa_run(struct flow_packet *p, const struct tcp_run *run);
/* After its bytes were read: counts the packet, and tells a start frame that TCP repeats. */
void mpa_packet(struct flow_packet *p);
void mpa_close(struct flow_packet *p, bool reset);
/* Is this a request of another connection of the same ports? */
bool mpa_is_new(const struct flow_packet *p);
void mpa_free(struct rdt_tracker *t, struct flow *flow);

/* ---- oob.c ------------------------------------------------------------------------------------ */

/* The flow is an exchange. False: no memory. */
bool oob_begin(struct flow_packet *p);
void oob_run(struct flow_packet *p, const struct tcp_run *run);
void oob_packet(struct flow_packet *p);
void oob_close(struct flow_packet *p, bool reset);
void oob_free(struct rdt_tracker *t, struct flow *flow);

#endif
