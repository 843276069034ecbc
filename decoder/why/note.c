// SPDX-License-Identifier: BSD-2-Clause
/*
 * Notes: what the messages of a connection said beside the usual. Most connections have none: a
 * note is made when a message comes again, is an MRA, crosses another, or is odd otherwise.
 */
#include "internal.h"

#include <string.h>

#define NOTE_CHUNK 64u

static struct note *note_at(const struct rdt_why *w, uint32_t i)
{
	return &w->note_chunks[i / NOTE_CHUNK][i % NOTE_CHUNK];
}

struct note *note_of(const struct rdt_why *w, uint32_t conn)
{
	const uint32_t i = map_get(&w->notes, conn);

	return i == RDT_MAP_NONE ? NULL : note_at(w, i);
}

void notes_free(struct rdt_why *w)
{
	const size_t chunks = ((size_t)w->opts.max_notes + NOTE_CHUNK - 1) / NOTE_CHUNK;

	if (!w->note_chunks)
		return;
	for (size_t i = 0; i < chunks; i++)
		if (w->note_chunks[i])
			w->memory.resize(w->memory.user, w->note_chunks[i],
					 NOTE_CHUNK * sizeof(**w->note_chunks), 0);
	w->memory.resize(w->memory.user, w->note_chunks, chunks * sizeof(*w->note_chunks), 0);
}

/* The chunk that a place lies in, made when it is not there; false without memory. */
static bool have_place(struct rdt_why *w, uint32_t i)
{
	const size_t chunks = ((size_t)w->opts.max_notes + NOTE_CHUNK - 1) / NOTE_CHUNK;
	struct note **chunk;

	if (!w->note_chunks) {
		w->note_chunks =
			w->memory.resize(w->memory.user, NULL, 0, chunks * sizeof(*w->note_chunks));
		if (!w->note_chunks)
			return false;
		memset(w->note_chunks, 0, chunks * sizeof(*w->note_chunks));
	}
	chunk = &w->note_chunks[i / NOTE_CHUNK];
	if (!*chunk)
		*chunk = w->memory.resize(w->memory.user, NULL, 0, NOTE_CHUNK * sizeof(**chunk));
	return *chunk;
}

/* ---- making one ------------------------------------------------------------------------------- */

static void seed_one(struct said *said, int64_t ns, uint32_t frame, enum rdt_msg msg, uint8_t input)
{
	*said = (struct said){ .first_ns = ns,
			       .last_ns = ns,
			       .first_frame = frame,
			       .last_frame = frame,
			       .sent = 1,
			       .input = input,
			       .msg = (uint8_t)msg };
}

/* What had been said before the note was made, as far as the connection kept it. */
static void seed(struct note *note, const struct rdt_conn *c)
{
	struct said *s;

	if ((c->kind == RDT_CONN_CM || c->kind == RDT_CONN_SIDR) && !c->mid) {
		s = &note->said[RDT_ACTIVE][SAID_OPEN];
		seed_one(s, c->start_ns, c->first_frame,
			 c->kind == RDT_CONN_CM ? RDT_MSG_REQ : RDT_MSG_SIDR_REQ, c->input);
		note->open[RDT_ACTIVE][0] = (struct sending){ c->start_ns, c->first_frame };
	}
	if (c->kind == RDT_CONN_CM && c->rep_frame) {
		s = &note->said[RDT_PASSIVE][SAID_OPEN];
		seed_one(s, c->rep_ns, c->rep_frame, RDT_MSG_REP, c->input);
		note->open[RDT_PASSIVE][0] = (struct sending){ c->rep_ns, c->rep_frame };
	}
	if (c->kind == RDT_CONN_CM && c->rtu_frame)
		seed_one(&note->said[RDT_ACTIVE][SAID_RTU], c->up_ns, c->rtu_frame, RDT_MSG_RTU,
			 c->input);
	if (c->dreq_frame) {
		seed_one(&note->said[c->close_side][SAID_DREQ], c->close_ns, c->dreq_frame,
			 RDT_MSG_DREQ, c->input);
		note->dreq[c->close_side][0] = (struct sending){ c->close_ns, c->dreq_frame };
	}
}

static struct note *note_make(struct rdt_why *w, const struct rdt_conn *c, uint32_t index,
			      bool seeded)
{
	struct note *note = note_of(w, index);
	uint32_t i;

	if (note)
		return note;
	if (w->note_free != LINK_NONE) {
		i = w->note_free;
		w->note_free = note_at(w, i)->next_free;
	} else if (w->note_count < w->opts.max_notes) {
		i = w->note_count;
		if (!have_place(w, i)) {
			w->no_memory = 1;
			return NULL;
		}
		w->note_count++;
	} else {
		w->stats.notes_lost++;
		return NULL;
	}
	note = note_at(w, i);
	memset(note, 0, sizeof(*note));
	note->conn = index;
	note->next_free = LINK_NONE;
	if (!map_put(&w->notes, index, i)) {
		note->next_free = w->note_free;
		w->note_free = i;
		w->no_memory = 1;
		return NULL;
	}
	if (seeded)
		seed(note, c);
	return note;
}

void note_forget(struct rdt_why *w, uint32_t conn)
{
	const uint32_t i = map_get(&w->notes, conn);

	if (i == RDT_MAP_NONE)
		return;
	map_remove(&w->notes, conn, i);
	note_at(w, i)->next_free = w->note_free;
	w->note_free = i;
}

/* ---- one message ------------------------------------------------------------------------------ */

/* In which place a message is counted; SAID_COUNT for those that are not. */
static enum said_kind kind_of(unsigned msg)
{
	/* One more than the kind: 0 is none. */
	static const uint8_t kinds[RDT_MSG_COUNT] = {
		[RDT_MSG_REQ] = SAID_OPEN + 1,      [RDT_MSG_REP] = SAID_OPEN + 1,
		[RDT_MSG_SIDR_REQ] = SAID_OPEN + 1, [RDT_MSG_SIDR_REP] = SAID_OPEN + 1,
		[RDT_MSG_MPA_REQ] = SAID_OPEN + 1,  [RDT_MSG_MPA_REP] = SAID_OPEN + 1,
		[RDT_MSG_RTU] = SAID_RTU + 1,       [RDT_MSG_MRA] = SAID_MRA + 1,
		[RDT_MSG_REJ] = SAID_REJ + 1,       [RDT_MSG_TCP_RST] = SAID_REJ + 1,
		[RDT_MSG_DREQ] = SAID_DREQ + 1,     [RDT_MSG_TCP_FIN] = SAID_DREQ + 1,
		[RDT_MSG_DREP] = SAID_DREP + 1,
	};

	return kinds[msg] ? (enum said_kind)(kinds[msg] - 1) : SAID_COUNT;
}

static const uint8_t *body_with(const struct rdt_msg_rec *rec, size_t need)
{
	return rec->body && rec->body_have >= need ? rec->body : NULL;
}

/* Has the private data of this message no zero at its very end? */
static uint16_t full_pdata(const struct rdt_msg_rec *rec)
{
	static const uint16_t sizes[RDT_MSG_COUNT] = {
		[RDT_MSG_REQ] = RDT_SIZE_req_private_data,
		[RDT_MSG_REP] = RDT_SIZE_rep_private_data,
		[RDT_MSG_REJ] = RDT_SIZE_rej_private_data,
		[RDT_MSG_SIDR_REQ] = RDT_SIZE_sidr_req_private_data,
		[RDT_MSG_SIDR_REP] = RDT_SIZE_sidr_rep_private_data,
	};
	const uint16_t size = sizes[rec->msg];
	const uint8_t *body = size ? body_with(rec, RDT_LEN_req) : NULL;

	return body && body[RDT_LEN_req - 1] ? size : 0;
}

static bool dreq_names_other(const struct rdt_conn *c, const struct rdt_msg_rec *rec)
{
	const struct rdt_end *to = &c->end[rdt_side_other((enum rdt_side)rec->from)];
	const uint8_t *body = body_with(rec, RDT_NEED_dreq_remote_qpn);

	return c->kind == RDT_CONN_CM && rec->msg == RDT_MSG_DREQ && body && to->has_qpn &&
	       rdt_dreq_remote_qpn(body) != to->qpn;
}

/* Is there anything in this message that a note is needed for? */
static bool is_odd(const struct rdt_conn *c, const struct rdt_msg_rec *rec)
{
	if (rec->copy || rec->unexpected || c->kind == RDT_CONN_MPA)
		return true;
	if (rec->msg == RDT_MSG_MRA)
		return true;
	if (rec->msg == RDT_MSG_DREQ)
		return c->close_side != rec->from || dreq_names_other(c, rec);
	return full_pdata(rec) != 0;
}

static void add_sending(struct sending *list, unsigned sent, const struct rdt_msg_rec *rec)
{
	if (sent < TIMES)
		list[sent] = (struct sending){ rec->when.ns, rec->when.frame };
}

static void count_said(struct note *note, const struct rdt_msg_rec *rec, enum said_kind kind)
{
	struct said *s = &note->said[rec->from][kind];

	if (rec->copy_kind == RDT_COPY_CAPTURED)
		return;
	if (s->sent && s->first_frame == rec->when.frame && s->first_ns == rec->when.ns)
		return; /* seeded from the connection with this very message */
	if (rec->copy_kind == RDT_COPY_DUPLICATED) {
		s->doubled = (uint16_t)(s->doubled + (s->doubled < UINT16_MAX));
		if (!s->doubled_frame)
			s->doubled_frame = rec->when.frame;
		return;
	}
	if (!s->sent) {
		seed_one(s, rec->when.ns, rec->when.frame, (enum rdt_msg)rec->msg, rec->when.input);
		s->sent = 0;
	}
	s->last_ns = rec->when.ns;
	s->last_frame = rec->when.frame;
	if (kind == SAID_OPEN)
		add_sending(note->open[rec->from], s->sent, rec);
	else if (kind == SAID_DREQ)
		add_sending(note->dreq[rec->from], s->sent, rec);
	s->sent = (uint16_t)(s->sent + (s->sent < UINT16_MAX));
}

void note_msg(struct rdt_why *w, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	const uint32_t index = rdt_tracker_conn_index(w->t, conn);
	const enum said_kind kind = kind_of(rec->msg);
	const uint8_t *body;
	struct note *note = note_of(w, index);

	if (!note) {
		if (!is_odd(conn, rec))
			return;
		note = note_make(w, conn, index, conn->kind != RDT_CONN_MPA);
		if (!note)
			return;
	}
	if (kind != SAID_COUNT)
		count_said(note, rec, kind);
	if (rec->unexpected) {
		if (!note->unexpected_first)
			note->unexpected_first = rec->when.frame;
		note->unexpected_last = rec->when.frame;
		note->unexpected_input = rec->when.input;
	}
	if (dreq_names_other(conn, rec) && !note->dreq_qpn_frame) {
		note->dreq_qpn_frame = rec->when.frame;
		note->dreq_qpn = rdt_dreq_remote_qpn(rec->body);
		note->dreq_qpn_side = rec->from;
	}
	if (!rec->copy && full_pdata(rec) && !note->pdata_frame) {
		note->pdata_frame = rec->when.frame;
		note->pdata_size = full_pdata(rec);
		note->pdata_side = rec->from;
		note->pdata_msg = rec->msg;
	}
	body = body_with(rec, RDT_NEED_mra_msg_mraed);
	if (rec->msg == RDT_MSG_MRA && body && rdt_mra_msg_mraed(body) == RDT_MRAED_REP &&
	    !note->mra_of_rep_frame)
		note->mra_of_rep_frame = rec->when.frame;
	body = body_with(rec, RDT_LEN_rej);
	for (unsigned i = 0; rec->msg == RDT_MSG_REJ && body && i < RDT_SIZE_rej_private_data; i++)
		note->rej_pdata |= rdt_rej_private_data(body)[i] != 0;
}

void note_reuse(struct rdt_why *w, const struct rdt_conn *conn, const struct rdt_conn *older,
		enum rdt_side side, enum rdt_reuse what)
{
	struct note *note;

	/* The newer one is told of while its first message is being fed: seeded by that one later. */
	note = note_make(w, conn, rdt_tracker_conn_index(w->t, conn), conn->msgs > 0);
	if (!note || note->older[what])
		return;
	note->older[what] = rdt_tracker_conn_index(w->t, older) + 1;
	note->reuse_side[what] = (uint8_t)side;
}

void note_version(struct rdt_why *w, const struct rdt_conn *conn, uint32_t index,
		  const struct rdt_when *when)
{
	struct note *note = note_make(w, conn, index, true);

	if (!note)
		return;
	if (!note->other_version_frame)
		note->other_version_frame = when->frame;
	note->other_version_pkts += note->other_version_pkts < UINT32_MAX;
}
