// SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <stddef.h>

#include "rdmatrace/field.h"
#include "rdmatrace/wire.h"

static const struct call_send sends[] = {
#define S(m, c, user, ucma, rdma, ib, events) \
	{ .msg = RDT_MSG_##m,                 \
	  .when = CALL_##c,                   \
	  .call = user,                       \
	  .command = ucma,                    \
	  .rdma_cm = rdma,                    \
	  .cm = ib,                           \
	  .trace = events },
#define R(m, c, handler, how, rdma, got, program)
#include "calls.def"
#undef S
#undef R
};

static const struct call_receive receives[] = {
#define S(m, c, user, ucma, rdma, ib, events)
#define R(m, c, handler, how, rdma, got, program) \
	{ .msg = RDT_MSG_##m,                     \
	  .when = CALL_##c,                       \
	  .first = handler,                       \
	  .lookup = how,                          \
	  .rdma_cm = rdma,                        \
	  .event = got,                           \
	  .user = program },
#include "calls.def"
#undef S
#undef R
};

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

const struct call_send *calls_send(enum rdt_msg msg, enum call_case when)
{
	for (size_t i = 0; i < COUNT(sends); i++)
		if (sends[i].msg == msg && (sends[i].when == when || sends[i].when == CALL_ANY))
			return &sends[i];
	return NULL;
}

const struct call_receive *calls_receive(enum rdt_msg msg, enum call_case when)
{
	/* What is sent again is received as a copy. */
	if (when == CALL_RESENT)
		when = CALL_COPY;
	for (size_t i = 0; i < COUNT(receives); i++)
		if (receives[i].msg == msg &&
		    (receives[i].when == when || receives[i].when == CALL_ANY))
			return &receives[i];
	return NULL;
}

static bool has(const struct rdt_msg_rec *rec, enum rdt_field_id id)
{
	return rec->body && rec->body_have >= rdt_field_need(&rdt_fields[id]);
}

static enum call_case rej_case(const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	unsigned reason;

	if (!has(rec, RDT_F_rej_reason))
		return CALL_ANY;
	reason = rdt_rej_reason(rec->body);
	if (reason == RDT_REJ_INVALID_SERVICE_ID)
		return CALL_NO_LISTENER;
	if (reason == RDT_REJ_STALE_CONN)
		return CALL_STALE;
	if (reason == RDT_REJ_TIMEOUT)
		return CALL_GAVE_UP;
	if (reason >= RDT_REJ_PRIMARY_GID && reason <= RDT_REJ_ALT_RATE)
		return CALL_BAD_PATH;
	if (rec->when.frame != conn->rej_frame)
		return CALL_ANY;
	if (conn->rej_by == RDT_REJ_BY_KERNEL)
		return CALL_BY_KERNEL;
	return conn->rej_by == RDT_REJ_BY_APPLICATION ? CALL_BY_PROGRAM : CALL_ANY;
}

enum call_case calls_case(const struct rdt_conn *conn, const struct rdt_msg_rec *rec)
{
	/* The network's copies and the capture's own took no call of anybody. */
	if (rec->copy)
		return rec->copy_kind == RDT_COPY_RESENT ? CALL_RESENT : CALL_COPY;
	switch ((enum rdt_msg)rec->msg) {
	case RDT_MSG_MRA:
		if (!has(rec, RDT_F_mra_msg_mraed))
			return CALL_ANY;
		return rdt_mra_msg_mraed(rec->body) == RDT_MRAED_REQ   ? CALL_OF_REQ
		       : rdt_mra_msg_mraed(rec->body) == RDT_MRAED_REP ? CALL_OF_REP
								       : CALL_ANY;
	case RDT_MSG_REJ:
		return rej_case(conn, rec);
	case RDT_MSG_SIDR_REP:
		if (!has(rec, RDT_F_sidr_rep_status) ||
		    rdt_sidr_rep_status(rec->body) == RDT_SIDR_SUCCESS)
			return CALL_ANY;
		return rdt_sidr_rep_status(rec->body) == RDT_SIDR_UNSUPPORTED ? CALL_NO_LISTENER
									      : CALL_REFUSED;
	case RDT_MSG_MPA_REP:
		return has(rec, RDT_F_mpa_reject) && rdt_mpa_reject(rec->body) ? CALL_REFUSED
									       : CALL_ANY;
	case RDT_MSG_DREP:
		return rec->unexpected ? CALL_STATELESS : CALL_ANY;
	case RDT_MSG_REQ:
	case RDT_MSG_REP:
	case RDT_MSG_RTU:
	case RDT_MSG_DREQ:
	case RDT_MSG_SIDR_REQ:
	case RDT_MSG_LAP:
	case RDT_MSG_APR:
	case RDT_MSG_MPA_REQ:
	case RDT_MSG_TERMINATE:
	case RDT_MSG_TCP_FIN:
	case RDT_MSG_TCP_RST:
	case RDT_MSG_OOB:
	case RDT_MSG_OOB_DONE:
	case RDT_MSG_COUNT:
		break;
	}
	return CALL_ANY;
}
