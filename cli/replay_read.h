/* SPDX-License-Identifier: BSD-2-Clause */
/* A connection of a capture as the replay library wants it: its messages and operations in order. */
#ifndef RDMA_TRACE_REPLAY_READ_H
#define RDMA_TRACE_REPLAY_READ_H

#include "cli.h"
#include "replay/record.h"

struct replay_capture {
	struct rp_recording recording;
	GPtrArray *sources; /* its lines of provenance, and the NULL at the end */
	uint64_t left_out;  /* packets that no script can say */
};

/*
 * Read one connection from the captures of opts (a copy with other files and selection will do).
 * Returns CLI_OK or CLI_PARTIAL; else the message was printed and it is the exit code. what is the
 * command's name, for messages.
 */
int replay_read(const struct cli_opts *opts, struct replay_capture *ret_capture);
void replay_read_free(struct replay_capture *capture);

#endif
