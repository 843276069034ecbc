/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of a TCP connection as a stream of bytes in order. What was captured is handed on
 * once, whatever TCP made of it: segments out of order wait for those before them, repeated and
 * overlapping bytes are dropped (the first sighting counts). What was not captured is handed on
 * too, as a run of bytes that are not known: how many were missed is what sequence numbers tell, and
 * the reader decides whether it can go on. Nothing is ever filled in.
 *
 * Segments that wait are copies, bounded a stream and in total. A stream that waits too long gives
 * the gap up: when the bounds are met, and when the receiver has acknowledged what the capture lacks.
 */
#ifndef RDT_TRACK_STREAM_H
#define RDT_TRACK_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "rdmatrace/track.h"

/* A run of bytes: the payload of a segment, a part of it, or a gap (bytes NULL, have 0). */
struct tcp_run {
	const uint8_t *bytes;
	uint32_t seq;  /* of the first byte */
	uint32_t have; /* bytes captured */
	uint32_t len;  /* bytes on the wire */
	struct rdt_when when;
	bool segment; /* the first byte is the first one of a segment */
	bool held;    /* it waited: bytes is a copy, and when is before the current frame */
};

/* What streams share: the memory, and how much of it waiting segments take. */
struct stream_pool {
	const struct rdt_memory *memory;
	size_t held;   /* bytes */
	uint64_t gaps; /* given up, over all streams */
};

#define STREAM_HELD_MAX (256u << 10)     /* bytes that wait in one stream */
#define STREAM_HELD_SEGMENTS 64u         /* segments that do */
#define STREAM_POOL_MAX (16u << 20)      /* bytes that wait in all streams */
#define STREAM_WINDOW (INT32_C(1) << 30) /* farther ahead than any window: not of this stream */

struct held_segment;

struct stream {
	struct held_segment *held; /* ascending, disjoint */
	uint32_t next;             /* sequence number of the next byte to be handed on */
	uint32_t acked;            /* what the receiver has, by its acknowledgements */
	uint32_t held_bytes;
	uint8_t held_count;
	uint8_t patience; /* packets since the receiver acknowledged what is missing here */
	bool begun;       /* next is known */
	bool has_ack;
};

struct stream_reader {
	void *user;
	/* The next run. The stream must not be touched from inside. */
	void (*run)(void *user, const struct tcp_run *run);
};

/* The stream's first byte is seq. */
void stream_begin(struct stream *s, uint32_t seq);

/*
 * A segment. Returns how many of its bytes were new (read or kept waiting); 0 for a repetition, or
 * for one that cannot be of this stream.
 */
uint32_t stream_segment(struct stream *s, struct stream_pool *pool, const struct tcp_run *segment,
			const struct stream_reader *reader);

/* The receiver has all before ack. */
void stream_ack(struct stream *s, struct stream_pool *pool, uint32_t ack,
		const struct stream_reader *reader);

/* Nothing more comes: read what waits, gaps before it as such. */
void stream_flush(struct stream *s, struct stream_pool *pool, const struct stream_reader *reader);

/* Drop what waits. */
void stream_free(struct stream *s, struct stream_pool *pool);

#endif
