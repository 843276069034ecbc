/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a script. Inside [ ] and ( ) the end of a line is a blank. */
#ifndef REPLAY_LEX_H
#define REPLAY_LEX_H

#include "replay/script.h"

enum rp_tok_kind {
	RP_TOK_END,
	RP_TOK_NEWLINE,
	RP_TOK_WORD,   /* anything without blanks, brackets, commas, =, >, ;, ", # */
	RP_TOK_STRING, /* "...": text is what is inside, escapes not undone */
	RP_TOK_PUNCT,  /* [ ] ( ) { } , ; = > ? */
	RP_TOK_ARROW,  /* => */
	RP_TOK_REST,   /* ... */
	RP_TOK_BAD,    /* bytes that no script has: the lexer's error says what */
};

struct rp_tok {
	enum rp_tok_kind kind;
	struct rp_pos pos;
	const char *text;
	size_t len;
	bool glued; /* no blank between it and the token before */
};

struct rp_lexer {
	const char *text;
	size_t len, at;
	uint32_t line, col;
	unsigned depth;  /* of [ and ( */
	const char *bad; /* why the last token is RP_TOK_BAD */
};

void rp_lex_begin(struct rp_lexer *lexer, const char *text, size_t len);
struct rp_tok rp_lex_next(struct rp_lexer *lexer);

/* What is left of the line, without comment and blanks around it. */
struct rp_tok rp_lex_line(struct rp_lexer *lexer);

static inline bool rp_tok_is(const struct rp_tok *tok, char punct)
{
	return tok->kind == RP_TOK_PUNCT && *tok->text == punct;
}

/* Is the token this word? */
bool rp_tok_word(const struct rp_tok *tok, const char *word);

/* The token as a message shows it: "role", end of line. buf has 64 bytes. */
const char *rp_tok_text(const struct rp_tok *tok, char buf[64]);

#endif
