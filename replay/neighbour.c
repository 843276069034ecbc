// SPDX-License-Identifier: BSD-2-Clause
#include "replay/neighbour.h"

#include <netlink/netlink.h>
#include <netlink/route/neighbour.h>
#include <string.h>

bool rp_neighbour(int ifindex, const struct rdt_addr *addr, uint8_t ret_mac[6])
{
	const bool v4 = addr->kind == RDT_ADDR_IPV4;
	struct nl_addr *dst =
		nl_addr_build(v4 ? AF_INET : AF_INET6, addr->bytes + (v4 ? 12 : 0), v4 ? 4 : 16);
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_cache *table = NULL;
	struct rtnl_neigh *neighbour = NULL;
	struct nl_addr *mac;
	bool found = false;

	if (dst && sock && !nl_connect(sock, NETLINK_ROUTE) &&
	    !rtnl_neigh_alloc_cache(sock, &table))
		neighbour = rtnl_neigh_get(table, ifindex, dst);
	mac = neighbour ? rtnl_neigh_get_lladdr(neighbour) : NULL;
	if (mac && nl_addr_get_len(mac) == 6) {
		memcpy(ret_mac, nl_addr_get_binary_addr(mac), 6);
		found = true;
	}
	rtnl_neigh_put(neighbour);
	nl_cache_free(table);
	nl_socket_free(sock);
	nl_addr_put(dst);
	return found;
}
