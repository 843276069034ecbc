// SPDX-License-Identifier: BSD-2-Clause
/*
 * Laws that every row of the wire tables obeys. They hold for a row that is in the wrong place as
 * well: test_vectors.c says where the rows belong.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/field.h"

/* Longer than any header. */
#define ROOM 256

static const char *full_name(const struct rdt_field *f)
{
	static char name[96];

	snprintf(name, sizeof(name), "%s.%s", rdt_hdrs[f->hdr].key, f->key);
	return name;
}

static uint64_t max_of(const struct rdt_field *f)
{
	return f->width >= 64 ? UINT64_MAX : (1ull << f->width) - 1;
}

/* The bits of a field, bit by bit. */
static void mask_of(const struct rdt_field *f, uint8_t mask[ROOM])
{
	memset(mask, 0, ROOM);
	for (unsigned bit = f->at; bit < (unsigned)f->at + f->width; bit++)
		mask[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
}

static void fill(uint8_t *buf, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		buf[i] = (uint8_t)(seed >> 24);
	}
}

Test(field, set_touches_exactly_its_bits)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		uint8_t ones[ROOM], zero[ROOM] = { 0 }, mask[ROOM];

		if (!rdt_field_is_num(f))
			continue;
		memset(ones, 0xff, sizeof(ones));
		mask_of(f, mask);
		cr_expect(rdt_field_set(f, zero, max_of(f)) == RDT_OK, "%s", full_name(f));
		cr_expect(rdt_field_set(f, ones, 0) == RDT_OK, "%s", full_name(f));
		for (size_t k = 0; k < ROOM; k++) {
			cr_expect(zero[k] == mask[k], "%s sets bits of byte %zu", full_name(f), k);
			cr_expect((ones[k] ^ mask[k]) == 0xff, "%s clears bits of byte %zu",
				  full_name(f), k);
		}
	}
}

Test(field, get_returns_what_set_wrote)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		uint8_t buf[ROOM];

		if (!rdt_field_is_num(f))
			continue;
		fill(buf, sizeof(buf), (uint32_t)i);
		for (unsigned bit = 0; bit < f->width; bit++) {
			const uint64_t values[] = { 1ull << bit, max_of(f) ^ 1ull << bit,
						    0x0123456789abcdefull >> bit & max_of(f) };

			for (size_t k = 0; k < 3; k++) {
				cr_expect(rdt_field_set(f, buf, values[k]) == RDT_OK, "%s",
					  full_name(f));
				cr_expect(rdt_field_get(f, buf) == values[k], "%s", full_name(f));
			}
		}
	}
}

Test(field, one_too_many_is_out_of_range)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		uint8_t buf[ROOM], before[ROOM];

		if (!rdt_field_is_num(f) || f->width == 64)
			continue;
		fill(buf, sizeof(buf), (uint32_t)i);
		memcpy(before, buf, sizeof(buf));
		cr_expect(rdt_field_set(f, buf, max_of(f) + 1) == RDT_RANGE, "%s", full_name(f));
		cr_expect(rdt_field_set(f, buf, UINT64_MAX) == RDT_RANGE, "%s", full_name(f));
		cr_expect(!memcmp(before, buf, sizeof(buf)), "%s changed", full_name(f));
	}
}

Test(field, runs_of_bytes_are_no_numbers)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		uint8_t buf[ROOM];

		if (rdt_field_is_num(f))
			continue;
		memset(buf, 0xff, sizeof(buf));
		cr_expect(rdt_field_get(f, buf) == 0, "%s", full_name(f));
		cr_expect(rdt_field_set(f, buf, 0) == RDT_RANGE, "%s", full_name(f));
		cr_expect(rdt_field_bytes(f, buf) == buf + f->at / 8, "%s", full_name(f));
		cr_expect(f->at % 8 == 0 && f->width % 8 == 0, "%s", full_name(f));
	}
}

Test(field, rows_of_a_header_are_disjoint_ordered_and_cover_it)
{
	unsigned next_row = 0;

	for (size_t h = 0; h < RDT_HDR_COUNT; h++) {
		const struct rdt_hdr *hdr = &rdt_hdrs[h];
		unsigned next_bit = 0;

		cr_expect(hdr->begin == next_row && hdr->end > hdr->begin, "%s", hdr->key);
		cr_assert(hdr->len <= ROOM, "%s", hdr->key);
		for (unsigned i = hdr->begin; i < hdr->end; i++) {
			cr_expect(rdt_fields[i].hdr == h, "%s", full_name(&rdt_fields[i]));
			cr_expect(rdt_fields[i].at == next_bit,
				  "%s does not begin where the row before ends",
				  full_name(&rdt_fields[i]));
			next_bit = rdt_fields[i].at + rdt_fields[i].width;
		}
		cr_expect(next_bit == hdr->len * 8u, "%s", hdr->key);
		next_row = hdr->end;
	}
	cr_expect(next_row == RDT_FIELD_COUNT);
}

/* ---- the inline accessors against the descriptors ------------------------------------------- */

static uint8_t wire[ROOM];

/* got: what the accessor reads; set: wire after the setter has put the value's complement there. */
static void check_num(const struct rdt_field *f, const char *key, size_t need, uint64_t got,
		      const uint8_t set[ROOM])
{
	uint8_t want[ROOM];

	cr_expect(!strcmp(f->key, key) && need == rdt_field_need(f), "%s", full_name(f));
	cr_expect(got == rdt_field_get(f, wire), "%s", full_name(f));
	memcpy(want, wire, ROOM);
	cr_expect(rdt_field_set(f, want, got ^ max_of(f)) == RDT_OK, "%s", full_name(f));
	cr_expect(!memcmp(set, want, ROOM), "%s: the setters differ", full_name(f));
}

static void check_run(const struct rdt_field *f, const char *key, size_t need, size_t size,
		      const uint8_t *got, const uint8_t set[ROOM])
{
	uint8_t want[ROOM];

	cr_expect(!strcmp(f->key, key) && need == rdt_field_need(f), "%s", full_name(f));
	cr_expect(got == rdt_field_bytes(f, wire) && size == f->width / 8, "%s", full_name(f));
	memcpy(want, wire, ROOM);
	memcpy(want + f->at / 8, wire + 1, f->width / 8);
	cr_expect(!memcmp(set, want, ROOM), "%s: the setter differs", full_name(f));
}

#define NUM(h, name)                                                                              \
	static void check_##h##_##name(void)                                                      \
	{                                                                                         \
		const struct rdt_field *f = &rdt_fields[RDT_F_##h##_##name];                      \
		const uint64_t got = rdt_##h##_##name(wire);                                      \
		uint8_t set[ROOM];                                                                \
                                                                                                  \
		memcpy(set, wire, ROOM);                                                          \
		rdt_##h##_set_##name(set, (__typeof__(rdt_##h##_##name(wire)))(got ^ max_of(f))); \
		check_num(f, #name, RDT_NEED_##h##_##name, got, set);                             \
	}
#define RUN(h, name)                                                                     \
	static void check_##h##_##name(void)                                             \
	{                                                                                \
		uint8_t set[ROOM];                                                       \
                                                                                         \
		memcpy(set, wire, ROOM);                                                 \
		rdt_##h##_set_##name(set, wire + 1);                                     \
		check_run(&rdt_fields[RDT_F_##h##_##name], #name, RDT_NEED_##h##_##name, \
			  RDT_SIZE_##h##_##name, rdt_##h##_##name(wire), set);           \
	}
#define IS_UINT NUM
#define IS_UINT_LE NUM
#define IS_FLAG NUM
#define IS_RSVD NUM
#define IS_GUID NUM
#define IS_MAC NUM
#define IS_IPV4 NUM
#define IS_BYTES RUN
#define IS_TEXT RUN
#define IS_GID RUN

#define H(h, bytes, label, spec)
#define F(h, name, at, width, kind, show, unit, names, label) IS_##kind(h, name)
#define E(h)
#include "wire/all.def"
#undef H
#undef F

static void accessors_equal_descriptors(void)
{
#define H(h, bytes, label, spec) cr_expect(RDT_LEN_##h == rdt_hdrs[RDT_H_##h].len, #h);
#define F(h, name, at, width, kind, show, unit, names, label) check_##h##_##name();
#include "wire/all.def"
#undef H
#undef F
#undef E
}

Test(field, accessors_equal_descriptors)
{
	for (uint32_t seed = 1; seed <= 4; seed++) {
		fill(wire, sizeof(wire), seed);
		accessors_equal_descriptors();
	}
	memset(wire, 0, sizeof(wire));
	accessors_equal_descriptors();
	memset(wire, 0xff, sizeof(wire));
	accessors_equal_descriptors();
}

/* ---- names ---------------------------------------------------------------------------------- */

static int is_key(const char *key)
{
	if (!islower((unsigned char)*key))
		return 0;
	for (; *key; key++)
		if (!islower((unsigned char)*key) && !isdigit((unsigned char)*key) && *key != '_')
			return 0;
	return 1;
}

Test(field, keys_are_unique_and_well_formed)
{
	for (size_t h = 0; h < RDT_HDR_COUNT; h++) {
		cr_expect(is_key(rdt_hdrs[h].key), "%s", rdt_hdrs[h].key);
		cr_expect(*rdt_hdrs[h].label && *rdt_hdrs[h].spec, "%s", rdt_hdrs[h].key);
		for (size_t k = 0; k < h; k++)
			cr_expect(strcmp(rdt_hdrs[h].key, rdt_hdrs[k].key), "%s", rdt_hdrs[h].key);
		for (unsigned i = rdt_hdrs[h].begin; i < rdt_hdrs[h].end; i++) {
			cr_expect(is_key(rdt_fields[i].key), "%s", full_name(&rdt_fields[i]));
			cr_expect(*rdt_fields[i].label, "%s", full_name(&rdt_fields[i]));
			cr_expect(rdt_fields[i].names < RDT_NAMES_COUNT &&
					  rdt_fields[i].unit < RDT_UNIT_COUNT,
				  "%s", full_name(&rdt_fields[i]));
			for (unsigned k = rdt_hdrs[h].begin; k < i; k++)
				cr_expect(strcmp(rdt_fields[i].key, rdt_fields[k].key), "%s",
					  full_name(&rdt_fields[i]));
		}
	}
}

Test(field, find_knows_every_name_and_no_other)
{
	static const char *const wrong[] = {
		"",        ".",        "bth",    "bth.",     ".psn", "bth.ps",      "bth.psn ",
		"BTH.psn", "bth.psnx", "bt.psn", "bth..psn", "psn",  "req.no_such", "nothing.psn"
	};

	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const char *name = full_name(&rdt_fields[i]);

		cr_expect(rdt_field_find(name, strlen(name)) == &rdt_fields[i], "%s", name);
	}
	for (size_t i = 0; i < RDT_HDR_COUNT; i++)
		cr_expect(rdt_hdr_find(rdt_hdrs[i].key, strlen(rdt_hdrs[i].key)) == &rdt_hdrs[i]);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		cr_expect(!rdt_field_find(wrong[i], strlen(wrong[i])), "'%s'", wrong[i]);
	cr_expect(!rdt_hdr_find("bth", 2));
	cr_expect(!rdt_hdr_find("", 0));
	/* len counts, not the terminating zero */
	cr_expect(rdt_field_find("bth.psn_and_more", 7) == &rdt_fields[RDT_F_bth_psn]);
}
