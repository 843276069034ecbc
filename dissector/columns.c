/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packet list: Protocol, Info and, where the built-in dissector broke it, Source. */
#include <string.h>

#include "rdmacm.h"
#include "rdmatrace/line.h"

const char *packet_what(const struct packet *p, char *buf, size_t size)
{
	if (p->note->message) {
		const enum rdt_msg msg = (enum rdt_msg)p->note->message->rec.msg;

		g_snprintf(buf, (gulong)size, "%s%s", msg < RDT_MSG_MPA_REQ ? "CM " : "",
			   rdt_msg_key(msg));
		if (msg >= RDT_MSG_MPA_REQ)
			g_strdelimit(buf, "_", ' ');
		return buf;
	}
	if (p->frame.kind != RDT_FRAME_IB && p->frame.kind != RDT_FRAME_TCP)
		return "no transport";
	return rdt_line_what(&p->frame, p->layers, p->layer_count, buf, size);
}

void packet_says(const struct packet *p, char *buf, size_t size)
{
	if (p->note->message && p->note->message->rec.msg == RDT_MSG_OOB)
		rdt_line_exchange(&p->frame, buf, size);
	rdt_line_says(&p->frame, p->layers, p->layer_count, buf, size);
}

/* ---- Source --------------------------------------------------------------------------------------- */

/*
 * On the first pass over a REQ the built-in dissector leaves the LID that the REQ names as the source,
 * over Ethernet as well. The network layer's address is right; without one, our frame's is.
 */
static void repair_source(packet_info *pinfo, const struct packet *p)
{
	const struct rdt_frame *f = &p->frame;
	uint16_t lid;

	if (pinfo->src.type != AT_IB || pinfo->src.len != (int)sizeof(lid) ||
	    !rdt_layer_find(p->layers, p->layer_count, RDT_H_req))
		return;
	if (pinfo->net_src.type != AT_NONE && pinfo->net_src.type != AT_IB) {
		copy_address_shallow(&pinfo->src, &pinfo->net_src);
	} else if (f->encap != RDT_ENCAP_ROCEV2 && f->net) {
		alloc_address_wmem(pinfo->pool, &pinfo->src, AT_IB, RDT_SIZE_grh_sgid,
				   rdt_grh_sgid(f->net));
	} else if (f->src.kind == RDT_ADDR_LID) {
		lid = (uint16_t)(f->src.bytes[14] << 8 | f->src.bytes[15]);
		alloc_address_wmem(pinfo->pool, &pinfo->src, AT_IB, sizeof(lid), &lid);
	}
}

/* ---- Info ------------------------------------------------------------------------------------------ */

static bool is_tcp_end(const struct packet *p)
{
	return p->note->message && (p->note->message->rec.msg == RDT_MSG_TCP_FIN ||
				    p->note->message->rec.msg == RDT_MSG_TCP_RST);
}

/*
 * Is the line ours to write? Set-up messages and management are; of data only what no upper layer
 * has taken, which its name in the Protocol column tells.
 */
static bool owns_line(const struct packet *p)
{
	static const char *const builtin[] = { "RRoCE", "RoCE", "InfiniBand" };
	const char *protocol;

	if (p->note->message)
		return !is_tcp_end(p);
	if (p->frame.kind != RDT_FRAME_IB)
		return false;
	if (p->frame.encap == RDT_ENCAP_NONE ||
	    rdt_layer_find(p->layers, p->layer_count, RDT_H_mad))
		return true;
	protocol = col_get_text(p->pinfo->cinfo, COL_PROTOCOL);
	for (size_t i = 0; protocol && i < G_N_ELEMENTS(builtin); i++)
		if (!strcmp(protocol, builtin[i]))
			return true;
	return false;
}

static void add_marks(const struct packet *p, char *buf, size_t size)
{
	for (uint64_t left = p->note->experts; left; left &= left - 1) {
		const char *before = expert_before((enum rdmacm_expert)__builtin_ctzll(left));

		if (before)
			g_strlcat(buf, before, (gsize)size);
	}
}

void columns_set(struct packet *p)
{
	column_info *cinfo = p->pinfo->cinfo;
	char line[RDT_LINE_MAX] = "", what[64];

	if (!rdmacm_prefs.columns)
		return;
	repair_source(p->pinfo, p);
	if (!cinfo)
		return;
	add_marks(p, line, sizeof(line));
	if (!owns_line(p)) {
		if (line[0])
			col_prepend_fstr(cinfo, COL_INFO, "%s", line);
		return;
	}
	g_strlcat(line, packet_what(p, what, sizeof(what)), sizeof(line));
	packet_says(p, line, sizeof(line));
	/* What another dissector put there to stay is about a packet that it could not read. */
	col_clear_fence(cinfo, COL_INFO);
	col_add_str(cinfo, COL_INFO, line);
	if (p->note->message || rdt_layer_find(p->layers, p->layer_count, RDT_H_mad))
		col_set_str(cinfo, COL_PROTOCOL, "RDMA CM");
}
