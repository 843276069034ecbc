// SPDX-License-Identifier: BSD-2-Clause
/* From a message to the symbols in it, and what of it is as a statement says. */
#include "replay/build.h"

#include <string.h>

#include "rdmatrace/text.h"

static const char *const class_keys[RP_CLASS_COUNT] = {
#define X(symbol, key, text) key,
	RP_CLASS_LIST(X)
#undef X
};

const char *rp_class_key(enum rp_class c)
{
	return class_keys[c];
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Has it a value that stays? */
static bool is_known(const struct rp_env *env, const struct rp_symbol *symbol)
{
	return symbol->origin != RP_UNBOUND && (symbol->origin != RP_DOUBTED || env->doubt);
}

static enum rp_origin origin_of(const struct rp_env *env)
{
	return env->doubt ? RP_DOUBTED : RP_LEARNED;
}

static void learn_number(const struct rp_env *env, struct rp_symbol *symbol, uint64_t value,
			 uint64_t add)
{
	if (!is_known(env, symbol))
		rp_symbol_set(symbol, origin_of(env), value - add);
}

static void learn_field(struct rp_env *env, const struct rp_assign *a, const struct rp_image *got)
{
	const struct rdt_field *f = &rdt_fields[a->field];
	const uint8_t *hdr = rp_image_hdr(got, a->field);
	struct rp_symbol *symbol;

	if (!hdr || a->value.kind != RP_VALUE_SYMBOL)
		return;
	symbol = rp_symbol(env->symbols, a->value.symbol);
	if (rdt_field_is_num(f))
		learn_number(env, symbol, rdt_field_get(f, hdr), a->value.num);
	else if (!is_known(env, symbol) && f->width == 128)
		rp_symbol_set_gid(symbol, origin_of(env), rdt_field_bytes(f, hdr));
}

static void learn_bytes(struct rp_env *env, const struct rp_value *value, const uint8_t *bytes,
			size_t len)
{
	size_t at = 0;

	for (size_t i = 0; bytes && i < value->part_count; i++) {
		const struct rp_part *part = &value->parts[i];

		if (part->kind == RP_PART_FILE || part->len > len - at)
			return;
		if (part->kind == RP_PART_NUM && part->symbol)
			learn_number(env, rp_symbol(env->symbols, part->symbol),
				     rdt_be_load(bytes + at, (unsigned)part->len), part->num);
		at += part->len;
	}
}

void rp_learn(struct rp_env *env, const struct rp_stmt *s, const struct rp_item *got)
{
	struct rp_image image;
	uint8_t hdrs[RP_HDRS_MAX];
	const size_t count = rp_msg_hdrs(s->msg, hdrs);
	bool said;

	if (!rp_item_image(got, &image))
		return;
	for (size_t i = 0; i < count; i++) {
		for (unsigned f = rdt_hdrs[hdrs[i]].begin; f < rdt_hdrs[hdrs[i]].end; f++) {
			const struct rp_assign *a = rp_expr(env, s, f, &said);

			if (a)
				learn_field(env, a, &image);
		}
	}
	for (size_t i = 0; i < s->assign_count; i++) {
		const struct rp_assign *a = &s->assigns[i];

		if (a->field == RP_FIELD_PRIVATE)
			learn_bytes(env, &a->value, image.private_data, image.private_len);
		else if (a->field == RP_FIELD_PAYLOAD)
			learn_bytes(env, &a->value, image.payload, image.payload_len);
	}
}

/* ---- comparing --------------------------------------------------------------------------------- */

struct comparison {
	struct rp_env *env;
	const struct rp_stmt *s;
	struct rp_image want, got;
	rp_can_set_fn can_set;
	bool came;
	GArray *results;
	unsigned differs;
	bool ipcm; /* the message has an IP CM header: its private data are looked at from there */
};

static void put_result(struct comparison *c, unsigned field, enum rp_class class, const char *rule,
		       struct rp_pos pos)
{
	const struct rp_field_result result = { field, class, rule, pos };

	if (class == RP_CLASS_DIFFERS)
		c->differs++;
	if (c->results)
		g_array_append_val(c->results, result);
}

static bool equal_field(const struct rdt_field *f, const uint8_t *a, const uint8_t *b)
{
	if (rdt_field_is_num(f))
		return rdt_field_get(f, a) == rdt_field_get(f, b);
	return !memcmp(rdt_field_bytes(f, a), rdt_field_bytes(f, b), f->width / 8u);
}

/* Is it a field that every packet of this kind has the same, for which a template has no row? */
static bool is_fixed(const struct comparison *c, const struct rdt_field *f)
{
	return c->s->msg.family == RP_CM && (f->hdr == RDT_H_bth || f->hdr == RDT_H_deth);
}

static void compare_field(struct comparison *c, unsigned field)
{
	const struct rdt_field *f = &rdt_fields[field];
	const uint8_t *want = rp_image_hdr(&c->want, field), *got = rp_image_hdr(&c->got, field);
	bool said, follows, equal;
	const struct rp_assign *a = rp_expr(c->env, c->s, field, &said);
	const struct rp_pos pos = a && said ? a->pos : c->s->pos;
	const char *rule;

	/* Said by nobody, and not held to the template: no matter what it is. */
	const bool unsaid = !said && (!c->env->script->strict || c->s->rest) && !is_fixed(c, f);

	if (!want && !got)
		return;
	if (!want || !got) {
		if (!unsaid && (said || want))
			put_result(c, field, RP_CLASS_DIFFERS, NULL, pos);
		return;
	}
	equal = equal_field(f, want, got);
	if (c->can_set && !c->can_set(c->s->msg, field, c->came) &&
	    !(a && a->value.kind == RP_VALUE_SYMBOL)) {
		put_result(c, field, RP_CLASS_BACKEND, equal ? "equal all the same" : "differs",
			   pos);
		return;
	}
	if (a && a->value.kind == RP_VALUE_AUTO) {
		rule = rp_auto_rule(field, &follows);
		if (unsaid)
			put_result(c, field, RP_CLASS_UNSAID, NULL, pos);
		else if (equal || !follows)
			put_result(c, field, RP_CLASS_RULE, rule, pos);
		else
			put_result(c, field, RP_CLASS_DIFFERS, NULL, pos);
		return;
	}
	/* Nobody speaks of it, and whoever sends it is free. */
	rule = a ? NULL : rp_free_rule(field, c->s->msg.family == RP_CM);
	if (rule) {
		put_result(c, field, RP_CLASS_RULE, rule, pos);
		return;
	}
	if (unsaid || (a && a->value.kind == RP_VALUE_ANY)) {
		put_result(c, field, RP_CLASS_UNSAID, NULL, pos);
		return;
	}
	if (a && a->value.kind == RP_VALUE_RANGE) {
		const uint64_t num = rdt_field_get(f, got);

		equal = num >= a->value.num && num <= a->value.max;
	}
	if (!equal)
		put_result(c, field, RP_CLASS_DIFFERS, NULL, pos);
	else if (a && a->value.kind == RP_VALUE_SYMBOL)
		put_result(c, field, RP_CLASS_RULE,
			   rp_kind_rule(rp_symbol(c->env->symbols, a->value.symbol)->kind), pos);
	else if (f->kind != RDT_KIND_RSVD)
		put_result(c, field, RP_CLASS_SAME, NULL, pos);
}

/* Fields that are no wire field: bytes of any length, of which some may be no matter. */
static void compare_pseudo(struct comparison *c, unsigned field, const uint8_t *got, size_t len)
{
	bool said, equal;
	const struct rp_assign *a = rp_expr(c->env, c->s, field, &said);
	const struct rp_pos pos = a ? a->pos : c->s->pos;
	GByteArray *bytes = g_byte_array_new(), *mask = g_byte_array_new();
	const bool padded = c->s->msg.family == RP_CM;

	if (a && a->value.kind == RP_VALUE_BYTES)
		rp_bytes(c->env, &a->value, bytes, mask);
	if (a ? a->value.kind != RP_VALUE_BYTES
	      : field != RP_FIELD_PRIVATE || !c->env->script->strict || c->s->rest) {
		put_result(c, field, RP_CLASS_UNSAID, NULL, pos);
	} else if (c->can_set && !c->can_set(c->s->msg, field, c->came)) {
		put_result(c, field, RP_CLASS_BACKEND, "not settable", pos);
	} else {
		/* In a MAD, what is not filled is zero. */
		equal = padded ? bytes->len <= len : bytes->len == len;
		for (size_t i = 0; equal && i < len; i++) {
			const uint8_t want = i < bytes->len ? bytes->data[i] : 0;
			const uint8_t m = i < bytes->len ? mask->data[i] : 0xff;

			if (got ? (got[i] ^ want) & m : m && a && field == RP_FIELD_PAYLOAD)
				equal = false;
		}
		put_result(c, field, equal ? RP_CLASS_SAME : RP_CLASS_DIFFERS, NULL, pos);
	}
	g_byte_array_unref(bytes);
	g_byte_array_unref(mask);
}

static void compare_hdr(struct comparison *c, unsigned hdr)
{
	const struct rdt_field *private_data = rp_msg_private(c->s->msg);
	bool said;

	if (c->env->mad_only && c->s->msg.family == RP_CM &&
	    (hdr == RDT_H_bth || hdr == RDT_H_deth))
		return;
	for (unsigned f = rdt_hdrs[hdr].begin; f < rdt_hdrs[hdr].end; f++) {
		/* Link and network are the carrier's, unless the script speaks of them. */
		if (rp_is_network(hdr) && (!rp_expr(c->env, c->s, f, &said) || !said))
			continue;
		/* The packets of an operation are the backend's; what it asks of the peer is not. */
		if (c->s->msg.family == RP_OP && hdr == RDT_H_bth && f != RDT_F_bth_se &&
		    (!rp_expr(c->env, c->s, f, &said) || !said))
			continue;
		/* private= covers it, unless the script has it as a whole. */
		if (&rdt_fields[f] == private_data && !rp_expr(c->env, c->s, f, &said))
			continue;
		compare_field(c, f);
	}
}

unsigned rp_compare(struct rp_env *env, const struct rp_stmt *s, const struct rp_item *want,
		    const struct rp_item *got, rp_can_set_fn can_set, bool came, GArray *results)
{
	struct comparison c = {
		.env = env, .s = s, .can_set = can_set, .came = came, .results = results
	};
	uint8_t hdrs[RP_HDRS_MAX];
	const size_t count = rp_msg_hdrs(s->msg, hdrs);
	bool said, whole, has_want, has_got;

	if (s->msg.family == RP_TCP)
		return 0;
	has_want = rp_item_image(want, &c.want);
	has_got = rp_item_image(got, &c.got);
	/* A frame that the script itself has made unreadable is what was sent. */
	if (!has_want && !has_got)
		return 0;
	if (!has_want || !has_got) {
		put_result(&c, RP_FIELD_PAYLOAD, RP_CLASS_DIFFERS, NULL, s->pos);
		return c.differs;
	}
	for (size_t i = 0; i < count; i++)
		compare_hdr(&c, hdrs[i]);
	whole = rp_msg_private(s->msg) &&
		rp_expr(env, s, (unsigned)(rp_msg_private(s->msg) - rdt_fields), &said);
	if (rp_msg_has(s->msg, RP_FIELD_PRIVATE) && !whole)
		compare_pseudo(&c, RP_FIELD_PRIVATE, c.got.private_data, c.got.private_len);
	if (rp_msg_has(s->msg, RP_FIELD_PAYLOAD))
		compare_pseudo(&c, RP_FIELD_PAYLOAD, c.got.payload, c.got.payload_len);
	if (rp_msg_has(s->msg, RP_FIELD_REPLY) && !s->fault.fails)
		compare_pseudo(&c, RP_FIELD_REPLY, c.got.reply, c.got.reply_len);
	return c.differs;
}

/* ---- choosing ------------------------------------------------------------------------------------ */

static bool field_fits(struct rp_env *env, const struct rp_assign *a, const struct rp_image *got)
{
	const struct rdt_field *f;
	const uint8_t *hdr;
	uint64_t num;

	if (a->field >= RDT_FIELD_COUNT || a->value.kind == RP_VALUE_ANY ||
	    a->value.kind == RP_VALUE_AUTO || a->value.kind == RP_VALUE_BYTES)
		return true;
	f = &rdt_fields[a->field];
	hdr = rp_image_hdr(got, a->field);
	if (!hdr)
		return false;
	if (!rdt_field_is_num(f))
		return true;
	num = rdt_field_get(f, hdr);
	if (a->value.kind == RP_VALUE_SYMBOL) {
		const struct rp_symbol *symbol = rp_symbol(env->symbols, a->value.symbol);
		const uint64_t mask = f->width < 64 ? (UINT64_C(1) << f->width) - 1 : UINT64_MAX;

		return !is_known(env, symbol) || ((symbol->num + a->value.num) & mask) == num;
	}
	return num >= a->value.num &&
	       num <= (a->value.kind == RP_VALUE_RANGE ? a->value.max : a->value.num);
}

bool rp_fits(struct rp_env *env, const struct rp_stmt *s, const struct rp_item *got)
{
	struct rp_image image;

	if (!rp_msg_equal(s->msg, got->msg))
		return false;
	if (s->msg.family == RP_TCP)
		return true;
	if (!rp_item_image(got, &image))
		return false;
	for (size_t i = 0; i < s->assign_count; i++) {
		if (!field_fits(env, &s->assigns[i], &image))
			return false;
	}
	return true;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static char *hex_text(const uint8_t *bytes, size_t len)
{
	GString *out = g_string_new(NULL);

	if (!bytes)
		g_string_printf(out, "%zu bytes", len);
	for (size_t i = 0; bytes && i < MIN(len, 24u); i++)
		g_string_append_printf(out, "%02x", bytes[i]);
	if (bytes && len > 24)
		g_string_append_printf(out, "... (%zu bytes)", len);
	return g_string_free(out, FALSE);
}

char *rp_field_value(const struct rp_item *item, unsigned field)
{
	struct rp_image image;
	const uint8_t *hdr;
	char text[RDT_TEXT_MAX];

	if (!rp_item_image(item, &image))
		return g_strdup("-");
	switch (field) {
	case RP_FIELD_PRIVATE:
		return hex_text(image.private_data, image.private_len);
	case RP_FIELD_PAYLOAD:
		return hex_text(image.payload, image.payload_len);
	case RP_FIELD_REPLY:
		return hex_text(image.reply, image.reply_len);
	default:
		break;
	}
	hdr = rp_image_hdr(&image, field);
	if (!hdr)
		return g_strdup("absent");
	rdt_field_text(&rdt_fields[field], hdr, text, sizeof(text));
	return g_strdup(text);
}
