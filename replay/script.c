// SPDX-License-Identifier: BSD-2-Clause
#include "replay/script.h"

#include <stdio.h>
#include <string.h>

struct rp_script *rp_script_new(void)
{
	struct rp_arena *arena = rp_arena_new();
	struct rp_script *script = rp_arena_alloc(arena, sizeof(*script));

	script->arena = arena;
	script->name = "";
	script->roles[RDT_ACTIVE] = (struct rp_role){ .name = "a", .side = RDT_ACTIVE };
	script->roles[RDT_PASSIVE] = (struct rp_role){ .name = "p", .side = RDT_PASSIVE };
	return script;
}

void rp_script_free(struct rp_script *script)
{
	if (script)
		rp_arena_free(script->arena);
}

static bool is_bound(const struct rp_script *script, unsigned role, const char *suffix)
{
	char name[48];

	snprintf(name, sizeof(name), "$%s.%s", script->roles[role].name, suffix);
	for (size_t i = 0; i < script->binding_count; i++) {
		if (script->bindings[i].force && !strcmp(script->bindings[i].symbol, name))
			return true;
	}
	return false;
}

bool rp_script_tells_data(const struct rp_script *script)
{
	bool ops = false, req = false, rep = false, bound = true;

	for (size_t i = 0; i < script->stmt_count; i++) {
		const struct rp_stmt *s = &script->stmts[i];

		if (s->kind != RP_STMT_MSG)
			continue;
		ops |= s->msg.family == RP_OP;
		req |= s->msg.family == RP_CM && s->msg.code == RDT_MSG_REQ;
		rep |= s->msg.family == RP_CM && s->msg.code == RDT_MSG_REP;
	}
	for (unsigned role = 0; role < RP_ROLES; role++)
		bound &= is_bound(script, role, "qpn") && is_bound(script, role, "psn");
	return !ops || script->iwarp || (req && rep) || bound;
}

unsigned rp_role_find(const struct rp_script *script, const char *name, size_t len)
{
	unsigned i = 0;

	while (i < RP_ROLES && (strlen(script->roles[i].name) != len ||
				memcmp(script->roles[i].name, name, len) != 0))
		i++;
	return i;
}

static const struct {
	const char *name, *text;
} levels[RP_LEVELS] = {
	[RP_F0] = { "F0", "ran" },      [RP_F1] = { "F1", "outcome" }, [RP_F2] = { "F2", "states" },
	[RP_F3] = { "F3", "messages" }, [RP_F4] = { "F4", "fields" },  [RP_F5] = { "F5", "bytes" },
};

const char *rp_level_name(enum rp_level level)
{
	return levels[level].name;
}

const char *rp_level_text(enum rp_level level)
{
	return levels[level].text;
}

bool rp_level_parse(const char *text, size_t len, enum rp_level *ret_level)
{
	if (len != 2 || (*text != 'F' && *text != 'f') || text[1] < '0' || text[1] > '5')
		return false;
	*ret_level = (enum rp_level)(text[1] - '0');
	return true;
}
