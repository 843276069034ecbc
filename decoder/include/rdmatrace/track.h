/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From packets to connections: who talked to whom, which messages passed, which state each end
 * was in and when, how it ended.
 *
 * Feed frames in file order with their times; the tracker never reads a clock, never allocates
 * but through the caller's rdt_memory, and never keeps a packet. What happens is told to a sink
 * while feeding (messages, state changes, events); what is known of a connection is in its
 * struct rdt_conn at any time. The same frames give the same connections and records.
 *
 * One tracker belongs to one thread at a time; different trackers are independent.
 */
#ifndef RDMATRACE_TRACK_H
#define RDMATRACE_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "frame.h"
#include "icrc.h"
#include "status.h"

/* ---- vocabulary ----------------------------------------------------------------------- */

enum rdt_side { RDT_ACTIVE, RDT_PASSIVE, RDT_SIDES };

static inline enum rdt_side rdt_side_other(enum rdt_side side)
{
	return side == RDT_ACTIVE ? RDT_PASSIVE : RDT_ACTIVE;
}

/* How a connection was set up: X(symbol, JSON value, text) */
#define RDT_CONN_KIND_LIST(X)                                                   \
	X(CM, "cm", "by InfiniBand CM messages")                                \
	X(SIDR, "sidr", "UD service resolved by SIDR")                          \
	X(DATA, "data", "set up outside the capture or by an unknown exchange") \
	X(MPA, "mpa", "iWARP: by MPA frames over TCP")                          \
	X(OOB, "oob", "out of band: by an exchange of QPs over TCP")

/* What carries it. */
#define RDT_TRANSPORT_LIST(X)         \
	X(NONE, NULL, "unknown")      \
	X(ROCEV2, "rocev2", "RoCEv2") \
	X(ROCEV1, "rocev1", "RoCEv1") \
	X(IB, "ib", "InfiniBand")     \
	X(IWARP, "iwarp", "iWARP")

/* How it ended. */
#define RDT_OUTCOME_LIST(X)                                                         \
	X(INCOMPLETE, "incomplete", "the capture lacks the part that would decide") \
	X(OPEN, "open", "established, no close seen")                               \
	X(CLOSED, "closed", "was established, then closed")                         \
	X(REJECTED, "rejected", "refused")                                          \
	X(TIMEOUT, "timeout", "a side gave up")                                     \
	X(UNANSWERED, "unanswered", "no answer to the end of the capture")          \
	X(RESOLVED, "resolved", "the service answered with its QP")                 \
	X(REFUSED, "refused", "the service answered with an error")

/* Who said no, as far as the message shows. */
#define RDT_REJ_BY_LIST(X)                               \
	X(UNKNOWN, NULL, "unknown")                      \
	X(KERNEL, "kernel", "the kernel, not a program") \
	X(APPLICATION, "application", "the application or kernel consumer")

/* Whether a packet shows it or it follows from one. */
#define RDT_BASIS_LIST(X)                                            \
	X(WIRE, "wire", "a packet shows it")                         \
	X(INFERRED, "inferred", "it follows from what packets show") \
	X(KERNEL, "kernel", "the host's kernel says so")

/* Messages that set up or close. The CM ones keep the order of their attribute ids. */
#define RDT_MSG_LIST(X)                                           \
	X(REQ, "REQ", "connection request")                       \
	X(MRA, "MRA", "message receipt acknowledgement")          \
	X(REJ, "REJ", "reject")                                   \
	X(REP, "REP", "connection reply")                         \
	X(RTU, "RTU", "ready to use")                             \
	X(DREQ, "DREQ", "disconnect request")                     \
	X(DREP, "DREP", "disconnect reply")                       \
	X(SIDR_REQ, "SIDR_REQ", "service id resolution request")  \
	X(SIDR_REP, "SIDR_REP", "service id resolution response") \
	X(LAP, "LAP", "load alternate path")                      \
	X(APR, "APR", "alternate path response")                  \
	X(MPA_REQ, "MPA_REQ", "MPA request")                      \
	X(MPA_REP, "MPA_REP", "MPA reply")                        \
	X(TERMINATE, "TERMINATE", "RDMAP terminate")              \
	X(TCP_FIN, "TCP_FIN", "TCP close")                        \
	X(TCP_RST, "TCP_RST", "TCP reset")                        \
	X(OOB, "OOB", "QP announced out of band")                 \
	X(OOB_DONE, "OOB_DONE", "done, out of band")

/* State machines that a state record can be of. */
#define RDT_MACHINE_LIST(X)             \
	X(CM, "cm", "InfiniBand CM")    \
	X(LAP, "lap", "alternate path") \
	X(RDMA, "rdma", "rdma_cm id")   \
	X(QP, "qp", "queue pair")       \
	X(MPA, "mpa", "iWARP CM")

/* A repetition: who made it. */
#define RDT_COPY_LIST(X)                                                          \
	X(FIRST, "first", "seen for the first time")                              \
	X(RESENT, "resent", "sent again by its sender")                           \
	X(DUPLICATED, "duplicated", "the same packet twice: made by the network") \
	X(CAPTURED, "captured", "the same packet seen at two places of the capture")

#define RDT_ENUM(name, NAME)                                                          \
	enum rdt_##name{ RDT_##NAME##_LIST(RDT_ENUM_ROW_##NAME) RDT_##NAME##_COUNT }; \
	const char *rdt_##name##_key(enum rdt_##name value);                          \
	const char *rdt_##name##_text(enum rdt_##name value);
#define RDT_ENUM_ROW_CONN_KIND(s, key, text) RDT_CONN_##s,
#define RDT_ENUM_ROW_TRANSPORT(s, key, text) RDT_TRANSPORT_##s,
#define RDT_ENUM_ROW_OUTCOME(s, key, text) RDT_OUTCOME_##s,
#define RDT_ENUM_ROW_REJ_BY(s, key, text) RDT_REJ_BY_##s,
#define RDT_ENUM_ROW_BASIS(s, key, text) RDT_BASIS_##s,
#define RDT_ENUM_ROW_MSG(s, key, text) RDT_MSG_##s,
#define RDT_ENUM_ROW_MACHINE(s, key, text) RDT_MACHINE_##s,
#define RDT_ENUM_ROW_COPY(s, key, text) RDT_COPY_##s,

/* rdt_outcome_key(RDT_OUTCOME_OPEN) is the JSON value "open", _text what people read; both static. */
RDT_ENUM(conn_kind, CONN_KIND)
RDT_ENUM(transport, TRANSPORT)
RDT_ENUM(outcome, OUTCOME)
RDT_ENUM(rej_by, REJ_BY)
RDT_ENUM(basis, BASIS)
RDT_ENUM(msg, MSG)
RDT_ENUM(machine, MACHINE)
RDT_ENUM(copy, COPY)

/* "active", "passive" */
const char *rdt_side_key(enum rdt_side side);

/* ---- a connection ------------------------------------------------------------------------ */

/* One direction of data: what the side sent to its peer. Counts stop at their largest value. */
struct rdt_data {
	uint64_t bytes;       /* message bytes; iWARP: of FPDUs that were read */
	int64_t first_ns;     /* time of the first request; valid when first_frame != 0 */
	uint32_t pkts;        /* data packets, acknowledges included */
	uint32_t retrans;     /* requests whose PSN had been sent before (RC, XRC) */
	uint32_t gaps;        /* times a PSN was skipped: loss before the capture point */
	uint32_t first_frame; /* frame of the first request, 0 when none was seen */
	uint32_t first_psn;   /* its PSN */
	uint32_t next_psn;    /* the next new PSN expected (iWARP: the next TCP sequence number) */
};

/* One end. Members that no packet has shown are 0; the has_ bits tell. */
struct rdt_end {
	struct rdt_data data;
	uint32_t addr; /* index for rdt_tracker_addr() */
	uint32_t comm_id;
	uint32_t qpn;     /* its own QPN, 24 bits */
	uint32_t psn;     /* the first PSN it will send to its peer, as announced by the peer */
	uint8_t cm_state; /* enum rdt_cm_state (states.h); for MPA enum rdt_mpa_state */
	uint8_t lap_state, rdma_state, qp_state;
	uint8_t resources; /* responder resources: READs and atomics it accepts at a time */
	uint8_t depth;     /* initiator depth: READs and atomics it may issue at a time */
	uint8_t rnr_retry; /* RNR retry count it asked its peer to use, 7 is infinite */
	uint8_t has_comm_id : 1, has_qpn : 1, has_psn : 1, srq : 1, flow_control : 1;
};

/* What REQ and REP negotiate besides; raw codes of the fields of these names. */
struct rdt_params {
	uint8_t remote_cm_resp_timeout, local_cm_resp_timeout, max_cm_retries;
	uint8_t retry_count, path_mtu, ack_timeout, target_ack_delay;
	uint8_t has_req : 1, has_rep : 1; /* which of the two messages was captured far enough */
};

struct rdt_conn {
	struct rdt_end end[RDT_SIDES];
	uint64_t svc;              /* service id */
	uint64_t tid;              /* of the REQ or SIDR_REQ */
	int64_t start_ns, last_ns; /* times of its first and last packet */
	int64_t rep_ns,
		up_ns;    /* times of the first REP and of the first RTU; see has_rep, has_up */
	int64_t close_ns; /* time of the first DREQ, FIN or RST; see has_close */
	int64_t drep_ns;  /* time of the first DREP; valid when drep_frame != 0 */
	uint32_t n;       /* 1-based number in order of first packet; 0 until numbered */
	uint32_t first_frame;
	uint32_t rej_frame; /* frame of the first REJ, 0 when none */
	uint32_t rep_frame, rtu_frame, dreq_frame,
		drep_frame; /* CM: of the first one, 0 when none */
	uint32_t
		comm_est_frame; /* first request that reached the passive side before any RTU, or 0 */
	uint32_t msgs;          /* CM or MPA messages, repetitions counted */
	uint32_t retries;       /* those that were repetitions */
	uint32_t unexpected;    /* those that no state explains */
	uint16_t a_port, p_port; /* the program's ports: IP CM header and service id, or TCP */
	uint16_t port_space;     /* RDMA port space, 0 when the service id has none */
	uint16_t rej_reason;     /* of the first REJ (or SIDR status, MPA errno), 0 when none */
	uint8_t kind;            /* enum rdt_conn_kind */
	uint8_t transport;       /* enum rdt_transport */
	uint8_t service;         /* 0 rc, 1 uc, 2 rd, 3 ud, 4 xrc, 255 not known yet (kind OOB) */
	uint8_t program;         /* kind OOB: enum rdt_program (exchange.h) */
	uint8_t rej_by;          /* enum rdt_rej_by */
	uint8_t rej_msg;         /* what the REJ rejected: RDT_REJECTED_REQ ... */
	uint8_t rej_side;        /* who sent it */
	uint8_t close_side;      /* who sent the first DREQ, FIN or RST */
	uint8_t sidr_status;
	uint8_t input; /* which input its first packet came from */
	uint16_t has_rep : 1, has_up : 1, has_close : 1, has_rej : 1, has_a_port : 1, has_svc : 1,
		gave_up : 1,       /* a side's retries ran out or it sent REJ 4 */
		refused : 1,       /* a REJ or its like ended it */
		established : 1,   /* by RTU, data or what followed */
		mid : 1,           /* its beginning was not captured */
		roles_guessed : 1, /* which side is active is not shown by any message */
		bound : 1,         /* pair of QPNs known: data is counted to it */
		merged : 1;        /* joined to an earlier one: not listed any more */
	struct rdt_params params;
};

#define RDT_CONN_XRC 4
#define RDT_CONN_SERVICE_UNKNOWN 255

/* Is every request acknowledged, by a window of PSNs of its own: RC and XRC? */
static inline int rdt_conn_reliable(const struct rdt_conn *conn)
{
	return conn->service == RDT_SVC_RC || conn->service == RDT_CONN_XRC;
}

/* Text of rdt_conn.service: "rc" ...; NULL when it is not known. */
const char *rdt_conn_service_key(unsigned service);

/* How the connection stands now, from its states and messages. */
enum rdt_outcome rdt_conn_outcome(const struct rdt_conn *conn);

/*
 * An id that is the same for the same connection in any capture that shows both its comm ids
 * (QPNs for data, ports for MPA).
 */
uint32_t rdt_conn_id(const struct rdt_conn *conn);

/*
 * A program that this service id's port usually belongs to ("nvme", "rping"); NULL if none. A guess, but
 * for kind OOB, whose texts tell it.
 */
const char *rdt_conn_app(const struct rdt_conn *conn);

/*
 * Time from first REQ to first RTU (MPA: request to reply; OOB: first to last text), in ns. Returns 0 when it was not set
 * up in the capture or its beginning is missing.
 */
int rdt_conn_setup_ns(const struct rdt_conn *conn, uint64_t *ret_ns);

/* ---- records ---------------------------------------------------------------------------- */

/*
 * Times are in RDT_NS_MIN .. RDT_NS_MAX (1896 .. 2116), so that no difference of two overflows. One
 * outside counts as the nearer end of that.
 */
#define RDT_NS_MIN (-(INT64_C(1) << 61))
#define RDT_NS_MAX (INT64_C(1) << 62)

/* When and where a record is from. */
struct rdt_when {
	int64_t ns;     /* the packet's time, or that of the timer; ns since 1970 */
	uint32_t frame; /* number in its input, from 1; 0 for a timer */
	uint8_t input;  /* which input */
};

struct rdt_msg_rec {
	struct rdt_when when;
	uint64_t tid;
	uint32_t local_comm_id, remote_comm_id; /* as in the message; SIDR: the request id, 0 */
	uint32_t copy;                          /* 0 the first time, then 1, 2 ... */
	uint8_t msg;                            /* enum rdt_msg */
	uint8_t from;                           /* enum rdt_side: who sent it */
	uint8_t copy_kind;                      /* enum rdt_copy */
	uint8_t icrc;                           /* enum rdt_icrc_state */
	uint8_t snapped;                        /* 1: the capture cut it */
	uint8_t unexpected; /* 1: no state of its sender or receiver explains it */
	uint32_t body_have; /* bytes captured of body */
	const uint8_t
		*body;     /* after the MAD header, or the MPA frame; valid during the call only */
	uint32_t attr_mod; /* MAD attribute modifier: ECE options */
};

struct rdt_state_rec {
	struct rdt_when when;
	uint8_t side, machine, from, to; /* from and to are states of that machine (states.h) */
	uint8_t event;                   /* enum rdt_cm_event (states.h) */
	uint8_t basis;                   /* enum rdt_basis */
	const char *why;                 /* static text */
};

struct rdt_event_rec {
	struct rdt_when when;
	int32_t status; /* 0, a REJ reason or SIDR status (positive), or -errno of Linux */
	uint8_t side;
	uint8_t event;        /* enum rdt_rdma_event: what a librdmacm program gets */
	uint8_t kernel_event; /* enum rdt_rdma_event: what the kernel delivers */
	uint8_t basis;
	const char *why; /* static text */
};

/* Something on a connection's data path that is not a new request or its answer (flow.h). */
struct rdt_data_rec {
	struct rdt_when when;
	uint32_t psn;   /* of the packet */
	uint32_t count; /* packets it is about: 1, or the PSNs skipped */
	uint8_t side;   /* the direction: who sends its requests */
	uint8_t event;  /* enum rdt_flow_event */
};

/* What passed to a newer connection while an older one still had it. */
enum rdt_reuse { RDT_REUSE_COMM_ID, RDT_REUSE_QPN };

/* RDMA_CM_EVENT_x in the order of the kernel's enum rdma_cm_event_type. */
#define RDT_RDMA_EVENT_LIST(X) \
	X(ADDR_RESOLVED)       \
	X(ADDR_ERROR)          \
	X(ROUTE_RESOLVED)      \
	X(ROUTE_ERROR)         \
	X(CONNECT_REQUEST)     \
	X(CONNECT_RESPONSE)    \
	X(CONNECT_ERROR)       \
	X(UNREACHABLE)         \
	X(REJECTED)            \
	X(ESTABLISHED)         \
	X(DISCONNECTED)        \
	X(DEVICE_REMOVAL)      \
	X(MULTICAST_JOIN)      \
	X(MULTICAST_ERROR)     \
	X(ADDR_CHANGE)         \
	X(TIMEWAIT_EXIT)

enum rdt_rdma_event {
#define X(name) RDT_EVENT_##name,
	RDT_RDMA_EVENT_LIST(X)
#undef X
		RDT_EVENT_COUNT
};

/* "ESTABLISHED": the kernel's name without prefix; the program's is RDMA_CM_EVENT_ before it. */
const char *rdt_rdma_event_key(enum rdt_rdma_event event);

/*
 * Told while feeding; any member may be NULL. conn and rec are borrowed for the call.
 * Records of one connection come in the order of what happened at each side; their times can
 * step back a little where a message crossed another on the way, or a timer ran out between
 * two packets: sort by time to show them.
 */
struct rdt_sink {
	void *user;
	void (*msg)(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec);
	void (*state)(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec);
	void (*event)(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec);
	/* The connection is final and its memory about to be reused: only when max_conns is reached. */
	void (*evict)(void *user, const struct rdt_conn *conn);
	void (*data)(void *user, const struct rdt_conn *conn, const struct rdt_data_rec *rec);
	/*
	 * What was known of its data path is about to be given up: only when max_flows is reached.
	 * If more data come it begins anew.
	 */
	void (*flow)(void *user, const struct rdt_conn *conn);
	/* A comm id or QPN of side now belongs to conn; before, older had it. */
	void (*reuse)(void *user, const struct rdt_conn *conn, const struct rdt_conn *older,
		      enum rdt_side side, enum rdt_reuse what);
};

/* ---- the tracker ------------------------------------------------------------------------ */

/*
 * Memory from the caller: like realloc, with the old size told. new_size 0 frees and returns
 * NULL; old NULL (old_size 0) allocates. Returning NULL for new_size > 0 makes the feed return
 * RDT_NO_MEMORY; the tracker stays usable and frees cleanly.
 */
struct rdt_memory {
	void *(*resize)(void *user, void *old, size_t old_size, size_t new_size);
	void *user;
};

struct rdt_track_opts {
	uint32_t max_conns; /* connections kept at a time, 0 for 1,000,000; more evict the oldest */
	uint32_t
		max_addrs; /* addresses kept, 0 for 1,000,000 (at most 2^20); more are not tracked */
	uint32_t max_flows; /* connections whose data path is kept, 0 for 16384 (flow.h) */
	uint32_t max_tcp;   /* iWARP connections and exchanges followed at a time, 0 for 32,768 */
	uint64_t seed;      /* any number an attacker cannot know: seeds the hashes */
	uint8_t skip_icrc;  /* 1: do not check the ICRC of CM messages */
};

struct rdt_tracker;

/* Make a tracker. Nothing is printed, nothing global is touched. NULL when there is no memory. */
struct rdt_tracker *rdt_tracker_new(const struct rdt_memory *memory,
				    const struct rdt_track_opts *opts, const struct rdt_sink *sink);

/* Free it and all its memory. NULL is allowed. */
void rdt_tracker_free(struct rdt_tracker *t);

/* What a frame was to the tracker. */
struct rdt_verdict {
	uint32_t conn;  /* index for rdt_tracker_conn(), or RDT_CONN_NONE */
	uint8_t side;   /* who sent it */
	uint8_t is_msg; /* 1: a CM or MPA message, msg is valid; 0: data or neither */
	uint8_t msg;    /* enum rdt_msg */
	uint8_t icrc;   /* enum rdt_icrc_state of a checked message */
	uint32_t copy;  /* 0 the first time */
	uint32_t
		fpdu_at; /* iWARP: 1 + offset in the TCP payload of the first FPDU that begins in it */
};

#define RDT_CONN_NONE UINT32_MAX

/*
 * Feed one frame.
 *
 * frame        as rdt_frame_parse() filled it; borrowed for the call.
 * when         time and number of the frame. Times may step back; they are then used as they are,
 *              and no timer fires.
 * ret_verdict  may be NULL; always filled otherwise.
 *
 * Returns RDT_OK also for frames that are none of its business; RDT_NO_MEMORY when something
 * could not be kept (what was kept stays valid).
 */
enum rdt_status rdt_tracker_feed(struct rdt_tracker *t, const struct rdt_frame *frame,
				 const struct rdt_when *when, struct rdt_verdict *ret_verdict);

/*
 * End of input: fires the timers that ran out before end_ns (time of the last frame), delivers
 * records that were held back, decides what is still open, and numbers the connections.
 */
void rdt_tracker_finish(struct rdt_tracker *t, int64_t end_ns);

/* Connections ever made: indices 0 .. count - 1. Merged and evicted ones are among them. */
uint32_t rdt_tracker_conn_count(const struct rdt_tracker *t);

/* A connection; NULL when it was evicted or merged. Borrowed; its members change while feeding. */
const struct rdt_conn *rdt_tracker_conn(const struct rdt_tracker *t, uint32_t index);

/*
 * The index under which a connection is listed: its own, or that of the one it was joined to when
 * both directions of data turned out to be one connection.
 */
uint32_t rdt_tracker_conn_final(const struct rdt_tracker *t, uint32_t index);

/* The index of a connection handed to the sink. */
uint32_t rdt_tracker_conn_index(const struct rdt_tracker *t, const struct rdt_conn *conn);

/*
 * The interval after which a side sends the message that it waits to have answered again, as the
 * fields of REQ, REP and MRA and Linux' way to count them give it. Returns 0 when the capture does
 * not tell, else 1 and *ret_ns.
 */
int rdt_tracker_retry_ns(const struct rdt_tracker *t, uint32_t index, enum rdt_side side,
			 uint64_t *ret_ns);

/*
 * The address by which the REQ names an end where the packets show another (a NAT, a LID and a
 * GID), an index for rdt_tracker_addr(); RDT_CONN_NONE when they agree or it is not known.
 */
uint32_t rdt_tracker_alt_addr(const struct rdt_tracker *t, uint32_t conn, enum rdt_side side);

/* An end's address. Borrowed, valid as long as the tracker. */
const struct rdt_addr *rdt_tracker_addr(const struct rdt_tracker *t, uint32_t addr);

/* What was counted over all frames. */
struct rdt_track_stats {
	uint64_t frames;
	uint64_t rdma;          /* frames with a BTH, and TCP frames of iWARP and of exchanges */
	uint64_t msgs;          /* CM and MPA messages */
	uint64_t data;          /* other RDMA packets bound to a connection */
	uint64_t cnp;           /* congestion notification packets */
	uint64_t vendor;        /* packets of a vendor's transport */
	uint64_t other_mads;    /* management datagrams that are not CM */
	uint64_t stray;         /* messages cut before their ids, or of a kind that has none */
	uint64_t malformed;     /* BTH that contradicts its packet */
	uint64_t snapped;       /* RDMA packets cut by the capture */
	uint64_t unread;        /* of those: cut before what tells their connection */
	uint64_t icrc_bad;      /* CM messages with a wrong ICRC */
	uint64_t duplicated;    /* frames that the capture shows twice */
	uint64_t time_back;     /* frames with a time before the latest */
	uint64_t evicted;       /* connections dropped to make room */
	uint64_t lost_addrs;    /* frames not tracked: too many addresses */
	uint64_t tcp_evicted;   /* TCP connections of ours no longer followed, to make room */
	uint64_t tcp_gaps;      /* times that the capture lacks bytes of such a connection */
	uint64_t flows_evicted; /* connections whose data path was given up to make room */
};

const struct rdt_track_stats *rdt_tracker_stats(const struct rdt_tracker *t);

#endif
