/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reliable connection in software, for backends that send packets: requests become packets that
 * are acknowledged or sent again, packets of the peer become operations on our memory, and answers.
 * IBTA Vol 1, 9.7.
 */
#ifndef REPLAY_RC_H
#define REPLAY_RC_H

#include "replay/player.h"

struct rp_rc;

/* Puts a packet on the wire; item is borrowed. */
typedef bool (*rp_rc_send_fn)(void *user, struct rp_item *item, char **ret_why);

struct rp_rc *rp_rc_new(struct rp_player *player, rp_rc_send_fn send, void *user);
void rp_rc_free(struct rp_rc *rc);

/* Send an operation. false with *ret_why when it cannot begin. */
bool rp_rc_start(struct rp_rc *rc, struct rp_item *op, int64_t now, char **ret_why);

/*
 * A packet of the service RC came in. *ret_op is an operation of the peer that it completed (the
 * caller's), or NULL. Returns false when it is not of this connection.
 */
bool rp_rc_packet(struct rp_rc *rc, const struct rp_item *packet, int64_t now,
		  struct rp_item **ret_op);

/* Is the operation in flight done? Then *ret_why is NULL, or why it failed (g_free). */
bool rp_rc_done(struct rp_rc *rc, char **ret_why);

/* When to call rp_rc_timer(); INT64_MAX for never. */
int64_t rp_rc_deadline(const struct rp_rc *rc);
void rp_rc_timer(struct rp_rc *rc, int64_t now);

#endif
