/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings of error.c; what commands use is in cli.h. */
#ifndef RDMA_TRACE_ERROR_H
#define RDMA_TRACE_ERROR_H

#include <stdbool.h>

/* -q: cli_warn() says nothing. */
void cli_set_quiet(bool on);

#endif
