// SPDX-License-Identifier: BSD-2-Clause
#include "replay/grade.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/heap.h"
#include "rdmatrace/states.h"

/* ---- what the state machines make of it ----------------------------------------------------- */

struct reading {
	GString *states[RDT_SIDES]; /* "REQ_SENT ESTABLISHED ..." */
	GString *events[RDT_SIDES]; /* "REJECTED:28 ..." */
	GString *outcome;
	struct rdt_tracker *tracker;
};

static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct reading *r = user;
	const char *key = rdt_state_key((enum rdt_machine)rec->machine, rec->to);

	(void)conn;
	/* The kernel's machine of the messages; the others follow from it. */
	if (rec->machine != RDT_MACHINE_CM && rec->machine != RDT_MACHINE_LAP)
		return;
	/* Timers run by times, and those may be scaled. */
	if (rec->event == RDT_CM_EV_TIMER_TIMEWAIT)
		return;
	g_string_append_printf(r->states[rec->side], "%s ", key ? key : "?");
}

static void on_event(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec)
{
	struct reading *r = user;

	(void)conn;
	g_string_append_printf(r->events[rec->side], "%s:%d ",
			       rdt_rdma_event_key((enum rdt_rdma_event)rec->event), rec->status);
}

static void read_begin(struct reading *r)
{
	static const struct rdt_memory memory = RDT_HEAP;
	const struct rdt_track_opts opts = { .seed = 1, .max_conns = 64 };
	const struct rdt_sink sink = { .user = r, .state = on_state, .event = on_event };

	for (unsigned i = 0; i < RDT_SIDES; i++) {
		r->states[i] = g_string_new(NULL);
		r->events[i] = g_string_new(NULL);
	}
	r->outcome = g_string_new(NULL);
	r->tracker = rdt_tracker_new(&memory, &opts, &sink);
	if (!r->tracker)
		g_error("no memory");
}

static void read_item(struct reading *r, const struct rp_item *item, int64_t ns, uint32_t number)
{
	const struct rdt_when when = { .ns = ns, .frame = number };
	struct rdt_frame frame;

	if (!item->bytes || item->bad_icrc || item->malformed)
		return;
	rdt_frame_parse(RDT_LINK_ETHERNET, item->bytes, item->len, item->len, 0, &frame);
	if (rdt_tracker_feed(r->tracker, &frame, &when, NULL) != RDT_OK)
		g_error("no memory");
}

static void read_end(struct reading *r, int64_t ns)
{
	rdt_tracker_finish(r->tracker, ns);
	for (uint32_t i = 0; i < rdt_tracker_conn_count(r->tracker); i++) {
		const struct rdt_conn *conn = rdt_tracker_conn(r->tracker, i);

		if (!conn)
			continue;
		g_string_append_printf(r->outcome, "%s%s", r->outcome->len ? ", " : "",
				       rdt_outcome_key(rdt_conn_outcome(conn)));
		if (conn->has_rej)
			g_string_append_printf(
				r->outcome, " (%s)",
				rdt_name_key(RDT_NAMES_rej_reason, conn->rej_reason, "reason ?"));
		if (conn->kind == RDT_CONN_SIDR && conn->sidr_status)
			g_string_append_printf(r->outcome, " (status %u)", conn->sidr_status);
	}
	if (!r->outcome->len)
		g_string_append(r->outcome, "nothing");
	rdt_tracker_free(r->tracker);
}

static void read_clear(struct reading *r)
{
	for (unsigned i = 0; i < RDT_SIDES; i++) {
		g_string_free(r->states[i], TRUE);
		g_string_free(r->events[i], TRUE);
	}
	g_string_free(r->outcome, TRUE);
}

/* In the order of the script; a stable sort keeps repetitions in theirs. */
static gint by_script(gconstpointer a, gconstpointer b)
{
	const struct rp_rec *x = *(const struct rp_rec *const *)a;
	const struct rp_rec *y = *(const struct rp_rec *const *)b;

	return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * Both run on the script's clock, so that a scaled run is held against the same timers: what the
 * script says in its order, and what happened in the order in which it did.
 */
static void read_both(struct rp_player *p, struct reading *want, struct reading *got)
{
	GPtrArray *order = g_ptr_array_new();
	int64_t last = 0, end = 0;
	bool jumped = p->jumps != 0;
	uint32_t number = 0;

	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		end = MAX(end, (int64_t)rec->script_ns);
		if (rec->want && rec->kind != RP_REC_DROPPED && !rec->s->fault.drop &&
		    !rp_fault_damages(&rec->s->fault))
			g_ptr_array_add(order, p->recs->pdata[i]);
	}
	if (!jumped)
		g_ptr_array_sort(order, by_script);
	read_begin(want);
	for (guint i = 0; i < order->len; i++) {
		const struct rp_rec *rec = order->pdata[i];

		read_item(want, rec->want, (int64_t)rec->script_ns, ++number);
	}
	read_end(want, end);
	read_begin(got);
	number = 0;
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		if (!rec->got || rec->kind == RP_REC_DROPPED)
			continue;
		last = rec->s ? MAX(last, (int64_t)rec->script_ns) : last + 1000;
		read_item(got, rec->got, last, ++number);
	}
	read_end(got, MAX(end, last));
	g_ptr_array_unref(order);
}

/* ---- bytes -------------------------------------------------------------------------------------- */

/*
 * Put the value that the script expects where a rule allows another, and compare all bytes from the
 * BTH to the ICRC: what no field covers would show here.
 */
static bool equal_bytes(const struct rp_player *p, const struct rp_rec *rec)
{
	struct rp_item *got = rp_item_copy(rec->got), *want = rp_item_copy(rec->want);
	struct rp_image g, w;
	size_t got_len, want_len;
	const uint8_t *a, *b;
	bool equal = false;

	if (got->msg.family == RP_OP || got->msg.family == RP_TCP || !rp_item_image(got, &g) ||
	    !rp_item_image(want, &w)) {
		equal = got->msg.family == RP_OP || got->msg.family == RP_TCP;
		goto out;
	}
	for (guint i = 0; i < rec->fields->len; i++) {
		const struct rp_field_result *r =
			&g_array_index(rec->fields, struct rp_field_result, i);
		const struct rdt_field *f;
		uint8_t *to;
		const uint8_t *from;

		if (r->class != RP_CLASS_RULE || r->field >= RDT_FIELD_COUNT)
			continue;
		f = &rdt_fields[r->field];
		from = rp_image_hdr(&w, r->field);
		to = got->bytes +
		     (rp_image_hdr(&g, r->field) ? rp_image_hdr(&g, r->field) - got->bytes : 0);
		if (!from || to == got->bytes)
			continue;
		if (!rdt_field_is_num(f))
			memcpy(to + f->at / 8, from + f->at / 8, f->width / 8u);
		else if (rdt_field_set(f, to, rdt_field_get(f, from)) != RDT_OK)
			goto out;
	}
	if (got->msg.family == RP_MPA || got->msg.family == RP_FPDU) {
		a = rp_item_tcp_payload(got, &got_len);
		b = rp_item_tcp_payload(want, &want_len);
		equal = a && b && got_len == want_len && !memcmp(a, b, got_len);
		goto out;
	}
	if (rp_item_bth(want, &want_len) && rec->s->fault.truncate < want_len)
		rp_item_cut(want, rec->s->fault.truncate);
	a = rp_item_bth(got, &got_len);
	b = rp_item_bth(want, &want_len);
	equal = a && b && got_len == want_len;
	/* Of a data packet the headers: its payload is a field, whose bytes may not matter. */
	if (equal && got->msg.family == RP_PACKET)
		equal = !memcmp(a, b,
				MIN(got_len - RDT_LEN_icrc, rdt_opcodes[got->msg.code].hdr_len));
	else if (equal && p->env.mad_only)
		equal = !memcmp(a + RDT_LEN_bth + RDT_LEN_deth, b + RDT_LEN_bth + RDT_LEN_deth,
				RDT_MAD_LEN);
	else if (equal)
		equal = !memcmp(a, b, got_len - RDT_LEN_icrc);
out:
	rp_item_free(got);
	rp_item_free(want);
	return equal;
}

/* ---- counting ----------------------------------------------------------------------------------- */

static void count_rule(struct rp_grade *g, const char *rule)
{
	for (unsigned i = 0; i < g->rule_count; i++) {
		if (!strcmp(g->rules[i].rule, rule)) {
			g->rules[i].count++;
			return;
		}
	}
	if (g->rule_count < RP_RULES_MAX)
		g->rules[g->rule_count++] = (struct rp_rule_count){ rule, 1 };
}

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void measure(const struct rp_player *p, struct rp_lateness *l)
{
	int64_t *all = g_new(int64_t, p->recs->len + 1);

	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		/* What is due at once has no schedule to be late for. */
		if (rec->kind == RP_REC_SENT && i && rec->s->time.kind != RP_TIME_ANY)
			all[l->count++] = MAX(rec->ns - rec->due_ns, 0);
	}
	if (l->count) {
		qsort(all, l->count, sizeof(*all), by_value);
		l->p50_ns = all[(l->count - 1) / 2];
		l->p99_ns = all[(l->count - 1) * 99 / 100];
		l->max_ns = all[l->count - 1];
	}
	g_free(all);
}

static void count(const struct rp_player *p, struct rp_grade *g)
{
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		switch (rec->kind) {
		case RP_REC_SENT:
		case RP_REC_GOT:
			g->expected++;
			g->seen++;
			break;
		case RP_REC_MISSING:
			g->expected++;
			g->missing++;
			break;
		case RP_REC_EXTRA:
			if (rec->in_time)
				g->accepted++;
			else
				g->extra++;
			g->repeats += rec->repeat;
			break;
		case RP_REC_UNSEEN:
			g->unseen++;
			break;
		case RP_REC_DROPPED:
			break;
		}
		g->disorder += !rec->in_order;
		for (guint k = 0; k < rec->fields->len; k++) {
			const struct rp_field_result *r =
				&g_array_index(rec->fields, struct rp_field_result, k);

			g->classes[r->class]++;
			if (r->class == RP_CLASS_RULE)
				count_rule(g, r->rule);
		}
		if (rec->judged) {
			g->gaps++;
			g->gaps_late += !rec->in_time;
		}
	}
	measure(p, &g->lateness);
}

/* ---- levels --------------------------------------------------------------------------------------- */

static void hold(struct rp_grade *g, enum rp_level level, char *why)
{
	if (g->held[level])
		g_free(why);
	else
		g->held[level] = why;
}

static void judge_events(struct rp_player *p, const struct reading *got, struct rp_grade *g)
{
	for (size_t i = 0; i < p->script->stmt_count; i++) {
		const struct rp_stmt *s = &p->script->stmts[i];
		char *want;

		if (s->kind != RP_STMT_EVENT || s->optional)
			continue;
		g->events_judged = true;
		want = s->has_status ? g_strdup_printf("%s:%" PRId64 " ",
						       rdt_rdma_event_key(s->event), s->status)
				     : g_strdup_printf("%s:", rdt_rdma_event_key(s->event));
		if (!strstr(got->events[s->role]->str, want)) {
			g->events_missing++;
			hold(g, RP_F2,
			     g_strdup_printf("line %u: %s would not get %s", s->pos.line,
					     p->script->roles[s->role].name,
					     rdt_rdma_event_key(s->event)));
		}
		g_free(want);
	}
}

/* Of a side from which something is expected and nothing came nobody can say how it fared. */
static void judge_silence(const struct rp_player *p, struct rp_grade *g)
{
	for (unsigned side = 0; side < RP_ROLES; side++) {
		unsigned came = 0, missing = 0;

		for (guint i = 0; i < p->recs->len; i++) {
			const struct rp_rec *rec = p->recs->pdata[i];

			came += rec->got && rec->got->from == side;
			missing += rec->kind == RP_REC_MISSING && rec->s->role == side;
		}
		if (missing && !came && !rp_plays(p, side))
			hold(g, RP_F1,
			     g_strdup_printf("nothing came from %s", p->script->roles[side].name));
	}
}

static void judge_messages(const struct rp_player *p, struct rp_grade *g)
{
	if (g->missing)
		hold(g, RP_F3, g_strdup_printf("%u missing", g->missing));
	if (g->extra)
		hold(g, RP_F3,
		     g_strdup_printf("%u extra%s", g->extra,
				     g->repeats == g->extra ? ", all repetitions" : ""));
	if (g->disorder)
		hold(g, RP_F3, g_strdup_printf("%u in another order", g->disorder));
	if (p->state != RP_PLAYED)
		hold(g, RP_F3, g_strdup("it was not played to its end"));
}

static void judge_bytes(const struct rp_player *p, struct rp_grade *g)
{
	if (g->classes[RP_CLASS_UNSAID])
		hold(g, RP_F5,
		     g_strdup_printf("%u fields are not in the script and were not compared",
				     g->classes[RP_CLASS_UNSAID]));
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		if (rec->kind == RP_REC_GOT && rec->want && !equal_bytes(p, rec))
			hold(g, RP_F5,
			     g_strdup_printf("bytes of %s differ", rp_msg_name(rec->got->msg)));
	}
}

void rp_grade(struct rp_player *p, const char *backend, struct rp_grade *g)
{
	struct reading want = { .tracker = NULL }, got = { .tracker = NULL };

	*g = (struct rp_grade){ .level = RP_F0 };
	count(p, g);
	read_both(p, &want, &got);
	g->outcome_want = g_strdup(want.outcome->str);
	g->outcome_got = g_strdup(got.outcome->str);
	if (strcmp(g->outcome_want, g->outcome_got) != 0)
		hold(g, RP_F1,
		     g_strdup_printf("%s instead of %s", g->outcome_got, g->outcome_want));
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		if (strcmp(want.states[side]->str, got.states[side]->str) != 0)
			hold(g, RP_F2,
			     g_strdup_printf("%s went %s instead of %s",
					     p->script->roles[side].name,
					     g_strchomp(got.states[side]->str),
					     g_strchomp(want.states[side]->str)));
	}
	judge_events(p, &got, g);
	read_clear(&want);
	read_clear(&got);
	judge_silence(p, g);
	judge_messages(p, g);
	if (g->classes[RP_CLASS_DIFFERS])
		hold(g, RP_F4,
		     g_strdup_printf("%u field%s differ%s", g->classes[RP_CLASS_DIFFERS],
				     g->classes[RP_CLASS_DIFFERS] == 1 ? "" : "s",
				     g->classes[RP_CLASS_DIFFERS] == 1 ? "s" : ""));
	if (g->classes[RP_CLASS_BACKEND]) {
		hold(g, RP_F4,
		     g_strdup_printf("%u fields that %s cannot set", g->classes[RP_CLASS_BACKEND],
				     backend));
		g->cap = backend;
	}
	if (g->unseen) {
		hold(g, RP_F4,
		     g_strdup_printf("%u operations that %s cannot see", g->unseen, backend));
		g->cap = backend;
	}
	judge_bytes(p, g);
	while (g->level < RP_F5 && !g->held[g->level + 1])
		g->level++;
	g->timing = !g->gaps_late;
}

void rp_grade_clear(struct rp_grade *g)
{
	for (unsigned i = 0; i < RP_LEVELS; i++)
		g_free(g->held[i]);
	g_free(g->outcome_want);
	g_free(g->outcome_got);
	*g = (struct rp_grade){ .level = RP_F0 };
}

bool rp_grade_passes(const struct rp_grade *g, const struct rp_player *p,
		     const enum rp_level *require, enum rp_level usual, enum rp_level *ret_required)
{
	const struct rp_require *r = &p->script->require;

	*ret_required = require ? *require : r->has_level ? r->level : usual;
	return g->level >= *ret_required && (!r->timing || g->timing);
}
