// SPDX-License-Identifier: BSD-2-Clause
#include "filter_int.h"

#include <string.h>

/* There is no arithmetic, so addresses, times and names with dashes are one word each. */
static bool is_word(char c)
{
	return g_ascii_isalnum(c) || (c && strchr("_.:/+-", c));
}

static const struct {
	const char *text;
	enum token_kind kind;
	enum compare cmp;
} marks[] = {
	/* The longer of two that begin alike comes first. */
	{ "==", TOK_COMPARE, CMP_EQ },
	{ "!=", TOK_COMPARE, CMP_NE },
	{ "<=", TOK_COMPARE, CMP_LE },
	{ ">=", TOK_COMPARE, CMP_GE },
	{ "<", TOK_COMPARE, CMP_LT },
	{ ">", TOK_COMPARE, CMP_GT },
	{ "~", TOK_COMPARE, CMP_MATCH },
	{ "&&", TOK_AND, 0 },
	{ "||", TOK_OR, 0 },
	{ "!", TOK_NOT, 0 },
	{ "(", TOK_OPEN, 0 },
	{ ")", TOK_CLOSE, 0 },
	{ "{", TOK_SET_OPEN, 0 },
	{ "}", TOK_SET_CLOSE, 0 },
	{ ",", TOK_COMMA, 0 },
};

/* Words with a meaning. eq to ge and matches are what tshark's users type. */
static const struct {
	const char *text;
	enum token_kind kind;
	enum compare cmp;
} keywords[] = {
	{ "and", TOK_AND, 0 },
	{ "or", TOK_OR, 0 },
	{ "not", TOK_NOT, 0 },
	{ "in", TOK_COMPARE, CMP_IN },
	{ "contains", TOK_COMPARE, CMP_CONTAINS },
	{ "matches", TOK_COMPARE, CMP_MATCH },
	{ "eq", TOK_COMPARE, CMP_EQ },
	{ "ne", TOK_COMPARE, CMP_NE },
	{ "lt", TOK_COMPARE, CMP_LT },
	{ "le", TOK_COMPARE, CMP_LE },
	{ "gt", TOK_COMPARE, CMP_GT },
	{ "ge", TOK_COMPARE, CMP_GE },
};

static size_t skip_space(const struct lexer *lex, size_t pos)
{
	while (pos < lex->len && g_ascii_isspace(lex->expr[pos]))
		pos++;
	return pos;
}

static bool fail(struct rdt_filter_error *err, size_t at, size_t len, const char *what,
		 const char *hint)
{
	err->at = at;
	err->len = len;
	g_strlcpy(err->what, what, sizeof(err->what));
	g_strlcpy(err->hint, hint, sizeof(err->hint));
	return false;
}

static bool lex_string(struct lexer *lex, struct token *tok, struct rdt_filter_error *err)
{
	const char quote = lex->expr[lex->pos];

	for (size_t i = lex->pos + 1; i < lex->len; i++) {
		if (lex->expr[i] == '\\') {
			i++;
		} else if (lex->expr[i] == quote) {
			*tok = (struct token){ TOK_STRING, 0, lex->pos, i + 1 - lex->pos };
			lex->pos = i + 1;
			return true;
		}
	}
	return fail(err, lex->pos, lex->len - lex->pos, "the quotes are not closed", "");
}

static void lex_word(struct lexer *lex, struct token *tok)
{
	const char *word = lex->expr + lex->pos;
	size_t len = 0;

	while (lex->pos + len < lex->len && is_word(word[len]))
		len++;
	*tok = (struct token){ TOK_WORD, 0, lex->pos, len };
	for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++)
		if (strlen(keywords[i].text) == len &&
		    !g_ascii_strncasecmp(keywords[i].text, word, len)) {
			tok->kind = keywords[i].kind;
			tok->cmp = keywords[i].cmp;
		}
	lex->pos += len;
	if (len == 4 && !g_ascii_strncasecmp(word, "some", len)) {
		const size_t next = skip_space(lex, lex->pos);

		if (next < lex->len && lex->expr[next] == '(')
			tok->kind = TOK_SOME;
	}
}

bool filter_lex(struct lexer *lex, struct token *ret_token, struct rdt_filter_error *reterr)
{
	const char *at;
	size_t left;

	lex->pos = skip_space(lex, lex->pos);
	at = lex->expr + lex->pos;
	left = lex->len - lex->pos;
	if (!left) {
		*ret_token = (struct token){ TOK_END, 0, lex->len, 0 };
		return true;
	}
	if (*at == '"' || *at == '\'')
		return lex_string(lex, ret_token, reterr);
	if (is_word(*at)) {
		lex_word(lex, ret_token);
		return true;
	}
	for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
		const size_t len = strlen(marks[i].text);

		if (len > left || memcmp(at, marks[i].text, len) != 0)
			continue;
		*ret_token = (struct token){ marks[i].kind, marks[i].cmp, lex->pos, len };
		lex->pos += len;
		return true;
	}
	if (*at == '=')
		return fail(reterr, lex->pos, 1, "= alone is no comparison", "== compares");
	if (*at == '&' || *at == '|')
		return fail(reterr, lex->pos, 1, "this is no operator", "and is &&, or is ||");
	return fail(reterr, lex->pos, 1, "this character has no meaning here",
		    "text goes in quotes: \"...\"");
}

uint8_t *filter_unquote(const char *expr, const struct token *tok, size_t *ret_len)
{
	const char *s = expr + tok->at + 1;
	const size_t len = tok->len - 2;
	uint8_t *out = g_malloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] != '\\' || i + 1 == len) {
			out[n++] = (uint8_t)s[i];
		} else if (s[i + 1] == 'x' && i + 3 < len && g_ascii_isxdigit(s[i + 2]) &&
			   g_ascii_isxdigit(s[i + 3])) {
			out[n++] = (uint8_t)(g_ascii_xdigit_value(s[i + 2]) * 16 +
					     g_ascii_xdigit_value(s[i + 3]));
			i += 3;
		} else if (s[i + 1] == '"' || s[i + 1] == '\'' || s[i + 1] == '\\') {
			out[n++] = (uint8_t)s[++i];
		} else {
			/* A backslash before anything else stays: regular expressions need them. */
			out[n++] = (uint8_t)s[i];
		}
	}
	out[n] = 0;
	*ret_len = n;
	return out;
}
