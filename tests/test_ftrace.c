// SPDX-License-Identifier: BSD-2-Clause
/* Lines of the kernel's trace, as kernels and trace-cmd print them. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/ftrace.h"

static bool parse(const char *line, struct rdt_ftrace *ret)
{
	return rdt_ftrace_parse(line, strlen(line), ret);
}

Test(ftrace, ib_cma)
{
	struct rdt_ftrace t;

	cr_assert(
		parse("cmtool-128     [000] d..1.    12.534071: icm_send_rtu: local_id=2326006135 "
		      "remote_id=2884189075 state=MRA_REP_SENT lap_state=LAP_UNINIT",
		      &t));
	cr_expect_eq(t.ns, 12534071000u);
	cr_expect_str_eq(t.name, "icm_send_rtu");
	cr_expect(t.has_ids);
	cr_expect_eq(t.local_id, 2326006135u);
	cr_expect_eq(t.remote_id, 2884189075u);
	cr_expect_str_eq(t.state, "MRA_REP_SENT");
	cr_assert(parse(
		"x-1 [000] d..1. 9.5: icm_send_rej: local_id=1 remote_id=2 state=MRA_REQ_RCVD "
		"reason=REJ_TIMEOUT",
		&t));
	cr_expect_str_eq(t.reason, "REJ_TIMEOUT");
	cr_expect_eq(t.ns, 9500000000u);
}

Test(ftrace, rdma_cma)
{
	struct rdt_ftrace t;
	char text[RDT_ADDR_TEXT];

	cr_assert(parse("kworker/0:1-17      [000] .N...     9.623190: cm_event_handler: cm.id=3 "
			"src=10.0.0.2:39364 dst=[fd00::1]:7777 tos=0 REJECTED (8/-104)",
			&t));
	cr_expect_str_eq(t.event, "REJECTED");
	cr_expect_eq(t.status, -104);
	cr_expect_eq(t.cm_id, 3);
	cr_assert(t.has_addrs);
	cr_expect_eq(t.src_port, 39364);
	cr_expect_str_eq(rdt_addr_text(&t.src, text, sizeof(text)), "10.0.0.2");
	cr_expect_str_eq(rdt_addr_text(&t.dst, text, sizeof(text)), "fd00::1");
	cr_assert(parse(
		"a-1 [000] ..... 1.000000: cm_id_destroy: cm.id=0 src=(einval) dst=(einval) tos=0",
		&t));
	cr_expect_not(t.has_addrs);
}

/* trace-cmd report prints the same fields behind another head. */
Test(ftrace, trace_cmd_report)
{
	struct rdt_ftrace t;

	cr_assert(
		parse("           rping-128   [000]    12.534071: icm_send_rtu:         local_id=5 "
		      "remote_id=6 state=REP_RCVD lap_state=LAP_UNINIT",
		      &t));
	cr_expect_eq(t.local_id, 5);
	cr_expect_str_eq(t.state, "REP_RCVD");
}

Test(ftrace, ib_mad)
{
	struct rdt_ftrace t;

	cr_assert(parse("cmtool-128 [000] d..2. 12.534090: ib_mad_ib_send_mad: 0:1 QP1 agent "
			"00000000d49822dd: "
			"wrtid 0x27709a48b; 15/15 retries(0); timeout 0 length 256 : hdr : "
			"base_ver 0x1 class "
			"0x7 class_ver 0x2 method 0x3 status 0x0 class_specific 0x0 tid "
			"0x27709a48a attr_id "
			"0x14 attr_mod 0x0  => dlid 0x00000000 sl 0 rpqn 0x1 rqpkey 0x80000000",
			&t));
	cr_expect_eq(t.tid, 0x27709a48a);
	cr_expect_eq(t.attr_id, 0x14);
	cr_expect_eq(t.mgmt_class, 7);
	cr_expect_eq(t.retries_left, 15);
	cr_expect_eq(t.max_retries, 15);
}

Test(ftrace, says_no)
{
	static const char *const lines[] = {
		"",
		"# tracer: nop",
		"#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION",
		"x-1 [000] ..... 1.0: sched_switch: prev_comm=a",
		"12.5: icm",
		"x 1.: icm_send_req: local_id=1",
		"99999999999999999999.0: icm_send_req: x=1",
		"CPU:0 [LOST 5 EVENTS]",
	};
	struct rdt_ftrace t;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		cr_expect_not(parse(lines[i], &t) && t.has_ids && t.local_id, "%s", lines[i]);
}

/* Every cut of a line, from a block of exactly its size: ASan sees one byte too many. */
Test(ftrace, cut_anywhere)
{
	static const char line[] =
		"kworker/0:1-17 [000] .N... 9.623190: cm_event_handler: cm.id=3 src=10.0.0.2:39364 "
		"dst=10.0.0.1:7777 tos=0 REJECTED (8/-104)";

	for (size_t len = 0; len < sizeof(line); len++) {
		char *exact = malloc(len ? len : 1);
		struct rdt_ftrace t;

		memcpy(exact, line, len);
		(void)rdt_ftrace_parse(exact, len, &t);
		free(exact);
	}
}
