/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet in one line. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "dump.h"
#include "rdmatrace/exchange.h"
#include "rdmatrace/text.h"
#include "rdmatrace/wire.h"

static const struct {
	uint16_t field;
	const char *before;
} rows[] = {
#define D(hdr, name, before) { RDT_F_##hdr##_##name, before },
#include "dump.def"
#undef D
};

static const struct rdt_layer *layer_of(const struct dump_packet *d, enum rdt_hdr_id hdr)
{
	return rdt_layer_find(d->layers, d->layer_count, hdr);
}

/* ---- what it is ----------------------------------------------------------------------------- */

/* "MPA_REQ" is "MPA REQ" for people. */
static const char *spaced(const char *prefix, const char *key, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", prefix, key);
	for (char *p = buf + strlen(prefix); *p; p++) {
		if (*p == '_' && !*prefix)
			*p = ' ';
	}
	return buf;
}

static const char *mad_what(const struct rdt_layer *mad, char *buf, size_t size)
{
	unsigned class, attr, method;
	const char *name;

	if (mad->have < RDT_LEN_mad)
		return "management datagram";
	class = rdt_mad_mgmt_class(mad->bytes);
	attr = rdt_mad_attr_id(mad->bytes);
	method = rdt_mad_method(mad->bytes);
	if (class == RDT_CLASS_CM) {
		name = rdt_name_key(RDT_NAMES_cm_attr, attr, NULL);
		if (name)
			snprintf(buf, size, "CM %s", name);
		else
			snprintf(buf, size, "CM attribute 0x%04x", attr);
		return buf;
	}
	name = rdt_name_key(RDT_NAMES_mgmt_class, class, NULL);
	if (name)
		snprintf(buf, size, "MAD %s %s 0x%04x", name,
			 rdt_name_key(RDT_NAMES_mad_method, method, "method?"), attr);
	else
		snprintf(buf, size, "MAD class 0x%02x attribute 0x%04x", class, attr);
	return buf;
}

static const char *tcp_what(const struct dump_packet *d, char *buf, size_t size)
{
	const struct rdt_layer *layer;

	if (layer_of(d, RDT_H_mpa))
		return "MPA start frame";
	layer = layer_of(d, RDT_H_ddp_tagged);
	if (layer && layer->have >= RDT_NEED_ddp_tagged_opcode)
		return spaced("RDMAP ",
			      rdt_name_key(RDT_NAMES_rdmap_opcode,
					   rdt_ddp_tagged_opcode(layer->bytes), "opcode?"),
			      buf, size);
	layer = layer_of(d, RDT_H_ddp_untagged);
	if (layer && layer->have >= RDT_NEED_ddp_untagged_opcode)
		return spaced("RDMAP ",
			      rdt_name_key(RDT_NAMES_rdmap_opcode,
					   rdt_ddp_untagged_opcode(layer->bytes), "opcode?"),
			      buf, size);
	return d->frame->payload_len ? "TCP data" : "TCP";
}

const char *dump_what(const struct dump_packet *d, char *buf, size_t size)
{
	const struct rdt_layer *mad = layer_of(d, RDT_H_mad);
	const struct rdt_frame *f = d->frame;
	const struct rdt_opcode *op;

	if (d->verdict->is_msg) {
		const enum rdt_msg msg = (enum rdt_msg)d->verdict->msg;

		return spaced(msg < RDT_MSG_MPA_REQ ? "CM " : "", rdt_msg_key(msg), buf, size);
	}
	if (mad)
		return mad_what(mad, buf, size);
	if (f->kind == RDT_FRAME_TCP)
		return tcp_what(d, buf, size);
	if (f->kind != RDT_FRAME_IB)
		return "no transport";
	if (f->bth_have < RDT_LEN_bth)
		return "BTH";
	if (rdt_pkt_is_vendor(f->bth, f->bth_have, f->bth_len)) {
		snprintf(buf, size, "vendor 0x%02x", rdt_bth_opcode(f->bth));
		return buf;
	}
	op = &rdt_opcodes[rdt_bth_opcode(f->bth)];
	if (op->text)
		return op->text;
	snprintf(buf, size, "opcode 0x%02x", rdt_bth_opcode(f->bth));
	return buf;
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void add(char *buf, size_t size, const char *text)
{
	g_strlcat(buf, text, size);
}

/* The text of a field, without the code in brackets that -V shows. */
static void add_value(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size)
{
	char text[RDT_TEXT_MAX], *code;

	rdt_field_text(f, hdr, text, sizeof(text));
	code = strrchr(text, '(');
	if (f->unit == RDT_UNIT_SERVICE_ID && code) {
		/* "0x0000000001061c06 (tcp port 7174)": the words are what people know it by. */
		*strchr(code, ')') = 0;
		add(buf, size, code + 1);
		return;
	}
	if (code && code > text && code[-1] == ' ' && g_str_has_suffix(text, ")") &&
	    (f->names != RDT_NAMES_none || f->unit != RDT_UNIT_NONE) &&
	    strncmp(code, "(infinite", 9))
		code[-1] = 0;
	add(buf, size, text);
}

static void add_field(const struct rdt_layer *layer, size_t row, char *buf, size_t size)
{
	const struct rdt_field *f = &rdt_fields[rows[row].field];
	const char *before = rows[row].before;
	const bool here = rdt_layer_has(layer, f);

	/* A flag is named when it is set. */
	if (f->kind == RDT_KIND_FLAG && here) {
		if (rdt_field_get(f, layer->bytes)) {
			add(buf, size, "  ");
			add(buf, size, before);
		}
		return;
	}
	/* A second half ("1/1", "of REQ: reason") stands close to the first. */
	if (strcmp(before, "/") && strcmp(before, ":"))
		add(buf, size, strcmp(before, "-") ? "  " : " ");
	if (!here) {
		add(buf, size, before);
		add(buf, size, " cut");
		return;
	}
	add(buf, size, before);
	if (*before && strcmp(before, "/"))
		add(buf, size, " ");
	add_value(f, layer->bytes, buf, size);
}

/* The headers of the line, each with its rows. */
static void add_layers(const struct dump_packet *d, char *buf, size_t size)
{
	const bool mad = layer_of(d, RDT_H_mad) != NULL;

	for (size_t i = 0; i < d->layer_count; i++) {
		const struct rdt_layer *layer = &d->layers[i];

		/* Datagrams to QP1 all come from QP1. */
		if (mad && layer->hdr == RDT_H_deth)
			continue;
		for (size_t row = 0; row < G_N_ELEMENTS(rows); row++) {
			const struct rdt_field *f = &rdt_fields[rows[row].field];

			if (f->hdr != layer->hdr)
				continue;
			add_field(layer, row, buf, size);
			/* One cut field says it for all that follow. */
			if (!rdt_layer_has(layer, f))
				return;
		}
	}
}

static void add_data(const struct dump_packet *d, char *buf, size_t size)
{
	const struct rdt_frame *f = d->frame;
	struct rdt_pkt pkt;
	char text[64];

	if (f->kind != RDT_FRAME_IB || f->bth_have < RDT_LEN_bth || layer_of(d, RDT_H_mad))
		return;
	snprintf(text, sizeof(text), "  QPN 0x%06" PRIx32 "  PSN 0x%06" PRIx32,
		 rdt_bth_dest_qpn(f->bth), rdt_bth_psn(f->bth));
	add(buf, size, text);
	if (rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt) == RDT_OK && pkt.op->payload) {
		snprintf(text, sizeof(text), "  %" PRIu32 " B", pkt.payload_len);
		add(buf, size, text);
	}
}

/* Private data that begins like text: many programs say there why they refuse. */
static void add_private(const struct dump_packet *d, char *buf, size_t size)
{
	static const uint16_t fields[] = {
		RDT_F_req_private_data,      RDT_F_rep_private_data,     RDT_F_rej_private_data,
		RDT_F_rtu_private_data,      RDT_F_dreq_private_data,    RDT_F_drep_private_data,
		RDT_F_sidr_req_private_data, RDT_F_sidr_rep_private_data
	};
	const struct rdt_layer *layer;
	const struct rdt_field *f;
	char text[48];
	size_t at, n;

	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		f = &rdt_fields[fields[i]];
		layer = layer_of(d, (enum rdt_hdr_id)f->hdr);
		if (!layer)
			continue;
		/* The program's own part comes after the header of the RDMA IP CM service. */
		at = (size_t)f->at / 8 + (layer_of(d, RDT_H_ipcm) ? RDT_LEN_ipcm : 0u);
		for (n = 0; n + 1 < sizeof(text) && at + n < layer->have; n++) {
			if (!g_ascii_isprint(layer->bytes[at + n]))
				break;
			text[n] = (char)layer->bytes[at + n];
		}
		text[n] = 0;
		if (n >= 4) {
			add(buf, size, "  \"");
			add(buf, size, text);
			add(buf, size, n + 1 < sizeof(text) ? "\"" : "...\"");
		}
		return;
	}
}

/* What the text of an exchange announces. */
static void add_exchange(const struct dump_packet *d, char *buf, size_t size)
{
	const struct rdt_frame *f = d->frame;
	struct rdt_exchange_text told;
	char text[96];

	if (!d->verdict->is_msg || d->verdict->msg != RDT_MSG_OOB || !f->payload ||
	    rdt_exchange_parse(f->payload, f->payload_have, &told) != RDT_FIT_YES)
		return;
	snprintf(text, sizeof(text), "  QPN 0x%06" PRIx32 "  from PSN 0x%06" PRIx32, told.qpn,
		 told.psn);
	add(buf, size, text);
	if (rdt_exchange_has(&told, RDT_TELLS_RKEY) && told.rkey) {
		snprintf(text, sizeof(text), "  rkey 0x%08" PRIx32 "  va 0x%016" PRIx64, told.rkey,
			 told.vaddr);
		add(buf, size, text);
	}
}

const char *dump_problem(const struct dump_packet *d)
{
	const struct rdt_frame *f = d->frame;
	struct rdt_pkt pkt;

	if (f->problem != RDT_PROBLEM_NONE)
		return rdt_frame_problem_text((enum rdt_frame_problem)f->problem);
	if (f->kind != RDT_FRAME_IB)
		return NULL;
	switch (rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt)) {
	case RDT_SNAPPED:
		return rdt_status_text(RDT_SNAPPED);
	case RDT_MALFORMED:
		return rdt_status_text(RDT_MALFORMED);
	case RDT_OPCODE:
		if (!rdt_pkt_is_vendor(f->bth, f->bth_have, f->bth_len))
			return rdt_status_text(RDT_OPCODE);
		break;
	case RDT_OK:
		if (f->bth_have < f->bth_len)
			return "the capture cut the packet";
		break;
	case RDT_RANGE:
	case RDT_NOT_FOUND:
	case RDT_SPACE:
	case RDT_NO_MEMORY:
	case RDT_SYNTAX:
		break;
	}
	return NULL;
}

void dump_details(const struct dump_packet *d, char *buf, size_t size)
{
	const char *problem = dump_problem(d);
	char text[64];

	if (d->verdict->is_msg && d->verdict->copy) {
		snprintf(text, sizeof(text), "  copy %" PRIu32, d->verdict->copy);
		add(buf, size, text);
	}
	add_data(d, buf, size);
	add_exchange(d, buf, size);
	add_layers(d, buf, size);
	add_private(d, buf, size);
	if (d->verdict->icrc == RDT_ICRC_BAD)
		add(buf, size, "  [wrong ICRC]");
	if (d->msg && d->msg->unexpected)
		add(buf, size, "  [unexpected]");
	if (problem) {
		add(buf, size, "  [");
		add(buf, size, problem);
		add(buf, size, "]");
	}
}
