// SPDX-License-Identifier: BSD-2-Clause
/* ladder: a connection as a picture of its two sides. */
#include <glib.h>

#include "ladder.h"
#include "rdmatrace/wire.h"
#include "write.h"

/* Runs of data kept a connection; what is more goes to the last one. */
#define RUNS_MAX 4096u

struct command {
	struct session session;
	struct rdt_journal *journal;
	struct conn_set wanted; /* by index */
	const struct rdt_tracker *feeding;
	GHashTable *runs; /* index of a connection -> GArray of struct data_run */
	GHashTable *cut;  /* index: the next data packet begins a run */
};

static void free_runs(gpointer runs)
{
	g_array_unref(runs);
}

/* ---- reading ------------------------------------------------------------------------------ */

static void ready(void *user, const struct rdt_tracker *tracker)
{
	struct command *c = user;

	c->feeding = tracker;
	rdt_journal_set_tracker(c->journal, tracker);
}

static int want(void *user, const struct rdt_conn *conn)
{
	const struct command *c = user;

	return conn_set_has(&c->wanted, rdt_tracker_conn_index(c->feeding, conn));
}

/* Message bytes of a data packet; false when it is none. */
static bool is_data(const struct rdt_conn *conn, const struct rdt_frame *frame, uint64_t *ret_bytes)
{
	struct rdt_pkt pkt;

	*ret_bytes = 0;
	if (conn->kind == RDT_CONN_MPA) {
		*ret_bytes = frame->payload_len;
		return frame->kind == RDT_FRAME_TCP && frame->payload_len;
	}
	if (frame->kind != RDT_FRAME_IB)
		return false;
	if (rdt_pkt_parse(frame->bth, frame->bth_have, frame->bth_len, &pkt) == RDT_OK)
		*ret_bytes = pkt.payload_len;
	return true;
}

static void count(struct command *c, uint32_t index, enum rdt_side from,
		  const struct rdt_when *when, uint64_t bytes)
{
	const gpointer key = GUINT_TO_POINTER(index + 1);
	GArray *runs = g_hash_table_lookup(c->runs, key);
	struct data_run *run;

	if (!runs) {
		runs = g_array_new(FALSE, TRUE, sizeof(struct data_run));
		g_hash_table_insert(c->runs, key, runs);
	}
	if (!runs->len || (g_hash_table_contains(c->cut, key) && runs->len < RUNS_MAX)) {
		const struct data_run fresh = { .from_ns = when->ns,
						.first_frame = when->frame,
						.input = when->input };

		g_array_append_val(runs, fresh);
	}
	g_hash_table_remove(c->cut, key);
	run = &g_array_index(runs, struct data_run, runs->len - 1);
	run->to_ns = when->ns;
	run->last_frame = when->frame;
	run->packets[from]++;
	run->bytes[from] += bytes;
}

static int each(void *user, const struct packet *packet, const struct rdt_frame *frame,
		const struct rdt_verdict *verdict)
{
	struct command *c = user;
	const struct rdt_conn *conn = session_conn(&c->session, verdict);
	uint32_t index;
	uint64_t bytes;

	if (!conn)
		return 0;
	index = rdt_tracker_conn_index(session_tracker(&c->session), conn);
	if (!conn_set_has(&c->wanted, index))
		return 0;
	if (verdict->is_msg)
		g_hash_table_add(c->cut, GUINT_TO_POINTER(index + 1));
	else if (is_data(conn, frame, &bytes))
		count(c, index, (enum rdt_side)verdict->side, &packet->when, bytes);
	return 0;
}

/* Twice: which connections are wanted is known after the first pass. */
static int read_both(struct command *c)
{
	struct session *s = &c->session;
	const struct rdt_sink sink = rdt_journal_sink(c->journal);
	int code = session_read(s, NULL, NULL, NULL);

	if (code == CLI_USAGE)
		return code;
	code = session_select(s);
	if (code != CLI_OK || !s->conn_count)
		return code;
	if (s->conn_count > 1 && (s->opts->picture == CLI_MERMAID || s->opts->picture == CLI_SVG)) {
		cli_error("-T %s draws one connection and %zu are selected; name one: " CLI_NAME
			  " ladder -T %s %u FILE",
			  s->opts->picture == CLI_SVG ? "svg" : "mermaid", s->conn_count,
			  s->opts->picture == CLI_SVG ? "svg" : "mermaid", s->conns[0]->n);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < s->conn_count; i++)
		conn_set_add(&c->wanted, rdt_tracker_conn_index(session_tracker(s), s->conns[i]));
	rdt_journal_set_filter(c->journal, want, c);
	code = session_read_with(s, &sink, ready, each, c);
	return code == CLI_USAGE ? code : CLI_OK;
}

/* ---- drawing ------------------------------------------------------------------------------ */

static void draw(struct command *c, const struct rdt_conn *conn, bool first)
{
	const struct cli_opts *opts = c->session.opts;
	const uint32_t index = rdt_tracker_conn_index(session_tracker(&c->session), conn);
	const GArray *runs = g_hash_table_lookup(c->runs, GUINT_TO_POINTER(index + 1));
	struct story *s = g_new0(struct story, 1);
	struct ladder ladder;
	char number[32];

	*s = (struct story){ .session = &c->session,
			     .opts = opts,
			     .tracker = session_tracker(&c->session),
			     .conn = conn };
	s->count = rdt_journal_entries(c->journal, index, &s->entries, &s->lost);
	story_begin(s);
	ladder_make(&ladder, s, runs ? (const void *)runs->data : NULL, runs ? runs->len : 0,
		    opts->expand);
	switch (opts->picture) {
	case CLI_NO_PICTURE:
		if (!first)
			fputs("\n\n", cli_out());
		ladder_text(&ladder);
		if (s->lost)
			fprintf(cli_out(), "\n  %s more records of this connection were not kept\n",
				cli_count_text(s->lost, number, sizeof(number)));
		break;
	case CLI_MERMAID:
		ladder_mermaid(&ladder);
		break;
	case CLI_PLANTUML:
		ladder_plantuml(&ladder);
		break;
	case CLI_SVG:
		ladder_svg(&ladder);
		break;
	}
	ladder_free(&ladder);
	g_free(s);
}

int cmd_ladder(const struct cli_opts *opts)
{
	struct command c = { .feeding = NULL };
	int code = session_open(&c.session, opts, true);

	if (code == CLI_OK) {
		c.journal = rdt_journal_new(session_memory(), 0, 1);
		if (!c.journal)
			cli_no_memory();
		c.runs = g_hash_table_new_full(NULL, NULL, NULL, free_runs);
		c.cut = g_hash_table_new(NULL, NULL);
		code = read_both(&c);
		for (size_t i = 0; code == CLI_OK && i < c.session.conn_count; i++)
			draw(&c, c.session.conns[i], !i);
		if (code == CLI_OK && !c.session.conn_count)
			session_explain_nothing(&c.session);
		g_hash_table_unref(c.runs);
		g_hash_table_unref(c.cut);
	}
	rdt_journal_free(c.journal);
	conn_set_free(&c.wanted);
	return session_close(&c.session, code);
}
