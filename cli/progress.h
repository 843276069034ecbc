/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line on stderr while a long capture is read, and the signals that talk to a running program:
 * SIGUSR1 prints one line, the first SIGINT or SIGTERM ends reading so that what was read is shown.
 */
#ifndef RDMA_TRACE_PROGRESS_H
#define RDMA_TRACE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* SIGUSR1 is answered from now on, also while an input is waited for. */
void progress_init(void);

/* The first SIGINT or SIGTERM only makes progress_stopped() true; the second ends the program. */
void progress_catch_stop(void);

/*
 * Reading begins: SIGINT and SIGTERM end it. show: draw the line (a terminal, and not -q), from the
 * second second on. packets points at a counter that SIGUSR1 reads at any moment.
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
