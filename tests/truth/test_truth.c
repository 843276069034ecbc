// SPDX-License-Identifier: BSD-2-Clause
/*
 * The kernels' own traces against what the tracker rebuilt from the wire alone.
 *
 * For each icm_send_* line whose message is in the capture: our CM state of that side just before
 * the message equals the kernel's. For each cm_event_handler line of a connection in the capture:
 * we have an event of that side with the same kernel event and status; and where the trace has
 * events of a side, we have no others. What the wire cannot show is listed below, each with the
 * reason; anything else that differs fails.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "rdmatrace/ftrace.h"
#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"
#include "support/pcap_read.h"
#include "support/tracked.h"

/* Captures with a trace: all of the folder. "x.server" is the second vantage point of x. */
#define MOST_CAPTURES 400

struct tally {
	unsigned lines, agree, excused, wrong;
	unsigned absent; /* lines whose message is not in the capture */
};

struct run {
	struct tracked tracked;
	const char *name;
	const char *role;    /* "client", "server" */
	unsigned char *used; /* of all entries of all connections: taken by a line */
	struct tally states, events, others; /* others: our events that the trace may not have */
	struct destroyed {
		struct rdt_addr src, dst;
		uint16_t src_port, dst_port;
	} * destroyed; /* ids that ended */
	size_t destroyed_count;
};

/* ---- what the wire cannot show ------------------------------------------------------------ */

/* The kernel enters MRA states when it arms an MRA; the wire shows it when one is sent. */
static bool same_state(const char *kernel, const char *ours)
{
	if (!strcmp(kernel, ours))
		return true;
	if (!strcmp(kernel, "MRA_REQ_SENT"))
		return !strcmp(ours, "REQ_RCVD");
	if (!strcmp(kernel, "MRA_REP_SENT"))
		return !strcmp(ours, "REP_RCVD");
	return false;
}

static const char *excuse_state(const struct rdt_ftrace *line, const char *ours)
{
	if (!strcmp(line->name, "icm_send_drep") && !strcmp(line->state, "TIMEWAIT") &&
	    !strcmp(ours, "DREQ_RCVD"))
		return "icm_send_drep prints the state after the step";
	return NULL;
}

/* Events of single captures that no packet shows. */
static const struct {
	const char *capture, *role, *event, *why;
} unseen[] = {
	{ "device-removed", "client", "DEVICE_REMOVAL",
	  "an administrator's deed: it looks like a close" },
	{ "backlog", "server", "CONNECT_REQUEST",
	  "nothing answers it: its program's queue was full" },
	{ "iwarp-slow", "server", "CONNECT_REQUEST", "nothing answers it" },
};

static const char *excuse_event(const struct run *run, const struct rdt_ftrace *line,
				const struct rdt_conn *conn)
{
	if (!strcmp(line->event, "TIMEWAIT_EXIT") && conn->has_close)
		return "no packet shows whether the program still holds its id";
	if (!strcmp(run->name, "perftest") && conn->has_close &&
	    !strcmp(line->event, "DISCONNECTED") && conn->close_side == RDT_ACTIVE)
		return "the capture ends in the middle of the close";
	for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++)
		if (!strcmp(run->name, unseen[i].capture) && !strcmp(run->role, unseen[i].role) &&
		    !strcmp(line->event, unseen[i].event))
			return unseen[i].why;
	return NULL;
}

/* ---- states -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum rdt_msg msg, or ; /* what the line sent */
} sends[] = {
	{ "icm_send_req", RDT_MSG_REQ, RDT_MSG_REQ },
	{ "icm_send_rep", RDT_MSG_REP, RDT_MSG_REP },
	{ "icm_send_rtu", RDT_MSG_RTU, RDT_MSG_RTU },
	{ "icm_send_rej", RDT_MSG_REJ, RDT_MSG_REJ },
	{ "icm_send_dreq", RDT_MSG_DREQ, RDT_MSG_DREQ },
	{ "icm_send_drep", RDT_MSG_DREP, RDT_MSG_DREP },
	{ "icm_send_mra", RDT_MSG_MRA, RDT_MSG_MRA },
	{ "icm_send_dup_req", RDT_MSG_MRA, RDT_MSG_MRA },
	{ "icm_send_dup_rep", RDT_MSG_MRA, RDT_MSG_RTU },
	{ "icm_send_sidr_req", RDT_MSG_SIDR_REQ, RDT_MSG_SIDR_REQ },
	{ "icm_send_sidr_rep", RDT_MSG_SIDR_REP, RDT_MSG_SIDR_REP },
};

static int send_of(const struct rdt_ftrace *line)
{
	for (size_t i = 0; i < sizeof(sends) / sizeof(sends[0]); i++)
		if (!strcmp(line->name, sends[i].name))
			return (int)i;
	return -1;
}

/* Did the line send this message? A copy that the network made has no line of its own. */
static bool is_of(const struct rdt_ftrace *line, int send, const struct rdt_msg_rec *msg)
{
	if ((msg->msg != sends[send].msg && msg->msg != sends[send].or) ||
	    msg->copy_kind == RDT_COPY_DUPLICATED)
		return false;
	/* dup_rep in ESTABLISHED sends an RTU, before that an MRA. */
	if (sends[send].msg != sends[send].or
	    &&(msg->msg == RDT_MSG_RTU) != !strcmp(line->state, "ESTABLISHED"))
		return false;
	if (msg->msg == RDT_MSG_SIDR_REP)
		return msg->local_comm_id == line->remote_id;
	/* A REJ of a REQ goes out without an id while nothing is armed. */
	return msg->local_comm_id == line->local_id ||
	       (msg->msg == RDT_MSG_REJ && !msg->local_comm_id &&
		msg->remote_comm_id == line->remote_id);
}

/* The CM state of a side before the entry, as the records tell it. */
static const char *state_before(const struct rdt_entry *entries, size_t at, unsigned side)
{
	const char *state = "IDLE";

	for (size_t i = 0; i < at; i++)
		if (entries[i].kind == RDT_REC_state &&
		    entries[i].state.machine == RDT_MACHINE_CM && entries[i].state.side == side)
			state = rdt_state_key(RDT_MACHINE_CM, entries[i].state.to);
	return state;
}

static void check_state(struct run *run, const struct rdt_ftrace *line, int send)
{
	run->states.lines++;
	for (uint32_t c = 0; c < rdt_tracker_conn_count(run->tracked.tracker); c++) {
		const struct rdt_entry *entries;
		const size_t count = rdt_journal_entries(run->tracked.journal, c, &entries, NULL);
		unsigned char *used = run->used + (size_t)c * TRACKED_ENTRIES;

		for (size_t i = 0; i < count; i++) {
			const char *ours, *why;

			if (entries[i].kind != RDT_REC_msg || used[i] ||
			    !is_of(line, send, &entries[i].msg))
				continue;
			used[i] = 1;
			ours = state_before(entries, i, entries[i].msg.from);
			why = excuse_state(line, ours);
			if (same_state(line->state, ours)) {
				run->states.agree++;
			} else if (why) {
				run->states.excused++;
			} else {
				run->states.wrong++;
				cr_log_error("%s %s frame %u %s: kernel %s, ours %s", run->name,
					     run->role, entries[i].msg.when.frame, line->name,
					     line->state, ours);
			}
			return;
		}
	}
	run->states.absent++;
}

/* ---- events -------------------------------------------------------------------------------- */

static bool is_end(const struct run *run, const struct rdt_conn *conn, enum rdt_side side,
		   const struct rdt_addr *addr, uint16_t port)
{
	return rdt_addr_equal(rdt_tracker_addr(run->tracked.tracker, conn->end[side].addr), addr) &&
	       port == (side == RDT_ACTIVE ? conn->a_port : conn->p_port);
}

static void check_event(struct run *run, const struct rdt_ftrace *line)
{
	/* Listening ids repeat what their children are told. */
	if (!line->has_addrs || line->dst.kind == RDT_ADDR_NONE || !line->dst_port)
		return;
	run->events.lines++;
	for (uint32_t c = 0; c < rdt_tracker_conn_count(run->tracked.tracker); c++) {
		const struct rdt_conn *conn = rdt_tracker_conn(run->tracked.tracker, c);
		const struct rdt_entry *entries;
		const size_t count = rdt_journal_entries(run->tracked.journal, c, &entries, NULL);
		unsigned char *used = run->used + (size_t)c * TRACKED_ENTRIES;
		enum rdt_side side = RDT_ACTIVE;

		if (!conn)
			continue;
		if (is_end(run, conn, RDT_PASSIVE, &line->src, line->src_port) &&
		    is_end(run, conn, RDT_ACTIVE, &line->dst, line->dst_port))
			side = RDT_PASSIVE;
		else if (!is_end(run, conn, RDT_ACTIVE, &line->src, line->src_port) ||
			 !is_end(run, conn, RDT_PASSIVE, &line->dst, line->dst_port))
			continue;
		for (size_t i = 0; i < count; i++) {
			const struct rdt_event_rec *event = &entries[i].event;

			if (entries[i].kind != RDT_REC_event || used[i] || event->side != side ||
			    event->status != line->status ||
			    strcmp(rdt_rdma_event_key(event->kernel_event), line->event))
				continue;
			used[i] = 1;
			run->events.agree++;
			return;
		}
		if (excuse_event(run, line, conn)) {
			run->events.excused++;
		} else {
			run->events.wrong++;
			cr_log_error("%s %s connection %u: the kernel delivered %s (%d), we have "
				     "no such event",
				     run->name, run->role, conn->n, line->event, line->status);
		}
		return;
	}
	run->events.absent++;
}

/* ---- the other way round ------------------------------------------------------------------- */

static const char *excuse_other(const struct run *run, const struct rdt_conn *conn,
				const struct rdt_event_rec *event)
{
	const enum rdt_side side = event->side;

	if (!strcmp(run->name, "path") && event->kernel_event == RDT_EVENT_ROUTE_RESOLVED)
		return "rdma_set_option() with a path: ucma makes the event, rdma_cm traces "
		       "nothing";
	for (size_t i = 0;
	     event->kernel_event == RDT_EVENT_DISCONNECTED && i < run->destroyed_count; i++) {
		const struct destroyed *d = &run->destroyed[i];

		if (is_end(run, conn, side, &d->src, d->src_port) &&
		    is_end(run, conn, rdt_side_other(side), &d->dst, d->dst_port))
			return "its program had destroyed the id already";
	}
	return NULL;
}

/* Our events of sides that the trace tells events of, and that no line has taken. */
static void check_others(struct run *run)
{
	for (uint32_t c = 0; c < rdt_tracker_conn_count(run->tracked.tracker); c++) {
		const struct rdt_conn *conn = rdt_tracker_conn(run->tracked.tracker, c);
		const struct rdt_entry *entries;
		const size_t count = rdt_journal_entries(run->tracked.journal, c, &entries, NULL);
		const unsigned char *used = run->used + (size_t)c * TRACKED_ENTRIES;
		bool told[RDT_SIDES] = { false, false };

		for (size_t i = 0; conn && i < count; i++)
			if (entries[i].kind == RDT_REC_event && used[i])
				told[entries[i].event.side] = true;
		for (size_t i = 0; conn && i < count; i++) {
			const struct rdt_event_rec *event = &entries[i].event;

			if (entries[i].kind != RDT_REC_event || !told[event->side])
				continue;
			run->others.lines++;
			if (used[i]) {
				run->others.agree++;
			} else if (excuse_other(run, conn, event)) {
				run->others.excused++;
			} else {
				run->others.wrong++;
				cr_log_error("%s %s connection %u frame %u: we have %s (%d) at the "
					     "%s side, its kernel delivered none",
					     run->name, run->role, conn->n, event->when.frame,
					     rdt_rdma_event_key(event->kernel_event), event->status,
					     rdt_side_key(event->side));
			}
		}
	}
}

/* ---- one trace ----------------------------------------------------------------------------- */

static void note_destroyed(struct run *run, const struct rdt_ftrace *line)
{
	run->destroyed =
		realloc(run->destroyed, (run->destroyed_count + 1) * sizeof(*run->destroyed));
	cr_assert(run->destroyed);
	run->destroyed[run->destroyed_count++] =
		(struct destroyed){ line->src, line->dst, line->src_port, line->dst_port };
}

static void check_trace(struct run *run)
{
	char path[512], text[2048];
	const size_t stem = strcspn(run->name, ".");
	gzFile file;

	snprintf(path, sizeof(path), "%s/%.*s.%s.trace.gz", test_captures(), (int)stem, run->name,
		 run->role);
	file = gzopen(path, "rb");
	cr_assert(file, "cannot read %s", path);
	while (gzgets(file, text, sizeof(text))) {
		struct rdt_ftrace line;

		if (!rdt_ftrace_parse(text, strcspn(text, "\n"), &line))
			continue;
		if (send_of(&line) >= 0)
			check_state(run, &line, send_of(&line));
		else if (!strcmp(line.name, "cm_event_handler"))
			check_event(run, &line);
		else if (!strcmp(line.name, "cm_id_destroy"))
			note_destroyed(run, &line);
	}
	gzclose(file);
	check_others(run);
}

static void report(const struct run *run)
{
	const struct tally *s = &run->states, *e = &run->events;

	printf("truth: %-14s %-6s states %3u lines: %3u agree, %u excused, %u not in the capture, "
	       "%u wrong;"
	       "  events %3u lines: %3u agree, %u excused, %u not in the capture, %u wrong\n",
	       run->name, run->role, s->lines, s->agree, s->excused, s->absent, s->wrong, e->lines,
	       e->agree, e->excused, e->absent, e->wrong);
	fflush(stdout);
}

static bool has_trace(const char *name, const char *role)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%.*s.%s.trace.gz", test_captures(),
		 (int)strcspn(name, "."), name, role);
	return !access(path, R_OK);
}

struct capture {
	char name[64];
};

static int is_pcap(const struct dirent *e)
{
	const size_t len = strlen(e->d_name);

	return len > 5 && len < sizeof(struct capture) && !strcmp(e->d_name + len - 5, ".pcap");
}

ParameterizedTestParameters(truth, kernel_agrees)
{
	static struct capture rows[MOST_CAPTURES];
	struct dirent **list;
	const int n = scandir(test_captures(), &list, is_pcap, alphasort);
	size_t count = 0;

	for (int i = 0; i < n; i++) {
		struct capture *row = &rows[count];

		cr_assert_lt(count, MOST_CAPTURES);
		memset(row, 0, sizeof(*row));
		memcpy(row->name, list[i]->d_name, strlen(list[i]->d_name) - 5);
		count += has_trace(row->name, "client") || has_trace(row->name, "server");
		free(list[i]);
	}
	free(list);
	cr_assert(count, "no capture with a trace in %s", test_captures());
	return cr_make_param_array(struct capture, rows, count);
}

ParameterizedTest(struct capture *row, truth, kernel_agrees)
{
	static const char *const roles[] = { "client", "server" };
	struct run run = { .name = row->name };
	unsigned wrong = 0, agree = 0, lines = 0;

	tracked_file(&run.tracked, run.name);
	for (size_t i = 0; i < 2; i++) {
		if (!has_trace(run.name, roles[i]))
			continue;
		run.role = roles[i];
		run.states = run.events = run.others = (struct tally){ 0 };
		run.destroyed = NULL;
		run.destroyed_count = 0;
		run.used = calloc(rdt_tracker_conn_count(run.tracked.tracker) + 1, TRACKED_ENTRIES);
		check_trace(&run);
		report(&run);
		free(run.used);
		free(run.destroyed);
		wrong += run.states.wrong + run.events.wrong + run.others.wrong;
		agree += run.states.agree + run.events.agree;
		lines += run.states.lines + run.events.lines;
	}
	cr_expect_eq(wrong, 0, "%s: %u lines of the traces disagree", run.name, wrong);
	cr_expect(agree || !lines || !rdt_tracker_conn_count(run.tracked.tracker),
		  "%s: %u lines, none in the capture", run.name, lines);
	tracked_free(&run.tracked);
}
