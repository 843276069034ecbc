/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses of scripts and of the command line as sockets have them. */
#ifndef REPLAY_SOCKADDR_H
#define REPLAY_SOCKADDR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "rdmatrace/addr.h"

/*
 * An IPv4 or IPv6 address (kind RDT_ADDR_IPV4 or RDT_ADDR_GID) with a port in host order. device, which may be NULL, gives
 * a link-local address its scope. Returns the length.
 */
socklen_t rp_sockaddr(const struct rdt_addr *addr, uint16_t port, const char *device,
		      struct sockaddr_storage *ret_ss);

/* Is it that host, whatever the port? */
bool rp_sockaddr_is(const struct sockaddr *sa, const struct rdt_addr *addr);

/* The port in host order. */
uint16_t rp_sockaddr_port(const struct sockaddr *sa);

#endif
