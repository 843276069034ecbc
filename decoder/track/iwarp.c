// SPDX-License-Identifier: BSD-2-Clause
/* What the start frames and the FPDUs of an iWARP connection say. */
#include "mpa.h"

#include "rdmatrace/field.h"
#include "rdmatrace/text.h"

#define X(s, key, text) key,
const char *rdt_rtr_key(enum rdt_rtr rtr)
{
	static const char *const keys[] = { RDT_RTR_LIST(X) };

	return rtr < RDT_RTR_COUNT ? keys[rtr] : NULL;
}
#undef X

#define X(s, key, text) text,
const char *rdt_rtr_text(enum rdt_rtr rtr)
{
	static const char *const texts[] = { RDT_RTR_LIST(X) };

	return rtr < RDT_RTR_COUNT ? texts[rtr] : NULL;
}
#undef X

static void count(uint32_t *counter)
{
	*counter += *counter < UINT32_MAX;
}

/* ---- start frames --------------------------------------------------------------------------------- */

static uint8_t rtr_kinds(const uint8_t *mpa2)
{
	return (uint8_t)((rdt_mpa2_rtr_send(mpa2) ? RDT_RTR_SEND : 0) |
			 (rdt_mpa2_rtr_write(mpa2) ? RDT_RTR_WRITE : 0) |
			 (rdt_mpa2_rtr_read(mpa2) ? RDT_RTR_READ : 0));
}

/* What both sides together have agreed on. */
static void agree(struct rdt_iwarp *i)
{
	const struct rdt_iwarp_end *a = &i->end[RDT_ACTIVE], *p = &i->end[RDT_PASSIVE];

	i->crc_used = a->crc || p->crc;
	if (!a->has_start || !p->has_start || !a->peer_to_peer || !p->peer_to_peer || p->reject)
		return;
	i->rtr_agreed = a->rtr & p->rtr;
	i->rtr = i->rtr_agreed ? RDT_RTR_IS_WAITING : RDT_RTR_IS_NO_COMMON;
}

void iwarp_start(struct rdt_tracker *t, struct slot *s, enum rdt_side from, const uint8_t *frame,
		 uint32_t have, uint32_t number)
{
	struct rdt_iwarp_end *e;

	(void)t;
	if (!s->iwarp)
		return;
	e = &s->iwarp->end[from];
	e->start_frame = number;
	e->has_start = 1;
	if (have < RDT_LEN_mpa)
		return;
	e->rev = (uint8_t)rdt_mpa_rev(frame);
	e->markers = rdt_mpa_markers(frame);
	e->crc = rdt_mpa_crc(frame);
	e->reject = from == RDT_PASSIVE && rdt_mpa_reject(frame);
	e->pd_length = (uint16_t)rdt_mpa_pd_length(frame);
	/* The flag means this from revision 2 on; before, it was reserved. */
	if (e->rev >= 2 && rdt_mpa_enhanced(frame) && e->pd_length >= RDT_LEN_mpa2 &&
	    have >= RDT_LEN_mpa + RDT_LEN_mpa2) {
		const uint8_t *mpa2 = frame + RDT_LEN_mpa;

		e->enhanced = 1;
		e->peer_to_peer = rdt_mpa2_peer_to_peer(mpa2);
		e->rtr = rtr_kinds(mpa2);
		e->ird = (uint16_t)rdt_mpa2_ird(mpa2);
		e->ord = (uint16_t)rdt_mpa2_ord(mpa2);
	}
	agree(s->iwarp);
}

/* ---- FPDUs ---------------------------------------------------------------------------------------- */

/* A DDP segment as its headers tell. */
struct ddp {
	unsigned opcode;
	uint32_t payload; /* message bytes in it */
	uint32_t header;  /* bytes before them */
	bool last;
};

/* Read the headers; false when they were not captured, or contradict themselves (*ret_bad). */
static bool read_ddp(const struct fpdu_seen *fpdu, struct ddp *ret_ddp, bool *ret_bad)
{
	static const uint8_t inner[RDT_RDMAP_OPCODES] = {
		[RDT_RDMAP_READ_REQUEST] = RDT_LEN_rdmap_read,
		[RDT_RDMAP_ATOMIC_REQUEST] = RDT_LEN_rdmap_atomic,
		[RDT_RDMAP_ATOMIC_RESPONSE] = RDT_LEN_rdmap_atomic_resp,
		[RDT_RDMAP_IMM] = RDT_LEN_rdmap_imm,
		[RDT_RDMAP_IMM_SE] = RDT_LEN_rdmap_imm,
	};
	const uint8_t *h = fpdu->ulpdu;
	struct ddp ddp = { .header = RDT_LEN_ddp_untagged };
	bool tagged;

	*ret_bad = false;
	if (fpdu->have < RDT_NEED_ddp_tagged_opcode)
		return false;
	tagged = rdt_ddp_tagged_tagged(h);
	if (tagged)
		ddp.header = RDT_LEN_ddp_tagged;
	ddp.opcode = rdt_ddp_tagged_opcode(h);
	ddp.last = rdt_ddp_tagged_last(h);
	*ret_bad =
		rdt_ddp_tagged_dv(h) != 1 || rdt_ddp_tagged_rv(h) != 1 ||
		ddp.opcode >= RDT_RDMAP_OPCODES || fpdu->len < ddp.header ||
		tagged != (ddp.opcode == RDT_RDMAP_WRITE || ddp.opcode == RDT_RDMAP_READ_RESPONSE);
	if (*ret_bad)
		return false;
	ddp.header += inner[ddp.opcode];
	if (ddp.opcode == RDT_RDMAP_TERMINATE)
		ddp.header = fpdu->len;
	ddp.payload = fpdu->len > ddp.header ? fpdu->len - ddp.header : 0;
	*ret_ddp = ddp;
	return true;
}

/* The first message of the initiator, where a ready-to-receive was agreed on. */
static void check_rtr(struct rdt_iwarp *i, const struct fpdu_seen *fpdu, const struct ddp *ddp)
{
	unsigned kind = 0;

	if (i->rtr != RDT_RTR_IS_WAITING)
		return;
	if (ddp->opcode == RDT_RDMAP_SEND && !ddp->payload)
		kind = RDT_RTR_SEND;
	else if (ddp->opcode == RDT_RDMAP_WRITE && !ddp->payload)
		kind = RDT_RTR_WRITE;
	else if (ddp->opcode == RDT_RDMAP_READ_REQUEST &&
		 fpdu->have >= RDT_LEN_ddp_untagged + RDT_LEN_rdmap_read &&
		 !rdt_rdmap_read_size(fpdu->ulpdu + RDT_LEN_ddp_untagged))
		kind = RDT_RTR_READ;
	i->rtr = !kind                  ? RDT_RTR_IS_MISSING
		 : kind & i->rtr_agreed ? RDT_RTR_IS_OK
					: RDT_RTR_IS_OTHER;
}

static void terminate(struct flow_packet *p, struct slot *s, enum rdt_side from,
		      const struct fpdu_seen *fpdu, const struct tcp_run *run)
{
	const struct mpa_message message = { .when = run->when,
					     .msg = RDT_MSG_TERMINATE,
					     .tx = RDT_CM_EV_TX_TERMINATE,
					     .rx = RDT_CM_EV_RX_TERMINATE,
					     .snapped = fpdu->have < fpdu->len &&
							fpdu->have < FPDU_HEAD - RDT_LEN_fpdu,
					     .body = fpdu->ulpdu,
					     .have = fpdu->have };
	struct rdt_iwarp_end *e = s->iwarp ? &s->iwarp->end[from] : NULL;

	if (e && !e->term_frame) {
		const struct rdt_name *error = NULL;
		int swapped = 0;

		e->term_frame = run->when.frame;
		if (fpdu->have >= RDT_LEN_ddp_untagged + RDT_LEN_terminate)
			error = rdt_terminate_error(fpdu->ulpdu + RDT_LEN_ddp_untagged, &swapped);
		e->term_known = error != NULL;
		e->term_error = error ? (uint16_t)error->value : 0;
		e->term_swapped = swapped != 0;
	}
	mpa_tell(p, from, &message);
}

static void check_crc(struct rdt_iwarp_end *e, const struct fpdu_seen *fpdu, uint32_t frame)
{
	switch (fpdu->crc) {
	case FPDU_CRC_OK:
		count(&e->crc_ok);
		break;
	case FPDU_CRC_BAD:
		if (!e->crc_bad)
			e->crc_bad_frame = frame;
		count(&e->crc_bad);
		break;
	case FPDU_CRC_UNKNOWN:
		count(&e->crc_unknown);
		break;
	case FPDU_CRC_UNUSED:
		break;
	}
}

void iwarp_fpdu(struct flow_packet *p, struct slot *s, enum rdt_side from,
		const struct fpdu_seen *fpdu, const struct tcp_run *run)
{
	struct rdt_iwarp_end *e = s->iwarp ? &s->iwarp->end[from] : NULL;
	struct ddp ddp;
	bool bad;

	if (e) {
		count(&e->fpdus);
		if (!e->first_frame)
			e->first_frame = fpdu->first_frame;
		check_crc(e, fpdu, run->when.frame);
	}
	if (!read_ddp(fpdu, &ddp, &bad)) {
		if (e && bad && !e->malformed)
			e->malformed_frame = run->when.frame;
		if (e && bad)
			count(&e->malformed);
		return;
	}
	s->pub.end[from].data.bytes += ddp.payload;
	if (e && ddp.last)
		count(&e->messages[ddp.opcode]);
	if (e && from == RDT_ACTIVE && e->fpdus == 1 && !e->gaps)
		check_rtr(s->iwarp, fpdu, &ddp);
	if (ddp.opcode == RDT_RDMAP_TERMINATE)
		terminate(p, s, from, fpdu, run);
}

void iwarp_marker(struct slot *s, enum rdt_side from, bool good, uint32_t frame)
{
	struct rdt_iwarp_end *e = s->iwarp ? &s->iwarp->end[from] : NULL;

	if (!e)
		return;
	count(good ? &e->markers_ok : &e->markers_bad);
	if (!good && !e->marker_bad_frame)
		e->marker_bad_frame = frame;
}

void iwarp_lost(struct slot *s, enum rdt_side from, uint32_t n, bool first)
{
	struct rdt_iwarp_end *e = s->iwarp ? &s->iwarp->end[from] : NULL;

	if (!e)
		return;
	e->unframed += n;
	if (first)
		count(&e->gaps);
}
