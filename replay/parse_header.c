// SPDX-License-Identifier: BSD-2-Clause
/* Lines that say what the script is about: where it is from, roles, service, bindings. */
#include "replay/parse.h"

#include <glib.h>
#include <string.h>

#include "rdmatrace/text.h"

static bool parse_source(struct rp_parser *p)
{
	struct rp_script *script = p->script;
	struct rp_tok line;
	const char **slot;

	/* The line is free text: what was read ahead of it is read again. */
	p->lexer.at = (size_t)(p->tok.text - p->lexer.text);
	p->lexer.line = p->tok.pos.line;
	p->lexer.col = p->tok.pos.col;
	p->lexer.depth = 0;
	if (p->tok.kind == RP_TOK_STRING || p->tok.kind == RP_TOK_BAD)
		return rp_parse_expected(p, "words that say where the script is from");
	line = rp_lex_line(&p->lexer);
	if (!line.len)
		return rp_parse_expected(p, "words that say where the script is from");
	for (size_t i = 0; i < line.len; i++) {
		if ((unsigned char)line.text[i] < ' ' || line.text[i] == 0x7f)
			return rp_parse_fail(p, line.pos,
					     "a control character; scripts are plain text");
	}
	slot = rp_arena_grow(p->arena, &script->sources, &script->source_count, sizeof(*slot));
	*slot = rp_arena_text(p->arena, line.text, line.len);
	rp_parse_take(p);
	return true;
}

static bool parse_role(struct rp_parser *p)
{
	static const char *const reserved[] = { "label", "goto",   "end",   "any",     "timeout",
						"drop",  "dup",    "delay", "corrupt", "truncate",
						"hold",  "within", "none",  "auto" };
	struct rp_role role = { .pos = p->tok.pos };
	struct rp_role *roles = p->script->roles;

	if (p->script->stmt_count)
		return rp_parse_fail(p, p->tok.pos, "roles are named before the first event");
	if (!rp_parse_name(p, "the name of a role", &role.name))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(reserved); i++) {
		if (!strcmp(role.name, reserved[i]))
			return rp_parse_fail(p, role.pos, "%s cannot be the name of a role",
					     role.name);
	}
	if (rp_parse_word(p, "active"))
		role.side = RDT_ACTIVE;
	else if (rp_parse_word(p, "passive"))
		role.side = RDT_PASSIVE;
	else
		return rp_parse_expected(p, "active or passive");
	if (roles[role.side].pos.line)
		return rp_parse_fail(p, role.pos, "there is a role that is %s already: %s",
				     rdt_side_key(role.side), roles[role.side].name);
	if (!strcmp(role.name, roles[!role.side].name) && roles[!role.side].pos.line)
		return rp_parse_fail(p, role.pos, "both roles are called %s", role.name);
	if (p->tok.kind == RP_TOK_WORD) {
		if (rdt_addr_parse(p->tok.text, p->tok.len, &role.addr) != RDT_OK)
			return rp_parse_expected(p, "an address or the end of the line");
		rp_parse_take(p);
	}
	roles[role.side] = role;
	/* The other may still have its default name. */
	if (!strcmp(roles[0].name, roles[1].name))
		roles[!role.side].name = role.side == RDT_ACTIVE ? "passive" : "active";
	return true;
}

static bool parse_service(struct rp_parser *p)
{
	const struct rdt_field *f = &rdt_fields[RDT_F_req_service_id];

	if ((p->tok.kind != RP_TOK_WORD && p->tok.kind != RP_TOK_STRING) ||
	    rdt_field_parse(f, p->tok.text, p->tok.len, &p->script->service) != RDT_OK)
		return rp_parse_expected(p, "a service: tcp:7174, udp:7174, ib:7174 or 0x...");
	if (p->tok.kind == RP_TOK_WORD && memchr(p->tok.text, ':', p->tok.len) &&
	    !(p->script->service & 0xffff))
		return rp_parse_fail(p, p->tok.pos,
				     "0 is no port: a service has one of 1 to 65535");
	if (p->script->has_service)
		return rp_parse_fail(p, p->tok.pos, "the service was said before; there is one");
	p->script->has_service = true;
	rp_parse_take(p);
	return true;
}

static bool require_backends(struct rp_parser *p)
{
	struct rp_require *r = &p->script->require;
	const char **list = NULL, **slot;
	size_t count = 0;

	do {
		slot = rp_arena_grow(p->arena, &list, &count, sizeof(*slot));
		if (!rp_parse_name(p, "the name of a backend", slot))
			return false;
	} while (rp_parse_skip(p, ','));
	rp_arena_grow(p->arena, &list, &count, sizeof(*slot));
	r->backends = list;
	return true;
}

static bool parse_require(struct rp_parser *p)
{
	struct rp_require *r = &p->script->require;

	r->pos = p->tok.pos;
	if (rp_parse_word(p, "timing")) {
		r->timing = true;
		if (p->tok.kind != RP_TOK_WORD)
			return true;
		r->has_tolerance = true;
		if (!rp_parse_percent(p, &p->tok, &r->tolerance))
			return false;
		rp_parse_take(p);
		return true;
	}
	if (rp_parse_word(p, "backend"))
		return require_backends(p);
	if (p->tok.kind != RP_TOK_WORD || !rp_level_parse(p->tok.text, p->tok.len, &r->level))
		return rp_parse_expected(p, "F0 to F5, timing or backend");
	if (r->has_level)
		return rp_parse_fail(p, p->tok.pos, "a level was required before; there is one");
	r->has_level = true;
	rp_parse_take(p);
	return true;
}

/* $x = VALUE: a number, a GUID, an address. */
static bool parse_binding(struct rp_parser *p, bool force)
{
	struct rp_script *script = p->script;
	struct rp_binding *b =
		rp_arena_grow(p->arena, &script->bindings, &script->binding_count, sizeof(*b));
	struct rdt_addr addr;
	size_t len;

	b->pos = p->tok.pos;
	b->force = force;
	if (script->binding_count > RP_BINDINGS_MAX)
		return rp_parse_fail(p, b->pos, "more than %u bind and was lines", RP_BINDINGS_MAX);
	if (p->tok.kind != RP_TOK_WORD || *p->tok.text != '$')
		return rp_parse_expected(p, "a symbol such as $a.qpn");
	if (!rp_parse_symbol(p, &p->tok, &b->symbol, &len))
		return false;
	if (len != p->tok.len)
		return rp_parse_expected(p, "a symbol without more");
	for (size_t i = 0; i + 1 < script->binding_count; i++) {
		if (!strcmp(script->bindings[i].symbol, b->symbol) &&
		    script->bindings[i].force == force)
			return rp_parse_fail(p, b->pos, "%s has a value already", b->symbol);
	}
	rp_parse_take(p);
	if (!rp_parse_punct(p, '=', "the symbol"))
		return false;
	if (p->tok.kind != RP_TOK_WORD)
		return rp_parse_expected(p, "a number, a GUID or an address");
	if (rdt_field_parse(&rdt_fields[RDT_F_req_local_ca_guid], p->tok.text, p->tok.len,
			    &b->num) == RDT_OK) {
		rp_parse_take(p);
		return true;
	}
	if (rdt_addr_parse(p->tok.text, p->tok.len, &addr) != RDT_OK ||
	    (addr.kind != RDT_ADDR_IPV4 && addr.kind != RDT_ADDR_GID))
		return rp_parse_expected(p, "a number, a GUID or an address");
	b->is_gid = true;
	memcpy(b->gid, addr.bytes, sizeof(b->gid));
	rp_parse_take(p);
	return true;
}

static bool parse_memory(struct rp_parser *p)
{
	struct rp_script *script = p->script;
	struct rp_memory_decl *m;

	if (script->memory_count >= 256)
		return rp_parse_fail(p, p->tok.pos, "a script has at most 256 memories");
	m = rp_arena_grow(p->arena, &script->memories, &script->memory_count, sizeof(*m));
	m->pos = p->tok.pos;
	m->role = p->tok.kind == RP_TOK_WORD ? rp_role_find(script, p->tok.text, p->tok.len)
					     : RP_ROLES;
	if (m->role == RP_ROLES)
		return rp_parse_expected(p, "a role after memory");
	rp_parse_take(p);
	if (!rp_parse_name(p, "the name of the memory", &m->name))
		return false;
	for (size_t i = 0; i + 1 < script->memory_count; i++) {
		if (!strcmp(script->memories[i].name, m->name))
			return rp_parse_fail(p, m->pos, "memory %s is there already", m->name);
	}
	return rp_parse_number(p, "its length in bytes", RP_BYTES_MAX, &m->len);
}

bool rp_parse_header(struct rp_parser *p, const struct rp_tok *word, bool *ret_known)
{
	*ret_known = true;
	if (rp_tok_word(word, "source")) {
		rp_parse_take(p);
		return parse_source(p);
	}
	if (rp_parse_word(p, "role"))
		return parse_role(p);
	if (rp_parse_word(p, "service"))
		return parse_service(p);
	if (rp_parse_word(p, "transport")) {
		p->script->iwarp = rp_tok_word(&p->tok, "iwarp");
		return rp_parse_word(p, "iwarp") || rp_parse_word(p, "rocev2") ||
		       rp_parse_expected(p, "rocev2 or iwarp");
	}
	if (rp_parse_word(p, "unsaid")) {
		p->script->strict = rp_tok_word(&p->tok, "template");
		return rp_parse_word(p, "template") || rp_parse_word(p, "any") ||
		       rp_parse_expected(p, "any or template");
	}
	if (rp_parse_word(p, "require"))
		return parse_require(p);
	if (rp_parse_word(p, "was"))
		return parse_binding(p, false);
	if (rp_parse_word(p, "bind"))
		return parse_binding(p, true);
	if (rp_parse_word(p, "memory"))
		return parse_memory(p);
	*ret_known = false;
	return true;
}
