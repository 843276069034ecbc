/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state machines as data. One table serves both ends: a packet is TX_x for its sender and
 * RX_x for its receiver. Every row of track/<machine>.def is one transition; what has no row
 * is unexpected.
 *
 * Constant tables, no side effects.
 */
#ifndef RDMATRACE_STATES_H
#define RDMATRACE_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "track.h"

/*
 * Events of all machines. Those that a message makes come in pairs, TX_x odd, RX_x even.
 * X(symbol, text)
 */
#define RDT_CM_EVENT_LIST(X)                                  \
	X(NONE, "nothing")                                    \
	X(TX_REQ, "sends REQ")                                \
	X(RX_REQ, "receives REQ")                             \
	X(TX_MRA_REQ, "sends MRA of the REQ")                 \
	X(RX_MRA_REQ, "receives MRA of the REQ")              \
	X(TX_MRA_REP, "sends MRA of the REP")                 \
	X(RX_MRA_REP, "receives MRA of the REP")              \
	X(TX_MRA_LAP, "sends MRA of the LAP")                 \
	X(RX_MRA_LAP, "receives MRA of the LAP")              \
	X(TX_REJ, "sends REJ")                                \
	X(RX_REJ, "receives REJ")                             \
	X(TX_REJ_STALE, "sends REJ stale connection")         \
	X(RX_REJ_STALE, "receives REJ stale connection")      \
	X(TX_REP, "sends REP")                                \
	X(RX_REP, "receives REP")                             \
	X(TX_RTU, "sends RTU")                                \
	X(RX_RTU, "receives RTU")                             \
	X(TX_DREQ, "sends DREQ")                              \
	X(RX_DREQ, "receives DREQ")                           \
	X(TX_DREP, "sends DREP")                              \
	X(RX_DREP, "receives DREP")                           \
	X(TX_SIDR_REQ, "sends SIDR_REQ")                      \
	X(RX_SIDR_REQ, "receives SIDR_REQ")                   \
	X(TX_SIDR_REP, "sends SIDR_REP")                      \
	X(RX_SIDR_REP, "receives SIDR_REP")                   \
	X(TX_SIDR_REFUSE, "sends SIDR_REP with an error")     \
	X(RX_SIDR_REFUSE, "receives SIDR_REP with an error")  \
	X(TX_LAP, "sends LAP")                                \
	X(RX_LAP, "receives LAP")                             \
	X(TX_APR, "sends APR")                                \
	X(RX_APR, "receives APR")                             \
	X(TX_MPA_REQ, "sends MPA request")                    \
	X(RX_MPA_REQ, "receives MPA request")                 \
	X(TX_MPA_REP, "sends MPA reply")                      \
	X(RX_MPA_REP, "receives MPA reply")                   \
	X(TX_MPA_REJ, "sends MPA reject")                     \
	X(RX_MPA_REJ, "receives MPA reject")                  \
	X(TX_FIN, "closes its TCP direction")                 \
	X(RX_FIN, "sees the peer close TCP")                  \
	X(TX_RST, "resets TCP")                               \
	X(RX_RST, "sees TCP reset")                           \
	X(TX_MPA_ABORT, "closes TCP before MPA is done")      \
	X(RX_MPA_ABORT, "sees TCP closed before MPA is done") \
	X(TX_TERMINATE, "sends TERMINATE")                    \
	X(RX_TERMINATE, "receives TERMINATE")                 \
	X(TX_OOB, "announces its QP")                         \
	X(RX_OOB, "hears of the peer's QP")                   \
	X(TX_DATA, "sends its first request")                 \
	X(RX_DATA, "receives the first request")              \
	X(RESOLVE_ADDR, "asks for the neighbour's address")   \
	X(ADDR_DONE, "knows the neighbour's address")         \
	X(RESOLVE_ROUTE, "asks for the route")                \
	X(ROUTE_DONE, "knows the route")                      \
	X(TIMER_REQ, "REQ retries run out")                   \
	X(TIMER_REP, "REP retries run out")                   \
	X(TIMER_DREQ, "DREQ retries run out")                 \
	X(TIMER_SIDR, "SIDR_REQ retries run out")             \
	X(TIMER_TIMEWAIT, "TIMEWAIT ends")                    \
	X(TIMER_MPA, "the wait for the MPA reply ends")       \
	X(ARM_MRA, "arms an MRA")                             \
	X(DESTROY, "destroys its id")

enum rdt_cm_event {
#define X(symbol, text) RDT_CM_EV_##symbol,
	RDT_CM_EVENT_LIST(X)
#undef X
		RDT_CM_EV_COUNT
};

/* Is it the sending, the receiving of a message? Neither for timers and resolutions. */
static inline bool rdt_cm_event_is_tx(enum rdt_cm_event event)
{
	return event <= RDT_CM_EV_RX_DATA && event % 2 == 1;
}

static inline bool rdt_cm_event_is_rx(enum rdt_cm_event event)
{
	return event > RDT_CM_EV_NONE && event <= RDT_CM_EV_RX_DATA && event % 2 == 0;
}

const char *rdt_cm_event_key(enum rdt_cm_event event);  /* "TX_REQ" */
const char *rdt_cm_event_text(enum rdt_cm_event event); /* "sends REQ" */

/*
 * States: X(symbol, name, final). The names are the kernel's enums without prefix; NULL where
 * nothing is known. DONE is the kernel's IDLE after a connection's life: told apart here, the
 * same on screen.
 */
#define RDT_CM_STATE_LIST(X)                 \
	X(NONE, NULL, 0)                     \
	X(IDLE, "IDLE", 0)                   \
	X(LISTEN, "LISTEN", 0)               \
	X(REQ_SENT, "REQ_SENT", 0)           \
	X(REQ_RCVD, "REQ_RCVD", 0)           \
	X(MRA_REQ_SENT, "MRA_REQ_SENT", 0)   \
	X(MRA_REQ_RCVD, "MRA_REQ_RCVD", 0)   \
	X(REP_SENT, "REP_SENT", 0)           \
	X(REP_RCVD, "REP_RCVD", 0)           \
	X(MRA_REP_SENT, "MRA_REP_SENT", 0)   \
	X(MRA_REP_RCVD, "MRA_REP_RCVD", 0)   \
	X(ESTABLISHED, "ESTABLISHED", 0)     \
	X(DREQ_SENT, "DREQ_SENT", 0)         \
	X(DREQ_RCVD, "DREQ_RCVD", 0)         \
	X(TIMEWAIT, "TIMEWAIT", 0)           \
	X(SIDR_REQ_SENT, "SIDR_REQ_SENT", 0) \
	X(SIDR_REQ_RCVD, "SIDR_REQ_RCVD", 0) \
	X(DONE, "IDLE", 1)

#define RDT_LAP_STATE_LIST(X)          \
	X(UNINIT, "LAP_UNINIT", 0)     \
	X(IDLE, "LAP_IDLE", 0)         \
	X(SENT, "LAP_SENT", 0)         \
	X(RCVD, "LAP_RCVD", 0)         \
	X(MRA_SENT, "MRA_LAP_SENT", 0) \
	X(MRA_RCVD, "MRA_LAP_RCVD", 0)

#define RDT_RDMA_STATE_LIST(X)                 \
	X(NONE, NULL, 0)                       \
	X(IDLE, "IDLE", 0)                     \
	X(ADDR_QUERY, "ADDR_QUERY", 0)         \
	X(ADDR_RESOLVED, "ADDR_RESOLVED", 0)   \
	X(ROUTE_QUERY, "ROUTE_QUERY", 0)       \
	X(ROUTE_RESOLVED, "ROUTE_RESOLVED", 0) \
	X(CONNECT, "CONNECT", 0)               \
	X(DISCONNECT, "DISCONNECT", 0)         \
	X(DESTROYING, "DESTROYING", 1)

#define RDT_QP_STATE_LIST(X) \
	X(NONE, NULL, 0)     \
	X(RESET, "RESET", 0) \
	X(INIT, "INIT", 0)   \
	X(RTR, "RTR", 0)     \
	X(RTS, "RTS", 0)     \
	X(SQD, "SQD", 0)     \
	X(SQE, "SQE", 0)     \
	X(ERR, "ERR", 1)

#define RDT_MPA_STATE_LIST(X)            \
	X(NONE, NULL, 0)                 \
	X(IDLE, "IDLE", 0)               \
	X(CONN_SENT, "CONN_SENT", 0)     \
	X(CONN_RECV, "CONN_RECV", 0)     \
	X(ESTABLISHED, "ESTABLISHED", 0) \
	X(CLOSING, "CLOSING", 0)         \
	X(DONE, "IDLE", 1)

#define RDT_STATES(name, NAME)                                                 \
	enum rdt_##name##_state{ RDT_##NAME##_STATE_LIST(RDT_STATE_ROW_##NAME) \
					 RDT_##NAME##_STATE_COUNT };
#define RDT_STATE_ROW_CM(s, name, final) RDT_CM_##s,
#define RDT_STATE_ROW_LAP(s, name, final) RDT_LAP_##s,
#define RDT_STATE_ROW_RDMA(s, name, final) RDT_RDMA_##s,
#define RDT_STATE_ROW_QP(s, name, final) RDT_QP_##s,
#define RDT_STATE_ROW_MPA(s, name, final) RDT_MPA_##s,
RDT_STATES(cm, CM)
RDT_STATES(lap, LAP)
RDT_STATES(rdma, RDMA)
RDT_STATES(qp, QP)
RDT_STATES(mpa, MPA)

/* The name of a machine's state; NULL for NONE and for numbers that are no state. */
const char *rdt_state_key(enum rdt_machine machine, unsigned state);

/* How many states a machine has, NONE included. */
size_t rdt_state_count(enum rdt_machine machine);

/* May nothing follow this state? */
bool rdt_state_is_final(enum rdt_machine machine, unsigned state);

/*
 * What a step means. The machines are pure data; who reads them acts on this.
 * X(symbol, text)
 */
#define RDT_ACTION_LIST(X)                                  \
	X(UNEXPECTED, "nothing explains this message here") \
	X(OPEN, "a connection begins")                      \
	X(STEP, "one step of setting up or closing")        \
	X(REPEAT, "said before: nothing changes")           \
	X(IGNORE, "allowed, and without effect")            \
	X(ESTABLISH, "this side is established")            \
	X(DISCONNECT, "closing begins")                     \
	X(CLOSE, "this side is closed")                     \
	X(REJECT, "refused or aborted")                     \
	X(GIVE_UP, "no answer in all the time allowed")     \
	X(END, "nothing is left of it")

enum rdt_action {
#define X(symbol, text) RDT_ACT_##symbol,
	RDT_ACTION_LIST(X)
#undef X
		RDT_ACT_COUNT
};

const char *rdt_action_text(enum rdt_action action);

struct rdt_step {
	uint8_t next;   /* state after the event; the same state when action is UNEXPECTED */
	uint8_t action; /* enum rdt_action */
	uint8_t basis; /* enum rdt_basis: INFERRED where the packet that belongs before is missing */
	const char *why; /* NULL when unexpected */
};

/* One step of a machine. state and event must be valid for it. */
struct rdt_step rdt_step(enum rdt_machine machine, unsigned state, enum rdt_cm_event event);

#endif
