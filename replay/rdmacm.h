/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of backend rdmacm: be_rdmacm.c opens and waits, rdmacm_call.c sends, rdmacm_event.c receives. */
#ifndef REPLAY_RDMACM_H
#define REPLAY_RDMACM_H

#include <rdma/rdma_cma.h>

#include "replay/backend.h"
#include "replay/gid.h"
#include "replay/verbs.h"

struct rp_link {
	struct rp_link_opts opts;
	struct rp_gid gid;
	struct rp_player *player;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener, *id;
	struct rp_verbs *verbs;
	int epoll;
	bool disconnected; /* our rdma_disconnect() was called */
	bool peer_left;    /* theirs came */
	bool accepted;     /* our REP was sent */
	bool answered;     /* theirs came */
};

/* A datagram service: SIDR, and no connection. */
static inline bool rp_rdmacm_is_ud(const struct rp_link *l)
{
	return l->opts.port_space == RDMA_PS_UDP;
}

/* Do the call that sends a message. 0, or -1 with errno or *ret_why (g_malloc). */
int rp_rdmacm_call(struct rp_link *l, struct rp_item *item, char **ret_why);

/*
 * The message that an event tells of, as the template has it but for what the event shows; NULL
 * when there is none. *ret_why: the connection is over.
 */
struct rp_item *rp_rdmacm_event(struct rp_link *l, const struct rdma_cm_event *event,
				char **ret_why);

/* The queue pair and the memory are real: their numbers are what the script's symbols are. */
void rp_rdmacm_use_verbs(struct rp_link *l);

#endif
