/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tracker needs of the tables beside states.h: the events an rdma_cm step delivers. */
#ifndef RDT_TRACK_FSM_H
#define RDT_TRACK_FSM_H

#include "rdmatrace/states.h"

/* A row of a dense table: 0 is unexpected, so that a row that is missing is itself an answer. */
struct fsm_row {
	const char *why;
	uint8_t next, action, basis;
};

/* The tables themselves, for the tracker: rdt_step() without the call. */
extern const struct fsm_row fsm_cm_rows[RDT_CM_STATE_COUNT][RDT_CM_EV_COUNT];
extern const struct fsm_row fsm_lap_rows[RDT_LAP_STATE_COUNT][RDT_CM_EV_COUNT];
extern const struct fsm_row fsm_rdma_rows[RDT_RDMA_STATE_COUNT][RDT_CM_EV_COUNT];
extern const struct fsm_row fsm_qp_rows[RDT_QP_STATE_COUNT][RDT_CM_EV_COUNT];
extern const struct fsm_row fsm_mpa_rows[RDT_MPA_STATE_COUNT][RDT_CM_EV_COUNT];

static inline const struct fsm_row *fsm_row(enum rdt_machine machine, unsigned state,
					    enum rdt_cm_event event)
{
	switch (machine) {
	case RDT_MACHINE_LAP:
		return &fsm_lap_rows[state][event];
	case RDT_MACHINE_RDMA:
		return &fsm_rdma_rows[state][event];
	case RDT_MACHINE_QP:
		return &fsm_qp_rows[state][event];
	case RDT_MACHINE_MPA:
		return &fsm_mpa_rows[state][event];
	case RDT_MACHINE_CM:
	case RDT_MACHINE_COUNT:
		break;
	}
	return &fsm_cm_rows[state][event];
}

static inline struct rdt_step fsm_step(enum rdt_machine machine, unsigned state,
				       enum rdt_cm_event event)
{
	const struct fsm_row *row = fsm_row(machine, state, event);

	return (struct rdt_step){ .next = row->action == RDT_ACT_UNEXPECTED ? (uint8_t)state
									    : row->next,
				  .action = row->action,
				  .basis = row->basis,
				  .why = row->why };
}

/* status of a row whose event carries the reason of the message */
#define RDT_STATUS_IS_REASON INT32_MAX

struct rdt_event_row {
	const char *why;
	uint8_t kernel, program; /* enum rdt_rdma_event */
	int32_t status;
};

extern const struct rdt_event_row fsm_event_rows[RDT_RDMA_STATE_COUNT][RDT_CM_EV_COUNT];

/* The event delivered when an id in that rdma_cm state sees event; NULL when none is. */
static inline const struct rdt_event_row *rdt_event_row(unsigned rdma_state,
							enum rdt_cm_event event)
{
	const struct rdt_event_row *row = &fsm_event_rows[rdma_state][event];

	return row->why ? row : NULL;
}

#endif
