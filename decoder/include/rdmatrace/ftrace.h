/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line of the kernel's trace (tracefs `trace`, or `trace-cmd report`) of the systems ib_cma,
 * rdma_cma and ib_mad: what a host says about its own connections (kernel cm_trace.h,
 * cma_trace.h, include/trace/events/ib_mad.h).
 *
 * Nothing is allocated or kept. Lines come from a file: hostile input is answered by "no".
 */
#ifndef RDMATRACE_FTRACE_H
#define RDMATRACE_FTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"

#define RDT_FTRACE_WORD 40

/* Members that a line does not have are 0 or empty. */
struct rdt_ftrace {
	uint64_t ns;                  /* the trace clock */
	char name[RDT_FTRACE_WORD];   /* "icm_send_req" */
	char state[RDT_FTRACE_WORD];  /* CM state before the step: "MRA_REP_SENT" */
	char reason[RDT_FTRACE_WORD]; /* of icm_send_rej: "REJ_CONSUMER_DEFINED" */
	char event[RDT_FTRACE_WORD];  /* of cm_event_handler: "CONNECT_RESPONSE" */
	int32_t status;               /* of cm_event_handler */
	uint32_t local_id, remote_id; /* comm ids as numbers on the wire */
	uint32_t cm_id;               /* the rdma_cm id's number in the kernel */
	bool has_ids, has_addrs;
	struct rdt_addr src, dst;
	uint16_t src_port, dst_port;
	uint64_t tid; /* ib_mad events: of the datagram */
	uint16_t attr_id;
	uint8_t mgmt_class;
	uint8_t retries_left, max_retries; /* of ib_mad_ib_send_mad: "14/15 retries" */
};

/*
 * Parse a line (len bytes, without its newline). Returns false for lines that are not of an event
 * of those systems (headers, other events, damaged ones); *ret_line is then undefined.
 */
bool rdt_ftrace_parse(const char *text, size_t len, struct rdt_ftrace *ret_line);

#endif
