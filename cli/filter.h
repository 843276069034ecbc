/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The -Y language: one expression over the one vocabulary, the columns of vocab.h and the wire
 * fields of field.h.
 *
 *   outcome == rejected and rej_reason == invalid-service-id
 *   setup > 100ms or retries > 0
 *   addr in 10.1.0.0/16 and svc_port in {4420, 3260}
 *   rej.private_data contains "quota"
 *   req and not rep
 *   some(msg == REJ and from == active)
 *
 * An expression is compiled once and then asked without allocating (but for what GRegex does
 * inside ~). It is asked in one of two ways:
 *
 *   of a packet       rdt_filter_packet(): every name asks this packet, its message, its
 *                     connection.
 *   of a connection   columns of conn ask the connection; whatever else asks "is there a packet,
 *                     message, state or event of this connection for which ...", each comparison
 *                     for itself: "req and not rep" finds requests that were never answered.
 *                     some(...) asks for one packet or record that is all of it at once.
 *                     rdt_filter_mark() is told every packet and record as it passes and keeps one
 *                     bit for each such question; rdt_filter_conn() gives the answer at the end.
 *
 * A name that has no value (a connection without REJ has no rej_reason) makes every comparison
 * false, != too. A name with several values (addr is active and passive) matches when one of them
 * does; with != when all of them do.
 */
#ifndef RDT_CLI_FILTER_H
#define RDT_CLI_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "msg_layers.h"
#include "rdmatrace/addr.h"
#include "rdmatrace/layers.h"
#include "rdmatrace/track.h"
#include "rdmatrace/vocab.h"

struct rdt_filter;

/* Why an expression is none. at and len mark the place in the expression, in bytes. */
struct rdt_filter_error {
	size_t at, len;
	char what[192]; /* "there is no name rej_resaon" */
	char hint[192]; /* "did you mean rej_reason?", or empty */
};

/*
 * Compile expr (len bytes). NULL and *reterr when it is none. An empty expression matches all.
 * Nesting is limited to 64 levels, questions about packets and records to 64.
 */
struct rdt_filter *rdt_filter_new(const char *expr, size_t len, struct rdt_filter_error *reterr);
void rdt_filter_free(struct rdt_filter *f);

/*
 * Print the error for people, three or four lines: what is wrong, the expression with a caret
 * under the place, the hint. before (may be NULL) begins the first line: "rdma-trace: -Y: ".
 */
void rdt_filter_error_print(FILE *out, const char *before, const char *expr, size_t len,
			    const struct rdt_filter_error *err);

/* What a view must offer for the expression to be answered: RDT_VIEW_x bits. */
unsigned rdt_filter_needs(const struct rdt_filter *f);

/* ---- what is looked at -------------------------------------------------------------------- */

enum {
	RDT_VIEW_CONN = 1 << RDT_REC_conn,
	RDT_VIEW_MSG = 1 << RDT_REC_msg,
	RDT_VIEW_STATE = 1 << RDT_REC_state,
	RDT_VIEW_EVENT = 1 << RDT_REC_event,
	RDT_VIEW_PACKET = 1 << RDT_REC_COUNT, /* layers, src, dst, frame */
	RDT_VIEW_BODY = RDT_VIEW_PACKET << 1, /* layers: those of the message and inside it */
};

/* The frame itself, for frame.number and its like. */
struct rdt_view_frame {
	struct rdt_when when;
	int64_t base;     /* time that rel_ns counts from */
	uint32_t len;     /* bytes on the wire, 0 when not known */
	uint32_t cap_len; /* bytes captured, 0 when not known */
	uint32_t link;    /* LINKTYPE number */
};

/*
 * What can be asked at the moment. col() gives the value of a column (RDT_COL_x) of a record that
 * has says is there, and is never called for others; type RDT_VALUE_NULL where it is absent.
 */
struct rdt_view {
	unsigned has; /* RDT_VIEW_x */
	struct rdt_value (*col)(void *user, size_t col);
	void *user;
	const struct rdt_layer *layers; /* of the packet, as rdt_layers() lists them */
	size_t layer_count;
	const struct rdt_addr *src, *dst;   /* the packet's; NULL when not known */
	const struct rdt_view_frame *frame; /* NULL when not known */
};

/* The usual col(): from the tracker. user is one of these; rec[RDT_REC_conn] is not used. */
struct rdt_view_records {
	const struct rdt_tracker *tracker;
	const struct rdt_conn *conn;
	const void *rec[RDT_REC_COUNT]; /* struct rdt_msg_rec, _state_rec, _event_rec, or NULL */
	int64_t base;                   /* time that relative times count from */
	struct msg_layers body;         /* filled by rdt_view_of(), as the next */
	struct rdt_view_frame frame;
};

struct rdt_value rdt_view_records_col(void *user, size_t col);

/*
 * A view of these records; records is borrowed. With a message record that has its body, the
 * layers of that. A whole packet is added with rdt_view_set_packet().
 */
struct rdt_view rdt_view_of(struct rdt_view_records *records);

/* Add a packet: its layers, and its frame for the addresses (NULL: none). Both are borrowed. */
void rdt_view_set_packet(struct rdt_view *view, const struct rdt_layer *layers, size_t count,
			 const struct rdt_frame *frame);

/* ---- asking ------------------------------------------------------------------------------- */

/* Is it this packet? */
bool rdt_filter_packet(const struct rdt_filter *f, const struct rdt_view *view);

/*
 * One packet or record of a connection has passed: set the bits of the questions it answers.
 * *seen begins as 0 and belongs to the connection; bits are only ever added, so the masks of two
 * connections that turn out to be one are or-ed together.
 */
void rdt_filter_mark(const struct rdt_filter *f, const struct rdt_view *view, uint64_t *seen);

/* Is it this connection? view has RDT_VIEW_CONN; seen is what rdt_filter_mark() collected. */
bool rdt_filter_conn(const struct rdt_filter *f, const struct rdt_view *view, uint64_t seen);

/* All bits there are: when seen has them, nothing is left to mark. */
uint64_t rdt_filter_marks(const struct rdt_filter *f);

/* ---- for help and tests ------------------------------------------------------------------- */

/*
 * The short names: row i as "addr", "active passive", "an address of either side"; after them the
 * names of protocols, which are compared with nothing. Returns 0 past the end.
 */
int rdt_filter_alias(size_t i, const char **ret_name, const char **ret_means,
		     const char **ret_text);

#endif
