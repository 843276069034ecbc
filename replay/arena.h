/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is freed all at once: what a script or a plan is made of. */
#ifndef REPLAY_ARENA_H
#define REPLAY_ARENA_H

#include <stddef.h>

struct rp_arena;

struct rp_arena *rp_arena_new(void);
void rp_arena_free(struct rp_arena *arena); /* NULL is allowed */

/* size zeroed bytes, for any type. Never NULL: the program ends without memory. */
void *rp_arena_alloc(struct rp_arena *arena, size_t size);

/* A terminated copy of len bytes. */
char *rp_arena_text(struct rp_arena *arena, const char *text, size_t len);

/* Room for one more element of a growing array; returns its address, zeroed. */
void *rp_arena_grow(struct rp_arena *arena, void *array, size_t *count, size_t element);

#endif
