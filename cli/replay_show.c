// SPDX-License-Identifier: BSD-2-Clause
/* A graded run on the screen. */
#include <inttypes.h>
#include <string.h>

#include "rdmatrace/text.h"
#include "replay.h"

static const char *span(int64_t ns, char buf[RDT_TEXT_MAX])
{
	char text[RDT_TEXT_MAX];

	rdt_duration_text((uint64_t)(ns < 0 ? -ns : ns), text, sizeof(text));
	g_snprintf(buf, RDT_TEXT_MAX, "%s%s", ns < 0 ? "-" : "+", text);
	return buf;
}

char *replay_who(const struct rp_player *p, const struct rp_rec *rec)
{
	const unsigned role = rec->s ? rec->s->role : rec->got->from;
	const struct rp_msg msg = rec->s ? rec->s->msg : rec->got->msg;

	return g_strdup_printf("%s > %s", p->script->roles[role].name, rp_msg_name(msg));
}

GPtrArray *replay_untested(const struct rp_player *p, bool live)
{
	GPtrArray *list = g_ptr_array_new();
	bool repeats = false, mra = false, data = false, closed = false, bad = false;

	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];
		const struct rp_msg msg = rec->got ? rec->got->msg
					  : rec->s ? rec->s->msg
						   : (struct rp_msg){ RP_CM, 0 };

		repeats |= rec->repeat;
		mra |= msg.family == RP_CM && msg.code == RDT_MSG_MRA;
		closed |= msg.family == RP_CM && msg.code == RDT_MSG_DREQ;
		data |= msg.family == RP_OP || msg.family == RP_PACKET;
		bad |= rec->s && rec->s->fault.corrupt_icrc;
	}
	if (!live)
		g_ptr_array_add(list, (gpointer)(uintptr_t) "a real peer");
	if (!repeats && p->resent)
		g_ptr_array_add(list, (gpointer)(uintptr_t) "retransmission timers of the peer");
	else if (!repeats)
		g_ptr_array_add(
			list, (gpointer)(uintptr_t) "retransmission timers (nothing was repeated)");
	if (!mra)
		g_ptr_array_add(list, (gpointer)(uintptr_t) "MRA");
	if (!data)
		g_ptr_array_add(list, (gpointer)(uintptr_t) "data (no operation in it)");
	if (!closed)
		g_ptr_array_add(list, (gpointer)(uintptr_t) "closing (no DREQ in it)");
	if (!bad)
		g_ptr_array_add(list, (gpointer)(uintptr_t) "what the peer does with a wrong ICRC");
	return list;
}

/* ---- the list of what happened -------------------------------------------------------------------- */

static void remark(const struct cli_opts *opts, const struct replay_run *run,
		   const struct rp_rec *rec)
{
	char a[RDT_TEXT_MAX], b[RDT_TEXT_MAX];
	FILE *out = cli_out();

	switch (rec->kind) {
	case RP_REC_SENT:
		fputs("sent", out);
		if (rec->s->fault.corrupt_icrc)
			fputs(", its ICRC wrong", out);
		if (rec->s->fault.truncate != RP_NO_TRUNCATE)
			fprintf(out, ", cut to %zu bytes", rec->s->fault.truncate);
		if (rec->s->fault.dup > 1)
			fprintf(out, ", %u times", rec->s->fault.dup);
		if (rec->s->fault.delay_ns)
			fprintf(out, ", delayed by %s",
				rdt_duration_text(rec->s->fault.delay_ns, a, sizeof(a)));
		if (rec->s->fault.hold)
			fputs(", held back", out);
		if (rec->resent)
			fprintf(out, ", and %u more time%s: nobody listened", rec->resent,
				rec->resent == 1 ? "" : "s");
		break;
	case RP_REC_UNSEEN:
		fprintf(out, "not seen: backend %s does not show it", run->backend);
		break;
	case RP_REC_DROPPED:
		fputs("not sent: the script drops it", out);
		break;
	case RP_REC_GOT:
		fputs(rec->got->malformed  ? "received, too short to be read"
		      : rec->got->bad_icrc ? "received, its ICRC wrong"
					   : "received",
		      out);
		if (rec->judged)
			fprintf(out, ", gap %s, expected %s%s%s%s",
				rdt_duration_text((uint64_t)rec->gap_ns, a, sizeof(a)),
				rdt_duration_text(rec->want_gap_ns, b, sizeof(b)),
				cli_tone(opts, rec->in_time ? CLI_TONE_OFF : CLI_TONE_WARN),
				rec->in_time ? "" : ": not in time", cli_tone(opts, CLI_TONE_OFF));
		break;
	case RP_REC_EXTRA:
		fprintf(out, "%s%s%s", cli_tone(opts, rec->in_time ? CLI_TONE_OFF : CLI_TONE_BAD),
			rec->got->malformed  ? "not expected: too short for what it begins as"
			: rec->got->bad_icrc ? "not expected: its ICRC is wrong"
			: rec->in_time       ? "accepted by ..."
			: rec->repeat        ? "not expected: a repetition"
					     : "not expected",
			cli_tone(opts, CLI_TONE_OFF));
		break;
	case RP_REC_MISSING:
		fprintf(out, "%s%s%s", cli_tone(opts, CLI_TONE_BAD),
			rp_plays(run->player, rec->s->role) ? "not sent" : "did not come",
			cli_tone(opts, CLI_TONE_OFF));
		break;
	}
	if (!rec->in_order)
		fprintf(out, ", %sin another order%s", cli_tone(opts, CLI_TONE_WARN),
			cli_tone(opts, CLI_TONE_OFF));
	if (rec->differs)
		fprintf(out, ", %s%u field%s differ%s%s", cli_tone(opts, CLI_TONE_BAD),
			rec->differs, rec->differs == 1 ? "" : "s", rec->differs == 1 ? "s" : "",
			cli_tone(opts, CLI_TONE_OFF));
	fputc('\n', out);
}

static void differing(const struct cli_opts *opts, const struct replay_run *run,
		      const struct rp_rec *rec)
{
	char name[64];

	for (guint i = 0; i < rec->fields->len; i++) {
		const struct rp_field_result *r =
			&g_array_index(rec->fields, struct rp_field_result, i);
		char *want, *got;

		if (r->class != RP_CLASS_DIFFERS)
			continue;
		want = rp_field_value(rec->want, r->field);
		got = rp_field_value(rec->got, r->field);
		fprintf(cli_out(), "%*s%s%s%s  expected %s, got %s", 14, "",
			cli_tone(opts, CLI_TONE_BAD), rp_field_name(rec->s->msg, r->field, name),
			cli_tone(opts, CLI_TONE_OFF), want, got);
		if (r->pos.line && *run->player->script->name)
			fprintf(cli_out(), "  (%s:%u)", run->player->script->name, r->pos.line);
		fputc('\n', cli_out());
		g_free(want);
		g_free(got);
	}
}

/* Long data phases are told in the middle by their number. */
#define SHOWN_MAX 60u
#define LINE_COLUMNS 80u

static void happenings(const struct cli_opts *opts, const struct replay_run *run)
{
	const struct rp_player *p = run->player;
	const int64_t start = p->start_ns;
	unsigned skipped = 0, unreached = 0;
	bool stopped = false;
	char text[RDT_TEXT_MAX];

	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];
		char *who;

		/* A run that has stopped tells where; what would have followed is only a number. */
		if (p->state == RP_FAILED && rec->kind == RP_REC_MISSING) {
			if (stopped && !opts->verbose) {
				unreached++;
				continue;
			}
			stopped = true;
		}
		if (!opts->verbose && p->recs->len > SHOWN_MAX && i >= SHOWN_MAX / 2 &&
		    i < p->recs->len - SHOWN_MAX / 2 && !rec->differs &&
		    (rec->kind == RP_REC_GOT || rec->kind == RP_REC_SENT)) {
			skipped++;
			continue;
		}
		if (skipped)
			fprintf(cli_out(), "  ... %u more as expected; -v lists them\n", skipped);
		skipped = 0;
		who = replay_who(p, rec);
		fprintf(cli_out(), "  %-12s %-18s ",
			start == INT64_MIN ? "" : span(rec->ns - start, text), who);
		g_free(who);
		remark(opts, run, rec);
		differing(opts, run, rec);
		if (rec->kind == RP_REC_MISSING && opts->format == CLI_TEXT) {
			char *line = rp_stmt_print(p->script, rec->s);

			fprintf(cli_out(), "%*s%s:%u: %s\n", 14, "", p->script->name,
				rec->s->pos.line, g_strstrip(line));
			g_free(line);
		}
	}
	if (unreached)
		fprintf(cli_out(), "  ... %u more not reached; -v lists them\n", unreached);
}

/* ---- the verdict ----------------------------------------------------------------------------------- */

static void levels(const struct cli_opts *opts, const struct replay_run *run)
{
	const struct rp_grade *g = &run->grade;
	FILE *out = cli_out();

	fprintf(out, "fidelity   %s%s%s (%s)%s   required %s   %s%s%s",
		cli_tone(opts, CLI_TONE_BOLD), rp_level_name(g->level),
		g->gaps && g->timing ? "+T" : "", rp_level_text(g->level),
		cli_tone(opts, CLI_TONE_OFF), rp_level_name(run->required),
		cli_tone(opts, run->passed ? CLI_TONE_GOOD : CLI_TONE_BAD),
		run->passed ? "PASS" : "FAIL", cli_tone(opts, CLI_TONE_OFF));
	if (g->cap)
		fprintf(out, "   capped by backend %s", g->cap);
	fputc('\n', out);
	/* The cause, then what it led to. */
	if (run->player->state == RP_FAILED)
		fprintf(out, "  stopped    %s\n", run->player->why);
	for (unsigned i = RP_F1; i < RP_LEVELS; i++) {
		if (g->held[i])
			fprintf(out, "  not %s     %s\n", rp_level_name((enum rp_level)i),
				g->held[i]);
	}
}

/* One of a list, on as many lines as the list takes. *column: 0 before the first. */
static void list_one(unsigned *column, const char *label, const char *text)
{
	FILE *out = cli_out();
	const unsigned len = (unsigned)strlen(text);

	if (!*column) {
		*column = (unsigned)fprintf(out, "  %-10s ", label) + len;
	} else if (*column + 2 + len > LINE_COLUMNS) {
		*column = (unsigned)fprintf(out, ",\n  %-10s ", "") - 2 + len;
	} else {
		fputs(", ", out);
		*column += 2 + len;
	}
	fputs(text, out);
}

static void list_end(unsigned column)
{
	if (column)
		fputc('\n', cli_out());
}

static void rules(const struct rp_grade *g)
{
	unsigned column = 0;

	for (unsigned i = 0; i < g->rule_count; i++) {
		char *one = g_strdup_printf("%s %u", g->rules[i].rule, g->rules[i].count);

		list_one(&column, "by rule", one);
		g_free(one);
	}
	list_end(column);
}

static void counts(const struct replay_run *run)
{
	const struct rp_grade *g = &run->grade;
	FILE *out = cli_out();
	char a[RDT_TEXT_MAX], b[RDT_TEXT_MAX], c[RDT_TEXT_MAX];
	unsigned all = 0;

	fprintf(out, "  messages   %u of %u, %s, %u extra, %u missing%s\n", g->seen, g->expected,
		g->disorder ? "order differs" : "order equal", g->extra, g->missing,
		g->accepted ? " (and some that the script accepts)" : "");
	fprintf(out, "  outcome    %s, expected %s\n", g->outcome_got, g->outcome_want);
	for (unsigned i = 0; i < RP_CLASS_COUNT; i++)
		all += g->classes[i];
	fprintf(out, "  fields     %u: same %u   by rule %u   backend %u   differs %u", all,
		g->classes[RP_CLASS_SAME], g->classes[RP_CLASS_RULE], g->classes[RP_CLASS_BACKEND],
		g->classes[RP_CLASS_DIFFERS]);
	if (g->classes[RP_CLASS_UNSAID])
		fprintf(out, "   not compared %u", g->classes[RP_CLASS_UNSAID]);
	fputc('\n', out);
	rules(g);
	if (g->gaps)
		fprintf(out, "  timing     gaps of the peer: %u, %u not in time\n", g->gaps,
			g->gaps_late);
	if (g->lateness.count)
		fprintf(out, "  lateness   of %u sent: p50 %s, p99 %s, max %s\n", g->lateness.count,
			rdt_duration_text((uint64_t)g->lateness.p50_ns, a, sizeof(a)),
			rdt_duration_text((uint64_t)g->lateness.p99_ns, b, sizeof(b)),
			rdt_duration_text((uint64_t)g->lateness.max_ns, c, sizeof(c)));
}

bool replay_require(const struct cli_opts *opts, enum rp_level *ret_level)
{
	const char *text = opts->replay.require;

	if (!text || rp_level_parse(text, strlen(text), ret_level))
		return true;
	cli_error("--require %s: give a level F0 to F5", text);
	return false;
}

void replay_text(const struct cli_opts *opts, const struct replay_run *run)
{
	FILE *out = cli_out();
	unsigned column = 0;

	if (!opts->quiet) {
		for (guint i = 0; run->preflight && i < run->preflight->len; i++)
			fprintf(out, "%-11s%s\n", i ? "" : "pre-flight",
				(const char *)run->preflight->pdata[i]);
		happenings(opts, run);
		fputc('\n', out);
	}
	levels(opts, run);
	if (opts->quiet)
		return;
	counts(run);
	for (guint i = 0; run->untested && i < run->untested->len; i++)
		list_one(&column, "not tested", run->untested->pdata[i]);
	list_end(column);
	if (run->compare)
		fprintf(out, "  captured   %s\n", run->compare);
}
