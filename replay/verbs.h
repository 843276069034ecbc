/* SPDX-License-Identifier: BSD-2-Clause */
/* A real queue pair with its memory, for the backend rdmacm. */
#ifndef REPLAY_VERBS_H
#define REPLAY_VERBS_H

#include "replay/backend.h"

struct ibv_context;
struct rdma_cm_id;
struct rp_verbs;

/* ud: of service UD, else RC. */
struct rp_verbs *rp_verbs_new(struct ibv_context *context, bool ud, struct rp_problem *ret_problem);
void rp_verbs_free(struct rp_verbs *v); /* NULL is allowed */
uint32_t rp_verbs_qpn(const struct rp_verbs *v);
int rp_verbs_fd(const struct rp_verbs *v); /* readable when something is done */

/* Register the player's memories: their addresses and keys become real. */
void rp_verbs_memory(struct rp_verbs *v, struct rp_player *player);

/* Take the queue pair to RTS with what the CM knows of the peer; errno on failure. */
bool rp_verbs_ready(struct rp_verbs *v, struct rdma_cm_id *id, bool send);

/* Post an operation; item is borrowed until it is done. */
bool rp_verbs_post(struct rp_verbs *v, struct rp_item *item, char **ret_why);

/* A SEND or an immediate of the peer that came in; NULL for none. */
struct rp_item *rp_verbs_received(struct rp_verbs *v, unsigned from);

/* Is the operation done? *ret_why is NULL or why it failed. */
bool rp_verbs_done(struct rp_verbs *v, char **ret_why);

#endif
