/* SPDX-License-Identifier: BSD-2-Clause */
/* What the fuzz targets share: how a property fails, and memory that is counted and has an end. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "rdmatrace/heap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that does not hold ends the run; the fuzzer keeps the input. */
static inline void require(int what)
{
	if (!what)
		abort();
}

/* Bytes held now through FUZZ_MEMORY; a target's own input never justifies more than the limit. */
#define FUZZ_MEMORY_MAX (64u << 20)

static inline void *fuzz_resize(void *user, void *old, size_t old_size, size_t new_size)
{
	size_t *held = user;

	*held += new_size;
	*held -= old_size;
	require(*held < FUZZ_MEMORY_MAX);
	return rdt_heap_resize(NULL, old, old_size, new_size);
}

#define FUZZ_MEMORY(held)            \
	{                            \
		fuzz_resize, &(held) \
	}

#endif
