/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "select.h"

static bool read_number(const char **text, uint32_t *ret_value)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**text))
		return false;
	errno = 0;
	value = strtoul(*text, &end, 10);
	if (errno || value > UINT32_MAX || value == 0)
		return false;
	*text = end;
	*ret_value = (uint32_t)value;
	return true;
}

/* One item, up to a comma or the end. */
static bool read_item(const char **text, struct selection_item *ret_item)
{
	const size_t len = strcspn(*text, ",");
	struct selection_item item = { 0 };
	const char *p = *text;

	if (len == 8 && strspn(p, "0123456789abcdefABCDEF") >= 8) {
		item.first = (uint32_t)strtoul(p, NULL, 16);
		item.is_id = true;
		p += 8;
	} else {
		if (!read_number(&p, &item.first))
			return false;
		item.last = item.first;
		if (*p == '-') {
			p++;
			if (p == *text + len)
				item.last = UINT32_MAX;
			else if (!read_number(&p, &item.last) || item.last < item.first)
				return false;
		}
	}
	if (p != *text + len)
		return false;
	*text = p;
	*ret_item = item;
	return true;
}

static bool walk(struct selection *sel, const char *text)
{
	struct selection_item item;

	for (;;) {
		if (!read_item(&text, &item))
			return false;
		if (sel) {
			sel->items = realloc(sel->items, (sel->count + 1) * sizeof(*sel->items));
			if (!sel->items)
				cli_no_memory();
			sel->items[sel->count++] = item;
		}
		if (!*text)
			return true;
		text++;
	}
}

bool selection_is(const char *text)
{
	return walk(NULL, text);
}

bool selection_add(struct selection *sel, const char *text)
{
	return walk(NULL, text) && walk(sel, text);
}

bool selection_has(struct selection *sel, uint32_t n, uint32_t id)
{
	bool found = false;

	for (size_t i = 0; i < sel->count; i++) {
		struct selection_item *item = &sel->items[i];

		if (item->is_id ? item->first == id : n && item->first <= n && n <= item->last)
			found = item->met = true;
	}
	return found;
}

bool selection_unmet(const struct selection *sel, char *buf, size_t size)
{
	for (size_t i = 0; i < sel->count; i++) {
		const struct selection_item *item = &sel->items[i];

		if (item->met)
			continue;
		if (item->is_id)
			snprintf(buf, size, "no connection has the id %08" PRIx32, item->first);
		else
			snprintf(buf, size, "there is no connection %" PRIu32, item->first);
		return true;
	}
	return false;
}

void selection_free(struct selection *sel)
{
	free(sel->items);
	*sel = (struct selection){ 0 };
}
