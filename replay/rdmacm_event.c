// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel tells of the peer: an event of librdmacm as the message that caused it. */
#include <endian.h>
#include <string.h>

#include "replay/rdmacm.h"
#include "replay/route.h"
#include "replay/sockaddr.h"

static void put(struct rp_item *item, unsigned field, uint64_t value)
{
	struct rp_image image;
	const uint8_t *hdr;

	if (!rp_item_image(item, &image))
		return;
	hdr = rp_image_hdr(&image, field);
	if (hdr &&
	    rdt_field_set(&rdt_fields[field], item->bytes + (hdr - item->bytes), value) != RDT_OK)
		return;
}

static void put_private(struct rp_item *item, const void *data, size_t len)
{
	struct rp_image image;

	if (rp_item_image(item, &image) && image.private_data && data)
		memcpy(item->bytes + (image.private_data - item->bytes), data,
		       MIN(image.private_len, len));
}

static void put_path(struct rp_item *item, const struct rdma_cm_id *id)
{
	struct rp_image image;

	if (rp_item_image(item, &image))
		rp_route_came(id, item->bytes +
					  (rp_image_hdr(&image, RDT_F_req_path_mtu) - item->bytes));
}

/* A number of the peer's that an event tells, where nothing told it before. */
static void learn(const struct rp_link *l, const char *suffix, uint64_t value)
{
	struct rp_symbol *symbol = rp_symbol_of(
		l->player->env.symbols, l->player->script->roles[!l->opts.side].name, suffix);

	if (symbol->origin == RP_UNBOUND)
		rp_symbol_set(symbol, RP_LEARNED, value);
}

/* A message as the template has it, with what the event tells of it. */
static struct rp_item *message(struct rp_link *l, uint8_t code, const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *c = &event->param.conn;
	const struct rdma_ud_param *u = &event->param.ud;
	const struct rp_stmt s = { .kind = RP_STMT_MSG,
				   .msg = { RP_CM, code },
				   .role = (unsigned)!l->opts.side,
				   .min = 1,
				   .max = 1 };
	struct rp_item *item;
	uint32_t vendor = 0, options = 0;

	/* The QPN is told, so that it must not be drawn by building. */
	if (code == RDT_MSG_REQ || code == RDT_MSG_REP)
		learn(l, "qpn", c->qp_num);
	if (code == RDT_MSG_SIDR_REP)
		learn(l, "qpn", u->qp_num);
	item = rp_build(&l->player->env, &s);
	if (!item)
		return NULL;
	item->ns = rp_now();
	if (code == RDT_MSG_REQ || code == RDT_MSG_REP)
		rp_route_peer_ece(event->id, &vendor, &options);
	switch (code) {
	case RDT_MSG_REQ:
		put(item, RDT_F_req_responder_resources, c->initiator_depth);
		put(item, RDT_F_req_initiator_depth, c->responder_resources);
		put(item, RDT_F_req_flow_control, c->flow_control);
		put(item, RDT_F_req_retry_count, c->retry_count);
		put(item, RDT_F_req_rnr_retry_count, c->rnr_retry_count);
		put(item, RDT_F_req_srq, c->srq);
		put(item, RDT_F_req_local_qpn, c->qp_num);
		put(item, RDT_F_req_vendor_id, vendor);
		put(item, RDT_F_mad_attr_mod, options);
		put_path(item, event->id);
		put_private(item, c->private_data, c->private_data_len);
		break;
	case RDT_MSG_REP:
		put(item, RDT_F_rep_responder_resources, c->initiator_depth);
		put(item, RDT_F_rep_initiator_depth, c->responder_resources);
		put(item, RDT_F_rep_flow_control, c->flow_control);
		put(item, RDT_F_rep_rnr_retry_count, c->rnr_retry_count);
		put(item, RDT_F_rep_srq, c->srq);
		put(item, RDT_F_rep_local_qpn, c->qp_num);
		put(item, RDT_F_rep_vendor_id_h, vendor >> 16 & 0xff);
		put(item, RDT_F_rep_vendor_id_m, vendor >> 8 & 0xff);
		put(item, RDT_F_rep_vendor_id_l, vendor & 0xff);
		put(item, RDT_F_mad_attr_mod, options);
		put_private(item, c->private_data, c->private_data_len);
		break;
	case RDT_MSG_REJ:
		put(item, RDT_F_rej_reason, (uint64_t)(event->status < 0 ? 0 : event->status));
		put_private(item, c->private_data, c->private_data_len);
		break;
	case RDT_MSG_SIDR_REQ:
		put_private(item, u->private_data, u->private_data_len);
		break;
	case RDT_MSG_SIDR_REP:
		put(item, RDT_F_sidr_rep_status, (uint64_t)event->status);
		put(item, RDT_F_sidr_rep_qpn, event->status ? 0 : u->qp_num);
		put(item, RDT_F_sidr_rep_qkey, event->status ? 0 : u->qkey);
		put_private(item, u->private_data, u->private_data_len);
		break;
	default:
		break;
	}
	rp_item_seal(item);
	return item;
}

static struct rp_item *on_request(struct rp_link *l, const struct rdma_cm_event *event,
				  char **ret_why)
{
	struct rp_problem p = { .text = NULL };
	const struct sockaddr *from = rdma_get_peer_addr(event->id);

	if (l->id || !rp_sockaddr_is(from, &l->opts.peer)) {
		/* Somebody else, or a second connection. */
		rdma_reject(event->id, NULL, 0);
		return NULL;
	}
	l->id = event->id;
	l->verbs = rp_verbs_new(l->id->verbs, rp_rdmacm_is_ud(l), &p);
	if (!l->verbs) {
		*ret_why = p.text;
		return NULL;
	}
	rp_rdmacm_use_verbs(l);
	/* Its flow label follows from it. */
	learn(l, "port", be16toh(rdma_get_dst_port(l->id)));
	return message(l, rp_rdmacm_is_ud(l) ? RDT_MSG_SIDR_REQ : RDT_MSG_REQ, event);
}

struct rp_item *rp_rdmacm_event(struct rp_link *l, const struct rdma_cm_event *event,
				char **ret_why)
{
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return on_request(l, event, ret_why);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		l->answered = true;
		return message(l, RDT_MSG_REP, event);
	case RDMA_CM_EVENT_ESTABLISHED:
		if (rp_rdmacm_is_ud(l))
			return message(l, RDT_MSG_SIDR_REP, event);
		return l->opts.side == RDT_PASSIVE ? message(l, RDT_MSG_RTU, event) : NULL;
	case RDMA_CM_EVENT_REJECTED:
		return message(l, RDT_MSG_REJ, event);
	case RDMA_CM_EVENT_DISCONNECTED:
		if (l->peer_left)
			return NULL;
		l->peer_left = true;
		return message(l, l->disconnected ? RDT_MSG_DREP : RDT_MSG_DREQ, event);
	case RDMA_CM_EVENT_UNREACHABLE:
		if (rp_rdmacm_is_ud(l) && event->status > 0)
			return message(l, RDT_MSG_SIDR_REP, event);
		/* fall through */
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		*ret_why = g_strdup_printf("the kernel says %s (status %d)",
					   rdma_event_str(event->event), event->status);
		return NULL;
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_MULTICAST_JOIN:
	case RDMA_CM_EVENT_MULTICAST_ERROR:
	case RDMA_CM_EVENT_ADDR_CHANGE:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	}
	return NULL;
}
