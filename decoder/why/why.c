// SPDX-License-Identifier: BSD-2-Clause
/* The engine's public face: what it is told, and when which rules look at it. */
#include "internal.h"

#include <string.h>

#define DEFAULT_FINDINGS 4096u
#define DEFAULT_NOTES 16384u

struct rdt_why *rdt_why_new(const struct rdt_memory *memory, const struct rdt_why_opts *opts)
{
	struct rdt_why *w = memory->resize(memory->user, NULL, 0, sizeof(*w));

	if (!w)
		return NULL;
	memset(w, 0, sizeof(*w));
	w->memory = *memory;
	if (opts)
		w->opts = *opts;
	if (!w->opts.max_findings)
		w->opts.max_findings = DEFAULT_FINDINGS;
	if (!w->opts.max_notes)
		w->opts.max_notes = DEFAULT_NOTES;
	w->note_free = LINK_NONE;
	map_init(&w->notes, &w->memory, 1);
	map_init(&w->group_of, &w->memory, 2);
	map_init(&w->links_of, &w->memory, 3);
	map_init(&w->sender_of, &w->memory, 4);
	map_init(&w->pairs, &w->memory, 5);
	return w;
}

void rdt_why_free(struct rdt_why *w)
{
	struct rdt_memory memory;

	if (!w)
		return;
	memory = w->memory;
	notes_free(w);
	groups_free(w);
	map_free(&w->notes);
	map_free(&w->group_of);
	map_free(&w->links_of);
	map_free(&w->sender_of);
	map_free(&w->pairs);
	if (w->senders)
		memory.resize(memory.user, w->senders, w->sender_room * sizeof(*w->senders), 0);
	if (w->neighbours)
		memory.resize(memory.user, w->neighbours, NEIGHBOURS * sizeof(*w->neighbours), 0);
	memory.resize(memory.user, w, sizeof(*w), 0);
}

bool why_grow(struct rdt_why *w, void *array, uint32_t *room, uint32_t used, size_t size)
{
	void *old, *fresh;
	const uint32_t more = *room ? *room * 2 : 16;

	if (used < *room)
		return true;
	memcpy(&old, array, sizeof(old));
	fresh = more > *room ? w->memory.resize(w->memory.user, old, *room * size, more * size)
			     : NULL;
	if (!fresh) {
		w->no_memory = 1;
		return false;
	}
	memcpy(array, &fresh, sizeof(fresh));
	*room = more;
	return true;
}

/* ---- looking at a connection -------------------------------------------------------------- */

static void run(rule_fn *const *rules, const struct look *k)
{
	for (; *rules; rules++)
		(*rules)(k);
}

static rule_fn *const *family_of(const struct rdt_conn *conn)
{
	static rule_fn *const none[] = { NULL };

	return conn->kind == RDT_CONN_MPA    ? mpa_rules
	       : conn->kind == RDT_CONN_OOB  ? oob_rules
	       : conn->kind == RDT_CONN_DATA ? none
					     : cm_rules;
}

static void look_at(struct rdt_why *w, const struct rdt_conn *conn, uint32_t index, bool data_only)
{
	struct look k = { .w = w,
			  .t = w->t,
			  .c = conn,
			  .note = note_of(w, index),
			  .index = index,
			  .outcome = rdt_conn_outcome(conn),
			  .data_only = data_only };

	for (unsigned side = 0; side < RDT_SIDES; side++)
		k.flow[side] = rdt_tracker_flow(w->t, index, (enum rdt_side)side);
	if (!data_only && conn->mid && conn->kind != RDT_CONN_DATA) {
		if (!w->mid_count++)
			w->mid_first = conn->first_frame;
	}
	if (!data_only)
		run(family_of(conn), &k);
	if (!data_only && (conn->kind == RDT_CONN_CM || conn->kind == RDT_CONN_SIDR)) {
		run(cm_late_rules, &k);
		run(cm_params_rules, &k);
	}
	if (k.flow[RDT_ACTIVE])
		run(rc_rules, &k);
	run(path_rules, &k);
	if (!data_only)
		storm_note(&k);
}

/* ---- the sink ------------------------------------------------------------------------------- */

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	struct rdt_why *w = user;

	note_msg(w, conn, rec);
	if (w->next.msg)
		w->next.msg(w->next.user, conn, rec);
}

static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct rdt_why *w = user;

	w->next.state(w->next.user, conn, rec);
}

static void on_event(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec)
{
	struct rdt_why *w = user;

	w->next.event(w->next.user, conn, rec);
}

static void on_evict(void *user, const struct rdt_conn *conn)
{
	struct rdt_why *w = user;

	look_at(w, conn, rdt_tracker_conn_index(w->t, conn), false);
	note_forget(w, rdt_tracker_conn_index(w->t, conn));
	if (w->next.evict)
		w->next.evict(w->next.user, conn);
}

static void on_data(void *user, const struct rdt_conn *conn, const struct rdt_data_rec *rec)
{
	struct rdt_why *w = user;

	w->next.data(w->next.user, conn, rec);
}

static void on_flow(void *user, const struct rdt_conn *conn)
{
	struct rdt_why *w = user;

	w->flows_lost++;
	look_at(w, conn, rdt_tracker_conn_index(w->t, conn), true);
	if (w->next.flow)
		w->next.flow(w->next.user, conn);
}

static void on_reuse(void *user, const struct rdt_conn *conn, const struct rdt_conn *older,
		     enum rdt_side side, enum rdt_reuse what)
{
	struct rdt_why *w = user;

	note_reuse(w, conn, older, side, what);
	if (w->next.reuse)
		w->next.reuse(w->next.user, conn, older, side, what);
}

struct rdt_sink rdt_why_sink(struct rdt_why *w, const struct rdt_sink *next)
{
	if (next)
		w->next = *next;
	return (struct rdt_sink){
		.user = w,
		.msg = on_msg,
		.state = w->next.state ? on_state : NULL,
		.event = w->next.event ? on_event : NULL,
		.evict = on_evict,
		.data = w->next.data ? on_data : NULL,
		.flow = on_flow,
		.reuse = on_reuse,
	};
}

void rdt_why_set_tracker(struct rdt_why *w, const struct rdt_tracker *t)
{
	w->t = t;
}

/* ---- frames --------------------------------------------------------------------------------- */

/* As the tracker does: no difference of two times overflows. */
static int64_t in_range(int64_t ns)
{
	return ns < RDT_NS_MIN ? RDT_NS_MIN : ns > RDT_NS_MAX ? RDT_NS_MAX : ns;
}

void rdt_why_frame(struct rdt_why *w, const struct rdt_frame *frame, const struct rdt_when *when,
		   const struct rdt_verdict *verdict)
{
	struct rdt_when then = *when;

	then.ns = in_range(when->ns);
	if (then.ns > w->end_ns)
		w->end_ns = then.ns;
	cap_frame(w, &then);
	net_frame(w, frame, &then, verdict);
}

void rdt_why_input_cut(struct rdt_why *w, uint8_t input)
{
	w->cut_inputs |= 1u << (input & 31);
}

/* ---- making a finding ------------------------------------------------------------------------- */

struct rdt_finding *why_begin_capture(struct rdt_why *w, enum rdt_why_code code,
				      unsigned confidence)
{
	struct rdt_finding *f = &w->draft;

	memset(f, 0, sizeof(*f));
	f->code = (uint16_t)code;
	f->severity = rdt_why_rows[code].severity;
	f->confidence = (uint8_t)confidence;
	f->conn = f->addr[RDT_ACTIVE] = f->addr[RDT_PASSIVE] = RDT_CONN_NONE;
	return f;
}

struct rdt_finding *why_begin(const struct look *k, enum rdt_why_code code, enum rdt_side side,
			      unsigned confidence)
{
	struct rdt_finding *f = why_begin_capture(k->w, code, confidence);
	const struct rdt_conn *c = k->c;

	f->side = (uint8_t)side;
	f->kind = c->kind;
	f->transport = c->transport;
	f->service = c->service;
	f->conn = k->index;
	f->count = 1;
	f->first_ns = c->start_ns;
	f->last_ns = c->last_ns;
	f->svc = c->has_svc ? c->svc : 0;
	f->port =
		c->port_space || c->kind == RDT_CONN_MPA || c->kind == RDT_CONN_OOB ? c->p_port : 0;
	f->port_space = c->port_space;
	f->app = rdt_conn_app(c);
	for (unsigned i = 0; i < RDT_SIDES; i++) {
		f->addr[i] = c->end[i].addr;
		f->qpn[i] = c->end[i].qpn;
		f->has_qpn[i] = c->end[i].has_qpn;
	}
	return f;
}

void why_add(struct rdt_finding *f, enum rdt_why_value value, uint64_t num, uint32_t frame,
	     unsigned input)
{
	if (f->ev_count < RDT_WHY_EVIDENCE)
		f->ev[f->ev_count++] = (struct rdt_evidence){ .num = num,
							      .most = num,
							      .frame = frame,
							      .input = (uint8_t)input,
							      .value = (uint8_t)value };
}

void why_add_ns(struct rdt_finding *f, enum rdt_why_value value, int64_t ns, uint32_t frame,
		unsigned input)
{
	if (ns >= 0)
		why_add(f, value, (uint64_t)ns, frame, input);
}

/* Most confidence in what rests on order and waits where times go backwards all the time. */
#define DISORDERED 30

/* Does one packet say it, whenever it came? */
static bool is_said(const struct rdt_finding *f)
{
	const char *const code = rdt_why_rows[f->code].code;

	return !strncmp(code, "CM-REJ", 6) || !strncmp(code, "RC-NAK", 6) ||
	       f->code == RDT_WHY_NET_ECN || f->code == RDT_WHY_NET_CNP;
}

void why_emit(struct rdt_why *w, struct rdt_finding *f)
{
	if (f->conn != RDT_CONN_NONE && f->confidence > DISORDERED && cap_disordered(w) &&
	    !is_said(f))
		f->confidence = DISORDERED;
	w->stats.hits++;
	if (w->opts.hit)
		w->opts.hit(w->opts.user, f);
	group_add(w, f);
}

/* ---- the end ---------------------------------------------------------------------------------- */

enum rdt_status rdt_why_finish(struct rdt_why *w, int64_t end_ns)
{
	const uint32_t count = rdt_tracker_conn_count(w->t);

	w->at_end = 1;
	if (in_range(end_ns) > w->end_ns)
		w->end_ns = in_range(end_ns);
	for (uint32_t i = 0; i < count; i++) {
		const struct rdt_conn *conn = rdt_tracker_conn(w->t, i);

		if (conn)
			look_at(w, conn, i, false);
	}
	storm_rules(w);
	net_rules(w);
	cap_rules(w);
	groups_finish(w);
	return w->no_memory ? RDT_NO_MEMORY : RDT_OK;
}

const struct rdt_why_stats *rdt_why_stats(const struct rdt_why *w)
{
	return &w->stats;
}
