// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/ftrace.h"

#include <string.h>

struct cursor {
	const char *p, *end;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* An unsigned number, decimal or with 0x. */
static bool number(struct cursor *c, uint64_t *ret)
{
	const bool hex = c->end - c->p > 2 && c->p[0] == '0' && c->p[1] == 'x';
	uint64_t v = 0;
	unsigned n = 0;

	if (hex)
		c->p += 2;
	for (; c->p < c->end; c->p++, n++) {
		const int d = hex_of(*c->p);

		if (d < 0 || (!hex && d > 9))
			break;
		if (v > UINT64_MAX / 16)
			return false;
		v = v * (hex ? 16 : 10) + (unsigned)d;
	}
	*ret = v;
	return n > 0;
}

/* Copy the run of characters up to a space, ':' or ')' ; cut at the buffer's size. */
static void word(struct cursor *c, char out[RDT_FTRACE_WORD])
{
	size_t n = 0;

	for (; c->p < c->end && *c->p != ' ' && *c->p != ':' && *c->p != ')'; c->p++)
		if (n + 1 < RDT_FTRACE_WORD)
			out[n++] = *c->p;
	out[n] = '\0';
}

/* After the first "key" of the rest; false when there is none. */
static bool after(const char *text, const char *end, const char *key, struct cursor *ret)
{
	const size_t len = strlen(key);

	for (const char *p = text; (size_t)(end - p) >= len && p <= end; p++) {
		if (!memcmp(p, key, len) && (p == text || p[-1] == ' ')) {
			*ret = (struct cursor){ p + len, end };
			return true;
		}
	}
	return false;
}

/* "10.0.0.2:4791", "[fe80::1]:4791", or "(einval)". */
static bool endpoint(struct cursor c, struct rdt_addr *ret_addr, uint16_t *ret_port)
{
	const char *stop = memchr(c.p, ' ', (size_t)(c.end - c.p));
	const char *colon = NULL, *from = c.p, *to;
	uint64_t port;

	if (!stop)
		stop = c.end;
	for (const char *p = c.p; p < stop; p++)
		if (*p == ':')
			colon = p;
	if (!colon)
		return false;
	to = colon;
	if (*from == '[' && to > from + 1 && to[-1] == ']') {
		from++;
		to--;
	}
	c = (struct cursor){ colon + 1, stop };
	if (rdt_addr_parse(from, (size_t)(to - from), ret_addr) != RDT_OK || !number(&c, &port) ||
	    port > UINT16_MAX)
		return false;
	*ret_port = (uint16_t)port;
	return true;
}

/* "12.439985:" before the event's name: the last such number of the line's head. */
static bool stamp(const char *text, const char *end, struct rdt_ftrace *ret, const char **ret_rest)
{
	for (const char *p = text; p < end; p++) {
		struct cursor c = { p, end };
		uint64_t whole, part = 0, scale = 1000000000;

		if (!is_digit(*p) || (p > text && p[-1] != ' ') || !number(&c, &whole) ||
		    c.p == end || *c.p != '.')
			continue;
		for (c.p++; c.p < end && is_digit(*c.p); c.p++) {
			if (scale > 1) {
				scale /= 10;
				part += (uint64_t)(*c.p - '0') * scale;
			}
		}
		if (scale == 1000000000 || end - c.p < 2 || c.p[0] != ':' || c.p[1] != ' ' ||
		    whole > UINT32_MAX)
			continue;
		ret->ns = whole * 1000000000 + part;
		for (c.p += 2; c.p < end && *c.p == ' '; c.p++)
			;
		*ret_rest = c.p;
		return true;
	}
	return false;
}

static uint32_t id_after(const char *text, const char *end, const char *key, bool *has)
{
	struct cursor c;
	uint64_t v;

	if (!after(text, end, key, &c) || !number(&c, &v) || v > UINT32_MAX)
		return 0;
	*has = true;
	return (uint32_t)v;
}

/* The tail of a cm_event_handler line: "... tos=0 CONNECT_RESPONSE (5/0)". */
static void event_of(const char *text, const char *end, struct rdt_ftrace *ret)
{
	struct cursor c;
	uint64_t v;
	bool minus;

	if (!after(text, end, "tos=", &c) || !number(&c, &v) || c.p == end)
		return;
	c.p++;
	word(&c, ret->event);
	for (; c.p < end && *c.p != '/'; c.p++)
		;
	if (end - c.p < 2)
		return;
	c.p++;
	minus = *c.p == '-';
	if (minus)
		c.p++;
	if (number(&c, &v) && v <= INT32_MAX)
		ret->status = minus ? -(int32_t)v : (int32_t)v;
}

/* "wrtid 0x27709a48a; 14/15 retries(0)": left, then allowed. */
static void retries_of(const char *text, const char *end, struct rdt_ftrace *ret)
{
	struct cursor c;
	uint64_t left, most;

	if (!after(text, end, "wrtid ", &c) || !number(&c, &left))
		return;
	while (c.p < end && (*c.p == ';' || *c.p == ' '))
		c.p++;
	if (!number(&c, &left) || c.p == end || *c.p++ != '/' || !number(&c, &most) ||
	    left > UINT8_MAX || most > UINT8_MAX)
		return;
	ret->retries_left = (uint8_t)left;
	ret->max_retries = (uint8_t)most;
}

bool rdt_ftrace_parse(const char *text, size_t len, struct rdt_ftrace *ret_line)
{
	const char *end = text + len, *rest;
	struct cursor c;
	uint64_t v;

	memset(ret_line, 0, sizeof(*ret_line));
	if (!stamp(text, end, ret_line, &rest))
		return false;
	c = (struct cursor){ rest, end };
	word(&c, ret_line->name);
	if (strncmp(ret_line->name, "icm_", 4) && strncmp(ret_line->name, "cm_", 3) &&
	    strncmp(ret_line->name, "ib_mad_", 7))
		return false;
	rest = c.p;
	ret_line->local_id = id_after(rest, end, "local_id=", &ret_line->has_ids);
	ret_line->remote_id = id_after(rest, end, "remote_id=", &ret_line->has_ids);
	if (after(rest, end, "state=", &c))
		word(&c, ret_line->state);
	if (after(rest, end, "reason=", &c))
		word(&c, ret_line->reason);
	if (after(rest, end, "cm.id=", &c) && number(&c, &v))
		ret_line->cm_id = (uint32_t)v;
	ret_line->has_addrs =
		after(rest, end, "src=", &c) && endpoint(c, &ret_line->src, &ret_line->src_port) &&
		after(rest, end, "dst=", &c) && endpoint(c, &ret_line->dst, &ret_line->dst_port);
	if (!strcmp(ret_line->name, "cm_event_handler"))
		event_of(rest, end, ret_line);
	if (after(rest, end, "tid ", &c) && number(&c, &v))
		ret_line->tid = v;
	if (after(rest, end, "attr_id ", &c) && number(&c, &v))
		ret_line->attr_id = (uint16_t)v;
	if (after(rest, end, "class ", &c) && number(&c, &v))
		ret_line->mgmt_class = (uint8_t)v;
	retries_of(rest, end, ret_line);
	return true;
}
