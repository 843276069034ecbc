/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rdt_memory of a program that has no other wish than malloc's heap. The library itself never includes
 * this: it allocates through what it is given.
 */
#ifndef RDMATRACE_HEAP_H
#define RDMATRACE_HEAP_H

#include <stdlib.h>

#include "rdmatrace/track.h"

/* As struct rdt_memory asks: realloc, with a new size of 0 that frees. user and old_size are not looked at. */
static inline void *rdt_heap_resize(void *user, void *old, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	if (!new_size) {
		free(old);
		return NULL;
	}
	return realloc(old, new_size);
}

/* static const struct rdt_memory memory = RDT_HEAP; */
#define RDT_HEAP                          \
	{                                 \
		.resize = rdt_heap_resize \
	}

#endif
