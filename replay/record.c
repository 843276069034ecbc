// SPDX-License-Identifier: BSD-2-Clause
#include "replay/record.h"

#include <inttypes.h>
#include <string.h>

#include "rdmatrace/psn.h"
#include "replay/build.h"

struct region {
	unsigned role;
	uint32_t rkey;
	uint64_t begin, end;
	char name[16];
	GByteArray *now; /* its bytes, as far as the capture tells */
};

/* A key that a SEND invalidates: of a memory window that its owner has told of. */
struct window {
	unsigned role;
	uint32_t rkey;
};

struct recorder {
	struct rp_script *script;
	struct rp_env env;
	GArray *regions; /* of struct region */
	GArray *windows; /* of struct window */
	const struct rp_recording *from;
	size_t large; /* bytes of payloads above RP_RECORD_SMALL that are kept */
};

/* ---- values -------------------------------------------------------------------------------- */

static char *keep(struct recorder *r, const char *text)
{
	return rp_arena_text(r->script->arena, text, strlen(text));
}

static struct rp_assign *add_assign(struct recorder *r, struct rp_stmt *s, unsigned field)
{
	struct rp_assign *a =
		rp_arena_grow(r->script->arena, &s->assigns, &s->assign_count, sizeof(*a));

	a->field = field;
	return a;
}

static struct rp_part *add_part(struct recorder *r, struct rp_value *value, enum rp_part_kind kind,
				size_t len)
{
	struct rp_part *part;

	value->kind = RP_VALUE_BYTES;
	part = rp_arena_grow(r->script->arena, &value->parts, &value->part_count, sizeof(*part));
	part->kind = kind;
	part->len = len;
	return part;
}

static bool is_printable(uint8_t c)
{
	return c >= ' ' && c < 0x7f;
}

/* Is a payload of that length kept byte by byte? A script is for people to read. */
static bool keeps(struct recorder *r, size_t len)
{
	if (len <= RP_RECORD_SMALL)
		return true;
	if (len > RP_RECORD_PAYLOAD || r->large + len > RP_RECORD_TOTAL)
		return false;
	r->large += len;
	return true;
}

/* Text, if most of it is, else hex. */
static void add_run(struct recorder *r, struct rp_value *value, const uint8_t *bytes, size_t len)
{
	struct rp_part *part = add_part(r, value, RP_PART_BYTES, len);
	size_t printable = 0;

	for (size_t i = 0; i < len; i++)
		printable += is_printable(bytes[i]);
	part->bytes = (const uint8_t *)rp_arena_text(r->script->arena, (const char *)bytes, len);
	if (len >= 4 && printable * 8 >= len * 7)
		part->text = (const char *)part->bytes;
}

#define ZEROS 8u /* so many of them are written as a number */

/* Bytes as text, hex and runs of zeros; padded: zeros at the end are not written. */
static void add_bytes(struct recorder *r, struct rp_value *value, const uint8_t *bytes, size_t len,
		      bool padded)
{
	size_t from = 0, at = 0, zeros;

	while (padded && len && !bytes[len - 1])
		len--;
	value->kind = RP_VALUE_BYTES;
	while (at < len) {
		for (zeros = 0; at + zeros < len && !bytes[at + zeros];)
			zeros++;
		if (zeros < ZEROS) {
			at += zeros + 1;
			continue;
		}
		if (at > from)
			add_run(r, value, bytes + from, at - from);
		add_part(r, value, RP_PART_ZERO, zeros);
		from = at += zeros;
	}
	if (len > from)
		add_run(r, value, bytes + from, len - from);
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* The symbol that has this value, of those that the identity may be called. */
static const char *symbol_name(struct recorder *r, const struct rp_identity *id, unsigned from,
			       uint64_t num)
{
	const unsigned owner = id->owner == RP_PEER ? !from : from;
	char name[48], base[40];

	if (id->owner == RP_BOTH)
		g_snprintf(base, sizeof(base), "$%s", id->suffix);
	else
		g_snprintf(base, sizeof(base), "$%s.%s", r->script->roles[owner].name, id->suffix);
	for (unsigned i = 1; i < 1000; i++) {
		struct rp_symbol *symbol;

		if (i == 1)
			g_strlcpy(name, base, sizeof(name));
		else
			g_snprintf(name, sizeof(name), "%s_%u", base, i);
		symbol = rp_symbol(r->env.symbols, name);
		if (symbol->kind == RP_KIND_NUMBER)
			symbol->kind = (enum rp_kind)id->kind;
		if (symbol->origin == RP_UNBOUND)
			rp_symbol_set(symbol, RP_LEARNED, num);
		if (symbol->num == num)
			return keep(r, symbol->name);
	}
	return NULL;
}

static bool of_role(const struct recorder *r, const uint8_t gid[16])
{
	return !memcmp(r->from->addr[0].bytes, gid, 16) || !memcmp(r->from->addr[1].bytes, gid, 16);
}

static void was_lines(struct recorder *r)
{
	const struct rp_symbol *symbol;

	for (size_t i = 0; (symbol = rp_symbol_at(r->env.symbols, i)); i++) {
		struct rp_binding *b;

		/* Addresses are those of the roles, in whatever form. */
		if (symbol->origin != RP_LEARNED || symbol->kind == RP_KIND_IP ||
		    (symbol->kind == RP_KIND_GID && of_role(r, symbol->gid)))
			continue;
		b = rp_arena_grow(r->script->arena, &r->script->bindings, &r->script->binding_count,
				  sizeof(*b));
		b->symbol = keep(r, symbol->name);
		b->is_gid = rp_symbol_is_gid(symbol);
		b->num = symbol->num;
		memcpy(b->gid, symbol->gid, 16);
	}
}

/* What was told over TCP: no message of the script teaches it. */
static void bind_told(struct recorder *r)
{
	for (unsigned role = 0; role < RP_ROLES; role++) {
		const struct rp_told *told = &r->from->told[role];
		const uint32_t values[] = { told->qpn, told->psn };
		static const char *const suffixes[] = { "qpn", "psn" };

		for (size_t i = 0; told->known && i < G_N_ELEMENTS(suffixes); i++) {
			struct rp_script *script = r->script;
			struct rp_binding *b = rp_arena_grow(script->arena, &script->bindings,
							     &script->binding_count, sizeof(*b));
			char name[48];

			g_snprintf(name, sizeof(name), "$%s.%s", script->roles[role].name,
				   suffixes[i]);
			b->symbol = keep(r, name);
			b->num = values[i];
			b->force = true;
		}
	}
}

/* ---- fields ---------------------------------------------------------------------------------- */

static void record_field(struct recorder *r, struct rp_stmt *s, unsigned field, const uint8_t *want,
			 const uint8_t *got)
{
	const struct rdt_field *f = &rdt_fields[field];
	const struct rp_identity *id = rp_identity_find(field);
	struct rp_assign *a;
	uint64_t num;

	if (!rdt_field_is_num(f)) {
		const size_t len = f->width / 8u;
		const uint8_t *bytes = rdt_field_bytes(f, got);

		if (want && !memcmp(rdt_field_bytes(f, want), bytes, len))
			return;
		a = add_assign(r, s, field);
		if (f->kind == RDT_KIND_GID)
			add_run(r, &a->value, bytes, len);
		else
			add_bytes(r, &a->value, bytes, len, true);
		return;
	}
	num = rdt_field_get(f, got);
	if (want && rdt_field_get(f, want) == num)
		return;
	a = add_assign(r, s, field);
	a->value.kind = RP_VALUE_NUM;
	a->value.num = num;
	if (id && field == RDT_F_bth_psn) {
		/* One symbol a direction; packets count from it. */
		struct rp_symbol *symbol;
		char name[48];

		g_snprintf(name, sizeof(name), "$%s.psn", r->script->roles[s->role].name);
		symbol = rp_symbol(r->env.symbols, name);
		symbol->kind = RP_KIND_PSN;
		if (symbol->origin == RP_UNBOUND)
			rp_symbol_set(symbol, RP_LEARNED, num);
		a->value.kind = RP_VALUE_SYMBOL;
		a->value.symbol = keep(r, name);
		a->value.num =
			(uint64_t)(int64_t)rdt_psn_diff((uint32_t)num, (uint32_t)symbol->num);
	} else if (id && num) {
		a->value.symbol = symbol_name(r, id, s->role, num);
		if (a->value.symbol) {
			a->value.kind = RP_VALUE_SYMBOL;
			a->value.num = 0;
		}
	}
}

/*
 * UD programs of rdma_cm tell the QPN to answer as immediate data: no message of the CM carries that of the
 * active side. Set after the DETH, which names it too.
 */
static void name_immediate(struct rp_stmt *s, const struct rp_image *got)
{
	const uint8_t *immdt = rp_image_hdr(got, RDT_F_immdt_data);
	const uint8_t *deth = rp_image_hdr(got, RDT_F_deth_src_qpn);
	const struct rp_assign *qpn = NULL;

	if (!immdt || !deth || rdt_immdt_data(immdt) != rdt_deth_src_qpn(deth))
		return;
	for (size_t i = 0; i < s->assign_count; i++) {
		if (s->assigns[i].field == RDT_F_deth_src_qpn)
			qpn = &s->assigns[i];
	}
	for (size_t i = 0; qpn && i < s->assign_count; i++) {
		if (s->assigns[i].field == RDT_F_immdt_data)
			s->assigns[i].value = qpn->value;
	}
}

/* Headers that are the sender's to choose; what is below them is the carrier's. */
static bool records_hdr(struct rp_msg msg, unsigned hdr)
{
	if (rp_is_network(hdr))
		return false;
	return msg.family != RP_OP || hdr == RDT_H_immdt;
}

static void record_fields(struct recorder *r, struct rp_stmt *s, const struct rp_image *want,
			  const struct rp_image *got)
{
	const struct rdt_field *private_data = rp_msg_private(s->msg);
	uint8_t hdrs[RP_HDRS_MAX];
	const size_t count = rp_msg_hdrs(s->msg, hdrs);

	for (size_t i = 0; i < count; i++) {
		if (!records_hdr(s->msg, hdrs[i]))
			continue;
		for (unsigned f = rdt_hdrs[hdrs[i]].begin; f < rdt_hdrs[hdrs[i]].end; f++) {
			const uint8_t *g = rp_image_hdr(got, f);

			if (!g || &rdt_fields[f] == private_data)
				continue;
			/* The sender of a packet to QP1 counts as it likes. */
			if (s->msg.family == RP_CM && f == RDT_F_bth_psn)
				continue;
			record_field(r, s, f, rp_image_hdr(want, f), g);
		}
	}
}

/* An IP CM header that the template expects and the message has not, or the other way round. */
static bool other_private(const struct rp_image *want, const struct rp_image *got)
{
	return !rdt_layer_find(want->layers, want->layer_count, RDT_H_ipcm) !=
	       !rdt_layer_find(got->layers, got->layer_count, RDT_H_ipcm);
}

static void record_private(struct recorder *r, struct rp_stmt *s, const struct rp_image *got)
{
	size_t n = got->private_len;
	struct rp_assign *a;

	while (s->msg.family == RP_CM && n && !got->private_data[n - 1])
		n--;
	if (!n)
		return;
	a = add_assign(r, s, RP_FIELD_PRIVATE);
	add_bytes(r, &a->value, got->private_data, n, false);
}

static void record_message(struct recorder *r, struct rp_stmt *s, const struct rp_item *item)
{
	const struct rdt_field *f = rp_msg_private(s->msg);
	struct rp_image want, got;
	struct rp_item *built;

	rp_learn(&r->env, s, item);
	built = rp_build(&r->env, s);
	/* Other fields of a REJ follow from its reason. */
	if (built && rp_msg_equal(s->msg, (struct rp_msg){ RP_CM, RDT_MSG_REJ }) &&
	    rp_item_image(built, &want) && rp_item_image(item, &got)) {
		record_field(r, s, RDT_F_rej_reason, rp_image_hdr(&want, RDT_F_rej_reason),
			     rp_image_hdr(&got, RDT_F_rej_reason));
		rp_item_free(built);
		built = rp_build(&r->env, s);
	}
	if (!built || !rp_item_image(built, &want) || !rp_item_image(item, &got)) {
		rp_item_free(built);
		return;
	}
	record_fields(r, s, &want, &got);
	name_immediate(s, &got);
	if (f && other_private(&want, &got)) {
		const uint8_t *hdr = rp_image_hdr(&got, (unsigned)(f - rdt_fields));

		if (hdr)
			add_bytes(r, &add_assign(r, s, (unsigned)(f - rdt_fields))->value,
				  hdr + f->at / 8, f->width / 8u, true);
	} else if (rp_msg_has(s->msg, RP_FIELD_PRIVATE)) {
		record_private(r, s, &got);
	}
	rp_item_free(built);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static bool target_of(const struct rp_item *item, uint64_t *va, uint32_t *rkey, uint64_t *len)
{
	switch (item->op.kind) {
	case RP_OP_WRITE:
	case RP_OP_WRITE_IMM:
	case RP_OP_READ:
		*va = rdt_reth_va(item->op.reth);
		*rkey = rdt_reth_rkey(item->op.reth);
		*len = rdt_reth_dma_len(item->op.reth);
		return *len != 0;
	case RP_OP_CMP_SWAP:
	case RP_OP_FETCH_ADD:
		*va = rdt_atomiceth_va(item->op.atomiceth);
		*rkey = rdt_atomiceth_rkey(item->op.atomiceth);
		*len = 8;
		return true;
	default:
		return false;
	}
}

static struct region *region_of(struct recorder *r, unsigned role, uint32_t rkey)
{
	for (guint i = 0; i < r->regions->len; i++) {
		struct region *m = &g_array_index(r->regions, struct region, i);

		if (m->role == role && m->rkey == rkey)
			return m;
	}
	return NULL;
}

static void find_windows(struct recorder *r)
{
	for (guint i = 0; i < r->from->items->len; i++) {
		const struct rp_item *item = r->from->items->pdata[i];
		const struct window w = { .role = !item->from,
					  .rkey = rdt_ieth_rkey(item->op.ieth) };

		if (item->msg.family == RP_OP && item->op.kind == RP_OP_SEND_INV && w.rkey &&
		    r->windows->len < 200)
			g_array_append_val(r->windows, w);
	}
}

static void find_regions(struct recorder *r)
{
	for (guint i = 0; i < r->from->items->len; i++) {
		const struct rp_item *item = r->from->items->pdata[i];
		uint64_t va, len;
		uint32_t rkey;
		struct region *m;

		/* What was refused does not say where memory is. */
		if (item->msg.family != RP_OP || item->op.refused ||
		    !target_of(item, &va, &rkey, &len))
			continue;
		m = region_of(r, !item->from, rkey);
		if (!m && r->regions->len < 200) {
			const struct region made = {
				.role = !item->from, .rkey = rkey, .begin = va, .end = va + len
			};

			g_array_append_val(r->regions, made);
			m = &g_array_index(r->regions, struct region, r->regions->len - 1);
			g_snprintf(m->name, sizeof(m->name), "m%u", r->regions->len);
		}
		if (m) {
			m->begin = MIN(m->begin, va);
			m->end = MAX(m->end, va + len);
		}
	}
	for (guint i = r->regions->len; i-- > 0;) {
		const struct region *m = &g_array_index(r->regions, struct region, i);

		/* Too far apart to be one memory: those keep their numbers. */
		if (m->end - m->begin > RP_BYTES_MAX)
			g_array_remove_index(r->regions, i);
	}
}

static void declare_regions(struct recorder *r)
{
	for (guint i = 0; i < r->regions->len; i++) {
		struct region *m = &g_array_index(r->regions, struct region, i);
		struct rp_script *script = r->script;
		struct rp_memory_decl *decl = rp_arena_grow(script->arena, &script->memories,
							    &script->memory_count, sizeof(*decl));
		struct rp_symbol *symbol;
		char name[32];

		decl->role = m->role;
		decl->name = keep(r, m->name);
		decl->len = m->end - m->begin;
		m->now = g_byte_array_new();
		g_byte_array_set_size(m->now, (guint)decl->len);
		memset(m->now->data, 0, m->now->len);
		g_snprintf(name, sizeof(name), "$%s.va", m->name);
		symbol = rp_symbol(r->env.symbols, name);
		symbol->kind = RP_KIND_VA;
		rp_symbol_set(symbol, RP_LEARNED, m->begin);
		g_snprintf(name, sizeof(name), "$%s.rkey", m->name);
		symbol = rp_symbol(r->env.symbols, name);
		symbol->kind = RP_KIND_RKEY;
		rp_symbol_set(symbol, RP_LEARNED, m->rkey);
	}
}

static void assign_symbol(struct recorder *r, struct rp_stmt *s, unsigned field,
			  const struct region *m, const char *suffix, uint64_t add)
{
	struct rp_assign *a = add_assign(r, s, field);
	char name[32];

	g_snprintf(name, sizeof(name), "$%s.%s", m->name, suffix);
	a->value.kind = RP_VALUE_SYMBOL;
	a->value.symbol = keep(r, name);
	a->value.num = add;
}

static void assign_number(struct recorder *r, struct rp_stmt *s, unsigned field, uint64_t num)
{
	struct rp_assign *a = add_assign(r, s, field);

	a->value.kind = RP_VALUE_NUM;
	a->value.num = num;
}

static void record_target(struct recorder *r, struct rp_stmt *s, const struct rp_item *item)
{
	const bool atomic = item->op.kind == RP_OP_CMP_SWAP || item->op.kind == RP_OP_FETCH_ADD;
	const unsigned va_field = atomic ? RDT_F_atomiceth_va : RDT_F_reth_va;
	const unsigned rkey_field = atomic ? RDT_F_atomiceth_rkey : RDT_F_reth_rkey;
	const struct region *m;
	uint64_t va, len;
	uint32_t rkey;

	if (!target_of(item, &va, &rkey, &len))
		return;
	m = region_of(r, !item->from, rkey);
	if (m) {
		assign_symbol(r, s, va_field, m, "va", va - m->begin);
		assign_symbol(r, s, rkey_field, m, "rkey", 0);
	} else {
		assign_number(r, s, va_field, va);
		assign_number(r, s, rkey_field, rkey);
	}
	if (item->op.kind == RP_OP_READ)
		assign_number(r, s, RDT_F_reth_dma_len, len);
	if (atomic) {
		assign_number(r, s, RDT_F_atomiceth_swap_add,
			      rdt_atomiceth_swap_add(item->op.atomiceth));
		if (item->op.kind == RP_OP_CMP_SWAP)
			assign_number(r, s, RDT_F_atomiceth_compare,
				      rdt_atomiceth_compare(item->op.atomiceth));
	}
}

/* ---- payload ----------------------------------------------------------------------------------- */

/* The place of a memory's address in bytes that its owner sends: address, then key. */
static const struct region *advertised(struct recorder *r, unsigned role, const uint8_t *bytes,
				       size_t len, uint64_t *add)
{
	for (guint i = 0; len >= 12 && i < r->regions->len; i++) {
		const struct region *m = &g_array_index(r->regions, struct region, i);
		const uint64_t va = rdt_be_load(bytes, 8);

		if (m->role == role && rdt_be_load(bytes + 8, 4) == m->rkey && va >= m->begin &&
		    va < m->end) {
			*add = va - m->begin;
			return m;
		}
	}
	return NULL;
}

static void symbol_part(struct recorder *r, struct rp_value *value, const struct region *m,
			const char *suffix, size_t len, uint64_t add)
{
	struct rp_part *part = add_part(r, value, RP_PART_NUM, len);
	char name[32];

	g_snprintf(name, sizeof(name), "$%s.%s", m->name, suffix);
	part->symbol = keep(r, name);
	part->num = add;
}

/* The symbol of the window whose key stands there; NULL for none. */
static const char *told_window(struct recorder *r, unsigned role, const uint8_t *bytes, size_t len)
{
	for (guint i = 0; len >= 4 && i < r->windows->len; i++) {
		const struct window *w = &g_array_index(r->windows, struct window, i);

		/* Named as the peer's SEND names it. */
		if (w->role == role && rdt_be_load(bytes, 4) == w->rkey)
			return symbol_name(r, rp_identity_find(RDT_F_ieth_rkey), !role, w->rkey);
	}
	return NULL;
}

static void record_payload(struct recorder *r, struct rp_stmt *s, const struct rp_item *item)
{
	struct rp_assign *a = add_assign(r, s, RP_FIELD_PAYLOAD);
	const uint8_t *bytes = item->op.payload;
	const size_t len = item->op.payload_len;
	size_t from = 0;

	a->value.kind = RP_VALUE_BYTES;
	if (!keeps(r, len)) {
		add_part(r, &a->value, RP_PART_SIZE, len);
		return;
	}
	for (size_t at = 0; at < len;) {
		uint64_t add;
		const struct region *m = advertised(r, item->from, bytes + at, len - at, &add);
		const char *window = m ? NULL : told_window(r, item->from, bytes + at, len - at);

		if (!m && !window) {
			at++;
			continue;
		}
		if (at > from)
			add_bytes(r, &a->value, bytes + from, at - from, false);
		if (m) {
			symbol_part(r, &a->value, m, "va", 8, add);
			symbol_part(r, &a->value, m, "rkey", 4, 0);
		} else {
			add_part(r, &a->value, RP_PART_NUM, 4)->symbol = window;
		}
		at += m ? 12 : 4;
		from = at;
	}
	if (len > from)
		add_bytes(r, &a->value, bytes + from, len - from, false);
}

static bool is_atomic(const struct rp_item *item)
{
	return item->op.kind == RP_OP_CMP_SWAP || item->op.kind == RP_OP_FETCH_ADD;
}

/* What a READ or an atomic brought must have been in the memory before. */
static void record_fill(struct recorder *r, const struct rp_item *item)
{
	struct region *m;
	struct rp_stmt *s;
	uint64_t va, len, number;
	uint32_t rkey;
	uint8_t swapped[8];
	const uint8_t *was = item->op.reply;

	if (!target_of(item, &va, &rkey, &len) || !was || !keeps(r, item->op.reply_len))
		return;
	if (is_atomic(item) && item->op.reply_len == 8) {
		/* On the wire most significant first, in memory as this machine has it. */
		number = rdt_be_load(was, 8);
		memcpy(swapped, &number, 8);
		was = swapped;
	}
	m = region_of(r, !item->from, rkey);
	if (!m || va - m->begin + item->op.reply_len > m->now->len ||
	    !memcmp(m->now->data + (va - m->begin), was, item->op.reply_len))
		return;
	memcpy(m->now->data + (va - m->begin), was, item->op.reply_len);
	s = rp_arena_grow(r->script->arena, &r->script->stmts, &r->script->stmt_count, sizeof(*s));
	s->kind = RP_STMT_FILL;
	s->role = !item->from;
	s->min = s->max = 1;
	s->fault.truncate = RP_NO_TRUNCATE;
	s->name = keep(r, m->name);
	s->has_at = m->now->len != item->op.reply_len;
	s->at = (size_t)(va - m->begin);
	add_bytes(r, &s->bytes, was, item->op.reply_len, !s->has_at);
	if (!s->bytes.part_count)
		add_part(r, &s->bytes, RP_PART_ZERO, item->op.reply_len);
}

/* And what an atomic leaves there. */
static void keep_atomic(struct recorder *r, const struct rp_item *item)
{
	struct region *m;
	uint64_t va, len, number;
	uint32_t rkey;

	if (!is_atomic(item) || !target_of(item, &va, &rkey, &len))
		return;
	m = region_of(r, !item->from, rkey);
	if (!m || va - m->begin + 8 > m->now->len)
		return;
	memcpy(&number, m->now->data + (va - m->begin), 8);
	if (item->op.kind == RP_OP_FETCH_ADD)
		number += rdt_atomiceth_swap_add(item->op.atomiceth);
	else if (number == rdt_atomiceth_compare(item->op.atomiceth))
		number = rdt_atomiceth_swap_add(item->op.atomiceth);
	memcpy(m->now->data + (va - m->begin), &number, 8);
}

static void keep_write(struct recorder *r, const struct rp_item *item)
{
	struct region *m;
	uint64_t va, len;
	uint32_t rkey;

	if ((item->op.kind != RP_OP_WRITE && item->op.kind != RP_OP_WRITE_IMM) ||
	    !target_of(item, &va, &rkey, &len))
		return;
	m = region_of(r, !item->from, rkey);
	if (m && va - m->begin + item->op.payload_len <= m->now->len && item->op.payload)
		memcpy(m->now->data + (va - m->begin), item->op.payload, item->op.payload_len);
}

static void record_op(struct recorder *r, struct rp_stmt *s, const struct rp_item *item)
{
	struct rp_image got;
	struct rp_assign *a;

	rp_image_op(&item->op, &got);
	record_target(r, s, item);
	if (rdt_bth_se(item->op.bth))
		assign_number(r, s, RDT_F_bth_se, 1);
	if (rp_image_hdr(&got, RDT_F_immdt_data) && item->op.kind != RP_OP_SEND &&
	    item->op.kind != RP_OP_WRITE)
		assign_number(r, s, RDT_F_immdt_data, rdt_immdt_data(item->op.immdt));
	if (item->op.kind == RP_OP_SEND_INV)
		record_field(r, s, RDT_F_ieth_rkey, NULL, item->op.ieth);
	if (rp_msg_has(s->msg, RP_FIELD_PAYLOAD))
		record_payload(r, s, item);
	if (rp_msg_has(s->msg, RP_FIELD_REPLY) && item->op.reply) {
		a = add_assign(r, s, RP_FIELD_REPLY);
		if (!keeps(r, item->op.reply_len))
			add_part(r, &a->value, RP_PART_SIZE, item->op.reply_len);
		else
			add_bytes(r, &a->value, item->op.reply, item->op.reply_len, false);
	}
	keep_write(r, item);
	keep_atomic(r, item);
}

static void record_packet(struct recorder *r, struct rp_stmt *s, const struct rp_item *item)
{
	struct rp_image got;
	struct rp_assign *a;

	record_message(r, s, item);
	if (!rp_item_image(item, &got) || !rp_msg_has(s->msg, RP_FIELD_PAYLOAD))
		return;
	a = add_assign(r, s, RP_FIELD_PAYLOAD);
	if (!got.payload || !keeps(r, got.payload_len))
		add_part(r, &a->value, RP_PART_SIZE, got.payload_len);
	else
		add_bytes(r, &a->value, got.payload, got.payload_len, false);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static void record_item(struct recorder *r, const struct rp_item *item, int64_t *prev)
{
	struct rp_stmt made = { .kind = RP_STMT_MSG,
				.min = 1,
				.max = 1,
				.role = item->from,
				.msg = item->msg,
				.fault.truncate = RP_NO_TRUNCATE };
	struct rp_stmt *s;

	if (item->msg.family == RP_OP)
		record_fill(r, item);
	s = rp_arena_grow(r->script->arena, &r->script->stmts, &r->script->stmt_count, sizeof(*s));
	*s = made;
	s->time.kind = RP_TIME_AFTER;
	s->time.ns = *prev != INT64_MIN && item->ns > *prev
			     ? (uint64_t)MIN(item->ns - *prev, INT64_C(86400000000000))
			     : 0;
	*prev = item->ns;
	s->fault.corrupt_icrc = item->bad_icrc;
	s->fault.fails = item->msg.family == RP_OP && item->op.refused;
	if (item->duplicated)
		s->fault.dup = 2;
	if (item->msg.family == RP_OP)
		record_op(r, s, item);
	else if (item->msg.family == RP_PACKET || item->msg.family == RP_FPDU)
		record_packet(r, s, item);
	else if (item->msg.family != RP_TCP)
		record_message(r, s, item);
	if (item->msg.family == RP_CM) {
		r->env.last[item->from] = item->msg;
		r->env.has_last[item->from] = true;
	}
}

/* The service is that of the first message that names one. */
static void find_service(struct recorder *r)
{
	for (guint i = 0; i < r->from->items->len; i++) {
		const struct rp_item *item = r->from->items->pdata[i];
		struct rp_image image;
		const uint8_t *hdr;

		if (item->msg.family != RP_CM || !rp_item_image(item, &image))
			continue;
		if ((hdr = rp_image_hdr(&image, RDT_F_req_service_id)))
			r->script->service = rdt_req_service_id(hdr);
		else if ((hdr = rp_image_hdr(&image, RDT_F_sidr_req_service_id)))
			r->script->service = rdt_sidr_req_service_id(hdr);
		if (hdr) {
			r->script->has_service = true;
			return;
		}
	}
}

struct rp_script *rp_record(const struct rp_recording *from)
{
	struct recorder r = { .from = from, .script = rp_script_new() };
	const struct rdt_addr nowhere[RP_ROLES] = { { .kind = RDT_ADDR_NONE } };
	struct rp_script *script = r.script;
	int64_t prev = INT64_MIN;

	for (size_t i = 0; from->sources && from->sources[i]; i++) {
		const char **line = rp_arena_grow(script->arena, &script->sources,
						  &script->source_count, sizeof(*line));

		*line = keep(&r, from->sources[i]);
	}
	for (unsigned role = 0; role < RP_ROLES; role++)
		script->roles[role].addr = from->addr[role];
	script->iwarp = from->iwarp;
	script->strict = true;
	find_service(&r);
	if (from->iwarp && from->tcp_port) {
		script->has_service = true;
		script->service = (uint64_t)RDT_PS_TCP << 16 | from->tcp_port;
	}
	script->require.has_level = true;
	script->require.level = RP_F3;
	bind_told(&r);
	rp_env_init(&r.env, script, 1, nowhere);
	r.regions = g_array_new(FALSE, TRUE, sizeof(struct region));
	r.windows = g_array_new(FALSE, TRUE, sizeof(struct window));
	find_windows(&r);
	find_regions(&r);
	declare_regions(&r);
	for (guint i = 0; i < from->items->len && script->stmt_count + 2 < RP_STMTS_MAX; i++)
		record_item(&r, from->items->pdata[i], &prev);
	was_lines(&r);
	for (guint i = 0; i < r.regions->len; i++)
		g_byte_array_unref(g_array_index(r.regions, struct region, i).now);
	g_array_unref(r.regions);
	g_array_unref(r.windows);
	rp_env_clear(&r.env);
	return script;
}
