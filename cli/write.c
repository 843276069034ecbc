/* SPDX-License-Identifier: BSD-2-Clause */
#include "write.h"

#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "pcapng.h"

/* ---- sets ---------------------------------------------------------------------------------- */

void conn_set_add(struct conn_set *set, uint32_t index)
{
	const size_t need = index / 8 + 1;

	if (!set->bits || need > set->room) {
		const size_t room = need * 2 < 256 ? 256 : need * 2;

		set->bits = realloc(set->bits, room);
		if (!set->bits)
			cli_no_memory();
		memset(set->bits + set->room, 0, room - set->room);
		set->room = room;
	}
	set->bits[index / 8] |= (uint8_t)(1 << index % 8);
}

bool conn_set_has(const struct conn_set *set, uint32_t index)
{
	return index / 8 < set->room && set->bits[index / 8] >> index % 8 & 1;
}

void conn_set_free(struct conn_set *set)
{
	free(set->bits);
	*set = (struct conn_set){ 0 };
}

/* ---- the second pass ------------------------------------------------------------------------- */

struct writer {
	const struct session *session;
	struct pcapng *file;
	const struct input_info *infos;
	const struct conn_set *evicted;
	struct conn_set selected;
};

static int write_packet(void *user, const struct packet *packet, const struct rdt_frame *frame,
			const struct rdt_verdict *verdict)
{
	struct writer *w = user;
	const struct rdt_conn *conn = session_conn(w->session, verdict);
	char comment[128];

	(void)frame;
	if (conn ? !conn_set_has(&w->selected,
				 rdt_tracker_conn_index(session_tracker(w->session), conn))
		 : verdict->conn == RDT_CONN_NONE || !conn_set_has(w->evicted, verdict->conn))
		return 0;
	write_comment(conn, verdict, comment, sizeof(comment));
	pcapng_add(w->file, packet, w->infos[packet->when.input].path, comment);
	return 0;
}

void write_comment(const struct rdt_conn *conn, const struct rdt_verdict *verdict, char *buf,
		   size_t size)
{
	int len;

	if (conn && conn->n)
		len = snprintf(buf, size, CLI_NAME ": connection %" PRIu32, conn->n);
	else
		len = snprintf(buf, size, CLI_NAME ": connection without a number");
	if (verdict->is_msg)
		len += snprintf(buf + len, size - (size_t)len, " %s",
				rdt_msg_key((enum rdt_msg)verdict->msg));
	if (verdict->is_msg && verdict->copy)
		snprintf(buf + len, size - (size_t)len, " copy %" PRIu32, verdict->copy);
}

int write_selected(struct session *s, const struct conn_set *evicted)
{
	struct writer w = { .session = s, .evicted = evicted };
	char *comment;
	int code = CLI_ENV;

	for (size_t i = 0; i < s->conn_count; i++)
		conn_set_add(&w.selected, rdt_tracker_conn_index(s->tracker, s->conns[i]));
	session_inputs(s, &w.infos);
	comment = g_strdup_printf(CLI_NAME ": the packets of %zu connection%s", s->conn_count,
				  s->conn_count == 1 ? "" : "s");
	w.file = pcapng_create(s->opts->write, comment);
	g_free(comment);
	if (w.file) {
		/* What is damaged was found in the first pass, and is told at the end. */
		code = session_read(s, NULL, write_packet, &w);
		if (code == CLI_PARTIAL)
			code = CLI_OK;
		code = pcapng_close(w.file, code);
	}
	conn_set_free(&w.selected);
	return code;
}
