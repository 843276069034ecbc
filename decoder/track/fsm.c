// SPDX-License-Identifier: BSD-2-Clause
#include "fsm.h"

const char *rdt_cm_event_key(enum rdt_cm_event event)
{
	static const char *const keys[] = {
#define X(symbol, text) #symbol,
		RDT_CM_EVENT_LIST(X)
#undef X
	};

	return event > RDT_CM_EV_NONE && event < RDT_CM_EV_COUNT ? keys[event] : NULL;
}

const char *rdt_cm_event_text(enum rdt_cm_event event)
{
	static const char *const texts[] = {
#define X(symbol, text) text,
		RDT_CM_EVENT_LIST(X)
#undef X
	};

	return event < RDT_CM_EV_COUNT ? texts[event] : NULL;
}

const char *rdt_action_text(enum rdt_action action)
{
	static const char *const texts[] = {
#define X(symbol, text) text,
		RDT_ACTION_LIST(X)
#undef X
	};

	return action < RDT_ACT_COUNT ? texts[action] : NULL;
}

struct state {
	const char *key;
	bool final;
};

#define X(symbol, name, final) { name, final },
static const struct state cm_states[] = { RDT_CM_STATE_LIST(X) };
static const struct state lap_states[] = { RDT_LAP_STATE_LIST(X) };
static const struct state rdma_states[] = { RDT_RDMA_STATE_LIST(X) };
static const struct state qp_states[] = { RDT_QP_STATE_LIST(X) };
static const struct state mpa_states[] = { RDT_MPA_STATE_LIST(X) };
#undef X

#define ROWS(NAME, name) \
	const struct fsm_row fsm_##name##_rows[RDT_##NAME##_STATE_COUNT][RDT_CM_EV_COUNT] =

#define T(from, event, to, act, bas, txt) \
	[RDT_CM_##from][RDT_CM_EV_##event] = { txt, RDT_CM_##to, RDT_ACT_##act, RDT_BASIS_##bas },
ROWS(CM, cm){
#include "cm.def"
#include "sidr.def"
};
#undef T

#define T(from, event, to, act, bas, txt) \
	[RDT_LAP_##from][RDT_CM_EV_##event] = { txt, RDT_LAP_##to, RDT_ACT_##act, RDT_BASIS_##bas },
ROWS(LAP, lap){
#include "lap.def"
};
#undef T

#define T(from, event, to, act, bas, txt) \
	[RDT_QP_##from][RDT_CM_EV_##event] = { txt, RDT_QP_##to, RDT_ACT_##act, RDT_BASIS_##bas },
ROWS(QP, qp){
#include "qp.def"
};
#undef T

#define T(from, event, to, act, bas, txt) \
	[RDT_MPA_##from][RDT_CM_EV_##event] = { txt, RDT_MPA_##to, RDT_ACT_##act, RDT_BASIS_##bas },
ROWS(MPA, mpa){
#include "mpa.def"
};
#undef T

#define T(from, event, to, act, bas, txt) \
	[RDT_RDMA_##                      \
		from][RDT_CM_EV_##event] = { txt, RDT_RDMA_##to, RDT_ACT_##act, RDT_BASIS_##bas },
#define V(from, event, kernel, program, status, why)
ROWS(RDMA, rdma){
#include "rdma_cm.def"
};
#undef T
#undef V

#define ZERO 0
#define REASON RDT_STATUS_IS_REASON
#define T(from, event, to, act, bas, txt)
#define V(from, event, krn, prg, sta, txt) \
	[RDT_RDMA_##from][RDT_CM_EV_##event] = { txt, RDT_EVENT_##krn, RDT_EVENT_##prg, sta },
const struct rdt_event_row fsm_event_rows[RDT_RDMA_STATE_COUNT][RDT_CM_EV_COUNT] = {
#include "rdma_cm.def"
};
#undef T
#undef V

static const struct {
	const struct state *states;
	size_t count;
} machines[RDT_MACHINE_COUNT] = {
	[RDT_MACHINE_CM] = { cm_states, RDT_CM_STATE_COUNT },
	[RDT_MACHINE_LAP] = { lap_states, RDT_LAP_STATE_COUNT },
	[RDT_MACHINE_RDMA] = { rdma_states, RDT_RDMA_STATE_COUNT },
	[RDT_MACHINE_QP] = { qp_states, RDT_QP_STATE_COUNT },
	[RDT_MACHINE_MPA] = { mpa_states, RDT_MPA_STATE_COUNT },
};

const char *rdt_state_key(enum rdt_machine machine, unsigned state)
{
	return state < machines[machine].count ? machines[machine].states[state].key : NULL;
}

size_t rdt_state_count(enum rdt_machine machine)
{
	return machines[machine].count;
}

bool rdt_state_is_final(enum rdt_machine machine, unsigned state)
{
	return state < machines[machine].count && machines[machine].states[state].final;
}

struct rdt_step rdt_step(enum rdt_machine machine, unsigned state, enum rdt_cm_event event)
{
	return fsm_step(machine, state, event);
}
