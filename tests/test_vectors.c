// SPDX-License-Identifier: BSD-2-Clause
/*
 * Known answers: where each field of each header lies. vectors/ has the bytes and the values, put
 * down in the order and with the widths of the pages that are named there, never through the
 * tables of decoder/wire. test_field.c cannot see a row that is in the wrong place; this can.
 *
 * VECTOR(header, bytes in hex, N(field, number), B(field, bytes in hex) ...)
 */
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/field.h"
#include "support/hex.h"

#define MAX_FIELDS 64
#define ROOM 256

struct expect {
	const char *field;
	uint64_t number;
	const char *bytes; /* NULL for a number */
};

struct vector {
	const char *hdr;
	const char *bytes;
	struct expect expect[MAX_FIELDS];
};

#define VECTOR(hdr, bytes, ...) { #hdr, bytes, { __VA_ARGS__ } },
/* clang-format off */
#define N(field, number) { #field, number, NULL }
#define B(field, bytes) { #field, 0, bytes }

static const struct vector vectors[] = {
#include "vectors/link.h"
#include "vectors/transport.h"
#include "vectors/mad.h"
#include "vectors/sa.h"
#include "vectors/cm.h"
#include "vectors/private.h"
#include "vectors/iwarp.h"
};
/* clang-format on */

#define VECTORS (sizeof(vectors) / sizeof(vectors[0]))

static const struct rdt_hdr *hdr_of(const struct vector *v)
{
	return rdt_hdr_find(v->hdr, strlen(v->hdr));
}

static const struct rdt_field *field_of(const struct vector *v, const struct expect *e)
{
	char name[96];

	snprintf(name, sizeof(name), "%s.%s", v->hdr, e->field);
	return rdt_field_find(name, strlen(name));
}

static const struct expect *expect_of(const struct vector *v, const struct rdt_field *f)
{
	for (const struct expect *e = v->expect; e < v->expect + MAX_FIELDS && e->field; e++)
		if (!strcmp(e->field, f->key))
			return e;
	return NULL;
}

Test(vectors, fields_read_what_the_pages_say)
{
	for (size_t i = 0; i < VECTORS; i++) {
		const struct vector *v = &vectors[i];
		uint8_t wire[ROOM], want[ROOM];
		const size_t len = hex_read(v->bytes, wire, sizeof(wire));

		cr_assert(hdr_of(v), "no header %s", v->hdr);
		cr_expect(hdr_of(v)->len == len, "%s has %u bytes, the page says %zu", v->hdr,
			  hdr_of(v)->len, len);
		for (const struct expect *e = v->expect; e < v->expect + MAX_FIELDS && e->field;
		     e++) {
			const struct rdt_field *f = field_of(v, e);

			cr_assert(f, "no field %s.%s", v->hdr, e->field);
			cr_assert(rdt_field_is_num(f) == !e->bytes, "%s.%s", v->hdr, e->field);
			if (!e->bytes) {
				cr_expect(rdt_field_get(f, wire) == e->number,
					  "%s.%s: 0x%llx, not 0x%llx", v->hdr, e->field,
					  (unsigned long long)rdt_field_get(f, wire),
					  (unsigned long long)e->number);
				continue;
			}
			cr_assert(hex_read(e->bytes, want, sizeof(want)) == f->width / 8u, "%s.%s",
				  v->hdr, e->field);
			cr_expect(!memcmp(rdt_field_bytes(f, wire), want, f->width / 8u), "%s.%s",
				  v->hdr, e->field);
		}
	}
}

Test(vectors, writing_the_fields_makes_the_bytes)
{
	for (size_t i = 0; i < VECTORS; i++) {
		const struct vector *v = &vectors[i];
		uint8_t want[ROOM], wire[ROOM];
		const size_t len = hex_read(v->bytes, want, sizeof(want));

		memset(wire, 0xa5, sizeof(wire));
		for (const struct expect *e = v->expect; e < v->expect + MAX_FIELDS && e->field;
		     e++) {
			const struct rdt_field *f = field_of(v, e);

			cr_assert(f, "no field %s.%s", v->hdr, e->field);
			if (e->bytes)
				hex_read(e->bytes, wire + f->at / 8, f->width / 8u);
			else
				cr_expect(rdt_field_set(f, wire, e->number) == RDT_OK, "%s.%s",
					  v->hdr, e->field);
		}
		cr_expect(!memcmp(wire, want, len), "%s", v->hdr);
	}
}

/* A field that no vector expects, or always as 0, could be anywhere. */
Test(vectors, every_field_is_expected_and_not_always_zero)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		size_t expected = 0, nonzero = 0;

		for (size_t k = 0; k < VECTORS; k++) {
			const struct expect *e = NULL;

			if (!strcmp(vectors[k].hdr, rdt_hdrs[f->hdr].key))
				e = expect_of(&vectors[k], f);
			expected += e != NULL;
			nonzero += e && (e->number || e->bytes);
		}
		cr_expect(expected, "%s.%s is in no vector", rdt_hdrs[f->hdr].key, f->key);
		cr_expect(nonzero, "%s.%s is 0 in every vector", rdt_hdrs[f->hdr].key, f->key);
	}
}

/* Two fields of one width that are always equal could be swapped: FECN and BECN, for one. */
Test(vectors, no_two_fields_could_be_swapped)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		for (size_t k = i + 1; k < rdt_hdrs[rdt_fields[i].hdr].end; k++) {
			const struct rdt_field *a = &rdt_fields[i], *b = &rdt_fields[k];
			int differ = a->width != b->width;

			for (size_t n = 0; n < VECTORS && !differ; n++) {
				const struct expect *x, *y;

				if (strcmp(vectors[n].hdr, rdt_hdrs[a->hdr].key))
					continue;
				x = expect_of(&vectors[n], a);
				y = expect_of(&vectors[n], b);
				if (!x || !y)
					continue;
				differ = x->bytes && y->bytes ? strcmp(x->bytes, y->bytes) != 0
							      : x->number != y->number;
			}
			cr_expect(differ, "%s.%s and %s are alike in every vector",
				  rdt_hdrs[a->hdr].key, a->key, b->key);
		}
	}
}
