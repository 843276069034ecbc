/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things by number: chunks that never move, made when something in them is first wanted, zeroed.
 * Memory is that of the capture file and goes with it; table_reset() forgets it.
 */
#ifndef RDMACM_TABLE_H
#define RDMACM_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define TABLE_CHUNK 1024u

struct table {
	size_t size; /* bytes of a thing */
	uint32_t count;
	void **chunks;
};

/* The thing; NULL when its chunk was never made. */
void *table_find(const struct table *t, uint32_t number);

/* The same, with its chunk made when it is not there. */
void *table_make(struct table *t, uint32_t number);

void table_reset(struct table *t);

#endif
