// SPDX-License-Identifier: BSD-2-Clause
/*
 * A plain UDP socket: no rights, no RDMA device. Every byte from the BTH to the ICRC is ours. The
 * IP id must be known for the ICRC: the kernel leaves it 0 where fragmenting is forbidden on a
 * socket that is not connected.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "replay/backend.h"
#include "replay/icrc_id.h"
#include "replay/roce_link.h"
#include "replay/sockaddr.h"
#include "replay/wait.h"

#ifndef UDP_NO_CHECK6_RX
#define UDP_NO_CHECK6_RX 102
#endif

static bool send_frame(struct rp_link *l, struct rp_item *item, char **ret_why);
static struct rp_item *read_one(struct rp_link *l, bool *ret_more);
static void read_error(struct rp_link *l);

/* ---- opening --------------------------------------------------------------------------------- */

static void set_int(int fd, int level, int option, int value)
{
	/* What a kernel does not know it does not do: later checks tell. */
	(void)!setsockopt(fd, level, option, &value, sizeof(value));
}

static bool problem(struct rp_problem *p, bool environment, char *text)
{
	p->text = text;
	p->environment = environment;
	return false;
}

static bool bind_it(struct rp_link *l, struct rp_problem *ret)
{
	struct sockaddr_storage ss;
	const socklen_t len = rp_sockaddr(&l->opts.local, l->opts.port, l->opts.device, &ss);
	char text[RDT_ADDR_TEXT];
	const int v4 = l->opts.local.kind == RDT_ADDR_IPV4;

	rdt_addr_text(&l->opts.local, text, sizeof(text));
	l->fd = socket(v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return problem(ret, true, g_strdup_printf("no UDP socket: %s", strerror(errno)));
	if (v4) {
		set_int(l->fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
		set_int(l->fd, IPPROTO_IP, IP_RECVERR, 1);
		set_int(l->fd, IPPROTO_IP, IP_RECVTOS, 1);
		set_int(l->fd, IPPROTO_IP, IP_RECVTTL, 1);
	} else {
		set_int(l->fd, IPPROTO_UDP, UDP_NO_CHECK6_RX, 1);
		set_int(l->fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
		set_int(l->fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
		set_int(l->fd, IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1);
	}
	set_int(l->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
	set_int(l->fd, SOL_SOCKET, SO_RCVBUF, 4 << 20);
	if (!bind(l->fd, (void *)&ss, len))
		return true;
	switch (errno) {
	case EADDRINUSE:
		return problem(
			ret, true,
			g_strdup_printf("UDP port %u of %s is in use: by rdma_rxe on this host "
					"(rdma link; use --backend packet or rdmacm, or delete "
					"the link) or by another replay",
					l->opts.port, text));
	case EADDRNOTAVAIL:
		return problem(ret, true,
			       g_strdup_printf("%s is no address of this host; give one of ip "
					       "address with --local",
					       text));
	case EINVAL:
		if (l->opts.local.bytes[0] == 0xfe && !l->opts.device)
			return problem(ret, false,
				       g_strdup_printf("%s is link-local: name its network "
						       "interface with --dev (ip address)",
						       text));
		/* fall through */
	default:
		return problem(ret, true,
			       g_strdup_printf("cannot bind to %s port %u: %s", text, l->opts.port,
					       strerror(errno)));
	}
}

/* Is there a way to the peer? Asking the routing table sends nothing. */
static bool find_route(const struct rp_link *l, struct rp_problem *ret)
{
	const int fd = socket(l->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char text[RDT_ADDR_TEXT];
	bool ok = true;

	rdt_addr_text(&l->opts.peer, text, sizeof(text));
	if (fd >= 0 && connect(fd, (const void *)&l->to, l->to_len))
		ok = problem(ret, true,
			     g_strdup_printf("%s cannot be reached: %s; see ip route get %s", text,
					     strerror(errno), text));
	if (fd >= 0)
		close(fd);
	return ok;
}

static void udp_close(struct rp_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	rp_rc_free(l->rc);
	rp_item_free(l->knock);
	g_free(l);
}

static struct rp_link *udp_open(const struct rp_link_opts *opts, bool check, GPtrArray *lines,
				struct rp_problem *ret)
{
	struct rp_link *l = g_new0(struct rp_link, 1);
	char local[RDT_ADDR_TEXT], peer[RDT_ADDR_TEXT];
	const char *refused;

	(void)check;
	l->opts = *opts;
	l->fd = -1;
	l->put = send_frame;
	l->get = read_one;
	l->trouble = read_error;
	l->tos = l->ttl = -1;
	l->to_len = rp_sockaddr(&opts->peer, opts->port, opts->device, &l->to);
	if (!bind_it(l, ret) || !find_route(l, ret)) {
		udp_close(l);
		return NULL;
	}
	g_ptr_array_add(lines, g_strdup_printf("udp %s port %u to %s: bound, a route is there, no "
					       "rights needed   reachable: F5 on the UDP payload",
					       rdt_addr_text(&opts->local, local, sizeof(local)),
					       opts->port,
					       rdt_addr_text(&opts->peer, peer, sizeof(peer))));
	refused = rp_wait_prepare(opts->realtime);
	if (refused)
		g_ptr_array_add(lines, g_strdup(refused));
	return l;
}

/* ---- sending ----------------------------------------------------------------------------------- */

/* The ports are covered by the ICRC. One that the script has cut stays as it is. */
static void set_port(const struct rp_link *l, struct rp_item *item, uint16_t dport)
{
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);
	uint8_t *udp = item->bytes + (bth - item->bytes) - RDT_LEN_udp;

	rdt_udp_set_sport(udp, l->opts.port);
	rdt_udp_set_dport(udp, dport);
	if (rdt_udp_len(udp) == len + RDT_LEN_udp)
		rp_item_seal(item);
}

static bool send_frame(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	uint8_t *net = rp_item_net(item);
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);
	const bool v4 = l->to.ss_family == AF_INET;
	int tos, ttl;
	ssize_t n;

	if (!bth)
		return true; /* cut before the BTH: nothing is left of it */
	tos = v4 ? net[1] : (net[0] << 4 & 0xf0) | net[1] >> 4;
	ttl = v4 ? net[8] : net[7];
	/* The frame as it will leave: from our port, with the id that the kernel gives. */
	if (v4)
		rdt_ipv4_set_id(net, 0);
	set_port(l, item, l->opts.port);
	if (tos != l->tos)
		set_int(l->fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TOS : IPV6_TCLASS,
			l->tos = tos);
	if (ttl != l->ttl)
		set_int(l->fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TTL : IPV6_UNICAST_HOPS,
			l->ttl = ttl);
	for (unsigned i = 0; i < 100; i++) {
		/* Before it leaves: on a loopback the answer may be there when sendto() returns. */
		item->ns = rp_now();
		n = sendto(l->fd, bth, len, 0, (const void *)&l->to, l->to_len);
		if (n >= 0)
			break;
		/* An error of an earlier packet is told once, in place of sending. */
		if (errno != ECONNREFUSED && errno != EAGAIN && errno != EINTR)
			break;
	}
	/* Here and in files it has the port of RoCEv2, whichever --port says. */
	set_port(l, item, RDT_ROCEV2_PORT);
	if (n >= 0 && l->opts.tap)
		l->opts.tap(l->opts.tap_user, item, true);
	if (n >= 0 || errno == ECONNREFUSED)
		return true;
	*ret_why = errno == EMSGSIZE
			   ? g_strdup_printf("%zu bytes do not fit the MTU of the way to the peer; "
					     "announce a smaller path MTU in the REQ",
					     len)
			   : g_strdup_printf("cannot send: %s", strerror(errno));
	return false;
}

/* ---- receiving --------------------------------------------------------------------------------- */

static void read_control(struct msghdr *msg, struct rp_carrier *c, int64_t *ns)
{
	for (struct cmsghdr *m = CMSG_FIRSTHDR(msg); m; m = CMSG_NXTHDR(msg, m)) {
		struct timespec ts;
		int value = 0;

		if (m->cmsg_level == SOL_SOCKET && m->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&ts, CMSG_DATA(m), sizeof(ts));
			*ns = (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
			continue;
		}
		memcpy(&value, CMSG_DATA(m), MIN(sizeof(value), m->cmsg_len - CMSG_LEN(0)));
		if ((m->cmsg_level == IPPROTO_IP && m->cmsg_type == IP_TOS) ||
		    (m->cmsg_level == IPPROTO_IPV6 && m->cmsg_type == IPV6_TCLASS))
			c->tos = (uint8_t)value;
		if ((m->cmsg_level == IPPROTO_IP && m->cmsg_type == IP_TTL) ||
		    (m->cmsg_level == IPPROTO_IPV6 && m->cmsg_type == IPV6_HOPLIMIT))
			c->ttl = (uint8_t)value;
	}
}

/* ICMP: nobody listens there (yet). Other errors were told by sendto(). */
static bool is_refusal(struct msghdr *msg)
{
	for (struct cmsghdr *m = CMSG_FIRSTHDR(msg); m; m = CMSG_NXTHDR(msg, m)) {
		struct sock_extended_err e;

		if (!((m->cmsg_level == IPPROTO_IP && m->cmsg_type == IP_RECVERR) ||
		      (m->cmsg_level == IPPROTO_IPV6 && m->cmsg_type == IPV6_RECVERR)) ||
		    m->cmsg_len < CMSG_LEN(sizeof(e)))
			continue;
		memcpy(&e, CMSG_DATA(m), sizeof(e));
		if (e.ee_errno == ECONNREFUSED)
			return true;
	}
	return false;
}

static void read_error(struct rp_link *l)
{
	_Alignas(struct cmsghdr) char control[512];
	char data[512];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int error;
	socklen_t len = sizeof(error);

	while (recvmsg(l->fd, &msg, MSG_ERRQUEUE) >= 0) {
		l->refused += is_refusal(&msg);
		msg.msg_controllen = sizeof(control);
	}
	(void)!getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (l->refused && l->knock && !l->heard && !l->knock_at)
		l->knock_at = rp_now() + KNOCK_NS;
}

static void set_port_of_received(struct rp_item *item)
{
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);

	rdt_udp_set_dport(item->bytes + (bth - item->bytes) - RDT_LEN_udp, RDT_ROCEV2_PORT);
	rp_item_seal(item);
}

/* One datagram; NULL when there is none of the peer. *ret_more: look again. */
static struct rp_item *read_one(struct rp_link *l, bool *ret_more)
{
	struct rp_received r;
	struct rp_carrier c = { .src = l->opts.peer, .dst = l->opts.local, .dport = l->opts.port };
	struct rp_item *item;
	int64_t ns = rp_now();
	const ssize_t n = rp_roce_read(l, &r);

	*ret_more = n >= 0;
	if (n < 0) {
		if (errno != EAGAIN && errno != EINTR)
			read_error(l);
		return NULL;
	}
	c.sport = rp_sockaddr_port((void *)&r.from);
	if (!rp_sockaddr_is((void *)&r.from, &l->opts.peer)) {
		l->strangers++;
		return NULL;
	}
	read_control(&r.msg, &c, &ns);
	item = rp_item_new((enum rdt_side) !l->opts.side, ns);
	if (!rp_item_wrap(item, &c, r.bytes, (size_t)n)) {
		rp_item_free(item);
		return NULL;
	}
	rp_find_ip_id(item, rdt_icrc_value(r.bytes + n - RDT_LEN_icrc));
	set_port_of_received(item);
	rp_roce_heard(l, item);
	return item;
}

/* Of the headers that the kernel makes a socket chooses these. */
static bool can_set(struct rp_msg msg, unsigned field, bool came)
{
	static const uint16_t fields[] = { RDT_F_ipv4_dscp, RDT_F_ipv4_ecn, RDT_F_ipv4_ttl,
					   RDT_F_ipv6_dscp, RDT_F_ipv6_ecn, RDT_F_ipv6_hop_limit };

	(void)msg;
	(void)came;
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
		if (fields[i] == field)
			return true;
	}
	return field >= RDT_FIELD_COUNT || !rp_is_network(rdt_fields[field].hdr);
}

const struct rp_backend rp_backend_udp = {
	.name = "udp",
	.summary = "a UDP socket: no rights, no device; every byte from BTH to ICRC is ours",
	.reach = RP_F5,
	.families = { [RP_CM] = true, [RP_OP] = true, [RP_PACKET] = true },
	.can_set = can_set,
	.open = udp_open,
	.attach = rp_roce_attach,
	.send = rp_roce_send,
	.wait = rp_roce_wait,
	.silence = rp_roce_silence,
	.close = udp_close,
};
