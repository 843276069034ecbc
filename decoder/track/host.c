// SPDX-License-Identifier: BSD-2-Clause
/* A host's trace joined to the connections of a capture: see host.h. */
#include "rdmatrace/host.h"

#include <string.h>

#include "fsm.h"
#include "map.h"
#include "rdmatrace/field.h"
#include "rdmatrace/vocab.h"

/* A sending is captured at most so long after it is traced, and a receipt traced after it is seen. */
#define LATE_NS INT64_C(1000000000)
/* The clocks agree to this at best: what lies closer is the same moment. */
#define CLOSE_NS INT64_C(50000000)

enum line_kind { LINE_CM_SEND, LINE_RESEND, LINE_RECV, LINE_ARM, LINE_EVENT, LINE_DESTROY };

/* What is kept of a trace line. */
struct line {
	uint64_t ns, tid;
	struct rdt_addr src, dst;
	uint32_t local, remote;
	int32_t status;
	int64_t at;     /* on the capture's clock */
	uint32_t conn;  /* after the join; RDT_CONN_NONE */
	uint32_t frame; /* of its message, 0 when the capture has none */
	uint32_t entry; /* of its message in the journal */
	uint16_t src_port, dst_port;
	uint8_t kind, msg, state, event;
	uint8_t side, input;
};

struct rdt_host {
	struct rdt_memory memory;
	struct line *lines;
	uint32_t count, room;
	struct rdt_entry *entries; /* of all connections, each one's together */
	uint32_t *begin;           /* by connection: first entry; conns + 1 of them */
	uint8_t *side;             /* by connection */
	uint32_t conns;
	uint32_t entry_count;
	struct rdt_host_conflict *conflicts;
	uint32_t conflict_room;
	struct rdt_host_clock clock;
	struct rdt_host_stats stats;
};

/* ---- lines ---------------------------------------------------------------------------------- */

/* The lines of use: name, kind, message. */
static const struct {
	const char *name;
	uint8_t kind, msg;
} names[] = {
	{ "icm_send_req", LINE_CM_SEND, RDT_MSG_REQ },
	{ "icm_send_rep", LINE_CM_SEND, RDT_MSG_REP },
	{ "icm_send_rtu", LINE_CM_SEND, RDT_MSG_RTU },
	{ "icm_send_rej", LINE_CM_SEND, RDT_MSG_REJ },
	{ "icm_send_mra", LINE_CM_SEND, RDT_MSG_MRA },
	{ "icm_send_dup_req", LINE_CM_SEND, RDT_MSG_MRA },
	{ "icm_send_dup_rep", LINE_CM_SEND, RDT_MSG_MRA }, /* an RTU when already established */
	{ "icm_send_dreq", LINE_CM_SEND, RDT_MSG_DREQ },
	{ "icm_send_drep", LINE_CM_SEND, RDT_MSG_DREP },
	{ "icm_send_sidr_req", LINE_CM_SEND, RDT_MSG_SIDR_REQ },
	{ "icm_send_sidr_rep", LINE_CM_SEND, RDT_MSG_SIDR_REP },
	{ "cm_send_mra", LINE_ARM, RDT_MSG_MRA },
	{ "cm_prepare_mra", LINE_ARM, RDT_MSG_MRA },
	{ "cm_event_handler", LINE_EVENT, RDT_MSG_COUNT },
	{ "cm_id_destroy", LINE_DESTROY, RDT_MSG_COUNT },
	{ "ib_mad_ib_send_mad", LINE_RESEND, RDT_MSG_COUNT },
	{ "ib_mad_recv_done_handler", LINE_RECV, RDT_MSG_COUNT },
};

static uint8_t msg_of_attr(unsigned attr)
{
	static const uint8_t msgs[] = { RDT_MSG_REQ,  RDT_MSG_MRA,      RDT_MSG_REJ,
					RDT_MSG_REP,  RDT_MSG_RTU,      RDT_MSG_DREQ,
					RDT_MSG_DREP, RDT_MSG_SIDR_REQ, RDT_MSG_SIDR_REP,
					RDT_MSG_LAP,  RDT_MSG_APR };

	return attr >= RDT_CM_ATTR_REQ && attr <= RDT_CM_ATTR_APR ? msgs[attr - RDT_CM_ATTR_REQ]
								  : RDT_MSG_COUNT;
}

static uint8_t state_of(const char *name)
{
	for (unsigned s = RDT_CM_IDLE; s < RDT_CM_STATE_COUNT; s++)
		if (!strcmp(rdt_state_key(RDT_MACHINE_CM, s), name))
			return (uint8_t)s;
	return RDT_CM_NONE;
}

static uint8_t event_of(const char *name)
{
	for (unsigned e = 0; e < RDT_EVENT_COUNT; e++)
		if (!strcmp(rdt_rdma_event_key(e), name))
			return (uint8_t)e;
	return RDT_EVENT_COUNT;
}

/* Fills line from a parsed one; false when it is of no use. */
static bool keep(const struct rdt_ftrace *from, struct line *line)
{
	size_t i = 0;

	while (i < sizeof(names) / sizeof(names[0]) && strcmp(names[i].name, from->name))
		i++;
	if (i == sizeof(names) / sizeof(names[0]))
		return false;
	*line = (struct line){ .ns = from->ns,
			       .tid = from->tid,
			       .src = from->src,
			       .dst = from->dst,
			       .local = from->local_id,
			       .remote = from->remote_id,
			       .status = from->status,
			       .conn = RDT_CONN_NONE,
			       .src_port = from->src_port,
			       .dst_port = from->dst_port,
			       .kind = names[i].kind,
			       .msg = names[i].msg };
	switch ((enum line_kind)line->kind) {
	case LINE_CM_SEND:
		line->state = state_of(from->state);
		/* icm_send_drep prints the state after the step. */
		if (line->msg == RDT_MSG_DREP)
			line->state = RDT_CM_DREQ_RCVD;
		if (!strcmp(from->name, "icm_send_dup_rep") && line->state == RDT_CM_ESTABLISHED)
			line->msg = RDT_MSG_RTU;
		return from->has_ids;
	case LINE_RESEND:
		line->msg = msg_of_attr(from->attr_id);
		return from->mgmt_class == RDT_CLASS_CM && line->msg != RDT_MSG_COUNT &&
		       from->retries_left < from->max_retries;
	case LINE_RECV:
		line->msg = msg_of_attr(from->attr_id);
		return from->mgmt_class == RDT_CLASS_CM && line->msg != RDT_MSG_COUNT;
	case LINE_EVENT:
		line->event = event_of(from->event);
		return from->has_addrs && line->event < RDT_EVENT_COUNT && from->dst_port;
	case LINE_ARM:
	case LINE_DESTROY:
		return from->has_addrs && from->dst_port;
	}
	return false;
}

static void *resize(const struct rdt_host *h, void *old, size_t old_size, size_t new_size)
{
	return h->memory.resize(h->memory.user, old, old_size, new_size);
}

struct rdt_host *rdt_host_new(const struct rdt_memory *memory)
{
	struct rdt_host *h = memory->resize(memory->user, NULL, 0, sizeof(*h));

	if (h)
		*h = (struct rdt_host){ .memory = *memory };
	return h;
}

void rdt_host_free(struct rdt_host *h)
{
	struct rdt_memory memory;

	if (!h)
		return;
	memory = h->memory;
	if (h->lines)
		resize(h, h->lines, h->room * sizeof(*h->lines), 0);
	if (h->entries)
		resize(h, h->entries, h->entry_count * sizeof(*h->entries), 0);
	if (h->begin)
		resize(h, h->begin, ((size_t)h->conns + 1) * sizeof(*h->begin), 0);
	if (h->side)
		resize(h, h->side, h->conns, 0);
	if (h->conflicts)
		resize(h, h->conflicts, h->conflict_room * sizeof(*h->conflicts), 0);
	memory.resize(memory.user, h, sizeof(*h), 0);
}

enum rdt_status rdt_host_add(struct rdt_host *h, const struct rdt_ftrace *from)
{
	struct line line;

	if (!keep(from, &line))
		return RDT_OK;
	if (h->count == h->room) {
		const uint32_t room = h->room ? h->room * 2 : 256;
		struct line *lines;

		if (room < h->room)
			return RDT_NO_MEMORY;
		lines = resize(h, h->lines, h->room * sizeof(*lines), room * sizeof(*lines));
		if (!lines)
			return RDT_NO_MEMORY;
		h->lines = lines;
		h->room = room;
	}
	h->lines[h->count++] = line;
	h->stats.lines = h->count;
	return RDT_OK;
}

/* ---- to which connection --------------------------------------------------------------------- */

struct join {
	struct rdt_host *h;
	const struct rdt_tracker *t;
	struct rdt_journal *j;
	struct map ids, ends, tids; /* comm id, addresses and ports, TID -> conn << 1 | side */
};

static uint64_t end_key(const struct rdt_addr *a, uint16_t a_port, const struct rdt_addr *p,
			uint16_t p_port)
{
	uint64_t part[4];

	memcpy(&part[0], a->bytes, 16);
	memcpy(&part[2], p->bytes, 16);
	return map_mix(part[0] ^ map_mix(part[1] ^ map_mix(part[2] ^ map_mix(part[3])))) ^
	       ((uint64_t)a_port << 16 | p_port);
}

static bool index_conns(struct join *join)
{
	for (uint32_t i = 0; i < join->h->conns; i++) {
		const struct rdt_conn *c = rdt_tracker_conn(join->t, i);
		const struct rdt_addr *a, *p;
		const struct rdt_entry *e;
		size_t n;

		if (!c)
			continue;
		for (unsigned side = 0; side < RDT_SIDES; side++)
			if (c->end[side].has_comm_id &&
			    !map_put(&join->ids, c->end[side].comm_id, i << 1 | side))
				return false;
		a = rdt_tracker_addr(join->t, c->end[RDT_ACTIVE].addr);
		p = rdt_tracker_addr(join->t, c->end[RDT_PASSIVE].addr);
		if (c->has_a_port && (!map_put(&join->ends, end_key(a, c->a_port, p, c->p_port),
					       i << 1 | RDT_ACTIVE) ||
				      !map_put(&join->ends, end_key(p, c->p_port, a, c->a_port),
					       i << 1 | RDT_PASSIVE)))
			return false;
		n = rdt_journal_entries(join->j, i, &e, NULL);
		for (size_t k = 0; k < n; k++)
			if (e[k].kind == RDT_REC_msg && e[k].msg.tid &&
			    !map_put(&join->tids, e[k].msg.tid, i << 1))
				return false;
	}
	return true;
}

static void place_line(const struct join *join, struct line *line)
{
	uint32_t owner = RDT_MAP_NONE;

	switch ((enum line_kind)line->kind) {
	case LINE_CM_SEND:
		/* SIDR: the server's own id is not on the wire, the request's is. */
		owner = map_get(&join->ids,
				line->msg == RDT_MSG_SIDR_REP ? line->remote : line->local);
		if (owner != RDT_MAP_NONE && line->msg == RDT_MSG_SIDR_REP)
			owner ^= 1;
		/* A REJ without an id of its own on the wire: by the peer's. */
		if (owner == RDT_MAP_NONE && line->remote) {
			owner = map_get(&join->ids, line->remote);
			if (owner != RDT_MAP_NONE)
				owner ^= 1;
		}
		break;
	case LINE_EVENT:
	case LINE_ARM:
	case LINE_DESTROY:
		owner = map_get(&join->ends,
				end_key(&line->src, line->src_port, &line->dst, line->dst_port));
		break;
	case LINE_RESEND:
	case LINE_RECV:
		owner = map_get(&join->tids, line->tid);
		if (owner != RDT_MAP_NONE && join->h->side[owner >> 1] < RDT_SIDES)
			owner = (owner & ~1u) | join->h->side[owner >> 1];
		else
			owner = RDT_MAP_NONE; /* nothing else says which side this host is */
		break;
	}
	if (owner == RDT_MAP_NONE)
		return;
	line->conn = owner >> 1;
	line->side = owner & 1;
	join->h->side[line->conn] = line->side;
}

/* ---- clocks and frames ------------------------------------------------------------------------ */

/* The first message of a kind from a side that nobody doubled; count when there is none. */
static size_t find_msg(const struct rdt_entry *e, size_t count, size_t from, unsigned msg,
		       unsigned side)
{
	while (from < count &&
	       (e[from].kind != RDT_REC_msg || e[from].msg.msg != msg || e[from].msg.from != side ||
		e[from].msg.copy_kind == RDT_COPY_DUPLICATED))
		from++;
	return from;
}

static bool is_send(const struct line *line)
{
	return line->kind == LINE_CM_SEND || line->kind == LINE_RESEND;
}

/*
 * A map that gives each (connection, message, direction) a number, counted up from 0 at each call.
 * UINT32_MAX when there is no memory.
 */
static uint32_t turn_of(struct map *turns, const struct line *line)
{
	const uint64_t key = (uint64_t)line->conn << 32 | (uint64_t)line->msg << 1 | is_send(line);
	const uint32_t turn = map_get(turns, key) == RDT_MAP_NONE ? 0 : map_get(turns, key);

	return map_put(turns, key, turn + 1) ? turn : UINT32_MAX;
}

/* From the first sending and the first receipt of each message: which later one is which is not known. */
static bool find_clock(struct join *join)
{
	struct rdt_host_clock *clock = &join->h->clock;
	int64_t least = INT64_MAX, most = INT64_MIN;
	struct map turns;
	bool ok = true;

	map_init(&turns, &join->h->memory, 0);
	*clock = (struct rdt_host_clock){ .doubt_ns = UINT64_MAX };
	for (uint32_t i = 0; ok && i < join->h->count; i++) {
		const struct line *line = &join->h->lines[i];
		const bool send = is_send(line);
		const struct rdt_entry *e;
		uint32_t turn;
		size_t n, at;
		int64_t apart;

		if (line->conn == RDT_CONN_NONE || (!send && line->kind != LINE_RECV))
			continue;
		turn = turn_of(&turns, line);
		ok = turn != UINT32_MAX;
		n = rdt_journal_entries(join->j, line->conn, &e, NULL);
		at = find_msg(e, n, 0, line->msg, send ? line->side : !line->side);
		if (turn || at == n)
			continue;
		apart = e[at].msg.when.ns - (int64_t)line->ns;
		if (send && apart < least)
			least = apart;
		else if (!send && apart > most)
			most = apart;
		if (send)
			clock->sends++;
		else
			clock->receipts++;
	}
	map_free(&turns);
	if (clock->sends && clock->receipts && most <= least) {
		clock->offset_ns = most + (least - most) / 2;
		clock->doubt_ns = (uint64_t)(least - most) / 2;
	} else if (clock->sends) {
		clock->offset_ns = least;
		clock->unsteady = clock->receipts != 0;
	} else if (clock->receipts) {
		clock->offset_ns = most;
	}
	return ok;
}

/* The message of a line: by order where the clock is no help, else the one that lies in its time. */
static bool is_its(const struct rdt_host *h, const struct line *line, uint32_t turn, uint32_t nth,
		   int64_t wire_ns)
{
	const int64_t after = is_send(line) ? wire_ns - line->at : line->at - wire_ns;

	if (h->clock.unsteady)
		return nth == turn;
	return after >= -CLOSE_NS && after <= LATE_NS;
}

/* Give each sending and receipt its message; each message is given once. */
static bool find_frames(struct join *join)
{
	struct rdt_host *h = join->h;
	struct map given, turns; /* given: connection and entry -> 1 */
	int64_t offset = h->clock.offset_ns;
	bool ok = true;

	map_init(&given, &h->memory, 0);
	map_init(&turns, &h->memory, 0);
	for (uint32_t i = 0; ok && i < h->count; i++) {
		struct line *line = &h->lines[i];
		const unsigned from = is_send(line) ? line->side : !line->side;
		const struct rdt_entry *e;
		uint32_t turn;
		size_t n;

		line->at = (int64_t)line->ns + offset;
		if (line->conn == RDT_CONN_NONE || (!is_send(line) && line->kind != LINE_RECV))
			continue;
		turn = turn_of(&turns, line);
		n = rdt_journal_entries(join->j, line->conn, &e, NULL);
		for (size_t k = find_msg(e, n, 0, line->msg, from), nth = 0; k < n;
		     k = find_msg(e, n, k + 1, line->msg, from), nth++) {
			const uint64_t key =
				(uint64_t)line->conn << 32 | (uint64_t)k << 1 | is_send(line);

			if (!is_its(h, line, turn, (uint32_t)nth, e[k].msg.when.ns) ||
			    map_get(&given, key) != RDT_MAP_NONE)
				continue;
			ok = map_put(&given, key, 1);
			line->frame = e[k].msg.when.frame;
			line->input = e[k].msg.when.input;
			line->entry = (uint32_t)k;
			if (h->clock.unsteady) {
				line->at = e[k].msg.when.ns;
				offset = line->at - (int64_t)line->ns;
			}
			break;
		}
		ok = ok && turn != UINT32_MAX;
		h->stats.unsent += is_send(line) && !line->frame;
	}
	map_free(&given);
	map_free(&turns);
	return ok;
}

/* ---- records ---------------------------------------------------------------------------------- */

static unsigned wire_state(const struct rdt_entry *e, size_t at, unsigned side)
{
	unsigned state = RDT_CM_IDLE;

	for (size_t i = 0; i < at; i++)
		if (e[i].kind == RDT_REC_state && e[i].state.machine == RDT_MACHINE_CM &&
		    e[i].state.side == side)
			state = e[i].state.to;
	return state;
}

/* The kernel is in an MRA state from when it arms one, the wire from when it is sent. */
static bool same_state(unsigned kernel, unsigned wire)
{
	return kernel == wire || (kernel == RDT_CM_MRA_REQ_SENT && wire == RDT_CM_REQ_RCVD) ||
	       (kernel == RDT_CM_MRA_REP_SENT && wire == RDT_CM_REP_RCVD) ||
	       (kernel == RDT_CM_IDLE && wire == RDT_CM_DONE);
}

static bool compare(struct join *join, const struct line *line)
{
	struct rdt_host *h = join->h;
	const struct rdt_entry *e;
	unsigned wire;

	if (!line->frame || line->state == RDT_CM_NONE)
		return true;
	rdt_journal_entries(join->j, line->conn, &e, NULL);
	wire = wire_state(e, line->entry, line->side);
	h->stats.compared++;
	if (same_state(line->state, wire))
		return true;
	if (h->stats.conflicts == h->conflict_room) {
		const uint32_t room = h->conflict_room ? h->conflict_room * 2 : 16;
		struct rdt_host_conflict *conflicts =
			resize(h, h->conflicts, h->conflict_room * sizeof(*conflicts),
			       room * sizeof(*conflicts));

		if (!conflicts)
			return false;
		h->conflicts = conflicts;
		h->conflict_room = room;
	}
	h->conflicts[h->stats.conflicts++] =
		(struct rdt_host_conflict){ line->conn, line->frame, line->side,
					    line->msg,  line->state, (uint8_t)wire };
	return true;
}

static enum rdt_cm_event tx_event(unsigned msg, unsigned state)
{
	static const uint8_t events[RDT_MSG_COUNT] = {
		[RDT_MSG_REQ] = RDT_CM_EV_TX_REQ,
		[RDT_MSG_MRA] = RDT_CM_EV_TX_MRA_REQ,
		[RDT_MSG_REJ] = RDT_CM_EV_TX_REJ,
		[RDT_MSG_REP] = RDT_CM_EV_TX_REP,
		[RDT_MSG_RTU] = RDT_CM_EV_TX_RTU,
		[RDT_MSG_DREQ] = RDT_CM_EV_TX_DREQ,
		[RDT_MSG_DREP] = RDT_CM_EV_TX_DREP,
		[RDT_MSG_SIDR_REQ] = RDT_CM_EV_TX_SIDR_REQ,
		[RDT_MSG_SIDR_REP] = RDT_CM_EV_TX_SIDR_REP,
		[RDT_MSG_LAP] = RDT_CM_EV_TX_LAP,
		[RDT_MSG_APR] = RDT_CM_EV_TX_APR,
	};

	/* Which message an MRA is about follows from what its side waits for or has. */
	if (msg == RDT_MSG_MRA && (state == RDT_CM_REP_RCVD || state == RDT_CM_MRA_REP_SENT ||
				   state == RDT_CM_REP_SENT || state == RDT_CM_MRA_REP_RCVD))
		return RDT_CM_EV_TX_MRA_REP;
	return events[msg];
}

/* What the host's side of one connection was in, as the lines so far tell. */
struct now {
	uint8_t cm, rdma;
};

static struct rdt_entry state_entry(const struct line *line, enum rdt_machine machine,
				    unsigned from, unsigned to, enum rdt_cm_event event,
				    const char *why)
{
	return (struct rdt_entry){ .kind = RDT_REC_state,
				   .state = { .when = { line->at, line->frame, line->input },
					      .side = line->side,
					      .machine = (uint8_t)machine,
					      .from = (uint8_t)from,
					      .to = (uint8_t)to,
					      .event = (uint8_t)event,
					      .basis = RDT_BASIS_KERNEL,
					      .why = why } };
}

static unsigned armed(unsigned state)
{
	return state == RDT_CM_REQ_RCVD   ? RDT_CM_MRA_REQ_SENT
	       : state == RDT_CM_REP_RCVD ? RDT_CM_MRA_REP_SENT
					  : state;
}

/* The state that an event leaves an rdma_cm id in; the same one for most. */
static uint8_t rdma_after(uint8_t now, unsigned event)
{
	switch (event) {
	case RDT_EVENT_ADDR_RESOLVED:
		return RDT_RDMA_ADDR_RESOLVED;
	case RDT_EVENT_ROUTE_RESOLVED:
		return RDT_RDMA_ROUTE_RESOLVED;
	case RDT_EVENT_CONNECT_REQUEST:
	case RDT_EVENT_CONNECT_RESPONSE:
	case RDT_EVENT_ESTABLISHED:
		return RDT_RDMA_CONNECT;
	case RDT_EVENT_DISCONNECTED:
		return RDT_RDMA_DISCONNECT;
	default:
		return now;
	}
}

/* The record that a line makes; false when it makes none. Moves *now on. */
static bool record(const struct line *line, struct now *now, struct rdt_entry *ret)
{
	enum rdt_cm_event event;
	struct rdt_step step;
	unsigned from;

	switch ((enum line_kind)line->kind) {
	case LINE_CM_SEND:
		from = line->state != RDT_CM_NONE ? line->state : now->cm;
		event = tx_event(line->msg, from);
		step = fsm_step(RDT_MACHINE_CM, from, event);
		now->cm = step.next;
		if (line->msg == RDT_MSG_REQ || line->msg == RDT_MSG_SIDR_REQ)
			now->rdma = RDT_RDMA_CONNECT;
		*ret = state_entry(line, RDT_MACHINE_CM, from, step.next, event,
				   !line->frame ? "sent, but not in the capture"
				   : step.why   ? step.why
						: "sent");
		return true;
	case LINE_RESEND:
		event = tx_event(line->msg, now->cm);
		*ret = state_entry(
			line, RDT_MACHINE_CM, now->cm, now->cm, event,
			line->frame ? "the timer ran out: sent again"
				    : "the timer ran out: sent again, but not in the capture");
		return true;
	case LINE_RECV:
		event = (enum rdt_cm_event)(tx_event(line->msg, now->cm) + 1);
		step = fsm_step(RDT_MACHINE_CM, now->cm, event);
		if (step.next == now->cm)
			return false;
		*ret = state_entry(line, RDT_MACHINE_CM, now->cm, step.next, event, step.why);
		now->cm = step.next;
		return true;
	case LINE_ARM:
		from = now->cm;
		now->cm = (uint8_t)armed(from);
		*ret = state_entry(line, RDT_MACHINE_CM, from, now->cm, RDT_CM_EV_ARM_MRA,
				   "ready to answer a repetition with MRA; nothing is sent");
		return now->cm != from;
	case LINE_EVENT:
		now->rdma = rdma_after(now->rdma, line->event);
		if (line->event == RDT_EVENT_UNREACHABLE)
			now->cm = RDT_CM_DONE;
		*ret = (struct rdt_entry){ .kind = RDT_REC_event,
					   .event = { .when = { line->at, 0, 0 },
						      .status = line->status,
						      .side = line->side,
						      .event = line->event,
						      .kernel_event = line->event,
						      .basis = RDT_BASIS_KERNEL,
						      .why = "delivered by the kernel" } };
		return true;
	case LINE_DESTROY:
		*ret = state_entry(line, RDT_MACHINE_RDMA, now->rdma, RDT_RDMA_DESTROYING,
				   RDT_CM_EV_DESTROY, "rdma_destroy_id(), or the program ended");
		now->rdma = RDT_RDMA_DESTROYING;
		return true;
	}
	return false;
}

/* Counts the lines of each connection, then writes each one's records where they belong. */
static bool make_entries(struct join *join)
{
	struct rdt_host *h = join->h;
	const size_t nows_size = (h->conns ? h->conns : 1) * sizeof(struct now);
	struct now *nows = resize(h, NULL, 0, nows_size);
	uint32_t *next;

	h->begin = resize(h, NULL, 0, ((size_t)h->conns + 1) * sizeof(*h->begin));
	next = resize(h, NULL, 0, ((size_t)h->conns + 1) * sizeof(*next));
	h->entries =
		h->stats.joined ? resize(h, NULL, 0, h->stats.joined * sizeof(*h->entries)) : NULL;
	if (!nows || !h->begin || !next || (h->stats.joined && !h->entries)) {
		if (nows)
			resize(h, nows, nows_size, 0);
		if (next)
			resize(h, next, ((size_t)h->conns + 1) * sizeof(*next), 0);
		return false;
	}
	h->entry_count = h->stats.joined;
	memset(h->begin, 0, ((size_t)h->conns + 1) * sizeof(*h->begin));
	for (uint32_t i = 0; i < h->count; i++)
		if (h->lines[i].conn != RDT_CONN_NONE)
			h->begin[h->lines[i].conn + 1]++;
	for (uint32_t i = 0; i < h->conns; i++) {
		h->begin[i + 1] += h->begin[i];
		next[i] = h->begin[i];
		nows[i] = (struct now){ RDT_CM_IDLE, RDT_RDMA_IDLE };
	}
	for (uint32_t i = 0; i < h->count; i++) {
		const struct line *line = &h->lines[i];

		if (line->conn != RDT_CONN_NONE &&
		    record(line, &nows[line->conn], &h->entries[next[line->conn]]))
			next[line->conn]++;
	}
	/* Lines that made no record leave room at the end: close it. */
	for (uint32_t i = 0, to = 0; i < h->conns; i++) {
		const uint32_t from = h->begin[i], count = next[i] - from;

		if (count)
			memmove(&h->entries[to], &h->entries[from], count * sizeof(*h->entries));
		h->begin[i] = to;
		to += count;
		if (i + 1 == h->conns)
			h->begin[h->conns] = to;
	}
	resize(h, nows, nows_size, 0);
	resize(h, next, ((size_t)h->conns + 1) * sizeof(*next), 0);
	return true;
}

enum rdt_status rdt_host_join(struct rdt_host *h, const struct rdt_tracker *t,
			      struct rdt_journal *j)
{
	struct join join = { h, t, j, { 0 }, { 0 }, { 0 } };
	bool ok;

	h->conns = rdt_tracker_conn_count(t);
	h->side = resize(h, NULL, 0, h->conns ? h->conns : 1);
	if (!h->side)
		return RDT_NO_MEMORY;
	memset(h->side, RDT_SIDES, h->conns);
	map_init(&join.ids, &h->memory, 1);
	map_init(&join.ends, &h->memory, 2);
	map_init(&join.tids, &h->memory, 3);
	ok = index_conns(&join);
	/* First the lines that say by themselves which side they are of. */
	for (unsigned turn = 0; ok && turn < 2; turn++)
		for (uint32_t i = 0; i < h->count; i++)
			if (h->lines[i].conn == RDT_CONN_NONE)
				place_line(&join, &h->lines[i]);
	for (uint32_t i = 0; i < h->count; i++)
		h->stats.joined += h->lines[i].conn != RDT_CONN_NONE;
	if (ok) {
		ok = find_clock(&join) && find_frames(&join);
	}
	for (uint32_t i = 0; ok && i < h->count; i++)
		if (h->lines[i].conn != RDT_CONN_NONE && h->lines[i].kind == LINE_CM_SEND)
			ok = compare(&join, &h->lines[i]);
	ok = ok && make_entries(&join);
	map_free(&join.ids);
	map_free(&join.ends);
	map_free(&join.tids);
	return ok ? RDT_OK : RDT_NO_MEMORY;
}

struct rdt_host_clock rdt_host_clock(const struct rdt_host *h)
{
	return h->clock;
}

struct rdt_host_stats rdt_host_stats(const struct rdt_host *h)
{
	return h->stats;
}

const struct rdt_host_conflict *rdt_host_conflicts(const struct rdt_host *h, size_t *ret_count)
{
	*ret_count = h->stats.conflicts;
	return h->conflicts;
}

size_t rdt_host_entries(const struct rdt_host *h, uint32_t conn,
			const struct rdt_entry **ret_entries)
{
	*ret_entries = NULL;
	if (conn >= h->conns || !h->begin || !h->entries)
		return 0;
	*ret_entries = &h->entries[h->begin[conn]];
	return h->begin[conn + 1] - h->begin[conn];
}

enum rdt_side rdt_host_side(const struct rdt_host *h, uint32_t conn)
{
	return conn < h->conns && h->side ? (enum rdt_side)h->side[conn] : RDT_SIDES;
}
