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
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "replay/rdmacm.h"
#include "replay/route.h"
#include "replay/sockaddr.h"
#include "replay/wait.h"

/* ---- opening --------------------------------------------------------------------------------- */

static bool open_active(struct rp_link *l, struct rp_problem *p)
{
	struct sockaddr_storage local, peer;
	char *why = NULL;
	int reuse = 1;

	rp_sockaddr(&l->opts.local, 0, l->gid.netdev, &local);
	rp_sockaddr(&l->opts.peer, l->opts.tcp_port, l->gid.netdev, &peer);
	if (rdma_create_id(l->channel, &l->id, NULL, (enum rdma_port_space)l->opts.port_space))
		return rp_no_host(p, g_strdup_printf("rdma_create_id: %s", strerror(errno)));
	rdma_set_option(l->id, RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, &reuse, sizeof(reuse));
	return rp_route_address(l->id, (void *)&local, (void *)&peer, &why) || rp_no_host(p, why);
}

static bool open_passive(struct rp_link *l, struct rp_problem *p)
{
	struct sockaddr_storage local;

	rp_sockaddr(&l->opts.local, l->opts.tcp_port, l->gid.netdev, &local);
	if (rdma_create_id(l->channel, &l->listener, NULL,
			   (enum rdma_port_space)l->opts.port_space))
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
	if (opts->port_space != RDMA_PS_TCP && opts->port_space != RDMA_PS_UDP) {
		p->text = g_strdup(
			"librdmacm connects to services tcp:PORT and udp:PORT; the script's is "
			"another: backend udp or umad can");
		goto bad;
	}
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
	if (l->id && !(l->verbs = rp_verbs_new(l->id->verbs, rp_rdmacm_is_ud(l), p)))
		goto bad;
	return l;
bad:
	rdmacm_close(l);
	return NULL;
}

static void set_symbol(struct rp_player *p, const char *suffix, uint64_t value)
{
	const unsigned own = rp_plays(p, RDT_ACTIVE) ? RDT_ACTIVE : RDT_PASSIVE;

	rp_symbol_set(rp_symbol_of(p->env.symbols, p->script->roles[own].name, suffix), RP_FORCED,
		      value);
}

void rp_rdmacm_use_verbs(struct rp_link *l)
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
		rp_rdmacm_use_verbs(l);
	if (l->id)
		set_symbol(player, "port", be16toh(rdma_get_src_port(l->id)));
}

/* ---- what this backend can choose and see ------------------------------------------------------- */

static bool can_set(struct rp_msg msg, unsigned field, bool came)
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
		RDT_F_sidr_req_service_id,
		RDT_F_sidr_rep_status,
		RDT_F_sidr_rep_qpn,
	};

	if (msg.family != RP_CM)
		return true;
	/* The kernel tells of a path that came the hop limit that it will use itself. */
	if (came && field == RDT_F_req_primary_hop_limit)
		return false;
	if (field == RP_FIELD_PRIVATE)
		return msg.code == RDT_MSG_REQ || msg.code == RDT_MSG_REP ||
		       msg.code == RDT_MSG_REJ || msg.code == RDT_MSG_SIDR_REQ ||
		       msg.code == RDT_MSG_SIDR_REP;
	if (field == RDT_F_mad_attr_mod) /* ECE options */
		return msg.code == RDT_MSG_REQ || msg.code == RDT_MSG_REP;
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		if (fields[i] == field)
			return true;
	}
	return false;
}

/* ---- playing ------------------------------------------------------------------------------------- */

static bool rdmacm_send(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	if (item->msg.family == RP_OP)
		return l->verbs && rp_verbs_post(l->verbs, item, ret_why);
	item->ns = rp_now();
	if (!rp_rdmacm_call(l, item, ret_why))
		return true;
	if (!*ret_why)
		*ret_why = item->msg.code == RDT_MSG_MRA || item->msg.code == RDT_MSG_LAP ||
					   item->msg.code == RDT_MSG_APR
				   ? g_strdup_printf("librdmacm has no call that sends %s",
						     rp_msg_name(item->msg))
				   : g_strdup_printf("the call that sends %s failed: %s",
						     rp_msg_name(item->msg), strerror(errno));
	return false;
}

static enum rp_wait rdmacm_wait(struct rp_link *l, int64_t until, struct rp_item **ret_item,
				char **ret_why)
{
	for (;;) {
		struct rdma_cm_event *event;
		int got;

		while (!rdma_get_cm_event(l->channel, &event)) {
			*ret_item = rp_rdmacm_event(l, event, ret_why);
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
