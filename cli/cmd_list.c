/* SPDX-License-Identifier: BSD-2-Clause */
/* list: one line per connection. */
#include <inttypes.h>
#include <string.h>

#include <glib.h>

#include "cli.h"
#include "findings.h"
#include "rdmatrace/field.h"
#include "rdmatrace/text.h"
#include "records.h"
#include "table.h"
#include "write.h"

enum {
	COL_N,
	COL_START,
	COL_ACTIVE,
	COL_PASSIVE,
	COL_SERVICE,
	COL_QPN,
	COL_STATE,
	COL_SETUP,
	COL_LIFE,
	COL_PKTS,
	COL_RETR,
	COL_NOTE,
	COL_COUNT
};

static const struct table_column screen_columns[COL_COUNT] = {
	[COL_N] = { .title = "#", .min = 2, .right = 1 },
	[COL_START] = { .title = "start", .min = 9, .right = 1, .drop = 5 },
	[COL_ACTIVE] = { .title = "active", .min = 9 },
	[COL_PASSIVE] = { .title = "passive", .min = 9 },
	[COL_SERVICE] = { .title = "service", .min = 7, .drop = 6 },
	[COL_QPN] = { .title = "qpn a/p", .min = 7, .drop = 4 },
	[COL_STATE] = { .title = "state", .min = 6, .toned = 1 },
	[COL_SETUP] = { .title = "setup", .min = 8, .right = 1, .drop = 7 },
	[COL_LIFE] = { .title = "life", .min = 8, .right = 1, .drop = 1 },
	[COL_PKTS] = { .title = "pkts", .min = 4, .right = 1, .drop = 3 },
	[COL_RETR] = { .title = "retr", .min = 4, .right = 1, .drop = 2 },
	[COL_NOTE] = { .title = "note" },
};

struct list {
	struct session session;
	struct columns columns;      /* -e, or all of a connection */
	struct table_column *titles; /* of -e in text */
	struct table table;
	struct records records;
	struct rdt_why *why;     /* for the note; NULL where there is none */
	struct conn_set evicted; /* selected ones, for -w */
	uint64_t outcomes[RDT_OUTCOME_COUNT];
	uint64_t shown;
	int64_t prev_ns;
	bool evicting; /* the row is of one that is dropped from memory */
	bool wide;     /* text with -e */
	bool titled;   /* CSV: the first line was printed */
};

/* ---- cells --------------------------------------------------------------------------------- */

/* Rows come by the hundred thousand: no printf for the common cells. */
static char *put_uint(char *at, uint64_t n)
{
	char digits[20];
	size_t len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while (n /= 10);
	while (len)
		*at++ = digits[--len];
	*at = 0;
	return at;
}

static char *put_hex(char *at, uint32_t n)
{
	static const char digits[] = "0123456789abcdef";
	int shift = 28;

	*at++ = '0';
	*at++ = 'x';
	while (shift && !(n >> shift & 15))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = digits[n >> shift & 15];
	*at = 0;
	return at;
}

/* The text of an address by its index: few addresses, many rows. */
static const char *addr_text(const struct list *l, uint32_t addr)
{
	static struct {
		uint32_t addr;
		bool known;
		char text[CLI_HOST_TEXT];
	} cache[256];
	const size_t place = addr % G_N_ELEMENTS(cache);

	if (!cache[place].known || cache[place].addr != addr) {
		cache[place].addr = addr;
		cache[place].known = true;
		cli_addr_text(l->session.opts, rdt_tracker_addr(l->session.tracker, addr),
			      cache[place].text, sizeof(cache[place].text));
	}
	return cache[place].text;
}

static void passive_cell(const struct list *l, const struct rdt_conn *conn, char *buf, size_t size)
{
	const char *addr = addr_text(l, conn->end[RDT_PASSIVE].addr);
	const bool port = conn->port_space || conn->kind == RDT_CONN_MPA;
	const bool colons = strchr(addr, ':') && strncmp(addr, "lid:", 4) != 0;
	size_t len;

	if (!port) {
		g_strlcpy(buf, addr, size);
		return;
	}
	len = g_strlcpy(buf, colons ? "[" : "", size);
	len += g_strlcpy(buf + len, addr, size - len);
	len += g_strlcpy(buf + len, colons ? "]:" : ":", size - len);
	put_uint(buf + len, conn->p_port);
}

/* "cm tcp rping?", "data rc", "cm 0x0000000012345678" */
static void service_cell(const struct rdt_conn *conn, char *buf, size_t size)
{
	const char *app = rdt_conn_app(conn), *space = NULL;
	size_t len = g_strlcpy(buf, rdt_conn_kind_key((enum rdt_conn_kind)conn->kind), size);

	if (conn->kind == RDT_CONN_MPA)
		space = "tcp";
	else if (conn->kind == RDT_CONN_DATA || conn->kind == RDT_CONN_OOB)
		space = rdt_conn_service_key(conn->service);
	else if (conn->port_space)
		space = rdt_name_key(RDT_NAMES_port_space, conn->port_space, "?");
	if (space) {
		buf[len++] = ' ';
		len += g_strlcpy(buf + len, space, size - len);
	} else if (conn->has_svc) {
		len += (size_t)snprintf(buf + len, size - len, " 0x%016" PRIx64, conn->svc);
	}
	/* RC needs no saying; the others do. */
	if (conn->kind == RDT_CONN_CM && conn->service) {
		buf[len++] = ' ';
		len += g_strlcpy(buf + len, rdt_conn_service_key(conn->service), size - len);
	}
	if (app && len + strlen(app) + 3 < size) {
		buf[len++] = ' ';
		len += g_strlcpy(buf + len, app, size - len);
		/* A guess: any program can use the port. The texts of an exchange are none. */
		if (conn->kind != RDT_CONN_OOB)
			g_strlcpy(buf + len, "?", size - len);
	}
}

static void qpn_cell(const struct rdt_conn *conn, char *at)
{
	const struct rdt_end *a = &conn->end[RDT_ACTIVE], *p = &conn->end[RDT_PASSIVE];

	if (conn->kind == RDT_CONN_MPA || !(a->has_qpn | p->has_qpn)) {
		memcpy(at, "-", 2);
		return;
	}
	if (a->has_qpn)
		at = put_hex(at, a->qpn);
	else
		*at++ = '-';
	*at++ = '/';
	if (p->has_qpn)
		put_hex(at, p->qpn);
	else
		memcpy(at, "-", 2);
}

static size_t add_note(char *buf, size_t size, size_t len, uint64_t count, const char *one,
		       const char *many)
{
	if (!count || len + 8 >= size)
		return len;
	if (len)
		len += g_strlcpy(buf + len, ", ", size - len);
	if (len + 24 < size)
		len = (size_t)(put_uint(buf + len, count) - buf);
	buf[len++] = ' ';
	len += g_strlcpy(buf + len, count == 1 ? one : many, size - len);
	return len < size ? len : size - 1;
}

/* Why it was refused, in words, and by whom. */
static size_t refusal(const struct rdt_conn *conn, char *buf, size_t size)
{
	const struct rdt_name *name = NULL;
	size_t len;

	if (conn->kind == RDT_CONN_CM && conn->rej_reason == RDT_REJ_CONSUMER &&
	    conn->rej_by != RDT_REJ_BY_UNKNOWN)
		return (size_t)snprintf(
			buf, size,
			conn->rej_by == RDT_REJ_BY_APPLICATION
				? "the application refused (28)"
				: "the kernel refused before a program saw it (28)");
	if (conn->kind == RDT_CONN_CM)
		name = rdt_name_find(RDT_NAMES_rej_reason, conn->rej_reason);
	else if (conn->kind == RDT_CONN_SIDR)
		name = rdt_name_find(RDT_NAMES_sidr_status, conn->sidr_status);
	if (name)
		len = (size_t)snprintf(buf, size, "%s (%u)", name->text, (unsigned)name->value);
	else if (conn->kind == RDT_CONN_MPA)
		len = (size_t)snprintf(buf, size, "refused");
	else
		len = (size_t)snprintf(buf, size, "reason %u, which has no name", conn->rej_reason);
	if (conn->has_rej && conn->rej_by != RDT_REJ_BY_UNKNOWN)
		len += (size_t)snprintf(buf + len, size - len, ", by the %s",
					rdt_rej_by_key((enum rdt_rej_by)conn->rej_by));
	return len < size ? len : size - 1;
}

static void note_cell(const struct rdt_conn *conn, enum rdt_outcome outcome, char *buf, size_t size)
{
	const struct rdt_end *a = &conn->end[RDT_ACTIVE], *p = &conn->end[RDT_PASSIVE];
	size_t len = 0;

	buf[0] = 0;
	switch (outcome) {
	case RDT_OUTCOME_REJECTED:
	case RDT_OUTCOME_REFUSED:
		len = refusal(conn, buf, size);
		break;
	case RDT_OUTCOME_TIMEOUT:
		len = g_strlcpy(buf, conn->has_rep ? "gave up after the reply" : "gave up waiting",
				size);
		break;
	case RDT_OUTCOME_UNANSWERED:
		len = g_strlcpy(buf,
				conn->kind == RDT_CONN_OOB ? "one side alone told its QP"
							   : "no answer to the end of the capture",
				size);
		break;
	case RDT_OUTCOME_INCOMPLETE:
		len = g_strlcpy(buf,
				conn->kind == RDT_CONN_OOB
					? "QPs were told, but no packet between them followed"
				: conn->mid ? "began before the capture"
					    : "the end of the setup is missing",
				size);
		break;
	case RDT_OUTCOME_OPEN:
		if (conn->kind == RDT_CONN_DATA)
			len = g_strlcpy(buf, "set up out of sight", size);
		else if (conn->mid)
			len = g_strlcpy(buf, "began before the capture", size);
		break;
	case RDT_OUTCOME_CLOSED:
		if (conn->mid)
			len = g_strlcpy(buf, "began before the capture", size);
		break;
	case RDT_OUTCOME_RESOLVED:
	case RDT_OUTCOME_COUNT:
		break;
	}
	len = add_note(buf, size, len, conn->retries, "repeated message", "repeated messages");
	len = add_note(buf, size, len, (uint64_t)a->data.retrans + p->data.retrans,
		       "data retransmission", "data retransmissions");
	len = add_note(buf, size, len, (uint64_t)a->data.gaps + p->data.gaps, "gap in PSN",
		       "gaps in PSN");
	len = add_note(buf, size, len, conn->unexpected, "unexpected message",
		       "unexpected messages");
	if (!len)
		g_strlcpy(buf, "ok", size);
}

/* The gravest finding comes first: its code, for rdma-trace explain, and its sentence or the note. */
static void finding_cell(const struct list *l, const struct rdt_conn *conn,
			 enum rdt_outcome outcome, char *buf, size_t size)
{
	const struct rdt_finding *f = NULL;
	char code[32], note[CLI_HOST_TEXT + 64], title[RDT_WHY_TEXT];

	if (l->why)
		rdt_why_of(l->why, rdt_tracker_conn_index(l->session.tracker, conn), &f, 1);
	if (!f || f->severity < RDT_SEVERITY_WARNING) {
		note_cell(conn, outcome, buf, size);
		return;
	}
	note_cell(conn, outcome, note, sizeof(note));
	/* Where the setup failed, the note has the reason; else it only counts what is strange. */
	if (outcome == RDT_OUTCOME_REJECTED || outcome == RDT_OUTCOME_REFUSED ||
	    outcome == RDT_OUTCOME_TIMEOUT || outcome == RDT_OUTCOME_UNANSWERED)
		g_snprintf(buf, (gulong)size, "%s: %s", rdt_why_code_text(f, code), note);
	else
		g_snprintf(
			buf, (gulong)size, "%s: %s", rdt_why_code_text(f, code),
			rdt_why_text(l->session.tracker, f, RDT_WHY_TITLE, title, sizeof(title)));
}

static void duration_cell(bool known, uint64_t ns, char *buf, size_t size)
{
	if (known)
		rdt_duration_text(ns, buf, size);
	else
		memcpy(buf, "-", 2);
}

static void screen_row(struct list *l, const struct rdt_conn *conn, enum rdt_outcome outcome)
{
	const struct cli_opts *opts = l->session.opts;
	struct table *t = &l->table;
	char buf[CLI_HOST_TEXT + 256];
	uint64_t ns = 0;
	int known;

	table_row(t, cli_outcome_tone(outcome));
	if (conn->n)
		put_uint(buf, conn->n);
	table_cell(t, conn->n ? buf : "-");
	table_cell(t, cli_time_text(opts, conn->start_ns, l->session.base_ns, &l->prev_ns,
				    l->session.time_digits, buf));
	table_cell(t, addr_text(l, conn->end[RDT_ACTIVE].addr));
	passive_cell(l, conn, buf, sizeof(buf));
	table_cell(t, buf);
	service_cell(conn, buf, sizeof(buf));
	table_cell(t, buf);
	qpn_cell(conn, buf);
	table_cell(t, buf);
	table_cell(t, rdt_outcome_key(outcome));
	known = rdt_conn_setup_ns(conn, &ns);
	duration_cell(known, ns, buf, sizeof(buf));
	table_cell(t, buf);
	duration_cell(conn->last_ns >= conn->start_ns, (uint64_t)(conn->last_ns - conn->start_ns),
		      buf, sizeof(buf));
	table_cell(t, buf);
	put_uint(buf, (uint64_t)conn->msgs + conn->end[RDT_ACTIVE].data.pkts +
			      conn->end[RDT_PASSIVE].data.pkts);
	table_cell(t, buf);
	ns = (uint64_t)conn->retries + conn->end[RDT_ACTIVE].data.retrans +
	     conn->end[RDT_PASSIVE].data.retrans;
	put_uint(buf, ns);
	table_cell(t, ns ? buf : "-");
	if (l->evicting && (outcome == RDT_OUTCOME_OPEN || outcome == RDT_OUTCOME_UNANSWERED ||
			    outcome == RDT_OUTCOME_INCOMPLETE))
		g_strlcpy(buf, "dropped from memory before its end", sizeof(buf));
	else
		finding_cell(l, conn, outcome, buf, sizeof(buf));
	table_cell(t, buf);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void field_row(struct list *l, const struct rdt_conn *conn, enum rdt_outcome outcome)
{
	const struct session *s = &l->session;
	char buf[VALUE_TEXT];

	table_row(&l->table, cli_outcome_tone(outcome));
	for (size_t i = 0; i < l->columns.count; i++) {
		const struct rdt_value value =
			rdt_col_value(s->tracker, l->columns.items[i].id, conn, NULL, s->base_ns);
		const char *text = value_text(&value, buf, sizeof(buf));

		table_cell(&l->table, *text ? text : "-");
	}
}

/* The first line of CSV and TSV, once, and not before there is something to read. */
static void put_titles(struct list *l)
{
	if (!l->titled)
		csv_header(cli_out(), &l->session.opts->table, &l->columns);
	l->titled = true;
}

static void put_conn(struct list *l, const struct rdt_conn *conn)
{
	const enum rdt_outcome outcome = rdt_conn_outcome(conn);

	l->shown++;
	l->outcomes[outcome]++;
	switch (l->session.opts->format) {
	case CLI_TEXT:
		if (l->wide)
			field_row(l, conn, outcome);
		else
			screen_row(l, conn, outcome);
		break;
	case CLI_CSV:
	case CLI_TSV:
		put_titles(l);
		records_conn_csv(&l->session, &l->columns, conn);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
	case CLI_MD:
	case CLI_JUNIT:
	case CLI_TAP:
		records_conn(&l->records, conn);
		break;
	}
}

/* The tracker drops it to make room: print it as it goes. */
static void on_evict(void *user, const struct rdt_conn *conn)
{
	struct list *l = user;

	if (!session_wants(&l->session, conn))
		return;
	conn_set_add(&l->evicted, rdt_tracker_conn_index(l->session.tracker, conn));
	l->evicting = true;
	put_conn(l, conn);
	l->evicting = false;
	if (l->table.rows >= 10000)
		table_flush(&l->table, l->session.opts);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool begin(struct list *l, const struct cli_opts *opts)
{
	if (*opts->fields) {
		if (!columns_parse(opts->fields, 1u << RDT_REC_conn, false, &l->columns))
			return false;
	}
	l->wide = l->columns.count > 0;
	if (l->columns.count > TABLE_COLUMNS && opts->format == CLI_TEXT) {
		cli_error("-e: more than %d columns do not make a table; use -T csv",
			  TABLE_COLUMNS);
		return false;
	}
	if (opts->format == CLI_TEXT && l->wide) {
		l->titles = g_new0(struct table_column, l->columns.count);
		for (size_t i = 0; i < l->columns.count; i++) {
			const struct rdt_col *col = &rdt_cols[l->columns.items[i].id];

			l->titles[i].title = l->columns.items[i].name;
			l->titles[i].right = col->type == RDT_VALUE_UINT ||
					     col->type == RDT_VALUE_INT ||
					     col->type == RDT_VALUE_DURATION;
			l->titles[i].toned = l->columns.items[i].id == RDT_COL_conn_outcome;
		}
		table_init(&l->table, l->titles, l->columns.count);
	} else if (opts->format == CLI_TEXT) {
		table_init(&l->table, screen_columns, COL_COUNT);
	} else if (!l->columns.count) {
		columns_of_record(RDT_REC_conn, &l->columns);
	}
	return true;
}

static void end(struct list *l, const struct cli_opts *opts)
{
	if (opts->format == CLI_TEXT)
		table_flush(&l->table, opts);
	else if (opts->format == CLI_JSON || opts->format == CLI_NDJSON)
		records_end(&l->records);
	else
		put_titles(l);
}

static void summary_findings(const struct list *l)
{
	const struct rdt_why_stats *stats = l->why ? rdt_why_stats(l->why) : NULL;
	const uint64_t errors = stats ? stats->counted[RDT_SEVERITY_ERROR] : 0;
	const uint64_t warnings = stats ? stats->counted[RDT_SEVERITY_WARNING] : 0;
	char number[32];

	if (!errors && !warnings)
		return;
	fputs(". ", stderr);
	if (errors)
		fprintf(stderr, "%s error%s", cli_count_text(errors, number, sizeof(number)),
			errors == 1 ? "" : "s");
	if (warnings)
		fprintf(stderr, "%s%s warning%s", errors ? ", " : "",
			cli_count_text(warnings, number, sizeof(number)), warnings == 1 ? "" : "s");
	fputs(": rdma-trace diagnose", stderr);
}

static void summary(const struct list *l)
{
	const struct rdt_track_stats *stats = rdt_tracker_stats(l->session.tracker);
	char number[32];
	bool first = true;

	if (!stats->rdma)
		return;
	cli_out_flush();
	fprintf(stderr, "%s connection%s", cli_count_text(l->shown, number, sizeof(number)),
		l->shown == 1 ? "" : "s");
	for (enum rdt_outcome o = 0; o < RDT_OUTCOME_COUNT; o++) {
		if (!l->outcomes[o])
			continue;
		fprintf(stderr, "%s%s %s%s", first ? ": " : ", ",
			cli_count_text(l->outcomes[o], number, sizeof(number)), rdt_outcome_key(o),
			o == RDT_OUTCOME_OPEN ? " at the end of the capture" : "");
		first = false;
	}
	summary_findings(l);
	fputc('\n', stderr);
}

static int run(struct list *l, const struct cli_opts *opts)
{
	const struct rdt_sink sink = { .user = l, .evict = on_evict };
	int code;

	records_init(&l->records, &l->session, *opts->fields ? &l->columns : NULL);
	if (opts->format == CLI_TEXT && !l->wide) {
		l->why = findings_new(false);
		code = findings_read(l->why, &l->session, &sink, false);
	} else {
		code = session_read(&l->session, &sink, NULL, NULL);
	}
	if (code == CLI_USAGE)
		return code;
	code = session_select(&l->session);
	if (code != CLI_OK)
		return code;
	if (opts->format == CLI_JSON || opts->format == CLI_NDJSON)
		records_begin(&l->records, true);
	for (size_t i = 0; i < l->session.conn_count; i++)
		put_conn(l, l->session.conns[i]);
	end(l, opts);
	session_explain_nothing(&l->session);
	if ((opts->tty_err || opts->verbose) && !opts->quiet)
		summary(l);
	return opts->write ? write_selected(&l->session, &l->evicted) : CLI_OK;
}

int cmd_list(const struct cli_opts *opts)
{
	struct list list = { .prev_ns = INT64_MIN };
	int code = CLI_USAGE;

	if (begin(&list, opts))
		code = session_open(&list.session, opts, false);
	if (code == CLI_OK)
		code = run(&list, opts);
	rdt_why_free(list.why);
	table_free(&list.table);
	columns_free(&list.columns);
	conn_set_free(&list.evicted);
	g_free(list.titles);
	return session_close(&list.session, code);
}
