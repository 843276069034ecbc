// SPDX-License-Identifier: BSD-2-Clause
#include "replay/memory.h"

#include <string.h>

/* It has a value from now on. */
static struct rp_symbol *drawn(struct rp_env *env, const char *name, const char *suffix)
{
	struct rp_symbol *symbol = rp_symbol_of(env->symbols, name, suffix);

	if (symbol->origin == RP_UNBOUND && env->keep_ids && symbol->has_was)
		rp_symbol_set(symbol, RP_FORCED, symbol->was);
	rp_symbol_fresh(env->symbols, symbol);
	return symbol;
}

void rp_memories_init(struct rp_memories *m, struct rp_env *env, unsigned played)
{
	const struct rp_script *script = env->script;

	*m = (struct rp_memories){ .items = g_new0(struct rp_memory, script->memory_count + 1) };
	for (size_t i = 0; i < script->memory_count; i++) {
		const struct rp_memory_decl *decl = &script->memories[i];

		if (!(played >> decl->role & 1))
			continue;
		m->items[m->count++] = (struct rp_memory){
			.name = decl->name,
			.va = drawn(env, decl->name, "va")->num,
			.rkey = (uint32_t)drawn(env, decl->name, "rkey")->num,
			.bytes = g_malloc0(decl->len + 1),
			.len = decl->len,
		};
	}
}

void rp_memory_tell(struct rp_symbols *symbols, const char *name, enum rp_origin origin,
		    uint64_t va, uint32_t rkey)
{
	rp_symbol_set(rp_symbol_of(symbols, name, "va"), origin, va);
	rp_symbol_set(rp_symbol_of(symbols, name, "rkey"), origin, rkey);
}

void rp_memories_clear(struct rp_memories *m)
{
	for (size_t i = 0; i < m->count; i++)
		g_free(m->items[i].bytes);
	g_free(m->items);
	*m = (struct rp_memories){ .count = 0 };
}

bool rp_memory_fill(struct rp_memories *m, const struct rp_stmt *s, const uint8_t *bytes,
		    size_t len)
{
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->items[i].name, s->name) != 0)
			continue;
		if (!s->has_at)
			memset(m->items[i].bytes, 0, m->items[i].len);
		if (s->at < m->items[i].len)
			memcpy(m->items[i].bytes + s->at, bytes, MIN(len, m->items[i].len - s->at));
		return true;
	}
	return false;
}

uint8_t *rp_memory_at(const struct rp_memories *m, uint32_t rkey, uint64_t va, uint64_t len)
{
	for (size_t i = 0; i < m->count; i++) {
		const struct rp_memory *one = &m->items[i];

		if (one->rkey == rkey && va >= one->va && va - one->va <= one->len &&
		    len <= one->len - (va - one->va))
			return one->bytes + (va - one->va);
	}
	return NULL;
}

static bool apply_atomic(struct rp_memories *m, struct rp_op *op)
{
	uint8_t *at = rp_memory_at(m, rdt_atomiceth_rkey(op->atomiceth),
				   rdt_atomiceth_va(op->atomiceth), 8);
	uint64_t old;

	if (!at || rdt_atomiceth_va(op->atomiceth) % 8)
		return false;
	/* Memory has the number in this machine's byte order; the wire has the most significant first. */
	memcpy(&old, at, sizeof(old));
	g_free(op->reply);
	op->reply = g_malloc0(8);
	op->reply_len = 8;
	rdt_bits_set(op->reply, 0, 64, old);
	if (op->kind == RP_OP_FETCH_ADD)
		old += rdt_atomiceth_swap_add(op->atomiceth);
	else if (old == rdt_atomiceth_compare(op->atomiceth))
		old = rdt_atomiceth_swap_add(op->atomiceth);
	memcpy(at, &old, sizeof(old));
	return true;
}

bool rp_memory_apply(struct rp_memories *m, struct rp_op *op)
{
	const uint32_t len = rdt_reth_dma_len(op->reth);
	uint8_t *at;

	switch (op->kind) {
	case RP_OP_WRITE:
	case RP_OP_WRITE_IMM:
		if (!op->payload_len)
			return true;
		at = rp_memory_at(m, rdt_reth_rkey(op->reth), rdt_reth_va(op->reth),
				  op->payload_len);
		if (at && op->payload)
			memcpy(at, op->payload, op->payload_len);
		return at != NULL;
	case RP_OP_READ:
		at = rp_memory_at(m, rdt_reth_rkey(op->reth), rdt_reth_va(op->reth), len);
		if (!at && len)
			return false;
		g_free(op->reply);
		op->reply = g_malloc0(len + 1);
		op->reply_len = len;
		if (len)
			memcpy(op->reply, at, len);
		return true;
	case RP_OP_CMP_SWAP:
	case RP_OP_FETCH_ADD:
		return apply_atomic(m, op);
	default:
		return true;
	}
}
