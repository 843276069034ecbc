// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/addr.h"
#include "support/hex.h"

/* 16 bytes, how they are shown (RFC 5952), what they are. */
static const struct {
	const char *bytes, *text;
	enum rdt_addr_kind kind;
} gids[] = {
	{ "00000000000000000000000000000000", "-", RDT_ADDR_NONE },
	{ "00000000000000000000ffff0a000002", "10.0.0.2", RDT_ADDR_IPV4 },
	{ "00000000000000000000ffff00000000", "0.0.0.0", RDT_ADDR_IPV4 },
	{ "00000000000000000000ffffffffffff", "255.255.255.255", RDT_ADDR_IPV4 },
	{ "fe80000000000000505400fffe000001", "fe80::5054:ff:fe00:1", RDT_ADDR_GID },
	{ "00000000000000000000000000000001", "::1", RDT_ADDR_GID },
	{ "00010000000000000000000000000000", "1::", RDT_ADDR_GID },
	{ "20010db8000000000000000000000001", "2001:db8::1", RDT_ADDR_GID },
	/* one zero group is not shortened; the first of two equal runs is */
	{ "20010db8000000010001000100010001", "2001:db8:0:1:1:1:1:1", RDT_ADDR_GID },
	{ "20010db8000000000001000000000001", "2001:db8::1:0:0:1", RDT_ADDR_GID },
	{ "20010000000000010000000000000001", "2001:0:0:1::1", RDT_ADDR_GID },
	{ "00000000000100020003000400050006", "::1:2:3:4:5:6", RDT_ADDR_GID },
	{ "00010002000300040005000600000000", "1:2:3:4:5:6::", RDT_ADDR_GID },
	{ "00000001000200030004000500060007", "0:1:2:3:4:5:6:7", RDT_ADDR_GID },
	{ "ffffffffffffffffffffffffffffffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	  RDT_ADDR_GID },
	/* the IPv4-compatible form is not the mapped one */
	{ "0000000000000000000000000a000002", "::a00:2", RDT_ADDR_GID },
};

#define GIDS (sizeof(gids) / sizeof(gids[0]))

Test(addr, gids_as_text)
{
	for (size_t i = 0; i < GIDS; i++) {
		char text[RDT_ADDR_TEXT];
		struct rdt_addr a;
		uint8_t bytes[16];

		hex_read(gids[i].bytes, bytes, sizeof(bytes));
		a = rdt_addr_gid(bytes);
		cr_expect(a.kind == gids[i].kind, "%s", gids[i].text);
		cr_expect(!memcmp(a.bytes, bytes, sizeof(bytes)), "%s", gids[i].text);
		cr_expect(rdt_addr_text(&a, text, sizeof(text)) == text);
		cr_expect(!strcmp(text, gids[i].text), "%s, not %s", text, gids[i].text);
	}
}

Test(addr, text_reads_back)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < GIDS + 20000; i++) {
		char text[RDT_ADDR_TEXT];
		struct rdt_addr a, back;
		uint8_t bytes[16];

		if (i < GIDS) {
			hex_read(gids[i].bytes, bytes, sizeof(bytes));
		} else {
			/* many zero groups, so that all shapes of "::" come up */
			for (unsigned k = 0; k < 16; k += 2) {
				seed = seed * 1664525 + 1013904223;
				bytes[k] = seed >> 30 == 1 ? (uint8_t)(seed >> 22) : 0;
				bytes[k + 1] = seed >> 29 & 1 ? (uint8_t)(seed >> 14) : 0;
			}
		}
		a = rdt_addr_gid(bytes);
		rdt_addr_text(&a, text, sizeof(text));
		cr_assert(rdt_addr_parse(text, strlen(text), &back) == RDT_OK, "%s", text);
		cr_assert(rdt_addr_equal(&a, &back), "%s", text);
	}
}

Test(addr, other_spellings)
{
	static const struct {
		const char *text, *same;
	} rows[] = {
		{ "::", "-" },
		{ "::ffff:10.0.0.2", "10.0.0.2" },
		{ "::FFFF:0A00:0002", "10.0.0.2" },
		{ "0:0:0:0:0:ffff:10.0.0.2", "10.0.0.2" },
		{ "FE80:0000:0000:0000:5054:00FF:FE00:0001", "fe80::5054:ff:fe00:1" },
		{ "fe80:0::5054:ff:fe00:1", "fe80::5054:ff:fe00:1" },
		{ "::10.0.0.2", "::a00:2" },
		{ "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0" },
		{ "::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8" },
		{ "64:ff9b::192.0.2.33", "64:ff9b::c000:221" },
		{ "lid:0x11", "lid:17" },
		{ "lid:65535", "lid:0xffff" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_addr a, b;

		cr_assert(rdt_addr_parse(rows[i].text, strlen(rows[i].text), &a) == RDT_OK, "%s",
			  rows[i].text);
		cr_assert(rdt_addr_parse(rows[i].same, strlen(rows[i].same), &b) == RDT_OK, "%s",
			  rows[i].same);
		cr_expect(rdt_addr_equal(&a, &b), "%s is %s", rows[i].text, rows[i].same);
	}
}

Test(addr, what_is_no_address)
{
	static const char *const wrong[] = {
		"",
		"--",
		" ",
		"10.0.0",
		"10.0.0.256",
		"10.0.0.2.",
		"10.0.0.2.3",
		"10..0.2",
		".10.0.0.2",
		"10.0.0.0002",
		"10.0.0.2 ",
		"0x0a.0.0.2",
		":",
		":::",
		"1:",
		":1",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"1::2::3",
		"1:2:3:4:5:6:7:8::",
		"::1:2:3:4:5:6:7:8",
		"12345::",
		"g::",
		"1::10.0.0",
		"1:2:3:4:5:6:7:10.0.0.2",
		"10.0.0.2::",
		"::10.0.0.2:1",
		"fe80::1%eth0",
		"[::1]",
		"lid:",
		"lid:65536",
		"lid:0x",
		"lid:0x10000",
		"lid:-1",
		"lid:17 ",
		"LID:17",
		"17",
		"lid 17",
		"1:::2",
		"1::2:",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		/* no terminating zero, exact size: nothing may be read behind the text */
		const size_t len = strlen(wrong[i]);
		char *text = malloc(len ? len : 1);
		struct rdt_addr a = { .kind = 77 };

		cr_assert(text);
		memcpy(text, wrong[i], len);
		cr_expect(rdt_addr_parse(text, len, &a) == RDT_SYNTAX, "'%s'", wrong[i]);
		cr_expect(a.kind == 77, "'%s'", wrong[i]);
		free(text);
	}
}

Test(addr, ipv4_and_lid)
{
	struct rdt_addr a = rdt_addr_ipv4(0x0a000002), b = rdt_addr_lid(0x1234);
	char text[RDT_ADDR_TEXT];
	uint8_t want[16];

	hex_read("00000000000000000000ffff0a000002", want, sizeof(want));
	cr_expect(a.kind == RDT_ADDR_IPV4 && !memcmp(a.bytes, want, 16));
	hex_read("00000000000000000000000000001234", want, sizeof(want));
	cr_expect(b.kind == RDT_ADDR_LID && !memcmp(b.bytes, want, 16));
	cr_expect(!strcmp(rdt_addr_text(&b, text, sizeof(text)), "lid:4660"));
	/* the same bytes as a GID are another address */
	a = rdt_addr_gid(b.bytes);
	cr_expect(!rdt_addr_equal(&a, &b));
}

Test(addr, ip_cm_addresses_by_their_version)
{
	char text[RDT_ADDR_TEXT];
	struct rdt_addr a;
	uint8_t bytes[16];

	hex_read("0000000000000000000000000a000002", bytes, sizeof(bytes));
	a = rdt_addr_ipcm(4, bytes);
	cr_expect(!strcmp(rdt_addr_text(&a, text, sizeof(text)), "10.0.0.2"));
	a = rdt_addr_ipcm(6, bytes);
	cr_expect(!strcmp(rdt_addr_text(&a, text, sizeof(text)), "::a00:2"));
	/* whatever stands in the twelve bytes that should be zero */
	hex_read("112233445566778899aabbcc0a000002", bytes, sizeof(bytes));
	a = rdt_addr_ipcm(4, bytes);
	cr_expect(!strcmp(rdt_addr_text(&a, text, sizeof(text)), "10.0.0.2"));
	memset(bytes, 0, sizeof(bytes));
	a = rdt_addr_ipcm(4, bytes);
	cr_expect(a.kind == RDT_ADDR_NONE);
}

Test(addr, short_buffers_are_cut_and_terminated)
{
	for (size_t i = 0; i < GIDS; i++) {
		struct rdt_addr a;
		uint8_t bytes[16];

		hex_read(gids[i].bytes, bytes, sizeof(bytes));
		a = rdt_addr_gid(bytes);
		for (size_t size = 1; size < RDT_ADDR_TEXT; size++) {
			char *text = malloc(size);
			size_t n = strlen(gids[i].text);

			cr_assert(text);
			if (n > size - 1)
				n = size - 1;
			rdt_addr_text(&a, text, size);
			cr_expect(strlen(text) == n && !memcmp(text, gids[i].text, n),
				  "%s in %zu bytes: %s", gids[i].text, size, text);
			free(text);
		}
	}
}
