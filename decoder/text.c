// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "rdmatrace/addr.h"

#define NS_PER_US 1000u
#define NS_PER_MS 1000000u
#define NS_PER_S 1000000000u
#define NS_PER_MIN (60ull * NS_PER_S)
#define NS_PER_H (60 * NS_PER_MIN)

/* ---- codes to base units -------------------------------------------------------------------- */

/* 4.096 us is 2^12 ns: all codes are powers of two, and those above 51 need more than 64 bits. */
#define CM_TIMEOUT_MAX 51

uint64_t rdt_cm_timeout_ns(unsigned code)
{
	return code <= CM_TIMEOUT_MAX ? 4096ull << code : UINT64_MAX;
}

uint64_t rdt_linux_timeout_ns(unsigned code)
{
	const unsigned shift = code > 8 ? code - 8 : 0;

	return shift < 44 ? (uint64_t)NS_PER_MS << shift : UINT64_MAX;
}

uint64_t rdt_rnr_timer_ns(unsigned code)
{
	/* Hundredths of a millisecond. From code 2 on each pair is twice the pair before. */
	static const uint32_t centi_ms[32] = {
		65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,    32,
		48,    64,   96,   128,  192,  256,   384,   512,   768,   1024,  1536,
		2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};

	return (uint64_t)centi_ms[code & 31] * (NS_PER_MS / 100);
}

unsigned rdt_mtu_bytes(unsigned code)
{
	return code >= 1 && code <= 5 ? 128u << code : 0;
}

uint64_t rdt_rate_bps(unsigned code)
{
	/* Tenths of Gbit/s: 2.5 is the one that is not whole. */
	static const uint16_t deci_gbps[] = {
		[2] = 25,    [3] = 100,   [4] = 300,   [5] = 50,    [6] = 200,   [7] = 400,
		[8] = 600,   [9] = 800,   [10] = 1200, [11] = 140,  [12] = 560,  [13] = 1120,
		[14] = 1680, [15] = 250,  [16] = 1000, [17] = 2000, [18] = 3000, [19] = 280,
		[20] = 500,  [21] = 4000, [22] = 6000, [23] = 8000,
	};

	if (code >= sizeof(deci_gbps) / sizeof(deci_gbps[0]))
		return 0;
	return deci_gbps[code] * 100000000ull;
}

uint32_t rdt_aeth_credits(unsigned code)
{
	/* 0 to 4, then alternately one and a half times and twice the power of two before. */
	code &= 31;
	if (code == 31)
		return UINT32_MAX;
	if (code < 4)
		return code;
	return code & 1 ? 3u << (code / 2 - 1) : 1u << (code / 2);
}

int rdt_unit_scale(enum rdt_unit unit, uint64_t raw, uint64_t *ret_scaled)
{
	uint64_t scaled = 0;

	switch (unit) {
	case RDT_UNIT_DWORDS:
	case RDT_UNIT_OCTETS8:
	case RDT_UNIT_KIB_LESS1:
		if (raw > UINT32_MAX)
			return 0;
		scaled = unit == RDT_UNIT_DWORDS    ? raw * 4
			 : unit == RDT_UNIT_OCTETS8 ? raw * 8
						    : (raw + 1) * 1024;
		break;
	case RDT_UNIT_SECONDS:
		if (raw > UINT64_MAX / NS_PER_S)
			return 0;
		scaled = raw * NS_PER_S;
		break;
	case RDT_UNIT_CM_TIMEOUT:
	case RDT_UNIT_ACK_TIMEOUT:
		if (raw > CM_TIMEOUT_MAX || (!raw && unit == RDT_UNIT_ACK_TIMEOUT))
			return 0;
		scaled = rdt_cm_timeout_ns((unsigned)raw);
		break;
	case RDT_UNIT_RNR_TIMER:
		if (raw > 31)
			return 0;
		scaled = rdt_rnr_timer_ns((unsigned)raw);
		break;
	case RDT_UNIT_MTU_CODE:
		if (raw > UINT8_MAX || !rdt_mtu_bytes((unsigned)raw))
			return 0;
		scaled = rdt_mtu_bytes((unsigned)raw);
		break;
	case RDT_UNIT_RATE_CODE:
		if (raw > UINT8_MAX || !rdt_rate_bps((unsigned)raw))
			return 0;
		scaled = rdt_rate_bps((unsigned)raw);
		break;
	case RDT_UNIT_NONE:
	case RDT_UNIT_BYTES:
	case RDT_UNIT_RNR_RETRY:
	case RDT_UNIT_AETH_VALUE:
	case RDT_UNIT_SERVICE_ID:
	case RDT_UNIT_COUNT:
		return 0;
	}
	*ret_scaled = scaled;
	return 1;
}

/* ---- durations and units -------------------------------------------------------------------- */

/* text into buf, cut where it does not fit. */
static void copy_text(const char *text, char *buf, size_t size)
{
	const size_t len = strlen(text);

	if (!size)
		return;
	memcpy(buf, text, len < size ? len + 1 : size - 1);
	buf[size - 1] = 0;
}

/* value / unit with that many significant digits, zeros at the end of the fraction left out. */
static void decimal_text(uint64_t value, uint64_t unit, unsigned digits, char *buf, size_t size)
{
	static const uint32_t tens[] = { 1, 10, 100, 1000, 10000 };
	const uint64_t whole = value / unit;
	unsigned places = digits - 1;
	uint64_t rounded;
	char text[32], *at;

	for (uint64_t w = whole; w >= 10 && places; w /= 10)
		places--;
	rounded = (value % unit * tens[places] + unit / 2) / unit + whole * tens[places];
	while (places && rounded % 10 == 0) {
		rounded /= 10;
		places--;
	}
	/* Without printf: a list of connections has a hundred thousand of these. */
	at = text + sizeof(text) - 1;
	*at = 0;
	for (unsigned i = 0; i < places; i++, rounded /= 10)
		*--at = (char)('0' + rounded % 10);
	if (places)
		*--at = '.';
	do
		*--at = (char)('0' + rounded % 10);
	while (rounded /= 10);
	copy_text(at, buf, size);
}

static char *time_text(uint64_t ns, unsigned digits, char *buf, size_t size)
{
	static const struct {
		uint32_t ns;
		char name[4];
	} units[] = { { NS_PER_US, " us" }, { NS_PER_MS, " ms" }, { NS_PER_S, " s" } };
	char number[40]; /* 20 digits, a point, and the unit */

	if (ns < NS_PER_US) {
		snprintf(buf, size, "%u ns", (unsigned)ns);
		return buf;
	}
	for (unsigned i = 0; i < 3 && ns < 2 * NS_PER_MIN; i++) {
		if (i < 2 && ns >= 1000ull * units[i].ns)
			continue;
		decimal_text(ns, units[i].ns, digits, number, sizeof(number));
		/* 999.96 us rounds to 1000 us: say 1 ms */
		if (i < 2 && !strcmp(number, "1000"))
			copy_text(i ? "1 s" : "1 ms", number, sizeof(number));
		else
			memcpy(number + strlen(number), units[i].name, sizeof(units[i].name));
		copy_text(number, buf, size);
		return buf;
	}
	if (ns < NS_PER_H)
		snprintf(buf, size, "%u min %u s", (unsigned)(ns / NS_PER_MIN),
			 (unsigned)(ns % NS_PER_MIN / NS_PER_S));
	else
		snprintf(buf, size, "%u h %u min", (unsigned)(ns / NS_PER_H),
			 (unsigned)(ns % NS_PER_H / NS_PER_MIN));
	return buf;
}

char *rdt_duration_text(uint64_t ns, char *buf, size_t size)
{
	return time_text(ns, 4, buf, size);
}

/*
 * The port space and port of a service id of the RDMA IP CM service (IBTA Annex A11): five bytes
 * that say so, the IP protocol, the port; and of the two older spaces. False for any other.
 */
static bool service_id_split(uint64_t id, const struct rdt_name **ret_space, unsigned *ret_port)
{
	const struct rdt_name *space = rdt_name_find(RDT_NAMES_port_space, id >> 16);

	if (!space)
		return false;
	*ret_space = space;
	*ret_port = (unsigned)(id & 0xffff);
	return true;
}

char *rdt_unit_text(enum rdt_unit unit, uint64_t raw, char *buf, size_t size)
{
	const struct rdt_name *space;
	char number[48];
	uint64_t scaled = 0;
	unsigned port;
	const int has = rdt_unit_scale(unit, raw, &scaled);

	switch (unit) {
	case RDT_UNIT_BYTES:
		snprintf(buf, size, "%" PRIu64 " B", raw);
		return buf;
	case RDT_UNIT_DWORDS:
	case RDT_UNIT_OCTETS8:
	case RDT_UNIT_KIB_LESS1:
	case RDT_UNIT_MTU_CODE:
		if (has)
			snprintf(buf, size, "%" PRIu64 " B (%" PRIu64 ")", scaled, raw);
		else
			snprintf(buf, size, "%" PRIu64, raw);
		return buf;
	case RDT_UNIT_SECONDS:
	case RDT_UNIT_CM_TIMEOUT:
	case RDT_UNIT_ACK_TIMEOUT:
	case RDT_UNIT_RNR_TIMER:
		if (has)
			snprintf(buf, size, "%s (%" PRIu64 ")",
				 time_text(scaled, unit == RDT_UNIT_RNR_TIMER ? 5 : 4, number,
					   sizeof(number)),
				 raw);
		else
			snprintf(buf, size,
				 !raw && unit == RDT_UNIT_ACK_TIMEOUT ? "infinite (0)" : "%" PRIu64,
				 raw);
		return buf;
	case RDT_UNIT_RNR_RETRY:
		snprintf(buf, size, raw == 7 ? "7 (infinite)" : "%" PRIu64, raw);
		return buf;
	case RDT_UNIT_RATE_CODE:
		decimal_text(scaled, NS_PER_S, 4, number, sizeof(number));
		if (has)
			snprintf(buf, size, "%s Gbit/s (%" PRIu64 ")", number, raw);
		else
			snprintf(buf, size, raw ? "%" PRIu64 : "the port's own rate (0)", raw);
		return buf;
	case RDT_UNIT_SERVICE_ID:
		if (service_id_split(raw, &space, &port))
			snprintf(buf, size, "%s port %u", space->key, port);
		else
			snprintf(buf, size, "0x%016" PRIx64, raw);
		return buf;
	case RDT_UNIT_NONE:
	case RDT_UNIT_AETH_VALUE:
	case RDT_UNIT_COUNT:
		break;
	}
	snprintf(buf, size, "%" PRIu64, raw);
	return buf;
}

/* ---- field values --------------------------------------------------------------------------- */

/* The error with layer and type as RFC 5040 places them, and as Linux siw on little-endian does. */
static void terminate_names(const uint8_t *terminate, const struct rdt_name **ret_wire,
			    const struct rdt_name **ret_siw)
{
	const unsigned layer = rdt_terminate_layer(terminate),
		       etype = rdt_terminate_etype(terminate);
	const unsigned code = rdt_terminate_code(terminate);

	*ret_wire = rdt_name_find(RDT_NAMES_term_error, layer << 12 | etype << 8 | code);
	*ret_siw = rdt_name_find(RDT_NAMES_term_error, etype << 12 | layer << 8 | code);
}

const struct rdt_name *rdt_terminate_error(const uint8_t *terminate, int *ret_swapped)
{
	const struct rdt_name *wire, *siw;
	/* The flags are the surest sign: siw's are the last three bits of their byte. */
	const bool wire_flags = rdt_terminate_seg_length_valid(terminate) ||
				rdt_terminate_ddp_included(terminate) ||
				rdt_terminate_rdmap_included(terminate);
	const bool siw_flags = !wire_flags && rdt_terminate_rsvd2(terminate) >> 8 & 7;
	int swapped;

	terminate_names(terminate, &wire, &siw);
	swapped = siw && (siw_flags || !wire);
	if (ret_swapped)
		*ret_swapped = swapped;
	return swapped ? siw : wire;
}

/* Fields that another field of their header gives a meaning to. False when this is none. */
static bool dependent_text(const struct rdt_field *f, const uint8_t *hdr, uint64_t raw, char *buf,
			   size_t size)
{
	const struct rdt_name *name, *siw;
	char unit[48];

	if (f == &rdt_fields[RDT_F_aeth_value]) {
		if (rdt_aeth_kind(hdr) == RDT_AETH_ACK && raw == 31) {
			snprintf(buf, size, "no credit limit (31)");
		} else if (rdt_aeth_kind(hdr) == RDT_AETH_ACK) {
			snprintf(buf, size, "%" PRIu32 " credits (%" PRIu64 ")",
				 rdt_aeth_credits((unsigned)raw), raw);
		} else if (rdt_aeth_kind(hdr) == RDT_AETH_RNR) {
			rdt_unit_text(RDT_UNIT_RNR_TIMER, raw, buf, size);
		} else {
			name = rdt_aeth_kind(hdr) == RDT_AETH_NAK
				       ? rdt_name_find(RDT_NAMES_nak_code, raw)
				       : NULL;
			snprintf(buf, size, name ? "%s (%" PRIu64 ")" : "%s%" PRIu64,
				 name ? name->text : "", raw);
		}
		return true;
	}
	if (f == &rdt_fields[RDT_F_terminate_etype]) {
		name = rdt_name_find(RDT_NAMES_term_etype, rdt_terminate_layer(hdr) << 4 | raw);
		if (!name)
			return false;
		snprintf(buf, size, "%s (%" PRIu64 ")", name->text, raw);
		return true;
	}
	if (f == &rdt_fields[RDT_F_terminate_code]) {
		/* The flags may not be captured: say both where both make sense. */
		terminate_names(hdr, &name, &siw);
		if (name && siw && name != siw)
			snprintf(buf, size, "%s (0x%02x); from siw %s", name->text, (unsigned)raw,
				 siw->text);
		else if (name)
			snprintf(buf, size, "%s (0x%02x)", name->text, (unsigned)raw);
		else if (siw)
			snprintf(buf, size, "from siw %s (0x%02x)", siw->text, (unsigned)raw);
		else
			return false;
		return true;
	}
	if (f->unit == RDT_UNIT_SERVICE_ID) {
		rdt_unit_text(RDT_UNIT_SERVICE_ID, raw, unit, sizeof(unit));
		if (!strncmp(unit, "0x", 2))
			snprintf(buf, size, "%s", unit);
		else
			snprintf(buf, size, "0x%016" PRIx64 " (%s)", raw, unit);
		return true;
	}
	return false;
}

static void number_text(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size)
{
	const uint64_t raw = rdt_field_get(f, hdr);
	const struct rdt_name *name;
	char number[24];

	if (dependent_text(f, hdr, raw, buf, size))
		return;
	if (f->show == RDT_SHOW_HEX)
		snprintf(number, sizeof(number), "0x%0*" PRIx64, (f->width + 3) / 4, raw);
	else
		snprintf(number, sizeof(number), "%" PRIu64, raw);
	name = rdt_name_find((enum rdt_names_id)f->names, raw);
	if (name)
		snprintf(buf, size, "%s (%s)", name->text, number);
	else if (f->unit != RDT_UNIT_NONE)
		rdt_unit_text((enum rdt_unit)f->unit, raw, buf, size);
	else
		snprintf(buf, size, "%s", number);
}

/* Cut: put "..." at the end of what is there. */
static void ellipsis(char *buf, size_t size, size_t at)
{
	size_t dots = 3;

	if (!size)
		return;
	if (at + dots + 1 > size)
		at = size > dots ? size - dots - 1 : 0;
	if (at + dots + 1 > size)
		dots = size - 1 - at;
	memset(buf + at, '.', dots);
	buf[at + dots] = '\0';
}

static void hex_text(const uint8_t *bytes, size_t len, char *buf, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	/* Whole bytes only, and room for the dots when not all fit. */
	const size_t fit = size > 2 * len ? len : size > 4 ? (size - 4) / 2 : 0;

	for (size_t i = 0; i < fit; i++) {
		buf[2 * i] = digits[bytes[i] >> 4];
		buf[2 * i + 1] = digits[bytes[i] & 15];
	}
	if (fit == len && size)
		buf[2 * fit] = '\0';
	else
		ellipsis(buf, size, 2 * fit);
}

static size_t char_width(uint8_t c)
{
	return c >= 0x20 && c < 0x7f && c != '\\' ? 1 : 4;
}

/* Printable ASCII as it is, other bytes as \x00; zeros at the end are filling and left out. */
static void chars_text(const uint8_t *bytes, size_t len, char *buf, size_t size)
{
	size_t total = 1, at = 0, limit;

	while (len && !bytes[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		total += char_width(bytes[i]);
	if (size)
		buf[0] = '\0';
	limit = total <= size ? size : size > 3 ? size - 3 : 0;
	for (size_t i = 0; i < len; i++) {
		if (at + char_width(bytes[i]) + 1 > limit) {
			ellipsis(buf, size, at);
			return;
		}
		snprintf(buf + at, size - at, char_width(bytes[i]) == 1 ? "%c" : "\\x%02x",
			 bytes[i]);
		at += char_width(bytes[i]);
	}
}

static void guid_text(uint64_t guid, char *buf, size_t size)
{
	snprintf(buf, size, "%04x:%04x:%04x:%04x", (unsigned)(guid >> 48),
		 (unsigned)(guid >> 32 & 0xffff), (unsigned)(guid >> 16 & 0xffff),
		 (unsigned)(guid & 0xffff));
}

char *rdt_field_text(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size)
{
	const uint8_t *bytes = hdr + f->at / 8;
	struct rdt_addr addr;
	uint64_t v;

	switch ((enum rdt_kind)f->kind) {
	case RDT_KIND_UINT:
	case RDT_KIND_UINT_LE:
	case RDT_KIND_RSVD:
		number_text(f, hdr, buf, size);
		break;
	case RDT_KIND_FLAG:
		snprintf(buf, size, "%s", rdt_field_get(f, hdr) ? "yes" : "no");
		break;
	case RDT_KIND_BYTES:
		hex_text(bytes, f->width / 8u, buf, size);
		break;
	case RDT_KIND_TEXT:
		chars_text(bytes, f->width / 8u, buf, size);
		break;
	case RDT_KIND_GID:
		addr = f->hdr == RDT_H_ipcm ? rdt_addr_ipcm(rdt_ipcm_ip_version(hdr), bytes)
					    : rdt_addr_gid(bytes);
		if (addr.kind == RDT_ADDR_NONE)
			snprintf(buf, size, "::");
		else
			rdt_addr_text(&addr, buf, size);
		break;
	case RDT_KIND_GUID:
		guid_text(rdt_field_get(f, hdr), buf, size);
		break;
	case RDT_KIND_MAC:
		v = rdt_field_get(f, hdr);
		snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x", (unsigned)(v >> 40),
			 (unsigned)(v >> 32 & 0xff), (unsigned)(v >> 24 & 0xff),
			 (unsigned)(v >> 16 & 0xff), (unsigned)(v >> 8 & 0xff),
			 (unsigned)(v & 0xff));
		break;
	case RDT_KIND_IPV4:
		addr = rdt_addr_ipv4((uint32_t)rdt_field_get(f, hdr));
		rdt_addr_text(&addr, buf, size);
		break;
	}
	return buf;
}

char *rdt_rej_ari_text(const uint8_t *rej, size_t have, char *buf, size_t size)
{
	char text[RDT_TEXT_MAX];
	struct rdt_addr gid;
	size_t len;

	if (have < RDT_NEED_rej_reason)
		return NULL;
	len = rdt_rej_info_length(rej);
	if (len > RDT_SIZE_rej_ari)
		len = RDT_SIZE_rej_ari;
	if (!len || have < (size_t)(rdt_rej_ari(rej) - rej) + len)
		return NULL;
	switch (rdt_rej_reason(rej)) {
	case RDT_REJ_TIMEOUT:
		if (len < 8)
			break;
		guid_text(rdt_bits_get(rdt_rej_ari(rej), 0, 64), text, sizeof(text));
		snprintf(buf, size, "CA GUID %s", text);
		return buf;
	case RDT_REJ_PRIMARY_GID:
	case RDT_REJ_ALT_GID:
		if (len < sizeof(gid.bytes))
			break;
		gid = rdt_addr_gid(rdt_rej_ari(rej));
		snprintf(buf, size, "GID %s", rdt_addr_text(&gid, text, sizeof(text)));
		return buf;
	default:
		break;
	}
	hex_text(rdt_rej_ari(rej), len, text, sizeof(text));
	snprintf(buf, size, "%zu bytes: %s", len, text);
	return buf;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* What is left to read. */
struct span {
	const char *p;
	size_t len;
};

static void skip(struct span *s, size_t n)
{
	s->p += n;
	s->len -= n;
}

static void skip_blanks(struct span *s)
{
	while (s->len && (*s->p == ' ' || *s->p == '\t'))
		skip(s, 1);
}

static struct span trimmed(const char *text, size_t len)
{
	struct span s = { text, len };

	skip_blanks(&s);
	while (s.len && (s.p[s.len - 1] == ' ' || s.p[s.len - 1] == '\t'))
		s.len--;
	return s;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does s begin with word, in any case? Then take it off. */
static bool take(struct span *s, const char *word)
{
	const size_t n = strlen(word);

	if (s->len < n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (lower(s->p[i]) != word[i])
			return false;
	skip(s, n);
	return true;
}

static bool is(struct span s, const char *word)
{
	return take(&s, word) && !s.len;
}

/* Digits of a base of at most 16. SYNTAX when there is none, RANGE past 64 bits. */
static enum rdt_status digits(struct span *s, unsigned base, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t n = 0;

	for (; n < s->len; n++) {
		const char c = lower(s->p[n]);
		const unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				   : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							  : 16;

		if (d >= base)
			break;
		if (value > (UINT64_MAX - d) / base)
			return RDT_RANGE;
		value = value * base + d;
	}
	if (!n)
		return RDT_SYNTAX;
	skip(s, n);
	*ret_value = value;
	return RDT_OK;
}

/* Decimal or 0x hex, at the front of s. */
static enum rdt_status number(struct span *s, uint64_t *ret_value)
{
	struct span rest = *s;

	if (take(&rest, "0x")) {
		const enum rdt_status status = digits(&rest, 16, ret_value);

		if (status == RDT_OK)
			*s = rest;
		return status;
	}
	return digits(s, 10, ret_value);
}

/*
 * A decimal number with an optional fraction, times unit. The fraction is taken digit by digit as
 * far as the unit has tenths, so that what can be exact is.
 */
static enum rdt_status scaled(struct span whole, struct span fraction, uint64_t unit, uint64_t *ret)
{
	uint64_t value = 0, sum;
	enum rdt_status status = whole.len ? digits(&whole, 10, &value) : RDT_OK;

	if (status != RDT_OK)
		return status;
	if (value > UINT64_MAX / unit)
		return RDT_RANGE;
	sum = value * unit;
	for (size_t i = 0; i < fraction.len && unit >= 10; i++) {
		unit /= 10;
		value = (uint64_t)(fraction.p[i] - '0') * unit;
		if (value > UINT64_MAX - sum)
			return RDT_RANGE;
		sum += value;
	}
	*ret = sum;
	return RDT_OK;
}

/* The digits before and after a point at the front of s. False when there are none. */
static bool split_decimal(struct span *s, struct span *ret_whole, struct span *ret_fraction)
{
	*ret_whole = (struct span){ s->p, 0 };
	while (s->len && *s->p >= '0' && *s->p <= '9') {
		ret_whole->len++;
		skip(s, 1);
	}
	*ret_fraction = (struct span){ s->p, 0 };
	if (s->len && *s->p == '.') {
		skip(s, 1);
		ret_fraction->p = s->p;
		while (s->len && *s->p >= '0' && *s->p <= '9') {
			ret_fraction->len++;
			skip(s, 1);
		}
	}
	return ret_whole->len || ret_fraction->len;
}

enum rdt_status rdt_duration_parse(const char *text, size_t len, uint64_t *ret_ns)
{
	/* Longer names first where one begins like another. */
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },         { "us", NS_PER_US },   { "\xc2\xb5s", NS_PER_US },
		{ "ms", NS_PER_MS }, { "min", NS_PER_MIN }, { "s", NS_PER_S },
		{ "h", NS_PER_H },
	};
	struct span s = trimmed(text, len);
	uint64_t sum = 0;

	if (!s.len)
		return RDT_SYNTAX;
	/* "2 h 26 min" is a sum. */
	while (s.len) {
		struct span whole, fraction;
		enum rdt_status status;
		uint64_t value;
		size_t u = 0;

		if (!split_decimal(&s, &whole, &fraction))
			return RDT_SYNTAX;
		skip_blanks(&s);
		while (u < sizeof(units) / sizeof(units[0]) && !take(&s, units[u].name))
			u++;
		if (u == sizeof(units) / sizeof(units[0]))
			return RDT_SYNTAX;
		status = scaled(whole, fraction, units[u].ns, &value);
		if (status != RDT_OK)
			return status;
		if (value > UINT64_MAX - sum)
			return RDT_RANGE;
		sum += value;
		skip_blanks(&s);
	}
	*ret_ns = sum;
	return RDT_OK;
}

/* "1024 B", "2.5 Gbit/s": a number and one of three names of a unit; the number times factor. */
static enum rdt_status quantity(struct span s, const char *const names[3], uint64_t factor,
				uint64_t *ret_value)
{
	struct span whole, fraction;

	if (!split_decimal(&s, &whole, &fraction))
		return RDT_SYNTAX;
	skip_blanks(&s);
	if (!is(s, names[0]) && !is(s, names[1]) && !is(s, names[2]))
		return RDT_SYNTAX;
	return scaled(whole, fraction, factor, ret_value);
}

/* The code whose scaled value is nearest to want. RDT_RANGE when it is more than 1 % away. */
static enum rdt_status nearest_code(const struct rdt_field *f, uint64_t want, uint64_t *ret_value)
{
	const uint64_t max = f->width < 8 ? (1u << f->width) - 1 : 255;
	uint64_t best = 0, best_off = UINT64_MAX, best_scaled = 0;

	for (uint64_t code = 0; code <= max; code++) {
		uint64_t value, off;

		if (!rdt_unit_scale((enum rdt_unit)f->unit, code, &value))
			continue;
		off = value > want ? value - want : want - value;
		if (off < best_off) {
			best = code;
			best_off = off;
			best_scaled = value;
		}
	}
	if (best_off > best_scaled / 100)
		return RDT_RANGE;
	*ret_value = best;
	return RDT_OK;
}

/* A value in the unit of the field, as people write it. SYNTAX when it is none. */
static enum rdt_status unit_parse(const struct rdt_field *f, struct span s, uint64_t *ret_value)
{
	static const char *const bytes[3] = { "b", "bytes", "byte" };
	static const char *const gbps[3] = { "gbit/s", "gb/s", "g" };
	const struct rdt_name *space;
	struct span rest = s;
	enum rdt_status status;
	uint64_t value;
	size_t n = 0;

	switch ((enum rdt_unit)f->unit) {
	case RDT_UNIT_BYTES:
		return quantity(s, bytes, 1, ret_value);
	case RDT_UNIT_DWORDS:
	case RDT_UNIT_OCTETS8:
	case RDT_UNIT_KIB_LESS1:
		status = quantity(s, bytes, 1, &value);
		if (status != RDT_OK)
			return status;
		if (f->unit == RDT_UNIT_KIB_LESS1) {
			if (!value || value % 1024)
				return RDT_RANGE;
			*ret_value = value / 1024 - 1;
		} else {
			if (value % (f->unit == RDT_UNIT_DWORDS ? 4 : 8))
				return RDT_RANGE;
			*ret_value = value / (f->unit == RDT_UNIT_DWORDS ? 4 : 8);
		}
		return RDT_OK;
	case RDT_UNIT_SECONDS:
		status = rdt_duration_parse(s.p, s.len, &value);
		if (status != RDT_OK)
			return status;
		if (value % NS_PER_S)
			return RDT_RANGE;
		*ret_value = value / NS_PER_S;
		return RDT_OK;
	case RDT_UNIT_ACK_TIMEOUT:
		if (is(s, "infinite")) {
			*ret_value = 0;
			return RDT_OK;
		}
		status = rdt_duration_parse(s.p, s.len, &value);
		return status == RDT_OK ? nearest_code(f, value, ret_value) : status;
	case RDT_UNIT_CM_TIMEOUT:
	case RDT_UNIT_RNR_TIMER:
		status = rdt_duration_parse(s.p, s.len, &value);
		return status == RDT_OK ? nearest_code(f, value, ret_value) : status;
	case RDT_UNIT_RNR_RETRY:
		if (!is(s, "infinite"))
			return RDT_SYNTAX;
		*ret_value = 7;
		return RDT_OK;
	case RDT_UNIT_MTU_CODE:
		/* "1024" cannot be a code, so it needs no unit. */
		status = digits(&rest, 10, &value);
		if (status == RDT_OK && rest.len)
			status = quantity(s, bytes, 1, &value);
		if (status != RDT_OK)
			return status;
		for (unsigned code = 1; code <= 5; code++) {
			if (rdt_mtu_bytes(code) == value) {
				*ret_value = code;
				return RDT_OK;
			}
		}
		return RDT_RANGE;
	case RDT_UNIT_RATE_CODE:
		status = quantity(s, gbps, NS_PER_S, &value);
		return status == RDT_OK ? nearest_code(f, value, ret_value) : status;
	case RDT_UNIT_SERVICE_ID:
		/* "tcp port 7174", "tcp:7174" */
		while (n < s.len && s.p[n] != ' ' && s.p[n] != ':')
			n++;
		space = rdt_name_parse(RDT_NAMES_port_space, s.p, n);
		skip(&rest, n);
		if (!space || !(take(&rest, ":") || take(&rest, " port ")))
			return RDT_SYNTAX;
		status = digits(&rest, 10, &value);
		if (status != RDT_OK || rest.len)
			return status == RDT_RANGE ? RDT_RANGE : RDT_SYNTAX;
		if (value > UINT16_MAX)
			return RDT_RANGE;
		*ret_value = (uint64_t)space->value << 16 | value;
		return RDT_OK;
	case RDT_UNIT_NONE:
	case RDT_UNIT_AETH_VALUE:
	case RDT_UNIT_COUNT:
		break;
	}
	return RDT_SYNTAX;
}

/* count groups of exactly digits_each hex digits with a separator between. */
static bool groups_parse(struct span s, unsigned count, unsigned digits_each, uint64_t *ret_value)
{
	uint64_t value = 0, group;

	for (unsigned i = 0; i < count; i++) {
		struct span part;

		if (i && !take(&s, ":") && !(digits_each == 2 && take(&s, "-")))
			return false;
		part = (struct span){ s.p, digits_each };
		if (s.len < digits_each || digits(&part, 16, &group) != RDT_OK || part.len)
			return false;
		skip(&s, digits_each);
		value = value << 4 * digits_each | group;
	}
	if (s.len)
		return false;
	*ret_value = value;
	return true;
}

/* A word for the field: an address, yes or no, a name of its list. */
static bool word_parse(const struct rdt_field *f, struct span s, uint64_t *ret_value)
{
	const struct rdt_name *name;
	struct rdt_addr addr;

	switch ((enum rdt_kind)f->kind) {
	case RDT_KIND_GUID:
		return groups_parse(s, 4, 4, ret_value);
	case RDT_KIND_MAC:
		return groups_parse(s, 6, 2, ret_value);
	case RDT_KIND_IPV4:
		if (rdt_addr_parse(s.p, s.len, &addr) != RDT_OK || addr.kind != RDT_ADDR_IPV4)
			return false;
		*ret_value = rdt_be_load(addr.bytes + 12, 4);
		return true;
	case RDT_KIND_FLAG:
		if (is(s, "yes") || is(s, "true") || is(s, "on"))
			*ret_value = 1;
		else if (is(s, "no") || is(s, "false") || is(s, "off"))
			*ret_value = 0;
		else
			return false;
		return true;
	case RDT_KIND_UINT:
	case RDT_KIND_UINT_LE:
	case RDT_KIND_RSVD:
	case RDT_KIND_BYTES:
	case RDT_KIND_TEXT:
	case RDT_KIND_GID:
		break;
	}
	name = rdt_name_parse((enum rdt_names_id)f->names, s.p, s.len);
	if (!name)
		return false;
	*ret_value = name->value;
	return true;
}

enum rdt_status rdt_field_parse(const struct rdt_field *f, const char *text, size_t len,
				uint64_t *ret_value)
{
	const struct span s = trimmed(text, len);
	const uint64_t max = UINT64_MAX >> (f->width < 64 ? 64 - f->width : 0);
	enum rdt_status status;
	struct span rest = s;
	uint64_t value;

	if (!rdt_field_is_num(f) || !s.len)
		return RDT_SYNTAX;
	status = number(&rest, &value);
	if (status == RDT_OK && rest.len)
		status = RDT_SYNTAX;
	/* "1024" is no MTU code, but an MTU. */
	if (status == RDT_OK && value > max && f->unit == RDT_UNIT_MTU_CODE)
		status = RDT_SYNTAX;
	if (status == RDT_SYNTAX && word_parse(f, s, &value))
		status = RDT_OK;
	if (status == RDT_SYNTAX)
		status = unit_parse(f, s, &value);
	if (status != RDT_OK)
		return status;
	if (value > max)
		return RDT_RANGE;
	*ret_value = value;
	return RDT_OK;
}

/* ---- names that are meant ------------------------------------------------------------------------- */

static char fold(char c)
{
	return c == '_' || c == '-' ? '.' : c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

unsigned rdt_text_distance(const char *a, size_t alen, const char *b, size_t blen)
{
	unsigned row[RDT_DISTANCE_MAX + 1];

	for (size_t j = 0; j <= blen; j++)
		row[j] = (unsigned)j;
	for (size_t i = 1; i <= alen; i++) {
		unsigned diagonal = row[0];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= blen; j++) {
			const unsigned above = row[j];
			const unsigned least = (above < row[j - 1] ? above : row[j - 1]) + 1;
			const unsigned swap = diagonal + (fold(a[i - 1]) != fold(b[j - 1]));

			row[j] = least < swap ? least : swap;
			diagonal = above;
		}
	}
	return row[blen];
}
