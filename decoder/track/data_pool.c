// SPDX-License-Identifier: BSD-2-Clause
/*
 * Windows over the data of connections: a pool of fixed size. Where it is full, a hand goes round
 * and gives up the first that had no packet since it last came by.
 */
#include "data.h"

#include <string.h>

#include "rdmatrace/psn.h"

#define PAIR_CHUNK 32u

/* ---- names ------------------------------------------------------------------------------------ */

const char *rdt_flow_event_key(enum rdt_flow_event event)
{
	static const char *const keys[] = {
#define X(symbol, key, text) key,
		RDT_FLOW_EVENT_LIST(X)
#undef X
	};

	return event < RDT_FLOW_EVENT_COUNT ? keys[event] : NULL;
}

const char *rdt_flow_event_text(enum rdt_flow_event event)
{
	static const char *const texts[] = {
#define X(symbol, key, text) text,
		RDT_FLOW_EVENT_LIST(X)
#undef X
	};

	return event < RDT_FLOW_EVENT_COUNT ? texts[event] : NULL;
}

const char *rdt_flow_op_key(enum rdt_flow_op op)
{
	static const char *const keys[] = {
#define X(symbol, key) key,
		RDT_FLOW_OP_LIST(X)
#undef X
	};

	return op < RDT_FLOW_OP_COUNT ? keys[op] : NULL;
}

enum rdt_flow_op rdt_flow_op_of(uint8_t opcode)
{
	/* The low five bits mean the same in all services. */
	switch (opcode & 0x1f) {
	case RDT_OP_RC_SEND_FIRST:
	case RDT_OP_RC_SEND_MIDDLE:
	case RDT_OP_RC_SEND_LAST:
	case RDT_OP_RC_SEND_LAST_IMM:
	case RDT_OP_RC_SEND_ONLY:
	case RDT_OP_RC_SEND_ONLY_IMM:
	case RDT_OP_RC_SEND_LAST_INV:
	case RDT_OP_RC_SEND_ONLY_INV:
		return RDT_FLOW_OP_SEND;
	case RDT_OP_RC_WRITE_FIRST:
	case RDT_OP_RC_WRITE_MIDDLE:
	case RDT_OP_RC_WRITE_LAST:
	case RDT_OP_RC_WRITE_LAST_IMM:
	case RDT_OP_RC_WRITE_ONLY:
	case RDT_OP_RC_WRITE_ONLY_IMM:
		return RDT_FLOW_OP_WRITE;
	case RDT_OP_RC_READ_REQUEST:
	case RDT_OP_RC_READ_RESP_FIRST:
	case RDT_OP_RC_READ_RESP_MIDDLE:
	case RDT_OP_RC_READ_RESP_LAST:
	case RDT_OP_RC_READ_RESP_ONLY:
		return RDT_FLOW_OP_READ;
	case RDT_OP_RC_CMP_SWAP:
	case RDT_OP_RC_FETCH_ADD:
	case RDT_OP_RC_ATOMIC_ACK:
		return RDT_FLOW_OP_ATOMIC;
	default:
		return RDT_FLOW_OP_OTHER;
	}
}

/* ---- the pool ---------------------------------------------------------------------------------- */

static struct flow_pair *pair_at(const struct rdt_tracker *t, uint32_t i)
{
	return &t->flow_chunks[i / PAIR_CHUNK][i % PAIR_CHUNK];
}

bool flows_init(struct rdt_tracker *t)
{
	const size_t chunks = ((size_t)t->opts.max_flows + PAIR_CHUNK - 1) / PAIR_CHUNK;

	t->flow_times = t->memory.resize(t->memory.user, NULL, 0,
					 RDT_FLOW_OP_COUNT * sizeof(*t->flow_times));
	t->flow_chunks =
		t->memory.resize(t->memory.user, NULL, 0, chunks * sizeof(*t->flow_chunks));
	if (t->flow_times)
		memset(t->flow_times, 0, RDT_FLOW_OP_COUNT * sizeof(*t->flow_times));
	if (t->flow_chunks)
		memset(t->flow_chunks, 0, chunks * sizeof(*t->flow_chunks));
	t->flow_chunk_count = (uint32_t)chunks;
	return t->flow_times && t->flow_chunks;
}

void flows_free(struct rdt_tracker *t)
{
	for (uint32_t i = 0; t->flow_chunks && i < t->flow_chunk_count; i++)
		if (t->flow_chunks[i])
			t->memory.resize(t->memory.user, t->flow_chunks[i],
					 PAIR_CHUNK * sizeof(**t->flow_chunks), 0);
	if (t->flow_chunks)
		t->memory.resize(t->memory.user, t->flow_chunks,
				 t->flow_chunk_count * sizeof(*t->flow_chunks), 0);
	if (t->flow_times)
		t->memory.resize(t->memory.user, t->flow_times,
				 RDT_FLOW_OP_COUNT * sizeof(*t->flow_times), 0);
}

static void give_up(struct rdt_tracker *t, struct flow_pair *pair)
{
	struct slot *s = conn_slot(t, pair->conn);

	t->stats.flows_evicted++;
	if (!s)
		return;
	if (t->sink.flow)
		t->sink.flow(t->sink.user, &s->pub);
	s->flow = 0;
}

/* The first that was not touched since the hand passed it. */
static uint32_t choose(struct rdt_tracker *t)
{
	for (;;) {
		const uint32_t i = t->flow_hand;
		struct flow_pair *pair = pair_at(t, i);

		t->flow_hand = i + 1 < t->flow_count ? i + 1 : 0;
		if (!pair->touched)
			return i;
		pair->touched = 0;
	}
}

struct flow_pair *flow_peek(const struct rdt_tracker *t, const struct slot *s)
{
	return s->flow ? pair_at(t, s->flow - 1) : NULL;
}

void flow_release(struct rdt_tracker *t, struct slot *s)
{
	struct flow_pair *pair = flow_peek(t, s);

	if (!pair)
		return;
	/* Left in its place: the hand takes it next, since nobody touches it any more. */
	pair->conn = RDT_CONN_NONE;
	pair->touched = 0;
	s->flow = 0;
}

static struct flow_pair *make(struct rdt_tracker *t, struct slot *s)
{
	struct flow_pair **chunk, *pair;
	uint32_t i;

	if (t->flow_count == t->opts.max_flows) {
		i = choose(t);
		pair = pair_at(t, i);
		if (pair->conn != RDT_CONN_NONE)
			give_up(t, pair);
	} else {
		i = t->flow_count;
		chunk = &t->flow_chunks[i / PAIR_CHUNK];
		if (!*chunk)
			*chunk = t->memory.resize(t->memory.user, NULL, 0,
						  PAIR_CHUNK * sizeof(**chunk));
		if (!*chunk)
			return NULL;
		t->flow_count++;
		pair = pair_at(t, i);
	}
	memset(pair, 0, sizeof(*pair));
	pair->conn = s->index;
	s->flow = i + 1;
	return pair;
}

struct flow_pair *flow_get(struct rdt_tracker *t, struct slot *s)
{
	struct flow_pair *pair = s->flow ? pair_at(t, s->flow - 1) : make(t, s);

	if (pair)
		pair->touched = 1;
	return pair;
}

void flow_move(struct rdt_tracker *t, struct slot *to, struct slot *from)
{
	struct flow_pair *source = flow_peek(t, from), *target;

	if (!source)
		return;
	target = flow_get(t, to);
	/* Making room may have given up the source. */
	source = flow_peek(t, from);
	if (!target || !source)
		return;
	target->side[RDT_PASSIVE] = source->side[RDT_ACTIVE];
	flow_release(t, from);
}

const struct rdt_flow *rdt_tracker_flow(const struct rdt_tracker *t, uint32_t conn,
					enum rdt_side side)
{
	const struct slot *s = conn_slot(t, conn);
	const struct flow_pair *pair = s ? flow_peek(t, s) : NULL;

	return pair ? &pair->side[side].pub : NULL;
}

uint32_t rdt_flow_unanswered(const struct rdt_conn *conn, const struct rdt_flow *flow,
			     enum rdt_side side)
{
	const struct rdt_data *data = &conn->end[side].data;
	int32_t open;

	if (!data->first_frame || (conn->service != RDT_SVC_RC && conn->service != 4))
		return 0;
	open = rdt_psn_diff(data->next_psn,
			    flow->has_acked ? rdt_psn_add(flow->acked, 1) : data->first_psn);
	return open > 0 ? (uint32_t)open : 0;
}

/* ---- counting ---------------------------------------------------------------------------------- */

void flow_event(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		enum rdt_flow_event event, uint32_t psn, uint32_t count,
		const struct rdt_when *when)
{
	struct flow_pair *pair = flow_get(t, s);
	struct rdt_flow_count *c;

	if (pair) {
		c = &pair->side[side].pub.events[event];
		if (!c->count) {
			c->first_frame = when->frame;
			c->first_input = when->input;
		}
		c->last_frame = when->frame;
		c->last_input = when->input;
		c->count = count < UINT32_MAX - c->count ? c->count + count : UINT32_MAX;
	}
	if (t->sink.data) {
		const struct rdt_data_rec rec = { .when = *when,
						  .psn = psn,
						  .count = count,
						  .side = (uint8_t)side,
						  .event = (uint8_t)event };

		t->sink.data(t->sink.user, &s->pub, &rec);
	}
}

/* Four bits of the number after its highest: places of equal relative width. */
static unsigned place_of(uint64_t ns)
{
	unsigned octave;

	if (ns < RDT_FLOW_HIST_SUB)
		return (unsigned)ns;
	for (octave = 0; ns >> octave >= 2 * RDT_FLOW_HIST_SUB; octave++)
		if (octave == RDT_FLOW_HIST_OCTAVES - 2)
			return RDT_FLOW_HIST_OCTAVES * RDT_FLOW_HIST_SUB - 1;
	return (octave + 1) * RDT_FLOW_HIST_SUB + (unsigned)(ns >> octave & 15);
}

static uint64_t middle_of(unsigned place)
{
	const unsigned octave = place / RDT_FLOW_HIST_SUB;

	if (!octave)
		return place;
	return ((uint64_t)(RDT_FLOW_HIST_SUB + place % RDT_FLOW_HIST_SUB) << (octave - 1)) +
	       ((UINT64_C(1) << (octave - 1)) >> 1);
}

void flow_timed(struct rdt_tracker *t, struct rdt_flow *flow, uint8_t opcode, uint64_t ns)
{
	struct rdt_flow_times *times = &t->flow_times[rdt_flow_op_of(opcode)];

	if (!flow->timed || ns < flow->wait_min_ns)
		flow->wait_min_ns = ns;
	if (ns > flow->wait_max_ns)
		flow->wait_max_ns = ns;
	flow->wait_sum_ns += ns;
	flow->timed += flow->timed < UINT32_MAX;
	if (!times->timed || ns < times->min_ns)
		times->min_ns = ns;
	if (ns > times->max_ns)
		times->max_ns = ns;
	times->sum_ns += ns;
	times->timed++;
	times->hist[place_of(ns)]++;
}

const struct rdt_flow_times *rdt_tracker_flow_times(const struct rdt_tracker *t,
						    enum rdt_flow_op op)
{
	return &t->flow_times[op];
}

uint64_t rdt_flow_times_ns(const struct rdt_flow_times *times, unsigned permille)
{
	uint64_t want = (times->timed * permille + 999) / 1000, seen = 0, ns;

	if (!times->timed)
		return 0;
	if (!want)
		want = 1;
	for (unsigned i = 0; i < RDT_FLOW_HIST_OCTAVES * RDT_FLOW_HIST_SUB; i++) {
		seen += times->hist[i];
		if (seen < want)
			continue;
		ns = middle_of(i);
		return ns < times->min_ns ? times->min_ns : ns > times->max_ns ? times->max_ns : ns;
	}
	return times->max_ns;
}
