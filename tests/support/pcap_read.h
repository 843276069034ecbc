/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A capture file as a walk over its frames, for tests only: the product has its own reader.
 */
#ifndef TESTS_PCAP_READ_H
#define TESTS_PCAP_READ_H

#include <stddef.h>
#include <stdint.h>

struct test_frame {
	const uint8_t *bytes; /* heap block of exactly have bytes, so that ASan sees one too many */
	size_t have;
	size_t wire_len;
	unsigned linktype; /* LINKTYPE number */
	uint64_t ns;       /* since 1970 */
	unsigned number;   /* 1 for the first frame of the file */
};

/* Called for each frame; what it returns other than 0 ends the walk. */
typedef int (*test_frame_fn)(const struct test_frame *frame, void *arg);

/* The folder of the captures: captures/, or what the environment calls RDT_CAPTURES (fresh runs of the lab). */
const char *test_captures(void);

/*
 * Walk the file <test_captures()>/<name>. Returns the number of frames given to fn, -1 when the file
 * cannot be read (said on stderr).
 */
int test_pcap_walk(const char *name, test_frame_fn fn, void *arg);

#endif
