// SPDX-License-Identifier: BSD-2-Clause
/*
 * librdmacm and libibverbs: the kernel's CM and real queue pairs. A message of the script is the call
 * that sends it; what comes is an event, of which only some fields can be seen (can_set below). The
 * queue pair is ours and not the id's, so that the RTU is sent when the script says so.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "replay/backend.h"
#include "replay/gid.h"
#include "replay/route.h"
#include "replay/sockaddr.h"
#include "replay/verbs.h"
#include "replay/wait.h"

struct rp_link {
	struct rp_link_opts opts;
	struct rp_gid gid;
	struct rp_player *player;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener, *id;
	struct rp_verbs *verbs;
	int epoll;
	bool disconnected;              /* our rdma_disconnect() was called */
	bool peer_left;                 /* theirs came */
	bool accepted;                  /* our REP was sent */
	bool answered;                  /* theirs came */
	struct rdma_conn_param offered; /* of the REQ or REP that came */
};

/* ---- opening --------------------------------------------------------------------------------- */

static bool open_active(struct rp_link *l, struct rp_problem *p)
{
	struct sockaddr_storage local, peer;
	char *why = NULL;
	int reuse = 1;

	rp_sockaddr(&l->opts.local, 0, l->gid.netdev, &local);
	rp_sockaddr(&l->opts.peer, l->opts.tcp_port, l->gid.netdev, &peer);
	if (rdma_create_id(l->channel, &l->id, NULL, RDMA_PS_TCP))
		return rp_no_host(p, g_strdup_printf("rdma_create_id: %s", strerror(errno)));
	rdma_set_option(l->id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &reuse, sizeof(reuse));
	return rp_route_address(l->id, (void *)&local, (void *)&peer, &why) || rp_no_host(p, why);
}

static bool open_passive(struct rp_link *l, struct rp_problem *p)
{
	struct sockaddr_storage local;

	rp_sockaddr(&l->opts.local, l->opts.tcp_port, l->gid.netdev, &local);
	if (rdma_create_id(l->channel, &l->listener, NULL, RDMA_PS_TCP))
		return rp_no_host(p, g_strdup_printf("rdma_create_id: %s", strerror(errno)));
	if (rdma_bind_addr(l->listener, (void *)&local))
		return rp_no_host(
			p,
			g_strdup_printf("cannot bind to port %u: %s; is another program listening "
					"there? (rdma res show cm_id)",
					l->opts.tcp_port, strerror(errno)));
	if (rdma_listen(l->listener, 8))
		return rp_no_host(p, g_strdup_printf("rdma_listen: %s", strerror(errno)));
	return true;
}

static void watch(const struct rp_link *l, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void rdmacm_close(struct rp_link *l)
{
	rp_verbs_free(l->verbs);
	if (l->id)
		rdma_destroy_id(l->id);
	if (l->listener)
		rdma_destroy_id(l->listener);
	if (l->channel)
		rdma_destroy_event_channel(l->channel);
	if (l->epoll >= 0)
		close(l->epoll);
	g_free(l);
}

static struct rp_link *rdmacm_open(const struct rp_link_opts *opts, bool check, GPtrArray *lines,
				   struct rp_problem *p)
{
	struct rp_link *l = g_new0(struct rp_link, 1);
	char state[64];
	const char *refused;

	l->opts = *opts;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (!rp_gid_find(&opts->local, opts->device, &l->gid, p))
		goto bad;
	l->channel = rdma_create_event_channel();
	if (!l->channel) {
		rp_no_host(p,
			   g_strdup_printf(
				   "no /dev/infiniband/rdma_cm: %s; is the module rdma_ucm loaded? "
				   "(modprobe rdma_ucm)",
				   strerror(errno)));
		goto bad;
	}
	g_ptr_array_add(lines,
			g_strdup_printf("rdmacm %s port %d %s, GID index %d, rdma_cm loaded   "
					"reachable: F3 and every field that it can set",
					l->gid.device, l->gid.port, rp_gid_state(&l->gid, state),
					l->gid.index));
	if (check)
		return l;
	if (!(opts->side == RDT_ACTIVE ? open_active(l, p) : open_passive(l, p)))
		goto bad;
	refused = rp_wait_prepare(opts->realtime);
	if (refused)
		g_ptr_array_add(lines, g_strdup(refused));
	watch(l, l->channel->fd);
	if (l->id && !(l->verbs = rp_verbs_new(l->id->verbs, p)))
		goto bad;
	return l;
bad:
	rdmacm_close(l);
	return NULL;
}

static void set_symbol(struct rp_player *p, const char *suffix, uint64_t value)
{
	char name[48];

	g_snprintf(name, sizeof(name), "$%s.%s",
		   p->script->roles[rp_plays(p, RDT_ACTIVE) ? RDT_ACTIVE : RDT_PASSIVE].name,
		   suffix);
	rp_symbol_set(rp_symbol(p->env.symbols, name), RP_FORCED, value);
}

/* The queue pair and the memory are real: their numbers are what the script's symbols are. */
static void use_verbs(struct rp_link *l)
{
	rp_verbs_memory(l->verbs, l->player);
	set_symbol(l->player, "qpn", rp_verbs_qpn(l->verbs));
	watch(l, rp_verbs_fd(l->verbs));
}

static void rdmacm_attach(struct rp_link *l, struct rp_player *player)
{
	l->player = player;
	player->env.mad_only = true;
	player->opts.blind = true;
	/* What the peer needs of us must not change between two looks at it. */
	if (l->verbs)
		use_verbs(l);
	if (l->id)
		set_symbol(player, "port", be16toh(rdma_get_src_port(l->id)));
}

/* ---- what this backend can choose and see ------------------------------------------------------- */

static bool can_set(struct rp_msg msg, unsigned field)
{
	static const uint16_t fields[] = {
		RDT_F_req_service_id,
		RDT_F_req_responder_resources,
		RDT_F_req_initiator_depth,
		RDT_F_req_flow_control,
		RDT_F_req_retry_count,
		RDT_F_req_rnr_retry_count,
		RDT_F_req_srq,
		RDT_F_req_local_qpn,
		RDT_F_req_vendor_id,
		RDT_F_req_path_mtu,
		RDT_F_req_primary_packet_rate,
		RDT_F_req_primary_traffic_class,
		RDT_F_req_primary_flow_label,
		RDT_F_req_primary_hop_limit,
		RDT_F_req_primary_sl,
		RDT_F_req_primary_ack_timeout,
		RDT_F_rep_responder_resources,
		RDT_F_rep_initiator_depth,
		RDT_F_rep_flow_control,
		RDT_F_rep_rnr_retry_count,
		RDT_F_rep_srq,
		RDT_F_rep_local_qpn,
		RDT_F_rep_vendor_id_h,
		RDT_F_rep_vendor_id_m,
		RDT_F_rep_vendor_id_l,
		RDT_F_rej_reason,
	};

	if (msg.family != RP_CM)
		return true;
	if (field == RP_FIELD_PRIVATE)
		return msg.code == RDT_MSG_REQ || msg.code == RDT_MSG_REP ||
		       msg.code == RDT_MSG_REJ;
	if (field == RDT_F_mad_attr_mod) /* ECE options */
		return msg.code == RDT_MSG_REQ || msg.code == RDT_MSG_REP;
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		if (fields[i] == field)
			return true;
	}
	return false;
}

/* ---- calls ---------------------------------------------------------------------------------------- */

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

static int call(struct rp_link *l, struct rp_item *item, char **ret_why)
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

static bool rdmacm_send(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	if (item->msg.family == RP_OP)
		return l->verbs && rp_verbs_post(l->verbs, item, ret_why);
	item->ns = rp_now();
	if (!call(l, item, ret_why))
		return true;
	if (!*ret_why)
		*ret_why = item->msg.code == RDT_MSG_MRA || item->msg.code > RDT_MSG_DREP
				   ? g_strdup_printf("librdmacm has no call that sends %s",
						     rp_msg_name(item->msg))
				   : g_strdup_printf("the call that sends %s failed: %s",
						     rp_msg_name(item->msg), strerror(errno));
	return false;
}

/* ---- events ----------------------------------------------------------------------------------------- */

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

static void put_private(struct rp_item *item, const struct rdma_conn_param *param)
{
	struct rp_image image;

	if (rp_item_image(item, &image) && image.private_data && param->private_data)
		memcpy(item->bytes + (image.private_data - item->bytes), param->private_data,
		       MIN(image.private_len, param->private_data_len));
}

static void put_path(struct rp_item *item, const struct rdma_cm_id *id)
{
	struct rp_image image;

	if (rp_item_image(item, &image))
		rp_route_came(id, item->bytes +
					  (rp_image_hdr(&image, RDT_F_req_path_mtu) - item->bytes));
}

/* A message as the template has it, with what the event tells of it. */
static struct rp_item *message(struct rp_link *l, uint8_t code, const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *c = &event->param.conn;
	const struct rp_stmt s = { .kind = RP_STMT_MSG,
				   .msg = { RP_CM, code },
				   .role = (unsigned)!l->opts.side,
				   .min = 1,
				   .max = 1 };
	struct rp_symbol *qpn;
	struct rp_item *item;
	uint32_t vendor, options;
	char name[48];

	/* The QPN is told, so that it must not be drawn by building. */
	g_snprintf(name, sizeof(name), "$%s.qpn", l->player->script->roles[s.role].name);
	qpn = rp_symbol(l->player->env.symbols, name);
	if ((code == RDT_MSG_REQ || code == RDT_MSG_REP) && qpn->origin == RP_UNBOUND)
		rp_symbol_set(qpn, RP_LEARNED, c->qp_num);
	item = rp_build(&l->player->env, &s);
	if (!item)
		return NULL;
	item->ns = rp_now();
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
		put_private(item, c);
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
		put_private(item, c);
		break;
	case RDT_MSG_REJ:
		put(item, RDT_F_rej_reason, (uint64_t)(event->status < 0 ? 0 : event->status));
		put_private(item, c);
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
	l->verbs = rp_verbs_new(l->id->verbs, &p);
	if (!l->verbs) {
		*ret_why = p.text;
		return NULL;
	}
	use_verbs(l);
	return message(l, RDT_MSG_REQ, event);
}

static struct rp_item *on_event(struct rp_link *l, const struct rdma_cm_event *event,
				char **ret_why)
{
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return on_request(l, event, ret_why);
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		l->answered = true;
		return message(l, RDT_MSG_REP, event);
	case RDMA_CM_EVENT_ESTABLISHED:
		return l->opts.side == RDT_PASSIVE ? message(l, RDT_MSG_RTU, event) : NULL;
	case RDMA_CM_EVENT_REJECTED:
		return message(l, RDT_MSG_REJ, event);
	case RDMA_CM_EVENT_DISCONNECTED:
		if (l->peer_left)
			return NULL;
		l->peer_left = true;
		return message(l, l->disconnected ? RDT_MSG_DREP : RDT_MSG_DREQ, event);
	case RDMA_CM_EVENT_UNREACHABLE:
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

static enum rp_wait rdmacm_wait(struct rp_link *l, int64_t until, struct rp_item **ret_item,
				char **ret_why)
{
	for (;;) {
		struct rdma_cm_event *event;
		int got;

		while (!rdma_get_cm_event(l->channel, &event)) {
			*ret_item = on_event(l, event, ret_why);
			rdma_ack_cm_event(event);
			if (*ret_item)
				return RP_WAIT_ITEM;
			if (*ret_why)
				return RP_WAIT_ERROR;
		}
		if (l->verbs) {
			*ret_item = rp_verbs_received(l->verbs, !l->opts.side);
			if (*ret_item)
				return RP_WAIT_ITEM;
			if (rp_verbs_done(l->verbs, ret_why))
				return RP_WAIT_DONE;
		}
		got = rp_wait_fd(l->epoll, until);
		if (got < 0)
			return RP_WAIT_STOP;
		if (!got)
			return RP_WAIT_TIME;
	}
}

const struct rp_backend rp_backend_rdmacm = {
	.name = "rdmacm",
	.summary = "librdmacm and libibverbs: the kernel's CM and real queue pairs on any device",
	.reach = RP_F3,
	.families = { [RP_CM] = true, [RP_OP] = true },
	.can_set = can_set,
	.open = rdmacm_open,
	.attach = rdmacm_attach,
	.send = rdmacm_send,
	.wait = rdmacm_wait,
	.close = rdmacm_close,
};
