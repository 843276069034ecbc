// SPDX-License-Identifier: BSD-2-Clause
#include "replay_read.h"

#include <inttypes.h>
#include <string.h>

#include "rdmatrace/icrc.h"
#include "replay/ops.h"
#include "select.h"
#include "source.h"

struct reader {
	struct session session;
	struct replay_capture *capture;
	struct rp_ops *ops;
	GArray *frames;     /* numbers of its packets: uint32_t */
	unsigned copy_kind; /* of the message that the tracker has just told */
	bool told, connected;
};

/* ---- packets ------------------------------------------------------------------------------- */

static void add(struct reader *r, struct rp_item *item)
{
	g_ptr_array_add(r->capture->recording.items, item);
}

static struct rp_item *new_item(const struct packet *packet, const struct rdt_verdict *verdict)
{
	struct rp_item *item = rp_item_new((enum rdt_side)verdict->side, packet->when.ns);

	item->frame = packet->when.frame;
	return item;
}

static void add_tcp_event(struct reader *r, const struct packet *packet,
			  const struct rdt_verdict *verdict, enum rp_tcp event)
{
	struct rp_item *item = new_item(packet, verdict);

	item->msg = (struct rp_msg){ RP_TCP, (uint8_t)event };
	if (event == RP_TCP_CONNECT)
		item->from = RDT_ACTIVE;
	add(r, item);
}

static void on_tcp(struct reader *r, const struct packet *packet, const struct rdt_frame *frame,
		   const struct rdt_verdict *verdict)
{
	const struct rp_carrier c = {
		.src = frame->src, .dst = frame->dst, .sport = frame->sport, .dport = frame->dport
	};
	struct rp_item *item;

	if (!r->connected) {
		r->connected = true;
		add_tcp_event(r, packet, verdict, RP_TCP_CONNECT);
	}
	if (frame->payload && frame->payload_have) {
		item = new_item(packet, verdict);
		if (rp_item_wrap_tcp(item, &c, frame->payload, frame->payload_have) &&
		    rp_item_know(item) && !verdict->copy) {
			add(r, item);
		} else {
			r->capture->left_out++;
			rp_item_free(item);
		}
	}
	if (frame->l4 && !verdict->copy && rdt_tcp_rst(frame->l4))
		add_tcp_event(r, packet, verdict, RP_TCP_RESET);
	else if (frame->l4 && !verdict->copy && rdt_tcp_fin(frame->l4))
		add_tcp_event(r, packet, verdict, RP_TCP_CLOSE);
}

static void on_ib(struct reader *r, const struct packet *packet, const struct rdt_frame *frame,
		  const struct rdt_verdict *verdict)
{
	const struct rp_carrier c = { .src = frame->src,
				      .dst = frame->dst,
				      .sport = frame->sport,
				      .tos = frame->tos,
				      .ttl = frame->ttl };
	GPtrArray *items = r->capture->recording.items;
	struct rp_item *item = new_item(packet, verdict);

	item->bad_icrc = rdt_icrc_check(frame, NULL, NULL) == RDT_ICRC_BAD;
	if (!frame->bth || frame->bth_have < frame->bth_len ||
	    !rp_item_wrap(item, &c, frame->bth, frame->bth_len) || !rp_item_know(item)) {
		r->capture->left_out++;
		rp_item_free(item);
		return;
	}
	if (item->msg.family == RP_CM) {
		if (verdict->copy && r->told && r->copy_kind == RDT_COPY_CAPTURED) {
			rp_item_free(item);
			return;
		}
		if (verdict->copy && r->told && r->copy_kind == RDT_COPY_DUPLICATED) {
			for (guint i = items->len; i-- > 0;) {
				struct rp_item *before = items->pdata[i];

				if (!rp_msg_equal(before->msg, item->msg) ||
				    before->from != item->from)
					continue;
				before->duplicated = true;
				rp_item_free(item);
				return;
			}
		}
		add(r, item);
		return;
	}
	if (item->msg.code >> 5 == RDT_SVC_RC) {
		if (!rp_ops_feed(r->ops, item, items))
			r->capture->left_out++;
		rp_item_free(item);
		return;
	}
	add(r, item);
}

static int on_packet(void *user, const struct packet *packet, const struct rdt_frame *frame,
		     const struct rdt_verdict *verdict)
{
	struct reader *r = user;
	const struct rdt_conn *conn = session_conn(&r->session, verdict);
	const uint32_t number = packet->when.frame;

	if (conn && conn == r->session.conns[0]) {
		g_array_append_val(r->frames, number);
		/* TCP that only told the QPNs is no part of it. */
		if (frame->kind == RDT_FRAME_TCP && conn->kind != RDT_CONN_MPA)
			r->capture->left_out++;
		else if (frame->kind == RDT_FRAME_TCP)
			on_tcp(r, packet, frame, verdict);
		else if (frame->kind == RDT_FRAME_IB)
			on_ib(r, packet, frame, verdict);
	}
	r->told = false;
	return 0;
}

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	struct reader *r = user;

	(void)conn;
	r->told = true;
	r->copy_kind = rec->copy_kind;
}

/* ---- where it is from ------------------------------------------------------------------------- */

static char *digest(const char *path)
{
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	char *text;

	if (!file)
		return NULL;
	text = g_compute_checksum_for_data(G_CHECKSUM_SHA256,
					   (const guchar *)g_mapped_file_get_contents(file),
					   g_mapped_file_get_length(file));
	g_mapped_file_unref(file);
	return text;
}

/* "21-23 60-61" */
static char *frame_list(const GArray *frames)
{
	GString *out = g_string_new(NULL);
	guint shown = 0;

	for (guint i = 0; i < frames->len; i++) {
		const uint32_t from = g_array_index(frames, uint32_t, i);
		uint32_t to = from;

		while (i + 1 < frames->len && g_array_index(frames, uint32_t, i + 1) == to + 1) {
			to++;
			i++;
		}
		if (shown++ >= 16) {
			g_string_append_printf(out, " ... %u in all", frames->len);
			break;
		}
		g_string_append_printf(out, " %" PRIu32, from);
		if (to != from)
			g_string_append_printf(out, "-%" PRIu32, to);
	}
	return g_string_free(out, FALSE);
}

static char *plain_name(const char *path)
{
	char *base = g_path_get_basename(path);

	for (char *p = base; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f || *p == '#')
			*p = '_';
	}
	return base;
}

static void add_sources(struct reader *r)
{
	const struct cli_opts *opts = r->session.opts;
	const struct rdt_conn *conn = r->session.conns[0];
	GPtrArray *lines = r->capture->sources;

	for (const char *const *file = opts->files; *file; file++) {
		char *name = plain_name(*file), *sum = strcmp(*file, "-") ? digest(*file) : NULL;

		g_ptr_array_add(lines, g_strdup_printf("%s%s%s", name, sum ? " sha256:" : "",
						       sum ? sum : ""));
		g_free(name);
		g_free(sum);
	}
	{
		char *list = frame_list(r->frames);

		g_ptr_array_add(lines, g_strdup_printf("connection %" PRIu32 ", frames%s, by "
						       "rdma-trace " RDT_VERSION,
						       conn->n, list));
		g_free(list);
	}
	if (r->capture->left_out)
		g_ptr_array_add(lines,
				g_strdup_printf("%" PRIu64 " packets are not in the script: TCP, "
						"iWARP data, cut packets or other protocols",
						r->capture->left_out));
	if (conn->mid)
		g_ptr_array_add(lines, g_strdup("the beginning was not captured"));
	g_ptr_array_add(lines, NULL);
	r->capture->recording.sources = (const char *const *)lines->pdata;
}

/* ---- one connection ------------------------------------------------------------------------------ */

static int choose(struct reader *r)
{
	int code = session_select(&r->session);

	if (code != CLI_OK)
		return code;
	if (r->session.conn_count == 1)
		return CLI_OK;
	if (!r->session.conn_count) {
		cli_error("%s: there is no RDMA connection in it%s", r->session.opts->files[0],
			  r->session.opts->filter ? " that -Y selects" : "");
		session_explain_nothing(&r->session);
	} else {
		cli_error("%s has %zu connections: say which (rdma-trace list shows them)",
			  r->session.opts->files[0], r->session.conn_count);
	}
	return CLI_USAGE;
}

static int read_it(struct reader *r)
{
	const struct rdt_sink sink = { .user = r, .msg = on_msg };
	int code = session_read(&r->session, NULL, NULL, NULL), partial = code;

	if (code == CLI_USAGE)
		return code;
	code = choose(r);
	if (code != CLI_OK)
		return code;
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_conn *conn = r->session.conns[0];
		const struct rdt_addr *addr =
			rdt_tracker_addr(session_tracker(&r->session), conn->end[side].addr);

		r->capture->recording.addr[side] = *addr;
		if (conn->kind == RDT_CONN_OOB && conn->end[side].has_qpn &&
		    conn->end[side].has_psn)
			r->capture->recording.told[side] =
				(struct rp_told){ .known = true,
						  .qpn = conn->end[side].qpn,
						  .psn = conn->end[side].psn };
	}
	r->capture->recording.tcp_port = r->session.conns[0]->p_port;
	r->capture->recording.iwarp = r->session.conns[0]->kind == RDT_CONN_MPA;
	code = session_read(&r->session, &sink, on_packet, r);
	if (code == CLI_USAGE)
		return code;
	add_sources(r);
	return MAX(code, partial);
}

int replay_read(const struct cli_opts *opts, struct replay_capture *ret_capture)
{
	struct reader r = { .capture = ret_capture };
	int code;

	*ret_capture = (struct replay_capture){ .left_out = 0 };
	ret_capture->recording.items = g_ptr_array_new_with_free_func(rp_item_free);
	ret_capture->sources = g_ptr_array_new_with_free_func(g_free);
	code = session_open(&r.session, opts, true);
	if (code == CLI_OK) {
		r.ops = rp_ops_new();
		r.frames = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		code = read_it(&r);
		g_array_unref(r.frames);
		rp_ops_free(r.ops);
	}
	return session_close(&r.session, code);
}

void replay_read_free(struct replay_capture *capture)
{
	if (capture->recording.items)
		g_ptr_array_unref(capture->recording.items);
	if (capture->sources)
		g_ptr_array_unref(capture->sources);
}
