// SPDX-License-Identifier: BSD-2-Clause
/* The script language: what docs/rdt.md says parses, prints and fails as it says there. */
#include <criterion/criterion.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/text.h"
#include "replay/script.h"

/* ---- helpers ---------------------------------------------------------------------------------- */

static struct rp_script *parse(const char *text)
{
	struct rp_error error;
	struct rp_script *script = rp_script_parse("t.rdt", text, strlen(text), &error);

	cr_assert(script, "%u:%u: %s\n%s", error.pos.line, error.pos.col, error.what, text);
	return script;
}

/* What is printed parses, and prints the same again. */
static void round_trip(const char *text)
{
	struct rp_script *one = parse(text), *two;
	char *first = rp_script_print(one), *second;

	two = parse(first);
	second = rp_script_print(two);
	cr_expect_str_eq(first, second);
	cr_expect_eq(one->stmt_count, two->stmt_count);
	g_free(first);
	g_free(second);
	rp_script_free(one);
	rp_script_free(two);
}

static void fails(const char *text, const char *want)
{
	struct rp_error error;
	struct rp_script *script = rp_script_parse("t.rdt", text, strlen(text), &error);
	char got[400];

	cr_assert_null(script, "this should not parse:\n%s", text);
	g_snprintf(got, sizeof(got), "%u:%u: %s", error.pos.line, error.pos.col, error.what);
	cr_expect_str_eq(got, want, "is  %s\nnot %s\nfor\n%s", got, want, text);
}

/* ---- the document ------------------------------------------------------------------------------- */

/* Each block of the document that begins with this fence, one after the other. */
static unsigned blocks(const char *fence, void (*each)(char *block))
{
	char *text, *at;
	unsigned count = 0;

	cr_assert(g_file_get_contents(RDT_SOURCE "/docs/rdt.md", &text, NULL, NULL));
	for (at = strstr(text, fence); at; at = strstr(at, fence)) {
		char *end;

		at += strlen(fence);
		end = strstr(at, "\n```\n");
		cr_assert(end);
		end[1] = 0;
		each(at);
		count++;
		at = end + 2;
	}
	g_free(text);
	return count;
}

Test(script, examples_of_the_document_parse)
{
	cr_expect_geq(blocks("\n```rdt\n", (void (*)(char *))round_trip), 6);
}

static void error_block(char *block)
{
	char *comment = g_strrstr(block, "\n# ");

	cr_assert(comment);
	comment[1] = 0;
	comment[strlen(comment + 2) + 2] = 0;
	g_strchomp(comment + 3);
	fails(block, comment + 3);
}

Test(script, errors_of_the_document)
{
	cr_expect_geq(blocks("\n```rdt-error\n", error_block), 5);
}

/* ---- what a script says --------------------------------------------------------------------------- */

#define HEAD "rdt 1\nservice tcp:7174\n"

Test(script, times_and_counts)
{
	struct rp_script *s = parse(HEAD "+24ms ~50% p > REP[]\n"
					 "@1.5s a > RTU\n"
					 "+0..50ms 3x p > DREQ[]\n"
					 "0..15x p > DREQ[]\n"
					 "? p > MRA[]\n"
					 "* p > REP[...]\n");

	cr_assert_eq(s->stmt_count, 6);
	cr_expect_eq(s->stmts[0].time.kind, RP_TIME_AFTER);
	cr_expect_eq(s->stmts[0].time.ns, 24000000);
	cr_expect(s->stmts[0].time.has_tolerance);
	cr_expect_eq(s->stmts[0].time.tolerance, 50);
	cr_expect_eq(s->stmts[0].role, RDT_PASSIVE);
	cr_expect_eq(s->stmts[1].time.kind, RP_TIME_AT);
	cr_expect_eq(s->stmts[1].time.ns, 1500000000);
	cr_expect(s->stmts[2].time.window);
	cr_expect_eq(s->stmts[2].time.max_ns, 50000000);
	cr_expect_eq(s->stmts[2].min, 3);
	cr_expect_eq(s->stmts[2].max, 3);
	cr_expect_eq(s->stmts[3].min, 0);
	cr_expect_eq(s->stmts[3].max, 15);
	cr_expect(s->stmts[4].optional);
	cr_expect_eq(s->stmts[4].min, 0);
	cr_expect_eq(s->stmts[5].time.kind, RP_TIME_ANY);
	cr_expect(s->stmts[5].rest);
	rp_script_free(s);
}

static const struct rp_value *value_of(const struct rp_script *s, size_t stmt, const char *name)
{
	bool is_size;
	const unsigned field = rp_field_find(s->stmts[stmt].msg, name, strlen(name), &is_size);

	for (size_t i = 0; i < s->stmts[stmt].assign_count; i++)
		if (s->stmts[stmt].assigns[i].field == field)
			return &s->stmts[stmt].assigns[i].value;
	cr_assert_fail("%s is not set", name);
	return NULL;
}

Test(script, values_in_their_units)
{
	struct rp_script *s = parse(
		HEAD "a > REQ[ack_timeout=2.147s, mtu=1024, remote_cm_resp=4.295s, svc=tcp:4420, "
		     "guid=5054:00ff:fe00:0002, rnr_retry=infinite, qpn=0x11, psn=$p.psn+3, "
		     "retry=2..5, rate=any, flow_label=auto, private=none]\n"
		     "p > REJ[msg=REQ, reason=invalid-service-id, private=text:\"no\\x00\\\"\"]\n"
		     "a > REQ[primary_local_gid=fe80::1, ipcm.src_ip=10.0.0.2]\n");
	const struct rp_value *v;

	cr_expect_eq(value_of(s, 0, "primary_ack_timeout")->num, 19);
	cr_expect_eq(value_of(s, 0, "path_mtu")->num, 3);
	cr_expect_eq(value_of(s, 0, "remote_cm_resp_timeout")->num, 20);
	cr_expect_eq(value_of(s, 0, "service_id")->num, 0x1061144);
	cr_expect_eq(value_of(s, 0, "local_ca_guid")->num, 0x505400fffe000002);
	cr_expect_eq(value_of(s, 0, "rnr_retry_count")->num, 7);
	cr_expect_eq(value_of(s, 0, "local_qpn")->num, 0x11);
	v = value_of(s, 0, "starting_psn");
	cr_expect_eq(v->kind, RP_VALUE_SYMBOL);
	cr_expect_str_eq(v->symbol, "$p.psn");
	cr_expect_eq(v->num, 3);
	v = value_of(s, 0, "retry_count");
	cr_expect_eq(v->kind, RP_VALUE_RANGE);
	cr_expect_eq(v->max, 5);
	cr_expect_eq(value_of(s, 0, "rate")->kind, RP_VALUE_ANY);
	cr_expect_eq(value_of(s, 0, "flow_label")->kind, RP_VALUE_AUTO);
	cr_expect_eq(value_of(s, 1, "reason")->num, 8);
	cr_expect_eq(value_of(s, 1, "msg_rejected")->num, 0);
	v = value_of(s, 1, "private");
	cr_assert_eq(v->part_count, 1);
	cr_expect_eq(v->parts[0].len, 4);
	cr_expect_arr_eq(v->parts[0].bytes, "no\0\"", 4);
	v = value_of(s, 2, "primary_local_gid");
	cr_expect_arr_eq(v->parts[0].bytes, "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	v = value_of(s, 2, "ipcm.src_ip");
	cr_expect_arr_eq(v->parts[0].bytes, "\0\0\0\0\0\0\0\0\0\0\0\0\x0a\0\0\2", 16);
	rp_script_free(s);
}

Test(script, faults)
{
	struct rp_script *s = parse(HEAD "a > REQ[] drop\n"
					 "a > REQ[] dup x3 delay 30s\n"
					 "a > RTU[] hold until p > SEND\n"
					 "a > DREQ[] corrupt icrc truncate 60\n"
					 "p > REP[] within 2s a drop\n");

	cr_expect(s->stmts[0].fault.drop);
	cr_expect_eq(s->stmts[1].fault.dup, 3);
	cr_expect_eq(s->stmts[1].fault.delay_ns, 30000000000);
	cr_expect(s->stmts[2].fault.hold);
	cr_expect_eq(s->stmts[2].fault.hold_role, RDT_PASSIVE);
	cr_expect_eq(s->stmts[2].fault.hold_msg.family, RP_OP);
	cr_expect(s->stmts[3].fault.corrupt_icrc);
	cr_expect_eq(s->stmts[3].fault.truncate, 60);
	cr_expect_eq(s->stmts[4].within_ns, 2000000000);
	cr_expect(s->stmts[4].fault.ignored);
	rp_script_free(s);
}

Test(script, everything_prints_and_parses)
{
	round_trip(
		HEAD
		"source x y  # not this\n"
		"role a active 10.0.0.2\nrole p passive fe80::1\nunsaid template\n"
		"was $a.qpn = 0x11\nbind $p.gid = ::ffff:10.0.0.1\nbind $a.guid = "
		"5054:00ff:fe00:0002\n"
		"memory a buf 64\nrequire timing 30%\nrequire backend udp, packet\nrequire F5\n"
		"+1.000000001s ~5% a > REQ[private=hex:00ff nvme_req{qid=1} be32:$buf.rkey+4 "
		"zero:3]\n"
		"any { p > REP[] => up; p > REJ[reason=8]; timeout 5s => up }\n"
		"label up:\na fill buf text:\"a\\\"b\"\n? p > MRA[msg=REP]\n3x p > DREQ[] a drop\n"
		"a > READ[va=$buf.va-8, rkey=1, len=64, reply=size:64]\n"
		"p > RC_ACK[aeth.msn=3, kind=nak, psn=$a.psn+2]\n"
		"+5s ...\na call disconnect()\na event UNREACHABLE status=-110 within 1s\n"
		"a tcp reset\ngoto up\nend\n");
}

Test(script, errors_say_where_and_what)
{
	fails(HEAD "a > SEND[] corrupt icrc\n",
	      "3:12: corrupt and truncate are for messages of the CM and single packets "
	      "(RC_SEND_ONLY ...); SEND is more than one, or has no ICRC");
	fails(HEAD "a > WRITE[] dup x2\n", "3:13: dup, delay and hold are for messages and single "
					   "packets (RC_SEND_ONLY ...), not "
					   "for WRITE; a time before it delays it");
	fails("", "1:1: expected rdt 1 in the first line, not the end of the script");
	fails("rdt 2\n", "1:5: expected version 1 after rdt: this program reads no other, not 2");
	fails(HEAD "a tcp connect corrupt icrc\n",
	      "3:7: corrupt and truncate are for messages of the CM and single packets "
	      "(RC_SEND_ONLY ...); TCP_CONNECT is more than one, or has no ICRC");
	fails("rdt 1\nservice tcp:0\n", "2:9: 0 is no port: a service has one of 1 to 65535");
	fails("rdt 1\nservice tcp:1\nservice tcp:2\n",
	      "3:9: the service was said before; there is one");
	fails("rdt 1\nrequire F3\nrequire F4\n", "3:9: a level was required before; there is one");
	fails(HEAD "a > FOO[]\n", "3:5: expected a message: REQ MRA REJ REP RTU DREQ DREP SIDR_REQ "
				  "SIDR_REP LAP APR SEND "
				  "SEND_IMM SEND_INV WRITE WRITE_IMM READ CMP_SWAP FETCH_ADD "
				  "MPA_REQ MPA_REP TERMINATE or "
				  "a packet such as RC_ACK, not FOO");
	fails(HEAD "a > REQ[retry=7 rnr_retry=7]\n", "3:17: expected a comma or ], not rnr_retry");
	fails(HEAD "a > REQ[retry=7, retry_count=7]\n", "3:18: retry_count is given twice");
	fails(HEAD "a > REQ[private=text:\"abc]\n", "3:22: a string without its closing \"");
	fails(HEAD "a > REQ[ack_timeout=3s]\n", "3:21: 3s is no value of req.primary_ack_timeout: "
						"expected a code 0..31 or a time such as "
						"4.295s");
	fails(HEAD "p > REJ[reason=nonsense]\n", "3:16: nonsense is no value of rej.reason: "
						 "expected a name (rdma-trace fields rej_reason) "
						 "or 0..65535");
	fails(HEAD "+5 a > RTU[]\n", "3:1: expected a time: +24ms after the event before, +0..50ms "
				     "within a window, @1.5s after "
				     "the first, or *");
	fails(HEAD "0x a > RTU[]\n", "3:1: a count is 1x to 1000x");
	fails(HEAD "goto nowhere\n", "3:1: there is no label nowhere");
	fails(HEAD "label x:\nlabel x:\n", "4:1: label x is there twice");
	fails(HEAD "a fill buf hex:00\n", "3:1: no line memory names buf");
	fails(HEAD "a call accept()\n", "3:8: only the passive side calls accept");
	fails(HEAD "a > REQ[] a drop\n", "3:11: a sends this message: only p can ignore it");
	fails(HEAD "any { }\n", "3:1: any { } has no alternative");
	fails(HEAD "any { p > REP[]; a > RTU[] }\n", "3:18: all alternatives are of one role");
	fails(HEAD "bind a.qpn = 5\n", "3:6: expected a symbol such as $a.qpn, not a.qpn");
	fails(HEAD "bind $a.qpn 5\n", "3:13: expected = after the symbol, not 5");
	fails(HEAD "require F6\n", "3:9: expected F0 to F5, timing or backend, not F6");
	fails(HEAD "role a active 10.0.0.300\n",
	      "3:15: expected an address or the end of the line, not 10.0.0.300");
	fails(HEAD "role x active\nrole y active\n",
	      "4:6: there is a role that is active already: x");
	fails(HEAD "a > RTU[retry=1]\n",
	      "3:9: RTU has no field retry; rdma-trace fields rtu lists them");
	fails(HEAD "a > RTU[] within\n",
	      "3:17: expected a time such as 100ms after within, not the end of the line");
	fails(HEAD "a > REP[private=nvme_rep{foo=1}]\n",
	      "3:26: nvme_rep has no field foo; rdma-trace fields nvme_rep");
	fails("rdt 1\na > REQ[private=\x01]\n",
	      "2:17: a control character; scripts are plain text");
}

Test(script, names_of_messages_and_fields_are_known_both_ways)
{
	struct rp_msg msg, back;

	for (unsigned family = RP_CM; family <= RP_FPDU; family++) {
		for (unsigned code = 0; code < 256; code++) {
			uint8_t hdrs[RP_HDRS_MAX];
			size_t count;
			bool is_size;

			msg = (struct rp_msg){ (uint8_t)family, (uint8_t)code };
			if (family == RP_CM && code > RDT_MSG_APR)
				continue;
			if (family == RP_OP && code >= RP_OP_COUNT)
				continue;
			if (family == RP_PACKET && !rdt_opcodes[code].text)
				continue;
			if (family == RP_MPA && code != RDT_MSG_MPA_REQ && code != RDT_MSG_MPA_REP)
				continue;
			if (family == RP_FPDU && code != RDT_RDMAP_TERMINATE)
				continue;
			cr_assert(rp_msg_find(rp_msg_name(msg), strlen(rp_msg_name(msg)), &back));
			cr_expect(rp_msg_equal(msg, back), "%s", rp_msg_name(msg));
			count = rp_msg_hdrs(msg, hdrs);
			for (size_t i = 0; i < count; i++) {
				for (unsigned f = rdt_hdrs[hdrs[i]].begin;
				     f < rdt_hdrs[hdrs[i]].end; f++) {
					char buf[64];
					const char *name = rp_field_name(msg, f, buf);

					cr_expect_eq(
						rp_field_find(msg, name, strlen(name), &is_size), f,
						"%s.%s", rp_msg_name(msg), name);
				}
			}
		}
	}
}

Test(script, durations_lose_nothing)
{
	static const uint64_t all[] = {
		1,         999,        1000,        1001,     29764000,
		999999999, 1000000001, 60000000000, 24219000, 86400000000000
	};
	char buf[40];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint64_t back;

		rp_duration_print(all[i], buf);
		cr_expect_eq(rdt_duration_parse(buf, strlen(buf), &back), RDT_OK, "%s", buf);
		cr_expect_eq(back, all[i], "%s", buf);
	}
}
