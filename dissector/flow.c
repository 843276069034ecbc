/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flow graph of the set-up messages (-z flow,rdmacm,standard). */
#include "rdmacm.h"
#include "rdmatrace/line.h"

static tap_packet_status flow_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt,
				     const void *tapped, tap_flags_t flags)
{
	const struct packet *p = tapped;
	struct seq_info *info = tapdata;
	char label[64], comment[RDT_LINE_MAX] = "";
	struct seq_item *item;

	(void)edt;
	(void)flags;
	if (!p->note->message)
		return TAP_PACKET_DONT_REDRAW;
	item = sequence_analysis_create_sai_with_addresses(pinfo, info);
	if (!item)
		return TAP_PACKET_DONT_REDRAW;
	item->frame_number = pinfo->num;
	sequence_analysis_use_color_filter(pinfo, item);
	item->port_src = (uint16_t)p->frame.sport;
	item->port_dst = (uint16_t)p->frame.dport;
	item->frame_label = g_strdup(packet_what(p, label, sizeof(label)));
	packet_says(p, comment, sizeof(comment));
	item->comment = g_strdup_printf("%u:%s", p->stream, comment);
	item->line_style = 1;
	item->conv_num = (uint16_t)p->stream;
	item->display = TRUE;
	g_queue_push_tail(info->items, item);
	return TAP_PACKET_REDRAW;
}

void flow_register(void)
{
	register_seq_analysis("rdmacm", "RDMA connections", proto_rdmacm, "rdmacm", 0, flow_packet);
}
