/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays a script: says what to send and when, takes what came, and writes down what happened. It
 * knows no transport and reads no clock: time and messages are handed in, so that a live run, a
 * simulation and the comparison of two captures are the same thing.
 */
#ifndef REPLAY_PLAYER_H
#define REPLAY_PLAYER_H

#include "replay/build.h"
#include "replay/memory.h"

struct rp_play_opts {
	unsigned played; /* bit mask of roles; 0: all is watched, as when captures are compared */
	double speed;    /* 1 as in the script, 0 at once */
	uint64_t timeout_ns, first_timeout_ns;
	uint64_t max_msgs, rate; /* 0: no limit; rate is in a second */
	bool blind; /* what a program with librdmacm cannot see is not waited for: MRAs, repetitions, READs,
		     * WRITEs and atomics of the peer */
	bool share;   /* both ends tell each other the keys of their memory (sim; else share.h) */
	bool offline; /* nothing is waited for: what was not there at the end is missing */
};

enum rp_rec_kind {
	RP_REC_SENT,    /* played */
	RP_REC_GOT,     /* watched and expected */
	RP_REC_EXTRA,   /* came, and no statement expects it */
	RP_REC_MISSING, /* was expected and did not come */
	RP_REC_UNSEEN,  /* watched, and the backend cannot see it */
	RP_REC_DROPPED, /* played, and not sent because the script says so */
};

struct rp_rec {
	enum rp_rec_kind kind;
	const struct rp_stmt *s; /* NULL for EXTRA */
	size_t index;            /* of s in the script */
	int64_t ns;              /* when; for MISSING when it was given up */
	int64_t due_ns;          /* SENT: when it should have been sent */
	bool left;               /* SENT: a copy is on its way */
	uint64_t script_ns;      /* when the script has it, from its begin */
	struct rp_item *want,
		*got;   /* what the script says; what was sent or came; NULL where none */
	GArray *fields; /* of struct rp_field_result */
	unsigned differs;
	unsigned resent; /* SENT: so many times more, because nobody listened at the peer */
	bool repeat;     /* EXTRA: said before, in the same words */
	bool judged;     /* a gap to the event before was compared */
	int64_t gap_ns;
	uint64_t want_gap_ns;
	bool in_time;
	bool in_order; /* no later statement of the script has happened before it */
};

struct rp_player_ops {
	void *user;
	/*
	 * Put a message on its way now; false when it cannot be (why is the player's to keep). item is
	 * borrowed; for READ and atomics the reply is put into it before rp_player_op_done().
	 */
	bool (*send)(void *user, struct rp_item *item, char **ret_why);
};

enum rp_player_state {
	RP_PLAYING,
	RP_PLAYED, /* to its end */
	RP_FAILED, /* why says what was wrong */
};

struct rp_player {
	const struct rp_script *script;
	struct rp_env env;
	struct rp_play_opts opts;
	struct rp_player_ops ops;
	struct rp_memories memories;
	GPtrArray *recs; /* struct rp_rec * */
	enum rp_player_state state;
	char *why;          /* g_malloc */
	unsigned tolerance; /* percent, where a statement has none */
	rp_can_set_fn can_set;

	size_t pc;
	unsigned *seen;            /* by statement: how often it was sent or came */
	uint64_t *times;           /* by statement: when the script has it, from its begin */
	int64_t start_ns, prev_ns; /* of the first event; of the last. INT64_MIN before */
	int64_t op_start_ns;       /* when the last operation was sent */
	int64_t entered_ns;        /* when the statement at pc began to be waited for */
	struct rp_item *in_flight; /* an operation that is not done */
	struct rp_rec *in_flight_rec;
	struct rp_item *prepared; /* what pc sends, built before it is due; NULL for none */
	GPtrArray *delayed;       /* struct rp_delayed * */
	uint64_t sent, jumps;
	uint64_t resent;      /* of sent: the same again because nobody listened; the last rec's */
	size_t furthest;      /* statement that has happened, since the last jump */
	int64_t next_slot_ns; /* of the rate limit */
	bool ended;
};

struct rp_player *rp_player_new(const struct rp_script *script, const struct rp_play_opts *opts,
				const struct rp_player_ops *ops, uint64_t seed, bool keep_ids,
				const struct rdt_addr addr[RP_ROLES]);
void rp_player_free(struct rp_player *p);

/* Do all that is due. Returns when something will be due next; INT64_MAX: nothing by time alone. */
int64_t rp_player_run(struct rp_player *p, int64_t now);

/* A message came. item is the player's from now on; its ns says when. */
void rp_player_receive(struct rp_player *p, struct rp_item *item);

/*
 * Nobody listened when the last message was sent. May the link send it again now? It counts against
 * max_msgs and rate like any other.
 */
bool rp_player_may_resend(struct rp_player *p, int64_t now);

/* The operation that was sent is done (acknowledged, answered) or has failed. */
void rp_player_op_done(struct rp_player *p, int64_t now, const char *error);

/* No more will come: what is still expected is missing. */
void rp_player_end(struct rp_player *p, int64_t now, const char *why);

/* Is this role played? */
static inline bool rp_plays(const struct rp_player *p, unsigned role)
{
	return p->opts.played >> role & 1;
}

#endif
