/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a statement of a script to a message and back: build what it says, learn the symbols that a
 * message has, compare the two field by field.
 *
 * What a message is where its statement is silent comes from template.def.
 */
#ifndef REPLAY_BUILD_H
#define REPLAY_BUILD_H

#include <glib.h>

#include "replay/item.h"
#include "replay/script.h"
#include "replay/symbols.h"

struct rp_template {
	struct rp_assign *assigns;
	size_t count;
};

/* What values depend on. One for each run of a script. */
struct rp_env {
	const struct rp_script *script;
	struct rp_symbols *symbols;
	struct rdt_addr addr[RP_ROLES]; /* of the roles; kind NONE when not known */
	struct rp_msg last[RP_ROLES];   /* the last CM message that each sent */
	bool has_last[RP_ROLES];
	uint32_t qp1_psn;
	bool doubt;    /* what is learned now is from a message whose ICRC is wrong */
	bool mad_only; /* the carrier shows the MAD and nothing below it */
	bool keep_ids; /* fresh symbols take the value that they had in the capture */
	struct rp_arena *arena;
	GHashTable *templates; /* of struct rp_template, by role and message */
	char *error;           /* g_malloc: why something could not be built */
	struct rp_pos error_pos;
};

/* Ready to build. The addresses are those of --local and --peer; NULL: those in the script. */
void rp_env_init(struct rp_env *env, const struct rp_script *script, uint64_t seed,
		 const struct rdt_addr addr[RP_ROLES]);
void rp_env_clear(struct rp_env *env);

/*
 * Check what only fails when it is used: files, sizes. False with env->error and env->error_pos.
 */
bool rp_env_check(struct rp_env *env);

/* What a statement says of a field: its own, else the template's; NULL for neither. */
const struct rp_assign *rp_expr(struct rp_env *env, const struct rp_stmt *s, unsigned field,
				bool *ret_said);

/*
 * Build what a statement says, with symbols that have no value drawn. NULL when something cannot be
 * built (env->error). The caller frees it.
 */
struct rp_item *rp_build(struct rp_env *env, const struct rp_stmt *s);

/* Take the values of symbols that have none from a message that this statement expected. */
void rp_learn(struct rp_env *env, const struct rp_stmt *s, const struct rp_item *got);

/* Bytes of a value: where mask is 0 the script does not say which. */
bool rp_bytes(struct rp_env *env, const struct rp_value *value, GByteArray *bytes,
	      GByteArray *mask);

/* What a field is compared to be: X(symbol, JSON value, text) */
#define RP_CLASS_LIST(X)                                   \
	X(SAME, "same", "equal")                           \
	X(RULE, "rule", "changed or kept by a rule")       \
	X(BACKEND, "backend", "the backend cannot set it") \
	X(DIFFERS, "differs", "not as it should be")       \
	X(UNSAID, "unsaid", "the script does not say")

enum rp_class {
#define X(symbol, key, text) RP_CLASS_##symbol,
	RP_CLASS_LIST(X)
#undef X
		RP_CLASS_COUNT
};

const char *rp_class_key(enum rp_class c);

struct rp_field_result {
	unsigned field;
	enum rp_class class;
	const char *rule; /* static; RULE and BACKEND */
	struct rp_pos pos;
};

/*
 * Which fields a backend vouches for: of a message that is sent it can set them, of one that came it
 * sees them as they were. NULL: all.
 */
typedef bool (*rp_can_set_fn)(struct rp_msg msg, unsigned field, bool came);

/*
 * Compare a message with what its statement says. want is rp_build() of it. results (of struct
 * rp_field_result) may be NULL. came: got is the peer's. Returns how many fields differ.
 */
unsigned rp_compare(struct rp_env *env, const struct rp_stmt *s, const struct rp_item *want,
		    const struct rp_item *got, rp_can_set_fn can_set, bool came, GArray *results);

/*
 * Could the statement mean this message? Only what it says itself counts, and symbols without a
 * value fit all.
 */
bool rp_fits(struct rp_env *env, const struct rp_stmt *s, const struct rp_item *got);

/* A field of a message as text; g_free() it. */
char *rp_field_value(const struct rp_item *item, unsigned field);

#endif
