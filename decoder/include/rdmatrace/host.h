/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a host's kernel said about the connections of a capture: trace lines (ftrace.h) joined to
 * what the tracker rebuilt, on the capture's clock. It shows what no packet does: resolution of
 * addresses and routes, armed MRAs, timers that fire, sendings that never reached the wire, the
 * events delivered and when; and where wire and kernel disagree.
 *
 * One struct rdt_host is one host's trace. Use: new, add every line, join once after
 * rdt_tracker_finish(), read. Memory comes from the caller and grows with the lines.
 */
#ifndef RDMATRACE_HOST_H
#define RDMATRACE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "ftrace.h"
#include "journal.h"
#include "track.h"

struct rdt_host;

/* NULL when there is no memory. */
struct rdt_host *rdt_host_new(const struct rdt_memory *memory);
void rdt_host_free(struct rdt_host *h);

/* Add a parsed line, in the order of the trace. Lines of no use are dropped. */
RDT_NODISCARD enum rdt_status rdt_host_add(struct rdt_host *h, const struct rdt_ftrace *line);

/*
 * Join with a finished tracker and the journal behind it (all connections that matter must be in
 * it). Lines find their connection by comm ids, addresses and ports, or transaction id; which side
 * the host is follows from these, connection by connection.
 */
RDT_NODISCARD enum rdt_status rdt_host_join(struct rdt_host *h, const struct rdt_tracker *t,
					    struct rdt_journal *j);

/*
 * How the trace's clock relates to the capture's, found from the messages alone: a sending is
 * traced before it is captured, a receipt after.
 */
struct rdt_host_clock {
	int64_t offset_ns;        /* capture time = trace time + offset */
	uint64_t doubt_ns;        /* the true offset lies within +- this; UINT64_MAX: not bounded */
	uint32_t sends, receipts; /* messages that it rests on; both 0: nothing was joined */
	bool unsteady; /* no one offset fits: the trace's clock ran unevenly. Lines are then
	                               joined by order, and times are those of the nearest message */
};

struct rdt_host_clock rdt_host_clock(const struct rdt_host *h);

/* A message before which the kernel says another state than the wire shows. */
struct rdt_host_conflict {
	uint32_t conn; /* the tracker's index */
	uint32_t frame;
	uint8_t side;
	uint8_t msg;    /* enum rdt_msg */
	uint8_t kernel; /* enum rdt_cm_state */
	uint8_t wire;   /* enum rdt_cm_state */
};

/* What the join found. */
struct rdt_host_stats {
	uint32_t lines;     /* of use */
	uint32_t joined;    /* that belong to a connection of the capture */
	uint32_t compared;  /* sendings whose state was compared */
	uint32_t conflicts; /* of these, that disagree */
	uint32_t unsent;    /* sendings that are not in the capture */
};

struct rdt_host_stats rdt_host_stats(const struct rdt_host *h);
const struct rdt_host_conflict *rdt_host_conflicts(const struct rdt_host *h, size_t *ret_count);

/*
 * What the kernel says of a connection: state and event records of basis KERNEL, on the capture's
 * clock, in the trace's order. when.frame (and when.input) is the message's where the capture has it,
 * else 0.
 * Returns how many; *ret_entries is borrowed until rdt_host_free().
 */
size_t rdt_host_entries(const struct rdt_host *h, uint32_t conn,
			const struct rdt_entry **ret_entries);

/* Which side of the connection this host is; RDT_SIDES when the trace does not mention it. */
enum rdt_side rdt_host_side(const struct rdt_host *h, uint32_t conn);

#endif
