/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps what the tracker's sink was told, connection by connection, for those who show it
 * afterwards: show, the plugin, replay. Bounded: at most cap records a connection, the rest is
 * counted.
 */
#ifndef RDMATRACE_JOURNAL_H
#define RDMATRACE_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "track.h"

/* One record; body of a message points into the journal's own copy. */
struct rdt_entry {
	uint8_t kind; /* enum rdt_rec of vocab.h: RDT_REC_msg, _state or _event */
	union {
		struct rdt_msg_rec msg;
		struct rdt_state_rec state;
		struct rdt_event_rec event;
	};
};

struct rdt_journal;

/*
 * memory  as for the tracker; used for the journal alone.
 * cap     records kept a connection, 0 for 4096.
 * bodies  1: keep a copy of the bytes of each message that is not a repetition (about 260 bytes).
 * Returns NULL when there is no memory.
 */
struct rdt_journal *rdt_journal_new(const struct rdt_memory *memory, uint32_t cap, int bodies);
void rdt_journal_free(struct rdt_journal *j);

/*
 * A sink that writes into the journal, for rdt_tracker_new(). The tracker's index of a connection
 * must be set before the first call: rdt_journal_set_tracker() right after rdt_tracker_new().
 */
struct rdt_sink rdt_journal_sink(struct rdt_journal *j);
void rdt_journal_set_tracker(struct rdt_journal *j, const struct rdt_tracker *t);

/* Only connections for which want() is not 0 are kept; NULL keeps all. */
void rdt_journal_set_filter(struct rdt_journal *j,
			    int (*want)(void *user, const struct rdt_conn *conn), void *user);

/*
 * The records of a connection (tracker's index), sorted by time; equal times keep the order in
 * which they were told. Returns how many; *ret_entries is borrowed until the next feed.
 * *ret_lost (may be NULL) is how many were over the cap or without memory.
 */
size_t rdt_journal_entries(struct rdt_journal *j, uint32_t conn,
			   const struct rdt_entry **ret_entries, uint64_t *ret_lost);

#endif
