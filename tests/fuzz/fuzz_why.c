// SPDX-License-Identifier: BSD-2-Clause
/*
 * A hostile capture for the diagnosis: input as for fuzz_track, limits so small that everything that
 * is bounded overflows.
 *
 * Properties: every finding is one of the rows, with its severity, a confidence, evidence from frames
 * that were fed and texts without a placeholder; connections are counted once each; the list is in
 * order; memory is bounded; the same frames give the same findings.
 */
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/why.h"

#define MOST_CONNS 32u

static size_t held;
static const struct rdt_memory memory = FUZZ_MEMORY(held);

struct check {
	struct rdt_tracker *tracker;
	uint64_t hits;
};

static void check_evidence(const struct rdt_tracker *t, const struct rdt_finding *f,
			   uint32_t frames)
{
	char buf[RDT_WHY_TEXT];

	require(f->ev_count > 0 && f->ev_count <= RDT_WHY_EVIDENCE);
	for (unsigned i = 0; i < f->ev_count; i++) {
		const struct rdt_evidence *ev = &f->ev[i];

		require(ev->value < RDT_WHY_V_COUNT && rdt_why_value_name(ev->value));
		require(ev->frame <= frames);
		rdt_why_value_text(t, f, ev, buf, sizeof(buf));
		require(strlen(buf) < sizeof(buf) - 1);
	}
}

static void check_texts(const struct rdt_tracker *t, const struct rdt_finding *f)
{
	char buf[RDT_WHY_TEXT], small[24], code[32];

	require(strlen(rdt_why_code_text(f, code)) < sizeof(code));
	for (unsigned part = RDT_WHY_TITLE; part <= RDT_WHY_FILTER; part++) {
		rdt_why_text(t, f, part, buf, sizeof(buf));
		require(!strpbrk(buf, "{}"));
		require(*buf || part >= RDT_WHY_NEXT);
		/* A buffer that is too small cuts, and nothing else. */
		rdt_why_text(t, f, part, small, sizeof(small));
		require(strlen(small) < sizeof(small));
	}
}

/* Told while it is made: of a connection that is known. */
static void on_hit(void *user, const struct rdt_finding *hit)
{
	struct check *c = user;

	c->hits++;
	require(hit->code < RDT_WHY_COUNT && hit->severity == rdt_why_rows[hit->code].severity);
	require(hit->confidence > 0 && hit->confidence <= 100 && hit->side < RDT_SIDES);
	require(hit->conn == RDT_CONN_NONE ? !hit->count : hit->count == 1);
	if (hit->conn != RDT_CONN_NONE)
		require(rdt_tracker_conn(c->tracker, hit->conn) != NULL);
	check_texts(c->tracker, hit);
}

static uint32_t numbers(const struct rdt_finding *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->range_count; i++) {
		require(f->ranges[i].first && f->ranges[i].first <= f->ranges[i].last);
		require(!i || f->ranges[i].first > f->ranges[i - 1].last);
		n += f->ranges[i].last - f->ranges[i].first + 1;
	}
	return n;
}

static uint64_t check_list(const struct rdt_why *w, const struct rdt_tracker *t, uint32_t frames)
{
	const struct rdt_finding *of[4];
	uint64_t digest = 1;
	uint32_t counted[RDT_SEVERITY_COUNT] = { 0 };

	for (size_t i = 0; i < rdt_why_count(w); i++) {
		const struct rdt_finding *f = rdt_why_finding(w, i);

		require(f->code < RDT_WHY_COUNT && rdt_why_place(w, f) == i);
		require(!i || f->severity <= rdt_why_finding(w, i - 1)->severity);
		/* A connection may be counted again when its data path was given up and came back. */
		require(numbers(f) + f->unlisted <= f->count || !f->count);
		require(!f->count || f->range_count || f->unlisted);
		check_evidence(t, f, frames);
		check_texts(t, f);
		counted[f->severity]++;
		digest = digest * 31 + f->code + f->count * 7u + f->ev[0].num;
	}
	for (unsigned s = 0; s < RDT_SEVERITY_COUNT; s++)
		require(counted[s] == rdt_why_stats(w)->counted[s]);
	require(!rdt_why_finding(w, rdt_why_count(w)));
	for (uint32_t c = 0; c < rdt_tracker_conn_count(t); c++) {
		const size_t n = rdt_why_of(w, c, of, 4);

		for (size_t i = 1; i < n && i < 4; i++)
			require(of[i]->severity <= of[i - 1]->severity);
	}
	return digest;
}

static uint64_t run(const uint8_t *data, size_t size, uint8_t icrc)
{
	static const uint16_t links[] = { RDT_LINK_ETHERNET, RDT_LINK_RAW, RDT_LINK_SLL,
					  RDT_LINK_INFINIBAND };
	struct check check = { .hits = 0 };
	const struct rdt_why_opts opts = {
		.max_findings = 24, .max_notes = 6, .icrc = icrc, .user = &check, .hit = on_hit
	};
	const struct rdt_track_opts track = { .max_conns = MOST_CONNS,
					      .max_addrs = 64,
					      .max_flows = 4,
					      .seed = 3,
					      .skip_icrc = !icrc };
	struct rdt_when when = { .ns = INT64_C(1700000000000000000) };
	struct rdt_why *why = rdt_why_new(&memory, &opts);
	const struct rdt_sink sink = rdt_why_sink(why, NULL);
	int64_t end = when.ns;
	uint64_t digest;

	check.tracker = rdt_tracker_new(&memory, &track, &sink);
	require(check.tracker != NULL);
	rdt_why_set_tracker(why, check.tracker);
	while (size >= 4) {
		const size_t len = (size_t)data[0] << 8 | data[1];
		const size_t have = len < size - 4 ? len : size - 4;
		uint8_t *exact = malloc(have ? have : 1);
		struct rdt_frame frame;
		struct rdt_verdict verdict;

		memcpy(exact, data + 4, have);
		when.frame++;
		if (data[3] == 0xff)
			when.ns = INT64_MAX;
		else if (data[3] == 0xfe)
			when.ns = INT64_MIN;
		else if (when.ns == INT64_MAX || when.ns == INT64_MIN)
			when.ns = 0;
		else
			when.ns += (data[3] & 0x20 ? -1 : 1) * (INT64_C(1) << (data[3] & 0x1f));
		if (when.ns > end)
			end = when.ns;
		rdt_frame_parse(links[data[2] % 4], exact, have, len, 0, &frame);
		require(rdt_tracker_feed(check.tracker, &frame, &when, &verdict) == RDT_OK);
		rdt_why_frame(why, &frame, &when, &verdict);
		free(exact);
		data += 4 + have;
		size -= 4 + have;
	}
	rdt_why_input_cut(why, data ? 1 : 0);
	rdt_tracker_finish(check.tracker, end);
	require(rdt_why_finish(why, end) == RDT_OK);
	require(check.hits == rdt_why_stats(why)->hits);
	digest = check_list(why, check.tracker, when.frame);
	rdt_why_free(why);
	rdt_tracker_free(check.tracker);
	require(!held);
	return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t digest = run(data, size, 1);

	require(digest == run(data, size, 1));
	run(data, size, 0);
	return 0;
}
