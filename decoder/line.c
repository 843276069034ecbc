// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rdmatrace/exchange.h"
#include "rdmatrace/text.h"
#include "rdmatrace/wire.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* The packet that a line is of. */
struct packet {
	const struct rdt_frame *frame;
	const struct rdt_layer *layers;
	size_t count;
};

static const struct {
	uint16_t field;
	const char *before;
} rows[] = {
#define D(hdr, name, before) { RDT_F_##hdr##_##name, before },
#include "wire/line.def"
#undef D
};

static const struct rdt_layer *layer_of(const struct packet *p, enum rdt_hdr_id hdr)
{
	return rdt_layer_find(p->layers, p->count, hdr);
}

/* Append what fits. */
static void add(char *buf, size_t size, const char *text)
{
	const size_t have = strlen(buf), n = strlen(text);
	const size_t room = size - have - 1;

	memcpy(buf + have, text, n < room ? n : room);
	buf[have + (n < room ? n : room)] = 0;
}

/* ---- what it is ----------------------------------------------------------------------------- */

static char *mad_what(const struct rdt_layer *mad, char *buf, size_t size)
{
	unsigned class, attr, method;
	const char *name;

	if (mad->have < RDT_LEN_mad) {
		snprintf(buf, size, "management datagram");
		return buf;
	}
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

static char *tcp_what(const struct packet *p, char *buf, size_t size)
{
	static const uint16_t opcodes[] = { RDT_F_ddp_tagged_opcode, RDT_F_ddp_untagged_opcode };

	if (layer_of(p, RDT_H_mpa)) {
		snprintf(buf, size, "MPA start frame");
		return buf;
	}
	for (size_t i = 0; i < COUNT(opcodes); i++) {
		const struct rdt_field *f = &rdt_fields[opcodes[i]];
		const struct rdt_layer *layer = layer_of(p, (enum rdt_hdr_id)f->hdr);

		if (!layer || !rdt_layer_has(layer, f))
			continue;
		snprintf(buf, size, "RDMAP %s",
			 rdt_name_key(RDT_NAMES_rdmap_opcode, rdt_field_get(f, layer->bytes),
				      "opcode?"));
		return buf;
	}
	snprintf(buf, size, p->frame->payload_len ? "TCP data" : "TCP");
	return buf;
}

char *rdt_line_what(const struct rdt_frame *f, const struct rdt_layer *layers, size_t count,
		    char *buf, size_t size)
{
	const struct packet p = { f, layers, count };
	const struct rdt_layer *mad = layer_of(&p, RDT_H_mad);
	const struct rdt_opcode *op;

	if (mad)
		return mad_what(mad, buf, size);
	if (f->kind == RDT_FRAME_TCP)
		return tcp_what(&p, buf, size);
	if (f->kind != RDT_FRAME_IB) {
		snprintf(buf, size, "no transport");
		return buf;
	}
	if (f->bth_have < RDT_LEN_bth) {
		snprintf(buf, size, "BTH");
		return buf;
	}
	if (rdt_pkt_is_vendor(f->bth, f->bth_have, f->bth_len)) {
		snprintf(buf, size, "vendor 0x%02x", rdt_bth_opcode(f->bth));
		return buf;
	}
	op = &rdt_opcodes[rdt_bth_opcode(f->bth)];
	if (op->text)
		snprintf(buf, size, "%s", op->text);
	else
		snprintf(buf, size, "opcode 0x%02x", rdt_bth_opcode(f->bth));
	return buf;
}

/* ---- what it says ---------------------------------------------------------------------------- */

/* The text of a field, without the code in brackets that a decode shows. */
static void add_value(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size)
{
	char text[RDT_TEXT_MAX], *code, *end;

	rdt_field_text(f, hdr, text, sizeof(text));
	code = strrchr(text, '(');
	end = text + strlen(text);
	if (f->unit == RDT_UNIT_SERVICE_ID && code) {
		/* "0x0000000001061c06 (tcp port 7174)": the words are what people know it by. */
		*strchr(code, ')') = 0;
		add(buf, size, code + 1);
		return;
	}
	if (code && code > text && code[-1] == ' ' && end[-1] == ')' &&
	    (f->names != RDT_NAMES_none || f->unit != RDT_UNIT_NONE) &&
	    strncmp(code, "(infinite", 9) != 0)
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
	if (strcmp(before, "/") != 0 && strcmp(before, ":") != 0)
		add(buf, size, strcmp(before, "-") != 0 ? "  " : " ");
	if (!here) {
		add(buf, size, before);
		add(buf, size, " cut");
		return;
	}
	add(buf, size, before);
	if (*before && strcmp(before, "/") != 0)
		add(buf, size, " ");
	add_value(f, layer->bytes, buf, size);
}

/* The headers of the line, each with its rows. */
static void add_layers(const struct packet *p, char *buf, size_t size)
{
	const bool mad = layer_of(p, RDT_H_mad) != NULL;

	for (size_t i = 0; i < p->count; i++) {
		const struct rdt_layer *layer = &p->layers[i];

		/* Datagrams to QP1 all come from QP1. */
		if (mad && layer->hdr == RDT_H_deth)
			continue;
		for (size_t row = 0; row < COUNT(rows); row++) {
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

static void add_data(const struct packet *p, char *buf, size_t size)
{
	const struct rdt_frame *f = p->frame;
	struct rdt_pkt pkt;
	char text[64];

	if (f->kind != RDT_FRAME_IB || f->bth_have < RDT_LEN_bth || layer_of(p, RDT_H_mad))
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
static void add_private(const struct packet *p, char *buf, size_t size)
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

	for (size_t i = 0; i < COUNT(fields); i++) {
		f = &rdt_fields[fields[i]];
		layer = layer_of(p, (enum rdt_hdr_id)f->hdr);
		if (!layer)
			continue;
		/* The program's own part comes after the header of the RDMA IP CM service. */
		at = (size_t)f->at / 8 + (layer_of(p, RDT_H_ipcm) ? RDT_LEN_ipcm : 0u);
		for (n = 0; n + 1 < sizeof(text) && at + n < layer->have; n++) {
			if (layer->bytes[at + n] < 0x20 || layer->bytes[at + n] > 0x7e)
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

char *rdt_line_says(const struct rdt_frame *frame, const struct rdt_layer *layers, size_t count,
		    char *buf, size_t size)
{
	const struct packet p = { frame, layers, count };

	add_data(&p, buf, size);
	add_layers(&p, buf, size);
	add_private(&p, buf, size);
	return buf;
}

char *rdt_line_exchange(const struct rdt_frame *f, char *buf, size_t size)
{
	struct rdt_exchange_text told;
	char text[96];

	if (!f->payload || rdt_exchange_parse(f->payload, f->payload_have, &told) != RDT_FIT_YES)
		return buf;
	snprintf(text, sizeof(text), "  QPN 0x%06" PRIx32 "  from PSN 0x%06" PRIx32, told.qpn,
		 told.psn);
	add(buf, size, text);
	if (rdt_exchange_has(&told, RDT_TELLS_RKEY) && told.rkey) {
		snprintf(text, sizeof(text), "  rkey 0x%08" PRIx32 "  va 0x%016" PRIx64, told.rkey,
			 told.vaddr);
		add(buf, size, text);
	}
	return buf;
}

/* ---- what is wrong with it ----------------------------------------------------------------------- */

const char *rdt_line_problem(const struct rdt_frame *f)
{
	struct rdt_pkt pkt;
	enum rdt_status status;

	if (f->problem != RDT_PROBLEM_NONE)
		return rdt_frame_problem_text((enum rdt_frame_problem)f->problem);
	if (f->kind != RDT_FRAME_IB)
		return NULL;
	status = rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt);
	if (status == RDT_OK)
		return f->bth_have < f->bth_len ? "the capture cut the packet" : NULL;
	if (status == RDT_OPCODE && rdt_pkt_is_vendor(f->bth, f->bth_have, f->bth_len))
		return NULL;
	return rdt_status_text(status);
}
