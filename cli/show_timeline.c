// SPDX-License-Identifier: BSD-2-Clause
/* The state timeline: what each side was in, and by which message. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "calls.h"
#include "rdmatrace/exchange.h"
#include "show.h"

/*
 * Everything that has one time and one frame: a message and what it made both sides do, or a timer,
 * or the first data of a side.
 */
struct moment {
	int64_t ns;
	uint32_t frame;
	uint8_t input;
	const struct rdt_msg_rec *msg;                  /* NULL: no message */
	const struct rdt_state_rec *step[RDT_SIDES][4]; /* in order */
	unsigned steps[RDT_SIDES];
	enum rdt_side data_from;           /* RDT_SIDES: no data */
	bool kernel;                       /* only a host's kernel tells it */
	const struct rdt_event_rec *event; /* delivered by the kernel */
	const char *said;                  /* what the kernel adds to a message; NULL: nothing */
};

struct timeline {
	const struct story *s;
	struct moment *moments;
	size_t count;
	const char *now[RDT_SIDES]; /* the state before; NULL: none seen */
	size_t width[RDT_SIDES];
	unsigned time_width;
	int64_t before; /* time of the line before, for the delta; INT64_MIN: none */
	int64_t prev;   /* for -t d */
};

#define BY_WIDTH 24u

/* ---- gathering ---------------------------------------------------------------------------- */

/*
 * Of the rdma_cm machine only the phases before the REQ are told here: the CM says the rest. Where
 * there is no CM, the QPs' states are all there is.
 */
static bool is_told(const struct story *s, const struct rdt_state_rec *rec)
{
	if (rec->machine == RDT_MACHINE_QP)
		return s->conn->kind == RDT_CONN_OOB && rec->to != RDT_QP_RESET;
	if (rec->machine == RDT_MACHINE_CM || rec->machine == RDT_MACHINE_MPA)
		return true;
	return rec->machine == RDT_MACHINE_RDMA &&
	       (rec->to == RDT_RDMA_ADDR_QUERY || rec->to == RDT_RDMA_ADDR_RESOLVED ||
		rec->to == RDT_RDMA_ROUTE_QUERY || rec->to == RDT_RDMA_ROUTE_RESOLVED);
}

static struct moment *moment_at(struct timeline *t, const struct rdt_when *when)
{
	struct moment *m = t->count ? &t->moments[t->count - 1] : NULL;

	if (m && m->ns == when->ns && m->frame == when->frame && m->input == when->input)
		return m;
	m = &t->moments[t->count++];
	*m = (struct moment){
		.ns = when->ns, .frame = when->frame, .input = when->input, .data_from = RDT_SIDES
	};
	return m;
}

/* A new moment where its time belongs. */
static struct moment *insert(struct timeline *t, const struct moment *m)
{
	size_t at = t->count++;

	while (at && t->moments[at - 1].ns > m->ns)
		at--;
	memmove(&t->moments[at + 1], &t->moments[at], (t->count - 1 - at) * sizeof(*m));
	t->moments[at] = *m;
	return &t->moments[at];
}

static void add_data(struct timeline *t, enum rdt_side side)
{
	const struct rdt_data *data = &t->s->conn->end[side].data;
	const struct moment m = { .ns = data->first_ns,
				  .frame = data->first_frame,
				  .input = t->s->conn->input,
				  .data_from = side };

	if (data->first_frame)
		insert(t, &m);
}

static bool has_step(const struct moment *m, const struct rdt_state_rec *rec)
{
	for (unsigned k = 0; k < m->steps[rec->side]; k++)
		if (m->step[rec->side][k]->to == rec->to)
			return true;
	return false;
}

static void add_step(struct moment *m, const struct rdt_state_rec *rec)
{
	if (m->steps[rec->side] < G_N_ELEMENTS(m->step[0]))
		m->step[rec->side][m->steps[rec->side]++] = rec;
}

/* What a host's kernel says goes to its message, or where its time belongs. */
static void add_kernel_step(struct timeline *t, const struct rdt_state_rec *rec)
{
	const struct moment alone = { .ns = rec->when.ns,
				      .frame = rec->when.frame,
				      .input = rec->when.input,
				      .data_from = RDT_SIDES,
				      .kernel = true };
	struct moment *m = NULL;

	for (size_t i = 0; rec->when.frame && i < t->count && !m; i++)
		if (t->moments[i].frame == rec->when.frame &&
		    t->moments[i].input == rec->when.input)
			m = &t->moments[i];
	if (!m)
		m = insert(t, &alone);
	if (rec->from == rec->to && m->msg)
		m->said = rec->why;
	else if (!has_step(m, rec))
		add_step(m, rec);
}

static void gather_kernel(struct timeline *t)
{
	const struct story *s = t->s;

	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_entry *e = &s->entries[i];

		if (e->kind == RDT_REC_state && e->state.basis == RDT_BASIS_KERNEL)
			add_kernel_step(t, &e->state);
		else if (e->kind == RDT_REC_event && e->event.basis == RDT_BASIS_KERNEL)
			insert(t, &(struct moment){ .ns = e->event.when.ns,
						    .data_from = RDT_SIDES,
						    .kernel = true,
						    .event = &e->event });
	}
}

static void gather(struct timeline *t)
{
	const struct story *s = t->s;

	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_entry *e = &s->entries[i];
		struct moment *m;

		if (e->kind == RDT_REC_msg) {
			m = moment_at(t, &e->msg.when);
			/* One frame is one message; a frame told twice stands twice. */
			if (m->msg) {
				m = &t->moments[t->count++];
				*m = (struct moment){ .ns = e->msg.when.ns,
						      .frame = e->msg.when.frame,
						      .input = e->msg.when.input,
						      .data_from = RDT_SIDES };
			}
			m->msg = &e->msg;
		} else if (e->kind == RDT_REC_state && is_told(s, &e->state) &&
			   e->state.basis != RDT_BASIS_KERNEL) {
			m = moment_at(t, &e->state.when);
			/* Phases that are only told by the REQ itself have no time of their own. */
			if (m->msg && e->state.machine == RDT_MACHINE_RDMA)
				continue;
			add_step(m, &e->state);
		}
	}
	add_data(t, RDT_ACTIVE);
	add_data(t, RDT_PASSIVE);
	gather_kernel(t);
}

/* ---- cells -------------------------------------------------------------------------------- */

/* A state with ~ or * when no packet shows it. DONE and IDLE look the same, as in the kernel. */
static const char *state_text(const struct rdt_state_rec *rec, char *buf, size_t size)
{
	const char *name = rdt_state_key((enum rdt_machine)rec->machine, rec->to);

	g_snprintf(buf, size, "%s%s",
		   rec->basis == RDT_BASIS_INFERRED ? "~"
		   : rec->basis == RDT_BASIS_KERNEL ? "*"
						    : "",
		   name ? name : "-");
	return buf;
}

static enum cli_tone state_tone(const struct rdt_state_rec *rec)
{
	if (rec->basis == RDT_BASIS_INFERRED)
		return CLI_TONE_DIM;
	if ((rec->machine == RDT_MACHINE_CM && rec->to == RDT_CM_ESTABLISHED) ||
	    (rec->machine == RDT_MACHINE_MPA && rec->to == RDT_MPA_ESTABLISHED))
		return CLI_TONE_GOOD;
	return CLI_TONE_OFF;
}

static void measure(struct timeline *t)
{
	char buf[64];

	t->time_width = MAX(show_time_width(t->s), 10);
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		t->width[side] = strlen("state passive");
		for (size_t i = 0; i < t->count; i++)
			for (unsigned k = 0; k < t->moments[i].steps[side]; k++) {
				state_text(t->moments[i].step[side][k], buf, sizeof(buf));
				t->width[side] = MAX(t->width[side], strlen(buf));
			}
		t->width[side] += 3;
	}
}

static void put_state(struct timeline *t, const struct moment *m, unsigned side, unsigned line)
{
	const struct story *s = t->s;
	/* Nothing follows the last cell of further lines. */
	const size_t width = line && side == RDT_PASSIVE ? 0 : t->width[side];
	char buf[64];

	if (line < m->steps[side]) {
		const struct rdt_state_rec *rec = m->step[side][line];

		show_pad_tone(s, state_tone(rec), state_text(rec, buf, sizeof(buf)), width);
		t->now[side] = rdt_state_key((enum rdt_machine)rec->machine, rec->to);
	} else if (!line && m->data_from == side) {
		show_pad("first data", width);
	} else {
		show_pad(!t->now[side] ? "-" : s->opts->ascii ? "|" : "\xe2\x94\x82", width);
	}
}

/* ---- what made it so ---------------------------------------------------------------------- */

/* " sent again (copy 2)" */
static void copy_text(const struct rdt_msg_rec *rec, GString *text)
{
	if (!rec->copy)
		return;
	g_string_append_printf(text, " %s (copy %" PRIu32 ")",
			       rec->copy_kind == RDT_COPY_RESENT       ? "sent again"
			       : rec->copy_kind == RDT_COPY_DUPLICATED ? "duplicated by the network"
			       : rec->copy_kind == RDT_COPY_CAPTURED   ? "captured twice"
								       : "repeated",
			       rec->copy);
}

/* What a frame without a message of the connection was. */
static const char *other_frame(const struct moment *m)
{
	const struct rdt_state_rec *rec = m->steps[RDT_ACTIVE] ? m->step[RDT_ACTIVE][0] : NULL;

	if (m->data_from < RDT_SIDES)
		return " data";
	if (rec && (rec->event == RDT_CM_EV_RESOLVE_ADDR || rec->event == RDT_CM_EV_ADDR_DONE))
		return " ARP or ND";
	if (rec && (rec->event == RDT_CM_EV_RESOLVE_ROUTE || rec->event == RDT_CM_EV_ROUTE_DONE))
		return " PathRecord";
	return "";
}

static void by_text(const struct timeline *t, const struct moment *m, GString *text)
{
	char frame[32];

	if (m->kernel && !m->frame) {
		g_string_append(text, "*kernel");
	} else if (!m->frame) {
		g_string_append(text, "~timer");
	} else {
		g_string_append(text, show_frame(t->s, m->input, m->frame, frame));
		if (m->msg) {
			g_string_append_printf(text, " %s", rdt_msg_key((enum rdt_msg)m->msg->msg));
			copy_text(m->msg, text);
		} else {
			g_string_append(text, other_frame(m));
		}
	}
	if (t->before != INT64_MIN && m->ns >= t->before) {
		char buf[RDT_TEXT_MAX];

		g_string_append_printf(text, "  +%s", show_span(t->before, m->ns, buf));
	}
}

static void num_note(GString *text, const char *what, const char *value)
{
	g_string_append_printf(text, "%s%s %s", text->len ? "; " : "", what, value);
}

static void terminate_note(const struct story *s, enum rdt_side side, GString *text)
{
	const struct msg_layers *layers = &s->told[side][RDT_MSG_TERMINATE].layers;
	const struct rdt_layer *layer = msg_layer(layers, RDT_H_terminate);
	const struct rdt_name *error;
	int swapped;

	if (!layer || layer->have < RDT_LEN_terminate)
		return;
	error = rdt_terminate_error(layer->bytes, &swapped);
	num_note(text, "error:", error ? error->text : "one that has no name");
}

/* What the message itself says that matters here. */
static void message_note(const struct story *s, const struct rdt_msg_rec *rec, GString *text)
{
	const enum rdt_side side = (enum rdt_side)rec->from;
	char buf[RDT_TEXT_MAX];

	if (s->told[side][rec->msg].rec != rec)
		return;
	if (rec->msg == RDT_MSG_MRA)
		num_note(text, "at most",
			 story_text(s, side, RDT_MSG_MRA, RDT_F_mra_service_timeout, buf));
	else if (rec->msg == RDT_MSG_REJ)
		num_note(text, "reason:", story_text(s, side, RDT_MSG_REJ, RDT_F_rej_reason, buf));
	else if (rec->msg == RDT_MSG_APR)
		num_note(text,
			 "status:", story_text(s, side, RDT_MSG_APR, RDT_F_apr_ap_status, buf));
	else if (rec->msg == RDT_MSG_SIDR_REP)
		num_note(text, "status:",
			 story_text(s, side, RDT_MSG_SIDR_REP, RDT_F_sidr_rep_status, buf));
	else if (rec->msg == RDT_MSG_OOB)
		g_string_printf(text,
				"tells its QP 0x%06" PRIx32 ", which sends from PSN 0x%06" PRIx32,
				s->conn->end[side].qpn, s->conn->end[side].psn);
	else if (rec->msg == RDT_MSG_OOB_DONE)
		g_string_printf(text, s->conn->program == RDT_PROGRAM_PERFTEST ? "has finished"
									       : "is ready");
	else if (rec->msg == RDT_MSG_TERMINATE)
		terminate_note(s, side, text);
	else if (rec->msg == RDT_MSG_MPA_REP &&
		 story_num(s, side, RDT_MSG_MPA_REP, RDT_F_mpa_reject))
		num_note(text, "reject", "bit set");
}

/* Which leg took most of the setup. */
static void share_note(const struct story *s, const struct rdt_msg_rec *rec, GString *text)
{
	const struct rdt_conn *c = s->conn;
	uint64_t setup;
	int64_t leg;

	if (rec->copy || !rdt_conn_setup_ns(c, &setup) || !setup || !c->has_rep ||
	    c->kind != RDT_CONN_CM || (rec->msg != RDT_MSG_REP && rec->msg != RDT_MSG_RTU))
		return;
	leg = rec->msg == RDT_MSG_REP ? c->rep_ns - c->start_ns : c->up_ns - c->rep_ns;
	if (leg > 0 && (uint64_t)leg > setup / 2) {
		char share[32];

		if ((uint64_t)leg > setup - setup / 200)
			g_strlcpy(share, "nearly all of the setup", sizeof(share));
		else
			g_snprintf(share, sizeof(share), "%.1f %% of the setup",
				   100.0 * (double)leg / (double)setup);
		num_note(text, "took", share);
	}
}

static void trouble_note(const struct rdt_msg_rec *rec, GString *text)
{
	if (rec->unexpected)
		num_note(text, "unexpected:", "no state explains it");
	if (rec->icrc == RDT_ICRC_BAD)
		num_note(text, "ICRC", "wrong");
	if (rec->snapped)
		num_note(text, "cut", "by the capture");
}

static void data_note(const struct story *s, enum rdt_side side, GString *text)
{
	const struct rdt_end *end = &s->conn->end[side];
	const struct rdt_conn *c = s->conn;

	if (c->kind == RDT_CONN_MPA)
		return;
	g_string_append_printf(text, "PSN 0x%06" PRIx32, end->data.first_psn);
	if (end->has_psn)
		g_string_append(text, end->data.first_psn == end->psn ? " as announced"
								      : ", not as announced");
	if (c->comm_est_frame && c->comm_est_frame == end->data.first_frame && side == RDT_ACTIVE)
		g_string_append(text, "; before any RTU: shows that the peer is ready");
}

/* "active program: DISCONNECTED delivered, status -110" */
static void event_note(const struct rdt_event_rec *rec, GString *text)
{
	g_string_append_printf(text, "%s program is told %s",
			       rdt_side_key((enum rdt_side)rec->side),
			       rdt_rdma_event_key((enum rdt_rdma_event)rec->kernel_event));
	if (rec->status)
		g_string_append_printf(text, ", status %" PRId32, rec->status);
}

/* Why: the sender's step says it, or that of the one whose timer it is. */
static void note_text(const struct timeline *t, const struct moment *m, GString *text)
{
	const struct story *s = t->s;
	const enum rdt_side first = m->msg ? (enum rdt_side)m->msg->from : RDT_ACTIVE;
	const struct rdt_state_rec *rec = m->steps[first] ? m->step[first][0]
					  : m->steps[rdt_side_other(first)]
						  ? m->step[rdt_side_other(first)][0]
						  : NULL;

	if (m->event) {
		event_note(m->event, text);
		return;
	}
	if (m->data_from < RDT_SIDES) {
		data_note(s, m->data_from, text);
		return;
	}
	if (rec && rec->why)
		g_string_append(text, rec->why);
	if (m->msg) {
		message_note(s, m->msg, text);
		share_note(s, m->msg, text);
		trouble_note(m->msg, text);
		if (m->said)
			g_string_append_printf(text, "%s%s", text->len ? "; " : "", m->said);
		show_conflict(s, m->msg, text);
	}
	/* Where only the other side's step is inferred, it has a reason of its own. */
	if (rec && m->msg && m->steps[rdt_side_other(first)] && rec->basis == RDT_BASIS_WIRE) {
		const struct rdt_state_rec *other = m->step[rdt_side_other(first)][0];

		if (other != rec && other->basis == RDT_BASIS_INFERRED && other->why)
			g_string_append_printf(text, "%s%s: %s", text->len ? "; " : "",
					       rdt_side_key(rdt_side_other(first)), other->why);
	}
}

/* ---- calls -------------------------------------------------------------------------------- */

static void chain(const struct timeline *t, const char *what, const char *const *parts,
		  size_t count, const char *trace)
{
	const unsigned column = t->time_width + 4;
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < count; i++)
		if (*parts[i])
			g_string_append_printf(text, "%s%s", text->len ? " > " : "", parts[i]);
	if (*trace)
		g_string_append_printf(text, "  [%s]", trace);
	fprintf(cli_out(), "%*s", (int)column, "");
	show_pad_tone(t->s, CLI_TONE_DIM, what, 9);
	show_para(t->s, CLI_TONE_DIM, text->str, column + 9, column + 9, column + 9);
	g_string_free(text, TRUE);
}

static void calls(const struct timeline *t, const struct moment *m)
{
	const struct rdt_msg_rec *rec = m->msg;
	const enum call_case when = calls_case(t->s->conn, rec);
	const struct call_send *send = calls_send((enum rdt_msg)rec->msg, when);
	const struct call_receive *receive = calls_receive((enum rdt_msg)rec->msg, when);

	/* No call made a copy of the network's. */
	if (send && !(rec->copy && rec->copy_kind != RDT_COPY_RESENT)) {
		const char *const parts[] = { send->call, send->command, send->rdma_cm, send->cm };

		chain(t, "sent by", parts, G_N_ELEMENTS(parts), send->trace);
	}
	if (receive && !(rec->copy && rec->copy_kind == RDT_COPY_CAPTURED)) {
		const char *const parts[] = { receive->first, receive->rdma_cm, receive->user };

		chain(t, "got by", parts, G_N_ELEMENTS(parts), "");
	}
}

/* ---- printing ----------------------------------------------------------------------------- */

/* The frame and the message, then why; below, where the screen is narrow. */
static void print_by(const struct timeline *t, const struct moment *m, const char *by,
		     const char *note)
{
	const struct story *s = t->s;
	const enum cli_tone tone = m->msg && m->msg->copy ? CLI_TONE_WARN : CLI_TONE_OFF;
	const unsigned column =
		t->time_width + 4 + (unsigned)(t->width[RDT_ACTIVE] + t->width[RDT_PASSIVE]);
	const unsigned room = MAX(BY_WIDTH, (unsigned)cli_text_width(by)) + 2;

	if (!*note) {
		show_pad_tone(s, tone, by, 0);
		putc('\n', cli_out());
	} else if (s->opts->width && column + room + 24 > s->opts->width) {
		show_pad_tone(s, tone, by, 0);
		fprintf(cli_out(), "\n%*s", (int)t->time_width + 6, "");
		show_para(s, CLI_TONE_DIM, note, t->time_width + 6, t->time_width + 6,
			  t->time_width + 6);
	} else {
		show_pad_tone(s, tone, by, room);
		show_para(s, CLI_TONE_OFF, note, column + room, column + 2, column + 2);
	}
}

static void print_moment(struct timeline *t, const struct moment *m)
{
	const struct story *s = t->s;
	const unsigned lines = MAX(MAX(m->steps[RDT_ACTIVE], m->steps[RDT_PASSIVE]), 1);
	GString *by = g_string_new(NULL), *note = g_string_new(NULL);
	char time[CLI_TIME_TEXT];

	for (unsigned line = 0; line < lines; line++) {
		fprintf(cli_out(), "  %*s  ", (int)t->time_width,
			line ? "" : show_time(s, m->ns, &t->prev, time));
		put_state(t, m, RDT_ACTIVE, line);
		put_state(t, m, RDT_PASSIVE, line);
		if (line) {
			putc('\n', cli_out());
			continue;
		}
		by_text(t, m, by);
		note_text(t, m, note);
		print_by(t, m, by->str, note->str);
	}
	if (s->opts->calls && m->msg)
		calls(t, m);
	t->before = m->ns;
	g_string_free(by, TRUE);
	g_string_free(note, TRUE);
}

/* Has a host's kernel told the end of this side's TIMEWAIT? */
static bool waited(const struct story *s, unsigned side)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_event_rec *rec = &s->entries[i].event;

		if (s->entries[i].kind == RDT_REC_event && rec->side == side &&
		    rec->kernel_event == RDT_EVENT_TIMEWAIT_EXIT)
			return true;
	}
	return false;
}

/* How the capture leaves the two sides. */
static void print_end(const struct timeline *t)
{
	const struct rdt_conn *c = t->s->conn;
	unsigned code = 0;
	bool waiting = false;
	char text[128], buf[RDT_TEXT_MAX];

	if (c->kind == RDT_CONN_MPA)
		return;
	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (c->end[side].cm_state == RDT_CM_TIMEWAIT && !waited(t->s, side)) {
			waiting = true;
			code = MAX(code, story_ack_timeout(t->s, (enum rdt_side)side));
		}
	if (!waiting)
		return;
	g_snprintf(text, sizeof(text), "the capture ends before TIMEWAIT does%s%s",
		   code ? "; Linux: " : "",
		   code ? rdt_duration_text(rdt_linux_timeout_ns(code), buf, sizeof(buf)) : "");
	fprintf(cli_out(), "  %*s  ", (int)t->time_width, "");
	show_pad_tone(t->s, CLI_TONE_DIM, text, 0);
	putc('\n', cli_out());
}

static void print_legend(const struct timeline *t, const char *text)
{
	fprintf(cli_out(), "  %*s  ", (int)t->time_width, "");
	show_pad_tone(t->s, CLI_TONE_DIM, text, 0);
	putc('\n', cli_out());
}

void show_timeline(const struct story *s)
{
	struct timeline t = { .s = s, .before = INT64_MIN, .prev = INT64_MIN };
	/* At most one for each record, and one for each side's first data. */
	struct moment *moments = g_new(struct moment, s->count + RDT_SIDES);
	bool inferred = false, kernel = false;

	t.moments = moments;
	gather(&t);
	if (t.count) {
		measure(&t);
		putc('\n', cli_out());
		fputs(cli_tone(s->opts, CLI_TONE_BOLD), cli_out());
		fprintf(cli_out(), "  %*s  ", (int)t.time_width, "time");
		show_pad("state active", t.width[RDT_ACTIVE]);
		show_pad("state passive", t.width[RDT_PASSIVE]);
		fprintf(cli_out(), "by%s\n", cli_tone(s->opts, CLI_TONE_OFF));
		for (size_t i = 0; i < t.count; i++) {
			print_moment(&t, &t.moments[i]);
			kernel |= t.moments[i].kernel;
			for (unsigned side = 0; side < RDT_SIDES; side++)
				for (unsigned k = 0; k < t.moments[i].steps[side]; k++)
					inferred |= t.moments[i].step[side][k]->basis ==
						    RDT_BASIS_INFERRED;
		}
		print_end(&t);
		if (inferred)
			print_legend(&t, "~ no packet shows it: it follows from others");
		if (kernel)
			print_legend(&t, "* no packet shows it: the host's kernel says it");
	}
	g_free(moments);
}
