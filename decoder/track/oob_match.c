// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packets of the QPs that an exchange announced. Once both sides have told theirs, the flow tables know
 * where packets belong. Here is what they cannot know before the first packet: the service (texts do not
 * say RC, UC or UD), the transport, and packets that come from elsewhere than was told.
 */
#include "oob.h"

#include <string.h>

#include "rdmatrace/psn.h"

/* An acknowledge is at most this many PSNs past the first that was announced. */
#define FIRST_WINDOW 65536

static uint64_t qpn_key(uint32_t addr, uint32_t number)
{
	return (uint64_t)(addr + 1) << 24 | number;
}

static uint32_t owner(const struct slot *s, enum rdt_side side)
{
	return s->index << 1 | side;
}

void oob_await(struct rdt_tracker *t, struct slot *s, enum rdt_side side)
{
	const struct rdt_end *e = &s->pub.end[side];

	map_put(&t->announced, qpn_key(e->addr, e->qpn), owner(s, side));
	if (s->priv[side].alt_addr != SLOT_NONE)
		map_put(&t->announced, qpn_key(s->priv[side].alt_addr, e->qpn), owner(s, side));
	/* Whom it will talk to is not known yet: its first PSN would tell. */
	map_put(&t->first_psns, qpn_key(e->addr, e->psn), owner(s, side));
}

static void forget(struct rdt_tracker *t, const struct slot *s, enum rdt_side side)
{
	const struct rdt_end *e = &s->pub.end[side];

	if (!e->has_qpn)
		return;
	map_remove(&t->announced, qpn_key(e->addr, e->qpn), owner(s, side));
	if (s->priv[side].alt_addr != SLOT_NONE)
		map_remove(&t->announced, qpn_key(s->priv[side].alt_addr, e->qpn), owner(s, side));
}

static void forget_psn(struct rdt_tracker *t, const struct slot *s, enum rdt_side side)
{
	const struct rdt_end *e = &s->pub.end[side];

	if (e->has_psn)
		map_remove(&t->first_psns, qpn_key(e->addr, e->psn), owner(s, side));
}

void oob_pair(struct rdt_tracker *t, struct slot *s)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		forget_psn(t, s, (enum rdt_side)side);
		conn_bind_qpn(t, s, (enum rdt_side)side, s->pub.end[side].qpn);
	}
	data_bind_ud(t, s, s->pub.end[RDT_ACTIVE].qpn);
}

void oob_unbind(struct rdt_tracker *t, const struct slot *s)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		forget(t, s, (enum rdt_side)side);
		forget_psn(t, s, (enum rdt_side)side);
	}
	data_unbind_ud(t, s);
}

/* ---- the first packets ------------------------------------------------------------------------------- */

/* What the first packet shows of a connection. */
static void learn(struct slot *s, const struct rdt_frame *frame, const struct rdt_pkt *pkt)
{
	static const uint8_t transports[] = {
		[RDT_ENCAP_NONE] = RDT_TRANSPORT_NONE,
		[RDT_ENCAP_ROCEV2] = RDT_TRANSPORT_ROCEV2,
		[RDT_ENCAP_ROCEV1] = RDT_TRANSPORT_ROCEV1,
		[RDT_ENCAP_IB] = RDT_TRANSPORT_IB,
	};

	s->pub.established = 1;
	if (s->pub.transport == RDT_TRANSPORT_NONE)
		s->pub.transport = transports[frame->encap];
	if (s->pub.service == RDT_CONN_SERVICE_UNKNOWN)
		s->pub.service =
			conn_service(rdt_opcode_service((uint8_t)rdt_bth_opcode(pkt->bth)));
}

/* Can this packet, from an address that sender did not tell, be sender's first? */
static bool is_first(const struct slot *s, enum rdt_side sender, const struct rdt_pkt *pkt)
{
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	const struct rdt_end *own = &s->pub.end[sender],
			     *peer = &s->pub.end[rdt_side_other(sender)];
	const int32_t answers = rdt_psn_diff(psn, peer->psn);

	if (pkt->op->kind == RDT_OP_RESPONSE)
		return peer->has_psn && answers >= 0 && answers < FIRST_WINDOW;
	return own->has_psn && psn == own->psn;
}

/* A packet to a QP that receiver announced. */
static void claim(struct rdt_tracker *t, struct slot *s, enum rdt_side receiver,
		  const struct rdt_frame *frame, const struct rdt_pkt *pkt, uint32_t src)
{
	const enum rdt_side sender = rdt_side_other(receiver);
	const struct rdt_told *told = &s->exchange->told[sender];
	const uint8_t *deth = rdt_pkt_deth(pkt);
	struct rdt_end *e = &s->pub.end[sender];

	if (deth && told->frame && rdt_deth_src_qpn(deth) != e->qpn)
		return;
	if (src != e->addr && src != s->priv[sender].alt_addr) {
		if (told->frame && !is_first(s, sender, pkt))
			return;
		s->exchange->told[sender].addr_differs = told->frame != 0;
		conn_move(t, s, sender, src);
	}
	/* Its text is not in the capture: all that is known of it is where it sends from. */
	if (!told->frame && deth && !e->has_qpn)
		conn_bind_qpn(t, s, sender, rdt_deth_src_qpn(deth));
	if (!told->frame)
		conn_bind_qpn(t, s, receiver, s->pub.end[receiver].qpn);
	if (!told->frame && e->has_qpn)
		data_bind_ud(t, s, s->pub.end[RDT_ACTIVE].qpn);
	learn(s, frame, pkt);
	forget(t, s, receiver);
}

/* A packet with the first PSN that sender announced, to a QP that nobody has. */
static void claim_by_psn(struct rdt_tracker *t, struct slot *s, enum rdt_side sender,
			 const struct rdt_frame *frame, const struct rdt_pkt *pkt, uint32_t dst)
{
	const enum rdt_side receiver = rdt_side_other(sender);
	const uint8_t *deth = rdt_pkt_deth(pkt);

	if (s->exchange->told[receiver].frame || pkt->op->kind != RDT_OP_REQUEST ||
	    (deth && rdt_deth_src_qpn(deth) != s->pub.end[sender].qpn))
		return;
	forget_psn(t, s, sender);
	conn_move(t, s, receiver, dst);
	conn_bind_qpn(t, s, receiver, rdt_bth_dest_qpn(pkt->bth));
	conn_bind_qpn(t, s, sender, s->pub.end[sender].qpn);
	data_bind_ud(t, s, s->pub.end[RDT_ACTIVE].qpn);
	s->exchange->by_psn = 1;
	learn(s, frame, pkt);
}

void oob_claim(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_pkt *pkt)
{
	uint32_t src, dst, who;
	struct slot *s;

	if (!(t->announced.used | t->first_psns.used) ||
	    rdt_opcode_service((uint8_t)rdt_bth_opcode(pkt->bth)) == RDT_SVC_CNP ||
	    !addr_pair(t, frame, &src, &dst))
		return;
	who = map_get(&t->announced, qpn_key(dst, rdt_bth_dest_qpn(pkt->bth)));
	s = who == RDT_MAP_NONE ? NULL : conn_slot(t, who >> 1);
	if (s) {
		claim(t, s, who & 1, frame, pkt, src);
		return;
	}
	if (!t->first_psns.used)
		return;
	who = map_get(&t->first_psns, qpn_key(src, rdt_bth_psn(pkt->bth)));
	s = who == RDT_MAP_NONE ? NULL : conn_slot(t, who >> 1);
	if (s)
		claim_by_psn(t, s, who & 1, frame, pkt, dst);
}

/* ---- what was told against what is used ----------------------------------------------------------------- */

void oob_check(struct rdt_tracker *t, const struct rdt_pkt *pkt, const struct rdt_when *when,
	       const struct rdt_verdict *verdict)
{
	struct slot *s = conn_slot(t, verdict->conn);
	const uint8_t *reth = rdt_pkt_reth(pkt), *atomic = rdt_pkt_atomiceth(pkt);
	struct rdt_told *told;
	uint32_t rkey;

	if (!s || s->pub.kind != RDT_CONN_OOB || !(reth || atomic))
		return;
	told = &s->exchange->told[rdt_side_other((enum rdt_side)verdict->side)];
	rkey = reth ? rdt_reth_rkey(reth) : rdt_atomiceth_rkey(atomic);
	if (!told->access_frame) {
		told->access_frame = when->frame;
		told->access_rkey = rkey;
		told->access_va = reth ? rdt_reth_va(reth) : rdt_atomiceth_va(atomic);
	}
	if (told->frame && told->has >> RDT_TELLS_RKEY & 1 && rkey != told->rkey &&
	    !told->other_rkey_frame)
		told->other_rkey_frame = when->frame;
}

/* ---- reading it back ------------------------------------------------------------------------------------ */

#define X(s, key, text) key,
const char *rdt_gids_key(enum rdt_gids gids)
{
	static const char *const keys[] = { RDT_GIDS_LIST(X) };

	return gids < RDT_GIDS_COUNT ? keys[gids] : NULL;
}
#undef X

#define X(s, key, text) text,
const char *rdt_gids_text(enum rdt_gids gids)
{
	static const char *const texts[] = { RDT_GIDS_LIST(X) };

	return gids < RDT_GIDS_COUNT ? texts[gids] : NULL;
}
#undef X

enum rdt_gids rdt_exchange_gids(const struct rdt_exchange *exchange)
{
	struct rdt_addr addr[RDT_SIDES];
	bool local[RDT_SIDES];

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_told *told = &exchange->told[side];

		if (!told->frame || !(told->has >> RDT_TELLS_GID & 1))
			return RDT_GIDS_UNKNOWN;
		addr[side] = rdt_addr_gid(told->gid);
		local[side] = told->gid[0] == 0xfe && (told->gid[1] & 0xc0) == 0x80;
		/* With LIDs packets need no GID. */
		if (addr[side].kind == RDT_ADDR_NONE)
			return told->lid ? RDT_GIDS_FINE : RDT_GIDS_ZERO;
	}
	if ((addr[0].kind == RDT_ADDR_IPV4) != (addr[1].kind == RDT_ADDR_IPV4))
		return RDT_GIDS_MIXED;
	if (local[0] != local[1])
		return RDT_GIDS_LINK_LOCAL_ONE;
	return local[0] ? RDT_GIDS_LINK_LOCAL : RDT_GIDS_FINE;
}

const struct rdt_exchange *rdt_tracker_exchange(const struct rdt_tracker *t,
						const struct rdt_conn *conn)
{
	(void)t;
	return conn->kind == RDT_CONN_OOB ? ((const struct slot *)(const void *)conn)->exchange
					  : NULL;
}

const struct rdt_iwarp *rdt_tracker_iwarp(const struct rdt_tracker *t, const struct rdt_conn *conn)
{
	(void)t;
	return conn->kind == RDT_CONN_MPA ? ((const struct slot *)(const void *)conn)->iwarp : NULL;
}
