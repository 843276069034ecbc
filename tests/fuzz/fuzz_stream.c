// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCP reassembly from hostile segments. The stream that is sent is known: byte n of it is a function
 * of n. Each four bytes of input are a segment (where, how long, how much of it the capture cut), an
 * acknowledgement or the end.
 *
 * Properties: runs follow each other without a hole, every byte that is read is the one that was sent at
 * that place, bounds hold, and nothing is kept at the end.
 */
#include <string.h>

#include "fuzz.h"
#include "stream.h"

#define START 0xfffff000u /* sequence numbers pass zero soon */
#define ROOM 20000u

static size_t held;
static const struct rdt_memory memory = FUZZ_MEMORY(held);

static uint8_t sent(uint32_t seq)
{
	const uint32_t n = seq - START;

	return (uint8_t)(n ^ n >> 8 ^ (n >> 16) * 7);
}

struct reader {
	uint32_t next;
};

static void on_run(void *user, const struct tcp_run *run)
{
	struct reader *r = user;

	require(run->len && run->have <= run->len && run->seq == r->next);
	require(!run->have || run->bytes);
	for (uint32_t i = 0; i < run->have; i++)
		require(run->bytes[i] == sent(run->seq + i));
	r->next += run->len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = { START };
	const struct stream_reader reader = { &r, on_run };
	struct stream_pool pool = { .memory = &memory };
	struct stream s = { .begun = false };

	stream_begin(&s, START);
	for (; size >= 4; data += 4, size -= 4) {
		const uint32_t at = START + ((uint32_t)data[0] << 8 | data[1]);
		const uint32_t len = data[2] ? (uint32_t)data[2] * 8 : ROOM;
		uint8_t *bytes;
		struct tcp_run run;

		if (data[3] == 0xff) {
			stream_ack(&s, &pool, at, &reader);
			continue;
		}
		bytes = malloc(len);
		for (uint32_t i = 0; i < len; i++)
			bytes[i] = sent(at + i);
		run = (struct tcp_run){ .bytes = bytes, .seq = at, .len = len, .segment = true };
		run.have = data[3] & 1 && data[3] < len ? len - data[3] : len;
		require(stream_segment(&s, &pool, &run, &reader) <= len);
		free(bytes);
		require(s.held_count <= STREAM_HELD_SEGMENTS && s.next == r.next);
		require(pool.held <= STREAM_POOL_MAX + ROOM &&
			s.held_bytes <= STREAM_HELD_MAX + 2 * ROOM);
	}
	stream_flush(&s, &pool, &reader);
	require(!s.held);
	stream_free(&s, &pool);
	require(!pool.held && !held);
	return 0;
}
