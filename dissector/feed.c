/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first pass: each frame once and in order to the tracker, what it tells into notes. The tracker's
 * memory is the heap's and freed when the capture is closed; notes and streams are the file's.
 */
#include <string.h>

#include "rdmacm.h"
#include "rdmatrace/heap.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/states.h"

static struct {
	struct rdt_tracker *tracker;
	struct rdt_why *why;
	int64_t base_ns, last_ns;
	uint32_t last_number;
	uint32_t number; /* of the frame being fed, 0 between frames */
	bool started;
	bool final;
	bool no_memory;
} capture;

static void forget(void)
{
	rdt_why_free(capture.why);
	rdt_tracker_free(capture.tracker);
	memset(&capture, 0, sizeof(capture));
	notes_reset();
	streams_reset();
}

/* ---- what the tracker tells ------------------------------------------------------------------ */

/*
 * The note that a record belongs to: that of its own frame; for what no packet did, of the frame at
 * which it became known, which at the end of the capture is the last of its connection.
 */
static struct note *note_of(const struct rdt_conn *conn, const struct rdt_when *when)
{
	uint32_t frame = when->frame ? when->frame : capture.number;

	if (!frame)
		frame = stream_of(rdt_tracker_conn_index(capture.tracker, conn))->last_frame;
	return frame ? note_make(frame) : NULL;
}

/* Cause before effect, as in rdma-trace show: the set-up machine, those that follow it, the programs. */
static unsigned rank_of(enum rdt_rec rec, unsigned machine)
{
	if (rec == RDT_REC_event)
		return RDT_MACHINE_COUNT;
	return machine == RDT_MACHINE_MPA ? RDT_MACHINE_CM : machine;
}

static struct record *record_add(struct note *note, const struct rdt_conn *conn, enum rdt_rec rec,
				 unsigned machine)
{
	struct record *record = wmem_new0(wmem_file_scope(), struct record), **at = &note->records;

	record->conn = rdt_tracker_conn_index(capture.tracker, conn);
	record->rec = (uint8_t)rec;
	record->rank = (uint8_t)rank_of(rec, machine);
	while (*at && (*at)->rank <= record->rank)
		at = &(*at)->next;
	record->next = *at;
	*at = record;
	return record;
}

static void on_msg(void *user, const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	const uint32_t index = rdt_tracker_conn_index(capture.tracker, conn);
	const enum rdt_side from = (enum rdt_side)rec->from;
	struct note *note = note_make(rec->when.frame);
	struct message *m = wmem_new(wmem_file_scope(), struct message), **at = &note->message;
	uint64_t peer_retry_ns = 0;

	(void)user;
	stream_message(stream_of(index), conn, rec, m);
	m->conn = index;
	while (*at)
		at = &(*at)->next;
	*at = m;
	if (rec->msg == RDT_MSG_REJ && conn->has_rej && rec->from == conn->rej_side)
		m->rej_by = conn->rej_by;
	rdt_tracker_retry_ns(capture.tracker, index, from, &m->retry_ns);
	rdt_tracker_retry_ns(capture.tracker, index, rdt_side_other(from), &peer_retry_ns);
	note->experts |= judge_message(conn, m, rec, peer_retry_ns);
}

static void on_state(void *user, const struct rdt_conn *conn, const struct rdt_state_rec *rec)
{
	struct note *note;

	(void)user;
	if (!rec->when.frame && !rdmacm_prefs.timers)
		return;
	note = note_of(conn, &rec->when);
	if (!note)
		return;
	record_add(note, conn, RDT_REC_state, rec->machine)->state = *rec;
	if (is_give_up(rec))
		note->experts |= EI_BIT(TIMEOUT);
	if (rec->event == RDT_CM_EV_TIMER_DREQ)
		note->experts |= EI_BIT(CLOSE_TIMEOUT);
}

static void on_event(void *user, const struct rdt_conn *conn, const struct rdt_event_rec *rec)
{
	struct note *note;

	(void)user;
	if (!rec->when.frame && !rdmacm_prefs.timers)
		return;
	note = note_of(conn, &rec->when);
	if (note)
		record_add(note, conn, RDT_REC_event, 0)->event = *rec;
}

static void on_evict(void *user, const struct rdt_conn *conn)
{
	(void)user;
	(void)conn;
	if (capture.number)
		note_make(capture.number)->experts |= EI_BIT(EVICTED);
}

/* ---- a frame --------------------------------------------------------------------------------- */

static void on_finding(void *user, const struct rdt_finding *f)
{
	(void)user;
	finding_add(f, capture.last_number);
}

/* Without memory for the engine there are no findings, the rest is as it is. */
static void make_tracker(void)
{
	const struct rdt_memory memory = RDT_HEAP;
	const struct rdt_track_opts opts = { .max_conns = rdmacm_prefs.max_conns,
					     .seed = (uint64_t)g_random_int() << 32 |
						     g_random_int() };
	const struct rdt_why_opts why_opts = { .icrc = rdmacm_prefs.icrc != 0, .hit = on_finding };
	struct rdt_sink sink = {
		.msg = on_msg, .state = on_state, .event = on_event, .evict = on_evict
	};

	if (rdmacm_prefs.analysis)
		capture.why = rdt_why_new(&memory, &why_opts);
	if (capture.why)
		sink = rdt_why_sink(capture.why, &sink);
	capture.tracker = rdt_tracker_new(&memory, &opts, &sink);
	if (capture.why && capture.tracker)
		rdt_why_set_tracker(capture.why, capture.tracker);
}

/* ns since 1970; a packet without a time, or with one that no clock has, counts as the one before. */
static int64_t time_of(const packet_info *pinfo)
{
	const nstime_t *ts = &pinfo->abs_ts;

	if (!(pinfo->presence_flags & PINFO_HAS_TS) || ts->secs <= RDT_NS_MIN / 1000000000 ||
	    ts->secs >= RDT_NS_MAX / 1000000000 || ts->nsecs < 0 || ts->nsecs >= 1000000000)
		return capture.last_ns;
	return (int64_t)ts->secs * 1000000000 + ts->nsecs;
}

/* The ICRC of a packet that the tracker has not checked: it does so for messages only. */
static uint8_t icrc_of(const struct rdt_frame *frame, const struct rdt_verdict *verdict)
{
	if (verdict->is_msg && verdict->icrc != RDT_ICRC_UNCHECKED)
		return verdict->icrc;
	return rdmacm_prefs.icrc ? (uint8_t)rdt_icrc_check(frame, NULL, NULL) : RDT_ICRC_UNCHECKED;
}

/* States of an end before the first packet of its connection. */
static uint8_t first_state(const struct rdt_conn *conn)
{
	_Static_assert((int)RDT_CM_IDLE == (int)RDT_MPA_IDLE, "one IDLE for both machines");
	return conn->mid || conn->kind == RDT_CONN_OOB ? RDT_CM_NONE : RDT_CM_IDLE;
}

static void note_connection(struct note *note, const struct rdt_frame *frame,
			    const struct rdt_verdict *verdict, uint32_t number, int64_t ns)
{
	const struct rdt_conn *conn = rdt_tracker_conn(capture.tracker, verdict->conn);
	struct stream *s = stream_of(verdict->conn);
	struct rdt_pkt pkt;
	bool is_pkt;

	if (!conn)
		return;
	note->conn = verdict->conn;
	note->side = verdict->side;
	is_pkt = frame->kind == RDT_FRAME_IB &&
		 rdt_pkt_parse(frame->bth, frame->bth_have, frame->bth_len, &pkt) == RDT_OK;
	if (!verdict->is_msg && (is_pkt || frame->payload_len))
		stream_data(s, conn, verdict->side, is_pkt ? &pkt : NULL, number, ns, note);
	if (conn->kind == RDT_CONN_MPA)
		note->experts |=
			stream_iwarp(s, rdt_tracker_iwarp(capture.tracker, conn), verdict->side);
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		note->state[side][0] = s->last_frame ? s->state[side] : first_state(conn);
		note->state[side][1] = conn->end[side].cm_state;
	}
	stream_settle(s, conn, number);
}

/* A packet that says it is RDMA and is none. */
static bool is_broken(const struct rdt_frame *frame)
{
	switch (frame->problem) {
	case RDT_PROBLEM_BTH_SHORT:
	case RDT_PROBLEM_GRH_LENGTH:
	case RDT_PROBLEM_LRH_LENGTH:
	case RDT_PROBLEM_LRH_NEXT:
	case RDT_PROBLEM_GRH_NEXT:
		return true;
	case RDT_PROBLEM_UDP_LENGTH:
		return frame->dport == frame->port;
	default:
		return false;
	}
}

static void first_pass(packet_info *pinfo, const struct rdt_frame *frame)
{
	const int64_t ns = time_of(pinfo);
	const struct rdt_when when = { .ns = ns, .frame = pinfo->num };
	struct rdt_verdict verdict = { .conn = RDT_CONN_NONE };
	uint64_t duplicated = 0;
	struct note *note;

	feed_time(pinfo);
	if (!capture.tracker)
		make_tracker();
	capture.final = false;
	capture.last_ns = ns > capture.last_ns ? ns : capture.last_ns;
	capture.number = capture.last_number = pinfo->num;
	if (capture.tracker && rdmacm_prefs.analysis) {
		duplicated = rdt_tracker_stats(capture.tracker)->duplicated;
		if (rdt_tracker_feed(capture.tracker, frame, &when, &verdict) != RDT_OK &&
		    !capture.no_memory) {
			capture.no_memory = true;
			report_failure(
				"rdmacm: no memory for more connections; from frame %u on the "
				"analysis is not complete",
				pinfo->num);
		}
		duplicated = rdt_tracker_stats(capture.tracker)->duplicated - duplicated;
	}
	if (frame->kind == RDT_FRAME_IB)
		verdict.icrc = icrc_of(frame, &verdict);
	if (capture.why)
		rdt_why_frame(capture.why, frame, &when, &verdict);
	capture.number = 0;
	if (frame->kind != RDT_FRAME_IB && verdict.conn == RDT_CONN_NONE && !is_broken(frame))
		return;
	note = note_make(pinfo->num);
	if (frame->kind == RDT_FRAME_IB)
		note->icrc = verdict.icrc;
	if (duplicated)
		note->experts |= EI_BIT(CAPTURED_TWICE);
	note->experts |= judge_frame(frame, (enum rdt_icrc_state)note->icrc);
	note->fpdu_at = verdict.fpdu_at;
	if (verdict.conn != RDT_CONN_NONE)
		note_connection(note, frame, &verdict, pinfo->num, ns);
}

/* ---- the parts' view of it --------------------------------------------------------------------- */

void feed_time(packet_info *pinfo)
{
	if (!capture.started)
		capture.base_ns = time_of(pinfo);
	capture.started = true;
}

const struct note *feed(packet_info *pinfo, const struct rdt_frame *frame)
{
	if (!PINFO_FD_VISITED(pinfo))
		first_pass(pinfo, frame);
	return note_find(pinfo->num);
}

uint32_t feed_stream(const struct note *note)
{
	if (!note || note->conn == RDT_CONN_NONE)
		return RDT_CONN_NONE;
	return rdt_tracker_conn_final(capture.tracker, note->conn);
}

const struct rdt_tracker *feed_tracker(void)
{
	return capture.tracker;
}

bool feed_is_final(void)
{
	return capture.final;
}

int64_t feed_base_ns(void)
{
	return capture.base_ns;
}

/* The capture has been read to its end: what is still open is decided. */
static void finish(void)
{
	if (!capture.tracker || capture.final)
		return;
	rdt_tracker_finish(capture.tracker, capture.last_ns);
	if (capture.why)
		rdt_why_finish(capture.why, capture.last_ns);
	capture.final = true;
}

void feed_register(void)
{
	register_init_routine(forget);
	register_cleanup_routine(forget);
	register_postseq_cleanup_routine(finish);
}
