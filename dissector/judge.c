/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which expert items a packet has. Decided once, on the first pass; experts.c has the words. */
#include "rdmacm.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/states.h"

#define ECN_CE 3u
#define METHOD_RESPONSE 0x80u

static uint64_t judge_icrc(enum rdt_icrc_state icrc)
{
	switch (icrc) {
	case RDT_ICRC_BAD:
		return EI_BIT(ICRC_BAD);
	case RDT_ICRC_ABSENT:
		return EI_BIT(ICRC_ABSENT);
	case RDT_ICRC_SPORT:
		return EI_BIT(ICRC_SPORT);
	case RDT_ICRC_UNCHECKED:
	case RDT_ICRC_OK:
	case RDT_ICRC_CUT: /* the packet is said to be cut */
	case RDT_ICRC_COUNT:
		break;
	}
	return 0;
}

static uint64_t judge_aeth(const uint8_t *aeth)
{
	switch (rdt_aeth_kind(aeth)) {
	case RDT_AETH_RNR:
		return EI_BIT(RNR);
	case RDT_AETH_NAK:
		return rdt_aeth_value(aeth) == RDT_NAK_PSN ? EI_BIT(NAK_SEQUENCE)
							   : EI_BIT(NAK_ERROR);
	default:
		return 0;
	}
}

static uint64_t judge_pkt(const struct rdt_pkt *pkt)
{
	const uint8_t *aeth = rdt_pkt_aeth(pkt), *mad = rdt_pkt_payload(pkt);
	uint64_t found = 0;

	if (aeth)
		found |= judge_aeth(aeth);
	if (rdt_opcode_service((uint8_t)rdt_bth_opcode(pkt->bth)) == RDT_SVC_CNP)
		found |= EI_BIT(CNP);
	if (rdt_bth_fecn(pkt->bth))
		found |= EI_BIT(CONGESTION);
	if (rdt_pkt_deth(pkt) && rdt_bth_dest_qpn(pkt->bth) <= RDT_QP1 &&
	    pkt->payload_len >= RDT_LEN_mad &&
	    pkt->have >= (size_t)pkt->op->hdr_len + RDT_LEN_mad &&
	    rdt_mad_method(mad) & METHOD_RESPONSE && rdt_mad_status(mad))
		found |= EI_BIT(MAD_STATUS);
	return found;
}

uint64_t judge_frame(const struct rdt_frame *frame, enum rdt_icrc_state icrc)
{
	const enum rdt_frame_problem problem = (enum rdt_frame_problem)frame->problem;
	uint64_t found = judge_icrc(icrc);
	struct rdt_pkt pkt;

	if (rdt_frame_problem_is_snap(problem))
		found |= EI_BIT(SNAPPED);
	else if (problem != RDT_PROBLEM_NONE && problem != RDT_PROBLEM_FRAGMENT)
		found |= EI_BIT(MALFORMED);
	if (frame->kind != RDT_FRAME_IB)
		return found;
	if (frame->bth_have < frame->bth_len)
		found |= EI_BIT(SNAPPED);
	if (frame->encap == RDT_ENCAP_ROCEV2 && (frame->tos & ECN_CE) == ECN_CE)
		found |= EI_BIT(CONGESTION);
	switch (rdt_pkt_parse(frame->bth, frame->bth_have, frame->bth_len, &pkt)) {
	case RDT_OK:
		return found | judge_pkt(&pkt);
	case RDT_SNAPPED:
		return found | EI_BIT(SNAPPED);
	case RDT_OPCODE:
		return found | (rdt_pkt_is_vendor(frame->bth, frame->bth_have, frame->bth_len)
					? EI_BIT(VENDOR)
					: EI_BIT(OPCODE));
	case RDT_MALFORMED:
	case RDT_RANGE:
	case RDT_NOT_FOUND:
	case RDT_SPACE:
	case RDT_NO_MEMORY:
	case RDT_SYNTAX:
		break;
	}
	return found | EI_BIT(MALFORMED);
}

bool is_give_up(const struct rdt_state_rec *rec)
{
	const enum rdt_cm_event event = (enum rdt_cm_event)rec->event;

	/* A REJ says so itself, and what the peer hears of it is not its own. */
	return (rec->machine == RDT_MACHINE_CM || rec->machine == RDT_MACHINE_MPA) &&
	       event != RDT_CM_EV_TX_REJ && !rdt_cm_event_is_rx(event) &&
	       rdt_step((enum rdt_machine)rec->machine, rec->from, event).action == RDT_ACT_GIVE_UP;
}

/* ---- messages ------------------------------------------------------------------------------------ */

static uint64_t judge_copy(const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	/* TCP's own repetitions are the TCP dissector's business. */
	if (!rec->copy || conn->kind == RDT_CONN_MPA || conn->kind == RDT_CONN_OOB)
		return 0;
	switch ((enum rdt_copy)rec->copy_kind) {
	case RDT_COPY_RESENT:
		return EI_BIT(RETRANSMISSION);
	case RDT_COPY_DUPLICATED:
		return EI_BIT(DUPLICATED);
	case RDT_COPY_CAPTURED:
		return EI_BIT(CAPTURED_TWICE);
	case RDT_COPY_FIRST:
	case RDT_COPY_COUNT:
		break;
	}
	return 0;
}

static uint64_t judge_rej(const struct message *m, const struct rdt_msg_rec *rec)
{
	if (rec->body_have >= RDT_NEED_rej_reason &&
	    rdt_rej_reason(rec->body) == RDT_REJ_STALE_CONN)
		return EI_BIT(STALE);
	switch ((enum rdt_rej_by)m->rej_by) {
	case RDT_REJ_BY_KERNEL:
		return EI_BIT(REJECT_KERNEL);
	case RDT_REJ_BY_APPLICATION:
		return EI_BIT(REJECT_APPLICATION);
	case RDT_REJ_BY_UNKNOWN:
	case RDT_REJ_BY_COUNT:
		break;
	}
	return EI_BIT(REJECT);
}

static uint64_t judge_said(const struct rdt_conn *conn, const struct message *m,
			   const struct rdt_msg_rec *rec)
{
	const struct rdt_end *to = &conn->end[rdt_side_other((enum rdt_side)rec->from)];

	switch ((enum rdt_msg)rec->msg) {
	case RDT_MSG_REJ:
		return judge_rej(m, rec);
	case RDT_MSG_SIDR_REP:
		return rec->body_have >= RDT_NEED_sidr_rep_status &&
				       rdt_sidr_rep_status(rec->body) != RDT_SIDR_SUCCESS
			       ? EI_BIT(SIDR_REFUSED)
			       : 0;
	case RDT_MSG_MPA_REP:
		return rec->body_have >= RDT_LEN_mpa && rdt_mpa_reject(rec->body)
			       ? EI_BIT(MPA_REJECT)
			       : 0;
	case RDT_MSG_MRA:
		return EI_BIT(MORE_TIME);
	case RDT_MSG_REP:
		/* IBTA Vol 1, 12.7.30: it issues at most as many READs as the requester takes. */
		return rec->body_have >= RDT_NEED_rep_initiator_depth && conn->params.has_req &&
				       rdt_rep_initiator_depth(rec->body) > to->resources
			       ? EI_BIT(PARAM_MISMATCH)
			       : 0;
	case RDT_MSG_DREQ:
		return rec->body_have >= RDT_NEED_dreq_remote_qpn && to->has_qpn &&
				       rdt_dreq_remote_qpn(rec->body) != to->qpn
			       ? EI_BIT(QPN_MISMATCH)
			       : 0;
	case RDT_MSG_REQ:
	case RDT_MSG_RTU:
	case RDT_MSG_DREP:
	case RDT_MSG_SIDR_REQ:
	case RDT_MSG_LAP:
	case RDT_MSG_APR:
	case RDT_MSG_MPA_REQ:
	case RDT_MSG_TCP_FIN:
	case RDT_MSG_TCP_RST:
	case RDT_MSG_OOB:
	case RDT_MSG_OOB_DONE:
	case RDT_MSG_COUNT:
		break;
	case RDT_MSG_TERMINATE:
		return EI_BIT(TERMINATE);
	}
	return 0;
}

uint64_t judge_message(const struct rdt_conn *conn, const struct message *m,
		       const struct rdt_msg_rec *rec, uint64_t peer_retry_ns)
{
	uint64_t found = judge_copy(conn, rec) | judge_said(conn, m, rec);

	if (rec->unexpected)
		found |= EI_BIT(UNEXPECTED);
	if (!rec->copy && m->waited_ns >= 0 && peer_retry_ns &&
	    (uint64_t)m->waited_ns > peer_retry_ns)
		found |= EI_BIT(SLOW);
	return found;
}
