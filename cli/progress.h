/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line on stderr while a long capture is read, and the signals that talk to a running program:
 * SIGUSR1 prints one line, the first SIGINT or SIGTERM ends reading so that what was read is shown.
 */
#ifndef RDMA_TRACE_PROGRESS_H
#define RDMA_TRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Begin: signals are set up. show: draw the line (a terminal, and not -q), from the second second
 * on. packets and conns point at counters that SIGUSR1 reads at any moment.
 */
void progress_begin(bool show, const uint64_t *packets);

/* How far: cheap, to be called every thousand packets or so. size 0: not known. */
void progress_at(uint64_t position, uint64_t size);

/* Remove the line. */
void progress_end(void);

/* Did a signal ask to stop? */
bool progress_stopped(void);

/* ns of a clock that does not jump. */
int64_t progress_now_ns(void);

#endif
