/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection as a picture of two lifelines. ladder.c makes a list of rungs from its records and
 * its data packets; ladder_text.c, ladder_code.c and ladder_svg.c draw that.
 */
#ifndef RDT_CLI_LADDER_H
#define RDT_CLI_LADDER_H

#include <glib.h>

#include "show.h"

/* Data packets with no message of their connection between them. */
struct data_run {
	int64_t from_ns, to_ns;
	uint32_t first_frame, last_frame;
	uint8_t input;
	uint64_t packets[RDT_SIDES], bytes[RDT_SIDES]; /* by sender */
};

enum rung_kind {
	RUNG_MSG,  /* an arrow */
	RUNG_DATA, /* a run of data, both ways */
	RUNG_NOTE, /* no message: a timer, or what data or resolution show */
};

struct rung {
	enum rung_kind kind;
	enum rdt_side from; /* who sent it, whose timer */
	int64_t ns, last_ns;
	int64_t delta_ns; /* from the rung before, to this one's first; -1: none */
	uint32_t frame, last_frame;
	uint8_t input;
	const struct rdt_msg_rec *msg; /* the first of those that it stands for; NULL without */
	unsigned times;                /* how many it stands for */
	enum cli_tone tone;
	char *name;                   /* "REQ", "REQ x4", "36 data packets" */
	char *detail;                 /* "" for none */
	const char *state[RDT_SIDES]; /* after it; NULL: as before */
	bool inferred[RDT_SIDES];     /* no packet shows the state */
	bool good[RDT_SIDES];         /* it is ESTABLISHED */
};

struct ladder {
	const struct story *s;
	struct rung *rungs;
	size_t count;
	char *lines[RDT_SIDES][4]; /* what stands at the head of a lifeline; ends in NULL */
	char *title;               /* "connection 1   id ..." */
	char *verdict;
};

/* runs in order of time. expand: repeated messages get an arrow each. */
void ladder_make(struct ladder *l, const struct story *s, const struct data_run *runs,
		 size_t run_count, bool expand);
void ladder_free(struct ladder *l);

void ladder_text(const struct ladder *l);
void ladder_mermaid(const struct ladder *l);
void ladder_plantuml(const struct ladder *l);
void ladder_svg(const struct ladder *l);

/* Does anything of it stand on no packet, so that ~ needs its explanation? */
bool ladder_infers(const struct ladder *l);

/* Text as lines of at most width columns; ends in NULL, g_strfreev() frees it. */
char **ladder_wrap(const char *text, size_t width);

#endif
