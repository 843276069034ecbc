/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way to the peer as librdmacm takes it, and what of a REQ follows from it: path MTU, rate, traffic
 * class, flow label, hop limit, SL and ACK timeout. On RoCE the program can say the path record itself
 * (RDMA_OPTION_IB_PATH); on InfiniBand it is the subnet administrator's. ECE stands here too: what
 * else a program chooses before it connects.
 */
#ifndef REPLAY_ROUTE_H
#define REPLAY_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

struct rdma_cm_id;
struct rdma_event_channel;
struct sockaddr;

/* ADDR_RESOLVED: which device, and the peer's MAC. False and *ret_why (g_malloc). */
bool rp_route_address(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to,
		      char **ret_why);

/*
 * ROUTE_RESOLVED: by the path that req (the 232 bytes of a REQ) names, where the link lets us. Then
 * writes into req what the kernel will say of the path, which may be another one. NULL: the kernel's own.
 */
bool rp_route_take(struct rdma_cm_id *id, uint8_t *req, char **ret_why);

/* Write into req what the id of a REQ that came says of its path. */
void rp_route_came(const struct rdma_cm_id *id, uint8_t *req);

/* Offer ECE to the peer; nothing for 0 and 0. False with errno. */
bool rp_route_offer_ece(struct rdma_cm_id *id, uint32_t vendor, uint32_t options);

/* What the peer offers; 0 and 0 without. */
void rp_route_peer_ece(struct rdma_cm_id *id, uint32_t *ret_vendor, uint32_t *ret_options);

#endif
