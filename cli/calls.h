/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of Linux and librdmacm behind each message: which call sends it, which handler
 * receives it. Rows stand in calls.def. Knowledge about Linux, not something the wire shows:
 * another system, or another version, has others.
 */
#ifndef RDT_CLI_CALLS_H
#define RDT_CLI_CALLS_H

#include "rdmatrace/track.h"

/* Circumstances that take another way than usual. X(symbol, text) */
#define CALL_CASE_LIST(X)                \
	X(ANY, "")                       \
	X(RESENT, "sent again")          \
	X(COPY, "a repetition")          \
	X(OF_REQ, "of the REQ")          \
	X(OF_REP, "of the REP")          \
	X(REFUSED, "refused")            \
	X(NO_LISTENER, "nobody listens") \
	X(STALE, "reason 10")            \
	X(BAD_PATH, "reasons 12 to 23")  \
	X(GAVE_UP, "reason 4")           \
	X(BY_KERNEL, "by the kernel")    \
	X(BY_PROGRAM, "by the program")  \
	X(STATELESS, "for a connection that is not there")

enum call_case {
#define X(symbol, text) CALL_##symbol,
	CALL_CASE_LIST(X)
#undef X
		CALL_CASE_COUNT
};

struct call_send {
	uint8_t msg, when; /* enum rdt_msg, enum call_case */
	const char *call, *command, *rdma_cm, *cm, *trace;
};

struct call_receive {
	uint8_t msg, when;
	const char *first, *lookup, *rdma_cm, *event, *user;
};

/* The way a message of this connection takes. body may be missing; then the usual one. */
enum call_case calls_case(const struct rdt_conn *conn, const struct rdt_msg_rec *rec);

/* Its rows; NULL when there is none. */
const struct call_send *calls_send(enum rdt_msg msg, enum call_case when);
const struct call_receive *calls_receive(enum rdt_msg msg, enum call_case when);

#endif
