// SPDX-License-Identifier: BSD-2-Clause
/* The loop of a live run, and how an open connection is left. */
#include <string.h>
#include <time.h>

#include "replay/backend.h"
#include "replay/share.h"

int64_t rp_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

const struct rp_backend *rp_backend_find(const char *name)
{
	for (const struct rp_backend *const *b = rp_backends; *b; b++) {
		if (!strcmp((*b)->name, name))
			return *b;
	}
	return NULL;
}

/* ---- leaving --------------------------------------------------------------------------------- */

static bool happened(const struct rp_player *p, uint8_t msg, bool *ret_ours)
{
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		if (rec->got && rec->kind != RP_REC_DROPPED && rec->got->msg.family == RP_CM &&
		    rec->got->msg.code == msg) {
			*ret_ours = rp_plays(p, rec->got->from);
			return true;
		}
	}
	return false;
}

/* What ends the connection as it stands; false when nothing has to be said. */
static bool parting(const struct rp_player *p, struct rp_stmt *s, const char **ret_fields)
{
	bool ours;

	*ret_fields = NULL;
	if (happened(p, RDT_MSG_REJ, &ours) || happened(p, RDT_MSG_DREP, &ours))
		return false;
	if (happened(p, RDT_MSG_DREQ, &ours)) {
		/* Theirs waits for its answer; ours was said. */
		s->msg.code = RDT_MSG_DREP;
		return !ours;
	}
	if (happened(p, RDT_MSG_RTU, &ours)) {
		s->msg.code = RDT_MSG_DREQ;
		return true;
	}
	s->msg.code = RDT_MSG_REJ;
	if (happened(p, RDT_MSG_REP, &ours))
		return true;
	*ret_fields = "reason=timeout, msg_rejected=2, rid=0";
	return happened(p, RDT_MSG_REQ, &ours) && (ours || (*ret_fields = NULL, true));
}

static void leave(struct rp_live *live, struct rp_player *p)
{
	struct rp_stmt s = { .kind = RP_STMT_MSG,
			     .min = 1,
			     .max = 1,
			     .msg = { RP_CM, 0 },
			     .role = rp_plays(p, RDT_ACTIVE) ? RDT_ACTIVE : RDT_PASSIVE,
			     .fault.truncate = RP_NO_TRUNCATE };
	struct rp_item *item, *answer = NULL;
	struct rp_error error;
	const char *fields;
	char *why = NULL;
	const int64_t until = rp_now() + 1000000000;

	if (!live->backend->families[RP_CM] || !parting(p, &s, &fields))
		return;
	if (fields &&
	    !rp_assigns_parse(p->env.arena, s.msg, fields, &s.assigns, &s.assign_count, &error))
		return;
	item = rp_build(&p->env, &s);
	if (!item)
		return;
	if (!live->backend->send(live->link, item, &why))
		g_clear_pointer(&why, g_free);
	rp_item_free(item);
	if (s.msg.code != RDT_MSG_DREQ)
		return;
	/* Its answer ends the connection for the peer too. */
	while (live->backend->wait(live->link, until, &answer, &why) == RP_WAIT_ITEM) {
		const bool done = answer->msg.family == RP_CM && answer->msg.code == RDT_MSG_DREP;

		rp_item_free(answer);
		if (done)
			break;
	}
}

#define PATIENCE_NS INT64_C(1000000000)
#define SOON_NS INT64_C(100000000) /* not worth a word */

/* ---- the loop ---------------------------------------------------------------------------------- */

static bool send(void *user, struct rp_item *item, char **ret_why)
{
	struct rp_live *live = user;

	if (!live->backend->families[item->msg.family]) {
		*ret_why = g_strdup_printf("backend %s cannot send %s", live->backend->name,
					   rp_msg_name(item->msg));
		return false;
	}
	return live->backend->send(live->link, item, ret_why);
}

/*
 * The first message is waited for in patience, any other is told of when it is late by a second.
 * Returns until when to wait before the next look. *told: the statement (from 1) last told of.
 */
static int64_t tell_waiting(const struct rp_live *live, const struct rp_player *p, int64_t until,
			    size_t *told)
{
	const struct rp_stmt *s = p->pc < p->script->stmt_count ? &p->script->stmts[p->pc] : NULL;
	const int64_t now = rp_now(), since = now - p->entered_ns;

	if (s && s->kind == RP_STMT_EITHER && s->alt_count)
		s = &s->alts[0];
	if (!live->waiting || !s || s->kind != RP_STMT_MSG || rp_plays(p, s->role) ||
	    p->in_flight || *told == p->pc + 1 || until == INT64_MAX || until <= now + SOON_NS)
		return until;
	if (p->start_ns != INT64_MIN && since < PATIENCE_NS)
		return MIN(until, now + PATIENCE_NS - since);
	live->waiting(live->user, rp_msg_name(s->msg), until - now);
	*told = p->pc + 1;
	return until;
}

/* The cause before what followed from it. */
static void tell_silence(const struct rp_live *live, struct rp_player *p)
{
	char *silence = live->backend->silence ? live->backend->silence(live->link) : NULL;
	char *both;

	if (!silence)
		return;
	both = g_strdup_printf("%s; %s", silence, p->why);
	g_free(silence);
	g_free(p->why);
	p->why = both;
}

static bool has_rep(const struct rp_script *script)
{
	for (size_t i = 0; i < script->stmt_count; i++) {
		const struct rp_stmt *s = &script->stmts[i];

		for (size_t k = 0; k <= s->alt_count; k++) {
			const struct rp_msg msg = k ? s->alts[k - 1].msg : s->msg;

			if (msg.family == RP_CM && msg.code == RDT_MSG_REP)
				return true;
		}
	}
	return false;
}

/*
 * Keys are told once, when both have their queue pairs and no data has passed: after the REP, or at
 * once where a script has none.
 */
static void share_keys(struct rp_live *live, struct rp_player *p, bool *shared)
{
	char *why = NULL;
	bool ours;

	if (!live->share || *shared || p->state != RP_PLAYING ||
	    (has_rep(p->script) && !happened(p, RDT_MSG_REP, &ours)))
		return;
	*shared = true;
	if (!rp_share_exchange(live->share, p,
			       rp_now() + (int64_t)(p->recs->len ? p->opts.timeout_ns
								 : p->opts.first_timeout_ns),
			       live->stopped, &why))
		rp_player_end(p, rp_now(), why);
	g_free(why);
}

void rp_live_run(struct rp_live *live, struct rp_player *p)
{
	struct rp_item *item;
	bool shared = false;
	size_t told = 0;
	char *why;

	p->ops = (struct rp_player_ops){ .user = live, .send = send };
	p->can_set = live->backend->can_set;
	if (live->backend->attach)
		live->backend->attach(live->link, p);
	while (p->state == RP_PLAYING) {
		enum rp_wait result;
		int64_t next;

		share_keys(live, p, &shared);
		next = rp_player_run(p, rp_now());
		share_keys(live, p, &shared);
		if (p->state != RP_PLAYING)
			break;
		if (live->stopped && live->stopped()) {
			rp_player_end(p, rp_now(), "stopped by a signal");
			break;
		}
		item = NULL;
		why = NULL;
		result = live->backend->wait(live->link, tell_waiting(live, p, next, &told), &item,
					     &why);
		switch (result) {
		case RP_WAIT_ITEM:
			rp_player_receive(p, item);
			break;
		case RP_WAIT_DONE:
			rp_player_op_done(p, rp_now(), why);
			break;
		case RP_WAIT_ERROR:
			rp_player_end(p, rp_now(), why ? why : "the link failed");
			break;
		case RP_WAIT_TIME:
		case RP_WAIT_STOP:
			break;
		}
		g_free(why);
	}
	rp_player_end(p, rp_now(), NULL);
	if (p->state == RP_FAILED) {
		tell_silence(live, p);
		leave(live, p);
	}
}
