// SPDX-License-Identifier: BSD-2-Clause
/* From a statement to the bytes that it means. */
#include "replay/build.h"

#include <string.h>

#include "rdmatrace/encode.h"
#include "rdmatrace/icrc.h"

/* A message in the making: where each header begins. NULL where it has none. */
struct draft {
	struct rp_env *env;
	const struct rp_stmt *s;
	struct rp_item *item;
	uint8_t *at[RDT_HDR_COUNT];
	GByteArray *private_data, *payload, *reply; /* NULL: the script does not say */
	bool failed;
};

/* ---- one field -------------------------------------------------------------------------------- */

static void put_bytes(struct draft *d, unsigned field, const struct rp_value *value)
{
	const struct rdt_field *f = &rdt_fields[field];
	uint8_t *to = d->at[f->hdr] + f->at / 8;
	GByteArray *bytes = g_byte_array_new(), *mask = g_byte_array_new();

	memset(to, 0, f->width / 8u);
	if (!rp_bytes(d->env, value, bytes, mask))
		d->failed = true;
	else
		memcpy(to, bytes->data, MIN(bytes->len, f->width / 8u));
	g_byte_array_unref(bytes);
	g_byte_array_unref(mask);
}

/* The symbol of that name; it has a value afterwards. */
static const struct rp_symbol *drawn(struct draft *d, const char *name)
{
	struct rp_symbol *symbol = rp_symbol(d->env->symbols, name);

	if (symbol->origin == RP_UNBOUND && d->env->keep_ids && symbol->has_was) {
		if (rp_symbol_is_gid(symbol))
			rp_symbol_set_gid(symbol, RP_FORCED, symbol->was_gid);
		else
			rp_symbol_set(symbol, RP_FORCED, symbol->was);
	}
	rp_symbol_fresh(d->env->symbols, symbol);
	return symbol;
}

static void put_symbol(struct draft *d, unsigned field, const struct rp_value *value)
{
	const struct rdt_field *f = &rdt_fields[field];
	const struct rp_symbol *symbol = drawn(d, value->symbol);

	if (!rdt_field_is_num(f)) {
		if (rp_symbol_is_gid(symbol) && f->width == 128)
			memcpy(d->at[f->hdr] + f->at / 8, symbol->gid, 16);
		return;
	}
	if (rdt_field_set(f, d->at[f->hdr],
			  f->width < 64
				  ? (symbol->num + value->num) & ((UINT64_C(1) << f->width) - 1)
				  : symbol->num + value->num) != RDT_OK)
		d->failed = true;
}

/* The bytes of a pseudo field; NULL when its value is no bytes. */
static GByteArray *pseudo_bytes(struct draft *d, const struct rp_value *value)
{
	GByteArray *bytes = g_byte_array_new(), *mask = g_byte_array_new();

	if (value->kind == RP_VALUE_BYTES && !rp_bytes(d->env, value, bytes, mask))
		d->failed = true;
	g_byte_array_unref(mask);
	return bytes;
}

static void put_field(struct draft *d, const struct rp_assign *a)
{
	const struct rdt_field *f;

	if (a->field >= RDT_FIELD_COUNT) {
		GByteArray **to = a->field == RP_FIELD_PRIVATE   ? &d->private_data
				  : a->field == RP_FIELD_PAYLOAD ? &d->payload
								 : &d->reply;

		if (*to)
			g_byte_array_unref(*to);
		*to = pseudo_bytes(d, &a->value);
		return;
	}
	f = &rdt_fields[a->field];
	if (!d->at[f->hdr])
		return;
	switch (a->value.kind) {
	case RP_VALUE_ANY:
	case RP_VALUE_AUTO:
		break; /* 0 here; what follows comes last */
	case RP_VALUE_NUM:
	case RP_VALUE_RANGE:
		if (rdt_field_set(f, d->at[f->hdr], a->value.num) != RDT_OK)
			d->failed = true;
		break;
	case RP_VALUE_SYMBOL:
		put_symbol(d, a->field, &a->value);
		break;
	case RP_VALUE_BYTES:
		put_bytes(d, a->field, &a->value);
		break;
	}
}

/* ---- what follows from other fields ------------------------------------------------------------- */

static bool is_auto(struct draft *d, unsigned field)
{
	bool said;
	const struct rp_assign *a = rp_expr(d->env, d->s, field, &said);

	return a && a->value.kind == RP_VALUE_AUTO;
}

/* Linux: of both ports of the program (cma_get_roce_udp_flow_label). */
static uint32_t flow_label(const uint8_t *req, const uint8_t *ipcm)
{
	return (rdt_ipcm_src_port(ipcm) * 31 + (uint32_t)(rdt_req_service_id(req) & 0xffff)) &
	       0xfffff;
}

/*
 * Whoever gives up says by its CA GUID who it is: the other side has told it no communication id yet, and
 * finds the connection by GUID and id (IBTA Vol 1, 12.6.7.2; cm_acquire_rejected_id of the kernel).
 */
static void follow_rej(struct draft *d)
{
	uint8_t *rej = d->at[RDT_H_rej];
	const bool gave_up = rdt_rej_reason(rej) == RDT_REJ_TIMEOUT;
	char name[48];

	if (is_auto(d, RDT_F_rej_info_length))
		rdt_rej_set_info_length(rej, gave_up ? 8 : 0);
	if (!gave_up || !is_auto(d, RDT_F_rej_ari))
		return;
	g_snprintf(name, sizeof(name), "$%s.guid", d->env->script->roles[d->s->role].name);
	rdt_bits_set(rej, rdt_fields[RDT_F_rej_ari].at, 64, drawn(d, name)->num);
}

static void follow_cm(struct draft *d)
{
	struct rp_env *env = d->env;
	const unsigned role = d->s->role;

	if (d->at[RDT_H_ipcm] && is_auto(d, RDT_F_ipcm_ip_version))
		rdt_ipcm_set_ip_version(
			d->at[RDT_H_ipcm],
			memcmp(rdt_ipcm_src_ip(d->at[RDT_H_ipcm]), (uint8_t[12]){ 0 }, 12) != 0
				? 6
				: 4);
	if (d->at[RDT_H_req] && d->at[RDT_H_ipcm] && is_auto(d, RDT_F_req_primary_flow_label))
		rdt_req_set_primary_flow_label(d->at[RDT_H_req],
					       flow_label(d->at[RDT_H_req], d->at[RDT_H_ipcm]));
	if (d->at[RDT_H_rej] && is_auto(d, RDT_F_rej_msg_rejected)) {
		const unsigned last = env->has_last[!role] ? env->last[!role].code : RDT_MSG_COUNT;

		rdt_rej_set_msg_rejected(d->at[RDT_H_rej], last == RDT_MSG_REQ   ? 0
							   : last == RDT_MSG_REP ? 1
										 : 2);
	}
	if (d->at[RDT_H_rej])
		follow_rej(d);
}

static size_t array_len(const GByteArray *bytes)
{
	return bytes ? bytes->len : 0;
}

/* ---- messages of management ---------------------------------------------------------------------- */

/* Does the statement speak of a header that is there only when somebody does? */
static bool says_header(struct draft *d, enum rdt_hdr_id hdr)
{
	bool said;

	for (unsigned f = rdt_hdrs[hdr].begin; f < rdt_hdrs[hdr].end; f++) {
		if (rp_expr(d->env, d->s, f, &said))
			return true;
	}
	return false;
}

static bool begin_packet(struct draft *d, uint8_t opcode, const uint8_t *ext,
			 const uint8_t *payload, size_t payload_len)
{
	static const struct {
		uint8_t ext, hdr;
	} map[] = {
#define X(h) { RDT_EXT_##h, RDT_H_##h },
		RDT_EXT_LIST(X)
#undef X
	};
	struct rdt_packet p = { .encap = RDT_ENCAP_ROCEV2,
				.ethernet = 1,
				.opcode = opcode,
				.pkey = 0xffff,
				.dport = RDT_ROCEV2_PORT,
				.ext = ext,
				.payload = payload,
				.payload_len = payload_len };
	struct rdt_addr src = rp_addr_ip(&d->env->addr[d->s->role]);
	struct rdt_addr dst = rp_addr_ip(&d->env->addr[!d->s->role]);
	uint8_t *net;

	/* A frame has two addresses of one kind, also where a script has none. */
	if (src.kind != dst.kind) {
		src = rdt_addr_ipv4(0x7f000001);
		dst = rdt_addr_ipv4(0x7f000002);
	}
	p.src = src;
	p.dst = dst;
	p.vlans = says_header(d, RDT_H_vlan);
	if (!rp_item_encode(d->item, &p))
		return false;
	net = rp_item_net(d->item);
	d->at[RDT_H_eth] = d->item->bytes;
	if (p.vlans)
		d->at[RDT_H_vlan] = d->item->bytes + RDT_LEN_eth;
	d->at[src.kind == RDT_ADDR_IPV4 ? RDT_H_ipv4 : RDT_H_ipv6] = net;
	d->at[RDT_H_udp] = net + (src.kind == RDT_ADDR_IPV4 ? RDT_LEN_ipv4 : RDT_LEN_ipv6);
	d->at[RDT_H_bth] = d->at[RDT_H_udp] + RDT_LEN_udp;
	for (size_t i = 0; i < G_N_ELEMENTS(map); i++) {
		if (rdt_opcodes[opcode].ext >> map[i].ext & 1)
			d->at[map[i].hdr] = d->at[RDT_H_bth] + rdt_opcodes[opcode].off[map[i].ext];
	}
	return true;
}

/* Does a message for this service begin its private data with an IP CM header? */
static bool has_ipcm(struct draft *d)
{
	bool said;
	const struct rp_assign *a;
	uint64_t svc;

	if (d->s->msg.code == RDT_MSG_REQ)
		svc = rdt_req_service_id(d->at[RDT_H_req]);
	else if (d->s->msg.code == RDT_MSG_SIDR_REQ)
		svc = rdt_sidr_req_service_id(d->at[RDT_H_sidr_req]);
	else
		return false;
	/* private_data= is all of it, header and all. */
	a = rp_expr(d->env, d->s, (unsigned)(rp_msg_private(d->s->msg) - rdt_fields), &said);
	return !a && rdt_name_find(RDT_NAMES_port_space, svc >> 16);
}

static void put_all(struct draft *d, bool ipcm)
{
	uint8_t hdrs[RP_HDRS_MAX];
	const size_t count = rp_msg_hdrs(d->s->msg, hdrs);
	bool said;

	for (size_t i = 0; i < count; i++) {
		if ((hdrs[i] == RDT_H_ipcm) != ipcm)
			continue;
		for (unsigned f = rdt_hdrs[hdrs[i]].begin; f < rdt_hdrs[hdrs[i]].end; f++) {
			const struct rp_assign *a = rp_expr(d->env, d->s, f, &said);

			if (a)
				put_field(d, a);
		}
	}
}

static void put_pseudo(struct draft *d)
{
	bool said;

	for (unsigned f = RP_FIELD_PRIVATE; f < RP_FIELD_COUNT; f++) {
		const struct rp_assign *a = rp_expr(d->env, d->s, f, &said);

		if (a && rp_msg_has(d->s->msg, f))
			put_field(d, a);
	}
}

static bool build_cm(struct draft *d)
{
	uint8_t deth[RDT_LEN_deth], mad[RDT_MAD_LEN], hdrs[RP_HDRS_MAX];
	const struct rdt_field *f = rp_msg_private(d->s->msg);
	uint8_t *main_hdr, *private_at;

	rdt_qp1_deth_init(deth);
	/* The attribute ids of CM are the messages in their order. */
	rdt_cm_mad_init(mad, (uint16_t)(RDT_CM_ATTR_REQ + d->s->msg.code), 0);
	if (!begin_packet(d, RDT_OP_UD_SEND_ONLY, deth, mad, sizeof(mad)))
		return false;
	rdt_bth_set_dest_qpn(d->at[RDT_H_bth], RDT_QP1);
	rdt_bth_set_psn(d->at[RDT_H_bth], d->env->qp1_psn++ & RDT_QPN_MASK);
	d->at[RDT_H_mad] = d->at[RDT_H_deth] + RDT_LEN_deth;
	rp_msg_hdrs(d->s->msg, hdrs);
	main_hdr = d->at[hdrs[0]] = d->at[RDT_H_mad] + RDT_LEN_mad;
	put_all(d, false);
	private_at = main_hdr + f->at / 8;
	if (has_ipcm(d)) {
		d->at[RDT_H_ipcm] = private_at;
		private_at += RDT_LEN_ipcm;
		put_all(d, true);
	}
	put_pseudo(d);
	if (array_len(d->private_data))
		memcpy(private_at, d->private_data->data,
		       MIN(d->private_data->len,
			   (size_t)(main_hdr + (f->at + f->width) / 8u - private_at)));
	follow_cm(d);
	rp_item_seal(d->item);
	return true;
}

/* ---- packets, operations ------------------------------------------------------------------------- */

static bool build_packet(struct draft *d)
{
	put_pseudo(d);
	if (array_len(d->payload) > 4096 ||
	    !begin_packet(d, d->s->msg.code, NULL, d->payload ? d->payload->data : NULL,
			  array_len(d->payload)))
		return false;
	put_all(d, false);
	rp_item_seal(d->item);
	return true;
}

static bool build_op(struct draft *d)
{
	struct rp_op *op = &d->item->op;

	op->kind = d->s->msg.code;
	d->at[RDT_H_bth] = op->bth;
	d->at[RDT_H_reth] = op->reth;
	d->at[RDT_H_atomiceth] = op->atomiceth;
	d->at[RDT_H_immdt] = op->immdt;
	d->at[RDT_H_ieth] = op->ieth;
	put_all(d, false);
	put_pseudo(d);
	op->payload_len = array_len(d->payload);
	op->payload = d->payload ? g_memdup2(d->payload->data, d->payload->len) : NULL;
	op->reply_len = array_len(d->reply);
	op->reply = d->reply ? g_memdup2(d->reply->data, d->reply->len) : NULL;
	if (is_auto(d, RDT_F_reth_dma_len))
		rdt_reth_set_dma_len(op->reth, (uint32_t)op->payload_len);
	/* An atomic always brings eight bytes. */
	return true;
}

/* ---- iWARP --------------------------------------------------------------------------------------- */

static bool build_mpa(struct draft *d)
{
	uint8_t buf[RDT_LEN_mpa + RDT_LEN_mpa2 + 512] = { 0 };
	struct rp_carrier c = { .src = d->env->addr[d->s->role],
				.dst = d->env->addr[!d->s->role],
				.sport = d->s->role == RDT_ACTIVE ? 40000 : 40001,
				.dport = d->s->role == RDT_ACTIVE ? 40001 : 40000 };
	bool enhanced, said;
	size_t len = RDT_LEN_mpa, private_len;
	const struct rp_assign *e;

	d->at[RDT_H_mpa] = buf;
	put_all(d, false);
	e = rp_expr(d->env, d->s, RDT_F_mpa_enhanced, &said);
	/* They are there when the script names one of them. */
	enhanced = rdt_mpa_enhanced(buf);
	if (e && e->value.kind == RP_VALUE_AUTO) {
		enhanced = says_header(d, RDT_H_mpa2);
		rdt_mpa_set_enhanced(buf, enhanced);
	}
	if (enhanced) {
		d->at[RDT_H_mpa2] = buf + len;
		len += RDT_LEN_mpa2;
		put_all(d, false);
		rdt_mpa_set_enhanced(buf, true);
	}
	put_pseudo(d);
	private_len = MIN(array_len(d->private_data), 512u);
	if (private_len)
		memcpy(buf + len, d->private_data->data, private_len);
	if (is_auto(d, RDT_F_mpa_pd_length))
		rdt_mpa_set_pd_length(buf, (uint32_t)(len - RDT_LEN_mpa + private_len));
	return rp_item_wrap_tcp(d->item, &c, buf, len + private_len);
}

static bool build_fpdu(struct draft *d)
{
	uint8_t buf[RDT_LEN_fpdu + RDT_LEN_ddp_untagged + RDT_LEN_terminate + 512 + 8] = { 0 };
	struct rp_carrier c = { .src = d->env->addr[d->s->role],
				.dst = d->env->addr[!d->s->role],
				.sport = d->s->role == RDT_ACTIVE ? 40000 : 40001,
				.dport = d->s->role == RDT_ACTIVE ? 40001 : 40000 };
	size_t len = RDT_LEN_fpdu + RDT_LEN_ddp_untagged + RDT_LEN_terminate, more, padded;
	uint32_t crc;

	d->at[RDT_H_fpdu] = buf;
	d->at[RDT_H_ddp_untagged] = buf + RDT_LEN_fpdu;
	d->at[RDT_H_terminate] = buf + RDT_LEN_fpdu + RDT_LEN_ddp_untagged;
	put_all(d, false);
	put_pseudo(d);
	more = MIN(array_len(d->payload), 512u);
	if (more)
		memcpy(buf + len, d->payload->data, more);
	len += more;
	if (is_auto(d, RDT_F_fpdu_ulpdu_length))
		rdt_fpdu_set_ulpdu_length(buf, (uint32_t)(len - RDT_LEN_fpdu));
	padded = (len + 3) / 4 * 4;
	crc = rdt_crc32c(0, buf, padded);
	for (unsigned i = 0; i < 4; i++)
		buf[padded + i] = (uint8_t)(crc >> 8 * i);
	return rp_item_wrap_tcp(d->item, &c, buf, padded + 4);
}

/* ---- all ------------------------------------------------------------------------------------------ */

/* Takes text. */
static bool refuse(struct draft *d, const struct rp_assign *a, char *text)
{
	d->env->error = text;
	d->env->error_pos = a->pos;
	return false;
}

/* Is what the statement says in the message? Else it would be lost: no such header here, or computed. */
static bool all_there(struct draft *d)
{
	const struct rdt_field *all_private = rp_msg_private(d->s->msg);
	const struct rp_assign *private_data = NULL;

	for (size_t i = 0; i < d->s->assign_count; i++) {
		const struct rp_assign *a = &d->s->assigns[i];

		if (a->field == RP_FIELD_PRIVATE ||
		    (a->field < RDT_FIELD_COUNT && &rdt_fields[a->field] == all_private)) {
			if (private_data)
				return refuse(
					d, a,
					g_strdup("private and private_data are the same bytes: say "
						 "one of them"));
			private_data = a;
		}
		if (a->field == RDT_F_ipv4_checksum || a->field == RDT_F_icrc_value)
			return refuse(
				d, a,
				g_strdup("this is computed when all else stands; \"corrupt icrc\" "
					 "makes a wrong ICRC"));
		if (a->field < RDT_FIELD_COUNT && !d->at[rdt_fields[a->field].hdr] &&
		    d->s->msg.family != RP_OP)
			return refuse(d, a,
				      g_strdup_printf("this %s has no %s header",
						      rp_msg_name(d->s->msg),
						      rdt_hdrs[rdt_fields[a->field].hdr].key));
	}
	return true;
}

struct rp_item *rp_build(struct rp_env *env, const struct rp_stmt *s)
{
	struct draft d = { .env = env, .s = s, .item = rp_item_new((enum rdt_side)s->role, 0) };
	bool ok = false;

	d.item->msg = s->msg;
	switch ((enum rp_family)s->msg.family) {
	case RP_CM:
		ok = build_cm(&d);
		break;
	case RP_PACKET:
		ok = build_packet(&d);
		break;
	case RP_OP:
		ok = build_op(&d);
		break;
	case RP_MPA:
		ok = build_mpa(&d);
		break;
	case RP_FPDU:
		ok = build_fpdu(&d);
		break;
	case RP_TCP:
		ok = true;
		break;
	}
	if (d.private_data)
		g_byte_array_unref(d.private_data);
	if (d.payload)
		g_byte_array_unref(d.payload);
	if (d.reply)
		g_byte_array_unref(d.reply);
	if (ok && !d.failed && (env->error || all_there(&d)))
		return d.item;
	if (!env->error) {
		env->error = g_strdup_printf("%s cannot be built: a value does not fit its field",
					     rp_msg_name(s->msg));
		env->error_pos = s->pos;
	}
	rp_item_free(d.item);
	return NULL;
}
