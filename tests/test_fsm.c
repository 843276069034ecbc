// SPDX-License-Identifier: BSD-2-Clause
/* Laws that every row of the state tables obeys, and a few rows known from the kernel. */
#include <criterion/criterion.h>
#include <string.h>

#include "rdmatrace/states.h"

/* Where each machine begins: the state of a connection seen from its start, and from the middle. */
static const struct {
	enum rdt_machine machine;
	unsigned begin[3], begins;
} machines[] = {
	{ RDT_MACHINE_CM, { RDT_CM_IDLE, RDT_CM_NONE }, 2 },
	{ RDT_MACHINE_LAP, { RDT_LAP_UNINIT }, 1 },
	{ RDT_MACHINE_RDMA, { RDT_RDMA_IDLE, RDT_RDMA_NONE }, 2 },
	{ RDT_MACHINE_QP, { RDT_QP_NONE }, 1 },
	{ RDT_MACHINE_MPA, { RDT_MPA_IDLE, RDT_MPA_NONE }, 2 },
};

#define MACHINES (sizeof(machines) / sizeof(machines[0]))

static bool expected(enum rdt_machine machine, unsigned state, unsigned event)
{
	return rdt_step(machine, state, (enum rdt_cm_event)event).action != RDT_ACT_UNEXPECTED;
}

Test(fsm, every_step_stays_in_its_machine)
{
	for (size_t m = 0; m < MACHINES; m++) {
		const enum rdt_machine machine = machines[m].machine;

		for (unsigned s = 0; s < rdt_state_count(machine); s++) {
			for (unsigned e = 0; e < RDT_CM_EV_COUNT; e++) {
				const struct rdt_step step = rdt_step(machine, s, e);

				cr_expect_lt(step.next, rdt_state_count(machine));
				if (!expected(machine, s, e)) {
					cr_expect_eq(step.next, s, "unexpected must not move");
					cr_expect_null(step.why);
					continue;
				}
				cr_expect(step.why && *step.why, "%s row %u x %s says why",
					  rdt_machine_key(machine), s, rdt_cm_event_key(e));
				cr_expect_neq(step.next, 0, "nothing leads back to the unknown");
			}
		}
	}
}

/* What repeats or is ignored changes nothing; what changes a state is neither. */
Test(fsm, repetitions_do_not_move)
{
	for (size_t m = 0; m < MACHINES; m++) {
		const enum rdt_machine machine = machines[m].machine;

		for (unsigned s = 0; s < rdt_state_count(machine); s++) {
			for (unsigned e = 0; e < RDT_CM_EV_COUNT; e++) {
				const struct rdt_step step = rdt_step(machine, s, e);

				if (step.action == RDT_ACT_REPEAT || step.action == RDT_ACT_IGNORE)
					cr_expect_eq(step.next, s, "%s %s x %s",
						     rdt_machine_key(machine),
						     rdt_state_key(machine, s),
						     rdt_cm_event_key(e));
			}
		}
	}
}

Test(fsm, every_state_with_a_row_can_be_reached)
{
	for (size_t m = 0; m < MACHINES; m++) {
		const enum rdt_machine machine = machines[m].machine;
		bool reached[32] = { false };

		for (unsigned i = 0; i < machines[m].begins; i++)
			reached[machines[m].begin[i]] = true;
		for (unsigned round = 0; round < 32; round++)
			for (unsigned s = 0; s < rdt_state_count(machine); s++)
				for (unsigned e = 0; reached[s] && e < RDT_CM_EV_COUNT; e++)
					reached[rdt_step(machine, s, e).next] = true;
		for (unsigned s = 0; s < rdt_state_count(machine); s++)
			for (unsigned e = 0; e < RDT_CM_EV_COUNT; e++)
				cr_expect(reached[s] || !expected(machine, s, e),
					  "%s: nothing leads to %s, which has rows",
					  rdt_machine_key(machine), rdt_state_key(machine, s));
	}
}

/* A message that a side may send, its peer can receive: each TX event has rows, so has its RX. */
Test(fsm, every_message_has_both_ends)
{
	for (size_t m = 0; m < MACHINES; m++) {
		const enum rdt_machine machine = machines[m].machine;

		if (machine == RDT_MACHINE_QP || machine == RDT_MACHINE_RDMA)
			continue; /* followers: they move with their own side only */
		for (unsigned e = RDT_CM_EV_TX_REQ; e < RDT_CM_EV_TX_DATA; e += 2) {
			bool tx = false, rx = false;

			for (unsigned s = 0; s < rdt_state_count(machine); s++) {
				tx |= expected(machine, s, e);
				rx |= expected(machine, s, e + 1);
			}
			cr_expect_eq(tx, rx, "%s: %s", rdt_machine_key(machine),
				     rdt_cm_event_key(e));
		}
	}
}

Test(fsm, tx_and_rx_pair_up)
{
	for (unsigned e = RDT_CM_EV_TX_REQ; e <= RDT_CM_EV_TX_DATA; e += 2) {
		const char *tx = rdt_cm_event_key(e), *rx = rdt_cm_event_key(e + 1);

		cr_expect(rdt_cm_event_is_tx(e) && rdt_cm_event_is_rx(e + 1));
		cr_expect(!strncmp(tx, "TX_", 3) && !strncmp(rx, "RX_", 3) &&
				  !strcmp(tx + 3, rx + 3),
			  "%s and %s", tx, rx);
	}
	cr_expect_not(rdt_cm_event_is_tx(RDT_CM_EV_TIMER_REQ) ||
		      rdt_cm_event_is_rx(RDT_CM_EV_TIMER_REP));
}

/* Timers and what data show are never on the wire. */
Test(fsm, what_no_packet_shows_is_inferred)
{
	for (unsigned s = 0; s < RDT_CM_STATE_COUNT; s++) {
		for (unsigned e = RDT_CM_EV_TX_DATA; e < RDT_CM_EV_COUNT; e++)
			if (expected(RDT_MACHINE_CM, s, e))
				cr_expect_eq(rdt_step(RDT_MACHINE_CM, s, e).basis,
					     RDT_BASIS_INFERRED);
		for (unsigned e = 0; s == RDT_CM_NONE && e < RDT_CM_EV_COUNT; e++)
			if (expected(RDT_MACHINE_CM, s, e))
				cr_expect_eq(rdt_step(RDT_MACHINE_CM, s, e).basis,
					     RDT_BASIS_INFERRED);
	}
}

/* Every state that waits for the peer has the timer that ends the wait. */
Test(fsm, waiting_states_have_a_timer)
{
	static const struct {
		unsigned state, event;
	} waits[] = {
		{ RDT_CM_REQ_SENT, RDT_CM_EV_TIMER_REQ },
		{ RDT_CM_MRA_REQ_RCVD, RDT_CM_EV_TIMER_REQ },
		{ RDT_CM_REP_SENT, RDT_CM_EV_TIMER_REP },
		{ RDT_CM_MRA_REP_RCVD, RDT_CM_EV_TIMER_REP },
		{ RDT_CM_DREQ_SENT, RDT_CM_EV_TIMER_DREQ },
		{ RDT_CM_SIDR_REQ_SENT, RDT_CM_EV_TIMER_SIDR },
		{ RDT_CM_TIMEWAIT, RDT_CM_EV_TIMER_TIMEWAIT },
	};

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		cr_expect(expected(RDT_MACHINE_CM, waits[i].state, waits[i].event), "%s",
			  rdt_state_key(RDT_MACHINE_CM, waits[i].state));
}

/* The kernel's own words (drivers/infiniband/core/cm.c), row by row as protocol tables give them. */
Test(fsm, known_rows)
{
	static const struct {
		unsigned from, event, to;
	} rows[] = {
		{ RDT_CM_IDLE, RDT_CM_EV_TX_REQ, RDT_CM_REQ_SENT },
		{ RDT_CM_IDLE, RDT_CM_EV_RX_REQ, RDT_CM_REQ_RCVD },
		{ RDT_CM_REQ_SENT, RDT_CM_EV_RX_MRA_REQ, RDT_CM_MRA_REQ_RCVD },
		{ RDT_CM_REQ_SENT, RDT_CM_EV_RX_REP, RDT_CM_REP_RCVD },
		{ RDT_CM_REQ_SENT, RDT_CM_EV_RX_REJ_STALE, RDT_CM_TIMEWAIT },
		{ RDT_CM_REQ_SENT, RDT_CM_EV_RX_REJ, RDT_CM_DONE },
		{ RDT_CM_REP_RCVD, RDT_CM_EV_TX_RTU, RDT_CM_ESTABLISHED },
		{ RDT_CM_REP_RCVD, RDT_CM_EV_RX_REJ, RDT_CM_TIMEWAIT },
		{ RDT_CM_REP_SENT, RDT_CM_EV_RX_MRA_REP, RDT_CM_MRA_REP_RCVD },
		{ RDT_CM_REP_SENT, RDT_CM_EV_TX_REJ, RDT_CM_TIMEWAIT },
		{ RDT_CM_REP_SENT, RDT_CM_EV_RX_REJ, RDT_CM_DONE },
		{ RDT_CM_REP_SENT, RDT_CM_EV_RX_DREQ, RDT_CM_DREQ_RCVD },
		{ RDT_CM_ESTABLISHED, RDT_CM_EV_TX_DREQ, RDT_CM_DREQ_SENT },
		{ RDT_CM_ESTABLISHED, RDT_CM_EV_RX_DREQ, RDT_CM_DREQ_RCVD },
		{ RDT_CM_ESTABLISHED, RDT_CM_EV_RX_REJ, RDT_CM_TIMEWAIT },
		{ RDT_CM_DREQ_SENT, RDT_CM_EV_RX_DREQ, RDT_CM_DREQ_RCVD },
		{ RDT_CM_DREQ_SENT, RDT_CM_EV_RX_DREP, RDT_CM_TIMEWAIT },
		{ RDT_CM_DREQ_SENT, RDT_CM_EV_TIMER_DREQ, RDT_CM_TIMEWAIT },
		{ RDT_CM_DREQ_RCVD, RDT_CM_EV_TX_DREP, RDT_CM_TIMEWAIT },
		{ RDT_CM_TIMEWAIT, RDT_CM_EV_TIMER_TIMEWAIT, RDT_CM_DONE },
		{ RDT_CM_IDLE, RDT_CM_EV_TX_SIDR_REQ, RDT_CM_SIDR_REQ_SENT },
		{ RDT_CM_SIDR_REQ_RCVD, RDT_CM_EV_TX_SIDR_REP, RDT_CM_DONE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cr_expect_eq(rdt_step(RDT_MACHINE_CM, rows[i].from, rows[i].event).next, rows[i].to,
			     "%s x %s", rdt_state_key(RDT_MACHINE_CM, rows[i].from),
			     rdt_cm_event_key(rows[i].event));
	/* The kernel cannot send a DREQ while it has the peer's: dreq_skipped. */
	cr_expect_not(expected(RDT_MACHINE_CM, RDT_CM_DREQ_RCVD, RDT_CM_EV_TX_DREQ));
}

/* Names are the kernel's enum ib_cm_state, enum rdma_cm_state, enum ib_qp_state, in its spelling. */
Test(fsm, names)
{
	cr_expect_str_eq(rdt_state_key(RDT_MACHINE_CM, RDT_CM_MRA_REQ_RCVD), "MRA_REQ_RCVD");
	cr_expect_str_eq(rdt_state_key(RDT_MACHINE_CM, RDT_CM_DONE), "IDLE");
	cr_expect_null(rdt_state_key(RDT_MACHINE_CM, RDT_CM_NONE));
	cr_expect_null(rdt_state_key(RDT_MACHINE_CM, 200));
	cr_expect_str_eq(rdt_state_key(RDT_MACHINE_RDMA, RDT_RDMA_ROUTE_RESOLVED),
			 "ROUTE_RESOLVED");
	cr_expect_str_eq(rdt_state_key(RDT_MACHINE_QP, RDT_QP_RTS), "RTS");
	cr_expect(rdt_state_is_final(RDT_MACHINE_CM, RDT_CM_DONE));
	cr_expect_not(rdt_state_is_final(RDT_MACHINE_CM, RDT_CM_TIMEWAIT));
}
