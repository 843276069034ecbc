/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that the peer may reach: the memory lines of a script, for the roles that are played. */
#ifndef REPLAY_MEMORY_H
#define REPLAY_MEMORY_H

#include "replay/build.h"

struct rp_memory {
	const char *name;
	uint64_t va;
	uint32_t rkey;
	uint8_t *bytes; /* g_malloc */
	size_t len;
};

struct rp_memories {
	struct rp_memory *items; /* g_malloc */
	size_t count;
};

/* The memories of the roles in played (bit mask), with addresses and keys drawn. */
void rp_memories_init(struct rp_memories *m, struct rp_env *env, unsigned played);
void rp_memories_clear(struct rp_memories *m);

/* Where the memory of that name is and what its key is: sets its symbols. */
void rp_memory_tell(struct rp_symbols *symbols, const char *name, enum rp_origin origin,
		    uint64_t va, uint32_t rkey);

/* What a fill statement does; false when there is no memory of that name. */
bool rp_memory_fill(struct rp_memories *m, const struct rp_stmt *s, const uint8_t *bytes,
		    size_t len);

/* Where the peer's address is; NULL when key, address or length are not of one memory. */
uint8_t *rp_memory_at(const struct rp_memories *m, uint32_t rkey, uint64_t va, uint64_t len);

/*
 * Do what an operation of the peer does to the memory: a WRITE is written, a READ and an atomic get
 * their reply. False when it may not (a remote access error).
 */
bool rp_memory_apply(struct rp_memories *m, struct rp_op *op);

#endif
