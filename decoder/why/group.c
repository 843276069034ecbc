// SPDX-License-Identifier: BSD-2-Clause
/*
 * Alike findings are one, with a count: the same code about the same service, or between the same
 * two addresses where there is no service. Bounded: what has no room is counted.
 */
#include "internal.h"

#include <string.h>

#define MOST_RANGES 65536u
#define MOST_LATE 65536u

/* ---- which are alike ------------------------------------------------------------------------- */

static enum rdt_why_type type_of(unsigned value)
{
	return rdt_why_value_type((enum rdt_why_value)value);
}

static uint64_t key_of(const struct rdt_finding *f)
{
	uint64_t key = map_mix((uint64_t)f->code << 32 | (uint64_t)f->side << 16 | f->kind);

	key = map_mix(key ^ f->addr[RDT_PASSIVE]);
	if (f->svc)
		key = map_mix(key ^ f->svc);
	else if (f->port)
		key = map_mix(key ^ f->port);
	else
		key = map_mix(key ^ ((uint64_t)f->addr[RDT_ACTIVE] << 32));
	for (unsigned i = 0; i < 16; i++)
		key = (key ^ f->address.bytes[i]) * 0x100000001b3u;
	for (unsigned i = 0; f->has_path && i < 16; i++)
		key = (key ^ f->path[RDT_ACTIVE].bytes[i] ^
		       (unsigned)f->path[RDT_PASSIVE].bytes[i] << 8) *
		      0x100000001b3u;
	for (unsigned i = 0; i < f->ev_count; i++)
		if (type_of(f->ev[i].value) == RDT_WHY_CODE)
			key = map_mix(key ^ ((uint64_t)f->ev[i].value << 32 | f->ev[i].num));
	return key;
}

/* ---- joining ----------------------------------------------------------------------------------- */

static void join_value(struct rdt_evidence *into, const struct rdt_evidence *ev)
{
	switch (type_of(ev->value)) {
	case RDT_WHY_COUNT_OF:
		into->num = ev->num < UINT64_MAX - into->num ? into->num + ev->num : UINT64_MAX;
		into->more = 1;
		break;
	case RDT_WHY_NS:
		into->more |= ev->num != into->num || into->most != into->num;
		into->num = ev->num < into->num ? ev->num : into->num;
		into->most = ev->most > into->most ? ev->most : into->most;
		break;
	case RDT_WHY_NUM:
	case RDT_WHY_HEX:
	case RDT_WHY_CODE:
	case RDT_WHY_ADDR:
	case RDT_WHY_BYTES:
		break;
	}
}

static bool repeats(const struct rdt_finding *f, unsigned value)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->ev_count; i++)
		n += f->ev[i].value == value;
	return n > 1;
}

static void join(struct rdt_finding *into, const struct rdt_finding *f)
{
	for (unsigned i = 0; i < f->ev_count; i++) {
		/* A list of times stays that of the first. */
		if (repeats(f, f->ev[i].value))
			continue;
		for (unsigned k = 0; k < into->ev_count; k++)
			if (into->ev[k].value == f->ev[i].value && !repeats(into, f->ev[i].value))
				join_value(&into->ev[k], &f->ev[i]);
	}
	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (into->addr[side] != f->addr[side])
			into->many |= (uint8_t)(1u << side);
	into->first_ns = f->first_ns < into->first_ns ? f->first_ns : into->first_ns;
	into->last_ns = f->last_ns > into->last_ns ? f->last_ns : into->last_ns;
	into->confidence = f->confidence < into->confidence ? f->confidence : into->confidence;
}

/* Number n to the ranges, wherever it belongs. */
static void add_number(struct rdt_why *w, struct group *g, uint32_t n)
{
	uint32_t at = g->pub.range_count;

	while (at && g->ranges[at - 1].first > n)
		at--;
	if (at && n <= g->ranges[at - 1].last)
		return;
	if (at && g->ranges[at - 1].last + 1 == n) {
		g->ranges[at - 1].last = n;
		if (at < g->pub.range_count && g->ranges[at].first == n + 1) {
			g->ranges[at - 1].last = g->ranges[at].last;
			memmove(&g->ranges[at], &g->ranges[at + 1],
				(g->pub.range_count - at - 1) * sizeof(*g->ranges));
			g->pub.range_count--;
		}
		return;
	}
	if (at < g->pub.range_count && g->ranges[at].first == n + 1) {
		g->ranges[at].first = n;
		return;
	}
	if (g->pub.range_count == MOST_RANGES ||
	    !why_grow(w, &g->ranges, &g->range_room, g->pub.range_count, sizeof(*g->ranges))) {
		g->pub.unlisted++;
		return;
	}
	memmove(&g->ranges[at + 1], &g->ranges[at], (g->pub.range_count - at) * sizeof(*g->ranges));
	g->ranges[at] = (struct rdt_conn_range){ n, n };
	g->pub.range_count++;
}

static void add_conn(struct rdt_why *w, struct group *g, uint32_t index)
{
	const struct rdt_conn *conn = rdt_tracker_conn(w->t, index);

	if (conn && conn->n) {
		add_number(w, g, conn->n);
	} else if (g->late_count < MOST_LATE &&
		   why_grow(w, &g->late, &g->late_room, g->late_count, sizeof(*g->late))) {
		g->late[g->late_count++] = index;
	} else {
		g->pub.unlisted++;
	}
}

static void link_conn(struct rdt_why *w, uint32_t index, uint32_t group)
{
	const uint32_t head = map_get(&w->links_of, index);

	if (!why_grow(w, &w->links, &w->link_room, w->link_count, sizeof(*w->links)))
		return;
	w->links[w->link_count] = (struct link){ group, head == RDT_MAP_NONE ? LINK_NONE : head };
	if (map_put(&w->links_of, index, w->link_count))
		w->link_count++;
	else
		w->no_memory = 1;
}

static struct group *group_make(struct rdt_why *w, uint64_t key, const struct rdt_finding *f)
{
	struct group *g;

	if (w->group_count == w->opts.max_findings ||
	    !why_grow(w, &w->groups, &w->group_room, w->group_count, sizeof(*w->groups)) ||
	    !map_put(&w->group_of, key, w->group_count)) {
		w->stats.findings_lost++;
		return NULL;
	}
	g = &w->groups[w->group_count++];
	memset(g, 0, sizeof(*g));
	g->pub = *f;
	g->key = key;
	g->last_index = RDT_CONN_NONE;
	w->stats.counted[f->severity]++;
	return g;
}

void group_add(struct rdt_why *w, const struct rdt_finding *f)
{
	const uint64_t key = key_of(f);
	const uint32_t place = map_get(&w->group_of, key);
	struct group *g;

	if (place == RDT_MAP_NONE) {
		g = group_make(w, key, f);
		if (!g)
			return;
	} else {
		g = &w->groups[place];
		join(&g->pub, f);
		if (f->conn != RDT_CONN_NONE && f->conn != g->last_index)
			g->pub.count++;
	}
	if (f->conn == RDT_CONN_NONE || f->conn == g->last_index)
		return;
	g->last_index = f->conn;
	add_conn(w, g, f->conn);
	link_conn(w, f->conn, (uint32_t)(g - w->groups));
}

/* ---- the list ------------------------------------------------------------------------------------ */

static bool graver(const struct rdt_finding *a, const struct rdt_finding *b)
{
	if (a->severity != b->severity)
		return a->severity > b->severity;
	if (!a->count != !b->count)
		return a->count > b->count; /* about connections, then about the capture */
	if (a->first_ns != b->first_ns)
		return a->first_ns < b->first_ns;
	return a->code < b->code;
}

static void sort(const struct rdt_why *w)
{
	for (uint32_t gap = w->group_count / 2; gap; gap /= 2) {
		for (uint32_t i = gap; i < w->group_count; i++) {
			const uint32_t moved = w->order[i];
			uint32_t k = i;

			for (; k >= gap &&
			       graver(&w->groups[moved].pub, &w->groups[w->order[k - gap]].pub);
			     k -= gap)
				w->order[k] = w->order[k - gap];
			w->order[k] = moved;
		}
	}
}

void groups_finish(struct rdt_why *w)
{
	for (uint32_t i = 0; i < w->group_count; i++) {
		struct group *g = &w->groups[i];

		for (uint32_t k = 0; k < g->late_count; k++) {
			const struct rdt_conn *conn =
				rdt_tracker_conn(w->t, rdt_tracker_conn_final(w->t, g->late[k]));

			if (conn && conn->n)
				add_number(w, g, conn->n);
			else
				g->pub.unlisted++;
		}
		g->late_count = 0;
		g->pub.ranges = g->ranges;
	}
	if (!w->group_count)
		return;
	w->order = w->memory.resize(w->memory.user, w->order,
				    w->order ? w->group_count * sizeof(*w->order) : 0,
				    w->group_count * sizeof(*w->order));
	if (!w->order) {
		w->no_memory = 1;
		return;
	}
	for (uint32_t i = 0; i < w->group_count; i++)
		w->order[i] = i;
	sort(w);
	for (uint32_t i = 0; i < w->group_count; i++)
		w->groups[w->order[i]].place = i;
}

void groups_free(struct rdt_why *w)
{
	const struct rdt_memory *m = &w->memory;

	for (uint32_t i = 0; i < w->group_count; i++) {
		struct group *g = &w->groups[i];

		if (g->ranges)
			m->resize(m->user, g->ranges, g->range_room * sizeof(*g->ranges), 0);
		if (g->late)
			m->resize(m->user, g->late, g->late_room * sizeof(*g->late), 0);
	}
	if (w->order)
		m->resize(m->user, w->order, w->group_count * sizeof(*w->order), 0);
	if (w->groups)
		m->resize(m->user, w->groups, w->group_room * sizeof(*w->groups), 0);
	if (w->links)
		m->resize(m->user, w->links, w->link_room * sizeof(*w->links), 0);
}

size_t rdt_why_count(const struct rdt_why *w)
{
	return w->order ? w->group_count : 0;
}

const struct rdt_finding *rdt_why_finding(const struct rdt_why *w, size_t i)
{
	return w->order && i < w->group_count ? &w->groups[w->order[i]].pub : NULL;
}

size_t rdt_why_place(const struct rdt_why *w, const struct rdt_finding *f)
{
	for (uint32_t i = 0; i < w->group_count; i++)
		if (&w->groups[i].pub == f)
			return w->groups[i].place;
	return w->group_count;
}

size_t rdt_why_of(const struct rdt_why *w, uint32_t conn, const struct rdt_finding **ret,
		  size_t room)
{
	size_t count = 0;

	for (uint32_t i = map_get(&w->links_of, conn); i != RDT_MAP_NONE && i != LINK_NONE;
	     i = w->links[i].next) {
		const struct rdt_finding *f = &w->groups[w->links[i].group].pub;
		size_t at = count < room ? count : room;

		for (; at && graver(f, ret[at - 1]); at--)
			if (at < room)
				ret[at] = ret[at - 1];
		if (at < room)
			ret[at] = f;
		count++;
	}
	return count;
}
