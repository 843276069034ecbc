/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tracker needs of the tables beside states.h: the events an rdma_cm step delivers. */
#ifndef RDT_TRACK_FSM_H
#define RDT_TRACK_FSM_H

#include "rdmatrace/states.h"

/* status of a row whose event carries the reason of the message */
#define RDT_STATUS_IS_REASON INT32_MAX

struct rdt_event_row {
	const char *why;
	uint8_t kernel, program; /* enum rdt_rdma_event */
	int32_t status;
};

/* The event delivered when an id in that rdma_cm state sees event; NULL when none is. */
const struct rdt_event_row *rdt_event_row(unsigned rdma_state, enum rdt_cm_event event);

#endif
