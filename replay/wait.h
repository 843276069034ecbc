/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for a descriptor or a time as exactly as the host allows. */
#ifndef REPLAY_WAIT_H
#define REPLAY_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/* Asks for exact timers, and with realtime for priority. Returns what was refused, or NULL. */
const char *rp_wait_prepare(bool realtime);

/*
 * Until fd is readable or has an error (1), the time has come (0) or a signal did (-1). The last
 * part of a wait is spent looking at the clock.
 */
int rp_wait_fd(int fd, int64_t until);

#endif
