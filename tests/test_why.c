// SPDX-License-Identifier: BSD-2-Clause
/*
 * Findings: each story gives its own and no others; the rows of findings.def are well formed; alike
 * ones are one; bounds hold. The stories are left as captures for why/check-findings.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "why/stories.h"

#include "rdmatrace/flow.h"

/* The different codes of a list, in the order of findings.def. */
static const char *codes_of(const struct rdt_why *w)
{
	static char text[1024];
	char code[32];
	size_t len = 0;

	text[0] = 0;
	for (unsigned row = 0; row < RDT_WHY_COUNT; row++) {
		for (size_t i = 0; i < rdt_why_count(w); i++) {
			const struct rdt_finding *f = rdt_why_finding(w, i);

			if (f->code != row)
				continue;
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
						len ? " " : "", rdt_why_code_text(f, code));
			break;
		}
	}
	return text;
}

/* No placeholder is left, none was without a value where it must have one. */
static void check_texts(const struct story *s, const struct rdt_finding *f, const char *story)
{
	char buf[RDT_WHY_TEXT];

	for (unsigned part = RDT_WHY_TITLE; part <= RDT_WHY_FILTER; part++) {
		rdt_why_text(s->t.tracker, f, (enum rdt_why_part)part, buf, sizeof(buf));
		cr_expect_null(strpbrk(buf, "{}[]"), "%s, part %u: %s", story, part, buf);
		cr_expect(part == RDT_WHY_NEXT || !strchr(buf, '?') || strstr(buf, "rping?"),
			  "%s, part %u: %s", story, part, buf);
		cr_expect(*buf || part >= RDT_WHY_NEXT, "%s: part %u is empty", story, part);
	}
}

static void run(const struct why_story *story, const char *codes)
{
	char path[512];
	struct story s;

	story_begin(&s, NULL);
	snprintf(path, sizeof(path), "%s/%s.pcap", RDT_STORIES, story->name);
	tracked_dump(&s.t, path, RDT_LINK_ETHERNET);
	story->tell(&s);
	tracked_finish(&s.t);
	if (codes)
		cr_expect_str_eq(codes_of(s.t.why), codes, "%s: found %s, want %s", story->name,
				 codes_of(s.t.why), codes);
	for (size_t i = 0; i < rdt_why_count(s.t.why); i++)
		check_texts(&s, rdt_why_finding(s.t.why, i), story->name);
	story_end(&s);
}

Test(why, stories_of_setups)
{
	for (const struct why_story *story = stories_cm; story->name; story++)
		run(story, story->codes);
}

Test(why, stories_of_data)
{
	for (const struct why_story *story = stories_data; story->name; story++)
		run(story, story->codes);
}

Test(why, stories_of_networks)
{
	for (const struct why_story *story = stories_net; story->name; story++)
		run(story, story->codes);
}

Test(why, stories_of_tcp)
{
	for (const struct why_story *story = stories_tcp; story->name; story++)
		run(story, story->codes);
}

/* The list that check-findings reads. */
Test(why, list_of_stories)
{
	static const struct why_story *const all[] = { stories_cm, stories_data, stories_net,
						       stories_tcp };
	FILE *out = fopen(RDT_STORIES "/stories.tsv", "w");

	cr_assert(out);
	for (unsigned i = 0; i < 4; i++)
		for (const struct why_story *story = all[i]; story->name; story++)
			fprintf(out, "%s\t%s\n", story->name, story->codes);
	cr_assert_eq(fclose(out), 0);
}

/* ---- the rows ----------------------------------------------------------------------------------------- */

static void check_template(const char *code, const char *text)
{
	unsigned brace = 0, bracket = 0;

	for (const char *p = text; *p; p++) {
		brace += *p == '{';
		brace -= *p == '}';
		bracket += *p == '[';
		bracket -= *p == ']';
		cr_expect(brace <= 1 && bracket <= 1, "%s: brackets do not nest: %s", code, text);
	}
	cr_expect(!brace && !bracket, "%s: a bracket is open: %s", code, text);
}

Test(why, rows_are_well_formed)
{
	for (unsigned i = 0; i < RDT_WHY_COUNT; i++) {
		const struct rdt_why_row *row = &rdt_why_rows[i];
		const char *const parts[] = { row->title, row->seen, row->means, row->next,
					      row->filter };

		for (unsigned k = 0; k < 5; k++)
			check_template(row->code, parts[k]);
		cr_expect(*row->title && *row->seen && *row->means, "%s", row->code);
		cr_expect_neq(row->title[strlen(row->title) - 1], '.', "%s", row->code);
		/* What is wrong needs a next step; a note may do without. */
		cr_expect(*row->next || row->severity == RDT_SEVERITY_NOTE, "%s", row->code);
		for (unsigned k = 0; k < i; k++)
			cr_expect_str_neq(row->code, rdt_why_rows[k].code);
	}
}

/* ---- grouping and bounds -------------------------------------------------------------------------------- */

static void refuse(struct story *s, unsigned i, uint64_t svc)
{
	SAY(s, 2000, ACTIVE, REQ, .local = 0xa0001000 + i, .tid = 0x200001000 + i,
	    .qpn = 0x1000 + i, .svc = svc);
	SAY(s, 1, PASSIVE, REJ, .local = NO_ID, .remote = 0xa0001000 + i, .tid = 0x200001000 + i,
	    .reason = 8);
}

Test(why, alike_are_one)
{
	const struct rdt_finding *f;
	char buf[RDT_WHY_TEXT];
	struct story s;

	story_begin(&s, NULL);
	for (unsigned i = 0; i < 300; i++)
		refuse(&s, i, i == 100 ? UINT64_C(0x1061144) : 0);
	tracked_finish(&s.t);
	cr_assert_eq(rdt_why_count(s.t.why), 2);
	f = rdt_why_finding(s.t.why, 0);
	cr_expect_eq(f->count, 299);
	cr_assert_eq(f->range_count, 2);
	cr_expect_eq(f->ranges[0].first, 1);
	cr_expect_eq(f->ranges[0].last, 100);
	cr_expect_eq(f->ranges[1].first, 102);
	cr_expect_eq(f->ranges[1].last, 300);
	rdt_why_text(s.t.tracker, f, RDT_WHY_TITLE, buf, sizeof(buf));
	cr_expect_str_eq(buf, "nobody listens on 10.0.0.1:7174 (rping?)");
	rdt_why_text(s.t.tracker, rdt_why_finding(s.t.why, 1), RDT_WHY_TITLE, buf, sizeof(buf));
	cr_expect_str_eq(buf, "nobody listens on 10.0.0.1:4420 (nvme?)");
	story_end(&s);
}

Test(why, of_one_connection)
{
	const struct rdt_finding *of[4];
	char code[32];
	struct story s;

	story_begin(&s, NULL);
	s.retry_count = 0;
	connect_both(&s);
	refuse(&s, 0, 0);
	tracked_finish(&s.t);
	cr_assert_eq(rdt_why_of(s.t.why, 0, of, 4), 1);
	cr_expect_str_eq(rdt_why_code_text(of[0], code), "CM-RETRY-ZERO");
	/* Gravest first; also where there is less room than findings. */
	cr_assert_eq(rdt_why_of(s.t.why, 1, of, 1), 2);
	cr_expect_str_eq(rdt_why_code_text(of[0], code), "CM-REJ-8");
	cr_expect_eq(rdt_why_of(s.t.why, 7, of, 4), 0);
	story_end(&s);
}

/* Connections that are dropped from memory are judged as they go. */
Test(why, evicted_connections)
{
	const struct rdt_track_opts opts = { .max_conns = 1 };
	const struct rdt_finding *f;
	struct story s;

	story_begin(&s, &opts);
	for (unsigned i = 0; i < 20; i++)
		refuse(&s, i, 0);
	tracked_finish(&s.t);
	cr_expect_str_eq(codes_of(s.t.why), "CM-REJ-8 CAP-EVICTED");
	f = rdt_why_finding(s.t.why, 0);
	cr_expect_eq(f->count, 20);
	cr_expect_eq(f->ranges[0].last, 20);
	story_end(&s);
}

/* Too many data paths for the memory: those given up are judged, and counted. */
Test(why, data_paths_given_up)
{
	const struct rdt_track_opts opts = { .max_flows = 2 };
	struct story s;
	uint64_t naks = 0;

	story_begin(&s, &opts);
	for (unsigned i = 0; i < 10; i++) {
		s.qpn[RDT_ACTIVE] = 0x100 + i;
		s.qpn[RDT_PASSIVE] = 0x200 + i;
		send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x1000 * i, NULL, 64);
		send_ack(&s, 1, RDT_PASSIVE, 0x1000 * i, NAK(2), 0);
	}
	tracked_finish(&s.t);
	for (size_t i = 0; i < rdt_why_count(s.t.why); i++)
		if (rdt_why_finding(s.t.why, i)->code == RDT_WHY_RC_NAK_2)
			naks += rdt_why_finding(s.t.why, i)->count;
	cr_expect_eq(naks, 10, "%llu", (unsigned long long)naks);
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->flows_evicted, 8);
	cr_expect_not_null(strstr(codes_of(s.t.why), "CAP-FLOWS"));
	story_end(&s);
}

/* More different findings than are kept: counted, nothing else is lost. */
Test(why, list_is_bounded)
{
	const struct rdt_why_opts opts = { .max_findings = 3, .max_notes = 2 };
	struct story s;

	story_begin(&s, NULL);
	rdt_why_free(s.t.why);
	rdt_tracker_free(s.t.tracker);
	s.t.why = rdt_why_new(&tracked_memory, &opts);
	{
		const struct rdt_sink sink = rdt_why_sink(s.t.why, NULL);

		s.t.tracker = rdt_tracker_new(&tracked_memory, NULL, &sink);
	}
	rdt_why_set_tracker(s.t.why, s.t.tracker);
	for (unsigned i = 0; i < 10; i++) {
		SAY(&s, 1, ACTIVE, REQ, .local = 0xb1 + i, .qpn = 0x60 + i);
		SAY(&s, 7000, ACTIVE, REQ, .local = 0xb1 + i, .qpn = 0x60 + i);
		refuse(&s, i, UINT64_C(0x1061000) + i);
	}
	tracked_finish(&s.t);
	cr_expect_eq(rdt_why_count(s.t.why), 3);
	cr_expect_gt(rdt_why_stats(s.t.why)->findings_lost, 0);
	cr_expect_gt(rdt_why_stats(s.t.why)->notes_lost, 0);
	story_end(&s);
}

/* ---- no memory -------------------------------------------------------------------------------------------- */

Test(why, memory_that_ends)
{
	for (unsigned budget = 0; budget < 24; budget++) {
		unsigned left = budget;
		const struct rdt_memory memory = { tracked_scarce, &left };
		struct story s;

		story_begin(&s, NULL);
		rdt_why_free(s.t.why);
		rdt_tracker_free(s.t.tracker);
		s.t.why = rdt_why_new(&memory, NULL);
		if (!s.t.why) {
			s.t.why = rdt_why_new(&tracked_memory, NULL);
			cr_assert_eq(budget, 0);
		}
		{
			const struct rdt_sink sink = rdt_why_sink(s.t.why, NULL);

			s.t.tracker = rdt_tracker_new(&tracked_memory, NULL, &sink);
		}
		rdt_why_set_tracker(s.t.why, s.t.tracker);
		for (unsigned i = 0; i < 3; i++) {
			SAY(&s, 0, ACTIVE, REQ, .local = 0xa1 + i, .qpn = 0x40 + i);
			SAY(&s, 7000, ACTIVE, REQ, .local = 0xa1 + i, .qpn = 0x40 + i);
			SAY(&s, 1, PASSIVE, REJ, .local = NO_ID, .remote = 0xa1 + i, .reason = 8);
		}
		rdt_tracker_finish(s.t.tracker, s.t.last_ns);
		(void)!rdt_why_finish(s.t.why, s.t.last_ns);
		story_end(&s);
	}
}
