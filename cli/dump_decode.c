/* SPDX-License-Identifier: BSD-2-Clause */
/* dump -V: every field of every header, with its place, its name and its value. */
#include <inttypes.h>
#include <string.h>

#include <glib.h>

#include "dump.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/text.h"
#include "rdmatrace/wire.h"

#define ROW 16          /* bytes a line of hex */
#define PAYLOAD_MAX 256 /* bytes of it that are shown */

static bool all_zero(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (bytes[i])
			return false;
	}
	return true;
}

static void put_hex(const struct cli_opts *opts, const uint8_t *bytes, size_t len, size_t off)
{
	FILE *out = cli_out();

	for (size_t row = 0; row < len; row += ROW) {
		const size_t n = len - row < ROW ? len - row : ROW;

		if (row && len - row > ROW && all_zero(bytes + row, len - row)) {
			fprintf(out, "%s%14zu  %zu more bytes, all zero%s\n",
				cli_tone(opts, CLI_TONE_DIM), off + row, len - row,
				cli_tone(opts, CLI_TONE_OFF));
			return;
		}
		fprintf(out, "%s%14zu  ", cli_tone(opts, CLI_TONE_DIM), off + row);
		for (size_t i = 0; i < ROW; i++) {
			if (i < n)
				fprintf(out, "%02x%s", bytes[row + i], i == 7 ? "  " : " ");
			else
				fputs(i == 7 ? "    " : "   ", out);
		}
		fputc(' ', out);
		for (size_t i = 0; i < n; i++) {
			const uint8_t c = bytes[row + i];

			fputc(c >= 0x20 && c < 0x7f ? c : '.', out);
		}
		fprintf(out, "%s\n", cli_tone(opts, CLI_TONE_OFF));
	}
}

/* Pad to column 46, whatever the label's characters are. */
static void put_label(const char *label)
{
	const size_t width = cli_text_width(label);

	fprintf(cli_out(), "%s%*s", label, (int)(width < 44 ? 44 - width : 1), "");
}

static void put_field(const struct cli_opts *opts, const struct rdt_layer *layer,
		      const struct rdt_field *f)
{
	FILE *out = cli_out();
	const uint8_t *bytes = layer->bytes + f->at / 8;
	const size_t off = layer->off + f->at / 8, len = f->width / 8;
	const bool here = rdt_layer_has(layer, f);
	char text[512];

	/* Reserved bits are shown when somebody set them. */
	if (f->kind == RDT_KIND_RSVD && (!here || !rdt_field_get(f, layer->bytes)))
		return;
	fprintf(out, "%s%8zu%s  ", cli_tone(opts, CLI_TONE_DIM), off, cli_tone(opts, CLI_TONE_OFF));
	put_label(f->label);
	if (!here) {
		fprintf(out, "%scut by the capture%s", cli_tone(opts, CLI_TONE_WARN),
			cli_tone(opts, CLI_TONE_OFF));
	} else if (f->kind == RDT_KIND_BYTES && len > ROW) {
		fprintf(out, "%zu B%s", len, all_zero(bytes, len) ? ", all zero" : "");
	} else {
		fprintf(out, "%s%s%s",
			f->kind == RDT_KIND_RSVD ? cli_tone(opts, CLI_TONE_WARN) : "",
			rdt_field_text(f, layer->bytes, text, sizeof(text)),
			f->kind == RDT_KIND_RSVD ? cli_tone(opts, CLI_TONE_OFF) : "");
	}
	fprintf(out, "  %s%s.%s%s\n", cli_tone(opts, CLI_TONE_DIM), rdt_hdrs[f->hdr].key, f->key,
		cli_tone(opts, CLI_TONE_OFF));
	if (here && f->kind == RDT_KIND_BYTES && len > ROW && !all_zero(bytes, len))
		put_hex(opts, bytes, len, off);
	/* What the capture left of a long field is still worth seeing. */
	if (!here && f->kind == RDT_KIND_BYTES && layer->have > f->at / 8)
		put_hex(opts, bytes, layer->have - f->at / 8, off);
}

static void put_icrc(const struct dump_packet *d)
{
	uint32_t want = 0;
	uint16_t sport = 0;
	enum rdt_icrc_state state;

	if (d->frame->kind != RDT_FRAME_IB)
		return;
	state = rdt_icrc_check(d->frame, &want, &sport);
	fprintf(cli_out(), "  ICRC is %s", rdt_icrc_text(state));
	if (state == RDT_ICRC_BAD || state == RDT_ICRC_ABSENT)
		fprintf(cli_out(), "; right would be 0x%08" PRIx32, want);
	if (state == RDT_ICRC_SPORT)
		fprintf(cli_out(), " (%u)", sport);
	fputc('\n', cli_out());
}

/* The bytes of the message: what a data packet carries, without pad and ICRC. */
static void put_payload(const struct cli_opts *opts, const struct dump_packet *d)
{
	const struct rdt_frame *f = d->frame;
	uint32_t off, have;
	struct rdt_pkt pkt;

	if (f->kind != RDT_FRAME_IB || rdt_layer_find(d->layers, d->layer_count, RDT_H_mad) ||
	    rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt) != RDT_OK || !pkt.payload_len)
		return;
	off = (uint32_t)(rdt_pkt_payload(&pkt) - d->packet->bytes);
	have = pkt.have > pkt.op->hdr_len ? pkt.have - pkt.op->hdr_len : 0;
	have = have < pkt.payload_len ? have : pkt.payload_len;
	fprintf(cli_out(), "  %sPayload%s  %s%" PRIu32 " bytes at %" PRIu32 "%s\n",
		cli_tone(opts, CLI_TONE_BOLD), cli_tone(opts, CLI_TONE_OFF),
		cli_tone(opts, CLI_TONE_DIM), pkt.payload_len, off, cli_tone(opts, CLI_TONE_OFF));
	put_hex(opts, rdt_pkt_payload(&pkt), have < PAYLOAD_MAX ? have : PAYLOAD_MAX, off);
	if (have > PAYLOAD_MAX)
		fprintf(cli_out(), "%14s  and %" PRIu32 " more\n", "", have - PAYLOAD_MAX);
}

void dump_decode(const struct cli_opts *opts, const struct dump_packet *d)
{
	FILE *out = cli_out();
	const char *problem = dump_problem(d);
	char text[128];

	fprintf(out, "  %" PRIu32 " bytes on the wire, %" PRIu32 " captured; %s\n", d->packet->len,
		d->packet->have,
		rdt_link_text(d->packet->link) ? rdt_link_text(d->packet->link) : "?");
	if (problem) {
		text[0] = 0;
		if (d->frame->problem)
			snprintf(text, sizeof(text), " (byte %" PRIu32 ")", d->frame->problem_off);
		fprintf(out, "  %s%s%s%s\n", cli_tone(opts, CLI_TONE_BAD), problem, text,
			cli_tone(opts, CLI_TONE_OFF));
	}
	for (size_t i = 0; i < d->layer_count; i++) {
		const struct rdt_layer *layer = &d->layers[i];
		const struct rdt_hdr *hdr = &rdt_hdrs[layer->hdr];

		if (layer->hdr == RDT_H_icrc)
			put_payload(opts, d);
		fprintf(out, "  %s%s%s%s  %s%u bytes at %" PRIu32 "%s\n",
			cli_tone(opts, CLI_TONE_BOLD), hdr->label, cli_tone(opts, CLI_TONE_OFF),
			layer->guess ? " (a guess by its bytes)" : "", cli_tone(opts, CLI_TONE_DIM),
			hdr->len, layer->off, cli_tone(opts, CLI_TONE_OFF));
		for (size_t f = hdr->begin; f < hdr->end; f++)
			put_field(opts, layer, &rdt_fields[f]);
	}
	if (!rdt_layer_find(d->layers, d->layer_count, RDT_H_icrc))
		put_payload(opts, d);
	put_icrc(d);
	fputc('\n', out);
}
