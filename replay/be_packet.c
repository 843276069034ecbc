// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whole frames through AF_PACKET: IP id, TTL and TOS are what the script says, the ICRC of what comes
 * is checked over the frame as it was, and rdma_rxe may own port 4791 of this host. IPv4 and IPv6
 * over Ethernet; the peer's MAC address is the kernel's to find.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "rdmatrace/icrc.h"
#include "replay/neighbour.h"
#include "replay/roce_link.h"
#include "replay/sockaddr.h"
#include "replay/wait.h"

/* The interface that has our address, when none was named. */
static bool find_interface(struct rp_link *l, char name[IF_NAMESIZE], struct rp_problem *p)
{
	struct ifaddrs *all = NULL;
	char text[RDT_ADDR_TEXT];

	name[0] = 0;
	if (l->opts.device)
		g_strlcpy(name, l->opts.device, IF_NAMESIZE);
	if (!l->opts.device && !getifaddrs(&all)) {
		for (struct ifaddrs *i = all; i; i = i->ifa_next) {
			if (i->ifa_addr && rp_sockaddr_is(i->ifa_addr, &l->opts.local))
				g_strlcpy(name, i->ifa_name, IF_NAMESIZE);
		}
		freeifaddrs(all);
	}
	/* All of 127.0.0.0/8 is the loopback's, whatever addresses it shows. */
	if (!*name && l->opts.local.kind == RDT_ADDR_IPV4 && l->opts.local.bytes[12] == 127)
		g_strlcpy(name, "lo", IF_NAMESIZE);
	l->ifindex = *name ? (int)if_nametoindex(name) : 0;
	if (l->ifindex)
		return true;
	return rp_no_host(
		p, g_strdup_printf("no network interface has %s; give one of ip link with --dev",
				   rdt_addr_text(&l->opts.local, text, sizeof(text))));
}

static bool own_mac(struct rp_link *l, const char *name, struct rp_problem *p)
{
	struct ifreq request = { 0 };

	g_strlcpy(request.ifr_name, name, IFNAMSIZ);
	if (ioctl(l->fd, SIOCGIFHWADDR, &request))
		return rp_no_host(p, g_strdup_printf("%s: %s", name, strerror(errno)));
	memcpy(l->mac, request.ifr_hwaddr.sa_data, 6);
	return true;
}

/* An empty datagram to the discard port makes the kernel ask for the neighbour. */
static bool peer_mac(struct rp_link *l, const char *name, struct rp_problem *p)
{
	struct sockaddr_storage to;
	const socklen_t len = rp_sockaddr(&l->opts.peer, 9, name, &to);
	const int fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* Loopback needs none. */
	bool found = !strcmp(name, "lo") || rp_neighbour(l->ifindex, &l->opts.peer, l->peer_mac);
	char text[RDT_ADDR_TEXT];

	for (unsigned i = 0; i < 20 && !found; i++) {
		(void)!sendto(fd, "", 0, 0, (void *)&to, len);
		g_usleep(50000);
		found = rp_neighbour(l->ifindex, &l->opts.peer, l->peer_mac);
	}
	if (fd >= 0)
		close(fd);
	return found ||
	       rp_no_host(p, g_strdup_printf(
				     "%s does not answer on %s: no MAC address for it (ip neigh); "
				     "is it in the same subnet?",
				     rdt_addr_text(&l->opts.peer, text, sizeof(text)), name));
}

/* Without a socket on the port the host would answer each packet by ICMP. rxe may have it. */
static void guard_port(struct rp_link *l, const char *name)
{
	struct sockaddr_storage own;
	const socklen_t len = rp_sockaddr(&l->opts.local, l->opts.port, name, &own);

	l->guard = socket(own.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (l->guard >= 0 && bind(l->guard, (void *)&own, len)) {
		close(l->guard);
		l->guard = -1;
	}
}

static void packet_close(struct rp_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->guard >= 0)
		close(l->guard);
	rp_rc_free(l->rc);
	rp_item_free(l->knock);
	g_free(l);
}

static bool start(struct rp_link *l, GPtrArray *lines, struct rp_problem *p)
{
	struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	char name[IF_NAMESIZE], local[RDT_ADDR_TEXT], peer[RDT_ADDR_TEXT];
	const int on = 1;

	if (!find_interface(l, name, p))
		return false;
	l->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
	if (l->fd < 0)
		return rp_no_host(
			p,
			g_strdup_printf("no packet socket: %s; it needs CAP_NET_RAW (run as root, "
					"or use --backend udp)",
					strerror(errno)));
	setsockopt(l->fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on));
	ll.sll_ifindex = l->ifindex;
	if (bind(l->fd, (void *)&ll, sizeof(ll)))
		return rp_no_host(p, g_strdup_printf("%s: %s", name, strerror(errno)));
	if (!own_mac(l, name, p) || !peer_mac(l, name, p))
		return false;
	guard_port(l, name);
	g_ptr_array_add(
		lines,
		g_strdup_printf("packet %s %s to %s, port %u %s   reachable: F5 on frames", name,
				rdt_addr_text(&l->opts.local, local, sizeof(local)),
				rdt_addr_text(&l->opts.peer, peer, sizeof(peer)), l->opts.port,
				l->guard >= 0 ? "is ours" : "is somebody else's (rdma_rxe?)"));
	return true;
}

/* ---- frames -------------------------------------------------------------------------------------- */

static uint8_t *udp_of(struct rp_item *item)
{
	size_t len;

	return item->bytes + (rp_item_bth(item, &len) - item->bytes) - RDT_LEN_udp;
}

/* The script may say any source; what it says of the destination must be the peer. */
static bool address(const struct rp_link *l, struct rp_item *item, char **ret_why)
{
	const uint8_t *net = rp_item_net(item);
	const bool v4 = l->opts.peer.kind == RDT_ADDR_IPV4;

	if (rdt_eth_src(item->bytes) == RP_MAC_SRC)
		memcpy(item->bytes + 6, l->mac, 6);
	if (rdt_eth_dst(item->bytes) == RP_MAC_DST)
		memcpy(item->bytes, l->peer_mac, 6);
	if (!memcmp(item->bytes, l->peer_mac, 6) &&
	    (v4 ? !memcmp(net + 16, l->opts.peer.bytes + 12, 4)
		: !memcmp(net + 24, l->opts.peer.bytes, 16)))
		return true;
	*ret_why =
		g_strdup("the script sends to another address than --peer, which is the only one "
			 "ever spoken to (eth.dst, ipv4.dst, ipv6.dst)");
	return false;
}

static bool put(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_ifindex = l->ifindex,
				  .sll_halen = 6 };
	size_t len;
	const uint8_t *bth = rp_item_bth(item, &len);
	uint8_t *udp;
	bool standard;

	if (!bth)
		return true;
	if (!address(l, item, ret_why))
		return false;
	udp = udp_of(item);
	memcpy(to.sll_addr, item->bytes, 6);
	memcpy(&to.sll_protocol, item->bytes + 12, 2);
	/* --port, where the script does not say another. */
	standard = rdt_udp_dport(udp) == RDT_ROCEV2_PORT;
	if (standard)
		rdt_udp_set_dport(udp, l->opts.port);
	/* A length that the script has cut stays wrong on the wire: receivers drop it. */
	if (rdt_udp_len(udp) == len + RDT_LEN_udp)
		rp_item_seal(item);
	/* Before it leaves: the answer must not seem older. */
	item->ns = rp_now();
	if (sendto(l->fd, item->bytes, item->len, 0, (void *)&to, sizeof(to)) < 0) {
		*ret_why = g_strdup_printf("cannot send the frame: %s", strerror(errno));
		return false;
	}
	if (standard)
		rdt_udp_set_dport(udp, RDT_ROCEV2_PORT);
	if (rdt_udp_len(udp) == len + RDT_LEN_udp)
		rp_item_seal(item);
	if (l->opts.tap)
		l->opts.tap(l->opts.tap_user, item, true);
	return true;
}

/* The kernel takes the tag out of a frame and tells it beside. */
static void read_tag(struct msghdr *msg, struct rp_carrier *c)
{
	for (struct cmsghdr *m = CMSG_FIRSTHDR(msg); m; m = CMSG_NXTHDR(msg, m)) {
		struct tpacket_auxdata aux;

		if (m->cmsg_level != SOL_PACKET || m->cmsg_type != PACKET_AUXDATA ||
		    m->cmsg_len < CMSG_LEN(sizeof(aux)))
			continue;
		memcpy(&aux, CMSG_DATA(m), sizeof(aux));
		if (aux.tp_status & TP_STATUS_VLAN_VALID) {
			c->tagged = true;
			c->vlan = aux.tp_vlan_tci;
		}
	}
}

static struct rp_item *get(struct rp_link *l, bool *ret_more)
{
	struct rp_received r;
	const ssize_t n = rp_roce_read(l, &r);
	const struct sockaddr_ll *from = (const void *)&r.from;
	struct rdt_frame frame;
	struct rp_item *item;
	struct rp_carrier c;

	*ret_more = n >= 0;
	if (n < 0 || from->sll_pkttype == PACKET_OUTGOING)
		return NULL;
	rdt_frame_parse(RDT_LINK_ETHERNET, r.bytes, (size_t)n, (size_t)n, l->opts.port, &frame);
	if (frame.kind != RDT_FRAME_IB || frame.encap != RDT_ENCAP_ROCEV2 ||
	    !rdt_addr_equal(&frame.src, &l->opts.peer) ||
	    !rdt_addr_equal(&frame.dst, &l->opts.local) || frame.bth_have < frame.bth_len)
		return NULL;
	c = (struct rp_carrier){ .src = frame.src,
				 .dst = frame.dst,
				 .sport = frame.sport,
				 .tagged = frame.vlans > 0,
				 .vlan = frame.vlans ? frame.vlan[0] : 0 };
	read_tag(&r.msg, &c);
	item = rp_item_new((enum rdt_side) !l->opts.side, rp_now());
	item->bad_icrc = rdt_icrc_check(&frame, NULL, NULL) != RDT_ICRC_OK;
	if (!rp_item_wrap(item, &c, frame.bth, frame.bth_len)) {
		rp_item_free(item);
		return NULL;
	}
	/* MAC addresses and IP header as they came. */
	memcpy(item->bytes, r.bytes, 12);
	if (frame.net[0] == 0x45)
		memcpy(rp_item_net(item), frame.net, RDT_LEN_ipv4);
	else if (rdt_ipv4_version(frame.net) == 6 && rdt_ipv6_next_header(frame.net) == IPPROTO_UDP)
		memcpy(rp_item_net(item), frame.net, RDT_LEN_ipv6);
	rdt_udp_set_checksum(udp_of(item), rdt_udp_checksum(frame.bth - RDT_LEN_udp));
	rp_item_seal(item);
	rp_roce_heard(l, item);
	return item;
}

static struct rp_link *packet_open(const struct rp_link_opts *opts, bool check, GPtrArray *lines,
				   struct rp_problem *p)
{
	struct rp_link *l = g_new0(struct rp_link, 1);

	(void)check;
	l->opts = *opts;
	l->fd = l->guard = -1;
	l->put = put;
	l->get = get;
	if (!start(l, lines, p)) {
		packet_close(l);
		return NULL;
	}
	rp_wait_prepare(opts->realtime);
	return l;
}

const struct rp_backend rp_backend_packet = {
	.name = "packet",
	.summary = "AF_PACKET: every byte of the frame, beside rdma_rxe on one host",
	.reach = RP_F5,
	.families = { [RP_CM] = true, [RP_OP] = true, [RP_PACKET] = true },
	.open = packet_open,
	.attach = rp_roce_attach,
	.send = rp_roce_send,
	.wait = rp_roce_wait,
	.close = packet_close,
};
