/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What -e names: a column of a record (vocab.h), a wire field (field.h), or something of the frame
 * itself; and how such values look in CSV and JSON.
 */
#ifndef RDMA_TRACE_COLUMNS_H
#define RDMA_TRACE_COLUMNS_H

#include "cli.h"
#include "json.h"
#include "rdmatrace/layers.h"
#include "rdmatrace/vocab.h"

/* Things of the frame itself: X(key, label). Full name frame.<key>. */
#define FRAME_KEY_LIST(X)                                      \
	X(number, "Number in its capture, from 1")             \
	X(input, "Which capture, from 0")                      \
	X(time, "Time")                                        \
	X(time_ns, "Time, ns since 1970")                      \
	X(rel_ns, "Time from the first packet of the capture") \
	X(len, "Bytes on the wire")                            \
	X(cap_len, "Bytes captured")                           \
	X(link, "LINKTYPE number")                             \
	X(src, "Source address: IP, GID or LID")               \
	X(dst, "Destination address")                          \
	X(problem, "What is wrong with the frame")

enum frame_key {
#define X(key, label) FRAME_KEY_##key,
	FRAME_KEY_LIST(X)
#undef X
		FRAME_KEY_COUNT
};

const char *frame_key_name(enum frame_key key);
const char *frame_key_label(enum frame_key key);

enum column_kind { COLUMN_REC, COLUMN_FIELD, COLUMN_FRAME };

struct column {
	enum column_kind kind;
	size_t id;        /* RDT_COL_x, RDT_F_x or enum frame_key */
	const char *name; /* as in headers and JSON: "n", "msg.copy", "bth.psn", "frame.number" */
};

struct columns {
	struct column *items;
	size_t count;
};

/*
 * Look up the names of -e. records: bits 1 << RDT_REC_x of records whose columns may be named;
 * wire: fields and frame.* too. A bare name is of the first record that has it. Names named twice
 * are taken once. False after printing which name is wrong.
 */
bool columns_parse(const char *const *names, unsigned records, bool wire,
		   struct columns *ret_columns);

/* All columns of one record, in the order of the vocabulary. */
void columns_of_record(enum rdt_rec rec, struct columns *ret_columns);

void columns_free(struct columns *columns);

/* ---- values ------------------------------------------------------------------------------- */

#define VALUE_TEXT 4096

/*
 * A value for machines: numbers as in JSON, text without quotes, "" for absent. Returns a place in
 * buf (size >= CLI_TIME_TEXT) or a static text.
 */
const char *value_text(const struct rdt_value *value, char *buf, size_t size);

/* The same as JSON. */
void value_json(struct json *j, const char *key, const struct rdt_value *value);

/*
 * A field of a layer: raw integer; fields shown in hex that are wider than 32 bits, and runs of
 * bytes, as text. hdr has all its bytes. With JSON, units and names give a second key (key_ns,
 * key_name); key is the field's own when NULL.
 */
const char *field_value_text(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size);
void field_json(struct json *j, const char *key, const struct rdt_field *f, const uint8_t *hdr);

/* ---- csv ------------------------------------------------------------------------------------ */

/* One field of a row, quoted where it must be (RFC 4180); first: no separator before it. */
void csv_put(FILE *out, const struct cli_table *table, bool first, const char *text);
void csv_end(FILE *out);
void csv_header(FILE *out, const struct cli_table *table, const struct columns *columns);

#endif
