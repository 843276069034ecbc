// SPDX-License-Identifier: BSD-2-Clause
/*
 * A hostile capture for the tracker: the input is a list of frames, each with two bytes of length,
 * one that picks the link type and one that moves the clock.
 *
 * Properties: what the tracker tells is consistent (states exist, steps continue where the last
 * one ended, every record's connection is known, counts add up), memory is bounded, and feeding
 * the same frames again gives the same connections.
 */
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/journal.h"
#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"

#define MOST_CONNS 64u

static size_t held;
static const struct rdt_memory memory = FUZZ_MEMORY(held);

struct seen {
	uint8_t state[RDT_SIDES][RDT_MACHINE_COUNT];
	uint8_t known[RDT_SIDES][RDT_MACHINE_COUNT];
	uint32_t msgs;
};

struct check {
	struct rdt_tracker *tracker;
	struct seen seen[MOST_CONNS];
	uint64_t digest;
	uint64_t msgs;
};

static struct seen *seen_of(struct check *c, const struct rdt_conn *conn)
{
	const uint32_t index = rdt_tracker_conn_index(c->tracker, conn);

	require(index < rdt_tracker_conn_count(c->tracker));
	return &c->seen[index % MOST_CONNS];
}

static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct check *c = user;
	struct seen *seen = seen_of(c, conn);

	require(rec->side < RDT_SIDES && rec->machine < RDT_MACHINE_COUNT);
	require(rec->from != rec->to && rec->to < rdt_state_count(rec->machine));
	require(rdt_state_key(rec->machine, rec->to) && rec->why);
	require(rec->event && rdt_cm_event_key(rec->event));
	/* A step continues where the side's last one ended. */
	if (seen->known[rec->side][rec->machine])
		require(seen->state[rec->side][rec->machine] == rec->from);
	seen->state[rec->side][rec->machine] = rec->to;
	seen->known[rec->side][rec->machine] = 1;
	c->digest = c->digest * 31 + rec->to + rec->event * 7u + rec->machine;
}

static void on_event(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec)
{
	struct check *c = user;

	seen_of(c, conn);
	require(rec->kernel_event < RDT_EVENT_COUNT && rec->event < RDT_EVENT_COUNT && rec->why);
	c->digest = c->digest * 31 + rec->kernel_event + (uint32_t)rec->status;
}

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	struct check *c = user;
	volatile uint8_t sum = 0;

	seen_of(c, conn)->msgs++;
	require(rec->msg < RDT_MSG_COUNT && rec->from < RDT_SIDES);
	for (uint32_t i = 0; i < rec->body_have; i++)
		sum ^= rec->body[i];
	(void)sum;
	c->msgs++;
	c->digest = c->digest * 31 + rec->msg + rec->copy;
}

static void on_evict(void *user, const struct rdt_conn *conn)
{
	struct seen *seen = seen_of(user, conn);

	require(conn->n && conn->msgs == seen->msgs);
	memset(seen, 0, sizeof(*seen));
}

static uint64_t run(const uint8_t *data, size_t size, uint8_t skip_icrc)
{
	static const uint16_t links[] = { RDT_LINK_ETHERNET, RDT_LINK_RAW, RDT_LINK_SLL,
					  RDT_LINK_INFINIBAND };
	struct check check = { .digest = 1 };
	const struct rdt_sink sink = { .user = &check,
				       .msg = on_msg,
				       .state = on_state,
				       .event = on_event,
				       .evict = on_evict };
	const struct rdt_track_opts opts = {
		.max_conns = MOST_CONNS, .max_addrs = 64, .seed = 3, .skip_icrc = skip_icrc
	};
	struct rdt_when when = { .ns = INT64_C(1700000000000000000) };

	check.tracker = rdt_tracker_new(&memory, &opts, &sink);
	require(check.tracker != NULL);
	while (size >= 4) {
		const size_t len = (size_t)data[0] << 8 | data[1];
		const size_t have = len < size - 4 ? len : size - 4;
		uint8_t *exact = malloc(have ? have : 1);
		struct rdt_frame frame;
		struct rdt_verdict verdict;

		memcpy(exact, data + 4, have);
		when.frame++;
		/* The clock goes on by up to 2^31 ns, now and then back, and to where it ends. */
		if (data[3] == 0xff)
			when.ns = INT64_MAX;
		else if (data[3] == 0xfe)
			when.ns = INT64_MIN;
		else if (when.ns == INT64_MAX || when.ns == INT64_MIN)
			when.ns = 0;
		else
			when.ns += (data[3] & 0x20 ? -1 : 1) * (INT64_C(1) << (data[3] & 0x1f));
		rdt_frame_parse(links[data[2] % 4], exact, have, len, 0, &frame);
		require(rdt_tracker_feed(check.tracker, &frame, &when, &verdict) == RDT_OK);
		require(verdict.conn == RDT_CONN_NONE ||
			verdict.conn < rdt_tracker_conn_count(check.tracker));
		free(exact);
		data += 4 + have;
		size -= 4 + have;
	}
	rdt_tracker_finish(check.tracker, when.ns);
	for (uint32_t i = 0, n = 0; i < rdt_tracker_conn_count(check.tracker); i++) {
		const struct rdt_conn *conn = rdt_tracker_conn(check.tracker, i);

		if (!conn)
			continue;
		require(conn->n > n);
		n = conn->n;
		require(rdt_conn_outcome(conn) < RDT_OUTCOME_COUNT);
		require(conn->retries <= conn->msgs && conn->start_ns <= conn->last_ns);
		for (size_t col = 0; col < RDT_COL_COUNT && rdt_cols[col].rec == RDT_REC_conn;
		     col++) {
			const struct rdt_value v = rdt_col_value(check.tracker, col, conn, NULL, 0);

			require(v.type == RDT_VALUE_NULL || v.type == rdt_cols[col].type);
		}
	}
	require(rdt_tracker_stats(check.tracker)->msgs == check.msgs);
	rdt_tracker_free(check.tracker);
	require(held == 0);
	return check.digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Without the ICRC a mutated message arrives; with it, only its sender knows of it. */
	require(run(data, size, 1) == run(data, size, 1));
	run(data, size, 0);
	return 0;
}
