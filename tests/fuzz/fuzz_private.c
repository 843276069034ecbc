// SPDX-License-Identifier: BSD-2-Clause
/*
 * Private data of upper layers from hostile bytes: the first byte picks the message, two the port.
 * Properties: what is found lies inside what was captured, says why, prints, and does not depend on
 * what lies behind the captured bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/private.h"
#include "rdmatrace/text.h"

static void print(const struct rdt_hdr *hdr, const uint8_t *bytes)
{
	char text[RDT_TEXT_MAX];

	for (unsigned i = hdr->begin; i < hdr->end; i++)
		require(rdt_field_text(&rdt_fields[i], bytes, text, sizeof(text)) == text &&
			strlen(text) < sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum rdt_hdr_id messages[] = { RDT_H_req,      RDT_H_rep,      RDT_H_rej,
						    RDT_H_sidr_req, RDT_H_sidr_rep, RDT_H_mpa };
	struct rdt_private found = { .why = NULL };
	enum rdt_hdr_id message;
	unsigned port;
	uint8_t *exact;

	if (size < 3)
		return 0;
	message = messages[data[0] % (sizeof(messages) / sizeof(messages[0]))];
	port = (unsigned)data[1] << 8 | data[2];
	data += 3;
	size -= 3;
	exact = malloc(size ? size : 1);
	memcpy(exact, data, size);
	for (size_t len = size; len <= size + 300; len += 100) {
		found.why = NULL;
		if (!rdt_private_find(message, port, exact, size, len, &found)) {
			require(!found.why);
			continue;
		}
		require(found.why && *found.why && found.hdr < RDT_HDR_COUNT);
		require(rdt_hdrs[found.hdr].len <= size);
		print(&rdt_hdrs[found.hdr], exact);
	}
	free(exact);
	return 0;
}
