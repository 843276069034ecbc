// SPDX-License-Identifier: BSD-2-Clause
/* explain: what a code, a timer or a name means. */
#include <glib.h>
#include <string.h>

#include "cli.h"
#include "columns.h"
#include "explain.h"
#include "json.h"
#include "para.h"
#include "rdmatrace/why.h"

struct explain {
	const struct cli_opts *opts;
	struct json json;
	size_t asked, unknown;
};

/* ---- one meaning -------------------------------------------------------------------------- */

static char *value_digits(const struct meaning *m, char *buf, size_t size)
{
	if (m->hex)
		g_snprintf(buf, size, "0x%0*" G_GINT64_MODIFIER "x", m->hex, (guint64)m->value);
	else
		g_snprintf(buf, size, "%" G_GINT64_FORMAT, (gint64)m->value);
	return buf;
}

/* "REJ reason 8, invalid-service-id": what it is, without what it means. */
static char *headline(const struct meaning *m, char *buf, size_t size)
{
	const char *title = meaning_title(m);
	char digits[32];

	if (m->topic == TOPIC_name)
		g_strlcpy(buf, m->name, size);
	else if (!m->has_value)
		g_snprintf(buf, size, "%s %s", title, m->name);
	else
		g_snprintf(buf, size, "%s %s%s%s", title, value_digits(m, digits, sizeof(digits)),
			   m->name[0] ? ", " : "", m->name);
	return buf;
}

#define LABEL_COLUMN 9

static void print_details(struct explain *e, const struct meaning *m)
{
	const struct cli_opts *opts = e->opts;
	const char *text;
	enum label label, before = LABEL_COUNT;
	char buf[1024];

	for (size_t i = 0; meaning_detail(m, i, &label, &text, buf, sizeof(buf)); i++) {
		fprintf(cli_out(), "  %s%-*s%s", cli_tone(opts, CLI_TONE_DIM), LABEL_COLUMN - 2,
			label == before ? "" : label_text(label), cli_tone(opts, CLI_TONE_OFF));
		para_print(cli_out(), text, LABEL_COLUMN, LABEL_COLUMN + 2, opts->width);
		before = label;
	}
}

static void print_meaning(struct explain *e, const struct meaning *m)
{
	const struct cli_opts *opts = e->opts;
	char head[192];

	headline(m, head, sizeof(head));
	fprintf(cli_out(), "%s%s%s: ", cli_tone(opts, CLI_TONE_BOLD), head,
		cli_tone(opts, CLI_TONE_OFF));
	para_print(cli_out(), m->text, (unsigned)cli_text_width(head) + 2, 2, opts->width);
	print_details(e, m);
}

/* The others in a line each, with what to type for more. */
static void print_others(struct explain *e, const char *query, const struct meaning *m,
			 size_t count)
{
	const struct cli_opts *opts = e->opts;
	char ask[96];
	int widest = 0;

	for (size_t i = 0; i < count; i++)
		widest = MAX(widest, (int)strlen(meaning_query(&m[i], ask, sizeof(ask))));
	fprintf(cli_out(), "\n%s%s is also%s\n", cli_tone(opts, CLI_TONE_BOLD), query,
		cli_tone(opts, CLI_TONE_OFF));
	for (size_t i = 0; i < count; i++) {
		char line[384];

		fprintf(cli_out(), "  %-*s  ", widest, meaning_query(&m[i], ask, sizeof(ask)));
		if (!m[i].has_value)
			g_snprintf(line, sizeof(line), "%s%s%s",
				   m[i].topic == TOPIC_name ? "" : meaning_title(&m[i]),
				   m[i].topic == TOPIC_name ? "" : ": ", m[i].text);
		else
			g_snprintf(line, sizeof(line), "%s%s%s", m[i].name,
				   m[i].name[0] ? ": " : "", m[i].text);
		para_print(cli_out(), line, (unsigned)widest + 4, (unsigned)widest + 6,
			   opts->width);
	}
	/* What was asked leads to this very answer again; the vocabulary tells more of a name. */
	meaning_query(&m[0], ask, sizeof(ask));
	fprintf(cli_out(), "%smore: " CLI_NAME " %s %s%s\n", cli_tone(opts, CLI_TONE_DIM),
		m[0].topic == TOPIC_name && explain_same(ask, query) ? "fields" : "explain", ask,
		cli_tone(opts, CLI_TONE_OFF));
}

static void json_meaning(struct explain *e, const char *query, const struct meaning *m)
{
	struct json *j = &e->json;
	const char *text;
	enum label label;
	char buf[1024];

	if (e->opts->format == CLI_NDJSON)
		j->first = true;
	json_open(j, NULL, '{');
	json_text(j, "type", "meaning");
	json_text(j, "query", query);
	json_text(j, "topic", meaning_key(m));
	if (!m->has_value)
		json_null(j, "value");
	else if (m->hex == 16)
		json_hex(j, "value", (uint64_t)m->value, 16);
	else
		json_int(j, "value", m->value);
	json_text(j, "name", m->name[0] ? m->name : NULL);
	json_text(j, "text", m->text);
	json_open(j, "details", '[');
	for (size_t i = 0; meaning_detail(m, i, &label, &text, buf, sizeof(buf)); i++) {
		json_open(j, NULL, '{');
		json_text(j, "label", label_text(label));
		json_text(j, "text", text);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	fputc('\n', cli_out());
}

static void csv_meaning(struct explain *e, const char *query, const struct meaning *m)
{
	const struct cli_table *table = &e->opts->table;
	char digits[32] = "";

	csv_put(cli_out(), table, true, query);
	csv_put(cli_out(), table, false, meaning_key(m));
	csv_put(cli_out(), table, false,
		m->has_value ? value_digits(m, digits, sizeof(digits)) : digits);
	csv_put(cli_out(), table, false, m->name);
	csv_put(cli_out(), table, false, m->text);
	csv_end(cli_out());
}

static void print_answer(struct explain *e, const char *query, const struct meaning *m,
			 size_t count)
{
	switch (e->opts->format) {
	case CLI_JSON:
	case CLI_NDJSON:
		for (size_t i = 0; i < count; i++)
			json_meaning(e, query, &m[i]);
		break;
	case CLI_CSV:
	case CLI_TSV:
		for (size_t i = 0; i < count; i++)
			csv_meaning(e, query, &m[i]);
		break;
	case CLI_TEXT:
	case CLI_MD:
	case CLI_JUNIT:
	case CLI_TAP:
		if (e->asked)
			fputc('\n', cli_out());
		print_meaning(e, &m[0]);
		if (count > 1)
			print_others(e, query, m + 1, count - 1);
		break;
	}
	e->asked++;
}

/* ---- questions ---------------------------------------------------------------------------- */

static bool number(const char *text, int64_t *ret, bool *ret_hex)
{
	const bool minus = *text == '-';
	const char *digits = text + minus;
	char *end;
	guint64 v;

	*ret_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	if (!g_ascii_isdigit(*digits))
		return false;
	v = g_ascii_strtoull(*ret_hex ? digits + 2 : digits, &end, *ret_hex ? 16 : 10);
	if (*end || end == (*ret_hex ? digits + 2 : digits) || v > G_MAXINT64)
		return false;
	*ret = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

static void candidate(GPtrArray *all, const char *name)
{
	if (name)
		g_ptr_array_add(all, g_strdup(name));
}

/* The closest of the names that could have been meant. */
static char *closest(const char *text)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);
	const char *best;
	char *copy;

	for (unsigned l = 0; l < RDT_NAMES_COUNT; l++)
		for (size_t i = 0; i < rdt_names[l].count; i++)
			candidate(all, rdt_names[l].rows[i].key);
	for (unsigned i = 0; i < RDT_WHY_COUNT; i++)
		candidate(all, rdt_why_rows[i].code);
	for (unsigned i = 0; i < RDT_EVENT_COUNT; i++)
		candidate(all, rdt_rdma_event_key((enum rdt_rdma_event)i));
	for (unsigned i = 0; i < RDT_OUTCOME_COUNT; i++)
		candidate(all, rdt_outcome_key((enum rdt_outcome)i));
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		char *full = g_strdup_printf("%s.%s", rdt_hdrs[rdt_fields[i].hdr].key,
					     rdt_fields[i].key);

		g_ptr_array_add(all, full);
	}
	g_ptr_array_add(all, NULL);
	best = cli_closest(text, (const char *const *)all->pdata);
	copy = g_strdup(best);
	g_ptr_array_free(all, TRUE);
	return copy;
}

static void not_known(struct explain *e, const char *text)
{
	/* Almost anything is close to a short word. */
	char *near = strlen(text) > 4 ? closest(text) : NULL;
	int64_t value;
	bool hex;

	e->unknown++;
	if (near)
		cli_error("explain: %s: no such code or name; closest match: %s", text, near);
	else if (number(text, &value, &hex))
		cli_error("explain: %s: no meaning known; " CLI_NAME " explain lists the topics",
			  text);
	else
		cli_error("explain: %s: no such code or name; " CLI_NAME
			  " explain lists the topics",
			  text);
	g_free(near);
}

static size_t meanings(const char *text, struct meaning *ret)
{
	int64_t value;
	bool hex;

	if (number(text, &value, &hex))
		return explain_number(value, hex, ret);
	return explain_name(text, ret);
}

static void answer(struct explain *e, const char *text)
{
	struct meaning found[MEANINGS_MAX];
	const size_t count = meanings(text, found);

	if (count)
		print_answer(e, text, found, count);
	else
		not_known(e, text);
}

static bool answer_topic(struct explain *e, enum topic topic, enum rdt_names_id list,
			 const char *text)
{
	struct meaning m;
	int64_t value;
	bool hex;

	if (!(number(text, &value, &hex) && explain_value(topic, list, value, &m)) &&
	    !explain_text(topic, list, text, &m))
		return false;
	print_answer(e, text, &m, 1);
	return true;
}

static void print_topics(const struct explain *e)
{
	static const struct {
		const char *ask, *text;
	} rows[] = {
		{ "8, -28, invalid-service-id", "a REJ reason as programs print it" },
		{ "rej 10", "... when the number alone could be something else" },
		{ "REJECTED, event 7", "an event of librdmacm" },
		{ "-110, errno 19", "a negative status" },
		{ "sidr 1, apr 5, nvme 6",
		  "a status of SIDR, of an alternate path, of an NVMe-oF target" },
		{ "wc 12", "a completion status" },
		{ "nak 2, syndrome 0x62, rnr 12", "acknowledges of the data path" },
		{ "timeout 20, mtu 3, rate 5",
		  "codes of timers and sizes; timeout 4.3s goes back" },
		{ "svc 0x0000000001061144, port 4420", "a service id" },
		{ "opcode 0x0a, mad 0x000c", "a BTH opcode, a MAD status" },
		{ "CM-REJ-8, RC-RNR", "a code of rdma-trace diagnose" },
		{ "REQ, MRA, DREP",
		  "a message: what it does, which functions send and receive it" },
		{ "TIMEWAIT, RTS, cm-state 8", "a state" },
		{ "req.starting_psn, setup_ns, bth", "a name of rdma-trace fields" },
	};

	fprintf(cli_out(), "rdma-trace explain CODE|NAME|NUMBER...\n");
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		fprintf(cli_out(), "  %s%-34s%s  %s\n", cli_tone(e->opts, CLI_TONE_BOLD),
			rows[i].ask, cli_tone(e->opts, CLI_TONE_OFF), rows[i].text);
}

/* "Unknown error -28", "status = 28", "reason: 8": what stands before the number in messages. */
static bool is_noise(const char *word)
{
	static const char *const noise[] = { "unknown", "error", "status", "status:", "code",
					     "reason:", "=",     ":",      "is" };

	for (size_t i = 0; i < G_N_ELEMENTS(noise); i++)
		if (!g_ascii_strcasecmp(word, noise[i]))
			return true;
	return false;
}

/* Several words can be one name ("stale connection"), or a topic and its values, or questions. */
static void answer_all(struct explain *e, const char *const *words)
{
	struct meaning found[MEANINGS_MAX];
	GString *joined = g_string_new(words[0]);
	enum rdt_names_id list;
	enum topic topic;
	size_t count;

	for (size_t i = 1; words[i]; i++)
		g_string_append_printf(joined, " %s", words[i]);
	count = words[1] ? explain_name(joined->str, found) : 0;
	if (count) {
		print_answer(e, joined->str, found, count);
	} else if (words[1] && topic_find(words[0], &topic, &list) &&
		   answer_topic(e, topic, list, words[1])) {
		for (words += 2; *words; words++)
			if (!answer_topic(e, topic, list, *words))
				answer(e, *words);
	} else {
		for (; *words; words++)
			if (!is_noise(*words))
				answer(e, *words);
	}
	g_string_free(joined, TRUE);
}

/* A message that was pasted as one argument is as good as its words. */
static char **split_words(const char *const *given)
{
	char *joined = g_strjoinv(" ", (char **)(uintptr_t)given);
	char **words = g_strsplit_set(joined, " \t\n", -1);
	size_t n = 0;

	for (size_t i = 0; words[i]; i++) {
		if (*words[i])
			words[n++] = words[i];
		else
			g_free(words[i]);
	}
	words[n] = NULL;
	g_free(joined);
	return words;
}

int cmd_explain(const struct cli_opts *opts)
{
	struct explain e = { .opts = opts, .json = { .out = cli_out(), .first = true } };
	static const char *const titles[] = { "query", "topic", "value", "name", "text" };
	const bool csv = opts->format == CLI_CSV || opts->format == CLI_TSV;

	char **words = split_words(opts->words);

	if (!words[0]) {
		print_topics(&e);
		g_strfreev(words);
		return CLI_OK;
	}
	if (csv && opts->table.header) {
		for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
			csv_put(cli_out(), &opts->table, !i, titles[i]);
		csv_end(cli_out());
	}
	if (opts->format == CLI_JSON)
		json_open(&e.json, NULL, '[');
	answer_all(&e, (const char *const *)words);
	if (opts->format == CLI_JSON) {
		json_close(&e.json, ']');
		fputc('\n', cli_out());
	}
	g_strfreev(words);
	return e.unknown ? CLI_USAGE : CLI_OK;
}
