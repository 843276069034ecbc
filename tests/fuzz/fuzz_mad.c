// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as any header. Input: its key (bth, req ...), a zero byte, the bytes of the header
 * (filled up with zeros), then a text to be read as values.
 *
 * Checked: writing back every field read gives the same bytes; texts end inside their buffers and
 * are no longer than they promise; what a text is read as can be written and read again; what is
 * read as an address or a duration is the same after being printed.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/addr.h"
#include "rdmatrace/field.h"
#include "rdmatrace/text.h"

#define ROOM 256

static void copy_header(const struct rdt_hdr *hdr, const uint8_t *src)
{
	uint8_t dst[ROOM];

	memset(dst, 0xa5, sizeof(dst));
	for (unsigned i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];

		if (rdt_field_is_num(f))
			require(rdt_field_set(f, dst, rdt_field_get(f, src)) == RDT_OK);
		else
			memcpy(dst + f->at / 8, rdt_field_bytes(f, src), f->width / 8u);
	}
	require(!memcmp(dst, src, hdr->len));
	for (size_t i = hdr->len; i < sizeof(dst); i++)
		require(dst[i] == 0xa5);
}

static void show_fields(const struct rdt_hdr *hdr, const uint8_t *src, size_t size)
{
	for (unsigned i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		const size_t need = rdt_field_need(f);
		uint8_t *wire = malloc(need); /* exactly what the field needs */
		char *text = malloc(size), whole[2048];

		require(wire && text);
		memcpy(wire, src, need);
		require(rdt_field_text(f, wire, whole, sizeof(whole)) == whole);
		require(memchr(whole, 0, sizeof(whole)) != NULL);
		require(f->kind == RDT_KIND_BYTES || f->kind == RDT_KIND_TEXT ||
			strlen(whole) < RDT_TEXT_MAX);
		require(rdt_field_text(f, wire, text, size) == text);
		require(memchr(text, 0, size) != NULL);
		if (strlen(whole) < size)
			require(!strcmp(text, whole));
		free(wire);
		free(text);
	}
}

static void read_values(const struct rdt_hdr *hdr, const char *text, size_t len)
{
	uint8_t wire[ROOM] = { 0 };
	uint64_t value;

	for (unsigned i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		enum rdt_status status = rdt_field_parse(f, text, len, &value);

		if (status != RDT_OK) {
			require(status == RDT_SYNTAX || status == RDT_RANGE);
			continue;
		}
		require(rdt_field_is_num(f));
		require(rdt_field_set(f, wire, value) == RDT_OK);
		require(rdt_field_get(f, wire) == value);
	}
}

static void read_others(const char *text, size_t len)
{
	char buf[RDT_TEXT_MAX];
	struct rdt_addr a, b;
	uint64_t ns, again;

	if (rdt_addr_parse(text, len, &a) == RDT_OK) {
		rdt_addr_text(&a, buf, sizeof(buf));
		require(strlen(buf) < RDT_ADDR_TEXT);
		require(rdt_addr_parse(buf, strlen(buf), &b) == RDT_OK && rdt_addr_equal(&a, &b));
	}
	if (rdt_duration_parse(text, len, &ns) == RDT_OK) {
		rdt_duration_text(ns, buf, sizeof(buf));
		require(rdt_duration_parse(buf, strlen(buf), &again) == RDT_OK);
		/* four digits, or two units */
		require(again > ns ? again - ns <= ns / 1000 + 1 : ns - again <= ns / 50 + 1);
	}
	(void)rdt_field_find(text, len);
	(void)rdt_hdr_find(text, len);
	for (unsigned l = 0; l < RDT_NAMES_COUNT; l++) {
		const struct rdt_name *name = rdt_name_parse((enum rdt_names_id)l, text, len);

		require(!name || rdt_name_find((enum rdt_names_id)l, name->value) == name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	const struct rdt_hdr *hdr =
		end ? rdt_hdr_find((const char *)data, (size_t)(end - data)) : NULL;
	uint8_t src[ROOM] = { 0 };
	size_t have;
	char *text;

	if (!hdr)
		return 0;
	size -= (size_t)(end + 1 - data);
	data = end + 1;
	have = size < hdr->len ? size : hdr->len;
	memcpy(src, data, have);
	copy_header(hdr, src);
	show_fields(hdr, src, 1 + src[0] % 100u);
	if (hdr == &rdt_hdrs[RDT_H_terminate])
		(void)rdt_terminate_error(src, NULL);

	text = malloc(size - have + 1);
	require(text != NULL);
	memcpy(text, data + have, size - have);
	read_values(hdr, text, size - have);
	read_others(text, size - have);
	free(text);
	return 0;
}
