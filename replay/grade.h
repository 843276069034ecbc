/* SPDX-License-Identifier: BSD-2-Clause */
/* How faithful a run was: what its records amount to. */
#ifndef REPLAY_GRADE_H
#define REPLAY_GRADE_H

#include "replay/player.h"

#define RP_RULES_MAX 40

struct rp_rule_count {
	const char *rule;
	unsigned count;
};

struct rp_lateness {
	unsigned count;
	int64_t p50_ns, p99_ns, max_ns;
};

struct rp_grade {
	enum rp_level level;
	bool timing;           /* every judged gap was in time */
	const char *cap;       /* the backend that keeps it from being higher; NULL for none */
	char *held[RP_LEVELS]; /* why that level was not reached; NULL where it was */
	char *outcome_want, *outcome_got;
	unsigned expected, seen; /* messages */
	unsigned extra, repeats, missing, disorder, accepted, unseen;
	unsigned classes[RP_CLASS_COUNT];
	struct rp_rule_count rules[RP_RULES_MAX];
	unsigned rule_count;
	unsigned gaps, gaps_late;
	struct rp_lateness lateness; /* of what was sent, against its schedule */
	bool events_judged;
	unsigned events_missing;
};

/* Grade a run that has ended. backend names who carried it (for cap). rp_grade_clear() it. */
void rp_grade(struct rp_player *p, const char *backend, struct rp_grade *ret_grade);
void rp_grade_clear(struct rp_grade *g);

/* Is a run good enough for what its script (or require, when not NULL) asks for? */
bool rp_grade_passes(const struct rp_grade *g, const struct rp_player *p,
		     const enum rp_level *require, enum rp_level usual,
		     enum rp_level *ret_required);

#endif
