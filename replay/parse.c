// SPDX-License-Identifier: BSD-2-Clause
/* Statements. */
#include "replay/parse.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

#include "rdmatrace/text.h"

/* ---- tokens ----------------------------------------------------------------------------------- */

struct rp_tok rp_parse_take(struct rp_parser *p)
{
	const struct rp_tok tok = p->tok;

	p->tok = rp_lex_next(&p->lexer);
	if (p->tok.kind == RP_TOK_BAD)
		rp_parse_fail(p, p->tok.pos, "%s", p->lexer.bad);
	return tok;
}

bool rp_parse_fail(struct rp_parser *p, struct rp_pos pos, const char *fmt, ...)
{
	va_list ap;

	if (!p->failed) {
		va_start(ap, fmt);
		g_vsnprintf(p->error->what, sizeof(p->error->what), fmt, ap);
		va_end(ap);
		p->error->pos = pos;
	}
	p->failed = true;
	return false;
}

bool rp_parse_expected(struct rp_parser *p, const char *what)
{
	char text[64];

	return rp_parse_fail(p, p->tok.pos, "expected %s, not %s", what,
			     rp_tok_text(&p->tok, text));
}

bool rp_parse_skip(struct rp_parser *p, char punct)
{
	if (!rp_tok_is(&p->tok, punct))
		return false;
	rp_parse_take(p);
	return true;
}

bool rp_parse_punct(struct rp_parser *p, char punct, const char *where)
{
	const char what[] = { punct, 0 };
	char text[128];

	if (rp_parse_skip(p, punct))
		return true;
	g_snprintf(text, sizeof(text), "%s after %s", what, where);
	return rp_parse_expected(p, text);
}

bool rp_parse_word(struct rp_parser *p, const char *word)
{
	if (!rp_tok_word(&p->tok, word))
		return false;
	rp_parse_take(p);
	return true;
}

bool rp_parse_name(struct rp_parser *p, const char *what, const char **ret_name)
{
	const struct rp_tok tok = p->tok;

	if (tok.kind != RP_TOK_WORD || !g_ascii_isalpha(*tok.text) || tok.len > 40)
		return rp_parse_expected(p, what);
	for (size_t i = 0; i < tok.len; i++) {
		if (!g_ascii_isalnum(tok.text[i]) && !strchr("_-", tok.text[i]))
			return rp_parse_expected(p, what);
	}
	*ret_name = rp_arena_text(p->arena, tok.text, tok.len);
	rp_parse_take(p);
	return true;
}

/* 0 needs no unit. Nothing that is longer than a day is meant. */
static bool duration(const char *text, size_t len, uint64_t *ret_ns)
{
	if (len == 1 && *text == '0') {
		*ret_ns = 0;
		return true;
	}
	return rdt_duration_parse(text, len, ret_ns) == RDT_OK &&
	       *ret_ns <= UINT64_C(86400000000000);
}

bool rp_parse_duration(struct rp_parser *p, const char *what, uint64_t *ret_ns)
{
	if (p->tok.kind != RP_TOK_WORD || !duration(p->tok.text, p->tok.len, ret_ns))
		return rp_parse_expected(p, what);
	rp_parse_take(p);
	return true;
}

/* "50%" */
bool rp_parse_percent(struct rp_parser *p, const struct rp_tok *tok, unsigned *ret)
{
	unsigned value = 0;
	size_t n = 0;

	for (; n < tok->len && g_ascii_isdigit(tok->text[n]) && value < 100000; n++)
		value = value * 10 + (unsigned)(tok->text[n] - '0');
	if (tok->kind != RP_TOK_WORD || !n || n + 1 != tok->len || tok->text[n] != '%')
		return rp_parse_fail(p, tok->pos, "expected a tolerance such as 20%%");
	*ret = value;
	return true;
}

/* ---- time and count ---------------------------------------------------------------------------- */

/* +24ms, +0..50ms, @1.5s, *; then ~20%. Takes nothing when there is none. */
static bool parse_time(struct rp_parser *p, struct rp_time *time)
{
	const struct rp_tok tok = p->tok;
	const char *dots;
	struct rp_tok percent;
	bool ok = true;

	if (tok.kind == RP_TOK_WORD && (*tok.text == '+' || *tok.text == '@')) {
		const char *text = tok.text + 1, *end = tok.text + tok.len;

		time->kind = *tok.text == '+' ? RP_TIME_AFTER : RP_TIME_AT;
		dots = g_strstr_len(text, end - text, "..");
		if (dots) {
			/* +0..50ms: a unit that the first lacks is that of the second */
			time->window = true;
			ok = time->kind == RP_TIME_AFTER &&
			     duration(dots + 2, (size_t)(end - dots - 2), &time->max_ns) &&
			     duration(text, (size_t)(dots - text), &time->ns) &&
			     time->ns <= time->max_ns;
		} else {
			ok = duration(text, (size_t)(end - text), &time->ns);
		}
		if (!ok)
			return rp_parse_fail(
				p, tok.pos,
				"expected a time: +24ms after the event before, "
				"+0..50ms within a window, @1.5s after the first, or *");
		rp_parse_take(p);
	} else if (!rp_parse_word(p, "*")) {
		return true;
	}
	if (p->tok.kind != RP_TOK_WORD || *p->tok.text != '~')
		return true;
	percent = p->tok;
	percent.text++;
	percent.len--;
	if (!rp_parse_percent(p, &percent, &time->tolerance))
		return false;
	time->has_tolerance = true;
	rp_parse_take(p);
	return true;
}

static bool digits(const char *text, size_t len, unsigned *ret)
{
	unsigned value = 0;

	if (!len || len > 6)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!g_ascii_isdigit(text[i]))
			return false;
		value = value * 10 + (unsigned)(text[i] - '0');
	}
	*ret = value;
	return true;
}

/* 3x, 0..15x, ?. Takes nothing when there is none. */
static bool parse_count(struct rp_parser *p, struct rp_stmt *s)
{
	const struct rp_tok tok = p->tok;
	const char *dots;
	bool ok;

	s->min = s->max = 1;
	if (rp_parse_skip(p, '?')) {
		s->optional = true;
		s->min = 0;
		return true;
	}
	if (tok.kind != RP_TOK_WORD || tok.len < 2 || !g_ascii_isdigit(*tok.text) ||
	    tok.text[tok.len - 1] != 'x')
		return true;
	dots = g_strstr_len(tok.text, (gssize)tok.len, "..");
	if (dots) {
		ok = digits(tok.text, (size_t)(dots - tok.text), &s->min) &&
		     digits(dots + 2, (size_t)(tok.text + tok.len - dots - 3), &s->max);
	} else {
		ok = digits(tok.text, tok.len - 1, &s->max);
		s->min = s->max;
	}
	if (!ok)
		return rp_parse_fail(p, tok.pos, "expected a count such as 3x or 0..15x");
	if (s->min > s->max || !s->max || s->max > RP_REPEAT_MAX)
		return rp_parse_fail(p, tok.pos, "a count is 1x to %ux", RP_REPEAT_MAX);
	rp_parse_take(p);
	return true;
}

/* ---- messages ---------------------------------------------------------------------------------- */

static bool role_name(struct rp_parser *p, const char *what, unsigned *ret_role)
{
	char text[160];

	if (p->tok.kind == RP_TOK_WORD) {
		*ret_role = rp_role_find(p->script, p->tok.text, p->tok.len);
		if (*ret_role < RP_ROLES) {
			rp_parse_take(p);
			return true;
		}
	}
	g_snprintf(text, sizeof(text), "%s (the roles are %s and %s)", what,
		   p->script->roles[0].name, p->script->roles[1].name);
	return rp_parse_expected(p, text);
}

static bool message_name(struct rp_parser *p, struct rp_msg *ret_msg)
{
	const struct rp_tok tok = p->tok;
	GString *all;
	bool ok;

	if (tok.kind == RP_TOK_WORD && rp_msg_find(tok.text, tok.len, ret_msg)) {
		rp_parse_take(p);
		return true;
	}
	all = g_string_new("a message: ");
	for (size_t i = 0; rp_msg_list(i); i++)
		g_string_append_printf(all, "%s%s", i ? " " : "", rp_msg_list(i));
	g_string_append(all, " or a packet such as RC_ACK");
	ok = rp_parse_expected(p, all->str);
	g_string_free(all, TRUE);
	return ok;
}

/* What follows a message: faults and limits, in any order. */
static bool parse_faults(struct rp_parser *p, struct rp_stmt *s)
{
	struct rp_fault *f = &s->fault;
	uint64_t number;
	unsigned role;

	f->truncate = RP_NO_TRUNCATE;
	for (;;) {
		if (rp_parse_word(p, "drop")) {
			f->drop = true;
		} else if (rp_parse_word(p, "dup")) {
			struct rp_tok tok = p->tok;

			if (tok.kind == RP_TOK_WORD && *tok.text == 'x') {
				tok.text++;
				tok.len--;
			}
			if (tok.kind != RP_TOK_WORD || !digits(tok.text, tok.len, &f->dup) ||
			    f->dup < 2 || f->dup > 100)
				return rp_parse_expected(p, "x2 to x100 after dup");
			rp_parse_take(p);
		} else if (rp_parse_word(p, "delay")) {
			if (!rp_parse_duration(p, "a time such as 30s after delay", &f->delay_ns))
				return false;
		} else if (rp_parse_word(p, "corrupt")) {
			if (!rp_parse_word(p, "icrc"))
				return rp_parse_expected(p, "icrc after corrupt");
			f->corrupt_icrc = true;
		} else if (rp_parse_word(p, "fails")) {
			if (s->msg.family != RP_OP)
				return rp_parse_fail(p, p->tok.pos, "only operations fail");
			f->fails = true;
		} else if (rp_parse_word(p, "truncate")) {
			if (!rp_parse_number(p, "a number of bytes", 9000, &number))
				return false;
			f->truncate = (size_t)number;
		} else if (rp_parse_word(p, "within")) {
			if (!rp_parse_duration(p, "a time such as 100ms after within",
					       &s->within_ns))
				return false;
		} else if (rp_parse_word(p, "hold")) {
			if (!rp_parse_word(p, "until"))
				return rp_parse_expected(p, "until after hold");
			if (!role_name(p, "a role after hold until", &f->hold_role) ||
			    !rp_parse_punct(p, '>', "the role") || !message_name(p, &f->hold_msg))
				return false;
			f->hold = true;
		} else if (p->tok.kind == RP_TOK_WORD &&
			   (role = rp_role_find(p->script, p->tok.text, p->tok.len)) < RP_ROLES) {
			/* "p drop": the receiver takes no notice */
			if (role == s->role)
				return rp_parse_fail(p, p->tok.pos,
						     "%s sends this message: only %s can ignore it",
						     p->script->roles[role].name,
						     p->script->roles[!role].name);
			rp_parse_take(p);
			if (!rp_parse_word(p, "drop"))
				return rp_parse_expected(p, "drop");
			f->ignored = true;
		} else {
			return true;
		}
	}
}

/* What is told to be done must be possible: many packets are an operation, and TCP keeps its own order. */
static bool check_faults(struct rp_parser *p, const struct rp_stmt *s, struct rp_pos pos)
{
	const struct rp_fault *f = &s->fault;
	const bool packet = s->msg.family == RP_CM || s->msg.family == RP_PACKET;
	const bool later = f->dup || f->delay_ns || f->hold;

	if (rp_fault_damages(f) && !packet)
		return rp_parse_fail(
			p, pos,
			"corrupt and truncate are for messages of the CM and single "
			"packets (RC_SEND_ONLY ...); %s is more than one, or has no ICRC",
			rp_msg_name(s->msg));
	if (later && (s->msg.family == RP_OP || s->msg.family == RP_TCP))
		return rp_parse_fail(p, pos,
				     "dup, delay and hold are for messages and single packets "
				     "(RC_SEND_ONLY ...), not for %s; a time before it delays it",
				     rp_msg_name(s->msg));
	return true;
}

static bool parse_msg(struct rp_parser *p, struct rp_stmt *s)
{
	struct rp_pos pos;

	s->kind = RP_STMT_MSG;
	if (!message_name(p, &s->msg))
		return false;
	if (rp_parse_skip(p, '[') &&
	    !rp_parse_fields(p, s->msg, ']', &s->assigns, &s->assign_count, &s->rest))
		return false;
	pos = p->tok.pos;
	return parse_faults(p, s) && check_faults(p, s, pos);
}

/* The calls of librdmacm, by the messages that they send: a way to write these. */
static const struct {
	const char *call;
	uint8_t active, passive; /* enum rdt_msg; RDT_MSG_COUNT: not of that side */
} calls[] = {
	{ "connect", RDT_MSG_REQ, RDT_MSG_COUNT },    { "accept", RDT_MSG_COUNT, RDT_MSG_REP },
	{ "establish", RDT_MSG_RTU, RDT_MSG_COUNT },  { "reject", RDT_MSG_REJ, RDT_MSG_REJ },
	{ "disconnect", RDT_MSG_DREQ, RDT_MSG_DREQ }, { "confirm", RDT_MSG_DREP, RDT_MSG_DREP },
};

static bool parse_call(struct rp_parser *p, struct rp_stmt *s)
{
	const bool active = p->script->roles[s->role].side == RDT_ACTIVE;

	s->kind = RP_STMT_MSG;
	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
		const uint8_t msg = active ? calls[i].active : calls[i].passive;

		if (!rp_tok_word(&p->tok, calls[i].call))
			continue;
		if (msg == RDT_MSG_COUNT)
			return rp_parse_fail(p, p->tok.pos, "only the %s side calls %s",
					     rdt_side_key(active ? RDT_PASSIVE : RDT_ACTIVE),
					     calls[i].call);
		rp_parse_take(p);
		s->call = calls[i].call;
		s->msg = (struct rp_msg){ RP_CM, msg };
		if (!rp_parse_punct(p, '(', calls[i].call) ||
		    !rp_parse_fields(p, s->msg, ')', &s->assigns, &s->assign_count, &s->rest))
			return false;
		return parse_faults(p, s);
	}
	return rp_parse_expected(p, "a call: connect accept establish reject disconnect confirm");
}

static bool parse_tcp(struct rp_parser *p, struct rp_stmt *s)
{
	static const char *const names[RP_TCP_COUNT] = { "connect", "close", "reset" };
	const struct rp_pos pos = p->tok.pos;

	s->kind = RP_STMT_MSG;
	for (unsigned i = 0; i < RP_TCP_COUNT; i++) {
		if (rp_parse_word(p, names[i])) {
			s->msg = (struct rp_msg){ RP_TCP, (uint8_t)i };
			return parse_faults(p, s) && check_faults(p, s, pos);
		}
	}
	return rp_parse_expected(p, "connect, close or reset after tcp");
}

static bool parse_event(struct rp_parser *p, struct rp_stmt *s)
{
	unsigned event = 0;
	uint64_t number;
	bool negative;

	s->kind = RP_STMT_EVENT;
	s->fault.truncate = RP_NO_TRUNCATE;
	while (event < RDT_EVENT_COUNT &&
	       !rp_tok_word(&p->tok, rdt_rdma_event_key((enum rdt_rdma_event)event)))
		event++;
	if (event == RDT_EVENT_COUNT)
		return rp_parse_expected(p,
					 "an event such as ESTABLISHED, REJECTED, UNREACHABLE or "
					 "DISCONNECTED");
	s->event = (enum rdt_rdma_event)event;
	rp_parse_take(p);
	for (;;) {
		if (rp_parse_word(p, "status")) {
			struct rp_tok value;

			if (!rp_parse_punct(p, '=', "status"))
				return false;
			value = p->tok;
			negative = value.kind == RP_TOK_WORD && *value.text == '-';
			if (negative) {
				p->tok.text++;
				p->tok.len--;
			}
			if (!rp_parse_number(p, "a status: 0, a REJ reason, or -errno", 65535,
					     &number))
				return false;
			s->status = negative ? -(int64_t)number : (int64_t)number;
			s->has_status = true;
		} else if (rp_parse_word(p, "within")) {
			if (!rp_parse_duration(p, "a time such as 100ms after within",
					       &s->within_ns))
				return false;
		} else {
			return true;
		}
	}
}

static bool parse_fill(struct rp_parser *p, struct rp_stmt *s)
{
	uint64_t at = 0;

	s->kind = RP_STMT_FILL;
	if (!rp_parse_name(p, "the name of a memory", &s->name))
		return false;
	s->has_at = rp_parse_word(p, "at");
	if (s->has_at && !rp_parse_number(p, "the byte of the memory", RP_BYTES_MAX, &at))
		return false;
	s->at = (size_t)at;
	return rp_parse_bytes(p, &s->bytes);
}

/* role > MSG, role call, role event, role tcp, role fill */
static bool parse_action(struct rp_parser *p, struct rp_stmt *s)
{
	s->pos = p->tok.pos;
	if (!role_name(p, "a role", &s->role))
		return false;
	if (rp_parse_skip(p, '>'))
		return parse_msg(p, s);
	if (rp_parse_word(p, "call"))
		return parse_call(p, s);
	if (rp_parse_word(p, "event"))
		return parse_event(p, s);
	if (rp_parse_word(p, "tcp"))
		return parse_tcp(p, s);
	if (rp_parse_word(p, "fill"))
		return parse_fill(p, s);
	return rp_parse_expected(p, "> and a message, or call, event, tcp or fill");
}

/* ---- any { } -------------------------------------------------------------------------------------- */

static bool parse_alternative(struct rp_parser *p, struct rp_stmt *s)
{
	struct rp_stmt *alt;

	if (rp_parse_word(p, "timeout")) {
		if (s->has_timeout)
			return rp_parse_fail(p, p->tok.pos, "any has two timeouts");
		s->has_timeout = true;
		if (!rp_parse_duration(p, "a time such as 5s after timeout", &s->timeout_ns))
			return false;
		if (p->tok.kind != RP_TOK_ARROW)
			return true;
		rp_parse_take(p);
		return rp_parse_name(p, "a label after =>", &s->timeout_name);
	}
	alt = rp_arena_grow(p->arena, &s->alts, &s->alt_count, sizeof(*alt));
	alt->min = alt->max = 1;
	if (!parse_action(p, alt))
		return false;
	if (alt->kind != RP_STMT_MSG && alt->kind != RP_STMT_EVENT)
		return rp_parse_fail(p, alt->pos, "an alternative is a message or an event");
	if (s->alt_count > 1 && alt->role != s->alts[0].role)
		return rp_parse_fail(p, alt->pos, "all alternatives are of one role");
	if (p->tok.kind != RP_TOK_ARROW)
		return true;
	rp_parse_take(p);
	return rp_parse_name(p, "a label after =>", &alt->name);
}

static bool parse_either(struct rp_parser *p, struct rp_stmt *s)
{
	s->kind = RP_STMT_EITHER;
	s->fault.truncate = RP_NO_TRUNCATE;
	if (!rp_parse_punct(p, '{', "any"))
		return false;
	for (;;) {
		while (p->tok.kind == RP_TOK_NEWLINE || rp_tok_is(&p->tok, ';'))
			rp_parse_take(p);
		if (rp_parse_skip(p, '}'))
			break;
		if (s->alt_count >= 64)
			return rp_parse_fail(p, p->tok.pos, "any has at most 64 alternatives");
		if (!parse_alternative(p, s))
			return false;
		if (p->tok.kind != RP_TOK_NEWLINE && !rp_tok_is(&p->tok, ';') &&
		    !rp_tok_is(&p->tok, '}'))
			return rp_parse_expected(p, "; or } after an alternative");
	}
	if (!s->alt_count)
		return rp_parse_fail(p, s->pos, "any { } has no alternative");
	s->role = s->alts[0].role;
	return true;
}

/* ---- lines ---------------------------------------------------------------------------------------- */

static struct rp_stmt *add_stmt(struct rp_parser *p)
{
	struct rp_script *script = p->script;
	struct rp_stmt *s;

	if (script->stmt_count >= RP_STMTS_MAX) {
		rp_parse_fail(p, p->tok.pos, "a script has at most %u statements", RP_STMTS_MAX);
		return NULL;
	}
	s = rp_arena_grow(p->arena, &script->stmts, &script->stmt_count, sizeof(*s));
	s->pos = p->tok.pos;
	s->min = s->max = 1;
	s->fault.truncate = RP_NO_TRUNCATE;
	return s;
}

static bool parse_stmt(struct rp_parser *p)
{
	struct rp_stmt *s = add_stmt(p);
	const struct rp_pos pos = p->tok.pos;

	if (!s)
		return false;
	if (rp_parse_word(p, "label")) {
		s->kind = RP_STMT_LABEL;
		/* "up:": the colon is part of the word */
		if (p->tok.kind == RP_TOK_WORD && p->tok.len > 1 &&
		    p->tok.text[p->tok.len - 1] == ':')
			p->tok.len--;
		return rp_parse_name(p, "the name of a label", &s->name);
	}
	if (rp_parse_word(p, "goto")) {
		s->kind = RP_STMT_GOTO;
		return rp_parse_name(p, "the name of a label", &s->name);
	}
	if (rp_parse_word(p, "end")) {
		s->kind = RP_STMT_END;
		return true;
	}
	if (!parse_time(p, &s->time))
		return false;
	if (p->tok.kind == RP_TOK_REST) {
		s->kind = RP_STMT_REST;
		rp_parse_take(p);
		return true;
	}
	if (rp_parse_word(p, "any"))
		return parse_either(p, s);
	if (!parse_count(p, s) || !parse_action(p, s))
		return false;
	s->pos = pos;
	if ((s->kind == RP_STMT_EVENT || s->kind == RP_STMT_FILL) && (s->max != 1 || s->optional) &&
	    !(s->kind == RP_STMT_EVENT && s->optional))
		return rp_parse_fail(p, pos, "only messages are counted");
	return true;
}

static bool parse_line(struct rp_parser *p)
{
	const struct rp_tok word = p->tok;
	bool known;

	if (!rp_parse_header(p, &word, &known))
		return false;
	if (!known && !parse_stmt(p))
		return false;
	if (p->tok.kind != RP_TOK_NEWLINE && p->tok.kind != RP_TOK_END)
		return rp_parse_expected(p, "the end of the line");
	return !p->failed;
}

static bool parse_all(struct rp_parser *p)
{
	rp_parse_take(p);
	while (p->tok.kind == RP_TOK_NEWLINE)
		rp_parse_take(p);
	if (!rp_parse_word(p, "rdt"))
		return rp_parse_expected(p, "rdt 1 in the first line");
	if (!rp_parse_word(p, "1"))
		return rp_parse_expected(p, "version 1 after rdt: this program reads no other");
	while (p->tok.kind != RP_TOK_END && !p->failed) {
		if (p->tok.kind == RP_TOK_NEWLINE)
			rp_parse_take(p);
		else if (!parse_line(p))
			return false;
	}
	return !p->failed;
}

/* ---- what the whole must be ------------------------------------------------------------------------ */

static bool check_label(struct rp_parser *p, GHashTable *labels, struct rp_pos pos,
			const char *name)
{
	return !name || g_hash_table_contains(labels, name) ||
	       rp_parse_fail(p, pos, "there is no label %s", name);
}

static bool check_fill(struct rp_parser *p, const struct rp_stmt *s)
{
	const struct rp_script *script = p->script;

	for (size_t i = 0; i < script->memory_count; i++) {
		if (strcmp(script->memories[i].name, s->name) != 0)
			continue;
		return script->memories[i].role == s->role ||
		       rp_parse_fail(p, s->pos, "%s is not the memory of %s", s->name,
				     script->roles[s->role].name);
	}
	return rp_parse_fail(p, s->pos, "no line memory names %s", s->name);
}

static bool check_stmt(struct rp_parser *p, GHashTable *labels, const struct rp_stmt *s)
{
	if (s->kind == RP_STMT_FILL)
		return check_fill(p, s);
	if (s->kind == RP_STMT_GOTO)
		return check_label(p, labels, s->pos, s->name);
	for (size_t i = 0; i < s->alt_count; i++) {
		if (!check_label(p, labels, s->alts[i].pos, s->alts[i].name))
			return false;
	}
	return check_label(p, labels, s->pos, s->timeout_name);
}

static bool check_names(struct rp_parser *p)
{
	GHashTable *labels = g_hash_table_new(g_str_hash, g_str_equal);
	const struct rp_script *script = p->script;
	bool ok = true;

	for (size_t i = 0; i < script->stmt_count && ok; i++) {
		const struct rp_stmt *s = &script->stmts[i];

		if (s->kind == RP_STMT_LABEL &&
		    !g_hash_table_add(labels, (gpointer)(uintptr_t)s->name))
			ok = rp_parse_fail(p, s->pos, "label %s is there twice", s->name);
	}
	for (size_t i = 0; i < script->stmt_count && ok; i++)
		ok = check_stmt(p, labels, &script->stmts[i]);
	g_hash_table_destroy(labels);
	return ok;
}

struct rp_script *rp_script_parse(const char *name, const char *text, size_t len,
				  struct rp_error *ret_error)
{
	struct rp_script *script = rp_script_new();
	struct rp_parser p = { .arena = script->arena, .script = script, .error = ret_error };
	bool ok;

	*ret_error = (struct rp_error){ 0 };
	script->name = rp_arena_text(script->arena, name, strlen(name));
	/* A byte order mark says nothing. */
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	rp_lex_begin(&p.lexer, text, len);
	ok = len <= RP_SCRIPT_MAX
		     ? parse_all(&p) && check_names(&p)
		     : rp_parse_fail(&p, (struct rp_pos){ 1, 1 }, "a script has at most %u MiB",
				     RP_SCRIPT_MAX >> 20);
	if (ok)
		return script;
	rp_script_free(script);
	return NULL;
}

bool rp_assigns_parse(struct rp_arena *arena, struct rp_msg msg, const char *text,
		      struct rp_assign **ret_assigns, size_t *ret_count, struct rp_error *ret_error)
{
	struct rp_parser p = { .arena = arena, .error = ret_error };
	bool rest;

	*ret_assigns = NULL;
	*ret_count = 0;
	rp_lex_begin(&p.lexer, text, strlen(text));
	rp_parse_take(&p);
	return rp_parse_fields(&p, msg, 0, ret_assigns, ret_count, &rest) && !p.failed;
}
