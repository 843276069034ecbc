/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses and keys of memory between two replays that play one script: where no message of it tells
 * them (perftest says them over TCP), or a real device makes others than the capture had. One TCP
 * connection, once, when the REP has been sent or received: "NAME VA RKEY" lines both ways, then "end".
 */
#ifndef REPLAY_SHARE_H
#define REPLAY_SHARE_H

#include "replay/backend.h"

struct rp_share;

/* The passive side listens from now on. NULL and *ret_problem when it cannot. */
struct rp_share *rp_share_open(const struct rp_link_opts *opts, uint16_t port,
			       struct rp_problem *ret_problem);
void rp_share_close(struct rp_share *share); /* NULL is allowed */

/*
 * Tell the peer of the player's memories and learn of its own; waits for it, at most until that time
 * or a signal (stopped, may be NULL). False and *ret_why (g_malloc) when it did not come, or tells
 * less or other than the script has.
 */
bool rp_share_exchange(struct rp_share *share, struct rp_player *player, int64_t until,
		       bool (*stopped)(void), char **ret_why);

#endif
