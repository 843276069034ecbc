/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the engine and what they share. Not installed.
 *
 *   why.c    public face: sink, frames, when which rules run       note.c   odd messages, kept
 *   group.c  alike findings are one                                text.c   values and texts
 *   rules: cm.c cm_late.c cm_params.c mpa.c oob.c rc.c path.c net.c cap.c storm.c
 *
 * A rule is a function over one connection and all that is known of it (struct look). It begins a
 * finding with why_begin(), adds values, and hands it on with why_emit().
 */
#ifndef RDT_WHY_INTERNAL_H
#define RDT_WHY_INTERNAL_H

#include <stdbool.h>

#include "rdmatrace/field.h"
#include "rdmatrace/states.h"
#include "rdmatrace/why.h"
#include "track/map.h"

#define NS_PER_S INT64_C(1000000000)

/* ---- notes: what messages said beside the usual ---------------------------------------------- */

/* Kinds of messages that are counted: those that exclude each other share a place. */
enum said_kind { SAID_OPEN, SAID_RTU, SAID_MRA, SAID_REJ, SAID_DREQ, SAID_DREP, SAID_COUNT };

struct said {
	int64_t first_ns, last_ns;
	uint32_t first_frame, last_frame;
	uint16_t sent;          /* times its sender sent it */
	uint16_t doubled;       /* times the network made one more */
	uint32_t doubled_frame; /* the first of these */
	uint8_t input;
	uint8_t msg; /* enum rdt_msg of the first one */
};

/* When a message was sent the first, second ... time: for the arithmetic of timers. */
#define TIMES 8
struct sending {
	int64_t ns;
	uint32_t frame;
};

struct note {
	struct said said[RDT_SIDES][SAID_COUNT];
	struct sending open[RDT_SIDES][TIMES], dreq[RDT_SIDES][TIMES];
	uint32_t conn;                              /* index of its connection */
	uint32_t next_free;                         /* place of the next one that is free */
	uint32_t mra_of_rep_frame;                  /* first MRA of a REP, 0 when none */
	uint32_t unexpected_first, unexpected_last; /* frames */
	uint32_t older[2]; /* by enum rdt_reuse: connection that had the number; index + 1 */
	uint32_t dreq_qpn; /* QPN that a DREQ named, valid with dreq_qpn_frame */
	uint32_t dreq_qpn_frame;
	uint32_t pdata_frame; /* private data that fill all the room */
	uint16_t pdata_size;
	uint32_t other_version_pkts, other_version_frame; /* RoCEv1 where it began with v2 */
	uint8_t reuse_side[2];
	uint8_t dreq_qpn_side, pdata_side, pdata_msg;
	uint8_t unexpected_input;
	uint8_t rej_pdata; /* the REJ has private data */
};

/* The note of a connection, NULL when it has none. */
struct note *note_of(const struct rdt_why *w, uint32_t conn);

/* One message, reuse, frame: makes the note where it is odd. */
void note_msg(struct rdt_why *w, const struct rdt_conn *conn, const struct rdt_msg_rec *rec);
void note_reuse(struct rdt_why *w, const struct rdt_conn *conn, const struct rdt_conn *older,
		enum rdt_side side, enum rdt_reuse what);
void note_version(struct rdt_why *w, const struct rdt_conn *conn, uint32_t index,
		  const struct rdt_when *when);
/* Its connection is gone. */
void note_forget(struct rdt_why *w, uint32_t conn);
void notes_free(struct rdt_why *w);

/* ---- findings in the making ------------------------------------------------------------------ */

/* A finding in the list. */
struct group {
	struct rdt_finding pub;
	struct rdt_conn_range *ranges;
	uint32_t range_room;
	uint64_t key;
	uint32_t place;      /* in the list */
	uint32_t last_index; /* connection that was added last, RDT_CONN_NONE */
	uint32_t *late;      /* connections (indices) that had no number yet */
	uint32_t late_count, late_room;
};

/* A connection and one of its findings. */
struct link {
	uint32_t group, next; /* of the same connection; LINK_NONE at the end */
};
#define LINK_NONE UINT32_MAX

/* Senders, for the families of ICRC faults. */
struct sender {
	uint32_t addr; /* tracker's index */
	uint32_t good, bad, absent, sport;
	uint32_t padded_good, padded_bad;
	uint32_t first_frame, last_frame; /* of bad ones */
	uint32_t sport_frame, absent_frame;
	uint16_t port; /* captured source port of the last with SPORT */
	uint8_t transport;
	uint8_t input;
};

/* Neighbours: who was asked for by ARP or ND, and who answered. */
#define NEIGHBOURS 512u
struct neighbour {
	struct rdt_addr addr, from; /* from: who asked last */
	int64_t asked_ns, last_ns;  /* first and last question since the last answer */
	uint64_t mac;
	uint32_t asked, asked_frame, last_frame; /* questions since the last answer */
	uint32_t answered_frame;                 /* last answer, 0: none */
	uint32_t macs, move_frame;               /* MAC addresses seen one after the other */
	uint8_t input;
};

/* What ICMP said about RoCE packets of one pair. */
#define COMPLAINTS 64u
struct complaint {
	struct rdt_addr from, to, who; /* of the packet; who complains */
	uint32_t count, first_frame, last_frame, mtu;
	int64_t first_ns;
	uint8_t input, too_big;
};

/* Setups that fail, by service and by pair of addresses. */
#define STORMS 64u
struct storm {
	uint64_t key;
	int64_t begin_ns; /* of the second that is being counted */
	uint32_t total, now, most;
	uint32_t conn; /* index of the first */
	uint32_t frame;
	uint8_t input;
};

struct clash {
	uint32_t addr[2];   /* the lower index first */
	int64_t last_ns[2]; /* newest refused request of each direction */
	uint32_t count, frame, conn;
	uint8_t seen[2], input;
};

struct rdt_why {
	struct rdt_memory memory;
	struct rdt_why_opts opts;
	struct rdt_sink next;
	const struct rdt_tracker *t;
	struct rdt_why_stats stats;
	struct rdt_finding draft;
	struct note **note_chunks;
	uint32_t note_count, note_free;
	struct map notes; /* connection's index -> note */
	struct group *groups;
	uint32_t group_count, group_room;
	struct map group_of; /* key -> group */
	uint32_t *order;     /* after finish: groups, gravest first */
	struct link *links;
	uint32_t link_count, link_room;
	struct map links_of; /* connection's index -> first link */
	struct sender *senders;
	uint32_t sender_count, sender_room, sender_last;
	struct map sender_of; /* address -> sender */
	struct neighbour *neighbours;
	uint32_t neighbour_count;
	struct complaint complaints[COMPLAINTS];
	uint32_t complaint_count;
	struct storm storms[STORMS];
	struct clash clashes[STORMS];
	uint32_t storm_count, clash_count;
	int64_t end_ns;
	int64_t previous_ns;        /* time of the frame before */
	uint64_t ahead_ns, back_ns; /* sums of the steps of time from frame to frame */
	uint64_t steps, steps_back;
	uint32_t cut_inputs; /* bit an input: it could not be read to its end */
	uint32_t time_back_frame, twice_frame, snapped_frame, malformed_frame, vendor_frame;
	uint32_t mid_count;  /* connections that began before the capture */
	uint32_t mid_first;  /* frame of the first */
	uint32_t flows_lost; /* data paths given up */
	struct map pairs;    /* (source, destination) of reliable data; made when asked for */
	uint8_t time_back_input;
	uint8_t no_memory;
	uint8_t at_end, paired; /* all frames were read; pairs is made */
};

/* Room for one more; false (and no_memory noted) without memory. */
bool why_grow(struct rdt_why *w, void *array, uint32_t *room, uint32_t used, size_t size);

/* All that is known of one connection. */
struct look {
	struct rdt_why *w;
	const struct rdt_tracker *t;
	const struct rdt_conn *c;
	const struct note *note;                /* NULL: nothing odd was said */
	const struct rdt_flow *flow[RDT_SIDES]; /* NULL: no data */
	uint32_t index;
	enum rdt_outcome outcome;
	bool data_only; /* its data path is given up: the rest is looked at later */
};

/* What a side said of one kind; NULL when it did not, or nothing odd made a note. */
const struct said *look_said(const struct look *k, enum rdt_side side, enum said_kind kind);

/* How often it was sent, also where there is no note. */
unsigned look_sent(const struct look *k, enum rdt_side side, enum said_kind kind);

/* The end of what is known: of the capture, or for one that leaves early of the connection. */
int64_t look_end(const struct look *k);

/* The timer of the side's first message by what the REQ says; when it was sent; who had its number. */
void add_timer(const struct look *k, struct rdt_finding *f, enum rdt_side side);
uint64_t side_timer_ns(const struct look *k, enum rdt_side side);
/* Sendings that must have been between those of the list. */
void add_missed(struct rdt_finding *f, const struct sending *list, unsigned sent, uint64_t timer);
void add_sendings(struct rdt_finding *f, const struct look *k, const struct sending *list,
		  unsigned sent);
void add_older(struct rdt_finding *f, const struct look *k, enum rdt_reuse what);

typedef void rule_fn(const struct look *k);

/* The families: arrays that end in NULL. */
extern rule_fn *const cm_rules[],
	*const cm_late_rules[], *const cm_params_rules[],
					*const mpa_rules[], *const rc_rules[],
								    *const path_rules[],
									    *const oob_rules[];

/* A count of the data path's events. */
void add_event(struct rdt_finding *f, enum rdt_why_value value, const struct rdt_flow *flow,
	       enum rdt_flow_event event);

/* What is about the capture, after all connections were looked at. */
void net_rules(struct rdt_why *w);
void cap_rules(struct rdt_why *w);
void cap_frame(struct rdt_why *w, const struct rdt_when *when);
/* Do times go backwards so often and so far that neither order nor waits can be relied on? */
bool cap_disordered(const struct rdt_why *w);
void storm_note(const struct look *k);
void storm_rules(struct rdt_why *w);

/* Frames that are not of a connection, ICRC. */
void net_frame(struct rdt_why *w, const struct rdt_frame *frame, const struct rdt_when *when,
	       const struct rdt_verdict *verdict);
const struct neighbour *net_neighbour(const struct rdt_why *w, const struct rdt_addr *addr);

/*
 * Begin a finding about k's connection (k NULL: w's capture). side is who did it. It is the one
 * that is in the making: one at a time.
 */
struct rdt_finding *why_begin(const struct look *k, enum rdt_why_code code, enum rdt_side side,
			      unsigned confidence);
struct rdt_finding *why_begin_capture(struct rdt_why *w, enum rdt_why_code code,
				      unsigned confidence);

/* Add a value; with the frame that shows it (0: none). What has no room is left out. */
void why_add(struct rdt_finding *f, enum rdt_why_value value, uint64_t num, uint32_t frame,
	     unsigned input);
/* A duration that may be negative where clocks are bad: then left out. */
void why_add_ns(struct rdt_finding *f, enum rdt_why_value value, int64_t ns, uint32_t frame,
		unsigned input);

void why_emit(struct rdt_why *w, struct rdt_finding *f);

/* group.c */
void group_add(struct rdt_why *w, const struct rdt_finding *f);
void groups_finish(struct rdt_why *w);
void groups_free(struct rdt_why *w);

#endif
