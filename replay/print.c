// SPDX-License-Identifier: BSD-2-Clause
/* A script as text. What is printed parses to the same script. */
#include "replay/script.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "rdmatrace/text.h"

#define WIDTH 100u

char *rp_duration_print(uint64_t ns, char buf[40])
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	size_t u = 0, len;

	if (!ns) {
		g_strlcpy(buf, "0", 40);
		return buf;
	}
	while (ns < units[u].ns)
		u++;
	/* Exact: as many digits as the unit has below it. */
	g_snprintf(buf, 40, "%" PRIu64, ns / units[u].ns);
	len = strlen(buf);
	if (ns % units[u].ns) {
		uint64_t rest = ns % units[u].ns;

		buf[len++] = '.';
		for (uint64_t place = units[u].ns / 10; rest; place /= 10) {
			buf[len++] = (char)('0' + rest / place);
			rest %= place;
		}
	}
	g_strlcpy(buf + len, units[u].name, 40 - len);
	return buf;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* May this text stand without quotes and be read back? */
static bool is_word(const char *text)
{
	if (!*text || strstr(text, "..") || *text == '$' || *text == '?')
		return false;
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("[](){},;=>\"#", *p))
			return false;
	}
	return true;
}

static bool reads_as(const struct rdt_field *f, const char *text, uint64_t value)
{
	uint64_t back;

	return is_word(text) && rdt_field_parse(f, text, strlen(text), &back) == RDT_OK &&
	       back == value;
}

/* The field's own way to write a value: a name, a time, a size; in the end a number. */
static void print_scalar(GString *out, const struct rdt_field *f, uint64_t value)
{
	const struct rdt_name *name = rdt_name_find((enum rdt_names_id)f->names, value);
	char text[RDT_TEXT_MAX];
	uint64_t scaled;

	if (name && reads_as(f, name->key, value)) {
		g_string_append(out, name->key);
		return;
	}
	if (f->unit == RDT_UNIT_CM_TIMEOUT || f->unit == RDT_UNIT_ACK_TIMEOUT ||
	    f->unit == RDT_UNIT_RNR_TIMER) {
		if (rdt_unit_scale((enum rdt_unit)f->unit, value, &scaled)) {
			char *end;

			rdt_duration_text(scaled, text, sizeof(text));
			/* "4.295 s" is one word without its blank */
			end = strchr(text, ' ');
			if (end)
				memmove(end, end + 1, strlen(end));
			if (reads_as(f, text, value)) {
				g_string_append(out, text);
				return;
			}
		}
	} else if (f->unit == RDT_UNIT_MTU_CODE &&
		   rdt_unit_scale(RDT_UNIT_MTU_CODE, value, &scaled)) {
		g_string_append_printf(out, "%" PRIu64, scaled);
		return;
	} else if (f->unit == RDT_UNIT_SERVICE_ID) {
		const struct rdt_name *space = rdt_name_find(RDT_NAMES_port_space, value >> 16);

		if (space) {
			g_string_append_printf(out, "%s:%u", space->key,
					       (unsigned)(value & 0xffff));
			return;
		}
	} else if (f->kind == RDT_KIND_GUID || f->kind == RDT_KIND_MAC ||
		   f->kind == RDT_KIND_IPV4) {
		uint8_t hdr[64] = { 0 };
		const struct rdt_field at_start = { .width = f->width, .kind = f->kind };

		if (rdt_field_set(&at_start, hdr, value) == RDT_OK) {
			rdt_field_text(&at_start, hdr, text, sizeof(text));
			if (reads_as(f, text, value)) {
				g_string_append(out, text);
				return;
			}
		}
	}
	if (f->show == RDT_SHOW_HEX)
		g_string_append_printf(out, "0x%" PRIx64, value);
	else
		g_string_append_printf(out, "%" PRIu64, value);
}

static void print_sum(GString *out, const char *symbol, uint64_t add)
{
	g_string_append(out, symbol);
	if (add >> 63)
		g_string_append_printf(out, "-%" PRIu64, 0 - add);
	else if (add)
		g_string_append_printf(out, "+%" PRIu64, add);
}

static void print_string(GString *out, const uint8_t *bytes, size_t len)
{
	g_string_append_c(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '"' || bytes[i] == '\\')
			g_string_append_printf(out, "\\%c", bytes[i]);
		else if (bytes[i] >= ' ' && bytes[i] < 0x7f)
			g_string_append_c(out, (char)bytes[i]);
		else
			g_string_append_printf(out, "\\x%02x", bytes[i]);
	}
	g_string_append_c(out, '"');
}

static void print_value(GString *out, unsigned field, const struct rp_value *value);

static void print_part(GString *out, const struct rp_part *part)
{
	switch (part->kind) {
	case RP_PART_BYTES:
		if (part->text) {
			g_string_append(out, "text:");
			print_string(out, part->bytes, part->len);
			break;
		}
		g_string_append(out, "hex:");
		for (size_t i = 0; i < part->len; i++)
			g_string_append_printf(out, "%02x", part->bytes[i]);
		break;
	case RP_PART_FILE:
		g_string_append(out, "file:");
		print_string(out, part->bytes, strlen(part->text));
		break;
	case RP_PART_ZERO:
		g_string_append_printf(out, "zero:%zu", part->len);
		break;
	case RP_PART_SIZE:
		g_string_append_printf(out, "size:%zu", part->len);
		break;
	case RP_PART_NUM:
		g_string_append_printf(out, "be%zu:", part->len * 8);
		if (part->symbol)
			print_sum(out, part->symbol, part->num);
		else
			g_string_append_printf(out, "0x%0*" PRIx64, (int)part->len * 2, part->num);
		break;
	case RP_PART_HDR:
		g_string_append_printf(out, "%s{", rdt_hdrs[part->hdr].key);
		for (size_t i = 0; i < part->assign_count; i++) {
			g_string_append_printf(out, "%s%s=", i ? ", " : "",
					       rdt_fields[part->assigns[i].field].key);
			print_value(out, part->assigns[i].field, &part->assigns[i].value);
		}
		g_string_append_c(out, '}');
		break;
	}
}

static void print_bytes(GString *out, unsigned field, const struct rp_value *value)
{
	const struct rdt_field *f = field < RDT_FIELD_COUNT ? &rdt_fields[field] : NULL;
	char text[RDT_ADDR_TEXT];
	struct rdt_addr addr, back;

	if (!value->part_count) {
		g_string_append(out, "none");
		return;
	}
	if (f && f->kind == RDT_KIND_GID && value->part_count == 1 && value->parts->len == 16 &&
	    value->parts->kind == RP_PART_BYTES) {
		uint8_t bytes[16];

		memcpy(bytes, value->parts->bytes, 16);
		addr = rdt_addr_gid(bytes);
		if (f->hdr == RDT_H_ipcm && !memcmp(bytes, (uint8_t[12]){ 0 }, 12))
			addr = rdt_addr_ipv4((uint32_t)rdt_be_load(bytes + 12, 4));
		rdt_addr_text(&addr, text, sizeof(text));
		/* A mapped address in an IP CM header would be read as the other form. */
		if (rdt_addr_parse(text, strlen(text), &back) == RDT_OK &&
		    rdt_addr_equal(&addr, &back) &&
		    !(f->hdr == RDT_H_ipcm && addr.kind == RDT_ADDR_IPV4 && bytes[10])) {
			g_string_append(out, text);
			return;
		}
	}
	for (size_t i = 0; i < value->part_count; i++) {
		if (i)
			g_string_append_c(out, ' ');
		print_part(out, &value->parts[i]);
	}
}

static void print_value(GString *out, unsigned field, const struct rp_value *value)
{
	switch (value->kind) {
	case RP_VALUE_ANY:
		g_string_append(out, "any");
		break;
	case RP_VALUE_AUTO:
		g_string_append(out, "auto");
		break;
	case RP_VALUE_NUM:
		print_scalar(out, &rdt_fields[field], value->num);
		break;
	case RP_VALUE_RANGE:
		print_scalar(out, &rdt_fields[field], value->num);
		g_string_append(out, "..");
		print_scalar(out, &rdt_fields[field], value->max);
		break;
	case RP_VALUE_SYMBOL:
		print_sum(out, value->symbol, value->num);
		break;
	case RP_VALUE_BYTES:
		print_bytes(out, field, value);
		break;
	}
}

/* ---- statements -------------------------------------------------------------------------------- */

/* A bare size of a payload is written len=. */
static bool is_size(const struct rp_assign *a)
{
	return a->field == RP_FIELD_PAYLOAD && a->value.kind == RP_VALUE_BYTES &&
	       a->value.part_count == 1 && a->value.parts->kind == RP_PART_SIZE;
}

/* Fields, broken into lines that are not too long. from is the column where they begin. */
static void print_fields(GString *out, const struct rp_stmt *s, size_t line_start)
{
	const size_t indent = out->len - line_start;
	size_t at = line_start;
	char name[64];

	for (size_t i = 0; i < s->assign_count + s->rest; i++) {
		GString *one = g_string_new(NULL);

		if (i == s->assign_count) {
			g_string_append(one, "...");
		} else if (is_size(&s->assigns[i])) {
			g_string_append_printf(one, "len=%zu", s->assigns[i].value.parts->len);
		} else {
			g_string_append_printf(
				one, "%s=", rp_field_name(s->msg, s->assigns[i].field, name));
			print_value(one, s->assigns[i].field, &s->assigns[i].value);
		}
		if (i && out->len - at + 2 + one->len > WIDTH) {
			g_string_append(out, ",\n");
			at = out->len;
			g_string_append_printf(out, "%*s", (int)MIN(indent, 40), "");
		} else if (i) {
			g_string_append(out, ", ");
		}
		g_string_append_len(out, one->str, (gssize)one->len);
		g_string_free(one, TRUE);
	}
}

static void print_faults(GString *out, const struct rp_script *script, const struct rp_stmt *s)
{
	const struct rp_fault *f = &s->fault;
	char text[40];

	if (f->drop)
		g_string_append(out, " drop");
	if (f->dup)
		g_string_append_printf(out, " dup x%u", f->dup);
	if (f->delay_ns)
		g_string_append_printf(out, " delay %s", rp_duration_print(f->delay_ns, text));
	if (f->corrupt_icrc)
		g_string_append(out, " corrupt icrc");
	if (f->fails)
		g_string_append(out, " fails");
	if (f->truncate != RP_NO_TRUNCATE)
		g_string_append_printf(out, " truncate %zu", f->truncate);
	if (f->hold)
		g_string_append_printf(out, " hold until %s > %s", script->roles[f->hold_role].name,
				       rp_msg_name(f->hold_msg));
	if (f->ignored)
		g_string_append_printf(out, " %s drop", script->roles[!s->role].name);
	if (s->within_ns)
		g_string_append_printf(out, " within %s", rp_duration_print(s->within_ns, text));
}

static void print_action(GString *out, const struct rp_script *script, const struct rp_stmt *s,
			 size_t line_start)
{
	static const char *const tcp[RP_TCP_COUNT] = { "connect", "close", "reset" };
	const char *role = script->roles[s->role].name;

	switch (s->kind) {
	case RP_STMT_MSG:
		if (s->msg.family == RP_TCP) {
			g_string_append_printf(out, "%s tcp %s", role, tcp[s->msg.code]);
		} else {
			if (s->call)
				g_string_append_printf(out, "%s call %s(", role, s->call);
			else
				g_string_append_printf(out, "%s > %s[", role, rp_msg_name(s->msg));
			print_fields(out, s, line_start);
			g_string_append_c(out, s->call ? ')' : ']');
		}
		print_faults(out, script, s);
		break;
	case RP_STMT_EVENT:
		g_string_append_printf(out, "%s event %s", role, rdt_rdma_event_key(s->event));
		if (s->has_status)
			g_string_append_printf(out, " status=%" PRId64, s->status);
		print_faults(out, script, s);
		break;
	case RP_STMT_FILL:
		g_string_append_printf(out, "%s fill %s ", role, s->name);
		if (s->has_at)
			g_string_append_printf(out, "at %zu ", s->at);
		print_bytes(out, RP_FIELD_COUNT, &s->bytes);
		break;
	case RP_STMT_REST:
		g_string_append(out, "...");
		break;
	case RP_STMT_EITHER:
	case RP_STMT_LABEL:
	case RP_STMT_GOTO:
	case RP_STMT_END:
		break;
	}
}

static void print_either(GString *out, const struct rp_script *script, const struct rp_stmt *s)
{
	char text[40];

	g_string_append(out, "any {\n");
	for (size_t i = 0; i < s->alt_count; i++) {
		const size_t start = out->len;

		g_string_append(out, "\t");
		print_action(out, script, &s->alts[i], start);
		if (s->alts[i].name)
			g_string_append_printf(out, " => %s", s->alts[i].name);
		g_string_append_c(out, '\n');
	}
	if (s->has_timeout) {
		g_string_append_printf(out, "\ttimeout %s", rp_duration_print(s->timeout_ns, text));
		if (s->timeout_name)
			g_string_append_printf(out, " => %s", s->timeout_name);
		g_string_append_c(out, '\n');
	}
	g_string_append_c(out, '}');
}

static void print_time(GString *out, const struct rp_time *time)
{
	const size_t from = out->len;
	char text[40];

	switch (time->kind) {
	case RP_TIME_ANY:
		if (time->has_tolerance)
			g_string_append_c(out, '*');
		break;
	case RP_TIME_AFTER:
		g_string_append_printf(out, "+%s", rp_duration_print(time->ns, text));
		if (time->window)
			g_string_append_printf(out, "..%s", rp_duration_print(time->max_ns, text));
		break;
	case RP_TIME_AT:
		g_string_append_printf(out, "@%s", rp_duration_print(time->ns, text));
		break;
	}
	if (time->has_tolerance)
		g_string_append_printf(out, " ~%u%%", time->tolerance);
	/* Messages stand under each other. */
	if (out->len > from)
		g_string_append_printf(
			out, "%*s ", (int)(out->len - from < 11 ? 11 - (out->len - from) : 0), "");
}

static void print_stmt(GString *out, const struct rp_script *script, const struct rp_stmt *s)
{
	const size_t start = out->len;

	switch (s->kind) {
	case RP_STMT_LABEL:
		g_string_append_printf(out, "label %s:", s->name);
		return;
	case RP_STMT_GOTO:
		g_string_append_printf(out, "goto %s", s->name);
		return;
	case RP_STMT_END:
		g_string_append(out, "end");
		return;
	case RP_STMT_EITHER:
		print_time(out, &s->time);
		print_either(out, script, s);
		return;
	case RP_STMT_MSG:
	case RP_STMT_EVENT:
	case RP_STMT_FILL:
	case RP_STMT_REST:
		break;
	}
	print_time(out, &s->time);
	if (s->optional)
		g_string_append(out, "? ");
	else if (s->min != s->max)
		g_string_append_printf(out, "%u..%ux ", s->min, s->max);
	else if (s->max != 1)
		g_string_append_printf(out, "%ux ", s->max);
	print_action(out, script, s, start);
}

char *rp_stmt_print(const struct rp_script *script, const struct rp_stmt *stmt)
{
	GString *out = g_string_new(NULL);

	print_stmt(out, script, stmt);
	return g_string_free(out, FALSE);
}

/* ---- the script -------------------------------------------------------------------------------- */

static void print_binding(GString *out, const struct rp_binding *b)
{
	struct rdt_addr addr;
	char text[RDT_ADDR_TEXT];

	g_string_append_printf(out, "%-8s %s = ", b->force ? "bind" : "was", b->symbol);
	if (b->is_gid) {
		addr = rdt_addr_gid(b->gid);
		g_string_append_printf(out, "%s\n",
				       addr.kind == RDT_ADDR_NONE
					       ? "::"
					       : rdt_addr_text(&addr, text, sizeof(text)));
	} else {
		g_string_append_printf(out, "0x%" PRIx64 "\n", b->num);
	}
}

static void print_require(GString *out, const struct rp_require *r)
{
	if (r->has_level)
		g_string_append_printf(out, "require  %s\n", rp_level_name(r->level));
	if (r->timing)
		g_string_append(out, "require  timing");
	if (r->timing && r->has_tolerance)
		g_string_append_printf(out, " %u%%", r->tolerance);
	if (r->timing)
		g_string_append_c(out, '\n');
	for (size_t i = 0; r->backends && r->backends[i]; i++)
		g_string_append_printf(out, "%s%s", i ? ", " : "require  backend ", r->backends[i]);
	if (r->backends)
		g_string_append_c(out, '\n');
}

char *rp_script_print(const struct rp_script *script)
{
	GString *out = g_string_new("rdt 1\n");
	char text[RDT_ADDR_TEXT];

	for (size_t i = 0; i < script->source_count; i++)
		g_string_append_printf(out, "source   %s\n", script->sources[i]);
	for (size_t i = 0; i < RP_ROLES; i++) {
		const struct rp_role *role = &script->roles[i];

		g_string_append_printf(out, "role     %s %s", role->name, rdt_side_key(role->side));
		if (role->addr.kind != RDT_ADDR_NONE)
			g_string_append_printf(out, " %s",
					       rdt_addr_text(&role->addr, text, sizeof(text)));
		g_string_append_c(out, '\n');
	}
	if (script->iwarp)
		g_string_append(out, "transport iwarp\n");
	if (script->has_service) {
		g_string_append(out, "service  ");
		print_scalar(out, &rdt_fields[RDT_F_req_service_id], script->service);
		g_string_append_c(out, '\n');
	}
	if (script->strict)
		g_string_append(out, "unsaid   template\n");
	for (size_t i = 0; i < script->binding_count; i++)
		print_binding(out, &script->bindings[i]);
	for (size_t i = 0; i < script->memory_count; i++)
		g_string_append_printf(out, "memory   %s %s %" PRIu64 "\n",
				       script->roles[script->memories[i].role].name,
				       script->memories[i].name, script->memories[i].len);
	if (script->stmt_count)
		g_string_append_c(out, '\n');
	for (size_t i = 0; i < script->stmt_count; i++) {
		print_stmt(out, script, &script->stmts[i]);
		g_string_append_c(out, '\n');
	}
	print_require(out, &script->require);
	return g_string_free(out, FALSE);
}
