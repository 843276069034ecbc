// SPDX-License-Identifier: BSD-2-Clause
/* Many setups that fail at a time, and two hosts that refuse each other. */
#include "internal.h"

#include <string.h>

/* Failures of one service within a second that are called a storm. */
#define STORM 20u
#define SECOND NS_PER_S

static bool failed(const struct look *k)
{
	const enum rdt_outcome o = k->outcome;

	return (k->c->kind == RDT_CONN_CM || k->c->kind == RDT_CONN_SIDR) && !k->c->mid &&
	       (o == RDT_OUTCOME_REJECTED || o == RDT_OUTCOME_REFUSED ||
		o == RDT_OUTCOME_UNANSWERED || (o == RDT_OUTCOME_TIMEOUT && !k->c->established));
}

/* The second in which the request lies is counted on its own: connections come in order of time. */
static void count(struct storm *s, int64_t ns)
{
	if (ns - s->begin_ns >= SECOND || ns < s->begin_ns) {
		s->begin_ns = ns;
		s->now = 0;
	}
	s->now++;
	s->total++;
	s->most = s->now > s->most ? s->now : s->most;
}

static void note_service(struct rdt_why *w, const struct look *k)
{
	const uint64_t key = map_mix((uint64_t)k->c->end[RDT_PASSIVE].addr << 32 ^ k->c->svc);
	struct storm *s = w->storms;

	while (s < w->storms + w->storm_count && s->key != key)
		s++;
	if (s == w->storms + STORMS)
		return;
	if (s == w->storms + w->storm_count) {
		w->storm_count++;
		*s = (struct storm){ .key = key,
				     .begin_ns = k->c->start_ns,
				     .conn = k->index,
				     .frame = k->c->first_frame,
				     .input = k->c->input };
	}
	count(s, k->c->start_ns);
	/* One that is still there when the storm is told of. */
	if (!rdt_tracker_conn(k->t, s->conn))
		s->conn = k->index;
}

static void note_clash(struct rdt_why *w, const struct look *k)
{
	const uint32_t from = k->c->end[RDT_ACTIVE].addr, to = k->c->end[RDT_PASSIVE].addr;
	const unsigned way = from < to ? 0 : 1;
	const uint32_t low = way ? to : from, high = way ? from : to;
	struct clash *c = w->clashes;

	if (!k->c->has_rej || k->c->rej_reason != RDT_REJ_CONSUMER || from == to)
		return;
	while (c < w->clashes + w->clash_count && (c->addr[0] != low || c->addr[1] != high))
		c++;
	if (c == w->clashes + STORMS)
		return;
	if (c == w->clashes + w->clash_count) {
		w->clash_count++;
		*c = (struct clash){ .addr = { low, high },
				     .frame = k->c->rej_frame,
				     .input = k->c->input };
	}
	c->last_ns[way] = k->c->start_ns;
	c->seen[way] = 1;
	c->conn = k->index;
	if (c->seen[!way] && k->c->start_ns - c->last_ns[!way] < SECOND)
		c->count++;
}

void storm_note(const struct look *k)
{
	if (!failed(k))
		return;
	note_service(k->w, k);
	note_clash(k->w, k);
}

/* A finding about the ends of a connection, but not about that connection alone. */
static struct rdt_finding *begin(struct rdt_why *w, enum rdt_why_code code, uint32_t index,
				 unsigned confidence)
{
	const struct rdt_conn *conn = rdt_tracker_conn(w->t, index);
	const struct look k = { .w = w, .t = w->t, .c = conn, .index = index };
	struct rdt_finding *f;

	if (!conn)
		return NULL;
	f = why_begin(&k, code, RDT_ACTIVE, confidence);
	f->conn = RDT_CONN_NONE;
	f->count = 0;
	return f;
}

void storm_rules(struct rdt_why *w)
{
	struct rdt_finding *f;

	for (uint32_t i = 0; i < w->storm_count; i++) {
		const struct storm *s = &w->storms[i];

		f = s->most < STORM ? NULL : begin(w, RDT_WHY_CM_STORM, s->conn, 90);
		if (!f)
			continue;
		why_add(f, RDT_WHY_V_FAILED, s->total, s->frame, s->input);
		why_add(f, RDT_WHY_V_RATE, s->most, 0, 0);
		why_emit(w, f);
	}
	for (uint32_t i = 0; i < w->clash_count; i++) {
		const struct clash *c = &w->clashes[i];

		f = c->count ? begin(w, RDT_WHY_CM_SIMULTANEOUS, c->conn, 70) : NULL;
		if (!f)
			continue;
		why_add(f, RDT_WHY_V_FAILED, c->count, c->frame, c->input);
		why_emit(w, f);
	}
}
