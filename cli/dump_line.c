/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet in one line: what the decoder says of it, and what the tracker does. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "dump.h"
#include "rdmatrace/line.h"

const char *dump_what(const struct dump_packet *d, char *buf, size_t size)
{
	if (d->verdict->is_msg) {
		const enum rdt_msg msg = (enum rdt_msg)d->verdict->msg;

		snprintf(buf, size, "%s%s", msg < RDT_MSG_MPA_REQ ? "CM " : "", rdt_msg_key(msg));
		/* "MPA_REQ" is "MPA REQ" for people; "SIDR_REQ" keeps its name. */
		if (msg >= RDT_MSG_MPA_REQ)
			g_strdelimit(buf, "_", ' ');
		return buf;
	}
	return rdt_line_what(d->frame, d->layers, d->layer_count, buf, size);
}

const char *dump_problem(const struct dump_packet *d)
{
	return rdt_line_problem(d->frame);
}

void dump_details(const struct dump_packet *d, char *buf, size_t size)
{
	const char *problem = dump_problem(d);
	char text[64];

	if (d->verdict->is_msg && d->verdict->copy) {
		snprintf(text, sizeof(text), "  copy %" PRIu32, d->verdict->copy);
		g_strlcat(buf, text, size);
	}
	if (d->verdict->is_msg && d->verdict->msg == RDT_MSG_OOB)
		rdt_line_exchange(d->frame, buf, size);
	rdt_line_says(d->frame, d->layers, d->layer_count, buf, size);
	if (d->verdict->icrc == RDT_ICRC_BAD)
		g_strlcat(buf, "  [wrong ICRC]", size);
	if (d->msg && d->msg->unexpected)
		g_strlcat(buf, "  [unexpected]", size);
	if (problem) {
		g_strlcat(buf, "  [", size);
		g_strlcat(buf, problem, size);
		g_strlcat(buf, "]", size);
	}
}
