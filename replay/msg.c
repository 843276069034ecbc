// SPDX-License-Identifier: BSD-2-Clause
#include "replay/msg.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rdmatrace/text.h"

/* ---- names -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint8_t main, second;
	bool payload, reply;
} ops[RP_OP_COUNT] = {
#define OP(symbol, name, main, second, payload, reply) \
	{ name, RDT_H_##main, RDT_H_##second, payload, reply },
#include "replay/op.def"
#undef OP
};

/* By opcode; NULL for those that are not assigned. */
static const char *const opcodes[256] = {
#define OP(value, symbol, text, ext, kind, place, payload) [value] = #symbol,
#include "wire/opcode.def"
#undef OP
};

static const char *const tcp_names[RP_TCP_COUNT] = { "TCP_CONNECT", "TCP_CLOSE", "TCP_RESET" };

static const char terminate[] = "TERMINATE";

static bool same(const char *name, const char *text, size_t len)
{
	return strlen(name) == len && !memcmp(name, text, len);
}

const char *rp_msg_name(struct rp_msg msg)
{
	switch ((enum rp_family)msg.family) {
	case RP_CM:
	case RP_MPA:
		return rdt_msg_key((enum rdt_msg)msg.code);
	case RP_OP:
		return ops[msg.code].name;
	case RP_PACKET:
		return opcodes[msg.code] ? opcodes[msg.code] : "an opcode that is not assigned";
	case RP_FPDU:
		return terminate;
	case RP_TCP:
		return tcp_names[msg.code];
	}
	return "?";
}

/* All messages but packets, one after the other. */
static bool nth(size_t i, struct rp_msg *ret_msg)
{
	static const uint8_t mpa[] = { RDT_MSG_MPA_REQ, RDT_MSG_MPA_REP };
	static const struct {
		uint8_t family, count;
	} groups[] = { { RP_CM, RDT_MSG_APR + 1 },
		       { RP_OP, RP_OP_COUNT },
		       { RP_MPA, sizeof(mpa) },
		       { RP_FPDU, 1 } };

	for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++) {
		if (i < groups[g].count) {
			*ret_msg = (struct rp_msg){ groups[g].family, (uint8_t)i };
			if (groups[g].family == RP_MPA)
				ret_msg->code = mpa[i];
			else if (groups[g].family == RP_FPDU)
				ret_msg->code = RDT_RDMAP_TERMINATE;
			return true;
		}
		i -= groups[g].count;
	}
	return false;
}

const char *rp_msg_list(size_t i)
{
	struct rp_msg msg;

	return nth(i, &msg) ? rp_msg_name(msg) : NULL;
}

bool rp_msg_find(const char *name, size_t len, struct rp_msg *ret_msg)
{
	struct rp_msg msg;

	for (size_t i = 0; nth(i, &msg); i++) {
		if (same(rp_msg_name(msg), name, len)) {
			*ret_msg = msg;
			return true;
		}
	}
	for (unsigned i = 0; i < 256; i++) {
		if (opcodes[i] && same(opcodes[i], name, len)) {
			*ret_msg = (struct rp_msg){ RP_PACKET, (uint8_t)i };
			return true;
		}
	}
	return false;
}

bool rp_msg_ends(struct rp_msg msg)
{
	return (msg.family == RP_CM && (msg.code == RDT_MSG_REJ || msg.code == RDT_MSG_DREQ ||
					msg.code == RDT_MSG_DREP)) ||
	       (msg.family == RP_TCP && msg.code != RP_TCP_CONNECT) || msg.family == RP_FPDU;
}

/* ---- headers ------------------------------------------------------------------------------- */

struct hdrs {
	uint8_t *list;
	size_t count;
};

static void add(struct hdrs *h, unsigned hdr)
{
	h->list[h->count++] = (uint8_t)hdr;
}

static const uint8_t network[] = { RDT_H_udp, RDT_H_ipv4, RDT_H_ipv6, RDT_H_vlan, RDT_H_eth };

bool rp_is_network(unsigned hdr)
{
	return memchr(network, (int)hdr, sizeof(network)) != NULL;
}

static void add_network(struct hdrs *h)
{
	for (size_t i = 0; i < sizeof(network); i++)
		add(h, network[i]);
}

static enum rdt_hdr_id cm_hdr(unsigned msg)
{
	static const uint8_t hdrs[] = {
		[RDT_MSG_REQ] = RDT_H_req,           [RDT_MSG_MRA] = RDT_H_mra,
		[RDT_MSG_REJ] = RDT_H_rej,           [RDT_MSG_REP] = RDT_H_rep,
		[RDT_MSG_RTU] = RDT_H_rtu,           [RDT_MSG_DREQ] = RDT_H_dreq,
		[RDT_MSG_DREP] = RDT_H_drep,         [RDT_MSG_SIDR_REQ] = RDT_H_sidr_req,
		[RDT_MSG_SIDR_REP] = RDT_H_sidr_rep, [RDT_MSG_LAP] = RDT_H_lap,
		[RDT_MSG_APR] = RDT_H_apr,
	};

	return (enum rdt_hdr_id)hdrs[msg];
}

static void packet_hdrs(struct hdrs *h, uint8_t opcode)
{
	static const uint8_t ext[RDT_EXT_COUNT] = {
#define X(name) [RDT_EXT_##name] = RDT_H_##name,
		RDT_EXT_LIST(X)
#undef X
	};

	for (unsigned i = 0; i < RDT_EXT_COUNT; i++) {
		if (rdt_opcodes[opcode].ext >> i & 1)
			add(h, ext[i]);
	}
}

size_t rp_msg_hdrs(struct rp_msg msg, uint8_t list[RP_HDRS_MAX])
{
	struct hdrs h = { .list = list };

	switch ((enum rp_family)msg.family) {
	case RP_CM:
		add(&h, cm_hdr(msg.code));
		if (msg.code == RDT_MSG_REQ || msg.code == RDT_MSG_SIDR_REQ)
			add(&h, RDT_H_ipcm);
		add(&h, RDT_H_mad);
		add(&h, RDT_H_deth);
		add(&h, RDT_H_bth);
		add_network(&h);
		break;
	case RP_OP:
		add(&h, ops[msg.code].main);
		if (ops[msg.code].second != ops[msg.code].main)
			add(&h, ops[msg.code].second);
		if (ops[msg.code].main != RDT_H_bth && ops[msg.code].second != RDT_H_bth)
			add(&h, RDT_H_bth);
		break;
	case RP_PACKET:
		add(&h, RDT_H_bth);
		packet_hdrs(&h, msg.code);
		add_network(&h);
		break;
	case RP_MPA:
		add(&h, RDT_H_mpa);
		add(&h, RDT_H_mpa2);
		break;
	case RP_FPDU:
		add(&h, RDT_H_terminate);
		add(&h, RDT_H_ddp_untagged);
		add(&h, RDT_H_fpdu);
		break;
	case RP_TCP:
		break;
	}
	return h.count;
}

size_t rp_msg_bare(struct rp_msg msg)
{
	uint8_t hdrs[RP_HDRS_MAX];

	switch ((enum rp_family)msg.family) {
	case RP_CM:
		return 1;
	case RP_OP:
		return ops[msg.code].main == ops[msg.code].second ? 1 : 2;
	case RP_PACKET:
		/* BTH and the opcode's own headers: no two of their fields have one name but reserved ones */
		return rp_msg_hdrs(msg, hdrs) - 5;
	case RP_MPA:
		return 2;
	case RP_FPDU:
		return 1;
	case RP_TCP:
		break;
	}
	return 0;
}

/* ---- fields -------------------------------------------------------------------------------- */

const struct rdt_field *rp_msg_private(struct rp_msg msg)
{
	const struct rdt_hdr *hdr;

	if (msg.family != RP_CM)
		return NULL;
	/* It is the last field of every message that has it. */
	hdr = &rdt_hdrs[cm_hdr(msg.code)];
	return &rdt_fields[hdr->end - 1];
}

bool rp_msg_has(struct rp_msg msg, unsigned field)
{
	uint8_t hdrs[RP_HDRS_MAX];
	size_t count;

	switch (field) {
	case RP_FIELD_PRIVATE:
		return msg.family == RP_CM || msg.family == RP_MPA;
	case RP_FIELD_PAYLOAD:
		return (msg.family == RP_OP && ops[msg.code].payload) ||
		       (msg.family == RP_PACKET && rdt_opcodes[msg.code].payload) ||
		       msg.family == RP_FPDU;
	case RP_FIELD_REPLY:
		return msg.family == RP_OP && ops[msg.code].reply;
	default:
		break;
	}
	if (field >= RDT_FIELD_COUNT)
		return false;
	count = rp_msg_hdrs(msg, hdrs);
	for (size_t i = 0; i < count; i++) {
		if (hdrs[i] == rdt_fields[field].hdr)
			return true;
	}
	return false;
}

static unsigned index_of(const struct rdt_field *f)
{
	return f ? (unsigned)(f - rdt_fields) : RP_FIELD_COUNT;
}

/* A name as it is spelled in the wire tables, with or without its header. */
static unsigned find_exact(struct rp_msg msg, const char *name, size_t len)
{
	uint8_t hdrs[RP_HDRS_MAX];
	size_t bare;

	if (memchr(name, '.', len)) {
		const unsigned field = index_of(rdt_field_find(name, len));

		return rp_msg_has(msg, field) ? field : RP_FIELD_COUNT;
	}
	rp_msg_hdrs(msg, hdrs);
	bare = rp_msg_bare(msg);
	for (size_t i = 0; i < bare; i++) {
		for (unsigned f = rdt_hdrs[hdrs[i]].begin; f < rdt_hdrs[hdrs[i]].end; f++) {
			if (same(rdt_fields[f].key, name, len))
				return f;
		}
	}
	return RP_FIELD_COUNT;
}

static const char *const pseudo[] = { "private", "payload", "reply" };

static const struct {
	const char *name, *field;
} aliases[] = {
#define A(short_name, field) { short_name, field },
#include "replay/alias.def"
#undef A
};

unsigned rp_field_find(struct rp_msg msg, const char *name, size_t len, bool *ret_is_size)
{
	unsigned field;

	*ret_is_size = false;
	for (unsigned i = 0; i < sizeof(pseudo) / sizeof(pseudo[0]); i++) {
		if (same(pseudo[i], name, len) && rp_msg_has(msg, RP_FIELD_PRIVATE + i))
			return RP_FIELD_PRIVATE + i;
	}
	field = find_exact(msg, name, len);
	if (field != RP_FIELD_COUNT)
		return field;
	if (same("len", name, len) || same("length", name, len)) {
		if (rp_msg_has(msg, RP_FIELD_PAYLOAD)) {
			*ret_is_size = true;
			return RP_FIELD_PAYLOAD;
		}
		return find_exact(msg, "dma_len", 7);
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (!same(aliases[i].name, name, len))
			continue;
		field = find_exact(msg, aliases[i].field, strlen(aliases[i].field));
		if (field != RP_FIELD_COUNT)
			return field;
	}
	return RP_FIELD_COUNT;
}

const char *rp_field_name(struct rp_msg msg, unsigned field, char buf[64])
{
	const struct rdt_field *f;

	if (field >= RDT_FIELD_COUNT)
		return pseudo[field - RP_FIELD_PRIVATE];
	f = &rdt_fields[field];
	if (find_exact(msg, f->key, strlen(f->key)) == field)
		return f->key;
	snprintf(buf, 64, "%s.%s", rdt_hdrs[f->hdr].key, f->key);
	return buf;
}

/* ---- guesses ------------------------------------------------------------------------------- */

struct guess {
	const char *name;
	size_t len;
	unsigned best;
};

static bool nearer(struct guess *g, const char *candidate)
{
	const size_t len = strlen(candidate);
	unsigned d;

	if (len > RDT_DISTANCE_MAX || g->len > RDT_DISTANCE_MAX)
		return false;
	d = rdt_text_distance(g->name, g->len, candidate, len);
	/* What begins like a name was probably meant to be it. */
	if (g->len >= 3 && len > g->len && !strncasecmp(candidate, g->name, g->len))
		d = 1;
	if (d >= g->best)
		return false;
	g->best = d;
	return true;
}

const char *rp_field_near(struct rp_msg msg, const char *name, size_t len, char buf[64])
{
	struct guess g = { name, len, (unsigned)(len / 3 + 2) };
	uint8_t hdrs[RP_HDRS_MAX];
	const size_t count = rp_msg_hdrs(msg, hdrs);
	const char *found = NULL;

	for (unsigned i = RP_FIELD_PRIVATE; i < RP_FIELD_COUNT; i++) {
		if (rp_msg_has(msg, i) && nearer(&g, pseudo[i - RP_FIELD_PRIVATE]))
			found = pseudo[i - RP_FIELD_PRIVATE];
	}
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		const unsigned f = find_exact(msg, aliases[i].field, strlen(aliases[i].field));
		char text[64];

		if (f != RP_FIELD_COUNT && nearer(&g, aliases[i].name)) {
			snprintf(buf, 64, "%s", rp_field_name(msg, f, text));
			found = buf;
		}
	}
	for (size_t i = 0; i < count; i++) {
		for (unsigned f = rdt_hdrs[hdrs[i]].begin; f < rdt_hdrs[hdrs[i]].end; f++) {
			const char *full;
			char text[64];

			if (rdt_fields[f].kind == RDT_KIND_RSVD)
				continue;
			full = rp_field_name(msg, f, text);
			if (nearer(&g, full) || nearer(&g, rdt_fields[f].key)) {
				snprintf(buf, 64, "%s", full);
				found = buf;
			}
		}
	}
	return found;
}
