// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/field.h"

#include <string.h>

#define L(list, title, source) static const struct rdt_name rows_##list[] = {
#define N(list, value, symbol, key, text) { value, key, text },
/* The last row is not counted; it keeps an empty list from being an empty array. */
#define LE(list)                       \
	{                              \
		UINT32_MAX, NULL, NULL \
	}                              \
	}                              \
	;
#include "wire/enums.def"
#undef L
#undef N
#undef LE

static const struct rdt_name rows_bth_opcode[] = {
#define OP(value, symbol, text, ext, kind, place, payload) { value, #symbol, text },
#include "wire/opcode.def"
#undef OP
	{ UINT32_MAX, NULL, NULL }
};

#define ROWS(list) rows_##list, sizeof(rows_##list) / sizeof(rows_##list[0]) - 1

const struct rdt_names rdt_names[RDT_NAMES_COUNT] = {
#define L(list, title, source) [RDT_NAMES_##list] = { #list, title, source, ROWS(list) },
#define N(list, value, symbol, key, text)
#define LE(list)
#include "wire/enums.def"
#undef L
#undef N
#undef LE
	[RDT_NAMES_bth_opcode] = { "bth_opcode", "BTH opcode", "IBTA Vol 1, 9.2.1, table 38",
				   ROWS(bth_opcode) },
};

const struct rdt_name *rdt_name_find(enum rdt_names_id list, uint64_t value)
{
	const struct rdt_name *rows = rdt_names[list].rows;
	size_t low = 0, high = rdt_names[list].count;

	while (low < high) {
		const size_t mid = (low + high) / 2;

		if (rows[mid].value == value)
			return &rows[mid];
		if (rows[mid].value < value)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

const char *rdt_name_key(enum rdt_names_id list, uint64_t value, const char *fallback)
{
	const struct rdt_name *name = rdt_name_find(list, value);

	return name ? name->key : fallback;
}

/* One case, one separator: people write invalid_service_id and Invalid-Service-Id. */
static char fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' ? '-' : c;
}

const struct rdt_name *rdt_name_parse(enum rdt_names_id list, const char *key, size_t len)
{
	for (size_t i = 0; i < rdt_names[list].count; i++) {
		const char *have = rdt_names[list].rows[i].key;
		size_t n = 0;

		while (n < len && have[n] && fold(have[n]) == fold(key[n]))
			n++;
		if (n == len && !have[n])
			return &rdt_names[list].rows[i];
	}
	return NULL;
}
