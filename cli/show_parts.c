// SPDX-License-Identifier: BSD-2-Clause
/* The shorter sections of show: phases as bars, events, queue pairs, data. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "show.h"

/* ---- phases ------------------------------------------------------------------------------- */

struct phase {
	const char *name;
	int64_t from, to;
};

static size_t phases(const struct story *s, struct phase *ret)
{
	const struct rdt_conn *c = s->conn;
	const int64_t end = c->has_close ? c->close_ns : c->last_ns;
	size_t n = 0;

	if (c->kind == RDT_CONN_DATA)
		return 0;
	if (c->has_up || !c->established)
		ret[n++] = (struct phase){ "setting up", c->start_ns,
					   c->has_up ? c->up_ns : c->last_ns };
	if (c->has_up)
		ret[n++] = (struct phase){ "open", c->up_ns, end };
	if (c->has_close)
		ret[n++] = (struct phase){ "closing", c->close_ns, c->last_ns };
	return n;
}

/* Where a time falls in room columns; times of broken captures may lie outside. */
static unsigned place(const struct story *s, int64_t ns, unsigned room)
{
	const double all = (double)(s->conn->last_ns - s->conn->start_ns);
	const double at = (double)(ns - s->conn->start_ns) / all;

	return at <= 0 ? 0 : at >= 1 ? room : (unsigned)(at * room);
}

void show_bars(const struct story *s)
{
	struct phase list[3];
	const size_t n = phases(s, list);
	const unsigned room = s->opts->width && s->opts->width < 100 ? 50 : 72;
	const char *full = s->opts->ascii ? "#" : "\xe2\x96\x88",
		   *empty = s->opts->ascii ? "." : "\xc2\xb7";
	char buf[RDT_TEXT_MAX];

	if (n < 2 || s->conn->last_ns <= s->conn->start_ns)
		return;
	putc('\n', cli_out());
	for (size_t i = 0; i < n; i++) {
		/* What was there is never invisible. */
		const unsigned first = MIN(place(s, list[i].from, room), room - 1);
		const unsigned last = MAX(place(s, list[i].to, room), first + 1);

		fputs("  ", cli_out());
		show_pad(list[i].name, 12);
		for (unsigned k = 0; k < room; k++)
			fputs(k >= first && k < last ? full : empty, cli_out());
		fprintf(cli_out(), "  %s\n", show_span(list[i].from, list[i].to, buf));
	}
}

/* ---- events ------------------------------------------------------------------------------- */

static void event_text(const struct rdt_event_rec *rec, GString *text)
{
	const struct rdt_name *reason;

	g_string_append(text, rdt_rdma_event_key((enum rdt_rdma_event)rec->event));
	if (rec->status)
		g_string_append_printf(text, ", status %" PRId32, rec->status);
	reason =
		rec->status > 0 ? rdt_name_find(RDT_NAMES_rej_reason, (uint64_t)rec->status) : NULL;
	if (reason && rec->event == RDT_EVENT_REJECTED)
		g_string_append_printf(text, " (%s)", reason->key);
	if (rec->event != rec->kernel_event)
		g_string_append_printf(text, " (kernel: %s)",
				       rdt_rdma_event_key((enum rdt_rdma_event)rec->kernel_event));
}

void show_events(const struct story *s)
{
	const unsigned width = MAX(show_time_width(s), 10);
	int64_t prev = INT64_MIN;
	char time[CLI_TIME_TEXT];
	size_t longest = 0;
	bool any = false;

	for (size_t i = 0; i < s->count; i++)
		if (s->entries[i].kind == RDT_REC_event) {
			GString *text = g_string_new(NULL);

			event_text(&s->entries[i].event, text);
			longest = MAX(longest, text->len);
			g_string_free(text, TRUE);
			any = true;
		}
	if (!any)
		return;
	show_title(s, "events that the programs get (RDMA_CM_EVENT_...); no packet shows them");
	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_event_rec *rec = &s->entries[i].event;
		const unsigned column = width + 4 + 9 + (unsigned)longest + 2;
		GString *text;

		if (s->entries[i].kind != RDT_REC_event)
			continue;
		text = g_string_new(NULL);
		event_text(rec, text);
		fprintf(cli_out(), "  %*s  ", (int)width, show_time(s, rec->when.ns, &prev, time));
		show_pad(rdt_side_key((enum rdt_side)rec->side), 9);
		show_pad_tone(s, rec->status ? CLI_TONE_BAD : CLI_TONE_OFF, text->str,
			      show_fits(s, rec->why ? rec->why : "", column) ? longest + 2 : 0);
		show_para(s, CLI_TONE_OFF, rec->why ? rec->why : "", column, column, width + 13);
		g_string_free(text, TRUE);
	}
}

/* ---- queue pairs -------------------------------------------------------------------------- */

/* "name value", after a comma where something stands before. */
static void attribute(GString *text, const char *name, const char *value)
{
	g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", name, value);
}

static void number_attribute(GString *text, const char *name, unsigned value)
{
	char buf[16];

	g_snprintf(buf, sizeof(buf), "%u", value);
	attribute(text, name, buf);
}

static void hex_attribute(GString *text, const char *name, uint32_t value)
{
	char buf[16];

	g_snprintf(buf, sizeof(buf), "0x%06" PRIx32, value);
	attribute(text, name, buf);
}

/* Was the message captured that carries what side asked for? */
static bool told(const struct story *s, enum rdt_side side)
{
	return side == RDT_ACTIVE ? s->conn->params.has_req : s->conn->params.has_rep;
}

/* What librdmacm loads into the QP with RTR, as far as REQ and REP tell. */
static void rtr_text(const struct story *s, enum rdt_side side, GString *text)
{
	const struct rdt_end *own = &s->conn->end[side];
	const struct rdt_end *peer = &s->conn->end[rdt_side_other(side)];
	char buf[RDT_TEXT_MAX];

	if (peer->has_psn)
		hex_attribute(text, "rq_psn", peer->psn);
	if (peer->has_qpn)
		hex_attribute(text, "dest_qp_num", peer->qpn);
	if (story_has(s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_path_mtu))
		attribute(text, "path_mtu",
			  story_text(s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_path_mtu, buf));
	if (s->conn->service != 0 || !told(s, side))
		return;
	number_attribute(text, "max_dest_rd_atomic", own->resources);
	attribute(text, "min_rnr_timer", rdt_unit_text(RDT_UNIT_RNR_TIMER, 0, buf, sizeof(buf)));
}

static void rts_text(const struct story *s, enum rdt_side side, GString *text)
{
	const struct rdt_end *own = &s->conn->end[side];
	const struct rdt_end *peer = &s->conn->end[rdt_side_other(side)];
	char buf[RDT_TEXT_MAX];

	if (own->has_psn)
		hex_attribute(text, "sq_psn", own->psn);
	if (s->conn->service != 0)
		return;
	if (s->conn->params.has_req && (side == RDT_PASSIVE || s->conn->params.has_rep)) {
		attribute(text, "timeout",
			  rdt_unit_text(RDT_UNIT_ACK_TIMEOUT, story_ack_timeout(s, side), buf,
					sizeof(buf)));
		number_attribute(text, "retry_cnt", s->conn->params.retry_count);
	}
	/* How often to try again when the peer is not ready is what the peer asked for. */
	if (told(s, rdt_side_other(side)))
		attribute(text, "rnr_retry",
			  rdt_unit_text(RDT_UNIT_RNR_RETRY, peer->rnr_retry, buf, sizeof(buf)));
	if (told(s, RDT_ACTIVE) && told(s, RDT_PASSIVE))
		number_attribute(text, "max_rd_atomic", MIN(own->depth, peer->resources));
}

static bool is_qp(const struct rdt_entry *e)
{
	return e->kind == RDT_REC_state && e->state.machine == RDT_MACHINE_QP;
}

/* Is this the side's last QP? What is known of values is of that one. */
static bool is_last_qp(const struct story *s, size_t at)
{
	const struct rdt_state_rec *rec = &s->entries[at].state;

	for (size_t i = at + 1; i < s->count; i++)
		if (is_qp(&s->entries[i]) && s->entries[i].state.side == rec->side &&
		    s->entries[i].state.to == RDT_QP_RESET)
			return false;
	return true;
}

void show_qps(const struct story *s)
{
	const unsigned width = MAX(show_time_width(s), 10);
	const unsigned column = width + 4 + 9 + 7;
	int64_t prev = INT64_MIN;
	char time[CLI_TIME_TEXT];
	bool any = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_state_rec *rec = &s->entries[i].state;
		GString *text;

		if (!is_qp(&s->entries[i]))
			continue;
		if (!any)
			show_title(s, "queue pairs; no packet shows their states: as librdmacm and "
				      "the kernel do it");
		any = true;
		text = g_string_new(NULL);
		/* A UD QP has no peer, and no PSN that was agreed; an earlier QP had others. */
		if (s->conn->kind != RDT_CONN_CM || !is_last_qp(s, i))
			g_string_append(text, rec->why ? rec->why : "");
		else if (rec->to == RDT_QP_RTR)
			rtr_text(s, (enum rdt_side)rec->side, text);
		else if (rec->to == RDT_QP_RTS)
			rts_text(s, (enum rdt_side)rec->side, text);
		if (!text->len && rec->why)
			g_string_append(text, rec->why);
		fprintf(cli_out(), "  %*s  ", (int)width, show_time(s, rec->when.ns, &prev, time));
		show_pad(rdt_side_key((enum rdt_side)rec->side), 9);
		show_pad(rdt_state_key(RDT_MACHINE_QP, rec->to), 7);
		show_para(s, CLI_TONE_OFF, text->str, column, column, width + 13);
		g_string_free(text, TRUE);
	}
}

/* ---- data --------------------------------------------------------------------------------- */

static void put_count(uint64_t n, int width, bool dash)
{
	char buf[32];

	fprintf(cli_out(), "%*s", width, dash && !n ? "-" : cli_count_text(n, buf, sizeof(buf)));
}

void show_data(const struct story *s)
{
	const struct rdt_conn *c = s->conn;
	const struct rdt_data *data[RDT_SIDES] = { &c->end[RDT_ACTIVE].data,
						   &c->end[RDT_PASSIVE].data };
	char time[CLI_TIME_TEXT], frame[32];

	if (!data[RDT_ACTIVE]->pkts && !data[RDT_PASSIVE]->pkts)
		return;
	show_title(s, "data");
	fprintf(cli_out(), "  %-22s%12s%16s%12s%8s   %s\n", "", "packets", "message bytes",
		"sent again", "gaps", "first request");
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		char way[48];

		snprintf(way, sizeof(way), "%s %s %s", rdt_side_key((enum rdt_side)side),
			 show_arrow(s), rdt_side_key(rdt_side_other((enum rdt_side)side)));
		fputs("  ", cli_out());
		show_pad(way, 22);
		put_count(data[side]->pkts, 12, false);
		put_count(data[side]->bytes, 16, false);
		put_count(data[side]->retrans, 12, true);
		put_count(data[side]->gaps, 8, true);
		if (data[side]->first_frame)
			fprintf(cli_out(), "   %s at %s\n",
				show_frame(s, c->input, data[side]->first_frame, frame),
				show_time(s, data[side]->first_ns, NULL, time));
		else
			fputs("   -\n", cli_out());
	}
}
