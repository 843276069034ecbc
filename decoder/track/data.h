/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data path's parts and what they share. Only track/data*.c include this.
 *
 *   data.c       which connection and direction     data_path.c    requests: order, repetitions
 *   data_pool.c  windows, given up when too many    data_answer.c  acknowledges and responses
 */
#ifndef RDT_TRACK_DATA_H
#define RDT_TRACK_DATA_H

#include "internal.h"
#include "rdmatrace/field.h"
#include "rdmatrace/flow.h"

#define PENDING 12u /* messages timed at a time, a direction */
#define MISSING 8u  /* ranges of skipped PSNs that are remembered */
#define RECENT_IDS 8u

/* A message whose acknowledge is awaited. */
struct pending {
	int64_t ns; /* its first packet was sent first */
	uint32_t first, last;
	uint32_t frame;
	uint8_t input, opcode;
};

/* PSNs from .. to (both included) that were skipped. */
struct psn_range {
	uint32_t from, to;
};

enum { ID_STEADY = 3 }; /* so many steps of the IPv4 id upwards, and it counts packets */

/* What is known of one direction. */
struct window {
	struct rdt_flow pub;
	struct pending pending[PENDING]; /* ring, oldest first, in order of PSN */
	struct psn_range missing[MISSING];
	struct {
		uint32_t psn;
		uint16_t id;
	} recent[RECENT_IDS];
	int64_t missing_ns;  /* when the newest gap was seen */
	uint64_t open_bytes; /* of the SEND that has not ended */
	uint32_t open_psn;   /* PSN with which it goes on */
	uint32_t again_psn;  /* while sending again: PSN that comes next */
	uint32_t nak_psn, rnr_psn;
	uint32_t resp_psn; /* PSN of the next response packet */
	uint32_t msn, msn_psn;
	uint16_t id; /* IPv4 id of its newest packet */
	uint8_t id_steps;
	uint8_t recent_next;
	uint8_t head, waiting; /* of pending */
	uint8_t missing_count;
	uint8_t again;         /* enum rdt_flow_event: why it is sent again; 0 when it is not */
	uint8_t open : 1;      /* a SEND is not complete */
	uint8_t tail_open : 1; /* the newest pending message is not complete */
	uint8_t nak_open : 1, rnr_open : 1, answer_open : 1; /* asked for, not yet sent again */
	uint8_t resp_known : 1, msn_known : 1;
};

/* Both directions of a connection, in the pool. */
struct flow_pair {
	struct window side[RDT_SIDES];
	uint32_t conn; /* index of the owner, RDT_CONN_NONE when free */
	uint8_t touched;
};

/* False where the capture cut the packet in its headers: then only the BTH can be read. */
static inline bool pkt_whole(const struct rdt_pkt *pkt)
{
	return pkt->have >= pkt->op->hdr_len;
}

/* ---- data_pool.c ----------------------------------------------------------------------------- */

/* The pair of a connection, made when it has none; NULL without memory. May give up another. */
struct flow_pair *flow_get(struct rdt_tracker *t, struct slot *s);

/* The same without making one. */
struct flow_pair *flow_peek(const struct rdt_tracker *t, const struct slot *s);

/* Something happened: count it and tell the sink. side is the direction's. */
void flow_event(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		enum rdt_flow_event event, uint32_t psn, uint32_t count,
		const struct rdt_when *when);

/* A message was acknowledged after ns. */
void flow_timed(struct rdt_tracker *t, struct rdt_flow *flow, uint8_t opcode, uint64_t ns);

/* ---- data_path.c ------------------------------------------------------------------------------ */

/* A request of side. */
void path_request(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		  const struct rdt_frame *frame, const struct rdt_pkt *pkt,
		  const struct rdt_when *when);

/* The skipped PSNs up to psn will not come any more: they were acknowledged. Returns how many. */
uint32_t path_unseen(struct window *w, uint32_t psn);

/* ---- data_answer.c ---------------------------------------------------------------------------- */

/* An acknowledge or response to a request of side. */
void path_answer(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		 const struct rdt_pkt *pkt, const struct rdt_when *when);

#endif
