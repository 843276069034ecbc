// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any text as a host's kernel trace, joined to a capture of four connections. Checked: what comes
 * out names connections, sides, states and frames that there are, the counts add up, and the same
 * text gives the same answer.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/host.h"
#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"
#include "support/pcap_read.h"

static const struct rdt_memory memory = RDT_HEAP;
static struct rdt_tracker *tracker;
static struct rdt_journal *journal;
static unsigned frames;

static int feed(const struct test_frame *f, void *arg)
{
	const struct rdt_when when = { (int64_t)f->ns, f->number, 0 };
	struct rdt_frame frame;

	(void)arg;
	frames = f->number;
	rdt_frame_parse((uint32_t)f->linktype, f->bytes, f->have, f->wire_len, 0, &frame);
	require(rdt_tracker_feed(tracker, &frame, &when, NULL) == RDT_OK);
	return 0;
}

/* Once: the capture. */
static void make(void)
{
	struct rdt_sink sink;

	journal = rdt_journal_new(&memory, 0, 0);
	require(journal != NULL);
	sink = rdt_journal_sink(journal);
	tracker = rdt_tracker_new(&memory, NULL, &sink);
	require(tracker != NULL);
	rdt_journal_set_tracker(journal, tracker);
	require(test_pcap_walk("accept.pcap", feed, NULL) > 0);
	rdt_tracker_finish(tracker, 0);
}

static void add_lines(struct rdt_host *h, const uint8_t *data, size_t size)
{
	while (size) {
		const uint8_t *end = memchr(data, '\n', size);
		const size_t len = end ? (size_t)(end - data) : size;
		char *exact = malloc(len ? len : 1);
		struct rdt_ftrace line;

		memcpy(exact, data, len);
		if (rdt_ftrace_parse(exact, len, &line))
			require(rdt_host_add(h, &line) == RDT_OK);
		free(exact);
		data += len + (end != NULL);
		size -= len + (end != NULL);
	}
}

static void check_entry(const struct rdt_entry *e)
{
	if (e->kind == RDT_REC_state) {
		require(e->state.side < RDT_SIDES && e->state.basis == RDT_BASIS_KERNEL);
		require(rdt_state_key((enum rdt_machine)e->state.machine, e->state.to) != NULL);
		require(e->state.when.frame <= frames && e->state.why);
	} else {
		require(e->kind == RDT_REC_event && e->event.side < RDT_SIDES);
		require(e->event.kernel_event < RDT_EVENT_COUNT && e->event.why);
	}
}

static uint64_t run(const uint8_t *data, size_t size)
{
	struct rdt_host *h = rdt_host_new(&memory);
	const struct rdt_host_conflict *conflicts;
	const struct rdt_entry *e;
	struct rdt_host_stats stats;
	uint64_t told = 0;
	size_t count;

	require(h != NULL);
	add_lines(h, data, size);
	require(rdt_host_join(h, tracker, journal) == RDT_OK);
	stats = rdt_host_stats(h);
	require(stats.joined <= stats.lines && stats.compared + stats.unsent <= stats.joined);
	for (uint32_t c = 0; c < rdt_tracker_conn_count(tracker); c++) {
		count = rdt_host_entries(h, c, &e);
		told += count;
		for (size_t i = 0; i < count; i++)
			check_entry(&e[i]);
		require(!count || rdt_host_side(h, c) < RDT_SIDES);
	}
	require(told <= stats.joined);
	conflicts = rdt_host_conflicts(h, &count);
	require(count == stats.conflicts && count <= stats.compared);
	for (size_t i = 0; i < count; i++)
		require(conflicts[i].conn < rdt_tracker_conn_count(tracker) &&
			conflicts[i].frame <= frames && conflicts[i].side < RDT_SIDES);
	told = told * 31 + (uint64_t)rdt_host_clock(h).offset_ns;
	rdt_host_free(h);
	return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!tracker)
		make();
	require(run(data, size) == run(data, size));
	return 0;
}
