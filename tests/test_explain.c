// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "explain.h"
#include "rdmatrace/states.h"
#include "rdmatrace/track.h"

/* ---- the rows again, as the tests want them ----------------------------------------------- */

struct value_row {
	enum topic topic;
	int64_t value;
	const char *name, *text;
};

static const struct value_row values[] = {
#define V(t, v, n, x) { TOPIC_##t, (v), n, x },
#define A(t, v, n)
#define D(t, v, l, x)
#include "explain.def"
#undef V
#undef A
#undef D
};

static const struct value_row aliases[] = {
#define V(t, v, n, x)
#define A(t, v, n) { TOPIC_##t, (v), n, "" },
#define D(t, v, l, x)
#include "explain.def"
#undef V
#undef A
#undef D
};

static const struct detail_row {
	enum topic topic;
	int64_t value;
	enum label label;
	const char *text;
} details[] = {
#define V(t, v, n, x)
#define A(t, v, n)
#define D(t, v, l, x) { TOPIC_##t, (v), LABEL_##l, x },
#include "explain.def"
#undef V
#undef A
#undef D
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static unsigned labels_of(const struct meaning *m)
{
	unsigned bits = 0;
	const char *text;
	enum label label;
	char buf[1024];

	for (size_t i = 0; meaning_detail(m, i, &label, &text, buf, sizeof(buf)); i++)
		bits |= 1u << label;
	return bits;
}

static bool has_label(unsigned bits, enum label label)
{
	return bits >> label & 1;
}

/* ---- laws of the rows --------------------------------------------------------------------- */

/* Nobody is left with a bare number: who says it, why, and what to do. */
Test(explain, every_rej_reason_is_explained)
{
	const struct rdt_names *reasons = &rdt_names[RDT_NAMES_rej_reason];

	cr_expect(eq(sz, reasons->count, 34));
	for (size_t i = 0; i < reasons->count; i++) {
		const char *key = reasons->rows[i].key;
		struct meaning m;
		unsigned bits;

		cr_assert(
			explain_value(TOPIC_rej_reason, RDT_NAMES_none, reasons->rows[i].value, &m),
			"%s", key);
		bits = labels_of(&m);
		cr_expect(has_label(bits, LABEL_who), "%s: who", key);
		cr_expect(has_label(bits, LABEL_cause) || has_label(bits, LABEL_read), "%s: cause",
			  key);
		cr_expect(has_label(bits, LABEL_next), "%s: next", key);
		cr_expect(strcmp(m.text, reasons->rows[i].text) == 0);
	}
}

/* A detail of something that is not there would never be shown. */
Test(explain, no_detail_is_stale)
{
	for (size_t i = 0; i < COUNT(details); i++) {
		struct meaning m;
		bool found;

		if (details[i].topic == TOPIC_outcome)
			found = explain_text(TOPIC_outcome, RDT_NAMES_none,
					     rdt_outcome_key((enum rdt_outcome)details[i].value),
					     &m);
		else
			found = explain_value(details[i].topic, RDT_NAMES_none, details[i].value,
					      &m);
		cr_assert(found, "row %zu: %s", i, details[i].text);
		cr_expect(has_label(labels_of(&m), details[i].label), "row %zu: %s", i,
			  details[i].text);
	}
}

/* A capital and a small letter: a word that begins a sentence (REQ and QP begin none). */
static int starts_sentence(const char *text)
{
	if (!strncmp(text, "Linux", 5) || !strncmp(text, "InfiniBand", 10))
		return 0;
	return isupper((unsigned char)text[0]) && islower((unsigned char)text[1]);
}

static int same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* One form: no capital after the label, no full stop at the end, no tabs, ASCII. */
Test(explain, texts_have_one_form)
{
	for (size_t i = 0; i < COUNT(details); i++) {
		const char *text = details[i].text;
		const size_t len = strlen(text);

		cr_expect(len > 5 && len < 300, "%s", text);
		cr_expect(text[len - 1] != '.' && text[len - 1] != ' ', "%s", text);
		cr_expect(starts_sentence(text) == 0, "%s", text);
		for (size_t k = 0; k < len; k++)
			cr_expect(text[k] >= 0x20 && text[k] < 0x7f, "%s", text);
	}
	for (size_t i = 0; i < COUNT(values); i++)
		cr_expect(values[i].text[0] && values[i].text[strlen(values[i].text) - 1] != '.',
			  "%s", values[i].name);
}

Test(explain, other_names_mean_the_same)
{
	for (size_t i = 0; i < COUNT(aliases); i++) {
		struct meaning m;

		cr_assert(explain_text(aliases[i].topic, RDT_NAMES_none, aliases[i].name, &m), "%s",
			  aliases[i].name);
		cr_expect(eq(i64, m.value, aliases[i].value), "%s", aliases[i].name);
	}
}

static const char *value_name(enum topic topic, int64_t value)
{
	for (size_t i = 0; i < COUNT(values); i++)
		if (values[i].topic == topic && values[i].value == value)
			return values[i].name;
	return "";
}

/* Numbers are the kernel's: our states count from 1, 0 is "not known". */
Test(explain, names_agree_with_the_decoder)
{
	char want[64];

	for (unsigned i = 0; i < RDT_EVENT_COUNT; i++) {
		snprintf(want, sizeof(want), "RDMA_CM_EVENT_%s",
			 rdt_rdma_event_key((enum rdt_rdma_event)i));
		cr_expect(same(value_name(TOPIC_event, i), want));
	}
	for (unsigned i = RDT_CM_IDLE; i < RDT_CM_DONE; i++)
		cr_expect(
			same(value_name(TOPIC_cm_state, i - 1), rdt_state_key(RDT_MACHINE_CM, i)));
	/* The decoder has only those of the kernel's rdma_cm states that can be told. */
	for (unsigned i = RDT_RDMA_IDLE; i < RDT_RDMA_STATE_COUNT; i++) {
		const char *key = rdt_state_key(RDT_MACHINE_RDMA, i);
		struct meaning m;

		cr_expect(explain_text(TOPIC_rdma_state, RDT_NAMES_none, key, &m), "%s", key);
	}
	for (unsigned i = RDT_QP_RESET; i < RDT_QP_STATE_COUNT; i++)
		cr_expect(
			same(value_name(TOPIC_qp_state, i - 1), rdt_state_key(RDT_MACHINE_QP, i)));
}

/* ---- questions ------------------------------------------------------------------------------ */

static size_t ask(const char *text, struct meaning *ret)
{
	char *end;
	const bool hex = !strncmp(text, "0x", 2);
	const long long value = strtoll(text, &end, 0);

	return *end || end == text ? explain_name(text, ret) : explain_number(value, hex, ret);
}

/* The likeliest meaning comes first. */
Test(explain, first_meaning)
{
	static const struct {
		const char *ask;
		enum topic topic;
		int64_t value;
		const char *text;
	} rows[] = {
		{ "8", TOPIC_rej_reason, 8, "nobody listens" },
		{ "28", TOPIC_rej_reason, 28, "refused" },
		{ "-28", TOPIC_rej_reason, 28, "refused" },
		{ "-8", TOPIC_rej_reason, 8, "nobody listens" },
		{ "-110", TOPIC_error, -110, "no answer" },
		{ "-104", TOPIC_error, -104, "iWARP" },
		{ "-19", TOPIC_error, -19, "no RDMA device" },
		{ "0", TOPIC_event, 0, "has a device" },
		{ "4420", TOPIC_service, 0x1061144, "port 4420, usually nvme" },
		{ "0x1061144", TOPIC_service, 0x1061144, "port 4420" },
		{ "0x11", TOPIC_opcode, 0x11, "RC Acknowledge" },
		{ "0x60", TOPIC_syndrome, 0x60, "NAK, PSN sequence error" },
		{ "0x81", TOPIC_opcode, 0x81, "CNP" },
		{ "invalid-service-id", TOPIC_rej_reason, 8, "" },
		{ "INVALID_SERVICE_ID", TOPIC_rej_reason, 8, "" },
		{ "IB_CM_REJ_INVALID_SERVICE_ID", TOPIC_rej_reason, 8, "" },
		{ "stale conn", TOPIC_rej_reason, 10, "" },
		{ "consumer defined", TOPIC_rej_reason, 28, "" },
		{ "REJECTED", TOPIC_event, 8, "" },
		{ "RDMA_CM_EVENT_ESTABLISHED", TOPIC_event, 9, "" },
		{ "ETIMEDOUT", TOPIC_error, -110, "" },
		{ "REQ", TOPIC_message, 0x10, "connection request" },
		{ "drep", TOPIC_message, 0x16, "" },
		{ "TIMEWAIT", TOPIC_cm_state, 13, "closed" },
		{ "RTS", TOPIC_qp_state, 3, "" },
		{ "unanswered", TOPIC_outcome, RDT_OUTCOME_UNANSWERED, "" },
		{ "IBV_WC_RETRY_EXC_ERR", TOPIC_wc_status, 12, "" },
		{ "req.starting_psn", TOPIC_name, 0, "Starting PSN" },
		{ "setup_ns", TOPIC_name, 0, "column" },
		{ "qpn", TOPIC_name, 0, "filter name" },
		{ "bth", TOPIC_name, 0, "header" },
		{ "ce", TOPIC_code, 3, "congestion experienced" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct meaning m[MEANINGS_MAX];

		cr_assert(ask(rows[i].ask, m) > 0, "%s", rows[i].ask);
		cr_expect(eq(int, m[0].topic, rows[i].topic), "%s: %s", rows[i].ask, m[0].text);
		if (m[0].topic != TOPIC_name)
			cr_expect(eq(i64, m[0].value, rows[i].value), "%s", rows[i].ask);
		cr_expect(strstr(m[0].text, rows[i].text) != NULL, "%s: %s", rows[i].ask,
			  m[0].text);
	}
}

Test(explain, a_number_has_all_its_meanings)
{
	static const enum topic want[] = { TOPIC_rej_reason,  TOPIC_event,      TOPIC_wc_status,
					   TOPIC_cm_state,    TOPIC_rdma_state, TOPIC_apr_status,
					   TOPIC_nvme_status, TOPIC_timeout,    TOPIC_rnr_timer,
					   TOPIC_rate };
	struct meaning m[MEANINGS_MAX];
	const size_t count = explain_number(8, false, m);

	cr_assert(eq(sz, count, COUNT(want)));
	for (size_t i = 0; i < count; i++)
		cr_expect(eq(int, m[i].topic, want[i]));
}

Test(explain, values_of_a_topic)
{
	static const struct {
		const char *topic, *value, *text;
	} rows[] = {
		{ "timeout", "20", "4.295 s (4.096 us x 2^20); the Linux CM waits 4.096 s" },
		{ "timeout", "4.3s", "4.295 s (4.096 us x 2^20); the Linux CM waits 4.096 s" },
		{ "timeout", "0",
		  "4.096 us (4.096 us x 2^0); the Linux CM waits 1 ms; as a local ACK "
		  "timeout, 0 is infinite" },
		{ "rnr", "0", "655.36 ms, the longest, not the shortest" },
		{ "rnr", "12", "640 us" },
		{ "rnr", "0.64ms", "640 us" },
		{ "mtu", "3", "1024 B" },
		{ "mtu", "4096", "4096 B" },
		{ "rate", "5", "5 Gbit/s" },
		{ "svc", "0x0000000001061144", "RDMA_PS_TCP port 4420, usually nvme" },
		{ "svc", "tcp:7174", "RDMA_PS_TCP port 7174, usually rping" },
		{ "port", "7174", "RDMA_PS_TCP port 7174, usually rping" },
		{ "svc", "0x1000c90300000001", "of the organization with OUI 00c903" },
		{ "syndrome", "0x1f", "ACK, no credit limit stated" },
		{ "syndrome", "0x2c",
		  "RNR NAK: no receive posted, try again after 640 us (timer code 12)" },
		{ "syndrome", "0x62", "NAK, remote access error" },
		{ "credits", "31", "no limit stated" },
		{ "mad", "0x000c", "method and attribute not supported" },
		{ "mad", "0x0300", "from an SA: no records" },
		{ "mad", "0x0001", "busy, try again" },
		{ "mad", "0", "good" },
		{ "opcode", "0x0a", "RC RDMA WRITE Only, a request; headers bth, reth, payload" },
		{ "opcode", "RC_ACK", "RC Acknowledge, a response; headers bth, aeth; no payload" },
		{ "opcode", "0xc1", "manufacturer-specific: headers not published" },
		{ "opcode", "0x3f", "not assigned (UC range)" },
		{ "sidr", "1", "service id not supported: nobody listens" },
		{ "apr", "5", "the alternate path is the current primary path" },
		{ "nak", "2", "remote access error" },
		{ "nvme", "6", "controller out of resources" },
		{ "errno", "-111",
		  "iWARP: nobody listens on the TCP port, or the two sides want different "
		  "MPA options" },
		{ "errno", "111",
		  "iWARP: nobody listens on the TCP port, or the two sides want different "
		  "MPA options" },
		{ "ecn", "3", "congestion experienced" },
		{ "term_error", "0x1202", "DDP: no receive buffer for this message" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		enum topic topic;
		enum rdt_names_id list;
		struct meaning m;
		char *end;
		const long long value = strtoll(rows[i].value, &end, 0);
		bool found;

		cr_assert(topic_find(rows[i].topic, &topic, &list), "%s", rows[i].topic);
		found = !*end && explain_value(topic, list, value, &m);
		if (!found)
			found = explain_text(topic, list, rows[i].value, &m);
		cr_assert(found, "%s %s", rows[i].topic, rows[i].value);
		cr_expect(same(m.text, rows[i].text), "%s %s: %s", rows[i].topic, rows[i].value,
			  m.text);
	}
}

/* Every syndrome, opcode, MAD status and code has a text that ends inside its buffer. */
Test(explain, every_byte_has_a_text)
{
	static const enum topic topics[] = { TOPIC_opcode,    TOPIC_syndrome, TOPIC_timeout,
					     TOPIC_rnr_timer, TOPIC_credits,  TOPIC_mad_status };

	for (size_t t = 0; t < COUNT(topics); t++)
		for (int64_t v = 0; v < 65536; v++) {
			struct meaning m;

			if (explain_value(topics[t], RDT_NAMES_none, v, &m))
				cr_assert(m.text[0] && strlen(m.text) < sizeof(m.text) - 1, "%d %d",
					  (int)topics[t], (int)v);
		}
}

/* Every key of every list is known by its name. */
Test(explain, every_name_is_known)
{
	for (unsigned l = RDT_NAMES_none + 1; l < RDT_NAMES_COUNT; l++)
		for (size_t i = 0; i < rdt_names[l].count; i++) {
			struct meaning m[MEANINGS_MAX];
			const struct rdt_name *name = &rdt_names[l].rows[i];
			bool found = false;

			for (size_t k = 0, n = explain_name(name->key, m); k < n; k++)
				found |= explain_same(m[k].name, name->key);
			cr_expect(found, "%s %s", rdt_names[l].list, name->key);
		}
}

/* ---- calls -------------------------------------------------------------------------------- */

Test(calls, every_message_has_both_ways)
{
	for (unsigned msg = 0; msg < RDT_MSG_COUNT; msg++)
		for (unsigned when = 0; when < CALL_CASE_COUNT; when++) {
			const struct call_send *s =
				calls_send((enum rdt_msg)msg, (enum call_case)when);
			const struct call_receive *r =
				calls_receive((enum rdt_msg)msg, (enum call_case)when);

			cr_expect(s != NULL && s->msg == msg && s->cm[0], "%u %u", msg, when);
			cr_expect(r != NULL && r->msg == msg && r->first[0] && r->user[0], "%u %u",
				  msg, when);
		}
}

Test(calls, circumstances)
{
	uint8_t body[RDT_LEN_rej] = { 0 };
	struct rdt_conn conn = { .rej_frame = 18 };
	struct rdt_msg_rec rec = {
		.msg = RDT_MSG_REJ, .body = body, .body_have = sizeof(body), .when = { .frame = 18 }
	};

	rdt_rej_set_reason(body, 8);
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_NO_LISTENER));
	rdt_rej_set_reason(body, 10);
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_STALE));
	rdt_rej_set_reason(body, 4);
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_GAVE_UP));
	rdt_rej_set_reason(body, 12);
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_BAD_PATH));
	rdt_rej_set_reason(body, 28);
	conn.rej_by = RDT_REJ_BY_APPLICATION;
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_BY_PROGRAM));
	conn.rej_by = RDT_REJ_BY_KERNEL;
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_BY_KERNEL));
	rec.body_have = 8;
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_ANY));
	rec.copy = 1;
	rec.copy_kind = RDT_COPY_RESENT;
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_RESENT));
	rec.copy_kind = RDT_COPY_DUPLICATED;
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_COPY));
	rec = (struct rdt_msg_rec){ .msg = RDT_MSG_MRA, .body = body, .body_have = 10 };
	rdt_mra_set_msg_mraed(body, RDT_MRAED_REP);
	cr_expect(eq(int, calls_case(&conn, &rec), CALL_OF_REP));
	cr_expect(strstr(calls_send(RDT_MSG_MRA, CALL_OF_REP)->cm, "cm_dup_rep_handler") != NULL);
	cr_expect(strstr(calls_receive(RDT_MSG_REQ, CALL_RESENT)->first, "cm_dup_req_handler") !=
		  NULL);
}
