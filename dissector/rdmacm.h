/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's parts and what they share.
 *
 *   plugin.c   registration, preferences           link.c    Wireshark's packet to rdt_frame
 *   feed.c     the first pass: tracker, notes      judge.c   which expert items a packet has
 *   stream.c   a connection as the plugin sees it  notes.c   what the first pass left, by frame
 *   fields.c   fields, from the decoder's tables   tree.c    the details pane
 *   analysis.c the connection's part of the tree   experts.c texts of the expert items
 *   columns.c  the packet list
 *   findings.c findings of the engine behind diagnose
 *   consumer.c headers that only the connection gives a meaning
 *   stats.c, talk.c, flow.c, follow.c              Wireshark's own views, fed by taps
 *
 * A packet is fed to the tracker once, when Wireshark sees it first. What came out of it is kept in
 * a note under its frame number, and each later dissection shows the note: so one pass, two passes
 * and a click in the window say the same, except for what only later packets tell.
 */
#ifndef RDMACM_H
#define RDMACM_H

#include "compat.h"
#include "rdmatrace/layers.h"
#include "rdmatrace/setup.h"
#include "rdmatrace/track.h"
#include "rdmatrace/vocab.h"
#include "rdmatrace/why.h"
#include "rdmatrace/wire.h"

extern int proto_rdmacm;

/* ---- preferences ------------------------------------------------------------------------------- */

struct rdmacm_prefs {
	unsigned port;      /* UDP port of RoCEv2, besides those that Wireshark knows */
	unsigned max_conns; /* connections kept, 0 for the tracker's default */
	ws_bool analysis;   /* track connections */
	ws_bool icrc;       /* check the ICRC of all packets, not of messages only */
	ws_bool timers;     /* tell what follows from timers although no packet shows it */
	ws_bool columns;    /* write Protocol and Info, repair Source */
};

extern struct rdmacm_prefs rdmacm_prefs;

/* ---- expert items ------------------------------------------------------------------------------ */

enum rdmacm_expert {
#define X(symbol, name, group, severity, field, before, summary) EI_##symbol,
#include "experts.def"
#undef X
	EI_COUNT
};

#define EI_BIT(symbol) (UINT64_C(1) << EI_##symbol)
#define ANCHOR_NONE RDT_FIELD_COUNT

_Static_assert(EI_COUNT <= 64, "the expert items of a packet are bits of one word");

/* ---- what the first pass left of a packet --------------------------------------------------------- */

/* A state change or an event that belongs to the packet. */
struct record {
	struct record *next;
	uint32_t conn; /* the tracker's index; an ARP is of none, its records are */
	uint8_t rec;   /* RDT_REC_state or RDT_REC_event */
	uint8_t rank;  /* orders the records of a packet */
	union {
		struct rdt_state_rec state;
		struct rdt_event_rec event;
	};
};

/* A message that sets up or closes, and what it has to do with others. Times are ns, -1: none. */
struct message {
	struct message *next;   /* a TCP segment can be two: a reply and a FIN */
	struct rdt_msg_rec rec; /* body is not to be read */
	uint32_t conn;          /* the tracker's index: a segment can announce several QPs */
	uint32_t answers;       /* frame of the message that it answers, 0 none */
	uint32_t answered;      /* frame of the first answer to it, 0 none so far */
	uint32_t before, after; /* frames of its sendings before and after this one, 0 none */
	int64_t response_ns;    /* since answers was first sent */
	int64_t waited_ns;      /* since answers was first sent, or an MRA asked for more time */
	int64_t setup_ns;  /* since the first request, when this message completes the set-up */
	int64_t again_ns;  /* since it was sent before */
	uint64_t retry_ns; /* its sender's retry interval, 0 when not told */
	uint8_t rej_by;    /* enum rdt_rej_by, for a REJ */
};

struct note {
	uint64_t experts;        /* EI_BIT() */
	struct message *message; /* the first one names the packet */
	struct record *records;
	struct finding *findings;
	uint32_t conn;   /* the tracker's index, or RDT_CONN_NONE */
	uint32_t ack_of; /* frame of the request that this response answers */
	uint32_t ack_in; /* frame of the first response to this request */
	uint32_t before; /* frame that had the same PSN before */
	uint32_t gap;    /* PSNs missing before this request */
	uint32_t
		fpdu_at; /* iWARP: 1 + offset in the TCP payload of the first FPDU that begins in it */
	int64_t rtt_ns;              /* since ack_of; -1 when unknown or ambiguous */
	uint8_t side;                /* who sent it; valid with conn */
	uint8_t icrc;                /* enum rdt_icrc_state */
	uint8_t state[RDT_SIDES][2]; /* of the connection's machine, before and after */
};

/* The note of a frame; NULL when it has none. */
struct note *note_find(uint32_t frame);

/* The same, made when there is none: all zero but conn, rtt_ns. */
struct note *note_make(uint32_t frame);

/* All notes are gone (their memory is that of the file). */
void notes_reset(void);

/* ---- a connection -------------------------------------------------------------------------------- */

/* What passed of it; the values are the filter's: X(symbol, bit, text) */
#define COMPLETENESS_LIST(X)  \
	X(REQ, 0x01, "REQ")   \
	X(MRA, 0x02, "MRA")   \
	X(REP, 0x04, "REP")   \
	X(RTU, 0x08, "RTU")   \
	X(DATA, 0x10, "data") \
	X(DREQ, 0x20, "DREQ") \
	X(DREP, 0x40, "DREP") \
	X(REJ, 0x80, "REJ")

enum completeness {
#define X(symbol, bit, text) COMPLETE_##symbol = (bit),
	COMPLETENESS_LIST(X)
#undef X
};

struct ring;    /* requests that wait for their acknowledge */
struct finding; /* of findings.c */
struct sent;    /* where each kind of message was sent first and last */

/* What was true of a connection after its last packet: the difference is what a packet did. */
struct stream {
	uint32_t last_frame; /* 0: the stream has no packet yet */
	uint32_t gaps[RDT_SIDES], retrans[RDT_SIDES], next_psn[RDT_SIDES];
	uint32_t crc_bad[RDT_SIDES], markers_bad[RDT_SIDES], malformed[RDT_SIDES]; /* iWARP */
	uint8_t state[RDT_SIDES];
	uint8_t bound;
	uint8_t completeness;
	uint8_t sent_count, sent_room;
	struct sent *sent;
	struct ring *ring[RDT_SIDES]; /* by who sent the requests */
};

/* The stream of a connection (the tracker's index), made when there is none. */
struct stream *stream_of(uint32_t conn);

void streams_reset(void);

/* Link a message to the others of its connection; fills all of m but retry_ns and rej_by. */
void stream_message(struct stream *s, const struct rdt_conn *conn, const struct rdt_msg_rec *rec,
		    struct message *m);

/*
 * Follow a data packet that side sent: note gets its gap, repetition, links and their expert items.
 * pkt is NULL for iWARP.
 */
void stream_data(struct stream *s, const struct rdt_conn *conn, unsigned side,
		 const struct rdt_pkt *pkt, uint32_t number, int64_t ns, struct note *note);

/* Follow a packet of an iWARP stream: its expert items. */
uint64_t stream_iwarp(struct stream *s, const struct rdt_iwarp *iwarp, unsigned side);

/* The packet is done with: what is true of the connection now is what was true before the next. */
void stream_settle(struct stream *s, const struct rdt_conn *conn, uint32_t number);

/* ---- one packet on its way ------------------------------------------------------------------------- */

/* Lives in the packet's memory: taps are handed it after the packet was dissected. */
struct packet {
	packet_info *pinfo;
	tvbuff_t *tvb; /* offsets of layers count from its first byte */
	struct rdt_frame frame;
	struct rdt_layer layers[RDT_LAYERS_MAX];
	size_t layer_count;
	const struct note *note;
	const struct rdt_conn *conn;  /* as it is now; NULL without, or when it was dropped */
	uint32_t stream;              /* index of conn; RDT_CONN_NONE without */
	bool final;                   /* the whole capture has been read: conn is final */
	proto_item *anchor[EI_COUNT]; /* where the expert items hang; NULL: on the stream */
};

/* link.c: find the transport in a captured frame. False: its link type carries no RDMA. */
bool link_parse(packet_info *pinfo, tvbuff_t *tvb, struct rdt_frame *ret_frame);

/* link.c: the same for a transport packet that has nothing around it. False: too short for one. */
bool link_bare(packet_info *pinfo, tvbuff_t *tvb, struct rdt_frame *ret_frame);

/* link.c: once, when Wireshark's tables are known. */
void link_handoff(void);

/*
 * feed.c: on the first pass give a frame to the tracker, later look up what became of it. Returns
 * its note; NULL when it is not RDMA or there is nothing to say.
 */
const struct note *feed(packet_info *pinfo, const struct rdt_frame *frame);

/* A frame that is not to be fed still has a time: the first one's is where times count from. */
void feed_time(packet_info *pinfo);

/* The connection of a note: its index as it is listed now, RDT_CONN_NONE without. */
uint32_t feed_stream(const struct note *note);

/* The tracker of the capture; NULL before its first packet. Borrowed. */
const struct rdt_tracker *feed_tracker(void);

/* Has the whole capture been read? */
bool feed_is_final(void);

/* Time of the capture's first packet, ns since 1970. */
int64_t feed_base_ns(void);

void feed_register(void);

/* consumer.c: headers that the packet alone does not tell. */
void consumer_add(struct packet *p);

/* judge.c: the expert items that a packet is worth by what stands in it. */
uint64_t judge_frame(const struct rdt_frame *frame, enum rdt_icrc_state icrc);
uint64_t judge_message(const struct rdt_conn *conn, const struct message *m,
		       const struct rdt_msg_rec *rec, uint64_t peer_retry_ns);

/* Does a side give up waiting for an answer with this change of its state? */
bool is_give_up(const struct rdt_state_rec *rec);

/* fields.c */
void fields_register(void);

/* Is it a header that we show? Those that carry the transport have dissectors of their own. */
bool hdr_shows(enum rdt_hdr_id hdr);

/* The subtree of a header. */
proto_tree *hdr_add(proto_tree *tree, const struct packet *p, const struct rdt_layer *layer);

/* A field of it, as far as it was captured. */
void field_add(proto_tree *tree, struct packet *p, const struct rdt_layer *layer,
	       const struct rdt_field *f);

/* A value of the vocabulary; nothing, and NULL, when it is null. record as for rdt_col_value(). */
proto_item *column_add(proto_tree *tree, const struct packet *p, const struct rdt_conn *conn,
		       size_t col, const void *record);

/* tree.c: everything that belongs into the details pane, and the expert items. tree may be NULL. */
void tree_register(void);
void tree_add(proto_tree *tree, struct packet *p);

/* analysis.c */
void analysis_register(void);

/* The connection's part of the tree; returns its item. tree may be NULL. */
proto_item *analysis_add(proto_tree *tree, struct packet *p);

/* What is said of a header beyond its fields: ICRC, reject information. */
void analysis_header(proto_tree *tree, const struct packet *p, const struct rdt_layer *layer);

/* experts.c */
void experts_register(void);
/* Which expert of the packet hangs on this field? EI_COUNT: none. */
enum rdmacm_expert expert_of_field(const struct packet *p, const struct rdt_field *f);
void experts_add(const struct packet *p, proto_item *stream_item);
const char *expert_summary(enum rdmacm_expert ei);
const char *expert_before(enum rdmacm_expert ei);

/* findings.c */
void findings_register(void);
/* A finding was made; last_frame is for one that is of no packet. */
void finding_add(const struct rdt_finding *f, uint32_t last_frame);
/* The findings at a packet, with their expert items. tree may be NULL. */
void findings_show(proto_tree *tree, const struct packet *p);

/* columns.c */
void columns_set(struct packet *p);
/* "CM REQ", "RC SEND Only": what the packet is. */
const char *packet_what(const struct packet *p, char *buf, size_t size);
/* What it says, appended. */
void packet_says(const struct packet *p, char *buf, size_t size);

/* What taps are handed: the packet itself, during the call. */
extern int tap_rdmacm, tap_follow;
void stats_register(void);
void talk_register(void);
void flow_register(void);
void follow_register(void);
void follow_handoff(void);
void follow_queue(const struct packet *p);

#endif
