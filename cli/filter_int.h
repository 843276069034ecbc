/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the filter share. Nobody else includes this. */
#ifndef RDT_CLI_FILTER_INT_H
#define RDT_CLI_FILTER_INT_H

#include <glib.h>

#include "filter.h"

#define FILTER_EXPR_MAX 16384 /* bytes of an expression */
#define FILTER_DEPTH_MAX 64   /* parentheses in parentheses */
#define FILTER_MARKS_MAX 64   /* bits of a mark */
#define FILTER_NAME_MAX 64
#define FILTER_TARGETS_MAX 12

/* ---- words (filter_lex.c) ----------------------------------------------------------------- */

enum token_kind {
	TOK_END,
	TOK_WORD,   /* a name or a bare value */
	TOK_STRING, /* in quotes; text still has its escapes */
	TOK_AND,
	TOK_OR,
	TOK_NOT,
	TOK_OPEN,
	TOK_CLOSE,
	TOK_SET_OPEN,
	TOK_SET_CLOSE,
	TOK_COMMA,
	TOK_SOME, /* "some" before a parenthesis */
	TOK_COMPARE,
};

enum compare {
	CMP_PRESENT,
	CMP_EQ,
	CMP_NE,
	CMP_LT,
	CMP_LE,
	CMP_GT,
	CMP_GE,
	CMP_IN,
	CMP_CONTAINS,
	CMP_MATCH,
};

struct token {
	enum token_kind kind;
	enum compare cmp; /* of TOK_COMPARE */
	size_t at, len;   /* where in the expression, quotes counted */
};

struct lexer {
	const char *expr;
	size_t len, pos;
};

/* The next word; false and *reterr when the bytes are none. TOK_END is not passed. */
bool filter_lex(struct lexer *lex, struct token *ret_token, struct rdt_filter_error *reterr);

/* The bytes of a TOK_STRING with its escapes resolved and a zero after them; g_free() it. */
uint8_t *filter_unquote(const char *expr, const struct token *tok, size_t *ret_len);

/* ---- names (filter_names.c) --------------------------------------------------------------- */

/* Where a value comes from. */
enum target_kind {
	TARGET_COL,   /* id is enum rdt_col_id */
	TARGET_FIELD, /* id is enum rdt_field_id */
	TARGET_HDR,   /* id is enum rdt_hdr_id; presence only */
	TARGET_PROTO, /* id is enum proto; presence only */
	TARGET_SRC,
	TARGET_DST,
	TARGET_FRAME, /* id is enum frame_part */
};

/* X(name, type of its value): frame.<name> */
#define FRAME_PART_LIST(X) \
	X(number, UINT)    \
	X(input, UINT)     \
	X(len, UINT)       \
	X(cap_len, UINT)   \
	X(link, UINT)      \
	X(time, TIME)      \
	X(time_ns, TIME)   \
	X(rel_ns, DURATION)

enum frame_part {
#define X(name, type) FRAME_##name,
	FRAME_PART_LIST(X)
#undef X
		FRAME_PART_COUNT
};

struct target {
	uint8_t kind;
	uint16_t id;
};

/* What a name asks for: columns of the connection first, then what a packet or record has. */
struct targets {
	struct target of[FILTER_TARGETS_MAX];
	uint8_t count, conn_count;
	uint8_t ns_named; /* the name as written ends in ns: a bare number is in ns */
};

/* Names that are asked only for presence, and answered by a packet or by a connection. */
#define PROTO_LIST(X)                                                  \
	X(cm, "InfiniBand CM: its messages, the connections it makes") \
	X(sidr, "SIDR messages, services resolved by them")            \
	X(mpa, "MPA frames, iWARP connections")                        \
	X(iwarp, "iWARP")                                              \
	X(rocev2, "RoCEv2")                                            \
	X(rocev1, "RoCEv1")                                            \
	X(ib, "native InfiniBand")                                     \
	X(rc, "reliable connection service")                           \
	X(uc, "unreliable connection service")                         \
	X(ud, "datagram service")                                      \
	X(xrc, "XRC service")                                          \
	X(data, "data packets: RDMA but neither management nor congestion notification")

enum proto {
#define X(name, text) PROTO_##name,
	PROTO_LIST(X)
#undef X
		PROTO_COUNT
};

/* Find what a name stands for. compared: a comparison follows. False and *reterr when nothing. */
bool filter_resolve(const char *name, size_t len, bool compared, struct targets *ret_targets,
		    struct rdt_filter_error *reterr);

/* Up to three names of a list that look like text: "did you mean a, b or c?" into hint. */
struct filter_guess {
	const char *word;
	size_t len;
	unsigned best[3];
	char name[3][FILTER_NAME_MAX];
};
void filter_guess_try(struct filter_guess *g, const char *name);
bool filter_guess_text(const struct filter_guess *g, char *hint, size_t size);

/* ---- values (filter_operand.c) ------------------------------------------------------------ */

enum value_class {
	CLASS_NUM, /* unsigned */
	CLASS_INT, /* signed */
	CLASS_BOOL,
	CLASS_TEXT,
	CLASS_BYTES,
	CLASS_ADDR,
	CLASS_NONE, /* presence only */
};

enum value_class filter_target_class(struct target t);

/* The type of a column or of a part of the frame. */
enum rdt_value_type filter_target_type(struct target t);

/* The right side of a comparison. */
struct operand {
	uint8_t is_col;    /* compare with column col */
	uint8_t is_scaled; /* scaled is valid: for < and > in the field's unit */
	uint8_t is_raw;    /* num is valid */
	uint8_t prefix;    /* of addr: bits that count, 128 for all */
	uint16_t col;
	uint64_t num, scaled;
	struct rdt_addr addr;
	uint8_t *bytes; /* of TEXT and BYTES; owned */
	size_t len;
	GRegex *regex; /* owned */
};

void filter_operand_clear(struct operand *o);

/* Read the operand tok of "targets cmp tok". False and *reterr when it is none of that kind. */
bool filter_operand(const char *expr, const struct token *tok, const struct targets *targets,
		    enum compare cmp, struct operand *ret_operand, struct rdt_filter_error *reterr);

/* May cmp be asked of this class? False and *reterr (place and what) otherwise. */
bool filter_compare_allowed(enum compare cmp, struct target t, const struct token *tok,
			    struct rdt_filter_error *reterr);

/* Does a duration in two words follow ("100 ms")? Then tok grows over both. */
void filter_join_unit(const char *expr, struct token *tok, const struct token *next);

/* ---- the program (filter.c, filter_eval.c) ------------------------------------------------ */

enum op_code {
	OP_ASK,  /* acc = predicate arg */
	OP_NOT,  /* acc = !acc */
	OP_IF,   /* and: go on when acc, else jump to arg */
	OP_ELSE, /* or: go on when not acc, else jump to arg */
	OP_SOME, /* what stands up to arg, of one packet or record */
};

#define FILTER_NO_BIT 0xff

struct op {
	uint8_t code;
	uint8_t bit;   /* of OP_SOME and OP_ASK: its bit in a mark, or FILTER_NO_BIT */
	uint8_t needs; /* of OP_SOME: RDT_VIEW_x that its part asks for */
	uint16_t arg;
};

struct predicate {
	struct targets targets;
	uint8_t cmp;
	uint16_t first, count; /* its operands */
};

/* A protocol name of a packet, and of a connection. */
bool filter_proto_packet(enum proto proto, const struct rdt_view *view);
bool filter_proto_conn(enum proto proto, const struct rdt_view *view);

struct rdt_filter {
	GArray *ops;        /* struct op */
	GArray *predicates; /* struct predicate */
	GArray *operands;   /* struct operand */
	unsigned needs;
	unsigned bits; /* how many are used */
};

#endif
