/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the parser share. The grammar is docs/rdt.md. */
#ifndef REPLAY_PARSE_H
#define REPLAY_PARSE_H

#include "replay/lex.h"

struct rp_parser {
	struct rp_lexer lexer;
	struct rp_tok tok; /* the next one, not yet taken */
	struct rp_arena *arena;
	struct rp_script *script; /* NULL: only fields are read */
	struct rp_error *error;
	bool failed;
};

/* Takes the next token. */
struct rp_tok rp_parse_take(struct rp_parser *p);

/* The error; only the first is kept. Returns false, to be returned on. */
bool rp_parse_fail(struct rp_parser *p, struct rp_pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "expected A, not B" at the next token. */
bool rp_parse_expected(struct rp_parser *p, const char *what);

/* Takes the next token when it is that punctuation; else fails. */
bool rp_parse_punct(struct rp_parser *p, char punct, const char *where);
bool rp_parse_skip(struct rp_parser *p, char punct);       /* takes it if it is there */
bool rp_parse_word(struct rp_parser *p, const char *word); /* the same for a word */

/* A word that is a name: letters, digits, _ - and dots. */
bool rp_parse_name(struct rp_parser *p, const char *what, const char **ret_name);

/* Words with a meaning of their own. */
bool rp_parse_duration(struct rp_parser *p, const char *what, uint64_t *ret_ns);
bool rp_parse_number(struct rp_parser *p, const char *what, uint64_t max, uint64_t *ret);
bool rp_parse_percent(struct rp_parser *p, const struct rp_tok *tok, unsigned *ret);

/* $name, from its word; *ret_len is how much of the word it is. */
bool rp_parse_symbol(struct rp_parser *p, const struct rp_tok *tok, const char **ret_symbol,
		     size_t *ret_len);

/* field=value, ... up to the closing bracket, which is taken. */
bool rp_parse_fields(struct rp_parser *p, struct rp_msg msg, char close,
		     struct rp_assign **ret_assigns, size_t *ret_count, bool *ret_rest);

/* Parts of bytes: hex: text: file: zero: size: be32: header{} */
bool rp_parse_bytes(struct rp_parser *p, struct rp_value *ret_value);

/* A line of the header that begins with the word taken. *ret_known: it was one. */
bool rp_parse_header(struct rp_parser *p, const struct rp_tok *word, bool *ret_known);

#endif
