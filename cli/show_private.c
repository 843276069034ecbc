// SPDX-License-Identifier: BSD-2-Clause
/*
 * Private data. CM messages have no length for it: the field has a fixed size and is padded with
 * zeros, so all that can be said is where the last byte is that is not zero.
 */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "para.h"
#include "private_data.h"
#include "show.h"

#define SHOWN_MAX 64 /* bytes of a dump; dump -V has all */
#define INDENT 12

static bool is_text(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] < 0x20 || bytes[i] > 0x7e)
			return false;
	return len > 0;
}

/* Bytes from first on; addresses count from the beginning of bytes. */
static void dump(const uint8_t *bytes, size_t first, size_t len)
{
	for (size_t at = first; at < len; at += 16) {
		const size_t n = len - at < 16 ? len - at : 16;

		fprintf(cli_out(), "%*s%04zx ", INDENT, "", at);
		for (size_t i = 0; i < 16; i++)
			if (i < n)
				fprintf(cli_out(), " %02x", bytes[at + i]);
			else
				fputs("   ", cli_out());
		fputs("  ", cli_out());
		for (size_t i = 0; i < n; i++)
			putc(is_text(&bytes[at + i], 1) ? bytes[at + i] : '.', cli_out());
		putc('\n', cli_out());
	}
}

/* A known header inside: its fields in a line, reserved ones left out, and what the guess stands on. */
static void known(const struct story *s, const struct rdt_private *found, const uint8_t *bytes)
{
	const struct rdt_hdr *hdr = &rdt_hdrs[found->hdr];
	GString *text = g_string_new(NULL);
	char buf[RDT_TEXT_MAX];
	bool first = true;

	g_string_append_printf(text, "%s (a guess: %s): ", hdr->label, found->why);
	for (unsigned i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];

		if (!strncmp(f->key, "rsvd", 4))
			continue;
		g_string_append_printf(text, "%s%s %s", first ? "" : ", ", f->key,
				       rdt_field_text(f, bytes, buf, sizeof(buf)));
		first = false;
	}
	fprintf(cli_out(), "%*s", INDENT, "");
	para_print(cli_out(), text->str, INDENT, INDENT + 2, s->opts->width);
	g_string_free(text, TRUE);
}

/* What stands where the private data begin: the RDMA IP CM header and what it says. */
static void ipcm(const struct story *s, const struct told *told, GString *text)
{
	const struct rdt_layer *layer = msg_layer(&told->layers, RDT_H_ipcm);
	char src[RDT_TEXT_MAX], dst[RDT_TEXT_MAX];

	if (layer && layer->have == RDT_LEN_ipcm)
		g_string_append_printf(text, "IP CM header %s port %u %s %s; ",
				       rdt_field_text(&rdt_fields[RDT_F_ipcm_src_ip], layer->bytes,
						      src, sizeof(src)),
				       (unsigned)rdt_ipcm_src_port(layer->bytes), show_arrow(s),
				       rdt_field_text(&rdt_fields[RDT_F_ipcm_dst_ip], layer->bytes,
						      dst, sizeof(dst)));
}

static void print(const struct story *s, const struct told *told, const struct private_data *pd)
{
	const size_t used = private_data_used(pd);
	GString *text = g_string_new(NULL);
	struct rdt_private found;
	const bool is_known = private_data_find(s->conn, told->rec, pd, &found);
	const size_t first = is_known ? rdt_hdrs[found.hdr].len : 0;

	ipcm(s, told, text);
	if (!pd->size)
		g_string_append(text, "none");
	else if (!used && pd->have == pd->size)
		g_string_append_printf(text, "none (%zu B, all zero)", pd->size);
	else if (pd->exact)
		g_string_append_printf(text, "%zu B", pd->size);
	else
		g_string_append_printf(text, "%zu B, then zeros to %zu", used, pd->size);
	if (pd->have < pd->size)
		g_string_append_printf(text, " (%zu captured)", pd->have);
	if (is_text(pd->bytes, used) && used <= SHOWN_MAX)
		g_string_append_printf(text, ": \"%.*s\"", (int)used, (const char *)pd->bytes);
	fputs("  ", cli_out());
	show_pad(rdt_msg_key((enum rdt_msg)told->rec->msg), INDENT - 2);
	para_print(cli_out(), text->str, INDENT, INDENT, s->opts->width);
	if (is_known)
		known(s, &found, pd->bytes);
	if (used > first && !(!first && is_text(pd->bytes, used) && used <= SHOWN_MAX))
		dump(pd->bytes, first, MIN(used, first + SHOWN_MAX));
	if (used > first + SHOWN_MAX)
		fprintf(cli_out(),
			"%*s... %zu more: " CLI_NAME " dump -V -Y 'frame == %" PRIu32 "'\n", INDENT,
			"", used - first - SHOWN_MAX, told->rec->when.frame);
	g_string_free(text, TRUE);
}

/*
 * RTU, DREQ and DREP hardly ever carry any: their empty fields are not told, nor what the capture
 * cut before it began.
 */
static bool is_told(const struct rdt_msg_rec *rec, const struct private_data *pd)
{
	static const enum rdt_msg always[] = { RDT_MSG_REQ,      RDT_MSG_REP,     RDT_MSG_REJ,
					       RDT_MSG_SIDR_REQ, RDT_MSG_MPA_REQ, RDT_MSG_MPA_REP };

	for (size_t i = 0; i < G_N_ELEMENTS(always); i++)
		if (always[i] == (enum rdt_msg)rec->msg)
			return true;
	return private_data_used(pd) > 0;
}

void show_private(const struct story *s)
{
	bool titled = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_msg_rec *rec = &s->entries[i].msg;
		const struct told *told;
		struct private_data pd;

		if (s->entries[i].kind != RDT_REC_msg)
			continue;
		told = &s->told[rec->from][rec->msg];
		if (told->rec != rec || !private_data_of(rec, &told->layers, &pd) ||
		    !is_told(rec, &pd))
			continue;
		if (!titled)
			show_title(s, "private data");
		titled = true;
		print(s, told, &pd);
	}
}
