/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replay scripts: what one says, as a tree, from text and back. The grammar is docs/rdt.md.
 *
 * A script owns all its memory (one arena). Parsing reads no file and looks at no host; it knows
 * the vocabulary (msg.h), so that a wrong name or value is told with its place.
 */
#ifndef REPLAY_SCRIPT_H
#define REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdmatrace/addr.h"
#include "replay/arena.h"
#include "replay/msg.h"

/* A place in the text: line and column from 1, columns in characters. Line 0: none. */
struct rp_pos {
	uint32_t line, col;
};

/* Why a script is not one. what is the end of a sentence that begins with the place. */
struct rp_error {
	struct rp_pos pos;
	char what[320];
};

/* ---- values -------------------------------------------------------------------------------- */

enum rp_value_kind {
	RP_VALUE_ANY,    /* any: not compared; sent: zero */
	RP_VALUE_AUTO,   /* auto: what follows from other fields, or who sends it chooses */
	RP_VALUE_NUM,    /* num */
	RP_VALUE_RANGE,  /* num .. max */
	RP_VALUE_SYMBOL, /* symbol, plus add */
	RP_VALUE_BYTES,  /* parts, one after the other; what they do not fill is zero */
};

enum rp_part_kind {
	RP_PART_BYTES, /* bytes, len: from hex: or text: */
	RP_PART_FILE,  /* text is a path */
	RP_PART_ZERO,  /* len bytes of zero */
	RP_PART_SIZE,  /* len bytes, no matter which */
	RP_PART_NUM,   /* num or symbol + add as len bytes, most significant first */
	RP_PART_HDR,   /* a header of the decoder with fields set: nvme_req{qid=0} */
};

struct rp_assign;

struct rp_part {
	enum rp_part_kind kind;
	struct rp_pos pos;
	size_t len;
	const uint8_t *bytes;
	const char *text;   /* FILE: the path; BYTES: not NULL when it was written as text: */
	const char *symbol; /* NUM: NULL for a plain number */
	uint64_t num;       /* NUM: the number, or what is added to the symbol */
	enum rdt_hdr_id hdr;
	struct rp_assign *assigns;
	size_t assign_count;
};

struct rp_value {
	enum rp_value_kind kind;
	uint64_t num, max; /* SYMBOL: num is added, modulo the field's width */
	const char *symbol;
	struct rp_part *parts;
	size_t part_count;
};

/* A field of a message and what it is to be. */
struct rp_assign {
	struct rp_pos pos;
	unsigned field; /* as rp_field_find() says */
	struct rp_value value;
};

/* ---- statements ---------------------------------------------------------------------------- */

enum rp_time_kind {
	RP_TIME_ANY,   /* * or nothing: at once; expected: no matter when */
	RP_TIME_AFTER, /* +ns after the event before; with a window: +ns..max_ns */
	RP_TIME_AT,    /* @ns after the first event */
};

struct rp_time {
	enum rp_time_kind kind;
	uint64_t ns, max_ns;
	bool window;
	bool has_tolerance;
	unsigned tolerance; /* percent */
};

#define RP_NO_TRUNCATE SIZE_MAX

/* What is done to a message on its way. */
struct rp_fault {
	bool drop;         /* it is not sent */
	bool ignored;      /* its receiver takes no notice: "p drop" */
	bool corrupt_icrc; /* its ICRC is wrong */
	bool fails;        /* an operation that the peer refuses (NAK) */
	unsigned dup;      /* copies sent in all, 0 for one */
	uint64_t delay_ns; /* it is on its way that long; what follows goes on */
	size_t truncate; /* bytes kept of it from the BTH (MPA: of the frame), RP_NO_TRUNCATE: all */
	bool hold;       /* it is sent when hold_role has sent hold_msg; what follows goes on */
	unsigned hold_role;
	struct rp_msg hold_msg;
};

/* Its receiver cannot use it: what it is, and whether it comes at all, is not sure. */
static inline bool rp_fault_damages(const struct rp_fault *f)
{
	return f->corrupt_icrc || f->truncate != RP_NO_TRUNCATE;
}

enum rp_stmt_kind {
	RP_STMT_MSG,    /* role > msg[assigns] */
	RP_STMT_EVENT,  /* role event NAME: what a program gets */
	RP_STMT_FILL,   /* role fill NAME bytes: memory that the peer may read */
	RP_STMT_REST,   /* ...: anything, for the time given or for what follows to come */
	RP_STMT_EITHER, /* any { }: the first of its alternatives */
	RP_STMT_LABEL,
	RP_STMT_GOTO,
	RP_STMT_END,
};

struct rp_stmt {
	enum rp_stmt_kind kind;
	struct rp_pos pos;
	struct rp_time time;
	unsigned min, max; /* how often; 1, 1 without a count */
	bool optional;     /* ?: min is 0 */
	unsigned role;     /* index into the script's roles */
	struct rp_msg msg;
	const char *call; /* written as role call NAME(): the NAME, else NULL */
	struct rp_assign *assigns;
	size_t assign_count;
	bool rest; /* [... ]: fields that are not named may be anything */
	struct rp_fault fault;
	uint64_t within_ns; /* 0: no limit of its own */
	enum rdt_rdma_event event;
	bool has_status;
	int64_t status;
	const char *name;      /* LABEL, GOTO, FILL; of an alternative: where it goes on, or NULL */
	struct rp_value bytes; /* FILL */
	bool has_at;           /* FILL: from byte at on, and what is around it stays */
	size_t at;
	struct rp_stmt *alts; /* EITHER: statements of kind MSG or EVENT */
	size_t alt_count;
	bool has_timeout; /* EITHER: a timeout of its own */
	uint64_t timeout_ns;
	const char *timeout_name;
};

/* ---- the script ---------------------------------------------------------------------------- */

#define RP_ROLES 2

struct rp_role {
	const char *name;
	enum rdt_side side;
	struct rdt_addr addr; /* kind NONE when the script does not say */
	struct rp_pos pos;
};

/* was, bind: the value that a symbol had, or must have. A number, or 16 bytes of a GID. */
struct rp_binding {
	struct rp_pos pos;
	const char *symbol;
	bool is_gid;
	uint64_t num;
	uint8_t gid[16];
	bool force; /* bind */
};

/* memory ROLE NAME LENGTH: $NAME.va and $NAME.rkey are where the peer finds it. */
struct rp_memory_decl {
	struct rp_pos pos;
	unsigned role;
	const char *name;
	uint64_t len;
};

enum rp_level { RP_F0, RP_F1, RP_F2, RP_F3, RP_F4, RP_F5, RP_LEVELS };

struct rp_require {
	struct rp_pos pos;
	bool has_level;
	enum rp_level level;
	bool timing;
	bool has_tolerance;
	unsigned tolerance;          /* percent */
	const char *const *backends; /* ends in NULL; NULL without */
};

struct rp_script {
	struct rp_arena *arena;
	const char *name;     /* of the file, for messages; "" when there is none */
	const char **sources; /* text of the source lines */
	size_t source_count;
	struct rp_role roles[RP_ROLES];
	bool has_service;
	uint64_t service; /* service id */
	bool iwarp;       /* transport iwarp */
	bool strict;      /* unsaid template: fields that are not named are as in the template */
	struct rp_require require;
	struct rp_binding *bindings;
	size_t binding_count;
	struct rp_memory_decl *memories;
	size_t memory_count;
	struct rp_stmt *stmts;
	size_t stmt_count;
};

/*
 * Can a peer be told where data goes? Operations need QPNs and first PSNs: from a REQ and a REP, or
 * from bind lines. Without them a script can be simulated and compared, and not be played live.
 */
bool rp_script_tells_data(const struct rp_script *script);

#define RP_SCRIPT_MAX (16u << 20) /* bytes of text */
#define RP_STMTS_MAX 100000u
#define RP_REPEAT_MAX 1000u
#define RP_BYTES_MAX (1u << 20) /* of one value */
#define RP_BINDINGS_MAX 4096u   /* bind and was lines: a connection has some dozen symbols */

/*
 * Read a script. text need not be terminated. Returns NULL and fills *ret_error when it is none.
 */
struct rp_script *rp_script_parse(const char *name, const char *text, size_t len,
				  struct rp_error *ret_error);

/* Read only the fields of a message: "a=1, b=2". For templates; memory is of arena. */
bool rp_assigns_parse(struct rp_arena *arena, struct rp_msg msg, const char *text,
		      struct rp_assign **ret_assigns, size_t *ret_count,
		      struct rp_error *ret_error);

/* An empty script with the roles a and p. */
struct rp_script *rp_script_new(void);

void rp_script_free(struct rp_script *script); /* NULL is allowed */

/* The script as text that parses to the same; g_free() it. */
char *rp_script_print(const struct rp_script *script);

/* A line of it: the statement without its newline; g_free() it. */
char *rp_stmt_print(const struct rp_script *script, const struct rp_stmt *stmt);

/* A duration without loss: "29.764ms"; buf has 40 bytes. */
char *rp_duration_print(uint64_t ns, char buf[40]);

/* The role of a name; RP_ROLES when there is none. */
unsigned rp_role_find(const struct rp_script *script, const char *name, size_t len);

/* "F3" */
const char *rp_level_name(enum rp_level level);
/* "messages" */
const char *rp_level_text(enum rp_level level);
bool rp_level_parse(const char *text, size_t len, enum rp_level *ret_level);

#endif
