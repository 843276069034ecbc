// SPDX-License-Identifier: BSD-2-Clause
/*
 * The -Y language. Input: an expression.
 *
 * Properties: an error has its place inside the expression and prints; a program answers, and
 * not (...) around it answers the opposite, of a packet and of a connection; marks stay inside
 * rdt_filter_marks() and only grow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rdt_value col(void *user, size_t id)
{
	static const struct rdt_addr addr = { .bytes = { [10] = 0xff, 0xff, 10, 0, 0, 2 },
					      .kind = RDT_ADDR_IPV4 };
	const uint64_t *num = user;

	return (struct rdt_value){ .type = (enum rdt_value_type)(id % 7 ? rdt_cols[id].type
									: RDT_VALUE_NULL),
				   .num = *num + id,
				   .text = id % 2 ? "closed" : "",
				   .addr = &addr };
}

static void check_error(const char *expr, size_t size, const struct rdt_filter_error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (err->at > size || !err->what[0] || !out)
		abort();
	rdt_filter_error_print(out, "", expr, size, err);
	fclose(out);
	free(text);
}

static struct rdt_view view(uint64_t *num, const uint8_t *bytes, struct rdt_layer layers[3])
{
	static const struct rdt_view_frame frame = { .when = { .frame = 7 },
						     .len = 100,
						     .cap_len = 90 };

	layers[0] = (struct rdt_layer){ .hdr = RDT_H_bth, .bytes = bytes, .have = RDT_LEN_bth };
	layers[1] = (struct rdt_layer){ .hdr = RDT_H_req, .bytes = bytes, .have = RDT_LEN_req };
	layers[2] = (struct rdt_layer){ .hdr = RDT_H_rej, .bytes = bytes, .have = 100 };
	return (struct rdt_view){ .has = 0x3f,
				  .col = col,
				  .user = num,
				  .layers = layers,
				  .layer_count = 3,
				  .frame = &frame };
}

static void check_answers(const struct rdt_filter *f, const struct rdt_filter *inverse)
{
	static const uint8_t bytes[2][RDT_LEN_req] = { { 0 },
						       { 1, 2, 3, 'd', 'e', 'n', 'i', 'e', 'd' } };

	for (uint64_t num = 0; num < 2; num++) {
		struct rdt_layer layers[3];
		const struct rdt_view v = view(&num, bytes[num], layers);
		uint64_t seen = 0;

		if (rdt_filter_packet(f, &v) == rdt_filter_packet(inverse, &v))
			abort();
		rdt_filter_mark(f, &v, &seen);
		if (seen & ~rdt_filter_marks(f))
			abort();
		if (rdt_filter_conn(f, &v, seen) == rdt_filter_conn(inverse, &v, seen))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *expr = (const char *)data;
	struct rdt_filter_error err = { .at = 0 };
	struct rdt_filter *f = rdt_filter_new(expr, size, &err), *inverse;
	char *around;

	if (!f) {
		check_error(expr, size, &err);
		return 0;
	}
	around = malloc(size + 6);
	if (!around)
		abort();
	memcpy(around, "not (", 5);
	memcpy(around + 5, expr, size);
	around[size + 5] = ')';
	inverse = rdt_filter_new(around, size + 6, &err);
	free(around);
	/* An empty expression, or one that is at a limit already, cannot be put in parentheses. */
	if (inverse)
		check_answers(f, inverse);
	rdt_filter_free(inverse);
	rdt_filter_free(f);
	return 0;
}
