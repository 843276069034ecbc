// SPDX-License-Identifier: BSD-2-Clause
/*
 * iWARP: a TCP connection whose two directions begin with MPA start frames (RFC 5044, 6581), then
 * carry FPDUs. Start frames may come in pieces; FPDUs are read by fpdu.c and counted in iwarp.c.
 */
#include "mpa.h"

#include <string.h>

#define START_MAX (RDT_LEN_mpa + 512u) /* RFC 5044: private data of at most 512 bytes */
/* How long siw waits for a reply is 10 s (MPAREQ_TIMEOUT); who closes much earlier was not waiting. */
#define REPLY_WAIT_NS INT64_C(9000000000)

static const char req_key[] = "MPA ID Req Frame", rep_key[] = "MPA ID Rep Frame";

enum mpa_look mpa_look(const uint8_t *bytes, uint32_t have)
{
	const uint32_t n = have < RDT_SIZE_mpa_key ? have : RDT_SIZE_mpa_key;
	const bool req = !memcmp(bytes, req_key, n), rep = !memcmp(bytes, rep_key, n);

	if (!req && !rep)
		return MPA_NOT;
	if (n < RDT_SIZE_mpa_key)
		return MPA_MORE;
	return req ? MPA_REQUEST : MPA_REPLY;
}

static enum rdt_side side_of(const struct mpa *m, unsigned end)
{
	return end == m->active ? RDT_ACTIVE : RDT_PASSIVE;
}

struct slot *mpa_slot(const struct flow_packet *p)
{
	return conn_slot(p->t, p->flow->mpa->conn);
}

/* ---- a connection begins ------------------------------------------------------------------------ */

/* Which end is active, where no start frame tells: the one with the higher port connects. */
static unsigned guess_active(const struct flow_packet *p)
{
	const struct flow *f = p->flow;

	if (f->opener < FLOW_ENDS)
		return f->opener;
	return f->port[p->end] >= f->port[1 - p->end] ? p->end : 1 - p->end;
}

static struct slot *begin_conn(struct flow_packet *p, unsigned active)
{
	struct rdt_tracker *t = p->t;
	const uint32_t a = flow_addr(t, p->flow, active), b = flow_addr(t, p->flow, 1 - active);
	struct slot *s;

	if (a == RDT_CONN_NONE || b == RDT_CONN_NONE) {
		t->stats.lost_addrs++;
		return NULL;
	}
	s = conn_new(t, RDT_CONN_MPA, p->frame, p->when, a, b);
	if (!s)
		return NULL;
	s->pub.a_port = p->flow->port[active];
	s->pub.p_port = p->flow->port[1 - active];
	s->pub.has_a_port = 1;
	s->iwarp = t->memory.resize(t->memory.user, NULL, 0, sizeof(*s->iwarp));
	if (s->iwarp)
		memset(s->iwarp, 0, sizeof(*s->iwarp));
	return s;
}

bool mpa_begin(struct flow_packet *p, enum mpa_look first)
{
	struct rdt_tracker *t = p->t;
	const unsigned active = first == MPA_REQUEST ? p->end
				: first == MPA_REPLY ? 1 - p->end
						     : guess_active(p);
	struct mpa *m = t->memory.resize(t->memory.user, NULL, 0, sizeof(*m));
	struct slot *s;
	bool crc = false;

	if (!m)
		return false;
	memset(m, 0, sizeof(*m));
	p->flow->mpa = m;
	s = begin_conn(p, active);
	if (!s)
		return false;
	m->conn = s->index;
	m->active = (uint8_t)active;
	if (first == MPA_REQUEST) {
		s->pub.end[RDT_ACTIVE].cm_state = s->pub.end[RDT_PASSIVE].cm_state = RDT_MPA_IDLE;
		s->priv[RDT_PASSIVE].owes_request = 1;
		step_resolve(t, s, p->when);
		return true;
	}
	s->pub.mid = 1;
	if (first == MPA_REPLY)
		return true;
	/* In the middle: both directions carry FPDUs, without markers as far as is known. */
	s->pub.roles_guessed = p->flow->opener == FLOW_ENDS;
	fpdu_plausible(p->frame->payload, p->frame->payload_have, p->frame->payload_len, &crc);
	for (unsigned end = 0; end < FLOW_ENDS; end++) {
		m->way[end].phase = MPA_PHASE_FPDU;
		/* The direction that was not seen yet begins where its first segment shows an FPDU. */
		fpdu_begin(&m->way[end].fpdu, rdt_tcp_seq(p->frame->l4), false, crc);
		m->way[end].fpdu.lost = end != p->end;
	}
	if (s->iwarp)
		s->iwarp->crc_used = crc;
	return true;
}

bool mpa_is_new(const struct flow_packet *p)
{
	const struct mpa_way *way = &p->flow->mpa->way[p->end];

	return way->phase != MPA_PHASE_START && way->start_seq != rdt_tcp_seq(p->frame->l4);
}

void mpa_free(struct rdt_tracker *t, struct flow *flow)
{
	for (unsigned end = 0; end < FLOW_ENDS; end++)
		if (flow->mpa->way[end].start)
			t->memory.resize(t->memory.user, flow->mpa->way[end].start, START_MAX, 0);
	t->memory.resize(t->memory.user, flow->mpa, sizeof(*flow->mpa), 0);
	flow->mpa = NULL;
}

/* ---- messages ----------------------------------------------------------------------------------- */

void mpa_tell(struct flow_packet *p, enum rdt_side from, const struct mpa_message *message)
{
	const enum copy_place place = message->msg == RDT_MSG_TCP_FIN     ? COPY_DREQ
				      : message->msg == RDT_MSG_TCP_RST   ? COPY_REJ
				      : message->msg == RDT_MSG_TERMINATE ? COPY_RTU
									  : COPY_OPEN;
	struct slot *s = mpa_slot(p);
	struct rdt_msg_rec rec = { .when = message->when,
				   .msg = (uint8_t)message->msg,
				   .from = (uint8_t)from,
				   .icrc = RDT_ICRC_UNCHECKED,
				   .snapped = message->snapped,
				   .body = message->body,
				   .body_have = message->have };
	struct rdt_step sent = { .action = RDT_ACT_REPEAT }, got = sent;

	rec.copy = copy_count(s, from, place, 0, &rec.copy_kind);
	if (rec.copy)
		rec.copy_kind = RDT_COPY_RESENT;
	if (!message->again && message->tx != RDT_CM_EV_NONE) {
		sent = step_side(p->t, s, from, message->tx, &message->when);
		got = step_side(p->t, s, rdt_side_other(from), message->rx, &message->when);
	}
	rec.unexpected = sent.action == RDT_ACT_UNEXPECTED || got.action == RDT_ACT_UNEXPECTED;
	msg_emit(p->t, s, &rec, p->verdict);
}

/* ---- start frames --------------------------------------------------------------------------------- */

static bool has_start(const struct slot *s, enum rdt_side side)
{
	return s->iwarp && s->iwarp->end[side].has_start;
}

/* Both start frames, or as many as there are, say how the streams are to be read. */
static void configure(struct mpa *m, const struct slot *s)
{
	const struct rdt_iwarp *i = s->iwarp;

	if (!i)
		return;
	for (unsigned end = 0; end < FLOW_ENDS; end++) {
		struct fpdu_stream *f = &m->way[end].fpdu;
		const enum rdt_side side = side_of(m, end);

		/* Markers are sent to the side that asked for them; a CRC is used when one side does. */
		if (m->way[end].phase == MPA_PHASE_FPDU && !i->end[side].fpdus && !f->got) {
			f->markers = i->end[rdt_side_other(side)].markers;
			f->crc_used = i->crc_used;
		}
	}
}

/* A whole start frame, or as much of it as was captured. */
static void feed_start(struct flow_packet *p, struct mpa_way *way, const uint8_t *frame,
		       uint32_t have, uint32_t len, const struct tcp_run *run)
{
	struct slot *s = mpa_slot(p);
	struct mpa *m = p->flow->mpa;
	const enum rdt_side from = side_of(m, p->end);
	const bool request = from == RDT_ACTIVE;
	const bool flags = have >= RDT_NEED_mpa_reject;
	struct mpa_message message = { .when = run->when,
				       .msg = request ? RDT_MSG_MPA_REQ : RDT_MSG_MPA_REP,
				       .tx = request ? RDT_CM_EV_TX_MPA_REQ : RDT_CM_EV_TX_MPA_REP,
				       .snapped = have < len,
				       .body = frame,
				       .have = have };

	iwarp_start(p->t, s, from, frame, have, run->when.frame);
	if (!request && flags && rdt_mpa_reject(frame)) {
		message.tx = RDT_CM_EV_TX_MPA_REJ;
		s->pub.has_rej = 1;
		s->pub.rej_frame = run->when.frame;
		s->pub.rej_side = RDT_PASSIVE;
		s->pub.rej_by = RDT_REJ_BY_APPLICATION;
		m->way[0].phase = m->way[1].phase = MPA_PHASE_OVER;
	} else if (!request && flags) {
		s->pub.has_rep = s->pub.has_up = 1;
		s->pub.rep_ns = s->pub.up_ns = run->when.ns;
	} else if (!request) {
		message.tx = RDT_CM_EV_NONE; /* cut before it says yes or no */
	}
	message.rx =
		message.tx == RDT_CM_EV_NONE ? RDT_CM_EV_NONE : (enum rdt_cm_event)(message.tx + 1);
	if (way->phase != MPA_PHASE_OVER) {
		way->phase = have < RDT_LEN_mpa ? MPA_PHASE_OVER : MPA_PHASE_FPDU;
		fpdu_begin(&way->fpdu, way->start_seq + len, false, false);
	}
	configure(m, s);
	mpa_tell(p, from, &message);
}

/* Do these bytes begin, as far as they go, with the start frame that this end sends? */
static bool is_start(const struct flow_packet *p, const uint8_t *bytes, uint32_t have)
{
	const char *key = side_of(p->flow->mpa, p->end) == RDT_ACTIVE ? req_key : rep_key;

	return have && !memcmp(bytes, key, have < RDT_SIZE_mpa_key ? have : RDT_SIZE_mpa_key);
}

/* How long the start frame is that begins with these bytes; what is known so far. */
static uint32_t start_len(const uint8_t *frame, uint32_t have)
{
	uint32_t len = RDT_LEN_mpa;

	if (have >= RDT_LEN_mpa)
		len += rdt_mpa_pd_length(frame);
	return len < START_MAX ? len : START_MAX;
}

/* Bytes of a start frame; returns how many of the run belong to it. */
static uint32_t take_start(struct flow_packet *p, struct mpa_way *way, const struct tcp_run *run)
{
	const uint32_t len = start_len(run->bytes, run->have);
	struct rdt_tracker *t = p->t;
	uint32_t took = 0;

	if (!way->start_have) {
		way->start_seq = run->seq;
		/* Nearly always it comes in one segment, whole or cut by the capture. */
		if (run->have >= len || run->have < run->len) {
			feed_start(p, way, run->bytes, run->have < len ? run->have : len, len, run);
			return len < run->len ? len : run->len;
		}
		way->start = t->memory.resize(t->memory.user, NULL, 0, START_MAX);
	}
	while (way->start && took < run->have &&
	       way->start_have < start_len(way->start, way->start_have))
		way->start[way->start_have++] = run->bytes[took++];
	if (way->start && !is_start(p, way->start, way->start_have)) {
		way->phase = MPA_PHASE_OVER;
		return took;
	}
	if (!way->start || way->start_have >= start_len(way->start, way->start_have) ||
	    run->have < run->len) {
		const uint32_t whole = start_len(way->start, way->start_have);

		/* The rest of a cut segment may belong to it: known to be there, not what it is. */
		if (way->start) {
			took += way->start_have < whole && took == run->have
					? (whole - way->start_have < run->len - took
						   ? whole - way->start_have
						   : run->len - took)
					: 0;
			feed_start(p, way, way->start, way->start_have, whole, run);
			t->memory.resize(t->memory.user, way->start, START_MAX, 0);
			way->start = NULL;
		} else {
			way->phase = MPA_PHASE_OVER;
		}
	}
	return took;
}

/* ---- the stream ------------------------------------------------------------------------------------ */

static void on_fpdu(void *user, const struct fpdu_seen *fpdu, const struct tcp_run *run)
{
	struct flow_packet *p = user;
	struct slot *s = mpa_slot(p);
	const enum rdt_side from = side_of(p->flow->mpa, p->end);

	/* Data show what a missing reply would have said. */
	if (!s->pub.established) {
		step_side(p->t, s, from, RDT_CM_EV_TX_DATA, &run->when);
		step_side(p->t, s, rdt_side_other(from), RDT_CM_EV_RX_DATA, &run->when);
	}
	iwarp_fpdu(p, s, from, fpdu, run);
}

static void on_marker(void *user, bool good, const struct tcp_run *run)
{
	struct flow_packet *p = user;

	iwarp_marker(mpa_slot(p), side_of(p->flow->mpa, p->end), good, run->when.frame);
}

static void on_lost(void *user, uint32_t n, bool first)
{
	struct flow_packet *p = user;

	iwarp_lost(mpa_slot(p), side_of(p->flow->mpa, p->end), n, first);
}

static void on_begins(void *user, const struct tcp_run *run, uint32_t at)
{
	struct flow_packet *p = user;

	if (!run->held && !p->fpdu_at)
		p->fpdu_at = (uint32_t)(run->bytes - p->frame->payload) + at + 1;
}

void mpa_run(struct flow_packet *p, const struct tcp_run *run)
{
	const struct fpdu_sink sink = { p, on_fpdu, on_marker, on_lost, on_begins };
	struct mpa_way *way = &p->flow->mpa->way[p->end];
	struct tcp_run rest = *run;
	uint32_t took = 0;

	if (!mpa_slot(p)) {
		p->flow->kind = FLOW_OTHER; /* the connection is evicted */
		return;
	}
	if (way->phase == MPA_PHASE_START) {
		/* The peer of a request answers with a reply, or with something that is not MPA. */
		if (way->start_have ? run->have > 0 : is_start(p, run->bytes, run->have))
			took = take_start(p, way, run);
		else
			way->phase = MPA_PHASE_OVER;
	}
	if (took == run->len)
		return;
	rest.seq += took;
	rest.len -= took;
	rest.have = took < run->have ? run->have - took : 0;
	rest.bytes = rest.have ? run->bytes + took : NULL;
	rest.segment &= !took;
	if (way->phase == MPA_PHASE_FPDU)
		fpdu_run(&way->fpdu, &rest, &sink);
}

void mpa_packet(struct flow_packet *p)
{
	const uint32_t seq = rdt_tcp_seq(p->frame->l4), len = p->frame->payload_len;
	struct mpa *m = p->flow->mpa;
	const struct mpa_way *way = &m->way[p->end];
	struct slot *s = mpa_slot(p);
	const enum rdt_side side = side_of(m, p->end);
	struct rdt_data *d;

	if (!s)
		return;
	d = &s->pub.end[side].data;
	if (p->when->ns > s->pub.last_ns)
		s->pub.last_ns = p->when->ns;
	if (!p->verdict->is_msg) {
		p->verdict->conn = s->index;
		p->verdict->side = (uint8_t)side;
	}
	if (!len)
		return;
	/* A start frame that TCP sent again; its first sending was told when it was read. */
	if (has_start(s, side) && seq == way->start_seq && p->frame->payload_have &&
	    !p->verdict->is_msg) {
		const struct mpa_message message = { .when = *p->when,
						     .msg = side == RDT_ACTIVE ? RDT_MSG_MPA_REQ
									       : RDT_MSG_MPA_REP,
						     .again = true,
						     .body = p->frame->payload,
						     .have = p->frame->payload_have };

		mpa_tell(p, side, &message);
	}
	if (way->phase != MPA_PHASE_FPDU || (int32_t)(seq + len - way->fpdu.base) <= 0)
		return;
	d->pkts += d->pkts < UINT32_MAX;
	if (!d->first_frame) {
		d->first_frame = p->when->frame;
		d->first_ns = p->when->ns;
	} else if ((int32_t)(seq - d->next_psn) < 0) {
		d->retrans += d->retrans < UINT32_MAX;
	}
	if (!s->priv[side].data_known || (int32_t)(seq + len - d->next_psn) > 0) {
		d->next_psn = seq + len;
		s->priv[side].data_known = 1;
	}
	p->t->stats.data++;
}

/* ---- the end ---------------------------------------------------------------------------------------- */

void mpa_close(struct flow_packet *p, bool reset)
{
	struct slot *s = mpa_slot(p);
	struct mpa *m = p->flow->mpa;
	struct mpa_message message = { .when = *p->when,
				       .msg = reset ? RDT_MSG_TCP_RST : RDT_MSG_TCP_FIN,
				       .tx = reset ? RDT_CM_EV_TX_RST : RDT_CM_EV_TX_FIN };
	enum rdt_side from;

	if (!s)
		return;
	from = side_of(m, p->end);
	message.again = !reset && s->priv[from].copies[COPY_DREQ] > 0;
	message.rx = (enum rdt_cm_event)(message.tx + 1);
	if (s->pub.end[RDT_ACTIVE].cm_state == RDT_MPA_CONN_SENT) {
		/* Nobody answered the request. Who asked waits for some time before he closes. */
		message.tx = from == RDT_ACTIVE && p->when->ns - s->pub.start_ns >= REPLY_WAIT_NS
				     ? RDT_CM_EV_TIMER_MPA
				     : RDT_CM_EV_TX_MPA_ABORT;
		message.rx = RDT_CM_EV_RX_MPA_ABORT;
		/* No message says no; who did it is who closed. */
		s->pub.rej_side = (uint8_t)from;
	}
	mpa_tell(p, from, &message);
}
