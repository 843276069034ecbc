// SPDX-License-Identifier: BSD-2-Clause
#include "filter_int.h"

#include <inttypes.h>
#include <string.h>

#include "filter_words.h"
#include "rdmatrace/text.h"

/* ---- classes ------------------------------------------------------------------------------ */

static enum value_class type_class(enum rdt_value_type type)
{
	switch (type) {
	case RDT_VALUE_INT:
	case RDT_VALUE_TIME:
	case RDT_VALUE_DURATION:
		return CLASS_INT;
	case RDT_VALUE_BOOL:
		return CLASS_BOOL;
	case RDT_VALUE_TEXT:
		return CLASS_TEXT;
	case RDT_VALUE_ADDR:
		return CLASS_ADDR;
	case RDT_VALUE_NULL:
	case RDT_VALUE_UINT:
	case RDT_VALUE_HEX32:
	case RDT_VALUE_HEX64:
	case RDT_VALUE_ID32:
		break;
	}
	return CLASS_NUM;
}

static enum value_class field_class(const struct rdt_field *f)
{
	switch ((enum rdt_kind)f->kind) {
	case RDT_KIND_FLAG:
		return CLASS_BOOL;
	case RDT_KIND_BYTES:
	case RDT_KIND_TEXT:
		return CLASS_BYTES;
	case RDT_KIND_GID:
	case RDT_KIND_IPV4:
		return CLASS_ADDR;
	case RDT_KIND_UINT:
	case RDT_KIND_UINT_LE:
	case RDT_KIND_RSVD:
	case RDT_KIND_GUID:
	case RDT_KIND_MAC:
		break;
	}
	return CLASS_NUM;
}

enum rdt_value_type filter_target_type(struct target t)
{
	static const uint8_t types[] = {
#define X(name, type) RDT_VALUE_##type,
		FRAME_PART_LIST(X)
#undef X
	};

	if (t.kind == TARGET_COL)
		return (enum rdt_value_type)rdt_cols[t.id].type;
	return t.kind == TARGET_FRAME ? (enum rdt_value_type)types[t.id] : RDT_VALUE_NULL;
}

enum value_class filter_target_class(struct target t)
{
	switch ((enum target_kind)t.kind) {
	case TARGET_COL:
	case TARGET_FRAME:
		return type_class(filter_target_type(t));
	case TARGET_FIELD:
		return field_class(&rdt_fields[t.id]);
	case TARGET_SRC:
	case TARGET_DST:
		return CLASS_ADDR;
	case TARGET_HDR:
	case TARGET_PROTO:
		break;
	}
	return CLASS_NONE;
}

static bool has_names(struct target t)
{
	if (t.kind == TARGET_COL)
		return filter_col_names(t.id) != RDT_NAMES_none;
	return t.kind == TARGET_FIELD && rdt_fields[t.id].names != RDT_NAMES_none;
}

bool filter_compare_allowed(enum compare cmp, struct target t, const struct token *tok,
			    struct rdt_filter_error *reterr)
{
	const enum value_class class = filter_target_class(t);
	const char *what = NULL, *hint = "";

	switch (cmp) {
	case CMP_LT:
	case CMP_LE:
	case CMP_GT:
	case CMP_GE:
		if (class != CLASS_NUM && class != CLASS_INT) {
			what = "this name has no order";
			hint = "== != and in compare it";
		}
		break;
	case CMP_CONTAINS:
		if (class != CLASS_TEXT && class != CLASS_BYTES) {
			what = "contains looks into text and bytes only";
			hint = class == CLASS_ADDR ? "for networks: addr in 10.1.0.0/16"
						   : "== != < <= > >= and in compare numbers";
		}
		break;
	case CMP_MATCH:
		if (class != CLASS_TEXT && class != CLASS_BYTES && class != CLASS_ADDR &&
		    !has_names(t)) {
			what = "~ looks into text, bytes and addresses only";
			hint = "== != < <= > >= and in compare numbers";
		}
		break;
	case CMP_PRESENT:
	case CMP_EQ:
	case CMP_NE:
	case CMP_IN:
		break;
	}
	if (!what)
		return true;
	reterr->at = tok->at;
	reterr->len = tok->len;
	g_strlcpy(reterr->what, what, sizeof(reterr->what));
	g_strlcpy(reterr->hint, hint, sizeof(reterr->hint));
	return false;
}

void filter_operand_clear(struct operand *o)
{
	g_free(o->bytes);
	if (o->regex)
		g_regex_unref(o->regex);
	*o = (struct operand){ .num = 0 };
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* Decimal or 0x hex, with a sign where negative is allowed. 0 no number, 1 good, -1 too large. */
static int number(const char *s, size_t len, bool negative, uint64_t *ret)
{
	const bool minus = negative && len > 1 && *s == '-';
	const uint64_t max = minus ? (uint64_t)1 << 63 : UINT64_MAX;
	unsigned base = 10;
	uint64_t v = 0;

	if (minus) {
		s++;
		len--;
	}
	if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
		len -= 2;
	}
	if (!len)
		return 0;
	for (size_t i = 0; i < len; i++) {
		const int digit = g_ascii_xdigit_value(s[i]);

		if (digit < 0 || (unsigned)digit >= base)
			return 0;
		if (v > (max - (unsigned)digit) / base)
			return -1;
		v = v * base + (unsigned)digit;
	}
	*ret = minus ? 0 - v : v;
	return 1;
}

static bool duration(const char *s, size_t len, uint64_t *ret)
{
	const bool minus = len > 1 && *s == '-';
	uint64_t ns;

	if (rdt_duration_parse(s + minus, len - minus, &ns) != RDT_OK || ns > INT64_MAX)
		return false;
	*ret = minus ? 0 - ns : ns;
	return true;
}

void filter_join_unit(const char *expr, struct token *tok, const struct token *next)
{
	static const char *const units[] = { "ns", "us", "ms", "s", "min", "h" };
	uint64_t v;

	if (tok->kind != TOK_WORD || next->kind != TOK_WORD ||
	    !number(expr + tok->at, tok->len, true, &v))
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(units); i++)
		if (strlen(units[i]) == next->len && !memcmp(units[i], expr + next->at, next->len))
			tok->len = next->at + next->len - tok->at;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar. */
static int64_t days(int64_t y, unsigned m, unsigned d)
{
	/* Years begin in March, so that the leap day is the last. */
	const int64_t year = m <= 2 ? y - 1 : y;
	const int64_t era = (year >= 0 ? year : year - 399) / 400;
	const int64_t yoe = year - era * 400;
	const int64_t doy = (153 * (int64_t)(m > 2 ? m - 3 : m + 9) + 2) / 5 + (int64_t)d - 1;

	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static bool digits(const char **s, const char *end, unsigned n, unsigned *ret)
{
	unsigned v = 0;

	if (end - *s < (ptrdiff_t)n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (!g_ascii_isdigit((*s)[i]))
			return false;
		v = v * 10 + (unsigned)((*s)[i] - '0');
	}
	*s += n;
	*ret = v;
	return true;
}

static bool skip(const char **s, const char *end, char c)
{
	if (*s == end || **s != c)
		return false;
	(*s)++;
	return true;
}

/*
 * RFC 3339: 2026-11-29T13:22:15.404052Z, the time or its fraction may be missing; UTC only. Other
 * years than these do not fit ns in 64 bits.
 */
static bool timestamp(const char *s, size_t len, uint64_t *ret)
{
	const char *end = s + len;
	unsigned y, mon, d, h = 0, min = 0, sec = 0, ns = 0;
	int64_t seconds;

	if (!digits(&s, end, 4, &y) || !skip(&s, end, '-') || !digits(&s, end, 2, &mon) ||
	    !skip(&s, end, '-') || !digits(&s, end, 2, &d) || mon < 1 || mon > 12 || d < 1 ||
	    d > 31)
		return false;
	if (skip(&s, end, 'T')) {
		if (!digits(&s, end, 2, &h) || !skip(&s, end, ':') || !digits(&s, end, 2, &min))
			return false;
		if (skip(&s, end, ':') && !digits(&s, end, 2, &sec))
			return false;
		if (skip(&s, end, '.'))
			for (unsigned unit = 100000000; s < end && g_ascii_isdigit(*s);
			     s++, unit /= 10)
				ns += (unsigned)(*s - '0') * unit;
	}
	skip(&s, end, 'Z');
	if (s != end || h > 23 || min > 59 || sec > 60 || y < 1700 || y > 2261)
		return false;
	seconds = days(y, mon, d) * 86400 + (int64_t)h * 3600 + (int64_t)min * 60 + sec;
	*ret = (uint64_t)(seconds * 1000000000 + ns);
	return true;
}

/* A service id as people write it: "tcp:4420". */
static bool service(const char *s, size_t len, uint64_t *ret)
{
	const char *colon = memchr(s, ':', len);
	const struct rdt_name *space;
	uint64_t port;

	if (!colon)
		return false;
	space = rdt_name_parse(RDT_NAMES_port_space, s, (size_t)(colon - s));
	if (!space || number(colon + 1, len - (size_t)(colon + 1 - s), false, &port) != 1 ||
	    port > UINT16_MAX)
		return false;
	*ret = (uint64_t)space->value << 16 | port;
	return true;
}

static bool truth(const char *s, size_t len, uint64_t *ret)
{
	static const struct {
		const char *text;
		unsigned value;
	} words[] = { { "0", 0 },     { "1", 1 },    { "no", 0 },  { "yes", 1 },
		      { "false", 0 }, { "true", 1 }, { "off", 0 }, { "on", 1 } };

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
		if (strlen(words[i].text) == len && !g_ascii_strncasecmp(words[i].text, s, len)) {
			*ret = words[i].value;
			return true;
		}
	return false;
}

/* Named codes: the key of the list. */
static bool named(enum rdt_names_id list, const char *s, size_t len, uint64_t *ret)
{
	const struct rdt_name *name = rdt_name_parse(list, s, len);

	if (!name)
		return false;
	*ret = name->value;
	return true;
}

/* ---- what is wrong with it ---------------------------------------------------------------- */

static void complain(struct rdt_filter_error *err, const struct token *tok, const char *what,
		     const char *hint)
{
	err->at = tok->at;
	err->len = tok->len;
	g_strlcpy(err->what, what, sizeof(err->what));
	g_strlcpy(err->hint, hint, sizeof(err->hint));
}

/* A code that its list does not name. */
static bool no_such_name(enum rdt_names_id list, const char *s, const struct token *tok,
			 struct rdt_filter_error *err)
{
	struct filter_guess g = { .word = s, .len = tok->len };

	complain(err, tok, "", "");
	g_snprintf(err->what, sizeof(err->what), "%.*s is no %s", (int)MIN(tok->len, 64), s,
		   rdt_names[list].title);
	for (size_t i = 0; i < rdt_names[list].count; i++)
		filter_guess_try(&g, rdt_names[list].rows[i].key);
	if (!filter_guess_text(&g, err->hint, sizeof(err->hint)))
		g_snprintf(err->hint, sizeof(err->hint),
			   "rdma-trace fields %s lists them; a number is good too",
			   rdt_names[list].list);
	return false;
}

static bool too_large(const struct token *tok, struct rdt_filter_error *err)
{
	complain(err, tok, "the number is too large", "");
	return false;
}

/* ---- numbers of columns ------------------------------------------------------------------- */

static bool duration_operand(const char *s, const struct token *tok, bool ns, struct operand *o,
			     struct rdt_filter_error *err)
{
	if (duration(s, tok->len, &o->num))
		return true;
	if (number(s, tok->len, true, &o->num) == 1) {
		/* A bare number could be taken for seconds, unless the name says ns. */
		if (!o->num || ns)
			return true;
		complain(err, tok, "a duration needs a unit", "ns us ms s min or h, as in 100ms");
		return false;
	}
	complain(err, tok, "this is no duration", "it looks like 100ms, 4.295s or 2min");
	return false;
}

static bool col_number(const char *s, const struct token *tok, const struct targets *targets,
		       struct operand *o, struct rdt_filter_error *err)
{
	const struct target t = targets->of[0];
	const enum rdt_value_type type = filter_target_type(t);
	const enum rdt_names_id names =
		t.kind == TARGET_COL ? filter_col_names(t.id) : RDT_NAMES_none;
	int got;

	if (type == RDT_VALUE_DURATION)
		return duration_operand(s, tok, targets->ns_named, o, err);
	if (type == RDT_VALUE_TIME && timestamp(s, tok->len, &o->num))
		return true;
	if (type == RDT_VALUE_HEX64 && service(s, tok->len, &o->num))
		return true;
	if (type == RDT_VALUE_ID32 && tok->len == 8) {
		char hex[11] = "0x";

		memcpy(hex + 2, s, 8);
		if (number(hex, 10, false, &o->num) == 1)
			return true;
	}
	got = number(s, tok->len, type_class(type) == CLASS_INT, &o->num);
	if (got > 0)
		return true;
	if (got < 0)
		return too_large(tok, err);
	if (names != RDT_NAMES_none)
		return named(names, s, tok->len, &o->num) || no_such_name(names, s, tok, err);
	if (type == RDT_VALUE_TIME)
		complain(err, tok, "this is no time", "it looks like 2026-11-29T13:22:15Z");
	else if (type == RDT_VALUE_ID32)
		complain(err, tok, "this is no connection id", "it has 8 hexadecimal digits");
	else if (type == RDT_VALUE_HEX64)
		complain(err, tok, "this is no number",
			 "it looks like 0x0000000001061144 (service ids: tcp:4420)");
	else
		complain(err, tok, "this is no number", "it looks like 17 or 0x11");
	return false;
}

/* "a_psn != a_first_psn": another column of the same record. */
static bool col_operand(const char *s, size_t len, size_t col, struct operand *o)
{
	const struct rdt_col *left = &rdt_cols[col];
	struct rdt_filter_error unused;
	struct targets t;

	if (filter_col_names(col) != RDT_NAMES_none || !filter_resolve(s, len, true, &t, &unused) ||
	    t.count != 1 || t.of[0].kind != TARGET_COL || rdt_cols[t.of[0].id].rec != left->rec ||
	    type_class((enum rdt_value_type)rdt_cols[t.of[0].id].type) !=
		    type_class((enum rdt_value_type)left->type))
		return false;
	o->is_col = 1;
	o->col = t.of[0].id;
	return true;
}

/* ---- numbers of fields -------------------------------------------------------------------- */

static bool field_number(const struct rdt_field *f, const char *s, const struct token *tok,
			 struct operand *o, struct rdt_filter_error *err)
{
	const uint64_t max = UINT64_MAX >> (64 - f->width);
	enum rdt_status status = rdt_field_parse(f, s, tok->len, &o->num);
	uint64_t base;

	if (status != RDT_OK && f->unit == RDT_UNIT_SERVICE_ID && service(s, tok->len, &o->num))
		status = RDT_OK;
	if (status == RDT_OK) {
		o->is_raw = 1;
		o->is_scaled = rdt_unit_scale((enum rdt_unit)f->unit, o->num, &o->scaled) != 0;
		return true;
	}
	/* A value between two codes can be compared with < and > all the same. */
	if (rdt_unit_scale((enum rdt_unit)f->unit, 1, &base) &&
	    (duration(s, tok->len, &o->scaled) || number(s, tok->len, false, &o->scaled) == 1)) {
		o->is_scaled = 1;
		return true;
	}
	if (number(s, tok->len, false, &base)) {
		complain(err, tok, "", "");
		g_snprintf(err->what, sizeof(err->what),
			   "the number does not fit the field: at most %" PRIu64, max);
		return false;
	}
	if (f->names != RDT_NAMES_none)
		return no_such_name((enum rdt_names_id)f->names, s, tok, err);
	complain(err, tok, "this is no value for the field", "");
	g_snprintf(err->hint, sizeof(err->hint), "rdma-trace fields %s.%s says what it holds",
		   rdt_hdrs[f->hdr].key, f->key);
	return false;
}

/* ---- text and bytes ----------------------------------------------------------------------- */

static bool col_text(size_t col, const struct token *tok, struct operand *o,
		     struct rdt_filter_error *err)
{
	const char *s = (const char *)o->bytes, *value;
	struct filter_guess g = { .word = s, .len = o->len };
	size_t used = 0, count = filter_col_words(col), got;

	if (!count)
		return true;
	for (size_t i = 0; i < count; i++) {
		value = filter_col_word(col, i);
		if (value && filter_word_equal(value, s, o->len))
			return true;
		if (value)
			filter_guess_try(&g, value);
	}
	complain(err, tok, "", "");
	g_snprintf(err->what, sizeof(err->what), "%s is never %.*s", rdt_cols[col].key,
		   (int)MIN(o->len, 64), s);
	if (filter_guess_text(&g, err->hint, sizeof(err->hint)))
		return false;
	used = g_strlcpy(err->hint, "it is ", sizeof(err->hint));
	for (size_t i = 0; i < count && used < sizeof(err->hint); i++) {
		value = filter_col_word(col, i);
		if (!value)
			continue;
		got = (size_t)g_snprintf(err->hint + used, sizeof(err->hint) - used, "%s%s",
					 used > 6 ? ", " : "", value);
		used += got;
	}
	if (used >= sizeof(err->hint))
		memcpy(err->hint + sizeof(err->hint) - 4, "...", 4);
	return false;
}

/* Bare bytes in hex: 0x6465 or 64:65. Anything else is text. */
static bool hex_bytes(const char *s, size_t len, struct operand *o)
{
	const bool prefix = len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const size_t step = prefix ? 2 : 3;
	size_t n = 0;

	if (prefix) {
		s += 2;
		len -= 2;
	}
	if (prefix ? len % 2 : len < 5 || (len + 1) % 3)
		return false;
	o->bytes = g_malloc(len);
	for (size_t i = 0; i < len; i += step) {
		const int high = g_ascii_xdigit_value(s[i]), low = g_ascii_xdigit_value(s[i + 1]);

		if (high < 0 || low < 0 || (!prefix && i + 2 < len && s[i + 2] != ':')) {
			g_free(o->bytes);
			o->bytes = NULL;
			return false;
		}
		o->bytes[n++] = (uint8_t)(high << 4 | low);
	}
	o->len = n;
	return true;
}

static void text_bytes(const char *expr, const struct token *tok, struct operand *o)
{
	if (tok->kind == TOK_STRING) {
		o->bytes = filter_unquote(expr, tok, &o->len);
		return;
	}
	o->len = tok->len;
	o->bytes = g_malloc(o->len + 1);
	memcpy(o->bytes, expr + tok->at, o->len);
	o->bytes[o->len] = 0;
}

static bool regex_operand(const char *expr, const struct token *tok, struct operand *o,
			  struct rdt_filter_error *err)
{
	/* Bytes, not characters: private data is not UTF-8. Case does not count, as in Wireshark. */
	const GRegexCompileFlags flags = G_REGEX_RAW | G_REGEX_CASELESS;
	GError *error = NULL;
	const char *why;

	text_bytes(expr, tok, o);
	if (memchr(o->bytes, 0, o->len)) {
		complain(err, tok, "a regular expression cannot hold a zero byte",
			 "write \\\\x00 for it");
		return false;
	}
	o->regex = g_regex_new((const char *)o->bytes, flags, 0, &error);
	if (o->regex)
		return true;
	complain(err, tok, "", "");
	/* GLib's sentence quotes the expression again; its end says why. */
	why = g_strrstr(error->message, ": ");
	g_snprintf(err->what, sizeof(err->what), "not a regular expression: %s",
		   why ? why + 2 : error->message);
	g_error_free(error);
	return false;
}

/* ---- addresses ---------------------------------------------------------------------------- */

static bool addr_operand(const char *expr, const struct token *tok, struct operand *o,
			 struct rdt_filter_error *err)
{
	const char *s = expr + tok->at;
	const char *slash = memchr(s, '/', tok->len);
	const size_t len = slash ? (size_t)(slash - s) : tok->len;
	uint64_t bits = 0;

	if (rdt_addr_parse(s, len, &o->addr) != RDT_OK) {
		complain(err, tok, "this is no address",
			 "it looks like 10.0.0.2, fe80::1, lid:17 or, for a network, 10.1.0.0/16");
		return false;
	}
	o->prefix = 128;
	if (!slash)
		return true;
	if (number(slash + 1, tok->len - len - 1, false, &bits) != 1 ||
	    o->addr.kind == RDT_ADDR_LID || bits > (o->addr.kind == RDT_ADDR_IPV4 ? 32 : 128)) {
		complain(err, tok, "the length of the network is no number of its bits",
			 "it looks like 10.1.0.0/16 or fd00::/8");
		return false;
	}
	o->prefix = (uint8_t)(o->addr.kind == RDT_ADDR_IPV4 ? bits + 96 : bits);
	return true;
}

/* ---- the public face ---------------------------------------------------------------------- */

/* In quotes, a value is read as what the name holds: n == "5" is n == 5. */
static struct token strip(const struct token *tok)
{
	struct token t = *tok;

	if (t.kind == TOK_STRING) {
		t.kind = TOK_WORD;
		t.at++;
		t.len -= 2;
	}
	return t;
}

bool filter_operand(const char *expr, const struct token *tok, const struct targets *targets,
		    enum compare cmp, struct operand *ret_operand, struct rdt_filter_error *reterr)
{
	const struct target t = targets->of[0];
	const struct token word = strip(tok);
	const char *s = expr + word.at;
	bool ok = false;

	*ret_operand = (struct operand){ .prefix = 128 };
	if (cmp == CMP_MATCH) {
		ok = regex_operand(expr, tok, ret_operand, reterr);
	} else {
		switch (filter_target_class(t)) {
		case CLASS_NUM:
		case CLASS_INT:
			if (t.kind == TARGET_FIELD)
				ok = field_number(&rdt_fields[t.id], s, &word, ret_operand, reterr);
			else
				ok = (t.kind == TARGET_COL && targets->count == 1 &&
				      tok->kind == TOK_WORD && cmp != CMP_IN &&
				      col_operand(s, word.len, t.id, ret_operand)) ||
				     col_number(s, &word, targets, ret_operand, reterr);
			break;
		case CLASS_BOOL:
			ok = truth(s, word.len, &ret_operand->num);
			ret_operand->is_raw = 1;
			if (!ok)
				complain(reterr, &word, "this is neither yes nor no",
					 "yes, no, true, false, 1 or 0");
			break;
		case CLASS_TEXT:
			text_bytes(expr, tok, ret_operand);
			ok = cmp == CMP_CONTAINS || col_text(t.id, tok, ret_operand, reterr);
			break;
		case CLASS_BYTES:
			ok = tok->kind == TOK_WORD && hex_bytes(s, word.len, ret_operand);
			if (!ok) {
				text_bytes(expr, tok, ret_operand);
				ok = true;
			}
			break;
		case CLASS_ADDR:
			ok = addr_operand(expr, &word, ret_operand, reterr);
			break;
		case CLASS_NONE:
			break;
		}
	}
	if (!ok)
		filter_operand_clear(ret_operand);
	return ok;
}
