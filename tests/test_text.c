// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/text.h"
#include "support/hex.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct rdt_field *field(const char *name)
{
	const struct rdt_field *f = rdt_field_find(name, strlen(name));

	cr_assert(f, "%s", name);
	return f;
}

/* ---- codes ---------------------------------------------------------------------------------- */

Test(codes, cm_timeouts_are_4096_ns_doubled)
{
	cr_expect(rdt_cm_timeout_ns(0) == 4096);
	cr_expect(rdt_cm_timeout_ns(14) == 67108864);
	cr_expect(rdt_cm_timeout_ns(20) == 4294967296);
	cr_expect(rdt_cm_timeout_ns(31) == 8796093022208);
	for (unsigned code = 1; code <= 51; code++)
		cr_expect(rdt_cm_timeout_ns(code) == 2 * rdt_cm_timeout_ns(code - 1));
	cr_expect(rdt_cm_timeout_ns(52) == UINT64_MAX && rdt_cm_timeout_ns(4000) == UINT64_MAX);
}

Test(codes, linux_counts_them_in_milliseconds)
{
	static const struct {
		unsigned code;
		uint64_t ms;
	} rows[] = { { 0, 1 },     { 8, 1 },      { 9, 2 },       { 18, 1024 },
		     { 20, 4096 }, { 22, 16384 }, { 31, 8388608 } };

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(rdt_linux_timeout_ns(rows[i].code) == rows[i].ms * 1000000, "%u",
			  rows[i].code);
}

Test(codes, rnr_timers)
{
	/* IBTA Vol 1, table 45, in microseconds */
	static const uint32_t us[32] = { 655360, 10,     20,     30,    40,    60,    80,
					 120,    160,    240,    320,   480,   640,   960,
					 1280,   1920,   2560,   3840,  5120,  7680,  10240,
					 15360,  20480,  30720,  40960, 61440, 81920, 122880,
					 163840, 245760, 327680, 491520 };

	for (unsigned code = 0; code < 32; code++)
		cr_expect(rdt_rnr_timer_ns(code) == us[code] * 1000ull, "%u", code);
}

Test(codes, mtus_rates_credits)
{
	static const unsigned mtu[8] = { 0, 256, 512, 1024, 2048, 4096, 0, 0 };
	/* Mbit/s, code 0 first */
	static const uint32_t rate[25] = { 0,      0,      2500,   10000,  30000,  5000,  20000,
					   40000,  60000,  80000,  120000, 14000,  56000, 112000,
					   168000, 25000,  100000, 200000, 300000, 28000, 50000,
					   400000, 600000, 800000, 0 };
	static const uint32_t credits[32] = {
		0,    1,    2,    3,    4,    6,     8,     12,    16,    24,         32,
		48,   64,   96,   128,  192,  256,   384,   512,   768,   1024,       1536,
		2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, UINT32_MAX,
	};

	for (unsigned code = 0; code < 8; code++)
		cr_expect(rdt_mtu_bytes(code) == mtu[code], "%u", code);
	for (unsigned code = 0; code < 25; code++)
		cr_expect(rdt_rate_bps(code) == rate[code] * 1000000ull, "%u", code);
	for (unsigned code = 0; code < 32; code++)
		cr_expect(rdt_aeth_credits(code) == credits[code], "%u", code);
	cr_expect(rdt_mtu_bytes(4000) == 0 && rdt_rate_bps(4000) == 0 && rdt_rate_bps(63) == 0);
}

Test(codes, scales)
{
	static const struct {
		enum rdt_unit unit;
		uint64_t raw;
		int has;
		uint64_t scaled;
	} rows[] = {
		{ RDT_UNIT_NONE, 7, 0, 0 },
		{ RDT_UNIT_BYTES, 7, 0, 0 },
		{ RDT_UNIT_DWORDS, 5, 1, 20 },
		{ RDT_UNIT_OCTETS8, 8, 1, 64 },
		{ RDT_UNIT_KIB_LESS1, 0, 1, 1024 },
		{ RDT_UNIT_KIB_LESS1, 3, 1, 4096 },
		{ RDT_UNIT_SECONDS, 0xffffffff, 1, 4294967295000000000 },
		{ RDT_UNIT_CM_TIMEOUT, 0, 1, 4096 },
		{ RDT_UNIT_CM_TIMEOUT, 63, 0, 0 },
		{ RDT_UNIT_ACK_TIMEOUT, 0, 0, 0 },
		{ RDT_UNIT_ACK_TIMEOUT, 14, 1, 67108864 },
		{ RDT_UNIT_RNR_TIMER, 0, 1, 655360000 },
		{ RDT_UNIT_RNR_TIMER, 32, 0, 0 },
		{ RDT_UNIT_RNR_RETRY, 7, 0, 0 },
		{ RDT_UNIT_MTU_CODE, 3, 1, 1024 },
		{ RDT_UNIT_MTU_CODE, 6, 0, 0 },
		{ RDT_UNIT_RATE_CODE, 16, 1, 100000000000 },
		{ RDT_UNIT_RATE_CODE, 0, 0, 0 },
		{ RDT_UNIT_RATE_CODE, UINT64_MAX, 0, 0 },
		{ RDT_UNIT_AETH_VALUE, 1, 0, 0 },
		{ RDT_UNIT_SERVICE_ID, 1, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t scaled = 0;

		cr_expect(rdt_unit_scale(rows[i].unit, rows[i].raw, &scaled) == rows[i].has &&
				  scaled == rows[i].scaled,
			  "row %zu: %llu", i, (unsigned long long)scaled);
	}
}

/* ---- durations ------------------------------------------------------------------------------ */

static const struct {
	uint64_t ns;
	const char *text;
} durations[] = {
	{ 0, "0 ns" },
	{ 1, "1 ns" },
	{ 640, "640 ns" },
	{ 999, "999 ns" },
	{ 1000, "1 us" },
	{ 1001, "1.001 us" },
	{ 4096, "4.096 us" },
	{ 16384, "16.38 us" },
	{ 131072, "131.1 us" },
	{ 999949, "999.9 us" },
	{ 999950, "1 ms" },
	{ 999999, "1 ms" },
	{ 1000000, "1 ms" },
	{ 24221300, "24.22 ms" },
	{ 134217728, "134.2 ms" },
	{ 100000000, "100 ms" },
	{ 999999999, "1 s" },
	{ 4294967296, "4.295 s" },
	{ 68719476736, "68.72 s" },
	{ 119999999999, "120 s" },
	{ 120000000000, "2 min 0 s" },
	{ 137438953472, "2 min 17 s" },
	{ 3599999999999, "59 min 59 s" },
	{ 3600000000000, "1 h 0 min" },
	{ 8796093022208, "2 h 26 min" },
	{ UINT64_MAX, "5124095 h 34 min" },
};

Test(duration, text)
{
	for (size_t i = 0; i < COUNT(durations); i++) {
		char text[RDT_TEXT_MAX];

		cr_expect(rdt_duration_text(durations[i].ns, text, sizeof(text)) == text);
		cr_expect(!strcmp(text, durations[i].text), "%s, not %s", text, durations[i].text);
	}
}

/* What is printed reads back to within its four digits; from two minutes on to within its unit. */
Test(duration, text_reads_back)
{
	for (uint64_t ns = 1; ns < UINT64_MAX / 3; ns += ns / 3 + 1) {
		char text[RDT_TEXT_MAX];
		uint64_t back, off;

		rdt_duration_text(ns, text, sizeof(text));
		cr_assert(rdt_duration_parse(text, strlen(text), &back) == RDT_OK, "%s", text);
		off = back > ns ? back - ns : ns - back;
		if (ns < 120000000000)
			cr_expect(off <= ns / 2000 + 1, "%llu %s", (unsigned long long)ns, text);
		else
			cr_expect(back <= ns &&
					  off < (ns < 3600000000000 ? 1000000000 : 60000000000),
				  "%llu %s", (unsigned long long)ns, text);
	}
}

Test(duration, parse)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{ "0s", 0 },
		{ "1ns", 1 },
		{ "4.295s", 4295000000 },
		{ " 100 ms ", 100000000 },
		{ "4.096us", 4096 },
		{ "4.096 \xc2\xb5s", 4096 },
		{ "4.294967296s", 4294967296 },
		{ "4.29496729699s", 4294967296 }, /* below a nanosecond */
		{ ".5ms", 500000 },
		{ "5.ms", 5000000 },
		{ "2h", 7200000000000 },
		{ "1.5min", 90000000000 },
		{ "2 h 26 min", 8760000000000 },
		{ "1h30min5s", 5405000000000 },
		{ "1 MS", 1000000 },
		{ "18446744073709551615ns", UINT64_MAX },
	};
	static const char *const wrong[] = { "",     " ",     "1",     "s",   "1 parsec",
					     "-1s",  "1..5s", "1,5s",  "1s2", "1e3s",
					     "0x1s", ".s",    "1 s s", "1m",  "ms1" };
	static const char *const huge[] = { "18446744073709551616ns", "18446744074s",
					    "99999999999999999999s", "18446744073s 1s",
					    "5124096h" };

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t ns = 1;

		cr_expect(rdt_duration_parse(rows[i].text, strlen(rows[i].text), &ns) == RDT_OK,
			  "'%s'", rows[i].text);
		cr_expect(ns == rows[i].ns, "'%s': %llu", rows[i].text, (unsigned long long)ns);
	}
	for (size_t i = 0; i < COUNT(wrong); i++) {
		uint64_t ns = 77;

		cr_expect(rdt_duration_parse(wrong[i], strlen(wrong[i]), &ns) == RDT_SYNTAX &&
				  ns == 77,
			  "'%s'", wrong[i]);
	}
	for (size_t i = 0; i < COUNT(huge); i++) {
		uint64_t ns = 77;

		cr_expect(rdt_duration_parse(huge[i], strlen(huge[i]), &ns) == RDT_RANGE &&
				  ns == 77,
			  "'%s'", huge[i]);
	}
}

/* ---- units and fields ----------------------------------------------------------------------- */

Test(unit, text)
{
	static const struct {
		enum rdt_unit unit;
		uint64_t raw;
		const char *text;
	} rows[] = {
		{ RDT_UNIT_NONE, 7, "7" },
		{ RDT_UNIT_BYTES, 65536, "65536 B" },
		{ RDT_UNIT_DWORDS, 5, "20 B (5)" },
		{ RDT_UNIT_OCTETS8, 8, "64 B (8)" },
		{ RDT_UNIT_KIB_LESS1, 3, "4096 B (3)" },
		{ RDT_UNIT_SECONDS, 3600, "1 h 0 min (3600)" },
		{ RDT_UNIT_CM_TIMEOUT, 20, "4.295 s (20)" },
		{ RDT_UNIT_CM_TIMEOUT, 0, "4.096 us (0)" },
		{ RDT_UNIT_CM_TIMEOUT, 63, "63" },
		{ RDT_UNIT_ACK_TIMEOUT, 0, "infinite (0)" },
		{ RDT_UNIT_ACK_TIMEOUT, 14, "67.11 ms (14)" },
		{ RDT_UNIT_RNR_TIMER, 0, "655.36 ms (0)" },
		{ RDT_UNIT_RNR_TIMER, 1, "10 us (1)" },
		{ RDT_UNIT_RNR_TIMER, 13, "960 us (13)" },
		{ RDT_UNIT_RNR_RETRY, 7, "7 (infinite)" },
		{ RDT_UNIT_RNR_RETRY, 3, "3" },
		{ RDT_UNIT_MTU_CODE, 3, "1024 B (3)" },
		{ RDT_UNIT_MTU_CODE, 9, "9" },
		{ RDT_UNIT_RATE_CODE, 2, "2.5 Gbit/s (2)" },
		{ RDT_UNIT_RATE_CODE, 16, "100 Gbit/s (16)" },
		{ RDT_UNIT_RATE_CODE, 0, "the port's own rate (0)" },
		{ RDT_UNIT_RATE_CODE, 40, "40" },
		{ RDT_UNIT_AETH_VALUE, 31, "31" },
		{ RDT_UNIT_SERVICE_ID, 0x0000000001061c06, "tcp port 7174" },
		{ RDT_UNIT_SERVICE_ID, 0x0000000001110001, "udp port 1" },
		{ RDT_UNIT_SERVICE_ID, 0x00000000013fffff, "ib port 65535" },
		{ RDT_UNIT_SERVICE_ID, 0x0000000000020000, "ipoib port 0" },
		{ RDT_UNIT_SERVICE_ID, 0x0000000101061c06, "0x0000000101061c06" },
		{ RDT_UNIT_SERVICE_ID, 0x1000000000000001, "0x1000000000000001" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[RDT_TEXT_MAX];

		cr_expect(!strcmp(rdt_unit_text(rows[i].unit, rows[i].raw, text, sizeof(text)),
				  rows[i].text),
			  "%s, not %s", text, rows[i].text);
	}
}

Test(field_text, values_for_people)
{
	static const struct {
		const char *field, *wire, *text;
	} rows[] = {
		{ "bth.opcode", "64", "UD SEND Only (0x64)" },
		{ "bth.opcode", "ff", "0xff" },
		{ "bth.se", "0080", "yes" },
		{ "bth.migreq", "0080", "no" },
		{ "bth.pkey", "00008001", "0x8001" },
		{ "bth.dest_qpn", "0000000000000011", "0x000011" },
		{ "bth.psn", "000000000000000000ffffff", "16777215" },
		{ "bth.rsvd4", "000000003f", "0x3f" },
		{ "icrc.value", "78563412", "0x12345678" },
		{ "reth.dma_len", "00000000000000000000000000010000", "65536 B" },
		{ "aeth.kind", "60", "NAK (3)" },
		{ "aeth.value", "1f", "no credit limit (31)" },
		{ "aeth.value", "0a", "32 credits (10)" },
		{ "aeth.value", "20", "655.36 ms (0)" },
		{ "aeth.value", "2e", "1.28 ms (14)" },
		{ "aeth.value", "60", "PSN sequence error (0)" },
		{ "aeth.value", "62", "remote access error (2)" },
		{ "aeth.value", "7f", "31" },
		{ "aeth.value", "41", "1" },
		{ "mad.status", "00000000001c", "0x001c" },
		{ "rej.reason", "000000000000000000000008",
		  "nobody listens on this service id (8)" },
		{ "rej.reason", "000000000000000000000022", "34" },
		{ "rmpp.resp_time", "0101a7", "4.295 s (20)" },
		{ "ipv4.src", "0000000000000000000000000a000002", "10.0.0.2" },
		{ "eth.dst", "525400000002", "52:54:00:00:00:02" },
		{ "ipv6.src", "0000000000000000fe80000000000000505400fffe000001",
		  "fe80::5054:ff:fe00:1" },
		{ "ipv6.src", "000000000000000000000000000000000000000000000000", "::" },
		{ "grh.sgid", "000000000000000000000000000000000000ffff0a000002", "10.0.0.2" },
		{ "ipcm.src_ip", "0040 1c06 00000000 00000000 00000000 0a000002", "10.0.0.2" },
		{ "ipcm.src_ip", "0060 1c06 fe800000 00000000 50540000 00000001",
		  "fe80::5054:0:0:1" },
		{ "ipcm.src_ip", "0040 1c06 00000000 00000000 00000000 00000000", "::" },
		{ "nvme_rej.sts", "00000600", "controller out of resources (6)" },
		{ "rpcrdma.send_size", "f6ab0e18010103", "4096 B (3)" },
		{ "mpa.key", "4d504120494420526571204672616d65", "MPA ID Req Frame" },
		{ "mpa.key", "4d50410a5c49440000000000ff000000",
		  "MPA\\x0a\\x5cID\\x00\\x00\\x00\\x00\\x00\\xff" },
		{ "mpa.key", "00000000000000000000000000000000", "" },
		{ "mpa.pd_length", "00000000000000000000000000000000000000 24", "36 B" },
		{ "ddp_tagged.opcode", "c141", "RDMA Read Request (0x1)" },
		{ "terminate.layer", "12", "DDP (1)" },
		{ "terminate.etype", "12", "DDP untagged buffer error (2)" },
		{ "terminate.etype", "21", "1" },
		{ "terminate.code", "1202", "DDP: no receive buffer for this message (0x02)" },
		{ "terminate.code", "2102",
		  "from siw DDP: no receive buffer for this message (0x02)" },
		{ "terminate.code", "1000",
		  "DDP: local catastrophic error (0x00); from siw RDMAP: STag not valid" },
		{ "terminate.code", "0101",
		  "RDMAP: outside the bounds of the memory region (0x01)" },
		{ "terminate.code", "ff33", "0x33" },
		{ "pathrec.service_id", "0000000001061c06", "0x0000000001061c06 (tcp port 7174)" },
		{ "pathrec.service_id", "0200000000000001", "0x0200000000000001" },
		{ "cnp.rsvd0", "000102030405060708090a0b0c0d0e0f",
		  "000102030405060708090a0b0c0d0e0f" },
		{ "nvme_req.cntlid", "00000000000000001234", "0x3412" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct rdt_field *f = field(rows[i].field);
		const size_t need = rdt_field_need(f);
		/* exactly what the field needs, so that ASan sees a byte too many */
		uint8_t *wire = malloc(need), all[64] = { 0 };
		char text[RDT_TEXT_MAX];

		cr_assert(wire);
		hex_read(rows[i].wire, all, sizeof(all));
		memcpy(wire, all, need);
		cr_expect(rdt_field_text(f, wire, text, sizeof(text)) == text);
		cr_expect(!strcmp(text, rows[i].text), "%s: %s, not %s", rows[i].field, text,
			  rows[i].text);
		free(wire);
	}
}

Test(field_text, guids)
{
	uint8_t rep[64] = { 0 };
	char text[RDT_TEXT_MAX];

	hex_read("505400fffe000002", rep + 28, 8);
	cr_expect(!strcmp(rdt_field_text(field("rep.local_ca_guid"), rep, text, sizeof(text)),
			  "5054:00ff:fe00:0002"),
		  "%s", text);
}

Test(field_text, the_errors_of_a_terminate)
{
	static const struct {
		const char *wire;
		int swapped;
		int error; /* -1: none */
	} rows[] = {
		{ "1202c000", 0, RDT_TERM_ERR_DDP_NO_BUFFER },
		{ "21020300", 1, RDT_TERM_ERR_DDP_NO_BUFFER },
		{ "21020000", 1, RDT_TERM_ERR_DDP_NO_BUFFER }, /* only so does it make sense */
		{ "10008000", 0, RDT_TERM_ERR_DDP_LOCAL },     /* the flags decide */
		{ "10000700", 1, RDT_TERM_ERR_RDMAP_STAG },
		{ "10000000", 0, RDT_TERM_ERR_DDP_LOCAL },
		{ "11010000", 0, RDT_TERM_ERR_DDP_BOUNDS },
		{ "11010700", 1, RDT_TERM_ERR_DDP_BOUNDS }, /* both ways the same */
		{ "20050000", 0, RDT_TERM_ERR_MPA_LOCAL },
		{ "20050700", 1, RDT_TERM_ERR_RDMAP_VERSION },
		{ "33330000", 0, -1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct rdt_name *error;
		uint8_t wire[4];
		int swapped = 9;

		hex_read(rows[i].wire, wire, sizeof(wire));
		error = rdt_terminate_error(wire, &swapped);
		cr_expect(swapped == rows[i].swapped, "%s", rows[i].wire);
		cr_expect(rows[i].error < 0 ? !error : error && (int)error->value == rows[i].error,
			  "%s", rows[i].wire);
		cr_expect(rdt_terminate_error(wire, NULL) == error);
	}
}

/* Whatever the bytes, a text ends, stays inside its buffer and is a prefix of the whole. */
Test(field_text, always_fits_and_ends)
{
	uint32_t seed = 1;

	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		const size_t need = rdt_field_need(f);
		uint8_t *wire = malloc(need);
		char whole[2048];

		cr_assert(wire);
		for (unsigned round = 0; round < 20; round++) {
			for (size_t k = 0; k < need; k++) {
				seed = seed * 1664525 + 1013904223;
				wire[k] = round == 0   ? 0
					  : round == 1 ? 0xff
						       : (uint8_t)(seed >> 24);
			}
			memset(whole, 'x', sizeof(whole));
			rdt_field_text(f, wire, whole, sizeof(whole));
			cr_assert(memchr(whole, 0, sizeof(whole)), "%s", f->key);
			if (f->kind != RDT_KIND_BYTES && f->kind != RDT_KIND_TEXT)
				cr_expect(strlen(whole) < RDT_TEXT_MAX, "%s.%s: %s",
					  rdt_hdrs[f->hdr].key, f->key, whole);
			for (size_t size = 1; size <= 40; size++) {
				char *text = malloc(size);
				size_t n;

				cr_assert(text);
				rdt_field_text(f, wire, text, size);
				n = strlen(text);
				cr_expect(n < size);
				if (n < strlen(whole) && n > 3 && !strcmp(text + n - 3, "..."))
					n -= 3;
				if (n > 3 || strspn(text, ".") < n)
					cr_expect(!strncmp(text, whole, n), "%s.%s in %zu: %s",
						  rdt_hdrs[f->hdr].key, f->key, size, text);
				free(text);
			}
		}
		free(wire);
	}
}

Test(field_text, long_runs_end_in_dots)
{
	uint8_t data[232];
	char text[40];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)('a' + i % 26);
	cr_expect(!strcmp(rdt_field_text(field("rtu.private_data"), data, text, 16),
			  "696a6b6c6d6e..."),
		  "%s", text);
	cr_expect(!strcmp(rdt_field_text(field("rtu.private_data"), data, text, 17),
			  "696a6b6c6d6e..."),
		  "%s", text);
	cr_expect(!strcmp(rdt_field_text(field("mpa.key"), data, text, 17), "abcdefghijklmnop"),
		  "%s", text);
	cr_expect(!strcmp(rdt_field_text(field("mpa.key"), data, text, 16), "abcdefghijkl..."),
		  "%s", text);
	cr_expect(!strcmp(rdt_field_text(field("mpa.key"), data, text, 4), "..."), "%s", text);
	cr_expect(!strcmp(rdt_field_text(field("mpa.key"), data, text, 1), ""), "%s", text);
	/* an escape is whole or not there */
	data[11] = '\n';
	cr_expect(!strcmp(rdt_field_text(field("mpa.key"), data, text, 17), "abcdefghijk..."), "%s",
		  text);
	cr_expect(!strcmp(rdt_field_text(field("mpa.key"), data, text, 20), "abcdefghijk\\x0amnop"),
		  "%s", text);
}

/* ---- reading -------------------------------------------------------------------------------- */

Test(field_parse, values)
{
	static const struct {
		const char *field, *text;
		enum rdt_status status;
		uint64_t value;
	} rows[] = {
		/* numbers */
		{ "bth.psn", "0", RDT_OK, 0 },
		{ "bth.psn", "16777215", RDT_OK, 0xffffff },
		{ "bth.psn", "16777216", RDT_RANGE, 0 },
		{ "bth.psn", "0xFFffff", RDT_OK, 0xffffff },
		{ "bth.psn", "0X1000000", RDT_RANGE, 0 },
		{ "bth.psn", " 17 ", RDT_OK, 17 },
		{ "bth.psn", "", RDT_SYNTAX, 0 },
		{ "bth.psn", "-1", RDT_SYNTAX, 0 },
		{ "bth.psn", "17a", RDT_SYNTAX, 0 },
		{ "bth.psn", "0x", RDT_SYNTAX, 0 },
		{ "bth.psn", "1 2", RDT_SYNTAX, 0 },
		{ "mad.tid", "18446744073709551615", RDT_OK, UINT64_MAX },
		{ "mad.tid", "18446744073709551616", RDT_RANGE, 0 },
		{ "mad.tid", "0xffffffffffffffff", RDT_OK, UINT64_MAX },
		{ "mad.tid", "0x10000000000000000", RDT_RANGE, 0 },
		{ "nvme_req.qid", "0x0102", RDT_OK, 0x0102 },
		/* names */
		{ "rej.reason", "invalid-service-id", RDT_OK, 8 },
		{ "rej.reason", "Invalid_Service_ID", RDT_OK, 8 },
		{ "rej.reason", "28", RDT_OK, 28 },
		{ "rej.reason", "no-such-reason", RDT_SYNTAX, 0 },
		{ "bth.opcode", "RC_SEND_ONLY", RDT_OK, 4 },
		{ "mra.msg_mraed", "LAP", RDT_OK, 2 },
		{ "pathrec.mtu_sel", "best", RDT_OK, 3 },
		{ "aeth.kind", "rnr", RDT_OK, 1 },
		/* flags */
		{ "bth.se", "yes", RDT_OK, 1 },
		{ "bth.se", "NO", RDT_OK, 0 },
		{ "bth.se", "true", RDT_OK, 1 },
		{ "bth.se", "off", RDT_OK, 0 },
		{ "bth.se", "1", RDT_OK, 1 },
		{ "bth.se", "2", RDT_RANGE, 0 },
		{ "bth.se", "perhaps", RDT_SYNTAX, 0 },
		/* times */
		{ "req.remote_cm_resp_timeout", "4.295s", RDT_OK, 20 },
		{ "req.remote_cm_resp_timeout", "4.295 s", RDT_OK, 20 },
		{ "req.remote_cm_resp_timeout", "4294967296 ns", RDT_OK, 20 },
		{ "req.remote_cm_resp_timeout", "20", RDT_OK, 20 },
		{ "req.remote_cm_resp_timeout", "4.33s", RDT_OK, 20 },
		{ "req.remote_cm_resp_timeout", "4.34s", RDT_RANGE, 0 },
		{ "req.remote_cm_resp_timeout", "5s", RDT_RANGE, 0 },
		{ "req.remote_cm_resp_timeout", "4.096us", RDT_OK, 0 },
		{ "req.remote_cm_resp_timeout", "2 h 26 min", RDT_OK, 31 },
		{ "req.remote_cm_resp_timeout", "5 h", RDT_RANGE, 0 },
		{ "req.remote_cm_resp_timeout", "32", RDT_RANGE, 0 },
		{ "req.remote_cm_resp_timeout", "0s", RDT_RANGE, 0 },
		{ "pathrec.life", "4.887 h", RDT_OK, 32 },
		{ "req.primary_ack_timeout", "infinite", RDT_OK, 0 },
		{ "req.primary_ack_timeout", "2.147s", RDT_OK, 19 },
		{ "req.primary_ack_timeout", "4.096us", RDT_RANGE, 0 },
		{ "req.rnr_retry_count", "infinite", RDT_OK, 7 },
		{ "req.rnr_retry_count", "6", RDT_OK, 6 },
		{ "req.rnr_retry_count", "8", RDT_RANGE, 0 },
		{ "servicerec.lease", "1h", RDT_OK, 3600 },
		{ "servicerec.lease", "1500ms", RDT_RANGE, 0 },
		{ "servicerec.lease", "3600", RDT_OK, 3600 },
		/* sizes and rates */
		{ "req.path_mtu", "1024", RDT_OK, 3 },
		{ "req.path_mtu", "1024 B", RDT_OK, 3 },
		{ "req.path_mtu", "3", RDT_OK, 3 },
		{ "req.path_mtu", "4096 bytes", RDT_OK, 5 },
		{ "req.path_mtu", "1500", RDT_RANGE, 0 },
		{ "req.path_mtu", "15", RDT_OK, 15 },
		{ "pathrec.mtu", "256", RDT_OK, 1 },
		{ "req.primary_packet_rate", "100 Gbit/s", RDT_OK, 16 },
		{ "req.primary_packet_rate", "2.5G", RDT_OK, 2 },
		{ "req.primary_packet_rate", "100gb/s", RDT_OK, 16 },
		{ "req.primary_packet_rate", "7 Gbit/s", RDT_RANGE, 0 },
		{ "req.primary_packet_rate", "16", RDT_OK, 16 },
		{ "reth.dma_len", "4096 B", RDT_OK, 4096 },
		{ "reth.dma_len", "4294967296", RDT_RANGE, 0 },
		{ "sa.attr_offset", "64 B", RDT_OK, 8 },
		{ "sa.attr_offset", "65 B", RDT_RANGE, 0 },
		{ "ipv4.ihl", "20B", RDT_OK, 5 },
		{ "ipv4.ihl", "64B", RDT_RANGE, 0 },
		{ "rpcrdma.send_size", "4096 B", RDT_OK, 3 },
		{ "rpcrdma.send_size", "0 B", RDT_RANGE, 0 },
		/* service ids */
		{ "req.service_id", "0x0000000001061c06", RDT_OK, 0x1061c06 },
		{ "req.service_id", "tcp port 7174", RDT_OK, 0x1061c06 },
		{ "req.service_id", "tcp:7174", RDT_OK, 0x1061c06 },
		{ "req.service_id", "udp:65535", RDT_OK, 0x111ffff },
		{ "req.service_id", "tcp:65536", RDT_RANGE, 0 },
		{ "req.service_id", "tcp:", RDT_SYNTAX, 0 },
		{ "req.service_id", "sctp:1", RDT_SYNTAX, 0 },
		/* addresses */
		{ "rep.local_ca_guid", "5054:00ff:fe00:0002", RDT_OK, 0x505400fffe000002 },
		{ "rep.local_ca_guid", "0x505400fffe000002", RDT_OK, 0x505400fffe000002 },
		{ "rep.local_ca_guid", "5054:ff:fe00:2", RDT_SYNTAX, 0 },
		{ "rep.local_ca_guid", "5054:00ff:fe00:0002:", RDT_SYNTAX, 0 },
		{ "eth.src", "52:54:00:00:00:02", RDT_OK, 0x525400000002 },
		{ "eth.src", "52-54-00-00-00-02", RDT_OK, 0x525400000002 },
		{ "eth.src", "52:54:00:00:00", RDT_SYNTAX, 0 },
		{ "eth.src", "52:54:00:00:00:02:03", RDT_SYNTAX, 0 },
		{ "ipv4.src", "10.0.0.2", RDT_OK, 0x0a000002 },
		{ "ipv4.src", "10.0.0.256", RDT_SYNTAX, 0 },
		{ "ipv4.src", "fe80::1", RDT_SYNTAX, 0 },
		/* not numbers */
		{ "grh.sgid", "fe80::1", RDT_SYNTAX, 0 },
		{ "req.private_data", "0", RDT_SYNTAX, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const size_t len = strlen(rows[i].text);
		char *text = malloc(len ? len : 1);
		uint64_t value = 777;

		cr_assert(text);
		memcpy(text, rows[i].text, len);
		cr_expect(rdt_field_parse(field(rows[i].field), text, len, &value) ==
				  rows[i].status,
			  "%s '%s': %d", rows[i].field, rows[i].text,
			  (int)rdt_field_parse(field(rows[i].field), text, len, &value));
		cr_expect(value == (rows[i].status == RDT_OK ? rows[i].value : 777),
			  "%s '%s': %llu", rows[i].field, rows[i].text, (unsigned long long)value);
		free(text);
	}
}

/* Every value of every unit reads back from its own text, the raw number in brackets taken off. */
Test(field_parse, unit_texts_read_back)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		const uint64_t max = f->width < 8 ? (1u << f->width) - 1 : 255;

		if (!rdt_field_is_num(f) || f->unit == RDT_UNIT_AETH_VALUE ||
		    f->unit == RDT_UNIT_SECONDS)
			continue;
		for (uint64_t raw = 0; raw <= max; raw++) {
			char text[RDT_TEXT_MAX], *bracket;
			uint64_t value = 777;

			rdt_unit_text((enum rdt_unit)f->unit, raw, text, sizeof(text));
			bracket = strstr(text, " (");
			if (bracket && strcmp(bracket, " (0)"))
				*bracket = 0;
			if (bracket && !strcmp(bracket, " (0)"))
				continue; /* infinite, the port's own: words */
			/* from two minutes on texts are rounded by more than a code allows */
			if (strstr(text, "min") || strstr(text, " h "))
				continue;
			cr_expect(rdt_field_parse(f, text, strlen(text), &value) == RDT_OK &&
					  value == raw,
				  "%s.%s %llu: %s is %llu", rdt_hdrs[f->hdr].key, f->key,
				  (unsigned long long)raw, text, (unsigned long long)value);
		}
	}
}

/* Every name of the list of every field reads as its value. */
Test(field_parse, names_read_as_their_values)
{
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_field *f = &rdt_fields[i];
		const struct rdt_names *list = &rdt_names[f->names];

		for (size_t k = 0; k < list->count; k++) {
			uint64_t value = 777;

			if (f->width < 32 && list->rows[k].value >> f->width)
				continue;
			cr_expect(rdt_field_parse(f, list->rows[k].key, strlen(list->rows[k].key),
						  &value) == RDT_OK &&
					  value == list->rows[k].value,
				  "%s.%s %s", rdt_hdrs[f->hdr].key, f->key, list->rows[k].key);
		}
	}
}

/* For "did you mean": what has to be changed, added or left out. */
Test(distance, edits_are_counted)
{
	static const struct {
		const char *a, *b;
		unsigned want;
	} rows[] = {
		{ "", "", 0 },
		{ "", "abc", 3 },
		{ "abc", "", 3 },
		{ "outcome", "outcom", 1 },
		{ "kitten", "sitting", 3 },
		{ "retry-count", "RETRY.Count", 0 },
		{ "svc_port", "svc.port", 0 },
		{ "ab", "ba", 2 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(rdt_text_distance(rows[i].a, strlen(rows[i].a), rows[i].b,
					       strlen(rows[i].b)),
			     rows[i].want, "%s, %s", rows[i].a, rows[i].b);
}
