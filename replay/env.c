// SPDX-License-Identifier: BSD-2-Clause
/* Templates, symbols and bytes: what values depend on. */
#include "replay/build.h"

#include <inttypes.h>
#include <string.h>

#include "rdmatrace/text.h"
#include "replay/slurp.h"

/* ---- templates ------------------------------------------------------------------------------ */

static const struct {
	const char *msg, *fields;
} rows[] = {
#define T(family, message, fields) { #message, fields },
#include "replay/template.def"
#undef T
};

static char *with_roles(const char *text, const char *self, const char *peer)
{
	char **parts = g_strsplit(text, "$self.", -1), *half, *all;
	char *dollar_self = g_strconcat("$", self, ".", NULL);
	char *dollar_peer = g_strconcat("$", peer, ".", NULL);

	half = g_strjoinv(dollar_self, parts);
	g_strfreev(parts);
	parts = g_strsplit(half, "$peer.", -1);
	all = g_strjoinv(dollar_peer, parts);
	g_strfreev(parts);
	g_free(half);
	g_free(dollar_self);
	g_free(dollar_peer);
	return all;
}

static void set_kind(struct rp_env *env, unsigned field, const struct rp_value *value)
{
	const struct rp_identity *id = field < RDT_FIELD_COUNT ? rp_identity_find(field) : NULL;
	struct rp_symbol *symbol;

	if (value->kind != RP_VALUE_SYMBOL)
		return;
	symbol = rp_symbol(env->symbols, value->symbol);
	if (symbol->kind != RP_KIND_NUMBER)
		return;
	if (id)
		symbol->kind = (enum rp_kind)id->kind;
	else if (field < RDT_FIELD_COUNT && rdt_fields[field].kind == RDT_KIND_GID)
		symbol->kind = RP_KIND_GID;
	else if (field == RDT_F_req_service_id || field == RDT_F_sidr_req_service_id ||
		 field == RDT_F_sidr_rep_service_id)
		symbol->kind = RP_KIND_SERVICE;
}

static void set_kinds(struct rp_env *env, const struct rp_assign *assigns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		set_kind(env, assigns[i].field, &assigns[i].value);
}

static const struct rp_template *template_of(struct rp_env *env, struct rp_msg msg, unsigned role)
{
	const guint key = (guint)role << 16 | (guint)msg.family << 8 | msg.code;
	struct rp_template *t = g_hash_table_lookup(env->templates, GUINT_TO_POINTER(key + 1));
	const char *name = rp_msg_name(msg);
	struct rp_error error;
	char *text;

	if (t)
		return t;
	t = rp_arena_alloc(env->arena, sizeof(*t));
	g_hash_table_insert(env->templates, GUINT_TO_POINTER(key + 1), t);
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (strcmp(rows[i].msg, name) != 0)
			continue;
		text = with_roles(rows[i].fields, env->script->roles[role].name,
				  env->script->roles[!role].name);
		if (!rp_assigns_parse(env->arena, msg, text, &t->assigns, &t->count, &error))
			g_error("template of %s: %s", name, error.what);
		g_free(text);
		set_kinds(env, t->assigns, t->count);
		break;
	}
	return t;
}

const struct rp_assign *rp_expr(struct rp_env *env, const struct rp_stmt *s, unsigned field,
				bool *ret_said)
{
	const struct rp_template *t;

	*ret_said = true;
	for (size_t i = 0; i < s->assign_count; i++) {
		if (s->assigns[i].field == field)
			return &s->assigns[i];
	}
	*ret_said = false;
	t = template_of(env, s->msg, s->role);
	for (size_t i = 0; i < t->count; i++) {
		if (t->assigns[i].field == field)
			return &t->assigns[i];
	}
	return NULL;
}

/* ---- the environment ------------------------------------------------------------------------- */

/* The form of an address in an IP CM header: IPv4 in the last four bytes of zeros. */
static void ipcm_form(const struct rdt_addr *addr, uint8_t ip[16])
{
	memcpy(ip, addr->bytes, 16);
	if (addr->kind == RDT_ADDR_IPV4)
		memset(ip, 0, 12);
}

static void give_addresses(struct rp_env *env)
{
	for (unsigned role = 0; role < RP_ROLES; role++) {
		char *gid = g_strdup_printf("$%s.gid", env->script->roles[role].name);
		char *ip = g_strdup_printf("$%s.ip", env->script->roles[role].name);
		struct rp_symbol *symbol;
		uint8_t form[16];

		symbol = rp_symbol(env->symbols, gid);
		symbol->kind = RP_KIND_GID;
		if (env->addr[role].kind == RDT_ADDR_IPV4 || env->addr[role].kind == RDT_ADDR_GID) {
			rp_symbol_set_gid(symbol, RP_GIVEN, env->addr[role].bytes);
			symbol = rp_symbol(env->symbols, ip);
			symbol->kind = RP_KIND_IP;
			ipcm_form(&env->addr[role], form);
			rp_symbol_set_gid(symbol, RP_GIVEN, form);
		} else {
			rp_symbol(env->symbols, ip)->kind = RP_KIND_IP;
		}
		g_free(gid);
		g_free(ip);
	}
}

static void memory_symbols(struct rp_env *env)
{
	for (size_t i = 0; i < env->script->memory_count; i++) {
		const char *name = env->script->memories[i].name;
		char *va = g_strdup_printf("$%s.va", name);
		char *rkey = g_strdup_printf("$%s.rkey", name);

		rp_symbol(env->symbols, va)->kind = RP_KIND_VA;
		rp_symbol(env->symbols, rkey)->kind = RP_KIND_RKEY;
		g_free(va);
		g_free(rkey);
	}
}

/* Does a message of its owner tell this symbol? */
static bool is_taught(const struct rp_env *env, const char *symbol, unsigned owner)
{
	for (size_t i = 0; i < env->script->stmt_count; i++) {
		const struct rp_stmt *s = &env->script->stmts[i];

		for (size_t k = 0; s->role == owner && k < s->assign_count; k++) {
			const struct rp_value *v = &s->assigns[k].value;

			for (size_t n = 0; n < v->part_count; n++) {
				if (v->parts[n].symbol && !strcmp(v->parts[n].symbol, symbol))
					return true;
			}
		}
	}
	return false;
}

/*
 * Memory whose place the capture does not show being told (over TCP, or by private data that nobody
 * here reads) stays where it was: nothing else can bring both ends together.
 */
static void untold_memory(struct rp_env *env)
{
	static const char *const suffixes[] = { "va", "rkey" };

	for (size_t i = 0; i < env->script->memory_count; i++) {
		for (size_t k = 0; k < G_N_ELEMENTS(suffixes); k++) {
			const struct rp_memory_decl *m = &env->script->memories[i];
			char *name = g_strdup_printf("$%s.%s", m->name, suffixes[k]);
			struct rp_symbol *symbol = rp_symbol(env->symbols, name);

			if (symbol->origin == RP_UNBOUND && symbol->has_was &&
			    !is_taught(env, name, m->role))
				rp_symbol_set(symbol, RP_FORCED, symbol->was);
			g_free(name);
		}
	}
}

static void bindings(struct rp_env *env)
{
	for (size_t i = 0; i < env->script->binding_count; i++) {
		const struct rp_binding *b = &env->script->bindings[i];
		struct rp_symbol *symbol = rp_symbol(env->symbols, b->symbol);

		if (b->is_gid && !rp_symbol_is_gid(symbol))
			symbol->kind = RP_KIND_GID;
		if (b->force && b->is_gid)
			rp_symbol_set_gid(symbol, RP_FORCED, b->gid);
		else if (b->force)
			rp_symbol_set(symbol, RP_FORCED, b->num);
		if (!b->force) {
			symbol->has_was = true;
			symbol->was = b->num;
			memcpy(symbol->was_gid, b->gid, 16);
		}
	}
}

void rp_env_init(struct rp_env *env, const struct rp_script *script, uint64_t seed,
		 const struct rdt_addr addr[RP_ROLES])
{
	struct rp_symbol *service;

	*env = (struct rp_env){ .script = script };
	env->symbols = rp_symbols_new(seed);
	env->arena = rp_arena_new();
	env->templates = g_hash_table_new(g_direct_hash, g_direct_equal);
	for (unsigned role = 0; role < RP_ROLES; role++)
		env->addr[role] = addr ? addr[role] : script->roles[role].addr;
	service = rp_symbol(env->symbols, "$service");
	service->kind = RP_KIND_SERVICE;
	if (script->has_service)
		rp_symbol_set(service, RP_GIVEN, script->service);
	/* Symbols get their kind from where they are used, before anything has a value. */
	for (size_t i = 0; i < script->stmt_count; i++) {
		const struct rp_stmt *s = &script->stmts[i];

		set_kinds(env, s->assigns, s->assign_count);
		if (s->kind == RP_STMT_MSG)
			template_of(env, s->msg, s->role);
		for (size_t k = 0; k < s->alt_count; k++) {
			set_kinds(env, s->alts[k].assigns, s->alts[k].assign_count);
			if (s->alts[k].kind == RP_STMT_MSG)
				template_of(env, s->alts[k].msg, s->alts[k].role);
		}
	}
	memory_symbols(env);
	give_addresses(env);
	bindings(env);
	untold_memory(env);
}

void rp_env_clear(struct rp_env *env)
{
	rp_symbols_free(env->symbols);
	if (env->templates)
		g_hash_table_destroy(env->templates);
	rp_arena_free(env->arena);
	g_free(env->error);
	*env = (struct rp_env){ 0 };
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static bool env_fail(struct rp_env *env, struct rp_pos pos, char *error)
{
	if (env->error) {
		g_free(error);
		return false;
	}
	env->error = error;
	env->error_pos = pos;
	return false;
}

static uint64_t part_number(struct rp_env *env, const struct rp_part *part)
{
	struct rp_symbol *symbol;

	if (!part->symbol)
		return part->num;
	symbol = rp_symbol(env->symbols, part->symbol);
	rp_symbol_fresh(env->symbols, symbol);
	return symbol->num + part->num;
}

static void put_header(struct rp_env *env, const struct rp_part *part, uint8_t *at)
{
	for (size_t i = 0; i < part->assign_count; i++) {
		const struct rp_value *v = &part->assigns[i].value;
		uint64_t num = v->num;

		if (v->kind == RP_VALUE_SYMBOL) {
			struct rp_symbol *symbol = rp_symbol(env->symbols, v->symbol);

			rp_symbol_fresh(env->symbols, symbol);
			num += symbol->num;
		}
		/* The parser has checked the range of numbers; a symbol may be wider. */
		if (rdt_field_set(&rdt_fields[part->assigns[i].field], at, num) != RDT_OK)
			continue;
	}
}

static bool put_part(struct rp_env *env, const struct rp_part *part, GByteArray *bytes,
		     GByteArray *mask)
{
	const guint at = bytes->len;
	gchar *text;
	gsize size;
	char *why;

	if (part->kind == RP_PART_FILE) {
		if (!rp_slurp(part->text, RP_BYTES_MAX, false, &text, &size, &why)) {
			env_fail(env, part->pos, g_strdup_printf("%s: %s", part->text, why));
			g_free(why);
			return false;
		}
		g_byte_array_append(bytes, (const guint8 *)text, (guint)size);
		g_free(text);
	} else {
		g_byte_array_set_size(bytes, at + (guint)part->len);
		memset(bytes->data + at, 0, part->len);
		if (part->kind == RP_PART_BYTES)
			memcpy(bytes->data + at, part->bytes, part->len);
		else if (part->kind == RP_PART_HDR)
			put_header(env, part, bytes->data + at);
		else if (part->kind == RP_PART_NUM)
			rdt_bits_set(bytes->data + at, 0, (unsigned)part->len * 8,
				     part_number(env, part));
	}
	g_byte_array_set_size(mask, bytes->len);
	memset(mask->data + at, part->kind == RP_PART_SIZE ? 0 : 0xff, bytes->len - at);
	return true;
}

bool rp_bytes(struct rp_env *env, const struct rp_value *value, GByteArray *bytes, GByteArray *mask)
{
	for (size_t i = 0; i < value->part_count; i++) {
		if (!put_part(env, &value->parts[i], bytes, mask))
			return false;
	}
	return true;
}

/* Will the private data begin with an IP CM header, as far as the script can tell? */
static bool ipcm_comes(struct rp_env *env, const struct rp_stmt *s)
{
	const bool req = s->msg.code == RDT_MSG_REQ;
	const struct rp_assign *a;
	uint64_t svc;
	bool said;

	if (!req && s->msg.code != RDT_MSG_SIDR_REQ)
		return false;
	a = rp_expr(env, s, req ? RDT_F_req_service_id : RDT_F_sidr_req_service_id, &said);
	if (a && a->value.kind == RP_VALUE_NUM)
		svc = a->value.num;
	else if (a && env->script->has_service && !said)
		svc = env->script->service;
	else
		return true;
	return rdt_name_find(RDT_NAMES_port_space, svc >> 16);
}

/* How many bytes a field can have. */
static size_t room_of(struct rp_env *env, const struct rp_stmt *s, unsigned field)
{
	const struct rp_msg msg = s->msg;
	const struct rdt_field *private_data = rp_msg_private(msg);

	if (field < RDT_FIELD_COUNT)
		return rdt_fields[field].width / 8u;
	if (field == RP_FIELD_PRIVATE && private_data)
		return private_data->width / 8u - (ipcm_comes(env, s) ? RDT_LEN_ipcm : 0);
	if (field == RP_FIELD_PRIVATE || msg.family == RP_FPDU)
		return 512;
	return msg.family == RP_PACKET ? 4096 : RP_BYTES_MAX;
}

/* How many bytes a value is, without drawing its symbols. False when a file cannot be read. */
static bool length_of(struct rp_env *env, const struct rp_value *value, size_t *ret_len)
{
	GByteArray *bytes = g_byte_array_new(), *mask = g_byte_array_new();
	bool ok = true;

	*ret_len = 0;
	for (size_t i = 0; i < value->part_count && ok; i++) {
		if (value->parts[i].kind == RP_PART_FILE)
			ok = put_part(env, &value->parts[i], bytes, mask);
		else
			*ret_len += value->parts[i].len;
	}
	*ret_len += bytes->len;
	g_byte_array_unref(bytes);
	g_byte_array_unref(mask);
	return ok;
}

static bool check_fill(struct rp_env *env, const struct rp_stmt *s)
{
	size_t len;

	if (!length_of(env, &s->bytes, &len))
		return false;
	for (size_t i = 0; i < env->script->memory_count; i++) {
		const struct rp_memory_decl *m = &env->script->memories[i];

		if (!strcmp(m->name, s->name) && (s->at > m->len || len > m->len - s->at))
			return env_fail(env, s->pos,
					g_strdup_printf("%zu bytes at %zu do not fit %s, which has "
							"%" PRIu64,
							len, s->at, s->name, m->len));
	}
	return true;
}

static bool check_stmt(struct rp_env *env, const struct rp_stmt *s)
{
	char name[64];

	if (s->kind == RP_STMT_FILL)
		return check_fill(env, s);
	for (size_t i = 0; i < s->assign_count; i++) {
		const struct rp_assign *a = &s->assigns[i];
		const size_t room = room_of(env, s, a->field);
		size_t len;

		if (a->value.kind != RP_VALUE_BYTES)
			continue;
		if (!length_of(env, &a->value, &len))
			return false;
		if (len > room)
			return env_fail(
				env, a->pos,
				g_strdup_printf("%zu bytes do not fit %s of %s, which has room "
						"for %zu",
						len, rp_field_name(s->msg, a->field, name),
						rp_msg_name(s->msg), room));
	}
	return true;
}

/* A number that its symbol cannot hold would be cut. */
static bool check_bindings(struct rp_env *env)
{
	for (size_t i = 0; i < env->script->binding_count; i++) {
		const struct rp_binding *b = &env->script->bindings[i];
		const unsigned bits = rp_kind_bits(rp_symbol(env->symbols, b->symbol)->kind);

		if (!b->is_gid && bits < 64 && b->num >> bits)
			return env_fail(env, b->pos,
					g_strdup_printf("%s has %u bits; 0x%" PRIx64
							" does not fit",
							b->symbol, bits, b->num));
	}
	return true;
}

/* What plays nothing would pass as faithful: a script that was cut off, say. */
static bool check_has_any(struct rp_env *env)
{
	for (size_t i = 0; i < env->script->stmt_count; i++) {
		const enum rp_stmt_kind kind = env->script->stmts[i].kind;

		if (kind == RP_STMT_MSG || kind == RP_STMT_EVENT || kind == RP_STMT_EITHER)
			return true;
	}
	return env_fail(env, (struct rp_pos){ 1, 1 },
			g_strdup("the script has no message: there is nothing to play"));
}

bool rp_env_check(struct rp_env *env)
{
	if (!check_bindings(env) || !check_has_any(env))
		return false;
	for (size_t i = 0; i < env->script->stmt_count; i++) {
		const struct rp_stmt *s = &env->script->stmts[i];

		if (!check_stmt(env, s))
			return false;
		for (size_t k = 0; k < s->alt_count; k++) {
			if (!check_stmt(env, &s->alts[k]))
				return false;
		}
	}
	return true;
}
