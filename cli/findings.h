/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings (rdmatrace/why.h) of a session: for diagnose, list's note and show. */
#ifndef RDMA_TRACE_FINDINGS_H
#define RDMA_TRACE_FINDINGS_H

#include "cli.h"
#include "rdmatrace/why.h"
#include "records.h"

/* An engine; ends the program without memory. icrc: check it of data packets too. */
struct rdt_why *findings_new(bool icrc);

/*
 * session_read_with() with the engine between the tracker and sink (NULL for none). frames: the
 * engine looks at frames too (ICRC, ARP, ICMP). When it returns the list is ready.
 */
int findings_read(struct rdt_why *why, struct session *s, const struct rdt_sink *sink, bool frames);

/* The same in parts, for who has a reading of his own: a session_packet_fn, and the end. */
int findings_look(void *user, const struct packet *packet, const struct rdt_frame *frame,
		  const struct rdt_verdict *verdict);
void findings_finish(struct rdt_why *why, const struct session *s);

/* "12-43, 57": numbers of the connections. */
void findings_conns(const struct rdt_finding *f, GString *text);

/* On the screen: a block of lines. */
void findings_text(const struct session *s, const struct rdt_finding *f);

/*
 * A line of NDJSON, an element of JSON. only: of its connections this one is named (NULL: all), so
 * that what is told after each connection does not grow with the square of them.
 */
void findings_json(struct records *r, const struct rdt_finding *f, const struct rdt_conn *only);

/* As CSV: the titles, and a row. */
void findings_csv_header(const struct cli_opts *opts);
void findings_csv(const struct session *s, const struct rdt_finding *f);

enum cli_tone findings_tone(enum rdt_severity severity);

#endif
