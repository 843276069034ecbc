/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection as the plugin sees it: where each message of it was sent, which requests wait for
 * their acknowledge. What the tracker knows is not kept again; only frame numbers, which it has no
 * use for, and what was true after the packet before.
 */
#include <string.h>

#include "rdmacm.h"
#include "rdmatrace/psn.h"
#include "rdmatrace/wire.h"
#include "table.h"

static struct table streams = { .size = sizeof(struct stream) };

struct stream *stream_of(uint32_t conn)
{
	return table_make(&streams, conn);
}

void streams_reset(void)
{
	table_reset(&streams);
}

/* ---- messages ------------------------------------------------------------------------------- */

struct sent {
	uint32_t first, last; /* frames */
	int64_t first_ns, last_ns;
	uint8_t msg, side;
};

static struct sent *sent_find(const struct stream *s, enum rdt_msg msg, unsigned side)
{
	for (unsigned i = 0; i < s->sent_count; i++)
		if (s->sent[i].msg == msg && s->sent[i].side == side)
			return &s->sent[i];
	return NULL;
}

/* Kinds of messages times sides is all that there can be. */
static struct sent *sent_add(struct stream *s, const struct rdt_msg_rec *rec)
{
	struct sent *sent;

	if (s->sent_count == s->sent_room) {
		s->sent_room = (uint8_t)(s->sent_room + 3);
		s->sent = wmem_realloc(wmem_file_scope(), s->sent, s->sent_room * sizeof(*s->sent));
	}
	sent = &s->sent[s->sent_count++];
	*sent = (struct sent){ .first = rec->when.frame,
			       .first_ns = rec->when.ns,
			       .msg = rec->msg,
			       .side = rec->from };
	return sent;
}

/* What a message of some kind answers, in the order of preference; a message + 1, 0 ends. */
#define ANSWERS(msg) RDT_MSG_##msg + 1
static const uint8_t answers[RDT_MSG_COUNT][4] = {
	[RDT_MSG_MRA] = { ANSWERS(LAP), ANSWERS(REP), ANSWERS(REQ) },
	[RDT_MSG_REJ] = { ANSWERS(REP), ANSWERS(REQ) },
	[RDT_MSG_REP] = { ANSWERS(REQ) },
	[RDT_MSG_RTU] = { ANSWERS(REP) },
	[RDT_MSG_DREP] = { ANSWERS(DREQ) },
	[RDT_MSG_SIDR_REP] = { ANSWERS(SIDR_REQ) },
	[RDT_MSG_APR] = { ANSWERS(LAP) },
	[RDT_MSG_MPA_REP] = { ANSWERS(MPA_REQ) },
	[RDT_MSG_OOB] = { ANSWERS(OOB) },
	[RDT_MSG_OOB_DONE] = { ANSWERS(OOB_DONE) },
};

/* The message that a REJ or MRA says that it is about; RDT_MSG_COUNT when it does not. */
static enum rdt_msg named(const struct rdt_msg_rec *rec)
{
	static const uint8_t mraed[] = { RDT_MSG_REQ, RDT_MSG_REP, RDT_MSG_LAP, RDT_MSG_COUNT };
	static const uint8_t rejected[] = { RDT_MSG_REQ, RDT_MSG_REP, RDT_MSG_COUNT,
					    RDT_MSG_COUNT };

	if (rec->msg == RDT_MSG_MRA && rec->body_have >= RDT_NEED_mra_msg_mraed)
		return (enum rdt_msg)mraed[rdt_mra_msg_mraed(rec->body) & 3];
	if (rec->msg == RDT_MSG_REJ && rec->body_have >= RDT_NEED_rej_msg_rejected)
		return (enum rdt_msg)rejected[rdt_rej_msg_rejected(rec->body) & 3];
	return RDT_MSG_COUNT;
}

static const struct sent *answered_by(const struct stream *s, const struct rdt_msg_rec *rec)
{
	const unsigned peer = rdt_side_other((enum rdt_side)rec->from);
	const enum rdt_msg says = named(rec);

	if (says != RDT_MSG_COUNT)
		return sent_find(s, says, peer);
	/* A REJ of another message than these ends what is under way; it answers none. */
	if (rec->msg == RDT_MSG_REJ && rec->body_have >= RDT_NEED_rej_msg_rejected)
		return NULL;
	for (const uint8_t *kind = answers[rec->msg]; *kind; kind++) {
		const struct sent *sent = sent_find(s, (enum rdt_msg)(*kind - 1), peer);

		if (sent)
			return sent;
	}
	return NULL;
}

/* The message of a kind in a frame; NULL when it has none. */
static struct message *message_in(uint32_t frame, uint8_t msg)
{
	const struct note *note = note_find(frame);
	struct message *m = note ? note->message : NULL;

	while (m && m->rec.msg != msg)
		m = m->next;
	return m;
}

static void count_completeness(struct stream *s, const struct rdt_conn *conn, uint8_t msg,
			       unsigned from)
{
	static const uint8_t bits[RDT_MSG_COUNT] = {
		[RDT_MSG_REQ] = COMPLETE_REQ,      [RDT_MSG_MRA] = COMPLETE_MRA,
		[RDT_MSG_REJ] = COMPLETE_REJ,      [RDT_MSG_REP] = COMPLETE_REP,
		[RDT_MSG_RTU] = COMPLETE_RTU,      [RDT_MSG_DREQ] = COMPLETE_DREQ,
		[RDT_MSG_DREP] = COMPLETE_DREP,    [RDT_MSG_SIDR_REQ] = COMPLETE_REQ,
		[RDT_MSG_SIDR_REP] = COMPLETE_REP, [RDT_MSG_MPA_REQ] = COMPLETE_REQ,
		[RDT_MSG_MPA_REP] = COMPLETE_REP,  [RDT_MSG_TCP_FIN] = COMPLETE_DREQ,
		[RDT_MSG_TCP_RST] = COMPLETE_DREQ, [RDT_MSG_TERMINATE] = COMPLETE_DREQ,
	};

	s->completeness |= bits[msg];
	if (msg == RDT_MSG_OOB)
		s->completeness |= from == RDT_ACTIVE ? COMPLETE_REQ : COMPLETE_REP;
	if (msg == RDT_MSG_MPA_REP && conn->refused)
		s->completeness |= COMPLETE_REJ;
}

void stream_message(struct stream *s, const struct rdt_conn *conn, const struct rdt_msg_rec *rec,
		    struct message *m)
{
	const struct sent *request = answered_by(s, rec);
	const struct sent *mra = sent_find(s, RDT_MSG_MRA, rec->from);
	struct sent *sent = sent_find(s, (enum rdt_msg)rec->msg, rec->from);
	struct message *other;
	uint64_t setup_ns;

	*m = (struct message){
		.rec = *rec, .response_ns = -1, .waited_ns = -1, .setup_ns = -1, .again_ns = -1
	};
	m->rec.body = NULL;
	if (request) {
		m->answers = request->last;
		if (rec->when.ns >= request->first_ns)
			m->response_ns = rec->when.ns - request->first_ns;
		m->waited_ns = m->response_ns;
		if (mra && rec->when.ns >= mra->last_ns && mra->last_ns > request->first_ns)
			m->waited_ns = rec->when.ns - mra->last_ns;
		other = message_in(request->last, request->msg);
		if (other && !other->answered)
			other->answered = rec->when.frame;
		other = message_in(request->first, request->msg);
		if (other && !other->answered)
			other->answered = rec->when.frame;
	}
	if (sent && rec->copy) {
		m->before = sent->last;
		if (rec->when.ns >= sent->last_ns)
			m->again_ns = rec->when.ns - sent->last_ns;
		other = message_in(sent->last, sent->msg);
		if (other)
			other->after = rec->when.frame;
	}
	if (!rec->copy &&
	    (rec->msg == RDT_MSG_RTU || rec->msg == RDT_MSG_SIDR_REP ||
	     rec->msg == RDT_MSG_MPA_REP || rec->msg == RDT_MSG_OOB) &&
	    rdt_conn_setup_ns(conn, &setup_ns))
		m->setup_ns = (int64_t)setup_ns;
	if (!sent)
		sent = sent_add(s, rec);
	sent->last = rec->when.frame;
	sent->last_ns = rec->when.ns;
	count_completeness(s, conn, rec->msg, rec->from);
}

/* ---- requests and their acknowledges ----------------------------------------------------------- */

#define RING_FIRST 8u
#define RING_MOST 1024u

struct waiting {
	int64_t ns;
	uint32_t frame, psn;
	bool again; /* sent more than once: which sending an answer is for is not known */
};

/* Circular; begin and end count up, their difference is how many there are. */
struct ring {
	struct waiting *at;
	uint32_t room, begin, end;
};

static struct waiting *ring_at(const struct ring *r, uint32_t i)
{
	return &r->at[i & (r->room - 1)];
}

static void ring_push(struct stream *s, unsigned side, const struct waiting *w)
{
	struct ring *r = s->ring[side];

	if (!r)
		r = s->ring[side] = wmem_new0(wmem_file_scope(), struct ring);
	if (r->end - r->begin == r->room && r->room < RING_MOST) {
		struct ring bigger = { .room = r->room ? r->room * 2 : RING_FIRST };

		bigger.at = wmem_alloc_array(wmem_file_scope(), struct waiting, bigger.room);
		for (uint32_t i = r->begin; i != r->end; i++)
			*ring_at(&bigger, bigger.end++) = *ring_at(r, i);
		wmem_free(wmem_file_scope(), r->at);
		*r = bigger;
	}
	/* Full: nobody acknowledges, or the capture lacks that direction. The oldest goes. */
	if (r->end - r->begin == r->room)
		r->begin++;
	*ring_at(r, r->end++) = *w;
}

/* The newest request whose PSN is not after psn. Requests lie in the order of their PSNs. */
static struct waiting *ring_find(const struct ring *r, uint32_t psn, uint32_t *ret_i)
{
	uint32_t low = r->begin, high = r->end;

	while (low != high) {
		const uint32_t middle = low + (high - low) / 2;

		if (rdt_psn_diff(psn, ring_at(r, middle)->psn) >= 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == r->begin)
		return NULL;
	*ret_i = low - 1;
	return ring_at(r, low - 1);
}

static void acknowledge(const struct waiting *w, uint32_t frame)
{
	struct note *note = note_find(w->frame);

	if (note && !note->ack_in)
		note->ack_in = frame;
}

/* A response: it answers one request, and shows that those before it arrived. */
static void follow_response(struct stream *s, unsigned requester, const struct rdt_pkt *pkt,
			    uint32_t number, int64_t ns, struct note *note)
{
	struct ring *r = s->ring[requester];
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	const uint8_t *aeth = rdt_pkt_aeth(pkt);
	const bool nak = aeth && rdt_aeth_kind(aeth) != RDT_AETH_ACK;
	const bool last = pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY;
	struct waiting *w;
	uint32_t at;

	if (!r || !(w = ring_find(r, psn, &at)))
		return;
	/* A NAK may be about a request that the capture does not have; a READ takes several PSNs. */
	if (!nak || w->psn == psn) {
		note->ack_of = w->frame;
		if (!w->again && ns >= w->ns)
			note->rtt_ns = ns - w->ns;
	}
	for (; r->begin != at; r->begin++)
		acknowledge(ring_at(r, r->begin), number);
	if (nak && w->psn != psn)
		acknowledge(w, number);
	if (!nak)
		acknowledge(w, number);
	if ((!nak && last) || (nak && w->psn != psn))
		r->begin++;
}

static void follow_request(struct stream *s, const struct rdt_conn *conn, unsigned side,
			   const struct rdt_pkt *pkt, uint32_t number, int64_t ns,
			   struct note *note)
{
	const struct rdt_data *data = &conn->end[side].data;
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	struct waiting *w = NULL;
	uint32_t at;

	if (data->gaps != s->gaps[side]) {
		note->gap = (uint32_t)rdt_psn_diff(psn, s->next_psn[side]) & RDT_QPN_MASK;
		note->experts |= EI_BIT(PSN_GAP);
	}
	if (data->retrans != s->retrans[side]) {
		note->experts |= EI_BIT(PSN_AGAIN);
		w = s->ring[side] ? ring_find(s->ring[side], psn, &at) : NULL;
		if (!w || w->psn != psn)
			return; /* acknowledged long ago */
		note->before = w->frame;
		w->frame = number;
		w->ns = ns;
		w->again = true;
		return;
	}
	if (rdt_conn_reliable(conn) || conn->service == RDT_SVC_RD)
		ring_push(s, side, &(struct waiting){ ns, number, psn, false });
}

void stream_data(struct stream *s, const struct rdt_conn *conn, unsigned side,
		 const struct rdt_pkt *pkt, uint32_t number, int64_t ns, struct note *note)
{
	const struct rdt_data *data = &conn->end[side].data;

	s->completeness |= COMPLETE_DATA;
	/* When two directions are joined their counts are added: no packet did that. */
	if (conn->bound == s->bound && pkt && pkt->op->kind == RDT_OP_REQUEST &&
	    conn->service != RDT_SVC_UD)
		follow_request(s, conn, side, pkt, number, ns, note);
	if (pkt && pkt->op->kind == RDT_OP_RESPONSE)
		follow_response(s, (unsigned)rdt_side_other((enum rdt_side)side), pkt, number, ns,
				note);
	if (pkt && pkt->op->kind == RDT_OP_REQUEST && data->first_frame == number &&
	    conn->kind == RDT_CONN_CM && conn->end[side].has_psn &&
	    conn->end[side].psn != data->first_psn)
		note->experts |= EI_BIT(PSN_FIRST);
	if (conn->comm_est_frame == number)
		note->experts |= EI_BIT(RTU_MISSING);
}

uint64_t stream_iwarp(struct stream *s, const struct rdt_iwarp *iwarp, unsigned side)
{
	const struct rdt_iwarp_end *end = &iwarp->end[side];
	uint64_t found = 0;

	if (end->crc_bad != s->crc_bad[side])
		found |= EI_BIT(MPA_CRC);
	if (end->markers_bad != s->markers_bad[side])
		found |= EI_BIT(MPA_MARKER);
	if (end->malformed != s->malformed[side])
		found |= EI_BIT(FPDU);
	s->crc_bad[side] = end->crc_bad;
	s->markers_bad[side] = end->markers_bad;
	s->malformed[side] = end->malformed;
	return found;
}

void stream_settle(struct stream *s, const struct rdt_conn *conn, uint32_t number)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		s->gaps[side] = conn->end[side].data.gaps;
		s->retrans[side] = conn->end[side].data.retrans;
		s->next_psn[side] = conn->end[side].data.next_psn;
		s->state[side] = conn->end[side].cm_state;
	}
	s->bound = conn->bound;
	s->last_frame = number;
}
