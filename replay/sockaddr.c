// SPDX-License-Identifier: BSD-2-Clause
#include "replay/sockaddr.h"

#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

socklen_t rp_sockaddr(const struct rdt_addr *addr, uint16_t port, const char *device,
		      struct sockaddr_storage *ret_ss)
{
	memset(ret_ss, 0, sizeof(*ret_ss));
	if (addr->kind == RDT_ADDR_IPV4) {
		struct sockaddr_in *in = (void *)ret_ss;

		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, addr->bytes + 12, 4);
		return sizeof(*in);
	}
	struct sockaddr_in6 *in6 = (void *)ret_ss;

	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	memcpy(&in6->sin6_addr, addr->bytes, 16);
	if (addr->bytes[0] == 0xfe && (addr->bytes[1] & 0xc0) == 0x80 && device)
		in6->sin6_scope_id = if_nametoindex(device);
	return sizeof(*in6);
}

bool rp_sockaddr_is(const struct sockaddr *sa, const struct rdt_addr *addr)
{
	if (sa->sa_family == AF_INET)
		return addr->kind == RDT_ADDR_IPV4 &&
		       !memcmp(&((const struct sockaddr_in *)(const void *)sa)->sin_addr,
			       addr->bytes + 12, 4);
	return sa->sa_family == AF_INET6 && addr->kind == RDT_ADDR_GID &&
	       !memcmp(&((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, addr->bytes,
		       16);
}

uint16_t rp_sockaddr_port(const struct sockaddr *sa)
{
	/* It stands at the same place in both. */
	return ntohs(((const struct sockaddr_in *)(const void *)sa)->sin_port);
}
