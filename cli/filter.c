// SPDX-License-Identifier: BSD-2-Clause
/*
 * From an expression to a program. The program is a list of steps around one truth value: ask,
 * invert, and jump forward where and/or know the answer. So asking it needs no stack.
 */
#include "filter_int.h"

#include <string.h>

struct parser {
	struct rdt_filter *f;
	const char *expr;
	struct lexer lex;
	struct token tok; /* the one looked at */
	unsigned depth;
	bool in_some;
	struct rdt_filter_error *err;
};

static bool parse_or(struct parser *p);

static bool fail(struct parser *p, const struct token *tok, const char *what, const char *hint)
{
	p->err->at = tok->at;
	p->err->len = tok->len ? tok->len : 1;
	g_strlcpy(p->err->what, what, sizeof(p->err->what));
	g_strlcpy(p->err->hint, hint, sizeof(p->err->hint));
	return false;
}

static bool next(struct parser *p)
{
	return filter_lex(&p->lex, &p->tok, p->err);
}

/* ---- the program -------------------------------------------------------------------------- */

static guint emit(struct parser *p, enum op_code code, guint arg)
{
	const struct op op = { .code = (uint8_t)code, .bit = FILTER_NO_BIT, .arg = (uint16_t)arg };

	g_array_append_val(p->f->ops, op);
	return p->f->ops->len - 1;
}

static struct op *op_at(struct parser *p, guint i)
{
	return &g_array_index(p->f->ops, struct op, i);
}

/* Make the jump at i lead to the next step. */
static void patch(struct parser *p, guint i)
{
	op_at(p, i)->arg = (uint16_t)p->f->ops->len;
}

static bool take_bit(struct parser *p, guint i, const struct token *tok)
{
	if (p->f->bits == FILTER_MARKS_MAX)
		return fail(p, tok, "more than 64 questions about packets and records", "");
	op_at(p, i)->bit = (uint8_t)p->f->bits++;
	return true;
}

/* Is it a header of a message, or inside one? Those can be asked where no packet is any more. */
static bool in_message(enum rdt_hdr_id hdr)
{
	return (hdr >= RDT_H_req && hdr <= RDT_H_spr) ||
	       (hdr >= RDT_H_ipcm && hdr <= RDT_H_rpcrdma) || hdr == RDT_H_mpa || hdr == RDT_H_mpa2;
}

static unsigned target_needs(struct target t)
{
	if (t.kind == TARGET_COL)
		return 1u << rdt_cols[t.id].rec;
	if ((t.kind == TARGET_HDR && in_message((enum rdt_hdr_id)t.id)) ||
	    (t.kind == TARGET_FIELD && in_message((enum rdt_hdr_id)rdt_fields[t.id].hdr)))
		return RDT_VIEW_BODY;
	return RDT_VIEW_PACKET;
}

/* ---- predicates --------------------------------------------------------------------------- */

static bool add_operand(struct parser *p, struct predicate *pred, const struct token *tok)
{
	struct operand o;

	if (!filter_operand(p->expr, tok, &pred->targets, (enum compare)pred->cmp, &o, p->err))
		return false;
	g_array_append_val(p->f->operands, o);
	pred->count++;
	return true;
}

static bool parse_value(struct parser *p, struct predicate *pred)
{
	struct token value = p->tok;

	if (value.kind == TOK_WORD || value.kind == TOK_STRING) {
		if (!next(p))
			return false;
		if (filter_target_class(pred->targets.of[0]) == CLASS_INT) {
			const size_t before = value.len;

			filter_join_unit(p->expr, &value, &p->tok);
			if (value.len != before && !next(p))
				return false;
		}
		return add_operand(p, pred, &value);
	}
	return fail(p, &value, "a value is missing here",
		    value.len && g_ascii_isalpha(p->expr[value.at])
			    ? "in quotes, this word can be one"
			    : "");
}

/* {8, 10, 28}; commas may be missing. */
static bool parse_set(struct parser *p, struct predicate *pred)
{
	const struct token open = p->tok;

	if (!next(p))
		return false;
	while (p->tok.kind != TOK_SET_CLOSE) {
		if (p->tok.kind == TOK_END)
			return fail(p, &open, "the set is not closed", "it ends with }");
		if (!parse_value(p, pred))
			return false;
		if (p->tok.kind == TOK_COMMA && !next(p))
			return false;
	}
	if (!pred->count)
		return fail(p, &open, "the set is empty", "");
	return next(p);
}

static bool check_place(struct parser *p, const struct targets *t, const struct token *name)
{
	if (p->in_some && t->conn_count && t->conn_count == t->count)
		return fail(p, name,
			    "inside some(...) this name has no meaning: it is of the connection",
			    "some(...) asks for one packet, message, state or event");
	return true;
}

static bool finish_predicate(struct parser *p, const struct predicate *pred,
			     const struct token *name)
{
	const struct targets *t = &pred->targets;
	guint at;

	for (unsigned i = 0; i < t->count; i++)
		if (!p->in_some || i >= t->conn_count)
			p->f->needs |= target_needs(t->of[i]);
	if (t->of[0].kind == TARGET_PROTO && !p->in_some)
		p->f->needs |= RDT_VIEW_CONN;
	g_array_append_vals(p->f->predicates, pred, 1);
	at = emit(p, OP_ASK, p->f->predicates->len - 1);
	if (p->in_some || t->conn_count || t->of[0].kind == TARGET_PROTO)
		return true;
	return take_bit(p, at, name);
}

/* name, or name compared with a value or a set. */
static bool parse_predicate(struct parser *p)
{
	struct predicate pred = { .cmp = CMP_PRESENT, .first = (uint16_t)p->f->operands->len };
	const struct token name = p->tok;
	struct token cmp;
	bool negate = false;

	if (!next(p))
		return false;
	if (p->tok.kind == TOK_NOT) {
		/* "rej_reason not in {...}"; anything else after a name is no "not" of ours. */
		struct lexer ahead = p->lex;

		if (!filter_lex(&ahead, &cmp, p->err))
			return false;
		if (cmp.kind == TOK_COMPARE && cmp.cmp == CMP_IN) {
			negate = true;
			p->lex = ahead;
			p->tok = cmp;
		}
	}
	cmp = p->tok;
	if (!filter_resolve(p->expr + name.at, name.len, cmp.kind == TOK_COMPARE, &pred.targets,
			    p->err)) {
		p->err->at = name.at;
		p->err->len = name.len;
		return false;
	}
	if (!check_place(p, &pred.targets, &name))
		return false;
	if (name.len > 2 && !g_ascii_strncasecmp(p->expr + name.at + name.len - 2, "ns", 2))
		pred.targets.ns_named = 1;
	if (cmp.kind == TOK_COMPARE) {
		pred.cmp = (uint8_t)cmp.cmp;
		if (!filter_compare_allowed(cmp.cmp, pred.targets.of[0], &cmp, p->err) || !next(p))
			return false;
		if (p->tok.kind == TOK_SET_OPEN) {
			if (cmp.cmp != CMP_IN)
				return fail(p, &p->tok, "a set has no place here", "name in {...}");
			if (!parse_set(p, &pred))
				return false;
		} else if (!parse_value(p, &pred)) {
			return false;
		}
	}
	if (!finish_predicate(p, &pred, &name))
		return false;
	if (negate)
		emit(p, OP_NOT, 0);
	return true;
}

/* ---- and, or, not, parentheses ------------------------------------------------------------ */

static bool parse_group(struct parser *p, const struct token *open)
{
	if (p->depth == FILTER_DEPTH_MAX)
		return fail(p, open, "too many parentheses inside each other", "");
	p->depth++;
	if (!next(p) || !parse_or(p))
		return false;
	p->depth--;
	if (p->tok.kind == TOK_CLOSE)
		return next(p);
	if (p->tok.kind == TOK_END)
		return fail(p, open, "the parenthesis is not closed", "");
	return fail(p, &p->tok, "this does not follow here",
		    "expected: and, or, or a closing parenthesis");
}

static bool parse_some(struct parser *p)
{
	const struct token some = p->tok;
	const unsigned outer = p->f->needs;
	struct token open;
	guint at;

	if (p->in_some)
		return fail(p, &some, "some(...) inside some(...)", "one is enough");
	at = emit(p, OP_SOME, 0);
	if (!take_bit(p, at, &some) || !next(p))
		return false;
	open = p->tok;
	p->in_some = true;
	p->f->needs = 0;
	if (!parse_group(p, &open))
		return false;
	p->in_some = false;
	op_at(p, at)->needs = (uint8_t)p->f->needs;
	p->f->needs |= outer;
	patch(p, at);
	return true;
}

static bool parse_not(struct parser *p)
{
	bool negate = false;

	while (p->tok.kind == TOK_NOT) {
		negate = !negate;
		if (!next(p))
			return false;
	}
	if (p->tok.kind == TOK_OPEN) {
		const struct token open = p->tok;

		if (!parse_group(p, &open))
			return false;
	} else if (p->tok.kind == TOK_SOME) {
		if (!parse_some(p))
			return false;
	} else if (p->tok.kind == TOK_WORD) {
		if (!parse_predicate(p))
			return false;
	} else {
		return fail(p, &p->tok, "a name is missing here",
			    p->tok.kind == TOK_STRING ? "names have no quotes"
						      : "as in: outcome == rejected");
	}
	if (negate)
		emit(p, OP_NOT, 0);
	return true;
}

static bool parse_and(struct parser *p)
{
	if (!parse_not(p))
		return false;
	while (p->tok.kind == TOK_AND) {
		const guint jump = emit(p, OP_IF, 0);

		if (!next(p) || !parse_not(p))
			return false;
		patch(p, jump);
	}
	return true;
}

static bool parse_or(struct parser *p)
{
	if (!parse_and(p))
		return false;
	while (p->tok.kind == TOK_OR) {
		const guint jump = emit(p, OP_ELSE, 0);

		if (!next(p) || !parse_and(p))
			return false;
		patch(p, jump);
	}
	return true;
}

/* ---- the public face ---------------------------------------------------------------------- */

static bool parse(struct parser *p)
{
	struct token all = { .at = 0, .len = 1 };

	if (p->lex.len > FILTER_EXPR_MAX)
		return fail(p, &all, "the expression is longer than 16384 bytes", "");
	if (!next(p))
		return false;
	if (p->tok.kind == TOK_END)
		return true;
	if (!parse_or(p))
		return false;
	if (p->tok.kind == TOK_END)
		return true;
	return fail(p, &p->tok, "this does not follow here",
		    p->tok.kind == TOK_CLOSE ? "no parenthesis is open"
					     : "expected: and, or, or a comparison");
}

static void clear_operand(gpointer o)
{
	filter_operand_clear(o);
}

struct rdt_filter *rdt_filter_new(const char *expr, size_t len, struct rdt_filter_error *reterr)
{
	struct parser p = { .expr = expr, .lex = { expr, len, 0 }, .err = reterr };

	p.f = g_new0(struct rdt_filter, 1);
	p.f->ops = g_array_new(FALSE, FALSE, sizeof(struct op));
	p.f->predicates = g_array_new(FALSE, FALSE, sizeof(struct predicate));
	p.f->operands = g_array_new(FALSE, FALSE, sizeof(struct operand));
	g_array_set_clear_func(p.f->operands, clear_operand);
	if (parse(&p))
		return p.f;
	rdt_filter_free(p.f);
	return NULL;
}

void rdt_filter_free(struct rdt_filter *f)
{
	if (!f)
		return;
	g_array_free(f->ops, TRUE);
	g_array_free(f->predicates, TRUE);
	g_array_free(f->operands, TRUE);
	g_free(f);
}

unsigned rdt_filter_needs(const struct rdt_filter *f)
{
	/* A packet shows its message too: one thing to offer, not two. */
	return (f->needs | (f->needs & RDT_VIEW_BODY ? RDT_VIEW_PACKET : 0)) &
	       ~(unsigned)RDT_VIEW_BODY;
}

uint64_t rdt_filter_marks(const struct rdt_filter *f)
{
	return f->bits ? UINT64_MAX >> (64 - f->bits) : 0;
}
