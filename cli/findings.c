// SPDX-License-Identifier: BSD-2-Clause
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "findings.h"
#include "para.h"
#include "rdmatrace/text.h"

#define INDENT 9u

struct rdt_why *findings_new(bool icrc)
{
	const struct rdt_why_opts opts = { .icrc = icrc };
	struct rdt_why *why = rdt_why_new(session_memory(), &opts);

	if (!why)
		cli_no_memory();
	return why;
}

static void ready(void *user, const struct rdt_tracker *tracker)
{
	rdt_why_set_tracker(user, tracker);
}

int findings_look(void *user, const struct packet *packet, const struct rdt_frame *frame,
		  const struct rdt_verdict *verdict)
{
	rdt_why_frame(user, frame, &packet->when, verdict);
	return 0;
}

void findings_finish(struct rdt_why *why, const struct session *s)
{
	const struct input_info *infos;
	const size_t inputs = session_inputs(s, &infos);

	for (size_t i = 0; i < inputs; i++)
		if (infos[i].truncated)
			rdt_why_input_cut(why, (uint8_t)i);
	if (rdt_why_finish(why, s->end_ns) != RDT_OK)
		cli_no_memory();
}

int findings_read(struct rdt_why *why, struct session *s, const struct rdt_sink *sink, bool frames)
{
	const struct rdt_sink own = rdt_why_sink(why, sink);
	const int code = session_read_with(s, &own, ready, frames ? findings_look : NULL, why);

	if (code != CLI_USAGE)
		findings_finish(why, s);
	return code;
}

enum cli_tone findings_tone(enum rdt_severity severity)
{
	return severity == RDT_SEVERITY_ERROR     ? CLI_TONE_BAD
	       : severity == RDT_SEVERITY_WARNING ? CLI_TONE_WARN
						  : CLI_TONE_DIM;
}

/* ---- numbers of connections ---------------------------------------------------------------------- */

void findings_conns(const struct rdt_finding *f, GString *text)
{
	for (uint32_t i = 0; i < f->range_count; i++) {
		const struct rdt_conn_range *r = &f->ranges[i];

		g_string_append_printf(text, "%s%" PRIu32, i ? ", " : "", r->first);
		if (r->last > r->first)
			g_string_append_printf(text, "%s%" PRIu32,
					       r->last - r->first > 1 ? "-" : ", ", r->last);
	}
	if (f->unlisted)
		g_string_append_printf(text, "%s%" PRIu32 " more", text->len ? ", " : "",
				       f->unlisted);
}

/* ---- the screen --------------------------------------------------------------------------------- */

static void put_label(const struct session *s, const char *label)
{
	fprintf(cli_out(), "  %s%-*s%s", cli_tone(s->opts, CLI_TONE_DIM), (int)INDENT - 2, label,
		cli_tone(s->opts, CLI_TONE_OFF));
}

/* A file's name as the shell takes it: as it is where nothing in it is special. */
static char *shell_word(const char *path)
{
	bool plain = *path && *path != '-';

	for (const char *p = path; *p && plain; p++)
		plain = g_ascii_isalnum(*p) || strchr("_-./+:,@%=", *p) ||
			(unsigned char)*p >= 0x80;
	return plain ? g_strdup(path) : g_shell_quote(path);
}

/* What stands for the capture in the commands: its name where there is one. */
static char *with_file(const struct session *s, const char *text)
{
	const struct input_info *infos;
	const size_t inputs = session_inputs(s, &infos);
	char *const name = inputs == 1 && strcmp(infos[0].path, "-") != 0
				   ? shell_word(infos[0].path)
				   : g_strdup("FILE");
	GString *out = g_string_new(NULL);

	for (const char *at; (at = strstr(text, " FILE")); text = at + 5) {
		g_string_append_len(out, text, at - text + 1);
		g_string_append(out, at[5] == ' ' || at[5] == '\n' || !at[5] ? name : "FILE");
	}
	g_string_append(out, text);
	g_free(name);
	return g_string_free(out, FALSE);
}

static void put_part(const struct session *s, const struct rdt_finding *f, const char *label,
		     enum rdt_why_part part)
{
	char buf[RDT_WHY_TEXT];

	rdt_why_text(session_tracker(s), f, part, buf, sizeof(buf));
	if (!*buf)
		return;
	put_label(s, label);
	if (part == RDT_WHY_NEXT) {
		char *text = with_file(s, buf);

		para_print(cli_out(), text, INDENT, INDENT, s->opts->width);
		g_free(text);
	} else {
		para_print(cli_out(), buf, INDENT, INDENT, s->opts->width);
	}
}

static void add_frame(const struct session *s, const struct rdt_evidence *ev, GString *text)
{
	const struct input_info *infos;

	g_string_append(text, text->len ? " " : "");
	if (session_inputs(s, &infos) > 1)
		g_string_append_printf(text, "#%u:%" PRIu32, ev->input + 1u, ev->frame);
	else
		g_string_append_printf(text, "#%" PRIu32, ev->frame);
}

/* The frames that show it, each once. */
static void put_frames(const struct session *s, const struct rdt_finding *f)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < f->ev_count; i++) {
		const struct rdt_evidence *ev = &f->ev[i];
		unsigned k = 0;

		while (k < i && (f->ev[k].frame != ev->frame || f->ev[k].input != ev->input))
			k++;
		if (ev->frame && k == i)
			add_frame(s, ev, text);
	}
	if (text->len) {
		put_label(s, "frames");
		para_print(cli_out(), text->str, INDENT, INDENT, s->opts->width);
	}
	g_string_free(text, TRUE);
}

static void put_title(const struct session *s, const struct rdt_finding *f)
{
	const enum rdt_severity severity = (enum rdt_severity)f->severity;
	char buf[RDT_WHY_TEXT], code[32], number[32];
	GString *conns = g_string_new(NULL);

	fprintf(cli_out(), "%s%-7s%s  %s%s%s", cli_tone(s->opts, findings_tone(severity)),
		rdt_severity_key(severity), cli_tone(s->opts, CLI_TONE_OFF),
		cli_tone(s->opts, CLI_TONE_BOLD), rdt_why_code_text(f, code),
		cli_tone(s->opts, CLI_TONE_OFF));
	if (f->count) {
		findings_conns(f, conns);
		fprintf(cli_out(), "  %sconnection%s ", cli_tone(s->opts, CLI_TONE_DIM),
			f->count == 1 ? "" : "s");
		para_put(cli_out(), conns->str, (unsigned)(24 + strlen(code)), INDENT,
			 s->opts->width);
		if (f->count > 1)
			fprintf(cli_out(), " (%s)",
				cli_count_text(f->count, number, sizeof(number)));
		fputs(cli_tone(s->opts, CLI_TONE_OFF), cli_out());
	}
	fprintf(cli_out(), "\n%*s", (int)INDENT, "");
	rdt_why_text(session_tracker(s), f, RDT_WHY_TITLE, buf, sizeof(buf));
	para_print(cli_out(), buf, INDENT, INDENT, s->opts->width);
	g_string_free(conns, TRUE);
}

void findings_text(const struct session *s, const struct rdt_finding *f)
{
	put_title(s, f);
	put_part(s, f, "seen", RDT_WHY_SEEN);
	put_part(s, f, "means", RDT_WHY_MEANS);
	put_part(s, f, "next", RDT_WHY_NEXT);
	put_frames(s, f);
	put_part(s, f, "filter", RDT_WHY_FILTER);
	if (f->confidence < 100) {
		put_label(s, "sure");
		fprintf(cli_out(), "%u %%\n", f->confidence);
	}
}

/* ---- machines -------------------------------------------------------------------------------------- */

static void json_part(struct json *j, const struct session *s, const struct rdt_finding *f,
		      const char *key, enum rdt_why_part part)
{
	char buf[RDT_WHY_TEXT];

	rdt_why_text(session_tracker(s), f, part, buf, sizeof(buf));
	json_text(j, key, *buf ? buf : NULL);
}

static void json_next(struct json *j, const struct session *s, const struct rdt_finding *f)
{
	char buf[RDT_WHY_TEXT], *text, *line, *end;

	rdt_why_text(session_tracker(s), f, RDT_WHY_NEXT, buf, sizeof(buf));
	line = text = with_file(s, buf);
	json_open(j, "next", '[');
	for (; *line; line = end) {
		end = line + strcspn(line, "\n");
		json_bytes(j, NULL, line, (size_t)(end - line));
		end += *end == '\n';
	}
	json_close(j, ']');
	g_free(text);
}

static void json_evidence(struct json *j, const struct session *s, const struct rdt_finding *f)
{
	char buf[RDT_TEXT_MAX];

	json_open(j, "evidence", '[');
	for (unsigned i = 0; i < f->ev_count; i++) {
		const struct rdt_evidence *ev = &f->ev[i];
		const enum rdt_why_value value = (enum rdt_why_value)ev->value;

		json_open(j, NULL, '{');
		if (ev->frame) {
			json_uint(j, "frame", ev->frame);
			json_uint(j, "input", ev->input + 1u);
		} else {
			json_null(j, "frame");
			json_null(j, "input");
		}
		json_text(j, "field", rdt_why_value_name(value));
		if (rdt_why_value_type(value) == RDT_WHY_ADDR || value == RDT_WHY_V_MSG ||
		    value == RDT_WHY_V_NEIGHBOUR)
			json_text(j, "value",
				  rdt_why_value_text(session_tracker(s), f, ev, buf, sizeof(buf)));
		else
			json_uint(j, "value", ev->num);
		if (ev->more && ev->most != ev->num && rdt_why_value_type(value) == RDT_WHY_NS)
			json_uint(j, "most", ev->most);
		if (rdt_why_value_type(value) == RDT_WHY_CODE)
			json_text(j, "name",
				  rdt_why_value_text(session_tracker(s), f, ev, buf, sizeof(buf)));
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* 0.95 without printf's locale and digits. */
static const char *confidence_text(const struct rdt_finding *f, char buf[8])
{
	if (f->confidence >= 100)
		return "1.0";
	snprintf(buf, 8, "0.%02u", f->confidence);
	return buf;
}

void findings_json(struct records *r, const struct rdt_finding *f, const struct rdt_conn *only)
{
	const struct session *s = r->session;
	struct json *j = records_open(r, "finding");
	char code[32], buf[RDT_ADDR_TEXT], number[8];

	r->findings++;
	json_text(j, "code", rdt_why_code_text(f, code));
	json_text(j, "severity", rdt_severity_key((enum rdt_severity)f->severity));
	json_open(j, "conns", '[');
	if (only)
		json_uint(j, NULL, only->n);
	for (uint32_t i = 0; i < f->range_count && !only; i++)
		for (uint32_t n = f->ranges[i].first; n && n <= f->ranges[i].last; n++)
			json_uint(j, NULL, n);
	json_close(j, ']');
	json_uint(j, "count", f->count);
	json_part(j, s, f, "text", RDT_WHY_TITLE);
	json_part(j, s, f, "seen", RDT_WHY_SEEN);
	json_part(j, s, f, "means", RDT_WHY_MEANS);
	json_next(j, s, f);
	json_evidence(j, s, f);
	json_part(j, s, f, "filter", RDT_WHY_FILTER);
	json_raw(j, "confidence", confidence_text(f, number));
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		if (f->addr[side] == RDT_CONN_NONE)
			json_null(j, rdt_side_key((enum rdt_side)side));
		else
			json_text(j, rdt_side_key((enum rdt_side)side),
				  rdt_addr_text(rdt_tracker_addr(session_tracker(s), f->addr[side]),
						buf, sizeof(buf)));
	}
	if (f->conn == RDT_CONN_NONE)
		json_null(j, "side");
	else
		json_text(j, "side", rdt_side_key((enum rdt_side)f->side));
	if (f->first_ns)
		json_int(j, "rel_ns", f->first_ns - s->base_ns);
	else
		json_null(j, "rel_ns");
	records_close(r);
}

void findings_csv_header(const struct cli_opts *opts)
{
	static const char *const titles[] = { "code",  "severity", "count",  "conns",     "text",
					      "means", "next",     "filter", "confidence" };

	if (!opts->table.header)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(titles); i++)
		csv_put(cli_out(), &opts->table, !i, titles[i]);
	csv_end(cli_out());
}

void findings_csv(const struct session *s, const struct rdt_finding *f)
{
	static const enum rdt_why_part parts[] = { RDT_WHY_TITLE, RDT_WHY_MEANS, RDT_WHY_NEXT,
						   RDT_WHY_FILTER };
	const struct cli_table *table = &s->opts->table;
	char buf[RDT_WHY_TEXT], code[32], number[24];
	GString *conns = g_string_new(NULL);

	findings_conns(f, conns);
	csv_put(cli_out(), table, true, rdt_why_code_text(f, code));
	csv_put(cli_out(), table, false, rdt_severity_key((enum rdt_severity)f->severity));
	snprintf(number, sizeof(number), "%" PRIu32, f->count);
	csv_put(cli_out(), table, false, number);
	csv_put(cli_out(), table, false, conns->str);
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
		char *text;

		rdt_why_text(session_tracker(s), f, parts[i], buf, sizeof(buf));
		text = parts[i] == RDT_WHY_NEXT ? with_file(s, buf) : g_strdup(buf);
		/* A row is a line, for the tools that read it so. */
		g_strdelimit(text, "\n", ';');
		csv_put(cli_out(), table, false, text);
		g_free(text);
	}
	csv_put(cli_out(), table, false, confidence_text(f, number));
	csv_end(cli_out());
	g_string_free(conns, TRUE);
}
