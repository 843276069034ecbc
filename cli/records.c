/* SPDX-License-Identifier: BSD-2-Clause */
#include "records.h"

#include "private_data.h"
#include "progress.h"

void records_init(struct records *r, const struct session *session, const struct columns *columns)
{
	*r = (struct records){
		.session = session,
		.columns = columns && columns->count ? columns : NULL,
		.json = { .out = cli_out(), .first = true },
		.array = session->opts->format == CLI_JSON,
	};
}

struct json *records_open(struct records *r, const char *type)
{
	/* A line stands alone; an element follows another with a comma, which json_open() writes. */
	if (!r->array)
		r->json.first = true;
	json_open(&r->json, NULL, '{');
	json_text(&r->json, "type", type);
	return &r->json;
}

void records_close(struct records *r)
{
	json_close(&r->json, '}');
	fputc('\n', r->json.out);
}

static void put_inputs(struct json *j, const struct session *session, bool done)
{
	const struct input_info *infos;
	const size_t count = session_inputs(session, &infos);

	json_open(j, "inputs", '[');
	for (size_t i = 0; i < count; i++) {
		json_open(j, NULL, '{');
		json_text(j, "path", infos[i].path);
		if (done)
			json_uint(j, "packets", infos[i].packets);
		else
			json_null(j, "packets");
		json_open(j, "link_types", '[');
		for (unsigned k = 0; k < infos[i].link_count; k++)
			json_uint(j, NULL, infos[i].links[k]);
		json_close(j, ']');
		if (done)
			json_bool(j, "truncated", infos[i].truncated);
		else
			json_null(j, "truncated");
		json_close(j, '}');
	}
	json_close(j, ']');
}

void records_identify(struct json *j)
{
	json_text(j, "schema", "rdma-trace/1");
	json_text(j, "tool", CLI_NAME);
	json_text(j, "version", RDT_VERSION);
}

void records_begin(struct records *r, bool done)
{
	struct json *j;
	char text[CLI_TIME_TEXT];

	if (r->begun)
		return;
	r->begun = true;
	if (r->array) {
		json_open(&r->json, NULL, '[');
		fputc('\n', r->json.out);
	}
	j = records_open(r, "header");
	records_identify(j);
	put_inputs(j, r->session, done);
	if (r->session->packets)
		json_text(j, "start", cli_rfc3339(r->session->base_ns, text));
	else
		json_null(j, "start");
	records_close(r);
}

static void put_columns(struct records *r, struct json *j, const struct rdt_conn *conn,
			size_t begin, size_t end, const void *record)
{
	const struct session *s = r->session;

	for (size_t i = begin; i < end; i++) {
		const struct rdt_value value =
			rdt_col_value(s->tracker, i, conn, record, s->base_ns);

		value_json(j, rdt_cols[i].key, &value);
	}
}

void records_conn(struct records *r, const struct rdt_conn *conn)
{
	struct json *j;
	size_t begin, end;

	records_begin(r, false);
	r->conns++;
	j = records_open(r, rdt_rec_key(RDT_REC_conn));
	if (r->columns) {
		for (size_t i = 0; i < r->columns->count; i++)
			put_columns(r, j, conn, r->columns->items[i].id,
				    r->columns->items[i].id + 1, NULL);
	} else {
		rdt_rec_cols(RDT_REC_conn, &begin, &end);
		put_columns(r, j, conn, begin, end, NULL);
	}
	records_close(r);
}

/* What rdt_col_value() wants as the record of an entry. */
static const void *entry_record(const struct rdt_entry *entry)
{
	switch ((enum rdt_rec)entry->kind) {
	case RDT_REC_msg:
		return &entry->msg;
	case RDT_REC_state:
		return &entry->state;
	case RDT_REC_event:
		return &entry->event;
	case RDT_REC_conn:
	case RDT_REC_COUNT:
		break;
	}
	return NULL;
}

void records_entry(struct records *r, const struct rdt_conn *conn, const struct rdt_entry *entry)
{
	const enum rdt_rec rec = (enum rdt_rec)entry->kind;
	struct json *j;
	size_t begin, end;

	records_begin(r, false);
	j = records_open(r, rdt_rec_key(rec));
	rdt_rec_cols(rec, &begin, &end);
	put_columns(r, j, conn, begin, end, entry_record(entry));
	if (rec == RDT_REC_msg)
		private_data_json(j, conn, &entry->msg);
	records_close(r);
}

void records_end(struct records *r)
{
	const struct session *s = r->session;
	const struct rdt_track_stats *stats = rdt_tracker_stats(s->tracker);
	struct json *j;

	records_begin(r, true);
	j = records_open(r, "end");
	json_uint(j, "packets", s->packets);
	json_uint(j, "conns", r->conns);
	if (r->judged)
		json_uint(j, "findings", r->findings);
	else
		json_null(j, "findings");
	json_bool(j, "partial", s->partial);
	json_uint(j, "evicted", stats->evicted);
	json_uint(j, "rdma_packets", stats->rdma);
	json_uint(j, "msgs", stats->msgs);
	json_uint(j, "malformed", stats->malformed);
	json_uint(j, "snapped", stats->snapped);
	json_uint(j, "icrc_bad", stats->icrc_bad);
	json_uint(j, "duplicated", stats->duplicated);
	json_uint(j, "time_back", stats->time_back);
	json_int(j, "elapsed_ns", progress_now_ns() - s->started_ns);
	records_close(r);
	if (r->array) {
		json_close(&r->json, ']');
		fputc('\n', r->json.out);
	}
}

void records_conn_csv(const struct session *session, const struct columns *columns,
		      const struct rdt_conn *conn)
{
	char buf[VALUE_TEXT];

	for (size_t i = 0; i < columns->count; i++) {
		const struct rdt_value value = rdt_col_value(session->tracker, columns->items[i].id,
							     conn, NULL, session->base_ns);

		csv_put(cli_out(), &session->opts->table, !i, value_text(&value, buf, sizeof(buf)));
	}
	csv_end(cli_out());
}
