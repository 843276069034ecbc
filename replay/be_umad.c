// SPDX-License-Identifier: BSD-2-Clause
/*
 * Management datagrams through libibumad: every byte of the MAD is ours, but for the upper half of
 * the TID, which the kernel writes. Class 7 must be free: ib_cm is not loaded.
 */
#include <errno.h>
#include <infiniband/umad.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/encode.h"
#include "replay/backend.h"
#include "replay/gid.h"
#include "replay/wait.h"

struct rp_link {
	struct rp_link_opts opts;
	struct rp_gid gid;
	int fd, agent;
	void *umad;
	GArray *tids; /* uint64_t: of what was sent */
};

/* ---- opening --------------------------------------------------------------------------------- */

static const char holders[] = "rdma_ucm rds_rdma nvme_rdma nvmet_rdma ib_iser ib_isert rpcrdma "
			      "ib_srp ib_ipoib rdma_cm iw_cm "
			      "ib_cm";

/* The order in which to unload what holds class 7. */
static char *rmmod_order(void)
{
	char **all = g_strsplit(holders, " ", -1);
	GString *out = g_string_new("rmmod");

	for (char **m = all; *m; m++) {
		if (rp_module_loaded(*m))
			g_string_append_printf(out, " %s", *m);
	}
	g_strfreev(all);
	return g_string_free(out, FALSE);
}

static bool open_port(struct rp_link *l, struct rp_problem *p)
{
	char *order;

	if (rp_module_loaded("ib_cm")) {
		order = rmmod_order();
		rp_no_host(p, g_strdup_printf(
				      "the kernel's ib_cm is loaded and owns the CM class of MADs; "
				      "unload it with: %s (in this order), or use --backend udp "
				      "or rdmacm",
				      order));
		g_free(order);
		return false;
	}
	if (umad_init() < 0)
		return rp_no_host(p,
				  g_strdup("libibumad cannot start; is the module ib_umad loaded? "
					   "(modprobe ib_umad)"));
	l->fd = umad_open_port(l->gid.device, l->gid.port);
	if (l->fd == -EACCES || l->fd == -EPERM)
		return rp_no_host(
			p, g_strdup("no right to open /dev/infiniband/umad*: run as root, or "
				    "give the node's mode to your user"));
	if (l->fd < 0)
		return rp_no_host(
			p, g_strdup_printf("cannot open umad of %s port %d: %s; is the module "
					   "ib_umad loaded? (modprobe ib_umad)",
					   l->gid.device, l->gid.port, strerror(-l->fd)));
	return true;
}

static bool take_class(struct rp_link *l, struct rp_problem *p)
{
	long mask[16 / sizeof(long)] = { 1L << RDT_METHOD_SEND };

	l->agent = umad_register(l->fd, RDT_CLASS_CM, 2, 0, mask);
	if (l->agent < 0)
		return rp_no_host(
			p, g_strdup("the kernel does not give us the CM class of MADs: somebody "
				    "else has it (dmesg: Method 3 already in use)"));
	return true;
}

static void umad_link_close(struct rp_link *l)
{
	if (l->fd >= 0) {
		if (l->agent >= 0)
			umad_unregister(l->fd, l->agent);
		umad_close_port(l->fd);
	}
	free(l->umad);
	g_array_unref(l->tids);
	g_free(l);
}

static struct rp_link *umad_link_open(const struct rp_link_opts *opts, bool check, GPtrArray *lines,
				      struct rp_problem *p)
{
	struct rp_link *l = g_new0(struct rp_link, 1);
	char state[64];
	const char *refused;

	(void)check;
	l->opts = *opts;
	l->fd = l->agent = -1;
	l->tids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	if (!rp_gid_find(&opts->local, opts->device, &l->gid, p) || !open_port(l, p) ||
	    !take_class(l, p)) {
		umad_link_close(l);
		return NULL;
	}
	l->umad = calloc(1, umad_size() + RDT_MAD_LEN);
	g_ptr_array_add(lines,
			g_strdup_printf("umad %s port %d %s, GID index %d, ib_cm not loaded, "
					"class 7 is ours   reachable: F5 on the MAD (TID: its "
					"lower half)",
					l->gid.device, l->gid.port, rp_gid_state(&l->gid, state),
					l->gid.index));
	refused = rp_wait_prepare(opts->realtime);
	if (refused)
		g_ptr_array_add(lines, g_strdup(refused));
	return l;
}

static void umad_attach(struct rp_link *l, struct rp_player *player)
{
	(void)l;
	player->env.mad_only = true;
}

/* ---- messages ----------------------------------------------------------------------------------- */

static bool umad_link_send(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);
	struct ib_user_mad *u = l->umad;
	uint8_t *mad = umad_get_mad(l->umad);
	ib_mad_addr_t *a;
	uint64_t tid;

	if (!bth || len < RDT_LEN_bth + RDT_LEN_deth + RDT_MAD_LEN + RDT_LEN_icrc ||
	    item->bad_icrc) {
		*ret_why = g_strdup("backend umad sends whole MADs with a right ICRC; corrupt and "
				    "truncate need udp or packet");
		return false;
	}
	memset(u, 0, umad_size());
	memcpy(mad, bth + RDT_LEN_bth + RDT_LEN_deth, RDT_MAD_LEN);
	umad_set_addr(l->umad, 0, 1, 0, (int)RDT_QP1_QKEY);
	a = umad_get_mad_addr(l->umad);
	a->grh_present = 1;
	a->gid_index = (uint8_t)l->gid.index;
	a->hop_limit = 64;
	if (item->msg.code == RDT_MSG_REQ)
		a->traffic_class = (uint8_t)rdt_req_primary_traffic_class(mad + RDT_LEN_mad);
	memcpy(a->gid, l->opts.peer.bytes, 16);
	tid = rdt_mad_tid(mad);
	g_array_append_val(l->tids, tid);
	item->ns = rp_now();
	if (umad_send(l->fd, l->agent, l->umad, RDT_MAD_LEN, 0, 0) < 0) {
		*ret_why =
			g_strdup_printf("cannot send the MAD: %s; does the peer's address resolve? "
					"(ip neigh)",
					strerror(errno));
		return false;
	}
	if (l->opts.tap)
		l->opts.tap(l->opts.tap_user, item, true);
	return true;
}

/* The peer copies the TID that the kernel made of ours: its upper half is put back. */
static void own_tid(const struct rp_link *l, uint8_t *mad)
{
	for (guint i = 0; i < l->tids->len; i++) {
		const uint64_t tid = g_array_index(l->tids, uint64_t, i);

		if ((uint32_t)tid == (uint32_t)rdt_mad_tid(mad)) {
			rdt_mad_set_tid(mad, tid);
			return;
		}
	}
}

static struct rp_item *receive(struct rp_link *l)
{
	int len = RDT_MAD_LEN;
	uint8_t deth[RDT_LEN_deth];
	struct rdt_packet p = { .encap = RDT_ENCAP_ROCEV2,
				.ethernet = 1,
				.pkey = 0xffff,
				.opcode = RDT_OP_UD_SEND_ONLY,
				.dest_qpn = 1,
				.ack_req = 1,
				.src = l->opts.peer,
				.dst = l->opts.local,
				.ext = deth,
				.payload_len = RDT_MAD_LEN };
	struct rp_item *item;

	if (umad_recv(l->fd, l->umad, &len, 0) < 0 || umad_status(l->umad) ||
	    len < (int)RDT_MAD_LEN)
		return NULL;
	/* Only the peer of the command line is listened to. */
	if (memcmp(umad_get_mad_addr(l->umad)->gid, l->opts.peer.bytes, 16) != 0)
		return NULL;
	own_tid(l, umad_get_mad(l->umad));
	rdt_qp1_deth_init(deth);
	p.payload = umad_get_mad(l->umad);
	item = rp_item_new((enum rdt_side) !l->opts.side, rp_now());
	if (rp_item_encode(item, &p) && rp_item_know(item)) {
		if (l->opts.tap)
			l->opts.tap(l->opts.tap_user, item, false);
		return item;
	}
	rp_item_free(item);
	return NULL;
}

static enum rp_wait umad_link_wait(struct rp_link *l, int64_t until, struct rp_item **ret_item,
				   char **ret_why)
{
	(void)ret_why;
	for (;;) {
		const int got = rp_wait_fd(umad_get_fd(l->fd), until);

		if (got < 0)
			return RP_WAIT_STOP;
		if (!got)
			return RP_WAIT_TIME;
		*ret_item = receive(l);
		if (*ret_item)
			return RP_WAIT_ITEM;
	}
}

/* The device makes what is below the MAD. */
static bool can_set(struct rp_msg msg, unsigned field, bool came)
{
	(void)msg;
	(void)came;
	return field >= RDT_FIELD_COUNT || !rp_is_network(rdt_fields[field].hdr);
}

const struct rp_backend rp_backend_umad = {
	.name = "umad",
	.summary = "libibumad: every byte of the MAD, on a device whose kernel has no ib_cm",
	.reach = RP_F5,
	.families = { [RP_CM] = true },
	.can_set = can_set,
	.open = umad_link_open,
	.attach = umad_attach,
	.send = umad_link_send,
	.wait = umad_link_wait,
	.close = umad_link_close,
};
