// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/psn.h"
#include "rdmatrace/wire.h"

/*
 * IBTA Vol 1 table 38, A14, A17, 1.5: opcode, bytes of BTH and extended headers, these headers in
 * wire order, does payload follow. In full, so that the macros of opcode.def have a witness.
 */
static const struct {
	uint8_t opcode;
	uint8_t hdr_len;
	const char *ext;
	uint8_t payload;
} table[] = {
	/* clang-format off */
	{ 0x00, 12, "", 1 },
	{ 0x01, 12, "", 1 },
	{ 0x02, 12, "", 1 },
	{ 0x03, 16, "immdt", 1 },
	{ 0x04, 12, "", 1 },
	{ 0x05, 16, "immdt", 1 },
	{ 0x06, 28, "reth", 1 },
	{ 0x07, 12, "", 1 },
	{ 0x08, 12, "", 1 },
	{ 0x09, 16, "immdt", 1 },
	{ 0x0a, 28, "reth", 1 },
	{ 0x0b, 32, "reth immdt", 1 },
	{ 0x0c, 28, "reth", 0 },
	{ 0x0d, 16, "aeth", 1 },
	{ 0x0e, 12, "", 1 },
	{ 0x0f, 16, "aeth", 1 },
	{ 0x10, 16, "aeth", 1 },
	{ 0x11, 16, "aeth", 0 },
	{ 0x12, 24, "aeth atomicacketh", 0 },
	{ 0x13, 40, "atomiceth", 0 },
	{ 0x14, 40, "atomiceth", 0 },
	{ 0x16, 16, "ieth", 1 },
	{ 0x17, 16, "ieth", 1 },
	{ 0x1c, 32, "feth reth", 0 },
	{ 0x1d, 28, "reth", 1 },
	{ 0x20, 12, "", 1 },
	{ 0x21, 12, "", 1 },
	{ 0x22, 12, "", 1 },
	{ 0x23, 16, "immdt", 1 },
	{ 0x24, 12, "", 1 },
	{ 0x25, 16, "immdt", 1 },
	{ 0x26, 28, "reth", 1 },
	{ 0x27, 12, "", 1 },
	{ 0x28, 12, "", 1 },
	{ 0x29, 16, "immdt", 1 },
	{ 0x2a, 28, "reth", 1 },
	{ 0x2b, 32, "reth immdt", 1 },
	{ 0x40, 24, "rdeth deth", 1 },
	{ 0x41, 24, "rdeth deth", 1 },
	{ 0x42, 24, "rdeth deth", 1 },
	{ 0x43, 28, "rdeth deth immdt", 1 },
	{ 0x44, 24, "rdeth deth", 1 },
	{ 0x45, 28, "rdeth deth immdt", 1 },
	{ 0x46, 40, "rdeth deth reth", 1 },
	{ 0x47, 24, "rdeth deth", 1 },
	{ 0x48, 24, "rdeth deth", 1 },
	{ 0x49, 28, "rdeth deth immdt", 1 },
	{ 0x4a, 40, "rdeth deth reth", 1 },
	{ 0x4b, 44, "rdeth deth reth immdt", 1 },
	{ 0x4c, 40, "rdeth deth reth", 0 },
	{ 0x4d, 20, "rdeth aeth", 1 },
	{ 0x4e, 16, "rdeth", 1 },
	{ 0x4f, 20, "rdeth aeth", 1 },
	{ 0x50, 20, "rdeth aeth", 1 },
	{ 0x51, 20, "rdeth aeth", 0 },
	{ 0x52, 28, "rdeth aeth atomicacketh", 0 },
	{ 0x53, 52, "rdeth deth atomiceth", 0 },
	{ 0x54, 52, "rdeth deth atomiceth", 0 },
	{ 0x55, 24, "rdeth deth", 0 },
	{ 0x64, 20, "deth", 1 },
	{ 0x65, 24, "deth immdt", 1 },
	{ 0x80, 28, "cnp", 0 },
	{ 0x81, 28, "cnp", 0 },
	{ 0xa0, 16, "xrceth", 1 },
	{ 0xa1, 16, "xrceth", 1 },
	{ 0xa2, 16, "xrceth", 1 },
	{ 0xa3, 20, "xrceth immdt", 1 },
	{ 0xa4, 16, "xrceth", 1 },
	{ 0xa5, 20, "xrceth immdt", 1 },
	{ 0xa6, 32, "xrceth reth", 1 },
	{ 0xa7, 16, "xrceth", 1 },
	{ 0xa8, 16, "xrceth", 1 },
	{ 0xa9, 20, "xrceth immdt", 1 },
	{ 0xaa, 32, "xrceth reth", 1 },
	{ 0xab, 36, "xrceth reth immdt", 1 },
	{ 0xac, 32, "xrceth reth", 0 },
	{ 0xad, 16, "aeth", 1 },
	{ 0xae, 12, "", 1 },
	{ 0xaf, 16, "aeth", 1 },
	{ 0xb0, 16, "aeth", 1 },
	{ 0xb1, 16, "aeth", 0 },
	{ 0xb2, 24, "aeth atomicacketh", 0 },
	{ 0xb3, 44, "xrceth atomiceth", 0 },
	{ 0xb4, 44, "xrceth atomiceth", 0 },
	{ 0xb6, 20, "xrceth ieth", 1 },
	{ 0xb7, 20, "xrceth ieth", 1 },
	{ 0xbc, 36, "xrceth feth reth", 0 },
	{ 0xbd, 32, "xrceth reth", 1 },
	/* clang-format on */
};

#define ASSIGNED (sizeof(table) / sizeof(table[0]))

static const struct {
	const char *name;
	size_t len;
} exts[RDT_EXT_COUNT] = {
#define X(h) { #h, RDT_LEN_##h },
	RDT_EXT_LIST(X)
#undef X
};

static enum rdt_ext_id ext_of(const char *name, size_t len)
{
	for (unsigned i = 0; i < RDT_EXT_COUNT; i++)
		if (strlen(exts[i].name) == len && !memcmp(exts[i].name, name, len))
			return (enum rdt_ext_id)i;
	cr_assert_fail("no extended header %s", name);
	return RDT_EXT_COUNT;
}

Test(opcode, headers_lengths_and_offsets_of_all_256)
{
	uint8_t assigned[256] = { 0 };

	for (size_t i = 0; i < ASSIGNED; i++) {
		const struct rdt_opcode *op = &rdt_opcodes[table[i].opcode];
		const char *ext = table[i].ext;
		unsigned bits = 0, off = 12;

		assigned[table[i].opcode] = 1;
		cr_expect(op->text && *op->text, "%#x", table[i].opcode);
		cr_expect(op->hdr_len == table[i].hdr_len, "%#x: %u, not %u", table[i].opcode,
			  op->hdr_len, table[i].hdr_len);
		cr_expect(op->payload == table[i].payload, "%#x", table[i].opcode);
		while (*ext) {
			const size_t n = strcspn(ext, " ");
			const enum rdt_ext_id id = ext_of(ext, n);

			bits |= 1u << id;
			cr_expect(op->off[id] == off, "%#x: %s at %u, not %u", table[i].opcode,
				  exts[id].name, op->off[id], off);
			off += (unsigned)exts[id].len;
			ext += n + (ext[n] == ' ');
		}
		cr_expect(op->ext == bits, "%#x: %#x, not %#x", table[i].opcode, op->ext, bits);
		cr_expect(off == op->hdr_len, "%#x", table[i].opcode);
	}
	for (unsigned i = 0; i < 256; i++)
		if (!assigned[i])
			cr_expect(!rdt_opcodes[i].hdr_len && !rdt_opcodes[i].text &&
					  !rdt_opcodes[i].ext,
				  "%#x", i);
}

Test(opcode, kinds_and_places)
{
	for (size_t i = 0; i < ASSIGNED; i++) {
		const uint8_t opcode = table[i].opcode;
		const struct rdt_opcode *op = &rdt_opcodes[opcode];
		const unsigned low = opcode & 0x1f;
		/* 0d-12 answer; CNPs notify; all else asks. */
		const unsigned kind = opcode >> 5 == RDT_SVC_CNP   ? RDT_OP_NOTIFY
				      : low >= 0x0d && low <= 0x12 ? RDT_OP_RESPONSE
								   : RDT_OP_REQUEST;
		const char *text = op->text;

		cr_expect(op->kind == kind, "%#x", opcode);
		cr_expect((op->place == RDT_OP_FIRST) == (strstr(text, "First") != NULL), "%#x",
			  opcode);
		cr_expect((op->place == RDT_OP_MIDDLE) == (strstr(text, "Middle") != NULL), "%#x",
			  opcode);
		cr_expect((op->place == RDT_OP_LAST) == (strstr(text, "Last") != NULL), "%#x",
			  opcode);
		cr_expect(rdt_opcode_service(opcode) == opcode >> 5, "%#x", opcode);
	}
	cr_expect(RDT_OP_RC_ACK == 0x11 && RDT_OP_UD_SEND_ONLY == 0x64 && RDT_OP_CNP == 0x81);
	cr_expect(RDT_OP_RC_READ_REQUEST == 0x0c && RDT_OP_XRC_SEND_ONLY_INV == 0xb7);
}

/* The packet pointers are where the offsets say, and NULL where the opcode has no such header. */
Test(opcode, pkt_accessors_follow_the_table)
{
	for (size_t i = 0; i < ASSIGNED; i++) {
		uint8_t wire[128] = { table[i].opcode };
		struct rdt_pkt pkt;

		cr_assert(rdt_pkt_parse(wire, sizeof(wire), sizeof(wire), &pkt) == RDT_OK, "%#x",
			  table[i].opcode);
		cr_expect(rdt_pkt_payload(&pkt) == wire + table[i].hdr_len);
		cr_expect(pkt.payload_len == sizeof(wire) - table[i].hdr_len - 4u);
		cr_expect(pkt.have == sizeof(wire) && pkt.bth == wire);
#define X(h)                                                                                   \
	cr_expect((rdt_pkt_##h(&pkt) == NULL) == !(pkt.op->ext >> RDT_EXT_##h & 1), "%#x " #h, \
		  table[i].opcode);                                                            \
	cr_expect(!rdt_pkt_##h(&pkt) || rdt_pkt_##h(&pkt) == wire + pkt.op->off[RDT_EXT_##h],  \
		  "%#x " #h, table[i].opcode);
		RDT_EXT_LIST(X)
#undef X
	}
}

/*
 * Every opcode at every length: what is accepted holds the headers, the pad and the ICRC, and
 * nothing outside the heap block of exactly have bytes is read.
 */
Test(opcode, parse_never_accepts_short_packets)
{
	for (unsigned opcode = 0; opcode < 256; opcode++) {
		for (size_t len = 0; len <= 80; len++) {
			for (size_t have = 0; have <= len; have++) {
				uint8_t *wire = calloc(1, have ? have : 1);
				const size_t hdr_len = rdt_opcodes[opcode].hdr_len;
				const unsigned pad = (unsigned)(len + opcode) & 3;
				struct rdt_pkt pkt = { .payload_len = 12345 };
				enum rdt_status status, want;

				cr_assert(wire);
				if (have)
					wire[0] = (uint8_t)opcode;
				if (have > 1)
					wire[1] = (uint8_t)(pad << 4);
				status = rdt_pkt_parse(wire, have, len, &pkt);
				if (len < 12)
					want = RDT_MALFORMED;
				else if (have < 12)
					want = RDT_SNAPPED;
				else if (!hdr_len)
					want = RDT_OPCODE;
				else if (opcode >> 5 == RDT_SVC_RD && len < hdr_len + 4)
					want = RDT_OPCODE; /* too short for RD: a vendor's */
				else if (len < hdr_len + pad + 4)
					want = RDT_MALFORMED;
				else
					want = have < hdr_len ? RDT_SNAPPED : RDT_OK;
				cr_assert(status == want, "%#x have %zu len %zu: %d, not %d",
					  opcode, have, len, status, want);
				if (status == RDT_OK)
					cr_assert(hdr_len + pkt.payload_len + pad + 4 == len &&
						  pkt.have == have);
				else
					cr_assert(pkt.payload_len == 12345);
				if (have >= 12)
					(void)rdt_pkt_is_vendor(wire, have, len);
				free(wire);
			}
		}
	}
}

Test(opcode, vendor_transports_are_told_from_rd)
{
	uint8_t wire[64] = { 0 };
	struct rdt_pkt pkt;

	for (unsigned opcode = 0; opcode < 256; opcode++) {
		const int rd = opcode >= 0x40 && opcode < 0x60;

		memset(wire, 0, sizeof(wire));
		wire[0] = (uint8_t)opcode;
		cr_expect(rdt_pkt_is_vendor(wire, sizeof(wire), sizeof(wire)) ==
				  (opcode >= 0xc0 || (rd && !rdt_opcodes[opcode].hdr_len)),
			  "%#x", opcode);
		/* the reserved byte of the RDETH */
		wire[12] = 1;
		cr_expect(rdt_pkt_is_vendor(wire, sizeof(wire), sizeof(wire)) ==
				  (opcode >= 0xc0 || rd),
			  "%#x", opcode);
		if (rd)
			cr_expect(rdt_pkt_parse(wire, sizeof(wire), sizeof(wire), &pkt) ==
				  RDT_OPCODE);
		wire[12] = 0;
		/* that of the DETH, in requests */
		wire[20] = 1;
		if (rd && rdt_opcodes[opcode].hdr_len)
			cr_expect(rdt_pkt_is_vendor(wire, sizeof(wire), sizeof(wire)) ==
					  (rdt_opcodes[opcode].kind == RDT_OP_REQUEST),
				  "%#x", opcode);
		/* not captured is not evidence */
		cr_expect(rdt_pkt_is_vendor(wire, 12, sizeof(wire)) ==
				  (opcode >= 0xc0 || (rd && !rdt_opcodes[opcode].hdr_len)),
			  "%#x", opcode);
	}
}

Test(opcode, psn_arithmetic_wraps_at_24_bits)
{
	cr_expect(rdt_psn_add(0xffffff, 1) == 0);
	cr_expect(rdt_psn_add(0, 0xffffffff) == 0xffffff);
	cr_expect(rdt_psn_diff(0, 0xffffff) == 1);
	cr_expect(rdt_psn_diff(0xffffff, 0) == -1);
	cr_expect(rdt_psn_diff(0x7fffff, 0) == 0x7fffff);
	cr_expect(rdt_psn_diff(0x800000, 0) == -0x800000);
	cr_expect(rdt_psn_diff(0, 0x800000) == -0x800000);
	cr_expect(rdt_psn_diff(0x123456, 0x123456) == 0);
	for (uint32_t a = 0; a < 0x1000000; a += 0x10101)
		for (int32_t d = -0x800000; d < 0x800000; d += 0x11111)
			cr_assert(rdt_psn_diff(rdt_psn_add(a, (uint32_t)d), a) == d);
}
