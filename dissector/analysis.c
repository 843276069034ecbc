/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a packet stands in its connection: the first subtree. Everything in it is generated, none
 * of it is on the wire.
 */
#include "rdmacm.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/line.h"
#include "rdmatrace/psn.h"
#include "rdmatrace/states.h"
#include "rdmatrace/text.h"

/* ---- registration ---------------------------------------------------------------------------------- */

enum analysis {
#define A(symbol, name, type, display, strings, label) A_##symbol,
#include "analysis.def"
#undef A
	A_COUNT
};

static int hf[A_COUNT];
static int ett_stream, ett_record, ett_whole;

static const value_string icrc_vals[] = {
#define X(symbol, key, text) { RDT_ICRC_##symbol, text },
	RDT_ICRC_LIST(X)
#undef X
		{ 0, NULL }
};

static void completeness_text(char *buf, uint32_t value)
{
	static const struct {
		uint32_t bit;
		const char *text;
	} bits[] = {
#define X(symbol, bit, text) { bit, text },
		COMPLETENESS_LIST(X)
#undef X
	};

	buf[0] = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(bits); i++) {
		if (!(value & bits[i].bit))
			continue;
		if (buf[0])
			g_strlcat(buf, ", ", ITEM_LABEL_LENGTH);
		g_strlcat(buf, bits[i].text, ITEM_LABEL_LENGTH);
	}
	g_snprintf(buf + strlen(buf), (gulong)(ITEM_LABEL_LENGTH - strlen(buf)), " (0x%02x)",
		   value);
}

void analysis_register(void)
{
	static hf_register_info regs[] = {
#define A(symbol, name, type, display, strings, label) \
	{ &hf[A_##symbol], { label, "rdmacm." name, type, display, strings, 0, NULL, HFILL } },
#include "analysis.def"
#undef A
	};
	static int *etts[] = { &ett_stream, &ett_record, &ett_whole };

	for (size_t i = 0; i < A_COUNT; i++)
		hf[i] = -1;
	for (size_t i = 0; i < G_N_ELEMENTS(etts); i++)
		*etts[i] = -1;
	proto_register_field_array(proto_rdmacm, regs, G_N_ELEMENTS(regs));
	proto_register_subtree_array(etts, G_N_ELEMENTS(etts));
}

/* ---- items ------------------------------------------------------------------------------------------ */

static void put_uint(proto_tree *tree, const struct packet *p, enum analysis id, uint32_t value)
{
	proto_item_set_generated(proto_tree_add_uint(tree, hf[id], p->tvb, 0, 0, value));
}

/* Frame numbers are above 0. */
static void put_frame(proto_tree *tree, const struct packet *p, enum analysis id, uint32_t frame)
{
	if (frame)
		put_uint(tree, p, id, frame);
}

static void put_text(proto_tree *tree, const struct packet *p, enum analysis id, const char *text)
{
	if (text)
		proto_item_set_generated(proto_tree_add_string(tree, hf[id], p->tvb, 0, 0, text));
}

/* Negative: there is none. */
static void put_time(proto_tree *tree, const struct packet *p, enum analysis id, int64_t ns)
{
	const nstime_t t = { (time_t)(ns / 1000000000), (int)(ns % 1000000000) };

	if (ns >= 0)
		proto_item_set_generated(proto_tree_add_time(tree, hf[id], p->tvb, 0, 0, &t));
}

/* ---- one record ------------------------------------------------------------------------------------ */

static void add_columns(proto_tree *tree, const struct packet *p, const struct rdt_conn *conn,
			enum rdt_rec rec, const void *record)
{
	size_t begin, end;

	rdt_rec_cols(rec, &begin, &end);
	for (size_t i = begin; i < end; i++)
		column_add(tree, p, conn, i, record);
}

static const char *basis_mark(uint8_t basis)
{
	return basis == RDT_BASIS_WIRE ? "" : " (inferred)";
}

static void add_state(proto_tree *tree, const struct packet *p, const struct rdt_conn *conn,
		      const struct rdt_state_rec *r)
{
	const enum rdt_machine machine = (enum rdt_machine)r->machine;
	const char *from = rdt_state_key(machine, r->from), *to = rdt_state_key(machine, r->to);
	proto_tree *sub = proto_tree_add_subtree_format(
		tree, p->tvb, 0, 0, ett_record, NULL, "[%s %s: %s -> %s, %s%s]",
		rdt_side_key((enum rdt_side)r->side), rdt_machine_key(machine), from ? from : "-",
		to ? to : "-", r->why ? r->why : "", basis_mark(r->basis));

	add_columns(sub, p, conn, RDT_REC_state, r);
}

static void add_event(proto_tree *tree, const struct packet *p, const struct rdt_conn *conn,
		      const struct rdt_event_rec *r)
{
	proto_tree *sub = proto_tree_add_subtree_format(
		tree, p->tvb, 0, 0, ett_record, NULL,
		"[%s program gets RDMA_CM_EVENT_%s, status %d%s]",
		rdt_side_key((enum rdt_side)r->side),
		rdt_rdma_event_key((enum rdt_rdma_event)r->event), r->status, basis_mark(r->basis));

	add_columns(sub, p, conn, RDT_REC_event, r);
}

/* A connection as it is listed now: those that were found to be one have been joined. */
static const struct rdt_conn *conn_of(uint32_t index)
{
	const struct rdt_tracker *t = feed_tracker();

	return rdt_tracker_conn(t, rdt_tracker_conn_final(t, index));
}

static void add_records(proto_tree *tree, const struct packet *p)
{
	for (const struct record *r = p->note->records; r; r = r->next) {
		const struct rdt_conn *conn = conn_of(r->conn);

		if (!conn)
			continue;
		if (r->rec == RDT_REC_state)
			add_state(tree, p, conn, &r->state);
		else
			add_event(tree, p, conn, &r->event);
	}
}

/* ---- the message ------------------------------------------------------------------------------------- */

static void add_message(proto_tree *tree, const struct packet *p, const struct message *m)
{
	const struct rdt_conn *conn = conn_of(m->conn);
	proto_tree *sub;

	put_frame(tree, p, m->rec.msg == RDT_MSG_REJ ? A_REJECT_OF : A_REQUEST_IN, m->answers);
	put_time(tree, p, A_RESPONSE_TIME, m->response_ns);
	put_time(tree, p, A_SETUP_TIME, m->setup_ns);
	put_frame(tree, p, A_RETRANS_OF, m->before);
	put_time(tree, p, A_RETRANS_TIME, m->again_ns);
	if (m->before && m->retry_ns)
		put_time(tree, p, A_RETRY_TIMER, (int64_t)m->retry_ns);
	/* What only later frames tell: there from the second look on. */
	put_frame(tree, p, A_RESPONSE_IN, m->answered);
	put_frame(tree, p, A_RETRANS_IN, m->after);
	if (!conn)
		return;
	sub = proto_tree_add_subtree_format(tree, p->tvb, 0, 0, ett_record, NULL, "[Message %s]",
					    rdt_msg_key((enum rdt_msg)m->rec.msg));
	add_columns(sub, p, conn, RDT_REC_msg, &m->rec);
}

/* ---- data -------------------------------------------------------------------------------------------- */

static void add_data(proto_tree *tree, const struct packet *p)
{
	const struct note *note = p->note;
	const struct rdt_frame *f = &p->frame;
	const uint8_t *aeth;
	struct rdt_pkt pkt;

	if (f->kind != RDT_FRAME_IB ||
	    rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt) != RDT_OK)
		return;
	if (p->conn && pkt.op->kind == RDT_OP_REQUEST && p->conn->service != RDT_SVC_UD &&
	    p->conn->end[note->side].data.first_frame)
		put_uint(tree, p, A_PSN_REL,
			 (uint32_t)rdt_psn_diff(rdt_bth_psn(f->bth),
						p->conn->end[note->side].data.first_psn) &
				 RDT_QPN_MASK);
	if (note->gap)
		put_uint(tree, p, A_PSN_GAP, note->gap);
	if (note->experts & EI_BIT(PSN_AGAIN))
		proto_item_set_generated(
			proto_tree_add_boolean(tree, hf[A_PSN_AGAIN], p->tvb, 0, 0, 1));
	put_frame(tree, p, A_RETRANS_OF, note->before);
	if (pkt.op->payload)
		put_uint(tree, p, A_PAYLOAD_LEN, pkt.payload_len);
	put_frame(tree, p, A_ACK_OF, note->ack_of);
	put_time(tree, p, A_RTT, note->rtt_ns);
	put_frame(tree, p, A_ACK_IN, note->ack_in);
	aeth = rdt_pkt_aeth(&pkt);
	if (aeth && rdt_aeth_kind(aeth) == RDT_AETH_NAK)
		put_text(tree, p, A_NAK,
			 rdt_name_key(RDT_NAMES_nak_code, rdt_aeth_value(aeth), "reserved"));
	if (aeth && rdt_aeth_kind(aeth) == RDT_AETH_RNR)
		put_time(tree, p, A_RNR_TIME, (int64_t)rdt_rnr_timer_ns(rdt_aeth_value(aeth)));
}

/* ---- the connection ------------------------------------------------------------------------------------ */

static bool is_early(size_t col)
{
	switch (col) {
#define C(key) case RDT_COL_conn_##key:
#include "early.def"
#undef C
		return true;
	default:
		return false;
	}
}

static void add_connection(proto_tree *tree, const struct packet *p)
{
	size_t begin, end;

	rdt_rec_cols(RDT_REC_conn, &begin, &end);
	for (size_t i = begin; i < end; i++)
		if (p->final || is_early(i))
			column_add(tree, p, p->conn, i, NULL);
	if (p->final)
		put_uint(tree, p, A_COMPLETENESS, stream_of(p->stream)->completeness);
}

static void add_states(proto_tree *tree, const struct packet *p)
{
	static const enum analysis ids[RDT_SIDES][2] = { { A_A_BEFORE, A_A_AFTER },
							 { A_P_BEFORE, A_P_AFTER } };
	const enum rdt_machine machine =
		p->conn->kind == RDT_CONN_MPA ? RDT_MACHINE_MPA : RDT_MACHINE_CM;

	for (unsigned side = 0; side < RDT_SIDES; side++)
		for (unsigned after = 0; after < 2; after++)
			put_text(tree, p, ids[side][after],
				 rdt_state_key(machine, p->note->state[side][after]));
}

static proto_item *add_title(proto_tree *tree, const struct packet *p, proto_tree **ret_tree)
{
	const struct rdt_tracker *t = feed_tracker();
	char a[RDT_ADDR_TEXT], b[RDT_ADDR_TEXT], svc[RDT_TEXT_MAX] = "";
	proto_item *item;

	if (p->stream == RDT_CONN_NONE) {
		*ret_tree = proto_tree_add_subtree(tree, p->tvb, 0, 0, ett_stream, &item,
						   "[No connection that is known]");
		return item;
	}
	if (!p->conn) {
		*ret_tree = proto_tree_add_subtree_format(
			tree, p->tvb, 0, 0, ett_stream, &item,
			"[Stream %u, dropped to make room for others]", p->stream);
		return item;
	}
	if (p->conn->has_svc)
		rdt_unit_text(RDT_UNIT_SERVICE_ID, p->conn->svc, svc, sizeof(svc));
	*ret_tree = proto_tree_add_subtree_format(
		tree, p->tvb, 0, 0, ett_stream, &item,
		"[Stream %u: %s -> %s%s%s; sent by the %s side]", p->stream,
		rdt_addr_text(rdt_tracker_addr(t, p->conn->end[RDT_ACTIVE].addr), a, sizeof(a)),
		rdt_addr_text(rdt_tracker_addr(t, p->conn->end[RDT_PASSIVE].addr), b, sizeof(b)),
		*svc ? ", " : "", svc, rdt_side_key((enum rdt_side)p->note->side));
	return item;
}

proto_item *analysis_add(proto_tree *tree, struct packet *p)
{
	proto_item *item;
	proto_tree *sub;

	if (!tree || !p->note)
		return NULL;
	item = add_title(tree, p, &sub);
	if (p->stream != RDT_CONN_NONE)
		put_uint(sub, p, A_STREAM, p->stream);
	/* For filters: the items themselves show what it is. */
	if (p->note->experts)
		proto_item_set_hidden(
			proto_tree_add_item(sub, hf[A_ANALYSIS], p->tvb, 0, 0, ENC_NA));
	if (p->conn) {
		put_text(sub, p, A_FROM, rdt_side_key((enum rdt_side)p->note->side));
		add_states(sub, p);
	}
	for (const struct message *m = p->note->message; m; m = m->next)
		add_message(sub, p, m);
	if (!p->note->message)
		add_data(sub, p);
	add_records(sub, p);
	if (p->conn)
		add_connection(
			proto_tree_add_subtree(sub, p->tvb, 0, 0, ett_whole, NULL,
					       p->final ? "[Connection, over the whole capture]"
							: "[Connection, as far as it is known]"),
			p);
	put_text(sub, p, A_PROBLEM, rdt_line_problem(&p->frame));
	return item;
}

/* ---- what belongs to a header --------------------------------------------------------------------------- */

void analysis_header(proto_tree *tree, const struct packet *p, const struct rdt_layer *layer)
{
	char text[RDT_TEXT_MAX];
	uint32_t want = 0;
	uint16_t sport = 0;
	enum rdt_icrc_state state;

	if (layer->hdr == RDT_H_rej)
		put_text(tree, p, A_ARI_TEXT,
			 rdt_rej_ari_text(layer->bytes, layer->have, text, sizeof(text)));
	if (layer->guess)
		put_text(tree, p, A_GUESS, rdt_hdrs[layer->hdr].key);
	if (layer->hdr != RDT_H_icrc || !p->note)
		return;
	put_uint(tree, p, A_ICRC_STATUS, p->note->icrc);
	if (p->note->icrc != RDT_ICRC_BAD && p->note->icrc != RDT_ICRC_ABSENT &&
	    p->note->icrc != RDT_ICRC_SPORT)
		return;
	state = rdt_icrc_check(&p->frame, &want, &sport);
	put_uint(tree, p, A_ICRC_WANT, want);
	if (state == RDT_ICRC_SPORT)
		put_uint(tree, p, A_ICRC_SPORT, sport);
}
