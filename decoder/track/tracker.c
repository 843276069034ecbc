// SPDX-License-Identifier: BSD-2-Clause
/* The public face: makes a tracker, gives each frame to the part that knows it, ends. */
#include "internal.h"

#include <string.h>

#define DEFAULT_CONNS 1000000u
#define DEFAULT_ADDRS 1000000u
#define DEFAULT_FLOWS 16384u
#define MOST_ADDRS ((1u << ADDR_BITS) - 2)
/* Two sightings of one packet by one capture lie at most this far apart; by two, this far. */
#define TWICE_NS INT64_C(100000000)
#define TWICE_INPUTS_NS INT64_C(10000000000)

/* The caller's memory, and a note when it has none. */
static void *resize(void *user, void *old, size_t old_size, size_t new_size)
{
	struct rdt_tracker *t = user;
	void *p = t->caller.resize(t->caller.user, old, old_size, new_size);

	if (!p && new_size)
		t->no_memory = 1;
	return p;
}

struct rdt_tracker *rdt_tracker_new(const struct rdt_memory *memory,
				    const struct rdt_track_opts *opts, const struct rdt_sink *sink)
{
	struct rdt_tracker *t = memory->resize(memory->user, NULL, 0, sizeof(*t));

	if (!t)
		return NULL;
	*t = (struct rdt_tracker){ .caller = *memory, .memory = { resize, t } };
	if (opts)
		t->opts = *opts;
	if (sink)
		t->sink = *sink;
	if (!t->opts.max_conns || t->opts.max_conns > INDEX_MAX)
		t->opts.max_conns = DEFAULT_CONNS;
	if (!t->opts.max_addrs || t->opts.max_addrs > MOST_ADDRS)
		t->opts.max_addrs = DEFAULT_ADDRS;
	if (!t->opts.max_flows)
		t->opts.max_flows = DEFAULT_FLOWS;
	map_init(&t->ids, &t->memory, t->opts.seed ^ 1);
	map_init(&t->flows, &t->memory, t->opts.seed ^ 2);
	map_init(&t->ud_flows, &t->memory, t->opts.seed ^ 3);
	map_init(&t->halves, &t->memory, t->opts.seed ^ 4);
	map_init(&t->announced, &t->memory, t->opts.seed ^ 5);
	map_init(&t->first_psns, &t->memory, t->opts.seed ^ 7);
	t->recent = resize(t, NULL, 0, RECENT * sizeof(*t->recent));
	t->resolves = resize(t, NULL, 0, RESOLVES * sizeof(*t->resolves));
	if (!t->recent || !t->resolves || !conns_init(t) || !flows_init(t)) {
		rdt_tracker_free(t);
		return NULL;
	}
	memset(t->recent, 0, RECENT * sizeof(*t->recent));
	memset(t->resolves, 0, RESOLVES * sizeof(*t->resolves));
	return t;
}

void rdt_tracker_free(struct rdt_tracker *t)
{
	struct rdt_memory memory;

	if (!t)
		return;
	memory = t->caller;
	map_free(&t->ids);
	map_free(&t->flows);
	map_free(&t->ud_flows);
	map_free(&t->halves);
	map_free(&t->announced);
	map_free(&t->first_psns);
	tcp_free(t);
	conns_free(t);
	flows_free(t);
	if (t->recent)
		memory.resize(memory.user, t->recent, RECENT * sizeof(*t->recent), 0);
	if (t->resolves)
		memory.resize(memory.user, t->resolves, RESOLVES * sizeof(*t->resolves), 0);
	memory.resize(memory.user, t, sizeof(*t), 0);
}

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t mix2(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static uint64_t mix_bytes(uint64_t h, const uint8_t *p, size_t len)
{
	for (; len >= 8; p += 8, len -= 8)
		h = mix2(h, load64(p));
	while (len--)
		h = mix2(h, *p++);
	return h;
}

/*
 * What two sightings of a packet share: BTH and ICRC, which covers all that a router does not
 * change. Without an ICRC, the bytes there are, and of cut ones who sends it to whom: REQ and REP
 * begin alike.
 */
static uint64_t content_of(const struct rdt_frame *frame)
{
	uint64_t h;

	if (frame->bth_have == frame->bth_len && frame->bth_len >= RDT_LEN_bth + RDT_LEN_icrc) {
		const uint8_t *icrc = frame->bth + frame->bth_len - RDT_LEN_icrc;

		return mix2(mix2(load64(frame->bth), load64(frame->bth + 4)),
			    (uint64_t)frame->bth_len << 32 | rdt_icrc_value(icrc));
	}
	h = mix_bytes(frame->bth_len, frame->bth, frame->bth_have < 256 ? frame->bth_have : 256);
	if (frame->bth_have == frame->bth_len)
		return h;
	h = mix_bytes(h, frame->src.bytes, sizeof(frame->src.bytes));
	return mix_bytes(h, frame->dst.bytes, sizeof(frame->dst.bytes));
}

/*
 * The headers of a cut packet of a connected service, whose BTH alone tells connection, PSN and
 * kind. Its other headers must not be read: pkt_whole() is false.
 */
static bool cut_packet(const struct rdt_frame *frame, struct rdt_pkt *ret_pkt)
{
	const struct rdt_opcode *op;
	enum rdt_service service;
	size_t need;

	if (frame->bth_have < RDT_LEN_bth)
		return false;
	op = &rdt_opcodes[rdt_bth_opcode(frame->bth)];
	service = rdt_opcode_service((uint8_t)rdt_bth_opcode(frame->bth));
	need = (size_t)op->hdr_len + rdt_bth_pad_count(frame->bth) + RDT_LEN_icrc;
	if (!op->plain || frame->bth_len < need || rdt_bth_dest_qpn(frame->bth) <= RDT_QP1 ||
	    (service != RDT_SVC_RC && service != RDT_SVC_UC && service != RDT_SVC_XRC))
		return false;
	*ret_pkt = (struct rdt_pkt){ .bth = frame->bth,
				     .op = op,
				     .payload_len = (uint32_t)(frame->bth_len - need),
				     .have = (uint32_t)frame->bth_have };
	return true;
}

/* Where a packet was seen: what may differ between two sightings of it, all below IP but the TTL. */
static uint64_t link_of(const struct rdt_frame *frame, const struct rdt_when *when)
{
	uint64_t h = (uint64_t)frame->ifindex << 32 | (uint64_t)when->input << 16 |
		     (uint64_t)frame->ttl << 8 | frame->outgoing;

	if (frame->eth)
		h = mix2(mix2(h, load64(frame->eth)), load64(frame->eth + 4));
	for (unsigned i = 0; i < frame->vlans; i++)
		h = mix2(h, frame->vlan[i]);
	return mix2(h, frame->vlans);
}

/*
 * Does the capture show this packet for the second time: on another interface, before and after a
 * router or VLAN, in and out of a bond? Only a difference below IP tells such a sighting from a
 * packet that the network really carried twice.
 *
 * The table is not seeded: which packets share a place must not differ from run to run, or the
 * same frames would not give the same records. Who fills it on purpose hides repetitions of his
 * own packets and no more.
 */
static bool seen_before(struct rdt_tracker *t, const struct rdt_frame *frame,
			const struct rdt_when *when)
{
	const uint64_t content = content_of(frame), link = link_of(frame, when);
	struct recent *r = &t->recent[content % RECENT];
	const int64_t apart = when->ns > r->ns ? when->ns - r->ns : r->ns - when->ns;
	const bool twice = r->content == content && r->link != link &&
			   apart < (r->input != when->input ? TWICE_INPUTS_NS : TWICE_NS);

	if (twice)
		r->content = 0; /* the pair is complete */
	else
		*r = (struct recent){ when->ns, content, link, when->input };
	return twice;
}

/* A packet whose headers the capture cut. */
static void feed_cut(struct rdt_tracker *t, const struct rdt_frame *frame,
		     const struct rdt_when *when, struct rdt_verdict *verdict)
{
	struct rdt_pkt pkt;

	t->stats.snapped++;
	if (!cut_packet(frame, &pkt)) {
		t->stats.unread++;
		return;
	}
	if (seen_before(t, frame, when)) {
		t->stats.duplicated++;
		return;
	}
	oob_claim(t, frame, &pkt);
	data_feed(t, frame, &pkt, when, verdict);
}

static void feed_rdma(struct rdt_tracker *t, const struct rdt_frame *frame,
		      const struct rdt_when *when, struct rdt_verdict *verdict)
{
	struct rdt_pkt pkt;

	const enum rdt_status status =
		rdt_pkt_parse(frame->bth, frame->bth_have, frame->bth_len, &pkt);

	t->stats.rdma++;
	if (status != RDT_OK) {
		if (status == RDT_SNAPPED)
			feed_cut(t, frame, when, verdict);
		else if (status == RDT_OPCODE &&
			 rdt_pkt_is_vendor(frame->bth, frame->bth_have, frame->bth_len))
			t->stats.vendor++;
		else
			t->stats.malformed++;
		return;
	}
	t->stats.snapped += frame->bth_have < frame->bth_len;
	if (seen_before(t, frame, when)) {
		t->stats.duplicated++;
		return;
	}
	if (rdt_bth_dest_qpn(frame->bth) <= RDT_QP1 && rdt_pkt_deth(&pkt)) {
		cm_feed(t, frame, &pkt, when, verdict);
	} else {
		oob_claim(t, frame, &pkt);
		data_feed(t, frame, &pkt, when, verdict);
		oob_check(t, &pkt, when, verdict);
	}
}

static int64_t in_range(int64_t ns)
{
	return ns < RDT_NS_MIN ? RDT_NS_MIN : ns > RDT_NS_MAX ? RDT_NS_MAX : ns;
}

enum rdt_status rdt_tracker_feed(struct rdt_tracker *t, const struct rdt_frame *frame,
				 const struct rdt_when *at, struct rdt_verdict *ret_verdict)
{
	struct rdt_verdict verdict = { .conn = RDT_CONN_NONE };
	const struct rdt_when kept = { in_range(at->ns), at->frame, at->input };
	const struct rdt_when *when = &kept;

	t->no_memory = 0;
	t->stats.frames++;
	if (t->started && when->ns < t->now)
		t->stats.time_back++;
	else
		t->now = when->ns;
	t->started = 1;
	switch ((enum rdt_frame_kind)frame->kind) {
	case RDT_FRAME_IB:
		feed_rdma(t, frame, when, &verdict);
		break;
	case RDT_FRAME_TCP:
		tcp_feed(t, frame, when, &verdict);
		break;
	case RDT_FRAME_ARP:
	case RDT_FRAME_ND:
		resolve_feed(t, frame, when);
		break;
	case RDT_FRAME_ICMP:
	case RDT_FRAME_OTHER:
		break;
	}
	if (ret_verdict)
		*ret_verdict = verdict;
	return t->no_memory ? RDT_NO_MEMORY : RDT_OK;
}

void rdt_tracker_finish(struct rdt_tracker *t, int64_t end_ns)
{
	if (in_range(end_ns) > t->now)
		t->now = in_range(end_ns);
	tcp_finish(t);
	for (uint32_t i = t->gone; i < t->count; i++) {
		struct slot *s = conn_slot(t, i);

		if (s && !s->pub.merged)
			step_settle(t, s);
	}
	conn_number(t, t->count);
}

uint32_t rdt_tracker_conn_final(const struct rdt_tracker *t, uint32_t index)
{
	const struct slot *s = conn_slot(t, index);

	return s && s->pub.merged ? s->next_half : index;
}

const struct rdt_track_stats *rdt_tracker_stats(const struct rdt_tracker *t)
{
	return &t->stats;
}
