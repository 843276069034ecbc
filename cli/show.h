/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection on the screen, section by section. cmd_show.c gathers what is known of it into a
 * struct story; each show_<section>.c prints one part from that.
 *
 * What a packet shows is printed as it is. What only follows from packets (QP states, events,
 * timers) has a ~ before it or stands under a title that says so.
 */
#ifndef RDT_CLI_SHOW_H
#define RDT_CLI_SHOW_H

#include "cli.h"
#include "host.h"
#include "msg_layers.h"
#include "rdmatrace/journal.h"
#include "rdmatrace/states.h"
#include "rdmatrace/text.h"
#include "rdmatrace/vocab.h"

/* The first message of a kind that a side sent, and its headers. */
struct told {
	const struct rdt_msg_rec *rec; /* NULL: none */
	struct msg_layers layers;
};

struct story {
	const struct session *session;
	const struct cli_opts *opts;
	const struct rdt_tracker *tracker;
	const struct rdt_conn *conn;
	const struct rdt_entry *entries;
	size_t count;
	const struct hosts *hosts; /* --ftrace; NULL without */
	uint64_t lost;             /* records that were over the journal's cap */
	struct told told[RDT_SIDES][RDT_MSG_COUNT];
	char addr[RDT_SIDES][CLI_HOST_TEXT];
};

/* Fill told and addr; entries, count, lost and what is above them are set. */
void story_begin(struct story *s);

/* The first message of a kind that side sent; NULL when there is none. */
static inline const struct rdt_msg_rec *story_msg(const struct story *s, enum rdt_side side,
						  enum rdt_msg msg)
{
	return s->told[side][msg].rec;
}

/*
 * A field of the first message of a kind: is it captured, and its value. id is a field of that
 * message or of what its private data hold.
 */
bool story_has(const struct story *s, enum rdt_side side, enum rdt_msg msg, enum rdt_field_id id);
uint64_t story_num(const struct story *s, enum rdt_side side, enum rdt_msg msg,
		   enum rdt_field_id id);

/* The field's text, or "-". buf has RDT_TEXT_MAX bytes. */
const char *story_text(const struct story *s, enum rdt_side side, enum rdt_msg msg,
		       enum rdt_field_id id, char *buf);

/* How often was a message sent by side (repetitions of the network not counted)? */
unsigned story_sent(const struct story *s, enum rdt_side side, enum rdt_msg msg);

/*
 * The ACK timeout code that side's QP works with: for the passive one that of the REQ, for the
 * active one made of it and the peer's target ACK delay (kernel cm_ack_timeout()). 0 when not
 * known.
 */
unsigned story_ack_timeout(const struct story *s, enum rdt_side side);

/* ---- sections ----------------------------------------------------------------------------- */

void show_head(const struct story *s);

/* The first two lines of that: which connection, and how it went. The texts are to be freed. */
void show_lead(const struct story *s);
char *story_title(const struct story *s);
char *story_verdict(const struct story *s);
void show_hosts(const struct story *s);
void show_params(const struct story *s);
void show_private(const struct story *s);
void show_timeline(const struct story *s);
void show_events(const struct story *s);
void show_qps(const struct story *s);
void show_data(const struct story *s);
void show_bars(const struct story *s);

/* "label   text" of the head. */
void show_line(const struct story *s, const char *label, enum cli_tone tone, const char *text);

/* What the kernel's state was, where it is not what the packets show; false when they agree. */
bool show_conflict(const struct story *s, const struct rdt_msg_rec *rec, GString *text);

/* ---- helpers ------------------------------------------------------------------------------ */

/* Print text, then blanks up to width columns. */
void show_pad(const char *text, size_t width);
void show_pad_tone(const struct story *s, enum cli_tone tone, const char *text, size_t width);

/*
 * Text to the end of the line, wrapped: column is where the line stands, further lines begin at
 * indent. Where too little room is left for that, it goes below, at column below.
 */
void show_para(const struct story *s, enum cli_tone tone, const char *text, unsigned column,
	       unsigned indent, unsigned below);

/* Will show_para() print text in this line, and not below? */
bool show_fits(const struct story *s, const char *text, unsigned column);

/* A title line of a section, after a blank line. */
void show_title(const struct story *s, const char *title);

/* A duration; "-" when from is after to. */
const char *show_span(int64_t from, int64_t to, char buf[RDT_TEXT_MAX]);

/* The time of a record in the form of -t. */
const char *show_time(const struct story *s, int64_t ns, int64_t *prev, char buf[CLI_TIME_TEXT]);

/* Columns that times take. */
unsigned show_time_width(const struct story *s);

/* "#21"; with several inputs "#2:21", the second input's. */
const char *show_frame(const struct story *s, unsigned input, uint32_t frame, char buf[32]);

/* "->" or an arrow. */
const char *show_arrow(const struct story *s);

#endif
