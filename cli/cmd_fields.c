/* SPDX-License-Identifier: BSD-2-Clause */
/* fields: the vocabulary, from the tables themselves. */
#include <inttypes.h>
#include <string.h>

#include <glib.h>

#include "cli.h"
#include "columns.h"
#include "filter.h"
#include "json.h"

/* What a value looks like in JSON, by enum rdt_value_type. */
static const char *const value_types[] = {
	[RDT_VALUE_NULL] = "null",         [RDT_VALUE_UINT] = "integer",
	[RDT_VALUE_INT] = "integer",       [RDT_VALUE_BOOL] = "boolean",
	[RDT_VALUE_HEX32] = "hex string",  [RDT_VALUE_HEX64] = "hex string",
	[RDT_VALUE_ID32] = "id string",    [RDT_VALUE_TEXT] = "string",
	[RDT_VALUE_ADDR] = "address",      [RDT_VALUE_TIME] = "time",
	[RDT_VALUE_DURATION] = "duration",
};

static const char *const kinds[] = {
	[RDT_KIND_UINT] = "uint",     [RDT_KIND_UINT_LE] = "uint-le", [RDT_KIND_FLAG] = "flag",
	[RDT_KIND_RSVD] = "reserved", [RDT_KIND_BYTES] = "bytes",     [RDT_KIND_TEXT] = "text",
	[RDT_KIND_GID] = "gid",       [RDT_KIND_GUID] = "guid",       [RDT_KIND_MAC] = "mac",
	[RDT_KIND_IPV4] = "ipv4",
};

static const char *const unit_texts[] = {
#define X(symbol, suffix, text) text,
	RDT_UNIT_LIST(X)
#undef X
};

static const char *const rec_labels[RDT_REC_COUNT] = {
	[RDT_REC_conn] = "Connections",
	[RDT_REC_msg] = "Messages",
	[RDT_REC_state] = "State changes",
	[RDT_REC_event] = "Events of the program",
};

/* One line of the vocabulary, whatever it is. */
struct entry {
	const char *section; /* "conn", "bth", "rej_reason" */
	const char *name;    /* full name, or the key of a code */
	const char *type;
	const char *label;
	const struct rdt_field *field; /* NULL when it is none */
	const struct rdt_name *code;   /* NULL when it is none */
};

struct section {
	const char *what; /* "record", "frame", "header", "codes", "alias": the JSON type */
	const char *key, *title, *source;
};

struct fields {
	const struct cli_opts *opts;
	struct json json;
	bool array, titled;
	uint64_t shown;
	bool met[64];     /* by word */
	const char *open; /* title of the section whose heading was printed */
};

/* ---- choosing --------------------------------------------------------------------------------- */

/* A word asks for a section by its key, or for an entry by its full or its last name. */
static bool asked(struct fields *f, const char *section, const char *name)
{
	const char *dot = name ? strrchr(name, '.') : NULL;
	bool found = false;

	if (!*f->opts->words)
		return true;
	for (size_t i = 0; f->opts->words[i]; i++) {
		const char *word = f->opts->words[i];

		if (!g_ascii_strcasecmp(word, section) ||
		    (name && (!strcmp(word, name) || (dot && !strcmp(word, dot + 1))))) {
			found = true;
			if (i < G_N_ELEMENTS(f->met))
				f->met[i] = true;
		}
	}
	return found;
}

/* ---- printing --------------------------------------------------------------------------------- */

static void put_heading(struct fields *f, const struct section *s)
{
	const struct cli_opts *opts = f->opts;
	FILE *out = cli_out();

	if (f->open == s->title)
		return;
	f->open = s->title;
	if (opts->format == CLI_TEXT) {
		fprintf(out, "%s%s%s%s", f->shown ? "\n" : "", cli_tone(opts, CLI_TONE_BOLD),
			s->title, cli_tone(opts, CLI_TONE_OFF));
		fprintf(out, "  %s(%s%s%s)%s\n", cli_tone(opts, CLI_TONE_DIM), s->key,
			s->source ? ": " : "", s->source ? s->source : "",
			cli_tone(opts, CLI_TONE_OFF));
	} else if (opts->format == CLI_MD) {
		fprintf(out, "\n## `%s`: %s\n\n", s->key, s->title);
		if (s->source)
			fprintf(out, "%s\n\n", s->source);
		if (!strcmp(s->what, "codes"))
			fputs("| value | key | meaning |\n|---|---|---|\n", out);
		else
			fputs("| name | type | meaning |\n|---|---|---|\n", out);
	}
}

static void put_text(struct fields *f, const struct section *s, const struct entry *e)
{
	const struct cli_opts *opts = f->opts;
	FILE *out = cli_out();

	put_heading(f, s);
	if (e->code)
		fprintf(out, "  %5" PRIu32 "  %-24s %s\n", e->code->value, e->name, e->label);
	else
		fprintf(out, "  %-32s %-16s %s\n", e->name, e->type, e->label);
	if (e->field && opts->verbose)
		fprintf(out, "  %s%-32s %-16s byte %u bit %u%s%s%s%s\n",
			cli_tone(opts, CLI_TONE_DIM), "", "", e->field->at / 8, e->field->at % 8,
			e->field->unit ? ", " : "",
			e->field->unit ? unit_texts[e->field->unit] : "",
			e->field->names ? ", names in " : "",
			e->field->names ? rdt_names[e->field->names].list : "");
	if (e->field && opts->verbose)
		fputs(cli_tone(opts, CLI_TONE_OFF), out);
}

/* A cell of a Markdown table: a bar would end it. */
static void put_cell(const char *text)
{
	for (; *text; text++) {
		if (*text == '|')
			fputc('\\', cli_out());
		fputc(*text, cli_out());
	}
}

static void put_md(struct fields *f, const struct section *s, const struct entry *e)
{
	FILE *out = cli_out();

	put_heading(f, s);
	if (e->code)
		fprintf(out, "| %" PRIu32 " | `%s` | ", e->code->value, e->name);
	else
		fprintf(out, "| `%s` | %s | ", e->name, e->type);
	put_cell(e->label);
	if (e->field && e->field->unit) {
		fputs("; ", out);
		put_cell(unit_texts[e->field->unit]);
	}
	if (e->field && e->field->names)
		fprintf(out, "; names: `%s`", rdt_names[e->field->names].list);
	fputs(" |\n", out);
}

static void put_json(struct fields *f, const struct section *s, const struct entry *e)
{
	struct json *j = &f->json;

	if (!f->array)
		j->first = true;
	json_open(j, NULL, '{');
	json_text(j, "type", e->code ? "code" : e->field ? "field" : s->what);
	json_text(j, "section", s->key);
	json_text(j, "name", e->name);
	json_text(j, "label", e->label);
	if (e->code) {
		json_uint(j, "value", e->code->value);
	} else {
		json_text(j, "value_type", e->type);
	}
	if (e->field) {
		json_uint(j, "byte", e->field->at / 8);
		json_uint(j, "bit", e->field->at % 8);
		json_uint(j, "bits", e->field->width);
		json_text(j, "unit", e->field->unit ? unit_texts[e->field->unit] : NULL);
		json_text(j, "names", e->field->names ? rdt_names[e->field->names].list : NULL);
	}
	json_close(j, '}');
	fputc('\n', j->out);
}

static void put_csv(struct fields *f, const struct section *s, const struct entry *e)
{
	const struct cli_table *table = &f->opts->table;
	FILE *out = cli_out();
	char value[16];

	if (!f->titled && table->header) {
		csv_put(out, table, true, "section");
		csv_put(out, table, false, "name");
		csv_put(out, table, false, "type");
		csv_put(out, table, false, "label");
		csv_end(out);
	}
	f->titled = true;
	snprintf(value, sizeof(value), "%" PRIu32, e->code ? e->code->value : 0);
	csv_put(out, table, true, s->key);
	csv_put(out, table, false, e->name);
	csv_put(out, table, false, e->code ? value : e->type);
	csv_put(out, table, false, e->label);
	csv_end(out);
}

static void put(struct fields *f, const struct section *s, const struct entry *e)
{
	switch (f->opts->format) {
	case CLI_TEXT:
		put_text(f, s, e);
		break;
	case CLI_MD:
	case CLI_JUNIT:
	case CLI_TAP:
		put_md(f, s, e);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
		put_json(f, s, e);
		break;
	case CLI_CSV:
	case CLI_TSV:
		put_csv(f, s, e);
		break;
	}
	f->shown++;
}

/* ---- the parts of the vocabulary ---------------------------------------------------------------- */

static void put_records(struct fields *f)
{
	for (enum rdt_rec rec = 0; rec < RDT_REC_COUNT; rec++) {
		const struct section s = { "record", rdt_rec_key(rec), rec_labels[rec], NULL };
		size_t begin, end;

		rdt_rec_cols(rec, &begin, &end);
		f->open = NULL;
		for (size_t i = begin; i < end; i++) {
			const struct rdt_col *col = &rdt_cols[i];
			char name[96];

			snprintf(name, sizeof(name), rec == RDT_REC_conn ? "%s%s" : "%s.%s",
				 rec == RDT_REC_conn ? "" : s.key, col->key);
			if (asked(f, s.key, name))
				put(f, &s,
				    &(struct entry){ s.key, name, value_types[col->type],
						     col->label, NULL, NULL });
		}
	}
}

static void put_aliases(struct fields *f)
{
	const struct section s = { "alias", "alias", "Short names for filters", NULL };
	const char *name, *means, *text;

	f->open = NULL;
	for (size_t i = 0; rdt_filter_alias(i, &name, &means, &text); i++) {
		char label[256];

		snprintf(label, sizeof(label), "%s: %s", text, means);
		if (asked(f, s.key, name))
			put(f, &s, &(struct entry){ s.key, name, "alias", label, NULL, NULL });
	}
}

static void put_frame(struct fields *f)
{
	const struct section s = { "frame", "frame", "The captured frame (dump -e)", NULL };

	f->open = NULL;
	for (enum frame_key key = 0; key < FRAME_KEY_COUNT; key++) {
		if (asked(f, s.key, frame_key_name(key)))
			put(f, &s,
			    &(struct entry){ s.key, frame_key_name(key), "frame",
					     frame_key_label(key), NULL, NULL });
	}
}

static void put_headers(struct fields *f)
{
	for (size_t h = 0; h < RDT_HDR_COUNT; h++) {
		const struct rdt_hdr *hdr = &rdt_hdrs[h];
		const struct section s = { "header", hdr->key, hdr->label, hdr->spec };

		f->open = NULL;
		for (size_t i = hdr->begin; i < hdr->end; i++) {
			const struct rdt_field *field = &rdt_fields[i];
			char name[96], type[32];

			snprintf(name, sizeof(name), "%s.%s", hdr->key, field->key);
			snprintf(type, sizeof(type), "%s %u", kinds[field->kind], field->width);
			if (asked(f, hdr->key, name))
				put(f, &s,
				    &(struct entry){ hdr->key, name, type, field->label, field,
						     NULL });
		}
	}
}

static void put_codes(struct fields *f)
{
	for (size_t n = 0; n < RDT_NAMES_COUNT; n++) {
		const struct rdt_names *names = &rdt_names[n];
		const struct section s = { "codes", names->list, names->title, names->source };

		f->open = NULL;
		for (size_t i = 0; i < names->count; i++) {
			if (asked(f, names->list, names->rows[i].key))
				put(f, &s,
				    &(struct entry){ names->list, names->rows[i].key, "code",
						     names->rows[i].text, NULL, &names->rows[i] });
		}
	}
}

/* ---- the command --------------------------------------------------------------------------------- */

/* Every name that a word may be, for the guess in the message. */
static const char *nearest(const char *word)
{
	GPtrArray *all = g_ptr_array_new();
	const char *near;

	for (enum rdt_rec rec = 0; rec < RDT_REC_COUNT; rec++)
		g_ptr_array_add(all, (gpointer)(uintptr_t)rdt_rec_key(rec));
	for (size_t i = 0; i < RDT_HDR_COUNT; i++)
		g_ptr_array_add(all, (gpointer)(uintptr_t)rdt_hdrs[i].key);
	for (size_t i = 0; i < RDT_NAMES_COUNT; i++)
		g_ptr_array_add(all, (gpointer)(uintptr_t)rdt_names[i].list);
	for (size_t i = 0; i < RDT_COL_COUNT; i++)
		g_ptr_array_add(all, (gpointer)(uintptr_t)rdt_cols[i].key);
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++)
		g_ptr_array_add(all, (gpointer)(uintptr_t)rdt_fields[i].key);
	g_ptr_array_add(all, NULL);
	near = cli_closest(word, (const char *const *)all->pdata);
	g_ptr_array_free(all, TRUE);
	return near;
}

int cmd_fields(const struct cli_opts *opts)
{
	struct fields f = { .opts = opts,
			    .json = { .out = cli_out(), .first = true },
			    .array = opts->format == CLI_JSON };
	const char *near;
	int code = CLI_OK;

	if (f.array) {
		json_open(&f.json, NULL, '[');
		fputc('\n', f.json.out);
	}
	if (opts->format == CLI_MD)
		fputs("<!-- made by rdma-trace fields -T md -->\n# The vocabulary of rdma-trace\n\n"
		      "One set of names for filters (`-Y`), columns (`-e`), JSON and, with "
		      "`rdmacm.` before "
		      "them, Wireshark.\n",
		      cli_out());
	put_records(&f);
	put_aliases(&f);
	put_frame(&f);
	put_headers(&f);
	put_codes(&f);
	if (f.array) {
		json_close(&f.json, ']');
		fputc('\n', f.json.out);
	}
	for (size_t i = 0; opts->words[i] && i < G_N_ELEMENTS(f.met); i++) {
		if (f.met[i])
			continue;
		near = nearest(opts->words[i]);
		if (near)
			cli_error("there is no record, header, field or code %s; did you mean %s?",
				  opts->words[i], near);
		else
			cli_error("there is no record, header, field or code %s; rdma-trace fields "
				  "lists all",
				  opts->words[i]);
		code = CLI_USAGE;
	}
	return code;
}
