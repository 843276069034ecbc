// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/journal.h"

#include <string.h>

#include "rdmatrace/vocab.h"

#define DEFAULT_CAP 4096u
#define FIRST_ENTRIES 16u
#define BODY_MAX \
	512u /* a CM message has 232 bytes, an MPA frame at most 532: the rest is not kept */

struct log {
	struct rdt_entry *entries;
	uint32_t count, room;
	uint64_t lost;
	uint8_t sorted;
};

struct rdt_journal {
	struct rdt_memory memory;
	const struct rdt_tracker *tracker;
	struct log *logs; /* by the tracker's index */
	uint32_t log_room;
	uint32_t cap;
	int bodies;
	int (*want)(void *user, const struct rdt_conn *conn);
	void *want_user;
};

struct rdt_journal *rdt_journal_new(const struct rdt_memory *memory, uint32_t cap, int bodies)
{
	struct rdt_journal *j = memory->resize(memory->user, NULL, 0, sizeof(*j));

	if (j)
		*j = (struct rdt_journal){ .memory = *memory,
					   .cap = cap ? cap : DEFAULT_CAP,
					   .bodies = bodies };
	return j;
}

static void *resize(const struct rdt_journal *j, void *old, size_t old_size, size_t new_size)
{
	return j->memory.resize(j->memory.user, old, old_size, new_size);
}

/* A kept body is an allocation of exactly its captured length, at most BODY_MAX. */
static size_t body_size(const struct rdt_msg_rec *rec)
{
	return rec->body_have < BODY_MAX ? rec->body_have : BODY_MAX;
}

static void free_body(const struct rdt_journal *j, struct rdt_entry *e)
{
	uint8_t *body;

	if (e->kind != RDT_REC_msg || !e->msg.body)
		return;
	/* The journal made the copy; only its readers see it as constant. */
	memcpy(&body, &e->msg.body, sizeof(body));
	resize(j, body, body_size(&e->msg), 0);
}

void rdt_journal_free(struct rdt_journal *j)
{
	struct rdt_memory memory;

	if (!j)
		return;
	memory = j->memory;
	for (uint32_t i = 0; i < j->log_room; i++) {
		struct log *log = &j->logs[i];

		for (uint32_t k = 0; k < log->count; k++)
			free_body(j, &log->entries[k]);
		if (log->entries)
			resize(j, log->entries, log->room * sizeof(*log->entries), 0);
	}
	if (j->logs)
		resize(j, j->logs, j->log_room * sizeof(*j->logs), 0);
	memory.resize(memory.user, j, sizeof(*j), 0);
}

void rdt_journal_set_tracker(struct rdt_journal *j, const struct rdt_tracker *t)
{
	j->tracker = t;
}

void rdt_journal_set_filter(struct rdt_journal *j,
			    int (*want)(void *user, const struct rdt_conn *conn), void *user)
{
	j->want = want;
	j->want_user = user;
}

static struct log *log_of(struct rdt_journal *j, uint32_t conn)
{
	if (conn >= j->log_room) {
		uint32_t room = j->log_room ? j->log_room : FIRST_ENTRIES;
		struct log *logs;

		while (room <= conn && room < UINT32_MAX / 2)
			room *= 2;
		if (room <= conn)
			return NULL;
		logs = resize(j, j->logs, j->log_room * sizeof(*logs), room * sizeof(*logs));
		if (!logs)
			return NULL;
		memset(logs + j->log_room, 0, (room - j->log_room) * sizeof(*logs));
		j->logs = logs;
		j->log_room = room;
	}
	return &j->logs[conn];
}

/* Room for one more record of a connection; NULL when there is none, which is counted. */
static struct rdt_entry *add(struct rdt_journal *j, const struct rdt_conn *conn, enum rdt_rec kind)
{
	struct log *log;

	if (j->want && !j->want(j->want_user, conn))
		return NULL;
	log = log_of(j, rdt_tracker_conn_index(j->tracker, conn));
	if (!log)
		return NULL;
	if (log->count == log->room && log->room < j->cap) {
		uint32_t room = log->room ? log->room * 2 : FIRST_ENTRIES;
		struct rdt_entry *entries;

		if (room > j->cap)
			room = j->cap;
		entries = resize(j, log->entries, log->room * sizeof(*entries),
				 room * sizeof(*entries));
		if (entries) {
			log->entries = entries;
			log->room = room;
		}
	}
	if (log->count == log->room) {
		log->lost++;
		return NULL;
	}
	log->sorted = 0;
	log->entries[log->count].kind = (uint8_t)kind;
	return &log->entries[log->count++];
}

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	struct rdt_journal *j = user;
	struct rdt_entry *e = add(j, conn, RDT_REC_msg);
	uint8_t *body = NULL;

	if (!e)
		return;
	e->msg = *rec;
	if (j->bodies && !rec->copy && rec->body && body_size(rec))
		body = resize(j, NULL, 0, body_size(rec));
	if (body)
		memcpy(body, rec->body, body_size(rec));
	e->msg.body = body;
	e->msg.body_have = body ? (uint32_t)body_size(rec) : 0;
}

static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct rdt_entry *e = add(user, conn, RDT_REC_state);

	if (e)
		e->state = *rec;
}

static void on_event(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec)
{
	struct rdt_entry *e = add(user, conn, RDT_REC_event);

	if (e)
		e->event = *rec;
}

struct rdt_sink rdt_journal_sink(struct rdt_journal *j)
{
	return (struct rdt_sink){ .user = j, .msg = on_msg, .state = on_state, .event = on_event };
}

static int64_t time_of(const struct rdt_entry *e)
{
	/* All three begin with their rdt_when. */
	return e->msg.when.ns;
}

/*
 * Order at one time: the message, then what it did to the CM, to the other machines, and what the
 * programs got; so that the chain reads from cause to effect.
 */
static int rank_of(const struct rdt_entry *e)
{
	if (e->kind == RDT_REC_msg)
		return 0;
	if (e->kind == RDT_REC_event)
		return 2 + RDT_MACHINE_COUNT;
	return e->state.machine == RDT_MACHINE_MPA ? 1 : 1 + e->state.machine;
}

static bool before(const struct rdt_entry *a, const struct rdt_entry *b)
{
	if (time_of(a) != time_of(b))
		return time_of(a) < time_of(b);
	return rank_of(a) < rank_of(b);
}

/* Insertion sort: records come nearly in order, and equal ones must keep theirs. */
static void sort(struct log *log)
{
	for (uint32_t i = 1; i < log->count; i++) {
		const struct rdt_entry e = log->entries[i];
		uint32_t k = i;

		for (; k && before(&e, &log->entries[k - 1]); k--)
			log->entries[k] = log->entries[k - 1];
		log->entries[k] = e;
	}
	log->sorted = 1;
}

size_t rdt_journal_entries(struct rdt_journal *j, uint32_t conn,
			   const struct rdt_entry **ret_entries, uint64_t *ret_lost)
{
	struct log *log = conn < j->log_room ? &j->logs[conn] : NULL;

	*ret_entries = NULL;
	if (ret_lost)
		*ret_lost = log ? log->lost : 0;
	if (!log || !log->count)
		return 0;
	if (!log->sorted)
		sort(log);
	*ret_entries = log->entries;
	return log->count;
}
