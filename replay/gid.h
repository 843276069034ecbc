/* SPDX-License-Identifier: BSD-2-Clause */
/* The RDMA device that has an address: read from sysfs. */
#ifndef REPLAY_GID_H
#define REPLAY_GID_H

#include "replay/backend.h"

struct rp_gid {
	char device[64];
	char netdev[64]; /* RoCE: the network interface of that GID; "" without */
	int port, index;
};

/*
 * The port whose table has this address as a GID (RoCEv2 where there are several), on the device
 * named or on any. False with a sentence that says what there is.
 */
bool rp_gid_find(const struct rdt_addr *local, const char *device, struct rp_gid *ret_gid,
		 struct rp_problem *ret_problem);

/* "ACTIVE" and the like; "" when it cannot be read. buf has 64 bytes. */
const char *rp_gid_state(const struct rp_gid *gid, char *buf);

/* Is a kernel module loaded, or built in? */
bool rp_module_loaded(const char *name);

#endif
