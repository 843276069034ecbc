// SPDX-License-Identifier: BSD-2-Clause
/* TCP segments in any order as a stream: what is read, what is a gap, what is kept. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "stream.h"
#include "support/tracked.h"

struct bench {
	struct stream s;
	struct stream_pool pool;
	char read[4096]; /* bytes as they were handed on; "[n]" for a gap of n */
	size_t len;
	uint32_t next; /* where the next run must begin */
};

static void on_run(void *user, const struct tcp_run *run)
{
	struct bench *b = user;

	cr_expect_eq(run->seq, b->next, "runs follow each other");
	cr_expect(run->have <= run->len);
	b->next = run->seq + run->len;
	if (b->len + run->have + 16 > sizeof(b->read))
		return;
	if (run->have)
		memcpy(b->read + b->len, run->bytes, run->have);
	b->len += run->have;
	if (run->have < run->len)
		b->len += (size_t)snprintf(b->read + b->len, 16, "[%u]", run->len - run->have);
	b->read[b->len] = '\0';
}

static void begin(struct bench *b, uint32_t seq)
{
	*b = (struct bench){ .pool = { .memory = &tracked_memory }, .next = seq };
	stream_begin(&b->s, seq);
}

/* cut: bytes that the capture lacks at the end of the segment. */
static uint32_t segment_cut(struct bench *b, uint32_t seq, const char *text, uint32_t cut)
{
	const struct stream_reader reader = { b, on_run };
	const uint32_t len = (uint32_t)strlen(text);
	const struct tcp_run run = { .bytes = (const uint8_t *)text,
				     .seq = seq,
				     .have = len - cut,
				     .len = len,
				     .segment = true };

	return stream_segment(&b->s, &b->pool, &run, &reader);
}

static uint32_t segment(struct bench *b, uint32_t seq, const char *text)
{
	return segment_cut(b, seq, text, 0);
}

static void ack(struct bench *b, uint32_t upto)
{
	const struct stream_reader reader = { b, on_run };

	stream_ack(&b->s, &b->pool, upto, &reader);
}

static void end(struct bench *b, const char *want)
{
	const struct stream_reader reader = { b, on_run };

	stream_flush(&b->s, &b->pool, &reader);
	cr_expect_str_eq(b->read, want, "%s, want %s", b->read, want);
	stream_free(&b->s, &b->pool);
	cr_expect_eq(b->pool.held, 0);
}

Test(stream, in_order_and_again)
{
	struct bench b;

	begin(&b, 100);
	cr_expect_eq(segment(&b, 100, "abc"), 3);
	cr_expect_eq(segment(&b, 100, "abc"), 0);
	cr_expect_eq(segment(&b, 103, "def"), 3);
	cr_expect_eq(segment(&b, 101, "XXXXXgh"), 2); /* the first sighting counts */
	end(&b, "abcdefgh");
}

Test(stream, out_of_order_around_zero)
{
	struct bench b;

	begin(&b, 0xfffffffe);
	segment(&b, 4, "ghi");
	segment(&b, 1, "def");
	cr_expect_eq(b.len, 0);
	segment(&b, 0xfffffffe, "abc");
	end(&b, "abcdefghi");
}

Test(stream, overlaps_are_kept_once)
{
	struct bench b;

	begin(&b, 0);
	cr_expect_eq(segment(&b, 4, "ef"), 2);
	cr_expect_eq(segment(&b, 8, "ij"), 2);
	cr_expect_eq(segment(&b, 2, "cdXXghXX"), 4);
	cr_expect_eq(segment(&b, 2, "cdefghij"), 0);
	segment(&b, 0, "ab");
	end(&b, "abcdefghij");
}

Test(stream, what_the_capture_cut_is_a_gap)
{
	struct bench b;

	begin(&b, 0);
	segment_cut(&b, 0, "abcdef", 2);
	segment(&b, 6, "gh");
	end(&b, "abcd[2]gh");
}

/* A gap is given up when the receiver has what the capture lacks, and not before. */
Test(stream, acknowledged_gaps_are_given_up)
{
	struct bench b;

	begin(&b, 0);
	segment(&b, 0, "ab");
	segment(&b, 4, "ef");
	for (int i = 0; i < 20; i++)
		ack(&b, 2); /* it waits for them too */
	cr_expect_str_eq(b.read, "ab");
	for (int i = 0; i < 20; i++)
		ack(&b, 6);
	cr_expect_str_eq(b.read, "ab[2]ef");
	end(&b, "ab[2]ef");
}

Test(stream, far_away_is_not_of_it)
{
	struct bench b;

	begin(&b, 0);
	cr_expect_eq(segment(&b, STREAM_WINDOW, "far"), 0);
	cr_expect_eq(segment(&b, 0, "ab"), 2);
	end(&b, "ab");
}

/* However much waits, bounds hold, and all that was taken is read in order. */
Test(stream, is_bounded)
{
	static char big[2001];
	struct bench b;

	memset(big, 'x', sizeof(big) - 1);
	begin(&b, 0);
	for (uint32_t i = 1; i < 4000; i++) {
		segment(&b, i * 3000, big);
		cr_assert_leq(b.s.held_bytes, STREAM_HELD_MAX + 4096);
		cr_assert_leq(b.s.held_count, STREAM_HELD_SEGMENTS);
		cr_assert_leq(b.pool.held, STREAM_POOL_MAX + 4096);
	}
	cr_expect_gt(b.pool.gaps, 0);
	stream_free(&b.s, &b.pool);
	cr_expect_eq(b.pool.held, 0);
}
