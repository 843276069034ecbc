// SPDX-License-Identifier: BSD-2-Clause
#include "replay/ops.h"

#include <string.h>

#include "rdmatrace/psn.h"
#include "replay/script.h"

/* One direction: what the side requests. */
struct half {
	struct rp_item *open; /* the SEND or WRITE whose last packet has not come */
	uint32_t next_psn;
	bool begun;
	struct {
		struct rp_item *item;
		uint32_t psn; /* of its first packet */
	} recent[16];         /* a NAK names the PSN of what it refuses */
	unsigned next_recent;
	GQueue *reads; /* of struct pending *: READs and atomics that were not answered */
};

struct pending {
	struct rp_item *item;
	uint32_t first_psn, packets, got;
};

struct rp_ops {
	struct half half[RDT_SIDES];
};

struct rp_ops *rp_ops_new(void)
{
	struct rp_ops *ops = g_new0(struct rp_ops, 1);

	for (unsigned i = 0; i < RDT_SIDES; i++)
		ops->half[i].reads = g_queue_new();
	return ops;
}

void rp_ops_free(struct rp_ops *ops)
{
	for (unsigned i = 0; ops && i < RDT_SIDES; i++)
		g_queue_free_full(ops->half[i].reads, g_free);
	g_free(ops);
}

static void append(uint8_t **bytes, size_t *len, const uint8_t *more, size_t count)
{
	if (!more || *len + count > RP_BYTES_MAX)
		count = *len + count > RP_BYTES_MAX ? 0 : count;
	*bytes = g_realloc(*bytes, *len + count + 1);
	if (more)
		memcpy(*bytes + *len, more, count);
	else
		memset(*bytes + *len, 0, count);
	*len += count;
}

bool rp_op_kind(unsigned op, uint8_t *ret_kind)
{
	switch (op) {
	case RDT_OP_RC_SEND_FIRST:
	case RDT_OP_RC_SEND_MIDDLE:
	case RDT_OP_RC_SEND_LAST:
	case RDT_OP_RC_SEND_ONLY:
		*ret_kind = RP_OP_SEND;
		return true;
	case RDT_OP_RC_SEND_LAST_IMM:
	case RDT_OP_RC_SEND_ONLY_IMM:
		*ret_kind = RP_OP_SEND_IMM;
		return true;
	case RDT_OP_RC_SEND_LAST_INV:
	case RDT_OP_RC_SEND_ONLY_INV:
		*ret_kind = RP_OP_SEND_INV;
		return true;
	case RDT_OP_RC_WRITE_FIRST:
	case RDT_OP_RC_WRITE_MIDDLE:
	case RDT_OP_RC_WRITE_LAST:
	case RDT_OP_RC_WRITE_ONLY:
		*ret_kind = RP_OP_WRITE;
		return true;
	case RDT_OP_RC_WRITE_LAST_IMM:
	case RDT_OP_RC_WRITE_ONLY_IMM:
		*ret_kind = RP_OP_WRITE_IMM;
		return true;
	case RDT_OP_RC_READ_REQUEST:
		*ret_kind = RP_OP_READ;
		return true;
	case RDT_OP_RC_CMP_SWAP:
		*ret_kind = RP_OP_CMP_SWAP;
		return true;
	case RDT_OP_RC_FETCH_ADD:
		*ret_kind = RP_OP_FETCH_ADD;
		return true;
	default:
		return false;
	}
}

static void copy_headers(struct rp_op *op, const struct rdt_pkt *pkt)
{
	memcpy(op->bth, pkt->bth, RDT_LEN_bth);
	if (rdt_pkt_reth(pkt))
		memcpy(op->reth, rdt_pkt_reth(pkt), RDT_LEN_reth);
	if (rdt_pkt_atomiceth(pkt))
		memcpy(op->atomiceth, rdt_pkt_atomiceth(pkt), RDT_LEN_atomiceth);
	if (rdt_pkt_immdt(pkt))
		memcpy(op->immdt, rdt_pkt_immdt(pkt), RDT_LEN_immdt);
	if (rdt_pkt_ieth(pkt))
		memcpy(op->ieth, rdt_pkt_ieth(pkt), RDT_LEN_ieth);
}

/* How many packets answer a READ: not known before the MTU is; learned from the first answer. */
static void wait_for_answer(struct half *h, struct rp_item *item, uint32_t psn)
{
	struct pending *p = g_new0(struct pending, 1);

	p->item = item;
	p->first_psn = psn;
	g_queue_push_tail(h->reads, p);
	if (g_queue_get_length(h->reads) > 4096)
		g_free(g_queue_pop_head(h->reads));
}

static bool request(struct half *h, const struct rp_item *packet, const struct rdt_pkt *pkt,
		    GPtrArray *items)
{
	const uint8_t opcode = (uint8_t)rdt_bth_opcode(pkt->bth);
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	const uint8_t *payload = pkt->op->payload ? rdt_pkt_payload(pkt) : NULL;
	struct rp_item *item;
	uint8_t kind;

	if (!rp_op_kind(opcode & 0x1f, &kind))
		return false;
	/* Seen before: a repetition. READ answers take PSNs too, so a gap forward is no loss. */
	if (h->begun && rdt_psn_diff(psn, h->next_psn) < 0)
		return true;
	h->begun = true;
	h->next_psn = rdt_psn_add(psn, 1);
	if (pkt->op->place == RDT_OP_FIRST || pkt->op->place == RDT_OP_ONLY || !h->open) {
		item = rp_item_new((enum rdt_side)packet->from, packet->ns);
		item->frame = packet->frame;
		item->msg = (struct rp_msg){ RP_OP, kind };
		g_ptr_array_add(items, item);
		copy_headers(&item->op, pkt);
		h->open = item;
		h->recent[h->next_recent % G_N_ELEMENTS(h->recent)].item = item;
		h->recent[h->next_recent++ % G_N_ELEMENTS(h->recent)].psn = psn;
	}
	item = h->open;
	/* What it is, immediate data and all, its last packet says. */
	item->op.kind = item->msg.code = kind;
	copy_headers(&item->op, pkt);
	if (payload)
		append(&item->op.payload, &item->op.payload_len, payload,
		       MIN(pkt->payload_len, pkt->have - pkt->op->hdr_len));
	if (kind == RP_OP_READ || kind == RP_OP_CMP_SWAP || kind == RP_OP_FETCH_ADD)
		wait_for_answer(h, item, psn);
	if (pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY)
		h->open = NULL;
	return true;
}

#define NAK 3u
#define SEQUENCE_ERROR 0u

/* A NAK that is final: the operation that has this PSN was refused. */
static void refuse(struct half *h, uint32_t psn)
{
	struct rp_item *best = NULL;
	int32_t nearest = 0x800000;

	for (size_t i = 0; i < G_N_ELEMENTS(h->recent); i++) {
		const int32_t d = rdt_psn_diff(psn, h->recent[i].psn);

		if (h->recent[i].item && d >= 0 && d < nearest) {
			nearest = d;
			best = h->recent[i].item;
		}
	}
	if (best)
		best->op.refused = true;
}

static void response(struct half *requester, const struct rdt_pkt *pkt)
{
	struct pending *p = g_queue_peek_head(requester->reads);
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	const uint8_t *aeth = rdt_pkt_aeth(pkt);
	struct rp_op *op;

	if (aeth && rdt_aeth_kind(aeth) == NAK && rdt_aeth_value(aeth) != SEQUENCE_ERROR)
		refuse(requester, psn);
	if (!p || (!pkt->op->payload && !rdt_pkt_atomicacketh(pkt)))
		return;
	/* Each answer has the PSN of its place: another one is a repetition. */
	if (psn != rdt_psn_add(p->first_psn, p->got))
		return;
	op = &p->item->op;
	p->got++;
	if (pkt->op->payload)
		append(&op->reply, &op->reply_len, rdt_pkt_payload(pkt),
		       MIN(pkt->payload_len, pkt->have - pkt->op->hdr_len));
	else
		append(&op->reply, &op->reply_len, rdt_pkt_atomicacketh(pkt), RDT_LEN_atomicacketh);
	if (rdt_psn_diff(rdt_psn_add(psn, 1), requester->next_psn) > 0)
		requester->next_psn = rdt_psn_add(psn, 1);
	if (pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY)
		g_free(g_queue_pop_head(requester->reads));
}

bool rp_ops_feed(struct rp_ops *ops, const struct rp_item *packet, GPtrArray *items)
{
	struct rdt_pkt pkt;
	size_t len;
	const uint8_t *bth = rp_item_bth(packet, &len);
	enum rdt_service service;

	if (!bth || rdt_pkt_parse(bth, len, len, &pkt) != RDT_OK)
		return false;
	service = rdt_opcode_service((uint8_t)rdt_bth_opcode(bth));
	if (service != RDT_SVC_RC && service != RDT_SVC_UC)
		return false;
	if (pkt.op->kind == RDT_OP_REQUEST)
		return request(&ops->half[packet->from], packet, &pkt, items);
	response(&ops->half[!packet->from], &pkt);
	return true;
}
