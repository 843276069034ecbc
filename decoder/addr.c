// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/addr.h"

#include <stdio.h>

/* The first 12 bytes of an IPv4-mapped address (RFC 4291, 2.5.5.2). */
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

struct rdt_addr rdt_addr_ipv4(uint32_t ip)
{
	struct rdt_addr a = { .kind = RDT_ADDR_IPV4 };

	memcpy(a.bytes, mapped, sizeof(mapped));
	for (unsigned i = 0; i < 4; i++)
		a.bytes[12 + i] = (uint8_t)(ip >> (24 - 8 * i));
	return a;
}

struct rdt_addr rdt_addr_gid(const uint8_t gid[16])
{
	static const uint8_t zero[16];
	struct rdt_addr a = { .kind = RDT_ADDR_GID };

	memcpy(a.bytes, gid, sizeof(a.bytes));
	if (!memcmp(gid, zero, sizeof(zero)))
		a.kind = RDT_ADDR_NONE;
	else if (!memcmp(gid, mapped, sizeof(mapped)))
		a.kind = RDT_ADDR_IPV4;
	return a;
}

struct rdt_addr rdt_addr_ipcm(unsigned ip_version, const uint8_t bytes[16])
{
	struct rdt_addr a = rdt_addr_gid(bytes);

	if (ip_version == 4 && a.kind != RDT_ADDR_NONE) {
		memcpy(a.bytes, mapped, sizeof(mapped));
		a.kind = RDT_ADDR_IPV4;
	}
	return a;
}

struct rdt_addr rdt_addr_lid(uint16_t lid)
{
	struct rdt_addr a = { .kind = RDT_ADDR_LID };

	a.bytes[14] = (uint8_t)(lid >> 8);
	a.bytes[15] = (uint8_t)lid;
	return a;
}

static unsigned group(const uint8_t *bytes, unsigned i)
{
	return (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
}

/* Append text; at stays at most size - 1 and buf terminated, whatever does not fit. */
static size_t append(char *buf, size_t size, size_t at, const char *text)
{
	while (*text && at + 1 < size)
		buf[at++] = *text++;
	if (size)
		buf[at] = '\0';
	return at;
}

/* RFC 5952: lower case, no leading zeros, the first of the longest runs of zero groups as "::". */
static void gid_text(const uint8_t *bytes, char *buf, size_t size)
{
	unsigned best = 8, best_len = 1;
	size_t at = append(buf, size, 0, "");
	char text[8];

	for (unsigned i = 0; i < 8; i++) {
		unsigned n = 0;

		while (i + n < 8 && !group(bytes, i + n))
			n++;
		if (n > best_len) {
			best = i;
			best_len = n;
		}
		i += n ? n - 1 : 0;
	}
	for (unsigned i = 0; i < 8; i++) {
		if (i == best) {
			at = append(buf, size, at, "::");
			i += best_len - 1;
			continue;
		}
		snprintf(text, sizeof(text), "%x", group(bytes, i));
		if (i && i != best + best_len)
			at = append(buf, size, at, ":");
		at = append(buf, size, at, text);
	}
}

char *rdt_addr_text(const struct rdt_addr *a, char *buf, size_t size)
{
	switch ((enum rdt_addr_kind)a->kind) {
	case RDT_ADDR_IPV4:
		snprintf(buf, size, "%u.%u.%u.%u", a->bytes[12], a->bytes[13], a->bytes[14],
			 a->bytes[15]);
		return buf;
	case RDT_ADDR_GID:
		gid_text(a->bytes, buf, size);
		return buf;
	case RDT_ADDR_LID:
		snprintf(buf, size, "lid:%u", group(a->bytes, 7));
		return buf;
	case RDT_ADDR_NONE:
		break;
	}
	snprintf(buf, size, "-");
	return buf;
}

/* The value of a digit in any base up to 16; 16 for a character that is none. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

/* Read up to max_digits digits at *at. False when there is none, or more. */
static bool number(const char *text, size_t len, size_t *at, unsigned base, unsigned max_digits,
		   unsigned *ret_value)
{
	unsigned value = 0, n = 0;

	for (; *at < len && digit(text[*at]) < base; ++*at, n++) {
		if (n == max_digits)
			return false;
		value = value * base + digit(text[*at]);
	}
	*ret_value = value;
	return n;
}

/* Exactly four decimal bytes with dots between, to the end of the text. */
static bool ipv4_parse(const char *text, size_t len, uint8_t bytes[4])
{
	size_t at = 0;
	unsigned value;

	for (unsigned i = 0; i < 4; i++) {
		if (i && (at == len || text[at++] != '.'))
			return false;
		if (!number(text, len, &at, 10, 3, &value) || value > 255)
			return false;
		bytes[i] = (uint8_t)value;
	}
	return at == len;
}

/* RFC 4291, 2.2: eight groups, "::" once for zero groups, IPv4 in place of the last two. */
static bool gid_parse(const char *text, size_t len, uint8_t bytes[16])
{
	uint8_t got[16] = { 0 };
	unsigned groups = 0, gap = 9; /* gap: how many groups stand before "::", 9 without one */
	size_t at = 0;

	if (len >= 2 && text[0] == ':' && text[1] == ':') {
		gap = 0;
		at = 2;
	}
	while (at < len) {
		const size_t begin = at;
		unsigned value;

		if (groups == 8 || !number(text, len, &at, 16, 4, &value))
			return false;
		if (at < len && text[at] == '.') {
			if (groups > 6 || !ipv4_parse(text + begin, len - begin, got + 2 * groups))
				return false;
			groups += 2;
			break;
		}
		got[2 * groups] = (uint8_t)(value >> 8);
		got[2 * groups + 1] = (uint8_t)value;
		groups++;
		if (at == len)
			break;
		if (text[at++] != ':' || at == len)
			return false;
		if (text[at] == ':') {
			if (gap < 9)
				return false;
			gap = groups;
			at++;
		}
	}
	if (gap == 9 ? groups != 8 : groups > 7)
		return false;
	if (gap < 9) {
		const size_t tail = 2u * (groups - gap);

		memmove(got + 16 - tail, got + 2 * gap, tail);
		memset(got + 2 * gap, 0, 16 - tail - 2 * gap);
	}
	memcpy(bytes, got, sizeof(got));
	return true;
}

static bool lid_parse(const char *text, size_t len, uint16_t *ret_lid)
{
	const bool hex = len > 6 && text[4] == '0' && (text[5] == 'x' || text[5] == 'X');
	size_t at = hex ? 6 : 4;
	unsigned value;

	if (len < 5 || memcmp(text, "lid:", 4) ||
	    !number(text, len, &at, hex ? 16 : 10, 5, &value) || at != len || value > UINT16_MAX)
		return false;
	*ret_lid = (uint16_t)value;
	return true;
}

enum rdt_status rdt_addr_parse(const char *text, size_t len, struct rdt_addr *ret_addr)
{
	uint8_t bytes[16];
	uint16_t lid;

	if (len == 1 && text[0] == '-') {
		*ret_addr = (struct rdt_addr){ .kind = RDT_ADDR_NONE };
	} else if (ipv4_parse(text, len, bytes)) {
		memmove(bytes + 12, bytes, 4);
		memcpy(bytes, mapped, sizeof(mapped));
		*ret_addr = rdt_addr_gid(bytes);
	} else if (gid_parse(text, len, bytes)) {
		*ret_addr = rdt_addr_gid(bytes);
	} else if (lid_parse(text, len, &lid)) {
		*ret_addr = rdt_addr_lid(lid);
	} else {
		return RDT_SYNTAX;
	}
	return RDT_OK;
}
