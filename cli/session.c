/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads captures through a tracker: the loop that all commands share. */
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli.h"
#include "filter.h"
#include "progress.h"
#include "rdmatrace/heap.h"
#include "rdmatrace/wire.h"
#include "select.h"
#include "source.h"

/*
 * Between the tracker and the command's sink: asks -Y of each record where -Y asks about records.
 * Questions about packets and records are kept as bits, one word a connection.
 */
struct marks {
	struct session *s;
	struct rdt_sink sink; /* the command's */
	uint64_t *seen;       /* by connection index */
	size_t count;
	uint64_t all;
	unsigned needs;
};

struct session_priv {
	struct inputs *inputs;
	struct marks marks;
	uint64_t seed;
	uint64_t known_links; /* frames of a link type that frame.h reads */
	uint32_t bad_link;    /* one that it does not */
	bool has_bad_link, stopped;
	bool fine; /* a time with a part below 1 us was seen */
};

static struct session_priv priv; /* one command, one session at a time */

static const struct rdt_memory memory = RDT_HEAP;

const struct rdt_memory *session_memory(void)
{
	return &memory;
}

/* ---- what -Y asks of packets and records ------------------------------------------------------ */

static uint64_t *seen_of(struct marks *m, uint32_t index)
{
	if (index >= m->count) {
		const size_t count =
			((size_t)index + 1) * 2 < 1024 ? 1024 : ((size_t)index + 1) * 2;

		m->seen = g_realloc_n(m->seen, count, sizeof(*m->seen));
		memset(m->seen + m->count, 0, (count - m->count) * sizeof(*m->seen));
		m->count = count;
	}
	return &m->seen[index];
}

static void mark_record(struct marks *m, const struct rdt_conn *conn, enum rdt_rec rec,
			const void *record)
{
	uint64_t *seen = seen_of(m, rdt_tracker_conn_index(m->s->tracker, conn));
	struct rdt_view_records records = { .tracker = m->s->tracker,
					    .conn = conn,
					    .base = m->s->base_ns };
	struct rdt_view view;

	if (!(m->needs & 1u << rec) || (*seen & m->all) == m->all)
		return;
	records.rec[rec] = record;
	view = rdt_view_of(&records);
	rdt_filter_mark(m->s->opts->filter, &view, seen);
}

static void mark_packet(struct marks *m, const struct packet *packet, const struct rdt_frame *frame,
			const struct rdt_verdict *verdict)
{
	struct rdt_layer layers[RDT_LAYERS_MAX];
	struct rdt_view_records records = { .tracker = m->s->tracker, .base = m->s->base_ns };
	const struct rdt_conn *conn = rdt_tracker_conn(m->s->tracker, verdict->conn);
	struct rdt_view_frame about;
	struct rdt_view view;
	uint64_t *seen;
	size_t count;

	if (!conn)
		return;
	seen = seen_of(m, verdict->conn);
	if ((*seen & m->all) == m->all)
		return;
	records.conn = conn;
	view = rdt_view_of(&records);
	count = rdt_layers(packet->bytes, frame, layers);
	if (verdict->fpdu_at)
		count = rdt_layers_fpdu(packet->bytes, frame, verdict->fpdu_at - 1, layers, count);
	rdt_view_set_packet(&view, layers, count, frame);
	about = (struct rdt_view_frame){ packet->when, m->s->base_ns, packet->len, packet->have,
					 packet->link };
	view.frame = &about;
	rdt_filter_mark(m->s->opts->filter, &view, seen);
}

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	struct marks *m = user;

	mark_record(m, conn, RDT_REC_msg, rec);
	if (m->sink.msg)
		m->sink.msg(m->sink.user, conn, rec);
}

static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct marks *m = user;

	mark_record(m, conn, RDT_REC_state, rec);
	if (m->sink.state)
		m->sink.state(m->sink.user, conn, rec);
}

static void on_event(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec)
{
	struct marks *m = user;

	mark_record(m, conn, RDT_REC_event, rec);
	if (m->sink.event)
		m->sink.event(m->sink.user, conn, rec);
}

static void on_evict(void *user, const struct rdt_conn *conn)
{
	struct marks *m = user;

	if (m->sink.evict)
		m->sink.evict(m->sink.user, conn);
}

static void on_data(void *user, const struct rdt_conn *conn, const struct rdt_data_rec *rec)
{
	struct marks *m = user;

	m->sink.data(m->sink.user, conn, rec);
}

static void on_flow(void *user, const struct rdt_conn *conn)
{
	struct marks *m = user;

	m->sink.flow(m->sink.user, conn);
}

static void on_reuse(void *user, const struct rdt_conn *conn, const struct rdt_conn *older,
		     enum rdt_side side, enum rdt_reuse what)
{
	struct marks *m = user;

	m->sink.reuse(m->sink.user, conn, older, side, what);
}

/* The sink to give to the tracker: the command's own where nothing has to be marked. */
static struct rdt_sink marking_sink(struct session *s, const struct rdt_sink *sink)
{
	struct marks *m = &priv.marks;
	const struct rdt_filter *filter = s->opts->filter;
	const bool marks =
		filter && !s->first && s->opts->cmd->run != cmd_dump && rdt_filter_marks(filter);

	m->s = s;
	m->sink = sink ? *sink : (struct rdt_sink){ 0 };
	m->needs = 0;
	if (!marks)
		return m->sink;
	m->needs = rdt_filter_needs(filter);
	m->all = rdt_filter_marks(filter);
	return (struct rdt_sink){
		.user = m,
		.msg = m->needs & RDT_VIEW_MSG || m->sink.msg ? on_msg : NULL,
		.state = m->needs & RDT_VIEW_STATE || m->sink.state ? on_state : NULL,
		.event = m->needs & RDT_VIEW_EVENT || m->sink.event ? on_event : NULL,
		.evict = m->sink.evict ? on_evict : NULL,
		.data = m->sink.data ? on_data : NULL,
		.flow = m->sink.flow ? on_flow : NULL,
		.reuse = m->sink.reuse ? on_reuse : NULL,
	};
}

/* ---- reading -------------------------------------------------------------------------------- */

int session_open(struct session *s, const struct cli_opts *opts, bool again)
{
	int code;

	*s = (struct session){ .opts = opts, .started_ns = progress_now_ns() };
	priv = (struct session_priv){ 0 };
	progress_init();
	/* A sender of packets must not be able to choose those that fall into one hash bucket. */
	if (getrandom(&priv.seed, sizeof(priv.seed), 0) != sizeof(priv.seed))
		priv.seed = (uint64_t)s->started_ns * 0x9e3779b97f4a7c15u;
	code = inputs_open(opts, again || opts->write, &priv.inputs);
	if (code != CLI_OK)
		return code;
	s->base_ns = inputs_base_ns(priv.inputs);
	s->time_digits = inputs_time_digits(priv.inputs);
	return CLI_OK;
}

static void count_other(struct session *s, const struct packet *packet,
			const struct rdt_frame *frame)
{
	switch ((enum rdt_frame_kind)frame->kind) {
	case RDT_FRAME_IB:
		return;
	case RDT_FRAME_TCP:
		s->tcp++;
		s->tcp_cut += frame->payload_have < frame->payload_len;
		break;
	case RDT_FRAME_ARP:
		s->arp++;
		break;
	case RDT_FRAME_ND:
	case RDT_FRAME_ICMP:
		s->icmp++;
		break;
	case RDT_FRAME_OTHER:
		if (frame->problem == RDT_PROBLEM_LINK_UNKNOWN) {
			priv.known_links--;
			priv.bad_link = packet->link;
			priv.has_bad_link = true;
		}
		if (frame->l4)
			s->udp++;
		else
			s->other++;
		break;
	}
}

static int make_tracker(struct session *s, const struct rdt_sink *sink)
{
	const struct rdt_track_opts opts = { .max_conns = s->opts->max_conns, .seed = priv.seed };

	s->tracker = rdt_tracker_new(&memory, &opts, sink);
	if (!s->tracker)
		cli_no_memory();
	return CLI_OK;
}

static void reset_counts(struct session *s)
{
	s->packets = s->tcp = s->udp = s->arp = s->icmp = s->other = s->tcp_cut = 0;
	priv.known_links = 0;
}

/* ---- the second pass --------------------------------------------------------------------------- */

const struct rdt_conn *session_conn(const struct session *s, const struct rdt_verdict *verdict)
{
	const struct rdt_tracker *t = session_tracker(s);

	return rdt_tracker_conn(t, s->first ? rdt_tracker_conn_final(t, verdict->conn)
					    : verdict->conn);
}

const struct rdt_tracker *session_tracker(const struct session *s)
{
	return s->first ? s->first : s->tracker;
}

/* The loop. Nothing here allocates; the tracker does, for what it keeps. */
static enum source_result pump(struct session *s, session_packet_fn each, void *user)
{
	const uint64_t limit = s->opts->count;
	const uint16_t port = s->opts->port;
	const bool mark = priv.marks.needs & RDT_VIEW_PACKET;
	struct packet packet;
	struct rdt_frame frame;
	struct rdt_verdict verdict;
	enum source_result result;
	uint64_t size;

	while ((result = inputs_next(priv.inputs, &packet)) == SOURCE_FRAME) {
		rdt_frame_parse(packet.link, packet.bytes, packet.have, packet.len, port, &frame);
		if (rdt_tracker_feed(s->tracker, &frame, &packet.when, &verdict) != RDT_OK)
			cli_no_memory();
		s->packets++;
		priv.known_links++;
		priv.fine |= packet.when.ns % 1000 != 0;
		if (packet.when.ns > s->end_ns || s->packets == 1)
			s->end_ns = packet.when.ns;
		if (frame.kind != RDT_FRAME_IB)
			count_other(s, &packet, &frame);
		if (mark)
			mark_packet(&priv.marks, &packet, &frame, &verdict);
		if (each && each(user, &packet, &frame, &verdict))
			break;
		if (s->packets == limit)
			break;
		if (s->packets % 1024 == 0) {
			const uint64_t position = inputs_position(priv.inputs, &size);

			progress_at(position, size);
			if (progress_stopped())
				return SOURCE_STOPPED;
		}
	}
	return result;
}

/* RDMA is there, and the capture cut all of it before what tells the connections. */
static bool all_unread(const struct session *s)
{
	const struct rdt_track_stats *stats = rdt_tracker_stats(s->tracker);

	return stats->unread && !(stats->msgs + stats->data);
}

int session_read_with(struct session *s, const struct rdt_sink *sink,
		      void (*ready)(void *user, const struct rdt_tracker *tracker),
		      session_packet_fn each, void *user)
{
	const struct input_info *infos;
	const struct rdt_sink marking = marking_sink(s, sink);
	enum source_result result;
	const char *link;
	char text[160];
	size_t inputs;

	if (s->tracker) {
		if (inputs_rewind(priv.inputs) != CLI_OK)
			return CLI_USAGE;
		s->first = s->tracker;
		s->tracker = NULL;
	}
	reset_counts(s);
	make_tracker(s, &marking);
	if (ready)
		ready(user, s->tracker);
	progress_begin(s->opts->tty_err && !s->opts->quiet, &s->packets);
	result = pump(s, each, user);
	progress_end();
	rdt_tracker_finish(s->tracker, s->end_ns);
	s->time_digits = priv.fine ? 9 : 6;

	if (inputs_bad_filter(priv.inputs))
		return CLI_USAGE;
	priv.stopped = result == SOURCE_STOPPED;
	s->partial = priv.stopped || rdt_tracker_stats(s->tracker)->evicted ||
		     rdt_tracker_stats(s->tracker)->lost_addrs || all_unread(s);
	inputs = inputs_info(priv.inputs, &infos);
	for (size_t i = 0; i < inputs; i++)
		s->partial |= infos[i].truncated;
	if (priv.has_bad_link) {
		link = source_link_text(priv.bad_link, text, sizeof(text));
		if (!priv.known_links) {
			cli_error("%s: %s carries no RDMA that is known here; Ethernet, cooked, "
				  "raw IP, "
				  "ERF and native InfiniBand can be read",
				  infos[0].path, link);
			return CLI_USAGE;
		}
		cli_warn("packets of %s were skipped", link);
	}
	if (!s->packets && s->partial && inputs_report(priv.inputs))
		return CLI_USAGE;
	return s->partial ? CLI_PARTIAL : CLI_OK;
}

int session_read(struct session *s, const struct rdt_sink *sink, session_packet_fn each, void *user)
{
	return session_read_with(s, sink, NULL, each, user);
}

/* ---- selecting ------------------------------------------------------------------------------- */

bool session_wants(const struct session *s, const struct rdt_conn *conn)
{
	const struct cli_opts *opts = s->opts;
	const struct rdt_tracker *tracker = session_tracker(s);
	struct rdt_view_records records = { .tracker = tracker, .conn = conn, .base = s->base_ns };
	struct rdt_view view;
	uint32_t index;

	if (opts->select && !selection_has(opts->select, conn->n, rdt_conn_id(conn)))
		return false;
	if (!opts->filter)
		return true;
	view = rdt_view_of(&records);
	index = rdt_tracker_conn_index(tracker, conn);
	return rdt_filter_conn(opts->filter, &view,
			       index < priv.marks.count ? priv.marks.seen[index] : 0);
}

static int by_number(const void *a, const void *b)
{
	const struct rdt_conn *const *x = a, *const *y = b;

	return ((*x)->n > (*y)->n) - ((*x)->n < (*y)->n);
}

int session_select(struct session *s)
{
	const uint32_t count = rdt_tracker_conn_count(s->tracker);
	bool sorted = true;
	char text[64];

	s->conns = g_new(const struct rdt_conn *, (gsize)count + 1);
	s->conn_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct rdt_conn *conn = rdt_tracker_conn(s->tracker, i);

		if (!conn || !session_wants(s, conn))
			continue;
		sorted &= !s->conn_count || s->conns[s->conn_count - 1]->n < conn->n;
		s->conns[s->conn_count++] = conn;
	}
	if (!sorted)
		qsort(s->conns, s->conn_count, sizeof(*s->conns), by_number);
	/* With -Y as well it is no surprise that some do not show. */
	if (s->opts->select && selection_unmet(s->opts->select, text, sizeof(text))) {
		cli_error("%s: %s; rdma-trace list shows what there is", s->opts->files[0], text);
		return CLI_USAGE;
	}
	return CLI_OK;
}

size_t session_inputs(const struct session *s, const struct input_info **ret_infos)
{
	(void)s;
	return inputs_info(priv.inputs, ret_infos);
}

/* ---- telling ---------------------------------------------------------------------------------- */

/* -Y chose no connection: silence could as well be a fault. */
static void explain_no_match(const struct session *s)
{
	uint64_t count = 0;
	char number[32];

	if (!s->opts->filter || !s->conns || s->conn_count ||
	    rdt_tracker_stats(s->tracker)->evicted)
		return;
	for (uint32_t i = 0; i < rdt_tracker_conn_count(s->tracker); i++)
		count += rdt_tracker_conn(s->tracker, i) != NULL;
	if (count)
		cli_warn("none of %s connection%s match%s",
			 cli_count_text(count, number, sizeof(number)), count == 1 ? "" : "s",
			 count == 1 ? "es" : "");
}

void session_explain_nothing(const struct session *s)
{
	static const char *const names[] = { "TCP", "UDP", "ARP", "ICMP", "other" };
	const uint64_t counts[] = { s->tcp, s->udp, s->arp, s->icmp, s->other };
	const struct input_info *infos;
	const size_t inputs = session_inputs(s, &infos);
	char number[32];
	GString *text;

	if (s->opts->quiet)
		return;
	if (rdt_tracker_stats(s->tracker)->rdma) {
		explain_no_match(s);
		return;
	}
	if (!s->packets) {
		uint64_t read = 0;

		for (size_t i = 0; i < inputs; i++)
			read += infos[i].packets;
		if (read)
			cli_warn("none of the %s packets passed -f \"%s\"",
				 cli_count_text(read, number, sizeof(number)), s->opts->bpf);
		else
			cli_warn("no packets in %s",
				 inputs == 1 ? infos[0].path : "these captures");
		return;
	}
	text = g_string_new(NULL);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		if (counts[i])
			g_string_append_printf(text, "%s%s %s", text->len ? ", " : "",
					       cli_count_text(counts[i], number, sizeof(number)),
					       names[i]);
	}
	if (s->tcp_cut)
		g_string_append_printf(text,
				       "; %s of the TCP packets were cut by the capture, which "
				       "hides iWARP: capture with -s 0",
				       cli_count_text(s->tcp_cut, number, sizeof(number)));
	cli_warn("no RDMA in %s packet%s: %s%s", cli_count_text(s->packets, number, sizeof(number)),
		 s->packets == 1 ? "" : "s", text->str,
		 s->udp ? "; --port N if RoCEv2 uses another UDP port than 4791 here" : "");
	g_string_free(text, TRUE);
}

/* -v: what was read. */
static void details(const struct session *s)
{
	const struct rdt_track_stats *stats = rdt_tracker_stats(s->tracker);
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{ stats->frames, "packets" },
		{ stats->rdma, "RDMA packets" },
		{ stats->msgs, "messages that set up or close" },
		{ stats->data, "data packets of known connections" },
		{ stats->cnp, "congestion notifications" },
		{ stats->vendor, "packets of a vendor's transport" },
		{ stats->other_mads, "other management datagrams" },
		{ stats->stray, "messages that belong to no connection" },
		{ stats->malformed, "malformed packets" },
		{ stats->snapped, "RDMA packets cut by the capture" },
		{ stats->icrc_bad, "messages with a wrong ICRC" },
		{ stats->duplicated, "packets captured twice" },
		{ stats->time_back, "packets with a time before the latest" },
		{ stats->evicted, "connections dropped from memory" },
	};
	char number[32];

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (rows[i].count || i < 2)
			fprintf(stderr, "%14s %s\n",
				cli_count_text(rows[i].count, number, sizeof(number)),
				rows[i].what);
	}
}

int session_close(struct session *s, int code)
{
	const struct rdt_track_stats *stats;
	char number[32];

	if (code != CLI_USAGE && s->tracker) {
		/* Results first, then what is missing from them. */
		cli_out_flush();
		stats = rdt_tracker_stats(s->tracker);
		if (s->opts->verbose)
			details(s);
		inputs_report(priv.inputs);
		if (stats->evicted)
			cli_warn("%s connections were dropped to make room for others; --max-conns "
				 "N "
				 "keeps more",
				 cli_count_text(stats->evicted, number, sizeof(number)));
		if (stats->lost_addrs)
			cli_warn("%s packets were not tracked: too many addresses",
				 cli_count_text(stats->lost_addrs, number, sizeof(number)));
		if (stats->unread)
			cli_warn("%s RDMA packet%s cut by the capture before what tells %s "
				 "connection, so nothing is said of them: capture with -s 0",
				 cli_count_text(stats->unread, number, sizeof(number)),
				 stats->unread == 1 ? " was" : "s were",
				 stats->unread == 1 ? "its" : "their");
		if (priv.stopped)
			cli_warn("stopped by a signal after %s packets",
				 cli_count_text(s->packets, number, sizeof(number)));
		if (code == CLI_OK && s->partial)
			code = CLI_PARTIAL;
	}
	rdt_tracker_free(s->tracker);
	rdt_tracker_free(s->first);
	inputs_close(priv.inputs);
	g_free(s->conns);
	g_free(priv.marks.seen);
	priv = (struct session_priv){ 0 };
	*s = (struct session){ 0 };
	return code;
}
