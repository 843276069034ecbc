/* SPDX-License-Identifier: BSD-2-Clause */
#include "columns.h"

#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/text.h"

/* ---- names -------------------------------------------------------------------------------- */

static const struct {
	const char *name, *label;
} frame_keys[FRAME_KEY_COUNT] = {
#define X(key, label) { "frame." #key, label },
	FRAME_KEY_LIST(X)
#undef X
};

const char *frame_key_name(enum frame_key key)
{
	return frame_keys[key].name;
}

const char *frame_key_label(enum frame_key key)
{
	return frame_keys[key].label;
}

/* The full name of a record's column: those of connections stand alone. */
static char *rec_name(size_t col)
{
	const enum rdt_rec rec = (enum rdt_rec)rdt_cols[col].rec;

	if (rec == RDT_REC_conn)
		return g_strdup(rdt_cols[col].key);
	return g_strdup_printf("%s.%s", rdt_rec_key(rec), rdt_cols[col].key);
}

static char *field_name(size_t field)
{
	return g_strdup_printf("%s.%s", rdt_hdrs[rdt_fields[field].hdr].key, rdt_fields[field].key);
}

static bool find(const char *name, unsigned records, bool wire, struct column *ret_column)
{
	const struct rdt_field *field;
	size_t col;

	for (enum rdt_rec rec = 0; rec < RDT_REC_COUNT; rec++) {
		const char *key = rdt_rec_key(rec);
		const size_t len = strlen(key);

		if (!(records >> rec & 1))
			continue;
		col = rdt_col_find(rec, name, strlen(name));
		if (col == RDT_COL_COUNT && !strncmp(name, key, len) && name[len] == '.')
			col = rdt_col_find(rec, name + len + 1, strlen(name + len + 1));
		if (col == RDT_COL_COUNT)
			continue;
		*ret_column = (struct column){ COLUMN_REC, col, rec_name(col) };
		return true;
	}
	if (!wire)
		return false;
	for (size_t i = 0; i < FRAME_KEY_COUNT; i++) {
		if (!strcmp(name, frame_keys[i].name)) {
			*ret_column = (struct column){ COLUMN_FRAME, i, g_strdup(name) };
			return true;
		}
	}
	field = rdt_field_find(name, strlen(name));
	if (!field)
		return false;
	*ret_column = (struct column){ COLUMN_FIELD, (size_t)(field - rdt_fields), g_strdup(name) };
	return true;
}

static void say_unknown(const char *name, unsigned records, bool wire)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
	const char *near;

	for (size_t i = 0; i < RDT_COL_COUNT; i++) {
		if (records >> rdt_cols[i].rec & 1)
			g_ptr_array_add(all, rec_name(i));
	}
	for (size_t i = 0; wire && i < FRAME_KEY_COUNT; i++)
		g_ptr_array_add(all, g_strdup(frame_keys[i].name));
	for (size_t i = 0; wire && i < RDT_FIELD_COUNT; i++)
		g_ptr_array_add(all, field_name(i));
	g_ptr_array_add(all, NULL);
	near = cli_closest(name, (const char *const *)all->pdata);
	if (near)
		cli_error("-e: there is no %s; did you mean %s?", name, near);
	else if (!wire && (rdt_field_find(name, strlen(name)) || g_str_has_prefix(name, "frame.")))
		cli_error("-e: %s is of packets, and a connection has many; use it with dump",
			  name);
	else
		cli_error("-e: there is no %s; rdma-trace fields lists the names", name);
	g_ptr_array_free(all, TRUE);
}

static void add(struct columns *columns, struct column column)
{
	columns->items = g_realloc_n(columns->items, columns->count + 1, sizeof(column));
	columns->items[columns->count++] = column;
}

bool columns_parse(const char *const *names, unsigned records, bool wire,
		   struct columns *ret_columns)
{
	struct columns columns = { 0 };

	for (; *names; names++) {
		struct column column;
		bool again = false;

		if (!find(*names, records, wire, &column)) {
			say_unknown(*names, records, wire);
			columns_free(&columns);
			return false;
		}
		for (size_t i = 0; i < columns.count; i++)
			again |= columns.items[i].kind == column.kind &&
				 columns.items[i].id == column.id;
		if (again)
			g_free((gpointer)(uintptr_t)column.name);
		else
			add(&columns, column);
	}
	*ret_columns = columns;
	return true;
}

void columns_of_record(enum rdt_rec rec, struct columns *ret_columns)
{
	struct columns columns = { 0 };
	size_t begin, end;

	rdt_rec_cols(rec, &begin, &end);
	for (size_t i = begin; i < end; i++)
		add(&columns, (struct column){ COLUMN_REC, i, g_strdup(rdt_cols[i].key) });
	*ret_columns = columns;
}

void columns_free(struct columns *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		g_free((gpointer)(uintptr_t)columns->items[i].name);
	g_free(columns->items);
	*columns = (struct columns){ 0 };
}

/* ---- values of records ----------------------------------------------------------------------- */

/* The last digits of a number, before at. */
static char *digits_before(char *at, uint64_t n)
{
	do
		*--at = (char)('0' + n % 10);
	while (n /= 10);
	return at;
}

const char *value_text(const struct rdt_value *value, char *buf, size_t size)
{
	/* Numbers by hand: CSV of a large list is made of millions of them. */
	char *at = buf + 24;
	const int64_t num = (int64_t)value->num;

	switch (value->type) {
	case RDT_VALUE_NULL:
		return "";
	case RDT_VALUE_UINT:
		*at = 0;
		return digits_before(at, value->num);
	case RDT_VALUE_INT:
	case RDT_VALUE_DURATION:
		*at = 0;
		at = digits_before(at, num < 0 ? 0 - value->num : value->num);
		if (num < 0)
			*--at = '-';
		return at;
	case RDT_VALUE_BOOL:
		return value->num ? "true" : "false";
	case RDT_VALUE_HEX32:
		snprintf(buf, size, "0x%08" PRIx64, value->num);
		return buf;
	case RDT_VALUE_HEX64:
		snprintf(buf, size, "0x%016" PRIx64, value->num);
		return buf;
	case RDT_VALUE_ID32:
		snprintf(buf, size, "%08" PRIx64, value->num);
		return buf;
	case RDT_VALUE_TEXT:
		return value->text;
	case RDT_VALUE_ADDR:
		return rdt_addr_text(value->addr, buf, size);
	case RDT_VALUE_TIME:
		return cli_rfc3339((int64_t)value->num, buf);
	}
	return "";
}

void value_json(struct json *j, const char *key, const struct rdt_value *value)
{
	char buf[CLI_TIME_TEXT];

	switch (value->type) {
	case RDT_VALUE_NULL:
		json_null(j, key);
		break;
	case RDT_VALUE_UINT:
		json_uint(j, key, value->num);
		break;
	case RDT_VALUE_INT:
	case RDT_VALUE_DURATION:
		json_int(j, key, (int64_t)value->num);
		break;
	case RDT_VALUE_BOOL:
		json_bool(j, key, value->num != 0);
		break;
	case RDT_VALUE_HEX32:
		json_hex(j, key, value->num, 8);
		break;
	case RDT_VALUE_HEX64:
		json_hex(j, key, value->num, 16);
		break;
	case RDT_VALUE_ID32:
		json_id(j, key, value->num, 8);
		break;
	case RDT_VALUE_TEXT:
	case RDT_VALUE_ADDR:
	case RDT_VALUE_TIME:
		json_text(j, key, value_text(value, buf, sizeof(buf)));
		break;
	}
}

/* ---- values of wire fields --------------------------------------------------------------------- */

/* Numbers that JSON readers would round, and things that are no numbers, are text. */
static bool is_text(const struct rdt_field *f)
{
	switch ((enum rdt_kind)f->kind) {
	case RDT_KIND_UINT:
	case RDT_KIND_UINT_LE:
	case RDT_KIND_RSVD:
		return f->width > 32 && (f->show == RDT_SHOW_HEX || f->width > 53);
	case RDT_KIND_FLAG:
		return false;
	case RDT_KIND_BYTES:
	case RDT_KIND_TEXT:
	case RDT_KIND_GID:
	case RDT_KIND_GUID:
	case RDT_KIND_MAC:
	case RDT_KIND_IPV4:
		break;
	}
	return true;
}

const char *field_value_text(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size)
{
	const uint8_t *bytes = hdr + f->at / 8;
	const size_t len = f->width / 8;

	if (!is_text(f)) {
		snprintf(buf, size, "%" PRIu64, rdt_field_get(f, hdr));
		return buf;
	}
	switch ((enum rdt_kind)f->kind) {
	case RDT_KIND_BYTES:
		buf[0] = 0;
		for (size_t i = 0; i < len && 2 * i + 3 <= size; i++)
			snprintf(buf + 2 * i, 3, "%02x", bytes[i]);
		return buf;
	case RDT_KIND_UINT:
	case RDT_KIND_UINT_LE:
	case RDT_KIND_RSVD:
		snprintf(buf, size, "0x%0*" PRIx64, (f->width + 3) / 4, rdt_field_get(f, hdr));
		return buf;
	case RDT_KIND_FLAG:
	case RDT_KIND_TEXT:
	case RDT_KIND_GID:
	case RDT_KIND_GUID:
	case RDT_KIND_MAC:
	case RDT_KIND_IPV4:
		break;
	}
	return rdt_field_text(f, hdr, buf, size);
}

static void scaled_json(struct json *j, const char *key, const struct rdt_field *f, uint64_t raw)
{
	static const char *const suffixes[] = {
#define X(symbol, suffix, text) suffix,
		RDT_UNIT_LIST(X)
#undef X
	};
	const char *suffix = suffixes[f->unit];
	uint64_t scaled;
	char name[80];

	/* The unit's own number is the scaled one where it has no suffix. */
	if (!*suffix)
		return;
	snprintf(name, sizeof(name), "%s%s", key, suffix);
	if (rdt_unit_scale((enum rdt_unit)f->unit, raw, &scaled))
		json_uint(j, name, scaled);
	else
		json_null(j, name);
}

void field_json(struct json *j, const char *key, const struct rdt_field *f, const uint8_t *hdr)
{
	char buf[VALUE_TEXT], name[80];
	uint64_t raw;

	if (!key)
		key = f->key;
	if (f->kind == RDT_KIND_BYTES) {
		json_hex_run(j, key, rdt_field_bytes(f, hdr), f->width / 8);
		return;
	}
	if (is_text(f)) {
		json_text(j, key, field_value_text(f, hdr, buf, sizeof(buf)));
	} else if (f->kind == RDT_KIND_FLAG) {
		json_bool(j, key, rdt_field_get(f, hdr) != 0);
	} else {
		json_uint(j, key, rdt_field_get(f, hdr));
	}
	if (!rdt_field_is_num(f))
		return;
	raw = rdt_field_get(f, hdr);
	scaled_json(j, key, f, raw);
	if (f->names != RDT_NAMES_none) {
		snprintf(name, sizeof(name), "%s_name", key);
		json_text(j, name, rdt_name_key((enum rdt_names_id)f->names, raw, NULL));
	}
}

/* ---- csv ------------------------------------------------------------------------------------ */

void csv_put(FILE *out, const struct cli_table *table, bool first, const char *text)
{
	const char special[] = { '\r', '\n', table->separator, table->quote ? table->quote : '\n',
				 0 };
	const char *p = text;

	if (!first)
		putc_unlocked(table->separator, out);
	while (*p && *p != special[0] && *p != special[1] && *p != special[2] && *p != special[3])
		p++;
	if (!*p) {
		fwrite_unlocked(text, 1, (size_t)(p - text), out);
		return;
	}
	if (!table->quote) {
		/* Without quotes a separator in a value cannot be told from one between values. */
		for (; *text; text++)
			putc_unlocked(strchr(special, *text) ? ' ' : *text, out);
		return;
	}
	putc_unlocked(table->quote, out);
	for (; *text; text++) {
		if (*text == table->quote)
			putc_unlocked(table->quote, out);
		putc_unlocked(*text, out);
	}
	putc_unlocked(table->quote, out);
}

void csv_end(FILE *out)
{
	putc_unlocked('\n', out);
}

void csv_header(FILE *out, const struct cli_table *table, const struct columns *columns)
{
	if (!table->header)
		return;
	for (size_t i = 0; i < columns->count; i++)
		csv_put(out, table, !i, columns->items[i].name);
	csv_end(out);
}
