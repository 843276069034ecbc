// SPDX-License-Identifier: BSD-2-Clause
#include "support/tracked.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "rdmatrace/heap.h"
#include "support/pcap_read.h"

const struct rdt_memory tracked_memory = RDT_HEAP;

void *tracked_scarce(void *user, void *old, size_t old_size, size_t new_size)
{
	unsigned *left = user;

	if (new_size && !*left)
		return NULL;
	*left -= new_size != 0;
	return rdt_heap_resize(NULL, old, old_size, new_size);
}

void tracked_new(struct tracked *t, const struct rdt_track_opts *opts)
{
	struct rdt_sink sink;

	*t = (struct tracked){ .journal = rdt_journal_new(&tracked_memory, TRACKED_ENTRIES, 1) };
	cr_assert(t->journal);
	sink = rdt_journal_sink(t->journal);
	t->why = rdt_why_new(&tracked_memory, &(struct rdt_why_opts){ .icrc = 1 });
	cr_assert(t->why);
	sink = rdt_why_sink(t->why, &sink);
	t->tracker = rdt_tracker_new(&tracked_memory, opts, &sink);
	cr_assert(t->tracker);
	rdt_journal_set_tracker(t->journal, t->tracker);
	rdt_why_set_tracker(t->why, t->tracker);
}

static void put32(FILE *file, uint32_t value)
{
	cr_assert_eq(fwrite(&value, sizeof(value), 1, file), 1);
}

void tracked_dump(struct tracked *t, const char *path, unsigned linktype)
{
	FILE *file = fopen(path, "wb");

	cr_assert(file, "%s", path);
	/* pcap with times in ns */
	put32(file, 0xa1b23c4d);
	put32(file, 4u << 16 | 2);
	put32(file, 0);
	put32(file, 0);
	put32(file, 65535);
	put32(file, linktype);
	t->dump = file;
}

static void dump(struct tracked *t, const uint8_t *bytes, size_t have, size_t wire_len, int64_t ns)
{
	put32(t->dump, (uint32_t)(ns / 1000000000));
	put32(t->dump, (uint32_t)(ns % 1000000000));
	put32(t->dump, (uint32_t)have);
	put32(t->dump, (uint32_t)wire_len);
	cr_assert_eq(fwrite(bytes, 1, have, t->dump), have);
}

struct rdt_verdict tracked_feed(struct tracked *t, unsigned linktype, const uint8_t *bytes,
				size_t have, size_t wire_len, int64_t ns)
{
	struct rdt_when when = { .ns = ns, .frame = ++t->frames };
	struct rdt_verdict verdict;
	struct rdt_frame frame;

	if (when.frame == 1)
		t->first_ns = ns;
	t->last_ns = ns;
	if (t->dump)
		dump(t, bytes, have, wire_len, ns);
	rdt_frame_parse(linktype, bytes, have, wire_len, 0, &frame);
	cr_assert_eq(rdt_tracker_feed(t->tracker, &frame, &when, &verdict), RDT_OK);
	rdt_why_frame(t->why, &frame, &when, &verdict);
	return verdict;
}

static int feed(const struct test_frame *f, void *arg)
{
	tracked_feed(arg, f->linktype, f->bytes, f->have, f->wire_len, (int64_t)f->ns);
	return 0;
}

void tracked_file(struct tracked *t, const char *name)
{
	char file[256];

	snprintf(file, sizeof(file), "%s.pcap", name);
	tracked_new(t, NULL);
	cr_assert_gt(test_pcap_walk(file, feed, t), 0, "%s", file);
	tracked_finish(t);
}

void tracked_finish(struct tracked *t)
{
	rdt_tracker_finish(t->tracker, t->last_ns);
	cr_assert_eq(rdt_why_finish(t->why, t->last_ns), RDT_OK);
}

void tracked_free(struct tracked *t)
{
	if (t->dump)
		cr_assert_eq(fclose(t->dump), 0);
	rdt_why_free(t->why);
	rdt_tracker_free(t->tracker);
	rdt_journal_free(t->journal);
}
