// SPDX-License-Identifier: BSD-2-Clause
/* CM messages: from a datagram on QP1 to its connection and what it says there. */
#include "internal.h"

#include "rdmatrace/field.h"

/* A CM message as the capture has it. */
struct cm_in {
	const struct rdt_when *when;
	const uint8_t *mad, *body;
	size_t have; /* bytes captured of body */
	uint64_t tid;
	uint32_t src, dst;      /* addresses of sender and receiver */
	uint32_t local, remote; /* comm ids as in the message; SIDR: request id, 0 */
	uint32_t fp;
	enum rdt_msg msg;
	uint8_t icrc;
	uint8_t snapped;
};

/* Is a field of the body captured? */
#define HAS(in, hdr, field) ((in)->have >= RDT_NEED_##hdr##_##field)

/* Where private data begin. */
#define PRIVATE(hdr) (RDT_NEED_##hdr##_private_data - RDT_SIZE_##hdr##_private_data)

/* ---- what each message does ------------------------------------------------------------------ */

static const struct {
	uint16_t attr;
	uint8_t tx, place; /* RX is tx + 1 */
	uint8_t two_ids;   /* carries both comm ids */
} kinds[RDT_MSG_COUNT] = {
	[RDT_MSG_REQ] = { RDT_CM_ATTR_REQ, RDT_CM_EV_TX_REQ, COPY_OPEN, 0 },
	[RDT_MSG_MRA] = { RDT_CM_ATTR_MRA, RDT_CM_EV_TX_MRA_REQ, COPY_MRA, 1 },
	[RDT_MSG_REJ] = { RDT_CM_ATTR_REJ, RDT_CM_EV_TX_REJ, COPY_REJ, 1 },
	[RDT_MSG_REP] = { RDT_CM_ATTR_REP, RDT_CM_EV_TX_REP, COPY_OPEN, 1 },
	[RDT_MSG_RTU] = { RDT_CM_ATTR_RTU, RDT_CM_EV_TX_RTU, COPY_RTU, 1 },
	[RDT_MSG_DREQ] = { RDT_CM_ATTR_DREQ, RDT_CM_EV_TX_DREQ, COPY_DREQ, 1 },
	[RDT_MSG_DREP] = { RDT_CM_ATTR_DREP, RDT_CM_EV_TX_DREP, COPY_DREP, 1 },
	[RDT_MSG_SIDR_REQ] = { RDT_CM_ATTR_SIDR_REQ, RDT_CM_EV_TX_SIDR_REQ, COPY_OPEN, 0 },
	[RDT_MSG_SIDR_REP] = { RDT_CM_ATTR_SIDR_REP, RDT_CM_EV_TX_SIDR_REP, COPY_OPEN, 0 },
	[RDT_MSG_LAP] = { RDT_CM_ATTR_LAP, RDT_CM_EV_TX_LAP, COPY_LAP, 1 },
	[RDT_MSG_APR] = { RDT_CM_ATTR_APR, RDT_CM_EV_TX_APR, COPY_LAP, 1 },
};

static enum rdt_msg msg_of(unsigned attr)
{
	for (unsigned msg = RDT_MSG_REQ; msg <= RDT_MSG_APR; msg++)
		if (kinds[msg].attr == attr)
			return msg;
	return RDT_MSG_COUNT;
}

static bool is_sidr(enum rdt_msg msg)
{
	return msg == RDT_MSG_SIDR_REQ || msg == RDT_MSG_SIDR_REP;
}

/* The event at the sender; the receiver's is the next one. */
static enum rdt_cm_event tx_event(const struct cm_in *in)
{
	if (in->msg == RDT_MSG_MRA && HAS(in, mra, msg_mraed)) {
		if (rdt_mra_msg_mraed(in->body) == RDT_MRAED_REP)
			return RDT_CM_EV_TX_MRA_REP;
		if (rdt_mra_msg_mraed(in->body) == RDT_MRAED_LAP)
			return RDT_CM_EV_TX_MRA_LAP;
	}
	if (in->msg == RDT_MSG_REJ && HAS(in, rej, reason) &&
	    rdt_rej_reason(in->body) == RDT_REJ_STALE_CONN)
		return RDT_CM_EV_TX_REJ_STALE;
	if (in->msg == RDT_MSG_SIDR_REP && HAS(in, sidr_rep, status) &&
	    rdt_sidr_rep_status(in->body) != RDT_SIDR_SUCCESS)
		return RDT_CM_EV_TX_SIDR_REFUSE;
	return kinds[in->msg].tx;
}

static enum copy_place copy_place(const struct cm_in *in)
{
	return tx_event(in) == RDT_CM_EV_TX_MRA_LAP ? COPY_MRA_LAP : kinds[in->msg].place;
}

uint32_t copy_count(struct slot *s, enum rdt_side side, enum copy_place place, uint32_t fp,
		    uint8_t *ret_kind)
{
	struct end_priv *priv = &s->priv[side];
	const uint32_t copy = priv->copies[place];

	*ret_kind = RDT_COPY_FIRST;
	if (copy)
		*ret_kind = fp == priv->fp[0] || fp == priv->fp[1] ? RDT_COPY_DUPLICATED
								   : RDT_COPY_RESENT;
	if (copy < UINT16_MAX)
		priv->copies[place]++;
	priv->fp[1] = priv->fp[0];
	priv->fp[0] = fp;
	return copy;
}

void msg_emit(struct rdt_tracker *t, struct slot *s, struct rdt_msg_rec *rec,
	      struct rdt_verdict *verdict)
{
	t->stats.msgs++;
	s->pub.msgs++;
	s->pub.retries += rec->copy > 0;
	s->pub.unexpected += rec->unexpected;
	if (rec->when.ns > s->pub.last_ns)
		s->pub.last_ns = rec->when.ns;
	*verdict = (struct rdt_verdict){ .conn = s->index,
					 .side = rec->from,
					 .is_msg = 1,
					 .msg = rec->msg,
					 .icrc = rec->icrc,
					 .copy = rec->copy };
	if (t->sink.msg)
		t->sink.msg(t->sink.user, &s->pub, rec);
}

/* ---- to which connection ------------------------------------------------------------------- */

static struct slot *by_id(const struct rdt_tracker *t, uint32_t addr, uint32_t id,
			  enum rdt_side *ret_side)
{
	const uint32_t owner = map_get(&t->ids, id_key(addr, id));
	struct slot *s = owner == RDT_MAP_NONE ? NULL : conn_slot(t, owner >> 1);

	if (s)
		*ret_side = owner & 1;
	return s;
}

static bool is_over(const struct slot *s, enum rdt_side side)
{
	return s->pub.end[side].cm_state == RDT_CM_TIMEWAIT ||
	       s->pub.end[side].cm_state == RDT_CM_DONE;
}

/* Is this request the one that opened s, sent again? */
static bool same_request(const struct slot *s, const struct cm_in *in)
{
	const struct rdt_conn *c = &s->pub;

	if (c->kind != (is_sidr(in->msg) ? RDT_CONN_SIDR : RDT_CONN_CM) || c->tid != in->tid ||
	    c->mid)
		return false;
	if (in->msg == RDT_MSG_REQ && HAS(in, req, local_qpn) && c->end[RDT_ACTIVE].has_qpn &&
	    rdt_req_local_qpn(in->body) != c->end[RDT_ACTIVE].qpn)
		return false;
	if (in->msg == RDT_MSG_REQ && HAS(in, req, starting_psn) && c->end[RDT_PASSIVE].has_psn &&
	    rdt_req_starting_psn(in->body) != c->end[RDT_PASSIVE].psn)
		return false;
	/* The same words after the end are a new question, unless the network said them twice. */
	return !is_over(s, RDT_ACTIVE) || c->kind == RDT_CONN_SIDR ||
	       in->fp == s->priv[RDT_ACTIVE].fp[0] || in->fp == s->priv[RDT_ACTIVE].fp[1];
}

/* The id by which the peer of side is known, or "not yet". */
static bool fits(const struct slot *s, enum rdt_side side, uint32_t id)
{
	return !s->pub.end[side].has_comm_id || s->pub.end[side].comm_id == id;
}

/* The connection of a message that is not a request, and who sent it; NULL when it has none. */
static struct slot *find(const struct rdt_tracker *t, const struct cm_in *in,
			 enum rdt_side *ret_from)
{
	struct slot *s;
	enum rdt_side side;

	if (in->msg == RDT_MSG_SIDR_REP) {
		s = by_id(t, in->dst, in->local, &side);
		*ret_from = RDT_PASSIVE;
		return s && s->pub.kind == RDT_CONN_SIDR && side == RDT_ACTIVE ? s : NULL;
	}
	/* The receiver's id first: in a REJ the sender's may be anything (kernel cm_issue_rej). */
	if (in->remote || in->msg == RDT_MSG_REP) {
		s = by_id(t, in->dst, in->remote, &side);
		if (s && s->pub.kind == RDT_CONN_CM &&
		    (in->msg != RDT_MSG_REP || side == RDT_ACTIVE) &&
		    (in->msg == RDT_MSG_REJ || fits(s, rdt_side_other(side), in->local))) {
			*ret_from = rdt_side_other(side);
			return s;
		}
	}
	if (in->local) {
		s = by_id(t, in->src, in->local, &side);
		if (s && s->pub.kind == RDT_CONN_CM &&
		    (!in->remote || fits(s, rdt_side_other(side), in->remote))) {
			*ret_from = side;
			return s;
		}
	}
	return NULL;
}

/* Who must have sent a message whose connection began before the capture. */
static enum rdt_side likely_sender(const struct cm_in *in, bool *ret_guess)
{
	const enum rdt_cm_event event = tx_event(in);

	*ret_guess = false;
	if (in->msg == RDT_MSG_REP || in->msg == RDT_MSG_SIDR_REP || event == RDT_CM_EV_TX_MRA_REQ)
		return RDT_PASSIVE;
	if (in->msg == RDT_MSG_RTU || event == RDT_CM_EV_TX_MRA_REP)
		return RDT_ACTIVE;
	if (in->msg == RDT_MSG_REJ && HAS(in, rej, msg_rejected)) {
		if (rdt_rej_msg_rejected(in->body) == RDT_REJECTED_REQ)
			return RDT_PASSIVE;
		if (rdt_rej_msg_rejected(in->body) == RDT_REJECTED_REP)
			return RDT_ACTIVE;
	}
	*ret_guess = true;
	return RDT_ACTIVE;
}

static struct slot *begin(struct rdt_tracker *t, const struct rdt_frame *frame,
			  const struct cm_in *in, enum rdt_side from)
{
	const enum rdt_conn_kind kind = is_sidr(in->msg) ? RDT_CONN_SIDR : RDT_CONN_CM;
	struct slot *s = conn_new(t, kind, frame, in->when, from == RDT_ACTIVE ? in->src : in->dst,
				  from == RDT_ACTIVE ? in->dst : in->src);

	if (s) {
		s->pub.tid = in->tid;
		s->pub.service = kind == RDT_CONN_SIDR ? 3 : 0;
	}
	return s;
}

/* ---- what the messages carry -------------------------------------------------------------- */

static void learn_service_id(struct slot *s, uint64_t svc)
{
	const uint64_t space = svc >> 16;

	s->pub.svc = svc;
	s->pub.has_svc = 1;
	if (space <= UINT16_MAX && rdt_name_find(RDT_NAMES_port_space, space)) {
		s->pub.port_space = (uint16_t)space;
		s->pub.p_port = (uint16_t)svc;
	}
}

/* The program's own port, where private data begins with the RDMA IP CM header. */
static void learn_ipcm(struct slot *s, const uint8_t *data, size_t have)
{
	if (s->pub.port_space < RDT_PS_TCP || have < RDT_NEED_ipcm_src_port)
		return;
	if (rdt_ipcm_major_version(data) || rdt_ipcm_minor_version(data) ||
	    (rdt_ipcm_ip_version(data) != 4 && rdt_ipcm_ip_version(data) != 6))
		return;
	s->pub.a_port = (uint16_t)rdt_ipcm_src_port(data);
	s->pub.has_a_port = 1;
}

/* An address by which the REQ names an end, where the packet shows another one. */
static void learn_alt(struct rdt_tracker *t, struct slot *s, enum rdt_side side, const uint8_t *gid,
		      uint32_t lid)
{
	struct rdt_addr addr = rdt_addr_gid(gid);
	uint32_t index;

	if (s->pub.transport == RDT_TRANSPORT_IB && lid && lid != 0xffff)
		addr = rdt_addr_lid((uint16_t)lid);
	if (addr.kind == RDT_ADDR_NONE ||
	    rdt_addr_equal(&addr, rdt_tracker_addr(t, s->pub.end[side].addr)))
		return;
	index = addr_index(t, &addr);
	if (index != RDT_CONN_NONE)
		s->priv[side].alt_addr = index;
}

static void learn_req(struct rdt_tracker *t, struct slot *s, const struct cm_in *in)
{
	struct rdt_end *a = &s->pub.end[RDT_ACTIVE], *p = &s->pub.end[RDT_PASSIVE];
	const uint8_t *b = in->body;

	if (HAS(in, req, service_id))
		learn_service_id(s, rdt_req_service_id(b));
	if (HAS(in, req, primary_remote_gid)) {
		learn_alt(t, s, RDT_ACTIVE, rdt_req_primary_local_gid(b),
			  rdt_req_primary_local_lid(b));
		learn_alt(t, s, RDT_PASSIVE, rdt_req_primary_remote_gid(b),
			  rdt_req_primary_remote_lid(b));
	}
	conn_bind_id(t, s, RDT_ACTIVE, in->local);
	if (HAS(in, req, transport_service)) {
		s->pub.service = (uint8_t)rdt_req_transport_service(b);
		if (s->pub.service == RDT_SERVICE_EXT)
			s->pub.service = 4;
	}
	if (HAS(in, req, initiator_depth)) {
		a->resources = (uint8_t)rdt_req_responder_resources(b);
		a->depth = (uint8_t)rdt_req_initiator_depth(b);
	}
	if (HAS(in, req, local_qpn))
		conn_bind_qpn(t, s, RDT_ACTIVE, rdt_req_local_qpn(b));
	if (HAS(in, req, starting_psn)) {
		p->psn = rdt_req_starting_psn(b);
		p->has_psn = 1;
		a->flow_control = rdt_req_flow_control(b);
	}
	if (HAS(in, req, primary_ack_timeout)) {
		a->rnr_retry = (uint8_t)rdt_req_rnr_retry_count(b) & 7;
		a->srq = rdt_req_srq(b);
		s->pub.params = (struct rdt_params){
			.remote_cm_resp_timeout = (uint8_t)rdt_req_remote_cm_resp_timeout(b),
			.local_cm_resp_timeout = (uint8_t)rdt_req_local_cm_resp_timeout(b),
			.max_cm_retries = (uint8_t)rdt_req_max_cm_retries(b),
			.retry_count = (uint8_t)rdt_req_retry_count(b),
			.path_mtu = (uint8_t)rdt_req_path_mtu(b),
			.ack_timeout = (uint8_t)rdt_req_primary_ack_timeout(b),
			.has_req = 1,
		};
	}
	if (in->have > PRIVATE(req))
		learn_ipcm(s, rdt_req_private_data(b), in->have - PRIVATE(req));
}

static void learn_rep(struct rdt_tracker *t, struct slot *s, const struct cm_in *in)
{
	struct rdt_end *a = &s->pub.end[RDT_ACTIVE], *p = &s->pub.end[RDT_PASSIVE];
	const uint8_t *b = in->body;

	if (!p->has_comm_id)
		conn_bind_id(t, s, RDT_PASSIVE, in->local);
	if (!a->has_comm_id)
		conn_bind_id(t, s, RDT_ACTIVE, in->remote);
	if (HAS(in, rep, local_eecn)) {
		/* An XRC target has no send side of its own: its QPN stands in the EECN field. */
		const uint32_t qpn = s->pub.service == RDT_CONN_XRC && !rdt_rep_local_qpn(b)
					     ? rdt_rep_local_eecn(b)
					     : rdt_rep_local_qpn(b);

		conn_bind_qpn(t, s, RDT_PASSIVE, qpn);
		s->pub.bound = a->has_qpn;
	}
	if (HAS(in, rep, starting_psn)) {
		a->psn = rdt_rep_starting_psn(b);
		a->has_psn = 1;
	}
	if (HAS(in, rep, srq)) {
		p->resources = (uint8_t)rdt_rep_responder_resources(b);
		p->depth = (uint8_t)rdt_rep_initiator_depth(b);
		p->rnr_retry = (uint8_t)rdt_rep_rnr_retry_count(b) & 7;
		p->srq = rdt_rep_srq(b);
		p->flow_control = rdt_rep_flow_control(b);
		s->pub.params.target_ack_delay = (uint8_t)rdt_rep_target_ack_delay(b);
		s->pub.params.has_rep = 1;
	}
	s->pub.has_rep = 1;
	s->pub.rep_ns = in->when->ns;
	s->pub.rep_frame = in->when->frame;
}

/* Nothing but zero in len bytes. */
static bool all_zero(const uint8_t *p, size_t len)
{
	while (len && !*p) {
		p++;
		len--;
	}
	return !len;
}

/*
 * Who refused, as far as a REJ shows (how kernel cm.c and cma.c make them): a reason other than
 * 28 and 35 comes from the kernel; those come from the program, save a REJ of a REQ without an id
 * of its own and without private data, which rdma_cm sends before any program is asked.
 */
static uint8_t rej_by(const struct cm_in *in)
{
	const uint8_t *b = in->body;

	if (!HAS(in, rej, reason))
		return RDT_REJ_BY_UNKNOWN;
	switch (rdt_rej_reason(b)) {
	case RDT_REJ_CONSUMER:
	case RDT_REJ_VENDOR_OPTION:
		if (in->local || rdt_rej_msg_rejected(b) != RDT_REJECTED_REQ)
			return RDT_REJ_BY_APPLICATION;
		if (!HAS(in, rej, private_data))
			return RDT_REJ_BY_UNKNOWN;
		return all_zero(rdt_rej_private_data(b), RDT_SIZE_rej_private_data)
			       ? RDT_REJ_BY_KERNEL
			       : RDT_REJ_BY_APPLICATION;
	case RDT_REJ_TIMEOUT:
	case RDT_REJ_INVALID_SERVICE_ID:
	case RDT_REJ_STALE_CONN:
	case RDT_REJ_PRIMARY_GID:
	case RDT_REJ_ALT_GID:
		return RDT_REJ_BY_KERNEL;
	default:
		return in->local ? RDT_REJ_BY_APPLICATION : RDT_REJ_BY_UNKNOWN;
	}
}

static void learn_rej(struct rdt_tracker *t, struct slot *s, const struct cm_in *in,
		      enum rdt_side from)
{
	const enum rdt_side peer = rdt_side_other(from);

	/* A stateless REJ has no id of its own: bytes of the REQ stand there. */
	if (in->local && !s->pub.end[from].has_comm_id && rej_by(in) == RDT_REJ_BY_APPLICATION)
		conn_bind_id(t, s, from, in->local);
	if (in->remote && !s->pub.end[peer].has_comm_id)
		conn_bind_id(t, s, peer, in->remote);
	if (s->pub.has_rej || !HAS(in, rej, reason))
		return;
	s->pub.has_rej = 1;
	s->pub.rej_reason = (uint16_t)rdt_rej_reason(in->body);
	s->pub.rej_msg = (uint8_t)rdt_rej_msg_rejected(in->body) & 3;
	s->pub.rej_side = (uint8_t)from;
	s->pub.rej_by = rej_by(in);
	s->pub.rej_frame = in->when->frame;
}

static void learn_sidr(struct rdt_tracker *t, struct slot *s, const struct cm_in *in)
{
	const uint8_t *b = in->body;

	if (in->msg == RDT_MSG_SIDR_REQ) {
		conn_bind_id(t, s, RDT_ACTIVE, in->local);
		if (HAS(in, sidr_req, service_id))
			learn_service_id(s, rdt_sidr_req_service_id(b));
		if (in->have > PRIVATE(sidr_req))
			learn_ipcm(s, rdt_sidr_req_private_data(b), in->have - PRIVATE(sidr_req));
		return;
	}
	if (s->pub.has_rep || !HAS(in, sidr_rep, status))
		return;
	s->pub.has_rep = 1;
	s->pub.rep_ns = in->when->ns;
	s->pub.rep_frame = in->when->frame;
	s->pub.sidr_status = (uint8_t)rdt_sidr_rep_status(b);
	s->pub.rej_reason = s->pub.sidr_status;
	if (s->pub.sidr_status == RDT_SIDR_REJECT)
		s->pub.rej_by = RDT_REJ_BY_APPLICATION;
	else if (s->pub.sidr_status)
		s->pub.rej_by = RDT_REJ_BY_KERNEL;
	if (HAS(in, sidr_rep, qpn) && s->pub.sidr_status == RDT_SIDR_SUCCESS)
		conn_bind_qpn(t, s, RDT_PASSIVE, rdt_sidr_rep_qpn(b));
}

static void learn_others(struct rdt_tracker *t, struct slot *s, const struct cm_in *in,
			 enum rdt_side from)
{
	const enum rdt_side peer = rdt_side_other(from);

	if (in->local && !s->pub.end[from].has_comm_id)
		conn_bind_id(t, s, from, in->local);
	if (in->remote && !s->pub.end[peer].has_comm_id)
		conn_bind_id(t, s, peer, in->remote);
	if (in->msg == RDT_MSG_DREQ && HAS(in, dreq, remote_qpn) && !s->pub.end[peer].has_qpn &&
	    s->pub.mid)
		conn_bind_qpn(t, s, peer, rdt_dreq_remote_qpn(in->body));
	if (in->msg == RDT_MSG_DREQ && !s->pub.dreq_frame)
		s->pub.dreq_frame = in->when->frame;
	if (in->msg == RDT_MSG_DREP && !s->pub.drep_frame) {
		s->pub.drep_frame = in->when->frame;
		s->pub.drep_ns = in->when->ns;
	}
	if (in->msg == RDT_MSG_MRA && HAS(in, mra, service_timeout)) {
		s->priv[peer].has_mra = 1;
		s->priv[peer].mra_timeout = (uint8_t)rdt_mra_service_timeout(in->body);
	}
}

static void learn(struct rdt_tracker *t, struct slot *s, const struct cm_in *in, enum rdt_side from,
		  uint32_t copy)
{
	switch (in->msg) {
	case RDT_MSG_REQ:
		if (!copy)
			learn_req(t, s, in);
		break;
	case RDT_MSG_REP:
		if (!s->pub.has_rep)
			learn_rep(t, s, in);
		break;
	case RDT_MSG_REJ:
		learn_rej(t, s, in, from);
		break;
	case RDT_MSG_SIDR_REQ:
	case RDT_MSG_SIDR_REP:
		if (!copy)
			learn_sidr(t, s, in);
		break;
	case RDT_MSG_RTU:
		if (!s->pub.has_up) {
			s->pub.has_up = 1;
			s->pub.up_ns = in->when->ns;
			s->pub.rtu_frame = in->when->frame;
		}
		learn_others(t, s, in, from);
		break;
	case RDT_MSG_MRA:
	case RDT_MSG_DREQ:
	case RDT_MSG_DREP:
	case RDT_MSG_LAP:
	case RDT_MSG_APR:
		learn_others(t, s, in, from);
		break;
	case RDT_MSG_MPA_REQ:
	case RDT_MSG_MPA_REP:
	case RDT_MSG_TERMINATE:
	case RDT_MSG_TCP_FIN:
	case RDT_MSG_TCP_RST:
	case RDT_MSG_OOB:
	case RDT_MSG_OOB_DONE:
	case RDT_MSG_COUNT:
		break;
	}
}

/*
 * Does the receiver take it? It drops what its ICRC shows damaged, and (Linux) a DREQ that names
 * another QP than its own; and a REP that it goes on asking for does not reach it.
 */
static bool receiver_takes(const struct slot *s, const struct cm_in *in, enum rdt_side to)
{
	if (in->icrc == RDT_ICRC_BAD)
		return false;
	if (in->msg == RDT_MSG_REP && s->priv[to].reply_lost)
		return false; /* until what it sends shows that one came */
	return in->msg != RDT_MSG_DREQ || !HAS(in, dreq, remote_qpn) || !s->pub.end[to].has_qpn ||
	       rdt_dreq_remote_qpn(in->body) == s->pub.end[to].qpn;
}

/* Has the passive side given up what the active one still asks for? */
static bool given_up(const struct slot *s)
{
	const unsigned active = s->pub.end[RDT_ACTIVE].cm_state;

	return s->pub.end[RDT_PASSIVE].cm_state == RDT_CM_DONE && !s->pub.refused &&
	       (active == RDT_CM_REQ_SENT || active == RDT_CM_MRA_REQ_RCVD);
}

/* What a REQ that was sent again shows of the time before. */
static void asked_again(struct rdt_tracker *t, struct slot *s, const struct cm_in *in)
{
	step_reply_lost(s, in->when->ns);
	if (!given_up(s))
		return;
	conn_forget_passive(t, s);
	step_reopen(t, s, in->when);
}

/* ---- the way of one message ------------------------------------------------------------------ */

static struct slot *place(struct rdt_tracker *t, const struct rdt_frame *frame,
			  const struct cm_in *in, enum rdt_side *ret_from)
{
	struct slot *s;
	bool guess;

	if (in->msg == RDT_MSG_REQ || in->msg == RDT_MSG_SIDR_REQ) {
		enum rdt_side side;

		*ret_from = RDT_ACTIVE;
		s = by_id(t, in->src, in->local, &side);
		if (s && side == RDT_ACTIVE && same_request(s, in))
			return s;
		s = begin(t, frame, in, RDT_ACTIVE);
		if (s)
			for (unsigned i = 0; i < RDT_SIDES; i++)
				s->pub.end[i].cm_state = RDT_CM_IDLE;
		return s;
	}
	s = find(t, in, ret_from);
	if (s)
		return s;
	*ret_from = likely_sender(in, &guess);
	s = begin(t, frame, in, *ret_from);
	if (!s)
		return NULL;
	s->pub.mid = 1;
	s->pub.roles_guessed = guess;
	if (in->msg == RDT_MSG_SIDR_REP)
		conn_bind_id(t, s, RDT_ACTIVE, in->local);
	return s;
}

static void deliver(struct rdt_tracker *t, const struct rdt_frame *frame, const struct cm_in *in,
		    struct rdt_verdict *verdict)
{
	const enum rdt_cm_event tx = tx_event(in);
	struct rdt_msg_rec rec = { .when = *in->when,
				   .tid = in->tid,
				   .local_comm_id = in->local,
				   .remote_comm_id = in->remote,
				   .msg = (uint8_t)in->msg,
				   .icrc = in->icrc,
				   .snapped = in->snapped,
				   .body_have = (uint32_t)in->have,
				   .body = in->body,
				   .attr_mod = rdt_mad_attr_mod(in->mad) };
	enum rdt_side from, to;
	struct slot *s = place(t, frame, in, &from);
	struct rdt_step sent, got = { .action = RDT_ACT_IGNORE };

	if (!s)
		return;
	to = rdt_side_other(from);
	timer_run(t, s, in->when->ns, false);
	rec.from = (uint8_t)from;
	rec.copy = copy_count(s, from, copy_place(in), in->fp, &rec.copy_kind);
	learn(t, s, in, from, rec.copy);
	if (in->msg == RDT_MSG_REQ && rec.copy_kind == RDT_COPY_RESENT)
		asked_again(t, s, in);
	if (!rec.copy && (in->msg == RDT_MSG_REQ || in->msg == RDT_MSG_SIDR_REQ)) {
		/* Only services of the RDMA IP CM have an rdma_cm id behind them, as far as one can tell. */
		s->priv[RDT_PASSIVE].owes_request = s->pub.port_space != 0;
		if (s->pub.port_space)
			step_resolve(t, s, in->when);
	}
	sent = step_side(t, s, from, tx, in->when);
	if (receiver_takes(s, in, to))
		got = step_side(t, s, to, (enum rdt_cm_event)(tx + 1), in->when);
	rec.unexpected = sent.action == RDT_ACT_UNEXPECTED || got.action == RDT_ACT_UNEXPECTED;
	msg_emit(t, s, &rec, verdict);
}

/* What two sightings of one packet have in common, and a packet sent again has not. */
static uint32_t fingerprint(const struct rdt_frame *frame, uint64_t tid)
{
	uint32_t ip_id = 0;

	if (frame->src.kind == RDT_ADDR_IPV4 && frame->encap == RDT_ENCAP_ROCEV2)
		ip_id = rdt_ipv4_id(frame->net);
	return (uint32_t)map_mix((uint64_t)rdt_bth_psn(frame->bth) << 32 ^ (uint64_t)ip_id << 16 ^
				 tid);
}

void cm_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_pkt *pkt,
	     const struct rdt_when *when, struct rdt_verdict *verdict)
{
	const uint8_t *mad = rdt_pkt_payload(pkt);
	const size_t have = pkt->have - pkt->op->hdr_len < pkt->payload_len
				    ? pkt->have - pkt->op->hdr_len
				    : pkt->payload_len;
	struct cm_in in = { .when = when, .mad = mad };

	if (have < RDT_LEN_mad) {
		t->stats.stray++;
		return;
	}
	if (rdt_mad_mgmt_class(mad) == RDT_CLASS_SA)
		resolve_sa(t, frame, mad, have, when);
	in.msg = rdt_mad_mgmt_class(mad) == RDT_CLASS_CM && rdt_mad_method(mad) == RDT_METHOD_SEND
			 ? msg_of(rdt_mad_attr_id(mad))
			 : RDT_MSG_COUNT;
	if (in.msg == RDT_MSG_COUNT) {
		t->stats.other_mads++;
		return;
	}
	in.body = mad + RDT_LEN_mad;
	in.have = have - RDT_LEN_mad;
	in.snapped = have < RDT_MAD_LEN && have < pkt->payload_len;
	if (in.have <
	    (kinds[in.msg].two_ids ? RDT_NEED_rtu_remote_comm_id : RDT_NEED_req_local_comm_id)) {
		t->stats.stray++;
		return;
	}
	/* All messages begin with the ids, or with the one they have. */
	in.local = rdt_rtu_local_comm_id(in.body);
	in.remote = kinds[in.msg].two_ids ? rdt_rtu_remote_comm_id(in.body) : 0;
	in.tid = rdt_mad_tid(mad);
	if (!addr_pair(t, frame, &in.src, &in.dst))
		return;
	in.fp = fingerprint(frame, in.tid);
	/* The hash is larger than the caches: let it come while the ICRC is computed. */
	map_prefetch(&t->ids, id_key(in.src, in.local));
	map_prefetch(&t->ids, id_key(in.dst, in.remote));
	if (in.msg == RDT_MSG_REQ && HAS(&in, req, local_qpn))
		map_prefetch(&t->flows, flow_key(in.dst, in.src, rdt_req_local_qpn(in.body)));
	if (in.msg == RDT_MSG_REP && HAS(&in, rep, local_qpn))
		map_prefetch(&t->flows, flow_key(in.dst, in.src, rdt_rep_local_qpn(in.body)));
	in.icrc =
		t->opts.skip_icrc ? RDT_ICRC_UNCHECKED : (uint8_t)rdt_icrc_check(frame, NULL, NULL);
	t->stats.icrc_bad += in.icrc == RDT_ICRC_BAD;
	deliver(t, frame, &in, verdict);
}
