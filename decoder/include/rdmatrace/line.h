/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet in one line, for lists of packets: what it is, what it says, what is wrong with it.
 * Which fields are worth a place on the line stands in wire/line.def.
 *
 * Texts go into the caller's buffer, are cut when it is full, and always end with a zero.
 * Nothing is allocated or kept.
 */
#ifndef RDMATRACE_LINE_H
#define RDMATRACE_LINE_H

#include <stddef.h>

#include "layers.h"

/* A line that no packet outgrows by much. */
#define RDT_LINE_MAX 768

/*
 * What the packet is, in a few words: "CM REQ", "RC SEND Only", "MAD subn-adm get 0x0035",
 * "MPA start frame". Returns buf.
 */
char *rdt_line_what(const struct rdt_frame *frame, const struct rdt_layer *layers, size_t count,
		    char *buf, size_t size);

/*
 * What it says: QPN, PSN and length of data, then the fields of line.def, each after two blanks.
 * Appended to what is in buf. Returns buf.
 */
char *rdt_line_says(const struct rdt_frame *frame, const struct rdt_layer *layers, size_t count,
		    char *buf, size_t size);

/*
 * What the text of an exchange of QPs announces, for a TCP packet that the tracker says is of one
 * (RDT_MSG_OOB). Appended to what is in buf; nothing when the text begins in another packet.
 */
char *rdt_line_exchange(const struct rdt_frame *frame, char *buf, size_t size);

/*
 * What is wrong with the packet: the frame's problem, or that of its transport headers. Static
 * text; NULL when nothing is.
 */
const char *rdt_line_problem(const struct rdt_frame *frame);

#endif
