// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#include "frame_cases.h"
#include "frame_props.h"
#include "support/hex.h"
#include "support/pcap_read.h"

/* The list as one line: key@offset, '?' after a guess, /bytes after a header that was cut. */
static void layers_text(const struct rdt_layer *layers, size_t count, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < count && n < size; i++) {
		const struct rdt_hdr *hdr = &rdt_hdrs[layers[i].hdr];

		n += (size_t)snprintf(text + n, size - n, "%s%s@%u%s", i ? " " : "", hdr->key,
				      layers[i].off, layers[i].guess ? "?" : "");
		if (layers[i].have < hdr->len && n < size)
			n += (size_t)snprintf(text + n, size - n, "/%u", layers[i].have);
	}
}

static void expect_layers(const char *name, unsigned linktype, const uint8_t *buf, size_t have,
			  const char *want)
{
	struct rdt_layer layers[RDT_LAYERS_MAX];
	struct rdt_frame f;
	char text[1024];

	rdt_frame_parse(linktype, buf, have, have, 0, &f);
	cr_expect(props_frame(buf, have, &f) == NULL, "%s: %s", name, props_frame(buf, have, &f));
	layers_text(layers, rdt_layers(buf, &f, layers), text, sizeof(text));
	cr_expect(strcmp(text, want) == 0, "%s:\nhave %s\nwant %s", name, text, want);
}

static void expect_hex(const char *name, unsigned linktype, const char *hex, const char *want)
{
	uint8_t buf[1024];

	expect_layers(name, linktype, buf, hex_read(hex, buf, sizeof(buf)), want);
}

/* ---- link, network, transport ----------------------------------------------------------- */

ParameterizedTestParameters(layers, of_every_encapsulation)
{
	static size_t rows[FRAME_CASES];

	for (size_t i = 0; i < FRAME_CASES; i++)
		rows[i] = i;
	return cr_make_param_array(size_t, rows, FRAME_CASES);
}

ParameterizedTest(size_t *row, layers, of_every_encapsulation)
{
	const struct frame_case *c = &frame_cases[*row];

	expect_hex(c->name, c->linktype, c->hex, c->layers);
}

/* A cut frame has the same layers as the whole one, up to the cut. */
ParameterizedTestParameters(layers, cut_anywhere)
{
	static size_t rows[FRAME_CASES];

	for (size_t i = 0; i < FRAME_CASES; i++)
		rows[i] = i;
	return cr_make_param_array(size_t, rows, FRAME_CASES);
}

ParameterizedTest(size_t *row, layers, cut_anywhere)
{
	const struct frame_case *c = &frame_cases[*row];
	struct rdt_layer whole[RDT_LAYERS_MAX], cut[RDT_LAYERS_MAX];
	uint8_t buf[512];
	const size_t full = hex_read(c->hex, buf, sizeof(buf));
	struct rdt_frame f;
	size_t count, n;

	rdt_frame_parse(c->linktype, buf, full, full, 0, &f);
	count = rdt_layers(buf, &f, whole);
	for (size_t have = 0; have <= full; have++) {
		rdt_frame_parse(c->linktype, buf, have, full, 0, &f);
		n = rdt_layers(buf, &f, cut);
		cr_assert(le(sz, n, count), "%s cut at %zu", c->name, have);
		for (size_t i = 0; i < n; i++) {
			const size_t rest = have - whole[i].off;
			const bool same = cut[i].hdr == whole[i].hdr && cut[i].off == whole[i].off;
			/* Their first bytes say which kind a cut header is. */
			const bool first = rest < 4 && (whole[i].hdr == RDT_H_null ||
							whole[i].hdr == RDT_H_icmpv6_nd);

			cr_assert(same || first, "%s cut at %zu: layer %zu", c->name, have, i);
			cr_assert(eq(sz, cut[i].have, rest < whole[i].have ? rest : whole[i].have),
				  "%s cut at %zu: layer %zu", c->name, have, i);
		}
		/* One byte of a header is enough; ARP and MPA need more to be told. */
		if (n < count && whole[n].hdr != RDT_H_arp && whole[n].hdr != RDT_H_mpa &&
		    whole[n].hdr != RDT_H_mpls_cw)
			cr_assert(le(sz, have, whole[n].off), "%s cut at %zu: no layer %zu",
				  c->name, have, n);
	}
}

Test(layers, extended_headers)
{
#define BTH(opcode, qpn) opcode " 00 ffff 00 " qpn " 00 000001"
#define RETH "0000000000001000 00001234 00000000"
#define ICRC "a1b2c3d4"
	static const struct {
		const char *name, *len, *udp, *hex, *want;
	} rows[] = {
		{ "RC SEND Only with payload", "0030", "001c", BTH("04", "000012") "68692121" ICRC,
		  "bth@28 icrc@44" },
		{ "RC WRITE Only w/ Imm", "0040", "002c", BTH("0b", "000012") RETH "00000007" ICRC,
		  "bth@28 reth@40 immdt@56 icrc@60" },
		{ "RC SEND Only w/ Invalidate", "0030", "001c", BTH("17", "000012") "00001234" ICRC,
		  "bth@28 ieth@40 icrc@44" },
		{ "RC CmpSwap", "0048", "0034",
		  BTH("13",
		      "000012") "0000000000001000 00001234 0000000000000001 0000000000000002" ICRC,
		  "bth@28 atomiceth@40 icrc@68" },
		{ "RC ATOMIC Acknowledge", "0038", "0024",
		  BTH("12", "000012") "00000001 0000000000000005" ICRC,
		  "bth@28 aeth@40 atomicacketh@44 icrc@52" },
		{ "RC FLUSH", "0040", "002c", BTH("1c", "000012") "00000001" RETH ICRC,
		  "bth@28 feth@40 reth@44 icrc@60" },
		{ "RD SEND Only", "0038", "0024",
		  BTH("44", "000012") "00000009 80000001 00000003" ICRC,
		  "bth@28 rdeth@40 deth@44 icrc@52" },
		{ "DC, not RD", "0038", "0024",
		  BTH("44", "000012") "11223344 80000001 00000003" ICRC, "bth@28 icrc@52" },
		{ "UD SEND Only w/ Imm", "0038", "0024",
		  BTH("65", "000012") "11111111 00000003 00000007" ICRC,
		  "bth@28 deth@40 immdt@48 icrc@52" },
		{ "XRC READ Request", "0040", "002c", BTH("ac", "000012") "00000004" RETH ICRC,
		  "bth@28 xrceth@40 reth@44 icrc@60" },
		{ "CNP", "003c", "0028",
		  BTH("81", "000012") "00000000000000000000000000000000" ICRC,
		  "bth@28 cnp@40 icrc@56" },
		{ "vendor's", "0030", "001c", BTH("c5", "000012") "11223344" ICRC,
		  "bth@28 icrc@44" },
		{ "not assigned", "0030", "001c", BTH("1f", "000012") "11223344" ICRC,
		  "bth@28 icrc@44" },
		{ "too short for its headers", "0030", "001c", BTH("06", "000012") "11223344" ICRC,
		  "bth@28 icrc@44" },
		{ "the least there is", "002c", "0018", BTH("04", "000012") ICRC,
		  "bth@28 icrc@40" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char hex[512], want[256];

		snprintf(hex, sizeof(hex),
			 "45 68 %s 1234 4000 40 11 0000 0a000002 0a000001 c0f1 12b7 %s 0000 %s",
			 rows[i].len, rows[i].udp, rows[i].hex);
		snprintf(want, sizeof(want), "ipv4@0 udp@20 %s", rows[i].want);
		expect_hex(rows[i].name, 101, hex, want);
	}
}

Test(layers, raw_infiniband)
{
	expect_hex("raw with an Ethernet type", 247, "20 30 0011 0007 0022 0000 0800" C_ACK,
		   "lrh@0 rwh@8");
	expect_hex("raw IPv6", 247, "20 31 0011 0013 0022" C_IP6_ACK, "lrh@0");
}

/* ---- management datagrams --------------------------------------------------------------- */

#define MAD_AT 48
#define BODY_AT (MAD_AT + 24)
#define REQ_PRIVATE_AT (BODY_AT + 140)
#define SIDR_PRIVATE_AT (BODY_AT + 16)
#define MAD_FRAME 308
#define MAD_PREFIX "ipv4@0 udp@20 bth@28 deth@40 mad@48"

/* UD SEND Only, QP1 to QP1, with a zero MAD of that class and attribute. */
static void mad_frame(uint8_t buf[MAD_FRAME], const char *mgmt_class, unsigned attr)
{
	memset(buf, 0, MAD_FRAME);
	hex_read("45 68 0134 1234 4000 40 11 0000 0a000002 0a000001 c0f1 12b7 0120 0000"
		 "64 00 ffff 00 000001 00 000005 80010000 00000001 01",
		 buf, MAD_FRAME);
	hex_read(mgmt_class, buf + MAD_AT + 1, 1);
	buf[MAD_AT + 2] = 2;
	buf[MAD_AT + 3] = 3;
	buf[MAD_AT + 16] = (uint8_t)(attr >> 8);
	buf[MAD_AT + 17] = (uint8_t)attr;
	memset(buf + 304, 0xcc, 4);
}

static void expect_mad(const char *name, const uint8_t buf[MAD_FRAME], const char *want)
{
	char all[512];

	snprintf(all, sizeof(all), MAD_PREFIX "%s%s icrc@304", *want ? " " : "", want);
	expect_layers(name, 101, buf, MAD_FRAME, all);
}

Test(layers, every_cm_message)
{
	static const struct {
		unsigned attr;
		const char *want;
	} rows[] = {
		{ 0x01, "cpi@72" },      { 0x10, "req@72" },  { 0x11, "mra@72" },
		{ 0x12, "rej@72" },      { 0x13, "rep@72" },  { 0x14, "rtu@72" },
		{ 0x15, "dreq@72" },     { 0x16, "drep@72" }, { 0x17, "sidr_req@72" },
		{ 0x18, "sidr_rep@72" }, { 0x19, "lap@72" },  { 0x1a, "apr@72" },
		{ 0x1b, "sap@72" },      { 0x1c, "spr@72" },  { 0x1d, "" },
		{ 0x110, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t buf[MAD_FRAME];
		char name[32];

		mad_frame(buf, "07", rows[i].attr);
		snprintf(name, sizeof(name), "attribute 0x%04x", rows[i].attr);
		expect_mad(name, buf, rows[i].want);
	}
}

Test(layers, subnet_administration)
{
	static const struct {
		unsigned attr;
		const char *rmpp, *want;
	} rows[] = {
		{ 0x01, "00", "rmpp@72 sa@84 cpi@104" },
		{ 0x31, "00", "rmpp@72 sa@84 servicerec@104" },
		{ 0x35, "00", "rmpp@72 sa@84 pathrec@104" },
		{ 0x38, "00", "rmpp@72 sa@84 mcmember@104" },
		{ 0x11, "00", "rmpp@72 sa@84" },
		/* version, type, flags (active first last), status, segment, length */
		{ 0x35, "01 01 07 00 00000001 00000054", "rmpp@72 sa@84 pathrec@104" },
		{ 0x35, "01 01 01 00 00000002 00000054", "rmpp@72 sa@84" },
		{ 0x35, "01 02 01 00 00000001 00000040", "rmpp@72 sa@84" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t buf[MAD_FRAME];
		char name[32];

		mad_frame(buf, "03", rows[i].attr);
		hex_read(rows[i].rmpp, buf + BODY_AT, 12);
		snprintf(name, sizeof(name), "row %zu", i);
		expect_mad(name, buf, rows[i].want);
	}
}

Test(layers, what_is_a_mad)
{
	uint8_t buf[MAD_FRAME];

	mad_frame(buf, "07", 0x14);
	buf[MAD_AT] = 0x80;
	expect_mad("another base version", buf, "");
	mad_frame(buf, "07", 0x14);
	buf[MAD_AT + 2] = 1;
	expect_mad("another class version", buf, "");
	mad_frame(buf, "04", 0x14);
	expect_mad("a class without rows", buf, "");
	mad_frame(buf, "07", 0x14);
	buf[35] = 0;
	memset(buf + 40, 0, 4);
	expect_mad("QP0 has no key", buf, "rtu@72");
	mad_frame(buf, "07", 0x14);
	buf[35] = 0x99;
	expect_mad("another QP with the key of QP1", buf, "rtu@72");
	buf[43] = 0x99;
	expect_layers("another QP", 101, buf, MAD_FRAME, "ipv4@0 udp@20 bth@28 deth@40 icrc@304");
	mad_frame(buf, "07", 0x14);
	buf[28] = 0x04;
	expect_layers("RC", 101, buf, MAD_FRAME, "ipv4@0 udp@20 bth@28 icrc@304");
}

/* A datagram to QP1 that is no whole MAD: what it has, and nothing of the ICRC as payload. */
Test(layers, a_mad_that_is_too_short)
{
	uint8_t buf[128];
	const size_t n =
		hex_read("45 68 0054 1234 4000 40 11 0000 0a000002 0a000001 c0f1 12b7 0040 0000"
			 "64 00 ffff 00 000001 00 000005 80010000 00000001"
			 "01 07 02 03 0000 0000 0000000000000001 0014 0000 00000000"
			 "00000001 00000002 a1b2c3d4",
			 buf, sizeof(buf));

	cr_assert(eq(sz, n, 84));
	expect_layers("short", 101, buf, n, MAD_PREFIX " rtu@72/8 icrc@80");
}

static void cut_mad(const uint8_t buf[MAD_FRAME], size_t have, const char *want)
{
	struct rdt_layer layers[RDT_LAYERS_MAX];
	uint8_t *copy = malloc(have);
	struct rdt_frame f;
	char text[512];

	memcpy(copy, buf, have);
	rdt_frame_parse(101, copy, have, have, 0, &f);
	layers_text(layers, rdt_layers(copy, &f, layers), text, sizeof(text));
	cr_expect(strcmp(text, want) == 0, "cut at %zu:\nhave %s\nwant %s", have, text, want);
	free(copy);
}

/* ---- private data ----------------------------------------------------------------------- */

#define IPCM_V4 "00 40 dead 000000000000000000000000 0a000002 000000000000000000000000 0a000001"
#define IPCM_V6 "00 60 dead 20010db8000000000000000000000002 20010db8000000000000000000000001"

struct private_case {
	const char *name;
	unsigned attr;
	const char *sid;
	const char *data; /* at the beginning of the private data */
	const char *want;
};

/* clang-format off */
static const struct private_case private_cases[] = {
	{ "REQ, TCP, IPv4", 0x10, "0000000001061b58", IPCM_V4, "req@72 ipcm@212" },
	{ "REQ, TCP, IPv6", 0x10, "0000000001061b58", IPCM_V6, "req@72 ipcm@212" },
	{ "REQ, UDP", 0x10, "0000000001111b58", IPCM_V4, "req@72 ipcm@212" },
	{ "REQ, IB, with a header", 0x10, "00000000013f1b58", IPCM_V6, "req@72 ipcm@212?" },
	{ "REQ, IB, without", 0x10, "00000000013f1b58", "1000 6869", "req@72" },
	{ "REQ, another prefix", 0x10, "0000000002061b58", IPCM_V4, "req@72" },
	{ "REQ, high bits", 0x10, "1000000001061b58", IPCM_V4, "req@72" },
	{ "REQ, SDP", 0x10, "0000000000011b58", IPCM_V4, "req@72" },
	{ "REQ, major version", 0x10, "0000000001061b58", "10" "40", "req@72" },
	{ "REQ, minor version", 0x10, "0000000001061b58", "01" "40", "req@72" },
	{ "REQ, IP version 5", 0x10, "0000000001061b58", "00" "50", "req@72" },
	{ "REQ, IPv4 with more than 4 bytes of source", 0x10, "0000000001061b58",
	  "00 40 dead 000000000000000000000001 0a000002", "req@72" },
	{ "REQ, IPv4 with more than 4 bytes of destination", 0x10, "0000000001061b58",
	  "00 40 dead 000000000000000000000000 0a000002 01", "req@72" },
	{ "REQ, reserved bits of the IP version", 0x10, "0000000001061b58", "00 4f" "dead",
	  "req@72 ipcm@212" },
	{ "SIDR_REQ, UDP", 0x17, "0000000001111b58", IPCM_V4, "sidr_req@72 ipcm@88" },
	{ "SIDR_REQ, TCP", 0x17, "0000000001061b58", IPCM_V4, "sidr_req@72 ipcm@88" },
	{ "SIDR_REQ, IB", 0x17, "00000000013f1b58", IPCM_V4, "sidr_req@72 ipcm@88?" },
	{ "SIDR_REQ, IPoIB", 0x17, "0000000000021b58", IPCM_V4, "sidr_req@72 ipcm@88?" },
	{ "SIDR_REQ, other", 0x17, "0000000000031b58", IPCM_V4, "sidr_req@72" },
	{ "REQ, NVMe", 0x10, "0000000001061144", IPCM_V4 "0000 0001 2000 1f00",
	  "req@72 ipcm@212 nvme_req@248?" },
	{ "REQ, the port of NVMe without a header", 0x10, "0000000001061144", "0100", "req@72" },
	{ "SIDR_REQ, the port of NVMe", 0x17, "0000000001111144", IPCM_V4, "sidr_req@72 ipcm@88" },
	{ "REQ, NFS", 0x10, "0000000001064e51", IPCM_V4 "f6ab0e18 01 01 0303",
	  "req@72 ipcm@212 rpcrdma@248?" },
	{ "REQ, NFS without a header", 0x10, "1000000000000001", "f6ab0e18 01 01 0303",
	  "req@72 rpcrdma@212?" },
	{ "REQ, not NFS", 0x10, "0000000001064e51", IPCM_V4 "f6ab0e19 01 01 0303",
	  "req@72 ipcm@212" },
	/* The service id of a REP is not there: nothing but the magic tells. 36 bytes before. */
	{ "REP, NFS", 0x13, "", "f6ab0e18 01 01 0303", "rep@72 rpcrdma@108?" },
	{ "REP, other", 0x13, "", IPCM_V4, "rep@72" },
	{ "RTU with the magic", 0x14, "", "f6ab0e18 01 01 0303", "rtu@72" },
};
/* clang-format on */

static size_t private_at(unsigned attr)
{
	switch (attr) {
	case 0x10:
		return REQ_PRIVATE_AT;
	case 0x13:
		return BODY_AT + 36;
	case 0x17:
		return SIDR_PRIVATE_AT;
	default:
		return BODY_AT + 8;
	}
}

Test(layers, private_data)
{
	for (size_t i = 0; i < sizeof(private_cases) / sizeof(private_cases[0]); i++) {
		const struct private_case *c = &private_cases[i];
		const size_t at = private_at(c->attr);
		uint8_t buf[MAD_FRAME];

		mad_frame(buf, "07", c->attr);
		/* Zero versions would be right by accident. */
		memset(buf + at, c->data[0] == '0' || c->data[0] == 'f' ? 0 : 0xff, 36);
		hex_read(c->sid, buf + BODY_AT + 8, 8);
		hex_read(c->data, buf + at, MAD_FRAME - at);
		expect_mad(c->name, buf, c->want);
	}
}

Test(layers, additional_information)
{
	uint8_t buf[MAD_FRAME];

	mad_frame(buf, "07", 0x12);
	buf[BODY_AT + 11] = 24;
	expect_mad("REJ 24", buf, "rej@72 cpi@84");
	buf[BODY_AT + 11] = 25;
	expect_mad("REJ 25", buf, "rej@72");
	buf[BODY_AT + 10] = 1;
	buf[BODY_AT + 11] = 24;
	expect_mad("REJ 280", buf, "rej@72");
	mad_frame(buf, "07", 0x18);
	buf[BODY_AT + 4] = 4;
	expect_mad("SIDR_REP 4", buf, "sidr_rep@72 cpi@96");
	buf[BODY_AT + 4] = 0;
	expect_mad("SIDR_REP 0", buf, "sidr_rep@72");
}

/* Snap lengths of 128 and more leave parts of a REQ: each as far as it goes. */
Test(layers, a_cut_request)
{
	uint8_t buf[MAD_FRAME];

	mad_frame(buf, "07", 0x10);
	hex_read("0000000001064e51", buf + BODY_AT + 8, 8);
	hex_read(IPCM_V4 "f6ab0e18 01 01 0303", buf + REQ_PRIVATE_AT, 96);
	cut_mad(buf, 48, "ipv4@0 udp@20 bth@28 deth@40");
	cut_mad(buf, 49, MAD_PREFIX "/1");
	cut_mad(buf, 72, MAD_PREFIX);
	cut_mad(buf, 87, MAD_PREFIX " req@72/15");
	cut_mad(buf, 128, MAD_PREFIX " req@72/56");
	cut_mad(buf, 213, MAD_PREFIX " req@72/141");
	cut_mad(buf, 214, MAD_PREFIX " req@72/142 ipcm@212/2");
	cut_mad(buf, 248, MAD_PREFIX " req@72/176 ipcm@212");
	cut_mad(buf, 255, MAD_PREFIX " req@72/183 ipcm@212");
	cut_mad(buf, 256, MAD_PREFIX " req@72/184 ipcm@212 rpcrdma@248?");
	cut_mad(buf, 304, MAD_PREFIX " req@72 ipcm@212 rpcrdma@248?");
	cut_mad(buf, 305, MAD_PREFIX " req@72 ipcm@212 rpcrdma@248? icrc@304/1");
}

/* ---- streams ---------------------------------------------------------------------------- */

#define MPA_REP "4d504120494420526570204672616d65"
#define MPA_REQ "4d504120494420526571204672616d65"

Test(layers, mpa)
{
	static const struct {
		const char *name, *len, *hex, *want;
	} rows[] = {
		{ "request", "003c", MPA_REQ "40 01 0000", " mpa@40?" },
		{ "reply, enhanced", "0042", MPA_REP "50 02 0006 00102010 6869",
		  " mpa@40? mpa2@60" },
		{ "enhanced flag in revision 1", "0040", MPA_REP "50 01 0004 00102010",
		  " mpa@40?" },
		{ "enhanced without the data", "0040", MPA_REP "50 02 0003 001020 00", " mpa@40?" },
		{ "cut after the key", "0038", MPA_REP, " mpa@40?/16" },
		{ "another key", "003c", "4d504120494420526572204672616d65 40 01 0000", "" },
		{ "15 bytes", "0037", "4d5041204944205265712046726169", "" },
		{ "nothing", "0028", "", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char hex[512], want[128];

		snprintf(hex, sizeof(hex),
			 "45 68 %s 1234 4000 40 06 0000 0a000002 0a000001 " C_TCP "%s", rows[i].len,
			 rows[i].hex);
		snprintf(want, sizeof(want), "ipv4@0 tcp@20%s", rows[i].want);
		expect_hex(rows[i].name, 101, hex, want);
	}
}

/* ---- limits ----------------------------------------------------------------------------- */

/* Four tunnels, each through IPv6 with eight extension headers: the list is full before the end. */
Test(layers, the_transport_always_has_room)
{
	uint8_t inner[MAD_FRAME], buf[2048], *p = buf;
	struct rdt_layer layers[RDT_LAYERS_MAX];
	struct rdt_frame f;
	size_t rest = 4 * (40 + 64 + 4) + MAD_FRAME, count;
	const struct rdt_layer *l;

	for (int depth = 0; depth < 4; depth++) {
		const unsigned payload = (unsigned)rest - 40;

		hex_read("66812345 0000 00 3f" C_GID2 C_GID1, p, 40);
		p[4] = (uint8_t)(payload >> 8);
		p[5] = (uint8_t)payload;
		p += 40;
		for (int i = 0; i < 8; i++, p += 8)
			hex_read(i < 7 ? "00 00 050200000100" : "2f 00 050200000100", p, 8);
		p += hex_read(depth < 3 ? "0000 86dd" : "0000 0800", p, 4);
		rest -= 40 + 64 + 4;
	}
	mad_frame(inner, "07", 0x10);
	hex_read("0000000001061144", inner + BODY_AT + 8, 8);
	hex_read(IPCM_V4 "0000 0001 2000 1f00", inner + REQ_PRIVATE_AT, 96);
	memcpy(p, inner, MAD_FRAME);
	p += MAD_FRAME;

	rdt_frame_parse(101, buf, (size_t)(p - buf), (size_t)(p - buf), 0, &f);
	cr_assert(eq(int, f.kind, RDT_FRAME_IB));
	cr_assert(eq(int, f.problem, RDT_PROBLEM_NONE));
	count = rdt_layers(buf, &f, layers);
	cr_expect(le(sz, count, RDT_LAYERS_MAX));
	cr_expect(props_layers(buf, (size_t)(p - buf), &f) == NULL);
	cr_expect(eq(int, layers[0].hdr, RDT_H_ipv6));
	l = rdt_layer_find(layers, count, RDT_H_bth);
	cr_assert(l != NULL);
	cr_expect(l->bytes == f.bth);
	cr_expect(rdt_layer_find(layers, count, RDT_H_req) != NULL);
	cr_expect(rdt_layer_find(layers, count, RDT_H_nvme_req) != NULL);
	cr_expect(eq(int, layers[count - 1].hdr, RDT_H_icrc));
}

Test(layers, find)
{
	struct rdt_layer layers[RDT_LAYERS_MAX];
	uint8_t buf[128];
	const size_t n =
		hex_read(C_ETH("88a8") C_VLAN("2064", "8100") C_VLAN("6005", "0800") C_IP4_ACK, buf,
			 sizeof(buf));
	struct rdt_frame f;
	size_t count;

	rdt_frame_parse(1, buf, n, n, 0, &f);
	count = rdt_layers(buf, &f, layers);
	cr_expect(eq(u32, rdt_layer_find(layers, count, RDT_H_vlan)->off, 14));
	cr_expect(rdt_layer_find(layers, count, RDT_H_req) == NULL);
	cr_expect(rdt_layer_find(layers, 0, RDT_H_eth) == NULL);
}

/* ---- real captures ---------------------------------------------------------------------- */

struct census {
	unsigned of[RDT_HDR_COUNT];
};

static int count_layers(const struct test_frame *frame, void *arg)
{
	struct rdt_layer layers[RDT_LAYERS_MAX];
	struct census *c = arg;
	struct rdt_frame f;
	size_t count;

	rdt_frame_parse(frame->linktype, frame->bytes, frame->have, frame->wire_len, 0, &f);
	cr_expect(props_frame(frame->bytes, frame->have, &f) == NULL, "frame %u", frame->number);
	count = rdt_layers(frame->bytes, &f, layers);
	for (size_t i = 0; i < count; i++)
		c->of[layers[i].hdr]++;
	return 0;
}

/* Counted with tshark 4.0.17 by infiniband.mad.attributeid, and by the programs' logs. */
Test(layers, real_captures)
{
	static const struct {
		const char *name;
		enum rdt_hdr_id hdr;
		unsigned count;
	} rows[] = {
		{ "accept.pcap", RDT_H_req, 4 },       { "accept.pcap", RDT_H_ipcm, 4 },
		{ "accept.pcap", RDT_H_rep, 4 },       { "accept.pcap", RDT_H_rtu, 4 },
		{ "accept.pcap", RDT_H_dreq, 4 },      { "accept.pcap", RDT_H_drep, 4 },
		{ "cmtime.pcap", RDT_H_req, 200 },     { "cmtime.pcap", RDT_H_drep, 200 },
		{ "reject.pcap", RDT_H_rej, 3 },       { "udaddy.pcap", RDT_H_sidr_req, 3 },
		{ "udaddy.pcap", RDT_H_sidr_rep, 3 },  { "udaddy.pcap", RDT_H_ipcm, 3 },
		{ "iwarp-rping.pcap", RDT_H_mpa, 2 },  { "iwarp-rping.pcap", RDT_H_mpa2, 2 },
		{ "iwarp-reject.pcap", RDT_H_mpa, 6 }, { "rping4.pcap", RDT_H_icrc, 65 },
		{ "rping4.pcap", RDT_H_mad, 5 },       { "pingpong.pcap", RDT_H_mad, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct census c = { .of = { 0 } };

		if (test_pcap_walk(rows[i].name, count_layers, &c) < 0)
			cr_skip_test("no captures in " RDT_CAPTURES);
		cr_expect(eq(uint, c.of[rows[i].hdr], rows[i].count), "%s %s", rows[i].name,
			  rdt_hdrs[rows[i].hdr].key);
	}
}
