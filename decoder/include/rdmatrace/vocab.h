/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The names and values of what the tracker tells: connections, messages, states, events. Together
 * with the wire fields (field.h) this is the one vocabulary of filters, columns, JSON and the
 * Wireshark plugin. Rows stand in track/vocab.def.
 *
 * Constant tables; nothing is allocated or kept.
 */
#ifndef RDMATRACE_VOCAB_H
#define RDMATRACE_VOCAB_H

#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "track.h"

/* Which record a name belongs to. */
enum rdt_rec { RDT_REC_conn, RDT_REC_msg, RDT_REC_state, RDT_REC_event, RDT_REC_COUNT };

/* "conn", "msg", "state", "event": the JSON value of "type". */
const char *rdt_rec_key(enum rdt_rec rec);

enum rdt_value_type {
	RDT_VALUE_NULL,  /* absent */
	RDT_VALUE_UINT,  /* num; JSON integer */
	RDT_VALUE_INT,   /* (int64_t)num; JSON integer */
	RDT_VALUE_BOOL,  /* num is 0 or 1; JSON true, false */
	RDT_VALUE_HEX32, /* num; JSON string "0x" and 8 digits */
	RDT_VALUE_HEX64, /* num; JSON string "0x" and 16 digits */
	RDT_VALUE_ID32,  /* num; JSON string of 8 digits */
	RDT_VALUE_TEXT,  /* text, static; JSON string */
	RDT_VALUE_ADDR,  /* addr; JSON string */
	RDT_VALUE_TIME, /* (int64_t)num, ns since 1970; JSON RFC 3339 string with nine digits, UTC */
	RDT_VALUE_DURATION, /* (int64_t)num, ns; JSON integer */
};

struct rdt_value {
	enum rdt_value_type type;
	uint64_t num;
	const char *text;
	const struct rdt_addr *addr;
};

struct rdt_col {
	const char *key;   /* "rej_reason" */
	const char *label; /* "Reason of the first REJ" */
	uint8_t rec;       /* enum rdt_rec */
	uint8_t type;      /* enum rdt_value_type of values that are not null */
};

/* Ids RDT_COL_conn_n and so on, in the order of the rows. */
enum rdt_col_id {
#define R(rec, key, type, label, value) RDT_COL_##rec##_##key,
#include "track/vocab.def"
#undef R
	RDT_COL_COUNT
};

extern const struct rdt_col rdt_cols[RDT_COL_COUNT];

/* The rows of a record are rdt_cols[*ret_begin .. *ret_end - 1]. */
void rdt_rec_cols(enum rdt_rec rec, size_t *ret_begin, size_t *ret_end);

/* The id of rec's column named key (len bytes); RDT_COL_COUNT when there is none. */
size_t rdt_col_find(enum rdt_rec rec, const char *key, size_t len);

/*
 * A value. record is the rdt_msg_rec, rdt_state_rec or rdt_event_rec that the column is of, and
 * NULL for connection columns. base is the time that relative times count from (ns since 1970).
 * text and addr of the result are borrowed from static storage and the tracker.
 */
struct rdt_value rdt_col_value(const struct rdt_tracker *t, size_t col, const struct rdt_conn *conn,
			       const void *record, int64_t base);

#endif
