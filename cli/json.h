/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A streaming JSON writer. Keys are written as they come, so no object is ever in memory; who
 * writes an object takes its keys from one table, where none is twice.
 *
 * Strings are escaped; bytes that are no UTF-8 become U+FFFD. Nothing is checked for nesting: the
 * writer trusts its callers, the tests parse what comes out.
 */
#ifndef RDMA_TRACE_JSON_H
#define RDMA_TRACE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool first; /* nothing was written yet inside the innermost bracket */
};

/* One object on its own: '{' opens it, json_end() closes it. key NULL: an element or the top. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);

/* A value; key is NULL inside an array. */
void json_null(struct json *j, const char *key);
void json_bool(struct json *j, const char *key, bool value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_int(struct json *j, const char *key, int64_t value);
void json_raw(struct json *j, const char *key, const char *number); /* as it is */
void json_text(struct json *j, const char *key, const char *text);  /* NULL gives null */
void json_bytes(struct json *j, const char *key, const char *text, size_t len);

/* "0x" and digits in lower case, as a string; and without 0x. */
void json_hex(struct json *j, const char *key, uint64_t value, unsigned digits);
void json_id(struct json *j, const char *key, uint64_t value, unsigned digits);

/* Bytes as a string of hex digits: "0a0b". */
void json_hex_run(struct json *j, const char *key, const uint8_t *bytes, size_t len);

#endif
