// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a capture file, through the program's own reader (wiretap or libpcap, chosen by the
 * first bytes) into frame parser, layers and tracker. Checked: every frame that the reader hands
 * out is inside what it says, numbers rise by one, and the reader ends.
 */
#define _GNU_SOURCE /* memfd_create() */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "rdmatrace/layers.h"
#include "rdmatrace/track.h"
#include "source.h"

static void read_all(struct source *source, struct rdt_tracker *tracker)
{
	struct packet packet;
	uint32_t number = 0;

	while (source->ops->next(source, &packet) == SOURCE_FRAME) {
		struct rdt_layer layers[RDT_LAYERS_MAX];
		struct rdt_frame frame;
		volatile uint8_t sum = 0;

		require(packet.when.frame > number);
		number = packet.when.frame;
		for (size_t i = 0; i < packet.have; i++)
			sum ^= packet.bytes[i];
		(void)sum;
		rdt_frame_parse(packet.link, packet.bytes, packet.have, packet.len, 0, &frame);
		require(rdt_layers(packet.bytes, &frame, layers) <= RDT_LAYERS_MAX);
		require(rdt_tracker_feed(tracker, &frame, &packet.when, NULL) == RDT_OK);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rdt_memory memory = RDT_HEAP;
	const struct rdt_track_opts opts = { .max_conns = 1000, .max_addrs = 1000 };
	const int fd = memfd_create("capture", MFD_CLOEXEC);
	struct rdt_tracker *tracker;
	struct source *source;
	char path[64];

	require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	source = source_open(path, "capture");
	if (source) {
		tracker = rdt_tracker_new(&memory, &opts, NULL);
		require(tracker != NULL);
		read_all(source, tracker);
		rdt_tracker_finish(tracker, 0);
		rdt_tracker_free(tracker);
		source_close(source);
	}
	close(fd);
	return 0;
}
