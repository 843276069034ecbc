/* SPDX-License-Identifier: BSD-2-Clause */
/* One packet as dump shows it: what is known of it, and the forms it is printed in. */
#ifndef RDMA_TRACE_DUMP_H
#define RDMA_TRACE_DUMP_H

#include "cli.h"
#include "rdmatrace/layers.h"

/* A packet with all that was found out; borrowed, as its parts are. */
struct dump_packet {
	const struct packet *packet;
	const struct rdt_frame *frame;
	const struct rdt_verdict *verdict;
	const struct rdt_conn *conn;   /* NULL without */
	const struct rdt_msg_rec *msg; /* NULL without; body is not to be read */
	const struct rdt_layer *layers;
	size_t layer_count;
};

/* What it is, in a few words: "CM REQ", "RC SEND Only", "SA GetResp PathRecord". */
const char *dump_what(const struct dump_packet *d, char *buf, size_t size);

/* What else the line says: ids, numbers, and what is wrong. Appends to what is in buf. */
void dump_details(const struct dump_packet *d, char *buf, size_t size);

/* -V: every field of every header, to cli_out(). */
void dump_decode(const struct cli_opts *opts, const struct dump_packet *d);

/* What is wrong with the packet, NULL when nothing is: the frame's problem or that of its BTH. */
const char *dump_problem(const struct dump_packet *d);

#endif
