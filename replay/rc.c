// SPDX-License-Identifier: BSD-2-Clause
#include "replay/rc.h"

#include <string.h>

#include "rdmatrace/encode.h"
#include "rdmatrace/psn.h"
#include "replay/ops.h"

#define RESEND_NS 400000000
#define RNR_NS 20000000
#define RETRIES 7
#define RNR_RETRIES 250

struct rp_rc {
	struct rp_player *player;
	rp_rc_send_fn send;
	void *user;
	/* what we request */
	struct rp_item *op; /* borrowed from the player; NULL when nothing is in flight */
	GPtrArray *packets; /* of struct rp_item *: as they were sent */
	uint32_t next_psn, first_psn, last_psn;
	bool begun;
	GByteArray *reply;
	int64_t deadline;
	unsigned tries, rnr_tries;
	bool done;
	char *why;
	/* what the peer requests */
	uint32_t expected_psn, msn;
	bool expecting, nak_sent;
	struct rp_item *in; /* a SEND or WRITE that is not complete */
	GByteArray *in_bytes;
};

struct rp_rc *rp_rc_new(struct rp_player *player, rp_rc_send_fn send, void *user)
{
	struct rp_rc *rc = g_new0(struct rp_rc, 1);

	rc->player = player;
	rc->send = send;
	rc->user = user;
	rc->packets = g_ptr_array_new_with_free_func(rp_item_free);
	rc->reply = g_byte_array_new();
	rc->in_bytes = g_byte_array_new();
	rc->deadline = INT64_MAX;
	return rc;
}

void rp_rc_free(struct rp_rc *rc)
{
	if (!rc)
		return;
	g_ptr_array_unref(rc->packets);
	g_byte_array_unref(rc->reply);
	g_byte_array_unref(rc->in_bytes);
	rp_item_free(rc->in);
	g_free(rc->why);
	g_free(rc);
}

/* ---- the connection's numbers ------------------------------------------------------------------ */

static unsigned self_of(const struct rp_rc *rc)
{
	return rp_plays(rc->player, RDT_ACTIVE) ? RDT_ACTIVE : RDT_PASSIVE;
}

static bool number(const struct rp_rc *rc, unsigned role, const char *suffix, uint32_t *ret)
{
	const struct rp_symbol *symbol =
		rp_symbol_of(rc->player->env.symbols, rc->player->script->roles[role].name, suffix);

	*ret = (uint32_t)symbol->num & RDT_PSN_MASK;
	return symbol->origin != RP_UNBOUND;
}

/* The path MTU that the REQ announced. */
static size_t mtu(const struct rp_rc *rc)
{
	for (guint i = 0; i < rc->player->recs->len; i++) {
		const struct rp_rec *rec = rc->player->recs->pdata[i];
		struct rp_image image;
		const uint8_t *hdr;

		if (!rec->got || rec->got->msg.family != RP_CM ||
		    rec->got->msg.code != RDT_MSG_REQ || !rp_item_image(rec->got, &image))
			continue;
		hdr = rp_image_hdr(&image, RDT_F_req_path_mtu);
		if (hdr && rdt_req_path_mtu(hdr) >= 1 && rdt_req_path_mtu(hdr) <= 5)
			return (size_t)128 << rdt_req_path_mtu(hdr);
	}
	return 1024;
}

static struct rp_item *packet(struct rp_rc *rc, uint8_t opcode, uint32_t psn, const uint8_t *ext,
			      const uint8_t *payload, size_t len, bool ack_req, bool se)
{
	const unsigned self = self_of(rc);
	struct rp_item *item = rp_item_new((enum rdt_side)self, 0);
	struct rdt_packet p = { .encap = RDT_ENCAP_ROCEV2,
				.ethernet = 1,
				.opcode = opcode,
				.pkey = 0xffff,
				.psn = psn,
				.ext = ext,
				.payload = payload,
				.payload_len = len,
				.ack_req = ack_req,
				.se = se,
				.src = rc->player->env.addr[self],
				.dst = rc->player->env.addr[!self] };

	number(rc, !self, "qpn", &p.dest_qpn);
	if (!rp_item_encode(item, &p)) {
		rp_item_free(item);
		return NULL;
	}
	item->msg = (struct rp_msg){ RP_PACKET, opcode };
	return item;
}

/* The operation in flight is over: why is NULL or what went wrong, and taken. */
static void finish(struct rp_rc *rc, char *why)
{
	struct rp_op *op = rc->op ? &rc->op->op : NULL;

	if (op && !why && rc->reply->len) {
		g_free(op->reply);
		op->reply = g_memdup2(rc->reply->data, rc->reply->len);
		op->reply_len = rc->reply->len;
	}
	rc->op = NULL;
	rc->done = true;
	g_free(rc->why);
	rc->why = why;
	rc->deadline = INT64_MAX;
}

/* What cannot be sent now cannot be sent again either: an operation of ours ends with it. */
static void transmit(struct rp_rc *rc, struct rp_item *item)
{
	char *why = NULL;

	if (!item || rc->send(rc->user, item, &why))
		return;
	if (rc->op)
		finish(rc, why ? why : g_strdup("it could not be sent"));
	else
		g_free(why);
}

static void answer(struct rp_rc *rc, uint8_t opcode, uint32_t psn, const uint8_t *ext,
		   const uint8_t *payload, size_t len)
{
	struct rp_item *item = packet(rc, opcode, psn, ext, payload, len, false, false);

	transmit(rc, item);
	rp_item_free(item);
}

static void fill_aeth(const struct rp_rc *rc, uint8_t aeth[RDT_LEN_aeth], unsigned kind,
		      unsigned value)
{
	memset(aeth, 0, RDT_LEN_aeth);
	rdt_aeth_set_kind(aeth, kind);
	rdt_aeth_set_value(aeth, value);
	rdt_aeth_set_msn(aeth, rc->msn & RDT_PSN_MASK);
}

#define ACK 0u
#define RNR 1u
#define NAK 3u
#define NO_CREDITS 31u

static void acknowledge(struct rp_rc *rc, uint32_t psn, unsigned kind, unsigned value)
{
	uint8_t aeth[RDT_LEN_aeth];

	fill_aeth(rc, aeth, kind, value);
	answer(rc, RDT_OP_RC_ACK, psn, aeth, NULL, 0);
}

/* ---- requests of ours ----------------------------------------------------------------------------- */

static void push(struct rp_rc *rc, uint8_t opcode, const uint8_t *ext, const uint8_t *payload,
		 size_t len, bool last, bool se)
{
	struct rp_item *item = packet(rc, opcode, rdt_psn_add(rc->next_psn, 0), ext, payload, len,
				      last, last && se);

	if (!item)
		return;
	g_ptr_array_add(rc->packets, item);
	rc->last_psn = rc->next_psn;
	rc->next_psn = rdt_psn_add(rc->next_psn, 1);
}

static uint8_t last_opcode(uint8_t kind, bool only)
{
	switch (kind) {
	case RP_OP_SEND_IMM:
		return only ? RDT_OP_RC_SEND_ONLY_IMM : RDT_OP_RC_SEND_LAST_IMM;
	case RP_OP_SEND_INV:
		return only ? RDT_OP_RC_SEND_ONLY_INV : RDT_OP_RC_SEND_LAST_INV;
	case RP_OP_WRITE:
		return only ? RDT_OP_RC_WRITE_ONLY : RDT_OP_RC_WRITE_LAST;
	case RP_OP_WRITE_IMM:
		return only ? RDT_OP_RC_WRITE_ONLY_IMM : RDT_OP_RC_WRITE_LAST_IMM;
	default:
		return only ? RDT_OP_RC_SEND_ONLY : RDT_OP_RC_SEND_LAST;
	}
}

/* SENDs and WRITEs: as many packets as the MTU asks for. */
static void push_message(struct rp_rc *rc, const struct rp_op *op)
{
	const bool write = op->kind == RP_OP_WRITE || op->kind == RP_OP_WRITE_IMM;
	const size_t size = mtu(rc), count = MAX((op->payload_len + size - 1) / size, 1u);

	for (size_t i = 0; i < count; i++) {
		const bool first = !i, last = i + 1 == count;
		uint8_t ext[RDT_LEN_reth + RDT_LEN_immdt];
		size_t n = 0;
		uint8_t opcode;

		if (last)
			opcode = last_opcode(op->kind, first);
		else if (write)
			opcode = first ? RDT_OP_RC_WRITE_FIRST : RDT_OP_RC_WRITE_MIDDLE;
		else
			opcode = first ? RDT_OP_RC_SEND_FIRST : RDT_OP_RC_SEND_MIDDLE;
		if (write && first) {
			memcpy(ext, op->reth, RDT_LEN_reth);
			n = RDT_LEN_reth;
		}
		if (last && (op->kind == RP_OP_SEND_IMM || op->kind == RP_OP_WRITE_IMM))
			memcpy(ext + n, op->immdt, RDT_LEN_immdt);
		if (last && op->kind == RP_OP_SEND_INV)
			memcpy(ext + n, op->ieth, RDT_LEN_ieth);
		push(rc, opcode, ext, op->payload ? op->payload + i * size : NULL,
		     MIN(size, op->payload_len - i * size), last, rdt_bth_se(op->bth));
	}
}

static void send_packets(struct rp_rc *rc, int64_t now, uint32_t from_psn)
{
	for (guint i = 0; i < rc->packets->len && rc->op; i++) {
		struct rp_item *item = rc->packets->pdata[i];
		size_t len;
		const uint8_t *bth = rp_item_bth(item, &len);

		if (rdt_psn_diff(rdt_bth_psn(bth), from_psn) >= 0 || rc->packets->len == 1)
			transmit(rc, item);
	}
	if (rc->op)
		rc->deadline = now + RESEND_NS;
}

bool rp_rc_start(struct rp_rc *rc, struct rp_item *item, int64_t now, char **ret_why)
{
	const unsigned self = self_of(rc);
	struct rp_op *op = &item->op;
	uint32_t qpn, answers;

	if (!rc->begun && !number(rc, self, "psn", &rc->next_psn)) {
		*ret_why = g_strdup_printf("no message has told the first PSN and the QPN of %s; "
					   "an operation needs a connection, or bind lines",
					   rc->player->script->roles[!self].name);
		return false;
	}
	if (!number(rc, !self, "qpn", &qpn)) {
		*ret_why = g_strdup("the peer's QPN is not known");
		return false;
	}
	rc->begun = true;
	rc->op = item;
	rc->done = false;
	rc->tries = rc->rnr_tries = 0;
	rc->first_psn = rc->next_psn;
	g_ptr_array_set_size(rc->packets, 0);
	g_byte_array_set_size(rc->reply, 0);
	switch (op->kind) {
	case RP_OP_READ:
		push(rc, RDT_OP_RC_READ_REQUEST, op->reth, NULL, 0, true, false);
		answers = (uint32_t)MAX((rdt_reth_dma_len(op->reth) + mtu(rc) - 1) / mtu(rc), 1u);
		rc->next_psn = rdt_psn_add(rc->first_psn, answers);
		rc->last_psn = rdt_psn_add(rc->next_psn, RDT_PSN_MASK);
		break;
	case RP_OP_CMP_SWAP:
		push(rc, RDT_OP_RC_CMP_SWAP, op->atomiceth, NULL, 0, true, false);
		break;
	case RP_OP_FETCH_ADD:
		push(rc, RDT_OP_RC_FETCH_ADD, op->atomiceth, NULL, 0, true, false);
		break;
	default:
		push_message(rc, op);
		break;
	}
	send_packets(rc, now, rc->first_psn);
	return true;
}

bool rp_rc_done(struct rp_rc *rc, char **ret_why)
{
	if (!rc->done)
		return false;
	rc->done = false;
	*ret_why = rc->why;
	rc->why = NULL;
	return true;
}

static void on_nak(struct rp_rc *rc, unsigned kind, unsigned value, uint32_t psn, int64_t now)
{
	const struct rdt_name *name;

	if (kind == RNR) {
		if (++rc->rnr_tries > RNR_RETRIES)
			finish(rc, g_strdup("the peer had no receive ready (RNR) for too long"));
		else
			rc->deadline = now + RNR_NS;
		return;
	}
	if (value == 0) {
		/* PSN sequence error: something was lost. */
		if (++rc->tries > RETRIES)
			finish(rc, g_strdup("the peer misses packets again and again"));
		else
			send_packets(rc, now, psn);
		return;
	}
	name = rdt_name_find(RDT_NAMES_nak_code, value);
	finish(rc, g_strdup_printf("the peer answered NAK %s",
				   name ? name->key : "of an unknown code"));
}

static void on_response(struct rp_rc *rc, const struct rdt_pkt *pkt, int64_t now)
{
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	const uint8_t *aeth = rdt_pkt_aeth(pkt);
	const bool read = rc->op && rc->op->op.kind == RP_OP_READ;

	if (!rc->op || rdt_psn_diff(psn, rc->first_psn) < 0)
		return;
	if (aeth && (rdt_aeth_kind(aeth) == RNR || rdt_aeth_kind(aeth) == NAK)) {
		on_nak(rc, rdt_aeth_kind(aeth), rdt_aeth_value(aeth), psn, now);
		return;
	}
	if (read) {
		const uint32_t place = (uint32_t)rdt_psn_diff(psn, rc->first_psn);

		if (!pkt->op->payload || (size_t)place * mtu(rc) != rc->reply->len ||
		    pkt->payload_len > pkt->have - pkt->op->hdr_len)
			return;
		g_byte_array_append(rc->reply, rdt_pkt_payload(pkt), pkt->payload_len);
		if (pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY)
			finish(rc, NULL);
		return;
	}
	if (rdt_pkt_atomicacketh(pkt)) {
		g_byte_array_set_size(rc->reply, 0);
		g_byte_array_append(rc->reply, rdt_pkt_atomicacketh(pkt), RDT_LEN_atomicacketh);
		finish(rc, NULL);
	} else if (rdt_psn_diff(psn, rc->last_psn) >= 0) {
		finish(rc, NULL);
	}
}

int64_t rp_rc_deadline(const struct rp_rc *rc)
{
	return rc->op ? rc->deadline : INT64_MAX;
}

void rp_rc_timer(struct rp_rc *rc, int64_t now)
{
	if (!rc->op || now < rc->deadline)
		return;
	if (++rc->tries > RETRIES + rc->rnr_tries)
		finish(rc, g_strdup_printf("the peer did not acknowledge it, though it was sent %u "
					   "times",
					   rc->tries));
	else
		send_packets(rc, now, rc->first_psn);
}

/* ---- requests of the peer --------------------------------------------------------------------------- */

static void answer_read(struct rp_rc *rc, const struct rp_op *op, uint32_t psn)
{
	const size_t size = mtu(rc), count = MAX((op->reply_len + size - 1) / size, 1u);

	for (size_t i = 0; i < count; i++) {
		const bool first = !i, last = i + 1 == count;
		uint8_t aeth[RDT_LEN_aeth];
		const uint8_t opcode = first && last ? RDT_OP_RC_READ_RESP_ONLY
				       : first       ? RDT_OP_RC_READ_RESP_FIRST
				       : last        ? RDT_OP_RC_READ_RESP_LAST
						     : RDT_OP_RC_READ_RESP_MIDDLE;

		fill_aeth(rc, aeth, ACK, NO_CREDITS);
		answer(rc, opcode, rdt_psn_add(psn, (uint32_t)i), aeth, op->reply + i * size,
		       MIN(size, op->reply_len - i * size));
	}
}

/* Everything of it is there: do it, answer it. False when it may not be done. */
static bool complete(struct rp_rc *rc, struct rp_item *item, uint32_t psn, bool ack)
{
	struct rp_op *op = &item->op;
	uint8_t ext[RDT_LEN_aeth + RDT_LEN_atomicacketh];

	if (op->kind == RP_OP_READ && rdt_reth_dma_len(op->reth) > RP_BYTES_MAX)
		return false;
	if (!rp_memory_apply(&rc->player->memories, op))
		return false;
	rc->msn++;
	switch (op->kind) {
	case RP_OP_READ:
		answer_read(rc, op, psn);
		break;
	case RP_OP_CMP_SWAP:
	case RP_OP_FETCH_ADD:
		fill_aeth(rc, ext, ACK, NO_CREDITS);
		memcpy(ext + RDT_LEN_aeth, op->reply, RDT_LEN_atomicacketh);
		answer(rc, RDT_OP_RC_ATOMIC_ACK, psn, ext, NULL, 0);
		break;
	default:
		if (ack)
			acknowledge(rc, psn, ACK, NO_CREDITS);
		break;
	}
	return true;
}

static void begin_in(struct rp_rc *rc, const struct rp_item *from, const struct rdt_pkt *pkt)
{
	if (pkt->op->place != RDT_OP_FIRST && pkt->op->place != RDT_OP_ONLY && rc->in)
		return;
	rp_item_free(rc->in);
	rc->in = rp_item_new((enum rdt_side) !self_of(rc), from->ns);
	g_byte_array_set_size(rc->in_bytes, 0);
}

static struct rp_item *in_order(struct rp_rc *rc, const struct rp_item *from,
				const struct rdt_pkt *pkt, uint32_t psn)
{
	struct rp_item *item;
	const bool ack = rdt_bth_ack_req(pkt->bth);
	uint32_t packets = 1;
	uint8_t kind;

	if (!rp_op_kind(rdt_bth_opcode(pkt->bth), &kind))
		return NULL;
	begin_in(rc, from, pkt);
	item = rc->in;
	item->op.kind = kind;
	item->msg = (struct rp_msg){ RP_OP, kind };
	memcpy(item->op.bth, pkt->bth, RDT_LEN_bth);
	if (rdt_pkt_reth(pkt))
		memcpy(item->op.reth, rdt_pkt_reth(pkt), RDT_LEN_reth);
	if (rdt_pkt_atomiceth(pkt))
		memcpy(item->op.atomiceth, rdt_pkt_atomiceth(pkt), RDT_LEN_atomiceth);
	if (rdt_pkt_immdt(pkt))
		memcpy(item->op.immdt, rdt_pkt_immdt(pkt), RDT_LEN_immdt);
	if (rdt_pkt_ieth(pkt))
		memcpy(item->op.ieth, rdt_pkt_ieth(pkt), RDT_LEN_ieth);
	if (pkt->op->payload && rc->in_bytes->len + pkt->payload_len <= RP_BYTES_MAX)
		g_byte_array_append(rc->in_bytes, rdt_pkt_payload(pkt),
				    MIN(pkt->payload_len, pkt->have - pkt->op->hdr_len));
	if (kind == RP_OP_READ)
		packets = (uint32_t)MAX(
			(MIN(rdt_reth_dma_len(item->op.reth), RP_BYTES_MAX) + mtu(rc) - 1) /
				mtu(rc),
			1u);
	rc->expected_psn = rdt_psn_add(psn, packets);
	rc->nak_sent = false;
	if (pkt->op->place != RDT_OP_LAST && pkt->op->place != RDT_OP_ONLY) {
		if (ack)
			acknowledge(rc, psn, ACK, NO_CREDITS);
		return NULL;
	}
	item->op.payload_len = rc->in_bytes->len;
	item->op.payload = g_memdup2(rc->in_bytes->data, rc->in_bytes->len + !rc->in_bytes->len);
	rc->in = NULL;
	if (!complete(rc, item, psn, ack)) {
		acknowledge(rc, psn, NAK, 2); /* remote access error */
		rc->expected_psn = psn;
	}
	return item;
}

/* It came before: answer again, do nothing again. */
static void again(struct rp_rc *rc, const struct rdt_pkt *pkt, uint32_t psn)
{
	struct rp_op op = { .kind = RP_OP_READ };

	if (rdt_bth_opcode(pkt->bth) == RDT_OP_RC_READ_REQUEST) {
		memcpy(op.reth, rdt_pkt_reth(pkt), RDT_LEN_reth);
		if (rdt_reth_dma_len(op.reth) <= RP_BYTES_MAX &&
		    rp_memory_apply(&rc->player->memories, &op))
			answer_read(rc, &op, psn);
		rp_op_clear(&op);
		return;
	}
	acknowledge(rc, rdt_psn_add(rc->expected_psn, RDT_PSN_MASK), ACK, NO_CREDITS);
}

bool rp_rc_packet(struct rp_rc *rc, const struct rp_item *packet_in, int64_t now,
		  struct rp_item **ret_op)
{
	const unsigned self = self_of(rc);
	struct rdt_pkt pkt;
	uint32_t qpn, psn;
	size_t len;
	const uint8_t *bth = rp_item_bth(packet_in, &len);

	*ret_op = NULL;
	if (!bth || rdt_pkt_parse(bth, len, len, &pkt) != RDT_OK ||
	    !number(rc, self, "qpn", &qpn) || rdt_bth_dest_qpn(bth) != qpn)
		return false;
	psn = rdt_bth_psn(bth);
	if (pkt.op->kind == RDT_OP_RESPONSE) {
		on_response(rc, &pkt, now);
		return true;
	}
	if (pkt.op->kind != RDT_OP_REQUEST)
		return true;
	if (!rc->expecting) {
		/* Announced by us; where it was not, the first one counts. */
		if (!number(rc, !self, "psn", &rc->expected_psn))
			rc->expected_psn = psn;
		rc->expecting = true;
	}
	if (psn == rc->expected_psn)
		*ret_op = in_order(rc, packet_in, &pkt, psn);
	else if (rdt_psn_diff(psn, rc->expected_psn) < 0)
		again(rc, &pkt, psn);
	else if (!rc->nak_sent) {
		rc->nak_sent = true;
		acknowledge(rc, rc->expected_psn, NAK, 0); /* PSN sequence error */
	}
	return true;
}
