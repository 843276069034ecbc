// SPDX-License-Identifier: BSD-2-Clause
#include "fpdu.h"

#include <string.h>

#include "rdmatrace/field.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/wire.h"

#define MARKER_EVERY 512u
#define CRC_LEN RDT_LEN_mpa_crc
/* The smallest ULPDU: a tagged DDP header alone. */
#define ULPDU_MIN RDT_LEN_ddp_tagged

static uint32_t size_of(uint32_t ulpdu)
{
	return ((RDT_LEN_fpdu + ulpdu + 3) & ~3u) + CRC_LEN;
}

static uint32_t min32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void fpdu_begin(struct fpdu_stream *f, uint32_t base, bool markers, bool crc_used)
{
	*f = (struct fpdu_stream){
		.base = base, .markers = markers, .crc_used = crc_used, .known = true
	};
}

/* The next FPDU begins with the next byte. */
static void next_fpdu(struct fpdu_stream *f)
{
	f->size = f->got = f->crc = 0;
	f->head_have = 0;
	f->known = true;
}

/* ---- is it one? ----------------------------------------------------------------------------- */

/* Do the two control bytes of DDP and RDMAP, and the queue, make a message? */
static bool is_header(const uint8_t *ddp, uint32_t len)
{
	static const struct {
		uint8_t tagged, queue, header; /* length of what follows DDP's */
	} kinds[] = {
		[RDT_RDMAP_WRITE] = { 1, 0, 0 },
		[RDT_RDMAP_READ_REQUEST] = { 0, RDT_DDP_QN_READ, RDT_LEN_rdmap_read },
		[RDT_RDMAP_READ_RESPONSE] = { 1, 0, 0 },
		[RDT_RDMAP_SEND] = { 0, RDT_DDP_QN_SEND, 0 },
		[RDT_RDMAP_SEND_INV] = { 0, RDT_DDP_QN_SEND, 0 },
		[RDT_RDMAP_SEND_SE] = { 0, RDT_DDP_QN_SEND, 0 },
		[RDT_RDMAP_SEND_SE_INV] = { 0, RDT_DDP_QN_SEND, 0 },
		[RDT_RDMAP_TERMINATE] = { 0, RDT_DDP_QN_TERMINATE, RDT_LEN_terminate },
		[RDT_RDMAP_IMM] = { 0, RDT_DDP_QN_SEND, RDT_LEN_rdmap_imm },
		[RDT_RDMAP_IMM_SE] = { 0, RDT_DDP_QN_SEND, RDT_LEN_rdmap_imm },
		[RDT_RDMAP_ATOMIC_REQUEST] = { 0, RDT_DDP_QN_READ, RDT_LEN_rdmap_atomic },
		[RDT_RDMAP_ATOMIC_RESPONSE] = { 0, RDT_DDP_QN_ATOMIC, RDT_LEN_rdmap_atomic_resp },
	};
	const unsigned op = rdt_ddp_tagged_opcode(ddp);

	if (len < ULPDU_MIN || rdt_ddp_tagged_dv(ddp) != 1 || rdt_ddp_tagged_rv(ddp) != 1 ||
	    rdt_ddp_tagged_rsvd0(ddp) || op >= sizeof(kinds) / sizeof(kinds[0]) ||
	    rdt_ddp_tagged_tagged(ddp) != kinds[op].tagged)
		return false;
	if (kinds[op].tagged)
		return true;
	return len >= RDT_LEN_ddp_untagged + (uint32_t)kinds[op].header &&
	       rdt_ddp_untagged_qn(ddp) == kinds[op].queue;
}

/*
 * Length of the whole FPDU that bytes begin with, so that nothing else is likely; 0 for none.
 * Without markers only: one of them could stand anywhere inside.
 */
static uint32_t whole_fpdu(const uint8_t *bytes, uint32_t have, bool crc_used)
{
	uint32_t len, size, crc;

	if (have < RDT_LEN_fpdu + RDT_LEN_ddp_untagged)
		return 0;
	len = rdt_fpdu_ulpdu_length(bytes);
	size = size_of(len);
	if (size > have || !is_header(bytes + RDT_LEN_fpdu, len))
		return 0;
	crc = rdt_mpa_crc_value(bytes + size - CRC_LEN);
	if (!crc_used)
		return crc ? 0 : size;
	return crc == rdt_crc32c(0, bytes, size - CRC_LEN) ? size : 0;
}

/* Is all of a segment made of FPDUs? */
static bool all_fpdus(const uint8_t *bytes, uint32_t have, bool crc_used)
{
	uint32_t at = 0, size;

	while (at < have && (size = whole_fpdu(bytes + at, have - at, crc_used)))
		at += size;
	return at && at == have;
}

bool fpdu_plausible(const uint8_t *bytes, uint32_t have, uint32_t len, bool *ret_crc)
{
	if (whole_fpdu(bytes, have, true)) {
		*ret_crc = true;
		return true;
	}
	/* Without a CRC all must fit: only messages that name their queue, to the segment's end. */
	if (have != len || have < RDT_LEN_fpdu + RDT_LEN_ddp_untagged ||
	    rdt_ddp_tagged_tagged(bytes + RDT_LEN_fpdu) || !all_fpdus(bytes, have, false))
		return false;
	*ret_crc = false;
	return true;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

struct place {
	const struct tcp_run *run;
	const struct fpdu_sink *sink;
	uint32_t at; /* offset in the run */
};

/* Bytes since the stream's first. */
static uint32_t stream_pos(const struct fpdu_stream *f, const struct place *p)
{
	return p->run->seq + p->at - f->base;
}

static void end_fpdu(struct fpdu_stream *f, const struct place *p)
{
	struct fpdu_seen seen = { .ulpdu = f->head + RDT_LEN_fpdu,
				  .have = f->head_have > RDT_LEN_fpdu
						  ? f->head_have - (uint32_t)RDT_LEN_fpdu
						  : 0,
				  .len = rdt_fpdu_ulpdu_length(f->head),
				  .first_frame = f->first_frame };

	seen.have = min32(seen.have, seen.len);
	if (!f->crc_used)
		seen.crc = FPDU_CRC_UNUSED;
	else if (!f->known)
		seen.crc = FPDU_CRC_UNKNOWN;
	else
		seen.crc = rdt_mpa_crc_value(f->tail) == f->crc ? FPDU_CRC_OK : FPDU_CRC_BAD;
	p->sink->fpdu(p->sink->user, &seen, p->run);
	next_fpdu(f);
}

/* Framing is lost: the rest of the run cannot be told apart. */
static void lose(struct fpdu_stream *f, struct place *p)
{
	const bool first = !f->lost;

	f->lost = true;
	p->sink->lost(p->sink->user, p->run->len - p->at, first);
	p->at = p->run->len;
}

/* Up to n bytes of a marker; bytes NULL when they are not known. */
static uint32_t marker(struct fpdu_stream *f, struct place *p, const uint8_t *bytes, uint32_t n)
{
	const uint32_t in = stream_pos(f, p) % MARKER_EVERY;
	const uint32_t take = min32(n, RDT_LEN_mpa_marker - in);
	const uint32_t start = stream_pos(f, p) - in;

	if (!bytes) {
		f->known = false;
		/* What is left of a marker whose beginning is not known says nothing. */
		memset(f->mark, 0xff, sizeof(f->mark));
		return take;
	}
	memcpy(f->mark + in, bytes, take);
	if (f->crc_used)
		f->crc = rdt_crc32c(f->crc, bytes, take);
	if (in + take == RDT_LEN_mpa_marker && f->known) {
		const uint32_t back = f->got ? start - f->first : 0;

		p->sink->marker(p->sink->user,
				rdt_mpa_marker_fpduptr(f->mark) == back &&
					!rdt_mpa_marker_rsvd0(f->mark),
				p->run);
	}
	return take;
}

static void first_byte(struct fpdu_stream *f, const struct place *p, bool known)
{
	f->first = stream_pos(f, p);
	f->first_frame = p->run->when.frame;
	if (known)
		p->sink->begins(p->sink->user, p->run, p->at);
}

/* Up to n bytes of the FPDU; false when framing is lost. */
static bool body(struct fpdu_stream *f, struct place *p, const uint8_t *bytes, uint32_t n,
		 uint32_t *ret_took)
{
	const uint32_t head = min32(f->size ? f->size : RDT_LEN_fpdu, FPDU_HEAD);
	uint32_t take = min32(n, (f->size ? f->size : RDT_LEN_fpdu) - f->got);

	if (!f->got)
		first_byte(f, p, bytes != NULL);
	if (!bytes) {
		if (!f->size)
			return false;
		f->known = false;
		f->got += take;
		*ret_took = take;
		return true;
	}
	if (f->size && f->got < f->size - CRC_LEN)
		take = min32(take, f->size - CRC_LEN - f->got);
	if (f->got < head && f->head_have == f->got) {
		const uint32_t k = min32(take, head - f->got);

		memcpy(f->head + f->got, bytes, k);
		f->head_have = (uint16_t)(f->got + k);
	}
	if (!f->size || f->got < f->size - CRC_LEN) {
		if (f->crc_used)
			f->crc = rdt_crc32c(f->crc, bytes, take);
	} else {
		memcpy(f->tail + (f->got - (f->size - CRC_LEN)), bytes, take);
	}
	f->got += take;
	*ret_took = take;
	if (!f->size && f->got == RDT_LEN_fpdu) {
		const uint32_t len = rdt_fpdu_ulpdu_length(f->head);

		if (len < ULPDU_MIN)
			return false;
		f->size = size_of(len);
	}
	return true;
}

/* ---- finding the way back ------------------------------------------------------------------- */

/* Where an FPDU begins in what is left of the run, by the next marker; run->len when it cannot tell. */
static uint32_t by_marker(const struct fpdu_stream *f, const struct place *p)
{
	for (uint32_t at = p->at; at < p->run->have;) {
		const uint32_t pos = p->run->seq + at - f->base;
		const uint32_t in = pos % MARKER_EVERY;
		uint32_t back;

		if (in) {
			at += MARKER_EVERY - in;
			continue;
		}
		if (p->run->have - at < RDT_LEN_mpa_marker)
			break;
		back = rdt_mpa_marker_fpduptr(p->run->bytes + at);
		if (rdt_mpa_marker_rsvd0(p->run->bytes + at) || back % 4)
			return p->run->len;
		/* 0: this marker belongs to the FPDU that follows it, and to its CRC. */
		if (back <= at - p->at)
			return at - back;
		at += MARKER_EVERY;
	}
	return p->run->len;
}

static void find_back(struct fpdu_stream *f, struct place *p)
{
	uint32_t to = p->run->len;

	if (f->markers)
		to = by_marker(f, p);
	else if (!p->at && p->run->segment && p->run->have == p->run->len &&
		 (f->crc_used ? whole_fpdu(p->run->bytes, p->run->have, true) != 0
			      : all_fpdus(p->run->bytes, p->run->have, false)))
		to = 0;
	if (to > p->at)
		p->sink->lost(p->sink->user, to - p->at, false);
	p->at = to;
	if (to == p->run->len)
		return;
	f->lost = false;
	next_fpdu(f);
}

void fpdu_run(struct fpdu_stream *f, const struct tcp_run *run, const struct fpdu_sink *sink)
{
	struct place p = { run, sink, 0 };

	while (p.at < run->len) {
		const bool known = p.at < run->have;
		const uint8_t *bytes = known ? run->bytes + p.at : NULL;
		uint32_t n = (known ? run->have : run->len) - p.at, took = 0;

		if (f->lost) {
			find_back(f, &p);
			continue;
		}
		if (f->markers && stream_pos(f, &p) % MARKER_EVERY < RDT_LEN_mpa_marker) {
			p.at += marker(f, &p, bytes, n);
			continue;
		}
		if (f->markers)
			n = min32(n, MARKER_EVERY - stream_pos(f, &p) % MARKER_EVERY);
		if (!body(f, &p, bytes, n, &took)) {
			lose(f, &p);
			continue;
		}
		p.at += took;
		if (f->size && f->got == f->size)
			end_fpdu(f, &p);
	}
}
