/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The values that symbols of a script have in this run. One is given (an address), forced (bind),
 * fresh (drawn when the played side first sends it) or learned (from the first message that has
 * it), in this order of precedence.
 */
#ifndef REPLAY_SYMBOLS_H
#define REPLAY_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/msg.h"

enum rp_kind {
#define K(kind, bits, rule) RP_KIND_##kind,
#define I(hdr, field, kind, owner, suffix)
#define D(hdr, field, rule)
#define F(hdr, field, rule)
#include "replay/identity.def"
#undef K
#undef I
#undef D
#undef F
	RP_KIND_COUNT
};

enum rp_owner { RP_SELF, RP_PEER, RP_BOTH };

/* A row of identity.def: what a field names. */
struct rp_identity {
	uint16_t field;
	uint8_t kind;  /* enum rp_kind */
	uint8_t owner; /* enum rp_owner */
	const char *suffix;
};

/* The row of a field; NULL when it describes and does not name. */
const struct rp_identity *rp_identity_find(unsigned field);

/* How a rule is called in results. */
const char *rp_kind_rule(enum rp_kind kind);

/* The rule of a field whose value is auto. *ret_follows: it can be computed, and so compared. */
const char *rp_auto_rule(unsigned field, bool *ret_follows);

/*
 * The rule by which a field of which nobody speaks is the sender's choice; NULL when it is not. A CM
 * message to QP1 has its QPNs fixed; a data packet names others.
 */
const char *rp_free_rule(unsigned field, bool cm);

/* DOUBTED: learned from a message whose ICRC is wrong; the next good one says better. */
enum rp_origin { RP_UNBOUND, RP_GIVEN, RP_FORCED, RP_FRESH, RP_LEARNED, RP_DOUBTED };

struct rp_symbol {
	const char *name; /* with its $ */
	enum rp_kind kind;
	enum rp_origin origin;
	bool has_was;
	uint64_t num, was;
	uint8_t gid[16], was_gid[16]; /* kinds GID and IP */
};

struct rp_symbols;

/* seed 0: from the system. */
struct rp_symbols *rp_symbols_new(uint64_t seed);
void rp_symbols_free(struct rp_symbols *symbols);

/* The symbol of a name, made when it is new. Its kind is NUMBER until somebody says better. */
struct rp_symbol *rp_symbol(struct rp_symbols *symbols, const char *name);

/* That of a role or a memory: "$OWNER.SUFFIX". */
struct rp_symbol *rp_symbol_of(struct rp_symbols *symbols, const char *owner, const char *suffix);

/* The i-th, in order of appearance; NULL after the last. */
struct rp_symbol *rp_symbol_at(const struct rp_symbols *symbols, size_t i);

/* Is it a run of 16 bytes and not a number? */
static inline bool rp_symbol_is_gid(const struct rp_symbol *symbol)
{
	return symbol->kind == RP_KIND_GID || symbol->kind == RP_KIND_IP;
}

/* Bits that numbers of a kind have. */
unsigned rp_kind_bits(enum rp_kind kind);

/* Set a value; the number is cut to the kind's bits. */
void rp_symbol_set(struct rp_symbol *symbol, enum rp_origin origin, uint64_t num);
void rp_symbol_set_gid(struct rp_symbol *symbol, enum rp_origin origin, const uint8_t gid[16]);

/* Draw a value for an unbound symbol that no other of its kind has. Others keep theirs. */
void rp_symbol_fresh(struct rp_symbols *symbols, struct rp_symbol *symbol);

/* A number of that many bits. */
uint64_t rp_symbols_random(struct rp_symbols *symbols, unsigned bits);

#endif
