/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both ends of a script on a virtual clock, each played by a player of its own that knows nothing of
 * the other's symbols. What passes between them can be changed on its way, for tests.
 */
#ifndef REPLAY_SIM_H
#define REPLAY_SIM_H

#include "replay/player.h"

struct rp_sim_wire {
	void *user;
	/*
	 * A message passes. It may be changed; false loses it. *ret_delay_ns is how long it takes,
	 * *ret_copies how often it arrives (1).
	 */
	bool (*pass)(void *user, struct rp_item *item, int64_t *ret_delay_ns, unsigned *ret_copies);
};

/*
 * Run a script to its end. watched plays opts->played; the other role is played from peer_script
 * (the same script for a peer that does what it should). wire may be NULL. The caller frees the
 * player with rp_player_free().
 */
struct rp_player *rp_sim_run(const struct rp_script *script, const struct rp_script *peer_script,
			     const struct rp_play_opts *opts, uint64_t seed, bool keep_ids,
			     const struct rp_sim_wire *wire);

#endif
