// SPDX-License-Identifier: BSD-2-Clause
#include "replay/player.h"

#include <inttypes.h>
#include <string.h>

/* A message that is on its way, or held back. */
struct rp_delayed {
	struct rp_item *item;
	int64_t ns; /* when it goes; INT64_MAX: when what holds it has been sent */
	const struct rp_stmt *s;
	struct rp_rec *rec;
};

static void free_delayed(gpointer p)
{
	struct rp_delayed *d = p;

	rp_item_free(d->item);
	g_free(d);
}

static void free_rec(gpointer p)
{
	struct rp_rec *rec = p;

	rp_item_free(rec->want);
	rp_item_free(rec->got);
	if (rec->fields)
		g_array_unref(rec->fields);
	g_free(rec);
}

/* When the script has each statement, if nothing jumps. */
static uint64_t *script_times(const struct rp_script *script)
{
	uint64_t *times = g_new(uint64_t, script->stmt_count + 1), ns = 0;

	for (size_t i = 0; i < script->stmt_count; i++) {
		const struct rp_time *t = &script->stmts[i].time;

		if (t->kind == RP_TIME_AFTER)
			ns += t->ns;
		else if (t->kind == RP_TIME_AT)
			ns = t->ns;
		times[i] = ns;
	}
	return times;
}

struct rp_player *rp_player_new(const struct rp_script *script, const struct rp_play_opts *opts,
				const struct rp_player_ops *ops, uint64_t seed, bool keep_ids,
				const struct rdt_addr addr[RP_ROLES])
{
	struct rp_player *p = g_new0(struct rp_player, 1);

	p->script = script;
	p->opts = *opts;
	if (ops)
		p->ops = *ops;
	rp_env_init(&p->env, script, seed, addr);
	p->env.keep_ids = keep_ids;
	rp_memories_init(&p->memories, &p->env, opts->played);
	p->recs = g_ptr_array_new_with_free_func(free_rec);
	p->delayed = g_ptr_array_new_with_free_func(free_delayed);
	p->seen = g_new0(unsigned, script->stmt_count + 1);
	p->times = script_times(script);
	p->start_ns = p->prev_ns = p->entered_ns = p->op_start_ns = INT64_MIN;
	p->tolerance = 20;
	return p;
}

void rp_player_free(struct rp_player *p)
{
	if (!p)
		return;
	g_ptr_array_unref(p->recs);
	g_ptr_array_unref(p->delayed);
	rp_item_free(p->prepared);
	rp_memories_clear(&p->memories);
	rp_env_clear(&p->env);
	g_free(p->seen);
	g_free(p->times);
	g_free(p->why);
	g_free(p);
}

static void fail(struct rp_player *p, char *why)
{
	if (p->state == RP_PLAYING) {
		p->state = RP_FAILED;
		p->why = why;
	} else {
		g_free(why);
	}
}

/* ---- statements --------------------------------------------------------------------------------- */

static const struct rp_stmt *at(const struct rp_player *p, size_t i)
{
	return &p->script->stmts[i];
}

static bool is_watched(const struct rp_player *p, const struct rp_stmt *s)
{
	return s->kind == RP_STMT_MSG && !rp_plays(p, s->role);
}

/* How often a message must come: one that is damaged on its way may not be seen at all. */
static unsigned least(const struct rp_stmt *s)
{
	return s->fault.drop || rp_fault_damages(&s->fault) ? 0 : s->min;
}

static unsigned most(const struct rp_stmt *s)
{
	return s->fault.dup > s->max ? s->fault.dup : s->max;
}

static int64_t scaled(const struct rp_player *p, uint64_t ns)
{
	return p->opts.speed > 0 ? (int64_t)((double)ns / p->opts.speed) : 0;
}

/* When a statement of a played role is due. */
static int64_t due(const struct rp_player *p, const struct rp_stmt *s, int64_t now)
{
	if (p->start_ns == INT64_MIN)
		return now;
	switch (s->time.kind) {
	case RP_TIME_AFTER:
		return p->prev_ns + scaled(p, s->time.ns);
	case RP_TIME_AT:
		return p->start_ns + scaled(p, s->time.ns);
	case RP_TIME_ANY:
		break;
	}
	return p->prev_ns;
}

/* When a message that has not come is given up. The peer's times are its own: they do not scale. */
static int64_t deadline(const struct rp_player *p, const struct rp_stmt *s)
{
	const int64_t from = p->entered_ns;
	uint64_t ns = s->time.kind == RP_TIME_AFTER ? MAX(s->time.ns, s->time.max_ns) : 0;

	if (p->opts.offline)
		return INT64_MAX;
	if (s->within_ns)
		return from + (int64_t)s->within_ns;
	if (s->time.kind == RP_TIME_AT && p->start_ns != INT64_MIN)
		ns = (uint64_t)MAX(0, p->start_ns + (int64_t)s->time.ns - from);
	return from + (int64_t)(ns + (p->start_ns == INT64_MIN ? p->opts.first_timeout_ns
							       : p->opts.timeout_ns));
}

/* How much earlier or later than its time a message may come. */
static uint64_t slack_of(const struct rp_player *p, const struct rp_time *t)
{
	const uint64_t slack = t->ns / 100 * (t->has_tolerance ? t->tolerance : p->tolerance);

	return MAX(slack, 1000000u);
}

static struct rp_rec *add_rec(struct rp_player *p, enum rp_rec_kind kind, const struct rp_stmt *s,
			      size_t index, int64_t ns)
{
	struct rp_rec *rec = g_new0(struct rp_rec, 1);

	rec->kind = kind;
	rec->s = s;
	rec->index = index;
	rec->ns = rec->due_ns = ns;
	/* Not after one that the script has later. */
	rec->in_order = kind == RP_REC_EXTRA || kind == RP_REC_MISSING || kind == RP_REC_UNSEEN ||
			index >= p->furthest;
	if (kind == RP_REC_GOT || kind == RP_REC_SENT)
		p->furthest = MAX(p->furthest, index);
	rec->fields = g_array_new(FALSE, FALSE, sizeof(struct rp_field_result));
	if (s)
		rec->script_ns = p->times[index];
	g_ptr_array_add(p->recs, rec);
	return rec;
}

/* An event has happened: times count from it. */
static void happened(struct rp_player *p, int64_t ns)
{
	if (p->start_ns == INT64_MIN)
		p->start_ns = ns;
	p->prev_ns = ns;
}

static void next(struct rp_player *p, int64_t now)
{
	p->pc++;
	p->entered_ns = now;
}

static bool jump(struct rp_player *p, const char *label, int64_t now)
{
	if (!label) {
		next(p, now);
		return true;
	}
	if (++p->jumps > 10000) {
		fail(p, g_strdup_printf("the script jumps to %s without end", label));
		return false;
	}
	for (size_t i = 0; i < p->script->stmt_count; i++) {
		if (at(p, i)->kind != RP_STMT_LABEL || strcmp(at(p, i)->name, label) != 0)
			continue;
		/* What comes again counts again. */
		for (size_t k = i; k < p->script->stmt_count; k++)
			p->seen[k] = 0;
		p->pc = p->furthest = i;
		p->entered_ns = now;
		return true;
	}
	return false;
}

/* ---- sending -------------------------------------------------------------------------------------- */

static bool put_out(struct rp_player *p, struct rp_item *item)
{
	char *why = NULL;

	if (p->opts.max_msgs && p->sent >= p->opts.max_msgs) {
		fail(p, g_strdup_printf("%" PRIu64 " messages were sent: that is all that "
					"--max-msgs allows",
					p->sent));
		return false;
	}
	p->sent++;
	if (item->msg.family == RP_CM) {
		p->env.last[item->from] = item->msg;
		p->env.has_last[item->from] = true;
	}
	if (p->ops.send && !p->ops.send(p->ops.user, item, &why)) {
		fail(p, why ? why : g_strdup("it could not be sent"));
		return false;
	}
	return true;
}

/* False when the message is too short to be cut there. */
static bool damage(struct rp_item *item, const struct rp_fault *f)
{
	size_t len;
	const uint8_t *bth;

	if (!rp_fault_damages(f))
		return true;
	bth = rp_item_bth(item, &len);
	if (f->corrupt_icrc && bth) {
		item->bad_icrc = true;
		rp_item_seal(item);
	}
	if (f->truncate == RP_NO_TRUNCATE)
		return true;
	if (!bth || f->truncate >= len)
		return false;
	rp_item_cut(item, f->truncate);
	return true;
}

/* One more message counts against the rate. */
static void take_slot(struct rp_player *p, int64_t now)
{
	if (p->opts.rate)
		p->next_slot_ns = MAX(now, p->next_slot_ns) + (int64_t)(1000000000u / p->opts.rate);
}

bool rp_player_may_resend(struct rp_player *p, int64_t now)
{
	if ((p->opts.max_msgs && p->sent >= p->opts.max_msgs) ||
	    (p->opts.rate && now < p->next_slot_ns))
		return false;
	take_slot(p, now);
	p->sent++;
	p->resent++;
	for (guint i = p->recs->len; i-- > 0;) {
		struct rp_rec *rec = p->recs->pdata[i];

		if (rec->kind == RP_REC_SENT) {
			rec->resent++;
			break;
		}
	}
	/* The peer answers this one. */
	p->prev_ns = MAX(p->prev_ns, now);
	return true;
}

static void forget_prepared(struct rp_player *p)
{
	rp_item_free(p->prepared);
	p->prepared = NULL;
}

/* Builds what is due later, so that only sending it is left then. */
static void prepare(struct rp_player *p, const struct rp_stmt *s)
{
	if (!p->prepared)
		p->prepared = rp_build(&p->env, s);
}

static void send_later(struct rp_player *p, struct rp_rec *rec, int64_t when)
{
	struct rp_delayed *d = g_new0(struct rp_delayed, 1);

	d->item = rp_item_copy(rec->got);
	d->ns = when;
	d->s = rec->s;
	d->rec = rec;
	g_ptr_array_add(p->delayed, d);
}

/* Nothing of it has left. */
static void unsend(struct rp_rec *rec)
{
	rec->kind = RP_REC_MISSING;
	rp_item_free(rec->got);
	rec->got = NULL;
}

/* Sends one copy; false when the run is over. */
static bool send_one(struct rp_player *p, const struct rp_stmt *s, size_t index, int64_t when,
		     int64_t now)
{
	const struct rp_fault *f = &s->fault;
	struct rp_item *item = p->prepared ? p->prepared : rp_build(&p->env, s);
	struct rp_rec *rec;

	p->prepared = NULL;
	if (!item) {
		fail(p, g_strdup(p->env.error));
		return false;
	}
	rec = add_rec(p, f->drop ? RP_REC_DROPPED : RP_REC_SENT, s, index, now);
	rec->due_ns = when;
	rec->want = item;
	if (f->drop)
		return true;
	rec->got = rp_item_copy(item);
	rec->got->ns = now;
	if (!damage(rec->got, f)) {
		unsend(rec);
		fail(p, g_strdup_printf("%s (line %u) is shorter than %zu bytes: nothing to cut",
					rp_msg_name(s->msg), s->pos.line, f->truncate));
		return false;
	}
	if (f->delay_ns || f->hold) {
		for (unsigned i = 0; i < MAX(f->dup, 1u); i++)
			send_later(p, rec, f->hold ? INT64_MAX : now + scaled(p, f->delay_ns));
	} else {
		for (unsigned i = 0; i < MAX(f->dup, 1u); i++) {
			if (i && p->opts.rate) {
				send_later(p, rec, p->next_slot_ns);
				take_slot(p, now);
				continue;
			}
			if (put_out(p, rec->got)) {
				rec->left = true;
				continue;
			}
			if (!i)
				unsend(rec);
			return false;
		}
		/* When it really left, if who sent it knows. */
		rec->ns = rec->got->ns;
		if (s->msg.family == RP_OP) {
			p->in_flight = rec->got;
			p->in_flight_rec = rec;
			p->op_start_ns = rec->ns;
		}
	}
	/* The carrier may have said something else; what was done to it on purpose is no difference. */
	rec->differs = rp_compare(&p->env, s, rec->want, rp_fault_damages(f) ? rec->want : rec->got,
				  p->can_set, false, rec->fields);
	return true;
}

/* What was held back, when what it waits for was sent. */
static void release(struct rp_player *p, unsigned role, struct rp_msg msg, int64_t now)
{
	for (guint i = 0; i < p->delayed->len; i++) {
		struct rp_delayed *d = p->delayed->pdata[i];

		if (d->ns == INT64_MAX && d->s->fault.hold_role == role &&
		    rp_msg_equal(d->s->fault.hold_msg, msg))
			d->ns = now + scaled(p, d->s->fault.delay_ns);
	}
}

static int64_t run_delayed(struct rp_player *p, int64_t now)
{
	int64_t first = INT64_MAX;

	for (guint i = 0; i < p->delayed->len && p->state == RP_PLAYING;) {
		struct rp_delayed *d = p->delayed->pdata[i];

		if (d->ns > now) {
			first = MIN(first, d->ns);
			i++;
			continue;
		}
		if (p->opts.rate && p->next_slot_ns > now && d->s->fault.dup < 2) {
			first = MIN(first, d->ns = p->next_slot_ns);
			i++;
			continue;
		}
		d->rec->left |= put_out(p, d->item);
		g_ptr_array_remove_index(p->delayed, i);
	}
	return first;
}

/* ---- one step -------------------------------------------------------------------------------------- */

static bool is_one_sided(struct rp_msg msg)
{
	return msg.family == RP_OP && (msg.code == RP_OP_READ || msg.code == RP_OP_WRITE ||
				       msg.code == RP_OP_CMP_SWAP || msg.code == RP_OP_FETCH_ADD);
}

/*
 * MRAs and repetitions: a kernel's CM sends and takes them by itself and tells nobody. Of two DREQs
 * that cross a program is told as of one end.
 */
static bool is_kernels(const struct rp_player *p, const struct rp_stmt *s)
{
	if (s->msg.family != RP_CM)
		return false;
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		if ((rec->kind == RP_REC_SENT || rec->kind == RP_REC_GOT) &&
		    rp_msg_equal(rec->s->msg, s->msg) &&
		    (rec->s->role == s->role ||
		     (s->msg.code == RDT_MSG_DREQ && !rp_plays(p, s->role))))
			return true;
	}
	return s->msg.code == RDT_MSG_MRA;
}

static void unseen(struct rp_player *p, const struct rp_stmt *s, int64_t now)
{
	add_rec(p, RP_REC_UNSEEN, s, p->pc, now);
	p->seen[p->pc]++;
	happened(p, now);
}

static bool play_message(struct rp_player *p, const struct rp_stmt *s, int64_t now,
			 int64_t *ret_wait)
{
	int64_t when = due(p, s, now);

	/* What may be left out is left out. */
	if (s->optional || !s->min || p->seen[p->pc] >= s->min) {
		next(p, now);
		return true;
	}
	if (p->opts.rate)
		when = MAX(when, p->next_slot_ns);
	if (when > now) {
		prepare(p, s);
		*ret_wait = when;
		return false;
	}
	if (p->opts.blind && is_kernels(p, s)) {
		forget_prepared(p);
		unseen(p, s, now);
		return true;
	}
	take_slot(p, now);
	if (!send_one(p, s, p->pc, when, now))
		return false;
	p->seen[p->pc]++;
	happened(p, now);
	release(p, s->role, s->msg, now);
	if (p->seen[p->pc] >= s->min)
		next(p, now);
	return true;
}

static void missing(struct rp_player *p, const struct rp_stmt *s, size_t index, int64_t now)
{
	struct rp_rec *rec = add_rec(p, RP_REC_MISSING, s, index, now);

	rec->want = rp_build(&p->env, s);
}

/*
 * What comes damaged may be dropped on its way, and nobody is to blame then. But what follows is
 * sent after it: it has its time, and the slack of a time, to come.
 */
static bool waits_for_damaged(const struct rp_player *p, const struct rp_stmt *s, int64_t now,
			      int64_t *ret_wait)
{
	int64_t until = deadline(p, s);

	if (!rp_fault_damages(&s->fault) || s->fault.drop || p->opts.offline || p->opts.blind ||
	    p->seen[p->pc] >= s->min || p->furthest > p->pc)
		return false;
	if (!s->within_ns && p->start_ns != INT64_MIN && s->time.kind == RP_TIME_AFTER)
		until = p->entered_ns +
			(int64_t)(s->min * MAX(s->time.max_ns, s->time.ns + slack_of(p, &s->time)));
	else if (!s->within_ns && p->start_ns != INT64_MIN && s->time.kind == RP_TIME_AT)
		until = p->start_ns + (int64_t)(s->time.ns + slack_of(p, &s->time));
	if (until <= now)
		return false;
	*ret_wait = until;
	return true;
}

/* A damaged message that did not come was lost, at its time: what comes next is counted from there. */
static void lost(struct rp_player *p, size_t i, int64_t now)
{
	const struct rp_stmt *s = at(p, i);
	const unsigned copies = s->min > p->seen[i] ? s->min - p->seen[i] : 0;

	if (!copies || !is_watched(p, s) || s->fault.drop || !rp_fault_damages(&s->fault) ||
	    p->start_ns == INT64_MIN)
		return;
	p->seen[i] = s->min;
	if (s->time.kind == RP_TIME_AFTER)
		p->prev_ns = MIN(p->prev_ns + (int64_t)(copies * s->time.ns), now);
	else if (s->time.kind == RP_TIME_AT)
		p->prev_ns = MIN(MAX(p->prev_ns, p->start_ns + (int64_t)s->time.ns), now);
}

static bool watch_message(struct rp_player *p, const struct rp_stmt *s, int64_t now,
			  int64_t *ret_wait)
{
	int64_t until;
	char *text, where[80] = "";

	if (waits_for_damaged(p, s, now, ret_wait))
		return false;
	if (p->seen[p->pc] >= least(s)) {
		lost(p, p->pc, now);
		next(p, now);
		return true;
	}
	if (p->opts.blind && is_one_sided(s->msg)) {
		add_rec(p, RP_REC_UNSEEN, s, p->pc, now);
		p->seen[p->pc]++;
		return true;
	}
	until = due(p, s, now);
	if (p->opts.blind && is_kernels(p, s)) {
		if (until > now) {
			*ret_wait = until;
			return false;
		}
		unseen(p, s, now);
		return true;
	}
	until = deadline(p, s);
	if (until > now) {
		*ret_wait = until;
		return false;
	}
	missing(p, s, p->pc, now);
	if (p->script->name && *p->script->name)
		g_snprintf(where, sizeof(where), " (line %u)", s->pos.line);
	text = g_strdup_printf("%s did not send %s%s", p->script->roles[s->role].name,
			       rp_msg_name(s->msg), where);
	fail(p, text);
	return false;
}

static bool fill(struct rp_player *p, const struct rp_stmt *s)
{
	GByteArray *bytes = g_byte_array_new(), *mask = g_byte_array_new();
	const bool ok = rp_bytes(&p->env, &s->bytes, bytes, mask);

	if (!ok)
		fail(p, g_strdup(p->env.error));
	else if (rp_plays(p, s->role))
		rp_memory_fill(&p->memories, s, bytes->data, bytes->len);
	g_byte_array_unref(bytes);
	g_byte_array_unref(mask);
	return ok;
}

/* any { }: where a role of it is played, its first alternative is what happens. */
static bool wait_either(struct rp_player *p, const struct rp_stmt *s, int64_t now,
			int64_t *ret_wait)
{
	int64_t until;

	if (rp_plays(p, s->role) && s->alts[0].kind == RP_STMT_MSG) {
		until = due(p, s, now);
		if (p->opts.rate)
			until = MAX(until, p->next_slot_ns);
		if (until > now) {
			*ret_wait = until;
			return false;
		}
		take_slot(p, now);
		if (!send_one(p, &s->alts[0], p->pc, until, now))
			return false;
		happened(p, now);
		release(p, s->alts[0].role, s->alts[0].msg, now);
		return jump(p, s->alts[0].name, now);
	}
	if (p->opts.offline)
		return false;
	until = p->entered_ns + (int64_t)(s->has_timeout             ? s->timeout_ns
					  : p->start_ns == INT64_MIN ? p->opts.first_timeout_ns
								     : p->opts.timeout_ns);
	if (until > now) {
		*ret_wait = until;
		return false;
	}
	if (s->has_timeout)
		return jump(p, s->timeout_name, now);
	missing(p, &s->alts[0], p->pc, now);
	fail(p, g_strdup_printf("%s did none of what any (line %u) waits for",
				p->script->roles[s->role].name, s->pos.line));
	return false;
}

static bool rest(struct rp_player *p, const struct rp_stmt *s, int64_t now, int64_t *ret_wait)
{
	const int64_t until =
		s->time.kind == RP_TIME_AFTER ? p->entered_ns + (int64_t)s->time.ns : now;

	if (until > now && !p->opts.offline) {
		*ret_wait = until;
		return false;
	}
	p->prev_ns = MAX(p->prev_ns, now);
	next(p, now);
	return true;
}

/* Do the statement at pc; false when it has to be waited for (*ret_wait) or all is over. */
static bool step(struct rp_player *p, int64_t now, int64_t *ret_wait)
{
	const struct rp_stmt *s = at(p, p->pc);

	switch (s->kind) {
	case RP_STMT_MSG:
		return is_watched(p, s) ? watch_message(p, s, now, ret_wait)
					: play_message(p, s, now, ret_wait);
	case RP_STMT_FILL:
		if (!fill(p, s))
			return false;
		break;
	case RP_STMT_REST:
		return rest(p, s, now, ret_wait);
	case RP_STMT_EITHER:
		return wait_either(p, s, now, ret_wait);
	case RP_STMT_GOTO:
		return jump(p, s->name, now);
	case RP_STMT_END:
		p->pc = p->script->stmt_count;
		return true;
	case RP_STMT_EVENT:
	case RP_STMT_LABEL:
		break;
	}
	next(p, now);
	return true;
}

int64_t rp_player_run(struct rp_player *p, int64_t now)
{
	int64_t wait = INT64_MAX, delayed;

	if (p->entered_ns == INT64_MIN)
		p->entered_ns = now;
	for (;;) {
		delayed = run_delayed(p, now);
		if (p->state != RP_PLAYING)
			return INT64_MAX;
		if (p->in_flight)
			break;
		if (p->pc >= p->script->stmt_count) {
			if (p->delayed->len && delayed != INT64_MAX)
				return delayed;
			if (p->delayed->len) {
				const struct rp_delayed *d = p->delayed->pdata[0];

				fail(p, g_strdup_printf("%s (line %u) was held back until the end: "
							"what it waits for did not come",
							rp_msg_name(d->s->msg), d->s->pos.line));
				return INT64_MAX;
			}
			p->state = RP_PLAYED;
			return INT64_MAX;
		}
		if (!step(p, now, &wait))
			break;
	}
	return MIN(wait, delayed);
}

/* ---- receiving ----------------------------------------------------------------------------------- */

static void judge_gap(struct rp_player *p, struct rp_rec *rec, int64_t prev)
{
	const struct rp_time *t = &rec->s->time;
	uint64_t slack;

	if (prev == INT64_MIN || t->kind == RP_TIME_ANY)
		return;
	/* An operation's end is known here when its ACK is read: what the peer says next may be older. */
	if (rec->ns < prev)
		prev = p->op_start_ns == INT64_MIN ? rec->ns : MIN(p->op_start_ns, rec->ns);
	rec->judged = true;
	rec->gap_ns = MAX(rec->ns - (t->kind == RP_TIME_AT ? p->start_ns : prev), 0);
	rec->want_gap_ns = t->ns;
	if (t->window) {
		rec->in_time = rec->gap_ns <= (int64_t)t->max_ns;
		return;
	}
	slack = slack_of(p, t);
	rec->in_time = rec->gap_ns >= (int64_t)t->ns - (int64_t)slack &&
		       rec->gap_ns <= (int64_t)(t->ns + slack);
}

/* A message that a statement expects. */
static void got(struct rp_player *p, const struct rp_stmt *s, size_t index, struct rp_item *item)
{
	struct rp_rec *rec = add_rec(p, RP_REC_GOT, s, index, item->ns);
	int64_t prev;

	for (size_t i = p->pc; i < index; i++)
		lost(p, i, item->ns);
	prev = p->prev_ns;

	rec->got = item;
	/* A copy more of what came in order is no other order. */
	if (index < p->script->stmt_count && p->seen[index] > 1)
		rec->in_order = true;
	/* Of what is cut nothing can be read; of what is damaged nothing is sure. */
	if (!item->malformed && s->fault.truncate == RP_NO_TRUNCATE) {
		p->env.doubt = item->bad_icrc;
		rp_learn(&p->env, s, item);
		p->env.doubt = false;
		rec->want = rp_build(&p->env, s);
		if (rec->want)
			rec->differs = rp_compare(&p->env, s, rec->want, item, p->can_set, true,
						  rec->fields);
		else
			fail(p, g_strdup(p->env.error));
	}
	if (item->msg.family == RP_CM && !item->bad_icrc) {
		p->env.last[item->from] = item->msg;
		p->env.has_last[item->from] = true;
	}
	judge_gap(p, rec, prev);
	happened(p, MAX(item->ns, prev));
	release(p, s->role, s->msg, item->ns);
}

/* Is it whole where the statement means it whole, and damaged where not? */
static bool damaged_alike(const struct rp_stmt *s, const struct rp_item *item)
{
	return item->malformed ? s->fault.truncate != RP_NO_TRUNCATE
			       : item->bad_icrc == rp_fault_damages(&s->fault);
}

static bool can_take(const struct rp_player *p, size_t i, const struct rp_item *item)
{
	const struct rp_stmt *s = at(p, i);

	return is_watched(p, s) && s->role == item->from && p->seen[i] < most(s) &&
	       damaged_alike(s, item) && (item->malformed || rp_msg_equal(s->msg, item->msg));
}

/*
 * The statement that expects a message: the next one ahead of the same name, as long as nothing
 * branches; else one behind that may still come again.
 */
static bool find_statement(struct rp_player *p, const struct rp_item *item, size_t *ret_index)
{
	for (size_t i = p->pc; i < p->script->stmt_count; i++) {
		const struct rp_stmt *s = at(p, i);

		if (s->kind == RP_STMT_GOTO || s->kind == RP_STMT_END || s->kind == RP_STMT_EITHER)
			break;
		if (can_take(p, i, item)) {
			*ret_index = i;
			return true;
		}
	}
	for (size_t i = p->pc; i-- > 0;) {
		if (can_take(p, i, item)) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* What a program gets from a message that comes in. */
static bool is_event(const struct rp_item *item, enum rdt_rdma_event event)
{
	if (item->msg.family != RP_CM)
		return false;
	switch (item->msg.code) {
	case RDT_MSG_REQ:
	case RDT_MSG_SIDR_REQ:
		return event == RDT_EVENT_CONNECT_REQUEST;
	case RDT_MSG_REP:
		return event == RDT_EVENT_ESTABLISHED || event == RDT_EVENT_CONNECT_RESPONSE;
	case RDT_MSG_RTU:
		return event == RDT_EVENT_ESTABLISHED;
	case RDT_MSG_REJ:
		return event == RDT_EVENT_REJECTED;
	case RDT_MSG_DREQ:
	case RDT_MSG_DREP:
		return event == RDT_EVENT_DISCONNECTED;
	default:
		return false;
	}
}

static bool take_alternative(struct rp_player *p, struct rp_item *item)
{
	const struct rp_stmt *s = p->pc < p->script->stmt_count ? at(p, p->pc) : NULL;

	/* Of a played role only events are waited for. */
	if (!s || s->kind != RP_STMT_EITHER ||
	    (s->alts[0].kind == RP_STMT_MSG && rp_plays(p, s->role)))
		return false;
	for (size_t i = 0; i < s->alt_count; i++) {
		const struct rp_stmt *alt = &s->alts[i];

		if (alt->kind == RP_STMT_MSG
			    ? alt->role == item->from && damaged_alike(alt, item) &&
				      (item->malformed || rp_fits(&p->env, alt, item))
			    : alt->role != item->from && !item->bad_icrc && !item->malformed &&
				      is_event(item, alt->event)) {
			if (alt->kind == RP_STMT_MSG) {
				got(p, alt, p->pc, item);
			} else {
				struct rp_rec *rec =
					add_rec(p, RP_REC_EXTRA, NULL, p->pc, item->ns);

				rec->got = item;
				happened(p, item->ns);
			}
			jump(p, alt->name, item->ns);
			return true;
		}
	}
	return false;
}

/* Data is the same when it has the same PSN; an exchange or a sequence of messages goes on. */
static bool same_data(const struct rp_item *a, const struct rp_item *b)
{
	const uint8_t *x, *y;
	size_t len;

	switch (a->msg.family) {
	case RP_OP:
		return rdt_bth_psn(a->op.bth) == rdt_bth_psn(b->op.bth) &&
		       a->op.payload_len == b->op.payload_len &&
		       (!a->op.payload || !b->op.payload ||
			!memcmp(a->op.payload, b->op.payload, a->op.payload_len));
	case RP_PACKET:
		x = rp_item_bth(a, &len);
		y = rp_item_bth(b, &len);
		return x && y && rdt_bth_psn(x) == rdt_bth_psn(y);
	default:
		return true;
	}
}

/* Was the same said before by the same side? */
static bool is_repeat(const struct rp_player *p, const struct rp_item *item)
{
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		if (rec->got && rec->got != item && rec->got->from == item->from &&
		    rp_msg_equal(rec->got->msg, item->msg) && same_data(rec->got, item))
			return true;
	}
	return false;
}

/* Does the script accept anything here? */
static bool anything_goes(const struct rp_player *p)
{
	return (p->pc < p->script->stmt_count && at(p, p->pc)->kind == RP_STMT_REST) ||
	       (p->pc > 0 && at(p, p->pc - 1)->kind == RP_STMT_REST);
}

void rp_player_receive(struct rp_player *p, struct rp_item *item)
{
	const bool anything = anything_goes(p);
	struct rp_rec *rec;
	size_t index;

	/* What follows may depend on it. */
	forget_prepared(p);
	if (take_alternative(p, item))
		return;
	if (p->recs->len < 100000 && find_statement(p, item, &index)) {
		p->seen[index]++;
		got(p, at(p, index), index, item);
		return;
	}
	if (p->recs->len >= 100000) {
		rp_item_free(item);
		fail(p, g_strdup("the peer sends without end"));
		return;
	}
	rec = add_rec(p, RP_REC_EXTRA, NULL, p->pc, item->ns);
	rec->got = item;
	rec->repeat = is_repeat(p, item);
	rec->in_time = anything; /* "..." accepts it */
	/* It refuses or closes, and nobody expected that: there is nothing more to wait for. */
	if (!p->opts.offline && !anything && !item->bad_icrc && rp_msg_ends(item->msg) &&
	    !rec->repeat && p->state == RP_PLAYING && p->pc < p->script->stmt_count &&
	    (is_watched(p, at(p, p->pc)) || at(p, p->pc)->kind == RP_STMT_EITHER)) {
		const struct rp_stmt *s = at(p, p->pc);

		missing(p, s->kind == RP_STMT_EITHER ? &s->alts[0] : s, p->pc, item->ns);
		fail(p, g_strdup_printf("%s sent %s where %s was expected",
					p->script->roles[item->from].name, rp_msg_name(item->msg),
					s->kind == RP_STMT_EITHER ? "another answer"
								  : rp_msg_name(s->msg)));
	}
}

void rp_player_op_done(struct rp_player *p, int64_t now, const char *error)
{
	struct rp_rec *rec = p->in_flight_rec;

	if (!p->in_flight)
		return;
	p->in_flight = NULL;
	p->in_flight_rec = NULL;
	/* What it brought back is known only now. */
	if (rec->fields) {
		g_array_set_size(rec->fields, 0);
		rec->differs = rp_compare(&p->env, rec->s, rec->want, rec->got, p->can_set, false,
					  rec->fields);
	}
	happened(p, now);
	if (!error && rec->s->fault.fails)
		fail(p, g_strdup_printf("the peer did not refuse %s (line %u)",
					rp_msg_name(rec->s->msg), rec->s->pos.line));
	if (error && !rec->s->fault.fails)
		fail(p, g_strdup_printf("%s: %s", rp_msg_name(rec->s->msg), error));
}

void rp_player_end(struct rp_player *p, int64_t now, const char *why)
{
	if (why)
		fail(p, g_strdup(why));
	if (p->ended)
		return;
	p->ended = true;
	/* What was to leave later has not left. */
	for (guint i = 0; i < p->delayed->len; i++) {
		struct rp_rec *rec = ((struct rp_delayed *)p->delayed->pdata[i])->rec;

		if (rec->kind == RP_REC_SENT && !rec->left)
			unsend(rec);
	}
	g_ptr_array_set_size(p->delayed, 0);
	for (size_t i = p->pc; i < p->script->stmt_count; i++) {
		const struct rp_stmt *s = at(p, i);

		/* Behind a branch nobody knows what would have been. */
		if (s->kind == RP_STMT_GOTO || s->kind == RP_STMT_END || s->kind == RP_STMT_EITHER)
			break;
		if (s->kind != RP_STMT_MSG || s->optional || p->seen[i] >= least(s))
			continue;
		/* The one that was waited for has been told already. */
		if (i == p->pc && p->recs->len &&
		    ((struct rp_rec *)p->recs->pdata[p->recs->len - 1])->kind == RP_REC_MISSING)
			continue;
		missing(p, s, i, now);
	}
	if (p->state == RP_PLAYING)
		p->state = RP_PLAYED;
}
