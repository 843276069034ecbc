// SPDX-License-Identifier: BSD-2-Clause
/* Whose private data it is: bytes typed from the specifications, and bytes that are nobody's. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/private.h"
#include "rdmatrace/text.h"
#include "support/hex.h"

#define PORTS "00112233445566778899aabbccddeeff 102132435465768798a9bacbdcedfe0f"

static const struct {
	enum rdt_hdr_id message;
	unsigned port;     /* 0: not known */
	const char *bytes; /* zeros follow up to size */
	size_t size;
	const char *want;          /* key of a header; NULL: nobody's */
	const char *field, *value; /* one of its fields, as text */
} rows[] = {
	/* NVMe RDMA Transport 1.0: RECFMT, QID, HRQSIZE, HSQSIZE, CNTLID; RECFMT, CRQSIZE; RECFMT, STS */
	{ RDT_H_req, 4420, "0000 0100 8000 7f00 0100", 56, "nvme_req", "qid", "1" },
	{ RDT_H_rep, 4420, "0000 8000", 196, "nvme_rep", "crqsize", "128" },
	{ RDT_H_rej, 4420, "0000 0600", 148, "nvme_rej", "sts", "controller out of resources (6)" },
	{ RDT_H_rej, 4420, "0000 0000", 148, NULL, NULL, NULL },
	{ RDT_H_req, 4420, "0100 0100 8000 7f00 0100", 56, NULL, NULL, NULL },
	{ RDT_H_req, 7777, "0000 0100 8000 7f00 0100", 56, NULL, NULL, NULL },
	{ RDT_H_req, 0, "0000 0100 8000 7f00 0100", 56, NULL, NULL, NULL },
	/* RFC 8797, 4: magic, version, flags, send and receive size less one KiB */
	{ RDT_H_req, 20049, "f6ab0e18 01 01 03 03", 56, "rpcrdma", "remote_inv", "yes" },
	{ RDT_H_rep, 0, "f6ab0e18 01 00 03 03", 196, "rpcrdma", "version", "1" },
	{ RDT_H_mpa, 20049, "f6ab0e18 01 00 03 03", 8, "rpcrdma", "version", "1" },
	{ RDT_H_req, 20049, "f6ab0e19 01 00 03 03", 56, NULL, NULL, NULL },
	/* SRP: login with the direct and indirect format, and what may come back */
	{ RDT_H_req, 0, "0000000000000001 0006 00 00 00002044" PORTS "0050", 56, "srp_req_cm",
	  "it_iu_len", "8260 B" },
	{ RDT_H_req, 0,
	  "00 00000000000000 0000000000000001 00002044 00000000 0006 01 00 0050 0000" PORTS, 92,
	  "srp_req", "flags", "0x01" },
	{ RDT_H_req, 0, "0000000000000001 0008 00 00 00002044" PORTS "0050", 56, NULL, NULL, NULL },
	{ RDT_H_rep, 0, "c0 000000 0000003e 0000000000000001 00002044 00002044 0006 00", 196,
	  "srp_rsp", "req_lim_delta", "62" },
	{ RDT_H_rej, 0, "c2 000000 00010001 0000000000000001", 148, "srp_rej", "reason",
	  "insufficient resources (0x00010001)" },
	{ RDT_H_rej, 0, "c2 000000 00020001 0000000000000001", 148, NULL, NULL, NULL },
	/* iSER */
	{ RDT_H_req, 3260, "c0000000", 56, "iser", "zbva_not_sup", "yes" },
	{ RDT_H_rep, 3260, "80000000", 196, "iser", "inv_not_sup", "no" },
	{ RDT_H_req, 0, "c0000000", 56, NULL, NULL, NULL },
	/* RDS 3.1 */
	{ RDT_H_req, 18634, "0a000002 0a000001 03 01 0003", 56, "rds", "saddr", "10.0.0.2" },
	{ RDT_H_req, 18634, "0a000002 0a000001 07 01 0003", 56, NULL, NULL, NULL },
	{ RDT_H_req, 16385,
	  "20010db8000000000000000000000002 20010db8000000000000000000000001 04 01 0003", 56,
	  "rds6", "daddr", "2001:db8::1" },
	/* SMB Direct over iWARP without RFC 6581 */
	{ RDT_H_mpa, 5445, "00000010 00000008", 8, "smbd", "ord", "8" },
	{ RDT_H_mpa, 5445, "00000010 00000008", 16, NULL, NULL, NULL },
	{ RDT_H_req, 5445, "00000010 00000008", 56, NULL, NULL, NULL },
	/* captures/rsocket.pcap */
	{ RDT_H_req, 0,
	  "01020180 00000000 00007fae28003000 000003e2 00000002 00007fae2f4cf000 0000043d 00080000",
	  56, "rsocket", "credits", "384" },
	{ RDT_H_req, 0,
	  "02020180 00000000 00007fae28003000 000003e2 00000002 00007fae2f4cf000 0000043d 00080000",
	  56, NULL, NULL, NULL },
	/* UCX: a length and as many bytes */
	{ RDT_H_req, 0, "14 0102030405060708090a0b0c0d0e0f1011121314", 56, "ucx", "length",
	  "20 B" },
	{ RDT_H_rep, 0, "14 00 0102030405060708090a0b0c0d0e0f1011121314", 196, "ucx", "length",
	  "20 B" },
	{ RDT_H_req, 0, "14 0102030405060708090a0b0c0d0e0f10111213140f", 56, NULL, NULL, NULL },
	{ RDT_H_req, 0, "20 0102030405060708", 56, NULL, NULL, NULL },
	/* nobody's: "app-hello-v1", nothing, and a message that has no rows */
	{ RDT_H_req, 7777, "6170702d68656c6c6f2d7631", 56, NULL, NULL, NULL },
	{ RDT_H_req, 4420, "", 0, NULL, NULL, NULL },
	{ RDT_H_sidr_req, 4420, "0000 0100 8000 7f00 0100", 180, NULL, NULL, NULL },
};

Test(private, is_told_with_its_reason)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_private found = { .why = NULL };
		char name[64], text[RDT_TEXT_MAX];
		const struct rdt_field *f;
		uint8_t *bytes = calloc(1, rows[i].size + 1);
		bool is;

		hex_read(rows[i].bytes, bytes, rows[i].size);
		is = rdt_private_find(rows[i].message, rows[i].port, bytes, rows[i].size,
				      rows[i].size, &found);
		cr_expect_eq(is, rows[i].want != NULL, "row %zu: %s", i,
			     is ? rdt_hdrs[found.hdr].key : "nobody's");
		if (is && rows[i].want) {
			cr_expect_str_eq(rdt_hdrs[found.hdr].key, rows[i].want, "row %zu", i);
			cr_expect(found.why && *found.why);
			snprintf(name, sizeof(name), "%s.%s", rows[i].want, rows[i].field);
			f = rdt_field_find(name, strlen(name));
			cr_assert(f, "%s", name);
			cr_expect_str_eq(rdt_field_text(f, bytes, text, sizeof(text)),
					 rows[i].value, "%s is %s", name, text);
		}
		free(bytes);
	}
}

/* What was cut before the end of the header is not told. */
Test(private, needs_all_of_the_header)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_private found;
		uint8_t *bytes = calloc(1, rows[i].size + 1), *exact;

		hex_read(rows[i].bytes, bytes, rows[i].size);
		if (rows[i].want && rdt_private_find(rows[i].message, rows[i].port, bytes,
						     rows[i].size, rows[i].size, &found))
			for (size_t n = 0; n < rdt_hdrs[found.hdr].len; n++) {
				struct rdt_private cut;

				exact = malloc(n ? n : 1);
				memcpy(exact, bytes, n);
				if (rdt_private_find(rows[i].message, rows[i].port, exact, n,
						     rows[i].size, &cut))
					cr_expect_neq(cut.hdr, found.hdr, "row %zu at %zu", i, n);
				free(exact);
			}
		free(bytes);
	}
}
