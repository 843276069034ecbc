/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -s: which connections. A list of numbers, ranges of numbers and 8-digit hexadecimal ids,
 * separated by commas: 3,7-9,5d2e9c41. Eight digits are always an id.
 */
#ifndef RDMA_TRACE_SELECT_H
#define RDMA_TRACE_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selection_item {
	uint32_t first, last; /* numbers; or first is an id */
	bool is_id;
	bool met; /* selection_has() said yes for it */
};

struct selection {
	struct selection_item *items;
	size_t count;
};

/* Does text read like a selection? Says nothing of files of that name. */
bool selection_is(const char *text);

/* Add what text says. False when it is no selection; sel is then unchanged. */
bool selection_add(struct selection *sel, const char *text);

/* Is a connection with this number (0: not known) and id selected? Marks what selected it. */
bool selection_has(struct selection *sel, uint32_t n, uint32_t id);

/* The first item that selected nothing, in words ("no connection 9"); false when all did. */
bool selection_unmet(const struct selection *sel, char *buf, size_t size);

void selection_free(struct selection *sel);

#endif
