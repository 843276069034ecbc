/* SPDX-License-Identifier: BSD-2-Clause */
/* What mpa.c (start frames, the flow) and iwarp.c (what the streams say) share. */
#ifndef RDT_TRACK_MPA_H
#define RDT_TRACK_MPA_H

#include "fpdu.h"
#include "rdmatrace/setup.h"
#include "tcp.h"

enum mpa_phase {
	MPA_PHASE_START, /* its start frame is to come */
	MPA_PHASE_FPDU,
	MPA_PHASE_OVER, /* refused, or nothing that can be read */
};

/* One direction, by its sender. */
struct mpa_way {
	struct fpdu_stream fpdu;
	uint8_t *start; /* a start frame that comes in pieces; else NULL */
	uint32_t start_seq;
	uint16_t start_have;
	uint8_t phase; /* enum mpa_phase */
};

struct mpa {
	uint32_t conn;  /* index of the connection */
	uint8_t active; /* which end of the flow asked */
	struct mpa_way way[FLOW_ENDS];
};

/* A message of the connection, and the events that it is for the two ends. */
struct mpa_message {
	struct rdt_when when;
	enum rdt_msg msg;
	enum rdt_cm_event tx, rx; /* NONE: it says nothing */
	bool again;               /* TCP sent it again */
	bool snapped;
	const uint8_t *body;
	uint32_t have;
};

/* The flow's connection; NULL when it was evicted. */
struct slot *mpa_slot(const struct flow_packet *p);

void mpa_tell(struct flow_packet *p, enum rdt_side from, const struct mpa_message *message);

/* ---- iwarp.c ------------------------------------------------------------------------------------ */

void iwarp_start(struct rdt_tracker *t, struct slot *s, enum rdt_side from, const uint8_t *frame,
		 uint32_t have, uint32_t number);
void iwarp_fpdu(struct flow_packet *p, struct slot *s, enum rdt_side from,
		const struct fpdu_seen *fpdu, const struct tcp_run *run);
void iwarp_marker(struct slot *s, enum rdt_side from, bool good, uint32_t frame);
void iwarp_lost(struct slot *s, enum rdt_side from, uint32_t n, bool first);

#endif
