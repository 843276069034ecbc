/* SPDX-License-Identifier: BSD-2-Clause */
/* diagnose: what is wrong, why, and what to do next. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "findings.h"
#include "rdmatrace/field.h"
#include "rdmatrace/text.h"

/* Connections whose last requests are told where nothing is wrong. */
#define QUIET_CONNS 10u

struct diagnose {
	struct session session;
	struct rdt_why *why;
	struct records records;
	bool *wanted; /* by place in the list: of the selected connections; NULL: all are */
	uint32_t shown[RDT_SEVERITY_COUNT];
};

/* ---- which are shown ----------------------------------------------------------------------------- */

static void select_findings(struct diagnose *d)
{
	const struct session *s = &d->session;
	const struct rdt_finding *of[64];
	bool *wanted = g_new0(bool, rdt_why_count(d->why) + 1);

	for (size_t i = 0; i < s->conn_count; i++) {
		const uint32_t index = rdt_tracker_conn_index(s->tracker, s->conns[i]);
		const size_t count = rdt_why_of(d->why, index, of, G_N_ELEMENTS(of));

		for (size_t k = 0; k < count && k < G_N_ELEMENTS(of); k++)
			wanted[rdt_why_place(d->why, of[k])] = true;
	}
	d->wanted = wanted;
}

static const struct rdt_finding *next_wanted(const struct diagnose *d, size_t *at)
{
	for (; *at < rdt_why_count(d->why); ++*at)
		if (!d->wanted || d->wanted[*at])
			return rdt_why_finding(d->why, (*at)++);
	return NULL;
}

static void count_shown(struct diagnose *d)
{
	const struct rdt_finding *f;

	for (size_t at = 0; (f = next_wanted(d, &at));)
		d->shown[f->severity]++;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_count(GString *text, uint32_t n, const char *word)
{
	char number[32];

	if (n)
		g_string_append_printf(text, "%s%s %s%s", text->len ? ", " : "",
				       cli_count_text(n, number, sizeof(number)), word,
				       n == 1 ? "" : "s");
}

static void put_head(const struct diagnose *d)
{
	const struct session *s = &d->session;
	const struct rdt_track_stats *stats = rdt_tracker_stats(s->tracker);
	const struct rdt_why_stats *why = rdt_why_stats(d->why);
	GString *text = g_string_new(NULL);
	char number[32];

	put_count(text, d->shown[RDT_SEVERITY_ERROR], "error");
	put_count(text, d->shown[RDT_SEVERITY_WARNING], "warning");
	put_count(text, d->shown[RDT_SEVERITY_NOTE], "note");
	fprintf(cli_out(), "%s%s%s", cli_tone(s->opts, CLI_TONE_BOLD),
		text->len ? text->str : "no transport fault found",
		cli_tone(s->opts, CLI_TONE_OFF));
	fprintf(cli_out(), " in %s connection%s",
		cli_count_text(s->conn_count, number, sizeof(number)),
		s->conn_count == 1 ? "" : "s");
	if (s->partial)
		fputs("   partial: yes", cli_out());
	if (why->icrc_checked)
		fprintf(cli_out(), "   ICRC wrong: %s",
			cli_count_text(why->icrc_bad, number, sizeof(number)));
	if (stats->evicted)
		fprintf(cli_out(), "   evicted: %s",
			cli_count_text(stats->evicted, number, sizeof(number)));
	fputc('\n', cli_out());
	g_string_free(text, TRUE);
}

/* Was there one? first: it is the first that is told. */
static bool put_last(const struct diagnose *d, const struct rdt_conn *conn, enum rdt_side side,
		     bool first)
{
	const struct session *s = &d->session;
	const uint32_t index = rdt_tracker_conn_index(s->tracker, conn);
	const struct rdt_flow *flow = rdt_tracker_flow(s->tracker, index, side);
	const struct rdt_name *op;
	char addr[CLI_HOST_TEXT], time[CLI_TIME_TEXT];
	uint32_t open;

	if (!flow || !flow->last.frame)
		return false;
	if (first)
		fputc('\n', cli_out());
	op = rdt_name_find(RDT_NAMES_bth_opcode, flow->last.opcode);
	open = rdt_flow_unanswered(conn, flow, side);
	cli_addr_text(s->opts, rdt_tracker_addr(s->tracker, conn->end[side].addr), addr,
		      sizeof(addr));
	fprintf(cli_out(),
		"  %4" PRIu32 "  last request of %s: %s, PSN 0x%06" PRIx32 ", at %s (#%" PRIu32 ")",
		conn->n, addr, op ? op->text : "?", flow->last.psn,
		cli_time_text(s->opts, flow->last.ns, s->base_ns, NULL, s->time_digits, time),
		flow->last.frame);
	if (conn->service == RDT_SVC_RC && open)
		fprintf(cli_out(), ", not acknowledged in this capture\n");
	else if (conn->service == RDT_SVC_RC)
		fprintf(cli_out(), ", acknowledged\n");
	else
		fputc('\n', cli_out());
	return true;
}

/* Nothing is wrong: what happened last, for those who wait for something. */
static void put_quiet(const struct diagnose *d)
{
	const struct session *s = &d->session;
	bool told = false;

	for (size_t i = 0; i < s->conn_count && i < QUIET_CONNS; i++)
		for (unsigned side = 0; side < RDT_SIDES; side++)
			told |= put_last(d, s->conns[i], (enum rdt_side)side, !told);
	if (told && s->conn_count > QUIET_CONNS)
		fprintf(cli_out(),
			"  the others: rdma-trace diagnose -s N tells the last requests of one\n");
}

static void put_text(const struct diagnose *d)
{
	const struct rdt_finding *f;

	put_head(d);
	for (size_t at = 0; (f = next_wanted(d, &at));) {
		fputc('\n', cli_out());
		findings_text(&d->session, f);
	}
	if (!d->shown[RDT_SEVERITY_ERROR] && !d->shown[RDT_SEVERITY_WARNING])
		put_quiet(d);
}

/* ---- the command ------------------------------------------------------------------------------------- */

static void put_all(struct diagnose *d)
{
	const struct cli_opts *opts = d->session.opts;
	const struct rdt_finding *f;

	count_shown(d);
	switch (opts->format) {
	case CLI_TEXT:
	case CLI_MD:
	case CLI_JUNIT:
	case CLI_TAP:
		if (rdt_tracker_stats(d->session.tracker)->rdma || rdt_why_count(d->why))
			put_text(d);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
		records_begin(&d->records, true);
		for (size_t at = 0; (f = next_wanted(d, &at));)
			findings_json(&d->records, f, NULL);
		records_end(&d->records);
		break;
	case CLI_CSV:
	case CLI_TSV:
		findings_csv_header(opts);
		for (size_t at = 0; (f = next_wanted(d, &at));)
			findings_csv(&d->session, f);
		break;
	}
}

static void warn_lost(const struct diagnose *d)
{
	const struct rdt_why_stats *stats = rdt_why_stats(d->why);
	const struct rdt_track_stats *track = rdt_tracker_stats(d->session.tracker);
	char number[32];

	if (stats->findings_lost)
		cli_warn("%s findings were left out: too many different ones; -s or -Y selects",
			 cli_count_text(stats->findings_lost, number, sizeof(number)));
	if (stats->notes_lost)
		cli_warn("repeated messages of %s connections were not kept: findings about their "
			 "retries are missing",
			 cli_count_text(stats->notes_lost, number, sizeof(number)));
	if (track->flows_evicted)
		cli_warn("data paths of %s connections were given up to make room for others and "
			 "judged by then",
			 cli_count_text(track->flows_evicted, number, sizeof(number)));
}

static int run(struct diagnose *d, const struct cli_opts *opts)
{
	int code;

	d->why = findings_new(!opts->no_icrc);
	records_init(&d->records, &d->session, NULL);
	d->records.judged = true;
	code = findings_read(d->why, &d->session, NULL, true);
	if (code == CLI_USAGE)
		return code;
	code = session_select(&d->session);
	if (code != CLI_OK)
		return code;
	if (opts->select || opts->filter)
		select_findings(d);
	d->records.conns = d->session.conn_count;
	put_all(d);
	session_explain_nothing(&d->session);
	warn_lost(d);
	for (unsigned s = (unsigned)opts->fail_on; s < RDT_SEVERITY_COUNT; s++)
		if (d->shown[s])
			return CLI_FINDINGS;
	return CLI_OK;
}

int cmd_diagnose(const struct cli_opts *opts)
{
	struct diagnose d = { .why = NULL };
	int code = session_open(&d.session, opts, false);

	if (code == CLI_OK)
		code = run(&d, opts);
	/* The list borrows from the tracker: first the one, then the other. */
	rdt_why_free(d.why);
	g_free(d.wanted);
	return session_close(&d.session, code);
}
