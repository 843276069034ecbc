// SPDX-License-Identifier: BSD-2-Clause
/* From the records of a connection to the rungs of its ladder. */
#include "ladder.h"

#include <inttypes.h>
#include <string.h>

#include "rdmatrace/exchange.h"
#include "rdmatrace/setup.h"

/* ---- what a message says ------------------------------------------------------------------ */

/* A field's text without the code in brackets: "1024", not "1024 B (3)". NULL: not captured. */
static const char *value(const struct msg_layers *m, enum rdt_field_id id, char *buf)
{
	const struct rdt_layer *layer = msg_layer(m, (enum rdt_hdr_id)rdt_fields[id].hdr);
	char *code;

	if (!layer || !rdt_layer_has(layer, &rdt_fields[id]))
		return NULL;
	rdt_field_text(&rdt_fields[id], layer->bytes, buf, RDT_TEXT_MAX);
	code = strrchr(buf, '(');
	if (code && code > buf + 1 && code[-1] == ' ' &&
	    (rdt_fields[id].unit != RDT_UNIT_NONE || id == RDT_F_mra_msg_mraed))
		code[-1] = '\0';
	return buf;
}

static void say(GString *text, const char *what, const struct msg_layers *m, enum rdt_field_id id)
{
	char buf[RDT_TEXT_MAX];
	const char *is = value(m, id, buf);

	if (is)
		g_string_append_printf(text, "%s%s%s%s", text->len ? ", " : "", what,
				       *what ? " " : "", is);
}

static void say_mpa(GString *text, const struct msg_layers *m, bool reply)
{
	const struct rdt_layer *mpa = msg_layer(m, RDT_H_mpa);

	if (reply && mpa && mpa->have >= RDT_NEED_mpa_reject && rdt_mpa_reject(mpa->bytes))
		g_string_append(text, "rejected");
	say(text, "revision", m, RDT_F_mpa_rev);
	say(text, "IRD", m, RDT_F_mpa2_ird);
	say(text, "ORD", m, RDT_F_mpa2_ord);
}

static void say_terminate(GString *text, const struct msg_layers *m)
{
	const struct rdt_layer *layer = msg_layer(m, RDT_H_terminate);
	const struct rdt_name *error;
	int swapped;

	if (!layer || layer->have < RDT_LEN_terminate)
		return;
	error = rdt_terminate_error(layer->bytes, &swapped);
	g_string_append(text, error ? error->text : "an error that has no name");
}

static void say_exchange(GString *text, const struct rdt_msg_rec *rec)
{
	struct rdt_exchange_text told;

	if (rec->body && rdt_exchange_parse(rec->body, rec->body_have, &told) == RDT_FIT_YES)
		g_string_append_printf(text, "QPN 0x%06" PRIx32 ", PSN 0x%06" PRIx32, told.qpn,
				       told.psn);
}

static char *detail_of(const struct rdt_msg_rec *rec)
{
	GString *text = g_string_new(NULL);
	struct msg_layers m;

	msg_layers(rec, &m);
	switch ((enum rdt_msg)rec->msg) {
	case RDT_MSG_REQ:
		say(text, "PSN", &m, RDT_F_req_starting_psn);
		say(text, "MTU", &m, RDT_F_req_path_mtu);
		break;
	case RDT_MSG_REP:
		say(text, "PSN", &m, RDT_F_rep_starting_psn);
		say(text, "RNR retries", &m, RDT_F_rep_rnr_retry_count);
		break;
	case RDT_MSG_REJ:
		say(text, "", &m, RDT_F_rej_reason);
		break;
	case RDT_MSG_MRA:
		say(text, "of", &m, RDT_F_mra_msg_mraed);
		say(text, "wait up to", &m, RDT_F_mra_service_timeout);
		break;
	case RDT_MSG_DREQ:
		say(text, "QPN", &m, RDT_F_dreq_remote_qpn);
		break;
	case RDT_MSG_SIDR_REP:
		say(text, "", &m, RDT_F_sidr_rep_status);
		say(text, "QPN", &m, RDT_F_sidr_rep_qpn);
		break;
	case RDT_MSG_APR:
		say(text, "", &m, RDT_F_apr_ap_status);
		break;
	case RDT_MSG_MPA_REQ:
	case RDT_MSG_MPA_REP:
		say_mpa(text, &m, rec->msg == RDT_MSG_MPA_REP);
		break;
	case RDT_MSG_TERMINATE:
		say_terminate(text, &m);
		break;
	case RDT_MSG_OOB:
		say_exchange(text, rec);
		break;
	case RDT_MSG_RTU:
	case RDT_MSG_DREP:
	case RDT_MSG_SIDR_REQ:
	case RDT_MSG_LAP:
	case RDT_MSG_TCP_FIN:
	case RDT_MSG_TCP_RST:
	case RDT_MSG_OOB_DONE:
	case RDT_MSG_COUNT:
		break;
	}
	if (rec->unexpected)
		g_string_append_printf(text, "%sunexpected", text->len ? ", " : "");
	if (rec->icrc == RDT_ICRC_BAD)
		g_string_append_printf(text, "%swrong ICRC", text->len ? ", " : "");
	return g_string_free(text, FALSE);
}

static enum cli_tone tone_of(const struct rdt_msg_rec *rec, const char *detail)
{
	if (rec->msg == RDT_MSG_REJ || rec->msg == RDT_MSG_TCP_RST ||
	    rec->msg == RDT_MSG_TERMINATE || rec->unexpected || rec->icrc == RDT_ICRC_BAD ||
	    (rec->msg == RDT_MSG_MPA_REP && g_str_has_prefix(detail, "rejected")))
		return CLI_TONE_BAD;
	return rec->copy ? CLI_TONE_WARN : CLI_TONE_OFF;
}

/* ---- gathering ----------------------------------------------------------------------------- */

static struct rung *add(struct ladder *l, enum rung_kind kind, const struct rdt_when *when)
{
	struct rung *r = &l->rungs[l->count++];

	*r = (struct rung){ .kind = kind,
			    .ns = when->ns,
			    .last_ns = when->ns,
			    .frame = when->frame,
			    .last_frame = when->frame,
			    .input = when->input,
			    .delta_ns = -1,
			    .times = 1 };
	return r;
}

/* The rung of that moment; a new note where there is none. */
static struct rung *at(struct ladder *l, const struct rdt_when *when)
{
	struct rung *r = l->count ? &l->rungs[l->count - 1] : NULL;

	if (r && r->ns == when->ns && r->frame == when->frame && r->input == when->input)
		return r;
	return add(l, RUNG_NOTE, when);
}

/* The CM's states, and those of the QPs where there is no CM. */
static bool is_told(const struct story *s, const struct rdt_state_rec *rec)
{
	if (rec->machine == RDT_MACHINE_QP)
		return s->conn->kind == RDT_CONN_OOB && rec->to != RDT_QP_RESET;
	return rec->machine == RDT_MACHINE_CM || rec->machine == RDT_MACHINE_MPA;
}

static void take_state(struct ladder *l, const struct rdt_state_rec *rec)
{
	struct rung *r = at(l, &rec->when);

	if (r->kind == RUNG_NOTE && !r->detail) {
		r->from = (enum rdt_side)rec->side;
		r->tone = CLI_TONE_DIM;
		r->name = g_strdup(rec->when.frame ? "" : "timer");
		r->detail = g_strdup(rec->why ? rec->why : "");
	}
	r->state[rec->side] = rdt_state_key((enum rdt_machine)rec->machine, rec->to);
	r->inferred[rec->side] = rec->basis == RDT_BASIS_INFERRED;
	r->good[rec->side] = (rec->machine == RDT_MACHINE_CM && rec->to == RDT_CM_ESTABLISHED) ||
			     (rec->machine == RDT_MACHINE_MPA && rec->to == RDT_MPA_ESTABLISHED) ||
			     (rec->machine == RDT_MACHINE_QP && rec->to == RDT_QP_RTS);
}

static void take_msg(struct ladder *l, const struct rdt_msg_rec *rec)
{
	struct rung *r = at(l, &rec->when);

	if (r->kind == RUNG_MSG)
		r = add(l, RUNG_MSG, &rec->when);
	g_free(r->name);
	g_free(r->detail);
	r->kind = RUNG_MSG;
	r->msg = rec;
	r->from = (enum rdt_side)rec->from;
	r->name = g_strdup_printf("%s%s", rdt_msg_key((enum rdt_msg)rec->msg),
				  rec->copy ? " again" : "");
	r->detail = detail_of(rec);
	r->tone = tone_of(rec, r->detail);
}

static struct rung data_rung(const struct ladder *l, const struct data_run *run)
{
	const uint64_t all = run->packets[RDT_ACTIVE] + run->packets[RDT_PASSIVE];
	const bool ascii = l->s->opts->ascii;
	char number[32], there[32], back[32];

	return (struct rung){
		.kind = RUNG_DATA,
		.ns = run->from_ns,
		.last_ns = run->to_ns,
		.frame = run->first_frame,
		.last_frame = run->last_frame,
		.input = run->input,
		.delta_ns = -1,
		.times = 1,
		.name = g_strdup_printf("%s data packet%s",
					cli_count_text(all, number, sizeof(number)),
					all == 1 ? "" : "s"),
		.detail = g_strdup_printf(
			"%s %s %s %s",
			cli_count_text(run->packets[RDT_ACTIVE], there, sizeof(there)),
			ascii ? "->" : "\xe2\x86\x92", ascii ? "<-" : "\xe2\x86\x90",
			cli_count_text(run->packets[RDT_PASSIVE], back, sizeof(back))),
	};
}

/* Both are in order: frames tell where times are alike. */
static void merge_runs(struct ladder *l, const struct data_run *runs, size_t run_count)
{
	struct rung *all = g_new0(struct rung, l->count + run_count + 1);
	size_t count = 0, next = 0;

	for (size_t i = 0; i <= l->count; i++) {
		while (next < run_count && (i == l->count || runs[next].from_ns < l->rungs[i].ns ||
					    (runs[next].from_ns == l->rungs[i].ns &&
					     runs[next].first_frame < l->rungs[i].frame)))
			all[count++] = data_rung(l, &runs[next++]);
		if (i < l->count)
			all[count++] = l->rungs[i];
	}
	g_free(l->rungs);
	l->rungs = all;
	l->count = count;
}

/* ---- repetitions --------------------------------------------------------------------------- */

/* Is b one more copy of what a stands for, with nothing new about it? */
static bool repeats(const struct rung *a, const struct rung *b)
{
	return a->kind == RUNG_MSG && b->kind == RUNG_MSG && b->msg->copy &&
	       a->msg->msg == b->msg->msg && a->from == b->from && a->input == b->input &&
	       !b->state[RDT_ACTIVE] && !b->state[RDT_PASSIVE];
}

static void merge(struct rung *a, struct rung *b, GString *times)
{
	char buf[RDT_TEXT_MAX];

	a->times++;
	a->last_ns = b->ns;
	a->last_frame = b->frame;
	a->tone = a->tone == CLI_TONE_BAD ? a->tone : CLI_TONE_WARN;
	if (a->times <= 16)
		g_string_append_printf(times, ", +%s", show_span(a->ns, b->ns, buf));
	g_free(b->name);
	g_free(b->detail);
}

static void end_repetition(const struct ladder *l, struct rung *r, GString *times)
{
	char *detail;

	if (r->times < 2)
		return;
	detail = g_strdup_printf("%s%sat 0%s%s", r->detail, *r->detail ? "; " : "", times->str,
				 r->times > 16 ? " ..." : "");
	g_free(r->detail);
	r->detail = detail;
	g_free(r->name);
	r->name = g_strdup_printf("%s%s %s%u", rdt_msg_key((enum rdt_msg)r->msg->msg),
				  r->msg->copy ? " again" : "",
				  l->s->opts->ascii ? "x" : "\xc3\x97", r->times);
	g_string_truncate(times, 0);
}

static void collapse(struct ladder *l)
{
	GString *times = g_string_new(NULL);
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (kept && repeats(&l->rungs[kept - 1], &l->rungs[i])) {
			merge(&l->rungs[kept - 1], &l->rungs[i], times);
			continue;
		}
		if (kept)
			end_repetition(l, &l->rungs[kept - 1], times);
		l->rungs[kept++] = l->rungs[i];
	}
	if (kept)
		end_repetition(l, &l->rungs[kept - 1], times);
	l->count = kept;
	g_string_free(times, TRUE);
}

/* ---- the heads of the lifelines ------------------------------------------------------------- */

static void heads(struct ladder *l)
{
	const struct rdt_conn *c = l->s->conn;

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_end *e = &c->end[side];
		const bool port = side == RDT_PASSIVE && (c->port_space || c->kind == RDT_CONN_MPA);
		size_t n = 0;

		l->lines[side][n++] = g_strdup(rdt_side_key((enum rdt_side)side));
		l->lines[side][n++] =
			!port ? g_strdup(l->s->addr[side])
			: strchr(l->s->addr[side], ':')
				? g_strdup_printf("[%s]:%u", l->s->addr[side], c->p_port)
				: g_strdup_printf("%s:%u", l->s->addr[side], c->p_port);
		if (e->has_qpn)
			l->lines[side][n++] = g_strdup_printf("QPN 0x%06" PRIx32, e->qpn);
		else if (c->kind == RDT_CONN_MPA)
			l->lines[side][n++] = g_strdup_printf(
				"TCP port %u", side == RDT_ACTIVE ? c->a_port : c->p_port);
	}
}

void ladder_make(struct ladder *l, const struct story *s, const struct data_run *runs,
		 size_t run_count, bool expand)
{
	*l = (struct ladder){ .s = s,
			      .rungs = g_new0(struct rung, s->count + 1),
			      .title = story_title(s),
			      .verdict = story_verdict(s) };
	heads(l);
	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_entry *e = &s->entries[i];

		if (e->kind == RDT_REC_msg)
			take_msg(l, &e->msg);
		else if (e->kind == RDT_REC_state && is_told(s, &e->state))
			take_state(l, &e->state);
	}
	merge_runs(l, runs, run_count);
	if (!expand)
		collapse(l);
	for (size_t i = 1; i < l->count; i++)
		if (l->rungs[i].ns >= l->rungs[i - 1].last_ns)
			l->rungs[i].delta_ns = l->rungs[i].ns - l->rungs[i - 1].last_ns;
}

void ladder_free(struct ladder *l)
{
	for (size_t i = 0; i < l->count; i++) {
		g_free(l->rungs[i].name);
		g_free(l->rungs[i].detail);
	}
	for (unsigned side = 0; side < RDT_SIDES; side++)
		for (size_t i = 0; i < G_N_ELEMENTS(l->lines[side]); i++)
			g_free(l->lines[side][i]);
	g_free(l->rungs);
	g_free(l->title);
	g_free(l->verdict);
}

bool ladder_infers(const struct ladder *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->rungs[i].kind == RUNG_NOTE || l->rungs[i].inferred[RDT_ACTIVE] ||
		    l->rungs[i].inferred[RDT_PASSIVE])
			return true;
	return false;
}

char **ladder_wrap(const char *text, size_t width)
{
	GPtrArray *lines = g_ptr_array_new();
	GString *line = g_string_new(NULL);
	char **words = g_strsplit(text, " ", -1);

	for (char **w = words; *w; w++) {
		if (line->len && cli_text_width(line->str) + 1 + cli_text_width(*w) > width) {
			g_ptr_array_add(lines, g_strdup(line->str));
			g_string_truncate(line, 0);
		}
		g_string_append_printf(line, "%s%s", line->len ? " " : "", *w);
	}
	if (line->len)
		g_ptr_array_add(lines, g_strdup(line->str));
	g_ptr_array_add(lines, NULL);
	g_string_free(line, TRUE);
	g_strfreev(words);
	return (char **)g_ptr_array_free(lines, FALSE);
}
