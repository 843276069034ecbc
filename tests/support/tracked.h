/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture, tracked, journalled and diagnosed: what most tracker tests begin with. */
#ifndef TESTS_TRACKED_H
#define TESTS_TRACKED_H

#include "rdmatrace/journal.h"
#include "rdmatrace/track.h"
#include "rdmatrace/why.h"

#define TRACKED_ENTRIES 512 /* records kept a connection */

struct tracked {
	struct rdt_tracker *tracker;
	struct rdt_journal *journal;
	struct rdt_why *why;
	void *dump;                /* FILE: tracked_dump() */
	int64_t first_ns, last_ns; /* times of the first and last frame */
	uint32_t frames;
};

/* malloc and free as a tracker's memory. */
extern const struct rdt_memory tracked_memory;

/* The same for so many allocations (user: unsigned *), and then none: resize of an rdt_memory. */
void *tracked_scarce(void *user, void *old, size_t old_size, size_t new_size);

/* An empty tracker with a journal behind it; opts may be NULL. */
void tracked_new(struct tracked *t, const struct rdt_track_opts *opts);

/* Feed one frame as a capture would have it; returns the verdict. */
struct rdt_verdict tracked_feed(struct tracked *t, unsigned linktype, const uint8_t *bytes,
				size_t have, size_t wire_len, int64_t ns);

/* The whole file RDT_CAPTURES/<name>.pcap, finished. Fails the test when it cannot be read. */
void tracked_file(struct tracked *t, const char *name);

/* Write what is fed from now on to a pcap file, Ethernet or InfiniBand by link type. */
void tracked_dump(struct tracked *t, const char *path, unsigned linktype);

void tracked_finish(struct tracked *t);
void tracked_free(struct tracked *t);

#endif
