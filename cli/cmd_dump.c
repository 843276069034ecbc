/* SPDX-License-Identifier: BSD-2-Clause */
/* dump: one line per RDMA packet, or all of its fields. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "cli.h"
#include "dump.h"
#include "filter.h"
#include "pcapng.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/wire.h"
#include "records.h"
#include "select.h"
#include "write.h"

#define RECORDS (1u << RDT_REC_conn | 1u << RDT_REC_msg)

/* The columns of CSV when -e names none: what stands in most packets. */
static const char *const usual[] = { "frame.number", "frame.rel_ns", "frame.src",     "frame.dst",
				     "conn.n",       "msg.msg",      "msg.copy",      "bth.opcode",
				     "bth.dest_qpn", "bth.psn",      "frame.problem", NULL };

struct dump {
	struct session session;
	struct columns columns;
	struct records records;
	struct pcapng *file; /* -w */
	const struct input_info *infos;
	struct rdt_msg_rec msg; /* of the frame being fed */
	bool has_msg;
	bool two_passes, one_input, started;
	int64_t prev_ns;
	uint64_t shown;
	unsigned frame_width, ends_width,
		what_width; /* columns so far: lines of one width line up */
};

/* ---- which packets --------------------------------------------------------------------------- */

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	struct dump *dump = user;

	(void)conn;
	dump->msg = *rec;
	dump->msg.body = NULL;
	dump->msg.body_have = 0;
	dump->has_msg = true;
}

/* A frame that is not RDMA and looks as if it should have been. */
static bool is_broken(const struct rdt_frame *f)
{
	if (f->problem == RDT_PROBLEM_BTH_SHORT || f->problem == RDT_PROBLEM_GRH_LENGTH ||
	    f->problem == RDT_PROBLEM_LRH_LENGTH)
		return true;
	/* Native InfiniBand that was cut is RDMA all the same. */
	return f->lrh && rdt_frame_problem_is_snap((enum rdt_frame_problem)f->problem);
}

static bool is_rdma(const struct rdt_frame *f, const struct rdt_verdict *verdict)
{
	if (f->kind == RDT_FRAME_IB)
		return true;
	/* Of an iWARP connection: not each acknowledgement of TCP. */
	if (f->kind == RDT_FRAME_TCP)
		return verdict->conn != RDT_CONN_NONE && (f->payload_len || verdict->is_msg);
	return f->kind == RDT_FRAME_OTHER && is_broken(f);
}

static bool wanted(struct dump *dump, const struct dump_packet *d)
{
	const struct cli_opts *opts = dump->session.opts;
	struct rdt_view_records records = {
		.tracker = session_tracker(&dump->session),
		.conn = d->conn,
		.rec = { [RDT_REC_msg] = d->msg },
		.base = dump->session.base_ns,
	};
	struct rdt_view_frame about;
	struct rdt_view view;

	if (opts->select &&
	    (!d->conn || !selection_has(opts->select, d->conn->n, rdt_conn_id(d->conn))))
		return false;
	if (!opts->filter)
		return true;
	view = rdt_view_of(&records);
	rdt_view_set_packet(&view, d->layers, d->layer_count, d->frame);
	about = (struct rdt_view_frame){ d->packet->when, dump->session.base_ns, d->packet->len,
					 d->packet->have, d->packet->link };
	view.frame = &about;
	return rdt_filter_packet(opts->filter, &view);
}

/* ---- text ------------------------------------------------------------------------------------ */

static void pad(const char *text, unsigned *width)
{
	const unsigned n = (unsigned)cli_text_width(text);

	if (n > *width)
		*width = n;
	fprintf(cli_out(), "%s%*s", text, (int)(*width - n), "");
}

static enum cli_tone tone_of(const struct dump_packet *d)
{
	if (dump_problem(d) || d->verdict->icrc == RDT_ICRC_BAD)
		return CLI_TONE_BAD;
	if (!d->verdict->is_msg)
		return CLI_TONE_OFF;
	if (d->verdict->msg == RDT_MSG_REJ || d->verdict->msg == RDT_MSG_TCP_RST)
		return CLI_TONE_BAD;
	return d->verdict->copy ? CLI_TONE_WARN : CLI_TONE_GOOD;
}

static void put_text(struct dump *dump, const struct dump_packet *d)
{
	const struct cli_opts *opts = dump->session.opts;
	const enum cli_tone tone = tone_of(d);
	FILE *out = cli_out();
	char text[2 * CLI_HOST_TEXT + 8], details[1024] = "", src[CLI_HOST_TEXT],
					  dst[CLI_HOST_TEXT];
	size_t used, len;

	if (!dump->one_input)
		fprintf(out, "%u:", d->packet->when.input + 1u);
	snprintf(text, sizeof(text), "%" PRIu32, d->packet->when.frame);
	if (cli_text_width(text) > dump->frame_width)
		dump->frame_width = (unsigned)cli_text_width(text);
	used = (size_t)fprintf(out, "%*s  ", (int)dump->frame_width, text);
	used += (size_t)fprintf(out, "%10s  ",
				cli_time_text(opts, d->packet->when.ns, dump->session.base_ns,
					      &dump->prev_ns, dump->session.time_digits, text));
	snprintf(text, sizeof(text), "%s > %s",
		 cli_addr_text(opts, &d->frame->src, src, sizeof(src)),
		 cli_addr_text(opts, &d->frame->dst, dst, sizeof(dst)));
	pad(text, &dump->ends_width);
	fputs("  ", out);
	fputs(tone == CLI_TONE_OFF ? "" : cli_tone(opts, tone), out);
	pad(dump_what(d, text, sizeof(text)), &dump->what_width);
	fputs(tone == CLI_TONE_OFF ? "" : cli_tone(opts, CLI_TONE_OFF), out);
	if (d->conn && d->conn->n)
		snprintf(text, sizeof(text), "  %3" PRIu32, d->conn->n);
	else
		snprintf(text, sizeof(text), "    %s", "-");
	fputs(text, out);
	used += dump->ends_width + dump->what_width + 2 + strlen(text);

	dump_details(d, details, sizeof(details));
	len = strlen(details);
	if (opts->width && used + len > opts->width && !opts->decode) {
		len = opts->width > used + 1 ? opts->width - used - 1 : 0;
		fprintf(out, "%.*s%s\n", (int)len, details, opts->ascii ? "~" : "…");
	} else {
		fprintf(out, "%s\n", details);
	}
	if (opts->decode)
		dump_decode(opts, d);
}

/* ---- columns --------------------------------------------------------------------------------- */

static struct rdt_value record_value(const struct dump *dump, const struct dump_packet *d,
				     size_t col)
{
	const enum rdt_rec rec = (enum rdt_rec)rdt_cols[col].rec;

	if (!d->conn || (rec == RDT_REC_msg && !d->msg))
		return (struct rdt_value){ .type = RDT_VALUE_NULL };
	return rdt_col_value(session_tracker(&dump->session), col, d->conn,
			     rec == RDT_REC_msg ? d->msg : NULL, dump->session.base_ns);
}

static struct rdt_value frame_value(const struct dump *dump, const struct dump_packet *d,
				    enum frame_key key)
{
	const struct packet *p = d->packet;

	switch (key) {
	case FRAME_KEY_number:
		return (struct rdt_value){ .type = RDT_VALUE_UINT, .num = p->when.frame };
	case FRAME_KEY_input:
		return (struct rdt_value){ .type = RDT_VALUE_UINT, .num = p->when.input };
	case FRAME_KEY_time:
		return (struct rdt_value){ .type = RDT_VALUE_TIME, .num = (uint64_t)p->when.ns };
	case FRAME_KEY_time_ns:
		return (struct rdt_value){ .type = RDT_VALUE_INT, .num = (uint64_t)p->when.ns };
	case FRAME_KEY_rel_ns:
		return (struct rdt_value){ .type = RDT_VALUE_DURATION,
					   .num = (uint64_t)(p->when.ns - dump->session.base_ns) };
	case FRAME_KEY_len:
		return (struct rdt_value){ .type = RDT_VALUE_UINT, .num = p->len };
	case FRAME_KEY_cap_len:
		return (struct rdt_value){ .type = RDT_VALUE_UINT, .num = p->have };
	case FRAME_KEY_link:
		return (struct rdt_value){ .type = RDT_VALUE_UINT, .num = p->link };
	case FRAME_KEY_src:
	case FRAME_KEY_dst: {
		const struct rdt_addr *addr =
			key == FRAME_KEY_src ? &d->frame->src : &d->frame->dst;

		if (addr->kind == RDT_ADDR_NONE)
			break;
		return (struct rdt_value){ .type = RDT_VALUE_ADDR, .addr = addr };
	}
	case FRAME_KEY_problem:
		if (!dump_problem(d))
			break;
		return (struct rdt_value){ .type = RDT_VALUE_TEXT, .text = dump_problem(d) };
	case FRAME_KEY_COUNT:
		break;
	}
	return (struct rdt_value){ .type = RDT_VALUE_NULL };
}

/* The first layer that has the field whole. */
static const uint8_t *field_bytes(const struct dump_packet *d, const struct rdt_field *f)
{
	for (size_t i = 0; i < d->layer_count; i++) {
		if (d->layers[i].hdr == (enum rdt_hdr_id)f->hdr && rdt_layer_has(&d->layers[i], f))
			return d->layers[i].bytes;
	}
	return NULL;
}

static const char *column_text(const struct dump *dump, const struct dump_packet *d,
			       const struct column *column, char *buf, size_t size)
{
	struct rdt_value value;
	const uint8_t *hdr;

	if (column->kind == COLUMN_FIELD) {
		hdr = field_bytes(d, &rdt_fields[column->id]);
		return hdr ? field_value_text(&rdt_fields[column->id], hdr, buf, size) : "";
	}
	value = column->kind == COLUMN_REC ? record_value(dump, d, column->id)
					   : frame_value(dump, d, (enum frame_key)column->id);
	return value_text(&value, buf, size);
}

static void put_row(struct dump *dump, const struct dump_packet *d)
{
	const struct cli_opts *opts = dump->session.opts;
	/* In text the columns of -e stand between tabs, as tshark does it. */
	const struct cli_table tabs = { .header = false, .separator = '\t', .quote = 0 };
	const struct cli_table *table = opts->format == CLI_TEXT ? &tabs : &opts->table;
	char buf[VALUE_TEXT];

	for (size_t i = 0; i < dump->columns.count; i++)
		csv_put(cli_out(), table, !i,
			column_text(dump, d, &dump->columns.items[i], buf, sizeof(buf)));
	csv_end(cli_out());
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_layer(struct json *j, const struct dump_packet *d, size_t at)
{
	const struct rdt_layer *layer = &d->layers[at];
	const struct rdt_hdr *hdr = &rdt_hdrs[layer->hdr];
	unsigned before = 0;
	char key[64];

	/* A second header of a kind (VLAN in VLAN) is vlan_2, so that no key is twice. */
	for (size_t i = 0; i < at; i++)
		before += d->layers[i].hdr == layer->hdr;
	if (before)
		snprintf(key, sizeof(key), "%s_%u", hdr->key, before + 1);
	else
		snprintf(key, sizeof(key), "%s", hdr->key);
	json_open(j, key, '{');
	for (size_t f = hdr->begin; f < hdr->end; f++) {
		if (rdt_layer_has(layer, &rdt_fields[f]))
			field_json(j, NULL, &rdt_fields[f], layer->bytes);
	}
	if (layer->have < hdr->len)
		json_uint(j, "captured_bytes", layer->have);
	json_close(j, '}');
}

static void put_columns_json(struct dump *dump, const struct dump_packet *d, struct json *j)
{
	for (size_t i = 0; i < dump->columns.count; i++) {
		const struct column *column = &dump->columns.items[i];
		struct rdt_value value;
		const uint8_t *hdr;

		if (column->kind == COLUMN_FIELD) {
			hdr = field_bytes(d, &rdt_fields[column->id]);
			if (hdr)
				field_json(j, column->name, &rdt_fields[column->id], hdr);
			else
				json_null(j, column->name);
			continue;
		}
		value = column->kind == COLUMN_REC
				? record_value(dump, d, column->id)
				: frame_value(dump, d, (enum frame_key)column->id);
		value_json(j, column->name, &value);
	}
}

static void put_json(struct dump *dump, const struct dump_packet *d)
{
	struct json *j;
	struct rdt_value value;

	records_begin(&dump->records, false);
	j = records_open(&dump->records, "packet");
	if (dump->columns.count) {
		put_columns_json(dump, d, j);
		records_close(&dump->records);
		return;
	}
	json_uint(j, "frame", d->packet->when.frame);
	for (enum frame_key key = FRAME_KEY_number + 1; key < FRAME_KEY_COUNT; key++) {
		/* Past 2^53: readers would round it; time says the same. */
		if (key == FRAME_KEY_time_ns)
			continue;
		value = frame_value(dump, d, key);
		value_json(j, frame_key_name(key) + strlen("frame."), &value);
	}
	if (d->conn && d->conn->n)
		json_uint(j, "conn", d->conn->n);
	else
		json_null(j, "conn");
	json_text(j, "from", d->conn ? rdt_side_key((enum rdt_side)d->verdict->side) : NULL);
	json_text(j, "msg", d->verdict->is_msg ? rdt_msg_key((enum rdt_msg)d->verdict->msg) : NULL);
	if (d->verdict->is_msg)
		json_uint(j, "copy", d->verdict->copy);
	else
		json_null(j, "copy");
	json_text(j, "icrc_check",
		  d->frame->kind == RDT_FRAME_IB
			  ? rdt_icrc_key(rdt_icrc_check(d->frame, NULL, NULL))
			  : NULL);
	for (size_t i = 0; i < d->layer_count; i++)
		put_layer(j, d, i);
	records_close(&dump->records);
}

/* ---- the command ------------------------------------------------------------------------------ */

static void put_titles(struct dump *dump)
{
	const struct cli_opts *opts = dump->session.opts;

	if (!dump->started && (opts->format == CLI_CSV || opts->format == CLI_TSV))
		csv_header(cli_out(), &opts->table, &dump->columns);
	dump->started = true;
}

static void put_packet(struct dump *dump, const struct dump_packet *d)
{
	put_titles(dump);
	switch (dump->session.opts->format) {
	case CLI_TEXT:
		if (dump->columns.count)
			put_row(dump, d);
		else
			put_text(dump, d);
		break;
	case CLI_CSV:
	case CLI_TSV:
		put_row(dump, d);
		break;
	case CLI_JSON:
	case CLI_NDJSON:
	case CLI_MD:
	case CLI_JUNIT:
	case CLI_TAP:
		put_json(dump, d);
		break;
	}
}

static int on_packet(void *user, const struct packet *packet, const struct rdt_frame *frame,
		     const struct rdt_verdict *verdict)
{
	struct dump *dump = user;
	struct rdt_layer layers[RDT_LAYERS_MAX];
	struct dump_packet d = {
		.packet = packet, .frame = frame, .verdict = verdict, .layers = layers
	};
	char comment[128];

	if (!is_rdma(frame, verdict)) {
		dump->has_msg = false;
		return 0;
	}
	d.conn = session_conn(&dump->session, verdict);
	d.msg = dump->has_msg ? &dump->msg : NULL;
	dump->has_msg = false;
	d.layer_count = rdt_layers(packet->bytes, frame, layers);
	if (verdict->fpdu_at)
		d.layer_count = rdt_layers_fpdu(packet->bytes, frame, verdict->fpdu_at - 1, layers,
						d.layer_count);
	if (!wanted(dump, &d))
		return 0;
	dump->shown++;
	put_packet(dump, &d);
	/* From a pipe that is being written: somebody waits for this line. */
	if (!dump->two_passes)
		cli_out_flush();
	if (dump->file) {
		if (d.conn)
			write_comment(d.conn, verdict, comment, sizeof(comment));
		pcapng_add(dump->file, packet, dump->infos[packet->when.input].path,
			   d.conn ? comment : NULL);
	}
	return 0;
}

/*
 * Numbers of connections, and what -Y and -e say of a whole connection, are known at the end only:
 * read twice. But from a pipe that is still being written lines shall come as packets do, unless
 * such a thing was asked for.
 */
static bool need_two_passes(const struct dump *dump, const struct cli_opts *opts)
{
	struct stat st;

	if (opts->select || (opts->filter && rdt_filter_needs(opts->filter) & RDT_VIEW_CONN))
		return true;
	for (size_t i = 0; i < dump->columns.count; i++) {
		if (*opts->fields && dump->columns.items[i].kind == COLUMN_REC)
			return true;
	}
	for (const char *const *file = opts->files; *file; file++) {
		const int failed = strcmp(*file, "-") ? stat(*file, &st) : fstat(STDIN_FILENO, &st);

		if (!failed && !S_ISREG(st.st_mode))
			return false;
	}
	return true;
}

static int run(struct dump *dump, const struct cli_opts *opts)
{
	const struct rdt_sink sink = { .user = dump, .msg = on_msg };
	int code = CLI_OK;
	char text[64];

	dump->one_input = session_inputs(&dump->session, &dump->infos) == 1;
	records_init(&dump->records, &dump->session, NULL);
	if (dump->two_passes)
		code = session_read(&dump->session, NULL, NULL, NULL);
	if (code != CLI_USAGE && opts->write) {
		dump->file = pcapng_create(opts->write, CLI_NAME ": the packets that dump showed");
		if (!dump->file)
			return CLI_ENV;
	}
	if (code != CLI_USAGE)
		code = session_read(&dump->session, &sink, on_packet, dump);
	if (code == CLI_USAGE)
		return pcapng_close(dump->file, code);
	put_titles(dump);
	if (opts->format == CLI_JSON || opts->format == CLI_NDJSON)
		records_end(&dump->records);
	session_explain_nothing(&dump->session);
	if (opts->select && selection_unmet(opts->select, text, sizeof(text))) {
		cli_error("-s: %s; rdma-trace list shows what there is", text);
		return pcapng_close(dump->file, CLI_USAGE);
	}
	return pcapng_close(dump->file, CLI_OK);
}

int cmd_dump(const struct cli_opts *opts)
{
	struct dump dump = { .prev_ns = INT64_MIN, .frame_width = 5, .what_width = 7 };
	const bool csv = opts->format == CLI_CSV || opts->format == CLI_TSV;
	const char *const *names = *opts->fields || !csv ? opts->fields : usual;
	int code = CLI_USAGE;

	if (opts->decode && opts->format != CLI_TEXT)
		cli_error("-V is for text; JSON has every field without it, CSV those of -e");
	else if (columns_parse(names, RECORDS, true, &dump.columns)) {
		dump.two_passes = need_two_passes(&dump, opts);
		code = session_open(&dump.session, opts, dump.two_passes);
	}
	if (code == CLI_OK)
		code = run(&dump, opts);
	columns_free(&dump.columns);
	return session_close(&dump.session, code);
}
