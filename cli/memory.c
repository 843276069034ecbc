// SPDX-License-Identifier: BSD-2-Clause
#include "memory.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rdmatrace/heap.h"

/* From here on a block is worth it: a huge page of the machines that this runs on. */
#define LARGE ((size_t)2 << 20)

/*
 * A hundred thousand connections are touched once, page after page: faults of 4 kB each took a
 * tenth of the time of a list of them. Where the kernel refuses, nothing is lost.
 */
static void advise(void *block, size_t size)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = ((uintptr_t)block + page - 1) & ~(page - 1);
	const uintptr_t end = ((uintptr_t)block + size) & ~(page - 1);

	if (end > begin)
		madvise((char *)block + (begin - (uintptr_t)block), end - begin, MADV_HUGEPAGE);
}

static void *resize(void *user, void *old, size_t old_size, size_t new_size)
{
	void *block = rdt_heap_resize(user, old, old_size, new_size);

	if (block && new_size >= LARGE)
		advise(block, new_size);
	return block;
}

const struct rdt_memory cli_memory = { .resize = resize };
