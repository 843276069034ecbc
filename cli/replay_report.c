// SPDX-License-Identifier: BSD-2-Clause
/* Graded runs for programs: JSON, JUnit, TAP; and the summary of a suite. */
#include <inttypes.h>
#include <string.h>

#include "records.h"
#include "replay.h"
#include "xml.h"

struct replay_report {
	const struct cli_opts *opts;
	struct json json;
	unsigned count, done, passed, failed, errors;
	double seconds;
	GString *cases; /* junit: its head needs the sums */
};

/* Why a run is no success, a line each. */
static GString *reasons(const struct replay_run *run)
{
	GString *text = g_string_new(NULL);
	char name[64];

	for (unsigned i = RP_F1; i < RP_LEVELS; i++) {
		if (run->grade.held[i])
			g_string_append_printf(text, "not %s: %s\n",
					       rp_level_name((enum rp_level)i), run->grade.held[i]);
	}
	if (run->player->why)
		g_string_append_printf(text, "stopped: %s\n", run->player->why);
	for (guint i = 0; i < run->player->recs->len; i++) {
		const struct rp_rec *rec = run->player->recs->pdata[i];
		char *who;

		if (rec->kind == RP_REC_GOT && !rec->differs)
			continue;
		if (rec->kind == RP_REC_SENT || rec->kind == RP_REC_DROPPED ||
		    rec->kind == RP_REC_UNSEEN)
			continue;
		who = replay_who(run->player, rec);
		if (rec->kind == RP_REC_MISSING)
			g_string_append_printf(text, "%s missing\n", who);
		if (rec->kind == RP_REC_EXTRA)
			g_string_append_printf(text, "%s extra\n", who);
		for (guint k = 0; rec->kind == RP_REC_GOT && k < rec->fields->len; k++) {
			const struct rp_field_result *r =
				&g_array_index(rec->fields, struct rp_field_result, k);
			char *want, *got;

			if (r->class != RP_CLASS_DIFFERS)
				continue;
			want = rp_field_value(rec->want, r->field);
			got = rp_field_value(rec->got, r->field);
			g_string_append_printf(text, "%s %s: expected %s, got %s\n", who,
					       rp_field_name(rec->s->msg, r->field, name), want,
					       got);
			g_free(want);
			g_free(got);
		}
		g_free(who);
	}
	return text;
}

static void junit_case(struct replay_report *r, const char *name, double seconds, const char *kind,
		       const char *message, const char *text)
{
	GString *out = r->cases;

	char *escaped = xml_escape(name);

	g_string_append_printf(
		out, "  <testcase classname=\"rdma-trace.replay\" name=\"%s\" time=\"%.3f\"",
		escaped, seconds);
	g_free(escaped);
	if (!kind) {
		g_string_append(out, "/>\n");
		return;
	}
	escaped = xml_escape(message);
	g_string_append_printf(out, ">\n    <%s message=\"%s\">", kind, escaped);
	g_free(escaped);
	escaped = xml_escape(text);
	g_string_append_printf(out, "%s</%s>\n  </testcase>\n", escaped, kind);
	g_free(escaped);
}

/* ---- json -------------------------------------------------------------------------------------- */

static const char *const kinds[] = {
	[RP_REC_SENT] = "sent",       [RP_REC_GOT] = "got",         [RP_REC_EXTRA] = "extra",
	[RP_REC_MISSING] = "missing", [RP_REC_DROPPED] = "dropped", [RP_REC_UNSEEN] = "unseen",
};

static void open_line(struct replay_report *r, const char *type)
{
	if (r->opts->format == CLI_NDJSON)
		r->json.first = true;
	json_open(&r->json, NULL, '{');
	json_text(&r->json, "type", type);
}

static void close_line(struct replay_report *r)
{
	json_close(&r->json, '}');
	fputc('\n', r->json.out);
}

static void json_rec(struct replay_report *r, const struct replay_run *run,
		     const struct rp_rec *rec)
{
	struct json *j = &r->json;
	const struct rp_player *p = run->player;
	const unsigned role = rec->s ? rec->s->role : rec->got->from;
	char name[64];

	open_line(r, "step");
	json_text(j, "script", run->name);
	json_text(j, "kind", kinds[rec->kind]);
	json_text(j, "from", rdt_side_key((enum rdt_side)role));
	json_text(j, "msg", rp_msg_name(rec->s ? rec->s->msg : rec->got->msg));
	if (rec->s && rec->s->pos.line)
		json_uint(j, "line", rec->s->pos.line);
	else
		json_null(j, "line");
	json_int(j, "rel_ns", p->start_ns == INT64_MIN ? 0 : rec->ns - p->start_ns);
	if (rec->kind == RP_REC_SENT)
		json_int(j, "late_ns", rec->ns - rec->due_ns);
	else
		json_null(j, "late_ns");
	if (rec->judged) {
		json_int(j, "gap_ns", rec->gap_ns);
		json_uint(j, "want_gap_ns", rec->want_gap_ns);
		json_bool(j, "in_time", rec->in_time);
	} else {
		json_null(j, "gap_ns");
		json_null(j, "want_gap_ns");
		json_null(j, "in_time");
	}
	json_bool(j, "in_order", rec->in_order);
	json_bool(j, "repeat", rec->repeat);
	close_line(r);
	for (guint i = 0; i < rec->fields->len; i++) {
		const struct rp_field_result *f =
			&g_array_index(rec->fields, struct rp_field_result, i);
		char *want = rp_field_value(rec->want, f->field);
		char *got = rp_field_value(rec->got, f->field);

		open_line(r, "field");
		json_text(j, "script", run->name);
		json_text(j, "msg", rp_msg_name(rec->s->msg));
		json_text(j, "from", rdt_side_key((enum rdt_side)role));
		json_text(j, "field", rp_field_name(rec->s->msg, f->field, name));
		json_text(j, "class", rp_class_key(f->class));
		json_text(j, "rule", f->rule);
		json_text(j, "want", want);
		json_text(j, "got", got);
		close_line(r);
		g_free(want);
		g_free(got);
	}
}

static void json_run(struct replay_report *r, const struct replay_run *run)
{
	struct json *j = &r->json;
	const struct rp_grade *g = &run->grade;

	for (guint i = 0; i < run->player->recs->len; i++)
		json_rec(r, run, run->player->recs->pdata[i]);
	open_line(r, "result");
	json_text(j, "script", run->name);
	json_text(j, "backend", run->backend);
	json_text(j, "played", *run->played ? run->played : NULL);
	json_text(j, "level", rp_level_name(g->level));
	json_bool(j, "timing", g->gaps && g->timing);
	json_text(j, "required", rp_level_name(run->required));
	json_bool(j, "passed", run->passed);
	json_text(j, "capped_by", g->cap);
	json_text(j, "outcome", g->outcome_got);
	json_text(j, "want_outcome", g->outcome_want);
	json_text(j, "stopped", run->player->why);
	json_open(j, "held", '{');
	for (unsigned i = RP_F1; i < RP_LEVELS; i++)
		json_text(j, rp_level_name((enum rp_level)i), g->held[i]);
	json_close(j, '}');
	json_uint(j, "messages", g->seen);
	json_uint(j, "expected", g->expected);
	json_uint(j, "extra", g->extra);
	json_uint(j, "repeats", g->repeats);
	json_uint(j, "resent", run->player->resent);
	json_uint(j, "missing", g->missing);
	json_uint(j, "disorder", g->disorder);
	json_open(j, "fields", '{');
	for (unsigned i = 0; i < RP_CLASS_COUNT; i++)
		json_uint(j, rp_class_key((enum rp_class)i), g->classes[i]);
	json_close(j, '}');
	json_open(j, "rules", '{');
	for (unsigned i = 0; i < g->rule_count; i++)
		json_uint(j, g->rules[i].rule, g->rules[i].count);
	json_close(j, '}');
	json_uint(j, "gaps", g->gaps);
	json_uint(j, "gaps_late", g->gaps_late);
	json_int(j, "late_p50_ns", g->lateness.p50_ns);
	json_int(j, "late_p99_ns", g->lateness.p99_ns);
	json_int(j, "late_max_ns", g->lateness.max_ns);
	json_open(j, "not_tested", '[');
	for (guint i = 0; run->untested && i < run->untested->len; i++)
		json_text(j, NULL, run->untested->pdata[i]);
	json_close(j, ']');
	close_line(r);
}

/* ---- all ---------------------------------------------------------------------------------------- */

struct replay_report *replay_report_begin(const struct cli_opts *opts, unsigned count)
{
	struct replay_report *r = g_new0(struct replay_report, 1);

	r->opts = opts;
	r->count = count;
	r->json = (struct json){ .out = cli_out(), .first = true };
	r->cases = g_string_new(NULL);
	if (opts->format == CLI_TAP)
		fprintf(cli_out(), "TAP version 13\n1..%u\n", count);
	if (opts->format == CLI_JSON) {
		json_open(&r->json, NULL, '[');
		fputc('\n', cli_out());
	}
	if (opts->format == CLI_JSON || opts->format == CLI_NDJSON) {
		open_line(r, "header");
		records_identify(&r->json);
		close_line(r);
	}
	return r;
}

static void tap(struct replay_report *r, bool ok, const char *name, const char *text)
{
	char **lines = g_strsplit(text, "\n", -1);

	fprintf(cli_out(), "%s %u - %s\n", ok ? "ok" : "not ok", r->done, name);
	for (char **line = lines; *line; line++) {
		if (**line)
			fprintf(cli_out(), "# %s\n", *line);
	}
	g_strfreev(lines);
}

void replay_report_run(struct replay_report *r, const struct replay_run *run)
{
	GString *why = reasons(run);
	char *message = g_strdup_printf("fidelity %s, required %s", rp_level_name(run->grade.level),
					rp_level_name(run->required));

	r->done++;
	r->passed += run->passed;
	r->failed += !run->passed;
	r->seconds += run->seconds;
	switch (r->opts->format) {
	case CLI_TEXT:
		if (r->count == 1)
			replay_text(r->opts, run);
		else
			fprintf(cli_out(), "%s%s%s %-40s %s  required %s%s%s\n",
				cli_tone(r->opts, run->passed ? CLI_TONE_GOOD : CLI_TONE_BAD),
				run->passed ? "PASS" : "FAIL", cli_tone(r->opts, CLI_TONE_OFF),
				run->name, rp_level_name(run->grade.level),
				rp_level_name(run->required), run->passed ? "" : "  ",
				run->passed ? "" : g_strdelimit(g_strchomp(why->str), "\n", ';'));
		break;
	case CLI_JUNIT:
		junit_case(r, run->name, run->seconds, run->passed ? NULL : "failure", message,
			   why->str);
		break;
	case CLI_TAP:
		g_string_prepend(why, "\n");
		g_string_prepend(why, message);
		tap(r, run->passed, run->name, why->str);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
	case CLI_CSV:
	case CLI_TSV:
	case CLI_MD:
		json_run(r, run);
		break;
	}
	g_free(message);
	g_string_free(why, TRUE);
}

void replay_report_error(struct replay_report *r, const char *name, const char *why)
{
	r->done++;
	r->errors++;
	switch (r->opts->format) {
	case CLI_TEXT:
		if (r->count > 1)
			fprintf(cli_out(), "%sERROR%s %-39s %s\n", cli_tone(r->opts, CLI_TONE_BAD),
				cli_tone(r->opts, CLI_TONE_OFF), name, why);
		break;
	case CLI_JUNIT:
		junit_case(r, name, 0, "error", why, why);
		break;
	case CLI_TAP:
		tap(r, false, name, why);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
	case CLI_CSV:
	case CLI_TSV:
	case CLI_MD:
		open_line(r, "error");
		json_text(&r->json, "script", name);
		json_text(&r->json, "text", why);
		close_line(r);
		break;
	}
}

void replay_report_end(struct replay_report *r)
{
	FILE *out = cli_out();

	if (r->opts->format == CLI_TEXT && r->count > 1) {
		fprintf(out, "%u passed, %u failed", r->passed, r->failed);
		if (r->errors)
			fprintf(out, ", %u could not be played", r->errors);
		fputc('\n', out);
	}
	if (r->opts->format == CLI_JUNIT)
		fprintf(out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite "
			"name=\"rdma-trace\" tests=\"%u\" failures=\"%u\" errors=\"%u\" "
			"time=\"%.3f\">\n%s</testsuite>\n",
			r->done, r->failed, r->errors, r->seconds, r->cases->str);
	if (r->opts->format == CLI_JSON || r->opts->format == CLI_NDJSON) {
		open_line(r, "end");
		json_uint(&r->json, "passed", r->passed);
		json_uint(&r->json, "failed", r->failed);
		json_uint(&r->json, "errors", r->errors);
		close_line(r);
	}
	if (r->opts->format == CLI_JSON) {
		json_close(&r->json, ']');
		fputc('\n', out);
	}
	g_string_free(r->cases, TRUE);
	g_free(r);
}
