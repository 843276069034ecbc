/* SPDX-License-Identifier: BSD-2-Clause */
/* What replay and diff share: a graded run and the ways to print it. */
#ifndef RDMA_TRACE_REPLAY_H
#define RDMA_TRACE_REPLAY_H

#include "cli.h"
#include "replay/grade.h"

/* One script that was played, or two captures that were compared. */
struct replay_run {
	const char *name;           /* of the script, or "a.pcap:1 b.pcap:1" */
	const char *backend;        /* "diff" for none */
	const char *played;         /* role, "" for none */
	const GPtrArray *preflight; /* lines of what was looked at before */
	const GPtrArray *untested;  /* what the run says nothing about */
	struct rp_player *player;
	struct rp_grade grade;
	enum rp_level required;
	bool passed;
	const char *compare; /* the command that compares it again; NULL */
	double seconds;
};

/* --require, where it is given; *ret_level is left alone where not. False after saying what is wrong. */
bool replay_require(const struct cli_opts *opts, enum rp_level *ret_level);

/* The screen of one run. */
void replay_text(const struct cli_opts *opts, const struct replay_run *run);

/* Several: begin, each, end. Formats json, ndjson, junit, tap and, for more than one, text. */
struct replay_report;
struct replay_report *replay_report_begin(const struct cli_opts *opts, unsigned count);
void replay_report_run(struct replay_report *r, const struct replay_run *run);
/* A script that could not be played: why is a sentence. */
void replay_report_error(struct replay_report *r, const char *name, const char *why);
void replay_report_end(struct replay_report *r);

/* What a run leaves open: from its records. The caller frees it. */
GPtrArray *replay_untested(const struct rp_player *player, bool live);

/* "a > REP" and the like, and "+24 ms" from the begin. */
char *replay_who(const struct rp_player *p, const struct rp_rec *rec);

#endif
