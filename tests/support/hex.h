/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes written as hex digits in a test, blanks between them ignored. */
#ifndef TESTS_HEX_H
#define TESTS_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static inline unsigned hex_digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

/* Returns how many bytes; aborts when they are more than size, or not whole. */
static inline size_t hex_read(const char *text, uint8_t *buf, size_t size)
{
	size_t n = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		if (!text[1] || n == size)
			abort();
		buf[n++] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
		text++;
	}
	return n;
}

#endif
