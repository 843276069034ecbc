// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs that tell each other their QPs over TCP. Each text of a side is one QP; the n-th of one
 * side and the n-th of the other make a connection. Texts are searched for in the stream, since
 * what stands between them differs from version to version.
 */
#include "oob.h"

#include <string.h>

/* Bytes of a direction that are no text, after which nobody looks any further. */
#define SKIP_MAX 16384u
/* Connections of one exchange to which its "done" and its end are told. */
#define TELL_MAX 64u
/* Where pingpong and perftest listen: tells who is the server when no SYN was captured. */
#define USUAL_PORT 18515

struct oob_way {
	uint8_t text[RDT_EXCHANGE_MAX];
	uint8_t have;
	uint8_t done, over;
	uint32_t told;    /* texts, repetitions not counted */
	uint32_t skipped; /* bytes since the last text */
	uint32_t gaps;    /* times the capture lacked bytes */
};

struct oob {
	uint32_t *conns; /* indices of connections, in the order of the texts */
	uint32_t count, room;
	uint8_t program; /* enum rdt_program */
	uint8_t client;  /* which end of the flow */
	char version[RDT_PERFTEST_VERSION];
	struct oob_way way[FLOW_ENDS];
};

static enum rdt_side side_of(const struct oob *o, unsigned end)
{
	return end == o->client ? RDT_ACTIVE : RDT_PASSIVE;
}

bool oob_begin(struct flow_packet *p)
{
	struct oob *o = p->t->memory.resize(p->t->memory.user, NULL, 0, sizeof(*o));
	const struct flow *f = p->flow;

	if (!o)
		return false;
	memset(o, 0, sizeof(*o));
	o->client = (uint8_t)p->end;
	if (f->opener < FLOW_ENDS)
		o->client = f->opener;
	else if (f->port[p->end] == USUAL_PORT && f->port[1 - p->end] != USUAL_PORT)
		o->client = (uint8_t)(1 - p->end);
	p->flow->oob = o;
	return true;
}

void oob_free(struct rdt_tracker *t, struct flow *flow)
{
	if (flow->oob->conns)
		t->memory.resize(t->memory.user, flow->oob->conns,
				 flow->oob->room * sizeof(*flow->oob->conns), 0);
	t->memory.resize(t->memory.user, flow->oob, sizeof(*flow->oob), 0);
	flow->oob = NULL;
}

/* ---- connections ---------------------------------------------------------------------------------- */

static bool make_room(struct rdt_tracker *t, struct oob *o)
{
	const uint32_t room = o->room ? o->room * 2 : 4;
	uint32_t *conns;

	if (o->count < o->room)
		return true;
	if (o->count >= OOB_CONNS_MAX)
		return false;
	conns = t->memory.resize(t->memory.user, o->conns, o->room * sizeof(*conns),
				 room * sizeof(*conns));
	if (!conns)
		return false;
	o->conns = conns;
	o->room = room;
	return true;
}

static struct slot *new_conn(struct flow_packet *p, const struct rdt_when *when)
{
	struct rdt_tracker *t = p->t;
	struct oob *o = p->flow->oob;
	const uint32_t a = flow_addr(t, p->flow, o->client);
	const uint32_t b = flow_addr(t, p->flow, 1 - o->client);
	struct rdt_exchange *x;
	struct slot *s;

	if (a == RDT_CONN_NONE || b == RDT_CONN_NONE) {
		t->stats.lost_addrs++;
		return NULL;
	}
	x = t->memory.resize(t->memory.user, NULL, 0, sizeof(*x));
	s = x && make_room(t, o) ? conn_new(t, RDT_CONN_OOB, p->frame, when, a, b) : NULL;
	if (!s) {
		if (x)
			t->memory.resize(t->memory.user, x, sizeof(*x), 0);
		return NULL;
	}
	*x = (struct rdt_exchange){ .tcp_addr = { a, b }, .program = o->program };
	memcpy(x->version, o->version, sizeof(x->version));
	s->exchange = x;
	s->pub.transport = RDT_TRANSPORT_NONE;
	s->pub.service =
		o->program == RDT_PROGRAM_XSRQ_PINGPONG ? RDT_CONN_XRC : RDT_CONN_SERVICE_UNKNOWN;
	s->pub.program = o->program;
	s->pub.a_port = p->flow->port[o->client];
	s->pub.p_port = p->flow->port[1 - o->client];
	s->pub.has_a_port = 1;
	s->pub.roles_guessed = p->flow->opener == FLOW_ENDS;
	o->conns[o->count++] = s->index;
	return s;
}

/*
 * The connection of the next QP of a side: that of the peer's QP of the same place, or a new one.
 * When texts of a side are missing from the capture, places mean nothing any more.
 */
static struct slot *next_conn(struct flow_packet *p, uint32_t place, const struct rdt_when *when)
{
	const struct oob *o = p->flow->oob;
	const bool guess = o->way[p->end].gaps && (o->count > 1 || o->way[p->end].told);

	if (place < o->count && !guess) {
		struct slot *s = conn_slot(p->t, o->conns[place]);

		return s && !s->exchange->told[side_of(o, p->end)].frame ? s : NULL;
	}
	return new_conn(p, when);
}

/* Has this side told this QPN in this exchange before? Then it is a barrier of perftest. */
static struct slot *told_before(struct flow_packet *p, uint32_t qpn)
{
	const struct oob *o = p->flow->oob;
	const enum rdt_side side = side_of(o, p->end);

	/* Barriers repeat the first; of thousands, those in the middle are not looked at. */
	for (uint32_t i = 0; i < o->count; i++) {
		struct slot *s;

		if (i == TELL_MAX && o->count > 2 * TELL_MAX)
			i = o->count - TELL_MAX;
		s = conn_slot(p->t, o->conns[i]);
		if (s && s->exchange->told[side].frame && s->pub.end[side].qpn == qpn)
			return s;
	}
	return NULL;
}

/* ---- what a text says -------------------------------------------------------------------------------- */

/* Where packets of a side will come from: the GID it told, its LID, or else where it talks from. */
static void learn_addr(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		       const struct rdt_exchange_text *text)
{
	const struct rdt_addr gid = rdt_addr_gid(text->gid),
			      lid = rdt_addr_lid((uint16_t)text->lid);
	const bool has_gid = gid.kind != RDT_ADDR_NONE, has_lid = text->lid != 0;
	uint32_t index = RDT_CONN_NONE;

	if (has_gid || has_lid)
		index = addr_index(t, has_gid ? &gid : &lid);
	if (index != RDT_CONN_NONE)
		s->pub.end[side].addr = index;
	if (has_gid && has_lid) {
		index = addr_index(t, &lid);
		if (index != RDT_CONN_NONE)
			s->priv[side].alt_addr = index;
	}
}

static void emit(struct flow_packet *p, struct slot *s, enum rdt_msg msg, const uint8_t *body,
		 uint32_t have, const struct rdt_when *when)
{
	struct rdt_msg_rec rec = { .when = *when,
				   .msg = (uint8_t)msg,
				   .from = (uint8_t)side_of(p->flow->oob, p->end),
				   .icrc = RDT_ICRC_UNCHECKED,
				   .body = body,
				   .body_have = have };

	msg_emit(p->t, s, &rec, p->verdict);
}

/* One QP of a side, for the connection s. */
static void tell(struct flow_packet *p, struct slot *s, const struct rdt_exchange_text *text,
		 uint32_t qpn, const struct tcp_run *run)
{
	const enum rdt_side side = side_of(p->flow->oob, p->end), peer = rdt_side_other(side);
	struct rdt_end *e = &s->pub.end[side];
	struct rdt_exchange *x = s->exchange;
	struct rdt_told *told = &x->told[side];

	x->program = (uint8_t)rdt_exchange_program((enum rdt_exchange_format)text->format);
	x->format = text->format;
	s->pub.program = x->program;
	*told = (struct rdt_told){ .ns = run->when.ns,
				   .frame = run->when.frame,
				   .input = run->when.input,
				   .lid = text->lid,
				   .rkey = text->rkey,
				   .srqn = text->srqn,
				   .out_reads = text->out_reads,
				   .vaddr = text->vaddr,
				   .has = text->has };
	memcpy(told->gid, text->gid, sizeof(told->gid));
	learn_addr(p->t, s, side, text);
	e->qpn = qpn;
	e->psn = text->psn;
	e->has_qpn = e->has_psn = 1;
	emit(p, s, RDT_MSG_OOB, p->flow->oob->way[p->end].text,
	     (uint32_t)rdt_exchange_len((enum rdt_exchange_format)text->format), &run->when);
	/* Who hears of the peer's QP makes its own ready: the server before it answers. */
	step_qp(p->t, s, side, RDT_CM_EV_TX_OOB, &run->when);
	step_qp(p->t, s, peer, RDT_CM_EV_RX_OOB, &run->when);
	oob_await(p->t, s, side);
	if (!x->told[peer].frame)
		return;
	s->pub.has_rep = s->pub.has_up = 1;
	s->pub.rep_ns = s->pub.up_ns = run->when.ns;
	oob_pair(p->t, s);
}

static void announce(struct flow_packet *p, const struct rdt_exchange_text *text,
		     const struct tcp_run *run)
{
	struct oob *o = p->flow->oob;
	struct oob_way *way = &o->way[p->end];
	const bool xrc = rdt_exchange_has(text, RDT_TELLS_RECV_QPN);
	const bool client = p->end == o->client;
	struct slot *s;

	way->skipped = 0;
	/* ibv_srq_pingpong tells all 256 places of its table; those without a QP are zero. */
	if (!text->qpn && !text->psn) {
		way->told++;
		return;
	}
	s = told_before(p, xrc && !client ? text->recv_qpn : text->qpn);
	if (s) {
		struct rdt_told *told = &s->exchange->told[side_of(o, p->end)];

		told->again += told->again < UINT32_MAX;
		p->verdict->conn = s->index;
		p->verdict->side = (uint8_t)side_of(o, p->end);
		return;
	}
	o->program = (uint8_t)rdt_exchange_program((enum rdt_exchange_format)text->format);
	/*
	 * XRC: two QPs a side, of which one only sends and the other only receives. So two
	 * connections: from the client's sending to the server's receiving one, and the other way.
	 */
	s = next_conn(p, xrc ? 2 * way->told : way->told, &run->when);
	if (s)
		tell(p, s, text, xrc && !client ? text->recv_qpn : text->qpn, run);
	if (xrc) {
		s = next_conn(p, 2 * way->told + 1, &run->when);
		if (s)
			tell(p, s, text, client ? text->recv_qpn : text->qpn, run);
	}
	way->told++;
}

/* Its sender is ready (pingpong), or has finished (perftest). */
static void done(struct flow_packet *p, size_t len, const struct tcp_run *run)
{
	struct oob *o = p->flow->oob;
	struct oob_way *way = &o->way[p->end];

	for (uint32_t i = 0; i < o->count && i < TELL_MAX && !way->done; i++) {
		struct slot *s = conn_slot(p->t, o->conns[i]);

		if (!s)
			continue;
		s->exchange->told[side_of(o, p->end)].done_frame = run->when.frame;
		emit(p, s, RDT_MSG_OOB_DONE, way->text, (uint32_t)len, &run->when);
	}
	way->done = 1;
}

/* What the bytes at hand begin with; returns how many are dealt with, 0 when more are needed. */
static uint32_t take(struct flow_packet *p, struct oob_way *way, const struct tcp_run *run)
{
	struct oob *o = p->flow->oob;
	struct rdt_exchange_text text;
	const enum rdt_fit key = rdt_exchange_parse(way->text, way->have, &text);
	enum rdt_fit word, version = RDT_FIT_NO;
	size_t len = 0;

	if (key == RDT_FIT_YES) {
		announce(p, &text, run);
		return (uint32_t)rdt_exchange_len((enum rdt_exchange_format)text.format);
	}
	word = rdt_exchange_done(way->text, way->have, &len);
	if (word == RDT_FIT_YES) {
		done(p, len, run);
		return (uint32_t)len;
	}
	if (!way->told && !way->skipped)
		version = rdt_exchange_version(way->text, way->have);
	if (version == RDT_FIT_YES) {
		memcpy(o->version, way->text, sizeof(o->version));
		o->program = RDT_PROGRAM_PERFTEST;
		return RDT_PERFTEST_VERSION;
	}
	if (key == RDT_FIT_MORE || word == RDT_FIT_MORE || version == RDT_FIT_MORE)
		return 0;
	way->skipped++;
	return 1;
}

static void read_bytes(struct flow_packet *p, struct oob_way *way, const struct tcp_run *run)
{
	uint32_t at = 0;

	while (at < run->have && !way->over) {
		uint32_t n = (uint32_t)sizeof(way->text) - way->have;
		uint32_t used;

		n = n < run->have - at ? n : run->have - at;
		memcpy(way->text + way->have, run->bytes + at, n);
		way->have = (uint8_t)(way->have + n);
		at += n;
		while (way->have && (used = take(p, way, run))) {
			way->have = (uint8_t)(way->have - used);
			memmove(way->text, way->text + used, way->have);
		}
		way->over = way->skipped > SKIP_MAX;
	}
}

void oob_run(struct flow_packet *p, const struct tcp_run *run)
{
	struct oob_way *way = &p->flow->oob->way[p->end];

	read_bytes(p, way, run);
	if (run->have < run->len) {
		/* A text that the capture lacks a part of is not made up. */
		way->have = 0;
		way->gaps++;
		way->skipped++;
	}
}

/* ---- packets of the exchange --------------------------------------------------------------------------- */

void oob_packet(struct flow_packet *p)
{
	const struct oob *o = p->flow->oob;
	struct slot *s = o->count ? conn_slot(p->t, o->conns[0]) : NULL;

	if (!s || p->verdict->conn != RDT_CONN_NONE)
		return;
	p->verdict->conn = s->index;
	p->verdict->side = (uint8_t)side_of(o, p->end);
	if (p->when->ns > s->pub.last_ns && !s->pub.established)
		s->pub.last_ns = p->when->ns;
}

/* An exchange that ends before both have told their QP has failed: that is worth telling. */
void oob_close(struct flow_packet *p, bool reset)
{
	const struct oob *o = p->flow->oob;

	for (uint32_t i = 0; i < o->count && i < TELL_MAX; i++) {
		struct slot *s = conn_slot(p->t, o->conns[i]);

		if (!s ||
		    (s->exchange->told[RDT_ACTIVE].frame && s->exchange->told[RDT_PASSIVE].frame))
			continue;
		emit(p, s, reset ? RDT_MSG_TCP_RST : RDT_MSG_TCP_FIN, NULL, 0, p->when);
	}
}
