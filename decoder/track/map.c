// SPDX-License-Identifier: BSD-2-Clause
#include "map.h"

#include <string.h>

#define FIRST_PLACES 1024u

void map_init(struct map *m, const struct rdt_memory *memory, uint64_t seed)
{
	*m = (struct map){ .memory = memory, .seed = seed };
}

static uint32_t home(const struct map *m, uint64_t key)
{
	return (uint32_t)map_mix(key ^ m->seed) & m->mask;
}

static void release(const struct map *m, uint64_t *keys, uint32_t *values, size_t places)
{
	m->memory->resize(m->memory->user, keys, places * sizeof(*keys), 0);
	m->memory->resize(m->memory->user, values, places * sizeof(*values), 0);
}

void map_free(struct map *m)
{
	if (m->keys)
		release(m, m->keys, m->values, (size_t)m->mask + 1);
	map_init(m, m->memory, m->seed);
}

/* The place of a key, or the free one where it would go. */
static uint32_t place(const struct map *m, uint64_t key)
{
	uint32_t i = home(m, key);

	while (m->values[i] != RDT_MAP_NONE && m->keys[i] != key)
		i = (i + 1) & m->mask;
	return i;
}

uint32_t map_get(const struct map *m, uint64_t key)
{
	return m->keys ? m->values[place(m, key)] : RDT_MAP_NONE;
}

static bool grow(struct map *m)
{
	const struct map old = *m;
	const size_t had = old.keys ? (size_t)old.mask + 1 : 0;
	const size_t places = had ? had * 2 : FIRST_PLACES;
	uint64_t *keys = m->memory->resize(m->memory->user, NULL, 0, places * sizeof(*keys));
	uint32_t *values = m->memory->resize(m->memory->user, NULL, 0, places * sizeof(*values));

	if (!keys || !values || places - 1 > UINT32_MAX / 2) {
		if (keys)
			m->memory->resize(m->memory->user, keys, places * sizeof(*keys), 0);
		if (values)
			m->memory->resize(m->memory->user, values, places * sizeof(*values), 0);
		return false;
	}
	memset(values, 0xff, places * sizeof(*values));
	m->keys = keys;
	m->values = values;
	m->mask = (uint32_t)(places - 1);
	for (size_t i = 0; i < had; i++) {
		if (old.values[i] != RDT_MAP_NONE) {
			const uint32_t to = place(m, old.keys[i]);

			keys[to] = old.keys[i];
			values[to] = old.values[i];
		}
	}
	if (had)
		release(m, old.keys, old.values, had);
	return true;
}

bool map_put(struct map *m, uint64_t key, uint32_t value)
{
	uint32_t i;

	/* At most three quarters full, so that probes stay short. */
	if (!m->keys || m->used >= m->mask - m->mask / 4)
		if (!grow(m) && (!m->keys || m->used >= m->mask))
			return false;
	i = place(m, key);
	if (m->values[i] == RDT_MAP_NONE)
		m->used++;
	m->keys[i] = key;
	m->values[i] = value;
	return true;
}

void map_remove(struct map *m, uint64_t key, uint32_t value)
{
	uint32_t hole, i;

	if (!m->keys)
		return;
	hole = place(m, key);
	if (m->values[hole] != value)
		return;
	/* Move back what had to step over the hole, so that no mark of deletion is needed. */
	for (i = (hole + 1) & m->mask; m->values[i] != RDT_MAP_NONE; i = (i + 1) & m->mask) {
		const uint32_t h = home(m, m->keys[i]);

		if (((i - h) & m->mask) >= ((i - hole) & m->mask)) {
			m->keys[hole] = m->keys[i];
			m->values[hole] = m->values[i];
			hole = i;
		}
	}
	m->values[hole] = RDT_MAP_NONE;
	m->used--;
}
