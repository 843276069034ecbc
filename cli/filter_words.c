// SPDX-License-Identifier: BSD-2-Clause
#include "filter_words.h"

#include <glib.h>
#include <string.h>

#include "rdmatrace/icrc.h"
#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"

static const struct {
	enum rdt_col_id col;
	enum rdt_names_id names;
} named_cols[] = {
	{ RDT_COL_conn_rej_reason, RDT_NAMES_rej_reason },
	{ RDT_COL_conn_sidr_status, RDT_NAMES_sidr_status },
	{ RDT_COL_conn_port_space, RDT_NAMES_port_space },
	{ RDT_COL_event_status, RDT_NAMES_rej_reason },
};

enum rdt_names_id filter_col_names(size_t col)
{
	for (size_t i = 0; i < G_N_ELEMENTS(named_cols); i++)
		if (named_cols[i].col == col)
			return named_cols[i].names;
	return RDT_NAMES_none;
}

#define WORDS(name, NAME)                                    \
	static const char *name##_word(size_t i)             \
	{                                                    \
		return rdt_##name##_key((enum rdt_##name)i); \
	}
WORDS(conn_kind, CONN_KIND)
WORDS(transport, TRANSPORT)
WORDS(outcome, OUTCOME)
WORDS(rej_by, REJ_BY)
WORDS(basis, BASIS)
WORDS(msg, MSG)
WORDS(machine, MACHINE)
WORDS(copy, COPY)
WORDS(side, SIDE)
WORDS(cm_event, CM_EVENT)
WORDS(rdma_event, RDMA_EVENT)

static const char *service_word(size_t i)
{
	return rdt_conn_service_key((unsigned)i);
}

static const char *icrc_word(size_t i)
{
	return rdt_icrc_key((enum rdt_icrc_state)i);
}

/* States of one machine, or with RDT_MACHINE_COUNT of all of them one after the other. */
#define STATES_MAX ((size_t)32)

static const char *state_word(enum rdt_machine machine, size_t i)
{
	return i < rdt_state_count(machine) ? rdt_state_key(machine, (unsigned)i) : NULL;
}

static const char *any_state_word(size_t i)
{
	return state_word((enum rdt_machine)(i / STATES_MAX), i % STATES_MAX);
}

/* The states of a side's CM are iWARP's where the connection is. */
static const char *cm_state_word(size_t i)
{
	return state_word(i / STATES_MAX ? RDT_MACHINE_MPA : RDT_MACHINE_CM, i % STATES_MAX);
}

static const char *rdma_state_word(size_t i)
{
	return state_word(RDT_MACHINE_RDMA, i);
}

static const char *qp_state_word(size_t i)
{
	return state_word(RDT_MACHINE_QP, i);
}

static const char *port_space_word(size_t i)
{
	return rdt_names[RDT_NAMES_port_space].rows[i].key;
}

#define PORT_SPACES 5

static const struct {
	enum rdt_col_id col;
	size_t count;
	const char *(*word)(size_t i);
} word_cols[] = {
	{ RDT_COL_conn_kind, RDT_CONN_KIND_COUNT, conn_kind_word },
	{ RDT_COL_conn_transport, RDT_TRANSPORT_COUNT, transport_word },
	{ RDT_COL_conn_service, 5, service_word },
	{ RDT_COL_conn_port_space_name, PORT_SPACES, port_space_word },
	{ RDT_COL_conn_outcome, RDT_OUTCOME_COUNT, outcome_word },
	{ RDT_COL_conn_a_state, 2 * STATES_MAX, cm_state_word },
	{ RDT_COL_conn_p_state, 2 * STATES_MAX, cm_state_word },
	{ RDT_COL_conn_a_rdma_state, RDT_RDMA_STATE_COUNT, rdma_state_word },
	{ RDT_COL_conn_p_rdma_state, RDT_RDMA_STATE_COUNT, rdma_state_word },
	{ RDT_COL_conn_a_qp_state, RDT_QP_STATE_COUNT, qp_state_word },
	{ RDT_COL_conn_p_qp_state, RDT_QP_STATE_COUNT, qp_state_word },
	{ RDT_COL_conn_rej_by, RDT_REJ_BY_COUNT, rej_by_word },
	{ RDT_COL_conn_closed_by, RDT_SIDES, side_word },
	{ RDT_COL_msg_from, RDT_SIDES, side_word },
	{ RDT_COL_msg_msg, RDT_MSG_COUNT, msg_word },
	{ RDT_COL_msg_copy_kind, RDT_COPY_COUNT, copy_word },
	{ RDT_COL_msg_icrc, RDT_ICRC_COUNT, icrc_word },
	{ RDT_COL_state_side, RDT_SIDES, side_word },
	{ RDT_COL_state_machine, RDT_MACHINE_COUNT, machine_word },
	{ RDT_COL_state_from, RDT_MACHINE_COUNT *STATES_MAX, any_state_word },
	{ RDT_COL_state_to, RDT_MACHINE_COUNT *STATES_MAX, any_state_word },
	{ RDT_COL_state_event, RDT_CM_EV_COUNT, cm_event_word },
	{ RDT_COL_state_basis, RDT_BASIS_COUNT, basis_word },
	{ RDT_COL_event_side, RDT_SIDES, side_word },
	{ RDT_COL_event_event, RDT_EVENT_COUNT, rdma_event_word },
	{ RDT_COL_event_kernel_event, RDT_EVENT_COUNT, rdma_event_word },
	{ RDT_COL_event_basis, RDT_BASIS_COUNT, basis_word },
};

size_t filter_col_words(size_t col)
{
	for (size_t i = 0; i < G_N_ELEMENTS(word_cols); i++)
		if (word_cols[i].col == col)
			return word_cols[i].count;
	return 0;
}

const char *filter_col_word(size_t col, size_t i)
{
	for (size_t row = 0; row < G_N_ELEMENTS(word_cols); row++)
		if (word_cols[row].col == col)
			return word_cols[row].word(i);
	return NULL;
}

static char fold(char c)
{
	return c == '-' ? '_' : g_ascii_tolower(c);
}

static size_t skip_prefix(const char *text, size_t len)
{
	static const char prefix[] = "RDMA_CM_EVENT_";
	const size_t n = sizeof(prefix) - 1;

	return len > n && !g_ascii_strncasecmp(text, prefix, n) ? n : 0;
}

bool filter_word_equal(const char *word, const char *text, size_t len)
{
	const size_t from = skip_prefix(text, len);
	size_t have = strlen(word);

	word += skip_prefix(word, have);
	have = strlen(word);
	if (have != len - from)
		return false;
	for (size_t i = 0; i < have; i++)
		if (fold(word[i]) != fold(text[from + i]))
			return false;
	return true;
}
