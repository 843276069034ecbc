// SPDX-License-Identifier: BSD-2-Clause
/*
 * Texts of out-of-band set-ups from hostile bytes. Properties: what is whole stays whole when more
 * comes, what is no text never becomes one, a whole text has waited at every length before, and its
 * values are in range.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/exchange.h"

static void check_order(enum rdt_fit *last, enum rdt_fit now)
{
	require(*last == RDT_FIT_MORE || now == *last);
	*last = now;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum rdt_fit text = RDT_FIT_MORE, version = RDT_FIT_MORE, done = RDT_FIT_MORE;

	if (size > 256)
		size = 256;
	for (size_t n = 0; n <= size; n++) {
		struct rdt_exchange_text t = { .format = RDT_EXCHANGE_FORMATS };
		uint8_t *exact = malloc(n ? n : 1);
		size_t len = 0;

		memcpy(exact, data, n);
		check_order(&text, rdt_exchange_parse(exact, n, &t));
		check_order(&version, rdt_exchange_version(exact, n));
		check_order(&done, rdt_exchange_done(exact, n, &len));
		if (text == RDT_FIT_YES) {
			require(t.format < RDT_EXCHANGE_FORMATS);
			require(rdt_exchange_len((enum rdt_exchange_format)t.format) <= n);
			require(rdt_exchange_program((enum rdt_exchange_format)t.format) !=
				RDT_PROGRAM_NONE);
			require(t.qpn < 1u << 24 && t.psn < 1u << 24 && t.lid < 1u << 16);
		} else {
			require(t.format == RDT_EXCHANGE_FORMATS);
		}
		require(text != RDT_FIT_MORE || n < RDT_EXCHANGE_MAX);
		require((done == RDT_FIT_YES) == (len != 0));
		require(len <= n);
		free(exact);
	}
	return 0;
}
