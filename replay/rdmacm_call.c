// SPDX-License-Identifier: BSD-2-Clause
/* A message of the script as the call of librdmacm that sends it. */
#include <errno.h>

#include "replay/rdmacm.h"
#include "replay/route.h"

/* The user's private data without the zeros that fill the message. */
static uint8_t private_len(const struct rp_image *image, size_t max)
{
	size_t n = MIN(image->private_len, max);

	while (n && !image->private_data[n - 1])
		n--;
	return (uint8_t)n;
}

static uint32_t ece_options(const struct rp_image *image)
{
	return rdt_mad_attr_mod(rp_image_hdr(image, RDT_F_mad_attr_mod));
}

static int call_connect(struct rp_link *l, struct rp_item *item, const struct rp_image *image,
			char **ret_why)
{
	uint8_t *req = item->bytes + (rp_image_hdr(image, RDT_F_req_local_qpn) - item->bytes);
	struct rdma_conn_param param = {
		.private_data = image->private_data,
		.private_data_len = private_len(image, 56),
		.responder_resources = (uint8_t)rdt_req_responder_resources(req),
		.initiator_depth = (uint8_t)rdt_req_initiator_depth(req),
		.flow_control = (uint8_t)rdt_req_flow_control(req),
		.retry_count = (uint8_t)rdt_req_retry_count(req),
		.rnr_retry_count = (uint8_t)rdt_req_rnr_retry_count(req),
		.srq = (uint8_t)rdt_req_srq(req),
		.qp_num = rdt_req_local_qpn(req),
	};

	if (!rp_route_take(l->id, req, ret_why))
		return -1;
	rp_item_seal(item);
	if (!rp_route_offer_ece(l->id, rdt_req_vendor_id(req), ece_options(image)))
		return -1;
	return rdma_connect(l->id, &param);
}

static int call_resolve(struct rp_link *l, const struct rp_image *image, char **ret_why)
{
	struct rdma_conn_param param = { .private_data = image->private_data,
					 .private_data_len = private_len(image, 180),
					 .qp_num = rp_verbs_qpn(l->verbs) };

	return rp_route_take(l->id, NULL, ret_why) ? rdma_connect(l->id, &param) : -1;
}

static int call_resolved(struct rp_link *l, const struct rp_image *image, char **ret_why)
{
	const uint8_t *rep = rp_image_hdr(image, RDT_F_sidr_rep_status);
	struct rdma_conn_param param = { .private_data = image->private_data,
					 .private_data_len = private_len(image, 136),
					 .qp_num = rdt_sidr_rep_qpn(rep) };

	switch (rdt_sidr_rep_status(rep)) {
	case RDT_SIDR_SUCCESS:
		return rdma_accept(l->id, &param);
	case RDT_SIDR_REJECT:
		return rdma_reject(l->id, param.private_data, param.private_data_len);
	default:
		*ret_why = g_strdup_printf(
			"librdmacm answers a SIDR_REQ with status 0 or 2; the script "
			"says %u here; backend udp or umad can",
			(unsigned)rdt_sidr_rep_status(rep));
		return -1;
	}
}

static int call_accept(struct rp_link *l, const struct rp_image *image)
{
	const uint8_t *rep = rp_image_hdr(image, RDT_F_rep_local_qpn);
	struct rdma_conn_param param = {
		.private_data = image->private_data,
		.private_data_len = private_len(image, 196),
		.responder_resources = (uint8_t)rdt_rep_responder_resources(rep),
		.initiator_depth = (uint8_t)rdt_rep_initiator_depth(rep),
		.flow_control = (uint8_t)rdt_rep_flow_control(rep),
		.rnr_retry_count = (uint8_t)rdt_rep_rnr_retry_count(rep),
		.srq = (uint8_t)rdt_rep_srq(rep),
		.qp_num = rdt_rep_local_qpn(rep),
	};
	const uint32_t vendor = rdt_rep_vendor_id_h(rep) << 16 | rdt_rep_vendor_id_m(rep) << 8 |
				rdt_rep_vendor_id_l(rep);

	if (!rp_verbs_ready(l->verbs, l->id, true) ||
	    !rp_route_offer_ece(l->id, vendor, ece_options(image)))
		return -1;
	l->accepted = true;
	return rdma_accept(l->id, &param);
}

/* Also says no, where the id's state has something to be said. */
static int call_destroy(struct rp_link *l)
{
	rdma_destroy_id(l->id);
	l->id = NULL;
	return 0;
}

static int call_reject(struct rp_link *l, const struct rp_image *image, char **ret_why)
{
	const uint8_t *rej = rp_image_hdr(image, RDT_F_rej_reason);
	const uint8_t len = private_len(image, 148);

	switch (rdt_rej_reason(rej)) {
	case RDT_REJ_CONSUMER:
		/*
		 * After the REP programs end the id. Linux 6.1 does not take back its timer of the REP upon
		 * rdma_reject(): the REP goes on, and ending the id hangs.
		 */
		return l->accepted && !len ? call_destroy(l)
					   : rdma_reject(l->id, image->private_data, len);
	case RDT_REJ_VENDOR_OPTION:
		return rdma_reject_ece(l->id, image->private_data, len);
	case RDT_REJ_TIMEOUT:
		/* The kernel says this of an id that goes away while its REQ has no answer. */
		if (l->opts.side == RDT_ACTIVE && !l->answered)
			return call_destroy(l);
		break;
	default:
		break;
	}
	*ret_why = g_strdup_printf("librdmacm rejects with the reasons 28 and 35, and 4 while its "
				   "REQ has no answer; the "
				   "script says %u here; backend udp or umad can",
				   (unsigned)rdt_rej_reason(rej));
	return -1;
}

int rp_rdmacm_call(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	struct rp_image image;

	if (!l->id || !rp_item_image(item, &image)) {
		errno = ENOTCONN;
		return -1;
	}
	switch (item->msg.code) {
	case RDT_MSG_REQ:
		return call_connect(l, item, &image, ret_why);
	case RDT_MSG_REP:
		return call_accept(l, &image);
	case RDT_MSG_REJ:
		return call_reject(l, &image, ret_why);
	case RDT_MSG_SIDR_REQ:
		return call_resolve(l, &image, ret_why);
	case RDT_MSG_SIDR_REP:
		return call_resolved(l, &image, ret_why);
	case RDT_MSG_RTU:
		return rp_verbs_ready(l->verbs, l->id, true) ? rdma_establish(l->id) : -1;
	case RDT_MSG_DREQ:
		l->disconnected = true;
		return rdma_disconnect(l->id);
	case RDT_MSG_DREP:
		return rdma_disconnect(l->id);
	default:
		errno = EOPNOTSUPP;
		return -1;
	}
}
