// SPDX-License-Identifier: BSD-2-Clause
#include "map.h"

#include <string.h>

#define FIRST_PLACES 1024u

void map_init(struct map *m, const struct rdt_memory *memory, uint64_t seed)
{
	*m = (struct map){ .memory = memory, .seed = seed };
}

static uint64_t key_of(const struct map_place *p)
{
	return (uint64_t)p->key[1] << 32 | p->key[0];
}

static void fill(struct map_place *p, uint64_t key, uint32_t value)
{
	p->key[0] = (uint32_t)key;
	p->key[1] = (uint32_t)(key >> 32);
	p->value = value;
}

static uint32_t home(const struct map *m, uint64_t key)
{
	return map_home(key, m->seed, m->mask);
}

static size_t bytes(size_t places)
{
	return places * sizeof(struct map_place);
}

void map_free(struct map *m)
{
	if (m->places)
		m->memory->resize(m->memory->user, m->places, bytes((size_t)m->mask + 1), 0);
	map_init(m, m->memory, m->seed);
}

/* The place of a key, or the free one where it would go. */
static uint32_t find(const struct map *m, uint64_t key)
{
	uint32_t i = home(m, key);

	while (m->places[i].value != RDT_MAP_NONE && key_of(&m->places[i]) != key)
		i = (i + 1) & m->mask;
	return i;
}

uint32_t map_get(const struct map *m, uint64_t key)
{
	return m->places ? m->places[find(m, key)].value : RDT_MAP_NONE;
}

static bool grow(struct map *m)
{
	const struct map old = *m;
	const size_t had = old.places ? (size_t)old.mask + 1 : 0;
	const size_t places = had ? had * 2 : FIRST_PLACES;
	struct map_place *fresh;

	if (places - 1 > UINT32_MAX / 2)
		return false;
	fresh = m->memory->resize(m->memory->user, NULL, 0, bytes(places));
	if (!fresh)
		return false;
	memset(fresh, 0xff, bytes(places));
	m->places = fresh;
	m->mask = (uint32_t)(places - 1);
	for (size_t i = 0; i < had; i++)
		if (old.places[i].value != RDT_MAP_NONE)
			fresh[find(m, key_of(&old.places[i]))] = old.places[i];
	if (had)
		m->memory->resize(m->memory->user, old.places, bytes(had), 0);
	return true;
}

bool map_swap(struct map *m, uint64_t key, uint32_t value, uint32_t *ret_old)
{
	uint32_t i;

	/* At most three quarters full, so that probes stay short. */
	if (!m->places || m->used >= m->mask - m->mask / 4)
		if (!grow(m) && (!m->places || m->used >= m->mask))
			return false;
	i = find(m, key);
	*ret_old = m->places[i].value;
	if (*ret_old == RDT_MAP_NONE)
		m->used++;
	fill(&m->places[i], key, value);
	return true;
}

bool map_put(struct map *m, uint64_t key, uint32_t value)
{
	uint32_t old;

	return map_swap(m, key, value, &old);
}

void map_remove(struct map *m, uint64_t key, uint32_t value)
{
	uint32_t hole, i;

	if (!m->places)
		return;
	hole = find(m, key);
	if (m->places[hole].value != value)
		return;
	/* Move back what had to step over the hole, so that no mark of deletion is needed. */
	for (i = (hole + 1) & m->mask; m->places[i].value != RDT_MAP_NONE; i = (i + 1) & m->mask) {
		const uint32_t h = home(m, key_of(&m->places[i]));

		if (((i - h) & m->mask) >= ((i - hole) & m->mask)) {
			m->places[hole] = m->places[i];
			hole = i;
		}
	}
	m->places[hole].value = RDT_MAP_NONE;
	m->used--;
}
