// SPDX-License-Identifier: BSD-2-Clause
/* show: a connection with its parameters, states and events. */
#include <glib.h>
#include <string.h>

#include "cli.h"
#include "findings.h"
#include "host.h"
#include "records.h"
#include "show.h"
#include "write.h"

struct show {
	struct session session;
	struct rdt_journal *journal;
	struct rdt_why *why;
	struct conn_set wanted; /* by index, where two passes are made */
	struct records records;
	const struct rdt_tracker *feeding;
	struct story *story;
	struct hosts hosts;
	GArray *merged; /* the records last asked for, when there are hosts */
};

/* ---- reading ------------------------------------------------------------------------------ */

static void ready(void *user, const struct rdt_tracker *tracker)
{
	struct show *show = user;

	show->feeding = tracker;
	rdt_journal_set_tracker(show->journal, tracker);
}

static int want(void *user, const struct rdt_conn *conn)
{
	const struct show *show = user;

	return conn_set_has(&show->wanted, rdt_tracker_conn_index(show->feeding, conn));
}

/* Records of all connections; of a second pass, whose findings are those of the first. */
static int read_all(struct show *show)
{
	const struct rdt_sink sink = rdt_journal_sink(show->journal);

	return session_read_with(&show->session, &sink, ready, NULL, show);
}

static void ready_both(void *user, const struct rdt_tracker *tracker)
{
	struct show *show = user;

	ready(show, tracker);
	rdt_why_set_tracker(show->why, tracker);
}

static int look(void *user, const struct packet *packet, const struct rdt_frame *frame,
		const struct rdt_verdict *verdict)
{
	const struct show *show = user;

	return findings_look(show->why, packet, frame, verdict);
}

/* Records and findings in one pass. */
static int read_both(struct show *show)
{
	const struct rdt_sink journal = rdt_journal_sink(show->journal);
	const struct rdt_sink sink = rdt_why_sink(show->why, &journal);
	const int code = session_read_with(&show->session, &sink, ready_both, look, show);

	if (code != CLI_USAGE)
		findings_finish(show->why, &show->session);
	return code;
}

/*
 * Records of all connections may be many, so where some are selected a first pass finds out which.
 * -w reads a second time anyway, and for that it needs the tracker that is current then.
 */
static int read_selected(struct show *show, const struct cli_opts *opts)
{
	struct session *s = &show->session;
	/* A host's clock is found from all of its connections. */
	const bool twice = (opts->select || opts->filter) && !opts->write && !show->hosts.count;
	int code = twice ? findings_read(show->why, s, NULL, true) : read_both(show);

	if (code == CLI_USAGE)
		return code;
	code = session_select(s);
	if (code != CLI_OK || !twice || !s->conn_count)
		return code;
	for (size_t i = 0; i < s->conn_count; i++)
		conn_set_add(&show->wanted,
			     rdt_tracker_conn_index(session_tracker(s), s->conns[i]));
	rdt_journal_set_filter(show->journal, want, show);
	code = read_all(show);
	return code == CLI_USAGE ? code : CLI_OK;
}

/* Valid until the next call. */
static size_t entries_of(struct show *show, const struct rdt_conn *conn,
			 const struct rdt_entry **entries, uint64_t *lost)
{
	const uint32_t index = rdt_tracker_conn_index(session_tracker(&show->session), conn);
	const size_t count = rdt_journal_entries(show->journal, index, entries, lost);

	if (!show->hosts.count)
		return count;
	if (show->merged)
		g_array_unref(show->merged);
	show->merged = hosts_merge(&show->hosts, index, *entries, count);
	*entries = (const void *)show->merged->data;
	return show->merged->len;
}

/* Findings of one connection that are told. */
#define FINDINGS_OF 16

/* ---- text --------------------------------------------------------------------------------- */

/* "finding  CM-REJ-8  nobody listens ...": more by rdma-trace diagnose. */
static void show_findings(const struct story *s, const struct rdt_why *why)
{
	const uint32_t index = rdt_tracker_conn_index(s->tracker, s->conn);
	const struct rdt_finding *of[FINDINGS_OF];
	const size_t count = rdt_why_of(why, index, of, FINDINGS_OF);
	char code[32], title[RDT_WHY_TEXT], *text;

	for (size_t i = 0; i < count && i < FINDINGS_OF; i++) {
		rdt_why_text(s->tracker, of[i], RDT_WHY_TITLE, title, sizeof(title));
		text = g_strdup_printf("%s: %s", rdt_why_code_text(of[i], code), title);
		show_line(s, i ? "" : "findings", findings_tone((enum rdt_severity)of[i]->severity),
			  text);
		g_free(text);
	}
}

static void text_conn(struct show *show, const struct rdt_conn *conn, bool first)
{
	struct story *s = show->story;
	char number[32];

	*s = (struct story){ .session = &show->session,
			     .opts = show->session.opts,
			     .tracker = session_tracker(&show->session),
			     .conn = conn,
			     .hosts = show->hosts.count ? &show->hosts : NULL };
	s->count = entries_of(show, conn, &s->entries, &s->lost);
	story_begin(s);
	if (!first)
		fputs("\n\n", cli_out());
	show_head(s);
	show_findings(s, show->why);
	show_hosts(s);
	show_params(s);
	show_private(s);
	show_timeline(s);
	show_bars(s);
	show_events(s);
	show_qps(s);
	show_data(s);
	if (s->lost)
		fprintf(cli_out(), "\n  %s more records of this connection were not kept\n",
			cli_count_text(s->lost, number, sizeof(number)));
}

/* ---- tables ------------------------------------------------------------------------------- */

/*
 * Messages, states and events in one table: the type, then every key that one of them has. Keys of
 * the same name share a column, as they do in JSON.
 */
struct union_column {
	const char *key;
	size_t col[RDT_REC_COUNT]; /* RDT_COL_COUNT: this record has none */
};

static size_t union_columns(struct union_column *columns)
{
	size_t count = 0, begin, end;

	for (unsigned rec = RDT_REC_msg; rec < RDT_REC_COUNT; rec++) {
		rdt_rec_cols((enum rdt_rec)rec, &begin, &end);
		for (size_t i = begin; i < end; i++) {
			size_t at = 0;

			while (at < count && strcmp(columns[at].key, rdt_cols[i].key) != 0)
				at++;
			if (at == count) {
				columns[count++].key = rdt_cols[i].key;
				for (unsigned r = 0; r < RDT_REC_COUNT; r++)
					columns[at].col[r] = RDT_COL_COUNT;
			}
			columns[at].col[rec] = i;
		}
	}
	return count;
}

static void table_entry(struct show *show, const struct union_column *columns, size_t count,
			const struct rdt_conn *conn, const struct rdt_entry *entry)
{
	const struct session *s = &show->session;
	const void *record = entry->kind == RDT_REC_msg     ? (const void *)&entry->msg
			     : entry->kind == RDT_REC_state ? (const void *)&entry->state
							    : (const void *)&entry->event;
	char buf[VALUE_TEXT];

	csv_put(cli_out(), &s->opts->table, true, rdt_rec_key((enum rdt_rec)entry->kind));
	for (size_t i = 0; i < count; i++) {
		const size_t col = columns[i].col[entry->kind];
		struct rdt_value value = { .type = RDT_VALUE_NULL };

		if (col != RDT_COL_COUNT)
			value = rdt_col_value(session_tracker(s), col, conn, record, s->base_ns);
		csv_put(cli_out(), &s->opts->table, false, value_text(&value, buf, sizeof(buf)));
	}
	csv_end(cli_out());
}

static void table_all(struct show *show)
{
	struct union_column columns[RDT_COL_COUNT];
	const size_t count = union_columns(columns);
	const struct session *s = &show->session;

	if (s->opts->table.header) {
		csv_put(cli_out(), &s->opts->table, true, "type");
		for (size_t i = 0; i < count; i++)
			csv_put(cli_out(), &s->opts->table, false, columns[i].key);
		csv_end(cli_out());
	}
	for (size_t i = 0; i < s->conn_count; i++) {
		const struct rdt_entry *entries;
		const size_t n = entries_of(show, s->conns[i], &entries, NULL);

		for (size_t k = 0; k < n; k++)
			table_entry(show, columns, count, s->conns[i], &entries[k]);
	}
}

/* ---- json --------------------------------------------------------------------------------- */

static void json_findings(struct show *show, const struct rdt_conn *conn)
{
	const uint32_t index = rdt_tracker_conn_index(session_tracker(&show->session), conn);
	const struct rdt_finding *of[FINDINGS_OF];
	const size_t count = rdt_why_of(show->why, index, of, FINDINGS_OF);

	for (size_t i = 0; i < count && i < FINDINGS_OF; i++)
		findings_json(&show->records, of[i], conn);
}

static void json_all(struct show *show)
{
	const struct session *s = &show->session;

	records_begin(&show->records, true);
	hosts_json(&show->hosts, &show->records, session_tracker(s));
	for (size_t i = 0; i < s->conn_count; i++) {
		const struct rdt_entry *entries;
		const size_t n = entries_of(show, s->conns[i], &entries, NULL);

		records_conn(&show->records, s->conns[i]);
		for (size_t k = 0; k < n; k++)
			records_entry(&show->records, s->conns[i], &entries[k]);
		json_findings(show, s->conns[i]);
	}
	records_end(&show->records);
}

/* ---- the command -------------------------------------------------------------------------- */

static int run(struct show *show, const struct cli_opts *opts)
{
	const struct conn_set none = { .room = 0 };
	int code;

	show->journal = rdt_journal_new(session_memory(), 0, 1);
	if (!show->journal)
		cli_no_memory();
	show->why = findings_new(true);
	records_init(&show->records, &show->session, NULL);
	show->records.judged = true;
	code = hosts_read(&show->hosts, opts);
	if (code != CLI_OK)
		return code;
	code = read_selected(show, opts);
	if (code != CLI_OK)
		return code;
	for (size_t i = 0; i < show->hosts.count; i++)
		show->session.partial |= show->hosts.host[i].damaged;
	hosts_join(&show->hosts, session_tracker(&show->session), show->journal);
	switch (opts->format) {
	case CLI_TEXT:
		show->story = g_new0(struct story, 1);
		for (size_t i = 0; i < show->session.conn_count; i++)
			text_conn(show, show->session.conns[i], !i);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
	case CLI_MD:
	case CLI_JUNIT:
	case CLI_TAP:
		json_all(show);
		break;
	case CLI_CSV:
	case CLI_TSV:
		table_all(show);
		break;
	}
	if (show->session.conn_count == 0)
		session_explain_nothing(&show->session);
	return opts->write ? write_selected(&show->session, &none) : CLI_OK;
}

int cmd_show(const struct cli_opts *opts)
{
	struct show show = { .feeding = NULL };
	int code = session_open(&show.session, opts, opts->select || opts->filter);

	if (code == CLI_OK)
		code = run(&show, opts);
	hosts_free(&show.hosts);
	if (show.merged)
		g_array_unref(show.merged);
	rdt_journal_free(show.journal);
	rdt_why_free(show.why);
	conn_set_free(&show.wanted);
	g_free(show.story);
	return session_close(&show.session, code);
}
