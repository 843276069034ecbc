/* SPDX-License-Identifier: BSD-2-Clause */
/* A whole file into memory, and never more than asked for: a device has no end. */
#ifndef REPLAY_SLURP_H
#define REPLAY_SLURP_H

#include <glib.h>
#include <stdbool.h>

/*
 * Reads path, - for standard input where a pipe will do. At most limit bytes: a larger one is an error.
 * Pipes are read when pipe_ok. False: *ret_why (g_free it) says why, without the path.
 */
bool rp_slurp(const char *path, size_t limit, bool pipe_ok, gchar **ret_bytes, gsize *ret_len,
	      char **ret_why);

#endif
