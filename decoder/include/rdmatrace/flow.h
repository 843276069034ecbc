/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data path of a connection: for each direction the order of its PSNs, what was sent again
 * and why, what the peer answered, and how long it took. IBTA Vol 1, 9.7 (reliable service),
 * 9.8 (unreliable service).
 *
 * A direction belongs to the side that sends the requests; the peer's acknowledges and responses
 * to them are counted there too. RC and XRC know all of it, UC has no answers, UD has no order of
 * its own (one QP counts over all its destinations) and only sizes.
 *
 * What is kept is a window over the newest PSNs, in a pool of max_flows connections
 * (rdt_track_opts); those that were idle longest are given up, told to the sink and counted in
 * rdt_track_stats.flows_evicted.
 */
#ifndef RDMATRACE_FLOW_H
#define RDMATRACE_FLOW_H

#include <stdint.h>

#include "track.h"

/*
 * What can happen on a data path beside new requests and their answers. Counted in packets (PSNs).
 * X(symbol, key, text)
 */
#define RDT_FLOW_EVENT_LIST(X)                                                                   \
	X(GAP, "gap", "PSNs skipped: lost, late, or missed by the capture")                      \
	X(LATE, "late", "skipped before, came after all: out of order")                          \
	X(REFILLED, "refilled", "skipped before, came when sent again: lost before the capture") \
	X(UNSEEN, "unseen", "acknowledged and never captured: missed by the capture")            \
	X(RESENT_NAK, "resent-nak", "sent again after a NAK: PSN sequence error")                \
	X(RESENT_RNR, "resent-rnr", "sent again after an RNR NAK")                               \
	X(RESENT_TIMEOUT, "resent-timeout", "sent again after silence")                          \
	X(RESENT_ANSWER, "resent-answer", "sent again because a response did not come in order") \
	X(RESENT_OTHER, "resent-other", "sent again, and no packet shows why")                   \
	X(SPURIOUS, "spurious", "sent again although its acknowledge had passed")                \
	X(DOUBLED, "doubled", "the same packet twice: made by the network")                      \
	X(NAK_SEQUENCE, "nak-sequence", "NAK 0: PSN sequence error, a packet was missing")       \
	X(NAK_REQUEST, "nak-request", "NAK 1: invalid request")                                  \
	X(NAK_ACCESS, "nak-access", "NAK 2: remote access error")                                \
	X(NAK_OPERATION, "nak-operation", "NAK 3: remote operational error")                     \
	X(NAK_RD, "nak-rd", "NAK 4: invalid RD request")                                         \
	X(NAK_RESERVED, "nak-reserved", "NAK with a reserved code")                              \
	X(RNR, "rnr", "RNR NAK: no receive was posted")                                          \
	X(NO_CREDIT, "no-credit", "acknowledged with no credit left: no receive is posted")      \
	X(MSN_BACK, "msn-back", "the message sequence number of an answer contradicts its PSN")  \
	X(ANSWER_GAP, "answer-gap", "response packets skipped")                                  \
	X(ANSWER_AGAIN, "answer-again", "response packets that had passed before")               \
	X(EARLY, "early", "sent before its side was established")                                \
	X(AFTER_CLOSE, "after-close", "sent after the close of the connection")                  \
	X(CE, "ce", "marked on the way: congestion experienced")                                 \
	X(CNP, "cnp", "congestion notification: the peer asks to send slower")

enum rdt_flow_event {
#define X(symbol, key, text) RDT_FLOW_##symbol,
	RDT_FLOW_EVENT_LIST(X)
#undef X
		RDT_FLOW_EVENT_COUNT
};

const char *rdt_flow_event_key(enum rdt_flow_event event);
const char *rdt_flow_event_text(enum rdt_flow_event event);

/* How often, and in which frames first and last. */
struct rdt_flow_count {
	uint32_t count; /* stops at its largest value */
	uint32_t first_frame, last_frame;
	uint8_t first_input, last_input;
};

/* Kinds of messages: X(symbol, key) */
#define RDT_FLOW_OP_LIST(X) \
	X(SEND, "send")     \
	X(WRITE, "write")   \
	X(READ, "read")     \
	X(ATOMIC, "atomic") \
	X(OTHER, "other")

enum rdt_flow_op {
#define X(symbol, key) RDT_FLOW_OP_##symbol,
	RDT_FLOW_OP_LIST(X)
#undef X
		RDT_FLOW_OP_COUNT
};

const char *rdt_flow_op_key(enum rdt_flow_op op);

/* A kind of message that an opcode belongs to, as request or response. */
enum rdt_flow_op rdt_flow_op_of(uint8_t opcode);

#define RDT_FLOW_WAITS 8

/*
 * One PSN that is sent again and again: without progress. tries counts the times it was sent
 * again; waits are the times between one sending and the next, the first ones only.
 */
struct rdt_flow_stall {
	int64_t first_ns, last_ns; /* first sending (as far as captured), latest sending */
	uint32_t psn;
	uint32_t tries; /* 0: there is none */
	uint32_t first_frame, last_frame;
	uint32_t wait_us[RDT_FLOW_WAITS]; /* stop at their largest value */
	uint8_t first_input, last_input;
	uint8_t opcode; /* of the request */
	uint8_t rnr;    /* times it was sent again after an RNR NAK */
};

/* A request, for reports. frame 0: there is none. */
struct rdt_flow_packet {
	int64_t ns;
	uint32_t frame, psn;
	uint8_t input, opcode;
};

/* One direction. Times are ns since 1970; PSNs 24 bits. */
struct rdt_flow {
	struct rdt_flow_count events[RDT_FLOW_EVENT_COUNT];
	uint32_t msgs[RDT_FLOW_OP_COUNT]; /* messages begun, by kind */
	uint64_t msg_bytes;               /* of those whose size is known, READs included */
	uint32_t msg_min, msg_max;        /* smallest and largest; valid when sized != 0 */
	uint32_t sized;                   /* messages whose size is known */
	uint32_t mtu;                     /* payload of packets that do not end their message: the
					     path MTU in use; 0 when none was seen */
	uint32_t packet_max;              /* largest payload of a packet, responses not counted */
	uint32_t full_psn;                /* of the first of these; valid with has_full */
	uint32_t acks;                    /* acknowledges of all kinds that are no NAK */
	uint32_t acked_psns;              /* PSNs that they acknowledged */
	uint32_t ack_most;                /* most PSNs by one: coalescing */
	uint32_t unread;                  /* acknowledges or NAKs that the capture cut */
	uint32_t response_pkts;           /* packets of READ and atomic responses */
	uint32_t timed;                   /* messages whose completion was timed */
	uint32_t untimed;                 /* those that there was no room for */
	uint64_t wait_sum_ns, wait_min_ns, wait_max_ns; /* first packet to acknowledge */
	uint64_t rnr_ns;             /* sum of the times that RNR NAKs asked for */
	uint32_t rounds;             /* times that sending again began */
	uint32_t rounds_selective;   /* of those: not everything after it was sent again */
	struct rdt_flow_stall stall; /* not over yet */
	struct rdt_flow_stall worst; /* the longest that is over */
	struct rdt_flow_packet last; /* the newest request */
	struct rdt_flow_packet nak;  /* request that the last fatal NAK answered; frame 0 where
					     it was not captured, psn and input are valid */
	int64_t ack_ns;              /* time of the newest answer */
	uint32_t ack_frame;          /* its frame, 0: no answer was seen */
	uint32_t nak_frame;          /* frame of the last fatal NAK, 0 when none */
	uint32_t acked;              /* newest PSN acknowledged; valid with has_acked */
	uint8_t nak_code;            /* its code 1.. */
	uint8_t nak_input;
	uint8_t rnr_code; /* longest RNR timer asked for, a code */
	uint8_t has_acked;
	uint8_t has_full;
	uint8_t ack_input;
};

/*
 * A direction's data path: what side sent. NULL when nothing of it was seen or it was given up to
 * make room. Borrowed until the next feed.
 */
const struct rdt_flow *rdt_tracker_flow(const struct rdt_tracker *t, uint32_t conn,
					enum rdt_side side);

/* PSNs sent and not acknowledged to the end; 0 too where no order is known. RC and XRC. */
uint32_t rdt_flow_unanswered(const struct rdt_conn *conn, const struct rdt_flow *flow,
			     enum rdt_side side);

/* ---- sizes and times of all messages ------------------------------------------------------- */

#define RDT_FLOW_HIST_SUB 16 /* places an octave: values are right to 3 % */
#define RDT_FLOW_HIST_OCTAVES 44

/* Completion times of one kind of message, over all connections. */
struct rdt_flow_times {
	uint64_t msgs, bytes; /* begun; of those of known size */
	uint64_t timed;
	uint64_t min_ns, max_ns, sum_ns;
	uint32_t hist[RDT_FLOW_HIST_OCTAVES * RDT_FLOW_HIST_SUB];
};

const struct rdt_flow_times *rdt_tracker_flow_times(const struct rdt_tracker *t,
						    enum rdt_flow_op op);

/* The time that permille of the timed messages took at most, right to 3 %; 0 when none was timed. */
uint64_t rdt_flow_times_ns(const struct rdt_flow_times *times, unsigned permille);

#endif
