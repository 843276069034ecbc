// SPDX-License-Identifier: BSD-2-Clause
/*
 * An MPA stream of hostile bytes: the first byte says whether there are markers and CRCs, and into
 * what pieces TCP cut it.
 *
 * Properties: the FPDUs, markers and CRCs told do not depend on how the stream was cut, as long as framing
 * holds; lengths are in range; every byte is accounted for; a hole of known length inside an FPDU loses
 * nothing but its CRC.
 */
#include <stdlib.h>
#include <string.h>

#include "fpdu.h"
#include "fuzz.h"

struct told {
	uint64_t digest; /* of what does not depend on pieces */
	uint64_t fpdus, lost;
	bool gap;
};

static void on_fpdu(void *user, const struct fpdu_seen *fpdu, const struct tcp_run *run)
{
	struct told *t = user;
	volatile uint8_t sum = 0;

	require(fpdu->have <= fpdu->len && fpdu->have <= FPDU_HEAD && run->len);
	for (uint32_t i = 0; i < fpdu->have; i++)
		sum ^= fpdu->ulpdu[i];
	t->fpdus++;
	t->digest = t->digest * 31 + fpdu->len * 5u + (unsigned)fpdu->crc + sum;
}

static void on_marker(void *user, bool good, const struct tcp_run *run)
{
	struct told *t = user;

	(void)run;
	t->digest = t->digest * 31 + 3u + good;
}

static void on_lost(void *user, uint32_t n, bool first)
{
	struct told *t = user;

	(void)first;
	require(n > 0);
	t->lost += n;
}

static void on_begins(void *user, const struct tcp_run *run, uint32_t at)
{
	(void)user;
	require(at < run->have);
}

static struct told feed(const uint8_t *data, size_t size, uint8_t how, uint32_t piece, size_t hole)
{
	struct told told = { .digest = 1 };
	const struct fpdu_sink sink = { &told, on_fpdu, on_marker, on_lost, on_begins };
	struct fpdu_stream f;
	size_t at = 0;

	fpdu_begin(&f, 0xffffff00u, how & 1, how & 2);
	while (at < size) {
		const size_t len = size - at < piece ? size - at : piece;
		uint8_t *exact = malloc(len);
		struct tcp_run run = { .bytes = exact,
				       .seq = 0xffffff00u + (uint32_t)at,
				       .have = (uint32_t)len,
				       .len = (uint32_t)len,
				       .segment = true };

		memcpy(exact, data + at, len);
		if (hole && at / piece == hole) {
			run.bytes = NULL;
			run.have = 0;
		}
		fpdu_run(&f, &run, &sink);
		free(exact);
		at += len;
	}
	require(told.lost <= size);
	return told;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t pieces[] = { 1, 7, 64, 512, 1448 };
	struct told whole;
	bool crc;

	if (!size)
		return 0;
	(void)fpdu_plausible(data + 1, (uint32_t)size - 1, (uint32_t)size - 1, &crc);
	whole = feed(data + 1, size - 1, data[0], (uint32_t)size, 0);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		const struct told cut = feed(data + 1, size - 1, data[0], pieces[i], 0);

		require(whole.lost ||
			(cut.digest == whole.digest && cut.fpdus == whole.fpdus && !cut.lost));
		feed(data + 1, size - 1, data[0], pieces[i], 1 + (data[0] >> 2));
	}
	return 0;
}
