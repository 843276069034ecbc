// SPDX-License-Identifier: BSD-2-Clause
/*
 * From a TCP packet to its flow, and from its bytes to who understands them.
 *
 * A flow is ours when a direction begins with an MPA start frame, with a text that announces a QP,
 * or with perftest's version. A packet of an unknown flow whose payload begins so starts one in its
 * middle. Everything else is looked at once: a hash of the flow is kept in a table of fixed size
 * whose older entries are overwritten (a flow that loses its entry is looked at again).
 */
#include "tcp.h"

#include <string.h>

#include "fpdu.h"

#define FRESH_MAX 1024u
#define KEPT_DEFAULT 32768u
#define OTHERS 16384u /* power of two */
#define KEPT_FIRST 64u
/* Flows looked at for one that is over, before the next in turn has to give way. */
#define SCAN 64u
#define IN_FRESH 0x80000000u /* of a value in the map: which table */

struct tcp {
	struct stream_pool pool;
	struct map flows;   /* hash of the ends -> place, or place | IN_FRESH */
	struct flow **kept; /* kept_room of them, NULL where free */
	uint32_t kept_room, kept_next;
	struct flow *fresh[FRESH_MAX];
	uint32_t fresh_next;
	uint64_t others[OTHERS]; /* hashes of flows that are none of ours */
};

/* ---- flows -------------------------------------------------------------------------------------- */

/* Which of the two ends comes first? */
static bool in_order(const struct rdt_frame *frame)
{
	const int cmp = memcmp(frame->src.bytes, frame->dst.bytes, sizeof(frame->src.bytes));

	return cmp < 0 || (!cmp && frame->sport <= frame->dport);
}

static uint64_t hash_end(const struct rdt_addr *addr, uint16_t port)
{
	uint64_t a, b;

	memcpy(&a, addr->bytes, sizeof(a));
	memcpy(&b, addr->bytes + 8, sizeof(b));
	return map_mix(map_mix(a + addr->kind) + b * 0x9e3779b97f4a7c15u + port);
}

/* The same for both directions; never 0. */
static uint64_t hash_flow(const struct rdt_tracker *t, const struct rdt_frame *frame)
{
	const uint64_t h =
		hash_end(&frame->src, frame->sport) + hash_end(&frame->dst, frame->dport);

	return map_mix(h ^ t->opts.seed) | 1;
}

static bool is_flow(const struct flow *f, const struct rdt_frame *frame, unsigned end)
{
	return f && rdt_addr_equal(&f->addr[end], &frame->src) && f->port[end] == frame->sport &&
	       rdt_addr_equal(&f->addr[1 - end], &frame->dst) && f->port[1 - end] == frame->dport;
}

static struct flow *at_place(const struct tcp *tcp, uint32_t value)
{
	if (value == RDT_MAP_NONE)
		return NULL;
	return value & IN_FRESH ? tcp->fresh[value & ~IN_FRESH] : tcp->kept[value];
}

static uint64_t hash_of(const struct rdt_tracker *t, const struct flow *f)
{
	const uint64_t h = hash_end(&f->addr[0], f->port[0]) + hash_end(&f->addr[1], f->port[1]);

	return map_mix(h ^ t->opts.seed) | 1;
}

static void flow_free(struct rdt_tracker *t, struct flow *f)
{
	struct tcp *tcp = t->tcp;

	for (unsigned end = 0; end < FLOW_ENDS; end++)
		stream_free(&f->stream[end], &tcp->pool);
	if (f->oob)
		oob_free(t, f);
	if (f->mpa)
		mpa_free(t, f);
	map_remove(&tcp->flows, hash_of(t, f), f->place);
	if (f->place & IN_FRESH)
		tcp->fresh[f->place & ~IN_FRESH] = NULL;
	else
		tcp->kept[f->place] = NULL;
	t->memory.resize(t->memory.user, f, sizeof(*f), 0);
}

static struct flow *flow_new(struct rdt_tracker *t, const struct rdt_frame *frame, unsigned end)
{
	struct tcp *tcp = t->tcp;
	const uint32_t place = tcp->fresh_next++ % FRESH_MAX;
	struct flow *f;

	if (tcp->fresh[place])
		flow_free(t, tcp->fresh[place]);
	f = t->memory.resize(t->memory.user, NULL, 0, sizeof(*f));
	if (!f)
		return NULL;
	memset(f, 0, sizeof(*f));
	f->addr[end] = frame->src;
	f->addr[1 - end] = frame->dst;
	f->port[end] = frame->sport;
	f->port[1 - end] = frame->dport;
	f->opener = FLOW_ENDS;
	f->place = place | IN_FRESH;
	tcp->fresh[place] = f;
	map_put(&tcp->flows, hash_of(t, f), f->place);
	return f;
}

static bool grow_kept(struct rdt_tracker *t)
{
	struct tcp *tcp = t->tcp;
	const uint32_t most = t->opts.max_tcp ? t->opts.max_tcp : KEPT_DEFAULT;
	uint32_t room = tcp->kept_room ? tcp->kept_room * 2 : KEPT_FIRST;
	struct flow **kept;

	if (room > most)
		room = most;
	if (room <= tcp->kept_room)
		return false;
	kept = t->memory.resize(t->memory.user, tcp->kept, tcp->kept_room * sizeof(*kept),
				room * sizeof(*kept));
	if (!kept)
		return false;
	memset(kept + tcp->kept_room, 0, (room - tcp->kept_room) * sizeof(*kept));
	tcp->kept = kept;
	tcp->kept_next = tcp->kept_room;
	tcp->kept_room = room;
	return true;
}

/* A free place among the kept; the flow that gives way for it is over, or the next in turn. */
static uint32_t kept_place(struct rdt_tracker *t)
{
	struct tcp *tcp = t->tcp;

	for (unsigned n = 0; n < SCAN && tcp->kept_room; n++) {
		const uint32_t i = (tcp->kept_next + n) % tcp->kept_room;

		if (!tcp->kept[i]) {
			tcp->kept_next = i + 1;
			return i;
		}
	}
	if (grow_kept(t))
		return tcp->kept_next++;
	if (!tcp->kept_room)
		return RDT_MAP_NONE;
	for (unsigned n = 0; n <= SCAN; n++) {
		const uint32_t i = (tcp->kept_next + n % SCAN) % tcp->kept_room;
		struct flow *f = tcp->kept[i];

		if (f && f->closed != 3 && n < SCAN)
			continue;
		tcp->kept_next = i + 1;
		if (f) {
			t->stats.tcp_evicted += f->closed != 3;
			flow_free(t, f);
		}
		return i;
	}
	return RDT_MAP_NONE;
}

/* The flow is ours: it moves to the kept. */
static bool flow_keep(struct rdt_tracker *t, struct flow *f)
{
	struct tcp *tcp = t->tcp;
	const uint32_t place = kept_place(t);

	if (place == RDT_MAP_NONE)
		return false;
	tcp->fresh[f->place & ~IN_FRESH] = NULL;
	tcp->kept[place] = f;
	f->place = place;
	return map_put(&tcp->flows, hash_of(t, f), place);
}

static bool tcp_new(struct rdt_tracker *t)
{
	struct tcp *tcp = t->memory.resize(t->memory.user, NULL, 0, sizeof(*tcp));

	if (!tcp)
		return false;
	memset(tcp, 0, sizeof(*tcp));
	tcp->pool.memory = &t->memory;
	map_init(&tcp->flows, &t->memory, t->opts.seed ^ 6);
	t->tcp = tcp;
	return true;
}

void tcp_free(struct rdt_tracker *t)
{
	struct tcp *tcp = t->tcp;

	if (!tcp)
		return;
	for (uint32_t i = 0; i < FRESH_MAX; i++)
		if (tcp->fresh[i])
			flow_free(t, tcp->fresh[i]);
	for (uint32_t i = 0; i < tcp->kept_room; i++)
		if (tcp->kept[i])
			flow_free(t, tcp->kept[i]);
	if (tcp->kept)
		t->memory.resize(t->memory.user, tcp->kept, tcp->kept_room * sizeof(*tcp->kept), 0);
	map_free(&tcp->flows);
	t->memory.resize(t->memory.user, tcp, sizeof(*tcp), 0);
	t->tcp = NULL;
}

/* ---- what a flow is -------------------------------------------------------------------------------- */

/* Do the first bytes of a direction make the flow ours, and whose? */
static enum rdt_fit look(const uint8_t *bytes, uint32_t have, enum flow_kind *ret_kind,
			 enum mpa_look *ret_mpa)
{
	struct rdt_exchange_text text;
	enum rdt_fit fit, version;

	/* An F of a frame key or a digit: nearly all other protocols end here. */
	if (!have || !(bytes[0] == 'M' || (bytes[0] >= '0' && bytes[0] <= '9') ||
		       (bytes[0] >= 'a' && bytes[0] <= 'f')))
		return RDT_FIT_NO;
	*ret_mpa = mpa_look(bytes, have);
	if (*ret_mpa != MPA_NOT) {
		*ret_kind = FLOW_MPA;
		return *ret_mpa == MPA_MORE ? RDT_FIT_MORE : RDT_FIT_YES;
	}
	*ret_kind = FLOW_OOB;
	fit = rdt_exchange_parse(bytes, have, &text);
	version = rdt_exchange_version(bytes, have);
	return fit > version ? fit : version;
}

/* An FPDU of a connection whose beginning was not captured. */
static bool is_fpdu(const struct rdt_frame *frame)
{
	bool crc;

	/* Two control bytes and a length that fits: nearly all other payloads end here. */
	if (frame->payload_have < RDT_LEN_fpdu + RDT_LEN_ddp_tagged + RDT_LEN_mpa_crc ||
	    (frame->payload[RDT_LEN_fpdu] & 0x3f) != 1 ||
	    (frame->payload[RDT_LEN_fpdu + 1] & 0xc0) != 0x40 ||
	    rdt_fpdu_ulpdu_length(frame->payload) + RDT_LEN_fpdu + RDT_LEN_mpa_crc >
		    frame->payload_len)
		return false;
	return fpdu_plausible(frame->payload, frame->payload_have, frame->payload_len, &crc);
}

static void read_run(struct flow_packet *p, const struct tcp_run *run)
{
	if (p->flow->kind == FLOW_MPA)
		mpa_run(p, run);
	else if (p->flow->kind == FLOW_OOB)
		oob_run(p, run);
}

static void become(struct flow_packet *p, enum flow_kind kind, enum mpa_look mpa)
{
	struct flow *f = p->flow;

	f->kind = FLOW_OTHER;
	if (!flow_keep(p->t, f))
		return;
	if (kind == FLOW_MPA ? mpa_begin(p, mpa) : oob_begin(p))
		f->kind = (uint8_t)kind;
}

/* The next bytes of a flow that nothing is known of. */
static void decide(struct flow_packet *p, const struct tcp_run *run)
{
	struct flow *f = p->flow;
	uint8_t *head = f->head[p->end];
	const uint32_t had = f->head_len[p->end];
	uint32_t more = RDT_EXCHANGE_MAX - had;
	const uint8_t *bytes = run->bytes;
	uint32_t have = run->have;
	enum flow_kind kind = FLOW_OTHER;
	enum mpa_look mpa = MPA_NOT;
	enum rdt_fit fit;

	more = more < run->have ? more : run->have;
	if (had) {
		memcpy(head + had, run->bytes, more);
		bytes = head;
		have = had + more;
	}
	fit = look(bytes, have, &kind, &mpa);
	if (fit == RDT_FIT_YES) {
		become(p, kind, mpa);
		if (had) {
			struct tcp_run first = *run, rest = *run;

			first.bytes = head;
			first.seq -= had;
			first.have = first.len = have;
			read_run(p, &first);
			rest.bytes = run->have > more ? run->bytes + more : NULL;
			rest.seq += more;
			rest.have -= more;
			rest.len -= more;
			rest.segment = false;
			if (rest.len)
				read_run(p, &rest);
		} else {
			read_run(p, run);
		}
	} else if (fit == RDT_FIT_MORE && run->have == run->len && have < RDT_EXCHANGE_MAX) {
		if (!had && run->have)
			memcpy(head, run->bytes, run->have);
		f->head_len[p->end] = (uint8_t)have;
	} else {
		f->kind = FLOW_OTHER;
	}
}

static void on_run(void *user, const struct tcp_run *run)
{
	struct flow_packet *p = user;

	if (p->flow->kind == FLOW_FRESH)
		decide(p, run);
	else
		read_run(p, run);
}

/* ---- one packet -------------------------------------------------------------------------------------- */

static void close_flow(struct flow_packet *p, bool reset)
{
	struct flow *f = p->flow;
	const struct stream_reader reader = { p, on_run };
	const unsigned end = p->end;

	f->closed |= (uint8_t)(1u << end);
	if (reset)
		f->closed = 3;
	if (f->closed == 3)
		for (p->end = 0; p->end < FLOW_ENDS; p->end++)
			stream_flush(&f->stream[p->end], &p->t->tcp->pool, &reader);
	p->end = end;
	if (f->kind == FLOW_MPA)
		mpa_close(p, reset);
	else if (f->kind == FLOW_OOB)
		oob_close(p, reset);
}

static void feed_flow(struct flow_packet *p)
{
	struct flow *f = p->flow;
	struct stream_pool *pool = &p->t->tcp->pool;
	const struct stream_reader reader = { p, on_run };
	const uint8_t *tcp = p->frame->l4;
	const unsigned end = p->end;
	const struct tcp_run segment = { .bytes = p->frame->payload,
					 .seq = rdt_tcp_seq(tcp) + rdt_tcp_syn(tcp),
					 .have = p->frame->payload_have,
					 .len = p->frame->payload_len,
					 .when = *p->when,
					 .segment = true };

	if (!f->stream[end].begun && (rdt_tcp_syn(tcp) || segment.len))
		stream_begin(&f->stream[end], segment.seq);
	if (rdt_tcp_ack(tcp)) {
		p->end = 1 - end; /* the peer's bytes may be read because of it */
		stream_ack(&f->stream[1 - end], pool, rdt_tcp_ack_num(tcp), &reader);
		p->end = end;
	}
	if (segment.len)
		stream_segment(&f->stream[end], pool, &segment, &reader);
	if (f->kind == FLOW_MPA)
		mpa_packet(p);
	else if (f->kind == FLOW_OOB)
		oob_packet(p);
	if (rdt_tcp_rst(tcp) || rdt_tcp_fin(tcp))
		close_flow(p, rdt_tcp_rst(tcp));
	p->verdict->fpdu_at = p->fpdu_at;
}

/* The flow of a packet; NULL when it has none. A SYN that opens the ports anew ends the old one. */
static struct flow *find_flow(struct rdt_tracker *t, const struct rdt_frame *frame, uint64_t hash,
			      unsigned end)
{
	struct flow *f = at_place(t->tcp, map_get(&t->tcp->flows, hash));
	const uint8_t *tcp = frame->l4;

	if (!is_flow(f, frame, end))
		return NULL;
	if (rdt_tcp_syn(tcp) && !rdt_tcp_ack(tcp) &&
	    (f->opener != end || f->isn != rdt_tcp_seq(tcp))) {
		flow_free(t, f);
		return NULL;
	}
	return f;
}

static struct flow *begin_flow(struct rdt_tracker *t, const struct rdt_frame *frame, uint64_t hash,
			       unsigned end)
{
	struct flow *f = flow_new(t, frame, end);

	t->tcp->others[hash & (OTHERS - 1)] = 0;
	if (f && rdt_tcp_syn(frame->l4)) {
		f->opener = (uint8_t)(rdt_tcp_ack(frame->l4) ? 1 - end : end);
		f->isn = rdt_tcp_ack(frame->l4) ? rdt_tcp_ack_num(frame->l4) - 1
						: rdt_tcp_seq(frame->l4);
	}
	return f;
}

/* After a packet: a flow that is none of ours, or will never be told, is let go. */
static void settle_flow(struct rdt_tracker *t, struct flow *f, uint64_t hash)
{
	if (f->kind == FLOW_OTHER)
		t->tcp->others[hash & (OTHERS - 1)] = hash;
	else if (f->kind != FLOW_FRESH)
		t->stats.rdma++;
	if (f->kind == FLOW_OTHER || (f->kind == FLOW_FRESH && f->closed == 3))
		flow_free(t, f);
}

void tcp_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_when *when,
	      struct rdt_verdict *verdict)
{
	struct flow_packet p = { .t = t, .frame = frame, .when = when, .verdict = verdict };
	const bool payload = frame->payload && frame->payload_have;
	enum flow_kind kind = FLOW_OTHER;
	enum mpa_look mpa = MPA_NOT;
	bool begins = false;
	uint64_t hash;

	if (!frame->l4)
		return;
	if (payload)
		begins = look(frame->payload, frame->payload_have, &kind, &mpa) != RDT_FIT_NO;
	begins |= rdt_tcp_syn(frame->l4);
	if (!t->tcp && !((begins || (payload && is_fpdu(frame))) && tcp_new(t)))
		return;
	hash = hash_flow(t, frame);
	if (t->tcp->others[hash & (OTHERS - 1)] != hash || begins) {
		p.end = in_order(frame) ? 0 : 1;
		p.flow = find_flow(t, frame, hash, p.end);
	}
	if (p.flow && p.flow->kind == FLOW_MPA && mpa == MPA_REQUEST && mpa_is_new(&p)) {
		flow_free(t, p.flow);
		p.flow = NULL;
	}
	if (!p.flow && begins) {
		p.flow = begin_flow(t, frame, hash, p.end);
	} else if (!p.flow && payload && is_fpdu(frame)) {
		p.end = in_order(frame) ? 0 : 1;
		p.flow = begin_flow(t, frame, hash, p.end);
		if (p.flow)
			become(&p, FLOW_MPA, MPA_NOT);
	} else if (!p.flow && payload) {
		t->tcp->others[hash & (OTHERS - 1)] = hash;
	}
	if (!p.flow)
		return;
	feed_flow(&p);
	settle_flow(t, p.flow, hash);
}

void tcp_finish(struct rdt_tracker *t)
{
	struct rdt_verdict verdict = { .conn = RDT_CONN_NONE };
	static const struct rdt_frame none = { .encap = RDT_ENCAP_NONE };

	for (uint32_t i = 0; t->tcp && i < t->tcp->kept_room; i++) {
		const struct rdt_when when = { .ns = t->now };
		struct flow_packet p = { .t = t,
					 .flow = t->tcp->kept[i],
					 .frame = &none,
					 .when = &when,
					 .verdict = &verdict };
		const struct stream_reader reader = { &p, on_run };

		for (p.end = 0; p.flow && p.end < FLOW_ENDS; p.end++)
			stream_flush(&p.flow->stream[p.end], &t->tcp->pool, &reader);
	}
}
