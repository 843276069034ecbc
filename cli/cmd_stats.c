// SPDX-License-Identifier: BSD-2-Clause
/* stats: how many, how fast, how they ended; by service, pair of hosts, reason; times of steps. */
#include <inttypes.h>
#include <string.h>

#include "cli.h"
#include "columns.h"
#include "rdmatrace/flow.h"
#include "rdmatrace/states.h"
#include "rdmatrace/text.h"
#include "records.h"
#include "stats.h"
#include "table.h"

/* Rows of a table on the screen; programs get all. */
#define SCREEN_ROWS 20u

struct cmd {
	struct session session;
	struct stats stats;
	struct records records;
	struct rdt_when asked; /* an address was asked for, by the connection asking */
	uint32_t asking;
};

/* ---- what is told while reading ------------------------------------------------------------------- */

/* Records of the resolution before a REQ come one after the other, when the REQ is seen. */
static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct cmd *c = user;
	const uint32_t index = rdt_tracker_conn_index(c->session.tracker, conn);

	if (rec->machine != RDT_MACHINE_RDMA || !rec->when.frame)
		return;
	if (rec->to == RDT_RDMA_ADDR_QUERY) {
		c->asked = rec->when;
		c->asking = index;
	} else if (rec->to == RDT_RDMA_ADDR_RESOLVED && c->asking == index) {
		/* Of an address that was known no packet shows how long it took. */
		if (rec->when.frame != c->asked.frame && rec->when.ns >= c->asked.ns)
			stats_resolved(&c->stats, (uint64_t)(rec->when.ns - c->asked.ns));
		c->asking = RDT_CONN_NONE;
	}
}

static void on_evict(void *user, const struct rdt_conn *conn)
{
	struct cmd *c = user;

	if (session_wants(&c->session, conn))
		stats_conn(&c->stats, &c->session, conn);
}

/* ---- the screen ------------------------------------------------------------------------------------- */

static const char *ns_cell(const struct durations *d, unsigned permille, char buf[RDT_TEXT_MAX])
{
	return durations_count(d) ? rdt_duration_text(durations_at(d, permille), buf, RDT_TEXT_MAX)
				  : "-";
}

static const char *number_cell(uint64_t n, char buf[32])
{
	return n ? cli_count_text(n, buf, 32) : "-";
}

static void title(const struct cmd *c, const char *text)
{
	fprintf(cli_out(), "\n%s%s%s\n", cli_tone(c->session.opts, CLI_TONE_BOLD), text,
		cli_tone(c->session.opts, CLI_TONE_OFF));
}

static enum cli_tone tone_of(const struct stats_group *g)
{
	return g->ends[STATS_REJECTED] || g->ends[STATS_TIMEOUT] ? CLI_TONE_BAD : CLI_TONE_OFF;
}

static void more_rows(const GPtrArray *list)
{
	if (list->len > SCREEN_ROWS)
		fprintf(cli_out(), "... and %u more: -T csv or -T ndjson has all\n",
			list->len - SCREEN_ROWS);
}

static void group_row(struct table *t, const struct stats_group *g, bool peaks)
{
	static const unsigned permilles[] = { 500, 900, 990, 1000 };
	char buf[RDT_TEXT_MAX], number[32], name[CLI_HOST_TEXT * 2 + 32];

	table_row(t, tone_of(g));
	g_snprintf(name, sizeof(name), "%s%s%s%s", g->name, g->app && peaks ? " " : "",
		   g->app && peaks ? g->app : "", g->app && peaks ? "?" : "");
	table_cell(t, name);
	table_cell(t, number_cell(g->conns, number));
	for (unsigned end = 0; end < STATS_ENDS; end++)
		table_cell(t, number_cell(g->ends[end], number));
	for (size_t i = 0; i < G_N_ELEMENTS(permilles); i++)
		table_cell(t, ns_cell(&g->setup, permilles[i], buf));
	table_cell(t, number_cell(g->retries, number));
	if (peaks) {
		table_cell(t, number_cell(g->peak_rate, number));
		table_cell(t, number_cell(g->peak_setups, number));
		table_cell(t, number_cell(g->peak_open, number));
	}
	table_cell(t, number_cell(g->pkts, number));
	table_cell(t, number_cell(g->bytes, number));
	table_cell(t, number_cell(g->resent, number));
}

static void group_table(const struct cmd *c, const char *what, const GPtrArray *list, bool peaks)
{
	const struct table_column columns[] = {
		{ .title = what, .min = 10, .toned = 1 },
		{ .title = "conns", .min = 5, .right = 1 },
		{ .title = "ok", .min = 5, .right = 1 },
		{ .title = "rej", .min = 5, .right = 1 },
		{ .title = "tmo", .min = 5, .right = 1 },
		{ .title = "?", .min = 1, .right = 1, .drop = 4 },
		{ .title = "setup p50", .min = 9, .right = 1 },
		{ .title = "p90", .min = 8, .right = 1, .drop = 3 },
		{ .title = "p99", .min = 8, .right = 1 },
		{ .title = "max", .min = 8, .right = 1 },
		{ .title = "retries", .min = 7, .right = 1 },
		{ .title = "peak/s", .min = 6, .right = 1 },
		{ .title = "in setup", .min = 8, .right = 1, .drop = 2 },
		{ .title = "open", .min = 4, .right = 1, .drop = 1 },
		{ .title = "pkts", .min = 4, .right = 1, .drop = 5 },
		{ .title = "bytes", .min = 5, .right = 1, .drop = 6 },
		{ .title = "resent", .min = 6, .right = 1 },
	};
	struct table_column shown[G_N_ELEMENTS(columns)];
	size_t count = 0;
	struct table t;

	for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
		if (peaks || i < 11 || i > 13)
			shown[count++] = columns[i];
	table_init(&t, shown, count);
	for (guint i = 0; i < list->len && i < SCREEN_ROWS; i++)
		group_row(&t, list->pdata[i], peaks);
	table_flush(&t, c->session.opts);
	table_free(&t);
	more_rows(list);
}

static void reason_table(const struct cmd *c)
{
	static const struct table_column columns[] = {
		{ .title = "why it failed", .min = 24 },
		{ .title = "conns", .min = 5, .right = 1 },
		{ .title = "first", .min = 5, .right = 1 },
	};
	const GPtrArray *list = c->stats.reasons;
	char number[32];
	struct table t;

	if (!list->len)
		return;
	title(c, "reasons");
	table_init(&t, columns, G_N_ELEMENTS(columns));
	for (guint i = 0; i < list->len && i < SCREEN_ROWS; i++) {
		const struct stats_group *g = list->pdata[i];

		table_row(&t, CLI_TONE_OFF);
		table_cell(&t, g->name);
		table_cell(&t, number_cell(g->conns, number));
		table_cell(&t, number_cell(g->first_conn, number));
	}
	table_flush(&t, c->session.opts);
	table_free(&t);
	more_rows(list);
}

static const struct table_column time_columns[] = {
	{ .title = "step", .min = 12 },
	{ .title = "what", .min = 12 },
	{ .title = "count", .min = 6, .right = 1 },
	{ .title = "p50", .min = 8, .right = 1 },
	{ .title = "p90", .min = 8, .right = 1 },
	{ .title = "p99", .min = 8, .right = 1 },
	{ .title = "max", .min = 8, .right = 1 },
};

static void step_table(const struct cmd *c)
{
	char buf[RDT_TEXT_MAX], number[32];
	struct table t;

	table_init(&t, time_columns, G_N_ELEMENTS(time_columns));
	for (unsigned i = 0; i < STATS_STEPS; i++) {
		const struct durations *d = &c->stats.steps[i];

		if (!durations_count(d))
			continue;
		if (!t.rows)
			title(c, "steps of setting up and closing (names of cmtime)");
		table_row(&t, CLI_TONE_OFF);
		table_cell(&t, stats_step_key((enum stats_step)i));
		table_cell(&t, stats_step_text((enum stats_step)i));
		table_cell(&t, number_cell(durations_count(d), number));
		table_cell(&t, ns_cell(d, 500, buf));
		table_cell(&t, ns_cell(d, 900, buf));
		table_cell(&t, ns_cell(d, 990, buf));
		table_cell(&t, ns_cell(d, 1000, buf));
	}
	table_flush(&t, c->session.opts);
	table_free(&t);
}

static uint64_t time_at(const struct rdt_flow_times *times, unsigned permille)
{
	return permille == 1000 ? times->max_ns : rdt_flow_times_ns(times, permille);
}

/* Over all connections: a window of one keeps no single times. */
static void data_table(const struct cmd *c)
{
	static const struct table_column columns[] = {
		{ .title = "messages", .min = 12 },
		{ .title = "count", .min = 6, .right = 1 },
		{ .title = "bytes", .min = 8, .right = 1 },
		{ .title = "timed", .min = 6, .right = 1 },
		{ .title = "p50", .min = 8, .right = 1 },
		{ .title = "p90", .min = 8, .right = 1 },
		{ .title = "p99", .min = 8, .right = 1 },
		{ .title = "max", .min = 8, .right = 1 },
	};
	static const unsigned permilles[] = { 500, 900, 990, 1000 };
	char buf[RDT_TEXT_MAX], number[32];
	struct table t;

	table_init(&t, columns, G_N_ELEMENTS(columns));
	for (unsigned op = 0; op < RDT_FLOW_OP_COUNT; op++) {
		const struct rdt_flow_times *times =
			rdt_tracker_flow_times(c->session.tracker, (enum rdt_flow_op)op);

		if (!times->msgs)
			continue;
		if (!t.rows)
			title(c, "data: first packet of a message to its acknowledge");
		table_row(&t, CLI_TONE_OFF);
		table_cell(&t, rdt_flow_op_key((enum rdt_flow_op)op));
		table_cell(&t, number_cell(times->msgs, number));
		table_cell(&t, number_cell(times->bytes, number));
		table_cell(&t, number_cell(times->timed, number));
		for (size_t i = 0; i < G_N_ELEMENTS(permilles); i++)
			table_cell(&t, times->timed
					       ? rdt_duration_text(time_at(times, permilles[i]),
								   buf, sizeof(buf))
					       : "-");
	}
	table_flush(&t, c->session.opts);
	table_free(&t);
}

static void put_text(const struct cmd *c, bool selected)
{
	const struct stats_group *all = c->stats.all;
	char number[32], other[32];

	if (!all->conns)
		return;
	fprintf(cli_out(), "%s connection%s; at most %s begun in one second",
		cli_count_text(all->conns, number, sizeof(number)), all->conns == 1 ? "" : "s",
		cli_count_text(all->peak_rate, other, sizeof(other)));
	fprintf(cli_out(), ", %s in setup and",
		cli_count_text(all->peak_setups, number, sizeof(number)));
	fprintf(cli_out(), " %s open at a time\n",
		cli_count_text(all->peak_open, number, sizeof(number)));
	title(c, "services");
	group_table(c, "service", c->stats.services, true);
	title(c, "hosts");
	group_table(c, "active > passive", c->stats.peers, false);
	reason_table(c);
	step_table(c);
	if (!selected)
		data_table(c);
}

/* ---- programs ------------------------------------------------------------------------------------------ */

/*
 * Both forms are made of the same numbers: a table ("service"), a row's name, a key, a value. JSON
 * makes an object of a row, CSV a line of each number.
 */
struct writer {
	struct cmd *c;
	struct json *j; /* NULL: CSV */
	const char *table, *name;
};

static void open_row(struct writer *w, const char *table, const char *name)
{
	w->table = table;
	w->name = name;
	if (w->j) {
		records_open(&w->c->records, table);
		json_text(w->j, "name", name);
	}
}

static void close_row(struct writer *w)
{
	if (w->j)
		records_close(&w->c->records);
}

static void put(struct writer *w, const char *key, bool known, uint64_t value)
{
	const struct cli_table *table = &w->c->session.opts->table;
	char number[32];

	if (w->j && known) {
		json_uint(w->j, key, value);
	} else if (w->j) {
		json_null(w->j, key);
	} else if (known) {
		g_snprintf(number, sizeof(number), "%" PRIu64, value);
		csv_put(cli_out(), table, true, w->table);
		csv_put(cli_out(), table, false, w->name);
		csv_put(cli_out(), table, false, key);
		csv_put(cli_out(), table, false, number);
		csv_end(cli_out());
	}
}

static void put_durations(struct writer *w, const struct durations *d, const char *prefix)
{
	static const struct {
		const char *key;
		unsigned permille;
	} rows[] = { { "p50_ns", 500 }, { "p90_ns", 900 }, { "p99_ns", 990 }, { "max_ns", 1000 } };
	char key[32];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_snprintf(key, sizeof(key), "%s%s", prefix, rows[i].key);
		put(w, key, durations_count(d), durations_at(d, rows[i].permille));
	}
}

static void put_group(struct writer *w, const char *table, const struct stats_group *g)
{
	open_row(w, table, g->name);
	put(w, "conns", true, g->conns);
	for (unsigned end = 0; end < STATS_ENDS; end++)
		put(w, stats_end_key((enum stats_end)end), true, g->ends[end]);
	put(w, "first_conn", g->first_conn, g->first_conn);
	put_durations(w, &g->setup, "setup_");
	put(w, "retries", true, g->retries);
	put(w, "retried_conns", true, g->retried_conns);
	put(w, "peak_per_second", true, g->peak_rate);
	put(w, "peak_in_setup", true, g->peak_setups);
	put(w, "peak_open", true, g->peak_open);
	put(w, "data_pkts", true, g->pkts);
	put(w, "data_bytes", true, g->bytes);
	put(w, "retrans", true, g->resent);
	close_row(w);
}

static void put_groups(struct writer *w, const char *table, const GPtrArray *list)
{
	for (guint i = 0; i < list->len; i++)
		put_group(w, table, list->pdata[i]);
}

static void put_rows(struct writer *w, bool selected)
{
	const struct stats *s = &w->c->stats;

	put_group(w, "total", s->all);
	put_groups(w, "service", s->services);
	put_groups(w, "peer", s->peers);
	put_groups(w, "reason", s->reasons);
	for (unsigned i = 0; i < STATS_STEPS; i++) {
		if (!durations_count(&s->steps[i]))
			continue;
		open_row(w, "step", stats_step_key((enum stats_step)i));
		put(w, "count", true, durations_count(&s->steps[i]));
		put_durations(w, &s->steps[i], "");
		close_row(w);
	}
	for (unsigned op = 0; op < RDT_FLOW_OP_COUNT && !selected; op++) {
		const struct rdt_flow_times *times =
			rdt_tracker_flow_times(w->c->session.tracker, (enum rdt_flow_op)op);

		if (!times->msgs)
			continue;
		open_row(w, "data", rdt_flow_op_key((enum rdt_flow_op)op));
		put(w, "messages", true, times->msgs);
		put(w, "bytes", true, times->bytes);
		put(w, "timed", true, times->timed);
		put(w, "p50_ns", times->timed, time_at(times, 500));
		put(w, "p90_ns", times->timed, time_at(times, 900));
		put(w, "p99_ns", times->timed, time_at(times, 990));
		put(w, "max_ns", times->timed, times->max_ns);
		close_row(w);
	}
}

static void put_all(struct cmd *c, bool selected)
{
	static const char *const titles[] = { "table", "name", "key", "value" };
	const struct cli_opts *opts = c->session.opts;
	struct writer w = { .c = c };

	if (opts->format == CLI_JSON || opts->format == CLI_NDJSON) {
		w.j = &c->records.json;
		records_begin(&c->records, true);
		put_rows(&w, selected);
		c->records.conns = c->stats.all->conns;
		records_end(&c->records);
	} else if (opts->format == CLI_CSV || opts->format == CLI_TSV) {
		for (size_t i = 0; i < G_N_ELEMENTS(titles) && opts->table.header; i++)
			csv_put(cli_out(), &opts->table, !i, titles[i]);
		if (opts->table.header)
			csv_end(cli_out());
		put_rows(&w, selected);
	} else {
		put_text(c, selected);
	}
}

/* ---- the command ------------------------------------------------------------------------------------------ */

static int run(struct cmd *c, const struct cli_opts *opts)
{
	const struct rdt_sink sink = { .user = c, .state = on_state, .evict = on_evict };
	const bool selected = opts->select || opts->filter;
	int code;

	records_init(&c->records, &c->session, NULL);
	code = session_read(&c->session, &sink, NULL, NULL);
	if (code == CLI_USAGE)
		return code;
	code = session_select(&c->session);
	if (code != CLI_OK)
		return code;
	for (size_t i = 0; i < c->session.conn_count; i++)
		stats_conn(&c->stats, &c->session, c->session.conns[i]);
	stats_finish(&c->stats);
	put_all(c, selected);
	session_explain_nothing(&c->session);
	return CLI_OK;
}

int cmd_stats(const struct cli_opts *opts)
{
	struct cmd c = { .asking = RDT_CONN_NONE };
	int code = session_open(&c.session, opts, false);

	stats_begin(&c.stats);
	if (code == CLI_OK)
		code = run(&c, opts);
	stats_free(&c.stats);
	return session_close(&c.session, code);
}
