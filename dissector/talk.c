/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversations, endpoints, and the filter for a conversation: all by stream. */
#include "rdmacm.h"

/* What a click on a row filters for. */
static const char *filter_name(conv_filter_type_e type, const address *addr)
{
	if (type != CONV_FT_SRC_ADDRESS && type != CONV_FT_DST_ADDRESS &&
	    type != CONV_FT_ANY_ADDRESS)
		return CONV_FILTER_INVALID;
	if (addr->type == AT_IPv4)
		return type == CONV_FT_SRC_ADDRESS   ? "ip.src"
		       : type == CONV_FT_DST_ADDRESS ? "ip.dst"
						     : "ip.addr";
	if (addr->type == AT_IPv6)
		return type == CONV_FT_SRC_ADDRESS   ? "ipv6.src"
		       : type == CONV_FT_DST_ADDRESS ? "ipv6.dst"
						     : "ipv6.addr";
	return CONV_FILTER_INVALID;
}

static const char *conv_filter(conv_item_t *item, conv_filter_type_e type)
{
	return filter_name(type, &item->src_address);
}

static const char *endpoint_filter(endpoint_item_t *item, conv_filter_type_e type)
{
	return filter_name(type, &item->myaddress);
}

static ct_dissector_info_t conv_info = { conv_filter };
static et_dissector_info_t endpoint_info = { endpoint_filter };

/* The QPN of an end, as its port. */
static uint32_t qpn_of(const struct packet *p, unsigned side)
{
	return p->conn && p->conn->end[side].has_qpn ? p->conn->end[side].qpn : 0;
}

static tap_packet_status conv_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt,
				     const void *tapped, tap_flags_t flags)
{
	const struct packet *p = tapped;
	conv_hash_t *hash = tapdata;

	(void)edt;
	if (p->stream == RDT_CONN_NONE)
		return TAP_PACKET_DONT_REDRAW;
	hash->flags = flags;
	/* Not by QPN: it is not known from the first packet on, and the stream says all. */
	add_conversation_table_data_with_conv_id(hash, &pinfo->src, &pinfo->dst, 0, 0, p->stream, 1,
						 (int)pinfo->fd->pkt_len, &pinfo->rel_ts,
						 &pinfo->abs_ts, &conv_info, CONVERSATION_IBQP);
	return TAP_PACKET_REDRAW;
}

static tap_packet_status endpoint_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt,
					 const void *tapped, tap_flags_t flags)
{
	const struct packet *p = tapped;
	conv_hash_t *hash = tapdata;
	const unsigned side = p->note->side, peer = side ^ 1u;

	(void)edt;
	if (p->stream == RDT_CONN_NONE)
		return TAP_PACKET_DONT_REDRAW;
	hash->flags = flags;
	add_endpoint_table_data(hash, &pinfo->src, qpn_of(p, side), TRUE, 1,
				(int)pinfo->fd->pkt_len, &endpoint_info, ENDPOINT_IBQP);
	add_endpoint_table_data(hash, &pinfo->dst, qpn_of(p, peer), FALSE, 1,
				(int)pinfo->fd->pkt_len, &endpoint_info, ENDPOINT_IBQP);
	return TAP_PACKET_REDRAW;
}

/* ---- the context menu --------------------------------------------------------------------------------- */

static ws_bool filter_valid(packet_info *pinfo WS_FILTER_DATA)
{
	WS_FILTER_DATA_UNUSED;
	return feed_stream(note_find(pinfo->num)) != RDT_CONN_NONE;
}

static char *filter_build(packet_info *pinfo WS_FILTER_DATA)
{
	const uint32_t stream = feed_stream(note_find(pinfo->num));

	WS_FILTER_DATA_UNUSED;
	return stream == RDT_CONN_NONE ? NULL : g_strdup_printf("rdmacm.stream eq %u", stream);
}

void talk_register(void)
{
	register_conversation_table(proto_rdmacm, FALSE, conv_packet, endpoint_packet);
	WS_REGISTER_CONVERSATION_FILTER("rdmacm", "RDMA connection", filter_valid, filter_build);
}
