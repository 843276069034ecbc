// SPDX-License-Identifier: BSD-2-Clause
/* What the two sides told each other, side by side, and whether it fits. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "show_params.h"

struct row *params_add(struct params *p, const char *label)
{
	struct row *row = &p->rows[p->count];

	/* There are fewer kinds of rows than ROWS. */
	if (p->count + 1 < ROWS)
		p->count++;
	*row = (struct row){ .label = label, .cell = { "-", "-" } };
	return row;
}

struct row *params_fields(struct params *p, const char *label, enum rdt_msg a_msg,
			  enum rdt_field_id a, enum rdt_msg p_msg, enum rdt_field_id b)
{
	struct row *row = params_add(p, label);
	char buf[RDT_TEXT_MAX];

	g_strlcpy(row->cell[RDT_ACTIVE], story_text(p->s, RDT_ACTIVE, a_msg, a, buf), CELL);
	g_strlcpy(row->cell[RDT_PASSIVE], story_text(p->s, RDT_PASSIVE, p_msg, b, buf), CELL);
	return row;
}

#define BOTH(p, label, a, b) \
	params_fields(p, label, RDT_MSG_REQ, RDT_F_req_##a, RDT_MSG_REP, RDT_F_rep_##b)

void params_check(struct row *row, enum cli_tone tone, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	g_vsnprintf(row->check, sizeof(row->check), fmt, ap);
	va_end(ap);
	row->tone = tone;
}

/* ---- rows of CM --------------------------------------------------------------------------- */

#define REQ(field) story_num(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_##field)
#define REP(field) story_num(p->s, RDT_PASSIVE, RDT_MSG_REP, RDT_F_rep_##field)
#define HAS_REQ(field) story_has(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_##field)
#define HAS_REP(field) story_has(p->s, RDT_PASSIVE, RDT_MSG_REP, RDT_F_rep_##field)

static void ids(struct params *p)
{
	const struct rdt_conn *c = p->s->conn;
	struct row *row = params_add(p, "comm id");
	bool any = false;

	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (c->end[side].has_comm_id) {
			snprintf(row->cell[side], CELL, "0x%08" PRIx32, c->end[side].comm_id);
			any = true;
		}
	if (!any)
		p->count--;
}

void params_qpns(struct params *p)
{
	const struct rdt_conn *c = p->s->conn;
	struct row *row = params_add(p, "QPN");

	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (c->end[side].has_qpn)
			snprintf(row->cell[side], CELL, "0x%06" PRIx32, c->end[side].qpn);
}

const char *params_begins(const struct rdt_end *end, char *buf, size_t size, enum cli_tone *tone)
{
	if (!end->data.first_frame)
		return "no data";
	if (end->data.first_psn == end->psn)
		return "yes";
	snprintf(buf, size, "no, at 0x%06" PRIx32, end->data.first_psn);
	*tone = CLI_TONE_WARN;
	return buf;
}

static void psns(struct params *p)
{
	const struct rdt_conn *c = p->s->conn;
	const struct rdt_end *a = &c->end[RDT_ACTIVE], *b = &c->end[RDT_PASSIVE];
	enum cli_tone tone = CLI_TONE_GOOD;
	struct row *row;
	char from_p[32], from_a[32];

	if (!a->has_psn && !b->has_psn)
		return;
	/* Each side announces what it expects, so what the other one sends first. */
	row = params_add(p, "receives from PSN");
	if (b->has_psn)
		snprintf(row->cell[RDT_ACTIVE], CELL, "0x%06" PRIx32 " (REQ)", b->psn);
	if (a->has_psn)
		snprintf(row->cell[RDT_PASSIVE], CELL, "0x%06" PRIx32 " (REP)", a->psn);
	if (!a->data.first_frame && !b->data.first_frame)
		params_check(row, CLI_TONE_OFF, "no data seen");
	else if (a->has_psn && b->has_psn) {
		const char *p_text = params_begins(b, from_p, sizeof(from_p), &tone);
		const char *a_text = params_begins(a, from_a, sizeof(from_a), &tone);

		params_check(row, tone, "data begins there: %s / %s", p_text, a_text);
	}
}

/* Two counts of RDMA READs: what a side may issue against what the other serves. */
static void depths(struct params *p)
{
	struct row *row;

	if (!HAS_REQ(initiator_depth) && !HAS_REP(initiator_depth))
		return;
	row = params_add(p, "responder / initiator");
	if (HAS_REQ(initiator_depth))
		snprintf(row->cell[RDT_ACTIVE], CELL, "%u / %u", (unsigned)REQ(responder_resources),
			 (unsigned)REQ(initiator_depth));
	if (!HAS_REP(initiator_depth))
		return;
	snprintf(row->cell[RDT_PASSIVE], CELL, "%u / %u", (unsigned)REP(responder_resources),
		 (unsigned)REP(initiator_depth));
	if (!HAS_REQ(initiator_depth))
		return;
	if (REP(initiator_depth) > REQ(responder_resources))
		params_check(row, CLI_TONE_BAD,
			     "mismatch: passive may ask for %u at a time, active serves %u",
			     (unsigned)REP(initiator_depth), (unsigned)REQ(responder_resources));
	else if (REQ(initiator_depth) > REP(responder_resources))
		params_check(row, CLI_TONE_WARN, "active wanted %u at a time, passive serves %u",
			     (unsigned)REQ(initiator_depth), (unsigned)REP(responder_resources));
	else
		params_check(row, CLI_TONE_GOOD, "compatible");
}

static void retries(struct params *p)
{
	struct row *row;
	char buf[RDT_TEXT_MAX];

	if (!HAS_REQ(rnr_retry_count) && !HAS_REP(rnr_retry_count))
		return;
	row = params_add(p, "retries / RNR retries");
	if (HAS_REQ(rnr_retry_count))
		snprintf(row->cell[RDT_ACTIVE], CELL, "%u / %s", (unsigned)REQ(retry_count),
			 story_text(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_rnr_retry_count, buf));
	if (HAS_REP(rnr_retry_count))
		snprintf(
			row->cell[RDT_PASSIVE], CELL, "- / %s",
			story_text(p->s, RDT_PASSIVE, RDT_MSG_REP, RDT_F_rep_rnr_retry_count, buf));
	if ((HAS_REQ(rnr_retry_count) && !REQ(rnr_retry_count)) ||
	    (HAS_REP(rnr_retry_count) && !REP(rnr_retry_count)))
		params_check(row, CLI_TONE_WARN,
			     "RNR 0: the first receive that is missing ends the connection");
}

static void ack_timeout(struct params *p)
{
	struct row *row;
	char buf[RDT_TEXT_MAX], total[RDT_TEXT_MAX];
	unsigned code;

	if (!HAS_REQ(primary_ack_timeout) && !HAS_REP(target_ack_delay))
		return;
	row = params_add(p, "ACK timeout / delay");
	if (HAS_REQ(primary_ack_timeout))
		snprintf(row->cell[RDT_ACTIVE], CELL, "%s / -",
			 story_text(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_primary_ack_timeout,
				    buf));
	if (HAS_REP(target_ack_delay))
		snprintf(row->cell[RDT_PASSIVE], CELL, "- / %s",
			 story_text(p->s, RDT_PASSIVE, RDT_MSG_REP, RDT_F_rep_target_ack_delay,
				    buf));
	if (!HAS_REQ(primary_ack_timeout))
		return;
	code = (unsigned)REQ(primary_ack_timeout);
	if (!code)
		params_check(row, CLI_TONE_WARN,
			     "0: a lost acknowledgement is waited for without end");
	else
		params_check(row, CLI_TONE_OFF, "a dead peer is noticed after %s or more",
			     rdt_duration_text(rdt_cm_timeout_ns(code) * (REQ(retry_count) + 1),
					       total, sizeof(total)));
}

/*
 * Linux (cm.c): the REQ timer is twice the packet lifetime and the peer's response time. The
 * lifetime is not on the wire; the ACK timeout was made of it, usually as lifetime + 1.
 */
static void cm_timers(struct params *p)
{
	struct row *row;
	char own[RDT_TEXT_MAX], peer[RDT_TEXT_MAX], each[RDT_TEXT_MAX], all[RDT_TEXT_MAX];
	unsigned sends, lifetime;
	uint64_t ns;

	if (!HAS_REQ(remote_cm_resp_timeout) || !HAS_REQ(max_cm_retries))
		return;
	row = params_add(p, "CM answer peer / own");
	g_snprintf(
		row->cell[RDT_ACTIVE], CELL, "%s / %s",
		story_text(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_remote_cm_resp_timeout, peer),
		story_text(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_local_cm_resp_timeout, own));
	if (!HAS_REQ(primary_ack_timeout) || !REQ(primary_ack_timeout))
		return;
	sends = (unsigned)REQ(max_cm_retries) + 1;
	lifetime = (unsigned)REQ(primary_ack_timeout) - 1;
	ns = 2 * rdt_linux_timeout_ns(lifetime) +
	     rdt_linux_timeout_ns((unsigned)REQ(remote_cm_resp_timeout));
	params_check(row, CLI_TONE_OFF,
		     "REQ every %s, %u times: gives up after %s (Linux, packet lifetime %u)",
		     rdt_duration_text(ns, each, sizeof(each)), sends,
		     rdt_duration_text(ns * sends, all, sizeof(all)), lifetime);
}

/* GIDs and LIDs of the REQ are told where the packets do not show the same. */
static void path(struct params *p)
{
	static const uint8_t zero[16];
	const struct rdt_layer *req =
		msg_layer(&p->s->told[RDT_ACTIVE][RDT_MSG_REQ].layers, RDT_H_req);
	struct rdt_addr addr[RDT_SIDES];
	bool same = true;
	struct row *row;

	if (!req || !rdt_layer_has(req, &rdt_fields[RDT_F_req_primary_remote_gid]) ||
	    !memcmp(rdt_req_primary_local_gid(req->bytes), zero, sizeof(zero)))
		return;
	addr[RDT_ACTIVE] = rdt_addr_gid(rdt_req_primary_local_gid(req->bytes));
	addr[RDT_PASSIVE] = rdt_addr_gid(rdt_req_primary_remote_gid(req->bytes));
	for (unsigned side = 0; side < RDT_SIDES; side++)
		same &= rdt_addr_equal(&addr[side],
				       rdt_tracker_addr(p->s->tracker, p->s->conn->end[side].addr));
	if (same)
		return;
	row = params_add(p, "GID of the path");
	for (unsigned side = 0; side < RDT_SIDES; side++)
		rdt_addr_text(&addr[side], row->cell[side], CELL);
	if (p->s->conn->transport == RDT_TRANSPORT_ROCEV2)
		params_check(row, CLI_TONE_WARN, "not the addresses of the packets");
	else if (p->s->conn->transport == RDT_TRANSPORT_IB && REQ(primary_local_lid) != 0xffff)
		params_check(row, CLI_TONE_OFF, "LIDs 0x%04x and 0x%04x",
			     (unsigned)REQ(primary_local_lid), (unsigned)REQ(primary_remote_lid));
}

static void rare(struct params *p)
{
	struct row *row;

	if (REQ(srq) || REP(srq))
		BOTH(p, "shared receive queue", srq, srq);
	if (REQ(alt_local_lid) || REQ(alt_remote_lid)) {
		row = params_add(p, "alternate path");
		g_strlcpy(row->cell[RDT_ACTIVE], "asked for", CELL);
		story_text(p->s, RDT_PASSIVE, RDT_MSG_REP, RDT_F_rep_failover_accepted,
			   row->cell[RDT_PASSIVE]);
	}
	if (REQ(vendor_id) || REP(vendor_id_h) || REP(vendor_id_m) || REP(vendor_id_l)) {
		row = params_add(p, "ECE vendor");
		if (HAS_REQ(vendor_id))
			snprintf(row->cell[RDT_ACTIVE], CELL, "0x%06x", (unsigned)REQ(vendor_id));
		if (HAS_REP(vendor_id_l))
			snprintf(row->cell[RDT_PASSIVE], CELL, "0x%06x",
				 (unsigned)(REP(vendor_id_h) << 16 | REP(vendor_id_m) << 8 |
					    REP(vendor_id_l)));
	}
	if (REQ(pkey) && REQ(pkey) != 0xffff)
		BOTH(p, "P_Key", pkey, vendor_id_h)->cell[RDT_PASSIVE][0] = 0;
}

static void cm_rows(struct params *p)
{
	const struct rdt_conn *c = p->s->conn;

	if (HAS_REQ(local_ca_guid) || HAS_REP(local_ca_guid))
		BOTH(p, "CA GUID", local_ca_guid, local_ca_guid);
	ids(p);
	params_qpns(p);
	psns(p);
	depths(p);
	if (HAS_REQ(path_mtu)) {
		char buf[RDT_TEXT_MAX];

		g_strlcpy(params_add(p, "path MTU")->cell[RDT_ACTIVE],
			  story_text(p->s, RDT_ACTIVE, RDT_MSG_REQ, RDT_F_req_path_mtu, buf), CELL);
	}
	retries(p);
	ack_timeout(p);
	cm_timers(p);
	path(p);
	rare(p);
	if (c->kind == RDT_CONN_CM && !c->params.has_req)
		params_check(&p->rows[0], CLI_TONE_DIM,
			     story_msg(p->s, RDT_ACTIVE, RDT_MSG_REQ)
				     ? "the REQ was cut by the capture"
				     : "the REQ is not in the capture");
}

/* ---- printing ----------------------------------------------------------------------------- */

static size_t widest(const struct params *p, unsigned side, size_t at_least)
{
	for (size_t i = 0; i < p->count; i++)
		at_least = MAX(at_least, cli_text_width(p->rows[i].cell[side]));
	return at_least;
}

static void print(const struct params *p)
{
	const struct story *s = p->s;
	size_t label = 0;
	char head[RDT_SIDES][CLI_HOST_TEXT + 16];
	size_t width[RDT_SIDES];

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		snprintf(head[side], sizeof(head[side]), "%s %s", rdt_side_key((enum rdt_side)side),
			 s->addr[side]);
		width[side] = widest(p, side, cli_text_width(head[side])) + 2;
	}
	for (size_t i = 0; i < p->count; i++)
		label = MAX(label, strlen(p->rows[i].label));
	label += 4;
	putc('\n', cli_out());
	show_pad("", label);
	show_pad_tone(s, CLI_TONE_BOLD, head[RDT_ACTIVE], width[RDT_ACTIVE]);
	fputs(cli_tone(s->opts, CLI_TONE_BOLD), cli_out());
	fprintf(cli_out(), "%s%s\n", head[RDT_PASSIVE], cli_tone(s->opts, CLI_TONE_OFF));
	for (size_t i = 0; i < p->count; i++) {
		const struct row *row = &p->rows[i];
		const unsigned column = (unsigned)(label + width[RDT_ACTIVE] + width[RDT_PASSIVE]);

		fputs("  ", cli_out());
		show_pad(row->label, label - 2);
		show_pad(row->cell[RDT_ACTIVE], width[RDT_ACTIVE]);
		if (!row->check[0]) {
			fprintf(cli_out(), "%s\n", row->cell[RDT_PASSIVE]);
			continue;
		}
		show_pad(row->cell[RDT_PASSIVE],
			 show_fits(s, row->check, column) ? width[RDT_PASSIVE] : 0);
		show_para(s, row->tone, row->check, column, column, (unsigned)label);
	}
}

void show_params(const struct story *s)
{
	struct params p = { .s = s };

	switch ((enum rdt_conn_kind)s->conn->kind) {
	case RDT_CONN_CM:
		cm_rows(&p);
		break;
	case RDT_CONN_SIDR:
		params_sidr(&p);
		break;
	case RDT_CONN_MPA:
		params_mpa(&p);
		break;
	case RDT_CONN_OOB:
		params_oob(&p);
		break;
	case RDT_CONN_DATA:
		params_qpns(&p);
		break;
	case RDT_CONN_KIND_COUNT:
		break;
	}
	if (p.count)
		print(&p);
}
