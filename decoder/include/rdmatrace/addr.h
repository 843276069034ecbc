/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An address of an RDMA port as packets carry it: IPv4, GID (an IPv6 address is one) or LID.
 * One 16-byte form for all, so that comparing and hashing need no cases.
 */
#ifndef RDMATRACE_ADDR_H
#define RDMATRACE_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "status.h"

enum rdt_addr_kind {
	RDT_ADDR_NONE, /* all bytes zero */
	RDT_ADDR_IPV4, /* bytes hold the mapped form ::ffff:a.b.c.d, which is also its RoCEv2 GID */
	RDT_ADDR_GID,  /* a GID or IPv6 address */
	RDT_ADDR_LID,  /* bytes 14 and 15 hold the LID, big-endian; the rest is zero */
};

struct rdt_addr {
	uint8_t bytes[16];
	uint8_t kind; /* enum rdt_addr_kind */
};

/* Longest text of an address, with its terminating zero. */
#define RDT_ADDR_TEXT 48

/* ip in host order. */
struct rdt_addr rdt_addr_ipv4(uint32_t ip);

/* From 16 bytes of a GID or IPv6 address; an IPv4-mapped one becomes RDT_ADDR_IPV4, :: NONE. */
struct rdt_addr rdt_addr_gid(const uint8_t gid[16]);

/*
 * From the 16 bytes of an address in an RDMA IP CM header (ipcm), whose ip_version says what they
 * are: with 4, IPv4 is in the last four. All zero is NONE.
 */
struct rdt_addr rdt_addr_ipcm(unsigned ip_version, const uint8_t bytes[16]);

struct rdt_addr rdt_addr_lid(uint16_t lid);

static inline bool rdt_addr_equal(const struct rdt_addr *a, const struct rdt_addr *b)
{
	return a->kind == b->kind && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/*
 * Write the address as text: 10.0.0.2, fe80::5054:ff:fe00:1, lid:17, or - for none (RFC 5952
 * form for GIDs). Returns buf. size >= RDT_ADDR_TEXT holds any address.
 */
char *rdt_addr_text(const struct rdt_addr *a, char *buf, size_t size);

/* Read such a text (len bytes). RDT_SYNTAX when it is none of these. */
RDT_NODISCARD enum rdt_status rdt_addr_parse(const char *text, size_t len,
					     struct rdt_addr *ret_addr);

#endif
