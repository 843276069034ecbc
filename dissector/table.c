/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <string.h>

#include "compat.h"

void *table_find(const struct table *t, uint32_t number)
{
	const uint32_t chunk = number / TABLE_CHUNK;

	if (chunk >= t->count || !t->chunks[chunk])
		return NULL;
	return (char *)t->chunks[chunk] + (size_t)(number % TABLE_CHUNK) * t->size;
}

void *table_make(struct table *t, uint32_t number)
{
	const uint32_t chunk = number / TABLE_CHUNK;

	if (chunk >= t->count) {
		const uint32_t count = chunk + 1 + chunk / 2;

		t->chunks = wmem_realloc(wmem_file_scope(), t->chunks, count * sizeof(*t->chunks));
		memset(t->chunks + t->count, 0, (count - t->count) * sizeof(*t->chunks));
		t->count = count;
	}
	if (!t->chunks[chunk])
		t->chunks[chunk] = wmem_alloc0(wmem_file_scope(), TABLE_CHUNK * t->size);
	return table_find(t, number);
}

void table_reset(struct table *t)
{
	t->chunks = NULL;
	t->count = 0;
}
