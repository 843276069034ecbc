/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash from 64-bit keys to 32-bit values: open addressing, linear probing, deletion by moving
 * back, memory from the caller. Keys are mixed with a seed, since they come from the wire.
 */
#ifndef RDT_TRACK_MAP_H
#define RDT_TRACK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "rdmatrace/track.h"

#define RDT_MAP_NONE UINT32_MAX /* not a value */

/* Key and value together, in 12 bytes: one look-up, one cache line. */
struct map_place {
	uint32_t key[2]; /* low half, high half */
	uint32_t value;  /* RDT_MAP_NONE marks a free place */
};

/* Spread the bits of x (64-bit finalizer of MurmurHash3). */
static inline uint64_t map_mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

/*
 * Where a key belongs. Four keys that differ in the low two bits only lie side by side: hosts
 * count their ids and QPNs upwards, so what is asked for next is mostly in the same cache line.
 */
static inline uint32_t map_home(uint64_t key, uint64_t seed, uint32_t mask)
{
	return ((uint32_t)map_mix((key >> 2) ^ seed) << 2 | (uint32_t)(key & 3)) & mask;
}

struct map {
	const struct rdt_memory *memory;
	struct map_place *places;
	uint64_t seed;
	uint32_t mask; /* places - 1; a power of two less one, or 0 with places NULL */
	uint32_t used;
};

void map_init(struct map *m, const struct rdt_memory *memory, uint64_t seed);
void map_free(struct map *m);

/* The value of a key, RDT_MAP_NONE when it has none. */
uint32_t map_get(const struct map *m, uint64_t key);

/* Fetch the memory of a key that will be asked for soon. */
static inline void map_prefetch(const struct map *m, uint64_t key)
{
	if (m->places)
		__builtin_prefetch(&m->places[map_home(key, m->seed, m->mask)]);
}

/* Set a key's value (not RDT_MAP_NONE). False when there is no memory. */
bool map_put(struct map *m, uint64_t key, uint32_t value);

/* The same, and what it was before: RDT_MAP_NONE when the key is new. */
bool map_swap(struct map *m, uint64_t key, uint32_t value, uint32_t *ret_old);

/* Remove a key if its value is value (it may have passed to another owner). */
void map_remove(struct map *m, uint64_t key, uint32_t value);

#endif
