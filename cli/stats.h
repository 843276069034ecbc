/* SPDX-License-Identifier: BSD-2-Clause */
/* What stats counts: connections by service, by pair of hosts, by reason; times of steps. */
#ifndef RDMA_TRACE_STATS_H
#define RDMA_TRACE_STATS_H

#include <glib.h>

#include "cli.h"

/* How it ended, in four. X(symbol, key) */
#define STATS_END_LIST(X)       \
	X(OK, "ok")             \
	X(REJECTED, "rejected") \
	X(TIMEOUT, "timeout")   \
	X(UNKNOWN, "incomplete")

enum stats_end {
#define X(symbol, key) STATS_##symbol,
	STATS_END_LIST(X)
#undef X
		STATS_ENDS
};

const char *stats_end_key(enum stats_end end);

/* Steps by the names of cmtime (librdmacm): X(symbol, key, what it is) */
#define STATS_STEP_LIST(X)                                         \
	X(RESOLVE, "resolve addr", "ARP or ND: asked to answered") \
	X(CONNECT, "connect", "REQ to REP")                        \
	X(ESTABLISH, "establish", "REP to RTU")                    \
	X(DISCONNECT, "disconnect", "DREQ to DREP")                \
	X(SIDR, "sidr", "SIDR_REQ to SIDR_REP")                    \
	X(MPA, "mpa", "MPA request to reply")

enum stats_step {
#define X(symbol, key, text) STATS_STEP_##symbol,
	STATS_STEP_LIST(X)
#undef X
		STATS_STEPS
};

const char *stats_step_key(enum stats_step step);
const char *stats_step_text(enum stats_step step);

/* Durations in ns, all of them: percentiles are exact. */
struct durations {
	GArray *ns; /* uint64_t; sorted once stats_finish() was called */
};

/* The value that permille of them reach at most; 0 when there is none. */
uint64_t durations_at(const struct durations *d, unsigned permille);
size_t durations_count(const struct durations *d);

/* One row of a table: connections that have something in common. */
struct stats_group {
	char *name;      /* "cm tcp 7174", "10.0.0.2 > 10.0.0.1", "invalid-service-id" */
	const char *app; /* program that the port suggests; NULL */
	uint64_t conns, ends[STATS_ENDS];
	uint64_t retries, retried_conns; /* messages sent again */
	uint64_t pkts, bytes, resent;    /* data, both directions */
	uint32_t first_conn;
	struct durations setup;
	GArray *starts, *setups, *lives; /* struct span, ns */
	uint64_t peak_rate;              /* connections begun within one second, most */
	uint64_t peak_setups;            /* being set up at a time, most */
	uint64_t peak_open;              /* open at a time, most */
};

struct span {
	int64_t from, to;
};

struct stats {
	GPtrArray *services, *peers, *reasons; /* of struct stats_group, the largest first */
	GHashTable *by_service, *by_peer, *by_reason;
	struct durations steps[STATS_STEPS];
	struct stats_group *all;
	/* The rows of the connection before: mostly those of the next. */
	struct stats_group *service, *peer;
	uint64_t svc;
	uint32_t addr[RDT_SIDES];
	uint16_t port, port_space;
	uint8_t kind, transport_service;
};

void stats_begin(struct stats *s);

/* Count a connection that is over, or left. */
void stats_conn(struct stats *s, const struct session *session, const struct rdt_conn *conn);

/* ARP or ND took so long before a connection. */
void stats_resolved(struct stats *s, uint64_t ns);

/* Sort, and find the peaks. */
void stats_finish(struct stats *s);
void stats_free(struct stats *s);

#endif
