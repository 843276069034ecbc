/* SPDX-License-Identifier: BSD-2-Clause */
/* -w of the commands that select connections: the packets of those, in a second pass. */
#ifndef RDMA_TRACE_WRITE_H
#define RDMA_TRACE_WRITE_H

#include "cli.h"

/* Connections by the tracker's index: what a second pass over the same frames needs. */
struct conn_set {
	uint8_t *bits;
	size_t room; /* bytes */
};

void conn_set_add(struct conn_set *set, uint32_t index);
bool conn_set_has(const struct conn_set *set, uint32_t index);
void conn_set_free(struct conn_set *set);

/* What a packet's comment says: "rdma-trace: connection 57 REQ copy 2". conn may be NULL. */
void write_comment(const struct rdt_conn *conn, const struct rdt_verdict *verdict, char *buf,
		   size_t size);

/*
 * Write the packets of the selected connections (s->conns after session_select(), and those of
 * evicted, which are in memory no more) to opts->write. Reads everything again.
 * Returns CLI_OK or the code of what went wrong (message printed).
 */
int write_selected(struct session *s, const struct conn_set *evicted);

#endif
