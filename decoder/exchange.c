// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/exchange.h"

#include <string.h>

static const struct {
	const char *pattern, *source;
	uint8_t program, len; /* with the zero byte */
} formats[RDT_EXCHANGE_FORMATS] = {
#define X(symbol, who, text, from)      \
	{ .pattern = (text),            \
	  .source = (from),             \
	  .program = RDT_PROGRAM_##who, \
	  .len = (uint8_t)sizeof(text) },
#include "wire/exchange.def"
#undef X
};

#define X(symbol, who, text, from)                       \
	_Static_assert(sizeof(text) <= RDT_EXCHANGE_MAX, \
		       #symbol " is longer than RDT_EXCHANGE_MAX");
#include "wire/exchange.def"
#undef X

const char *rdt_program_key(enum rdt_program program)
{
	static const char *const keys[] = {
#define X(symbol, key, text) key,
		RDT_PROGRAM_LIST(X)
#undef X
	};

	return program < RDT_PROGRAM_COUNT ? keys[program] : NULL;
}

const char *rdt_program_text(enum rdt_program program)
{
	static const char *const texts[] = {
#define X(symbol, key, text) text,
		RDT_PROGRAM_LIST(X)
#undef X
	};

	return program < RDT_PROGRAM_COUNT ? texts[program] : NULL;
}

enum rdt_program rdt_exchange_program(enum rdt_exchange_format format)
{
	return (enum rdt_program)(format < RDT_EXCHANGE_FORMATS ? formats[format].program
								: RDT_PROGRAM_NONE);
}

size_t rdt_exchange_len(enum rdt_exchange_format format)
{
	return format < RDT_EXCHANGE_FORMATS ? formats[format].len : 0;
}

const char *rdt_exchange_source(enum rdt_exchange_format format)
{
	return format < RDT_EXCHANGE_FORMATS ? formats[format].source : NULL;
}

/* The value of a digit; 16 for none. Programs write lower case. */
static unsigned digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - (unsigned)'0';
	return c >= 'a' && c <= 'f' ? c - (unsigned)'a' + 10 : 16;
}

static enum rdt_fit fits(const char *pattern, size_t size, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < size; i++) {
		if (i == len)
			return RDT_FIT_MORE;
		if (pattern[i] == ':' || !pattern[i] ? bytes[i] != (uint8_t)pattern[i]
						     : digit(bytes[i]) > 15)
			return RDT_FIT_NO;
	}
	return RDT_FIT_YES;
}

/* The digits of one letter as a number; 0 when the pattern has none. */
static uint64_t number(const char *pattern, char letter, const uint8_t *bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; pattern[i]; i++)
		if (pattern[i] == letter)
			value = value << 4 | digit(bytes[i]);
	return value;
}

static void read_gid(const char *pattern, const uint8_t *bytes, uint8_t gid[16])
{
	size_t digits = 0;

	for (size_t i = 0; pattern[i] && digits < 32; i++)
		if (pattern[i] == 'G') {
			gid[digits / 2] =
				(uint8_t)((unsigned)gid[digits / 2] << 4 | digit(bytes[i]));
			digits++;
		}
}

static void read_text(enum rdt_exchange_format format, const uint8_t *bytes,
		      struct rdt_exchange_text *text)
{
	static const struct {
		char letter;
		uint8_t tells;
	} optional[] = { { 'G', RDT_TELLS_GID },
			 { 'K', RDT_TELLS_RKEY },
			 { 'R', RDT_TELLS_RECV_QPN },
			 { 'S', RDT_TELLS_SRQN } };
	const char *p = formats[format].pattern;

	*text = (struct rdt_exchange_text){
		.format = (uint8_t)format,
		.lid = (uint32_t)number(p, 'L', bytes),
		.qpn = (uint32_t)number(p, 'Q', bytes),
		.recv_qpn = (uint32_t)number(p, 'R', bytes),
		.psn = (uint32_t)number(p, 'P', bytes),
		.rkey = (uint32_t)number(p, 'K', bytes),
		.srqn = (uint32_t)number(p, 'S', bytes),
		.out_reads = (uint32_t)number(p, 'O', bytes),
		.vaddr = number(p, 'V', bytes),
	};
	read_gid(p, bytes, text->gid);
	for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++)
		if (strchr(p, optional[i].letter))
			text->has |= (uint8_t)(1u << optional[i].tells);
}

enum rdt_fit rdt_exchange_parse(const uint8_t *bytes, size_t len,
				struct rdt_exchange_text *ret_text)
{
	enum rdt_fit best = RDT_FIT_NO;

	for (unsigned f = 0; f < RDT_EXCHANGE_FORMATS; f++) {
		const enum rdt_fit fit = fits(formats[f].pattern, formats[f].len, bytes, len);

		if (fit == RDT_FIT_YES) {
			read_text((enum rdt_exchange_format)f, bytes, ret_text);
			return fit;
		}
		if (fit > best)
			best = fit;
	}
	return best;
}

enum rdt_fit rdt_exchange_version(const uint8_t *bytes, size_t len)
{
	const size_t n = len < RDT_PERFTEST_VERSION ? len : RDT_PERFTEST_VERSION;
	unsigned dots = 0, after = 0;
	bool ended = false;

	for (size_t i = 0; i < n; i++) {
		if (ended && bytes[i])
			return RDT_FIT_NO;
		if (bytes[i] >= '0' && bytes[i] <= '9') {
			after += dots;
		} else if (bytes[i] == '.') {
			if (!i || dots++)
				return RDT_FIT_NO;
		} else if (!bytes[i]) {
			if (!after)
				return RDT_FIT_NO;
			ended = true;
		} else {
			return RDT_FIT_NO;
		}
	}
	if (n < RDT_PERFTEST_VERSION)
		return RDT_FIT_MORE;
	return ended ? RDT_FIT_YES : RDT_FIT_NO;
}

enum rdt_fit rdt_exchange_done(const uint8_t *bytes, size_t len, size_t *ret_len)
{
	static const char *const words[] = { "done", "END" };
	enum rdt_fit best = RDT_FIT_NO;

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		const size_t size = strlen(words[w]) + 1;
		const size_t n = len < size ? len : size;

		if (memcmp(bytes, words[w], n) != 0)
			continue;
		if (n == size) {
			*ret_len = size;
			return RDT_FIT_YES;
		}
		best = RDT_FIT_MORE;
	}
	return best;
}
