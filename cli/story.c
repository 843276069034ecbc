// SPDX-License-Identifier: BSD-2-Clause
/* What is known of a connection, gathered for the sections of show. */
#include <inttypes.h>
#include <string.h>

#include "para.h"
#include "show.h"

void story_begin(struct story *s)
{
	memset(s->told, 0, sizeof(s->told));
	for (unsigned side = 0; side < RDT_SIDES; side++)
		cli_addr_text(s->opts, rdt_tracker_addr(s->tracker, s->conn->end[side].addr),
			      s->addr[side], sizeof(s->addr[side]));
	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_msg_rec *rec = &s->entries[i].msg;
		struct told *told;

		if (s->entries[i].kind != RDT_REC_msg || rec->msg >= RDT_MSG_COUNT)
			continue;
		told = &s->told[rec->from][rec->msg];
		if (!told->rec) {
			told->rec = rec;
			msg_layers(rec, &told->layers);
		}
	}
}

static const struct rdt_layer *layer_of(const struct story *s, enum rdt_side side, enum rdt_msg msg,
					enum rdt_field_id id)
{
	const struct rdt_layer *layer =
		msg_layer(&s->told[side][msg].layers, (enum rdt_hdr_id)rdt_fields[id].hdr);

	return layer && rdt_layer_has(layer, &rdt_fields[id]) ? layer : NULL;
}

bool story_has(const struct story *s, enum rdt_side side, enum rdt_msg msg, enum rdt_field_id id)
{
	return layer_of(s, side, msg, id) != NULL;
}

uint64_t story_num(const struct story *s, enum rdt_side side, enum rdt_msg msg,
		   enum rdt_field_id id)
{
	const struct rdt_layer *layer = layer_of(s, side, msg, id);

	return layer ? rdt_field_get(&rdt_fields[id], layer->bytes) : 0;
}

const char *story_text(const struct story *s, enum rdt_side side, enum rdt_msg msg,
		       enum rdt_field_id id, char *buf)
{
	const struct rdt_layer *layer = layer_of(s, side, msg, id);

	return layer ? rdt_field_text(&rdt_fields[id], layer->bytes, buf, RDT_TEXT_MAX) : "-";
}

unsigned story_sent(const struct story *s, enum rdt_side side, enum rdt_msg msg)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_msg_rec *rec = &s->entries[i].msg;

		if (s->entries[i].kind == RDT_REC_msg && rec->msg == msg && rec->from == side &&
		    (!rec->copy || rec->copy_kind == RDT_COPY_RESENT))
			n++;
	}
	return n;
}

unsigned story_ack_timeout(const struct story *s, enum rdt_side side)
{
	const unsigned delay = s->conn->params.target_ack_delay;
	unsigned a = s->conn->params.ack_timeout;

	if (!s->conn->params.has_req || side == RDT_PASSIVE)
		return s->conn->params.has_req ? a : 0;
	if (a >= delay)
		a += delay + 1 >= a;
	else
		a = delay + (a + 1 >= delay);
	return a < 31 ? a : 31;
}

/* ---- helpers ------------------------------------------------------------------------------ */

void show_pad(const char *text, size_t width)
{
	const size_t have = cli_text_width(text);

	fprintf(cli_out(), "%s%*s", text, have < width ? (int)(width - have) : 0, "");
}

void show_pad_tone(const struct story *s, enum cli_tone tone, const char *text, size_t width)
{
	if (tone == CLI_TONE_OFF) {
		show_pad(text, width);
		return;
	}
	fputs(cli_tone(s->opts, tone), cli_out());
	show_pad(text, width);
	fputs(cli_tone(s->opts, CLI_TONE_OFF), cli_out());
}

bool show_fits(const struct story *s, const char *text, unsigned column)
{
	const unsigned width = s->opts->width;

	return !width || column + 24 <= width || column + cli_text_width(text) <= width;
}

void show_para(const struct story *s, enum cli_tone tone, const char *text, unsigned column,
	       unsigned indent, unsigned below)
{
	const unsigned width = s->opts->width;

	if (!show_fits(s, text, column)) {
		fprintf(cli_out(), "\n%*s", (int)below, "");
		column = indent = below;
	}
	if (tone != CLI_TONE_OFF)
		fputs(cli_tone(s->opts, tone), cli_out());
	para_put(cli_out(), text, column, indent, width);
	if (tone != CLI_TONE_OFF)
		fputs(cli_tone(s->opts, CLI_TONE_OFF), cli_out());
	putc('\n', cli_out());
}

void show_title(const struct story *s, const char *title)
{
	fprintf(cli_out(), "\n  %s%s%s\n", cli_tone(s->opts, CLI_TONE_BOLD), title,
		cli_tone(s->opts, CLI_TONE_OFF));
}

const char *show_span(int64_t from, int64_t to, char buf[RDT_TEXT_MAX])
{
	return to < from ? "-" : rdt_duration_text((uint64_t)(to - from), buf, RDT_TEXT_MAX);
}

const char *show_time(const struct story *s, int64_t ns, int64_t *prev, char buf[CLI_TIME_TEXT])
{
	return cli_time_text(s->opts, ns, s->session->base_ns, prev, s->session->time_digits, buf);
}

unsigned show_time_width(const struct story *s)
{
	char buf[CLI_TIME_TEXT];
	int64_t prev = INT64_MIN;

	/* The last time is the longest; a delta can be as long as that. */
	show_time(s, s->conn->last_ns, s->opts->time == CLI_TIME_DELTA ? &prev : NULL, buf);
	return (unsigned)cli_text_width(buf) + 1;
}

const char *show_frame(const struct story *s, unsigned input, uint32_t frame, char buf[32])
{
	const struct input_info *infos;

	if (session_inputs(s->session, &infos) > 1)
		snprintf(buf, 32, "#%u:%" PRIu32, input + 1, frame);
	else
		snprintf(buf, 32, "#%" PRIu32, frame);
	return buf;
}

const char *show_arrow(const struct story *s)
{
	return s->opts->ascii ? "->" : "\xe2\x86\x92";
}
