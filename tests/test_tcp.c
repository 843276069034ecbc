// SPDX-License-Identifier: BSD-2-Clause
/*
 * TCP under the tracker: real captures with their packets swapped, doubled, cut and dropped, and made-up
 * flows for what no capture shows.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/setup.h"
#include "support/pcap_read.h"
#include "support/story.h"

/* ---- captures, damaged ---------------------------------------------------------------------- */

#define FRAMES 1200

struct frames {
	struct test_frame frame[FRAMES];
	size_t count;
};

static int keep(const struct test_frame *frame, void *arg)
{
	struct frames *all = arg;
	uint8_t *copy = malloc(frame->have);

	cr_assert_lt(all->count, FRAMES);
	memcpy(copy, frame->bytes, frame->have);
	all->frame[all->count] = *frame;
	all->frame[all->count++].bytes = copy;
	return 0;
}

static void load(struct frames *all, const char *name)
{
	char file[128];

	all->count = 0;
	snprintf(file, sizeof(file), "%s.pcap", name);
	cr_assert_gt(test_pcap_walk(file, keep, all), 0);
}

static void unload(struct frames *all)
{
	for (size_t i = 0; i < all->count; i++)
		free((void *)(uintptr_t)all->frame[i].bytes);
}

/* Length of the TCP payload of an Ethernet frame with IPv4. */
static unsigned payload_of(const struct test_frame *f)
{
	const uint8_t *ip = f->bytes + 14;
	unsigned total, head;

	if (f->have < 54 || f->bytes[12] != 8 || f->bytes[13] || ip[9] != 6)
		return 0;
	total = (unsigned)ip[2] << 8 | ip[3];
	head = (ip[0] & 15u) * 4;
	return total - head - (ip[head + 12] >> 4) * 4u;
}

/* Does a frame end its TCP connection, or is it a start frame, before whose answer no data are sent? */
static bool stays(const struct test_frame *f)
{
	const unsigned payload = payload_of(f);

	return (f->have >= 54 && f->bytes[23] == 6 && (f->bytes[47] & 5)) ||
	       (payload >= 16 && !memcmp(f->bytes + f->have - payload, "MPA ID Re", 9));
}

static bool same_way(const struct test_frame *a, const struct test_frame *b)
{
	return !memcmp(a->bytes + 26, b->bytes + 26, 12); /* addresses and ports */
}

static void give(struct story *s, const struct test_frame *f, size_t have, int64_t ns)
{
	uint8_t *exact = malloc(have);

	memcpy(exact, f->bytes, have);
	tracked_feed(&s->t, f->linktype, exact, have, f->wire_len, ns);
	free(exact);
}

/* What a capture tells, however it was damaged: kept as text to compare. */
static void tell(struct story *s, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (uint32_t i = 0; i < rdt_tracker_conn_count(s->t.tracker); i++) {
		const struct rdt_conn *c = rdt_tracker_conn(s->t.tracker, i);
		const struct rdt_iwarp *w = c ? rdt_tracker_iwarp(s->t.tracker, c) : NULL;

		if (!w)
			continue;
		for (unsigned side = 0; side < RDT_SIDES; side++) {
			const struct rdt_iwarp_end *e = &w->end[side];

			len += (size_t)snprintf(
				buf + len, size - len,
				"[%u/%u: %u fpdus, crc %u/%u, markers %u/%u, bytes %" PRIu64
				", lost %" PRIu64 "]",
				i, side, e->fpdus, e->crc_ok, e->crc_bad, e->markers_ok,
				e->markers_bad, c->end[side].data.bytes, e->unframed);
			cr_assert_lt(len, size);
		}
	}
}

enum damage { NOTHING, SWAPPED, DOUBLED, SWAPPED_FAR };

static void run(struct story *s, const struct frames *all, enum damage damage)
{
	int64_t ns = STORY_START;
	uint8_t *done = calloc(all->count + 1, 1);

	tracked_new(&s->t, NULL);
	for (size_t i = 0; i < all->count; i++) {
		const size_t reach = damage == SWAPPED ? 1 : damage == SWAPPED_FAR ? 6 : 0;
		size_t later = i;

		/* A later packet of the same direction overtakes this one. */
		for (size_t k = i + 1; !stays(&all->frame[i]) && k < all->count && k <= i + reach &&
				       !stays(&all->frame[k]);
		     k++)
			if (!done[k] && payload_of(&all->frame[i]) && payload_of(&all->frame[k]) &&
			    same_way(&all->frame[i], &all->frame[k]))
				later = k;
		if (later != i && !done[i]) {
			give(s, &all->frame[later], all->frame[later].have, ns += 1000);
			done[later] = 1;
		}
		if (done[i])
			continue;
		give(s, &all->frame[i], all->frame[i].have, ns += 1000);
		if (damage == DOUBLED && payload_of(&all->frame[i]))
			give(s, &all->frame[i], all->frame[i].have, ns += 1000);
	}
	tracked_finish(&s->t);
	free(done);
}

static const char *const iwarp[] = { "iwarp-ping", "mpa-markers",   "mpa-rev1",
				     "mpa-rtr",    "mpa-terminate", "iwarp-client-killed" };

/* However packets overtake each other or come twice, the streams say the same. */
Test(tcp, order_and_copies_do_not_matter)
{
	for (size_t i = 0; i < sizeof(iwarp) / sizeof(iwarp[0]); i++) {
		struct frames *all = calloc(1, sizeof(*all));
		char want[4096], is[4096];

		load(all, iwarp[i]);
		for (enum damage d = NOTHING; d <= SWAPPED_FAR; d++) {
			struct story s;

			run(&s, all, d);
			tell(&s, d == NOTHING ? want : is, sizeof(is));
			if (d == NOTHING) {
				cr_expect(strstr(want, "fpdus"), "%s", iwarp[i]);
				cr_expect_null(strstr(want, "lost 0]") ? NULL : want, "%s: %s",
					       iwarp[i], want);
			} else {
				cr_expect_str_eq(is, want, "%s, damage %d:\n%s\n%s", iwarp[i], d,
						 is, want);
			}
			tracked_free(&s.t);
		}
		unload(all);
		free(all);
	}
}

/* mpa-terminate: its senders were told to send an unknown opcode, and a wrong CRC (its README row). */
static uint32_t wrong_on_purpose(const char *capture, uint32_t conn, unsigned side)
{
	return !strcmp(capture, "mpa-terminate") && side == RDT_ACTIVE && (conn == 3 || conn == 4);
}

/* Every capture of iWARP: all CRCs and markers that its senders sent are right, but for those. */
Test(tcp, crc_and_markers_of_all_captures_are_right)
{
	uint64_t crcs = 0, markers = 0;

	for (size_t i = 0; i < sizeof(iwarp) / sizeof(iwarp[0]); i++) {
		struct story s;

		tracked_file(&s.t, iwarp[i]);
		for (uint32_t c = 0; c < rdt_tracker_conn_count(s.t.tracker); c++) {
			const struct rdt_conn *conn = rdt_tracker_conn(s.t.tracker, c);
			const struct rdt_iwarp *w = rdt_tracker_iwarp(s.t.tracker, conn);

			cr_assert(w);
			for (unsigned side = 0; side < RDT_SIDES; side++) {
				const struct rdt_iwarp_end *e = &w->end[side];

				const uint32_t wrong = wrong_on_purpose(iwarp[i], c, side);

				cr_expect_eq(e->crc_bad + e->markers_bad + e->malformed, wrong,
					     "%s %u", iwarp[i], c + 1);
				cr_expect_eq(e->crc_bad_frame, wrong && c == 4 ? 58 : 0);
				cr_expect_eq(e->malformed_frame, wrong && c == 3 ? 46 : 0);
				cr_expect_eq(e->unframed, 0, "%s %u", iwarp[i], c + 1);
				if (w->crc_used)
					cr_expect_eq(e->crc_ok + e->crc_bad, e->fpdus, "%s %u",
						     iwarp[i], c + 1);
				crcs += e->crc_ok;
				markers += e->markers_ok;
			}
		}
		tracked_free(&s.t);
	}
	cr_expect_geq(crcs, 20);
	cr_expect_geq(markers, 5);
}

/* One wrong bit in an FPDU with a CRC is found, and its frame named. */
Test(tcp, a_wrong_bit_is_found)
{
	struct frames *all = calloc(1, sizeof(*all));
	const struct rdt_iwarp *w;
	struct story s;
	bool found = false;

	load(all, "mpa-terminate");
	tracked_new(&s.t, NULL);
	for (size_t i = 0; i < all->count; i++) {
		const struct test_frame *f = &all->frame[i];

		/* The first data of the first connection: frame 10 (see its ladder). */
		if (i + 1 == 10)
			((uint8_t *)(uintptr_t)f->bytes)[f->have - 6] ^= 1;
		give(&s, f, f->have, STORY_START + (int64_t)i * 1000);
	}
	tracked_finish(&s.t);
	w = rdt_tracker_iwarp(s.t.tracker, rdt_tracker_conn(s.t.tracker, 0));
	cr_assert(w);
	for (unsigned side = 0; side < RDT_SIDES; side++)
		found |= w->end[side].crc_bad == 1 && w->end[side].crc_bad_frame == 10;
	cr_expect(found);
	tracked_free(&s.t);
	unload(all);
	free(all);
}

/* What the capture cut is told as such: nothing is made up, nothing is called wrong. */
Test(tcp, cut_captures_tell_no_lies)
{
	static const size_t snaps[] = { 60, 70, 74, 80, 96, 120, 200 };

	for (size_t i = 0; i < sizeof(iwarp) / sizeof(iwarp[0]); i++)
		for (size_t k = 0; k < sizeof(snaps) / sizeof(snaps[0]); k++) {
			struct frames *all = calloc(1, sizeof(*all));
			struct story s;

			load(all, iwarp[i]);
			tracked_new(&s.t, NULL);
			for (size_t n = 0; n < all->count; n++)
				give(&s, &all->frame[n],
				     all->frame[n].have < snaps[k] ? all->frame[n].have : snaps[k],
				     STORY_START + (int64_t)n * 1000);
			tracked_finish(&s.t);
			for (uint32_t c = 0; c < rdt_tracker_conn_count(s.t.tracker); c++) {
				const struct rdt_conn *conn = rdt_tracker_conn(s.t.tracker, c);
				const struct rdt_iwarp *w = rdt_tracker_iwarp(s.t.tracker, conn);

				for (unsigned side = 0; w && side < RDT_SIDES; side++)
					cr_expect_leq(w->end[side].crc_bad +
							      w->end[side].markers_bad +
							      w->end[side].malformed,
						      wrong_on_purpose(iwarp[i], c, side),
						      "%s at %zu", iwarp[i], snaps[k]);
			}
			tracked_free(&s.t);
			unload(all);
			free(all);
		}
}

/* A capture that begins after the start frames: a connection all the same, by its FPDUs. */
Test(tcp, begins_in_the_middle)
{
	struct frames *all = calloc(1, sizeof(*all));
	struct story s;

	load(all, "mpa-rev1");
	tracked_new(&s.t, NULL);
	for (size_t i = 9; i < all->count; i++)
		give(&s, &all->frame[i], all->frame[i].have, STORY_START + (int64_t)i * 1000);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "kind", "mpa");
	EXPECT(&s, 0, "mid", "1");
	tracked_free(&s.t);
	unload(all);
	free(all);
}

/* ---- made-up flows ---------------------------------------------------------------------------- */

struct flow {
	uint32_t addr[2]; /* last byte of 10.0.0.x */
	uint16_t port[2];
	uint32_t seq[2];
};

#define TCP_FIN 1u
#define TCP_SYN 2u
#define TCP_RST 4u
#define TCP_ACK 16u

/* To a tracker that has nothing behind it. */
static void feed_alone(struct story *s, const uint8_t *bytes, size_t len)
{
	const struct rdt_when when = { .ns = s->now, .frame = ++s->t.frames };
	struct rdt_frame frame;

	rdt_frame_parse(RDT_LINK_ETHERNET, bytes, len, len, 0, &frame);
	cr_assert_eq(rdt_tracker_feed(s->t.tracker, &frame, &when, NULL), RDT_OK);
}

static void send_tcp(struct story *s, struct flow *f, unsigned from, unsigned flags,
		     const void *payload, size_t len)
{
	const unsigned to = 1 - from;
	const size_t all = 54 + len;
	uint8_t *b = calloc(1, all);

	b[12] = 8;
	b[14] = 0x45;
	b[16] = (uint8_t)((40 + len) >> 8);
	b[17] = (uint8_t)(40 + len);
	b[22] = 64;
	b[23] = 6;
	memcpy(b + 26, (uint8_t[]){ 10, 0, (uint8_t)(f->addr[from] >> 8), (uint8_t)f->addr[from] },
	       4);
	memcpy(b + 30, (uint8_t[]){ 10, 0, (uint8_t)(f->addr[to] >> 8), (uint8_t)f->addr[to] }, 4);
	rdt_tcp_set_sport(b + 34, f->port[from]);
	rdt_tcp_set_dport(b + 34, f->port[to]);
	rdt_tcp_set_seq(b + 34, f->seq[from]);
	rdt_tcp_set_ack_num(b + 34, flags & TCP_ACK ? f->seq[to] : 0);
	b[46] = 0x50;
	b[47] = (uint8_t)flags;
	memcpy(b + 54, payload, len);
	s->now += 100000;
	if (s->t.journal)
		tracked_feed(&s->t, RDT_LINK_ETHERNET, b, all, all, s->now);
	else
		feed_alone(s, b, all);
	f->seq[from] += (uint32_t)len + !!(flags & (TCP_SYN | TCP_FIN));
	free(b);
}

static void open_flow(struct story *s, struct flow *f)
{
	send_tcp(s, f, 0, TCP_SYN, "", 0);
	send_tcp(s, f, 1, TCP_SYN | TCP_ACK, "", 0);
	send_tcp(s, f, 0, TCP_ACK, "", 0);
}

static const struct flow pingpong = { { 2, 1 }, { 40000, 18515 }, { 1000, 0xfffffff0u } };

static void exchange(struct story *s, const char *client, const char *server)
{
	struct flow f = pingpong;

	open_flow(s, &f);
	if (client)
		send_tcp(s, &f, 0, TCP_ACK, client, strlen(client) + 1);
	if (server)
		send_tcp(s, &f, 1, TCP_ACK, server, strlen(server) + 1);
	tracked_finish(&s->t);
}

#define CLIENT "0000:000011:a6446e:00000000000000000000ffff0a000002"
#define SERVER "0000:000021:d96a6e:00000000000000000000ffff0a000001"

Test(exchange, done_but_no_packet_follows)
{
	struct story s;

	story_begin(&s, NULL);
	exchange(&s, CLIENT, SERVER);
	EXPECT(&s, 0, "kind", "oob");
	EXPECT(&s, 0, "outcome", "incomplete");
	EXPECT(&s, 0, "service", "null");
	EXPECT(&s, 0, "a_psn", "10896494");
	EXPECT(&s, 0, "p_qpn", "33");
	EXPECT(&s, 0, "gids", "fine");
	EXPECT_PATH(&s, 0, ACTIVE, QP, "RESET>INIT~>RTR~>RTS~");
	story_end(&s);
}

Test(exchange, one_side_alone)
{
	struct story s;

	story_begin(&s, NULL);
	exchange(&s, CLIENT, NULL);
	EXPECT(&s, 0, "outcome", "unanswered");
	EXPECT(&s, 0, "p_qpn", "null");
	story_end(&s);
}

Test(exchange, gids_that_cannot_work)
{
	static const struct {
		const char *client, *server, *want;
	} rows[] = {
		{ "fe800000000000005054000000000002", "fe800000000000005054000000000001",
		  "link-local" },
		{ "fe800000000000005054000000000002", "20010db8000000000000000000000001",
		  "link-local-one" },
		{ "00000000000000000000ffff0a000002", "20010db8000000000000000000000001", "mixed" },
		{ "00000000000000000000000000000000", "00000000000000000000ffff0a000001", "zero" },
		{ "20010db8000000000000000000000002", "20010db8000000000000000000000001", "fine" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct story s;
		char client[80], server[80];

		story_begin(&s, NULL);
		snprintf(client, sizeof(client), "0000:000011:a6446e:%s", rows[i].client);
		snprintf(server, sizeof(server), "0000:000021:d96a6e:%s", rows[i].server);
		exchange(&s, client, server);
		EXPECT(&s, 0, "gids", rows[i].want);
		story_end(&s);
	}
}

/* Texts in pieces of one byte, in an order that TCP has to mend. */
Test(exchange, in_pieces)
{
	struct flow f = pingpong;
	struct story s;

	story_begin(&s, NULL);
	open_flow(&s, &f);
	for (size_t i = 0; i < sizeof(CLIENT); i += 2) {
		const uint32_t at = f.seq[0];

		if (i + 1 < sizeof(CLIENT)) {
			f.seq[0] = at + 1;
			send_tcp(&s, &f, 0, TCP_ACK, &CLIENT[i + 1], 1);
		}
		f.seq[0] = at;
		send_tcp(&s, &f, 0, TCP_ACK, &CLIENT[i], 1);
		f.seq[0] = at + 2;
	}
	f.seq[0] = 1001 + sizeof(CLIENT);
	send_tcp(&s, &f, 1, TCP_ACK, SERVER, sizeof(SERVER));
	tracked_finish(&s.t);
	EXPECT(&s, 0, "kind", "oob");
	EXPECT(&s, 0, "a_qpn", "17");
	EXPECT(&s, 0, "p_qpn", "33");
	story_end(&s);
}

/* A text of which the capture lacks a part is not made up from what is around it. */
Test(exchange, with_a_hole_is_none)
{
	struct flow f = pingpong;
	struct story s;

	story_begin(&s, NULL);
	open_flow(&s, &f);
	send_tcp(&s, &f, 0, TCP_ACK, CLIENT, 20);
	f.seq[0] += 10;
	send_tcp(&s, &f, 0, TCP_ACK, &CLIENT[30], sizeof(CLIENT) - 30);
	send_tcp(&s, &f, 1, TCP_ACK, SERVER, sizeof(SERVER));
	tracked_finish(&s.t);
	for (uint32_t i = 0; i < rdt_tracker_conn_count(s.t.tracker); i++)
		EXPECT(&s, i, "a_qpn", "null");
	story_end(&s);
}

static size_t used, most;

static void *counting(void *user, void *old, size_t old_size, size_t new_size)
{
	(void)user;
	used += new_size;
	used -= old_size;
	most = used > most ? used : most;
	if (!new_size) {
		free(old);
		return NULL;
	}
	return realloc(old, new_size);
}

/* Flows that are none of ours, and half-told ones: no connections, and memory that does not grow. */
Test(tcp, strangers_are_cheap)
{
	static const char *const talk[] = { "GET / HTTP/1.1\r\n", "M",        "0000:0000", "6.0",
					    "\x16\x03\x01",       "MPA ID Re" };
	const struct rdt_memory memory = { counting, NULL };
	struct story s = { .now = STORY_START };

	s.t.tracker = rdt_tracker_new(&memory, NULL, NULL);
	for (uint32_t i = 0; i < 60000; i++) {
		const char *text = talk[i % (sizeof(talk) / sizeof(talk[0]))];
		struct flow f = { { 2 + i / 30000, 1 },
				  { (uint16_t)(1024 + i % 30000), 80 },
				  { i, i } };

		open_flow(&s, &f);
		send_tcp(&s, &f, 0, TCP_ACK, text, strlen(text));
	}
	rdt_tracker_finish(s.t.tracker, s.now);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 0);
	cr_expect_lt(most, 8u << 20, "%zu bytes", most);
	rdt_tracker_free(s.t.tracker);
	cr_expect_eq(used, 0);
}

/* More iWARP connections than are followed at a time: the oldest are let go, and counted. */
Test(tcp, followed_flows_are_bounded)
{
	static const uint8_t request[20] = { 'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e',
					     'q', ' ', 'F', 'r', 'a', 'm', 'e', 0,   1 };
	const struct rdt_track_opts opts = { .max_tcp = 100 };
	struct story s;

	story_begin(&s, &opts);
	for (uint32_t i = 0; i < 1000; i++) {
		struct flow f = { { 2, 1 }, { (uint16_t)(1024 + i), 7174 }, { i, i } };

		open_flow(&s, &f);
		send_tcp(&s, &f, 0, TCP_ACK, request, sizeof(request));
	}
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1000);
	cr_expect_geq(rdt_tracker_stats(s.t.tracker)->tcp_evicted, 850);
	EXPECT(&s, 999, "outcome", "unanswered");
	story_end(&s);
}

/* The requester gives up after its wait: its program is told UNREACHABLE, not DISCONNECTED. */
Test(mpa, nobody_answers_the_request)
{
	static const uint8_t request[20] = { 'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e',
					     'q', ' ', 'F', 'r', 'a', 'm', 'e', 0,   1 };

	for (unsigned reset = 0; reset < 2; reset++) {
		struct flow f = { { 2, 1 }, { 40001, 7174 }, { 5, 6 } };
		struct story s;

		story_begin(&s, NULL);
		open_flow(&s, &f);
		send_tcp(&s, &f, 0, TCP_ACK, request, sizeof(request));
		s.now += 10 * SECOND;
		send_tcp(&s, &f, 0, reset ? TCP_RST : TCP_FIN | TCP_ACK, "", 0);
		tracked_finish(&s.t);
		EXPECT(&s, 0, "outcome", "timeout");
		EXPECT_EVENTS(&s, 0, ACTIVE, "ADDR_RESOLVED ROUTE_RESOLVED UNREACHABLE(-110)");
		EXPECT_PATH(&s, 0, ACTIVE, MPA, "IDLE>CONN_SENT>IDLE~");
		EXPECT_EVENTS(&s, 0, PASSIVE, "");
		story_end(&s);
	}
}
