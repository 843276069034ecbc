// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <string.h>

/* Packets of the connection after which a gap that the receiver does not have is given up. */
#define PATIENCE 16u

struct held_segment {
	struct held_segment *next;
	struct rdt_when when;
	uint32_t seq, have, len;
	bool segment;
	uint8_t bytes[]; /* have of them */
};

/* a - b, as TCP counts. */
static int32_t seq_diff(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

static size_t size_of(const struct held_segment *h)
{
	return sizeof(*h) + h->have;
}

static void drop(struct stream *s, struct stream_pool *pool, struct held_segment *h)
{
	s->held_bytes -= (uint32_t)size_of(h);
	s->held_count--;
	pool->held -= size_of(h);
	pool->memory->resize(pool->memory->user, h, size_of(h), 0);
}

void stream_begin(struct stream *s, uint32_t seq)
{
	s->next = seq;
	s->begun = true;
}

/* Cut n bytes off the front of a run. */
static void skip(struct tcp_run *run, uint32_t n)
{
	const uint32_t known = n < run->have ? n : run->have;

	if (!n)
		return;
	run->seq += n;
	run->len -= n;
	run->have -= known;
	run->bytes = run->have ? run->bytes + known : NULL;
	run->segment = false;
}

/* The first n bytes of a run only. */
static void limit(struct tcp_run *run, uint32_t n)
{
	if (run->len > n)
		run->len = n;
	if (run->have > n)
		run->have = n;
}

static void hand_on(struct stream *s, const struct tcp_run *run, const struct stream_reader *reader)
{
	s->next += run->len;
	s->patience = 0;
	reader->run(reader->user, run);
}

static void gap(struct stream *s, struct stream_pool *pool, const struct held_segment *to,
		const struct stream_reader *reader)
{
	const struct tcp_run run = {
		.seq = s->next, .len = to->seq - s->next, .when = to->when, .held = true
	};

	pool->gaps++;
	hand_on(s, &run, reader);
}

/* Hand on what waits and is next now. */
static void drain(struct stream *s, struct stream_pool *pool, const struct stream_reader *reader)
{
	while (s->held && seq_diff(s->held->seq, s->next) <= 0) {
		struct held_segment *h = s->held;
		struct tcp_run run = { .bytes = h->bytes,
				       .seq = h->seq,
				       .have = h->have,
				       .len = h->len,
				       .when = h->when,
				       .segment = h->segment,
				       .held = true };
		const uint32_t old = s->next - h->seq;

		s->held = h->next;
		if (old < h->len) {
			skip(&run, old);
			hand_on(s, &run, reader);
		}
		drop(s, pool, h);
	}
}

static void give_up_gap(struct stream *s, struct stream_pool *pool,
			const struct stream_reader *reader)
{
	gap(s, pool, s->held, reader);
	drain(s, pool, reader);
}

static struct held_segment *copy(struct stream *s, struct stream_pool *pool,
				 const struct tcp_run *run)
{
	struct held_segment *h =
		pool->memory->resize(pool->memory->user, NULL, 0, sizeof(*h) + run->have);

	if (!h)
		return NULL;
	*h = (struct held_segment){ .when = run->when,
				    .seq = run->seq,
				    .have = run->have,
				    .len = run->len,
				    .segment = run->segment };
	if (run->have)
		memcpy(h->bytes, run->bytes, run->have);
	s->held_bytes += (uint32_t)size_of(h);
	s->held_count++;
	pool->held += size_of(h);
	return h;
}

/* Keep the parts of a segment that no other covers. Returns how many bytes that were. */
static uint32_t hold(struct stream *s, struct stream_pool *pool, struct tcp_run run)
{
	struct held_segment **at = &s->held;
	uint32_t kept = 0;

	while (run.len) {
		struct tcp_run part = run;
		struct held_segment *fresh;

		while (*at && seq_diff((*at)->seq + (*at)->len, run.seq) <= 0)
			at = &(*at)->next;
		if (*at && seq_diff((*at)->seq, run.seq) <= 0) {
			const uint32_t covered = (*at)->seq + (*at)->len - run.seq;

			skip(&run, covered < run.len ? covered : run.len);
			continue;
		}
		if (*at)
			limit(&part, (*at)->seq - run.seq);
		if (s->held_count >= STREAM_HELD_SEGMENTS)
			return kept;
		fresh = copy(s, pool, &part);
		if (!fresh)
			return kept;
		fresh->next = *at;
		*at = fresh;
		at = &fresh->next;
		kept += part.len;
		skip(&run, part.len);
	}
	return kept;
}

static bool is_full(const struct stream *s, const struct stream_pool *pool, uint32_t more)
{
	return s->held_count >= STREAM_HELD_SEGMENTS || s->held_bytes + more > STREAM_HELD_MAX ||
	       pool->held + more > STREAM_POOL_MAX;
}

/* The receiver has what is missing here, so nobody will send it again: do not wait for ever. */
static void lose_patience(struct stream *s, struct stream_pool *pool,
			  const struct stream_reader *reader)
{
	if (!s->held || !s->has_ack || seq_diff(s->acked, s->next) <= 0)
		return;
	if (++s->patience >= PATIENCE)
		give_up_gap(s, pool, reader);
}

/* Hand on what is next of a segment; false when it lies farther ahead. */
static bool take(struct stream *s, struct stream_pool *pool, const struct tcp_run *segment,
		 const struct stream_reader *reader, uint32_t *ret_new)
{
	const uint32_t old = s->next - segment->seq;
	struct tcp_run run = *segment;

	if (seq_diff(segment->seq, s->next) > 0)
		return false;
	*ret_new = 0;
	if (old >= run.len)
		return true;
	skip(&run, old);
	*ret_new = run.len;
	hand_on(s, &run, reader);
	drain(s, pool, reader);
	lose_patience(s, pool, reader);
	return true;
}

uint32_t stream_segment(struct stream *s, struct stream_pool *pool, const struct tcp_run *segment,
			const struct stream_reader *reader)
{
	uint32_t fresh = 0;

	if (!s->begun || !segment->len || seq_diff(segment->seq, s->next) >= STREAM_WINDOW)
		return 0;
	while (!take(s, pool, segment, reader, &fresh)) {
		if (!is_full(s, pool, segment->have)) {
			fresh = hold(s, pool, *segment);
			lose_patience(s, pool, reader);
			break;
		}
		/* Make room: give up what is missing before those that wait, or before this one. */
		if (s->held && seq_diff(s->held->seq, segment->seq) < 0) {
			give_up_gap(s, pool, reader);
		} else {
			const struct held_segment here = { .seq = segment->seq,
							   .when = segment->when };

			gap(s, pool, &here, reader);
		}
	}
	return fresh;
}

void stream_ack(struct stream *s, struct stream_pool *pool, uint32_t ack,
		const struct stream_reader *reader)
{
	if (!s->begun)
		return;
	if (!s->has_ack || seq_diff(ack, s->acked) > 0) {
		s->acked = ack;
		s->has_ack = true;
	}
	lose_patience(s, pool, reader);
}

void stream_flush(struct stream *s, struct stream_pool *pool, const struct stream_reader *reader)
{
	while (s->held)
		give_up_gap(s, pool, reader);
}

void stream_free(struct stream *s, struct stream_pool *pool)
{
	while (s->held) {
		struct held_segment *h = s->held;

		s->held = h->next;
		drop(s, pool, h);
	}
}
