// SPDX-License-Identifier: BSD-2-Clause
/* The rows of findings.def, and their placeholders filled in. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rdmatrace/text.h"

const struct rdt_why_row rdt_why_rows[RDT_WHY_COUNT] = {
#define F(symbol, code, severity, title, seen, means, next, filter) \
	[RDT_WHY_##symbol] = { code, title, seen, means, next, filter, RDT_SEVERITY_##severity },
#include "why/findings.def"
#undef F
};

const char *rdt_severity_key(enum rdt_severity severity)
{
	static const char *const keys[] = {
#define X(symbol, key) key,
		RDT_SEVERITY_LIST(X)
#undef X
	};

	return severity < RDT_SEVERITY_COUNT ? keys[severity] : NULL;
}

/* ---- values -------------------------------------------------------------------------------------- */

static const struct {
	const char *name, *label;
	enum rdt_why_type type;
} values[RDT_WHY_V_COUNT] = {
#define X(symbol, name, type, label) [RDT_WHY_V_##symbol] = { name, label, RDT_WHY_##type },
	RDT_WHY_VALUE_LIST(X)
#undef X
};

const char *rdt_why_value_name(enum rdt_why_value value)
{
	return value < RDT_WHY_V_COUNT ? values[value].name : NULL;
}

const char *rdt_why_value_label(enum rdt_why_value value)
{
	return value < RDT_WHY_V_COUNT ? values[value].label : NULL;
}

enum rdt_why_type rdt_why_value_type(enum rdt_why_value value)
{
	return value < RDT_WHY_V_COUNT ? values[value].type : RDT_WHY_NUM;
}

/* Number and text of a code; NULL where the list does not have it. */
static const struct rdt_name *name_of(unsigned value, uint64_t num)
{
	switch (value) {
	case RDT_WHY_V_REASON:
		return rdt_name_find(RDT_NAMES_rej_reason, num);
	case RDT_WHY_V_STAGE:
		return rdt_name_find(RDT_NAMES_cm_msg_rejected, num);
	case RDT_WHY_V_STATUS:
		return rdt_name_find(RDT_NAMES_sidr_status, num);
	case RDT_WHY_V_NAK:
		return rdt_name_find(RDT_NAMES_nak_code, num);
	case RDT_WHY_V_TERM:
		return rdt_name_find(RDT_NAMES_term_error, num);
	case RDT_WHY_V_OPCODE:
		return rdt_name_find(RDT_NAMES_bth_opcode, num);
	default:
		return NULL;
	}
}

static const char *neighbour_text(uint64_t num)
{
	static const char *const texts[] = {
#define X(symbol, key, text) text,
		RDT_WHY_NEIGHBOUR_LIST(X)
#undef X
	};

	return num < RDT_WHY_NEIGHBOUR_COUNT ? texts[num] : "";
}

static const char *neighbour_key(uint64_t num)
{
	static const char *const keys[] = {
#define X(symbol, key, text) key,
		RDT_WHY_NEIGHBOUR_LIST(X)
#undef X
	};

	return num < RDT_WHY_NEIGHBOUR_COUNT ? keys[num] : "";
}

/* ---- writing ------------------------------------------------------------------------------------- */

struct out {
	char *buf;
	size_t size, used;
};

static void put(struct out *o, const char *text, size_t len)
{
	const size_t room = o->size - 1 - o->used;

	if (len > room)
		len = room;
	memcpy(o->buf + o->used, text, len);
	o->used += len;
	o->buf[o->used] = 0;
}

static void put_text(struct out *o, const char *text)
{
	put(o, text, strlen(text));
}

__attribute__((format(printf, 2, 3))) static void put_fmt(struct out *o, const char *fmt, ...)
{
	char buf[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf, sizeof(buf), fmt, args);
	va_end(args);
	put_text(o, buf);
}

static void put_ns(struct out *o, uint64_t ns)
{
	char buf[RDT_TEXT_MAX];

	put_text(o, ns ? rdt_duration_text(ns, buf, sizeof(buf)) : "0");
}

static void put_addr(struct out *o, const struct rdt_addr *addr)
{
	char buf[RDT_ADDR_TEXT];

	put_text(o, rdt_addr_text(addr, buf, sizeof(buf)));
}

/* What is being expanded. */
struct ctx {
	const struct rdt_tracker *t;
	const struct rdt_finding *f;
	struct out out;
	bool missing; /* a placeholder had no value */
};

static void put_value(struct ctx *x, const struct rdt_evidence *ev)
{
	switch (rdt_why_value_type((enum rdt_why_value)ev->value)) {
	case RDT_WHY_NS:
		put_ns(&x->out, ev->num);
		if (ev->more && ev->most != ev->num) {
			put_text(&x->out, " to ");
			put_ns(&x->out, ev->most);
		}
		break;
	case RDT_WHY_HEX:
		put_fmt(&x->out,
			ev->value == RDT_WHY_V_PSN || ev->value == RDT_WHY_V_WANT_PSN ? "0x%06llx"
										      : "0x%llx",
			(unsigned long long)ev->num);
		break;
	case RDT_WHY_ADDR:
		put_addr(&x->out, &x->f->address);
		break;
	case RDT_WHY_CODE:
		if (ev->value == RDT_WHY_V_MSG)
			put_text(&x->out, rdt_msg_key((enum rdt_msg)ev->num));
		else if (ev->value == RDT_WHY_V_NEIGHBOUR)
			put_text(&x->out, neighbour_key(ev->num));
		else
			put_fmt(&x->out, "%llu", (unsigned long long)ev->num);
		break;
	case RDT_WHY_BYTES:
		put_fmt(&x->out, "%llu bytes", (unsigned long long)ev->num);
		break;
	case RDT_WHY_COUNT_OF:
	case RDT_WHY_NUM:
		put_fmt(&x->out, "%llu", (unsigned long long)ev->num);
		break;
	}
}

static void put_code_text(struct ctx *x, const struct rdt_evidence *ev)
{
	const struct rdt_name *name = name_of(ev->value, ev->num);

	if (ev->value == RDT_WHY_V_MSG)
		put_text(&x->out, rdt_msg_text((enum rdt_msg)ev->num));
	else if (ev->value == RDT_WHY_V_NEIGHBOUR)
		put_text(&x->out, neighbour_text(ev->num));
	else if (name)
		put_text(&x->out, name->text);
	else
		put_fmt(&x->out, "code %llu, which has no name", (unsigned long long)ev->num);
}

char *rdt_why_value_text(const struct rdt_tracker *t, const struct rdt_finding *f,
			 const struct rdt_evidence *ev, char *buf, size_t size)
{
	struct ctx x = { .t = t, .f = f, .out = { buf, size, 0 } };
	const struct rdt_name *name = name_of(ev->value, ev->num);

	buf[0] = 0;
	if (name)
		put_fmt(&x.out, "%s (%u)", name->key, (unsigned)name->value);
	else
		put_value(&x, ev);
	return buf;
}

/* ---- placeholders ---------------------------------------------------------------------------------- */

static bool is(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !memcmp(word, name, len);
}

/* The side that a word names: active, passive, sender, receiver; RDT_SIDES for another word. */
static unsigned side_of(const struct rdt_finding *f, const char *word, size_t len)
{
	if (is(word, len, "active"))
		return RDT_ACTIVE;
	if (is(word, len, "passive"))
		return RDT_PASSIVE;
	if (is(word, len, "sender"))
		return f->side;
	if (is(word, len, "receiver"))
		return rdt_side_other((enum rdt_side)f->side);
	return RDT_SIDES;
}

/* The address of a side; NULL when the finding is about none. */
static const struct rdt_addr *side_addr(const struct ctx *x, unsigned side)
{
	const struct rdt_finding *f = x->f;

	if (f->has_path)
		return &f->path[side];
	return f->addr[side] == RDT_CONN_NONE ? NULL : rdt_tracker_addr(x->t, f->addr[side]);
}

static void put_side(struct ctx *x, unsigned side)
{
	const struct rdt_finding *f = x->f;
	const struct rdt_addr *addr = side_addr(x, side);

	if (!addr) {
		x->missing = true;
		return;
	}
	put_addr(&x->out, addr);
	if (f->many >> side & 1)
		put_text(&x->out, " and others");
}

static void put_service(struct ctx *x)
{
	const struct rdt_finding *f = x->f;
	const struct rdt_addr *addr = side_addr(x, RDT_PASSIVE);

	if (!addr) {
		x->missing = true;
		return;
	}
	if (f->port && addr->kind == RDT_ADDR_GID)
		put_text(&x->out, "[");
	put_addr(&x->out, addr);
	if (f->port && addr->kind == RDT_ADDR_GID)
		put_text(&x->out, "]");
	if (f->port)
		put_fmt(&x->out, ":%u", f->port);
	else if (f->svc)
		put_fmt(&x->out, " (service id 0x%016llx)", (unsigned long long)f->svc);
	if (f->app)
		put_fmt(&x->out, " (%s?)", f->app);
	if (f->many >> RDT_PASSIVE & 1)
		put_text(&x->out, " and others");
}

static void put_qpn(struct ctx *x, unsigned side)
{
	if (x->f->has_qpn[side])
		put_fmt(&x->out, "0x%x", (unsigned)x->f->qpn[side]);
	else
		x->missing = true;
}

/* "ip.src == 10.0.0.2": a term that a packet of (by) or with (is) the address fulfils. */
static void put_term(struct ctx *x, const struct rdt_addr *addr, bool by)
{
	const unsigned transport = x->f->transport;

	if (addr->kind == RDT_ADDR_IPV4) {
		put_text(&x->out, by ? "ip.src == " : "ip.addr == ");
	} else if (addr->kind == RDT_ADDR_LID) {
		if (!by)
			put_fmt(&x->out, "infiniband.lrh.dlid == %u || ",
				(unsigned)(addr->bytes[14] << 8 | addr->bytes[15]));
		put_fmt(&x->out, "infiniband.lrh.slid == %u",
			(unsigned)(addr->bytes[14] << 8 | addr->bytes[15]));
		return;
	} else if (transport == RDT_TRANSPORT_ROCEV1 || transport == RDT_TRANSPORT_IB) {
		if (!by) {
			put_text(&x->out, "infiniband.grh.dgid == ");
			put_addr(&x->out, addr);
			put_text(&x->out, " || ");
		}
		put_text(&x->out, "infiniband.grh.sgid == ");
	} else {
		put_text(&x->out, by ? "ipv6.src == " : "ipv6.addr == ");
	}
	put_addr(&x->out, addr);
}

static void put_filter_term(struct ctx *x, unsigned side, bool by)
{
	const struct rdt_finding *f = x->f;
	const struct rdt_addr *addr = side_addr(x, side);

	/* Several addresses, or none: a term that every packet fulfils. */
	if (!addr || f->many >> side & 1) {
		put_text(&x->out, "frame");
		return;
	}
	put_text(&x->out, "(");
	put_term(x, addr, by);
	put_text(&x->out, ")");
}

static void put_number(struct ctx *x)
{
	const struct rdt_finding *f = x->f;
	const struct rdt_conn *conn = rdt_tracker_conn(x->t, f->conn);

	if (f->range_count)
		put_fmt(&x->out, "%u", (unsigned)f->ranges[0].first);
	else if (conn && conn->n)
		put_fmt(&x->out, "%u", (unsigned)conn->n);
	else
		x->missing = true;
}

static const struct rdt_evidence *find_value(const struct rdt_finding *f, const char *name,
					     size_t len)
{
	for (unsigned i = 0; i < f->ev_count; i++)
		if (is(name, len, values[f->ev[i].value].name))
			return &f->ev[i];
	return NULL;
}

/* {name:one|many} */
static void put_counted(struct ctx *x, uint64_t num, const char *words, size_t len)
{
	const char *bar = memchr(words, '|', len);

	put_fmt(&x->out, "%llu ", (unsigned long long)num);
	if (num == 1)
		put(&x->out, words, (size_t)(bar - words));
	else
		put(&x->out, bar + 1, len - (size_t)(bar - words) - 1);
}

static void put_list(struct ctx *x, const struct rdt_evidence *first)
{
	const char *comma = "";

	for (const struct rdt_evidence *ev = first; ev < x->f->ev + x->f->ev_count; ev++) {
		if (ev->value != first->value)
			continue;
		put_text(&x->out, comma);
		put_value(x, ev);
		comma = ", ";
	}
}

/* The words that are not values of the finding. False: it is none of them. */
static bool put_word(struct ctx *x, const char *word, size_t len, const char *arg, size_t arg_len)
{
	const struct rdt_finding *f = x->f;
	const bool by = is(word, len, "by");
	unsigned side;

	if (arg && (by || is(word, len, "is"))) {
		side = side_of(f, arg, arg_len);
		if (side < RDT_SIDES)
			put_filter_term(x, side, by);
		return side < RDT_SIDES;
	}
	if (arg && is(word, len, "from")) {
		put_term(x, &f->address, true);
		return true;
	}
	side = side_of(f, word, len);
	if (side < RDT_SIDES)
		put_side(x, side);
	else if (is(word, len, "service"))
		put_service(x);
	else if (is(word, len, "port"))
		f->port ? put_fmt(&x->out, "%u", f->port) : (void)(x->missing = true);
	else if (is(word, len, "n"))
		put_number(x);
	else if (is(word, len, "side"))
		put_text(&x->out, rdt_side_key((enum rdt_side)f->side));
	else if (is(word, len, "a_qpn"))
		put_qpn(x, RDT_ACTIVE);
	else if (is(word, len, "p_qpn"))
		put_qpn(x, RDT_PASSIVE);
	else if (is(word, len, "sender_qpn"))
		put_qpn(x, f->side);
	else if (is(word, len, "receiver_qpn"))
		put_qpn(x, rdt_side_other((enum rdt_side)f->side));
	else
		return false;
	return true;
}

/* Without a finding: what would stand there. */
static void put_generic(struct ctx *x, const char *word, size_t name_len, const char *arg,
			size_t arg_len)
{
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "active", "the active side" },
		{ "passive", "the passive side" },
		{ "sender", "the sender" },
		{ "receiver", "the receiver" },
		{ "service", "the service" },
		{ "n", "N" },
		{ "port", "PORT" },
		{ "address", "the address" },
		{ "is", "ADDRESS" },
		{ "by", "ADDRESS" },
		{ "from", "ADDRESS" },
		{ "msg", "message" },
		{ "neighbour", "whether ARP or neighbour discovery was answered" },
	};
	const char *bar = arg ? memchr(arg, '|', arg_len) : NULL;

	if (bar) {
		put_text(&x->out, "N ");
		put(&x->out, bar + 1, arg_len - (size_t)(bar - arg) - 1);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is(word, name_len, words[i].word)) {
			put_text(&x->out, words[i].text);
			return;
		}
	for (unsigned i = 0; i < RDT_WHY_V_COUNT; i++)
		if (is(word, name_len, values[i].name)) {
			put_text(&x->out, arg && is(arg, arg_len, "text") ? values[i].label
					  : values[i].type == RDT_WHY_NS  ? "T"
									  : "N");
			return;
		}
	put_text(&x->out, "N");
}

static void put_placeholder(struct ctx *x, const char *word, size_t len)
{
	const char *colon = memchr(word, ':', len);
	const size_t name_len = colon ? (size_t)(colon - word) : len;
	const char *arg = colon ? colon + 1 : NULL;
	const size_t arg_len = colon ? len - name_len - 1 : 0;
	const struct rdt_evidence *ev;

	if (!x->f) {
		put_generic(x, word, name_len, arg, arg_len);
		return;
	}
	if (put_word(x, word, name_len, arg, arg_len))
		return;
	ev = find_value(x->f, word, name_len);
	if (!ev)
		x->missing = true;
	else if (arg && memchr(arg, '|', arg_len))
		put_counted(x, ev->num, arg, arg_len);
	else if (arg && is(arg, arg_len, "list"))
		put_list(x, ev);
	else if (arg && is(arg, arg_len, "text"))
		put_code_text(x, ev);
	else
		put_value(x, ev);
}

/* Expand one template. Brackets do not nest; what a { begins, a } ends: tests check the rows. */
static void expand(struct ctx *x, const char *tmpl)
{
	size_t before = 0;
	bool inside = false;

	for (; *tmpl; tmpl++) {
		const char *end = *tmpl == '{' ? strchr(tmpl, '}') : NULL;

		if (*tmpl == '[') {
			before = x->out.used;
			inside = true;
			x->missing = false;
		} else if (*tmpl == ']' && inside) {
			if (x->missing) {
				x->out.used = before;
				x->out.buf[before] = 0;
			}
			inside = x->missing = false;
		} else if (end) {
			put_placeholder(x, tmpl + 1, (size_t)(end - tmpl) - 1);
			if (x->missing && !inside) {
				put_text(&x->out, "?");
				x->missing = false;
			}
			tmpl = end;
		} else {
			put(&x->out, tmpl, 1);
		}
	}
}

char *rdt_why_code_text(const struct rdt_finding *f, char buf[32])
{
	struct ctx x = { .f = f, .out = { buf, 32, 0 } };

	buf[0] = 0;
	expand(&x, rdt_why_rows[f->code].code);
	return buf;
}

static const char *part_of(const struct rdt_why_row *row, enum rdt_why_part part)
{
	switch (part) {
	case RDT_WHY_TITLE:
		return row->title;
	case RDT_WHY_SEEN:
		return row->seen;
	case RDT_WHY_MEANS:
		return row->means;
	case RDT_WHY_NEXT:
		return row->next;
	case RDT_WHY_FILTER:
		return row->filter;
	}
	return "";
}

char *rdt_why_text(const struct rdt_tracker *t, const struct rdt_finding *f, enum rdt_why_part part,
		   char *buf, size_t size)
{
	struct ctx x = { .t = t, .f = f, .out = { buf, size, 0 } };

	buf[0] = 0;
	expand(&x, part_of(&rdt_why_rows[f->code], part));
	return buf;
}

char *rdt_why_row_text(enum rdt_why_code code, enum rdt_why_part part, char *buf, size_t size)
{
	struct ctx x = { .out = { buf, size, 0 } };

	buf[0] = 0;
	expand(&x, part_of(&rdt_why_rows[code], part));
	return buf;
}

static char low(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Is text the code? Where the code has a placeholder a number may stand, or nothing. */
static bool is_code(const char *code, const char *text)
{
	for (; *code && *code != '{'; code++, text++)
		if (low(*code) != low(*text))
			return false;
	if (!*code)
		return !*text;
	return *text && strspn(text, "0123456789") == strlen(text);
}

enum rdt_why_code rdt_why_code_find(const char *text)
{
	enum rdt_why_code family = RDT_WHY_COUNT;

	for (unsigned i = 0; i < RDT_WHY_COUNT; i++) {
		if (!is_code(rdt_why_rows[i].code, text))
			continue;
		/* CM-REJ-8 has a row of its own beside that of its family. */
		if (!strchr(rdt_why_rows[i].code, '{'))
			return (enum rdt_why_code)i;
		family = (enum rdt_why_code)i;
	}
	return family;
}
