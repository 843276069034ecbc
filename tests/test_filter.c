// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

#include "filter.h"
#include "rdmatrace/field.h"

/* ---- what is looked at -------------------------------------------------------------------- */

struct fake {
	struct rdt_value col[RDT_COL_COUNT];
	struct rdt_addr active, passive;
};

static struct rdt_value fake_col(void *user, size_t col)
{
	const struct fake *f = user;

	return f->col[col];
}

static void set(struct fake *f, size_t col, uint64_t num)
{
	f->col[col] =
		(struct rdt_value){ .type = (enum rdt_value_type)rdt_cols[col].type, .num = num };
}

static void set_text(struct fake *f, size_t col, const char *text)
{
	f->col[col] = (struct rdt_value){ .type = RDT_VALUE_TEXT, .text = text };
}

static void set_addr(struct fake *f, size_t col, const struct rdt_addr *addr)
{
	f->col[col] = (struct rdt_value){ .type = RDT_VALUE_ADDR, .addr = addr };
}

/* An rping as the lab's: closed, nothing refused. */
static void closed(struct fake *f)
{
	*f = (struct fake){ .active = rdt_addr_ipv4(0x0a000002),
			    .passive = rdt_addr_ipv4(0x0a000001) };
	set(f, RDT_COL_conn_n, 3);
	set(f, RDT_COL_conn_id, 0x5d2e9c41);
	set_text(f, RDT_COL_conn_kind, "cm");
	set_text(f, RDT_COL_conn_transport, "rocev2");
	set_text(f, RDT_COL_conn_service, "rc");
	set_addr(f, RDT_COL_conn_active, &f->active);
	set_addr(f, RDT_COL_conn_passive, &f->passive);
	set(f, RDT_COL_conn_a_port, 51742);
	set(f, RDT_COL_conn_svc, 0x1061c06);
	set(f, RDT_COL_conn_port_space, 0x106);
	set_text(f, RDT_COL_conn_port_space_name, "tcp");
	set(f, RDT_COL_conn_svc_port, 7174);
	set_text(f, RDT_COL_conn_app, "rping");
	set(f, RDT_COL_conn_a_qpn, 0x11);
	set(f, RDT_COL_conn_p_qpn, 0x12);
	set(f, RDT_COL_conn_a_psn, 3285775);
	set(f, RDT_COL_conn_p_psn, 5080458);
	set(f, RDT_COL_conn_a_first_psn, 3285775);
	set(f, RDT_COL_conn_p_first_psn, 5080459);
	set(f, RDT_COL_conn_start, UINT64_C(1795958535404052000));
	set(f, RDT_COL_conn_rel_ns, (uint64_t)-5000000);
	set(f, RDT_COL_conn_setup_ns, 30042000);
	set(f, RDT_COL_conn_life_ns, 321803000);
	set_text(f, RDT_COL_conn_outcome, "closed");
	set_text(f, RDT_COL_conn_a_state, "TIMEWAIT");
	set_text(f, RDT_COL_conn_closed_by, "active");
	set(f, RDT_COL_conn_msgs, 5);
	set(f, RDT_COL_conn_retries, 0);
	set(f, RDT_COL_conn_data_pkts, 36);
	set(f, RDT_COL_conn_mid, 0);
	set(f, RDT_COL_conn_roles_guessed, 1);
}

static struct rdt_view view_of(struct fake *f, unsigned has)
{
	return (struct rdt_view){ .has = has, .col = fake_col, .user = f };
}

/* 1 or 0 of a connection; -1 when the expression is wrong. */
static int of_conn(const char *expr, struct fake *f, uint64_t seen)
{
	struct rdt_view view = view_of(f, RDT_VIEW_CONN);
	struct rdt_filter_error err;
	struct rdt_filter *filter = rdt_filter_new(expr, strlen(expr), &err);
	int yes;

	if (!filter) {
		cr_log_error("%s: at %zu: %s (%s)", expr, err.at, err.what, err.hint);
		return -1;
	}
	yes = rdt_filter_conn(filter, &view, seen);
	rdt_filter_free(filter);
	return yes;
}

/* ---- a packet ----------------------------------------------------------------------------- */

struct bytes {
	uint8_t req[RDT_LEN_req], rej[RDT_LEN_rej], bth[RDT_LEN_bth], vlan[2][RDT_LEN_vlan];
	uint8_t mad[RDT_LEN_mad], udp[RDT_LEN_udp], ipv4[RDT_LEN_ipv4];
	struct rdt_layer layers[8];
	size_t count;
};

static void add(struct bytes *b, enum rdt_hdr_id hdr, const uint8_t *bytes)
{
	b->layers[b->count++] =
		(struct rdt_layer){ .hdr = hdr, .bytes = bytes, .have = rdt_hdrs[hdr].len };
}

static void req_packet(struct bytes *b)
{
	*b = (struct bytes){ .count = 0 };
	rdt_ipv4_set_src(b->ipv4, 0x0a000002);
	rdt_bth_set_opcode(b->bth, RDT_OP_UD_SEND_ONLY);
	rdt_bth_set_dest_qpn(b->bth, 1);
	rdt_bth_set_psn(b->bth, 77);
	rdt_mad_set_mgmt_class(b->mad, RDT_CLASS_CM);
	rdt_req_set_service_id(b->req, 0x1061c06);
	rdt_req_set_local_qpn(b->req, 0x11);
	rdt_req_set_path_mtu(b->req, 3);
	rdt_req_set_retry_count(b->req, 7);
	rdt_req_set_rnr_retry_count(b->req, 7);
	rdt_req_set_primary_ack_timeout(b->req, 19);
	rdt_req_set_primary_packet_rate(b->req, 5); /* 5 Gb/s: a low rate with a high code */
	rdt_req_set_srq(b->req, 1);
	rdt_req_set_local_ca_guid(b->req, 0x505400fffe000002);
	memcpy(b->req + RDT_LEN_req - RDT_SIZE_req_private_data, "denied: quota", 13);
	add(b, RDT_H_ipv4, b->ipv4);
	add(b, RDT_H_udp, b->udp);
	add(b, RDT_H_bth, b->bth);
	add(b, RDT_H_mad, b->mad);
	add(b, RDT_H_req, b->req);
}

static int of_packet(const char *expr, const struct rdt_view *view)
{
	struct rdt_filter_error err;
	struct rdt_filter *filter = rdt_filter_new(expr, strlen(expr), &err);
	int yes;

	if (!filter) {
		cr_log_error("%s: at %zu: %s (%s)", expr, err.at, err.what, err.hint);
		return -1;
	}
	yes = rdt_filter_packet(filter, view);
	rdt_filter_free(filter);
	return yes;
}

static const struct rdt_view_frame frame21 = {
	.when = { .frame = 21, .ns = 5000 }, .base = 1000, .len = 322, .cap_len = 128, .link = 1
};
static const struct rdt_view_frame frame22 = { .when = { .frame = 22 } };

/* ---- connections -------------------------------------------------------------------------- */

Test(filter, columns_of_a_connection)
{
	static const struct {
		const char *expr;
		int yes;
	} rows[] = {
		{ "", 1 },
		{ "  ", 1 },
		{ "n == 3", 1 },
		{ "n == 0x3", 1 },
		{ "n == \"3\"", 1 },
		{ "n != 3", 0 },
		{ "n < 4", 1 },
		{ "n <= 3", 1 },
		{ "n >= 4", 0 },
		{ "n gt 2 and n lt 4", 1 },
		{ "n in {1, 2, 3}", 1 },
		{ "n in {1 2 3}", 1 },
		{ "n in {1,2}", 0 },
		{ "n not in {1,2}", 1 },
		{ "conn == 3", 1 },
		{ "conn.n == 3", 1 },
		{ "N == 3", 1 },
		{ "id == 5d2e9c41", 1 },
		{ "id == 5D2E9C41", 1 },
		{ "id == 0x5d2e9c41", 1 },
		{ "outcome == closed", 1 },
		{ "outcome == CLOSED", 1 },
		{ "outcome == \"closed\"", 1 },
		{ "state == closed", 1 },
		{ "state != rejected", 1 },
		{ "outcome in {open, closed}", 1 },
		{ "outcome ~ \"^clo\"", 1 },
		{ "outcome ~ clo", 1 },
		{ "outcome matches \"^open\"", 0 },
		{ "app contains pin", 1 },
		{ "app contains PIN", 1 },
		{ "setup > 30ms", 1 },
		{ "setup > 30 ms", 1 },
		{ "setup > 100ms", 0 },
		{ "setup < 0.1s", 1 },
		{ "setup_ns == 30042000", 1 },
		{ "setup.ns >= 30042us", 1 },
		{ "rel < 0", 1 },
		{ "rel < -4ms and rel > -6ms", 1 },
		{ "life > setup", 1 },
		{ "addr == 10.0.0.1", 1 },
		{ "addr == 10.0.0.2", 1 },
		{ "addr == 10.0.0.3", 0 },
		{ "addr != 10.0.0.2", 0 }, /* one of them is */
		{ "addr != 10.0.0.3", 1 },
		{ "addr in 10.0.0.0/24", 1 },
		{ "addr in 10.0.0.0/31", 1 },
		{ "passive in 10.0.0.0/31 and active in 10.0.0.0/31", 0 },
		{ "addr in 10.1.0.0/16", 0 },
		{ "addr in {10.1.0.0/16, 10.0.0.1}", 1 },
		{ "addr == ::ffff:10.0.0.2", 1 },
		{ "addr == 0.0.0.0/0", 1 },
		{ "addr == lid:2", 0 },
		{ "active ~ \"^10[.]\"", 1 },
		{ "qpn == 0x12", 1 },
		{ "qpn == 0x13", 0 },
		{ "port == 7174", 1 },
		{ "port == 51742", 1 },
		{ "svc.port == 7174", 1 },
		{ "svc_port == 7174", 1 },
		{ "svc == tcp:7174", 1 },
		{ "svc == udp:7174", 0 },
		{ "svc == 0x0000000001061c06", 1 },
		{ "port_space == tcp", 1 },
		{ "port_space_name == tcp", 1 },
		{ "rej_reason", 0 },
		{ "rej_reason == 8", 0 },
		{ "rej_reason != 8", 0 }, /* there is none to differ */
		{ "not rej_reason == 8", 1 },
		{ "rej_by == kernel", 0 },
		{ "setup", 1 },
		{ "mid", 0 },
		{ "not mid", 1 },
		{ "mid == no", 1 },
		{ "roles_guessed", 1 },
		{ "roles.guessed == true", 1 },
		{ "cm.retries > 0", 0 },
		{ "a_first_psn == a_psn", 1 },
		{ "p_first_psn != p_psn", 1 },
		{ "a_state == timewait", 1 },
		{ "start >= 2026-11-29T13:22:15Z and start < 2026-11-29T13:22:16Z", 1 },
		{ "start >= 2026-11-29T13:22:15.404052Z", 1 },
		{ "start > 2026-11-29T13:22:15.404052Z", 0 },
		{ "start >= 2026-11-30", 0 },
		{ "cm", 1 },
		{ "sidr", 0 },
		{ "rocev2 and rc", 1 },
		{ "iwarp", 0 },
		{ "data", 1 },
	};
	struct fake f;

	closed(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(eq(int, of_conn(rows[i].expr, &f, 0), rows[i].yes), "%s", rows[i].expr);
}

Test(filter, a_refused_connection)
{
	struct fake f;

	closed(&f);
	set_text(&f, RDT_COL_conn_outcome, "rejected");
	set(&f, RDT_COL_conn_rej_reason, 8);
	set_text(&f, RDT_COL_conn_rej_reason_name, "invalid-service-id");
	set_text(&f, RDT_COL_conn_rej_by, "kernel");
	cr_expect(eq(int, of_conn("state == rejected and rej_reason == invalid-service-id", &f, 0),
		     1));
	cr_expect(eq(int, of_conn("rej_reason == INVALID_SERVICE_ID", &f, 0), 1));
	cr_expect(eq(int, of_conn("rej_reason in {8, 10, consumer-defined}", &f, 0), 1));
	cr_expect(eq(int, of_conn("rej_reason == consumer-defined", &f, 0), 0));
	cr_expect(eq(int, of_conn("rej_reason_name == invalid-service-id", &f, 0), 1));
	cr_expect(eq(int, of_conn("rej_reason ~ \"service\"", &f, 0), 1));
	cr_expect(eq(int, of_conn("rej_reason", &f, 0), 1));
	cr_expect(eq(int, of_conn("rej.by == kernel and rej.origin == kernel", &f, 0), 1));
	cr_expect(eq(int, of_conn("conn.rej.reason < 9", &f, 0), 1));
}

/* or binds less than and, not most; parentheses; double negation. */
Test(filter, logic)
{
	static const char *const expr[] = {
		"T or F and F",
		"(F or T) and T",
		"not F and T",
		"not (F and T)",
		"not not T",
		"!F",
		"!(T && F)",
		"T || F",
		"F || F || T",
		"T && T && T",
		"not F or F",
		"!!T",
		"((((T))))",
		"not (not (not F))",
		"T and (F or (T and not F))",
		"F and T or T",
		"T or T and F",
		"not T or T",
	};
	struct fake f;
	char text[256];

	closed(&f);
	for (size_t i = 0; i < sizeof(expr) / sizeof(expr[0]); i++) {
		size_t n = 0;

		for (const char *c = expr[i]; *c; c++)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s",
					      *c == 'T' || *c == 'F' ? 6 : 1,
					      *c == 'T'   ? "n == 3"
					      : *c == 'F' ? "n == 4"
							  : c);
		cr_expect(eq(int, of_conn(text, &f, 0), 1), "%s", text);
	}
	cr_expect(eq(int, of_conn("n == 3 and n == 4 or n == 5", &f, 0), 0));
	cr_expect(eq(int, of_conn("n == 4 and (n == 3 or n == 5)", &f, 0), 0));
}

/* Every way to put three comparisons together, against C's own and/or. */
Test(filter, jumps_agree_with_c)
{
	static const char *const word[2] = { "and", "or" };
	struct fake f;
	char text[128];

	closed(&f);
	for (unsigned bits = 0; bits < 256; bits++) {
		const int a = bits & 1, b = bits >> 1 & 1, c = bits >> 2 & 1;
		const unsigned op1 = bits >> 3 & 1, op2 = bits >> 4 & 1;
		const int not1 = bits >> 5 & 1, not2 = bits >> 6 & 1, right = bits >> 7;
		const int b2 = b ^ not1, c2 = c ^ not2;
		int want;

		if (right) {
			const int tail = op2 ? b2 || c2 : b2 && c2;

			want = op1 ? a || tail : a && tail;
			snprintf(text, sizeof(text), "n == %d %s (%sn == %d %s %sn == %d)",
				 a ? 3 : 4, word[op1], not1 ? "not " : "", b ? 3 : 4, word[op2],
				 not2 ? "!" : "", c ? 3 : 4);
		} else {
			const int head = op1 ? a || b2 : a && b2;

			want = op2 ? head || c2 : head && c2;
			snprintf(text, sizeof(text), "(n == %d %s %sn == %d) %s %sn == %d",
				 a ? 3 : 4, word[op1], not1 ? "not " : "", b ? 3 : 4, word[op2],
				 not2 ? "!" : "", c ? 3 : 4);
		}
		cr_expect(eq(int, of_conn(text, &f, 0), want), "%s", text);
	}
}

/* ---- packets ------------------------------------------------------------------------------ */

Test(filter, fields_of_a_packet)
{
	static const struct {
		const char *expr;
		int yes;
	} rows[] = {
		{ "req", 1 },
		{ "REQ", 1 },
		{ "rej", 0 },
		{ "not rep", 1 },
		{ "req.local_qpn == 0x11", 1 },
		{ "REQ.Local_QPN == 17", 1 },
		{ "rdmacm.req.local_qpn == 17", 1 },
		{ "req.path_mtu == 1024", 1 },
		{ "req.path_mtu == 3", 1 },
		{ "req.path_mtu < 1500", 1 },
		{ "req.path_mtu > 1000", 1 },
		{ "req.path_mtu >= 2048", 0 },
		{ "req.primary_ack_timeout == 2.147s", 1 },
		{ "req.primary_ack_timeout == 19", 1 },
		{ "req.primary_ack_timeout > 2s", 1 },
		{ "req.primary_ack_timeout > 3s", 0 },
		{ "req.primary_ack_timeout < 1h", 1 },
		{ "req.remote_cm_resp_timeout < 5us", 1 },
		{ "req.srq", 1 },
		{ "req.srq == yes", 1 },
		{ "req.flow_control", 0 },
		{ "req.transport_service == rc", 1 },
		{ "req.service_id == 0x0000000001061c06", 1 },
		{ "req.service_id == tcp:7174", 1 },
		{ "req.local_ca_guid == 5054:00ff:fe00:0002", 1 },
		{ "guid == 5054:00ff:fe00:0002", 1 },
		{ "req.private_data contains \"quota\"", 1 },
		{ "req.private_data contains \"QUOTA\"", 0 },
		{ "req.private_data contains 71:75:6f", 1 },
		{ "req.private_data contains 0x71756f", 1 },
		{ "req.private_data == \"denied: quota\"", 1 },
		{ "req.private_data == \"denied: quot\"", 0 },
		{ "req.private_data ~ \"^denied: *q[a-z]+$\"", 1 },
		{ "private_data contains denied", 1 },
		{ "rej.private_data contains denied", 0 },
		{ "mad.mgmt_class == cm", 1 },
		{ "mad.mgmt_class ~ \"^c\"", 1 },
		{ "bth.opcode == 0x64", 1 },
		{ "opcode == UD_SEND_ONLY", 1 },
		{ "bth.psn == 77", 1 },
		{ "ipv4.src == 10.0.0.2", 1 },
		{ "ipv4.src in 10.0.0.0/8", 1 },
		{ "cm", 1 },
		{ "mad", 1 },
		{ "rocev2", 1 },
		{ "ud", 1 },
		{ "rc", 0 },
		{ "data", 0 },
		{ "sidr", 0 },
		{ "src == 10.0.0.2", 1 },
		{ "addr == 10.0.0.1", 1 },
		{ "addr == 10.0.0.9", 0 },
		{ "dst != 10.0.0.9", 1 },
		{ "qpn == 1", 1 }, /* no connection is known: the packet's own */
		{ "frame == 21", 1 },
		{ "frame in {20, 22}", 0 },
		{ "frame.number == 21", 1 },
		{ "frame.len == 322 and frame.cap_len < 322", 1 },
		{ "frame.rel_ns == 4000", 1 },
		{ "frame.rel_ns < 5us", 1 },
		{ "frame.time < 2026-11-29", 1 },
		{ "frame.src == 10.0.0.2 and frame.dst == 10.0.0.1", 1 },
		{ "frame.link == 1 and frame.input == 0", 1 },
		{ "outcome == closed", 0 },
		{ "some(req and bth.psn == 77)", 1 },
		{ "some(req and bth.psn == 78)", 0 },
		{ "not some(rep)", 1 },
	};
	struct rdt_frame frame = { .src = rdt_addr_ipv4(0x0a000002),
				   .dst = rdt_addr_ipv4(0x0a000001) };
	struct rdt_view view = { .has = 0 };
	struct bytes b;

	req_packet(&b);
	rdt_view_set_packet(&view, b.layers, b.count, &frame);
	view.frame = &frame21;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect(eq(int, of_packet(rows[i].expr, &view), rows[i].yes), "%s", rows[i].expr);
}

/* Rate codes are not in the order of rates: 5 is 5 Gb/s, 2 is 2.5, 3 is 10. */
Test(filter, order_follows_the_unit)
{
	struct rdt_view view = { .has = 0 };
	struct bytes b;

	req_packet(&b);
	rdt_view_set_packet(&view, b.layers, b.count, NULL);
	cr_expect(eq(int, of_packet("req.primary_packet_rate < 3", &view), 1));
	cr_expect(eq(int, of_packet("req.primary_packet_rate > 2", &view), 1));
	/* An ACK timeout of 0 is endless, and so longer than any. */
	rdt_req_set_primary_ack_timeout(b.req, 0);
	cr_expect(eq(int, of_packet("req.primary_ack_timeout > 1h", &view), 1));
	cr_expect(eq(int, of_packet("req.primary_ack_timeout < 1h", &view), 0));
}

/* Two layers of a kind: any, and for != all. */
Test(filter, a_field_with_two_values)
{
	struct rdt_view view = { .has = 0 };
	struct bytes b = { .count = 0 };

	rdt_vlan_set_vid(b.vlan[0], 10);
	rdt_vlan_set_vid(b.vlan[1], 20);
	add(&b, RDT_H_vlan, b.vlan[0]);
	add(&b, RDT_H_vlan, b.vlan[1]);
	rdt_view_set_packet(&view, b.layers, b.count, NULL);
	cr_expect(eq(int, of_packet("vlan.vid == 10", &view), 1));
	cr_expect(eq(int, of_packet("vlan.vid == 20", &view), 1));
	cr_expect(eq(int, of_packet("vlan.vid != 10", &view), 0));
	cr_expect(eq(int, of_packet("vlan.vid != 30", &view), 1));
	cr_expect(eq(int, of_packet("not vlan.vid == 30", &view), 1));
}

/* The capture cut the header: what is missing is absent, what is there of a run is searched. */
Test(filter, a_header_cut_by_the_capture)
{
	struct rdt_view view = { .has = 0 };
	struct bytes b;

	req_packet(&b);
	b.layers[4].have = RDT_LEN_req - RDT_SIZE_req_private_data + 6;
	rdt_view_set_packet(&view, b.layers, b.count, NULL);
	cr_expect(eq(int, of_packet("req.private_data contains denied", &view), 1));
	cr_expect(eq(int, of_packet("req.private_data contains quota", &view), 0));
	b.layers[4].have = 33;
	cr_expect(eq(int, of_packet("req.service_id", &view), 1));
	cr_expect(eq(int, of_packet("req.local_qpn", &view), 0));
	cr_expect(eq(int, of_packet("req.local_qpn != 5", &view), 0));
	cr_expect(eq(int, of_packet("req.private_data", &view), 0));
}

/* ---- a connection's packets and records --------------------------------------------------- */

Test(filter, some_packet_of_a_connection)
{
	static const struct {
		const char *expr;
		int yes;
	} rows[] = {
		{ "req", 1 },
		{ "req and not rep", 1 },
		{ "req and rej", 1 }, /* not the same packet: each for itself */
		{ "some(req and rej)", 0 },
		{ "req.retry_count == 7 and rej.reason == 28", 1 },
		{ "rej.reason == consumer-defined", 1 },
		{ "rej.reason == 8", 0 },
		{ "rej.reason != 8", 1 },
		{ "private_data contains quota", 1 },
		{ "msg == REJ and from == active", 1 }, /* REJ came from passive, REQ from active */
		{ "some(msg == REJ and from == active)", 0 },
		{ "some(msg == REJ and from == passive)", 1 },
		{ "not some(msg == REP)", 1 },
		{ "some(not msg == REQ)", 1 }, /* the REJ is one */
		{ "some(not from == passive and not from == active)", 0 },
		{ "n == 3 and rej", 1 },
		{ "n == 4 or rej", 1 },
		{ "n == 4 and rej", 0 },
		{ "state.to == DREQ_SENT", 0 },
		{ "state.to == REQ_SENT and machine == cm", 1 },
		{ "event == REJECTED", 1 },
		{ "event == RDMA_CM_EVENT_REJECTED", 1 },
		{ "event == ESTABLISHED", 0 },
		{ "event.status == consumer-defined", 1 },
		{ "event.status == 28", 1 },
		{ "event.status < 0", 0 },
		{ "frame == 22", 1 },
	};
	struct fake f;
	struct bytes b;

	closed(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *expr = rows[i].expr;
		struct rdt_filter_error err;
		struct rdt_filter *filter = rdt_filter_new(expr, strlen(expr), &err);
		struct rdt_view view = view_of(&f, RDT_VIEW_MSG);
		uint64_t seen = 0;

		cr_assert(ne(ptr, filter, NULL), "%s: %s", expr, err.what);
		req_packet(&b);
		set_text(&f, RDT_COL_msg_msg, "REQ");
		set_text(&f, RDT_COL_msg_from, "active");
		rdt_view_set_packet(&view, b.layers, b.count, NULL);
		view.frame = &frame21;
		rdt_filter_mark(filter, &view, &seen);

		b = (struct bytes){ .count = 0 };
		rdt_rej_set_reason(b.rej, 28);
		memcpy(b.rej + RDT_LEN_rej - RDT_SIZE_rej_private_data, "over quota", 10);
		add(&b, RDT_H_rej, b.rej);
		set_text(&f, RDT_COL_msg_msg, "REJ");
		set_text(&f, RDT_COL_msg_from, "passive");
		rdt_view_set_packet(&view, b.layers, b.count, NULL);
		view.frame = &frame22;
		rdt_filter_mark(filter, &view, &seen);

		view = view_of(&f, RDT_VIEW_STATE);
		set_text(&f, RDT_COL_state_machine, "cm");
		set_text(&f, RDT_COL_state_to, "REQ_SENT");
		rdt_filter_mark(filter, &view, &seen);
		view = view_of(&f, RDT_VIEW_EVENT);
		set_text(&f, RDT_COL_event_event, "RDMA_CM_EVENT_REJECTED");
		set(&f, RDT_COL_event_status, 28);
		rdt_filter_mark(filter, &view, &seen);

		cr_expect(eq(u64, seen & ~rdt_filter_marks(filter), 0), "%s", expr);
		view = view_of(&f, RDT_VIEW_CONN);
		cr_expect(eq(int, rdt_filter_conn(filter, &view, seen), rows[i].yes), "%s", expr);
		rdt_filter_free(filter);
	}
}

/* A message record brings its own layers: record and fields can be asked at once. */
Test(filter, a_message_and_its_bytes)
{
	static const char expr[] =
		"some(msg == REJ and rej.reason == 28 and private_data contains over)";
	static const char packet[] = "some(rej.reason == 28 and not bth.psn == 7)";
	struct fake f;
	struct bytes b = { .count = 0 };
	struct rdt_conn conn = { .n = 3 };
	struct rdt_msg_rec msg = { .msg = RDT_MSG_REJ,
				   .body = b.rej,
				   .body_have = sizeof(b.rej),
				   .when = { .frame = 22 } };
	struct rdt_view_records records = { .conn = &conn, .rec = { [RDT_REC_msg] = &msg } };
	struct rdt_filter_error err;
	struct rdt_filter *filter = rdt_filter_new(expr, strlen(expr), &err);
	struct rdt_view view;
	uint64_t seen = 0;

	closed(&f);
	set_text(&f, RDT_COL_msg_msg, "REJ");
	rdt_rej_set_reason(b.rej, 28);
	memcpy(b.rej + RDT_LEN_rej - RDT_SIZE_rej_private_data, "over quota", 10);
	view = rdt_view_of(&records);
	cr_expect(eq(uint, view.has, RDT_VIEW_CONN | RDT_VIEW_MSG | RDT_VIEW_BODY));
	view.col = fake_col;
	view.user = &f;
	rdt_filter_mark(filter, &view, &seen);
	cr_expect(eq(u64, seen, 1));
	rdt_filter_free(filter);

	/* What only the packet has is not taken for absent: the question stays open. */
	filter = rdt_filter_new(packet, strlen(packet), &err);
	cr_assert(ne(ptr, filter, NULL));
	seen = 0;
	rdt_filter_mark(filter, &view, &seen);
	cr_expect(eq(u64, seen, 0));
	rdt_filter_free(filter);
}

Test(filter, what_it_needs)
{
	static const struct {
		const char *expr;
		unsigned needs;
		uint64_t marks;
	} rows[] = {
		{ "", 0, 0 },
		{ "n == 1", RDT_VIEW_CONN, 0 },
		{ "msg == REQ", RDT_VIEW_MSG, 1 },
		{ "rej", RDT_VIEW_PACKET, 1 },
		{ "n == 1 and (rej or rep) and msg == RTU",
		  RDT_VIEW_CONN | RDT_VIEW_PACKET | RDT_VIEW_MSG, 7 },
		{ "some(msg == REJ and from == active)", RDT_VIEW_MSG, 1 },
		{ "state.to == RTS", RDT_VIEW_STATE, 1 },
		{ "event.status", RDT_VIEW_EVENT, 1 },
		{ "addr == 10.0.0.1", RDT_VIEW_CONN | RDT_VIEW_PACKET, 0 },
		{ "some(addr == 10.0.0.1)", RDT_VIEW_PACKET, 1 },
		{ "cm", RDT_VIEW_CONN | RDT_VIEW_PACKET, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_filter_error err;
		struct rdt_filter *f = rdt_filter_new(rows[i].expr, strlen(rows[i].expr), &err);

		cr_assert(ne(ptr, f, NULL), "%s: %s", rows[i].expr, err.what);
		cr_expect(eq(uint, rdt_filter_needs(f), rows[i].needs), "%s", rows[i].expr);
		cr_expect(eq(u64, rdt_filter_marks(f), rows[i].marks), "%s", rows[i].expr);
		rdt_filter_free(f);
	}
}

/* ---- errors ------------------------------------------------------------------------------- */

Test(filter, errors_say_where_and_what)
{
	static const struct {
		const char *expr;
		size_t at, len;
		const char *what, *hint;
	} rows[] = {
		{ "rej_resaon == 8", 0, 10, "no name rej_resaon", "did you mean rej_reason" },
		{ "n == 1 and outcom == open", 11, 6, "no name outcom", "outcome?" },
		{ "retry_count > 3", 0, 11, "no name retry_count", "req.retry_count" },
		{ "rdmacm.req > 3", 0, 10, "no value of its own", "req." },
		{ "qqqqqq > 3", 0, 6, "no name", "rdma-trace fields" },
		{ "outcome == rejeted", 11, 7, "outcome is never rejeted", "rejected?" },
		{ "outcome == \"rejeted\"", 11, 9, "outcome is never rejeted", "rejected?" },
		{ "outcome == xyz", 11, 3, "never xyz", "it is incomplete, open, closed" },
		{ "rej_reason == invalid-servce-id", 14, 17, "is no REJ reason",
		  "invalid-service-id?" },
		{ "rej_reason == zzz", 14, 3, "is no REJ reason", "rdma-trace fields rej_reason" },
		{ "bth.dest_qpn == 0x1000000", 16, 9, "at most 16777215", "" },
		{ "n == 99999999999999999999", 5, 20, "too large", "" },
		{ "n == abc", 5, 3, "no number", "17 or 0x11" },
		{ "n = 3", 2, 1, "= alone", "==" },
		{ "n == ", 5, 1, "a value is missing", "" },
		{ "n ==", 4, 1, "a value is missing", "" },
		{ "n == and", 5, 3, "a value is missing", "in quotes" },
		{ "n == 3 n == 4", 7, 1, "does not follow", "and, or" },
		{ "(n == 3", 0, 1, "not closed", "" },
		{ "n == 3)", 6, 1, "does not follow", "no parenthesis is open" },
		{ "(n == 3 }", 8, 1, "does not follow", "closing parenthesis" },
		{ "n in {1, 2", 5, 1, "not closed", "}" },
		{ "n in {}", 5, 1, "empty", "" },
		{ "n == {1}", 5, 1, "no place", "in" },
		{ "and n == 3", 0, 3, "a name is missing", "" },
		{ "n == 3 and", 10, 1, "a name is missing", "" },
		{ "\"n\" == 3", 0, 3, "a name is missing", "no quotes" },
		{ "not", 3, 1, "a name is missing", "" },
		{ "app == \"x", 7, 2, "quotes", "" },
		{ "n & 3", 2, 1, "no operator", "&&" },
		{ "n == 3 ; n", 7, 1, "no meaning", "quotes" },
		{ "setup > 100", 8, 3, "needs a unit", "100ms" },
		{ "setup > soon", 8, 4, "no duration", "100ms" },
		{ "addr == 10.0.0", 8, 6, "no address", "10.0.0.2" },
		{ "addr in 10.0.0.0/33", 8, 11, "length of the network", "" },
		{ "addr in 10.0.0.0/", 8, 9, "length of the network", "" },
		{ "addr < 10.0.0.1", 5, 1, "no order", "==" },
		{ "addr contains 10", 5, 8, "text and bytes only", "10.1.0.0/16" },
		{ "outcome > closed", 8, 1, "no order", "" },
		{ "n contains 3", 2, 8, "text and bytes only", "" },
		{ "n ~ 3", 2, 1, "text, bytes and addresses", "" },
		{ "app ~ \"(\"", 6, 3, "not a regular expression", "" },
		{ "rej == 8", 0, 3, "no value of its own", "rej." },
		{ "rocev2 == 1", 0, 6, "no value of its own", "alone" },
		{ "mid == maybe", 7, 5, "neither yes nor no", "true" },
		{ "some(n == 3)", 5, 1, "inside some", "" },
		{ "some(some(rej))", 5, 4, "inside some", "one is enough" },
		{ "some(rej", 4, 1, "not closed", "" },
		{ "id == 5d2e9c4g", 6, 8, "no connection id", "8 hex" },
		{ "start > yesterday", 8, 9, "no time", "2026-" },
		{ "svc == nvme", 7, 4, "no number", "tcp:4420" },
		{ "req.pkey == xyz", 12, 3, "no value for the field",
		  "rdma-trace fields req.pkey" },
		{ "\xc3\xa4 == 1", 0, 1, "no meaning", "quotes" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_filter_error err = { .at = 999 };
		struct rdt_filter *f = rdt_filter_new(rows[i].expr, strlen(rows[i].expr), &err);

		cr_expect(eq(ptr, f, NULL), "%s", rows[i].expr);
		if (f) {
			rdt_filter_free(f);
			continue;
		}
		cr_expect(eq(sz, err.at, rows[i].at), "%s", rows[i].expr);
		cr_expect(eq(sz, err.len, rows[i].len), "%s", rows[i].expr);
		cr_expect(strstr(err.what, rows[i].what) != NULL, "%s: %s", rows[i].expr, err.what);
		cr_expect(strstr(err.hint, rows[i].hint) != NULL, "%s: %s", rows[i].expr, err.hint);
	}
}

/* Any prefix of a good expression is good or has its place inside it. */
Test(filter, every_prefix_has_a_place)
{
	static const char expr[] =
		"some(msg == REJ and from == \"active\") or addr in {10.0.0.0/8, fe80::1} "
		"and not (setup > 100 ms || rej.reason not in {8, stale-connection})";

	for (size_t len = 0; len < sizeof(expr); len++) {
		struct rdt_filter_error err = { .at = 999 };
		struct rdt_filter *f = rdt_filter_new(expr, len, &err);

		if (!f)
			cr_expect(err.at <= len && err.what[0], "%.*s", (int)len, expr);
		rdt_filter_free(f);
	}
}

static char *printed(const char *expr, char *buf, size_t size)
{
	struct rdt_filter_error err;
	struct rdt_filter *f = rdt_filter_new(expr, strlen(expr), &err);
	FILE *out = fmemopen(buf, size, "w");

	cr_assert(eq(ptr, f, NULL));
	rdt_filter_error_print(out, "rdma-trace: -Y: ", expr, strlen(expr), &err);
	fclose(out);
	return buf;
}

Test(filter, the_caret_stands_under_the_place)
{
	static char outcom[] = "rdma-trace: -Y: there is no name outcom\n"
			       "  n == 1 and outcom == open\n"
			       "             ^~~~~~\n"
			       "  did you mean outcome?\n";
	/* Two bytes, one column; a tab is one column too. */
	static char umlaut[] = "rdma-trace: -Y: this is no number\n"
			       "  app == \"\xc3\xa4\" and n == x\n"
			       "                      ^\n"
			       "  it looks like 17 or 0x11\n";
	char buf[1024], want[1024], expr[400];

	cr_expect(eq(str, printed("n == 1 and outcom == open", buf, sizeof(buf)), outcom));
	cr_expect(eq(str, printed("app == \"\xc3\xa4\"\tand n == x", buf, sizeof(buf)), umlaut));
	/* A long one is shown around the place. */
	memset(expr, ' ', sizeof(expr));
	memcpy(expr + 300, "n == x", 6);
	expr[sizeof(expr) - 1] = 0;
	snprintf(want, sizeof(want),
		 "rdma-trace: -Y: this is no number\n  ...%50sx%49s...\n     %50s^\n"
		 "  it looks like 17 or 0x11\n",
		 "n == ", "", "");
	cr_expect(eq(str, printed(expr, buf, sizeof(buf)), want));
}

/* ---- limits ------------------------------------------------------------------------------- */

Test(filter, depth_is_bounded)
{
	char expr[512];
	struct fake f;

	closed(&f);
	for (int depth = 60; depth < 70; depth++) {
		struct rdt_filter_error err;
		struct rdt_filter *filter;
		size_t n = 0;

		for (int i = 0; i < depth; i++)
			expr[n++] = '(';
		memcpy(expr + n, "n==3", 4);
		n += 4;
		for (int i = 0; i < depth; i++)
			expr[n++] = ')';
		filter = rdt_filter_new(expr, n, &err);
		if (depth <= 64)
			cr_expect(ne(ptr, filter, NULL), "%d", depth);
		else
			cr_expect(filter == NULL && err.at == 64, "%d", depth);
		rdt_filter_free(filter);
	}
}

Test(filter, a_million_nots_and_long_chains)
{
	static char expr[16384];
	struct rdt_filter_error err;
	struct rdt_filter *filter;
	struct fake f;
	struct rdt_view view;
	size_t n = 0;

	closed(&f);
	view = view_of(&f, RDT_VIEW_CONN);
	memset(expr, '!', 16000);
	memcpy(expr + 16000, "n==3", 4);
	filter = rdt_filter_new(expr, 16004, &err);
	cr_assert(ne(ptr, filter, NULL));
	cr_expect(rdt_filter_conn(filter, &view, 0));
	rdt_filter_free(filter);

	while (n + 12 < sizeof(expr))
		n += (size_t)snprintf(expr + n, sizeof(expr) - n, "n==4 or ");
	n += (size_t)snprintf(expr + n, sizeof(expr) - n, "n==3");
	filter = rdt_filter_new(expr, n, &err);
	cr_assert(ne(ptr, filter, NULL));
	cr_expect(rdt_filter_conn(filter, &view, 0));
	rdt_filter_free(filter);

	memset(expr, ' ', sizeof(expr));
	cr_expect(eq(ptr, rdt_filter_new(expr, 16385, &err), NULL));
	cr_expect(strstr(err.what, "16384") != NULL);
}

Test(filter, marks_are_64)
{
	char expr[1024];
	struct rdt_filter_error err;
	struct rdt_filter *filter;
	size_t n = 0;

	for (int i = 0; i < 63; i++)
		n += (size_t)snprintf(expr + n, sizeof(expr) - n, "rej or ");
	snprintf(expr + n, sizeof(expr) - n, "rep");
	filter = rdt_filter_new(expr, strlen(expr), &err);
	cr_assert(ne(ptr, filter, NULL));
	cr_expect(eq(u64, rdt_filter_marks(filter), UINT64_MAX));
	rdt_filter_free(filter);
	snprintf(expr + n, sizeof(expr) - n, "rep or req");
	cr_expect(eq(ptr, rdt_filter_new(expr, strlen(expr), &err), NULL));
	cr_expect(strstr(err.what, "64") != NULL);
}

/* ---- the vocabulary ----------------------------------------------------------------------- */

/* Every column, field, header and alias can be asked for, by its full name. */
Test(filter, every_name_resolves)
{
	struct rdt_filter_error err;
	const char *name, *means, *text;
	char expr[128];

	for (size_t i = 0; i < RDT_COL_COUNT; i++) {
		struct rdt_filter *f;

		snprintf(expr, sizeof(expr), "%s.%s", rdt_rec_key((enum rdt_rec)rdt_cols[i].rec),
			 rdt_cols[i].key);
		f = rdt_filter_new(expr, strlen(expr), &err);
		cr_expect(ne(ptr, f, NULL), "%s: %s", expr, err.what);
		rdt_filter_free(f);
	}
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		struct rdt_filter *f;

		snprintf(expr, sizeof(expr), "%s.%s", rdt_hdrs[rdt_fields[i].hdr].key,
			 rdt_fields[i].key);
		f = rdt_filter_new(expr, strlen(expr), &err);
		cr_expect(ne(ptr, f, NULL), "%s: %s", expr, err.what);
		rdt_filter_free(f);
	}
	for (size_t i = 0; i < RDT_HDR_COUNT; i++) {
		struct rdt_filter *f =
			rdt_filter_new(rdt_hdrs[i].key, strlen(rdt_hdrs[i].key), &err);

		cr_expect(ne(ptr, f, NULL), "%s: %s", rdt_hdrs[i].key, err.what);
		rdt_filter_free(f);
	}
	for (size_t i = 0; rdt_filter_alias(i, &name, &means, &text); i++) {
		struct rdt_filter *f = rdt_filter_new(name, strlen(name), &err);

		cr_expect(ne(ptr, f, NULL), "%s: %s", name, err.what);
		rdt_filter_free(f);
	}
}

/* Every named code is a value that its field accepts. */
Test(filter, every_name_of_a_code_is_a_value)
{
	struct rdt_filter_error err;
	char expr[192];

	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		const struct rdt_names *names = &rdt_names[rdt_fields[i].names];

		for (size_t n = 0; n < names->count; n++) {
			struct rdt_filter *f;

			if (rdt_fields[i].width < 32 && names->rows[n].value >> rdt_fields[i].width)
				continue;
			snprintf(expr, sizeof(expr), "%s.%s == %s", rdt_hdrs[rdt_fields[i].hdr].key,
				 rdt_fields[i].key, names->rows[n].key);
			f = rdt_filter_new(expr, strlen(expr), &err);
			cr_expect(ne(ptr, f, NULL), "%s: %s", expr, err.what);
			rdt_filter_free(f);
		}
	}
}
