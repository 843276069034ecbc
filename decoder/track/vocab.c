// SPDX-License-Identifier: BSD-2-Clause
/* Values of the vocabulary's rows: each row's expression becomes one case. */
#include "rdmatrace/vocab.h"

#include <string.h>

#include "rdmatrace/field.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/setup.h"
#include "rdmatrace/states.h"

const struct rdt_col rdt_cols[RDT_COL_COUNT] = {
#define R(rec, key, type, label, value) { #key, label, RDT_REC_##rec, RDT_VALUE_##type },
#include "vocab.def"
#undef R
};

const char *rdt_rec_key(enum rdt_rec rec)
{
	static const char *const keys[] = { "conn", "msg", "state", "event" };

	return rec < RDT_REC_COUNT ? keys[rec] : NULL;
}

void rdt_rec_cols(enum rdt_rec rec, size_t *ret_begin, size_t *ret_end)
{
	size_t i = 0;

	while (i < RDT_COL_COUNT && rdt_cols[i].rec != rec)
		i++;
	*ret_begin = i;
	while (i < RDT_COL_COUNT && rdt_cols[i].rec == rec)
		i++;
	*ret_end = i;
}

size_t rdt_col_find(enum rdt_rec rec, const char *key, size_t len)
{
	size_t begin, end;

	rdt_rec_cols(rec, &begin, &end);
	for (size_t i = begin; i < end; i++)
		if (strlen(rdt_cols[i].key) == len && !memcmp(rdt_cols[i].key, key, len))
			return i;
	return RDT_COL_COUNT;
}

/* ---- what the rows' expressions are made of; the row's type is filled in by the caller ------ */

#define V_NUM(n) ((struct rdt_value){ .type = RDT_VALUE_UINT, .num = (uint64_t)(n) })
#define V_TIME(n) V_NUM((int64_t)(n))
#define V_NULL ((struct rdt_value){ .type = RDT_VALUE_NULL })
#define V_IF(is, n) ((is) ? V_NUM(n) : V_NULL)
#define V_TEXT(s) v_text(s)
#define V_ADDR(index) \
	((struct rdt_value){ .type = RDT_VALUE_ADDR, .addr = rdt_tracker_addr(t, index) })

static struct rdt_value v_text(const char *s)
{
	return s ? (struct rdt_value){ .type = RDT_VALUE_TEXT, .text = s } : V_NULL;
}

static struct rdt_value v_setup(const struct rdt_conn *c)
{
	uint64_t ns;

	return rdt_conn_setup_ns(c, &ns) ? V_NUM(ns) : V_NULL;
}

static struct rdt_value v_cm_state(const struct rdt_conn *c, const struct rdt_end *e)
{
	return v_text(rdt_state_key(c->kind == RDT_CONN_MPA ? RDT_MACHINE_MPA : RDT_MACHINE_CM,
				    e->cm_state));
}

/* An MPA reject has no reason code: the program decides, and says so in its private data. */
static bool v_has_reason(const struct rdt_conn *c)
{
	return c->has_rej && c->kind == RDT_CONN_CM;
}

static struct rdt_value v_rej_name(const struct rdt_conn *c)
{
	return v_has_reason(c)
		       ? v_text(rdt_name_key(RDT_NAMES_rej_reason, c->rej_reason, "reserved"))
		       : V_NULL;
}

static bool v_has_psn(const struct rdt_conn *c, const struct rdt_end *e)
{
	return e->data.first_frame && c->kind != RDT_CONN_MPA;
}

static bool v_is_mpa(unsigned msg)
{
	return msg >= RDT_MSG_MPA_REQ; /* nor is any that comes after: none has comm ids */
}

/* The contract has four words; what else there is to say is in the note. */
static const char *v_icrc(unsigned icrc)
{
	if (icrc == RDT_ICRC_CUT)
		return rdt_icrc_key(RDT_ICRC_UNCHECKED);
	if (icrc == RDT_ICRC_SPORT)
		return rdt_icrc_key(RDT_ICRC_OK);
	return rdt_icrc_key(icrc);
}

static const char *v_icrc_note(unsigned icrc)
{
	return icrc == RDT_ICRC_CUT || icrc == RDT_ICRC_SPORT ? rdt_icrc_key(icrc) : NULL;
}

static const char *v_user_event(unsigned event)
{
	static const char *const keys[] = {
#define X(name) "RDMA_CM_EVENT_" #name,
		RDT_RDMA_EVENT_LIST(X)
#undef X
	};

	return event < RDT_EVENT_COUNT ? keys[event] : NULL;
}

/* ---- what only exchanges and iWARP have ------------------------------------------------------- */

static struct rdt_value v_version(const struct rdt_tracker *t, const struct rdt_conn *c)
{
	const struct rdt_exchange *x = rdt_tracker_exchange(t, c);

	return x && x->version[0] ? v_text(x->version) : V_NULL;
}

static struct rdt_value v_gids(const struct rdt_tracker *t, const struct rdt_conn *c)
{
	const struct rdt_exchange *x = rdt_tracker_exchange(t, c);

	return x ? v_text(rdt_gids_key(rdt_exchange_gids(x))) : V_NULL;
}

/* What a side told of its memory; programs that use none tell zero. */
static const struct rdt_told *v_memory(const struct rdt_tracker *t, const struct rdt_conn *c,
				       enum rdt_side side)
{
	const struct rdt_exchange *x = rdt_tracker_exchange(t, c);
	const struct rdt_told *told = x ? &x->told[side] : NULL;

	return told && told->frame && (told->has >> RDT_TELLS_RKEY & 1) && told->rkey ? told : NULL;
}

static struct rdt_value v_rkey(const struct rdt_tracker *t, const struct rdt_conn *c,
			       enum rdt_side side)
{
	const struct rdt_told *told = v_memory(t, c, side);

	return told ? V_NUM(told->rkey) : V_NULL;
}

static struct rdt_value v_vaddr(const struct rdt_tracker *t, const struct rdt_conn *c,
				enum rdt_side side)
{
	const struct rdt_told *told = v_memory(t, c, side);

	return told ? V_NUM(told->vaddr) : V_NULL;
}

static struct rdt_value v_rtr(const struct rdt_tracker *t, const struct rdt_conn *c)
{
	const struct rdt_iwarp *i = rdt_tracker_iwarp(t, c);

	return i ? v_text(rdt_rtr_key((enum rdt_rtr)i->rtr)) : V_NULL;
}

static struct rdt_value v_sum(const struct rdt_iwarp *i, uint64_t a, uint64_t p)
{
	return i ? V_NUM(a + p) : V_NULL;
}

#define V_END(i, side, member) ((i) ? (i)->end[side].member : 0)
#define V_MPA(member)                                                                      \
	v_sum(rdt_tracker_iwarp(t, c), V_END(rdt_tracker_iwarp(t, c), RDT_ACTIVE, member), \
	      V_END(rdt_tracker_iwarp(t, c), RDT_PASSIVE, member))

static struct rdt_value v_term(const struct rdt_tracker *t, const struct rdt_conn *c)
{
	const struct rdt_iwarp *i = rdt_tracker_iwarp(t, c);
	const struct rdt_iwarp_end *a = i ? &i->end[RDT_ACTIVE] : NULL,
				   *p = i ? &i->end[RDT_PASSIVE] : NULL;
	const struct rdt_iwarp_end *e;

	if (!i || !(a->term_frame || p->term_frame))
		return V_NULL;
	e = !p->term_frame || (a->term_frame && a->term_frame <= p->term_frame) ? a : p;
	return v_text(e->term_known ? rdt_name_key(RDT_NAMES_term_error, e->term_error, "unknown")
				    : "unknown");
}

#define A (&c->end[RDT_ACTIVE])
#define P (&c->end[RDT_PASSIVE])

static struct rdt_value conn_value(const struct rdt_tracker *t, size_t col,
				   const struct rdt_conn *c, int64_t base)
{
	switch (col) {
#define ROW_conn(key, value)     \
	case RDT_COL_conn_##key: \
		return value;
#define ROW_msg(key, value)
#define ROW_state(key, value)
#define ROW_event(key, value)
#define R(rec, key, type, label, value) ROW_##rec(key, value)
#include "vocab.def"
#undef R
#undef ROW_conn
#undef ROW_msg
#undef ROW_state
#undef ROW_event
	default:
		return V_NULL;
	}
}

#define ROW_conn(key, value)

static struct rdt_value msg_value(size_t col, const struct rdt_conn *c, const struct rdt_msg_rec *r,
				  int64_t base)
{
	switch (col) {
#define ROW_msg(key, value)     \
	case RDT_COL_msg_##key: \
		return value;
#define ROW_state(key, value)
#define ROW_event(key, value)
#define R(rec, key, type, label, value) ROW_##rec(key, value)
#include "vocab.def"
#undef R
#undef ROW_msg
#undef ROW_state
	default:
		return V_NULL;
	}
}

static struct rdt_value state_value(size_t col, const struct rdt_conn *c,
				    const struct rdt_state_rec *r, int64_t base)
{
	switch (col) {
#define ROW_msg(key, value)
#define ROW_state(key, value)     \
	case RDT_COL_state_##key: \
		return value;
#define R(rec, key, type, label, value) ROW_##rec(key, value)
#include "vocab.def"
#undef R
#undef ROW_state
#undef ROW_event
	default:
		return V_NULL;
	}
}

static struct rdt_value event_value(size_t col, const struct rdt_conn *c,
				    const struct rdt_event_rec *r, int64_t base)
{
	switch (col) {
#define ROW_state(key, value)
#define ROW_event(key, value)     \
	case RDT_COL_event_##key: \
		return value;
#define R(rec, key, type, label, value) ROW_##rec(key, value)
#include "vocab.def"
#undef R
	default:
		return V_NULL;
	}
}

struct rdt_value rdt_col_value(const struct rdt_tracker *t, size_t col, const struct rdt_conn *conn,
			       const void *record, int64_t base)
{
	struct rdt_value value = V_NULL;

	if (col >= RDT_COL_COUNT)
		return value;
	switch ((enum rdt_rec)rdt_cols[col].rec) {
	case RDT_REC_conn:
		value = conn_value(t, col, conn, base);
		break;
	case RDT_REC_msg:
		value = msg_value(col, conn, record, base);
		break;
	case RDT_REC_state:
		value = state_value(col, conn, record, base);
		break;
	case RDT_REC_event:
		value = event_value(col, conn, record, base);
		break;
	case RDT_REC_COUNT:
		break;
	}
	if (value.type != RDT_VALUE_NULL)
		value.type = (enum rdt_value_type)rdt_cols[col].type;
	return value;
}
