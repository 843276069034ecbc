/* SPDX-License-Identifier: BSD-2-Clause */
/* The heap for what grows with a capture: connections, their maps and notes, the rows of a table. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "rdmatrace/track.h"

/* malloc's, with large blocks in huge pages where the kernel has them. */
extern const struct rdt_memory cli_memory;

#endif
