// SPDX-License-Identifier: BSD-2-Clause
#include "replay/arena.h"

#include <glib.h>
#include <stddef.h>
#include <string.h>

struct rp_arena {
	GPtrArray *blocks;
	char *at; /* free bytes of the last shared block */
	size_t left;
};

#define BLOCK 16384u

struct rp_arena *rp_arena_new(void)
{
	struct rp_arena *arena = g_new0(struct rp_arena, 1);

	arena->blocks = g_ptr_array_new_with_free_func(g_free);
	return arena;
}

void rp_arena_free(struct rp_arena *arena)
{
	if (!arena)
		return;
	g_ptr_array_free(arena->blocks, TRUE);
	g_free(arena);
}

void *rp_arena_alloc(struct rp_arena *arena, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	void *p;

	size = (size + align - 1) / align * align;
	if (size > BLOCK / 4) {
		p = g_malloc0(size);
		g_ptr_array_add(arena->blocks, p);
		return p;
	}
	if (size > arena->left) {
		arena->at = g_malloc0(BLOCK);
		arena->left = BLOCK;
		g_ptr_array_add(arena->blocks, arena->at);
	}
	p = arena->at;
	arena->at += size;
	arena->left -= size;
	return p;
}

char *rp_arena_text(struct rp_arena *arena, const char *text, size_t len)
{
	char *copy = rp_arena_alloc(arena, len + 1);

	memcpy(copy, text, len);
	return copy;
}

/* Powers of two are the sizes at which a block is full: what is left behind is at most as much. */
void *rp_arena_grow(struct rp_arena *arena, void *array, size_t *count, size_t element)
{
	const size_t n = *count;
	char *items;

	memcpy(&items, array, sizeof(items));
	if (!(n & (n - 1))) {
		char *room = rp_arena_alloc(arena, (n ? 2 * n : 1) * element);

		if (n)
			memcpy(room, items, n * element);
		items = room;
		memcpy(array, &items, sizeof(items));
	}
	++*count;
	return items + n * element;
}
