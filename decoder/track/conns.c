// SPDX-License-Identifier: BSD-2-Clause
/* Where connections and addresses live: chunks that never move, found by index or by key. */
#include "internal.h"
#include "rdmatrace/setup.h"

#include <string.h>

#define ADDR_CHUNK 256u

struct slot *conn_slot(const struct rdt_tracker *t, uint32_t index)
{
	const uint32_t place = index % t->opts.max_conns;

	if (index >= t->count || index < t->gone)
		return NULL;
	return &t->chunks[place >> CHUNK_BITS][place & (CHUNK - 1)];
}

uint32_t rdt_tracker_conn_count(const struct rdt_tracker *t)
{
	return t->count;
}

const struct rdt_conn *rdt_tracker_conn(const struct rdt_tracker *t, uint32_t index)
{
	const struct slot *s = conn_slot(t, index);

	return s && !s->pub.merged ? &s->pub : NULL;
}

uint32_t rdt_tracker_conn_index(const struct rdt_tracker *t, const struct rdt_conn *conn)
{
	(void)t;
	return ((const struct slot *)(const void *)conn)->index;
}

/* ---- keys ------------------------------------------------------------------------------- */

static uint32_t owner(const struct slot *s, enum rdt_side side)
{
	return s->index << 1 | side;
}

/* Key of what side sends to its peer's QP; alt: under the addresses that the REQ names. */
static uint64_t key_of_flow(const struct slot *s, enum rdt_side side, bool alt)
{
	const enum rdt_side peer = rdt_side_other(side);
	uint32_t from = s->pub.end[side].addr, to = s->pub.end[peer].addr;

	if (alt) {
		if (s->priv[side].alt_addr != SLOT_NONE)
			from = s->priv[side].alt_addr;
		if (s->priv[peer].alt_addr != SLOT_NONE)
			to = s->priv[peer].alt_addr;
	}
	return flow_key(from, to, s->pub.end[peer].qpn);
}

static bool has_alt(const struct slot *s)
{
	return s->priv[RDT_ACTIVE].alt_addr != SLOT_NONE ||
	       s->priv[RDT_PASSIVE].alt_addr != SLOT_NONE;
}

/*
 * A key has passed from an older connection to s. When that was not over yet it is worth telling;
 * its TIMEWAIT may have ended since its last packet.
 */
static void passed(struct rdt_tracker *t, struct slot *s, uint32_t old, enum rdt_side side,
		   enum rdt_reuse what)
{
	struct slot *older = old == RDT_MAP_NONE ? NULL : conn_slot(t, old >> 1);
	enum rdt_side was;
	unsigned state;

	if (!older || older == s || !t->sink.reuse || older->pub.kind != RDT_CONN_CM)
		return;
	/* The owner of a QPN's key is who sends to it. */
	was = what == RDT_REUSE_QPN ? rdt_side_other(old & 1) : (enum rdt_side)(old & 1);
	timer_run(t, older, t->now, false);
	state = older->pub.end[was].cm_state;
	if (state != RDT_CM_NONE && state != RDT_CM_IDLE && state != RDT_CM_DONE)
		t->sink.reuse(t->sink.user, &s->pub, &older->pub, side, what);
}

void conn_bind_id(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t comm_id)
{
	struct rdt_end *e = &s->pub.end[side];
	uint32_t old = RDT_MAP_NONE;

	e->comm_id = comm_id;
	e->has_comm_id = 1;
	map_swap(&t->ids, id_key(e->addr, comm_id), owner(s, side), &old);
	passed(t, s, old, side, RDT_REUSE_COMM_ID);
	if (s->priv[side].alt_addr != SLOT_NONE)
		map_put(&t->ids, id_key(s->priv[side].alt_addr, comm_id), owner(s, side));
}

void conn_bind_qpn(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t qpn)
{
	const enum rdt_side sender = rdt_side_other(side);
	uint32_t old = RDT_MAP_NONE;

	s->pub.end[side].qpn = qpn;
	s->pub.end[side].has_qpn = 1;
	map_swap(&t->flows, key_of_flow(s, sender, false), owner(s, sender), &old);
	passed(t, s, old, side, RDT_REUSE_QPN);
	if (has_alt(s))
		map_put(&t->flows, key_of_flow(s, sender, true), owner(s, sender));
}

/* What a side sends, and what is sent to it, is no longer this connection's. */
static void unbind_flows(struct rdt_tracker *t, const struct slot *s)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const enum rdt_side sender = rdt_side_other(side);

		if (!s->pub.end[side].has_qpn)
			continue;
		map_remove(&t->flows, key_of_flow(s, sender, false), owner(s, sender));
		if (has_alt(s))
			map_remove(&t->flows, key_of_flow(s, sender, true), owner(s, sender));
	}
}

void conn_move(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t addr)
{
	const bool bound = s->pub.bound;

	if (s->pub.end[side].addr == addr)
		return;
	unbind_flows(t, s);
	data_unbind_ud(t, s);
	s->pub.end[side].addr = addr;
	for (unsigned i = 0; i < RDT_SIDES && bound; i++)
		if (s->pub.end[i].has_qpn)
			conn_bind_qpn(t, s, i, s->pub.end[i].qpn);
	if (bound)
		data_bind_ud(t, s, s->pub.end[RDT_ACTIVE].qpn);
}

static void unbind_id(struct rdt_tracker *t, const struct slot *s, enum rdt_side side)
{
	const struct rdt_end *e = &s->pub.end[side];

	if (!e->has_comm_id)
		return;
	map_remove(&t->ids, id_key(e->addr, e->comm_id), owner(s, side));
	if (s->priv[side].alt_addr != SLOT_NONE)
		map_remove(&t->ids, id_key(s->priv[side].alt_addr, e->comm_id), owner(s, side));
}

void conn_forget_passive(struct rdt_tracker *t, struct slot *s)
{
	struct end_priv *priv = &s->priv[RDT_PASSIVE];

	unbind_id(t, s, RDT_PASSIVE);
	s->pub.end[RDT_PASSIVE].has_comm_id = 0;
	s->pub.has_rep = 0; /* its next REP is learnt from as the first was */
	priv->copies[COPY_OPEN] = priv->copies[COPY_MRA] = 0;
	priv->has_mra = 0;
}

/* Take a connection out of all maps; keys that have passed to a newer one stay. */
static void unbind(struct rdt_tracker *t, const struct slot *s)
{
	for (unsigned side = 0; side < RDT_SIDES; side++)
		unbind_id(t, s, side);
	unbind_flows(t, s);
	if (s->pub.kind == RDT_CONN_OOB)
		oob_unbind(t, s);
	else if (s->pub.service == RDT_SVC_UD)
		data_unbind_ud(t, s);
	else if (s->pub.kind == RDT_CONN_DATA)
		data_unbind(t, s);
}

/* Free what only a connection of its kind has. */
static void free_detail(struct rdt_tracker *t, struct slot *s)
{
	if (s->pub.kind == RDT_CONN_MPA && s->iwarp)
		t->memory.resize(t->memory.user, s->iwarp, sizeof(*s->iwarp), 0);
	if (s->pub.kind == RDT_CONN_OOB && s->exchange)
		t->memory.resize(t->memory.user, s->exchange, sizeof(*s->exchange), 0);
	s->iwarp = NULL;
}

/* ---- making and ending ------------------------------------------------------------------- */

void conn_number(struct rdt_tracker *t, uint32_t end)
{
	for (; t->number_next < end; t->number_next++) {
		struct slot *s = conn_slot(t, t->number_next);

		if (s && !s->pub.merged)
			s->pub.n = ++t->numbered;
	}
}

static void evict_oldest(struct rdt_tracker *t)
{
	struct slot *s = conn_slot(t, t->gone);

	conn_number(t, t->gone + 1);
	if (!s->pub.merged) {
		step_settle(t, s);
		if (t->sink.evict)
			t->sink.evict(t->sink.user, &s->pub);
		t->stats.evicted++;
	}
	unbind(t, s);
	free_detail(t, s);
	flow_release(t, s);
	t->gone++;
}

struct slot *conn_new(struct rdt_tracker *t, enum rdt_conn_kind kind, const struct rdt_frame *frame,
		      const struct rdt_when *when, uint32_t active, uint32_t passive)
{
	const uint32_t place = t->count % t->opts.max_conns;
	struct slot **chunk = &t->chunks[place >> CHUNK_BITS];
	static const uint8_t transports[] = {
		[RDT_ENCAP_NONE] = RDT_TRANSPORT_IWARP,
		[RDT_ENCAP_ROCEV2] = RDT_TRANSPORT_ROCEV2,
		[RDT_ENCAP_ROCEV1] = RDT_TRANSPORT_ROCEV1,
		[RDT_ENCAP_IB] = RDT_TRANSPORT_IB,
	};
	struct slot *s;

	if (t->count == INDEX_MAX)
		return NULL;
	if (!*chunk)
		*chunk = t->memory.resize(t->memory.user, NULL, 0, CHUNK * sizeof(**chunk));
	if (!*chunk)
		return NULL;
	if (t->count - t->gone == t->opts.max_conns)
		evict_oldest(t);
	s = &(*chunk)[place & (CHUNK - 1)];
	memset(s, 0, sizeof(*s));
	s->index = t->count++;
	s->next_half = SLOT_NONE;
	s->asked = *when;
	s->pub.kind = (uint8_t)kind;
	s->pub.transport = transports[frame->encap];
	s->pub.start_ns = s->pub.last_ns = when->ns;
	s->pub.first_frame = when->frame;
	s->pub.input = when->input;
	s->pub.end[RDT_ACTIVE].addr = active;
	s->pub.end[RDT_PASSIVE].addr = passive;
	for (unsigned side = 0; side < RDT_SIDES; side++)
		s->priv[side].alt_addr = SLOT_NONE;
	return s;
}

uint32_t rdt_tracker_alt_addr(const struct rdt_tracker *t, uint32_t conn, enum rdt_side side)
{
	const struct slot *s = conn_slot(t, conn);

	return s && s->priv[side].alt_addr != SLOT_NONE ? s->priv[side].alt_addr : RDT_CONN_NONE;
}

/* ---- addresses ---------------------------------------------------------------------------- */

static uint64_t addr_hash(const struct rdt_tracker *t, const struct rdt_addr *addr)
{
	uint64_t a, b;

	memcpy(&a, addr->bytes, sizeof(a));
	memcpy(&b, addr->bytes + 8, sizeof(b));
	return map_mix(map_mix(a ^ t->opts.seed) + b * 0x9e3779b97f4a7c15u + addr->kind);
}

const struct rdt_addr *rdt_tracker_addr(const struct rdt_tracker *t, uint32_t addr)
{
	static const struct rdt_addr none = { { 0 }, RDT_ADDR_NONE };

	if (addr >= t->addr_count)
		return &none;
	return &t->addr_chunks[addr / ADDR_CHUNK][addr % ADDR_CHUNK];
}

/* The place of an address in the hash, or the free one where it would go. */
static uint32_t addr_place(const struct rdt_tracker *t, const struct rdt_addr *addr)
{
	uint32_t i = (uint32_t)addr_hash(t, addr) & t->addr_mask;

	while (t->addr_hash[i] && !rdt_addr_equal(rdt_tracker_addr(t, t->addr_hash[i] - 1), addr))
		i = (i + 1) & t->addr_mask;
	return i;
}

static bool addr_grow(struct rdt_tracker *t)
{
	const size_t had = t->addr_hash ? (size_t)t->addr_mask + 1 : 0;
	const size_t places = had ? had * 2 : 256;
	uint32_t *fresh = t->memory.resize(t->memory.user, NULL, 0, places * sizeof(*fresh));

	if (!fresh)
		return false;
	memset(fresh, 0, places * sizeof(*fresh));
	if (had)
		t->memory.resize(t->memory.user, t->addr_hash, had * sizeof(*fresh), 0);
	t->addr_hash = fresh;
	t->addr_mask = (uint32_t)(places - 1);
	for (uint32_t i = 0; i < t->addr_count; i++)
		fresh[addr_place(t, rdt_tracker_addr(t, i))] = i + 1;
	return true;
}

uint32_t addr_index(struct rdt_tracker *t, const struct rdt_addr *addr)
{
	struct rdt_addr **chunk;
	uint32_t place;

	if (!t->addr_hash || t->addr_count >= t->addr_mask - t->addr_mask / 4)
		if (!addr_grow(t) && (!t->addr_hash || t->addr_count >= t->addr_mask))
			return RDT_CONN_NONE;
	place = addr_place(t, addr);
	if (t->addr_hash[place])
		return t->addr_hash[place] - 1;
	if (t->addr_count == t->opts.max_addrs)
		return RDT_CONN_NONE;
	chunk = &t->addr_chunks[t->addr_count / ADDR_CHUNK];
	if (!*chunk)
		*chunk = t->memory.resize(t->memory.user, NULL, 0, ADDR_CHUNK * sizeof(**chunk));
	if (!*chunk)
		return RDT_CONN_NONE;
	(*chunk)[t->addr_count % ADDR_CHUNK] = *addr;
	t->addr_hash[place] = ++t->addr_count;
	return t->addr_count - 1;
}

bool addr_pair(struct rdt_tracker *t, const struct rdt_frame *frame, uint32_t *src, uint32_t *dst)
{
	const uint32_t a = t->pair_src, b = t->pair_dst;

	/* Most frames go the way of the one before, or back. */
	if (a != RDT_CONN_NONE && rdt_addr_equal(rdt_tracker_addr(t, a), &frame->src) &&
	    rdt_addr_equal(rdt_tracker_addr(t, b), &frame->dst)) {
		*src = a;
		*dst = b;
		return true;
	}
	if (a != RDT_CONN_NONE && rdt_addr_equal(rdt_tracker_addr(t, b), &frame->src) &&
	    rdt_addr_equal(rdt_tracker_addr(t, a), &frame->dst)) {
		*src = b;
		*dst = a;
		return true;
	}
	*src = addr_index(t, &frame->src);
	*dst = addr_index(t, &frame->dst);
	if (*src == RDT_CONN_NONE || *dst == RDT_CONN_NONE) {
		t->stats.lost_addrs++;
		return false;
	}
	t->pair_src = *src;
	t->pair_dst = *dst;
	return true;
}

/* ---- tables of addresses and connections, made and freed with the tracker ------------------- */

bool conns_init(struct rdt_tracker *t)
{
	const size_t chunks = ((size_t)t->opts.max_conns + CHUNK - 1) / CHUNK;
	const size_t addr_chunks = ((size_t)t->opts.max_addrs + ADDR_CHUNK - 1) / ADDR_CHUNK;

	t->chunks = t->memory.resize(t->memory.user, NULL, 0, chunks * sizeof(*t->chunks));
	t->addr_chunks =
		t->memory.resize(t->memory.user, NULL, 0, addr_chunks * sizeof(*t->addr_chunks));
	if (t->chunks)
		memset(t->chunks, 0, chunks * sizeof(*t->chunks));
	if (t->addr_chunks)
		memset(t->addr_chunks, 0, addr_chunks * sizeof(*t->addr_chunks));
	t->chunk_count = (uint32_t)chunks;
	t->addr_chunk_count = (uint32_t)addr_chunks;
	t->pair_src = t->pair_dst = RDT_CONN_NONE;
	return t->chunks && t->addr_chunks;
}

void conns_free(struct rdt_tracker *t)
{
	for (uint32_t i = t->gone; i < t->count; i++) {
		struct slot *s = conn_slot(t, i);

		if (s->pub.kind == RDT_CONN_MPA || s->pub.kind == RDT_CONN_OOB)
			free_detail(t, s);
	}
	for (uint32_t i = 0; t->chunks && i < t->chunk_count; i++)
		if (t->chunks[i])
			t->memory.resize(t->memory.user, t->chunks[i], CHUNK * sizeof(**t->chunks),
					 0);
	for (uint32_t i = 0; t->addr_chunks && i < t->addr_chunk_count; i++)
		if (t->addr_chunks[i])
			t->memory.resize(t->memory.user, t->addr_chunks[i],
					 ADDR_CHUNK * sizeof(**t->addr_chunks), 0);
	if (t->chunks)
		t->memory.resize(t->memory.user, t->chunks, t->chunk_count * sizeof(*t->chunks), 0);
	if (t->addr_chunks)
		t->memory.resize(t->memory.user, t->addr_chunks,
				 t->addr_chunk_count * sizeof(*t->addr_chunks), 0);
	if (t->addr_hash)
		t->memory.resize(t->memory.user, t->addr_hash,
				 ((size_t)t->addr_mask + 1) * sizeof(*t->addr_hash), 0);
}
