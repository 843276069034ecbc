/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracker's parts and what they share. Not installed.
 *
 *   tracker.c  public face, frames to parts        conns.c   where connections live
 *   cm.c       a CM message to its connection      step.c    state machines, records, events
 *   timer.c    what happens without packets        data.c    data packets to their connection
 *   tcp.c      TCP connections that may be ours    resolve.c ARP, ND and SA before a REQ
 *   stream.c   their bytes in order                fpdu.c    an MPA stream's FPDUs
 *   mpa.c      iWARP: start frames, close          iwarp.c   what its frames and FPDUs say
 *   oob.c      QPs announced over TCP              oob_match.c and their packets
 *   data_pool.c, data_path.c, data_answer.c (data.h)  order and answers of data packets
 */
#ifndef RDT_TRACK_INTERNAL_H
#define RDT_TRACK_INTERNAL_H

#include "fsm.h"
#include "map.h"
#include "rdmatrace/track.h"
#include "rdmatrace/wire.h"

#define SLOT_NONE UINT32_MAX
#define INDEX_MAX 0x7ffffffeu /* an index and a side fit in a map's value */
#define ADDR_BITS 20          /* an address index fits; two of them and a QPN make a 64-bit key */

/*
 * An RX step of the CM machine whose record is held back: the packet was captured on its way, so
 * until the receiver's next message it is not certain in which order it saw things. Basis and
 * reason are those of the table's row.
 */
struct held {
	int64_t ns;
	uint32_t frame;
	uint8_t input;
	uint8_t event, from, to; /* event RDT_CM_EV_NONE: nothing is held */
};

/*
 * Messages that one side of one connection can send again, by place in copies[]: kinds that
 * exclude each other share a place.
 */
enum copy_place {
	COPY_OPEN, /* REQ, REP, SIDR_REQ, SIDR_REP, MPA_REQ, MPA_REP */
	COPY_RTU,
	COPY_MRA, /* of the REQ or REP */
	COPY_MRA_LAP,
	COPY_REJ,  /* and RST */
	COPY_DREQ, /* and FIN */
	COPY_DREP,
	COPY_LAP, /* and APR */
	COPY_PLACES
};

/* What the tracker keeps of an end beside what it shows. Small: there may be a million. */
struct end_priv {
	struct held held;
	uint32_t timer_ms; /* when the running timer ends, from start_ns; valid with timer_event */
	uint32_t tracked_ms; /* first sending of the message whose answer is awaited */
	uint32_t resent_ms;  /* last sending of it */
	uint32_t aux;   /* CM, active: frame of the first REP; MPA: sequence number of its frame */
	uint32_t fp[2]; /* fingerprints of its last two packets with a message */
	uint32_t alt_addr; /* its address by the REQ where the packets show another, or SLOT_NONE */
	uint16_t copies[COPY_PLACES];
	uint8_t timer_event; /* RDT_CM_EV_TIMER_x, or RDT_CM_EV_NONE */
	uint8_t mra_timeout; /* service timeout code of the MRA it received; valid with has_mra */
	uint8_t has_mra : 1;
	uint8_t owes_request : 1;  /* a CONNECT_REQUEST not yet proven */
	uint8_t owes_response : 1; /* a CONNECT_RESPONSE whose RTU was not seen */
	uint8_t data_known : 1;    /* data.next_psn is valid */
	uint8_t all_sent : 1;      /* the awaited message was sent as often as announced */
	uint8_t reply_lost : 1;    /* active: it repeats its REQ although a REP is in the capture */
};

struct rdt_iwarp;
struct rdt_exchange;

struct slot {
	struct rdt_conn pub; /* first: a pointer to it is a pointer to the slot */
	struct end_priv priv[RDT_SIDES];
	union {                                /* what only its kind has; owned */
		struct rdt_iwarp *iwarp;       /* MPA; NULL when there was no memory */
		struct rdt_exchange *exchange; /* OOB */
	};
	uint32_t index;
	struct rdt_when asked; /* the REQ that the passive side answers: its first, mostly */
	uint32_t
		next_half; /* data: next unpaired one between the same ends; when merged, into which */
	uint32_t flow;     /* 1 + its place in the pool of data windows, 0 when it has none */
	uint8_t pair_tries;
};

#define CHUNK_BITS 8
#define CHUNK (1u << CHUNK_BITS)

/* The last frames seen, to find those that the capture shows twice. */
#define RECENT 1024u
struct recent {
	int64_t ns;
	uint64_t content, link;
	uint8_t input;
};

/* An address or route resolution seen on the wire, kept until a REQ follows. */
#define RESOLVES 256u
struct resolve {
	struct rdt_when asked, done; /* done.frame 0: no answer seen */
	struct rdt_addr from, to;
	uint64_t tid;  /* route: the SA query's */
	uint8_t route; /* 1: SA PathRecord, 0: ARP or ND */
	uint8_t valid;
};

struct rdt_tracker {
	struct rdt_memory caller; /* the caller's memory */
	struct rdt_memory memory; /* the same through a note of failure: what all parts use */
	struct rdt_track_opts opts;
	struct rdt_sink sink;
	struct rdt_track_stats stats;
	struct slot **chunks;
	uint32_t chunk_count; /* of the array: max_conns rounded up */
	uint32_t count;       /* connections ever made */
	uint32_t gone;        /* those of lower index are evicted */
	uint32_t numbered;    /* last number given */
	uint32_t number_next; /* first index that has no number yet */
	struct rdt_addr **addr_chunks;
	uint32_t addr_chunk_count;
	uint32_t addr_count;
	uint32_t *addr_hash; /* index + 1; 0 free */
	uint32_t addr_mask;
	uint32_t pair_src, pair_dst; /* the last two addresses interned: most frames repeat them */
	struct map ids;              /* (address, comm id) -> slot << 1 | side */
	struct map flows;    /* (source, destination, destination QPN) -> slot << 1 | sender */
	struct map ud_flows; /* the same with the source QPN: UD */
	struct map halves;   /* (source, destination) -> first unpaired data connection */
	struct map
		announced; /* (address, QPN) of an exchange, no packet yet -> slot << 1 | whose */
	struct map first_psns; /* (address, first PSN) of one whose peer is not known -> the same */
	struct tcp *tcp;       /* NULL until there is any */
	struct flow_pair **flow_chunks; /* data.h */
	uint32_t flow_chunk_count, flow_count, flow_hand;
	struct rdt_flow_times *flow_times; /* by enum rdt_flow_op */
	struct recent *recent;
	struct resolve *resolves;
	uint32_t resolve_next;
	uint32_t resolves_open[2]; /* valid ones: addresses, routes */
	int64_t now;               /* latest time seen */
	uint8_t started;
	uint8_t no_memory; /* something could not be kept of the frame being fed */
};

bool conns_init(struct rdt_tracker *t);
void conns_free(struct rdt_tracker *t);

/* ---- conns.c --------------------------------------------------------------------------- */

/* The slot of an index; NULL when evicted or never made. */
struct slot *conn_slot(const struct rdt_tracker *t, uint32_t index);

/* A new, zeroed connection; NULL without memory. May evict the oldest. */
struct slot *conn_new(struct rdt_tracker *t, enum rdt_conn_kind kind, const struct rdt_frame *frame,
		      const struct rdt_when *when, uint32_t active, uint32_t passive);

/* The index of an address, RDT_CONN_NONE when there are too many or no memory. */
uint32_t addr_index(struct rdt_tracker *t, const struct rdt_addr *addr);

/* Both ends of a frame at once. */
bool addr_pair(struct rdt_tracker *t, const struct rdt_frame *frame, uint32_t *src, uint32_t *dst);

/* Little-endian hosts count up the first byte of a comm id on the wire: it becomes the lowest here. */
static inline uint64_t id_key(uint32_t addr, uint32_t comm_id)
{
	return ((uint64_t)addr + 1) << 32 | (comm_id << 8 | comm_id >> 24);
}

/* rdt_conn.service of a packet's. */
static inline uint8_t conn_service(enum rdt_service service)
{
	return service == RDT_SVC_XRC ? RDT_CONN_XRC : (uint8_t)service;
}

static inline uint64_t flow_key(uint32_t src, uint32_t dst, uint32_t qpn)
{
	return (uint64_t)(src + 1) << (ADDR_BITS + 24) | (uint64_t)dst << 24 | qpn;
}

/* A side's own comm id: packets with it are this connection's from now on. */
void conn_bind_id(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t comm_id);

/* The passive side has a new id for the same REQ: what was known of its id is taken back. */
void conn_forget_passive(struct rdt_tracker *t, struct slot *s);

/* A side's own QPN: what its peer sends there is this connection's from now on. */
void conn_bind_qpn(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t qpn);

/* A side's packets come from another address than was thought. */
void conn_move(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t addr);

/* Number all connections up to index (not included). */
void conn_number(struct rdt_tracker *t, uint32_t end);

/* ---- step.c ----------------------------------------------------------------------------- */

/* One event of the CM (or MPA) machine at a side: steps all its machines and tells the sink. */
struct rdt_step step_side(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
			  enum rdt_cm_event event, const struct rdt_when *when);

/* One event of the QP machine alone. */
void step_qp(struct rdt_tracker *t, struct slot *s, enum rdt_side side, enum rdt_cm_event event,
	     const struct rdt_when *when);

/* The steps of an active rdma_cm id before its first request; own is the frame of that request. */
void step_resolve(struct rdt_tracker *t, struct slot *s, const struct rdt_when *own);

/* The passive program is proven to have been asked, at the time of the first request. */
void step_request_proven(struct rdt_tracker *t, struct slot *s);

/*
 * The active side sent its REQ again at ns. Linux stops that when a REP comes; so a REP captured
 * longer ago than packets are on their way did not reach it.
 */
void step_reply_lost(struct slot *s, int64_t ns);

/* The passive side, which had given up, takes a repeated REQ for a new one. */
void step_reopen(struct rdt_tracker *t, struct slot *s, const struct rdt_when *when);

/* Nothing more will come for it: timers, what data show, and what was held back. */
void step_settle(struct rdt_tracker *t, struct slot *s);

/* ---- the other parts ---------------------------------------------------------------------- */

void cm_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_pkt *pkt,
	     const struct rdt_when *when, struct rdt_verdict *verdict);
void data_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_pkt *pkt,
	       const struct rdt_when *when, struct rdt_verdict *verdict);
void tcp_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_when *when,
	      struct rdt_verdict *verdict);
/* Read what waits for bytes that do not come. */
void tcp_finish(struct rdt_tracker *t);
void tcp_free(struct rdt_tracker *t);

/* Before data_feed(): a packet to a QP that an exchange announced. After it: what it uses there. */
void oob_claim(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_pkt *pkt);
void oob_check(struct rdt_tracker *t, const struct rdt_pkt *pkt, const struct rdt_when *when,
	       const struct rdt_verdict *verdict);

void resolve_feed(struct rdt_tracker *t, const struct rdt_frame *frame,
		  const struct rdt_when *when);
void resolve_sa(struct rdt_tracker *t, const struct rdt_frame *frame, const uint8_t *mad,
		size_t have, const struct rdt_when *when);
/* The resolution that led to this connection, consumed; NULL when none was captured. */
const struct resolve *resolve_take(struct rdt_tracker *t, const struct rdt_addr *from,
				   const struct rdt_addr *to, int route, int64_t before_ns);

/* After a step: start, restart or stop the side's timer. */
void timer_update(struct slot *s, enum rdt_side side, enum rdt_cm_event event, bool repeat,
		  int64_t ns);
/* Fire what ran out before now; give_up: also waits of which not all sendings were seen. */
void timer_run(struct rdt_tracker *t, struct slot *s, int64_t now, bool give_up);

/* data_pool.c */
bool flows_init(struct rdt_tracker *t);
void flows_free(struct rdt_tracker *t);
/* The connection goes, or its data belong to another: to's passive side gets from's active one. */
void flow_release(struct rdt_tracker *t, struct slot *s);
void flow_move(struct rdt_tracker *t, struct slot *to, struct slot *from);

void oob_unbind(struct rdt_tracker *t, const struct slot *s);
/* What goes between its QPs is s's, datagrams too; a_qpn is that of the active side. */
void data_bind_ud(struct rdt_tracker *t, struct slot *s, uint32_t a_qpn);
void data_unbind(struct rdt_tracker *t, const struct slot *s);
void data_unbind_ud(struct rdt_tracker *t, const struct slot *s);

/* Count a message of a side: its copy number and, from the packet's fingerprint, who repeated it. */
uint32_t copy_count(struct slot *s, enum rdt_side side, enum copy_place place, uint32_t fp,
		    uint8_t *ret_kind);

/* Hand a message record to the sink and count it. */
void msg_emit(struct rdt_tracker *t, struct slot *s, struct rdt_msg_rec *rec,
	      struct rdt_verdict *verdict);

#endif
