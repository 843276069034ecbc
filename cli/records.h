/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine-readable output of json.md: header, conn, msg, state, event, end, as NDJSON lines or
 * as one JSON array. Keys and their order are the rows of vocab.def.
 */
#ifndef RDMA_TRACE_RECORDS_H
#define RDMA_TRACE_RECORDS_H

#include "columns.h"
#include "json.h"
#include "rdmatrace/journal.h"

struct records {
	const struct session *session;
	const struct columns *columns; /* -e: only these of a connection; NULL or empty for all */
	struct json json;
	bool array;     /* -T json: one array, not lines */
	bool begun;     /* the header was written */
	uint64_t conns; /* written */
	uint64_t findings;
	bool judged; /* findings were looked for: else their count is null */
};

/* Ready to write; nothing is written yet. Output goes to cli_out(). */
void records_init(struct records *r, const struct session *session, const struct columns *columns);

/* The keys that say whose output it is and how it is to be read. */
void records_identify(struct json *j);

/*
 * The header line, once; later calls do nothing. done: the inputs were read, so that their counts
 * are known (else null).
 */
void records_begin(struct records *r, bool done);

/* One line each. */
void records_conn(struct records *r, const struct rdt_conn *conn);
void records_entry(struct records *r, const struct rdt_conn *conn, const struct rdt_entry *entry);

/*
 * Lines of another kind: open an object with "type" type, add keys to r->json, close it.
 */
struct json *records_open(struct records *r, const char *type);
void records_close(struct records *r);

/* The end line, and the end of the array. */
void records_end(struct records *r);

/* One connection as a CSV or TSV row of these columns. */
void records_conn_csv(const struct session *session, const struct columns *columns,
		      const struct rdt_conn *conn);

#endif
