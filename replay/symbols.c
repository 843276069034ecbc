// SPDX-License-Identifier: BSD-2-Clause
#include "replay/symbols.h"

#include <glib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* ---- the rows of identity.def ---------------------------------------------------------------- */

#define I(hdr, field, kind, owner, suffix)
#define D(hdr, field, rule)
#define F(hdr, field, rule)
#define K(kind, bits, rule) { bits, rule },
static const struct {
	unsigned bits;
	const char *rule;
} kinds[RP_KIND_COUNT] = {
#include "replay/identity.def"
};
#undef K
#undef I

#define K(kind, bits, rule)
#define I(hdr, name, which, who, suffix) \
	{ RDT_F_##hdr##_##name, RP_KIND_##which, RP_##who, suffix },
static const struct rp_identity identities[] = {
#include "replay/identity.def"
};
#undef I
#undef D
#undef F

#define I(hdr, field, kind, owner, suffix)
#define D(hdr, name, rule) { RDT_F_##hdr##_##name, true, rule },
#define F(hdr, name, rule) { RDT_F_##hdr##_##name, false, rule },
static const struct {
	uint16_t field;
	bool follows;
	const char *rule;
} autos[] = {
#include "replay/identity.def"
};
#undef K
#undef I
#undef D
#undef F

const struct rp_identity *rp_identity_find(unsigned field)
{
	for (size_t i = 0; i < G_N_ELEMENTS(identities); i++) {
		if (identities[i].field == field)
			return &identities[i];
	}
	return NULL;
}

const char *rp_kind_rule(enum rp_kind kind)
{
	return kinds[kind].rule;
}

unsigned rp_kind_bits(enum rp_kind kind)
{
	return kinds[kind].bits;
}

const char *rp_auto_rule(unsigned field, bool *ret_follows)
{
	for (size_t i = 0; i < G_N_ELEMENTS(autos); i++) {
		if (autos[i].field == field) {
			*ret_follows = autos[i].follows;
			return autos[i].rule;
		}
	}
	*ret_follows = false;
	return "chosen by its sender";
}

const char *rp_free_rule(unsigned field, bool cm)
{
	const struct rp_identity *id = rp_identity_find(field);

	if (!cm && id)
		return kinds[id->kind].rule;
	for (size_t i = 0; i < G_N_ELEMENTS(autos); i++) {
		if (autos[i].field == field && !autos[i].follows)
			return autos[i].rule;
	}
	return NULL;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct rp_symbols {
	GHashTable *by_name;
	GPtrArray *all;
	uint64_t state; /* of the generator */
};

static void free_symbol(gpointer p)
{
	struct rp_symbol *symbol = p;

	g_free((gpointer)(uintptr_t)symbol->name);
	g_free(symbol);
}

struct rp_symbols *rp_symbols_new(uint64_t seed)
{
	struct rp_symbols *s = g_new0(struct rp_symbols, 1);

	if (!seed && getrandom(&seed, sizeof(seed), 0) != sizeof(seed)) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		seed = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u + (uint64_t)now.tv_sec;
	}
	s->state = seed;
	s->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	s->all = g_ptr_array_new_with_free_func(free_symbol);
	return s;
}

void rp_symbols_free(struct rp_symbols *symbols)
{
	if (!symbols)
		return;
	g_hash_table_destroy(symbols->by_name);
	g_ptr_array_free(symbols->all, TRUE);
	g_free(symbols);
}

struct rp_symbol *rp_symbol(struct rp_symbols *symbols, const char *name)
{
	struct rp_symbol *symbol = g_hash_table_lookup(symbols->by_name, name);

	if (symbol)
		return symbol;
	symbol = g_new0(struct rp_symbol, 1);
	symbol->name = g_strdup(name);
	symbol->kind = RP_KIND_NUMBER;
	g_hash_table_insert(symbols->by_name, (gpointer)(uintptr_t)symbol->name, symbol);
	g_ptr_array_add(symbols->all, symbol);
	return symbol;
}

struct rp_symbol *rp_symbol_of(struct rp_symbols *symbols, const char *owner, const char *suffix)
{
	char *name = g_strdup_printf("$%s.%s", owner, suffix);
	struct rp_symbol *symbol = rp_symbol(symbols, name);

	g_free(name);
	return symbol;
}

struct rp_symbol *rp_symbol_at(const struct rp_symbols *symbols, size_t i)
{
	return i < symbols->all->len ? symbols->all->pdata[i] : NULL;
}

static uint64_t cut(uint64_t num, unsigned bits)
{
	return bits < 64 ? num & ((UINT64_C(1) << bits) - 1) : num;
}

void rp_symbol_set(struct rp_symbol *symbol, enum rp_origin origin, uint64_t num)
{
	symbol->num = cut(num, kinds[symbol->kind].bits);
	symbol->origin = origin;
}

void rp_symbol_set_gid(struct rp_symbol *symbol, enum rp_origin origin, const uint8_t gid[16])
{
	memcpy(symbol->gid, gid, sizeof(symbol->gid));
	symbol->origin = origin;
}

/* splitmix64: every seed is as good as any other. */
uint64_t rp_symbols_random(struct rp_symbols *symbols, unsigned bits)
{
	uint64_t z = symbols->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return cut(z ^ z >> 31, bits);
}

static uint64_t draw(struct rp_symbols *symbols, enum rp_kind kind)
{
	switch (kind) {
	case RP_KIND_PORT:
		return 32768 + rp_symbols_random(symbols, 14);
	case RP_KIND_QPN:
		/* QP0 and QP1 are taken, and small numbers are real ones. */
		return 0x800000 | rp_symbols_random(symbols, 23);
	case RP_KIND_GUID:
		/* Locally administered, as a MAC of that kind would make it. */
		return (rp_symbols_random(symbols, 64) & 0x00ffff0000ffffffu) | 0x020000fffe000000u;
	case RP_KIND_TID:
		/* The upper half is a small number at kernels. */
		return (rp_symbols_random(symbols, 8) | 1) << 32 | rp_symbols_random(symbols, 32);
	case RP_KIND_VA:
		return 0x7f0000000000u | rp_symbols_random(symbols, 26) << 12;
	case RP_KIND_COMM_ID:
	case RP_KIND_PSN:
	case RP_KIND_GID:
	case RP_KIND_IP:
	case RP_KIND_RKEY:
	case RP_KIND_SERVICE:
	case RP_KIND_NUMBER:
	case RP_KIND_COUNT:
		break;
	}
	return rp_symbols_random(symbols, kinds[kind].bits);
}

static bool taken(const struct rp_symbols *symbols, const struct rp_symbol *but, uint64_t num)
{
	for (size_t i = 0; i < symbols->all->len; i++) {
		const struct rp_symbol *s = symbols->all->pdata[i];

		if (s != but && s->kind == but->kind && s->origin != RP_UNBOUND && s->num == num)
			return true;
	}
	return false;
}

void rp_symbol_fresh(struct rp_symbols *symbols, struct rp_symbol *symbol)
{
	unsigned tries = 64;
	uint64_t num;

	if (symbol->origin != RP_UNBOUND)
		return;
	if (rp_symbol_is_gid(symbol)) {
		rp_symbol_set_gid(symbol, RP_FRESH, symbol->was_gid);
		return;
	}
	/* Zero means "none" in most of them. */
	do
		num = draw(symbols, symbol->kind);
	while ((!num || taken(symbols, symbol, num)) && --tries);
	rp_symbol_set(symbol, RP_FRESH, num);
}
