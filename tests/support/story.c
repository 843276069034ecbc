// SPDX-License-Identifier: BSD-2-Clause
#include "support/story.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void story_begin(struct story *s, const struct rdt_track_opts *opts)
{
	*s = (struct story){
		.packet = { .encap = RDT_ENCAP_ROCEV2,
			    .ethernet = 1,
			    .mac_src = { 2, 0, 0, 0, 0, 2 },
			    .mac_dst = { 2, 0, 0, 0, 0, 1 },
			    .pkey = 0xffff },
		.addr = { rdt_addr_ipv4(0x0a000002), rdt_addr_ipv4(0x0a000001) },
		.id = { 0xa0000001, 0xb0000001 },
		.qpn = { 0x11, 0x21 },
		.starting_psn = { 0x100, 0x200 },
		.tid = 0x200000001,
		.svc = 0x0000000001061c06,
		.now = STORY_START,
		.max_cm_retries = 15,
		.ack_timeout = 19,
		.cm_timeout = 20,
		.target_ack_delay = 15,
		.path_mtu = 3,
		.retry_count = 7,
		.rnr_retry = { 7, 7 },
		.depth = { 2, 2 },
		.resources = { 4, 4 },
	};
	tracked_new(&s->t, opts);
}

void story_end(struct story *s)
{
	tracked_free(&s->t);
}

static uint32_t pick(uint32_t said, uint32_t usual)
{
	return said == NO_ID ? 0 : said ? said : usual;
}

static const uint8_t *gid(const struct story *s, unsigned side)
{
	return s->req_addr[side].kind ? s->req_addr[side].bytes : s->addr[side].bytes;
}

static void fill_req(const struct story *s, const struct say *w, uint8_t *b)
{
	rdt_req_set_service_id(b, w->svc ? w->svc : s->svc);
	rdt_req_set_local_ca_guid(b, 0x0200000000000000 + w->from);
	rdt_req_set_local_qpn(b, pick(w->qpn, s->qpn[w->from]));
	rdt_req_set_responder_resources(b, s->resources[RDT_ACTIVE]);
	rdt_req_set_initiator_depth(b, s->depth[RDT_ACTIVE]);
	rdt_req_set_remote_cm_resp_timeout(b, s->cm_timeout);
	rdt_req_set_local_cm_resp_timeout(b, s->cm_timeout);
	rdt_req_set_starting_psn(b, pick(w->starting_psn, s->starting_psn[RDT_ACTIVE]));
	rdt_req_set_retry_count(b, s->retry_count);
	rdt_req_set_rnr_retry_count(b, s->rnr_retry[RDT_ACTIVE]);
	rdt_req_set_max_cm_retries(b, s->max_cm_retries);
	rdt_req_set_path_mtu(b, s->path_mtu);
	rdt_req_set_primary_ack_timeout(b, s->ack_timeout);
	rdt_req_set_primary_local_lid(b, 0xffff);
	rdt_req_set_primary_remote_lid(b, 0xffff);
	rdt_req_set_primary_local_gid(b, gid(s, w->from));
	rdt_req_set_primary_remote_gid(b, gid(s, !w->from));
	rdt_ipcm_set_ip_version(b + 140, 4);
	rdt_ipcm_set_src_port(b + 140, 40000);
}

static void fill(const struct story *s, const struct say *w, uint8_t *b)
{
	const enum rdt_side to = rdt_side_other(w->from);
	const size_t text = w->private_data ? strlen(w->private_data) : 0;

	if (w->msg == RDT_MSG_SIDR_REQ || w->msg == RDT_MSG_SIDR_REP) {
		rdt_sidr_req_set_request_id(b, pick(w->local, s->id[RDT_ACTIVE]));
	} else {
		rdt_rtu_set_local_comm_id(b, pick(w->local, s->id[w->from]));
		if (w->msg != RDT_MSG_REQ)
			rdt_rtu_set_remote_comm_id(b, pick(w->remote, s->id[to]));
	}
	switch (w->msg) {
	case RDT_MSG_REQ:
		fill_req(s, w, b);
		break;
	case RDT_MSG_REP:
		rdt_rep_set_local_qpn(b, pick(w->qpn, s->qpn[w->from]));
		rdt_rep_set_starting_psn(b, pick(w->starting_psn, s->starting_psn[RDT_PASSIVE]));
		rdt_rep_set_responder_resources(b, s->resources[RDT_PASSIVE]);
		rdt_rep_set_initiator_depth(b, s->depth[RDT_PASSIVE]);
		rdt_rep_set_target_ack_delay(b, s->target_ack_delay);
		rdt_rep_set_rnr_retry_count(b, s->rnr_retry[RDT_PASSIVE]);
		break;
	case RDT_MSG_MRA:
		rdt_mra_set_msg_mraed(b, w->about);
		rdt_mra_set_service_timeout(b, w->service_timeout);
		break;
	case RDT_MSG_REJ:
		rdt_rej_set_msg_rejected(b, w->about);
		rdt_rej_set_reason(b, w->reason);
		memcpy(b + 84, text ? w->private_data : "", text);
		break;
	case RDT_MSG_DREQ:
		rdt_dreq_set_remote_qpn(b, pick(w->qpn, s->qpn[to]));
		break;
	case RDT_MSG_SIDR_REQ:
		rdt_sidr_req_set_service_id(b, w->svc ? w->svc : UINT64_C(0x0000000001111c06));
		break;
	case RDT_MSG_SIDR_REP:
		rdt_sidr_rep_set_status(b, w->about);
		rdt_sidr_rep_set_qpn(b, pick(w->qpn, s->qpn[w->from]));
		rdt_sidr_rep_set_qkey(b, 0x01234567);
		break;
	case RDT_MSG_RTU:
	case RDT_MSG_DREP:
	case RDT_MSG_LAP:
	case RDT_MSG_APR:
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

static struct rdt_verdict feed(struct story *s, const struct rdt_packet *p, unsigned cut)
{
	uint8_t frame[2048];
	size_t len;
	uint8_t *exact;
	struct rdt_verdict v;

	struct rdt_packet lids = *p;

	if (p->src.kind == RDT_ADDR_LID) {
		/* inside one subnet: LRH only */
		lids.slid = (uint16_t)(p->src.bytes[14] << 8 | p->src.bytes[15]);
		lids.dlid = (uint16_t)(p->dst.bytes[14] << 8 | p->dst.bytes[15]);
		lids.src = lids.dst = (struct rdt_addr){ .kind = RDT_ADDR_NONE };
		p = &lids;
	}
	cr_assert_eq(rdt_packet_encode(p, frame, sizeof(frame), &len), RDT_OK);
	if (!cut || cut > len)
		cut = (unsigned)len;
	exact = malloc(cut); /* its own block, so that ASan sees one byte too many */
	memcpy(exact, frame, cut);
	v = tracked_feed(&s->t, p->encap == RDT_ENCAP_IB ? RDT_LINK_INFINIBAND : RDT_LINK_ETHERNET,
			 exact, cut, len, s->now);
	free(exact);
	return v;
}

struct rdt_verdict say(struct story *s, int64_t ms, struct say w)
{
	static const uint16_t attrs[] = { [RDT_MSG_REQ] = RDT_CM_ATTR_REQ,
					  [RDT_MSG_MRA] = RDT_CM_ATTR_MRA,
					  [RDT_MSG_REJ] = RDT_CM_ATTR_REJ,
					  [RDT_MSG_REP] = RDT_CM_ATTR_REP,
					  [RDT_MSG_RTU] = RDT_CM_ATTR_RTU,
					  [RDT_MSG_DREQ] = RDT_CM_ATTR_DREQ,
					  [RDT_MSG_DREP] = RDT_CM_ATTR_DREP,
					  [RDT_MSG_SIDR_REQ] = RDT_CM_ATTR_SIDR_REQ,
					  [RDT_MSG_SIDR_REP] = RDT_CM_ATTR_SIDR_REP,
					  [RDT_MSG_LAP] = RDT_CM_ATTR_LAP,
					  [RDT_MSG_APR] = RDT_CM_ATTR_APR };
	struct rdt_packet p = s->packet;
	uint8_t mad[RDT_MAD_LEN], deth[RDT_LEN_deth];

	rdt_cm_mad_init(mad, attrs[w.msg], w.tid ? w.tid : s->tid);
	fill(s, &w, mad + RDT_LEN_mad);
	rdt_qp1_deth_init(deth);
	p.src = s->addr[w.from];
	p.dst = s->addr[!w.from];
	p.opcode = RDT_OP_UD_SEND_ONLY;
	p.dest_qpn = RDT_QP1;
	p.psn = w.same_packet ? s->qp1_psn[w.from] : ++s->qp1_psn[w.from];
	p.ext = deth;
	p.payload = mad;
	p.payload_len = sizeof(mad);
	p.bad_icrc = w.bad_icrc;
	if (w.vlan) {
		p.vlans = 1;
		p.vlan[0] = (uint16_t)w.vlan;
	}
	s->now += ms * MS;
	return feed(s, &p, w.cut);
}

struct rdt_verdict send_data(struct story *s, int64_t ms, enum rdt_side from, unsigned opcode,
			     uint32_t psn, const uint8_t *ext, size_t payload)
{
	struct rdt_packet p = s->packet;

	p.src = s->addr[from];
	p.dst = s->addr[!from];
	p.opcode = (uint8_t)opcode;
	p.dest_qpn = s->qpn[!from];
	p.psn = psn;
	p.ext = ext;
	p.payload_len = payload;
	s->now += ms * MS;
	return feed(s, &p, 0);
}

struct rdt_verdict send_packet(struct story *s, int64_t ms, enum rdt_side from,
			       struct rdt_packet packet)
{
	struct rdt_packet p = packet;

	p.encap = p.encap ? p.encap : s->packet.encap;
	p.ethernet = p.encap != RDT_ENCAP_IB;
	memcpy(p.mac_src, s->packet.mac_src, 6);
	memcpy(p.mac_dst, s->packet.mac_dst, 6);
	p.pkey = 0xffff;
	p.src = s->addr[from];
	p.dst = s->addr[!from];
	if (!p.dest_qpn)
		p.dest_qpn = s->qpn[!from];
	s->now += ms * MS;
	return feed(s, &p, 0);
}

struct rdt_verdict send_ack(struct story *s, int64_t ms, enum rdt_side from, uint32_t psn,
			    unsigned syndrome, uint32_t msn)
{
	uint8_t aeth[RDT_LEN_aeth] = { (uint8_t)syndrome, (uint8_t)(msn >> 16), (uint8_t)(msn >> 8),
				       (uint8_t)msn };

	return send_packet(s, ms, from,
			   (struct rdt_packet){ .opcode = RDT_OP_RC_ACK, .psn = psn, .ext = aeth });
}

struct rdt_verdict send_raw(struct story *s, int64_t ms, const uint8_t *bytes, size_t len)
{
	uint8_t *exact = malloc(len);
	struct rdt_verdict v;

	s->now += ms * MS;
	memcpy(exact, bytes, len);
	v = tracked_feed(&s->t, RDT_LINK_ETHERNET, exact, len, len, s->now);
	free(exact);
	return v;
}

struct rdt_verdict send_mad(struct story *s, int64_t ms, enum rdt_side from, struct rdt_addr to,
			    const uint8_t mad[RDT_MAD_LEN])
{
	struct rdt_packet p = s->packet;
	uint8_t deth[RDT_LEN_deth];

	rdt_qp1_deth_init(deth);
	p.src = from == RDT_ACTIVE ? s->addr[RDT_ACTIVE] : to;
	p.dst = from == RDT_ACTIVE ? to : s->addr[RDT_ACTIVE];
	p.opcode = RDT_OP_UD_SEND_ONLY;
	p.dest_qpn = RDT_QP1;
	p.ext = deth;
	p.payload = mad;
	p.payload_len = RDT_MAD_LEN;
	s->now += ms * MS;
	return feed(s, &p, 0);
}

void connect_both(struct story *s)
{
	SAY(s, 10, ACTIVE, REQ, 0);
	SAY(s, 10, PASSIVE, REP, 0);
	SAY(s, 10, ACTIVE, RTU, 0);
}

void close_by(struct story *s, enum rdt_side side)
{
	say(s, 10, (struct say){ .from = side, .msg = RDT_MSG_DREQ });
	say(s, 10, (struct say){ .from = rdt_side_other(side), .msg = RDT_MSG_DREP });
}

const char *col(struct story *s, uint32_t conn, const char *name)
{
	static char text[4][64];
	static unsigned turn;
	char *out = text[turn++ % 4];
	const struct rdt_conn *c = rdt_tracker_conn(s->t.tracker, conn);
	const size_t id = rdt_col_find(RDT_REC_conn, name, strlen(name));
	struct rdt_value v;

	cr_assert_neq(id, RDT_COL_COUNT, "no column %s", name);
	cr_assert(c, "no connection %u", conn);
	v = rdt_col_value(s->t.tracker, id, c, NULL, STORY_START);
	switch (v.type) {
	case RDT_VALUE_NULL:
		return "null";
	case RDT_VALUE_TEXT:
		return v.text;
	case RDT_VALUE_ADDR:
		return rdt_addr_text(v.addr, out, 64);
	case RDT_VALUE_HEX32:
		snprintf(out, 64, "0x%08" PRIx64, v.num);
		return out;
	case RDT_VALUE_UINT:
	case RDT_VALUE_INT:
	case RDT_VALUE_BOOL:
	case RDT_VALUE_HEX64:
	case RDT_VALUE_ID32:
	case RDT_VALUE_TIME:
	case RDT_VALUE_DURATION:
		snprintf(out, 64, "%" PRId64, (int64_t)v.num);
		return out;
	}
	return "";
}

const char *path(struct story *s, uint32_t conn, enum rdt_side side, enum rdt_machine machine)
{
	static char out[2][512];
	static unsigned turn;
	char *p = out[turn++ % 2];
	const struct rdt_entry *e;
	const size_t n = rdt_journal_entries(s->t.journal, conn, &e, NULL);
	size_t len = 0;

	p[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *from, *to;

		if (e[i].kind != RDT_REC_state || e[i].state.side != side ||
		    e[i].state.machine != machine)
			continue;
		from = rdt_state_key(machine, e[i].state.from);
		to = rdt_state_key(machine, e[i].state.to);
		if (!len)
			len += (size_t)snprintf(p, 512, "%s", from ? from : "?");
		len += (size_t)snprintf(p + len, 512 - len, ">%s%s", to,
					e[i].state.basis == RDT_BASIS_INFERRED ? "~" : "");
	}
	return p;
}

const char *events(struct story *s, uint32_t conn, enum rdt_side side)
{
	static char out[2][512];
	static unsigned turn;
	char *p = out[turn++ % 2];
	const struct rdt_entry *e;
	const size_t n = rdt_journal_entries(s->t.journal, conn, &e, NULL);
	size_t len = 0;

	p[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (e[i].kind != RDT_REC_event || e[i].event.side != side)
			continue;
		len += (size_t)snprintf(p + len, 512 - len, "%s%s", len ? " " : "",
					rdt_rdma_event_key(e[i].event.kernel_event));
		if (e[i].event.event != e[i].event.kernel_event)
			len += (size_t)snprintf(p + len, 512 - len, "/%s",
						rdt_rdma_event_key(e[i].event.event));
		if (e[i].event.status)
			len += (size_t)snprintf(p + len, 512 - len, "(%d)", e[i].event.status);
	}
	return p;
}
