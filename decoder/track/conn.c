// SPDX-License-Identifier: BSD-2-Clause
/* What a connection's record says when read as a whole. */
#include "map.h"
#include "rdmatrace/exchange.h"
#include "rdmatrace/field.h"
#include "rdmatrace/states.h"

#define X(s, key, text) key,
#define KEYS(name, NAME)                                                    \
	const char *rdt_##name##_key(enum rdt_##name value)                 \
	{                                                                   \
		static const char *const keys[] = { RDT_##NAME##_LIST(X) }; \
                                                                            \
		return value < RDT_##NAME##_COUNT ? keys[value] : NULL;     \
	}
KEYS(conn_kind, CONN_KIND)
KEYS(transport, TRANSPORT)
KEYS(outcome, OUTCOME)
KEYS(rej_by, REJ_BY)
KEYS(basis, BASIS)
KEYS(msg, MSG)
KEYS(machine, MACHINE)
KEYS(copy, COPY)
#undef X

#define X(s, key, text) text,
#define TEXTS(name, NAME)                                                    \
	const char *rdt_##name##_text(enum rdt_##name value)                 \
	{                                                                    \
		static const char *const texts[] = { RDT_##NAME##_LIST(X) }; \
                                                                             \
		return value < RDT_##NAME##_COUNT ? texts[value] : NULL;     \
	}
TEXTS(conn_kind, CONN_KIND)
TEXTS(transport, TRANSPORT)
TEXTS(outcome, OUTCOME)
TEXTS(rej_by, REJ_BY)
TEXTS(basis, BASIS)
TEXTS(msg, MSG)
TEXTS(machine, MACHINE)
TEXTS(copy, COPY)
#undef X

const char *rdt_side_key(enum rdt_side side)
{
	return side == RDT_ACTIVE ? "active" : "passive";
}

const char *rdt_rdma_event_key(enum rdt_rdma_event event)
{
	static const char *const keys[] = {
#define X(name) #name,
		RDT_RDMA_EVENT_LIST(X)
#undef X
	};

	return event < RDT_EVENT_COUNT ? keys[event] : NULL;
}

const char *rdt_conn_service_key(unsigned service)
{
	static const char *const keys[] = { "rc", "uc", "rd", "ud", "xrc" };

	return service < sizeof(keys) / sizeof(keys[0]) ? keys[service] : NULL;
}

/* The texts of an exchange are no connection yet: data are. */
static enum rdt_outcome oob_outcome(const struct rdt_conn *c)
{
	if (c->established)
		return RDT_OUTCOME_OPEN;
	return c->has_rep ? RDT_OUTCOME_INCOMPLETE : RDT_OUTCOME_UNANSWERED;
}

enum rdt_outcome rdt_conn_outcome(const struct rdt_conn *c)
{
	if (c->kind == RDT_CONN_DATA)
		return RDT_OUTCOME_OPEN;
	if (c->kind == RDT_CONN_OOB)
		return oob_outcome(c);
	if (c->kind == RDT_CONN_SIDR && c->has_rep)
		return c->sidr_status ? RDT_OUTCOME_REFUSED : RDT_OUTCOME_RESOLVED;
	if (c->gave_up)
		return RDT_OUTCOME_TIMEOUT;
	if (c->refused)
		return RDT_OUTCOME_REJECTED;
	if (c->has_close)
		return RDT_OUTCOME_CLOSED;
	if (c->established)
		return RDT_OUTCOME_OPEN;
	return c->has_rep || c->mid ? RDT_OUTCOME_INCOMPLETE : RDT_OUTCOME_UNANSWERED;
}

uint32_t rdt_conn_id(const struct rdt_conn *c)
{
	const struct rdt_end *a = &c->end[RDT_ACTIVE], *p = &c->end[RDT_PASSIVE];
	uint32_t x = a->comm_id, y = p->comm_id;
	/* Data are the same connection whether or not its exchange was captured. */
	const uint32_t kind = c->kind == RDT_CONN_OOB ? RDT_CONN_DATA : c->kind;

	if (kind == RDT_CONN_DATA) {
		x = a->qpn;
		y = p->qpn;
	} else if (c->kind == RDT_CONN_MPA) {
		x = c->a_port;
		y = c->p_port;
	}
	/* Which side is which may be guessed, so the order must not matter. */
	return (uint32_t)map_mix(map_mix((uint64_t)x + 1) + map_mix((uint64_t)y + 1) + kind);
}

const char *rdt_conn_app(const struct rdt_conn *c)
{
	static const struct {
		uint16_t port, space; /* space 0: any */
		const char *app;
	} ports[] = {
#define P(port, space, app, source) { port, space, app },
#include "ports.def"
#undef P
	};

	if (c->kind == RDT_CONN_OOB)
		return rdt_program_key((enum rdt_program)c->program);
	if (!c->port_space && c->kind != RDT_CONN_MPA)
		return NULL;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		if (ports[i].port == c->p_port &&
		    (!ports[i].space || ports[i].space == c->port_space))
			return ports[i].app;
	return NULL;
}

int rdt_conn_setup_ns(const struct rdt_conn *c, uint64_t *ret_ns)
{
	const int64_t end = c->kind == RDT_CONN_SIDR ? c->rep_ns : c->up_ns;

	if (c->mid || !(c->kind == RDT_CONN_SIDR ? c->has_rep && !c->sidr_status : c->has_up) ||
	    end < c->start_ns)
		return 0;
	*ret_ns = (uint64_t)(end - c->start_ns);
	return 1;
}
