// SPDX-License-Identifier: BSD-2-Clause
/* The first lines: who, what service, and how it went in words. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "explain.h"
#include "rdmatrace/setup.h"
#include "show.h"

#define LABEL_WIDTH 15

void show_line(const struct story *s, const char *label, enum cli_tone tone, const char *text)
{
	show_pad(label, LABEL_WIDTH);
	show_para(s, tone, text, LABEL_WIDTH, LABEL_WIDTH, LABEL_WIDTH);
}

static const char *side_name(enum rdt_side side)
{
	return side == RDT_ACTIVE ? "the active side" : "the passive side";
}

/* ---- the service -------------------------------------------------------------------------- */

static void add_app(const struct rdt_conn *c, GString *text)
{
	const char *app = rdt_conn_app(c);

	if (app)
		g_string_append_printf(text, ", usually %s", app);
}

static void service_text(const struct rdt_conn *c, GString *text)
{
	if (c->kind == RDT_CONN_MPA) {
		g_string_append_printf(text, "tcp:%u", c->p_port);
		add_app(c, text);
	} else if (c->kind == RDT_CONN_OOB) {
		g_string_append(text, rdt_conn_app(c));
	} else if (c->port_space) {
		g_string_append_printf(text, "%s:%u (0x%016" PRIx64 ")",
				       rdt_name_key(RDT_NAMES_port_space, c->port_space, "?"),
				       c->p_port, c->svc);
		add_app(c, text);
	} else if (c->has_svc) {
		g_string_append_printf(text, "0x%016" PRIx64, c->svc);
	}
}

char *story_title(const struct story *s)
{
	const struct rdt_conn *c = s->conn;
	const char *key = rdt_conn_service_key(c->service);
	char *service = key ? g_ascii_strup(key, -1) : NULL;
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "connection %" PRIu32 "   id %08" PRIx32 "   ", c->n,
			       rdt_conn_id(c));
	/* Before the first packet nothing tells what an announced QP is for. */
	if (c->transport == RDT_TRANSPORT_NONE)
		g_string_append(text, "no packet of it seen");
	else
		g_string_append(text, rdt_transport_text((enum rdt_transport)c->transport));
	if (c->kind != RDT_CONN_MPA && service)
		g_string_append_printf(text, " %s", service);
	g_string_append_printf(text, "   %s %s %s", s->addr[RDT_ACTIVE], show_arrow(s),
			       s->addr[RDT_PASSIVE]);
	if (c->has_svc || c->kind == RDT_CONN_MPA || rdt_conn_app(c)) {
		g_string_append(text, "   service ");
		service_text(c, text);
	}
	g_free(service);
	return g_string_free(text, FALSE);
}

/* ---- the verdict -------------------------------------------------------------------------- */

static const struct rdt_msg_rec *first_from(const struct story *s, enum rdt_msg msg)
{
	const struct rdt_msg_rec *a = story_msg(s, RDT_ACTIVE, msg),
				 *p = story_msg(s, RDT_PASSIVE, msg);

	if (!a || !p)
		return a ? a : p;
	return a->when.ns <= p->when.ns ? a : p;
}

static void add_setup(const struct story *s, GString *text)
{
	char buf[RDT_TEXT_MAX];
	uint64_t ns;

	if (rdt_conn_setup_ns(s->conn, &ns))
		g_string_append_printf(text, "; setup %s", rdt_duration_text(ns, buf, sizeof(buf)));
}

static void add_open(const struct story *s, GString *text, const char *what)
{
	const struct rdt_conn *c = s->conn;
	const int64_t to = c->has_close ? c->close_ns : s->session->end_ns;
	char buf[RDT_TEXT_MAX];

	if (c->has_up && to > c->up_ns)
		g_string_append_printf(text, ", %s %s", what, show_span(c->up_ns, to, buf));
}

static void closed_text(const struct story *s, GString *text)
{
	const struct rdt_conn *c = s->conn;
	const enum rdt_side by = (enum rdt_side)c->close_side;
	const struct rdt_msg_rec *drep = first_from(s, RDT_MSG_DREP);
	const bool both =
		story_msg(s, RDT_ACTIVE, RDT_MSG_DREQ) && story_msg(s, RDT_PASSIVE, RDT_MSG_DREQ);
	char buf[RDT_TEXT_MAX];

	if (!c->has_close)
		g_string_append(text, "closed");
	else if (both)
		g_string_append_printf(text, "closed by both sides at once, %s first",
				       side_name(by));
	else if (c->kind == RDT_CONN_MPA)
		g_string_append_printf(text, "closed by %s (TCP %s)", side_name(by),
				       story_msg(s, by, RDT_MSG_TCP_FIN) ? "FIN" : "reset");
	else
		g_string_append_printf(text, "closed %sby %s", drep ? "normally " : "",
				       side_name(by));
	add_setup(s, text);
	add_open(s, text, "open");
	if (drep && c->has_close && drep->when.ns >= c->close_ns)
		g_string_append_printf(text, ", close %s",
				       show_span(c->close_ns, drep->when.ns, buf));
	else if (!drep && c->kind == RDT_CONN_CM && c->has_close)
		g_string_append(text, "; no DREP in the capture");
	if (c->mid)
		g_string_append(text, "; its beginning was not captured");
}

/* An exchange of QPs: what came of it. */
static void oob_text(const struct story *s, GString *text)
{
	const struct rdt_conn *c = s->conn;
	const struct rdt_exchange *x = rdt_tracker_exchange(s->tracker, c);
	char buf[RDT_TEXT_MAX];

	if (c->established)
		g_string_append_printf(text, "data for %s; no packet shows the end of such a QP",
				       show_span(c->start_ns, c->last_ns, buf));
	else if (c->has_rep)
		g_string_append_printf(
			text,
			"both sides told their QPs, but no packet between them is in "
			"the %s to the end of the capture",
			show_span(c->up_ns, s->session->end_ns, buf));
	else
		g_string_append_printf(
			text,
			"%s told its QP, the other told none in the %s to the end of the capture",
			side_name(x && x->told[RDT_PASSIVE].frame ? RDT_PASSIVE : RDT_ACTIVE),
			show_span(c->start_ns, s->session->end_ns, buf));
	add_setup(s, text);
}

static void oob_setup(const struct story *s)
{
	const struct rdt_exchange *x = rdt_tracker_exchange(s->tracker, s->conn);
	GString *text;

	if (!x)
		return;
	text = g_string_new("QPs told over TCP by ");
	g_string_append(text, rdt_program_text((enum rdt_program)x->program));
	if (x->version[0])
		g_string_append_printf(text, ", version %.*s", (int)sizeof(x->version), x->version);
	show_line(s, "set up", CLI_TONE_OFF, text->str);
	g_string_free(text, TRUE);
}

static void open_text(const struct story *s, GString *text)
{
	const struct rdt_conn *c = s->conn;
	char buf[RDT_TEXT_MAX];

	if (c->kind == RDT_CONN_DATA) {
		g_string_append_printf(
			text,
			"data for %s; set up out of sight: no message of its setup is in the "
			"capture",
			show_span(c->start_ns, c->last_ns, buf));
		return;
	}
	g_string_append(text, "established, and not closed to the end of the capture");
	add_setup(s, text);
	add_open(s, text, "open so far");
	if (c->mid)
		g_string_append(text, "; its beginning was not captured");
}

/* "REQ sent 4 times in 13.8 s, no answer" */
static void unanswered_text(const struct story *s, GString *text)
{
	static const enum rdt_msg asks[] = { RDT_MSG_DREQ, RDT_MSG_REP, RDT_MSG_REQ,
					     RDT_MSG_SIDR_REQ, RDT_MSG_MPA_REQ };
	char buf[RDT_TEXT_MAX];

	for (size_t i = 0; i < G_N_ELEMENTS(asks); i++) {
		const struct rdt_msg_rec *rec = first_from(s, asks[i]);
		const unsigned n = rec ? story_sent(s, (enum rdt_side)rec->from, asks[i]) : 0;

		if (!n)
			continue;
		g_string_append_printf(text, "%s sent %s", rdt_msg_key(asks[i]),
				       n == 1 ? "once" : "");
		if (n > 1)
			g_string_append_printf(text, "%u times", n);
		g_string_append_printf(text, ", no answer in the %s to the end of the capture",
				       show_span(rec->when.ns, s->session->end_ns, buf));
		return;
	}
	g_string_append(text, rdt_outcome_text(RDT_OUTCOME_UNANSWERED));
}

static bool is_giving_up(unsigned event)
{
	return event == RDT_CM_EV_TIMER_REQ || event == RDT_CM_EV_TIMER_REP ||
	       event == RDT_CM_EV_TIMER_DREQ || event == RDT_CM_EV_TIMER_SIDR ||
	       event == RDT_CM_EV_TIMER_MPA || event == RDT_CM_EV_TX_MPA_ABORT;
}

static void timeout_text(const struct story *s, GString *text)
{
	const struct rdt_conn *c = s->conn;
	const struct rdt_msg_rec *rej = first_from(s, RDT_MSG_REJ),
				 *req = first_from(s, RDT_MSG_REQ);
	char buf[RDT_TEXT_MAX];

	if (rej && c->rej_reason == RDT_REJ_TIMEOUT) {
		g_string_append_printf(text, "given up by %s with REJ 4",
				       side_name((enum rdt_side)rej->from));
		if (req)
			g_string_append_printf(text, ", %s after its REQ",
					       show_span(req->when.ns, rej->when.ns, buf));
		if (!c->has_rep)
			g_string_append(text, story_msg(s, RDT_PASSIVE, RDT_MSG_MRA)
						      ? "; the passive side asked for time (MRA) "
							"and never answered"
						      : "; the passive side never answered");
		return;
	}
	/* The last one decides. */
	for (size_t i = s->count; i--;) {
		const struct rdt_state_rec *rec = &s->entries[i].state;

		if (s->entries[i].kind != RDT_REC_state || !is_giving_up(rec->event) ||
		    (rec->machine != RDT_MACHINE_CM && rec->machine != RDT_MACHINE_MPA))
			continue;
		g_string_append_printf(text, "%s gave up: %s", side_name((enum rdt_side)rec->side),
				       rec->why);
		return;
	}
	g_string_append(text, rdt_outcome_text(RDT_OUTCOME_TIMEOUT));
}

static void rejected_text(const struct story *s, GString *text)
{
	const struct rdt_conn *c = s->conn;
	const struct rdt_name *name = rdt_name_find(RDT_NAMES_rej_reason, c->rej_reason);
	const enum rdt_side by = (enum rdt_side)c->rej_side;
	const enum rdt_msg msg = c->kind == RDT_CONN_MPA ? RDT_MSG_MPA_REP : RDT_MSG_REJ;
	const struct rdt_msg_rec *rej = story_msg(s, by, msg);
	const struct rdt_msg_rec *before = by == RDT_ACTIVE ? first_from(s, RDT_MSG_REP)
					   : c->kind == RDT_CONN_MPA
						   ? first_from(s, RDT_MSG_MPA_REQ)
						   : first_from(s, RDT_MSG_REQ);
	char buf[RDT_TEXT_MAX];

	g_string_append_printf(text, "refused by %s", side_name(by));
	if (rej && before)
		g_string_append_printf(
			text, " %s after the %s", show_span(before->when.ns, rej->when.ns, buf),
			before->msg == RDT_MSG_MPA_REQ ? "MPA request"
						       : rdt_msg_key((enum rdt_msg)before->msg));
	if (c->kind == RDT_CONN_MPA)
		g_string_append(text, rej ? ": MPA reply with the reject bit"
				      : story_msg(s, by, RDT_MSG_TCP_FIN)
					      ? ": it closed TCP without a reply"
					      : ": it reset TCP without a reply");
	else
		g_string_append_printf(text, ": REJ %u, %s", c->rej_reason,
				       name ? name->text : "which has no name");
}

static void verdict_text(const struct story *s, enum rdt_outcome outcome, GString *text)
{
	const struct rdt_conn *c = s->conn;
	const struct rdt_name *name = rdt_name_find(RDT_NAMES_sidr_status, c->sidr_status);
	char qpn[RDT_TEXT_MAX], qkey[RDT_TEXT_MAX];

	if (c->kind == RDT_CONN_OOB) {
		oob_text(s, text);
		return;
	}
	switch (outcome) {
	case RDT_OUTCOME_CLOSED:
		closed_text(s, text);
		break;
	case RDT_OUTCOME_OPEN:
		open_text(s, text);
		break;
	case RDT_OUTCOME_REJECTED:
		rejected_text(s, text);
		break;
	case RDT_OUTCOME_TIMEOUT:
		timeout_text(s, text);
		break;
	case RDT_OUTCOME_UNANSWERED:
		unanswered_text(s, text);
		break;
	case RDT_OUTCOME_RESOLVED:
		g_string_append_printf(
			text, "the service answered: QPN %s, Q_Key %s",
			story_text(s, RDT_PASSIVE, RDT_MSG_SIDR_REP, RDT_F_sidr_rep_qpn, qpn),
			story_text(s, RDT_PASSIVE, RDT_MSG_SIDR_REP, RDT_F_sidr_rep_qkey, qkey));
		add_setup(s, text);
		break;
	case RDT_OUTCOME_REFUSED:
		g_string_append_printf(text, "refused by the passive side: SIDR status %u, %s",
				       c->sidr_status, name ? name->text : "which has no name");
		break;
	case RDT_OUTCOME_INCOMPLETE:
	case RDT_OUTCOME_COUNT:
		g_string_append_printf(text, "%s%s", rdt_outcome_text(outcome),
				       c->mid ? "; its beginning was not captured" : "");
		break;
	}
}

/* ---- why it was refused ------------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

/*
 * The ways to read reason 28: Linux uses it for all that has no reason of its own, and the comm
 * id, the message rejected and the private data tell who it was.
 */
static const char *consumer_who(const struct story *s, enum rdt_side by)
{
	const struct rdt_msg_rec *rej = story_msg(s, by, RDT_MSG_REJ);
	const size_t at = RDT_LEN_rej - RDT_SIZE_rej_private_data;
	const bool data =
		rej && rej->body_have > at && !is_zero(rej->body + at, rej->body_have - at);

	if (!rej || !story_has(s, by, RDT_MSG_REJ, RDT_F_rej_msg_rejected))
		return "the message was cut by the capture: it cannot be told";
	if (by == RDT_ACTIVE || s->conn->rej_msg == RDT_REJECTED_REP)
		return "the active program after the REP, or its kernel because the QP could not "
		       "be brought up";
	if (s->conn->rej_msg != RDT_REJECTED_REQ)
		return "the passive side after its REP: the program closed its id";
	if (rej->local_comm_id)
		return data ? "the program (rdma_reject), which had the request: the REJ has a "
			      "local comm id, and "
			      "private data"
			    : "the program, which had the request: the REJ has a local comm id. It "
			      "called "
			      "rdma_reject() or closed the id before accepting, or its listener's "
			      "queue was full";
	if (data)
		return "a kernel consumer (NVMe-oF target, iSER ...): no local comm id, but "
		       "private data";
	return "the kernel, before any program saw the request: no local comm id, no private data. "
	       "No way back "
	       "to the source address, a listener bound to another address, another QP type, or a "
	       "device that "
	       "goes away";
}

static const char *reason_who(const struct story *s)
{
	const struct rdt_conn *c = s->conn;
	struct meaning m;
	enum label label;
	const char *text;
	char buf[8];

	if (c->rej_reason == RDT_REJ_CONSUMER)
		return consumer_who(s, (enum rdt_side)c->rej_side);
	if (!explain_value(TOPIC_rej_reason, RDT_NAMES_none, c->rej_reason, &m))
		return NULL;
	for (size_t i = 0; meaning_detail(&m, i, &label, &text, buf, sizeof(buf)); i++)
		if (label == LABEL_who)
			return text;
	return NULL;
}

static void refusal(const struct story *s, enum rdt_outcome outcome)
{
	const struct rdt_conn *c = s->conn;
	const char *who = NULL;
	char next[64];

	if (outcome == RDT_OUTCOME_REFUSED) {
		snprintf(next, sizeof(next), CLI_NAME " explain sidr %u", c->sidr_status);
		if (c->sidr_status == RDT_SIDR_UNSUPPORTED)
			who = "the kernel: no program was asked";
	} else if (c->kind == RDT_CONN_MPA) {
		snprintf(next, sizeof(next), CLI_NAME " explain ECONNRESET");
		if (c->rej_by == RDT_REJ_BY_APPLICATION)
			who = "the program (rdma_reject)";
	} else {
		snprintf(next, sizeof(next), CLI_NAME " explain rej %u", c->rej_reason);
		who = reason_who(s);
	}
	if (who)
		show_line(s, "who", CLI_TONE_OFF, who);
	show_line(s, "next", CLI_TONE_OFF, next);
}

/* ---- retries ------------------------------------------------------------------------------ */

/*
 * The timer that Linux repeats a message with, by what the REQ announces; 0 when it does not tell.
 * The packet lifetime is one less than the ACK timeout that was made of it.
 */
static uint64_t timer_of(const struct story *s, enum rdt_msg msg)
{
	const struct rdt_params *p = &s->conn->params;

	if (msg == RDT_MSG_SIDR_REQ)
		return rdt_linux_timeout_ns(20);
	if (!p->has_req || !p->ack_timeout)
		return 0;
	if (msg == RDT_MSG_REQ)
		return 2 * rdt_linux_timeout_ns(p->ack_timeout - 1u) +
		       rdt_linux_timeout_ns(p->remote_cm_resp_timeout);
	return msg == RDT_MSG_REP ? rdt_linux_timeout_ns(p->local_cm_resp_timeout) : 0;
}

/* "REQ sent 4 times: at 0, 4.608 s, 9.216 s, 13.82 s (Linux timer 4.608 s)" */
static void retries(const struct story *s)
{
	static const enum rdt_msg asks[] = { RDT_MSG_REQ, RDT_MSG_REP, RDT_MSG_DREQ,
					     RDT_MSG_SIDR_REQ };
	char buf[RDT_TEXT_MAX];

	for (size_t a = 0; a < G_N_ELEMENTS(asks); a++)
		for (unsigned side = 0; side < RDT_SIDES; side++) {
			const unsigned n = story_sent(s, (enum rdt_side)side, asks[a]);
			const struct rdt_msg_rec *first =
				story_msg(s, (enum rdt_side)side, asks[a]);
			GString *text;
			unsigned told = 0;

			if (n < 2)
				continue;
			text = g_string_new(NULL);
			g_string_append_printf(text, "%s sent %u times: at 0", rdt_msg_key(asks[a]),
					       n);
			for (size_t i = 0; i < s->count && told < 15; i++) {
				const struct rdt_msg_rec *rec = &s->entries[i].msg;

				if (s->entries[i].kind != RDT_REC_msg || rec->msg != asks[a] ||
				    rec->from != side || !rec->copy ||
				    rec->copy_kind != RDT_COPY_RESENT)
					continue;
				g_string_append_printf(
					text, ", %s", show_span(first->when.ns, rec->when.ns, buf));
				told++;
			}
			if (n > told + 1)
				g_string_append(text, " ...");
			if (timer_of(s, asks[a]))
				g_string_append_printf(
					text, " (Linux timer: %s)",
					rdt_duration_text(timer_of(s, asks[a]), buf, sizeof(buf)));
			show_line(s, "retries", CLI_TONE_WARN, text->str);
			g_string_free(text, TRUE);
		}
}

char *story_verdict(const struct story *s)
{
	GString *text = g_string_new(NULL);

	verdict_text(s, rdt_conn_outcome(s->conn), text);
	return g_string_free(text, FALSE);
}

void show_lead(const struct story *s)
{
	char *title = story_title(s), *verdict = story_verdict(s);

	fprintf(cli_out(), "%s%s%s\n", cli_tone(s->opts, CLI_TONE_BOLD), title,
		cli_tone(s->opts, CLI_TONE_OFF));
	show_line(s, "verdict", cli_outcome_tone(rdt_conn_outcome(s->conn)), verdict);
	g_free(title);
	g_free(verdict);
}

void show_head(const struct story *s)
{
	const enum rdt_outcome outcome = rdt_conn_outcome(s->conn);

	show_lead(s);
	oob_setup(s);
	if (outcome == RDT_OUTCOME_REJECTED || outcome == RDT_OUTCOME_REFUSED)
		refusal(s, outcome);
	else if (s->conn->has_rej && outcome == RDT_OUTCOME_TIMEOUT)
		show_line(s, "next", CLI_TONE_OFF, CLI_NAME " explain rej 4");
	retries(s);
	if (s->conn->roles_guessed)
		show_line(s, "note", CLI_TONE_DIM,
			  "no message shows which side is active: this is a guess");
}
