// SPDX-License-Identifier: BSD-2-Clause
#include "replay/lex.h"

#include <stdio.h>
#include <string.h>

void rp_lex_begin(struct rp_lexer *lexer, const char *text, size_t len)
{
	*lexer = (struct rp_lexer){ .text = text, .len = len, .line = 1, .col = 1 };
}

static int peek(const struct rp_lexer *l, size_t ahead)
{
	return l->at + ahead < l->len ? (unsigned char)l->text[l->at + ahead] : -1;
}

static void advance(struct rp_lexer *l, size_t n)
{
	for (; n && l->at < l->len; n--, l->at++) {
		const unsigned char c = (unsigned char)l->text[l->at];

		if (c == '\n') {
			l->line++;
			l->col = 1;
		} else if ((c & 0xc0) != 0x80) {
			l->col++; /* not a further byte of a UTF-8 character */
		}
	}
}

/* Blanks and comments; inside brackets also the ends of lines. */
static bool skip(struct rp_lexer *l)
{
	const size_t from = l->at;
	int c;

	while ((c = peek(l, 0)) >= 0) {
		if (c == '#') {
			while (peek(l, 0) >= 0 && peek(l, 0) != '\n')
				advance(l, 1);
		} else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && l->depth)) {
			advance(l, 1);
		} else {
			break;
		}
	}
	return l->at > from;
}

static bool ends_word(int c)
{
	return c <= ' ' || c == 0x7f || strchr("[](){},;=>\"#", c);
}

static struct rp_tok string(struct rp_lexer *l, struct rp_tok tok)
{
	advance(l, 1);
	tok.kind = RP_TOK_STRING;
	tok.text = l->text + l->at;
	for (;;) {
		const int c = peek(l, 0);

		if (c < 0 || c == '\n') {
			l->bad = "a string without its closing \"";
			tok.kind = RP_TOK_BAD;
			return tok;
		}
		if (c == '"')
			break;
		advance(l, c == '\\' && peek(l, 1) > 0 && peek(l, 1) != '\n' ? 2 : 1);
	}
	tok.len = (size_t)(l->text + l->at - tok.text);
	advance(l, 1);
	return tok;
}

struct rp_tok rp_lex_next(struct rp_lexer *l)
{
	struct rp_tok tok = { .glued = !skip(l) };
	int c = peek(l, 0);

	tok.pos = (struct rp_pos){ l->line, l->col };
	tok.text = l->text + l->at;
	tok.len = 1;
	if (c < 0) {
		tok.len = 0;
		tok.kind = RP_TOK_END;
		return tok;
	}
	if (c == '"')
		return string(l, tok);
	if (c == '\n') {
		tok.kind = RP_TOK_NEWLINE;
	} else if (c < ' ' || c == 0x7f) {
		tok.kind = RP_TOK_BAD;
		l->bad = "a control character; scripts are plain text";
	} else if (c == '=' && peek(l, 1) == '>') {
		tok.kind = RP_TOK_ARROW;
		tok.len = 2;
	} else if (c == '.' && peek(l, 1) == '.' && peek(l, 2) == '.' && ends_word(peek(l, 3))) {
		tok.kind = RP_TOK_REST;
		tok.len = 3;
	} else if (strchr("[](){},;=>?", c)) {
		tok.kind = RP_TOK_PUNCT;
		if (c == '[' || c == '(')
			l->depth++;
		else if ((c == ']' || c == ')') && l->depth)
			l->depth--;
	} else {
		tok.kind = RP_TOK_WORD;
		while (!ends_word(peek(l, tok.len)))
			tok.len++;
	}
	advance(l, tok.len);
	return tok;
}

struct rp_tok rp_lex_line(struct rp_lexer *l)
{
	struct rp_tok tok = { .kind = RP_TOK_WORD };
	size_t n = 0;

	while (peek(l, 0) == ' ' || peek(l, 0) == '\t')
		advance(l, 1);
	tok.pos = (struct rp_pos){ l->line, l->col };
	tok.text = l->text + l->at;
	while (peek(l, n) >= 0 && peek(l, n) != '\n' &&
	       !(peek(l, n) == '#' && n && (tok.text[n - 1] == ' ' || tok.text[n - 1] == '\t')))
		n++;
	advance(l, n);
	while (n && (unsigned char)tok.text[n - 1] <= ' ')
		n--;
	tok.len = n;
	return tok;
}

bool rp_tok_word(const struct rp_tok *tok, const char *word)
{
	return tok->kind == RP_TOK_WORD && tok->len == strlen(word) &&
	       !memcmp(tok->text, word, tok->len);
}

const char *rp_tok_text(const struct rp_tok *tok, char buf[64])
{
	if (tok->kind == RP_TOK_END)
		return "the end of the script";
	if (tok->kind == RP_TOK_NEWLINE)
		return "the end of the line";
	snprintf(buf, 64, "%s%.*s%s", tok->kind == RP_TOK_STRING ? "\"" : "",
		 (int)(tok->len < 40 ? tok->len : 40), tok->text,
		 tok->len > 40                ? "..."
		 : tok->kind == RP_TOK_STRING ? "\""
					      : "");
	return buf;
}
