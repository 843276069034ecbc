// SPDX-License-Identifier: BSD-2-Clause
/*
 * Replay scripts. Input: a script.
 *
 * Properties: an error has a place inside the text and says something; what parses prints, and the
 * print parses to a script that prints the same.
 */
#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "replay/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const char *text, size_t size, const struct rp_error *error)
{
	uint32_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	if (!error->what[0] || !error->pos.line || error->pos.line > lines || !error->pos.col ||
	    error->pos.col > size + 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct rp_error error;
	struct rp_script *script = rp_script_parse("fuzz.rdt", text, size, &error), *again;
	char *first, *second;

	if (!script) {
		check_error(text, size, &error);
		return 0;
	}
	first = rp_script_print(script);
	again = rp_script_parse("again.rdt", first, strlen(first), &error);
	if (!again)
		abort();
	second = rp_script_print(again);
	if (strcmp(first, second) != 0 || again->stmt_count != script->stmt_count)
		abort();
	g_free(first);
	g_free(second);
	rp_script_free(script);
	rp_script_free(again);
	return 0;
}
