// SPDX-License-Identifier: BSD-2-Clause
#include "replay/sim.h"

/* Latency of the wire; so short that no tolerance sees it. */
#define LATENCY_NS 1000

struct flying {
	struct rp_item *item;
	int64_t ns;
	uint64_t number; /* keeps the order of what arrives at one time */
	unsigned to;
};

struct sim {
	struct rp_player *player[2];
	GArray *flying; /* of struct flying */
	const struct rp_sim_wire *wire;
	int64_t now;
	uint64_t numbers;
};

struct port {
	struct sim *sim;
	unsigned self;
};

static bool send(void *user, struct rp_item *item, char **ret_why)
{
	struct port *port = user;
	struct sim *sim = port->sim;
	int64_t delay = LATENCY_NS;
	unsigned copies = 1;
	struct rp_item *copy = rp_item_copy(item);

	(void)ret_why;
	if (sim->wire && !sim->wire->pass(sim->wire->user, copy, &delay, &copies))
		copies = 0;
	for (unsigned i = 0; i < copies; i++) {
		struct flying f = { .item = rp_item_copy(copy),
				    .ns = sim->now + delay,
				    .number = sim->numbers++,
				    .to = !port->self };

		g_array_append_val(sim->flying, f);
	}
	rp_item_free(copy);
	return true;
}

/* The first to arrive at or before now; -1 for none. */
static int first_arrived(const struct sim *sim)
{
	int best = -1;

	for (guint i = 0; i < sim->flying->len; i++) {
		const struct flying *f = &g_array_index(sim->flying, struct flying, i);
		const struct flying *b =
			best < 0 ? NULL : &g_array_index(sim->flying, struct flying, (guint)best);

		if (f->ns <= sim->now &&
		    (!b || f->ns < b->ns || (f->ns == b->ns && f->number < b->number)))
			best = (int)i;
	}
	return best;
}

static void arrive(struct sim *sim, guint i)
{
	struct flying f = g_array_index(sim->flying, struct flying, i);
	struct rp_player *from = sim->player[!f.to];

	g_array_remove_index(sim->flying, i);
	f.item->ns = sim->now;
	if (f.item->msg.family == RP_OP) {
		/* The peer's memory is here, so that its answer comes at once. */
		f.item->op.refused = !rp_memory_apply(&sim->player[f.to]->memories, &f.item->op);
		if (from->in_flight && f.item->op.reply) {
			g_free(from->in_flight->op.reply);
			from->in_flight->op.reply =
				g_memdup2(f.item->op.reply, f.item->op.reply_len);
			from->in_flight->op.reply_len = f.item->op.reply_len;
		}
	}
	if (f.item->msg.family == RP_OP)
		rp_player_op_done(from, sim->now,
				  f.item->op.refused ? "the peer refuses it" : NULL);
	rp_player_receive(sim->player[f.to], f.item);
}

struct rp_player *rp_sim_run(const struct rp_script *script, const struct rp_script *peer_script,
			     const struct rp_play_opts *opts, uint64_t seed, bool keep_ids,
			     const struct rp_sim_wire *wire)
{
	struct sim sim = { .wire = wire,
			   .flying = g_array_new(FALSE, FALSE, sizeof(struct flying)) };
	struct port ports[2] = { { &sim, 0 }, { &sim, 1 } };
	struct rp_play_opts peer = *opts;
	/* Two ends with addresses of the same kind. */
	const struct rdt_addr fallback[RP_ROLES] = { rdt_addr_ipv4(0x0a000002),
						     rdt_addr_ipv4(0x0a000001) };
	struct rdt_addr addr[RP_ROLES];

	for (unsigned i = 0; i < RP_ROLES; i++) {
		addr[i] = script->roles[i].addr;
		if (addr[i].kind == RDT_ADDR_NONE || addr[i].kind == RDT_ADDR_LID)
			addr[i] = fallback[i];
	}
	if (addr[0].kind != addr[1].kind) {
		addr[0] = fallback[0];
		addr[1] = fallback[1];
	}
	peer.played = ~opts->played & 3;
	for (unsigned i = 0; i < 2; i++) {
		const struct rp_player_ops ops = { .user = &ports[i], .send = send };

		sim.player[i] = rp_player_new(i ? peer_script : script, i ? &peer : opts, &ops,
					      seed ? seed + i : 0, keep_ids, addr);
	}
	for (unsigned i = 0; opts->share && i < 2; i++) {
		const struct rp_memories *own = &sim.player[i]->memories;

		for (size_t k = 0; k < own->count; k++)
			rp_memory_tell(sim.player[!i]->env.symbols, own->items[k].name, RP_LEARNED,
				       own->items[k].va, own->items[k].rkey);
	}
	for (;;) {
		int64_t next = INT64_MAX, when;
		int i;

		for (unsigned k = 0; k < 2; k++) {
			if (sim.player[k]->in_flight && !sim.flying->len)
				rp_player_op_done(sim.player[k], sim.now, "it was lost");
			when = rp_player_run(sim.player[k], sim.now);
			next = MIN(next, when);
		}
		i = first_arrived(&sim);
		if (i >= 0) {
			arrive(&sim, (guint)i);
			continue;
		}
		for (guint k = 0; k < sim.flying->len; k++)
			next = MIN(next, g_array_index(sim.flying, struct flying, k).ns);
		if ((sim.player[0]->in_flight || sim.player[1]->in_flight) && !sim.flying->len)
			continue;
		if (next == INT64_MAX)
			break;
		sim.now = MAX(next, sim.now);
	}
	rp_player_end(sim.player[0], sim.now, NULL);
	rp_player_free(sim.player[1]);
	for (guint k = 0; k < sim.flying->len; k++)
		rp_item_free(g_array_index(sim.flying, struct flying, k).item);
	g_array_unref(sim.flying);
	return sim.player[0];
}
