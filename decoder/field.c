// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/field.h"

#include <string.h>

const struct rdt_field rdt_fields[RDT_FIELD_COUNT] = {
#define H(h, bytes, label, spec)
#define F(h, name, bit, bits, knd, shw, unt, list, txt) \
	{ .key = #name,                                 \
	  .label = txt,                                 \
	  .at = (bit),                                  \
	  .width = (bits),                              \
	  .hdr = RDT_H_##h,                             \
	  .kind = RDT_KIND_##knd,                       \
	  .show = RDT_SHOW_##shw,                       \
	  .unit = RDT_UNIT_##unt,                       \
	  .names = RDT_NAMES_##list },
#define E(h)
#include "wire/all.def"
#undef H
#undef F
#undef E
};

/* Where a header's rows begin and end: ids of markers counted with the rows themselves. */
enum {
#define H(h, bytes, label, spec) RDT_BEGIN_##h, RDT_BEGIN_BACK_##h = RDT_BEGIN_##h - 1,
#define F(h, name, bit, bits, knd, shw, unt, list, txt) RDT_ROW_##h##_##name,
#define E(h) RDT_END_##h, RDT_END_BACK_##h = RDT_END_##h - 1,
#include "wire/all.def"
#undef H
#undef F
#undef E
};

const struct rdt_hdr rdt_hdrs[RDT_HDR_COUNT] = {
#define H(h, bytes, txt, src)     \
	{ .key = #h,              \
	  .label = txt,           \
	  .spec = src,            \
	  .len = (bytes),         \
	  .begin = RDT_BEGIN_##h, \
	  .end = RDT_END_##h },
#define F(h, name, bit, bits, knd, shw, unt, list, txt)
#define E(h)
#include "wire/all.def"
#undef H
#undef F
#undef E
};

uint64_t rdt_field_get(const struct rdt_field *f, const uint8_t *hdr)
{
	if (!rdt_field_is_num(f))
		return 0;
	if (f->kind == RDT_KIND_UINT_LE)
		return rdt_le_get(hdr + f->at / 8, f->width / 8u);
	return rdt_bits_get(hdr, f->at, f->width);
}

enum rdt_status rdt_field_set(const struct rdt_field *f, uint8_t *hdr, uint64_t value)
{
	if (!rdt_field_is_num(f) || value > UINT64_MAX >> (64 - f->width))
		return RDT_RANGE;
	if (f->kind == RDT_KIND_UINT_LE)
		rdt_le_set(hdr + f->at / 8, f->width / 8u, value);
	else
		rdt_bits_set(hdr, f->at, f->width, value);
	return RDT_OK;
}

const struct rdt_hdr *rdt_hdr_find(const char *key, size_t len)
{
	for (size_t i = 0; i < RDT_HDR_COUNT; i++)
		if (strlen(rdt_hdrs[i].key) == len && !memcmp(rdt_hdrs[i].key, key, len))
			return &rdt_hdrs[i];
	return NULL;
}

const struct rdt_field *rdt_field_find(const char *name, size_t len)
{
	const char *dot = memchr(name, '.', len);
	const struct rdt_hdr *hdr = dot ? rdt_hdr_find(name, (size_t)(dot - name)) : NULL;
	size_t rest;

	if (!hdr)
		return NULL;
	rest = len - (size_t)(dot - name) - 1;
	for (unsigned i = hdr->begin; i < hdr->end; i++)
		if (strlen(rdt_fields[i].key) == rest && !memcmp(rdt_fields[i].key, dot + 1, rest))
			return &rdt_fields[i];
	return NULL;
}
