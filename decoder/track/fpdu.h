/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One direction of an MPA stream after its start frame: markers, FPDUs, CRC32C (RFC 5044). Bytes come
 * in pieces of any size and are looked at once; of an FPDU only the headers are kept.
 *
 * Bytes that the capture lacks do no harm inside an FPDU, whose length is known. Where they hide the
 * beginning of one, framing is lost, and found again only where the bytes themselves prove it: a
 * marker, or a segment that begins with an FPDU whose CRC is right (without CRC: with segments that
 * are wholly made of well-formed FPDUs).
 */
#ifndef RDT_TRACK_FPDU_H
#define RDT_TRACK_FPDU_H

#include "stream.h"

/* Kept of each FPDU: its length, DDP and RDMAP headers, all of a TERMINATE and of a READ request. */
#define FPDU_HEAD 76u

enum fpdu_crc { FPDU_CRC_UNUSED, FPDU_CRC_OK, FPDU_CRC_BAD, FPDU_CRC_UNKNOWN };

/* A whole FPDU. */
struct fpdu_seen {
	const uint8_t *ulpdu; /* its first bytes: DDP header and on */
	uint32_t have;        /* bytes of them; may be 0 */
	uint32_t len;         /* length of the ULPDU */
	enum fpdu_crc crc;
	uint32_t first_frame; /* where it began */
};

struct fpdu_sink {
	void *user;
	void (*fpdu)(void *user, const struct fpdu_seen *fpdu, const struct tcp_run *run);
	void (*marker)(void *user, bool good, const struct tcp_run *run);
	/* n bytes that could not be told apart; first: framing was lost just now. */
	void (*lost)(void *user, uint32_t n, bool first);
	/* An FPDU begins at offset at of run's bytes. */
	void (*begins)(void *user, const struct tcp_run *run, uint32_t at);
};

struct fpdu_stream {
	uint8_t head[FPDU_HEAD];
	uint8_t tail[4]; /* the CRC field */
	uint8_t mark[4]; /* a marker that comes in pieces */
	uint32_t base;   /* sequence number of the stream's first byte after the start frame */
	uint32_t first;  /* of the FPDU: bytes since base, modulo 2^32 */
	uint32_t size;   /* of the FPDU without markers, 0 before its length is known */
	uint32_t got;    /* bytes of it that passed */
	uint32_t crc;    /* over what passed */
	uint32_t first_frame;
	uint16_t head_have; /* known bytes of head */
	bool known;         /* all bytes of it so far are */
	bool lost;
	bool markers; /* the stream carries markers */
	bool crc_used;
};

void fpdu_begin(struct fpdu_stream *f, uint32_t base, bool markers, bool crc_used);

/* The next bytes of the stream: run continues where the last one ended. */
void fpdu_run(struct fpdu_stream *f, const struct tcp_run *run, const struct fpdu_sink *sink);

/*
 * Do these bytes, the payload of a segment, begin with an FPDU, so that nothing else is likely? For
 * streams whose beginning was not captured. *ret_crc tells whether its CRC is used.
 */
bool fpdu_plausible(const uint8_t *bytes, uint32_t have, uint32_t len, bool *ret_crc);

#endif
