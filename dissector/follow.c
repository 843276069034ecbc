/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follow a stream: the message bytes of its data packets. And Export PDU: whole transport packets
 * without what carried them, for rdmacm.packet to read again.
 */
#include "rdmacm.h"

static int export_tap = -1;

/* ---- follow --------------------------------------------------------------------------------------- */

static char *conv_filter(epan_dissect_t *edt, packet_info *pinfo, unsigned *stream,
			 unsigned *sub_stream)
{
	const uint32_t index = feed_stream(note_find(pinfo->num));

	(void)edt;
	(void)sub_stream;
	if (index == RDT_CONN_NONE)
		return NULL;
	*stream = index;
	return g_strdup_printf("rdmacm.stream eq %u", index);
}

static char *index_filter(unsigned stream, unsigned sub_stream)
{
	(void)sub_stream;
	return g_strdup_printf("rdmacm.stream eq %u", stream);
}

static char *address_filter(address *src, address *dst, int src_port, int dst_port)
{
	char *a, *b, *filter;

	(void)src_port;
	(void)dst_port;
	if (src->type != AT_IPv4 && src->type != AT_IPv6)
		return g_strdup("rdmacm");
	a = address_to_str(NULL, src);
	b = address_to_str(NULL, dst);
	filter = g_strdup_printf("rdmacm && %s.addr == %s && %s.addr == %s",
				 src->type == AT_IPv4 ? "ip" : "ipv6", a,
				 src->type == AT_IPv4 ? "ip" : "ipv6", b);
	wmem_free(NULL, a);
	wmem_free(NULL, b);
	return filter;
}

static char *port_text(wmem_allocator_t *allocator, unsigned port)
{
	return wmem_strdup_printf(allocator, "%u", port);
}

#if WS_AT_LEAST(4, 2)
static uint32_t stream_count(void)
{
	return feed_tracker() ? rdt_tracker_conn_count(feed_tracker()) : 0;
}
#endif

/* The bytes of a packet's message that were captured, without pad and ICRC; NULL for none. */
static const uint8_t *payload_of(const struct rdt_frame *f, uint32_t *ret_len)
{
	struct rdt_pkt pkt;
	uint32_t have;

	if (f->kind == RDT_FRAME_TCP) {
		*ret_len = f->payload_have;
		return f->payload_have ? f->payload : NULL;
	}
	if (f->kind != RDT_FRAME_IB ||
	    rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt) != RDT_OK || !pkt.op->payload)
		return NULL;
	have = pkt.have > pkt.op->hdr_len ? pkt.have - pkt.op->hdr_len : 0;
	*ret_len = have < pkt.payload_len ? have : pkt.payload_len;
	return *ret_len ? rdt_pkt_payload(&pkt) : NULL;
}

/* Which side is which is the connection's to say: ports are of no use with QPs. */
static tap_packet_status follow_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt,
				       const void *tapped, tap_flags_t flags)
{
	const struct packet *p = tapped;
	follow_info_t *info = tapdata;
	follow_record_t *record;
	uint32_t len = 0;
	const uint8_t *bytes = payload_of(&p->frame, &len);
	const bool server = p->note->side == RDT_PASSIVE;

	(void)edt;
	(void)flags;
	if (!bytes || p->note->message)
		return TAP_PACKET_DONT_REDRAW;
	if (info->client_ip.type == AT_NONE) {
		copy_address(server ? &info->server_ip : &info->client_ip, &pinfo->src);
		copy_address(server ? &info->client_ip : &info->server_ip, &pinfo->dst);
		if (p->conn) {
			info->client_port = p->conn->end[RDT_ACTIVE].qpn;
			info->server_port = p->conn->end[RDT_PASSIVE].qpn;
		}
	}
	record = g_new0(follow_record_t, 1);
	record->is_server = server;
	record->packet_num = pinfo->num;
	record->abs_ts = pinfo->abs_ts;
	record->data = g_byte_array_append(g_byte_array_new(), bytes, len);
	info->bytes_written[server] += len;
	info->payload = g_list_prepend(info->payload, record);
	return TAP_PACKET_DONT_REDRAW;
}

/* ---- export --------------------------------------------------------------------------------------- */

static void export(const struct packet *p)
{
	exp_pdu_data_t *pdu;

	if (p->frame.kind != RDT_FRAME_IB || !p->frame.bth_have || !have_tap_listener(export_tap))
		return;
	pdu = export_pdu_create_common_tags(p->pinfo, "rdmacm.packet", EXP_PDU_TAG_DISSECTOR_NAME);
	pdu->tvb_captured_length = p->frame.bth_have;
	pdu->tvb_reported_length = p->frame.bth_len;
	pdu->pdu_tvb = tvb_new_subset_length_caplen(
		p->tvb, (int)(p->frame.bth - tvb_get_ptr(p->tvb, 0, -1)), (int)p->frame.bth_have,
		(int)p->frame.bth_len);
	tap_queue_packet(export_tap, p->pinfo, pdu);
}

void follow_queue(const struct packet *p)
{
	if (p->stream != RDT_CONN_NONE && have_tap_listener(tap_follow))
		tap_queue_packet(tap_follow, p->pinfo, p);
	export(p);
}

void follow_register(void)
{
	register_follow_stream(proto_rdmacm, "rdmacm_follow", conv_filter, index_filter,
			       address_filter, port_text,
			       follow_packet WS_FOLLOW_COUNT(stream_count));
}

void follow_handoff(void)
{
	export_tap = register_export_pdu_tap("RDMA packets");
}
