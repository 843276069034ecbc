// SPDX-License-Identifier: BSD-2-Clause
/* Names of the vocabulary: fields, headers, columns, short names of filters. */
#include "explain.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "filter.h"
#include "rdmatrace/vocab.h"

static void begin(struct meaning *m, const char *name, const char *text)
{
	*m = (struct meaning){ .topic = TOPIC_name, .detail_topic = TOPIC_name };
	g_strlcpy(m->name, name, sizeof(m->name));
	g_strlcpy(m->text, text, sizeof(m->text));
}

size_t explain_vocab(const char *text, struct meaning *ret, size_t room)
{
	char low[64], full[64];
	const char *name, *means, *what;
	const struct rdt_field *f;
	const struct rdt_hdr *hdr;
	size_t count = 0;

	if (strlen(text) >= sizeof(low) || !room)
		return 0;
	for (size_t i = 0; i <= strlen(text); i++)
		low[i] = g_ascii_tolower(text[i]);
	f = rdt_field_find(low, strlen(low));
	if (f && count < room) {
		begin(&ret[count], low, f->label);
		ret[count++].field = f;
	}
	hdr = rdt_hdr_find(low, strlen(low));
	if (hdr && count < room) {
		begin(&ret[count], low, "");
		g_snprintf(ret[count].text, sizeof(ret[count].text), "header: %s, %u bytes (%s)",
			   hdr->label, hdr->len, hdr->spec);
		count++;
	}
	for (size_t i = 0; i < RDT_COL_COUNT && count < room; i++) {
		const char *rec = rdt_rec_key((enum rdt_rec)rdt_cols[i].rec);

		g_snprintf(full, sizeof(full), "%s.%s", rec, rdt_cols[i].key);
		if (strcmp(low, rdt_cols[i].key) != 0 && strcmp(low, full) != 0)
			continue;
		begin(&ret[count], full, "");
		g_snprintf(ret[count].text, sizeof(ret[count].text), "column of %s: %s", rec,
			   rdt_cols[i].label);
		count++;
	}
	for (size_t i = 0; count < room && rdt_filter_alias(i, &name, &means, &what); i++)
		if (!strcmp(low, name)) {
			begin(&ret[count], name, "");
			g_snprintf(ret[count].text, sizeof(ret[count].text), "filter name: %s (%s)",
				   what, means);
			count++;
		}
	return count;
}

size_t explain_vocab_part(const char *text, struct meaning *ret, size_t room)
{
	char low[64], full[64];
	const size_t len = strlen(text);
	size_t count = 0;

	if (len < 3 || len >= sizeof(low))
		return 0;
	for (size_t i = 0; i <= len; i++)
		low[i] = text[i] == ' ' || text[i] == '-' ? '_' : g_ascii_tolower(text[i]);
	/* First the longer names that end so: of "mtu" the path MTU of a REQ is the usual one. */
	for (size_t i = 0; i < 2 * RDT_FIELD_COUNT && count < room; i++) {
		const struct rdt_field *f = &rdt_fields[i % RDT_FIELD_COUNT];
		const size_t key = strlen(f->key);
		const bool match = i < RDT_FIELD_COUNT
					   ? key > len && f->key[key - len - 1] == '_' &&
						     !strcmp(f->key + key - len, low)
					   : !strncmp(f->key, low, len) &&
						     (!f->key[len] || f->key[len] == '_');

		if (!match)
			continue;
		g_snprintf(full, sizeof(full), "%s.%s", rdt_hdrs[f->hdr].key, f->key);
		begin(&ret[count], full, f->label);
		ret[count++].field = f;
	}
	return count;
}

static void place(const struct rdt_field *f, char *buf, size_t size)
{
	if (f->width % 8 || f->at % 8)
		g_snprintf(buf, size, "%s, byte %u bit %u, %u bit%s; bit 0 is the most significant",
			   rdt_hdrs[f->hdr].label, f->at / 8u, f->at % 8u, f->width,
			   f->width == 1 ? "" : "s");
	else
		g_snprintf(buf, size, "%s, byte %u, %u byte%s", rdt_hdrs[f->hdr].label, f->at / 8u,
			   f->width / 8u, f->width == 8 ? "" : "s");
}

/* "0 rc, 1 uc, 2 rd" as far as there is room. */
static void codes(const struct rdt_names *names, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < names->count && n < size; i++)
		n += (size_t)g_snprintf(buf + n, size - n, "%s%u %s", i ? ", " : "",
					names->rows[i].value, names->rows[i].key);
	if (n >= size)
		memcpy(buf + size - 4, "...", 4);
}

bool explain_vocab_detail(const struct meaning *m, size_t i, enum label *ret_label, char *buf,
			  size_t size)
{
	static const char *const units[] = {
#define X(symbol, suffix, text) text,
		RDT_UNIT_LIST(X)
#undef X
	};
	const struct rdt_field *f = m->field;

	if (!f)
		return false;
	if (i == 0) {
		*ret_label = LABEL_where;
		place(f, buf, size);
		return true;
	}
	i--;
	if (f->unit != RDT_UNIT_NONE && !i--) {
		*ret_label = LABEL_read;
		g_snprintf(buf, size, "%s", units[f->unit]);
		return true;
	}
	if (f->names != RDT_NAMES_none && !i--) {
		*ret_label = LABEL_read;
		codes(&rdt_names[f->names], buf, size);
		return true;
	}
	if (!i) {
		*ret_label = LABEL_note;
		g_snprintf(buf, size, "%s", rdt_hdrs[f->hdr].spec);
		return true;
	}
	return false;
}
