// SPDX-License-Identifier: BSD-2-Clause
#include "filter_int.h"

#include <string.h>

#include "filter_words.h"
#include "rdmatrace/text.h"

/* One value of a name, read. */
struct value {
	enum value_class class;
	uint64_t num;
	uint64_t scaled; /* in the unit's base, when is_scaled */
	bool is_scaled;
	const char *word; /* of a named number, for ~ */
	const uint8_t *bytes;
	size_t len;
	struct rdt_addr addr;
};

/* ---- comparing ---------------------------------------------------------------------------- */

static bool order(enum compare cmp, int sign)
{
	switch (cmp) {
	case CMP_LT:
		return sign < 0;
	case CMP_LE:
		return sign <= 0;
	case CMP_GT:
		return sign > 0;
	case CMP_GE:
		return sign >= 0;
	case CMP_PRESENT:
	case CMP_EQ:
	case CMP_NE:
	case CMP_IN:
	case CMP_CONTAINS:
	case CMP_MATCH:
		break;
	}
	return sign == 0;
}

static int sign_of(enum value_class class, uint64_t a, uint64_t b)
{
	if (class == CLASS_INT)
		return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
	return (a > b) - (a < b);
}

static bool compare_num(const struct value *v, enum compare cmp, const struct operand *o)
{
	const bool ordered = cmp == CMP_LT || cmp == CMP_LE || cmp == CMP_GT || cmp == CMP_GE;

	/* Codes need not be in the order of what they mean, as rates are not. */
	if (o->is_scaled && (ordered || !o->is_raw))
		return v->is_scaled && order(cmp, sign_of(CLASS_NUM, v->scaled, o->scaled));
	return order(cmp, sign_of(v->class, v->num, o->num));
}

static bool addr_in(const struct rdt_addr *a, const struct operand *o)
{
	const unsigned whole = o->prefix / 8, rest = o->prefix % 8;

	if ((a->kind == RDT_ADDR_LID) != (o->addr.kind == RDT_ADDR_LID) ||
	    a->kind == RDT_ADDR_NONE || memcmp(a->bytes, o->addr.bytes, whole) != 0)
		return false;
	return !rest || (a->bytes[whole] ^ o->addr.bytes[whole]) >> (8 - rest) == 0;
}

/* Fields of bytes are padded with zeros: what is there ends with the last byte that is none. */
static size_t used(const uint8_t *bytes, size_t len)
{
	while (len && !bytes[len - 1])
		len--;
	return len;
}

static bool equal_bytes(const struct value *v, const struct operand *o)
{
	return v->len >= o->len && !memcmp(v->bytes, o->bytes, o->len) &&
	       !used(v->bytes + o->len, v->len - o->len);
}

static bool find_bytes(const uint8_t *in, size_t len, const struct operand *o, bool fold)
{
	for (size_t i = 0; i + o->len <= len; i++) {
		if (fold ? !g_ascii_strncasecmp((const char *)in + i, (const char *)o->bytes,
						o->len)
			 : !memcmp(in + i, o->bytes, o->len))
			return true;
	}
	return false;
}

static bool match(const struct value *v, const struct operand *o)
{
	char text[RDT_ADDR_TEXT];
	const char *s = v->word;
	size_t len = s ? strlen(s) : 0;

	if (v->class == CLASS_ADDR) {
		s = rdt_addr_text(&v->addr, text, sizeof(text));
		len = strlen(s);
	} else if (v->class == CLASS_BYTES) {
		s = (const char *)v->bytes;
		len = used(v->bytes, v->len);
	} else if (v->class == CLASS_TEXT) {
		s = (const char *)v->bytes;
		len = v->len;
	}
	if (!s)
		return false;
	return g_regex_match_full(o->regex, s, (gssize)len, 0, 0, NULL, NULL);
}

static bool satisfies(const struct value *v, enum compare cmp, const struct operand *o)
{
	if (cmp == CMP_MATCH)
		return match(v, o);
	switch (v->class) {
	case CLASS_NUM:
	case CLASS_INT:
	case CLASS_BOOL:
		return compare_num(v, cmp, o);
	case CLASS_TEXT:
		if (cmp == CMP_CONTAINS)
			return find_bytes(v->bytes, v->len, o, true);
		return filter_word_equal((const char *)v->bytes, (const char *)o->bytes, o->len);
	case CLASS_BYTES:
		return cmp == CMP_CONTAINS ? find_bytes(v->bytes, v->len, o, false)
					   : equal_bytes(v, o);
	case CLASS_ADDR:
		return addr_in(&v->addr, o);
	case CLASS_NONE:
		break;
	}
	return false;
}

/* ---- reading ------------------------------------------------------------------------------ */

static bool read_col(const struct rdt_view *view, size_t col, struct value *ret)
{
	struct rdt_value v;

	if (!(view->has >> rdt_cols[col].rec & 1))
		return false;
	v = view->col(view->user, col);
	if (v.type == RDT_VALUE_NULL)
		return false;
	*ret = (struct value){
		.class = filter_target_class((struct target){ TARGET_COL, (uint16_t)col }),
		.num = v.num,
	};
	if (ret->class == CLASS_TEXT) {
		if (!v.text)
			return false;
		ret->bytes = (const uint8_t *)v.text;
		ret->len = strlen(v.text);
	} else if (ret->class == CLASS_ADDR) {
		if (!v.addr)
			return false;
		ret->addr = *v.addr;
	} else if (filter_col_names(col) != RDT_NAMES_none) {
		ret->word = rdt_name_key(filter_col_names(col), v.num, NULL);
	}
	return true;
}

/* Annex A11 addresses say in another field what they are. */
static struct rdt_addr read_gid(const struct rdt_field *f, const struct rdt_layer *layer)
{
	const uint8_t *bytes = rdt_field_bytes(f, layer->bytes);

	if (layer->hdr == RDT_H_ipcm)
		return rdt_addr_ipcm(rdt_ipcm_ip_version(layer->bytes), bytes);
	return rdt_addr_gid(bytes);
}

static bool read_field(const struct rdt_field *f, const struct rdt_layer *layer, struct value *ret)
{
	*ret = (struct value){ .class = CLASS_NUM };
	if (!rdt_layer_has(layer, f)) {
		/* What was captured of a run of bytes can be searched all the same. */
		if ((f->kind != RDT_KIND_BYTES && f->kind != RDT_KIND_TEXT) ||
		    layer->have <= f->at / 8u)
			return false;
		ret->len = layer->have - f->at / 8u;
	} else {
		ret->len = f->width / 8u;
	}
	if (f->kind == RDT_KIND_BYTES || f->kind == RDT_KIND_TEXT) {
		ret->class = CLASS_BYTES;
		ret->bytes = rdt_field_bytes(f, layer->bytes);
	} else if (f->kind == RDT_KIND_GID) {
		ret->class = CLASS_ADDR;
		ret->addr = read_gid(f, layer);
	} else {
		ret->num = rdt_field_get(f, layer->bytes);
		if (f->kind == RDT_KIND_IPV4) {
			ret->class = CLASS_ADDR;
			ret->addr = rdt_addr_ipv4((uint32_t)ret->num);
		} else if (f->kind == RDT_KIND_FLAG) {
			ret->class = CLASS_BOOL;
		}
		if (f->names != RDT_NAMES_none)
			ret->word = rdt_name_key((enum rdt_names_id)f->names, ret->num, NULL);
	}
	return true;
}

static bool read_frame(const struct rdt_view_frame *frame, enum frame_part part, struct value *ret)
{
	*ret = (struct value){ .class = CLASS_NUM };
	switch (part) {
	case FRAME_number:
		ret->num = frame->when.frame;
		return frame->when.frame != 0;
	case FRAME_input:
		ret->num = frame->when.input;
		return true;
	case FRAME_len:
		ret->num = frame->len;
		return frame->len != 0;
	case FRAME_cap_len:
		ret->num = frame->cap_len;
		return frame->cap_len != 0;
	case FRAME_link:
		ret->num = frame->link;
		return frame->cap_len != 0;
	case FRAME_time:
	case FRAME_time_ns:
		ret->class = CLASS_INT;
		ret->num = (uint64_t)frame->when.ns;
		return true;
	case FRAME_rel_ns:
		ret->class = CLASS_INT;
		ret->num = (uint64_t)(frame->when.ns - frame->base);
		return true;
	case FRAME_PART_COUNT:
		break;
	}
	return false;
}

/* The value in its unit's base: needed for < and > alone, so not read with the rest. */
static void scale(const struct rdt_field *f, struct value *v)
{
	if (v->class != CLASS_NUM)
		return;
	v->is_scaled = rdt_unit_scale((enum rdt_unit)f->unit, v->num, &v->scaled) != 0;
	if (!v->is_scaled && f->unit == RDT_UNIT_ACK_TIMEOUT && !v->num) {
		v->scaled = UINT64_MAX; /* 0 waits for ever */
		v->is_scaled = true;
	}
}

/* ---- asking ------------------------------------------------------------------------------- */

/* What was found among the values of a name. */
struct tally {
	bool some; /* there was a value */
	bool any;  /* one satisfied (for !=: was equal) */
};

static void count_value(const struct rdt_filter *f, const struct predicate *p,
			const struct rdt_view *view, const struct value *v, struct tally *t)
{
	const enum compare cmp = p->cmp == CMP_NE ? CMP_EQ : (enum compare)p->cmp;

	if (p->cmp == CMP_PRESENT) {
		/* A yes/no that is there always is asked for its yes. */
		t->some = true;
		t->any |= v->class != CLASS_BOOL || v->num;
		return;
	}
	for (unsigned i = 0; i < p->count; i++) {
		const struct operand *o = &g_array_index(f->operands, struct operand, p->first + i);
		struct operand col = { .prefix = 128 };
		struct value right;

		if (o->is_col) {
			if (!read_col(view, o->col, &right))
				return;
			col.num = right.num;
			o = &col;
		}
		t->some = true;
		t->any |= satisfies(v, cmp, o);
	}
}

static void ask_target(const struct rdt_filter *f, const struct predicate *p, struct target target,
		       const struct rdt_view *view, struct tally *t)
{
	const struct rdt_field *field;
	struct value v = { .class = CLASS_ADDR };

	switch ((enum target_kind)target.kind) {
	case TARGET_COL:
		if (read_col(view, target.id, &v))
			count_value(f, p, view, &v, t);
		break;
	case TARGET_FIELD:
		field = &rdt_fields[target.id];
		for (size_t i = 0; i < view->layer_count; i++)
			if (view->layers[i].hdr == field->hdr &&
			    read_field(field, &view->layers[i], &v)) {
				scale(field, &v);
				count_value(f, p, view, &v, t);
			}
		break;
	case TARGET_HDR:
		if (rdt_layer_find(view->layers, view->layer_count, (enum rdt_hdr_id)target.id))
			t->some = t->any = true;
		break;
	case TARGET_SRC:
	case TARGET_DST:
		if (target.kind == TARGET_SRC ? view->src != NULL : view->dst != NULL) {
			v.addr = *(target.kind == TARGET_SRC ? view->src : view->dst);
			if (v.addr.kind != RDT_ADDR_NONE)
				count_value(f, p, view, &v, t);
		}
		break;
	case TARGET_FRAME:
		if (view->frame && read_frame(view->frame, (enum frame_part)target.id, &v))
			count_value(f, p, view, &v, t);
		break;
	case TARGET_PROTO:
		break;
	}
}

static bool ask(const struct rdt_filter *f, const struct predicate *p, unsigned from, unsigned to,
		const struct rdt_view *view)
{
	struct tally t = { false, false };

	for (unsigned i = from; i < to; i++)
		ask_target(f, p, p->targets.of[i], view, &t);
	return p->cmp == CMP_NE ? t.some && !t.any : t.any;
}

/* Of a packet: its connection's columns when it has one, its own values otherwise. */
static bool ask_packet(const struct rdt_filter *f, const struct predicate *p, bool in_some,
		       const struct rdt_view *view)
{
	const struct targets *t = &p->targets;

	if (t->of[0].kind == TARGET_PROTO)
		return filter_proto_packet((enum proto)t->of[0].id, view);
	if (t->conn_count && !in_some && view->has & RDT_VIEW_CONN)
		return ask(f, p, 0, t->conn_count, view);
	return ask(f, p, t->conn_count, t->count, view);
}

static bool ask_conn(const struct rdt_filter *f, const struct op *op, const struct rdt_view *view,
		     uint64_t seen)
{
	const struct predicate *p = &g_array_index(f->predicates, struct predicate, op->arg);

	if (op->bit != FILTER_NO_BIT)
		return seen >> op->bit & 1;
	if (p->targets.of[0].kind == TARGET_PROTO)
		return filter_proto_conn((enum proto)p->targets.of[0].id, view);
	return ask(f, p, 0, p->targets.conn_count, view);
}

static bool has_all(const struct rdt_view *view, unsigned needs)
{
	return (view->has & needs) == needs;
}

/* Run the steps from .. to - 1 of a packet. */
static bool run_packet(const struct rdt_filter *f, unsigned from, unsigned to, bool in_some,
		       const struct rdt_view *view)
{
	bool acc = true;

	for (unsigned pc = from; pc < to; pc++) {
		const struct op *op = &g_array_index(f->ops, struct op, pc);

		switch ((enum op_code)op->code) {
		case OP_ASK:
			acc = ask_packet(f,
					 &g_array_index(f->predicates, struct predicate, op->arg),
					 in_some, view);
			break;
		case OP_NOT:
			acc = !acc;
			break;
		case OP_IF:
			if (!acc)
				pc = op->arg - 1u;
			break;
		case OP_ELSE:
			if (acc)
				pc = op->arg - 1u;
			break;
		case OP_SOME:
			/* The one level of recursion: some() does not nest. */
			acc = has_all(view, op->needs) &&
			      run_packet(f, pc + 1, op->arg, true, view);
			pc = op->arg - 1u;
			break;
		}
	}
	return acc;
}

bool rdt_filter_packet(const struct rdt_filter *f, const struct rdt_view *view)
{
	return run_packet(f, 0, f->ops->len, false, view);
}

void rdt_filter_mark(const struct rdt_filter *f, const struct rdt_view *view, uint64_t *seen)
{
	for (unsigned pc = 0; pc < f->ops->len; pc++) {
		const struct op *op = &g_array_index(f->ops, struct op, pc);
		bool yes = false;

		if (op->bit == FILTER_NO_BIT)
			continue;
		if (*seen >> op->bit & 1)
			yes = true;
		else if (op->code == OP_SOME)
			yes = has_all(view, op->needs) &&
			      run_packet(f, pc + 1, op->arg, true, view);
		else
			yes = ask_packet(f,
					 &g_array_index(f->predicates, struct predicate, op->arg),
					 true, view);
		if (yes)
			*seen |= UINT64_C(1) << op->bit;
		if (op->code == OP_SOME)
			pc = op->arg - 1u;
	}
}

bool rdt_filter_conn(const struct rdt_filter *f, const struct rdt_view *view, uint64_t seen)
{
	bool acc = true;

	for (unsigned pc = 0; pc < f->ops->len; pc++) {
		const struct op *op = &g_array_index(f->ops, struct op, pc);

		switch ((enum op_code)op->code) {
		case OP_ASK:
			acc = ask_conn(f, op, view, seen);
			break;
		case OP_NOT:
			acc = !acc;
			break;
		case OP_IF:
			if (!acc)
				pc = op->arg - 1u;
			break;
		case OP_ELSE:
			if (acc)
				pc = op->arg - 1u;
			break;
		case OP_SOME:
			acc = seen >> op->bit & 1;
			pc = op->arg - 1u;
			break;
		}
	}
	return acc;
}
