/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <glib.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

static void put(struct json *j, const char *text, size_t len)
{
	fwrite_unlocked(text, 1, len, j->out);
}

static void put_char(struct json *j, char c)
{
	putc_unlocked(c, j->out);
}

/* len bytes at text, which end where the string ends. */
static void put_string(struct json *j, const char *text, size_t len)
{
	const char *end = text + len, *plain = text;

	put_char(j, '"');
	while (text < end) {
		const unsigned char c = (unsigned char)*text;
		gunichar u;

		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
			text++;
			continue;
		}
		put(j, plain, (size_t)(text - plain));
		if (c == '"' || c == '\\') {
			put_char(j, '\\');
			put_char(j, (char)c);
			text++;
		} else if (c < 0x80) {
			const char escape[] = {
				'\\', 'u', '0', '0', hex_digits[c >> 4], hex_digits[c & 15]
			};

			put(j, escape, sizeof(escape));
			text++;
		} else {
			u = g_utf8_get_char_validated(text, end - text);
			if (u == (gunichar)-1 || u == (gunichar)-2) {
				put(j, "\xef\xbf\xbd", 3);
				text++;
			} else {
				const size_t n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;

				put(j, text, n);
				text += n;
			}
		}
		plain = text;
	}
	put(j, plain, (size_t)(text - plain));
	put_char(j, '"');
}

static void begin(struct json *j, const char *key)
{
	if (!j->first)
		put_char(j, ',');
	j->first = false;
	if (key) {
		put_string(j, key, strlen(key));
		put_char(j, ':');
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	begin(j, key);
	put_char(j, bracket);
	j->first = true;
}

void json_close(struct json *j, char bracket)
{
	put_char(j, bracket);
	j->first = false;
}

void json_null(struct json *j, const char *key)
{
	begin(j, key);
	put(j, "null", 4);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	put(j, value ? "true" : "false", value ? 4 : 5);
}

void json_raw(struct json *j, const char *key, const char *number)
{
	begin(j, key);
	put(j, number, strlen(number));
}

void json_uint(struct json *j, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	begin(j, key);
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	put(j, digits + at, sizeof(digits) - at);
}

void json_int(struct json *j, const char *key, int64_t value)
{
	char digits[21];
	size_t at = sizeof(digits);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

	begin(j, key);
	do
		digits[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		digits[--at] = '-';
	put(j, digits + at, sizeof(digits) - at);
}

void json_bytes(struct json *j, const char *key, const char *text, size_t len)
{
	begin(j, key);
	put_string(j, text, len);
}

void json_text(struct json *j, const char *key, const char *text)
{
	if (text)
		json_bytes(j, key, text, strlen(text));
	else
		json_null(j, key);
}

static void put_hex(struct json *j, const char *key, uint64_t value, unsigned digits, bool prefix)
{
	char text[20];
	size_t at = sizeof(text);

	begin(j, key);
	text[--at] = '"';
	for (unsigned i = 0; i < digits; i++, value >>= 4)
		text[--at] = hex_digits[value & 15];
	if (prefix) {
		text[--at] = 'x';
		text[--at] = '0';
	}
	text[--at] = '"';
	put(j, text + at, sizeof(text) - at);
}

void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits)
{
	put_hex(j, key, value, digits, true);
}

void json_id(struct json *j, const char *key, uint64_t value, unsigned digits)
{
	put_hex(j, key, value, digits, false);
}

void json_hex_run(struct json *j, const char *key, const uint8_t *bytes, size_t len)
{
	begin(j, key);
	put_char(j, '"');
	for (size_t i = 0; i < len; i++) {
		put_char(j, hex_digits[bytes[i] >> 4]);
		put_char(j, hex_digits[bytes[i] & 15]);
	}
	put_char(j, '"');
}
