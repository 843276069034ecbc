// SPDX-License-Identifier: BSD-2-Clause
/*
 * Private data. CM messages have no length for it: the field has a fixed size and is padded with
 * zeros, so all that can be said is where the last byte is that is not zero.
 */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "para.h"
#include "rdmatrace/private.h"
#include "show.h"

#define SHOWN_MAX 64 /* bytes of a dump; dump -V has all */
#define INDENT 12

/* Where each message has its private data. */
static const struct {
	enum rdt_msg msg;
	enum rdt_field_id field;
} fields[] = {
	{ RDT_MSG_REQ, RDT_F_req_private_data },
	{ RDT_MSG_MRA, RDT_F_mra_private_data },
	{ RDT_MSG_REJ, RDT_F_rej_private_data },
	{ RDT_MSG_REP, RDT_F_rep_private_data },
	{ RDT_MSG_RTU, RDT_F_rtu_private_data },
	{ RDT_MSG_DREQ, RDT_F_dreq_private_data },
	{ RDT_MSG_DREP, RDT_F_drep_private_data },
	{ RDT_MSG_SIDR_REQ, RDT_F_sidr_req_private_data },
	{ RDT_MSG_SIDR_REP, RDT_F_sidr_rep_private_data },
	{ RDT_MSG_LAP, RDT_F_lap_private_data },
	{ RDT_MSG_APR, RDT_F_apr_private_data },
};

struct private
{
	const uint8_t *bytes;
	size_t have, size; /* captured; on the wire */
	bool exact;        /* size is what the sender gave, not the field's */
};

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

/* A known header inside: its fields in a line, reserved ones left out. why: what the guess stands on. */
static void known(const struct story *s, const struct rdt_layer *layer, const char *why)
{
	bool first = true;

	const struct rdt_hdr *hdr = &rdt_hdrs[layer->hdr];
	GString *text = g_string_new(NULL);
	char buf[RDT_TEXT_MAX];

	if (why)
		g_string_append_printf(text, "%s (a guess: %s): ", hdr->label, why);
	else
		g_string_append_printf(text, "%s: ", hdr->label);
	for (unsigned i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];

		if (f->kind == RDT_KIND_RSVD || !strncmp(f->key, "rsvd", 4) ||
		    !rdt_layer_has(layer, f))
			continue;
		g_string_append_printf(text, "%s%s %s", first ? "" : ", ", f->key,
				       rdt_field_text(f, layer->bytes, buf, sizeof(buf)));
		first = false;
	}
	fprintf(cli_out(), "%*s", INDENT, "");
	para_print(cli_out(), text->str, INDENT, INDENT + 2, s->opts->width);
	g_string_free(text, TRUE);
}

/* What stands where the private data begin: the RDMA IP CM header and what it says. */
static size_t ipcm(const struct story *s, const struct told *told, GString *text)
{
	const struct rdt_layer *layer = msg_layer(&told->layers, RDT_H_ipcm);
	char src[RDT_TEXT_MAX], dst[RDT_TEXT_MAX];

	if (!layer || layer->have < RDT_LEN_ipcm)
		return layer ? layer->have : 0;
	g_string_append_printf(
		text, "IP CM header %s port %u %s %s; ",
		rdt_field_text(&rdt_fields[RDT_F_ipcm_src_ip], layer->bytes, src, sizeof(src)),
		(unsigned)rdt_ipcm_src_port(layer->bytes), show_arrow(s),
		rdt_field_text(&rdt_fields[RDT_F_ipcm_dst_ip], layer->bytes, dst, sizeof(dst)));
	return RDT_LEN_ipcm;
}

/* What an upper layer put there; the connection's port tells more than the message alone. */
static bool inside(const struct story *s, const struct told *told, const struct private *pd,
		   struct rdt_layer *ret_layer, const char **ret_why)
{
	const struct rdt_conn *c = s->conn;
	const unsigned port = c->port_space || c->kind == RDT_CONN_MPA ? c->p_port : 0;
	struct rdt_private found;

	if (!pd->bytes || !rdt_private_find(msg_hdr((enum rdt_msg)told->rec->msg), port, pd->bytes,
					    pd->have, pd->size, &found))
		return false;
	*ret_layer = (struct rdt_layer){
		.hdr = found.hdr, .guess = 1, .bytes = pd->bytes, .have = rdt_hdrs[found.hdr].len
	};
	*ret_why = found.why;
	return true;
}

static void print(const struct story *s, const struct told *told, const struct private *pd,
		  GString *before)
{
	struct rdt_layer layer = { .have = 0 };
	const char *why = NULL;
	const bool is_known = inside(s, told, pd, &layer, &why);
	size_t used = pd->have, first;
	GString *text = g_string_new(before->str);

	while (used && !pd->bytes[used - 1])
		used--;
	if (pd->exact)
		used = pd->have;
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
		known(s, &layer, why);
	first = is_known ? layer.have : 0;
	if (used > first && !(!first && is_text(pd->bytes, used) && used <= SHOWN_MAX))
		dump(pd->bytes, first, MIN(used, first + SHOWN_MAX));
	if (used > first + SHOWN_MAX)
		fprintf(cli_out(),
			"%*s... %zu more: " CLI_NAME " dump -V -Y 'frame == %" PRIu32 "'\n", INDENT,
			"", used - first - SHOWN_MAX, told->rec->when.frame);
	g_string_free(text, TRUE);
}

static void cm(const struct story *s, const struct told *told, enum rdt_field_id id)
{
	const struct rdt_layer *layer = &told->layers.layer[0];
	const size_t at = rdt_fields[id].at / 8u, size = rdt_fields[id].width / 8u;
	GString *text = g_string_new(NULL);
	struct private pd = { .size = size };
	size_t skip;

	if (layer->have <= at) {
		g_string_free(text, TRUE);
		return;
	}
	skip = ipcm(s, told, text);
	pd.bytes = layer->bytes + at + skip;
	pd.have = layer->have - at - skip;
	pd.size -= skip;
	print(s, told, &pd, text);
	g_string_free(text, TRUE);
}

/* MPA says how long its private data are; enhanced connection data come first. */
static void mpa(const struct story *s, const struct told *told)
{
	const struct rdt_msg_rec *rec = told->rec;
	const size_t skip = msg_layer(&told->layers, RDT_H_mpa2) ? RDT_LEN_mpa2 : 0;
	GString *text = g_string_new(NULL);
	struct private pd = { .exact = true };

	if (rec->body_have >= RDT_LEN_mpa + skip) {
		pd.bytes = rec->body + RDT_LEN_mpa + skip;
		pd.size = rdt_mpa_pd_length(rec->body);
		pd.size = pd.size > skip ? pd.size - skip : 0;
		pd.have = MIN(rec->body_have - RDT_LEN_mpa - skip, pd.size);
		print(s, told, &pd, text);
	}
	g_string_free(text, TRUE);
}

/*
 * RTU, DREQ and DREP hardly ever carry any: their empty fields are not told, nor what the capture
 * cut before it began.
 */
static bool is_told(const struct told *told, enum rdt_field_id id)
{
	const struct rdt_layer *layer = &told->layers.layer[0];
	const size_t at = rdt_fields[id].at / 8u;

	for (size_t i = at; i < layer->have; i++)
		if (layer->bytes[i])
			return true;
	return layer->have > at && (told->rec->msg == RDT_MSG_REQ ||
				    told->rec->msg == RDT_MSG_REP || told->rec->msg == RDT_MSG_REJ);
}

static bool each(const struct story *s, bool shown)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_msg_rec *rec = &s->entries[i].msg;
		const struct told *told;

		if (s->entries[i].kind != RDT_REC_msg)
			continue;
		told = &s->told[rec->from][rec->msg];
		if (told->rec != rec || !told->layers.count)
			continue;
		if (rec->msg == RDT_MSG_MPA_REQ || rec->msg == RDT_MSG_MPA_REP) {
			if (shown)
				mpa(s, told);
			else
				return true;
		}
		for (size_t f = 0; f < G_N_ELEMENTS(fields); f++) {
			if (fields[f].msg != (enum rdt_msg)rec->msg ||
			    !is_told(told, fields[f].field))
				continue;
			if (!shown)
				return true;
			cm(s, told, fields[f].field);
		}
	}
	return false;
}

void show_private(const struct story *s)
{
	if (!each(s, false))
		return;
	show_title(s, "private data");
	each(s, true);
}
