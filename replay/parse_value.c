// SPDX-License-Identifier: BSD-2-Clause
/* Values and fields. */
#include "replay/parse.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "rdmatrace/text.h"

/* ---- numbers and symbols --------------------------------------------------------------------- */

static bool plain_number(const char *text, size_t len, uint64_t *ret)
{
	char buf[24], *end;

	if (!len || len >= sizeof(buf) || *text < '0' || *text > '9')
		return false;
	memcpy(buf, text, len);
	buf[len] = 0;
	errno = 0;
	*ret = g_ascii_strtoull(buf, &end, buf[0] == '0' && (buf[1] | 0x20) == 'x' ? 16 : 10);
	return !*end && !errno;
}

bool rp_parse_number(struct rp_parser *p, const char *what, uint64_t max, uint64_t *ret)
{
	uint64_t value;

	if (p->tok.kind != RP_TOK_WORD || !plain_number(p->tok.text, p->tok.len, &value))
		return rp_parse_expected(p, what);
	if (value > max)
		return rp_parse_fail(p, p->tok.pos, "%s is at most %" PRIu64, what, max);
	*ret = value;
	rp_parse_take(p);
	return true;
}

static bool name_char(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '.';
}

bool rp_parse_symbol(struct rp_parser *p, const struct rp_tok *tok, const char **ret_symbol,
		     size_t *ret_len)
{
	size_t n = 1;

	while (n < tok->len && name_char(tok->text[n]))
		n++;
	if (n == 1 || !g_ascii_isalpha(tok->text[1]) || tok->text[n - 1] == '.')
		return rp_parse_fail(p, tok->pos,
				     "expected a symbol: $ and a name such as a.qpn, not %.*s",
				     (int)MIN(tok->len, 40), tok->text);
	if (n > 48)
		return rp_parse_fail(p, tok->pos, "a symbol has at most 48 characters");
	*ret_symbol = rp_arena_text(p->arena, tok->text, n);
	*ret_len = n;
	return true;
}

/* $name, $name+3, $name-1; add is modulo 2^64. */
static bool symbol_sum(struct rp_parser *p, const struct rp_tok *tok, const char **ret_symbol,
		       uint64_t *ret_add)
{
	size_t n;
	uint64_t add = 0;

	if (!rp_parse_symbol(p, tok, ret_symbol, &n))
		return false;
	if (n < tok->len) {
		const char sign = tok->text[n];

		if ((sign != '+' && sign != '-') ||
		    !plain_number(tok->text + n + 1, tok->len - n - 1, &add))
			return rp_parse_fail(p, tok->pos,
					     "expected %.*s, or it with + or - and a number",
					     (int)n, tok->text);
		if (sign == '-')
			add = 0 - add;
	}
	*ret_add = add;
	return true;
}

/* ---- bytes ------------------------------------------------------------------------------------- */

static bool add_part(struct rp_parser *p, struct rp_value *value, struct rp_part part)
{
	struct rp_part *slot;

	if (value->part_count >= 4096 || part.len > RP_BYTES_MAX)
		return rp_parse_fail(p, part.pos, "a value of bytes has at most %u bytes",
				     RP_BYTES_MAX);
	slot = rp_arena_grow(p->arena, &value->parts, &value->part_count, sizeof(*slot));
	*slot = part;
	return true;
}

static bool hex_part(struct rp_parser *p, const struct rp_tok *tok, struct rp_part *part)
{
	const char *text = tok->text + 4;
	const size_t len = tok->len - 4;
	uint8_t *bytes = rp_arena_alloc(p->arena, len / 2 + 1);

	if (len % 2)
		return rp_parse_fail(p, tok->pos, "hex: takes two digits a byte, here are %zu",
				     len);
	for (size_t i = 0; i < len; i++) {
		if (!g_ascii_isxdigit(text[i]))
			return rp_parse_fail(
				p, (struct rp_pos){ tok->pos.line, tok->pos.col + 4 + (uint32_t)i },
				"expected a hexadecimal digit");
		bytes[i / 2] |= (uint8_t)(g_ascii_xdigit_value(text[i]) << (i % 2 ? 0 : 4));
	}
	part->kind = RP_PART_BYTES;
	part->bytes = bytes;
	part->len = len / 2;
	return true;
}

/* The string after text: or file:; escapes \" \\ \n \r \t \0 and \xNN. */
static bool string_part(struct rp_parser *p, struct rp_part *part, bool is_file)
{
	static const char from[] = "\"\\nrt0", to[] = "\"\\\n\r\t";
	const struct rp_tok tok = p->tok;
	char *bytes;
	size_t n = 0;

	if (tok.kind != RP_TOK_STRING || !tok.glued)
		return rp_parse_expected(p, is_file ? "a path in quotes, as in file:\"x.bin\""
						    : "text in quotes, as in text:\"hello\"");
	bytes = rp_arena_alloc(p->arena, tok.len + 1);
	for (size_t i = 0; i < tok.len; i++) {
		const char *known;

		if (tok.text[i] != '\\') {
			bytes[n++] = tok.text[i];
			continue;
		}
		i++;
		known = i < tok.len ? memchr(from, tok.text[i], sizeof(from) - 1) : NULL;
		if (known) {
			bytes[n++] = to[known - from];
		} else if (i + 2 < tok.len && tok.text[i] == 'x' &&
			   g_ascii_isxdigit(tok.text[i + 1]) && g_ascii_isxdigit(tok.text[i + 2])) {
			bytes[n++] = (char)(g_ascii_xdigit_value(tok.text[i + 1]) << 4 |
					    g_ascii_xdigit_value(tok.text[i + 2]));
			i += 2;
		} else {
			return rp_parse_fail(p, tok.pos,
					     "in text, \\ is followed by \" \\ n r t 0 or xNN");
		}
	}
	if (is_file && (!n || memchr(bytes, 0, n)))
		return rp_parse_fail(p, tok.pos, "expected the path of a file");
	part->kind = is_file ? RP_PART_FILE : RP_PART_BYTES;
	part->bytes = (const uint8_t *)bytes;
	part->text = bytes;
	part->len = is_file ? 0 : n;
	rp_parse_take(p);
	return true;
}

static bool number_part(struct rp_parser *p, const struct rp_tok *tok, size_t prefix, size_t len,
			struct rp_part *part)
{
	struct rp_tok rest = { .pos = tok->pos,
			       .text = tok->text + prefix,
			       .len = tok->len - prefix };

	part->kind = RP_PART_NUM;
	part->len = len;
	if (rest.len && *rest.text == '$')
		return symbol_sum(p, &rest, &part->symbol, &part->num);
	if (!plain_number(rest.text, rest.len, &part->num) || (len < 8 && part->num >> 8 * len))
		return rp_parse_fail(p, tok->pos,
				     "expected a number of %zu bytes or a symbol after %.*s", len,
				     (int)prefix, tok->text);
	return true;
}

/* A header of the decoder as a message of its own: only its own fields have names. */
static bool find_header_field(const struct rdt_hdr *hdr, const struct rp_tok *name,
			      unsigned *ret_field)
{
	for (unsigned f = hdr->begin; f < hdr->end; f++) {
		if (strlen(rdt_fields[f].key) == name->len &&
		    !memcmp(rdt_fields[f].key, name->text, name->len)) {
			*ret_field = f;
			return true;
		}
	}
	return false;
}

static bool scalar(struct rp_parser *p, unsigned field, struct rp_value *value);

static bool header_part(struct rp_parser *p, const struct rdt_hdr *hdr, struct rp_part *part)
{
	part->kind = RP_PART_HDR;
	part->hdr = (enum rdt_hdr_id)(hdr - rdt_hdrs);
	part->len = hdr->len;
	if (!rp_parse_punct(p, '{', hdr->key))
		return false;
	while (!rp_parse_skip(p, '}')) {
		struct rp_assign *a =
			rp_arena_grow(p->arena, &part->assigns, &part->assign_count, sizeof(*a));

		a->pos = p->tok.pos;
		if (p->tok.kind != RP_TOK_WORD || !find_header_field(hdr, &p->tok, &a->field)) {
			char text[64];

			return rp_parse_fail(p, p->tok.pos,
					     "%s has no field %s; rdma-trace fields %s", hdr->key,
					     rp_tok_text(&p->tok, text), hdr->key);
		}
		rp_parse_take(p);
		if (!rp_parse_punct(p, '=', rdt_fields[a->field].key))
			return false;
		if (!rdt_field_is_num(&rdt_fields[a->field]))
			return rp_parse_fail(
				p, a->pos, "%s.%s is a run of bytes: write it with hex:", hdr->key,
				rdt_fields[a->field].key);
		if (!scalar(p, a->field, &a->value))
			return false;
		if (!rp_parse_skip(p, ',') && !rp_tok_is(&p->tok, '}'))
			return rp_parse_expected(p, "a comma or }");
	}
	return true;
}

static bool starts(const struct rp_tok *tok, const char *prefix)
{
	const size_t n = strlen(prefix);

	return tok->kind == RP_TOK_WORD && tok->len >= n && !memcmp(tok->text, prefix, n);
}

/* Is the next token the beginning of a part of bytes? */
static bool begins_part(const struct rp_tok *tok)
{
	static const char *const prefixes[] = { "hex:", "text:", "file:", "zero:", "size:",
						"be8:", "be16:", "be32:", "be64:" };

	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
		if (starts(tok, prefixes[i]))
			return true;
	}
	return tok->kind == RP_TOK_WORD && rdt_hdr_find(tok->text, tok->len);
}

static bool one_part(struct rp_parser *p, struct rp_value *value)
{
	const struct rp_tok tok = rp_parse_take(p);
	struct rp_part part = { .pos = tok.pos };
	const struct rdt_hdr *hdr;
	uint64_t len;
	bool ok;

	if (starts(&tok, "hex:")) {
		ok = hex_part(p, &tok, &part);
	} else if (starts(&tok, "text:") || starts(&tok, "file:")) {
		if (tok.len > 5)
			return rp_parse_fail(p, tok.pos, "expected quotes after %.5s", tok.text);
		ok = string_part(p, &part, *tok.text == 'f');
	} else if (starts(&tok, "zero:") || starts(&tok, "size:")) {
		part.kind = *tok.text == 'z' ? RP_PART_ZERO : RP_PART_SIZE;
		ok = plain_number(tok.text + 5, tok.len - 5, &len) && len <= RP_BYTES_MAX;
		part.len = (size_t)(ok ? len : 0);
		if (!ok)
			return rp_parse_fail(p, tok.pos,
					     "expected a number of bytes up to %u after %.5s",
					     RP_BYTES_MAX, tok.text);
	} else if (starts(&tok, "be8:")) {
		ok = number_part(p, &tok, 4, 1, &part);
	} else if (starts(&tok, "be16:")) {
		ok = number_part(p, &tok, 5, 2, &part);
	} else if (starts(&tok, "be32:")) {
		ok = number_part(p, &tok, 5, 4, &part);
	} else if (starts(&tok, "be64:")) {
		ok = number_part(p, &tok, 5, 8, &part);
	} else {
		hdr = rdt_hdr_find(tok.text, tok.len);
		ok = hdr && header_part(p, hdr, &part);
	}
	return ok && add_part(p, value, part);
}

bool rp_parse_bytes(struct rp_parser *p, struct rp_value *value)
{
	size_t total = 0;

	*value = (struct rp_value){ .kind = RP_VALUE_BYTES };
	if (rp_parse_word(p, "none"))
		return true;
	if (!begins_part(&p->tok))
		return rp_parse_expected(p, "bytes: hex:00ff, text:\"...\", file:\"...\", zero:N, "
					    "size:N, be32:N, a header such as nvme_req{...}, or "
					    "none");
	while (begins_part(&p->tok)) {
		if (!one_part(p, value))
			return false;
		total += value->parts[value->part_count - 1].len;
		if (total > RP_BYTES_MAX)
			return rp_parse_fail(p, p->tok.pos, "a value of bytes has at most %u bytes",
					     RP_BYTES_MAX);
	}
	return true;
}

/* ---- fields -------------------------------------------------------------------------------------- */

/* What a field can be, for errors: "0..7", "a name of rej_reason or 0..65535". */
static const char *field_range(const struct rdt_field *f, char buf[128])
{
	const uint64_t max = UINT64_MAX >> (f->width < 64 ? 64 - f->width : 0);
	char names[64] = "";

	if (f->names != RDT_NAMES_none)
		g_snprintf(names, sizeof(names), "a name (rdma-trace fields %s) or ",
			   rdt_names[f->names].list);
	if (f->kind == RDT_KIND_FLAG)
		g_snprintf(buf, 128, "yes or no");
	else if (f->unit == RDT_UNIT_CM_TIMEOUT || f->unit == RDT_UNIT_ACK_TIMEOUT)
		g_snprintf(buf, 128, "a code 0..%" PRIu64 " or a time such as 4.295s", max);
	else if (f->unit == RDT_UNIT_MTU_CODE)
		g_snprintf(buf, 128, "256, 512, 1024, 2048, 4096 or a code 0..%" PRIu64, max);
	else
		g_snprintf(buf, 128, f->show == RDT_SHOW_HEX ? "%s0..0x%" PRIx64 : "%s0..%" PRIu64,
			   names, max);
	return buf;
}

static bool field_value(struct rp_parser *p, const struct rp_tok *tok, const char *text, size_t len,
			unsigned field, uint64_t *ret)
{
	const struct rdt_field *f = &rdt_fields[field];
	const enum rdt_status status = rdt_field_parse(f, text, len, ret);
	char range[128];

	if (status == RDT_OK)
		return true;
	return rp_parse_fail(p, tok->pos, "%.*s is no value of %s.%s: expected %s",
			     (int)MIN(len, 40), text, rdt_hdrs[f->hdr].key, f->key,
			     field_range(f, range));
}

/* A value of a numeric field from one word or string. */
static bool scalar(struct rp_parser *p, unsigned field, struct rp_value *value)
{
	const struct rp_tok tok = p->tok;
	const char *dots = NULL;

	if (tok.kind != RP_TOK_WORD && tok.kind != RP_TOK_STRING) {
		char range[128];

		return rp_parse_expected(p, field_range(&rdt_fields[field], range));
	}
	rp_parse_take(p);
	if (tok.kind == RP_TOK_WORD) {
		if (*tok.text == '$') {
			value->kind = RP_VALUE_SYMBOL;
			return symbol_sum(p, &tok, &value->symbol, &value->num);
		}
		dots = g_strstr_len(tok.text, (gssize)tok.len, "..");
	}
	if (dots) {
		value->kind = RP_VALUE_RANGE;
		if (!field_value(p, &tok, tok.text, (size_t)(dots - tok.text), field,
				 &value->num) ||
		    !field_value(p, &tok, dots + 2, (size_t)(tok.text + tok.len - dots - 2), field,
				 &value->max))
			return false;
		return value->num <= value->max ||
		       rp_parse_fail(p, tok.pos,
				     "a range goes from the smaller to the larger value");
	}
	value->kind = RP_VALUE_NUM;
	return field_value(p, &tok, tok.text, tok.len, field, &value->num);
}

/* A field that is a run of bytes: an address, a symbol, parts. */
static bool run_value(struct rp_parser *p, unsigned field, struct rp_value *value)
{
	const struct rdt_field *f = field < RDT_FIELD_COUNT ? &rdt_fields[field] : NULL;
	const struct rp_tok tok = p->tok;
	struct rdt_addr addr;
	struct rp_part *part;
	size_t total = 0;

	if (f && tok.kind == RP_TOK_WORD && *tok.text == '$') {
		rp_parse_take(p);
		value->kind = RP_VALUE_SYMBOL;
		if (!symbol_sum(p, &tok, &value->symbol, &value->num))
			return false;
		return !value->num ||
		       rp_parse_fail(p, tok.pos, "nothing can be added to a run of bytes");
	}
	if (f && f->kind == RDT_KIND_GID && tok.kind == RP_TOK_WORD && !begins_part(&tok) &&
	    !rp_tok_word(&tok, "none")) {
		if (rdt_addr_parse(tok.text, tok.len, &addr) != RDT_OK || addr.kind == RDT_ADDR_LID)
			return rp_parse_expected(p, "an IP address or a GID");
		rp_parse_take(p);
		value->kind = RP_VALUE_BYTES;
		part = rp_arena_grow(p->arena, &value->parts, &value->part_count, sizeof(*part));
		*part = (struct rp_part){ .kind = RP_PART_BYTES, .pos = tok.pos, .len = 16 };
		part->bytes =
			(const uint8_t *)rp_arena_text(p->arena, (const char *)addr.bytes, 16);
		/* The IP CM header has IPv4 in the last four bytes of zeros, not mapped. */
		if (f->hdr == RDT_H_ipcm && addr.kind == RDT_ADDR_IPV4) {
			uint8_t *bytes = rp_arena_alloc(p->arena, 16);

			memcpy(bytes + 12, addr.bytes + 12, 4);
			part->bytes = bytes;
		}
		return true;
	}
	if (!rp_parse_bytes(p, value))
		return false;
	for (size_t i = 0; i < value->part_count; i++)
		total += value->parts[i].len;
	if (f && total > f->width / 8u)
		return rp_parse_fail(p, tok.pos, "%zu bytes do not fit %s.%s, which has %u", total,
				     rdt_hdrs[f->hdr].key, f->key, f->width / 8u);
	return true;
}

static bool one_value(struct rp_parser *p, unsigned field, struct rp_value *value)
{
	if (rp_parse_word(p, "any")) {
		value->kind = RP_VALUE_ANY;
		return true;
	}
	if (rp_parse_word(p, "auto")) {
		value->kind = RP_VALUE_AUTO;
		return true;
	}
	if (field < RDT_FIELD_COUNT && rdt_field_is_num(&rdt_fields[field]))
		return scalar(p, field, value);
	return run_value(p, field, value);
}

static bool no_such_field(struct rp_parser *p, struct rp_msg msg, const struct rp_tok *tok)
{
	char text[64], near[64];
	const char *found =
		tok->kind == RP_TOK_WORD ? rp_field_near(msg, tok->text, tok->len, near) : NULL;
	uint8_t hdrs[RP_HDRS_MAX];

	if (tok->kind != RP_TOK_WORD)
		return rp_parse_expected(p, "the name of a field");
	if (found)
		return rp_parse_fail(p, tok->pos, "%s has no field %s; did you mean %s?",
				     rp_msg_name(msg), rp_tok_text(tok, text), found);
	if (!rp_msg_hdrs(msg, hdrs))
		return rp_parse_fail(p, tok->pos, "%s has no fields", rp_msg_name(msg));
	return rp_parse_fail(p, tok->pos, "%s has no field %s; rdma-trace fields %s lists them",
			     rp_msg_name(msg), rp_tok_text(tok, text), rdt_hdrs[hdrs[0]].key);
}

static bool one_field(struct rp_parser *p, struct rp_msg msg, struct rp_assign **assigns,
		      size_t *count)
{
	const struct rp_tok tok = p->tok;
	struct rp_assign *a;
	unsigned field;
	bool is_size;

	field = tok.kind == RP_TOK_WORD ? rp_field_find(msg, tok.text, tok.len, &is_size)
					: RP_FIELD_COUNT;
	if (field == RP_FIELD_COUNT)
		return no_such_field(p, msg, &tok);
	for (size_t i = 0; i < *count; i++) {
		char name[64];

		if ((*assigns)[i].field == field)
			return rp_parse_fail(p, tok.pos, "%s is given twice",
					     rp_field_name(msg, field, name));
	}
	a = rp_arena_grow(p->arena, assigns, count, sizeof(*a));
	a->pos = tok.pos;
	a->field = field;
	rp_parse_take(p);
	if (!rp_parse_punct(p, '=', "the name of a field"))
		return false;
	if (is_size) {
		struct rp_part part = { .kind = RP_PART_SIZE, .pos = p->tok.pos };
		uint64_t size;

		if (!rp_parse_number(p, "a number of bytes", RP_BYTES_MAX, &size))
			return false;
		part.len = (size_t)size;
		a->value.kind = RP_VALUE_BYTES;
		return add_part(p, &a->value, part);
	}
	return one_value(p, field, &a->value);
}

bool rp_parse_fields(struct rp_parser *p, struct rp_msg msg, char close, struct rp_assign **assigns,
		     size_t *count, bool *ret_rest)
{
	const char *end = close == ']' ? "a comma or ]" : close ? "a comma or )" : "a comma";

	*ret_rest = false;
	for (;;) {
		if (close ? rp_parse_skip(p, close) : p->tok.kind == RP_TOK_END)
			return true;
		if (p->tok.kind == RP_TOK_REST) {
			*ret_rest = true;
			rp_parse_take(p);
		} else if (!one_field(p, msg, assigns, count)) {
			return false;
		}
		if (!rp_parse_skip(p, ',') &&
		    !(close ? rp_tok_is(&p->tok, close) : p->tok.kind == RP_TOK_END))
			return rp_parse_expected(p, end);
	}
}
