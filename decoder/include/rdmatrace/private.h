/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which upper layer wrote the private data of a message: NVMe, iSER, SRP, RPC-over-RDMA, SMB Direct, RDS,
 * rsockets, UCX. No field of a message says so: it is a guess by the service's port or by what the bytes
 * look like, and is to be shown as one. The rows are V in wire/payload.def.
 *
 * Looks at bytes and nothing else; allocates nothing, keeps nothing, safe from any thread.
 */
#ifndef RDMATRACE_PRIVATE_H
#define RDMATRACE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field.h"

struct rdt_private {
	enum rdt_hdr_id hdr; /* the header that the data begin with */
	const char *why;     /* what the guess stands on; static text */
};

/*
 * message  header of the message that carries the data: RDT_H_req, rep, rej, sidr_req, sidr_rep or mpa
 * port     the service's port; 0 when it is not known: then only bytes that speak for themselves count
 * bytes    the private data after an RDMA IP CM header or MPA's enhanced data; have of len captured
 *
 * False when nothing is recognised; *ret is untouched then. When true, the whole header was captured.
 */
bool rdt_private_find(enum rdt_hdr_id message, unsigned port, const uint8_t *bytes, size_t have,
		      size_t len, struct rdt_private *ret);

#endif
