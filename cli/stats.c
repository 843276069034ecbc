// SPDX-License-Identifier: BSD-2-Clause
#include "stats.h"

#include <inttypes.h>
#include <string.h>

#include "rdmatrace/field.h"

#define SECOND INT64_C(1000000000)

const char *stats_end_key(enum stats_end end)
{
	static const char *const keys[] = {
#define X(symbol, key) key,
		STATS_END_LIST(X)
#undef X
	};

	return keys[end];
}

const char *stats_step_key(enum stats_step step)
{
	static const char *const keys[] = {
#define X(symbol, key, text) key,
		STATS_STEP_LIST(X)
#undef X
	};

	return keys[step];
}

const char *stats_step_text(enum stats_step step)
{
	static const char *const texts[] = {
#define X(symbol, key, text) text,
		STATS_STEP_LIST(X)
#undef X
	};

	return texts[step];
}

/* ---- durations -------------------------------------------------------------------------------------- */

static void add(struct durations *d, int64_t from, int64_t to)
{
	const uint64_t ns = (uint64_t)(to - from);

	if (to < from)
		return; /* clocks that step back measure nothing */
	if (!d->ns)
		d->ns = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	g_array_append_val(d->ns, ns);
}

size_t durations_count(const struct durations *d)
{
	return d->ns ? d->ns->len : 0;
}

uint64_t durations_at(const struct durations *d, unsigned permille)
{
	const size_t count = durations_count(d);
	const size_t rank = (count * permille + 999) / 1000;

	return count ? g_array_index(d->ns, uint64_t, rank ? rank - 1 : 0) : 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(struct durations *d)
{
	if (d->ns)
		g_array_sort(d->ns, by_value);
}

/* ---- groups -------------------------------------------------------------------------------------------- */

static struct stats_group *group_new(const char *name)
{
	struct stats_group *g = g_new0(struct stats_group, 1);

	g->name = g_strdup(name);
	g->starts = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g->setups = g_array_new(FALSE, FALSE, sizeof(struct span));
	g->lives = g_array_new(FALSE, FALSE, sizeof(struct span));
	return g;
}

static void group_free(void *data)
{
	struct stats_group *g = data;

	g_free(g->name);
	if (g->setup.ns)
		g_array_unref(g->setup.ns);
	g_array_unref(g->starts);
	g_array_unref(g->setups);
	g_array_unref(g->lives);
	g_free(g);
}

static struct stats_group *group_of(GPtrArray *list, GHashTable *by_name, const char *name)
{
	struct stats_group *g = g_hash_table_lookup(by_name, name);

	if (!g) {
		g = group_new(name);
		g_hash_table_insert(by_name, g->name, g);
		g_ptr_array_add(list, g);
	}
	return g;
}

static enum stats_end end_of(enum rdt_outcome outcome)
{
	switch (outcome) {
	case RDT_OUTCOME_OPEN:
	case RDT_OUTCOME_CLOSED:
	case RDT_OUTCOME_RESOLVED:
		return STATS_OK;
	case RDT_OUTCOME_REJECTED:
	case RDT_OUTCOME_REFUSED:
		return STATS_REJECTED;
	case RDT_OUTCOME_TIMEOUT:
	case RDT_OUTCOME_UNANSWERED:
		return STATS_TIMEOUT;
	case RDT_OUTCOME_INCOMPLETE:
	case RDT_OUTCOME_COUNT:
		break;
	}
	return STATS_UNKNOWN;
}

/* Its setup, as long as it lasted, and how long it was open: where the capture shows them. */
static void add_spans(struct stats_group *g, const struct rdt_conn *c)
{
	struct span span = { c->start_ns, c->last_ns };
	uint64_t ns;

	if (c->kind == RDT_CONN_DATA || c->mid)
		return;
	g_array_append_val(g->starts, c->start_ns);
	if (rdt_conn_setup_ns(c, &ns)) {
		add(&g->setup, 0, (int64_t)ns);
		span.to = c->start_ns + (int64_t)ns;
	} else if (c->has_up) {
		span.to = c->up_ns;
	}
	g_array_append_val(g->setups, span);
	if (c->has_up) {
		span = (struct span){ c->up_ns, c->has_close ? c->close_ns : INT64_MAX };
		g_array_append_val(g->lives, span);
	}
}

static void count(struct stats_group *g, const struct rdt_conn *c)
{
	const struct rdt_data *a = &c->end[RDT_ACTIVE].data, *p = &c->end[RDT_PASSIVE].data;

	if (!g->conns++)
		g->first_conn = c->n;
	g->ends[end_of(rdt_conn_outcome(c))]++;
	g->retries += c->retries;
	g->retried_conns += c->retries > 0;
	g->pkts += (uint64_t)a->pkts + p->pkts;
	g->bytes += a->bytes + p->bytes;
	g->resent += (uint64_t)a->retrans + p->retrans;
	add_spans(g, c);
}

/* "cm tcp 7174", "data rc", "cm 0x0000000012345678" */
static void service_name(const struct rdt_conn *c, char *buf, size_t size)
{
	const char *kind = rdt_conn_kind_key((enum rdt_conn_kind)c->kind);

	if (c->kind == RDT_CONN_MPA)
		g_snprintf(buf, size, "%s tcp %u", kind, c->p_port);
	else if (c->port_space)
		g_snprintf(buf, size, "%s %s %u", kind,
			   rdt_name_key(RDT_NAMES_port_space, c->port_space, "?"), c->p_port);
	else if (c->has_svc)
		g_snprintf(buf, size, "%s 0x%016" PRIx64, kind, c->svc);
	else
		g_snprintf(buf, size, "%s %s", kind, rdt_conn_service_key(c->service));
}

static const char *reason_name(const struct rdt_conn *c, enum rdt_outcome outcome, char buf[64])
{
	const char *by =
		c->rej_by != RDT_REJ_BY_UNKNOWN ? rdt_rej_by_key((enum rdt_rej_by)c->rej_by) : NULL;
	const char *name = NULL;

	if (end_of(outcome) == STATS_OK || end_of(outcome) == STATS_UNKNOWN)
		return NULL;
	if (c->kind == RDT_CONN_CM && c->has_rej)
		name = rdt_name_key(RDT_NAMES_rej_reason, c->rej_reason, "reason without a name");
	else if (c->kind == RDT_CONN_SIDR && c->has_rep)
		name = rdt_name_key(RDT_NAMES_sidr_status, c->sidr_status, "status without a name");
	else if (c->kind == RDT_CONN_MPA && c->has_rej)
		name = "mpa reject";
	if (!name) {
		g_snprintf(buf, 64, "%s", c->has_rep ? "no RTU" : "no answer");
	} else if (c->kind == RDT_CONN_MPA) {
		g_snprintf(buf, 64, "%s", name);
	} else {
		g_snprintf(buf, 64, "%s (%u)%s%s", name,
			   c->kind == RDT_CONN_SIDR ? c->sidr_status : c->rej_reason,
			   by ? ", " : "", by ? by : "");
	}
	return buf;
}

static void add_steps(struct stats *s, const struct rdt_conn *c)
{
	if (c->mid || c->kind == RDT_CONN_DATA)
		return;
	if (c->kind == RDT_CONN_SIDR && c->has_rep)
		add(&s->steps[STATS_STEP_SIDR], c->start_ns, c->rep_ns);
	if (c->kind == RDT_CONN_MPA && c->has_rep)
		add(&s->steps[STATS_STEP_MPA], c->start_ns, c->rep_ns);
	if (c->kind != RDT_CONN_CM)
		return;
	if (c->rep_frame)
		add(&s->steps[STATS_STEP_CONNECT], c->start_ns, c->rep_ns);
	if (c->rep_frame && c->rtu_frame)
		add(&s->steps[STATS_STEP_ESTABLISH], c->rep_ns, c->up_ns);
	if (c->dreq_frame && c->drep_frame)
		add(&s->steps[STATS_STEP_DISCONNECT], c->close_ns, c->drep_ns);
}

void stats_begin(struct stats *s)
{
	*s = (struct stats){ .all = group_new("all") };
	s->services = g_ptr_array_new_with_free_func(group_free);
	s->peers = g_ptr_array_new_with_free_func(group_free);
	s->reasons = g_ptr_array_new_with_free_func(group_free);
	s->by_service = g_hash_table_new(g_str_hash, g_str_equal);
	s->by_peer = g_hash_table_new(g_str_hash, g_str_equal);
	s->by_reason = g_hash_table_new(g_str_hash, g_str_equal);
}

/* The row of its service; names are made for those only that differ from the one before. */
static struct stats_group *service_of(struct stats *s, const struct rdt_conn *c)
{
	char name[64];

	if (s->service && s->kind == c->kind && s->svc == c->svc && s->port == c->p_port &&
	    s->port_space == c->port_space && s->transport_service == c->service)
		return s->service;
	service_name(c, name, sizeof(name));
	s->service = group_of(s->services, s->by_service, name);
	s->service->app = rdt_conn_app(c);
	s->kind = c->kind;
	s->svc = c->svc;
	s->port = c->p_port;
	s->port_space = c->port_space;
	s->transport_service = c->service;
	return s->service;
}

static struct stats_group *peer_of(struct stats *s, const struct session *session,
				   const struct rdt_conn *c)
{
	char name[2 * CLI_HOST_TEXT + 8], addr[RDT_SIDES][CLI_HOST_TEXT];

	if (s->peer && s->addr[RDT_ACTIVE] == c->end[RDT_ACTIVE].addr &&
	    s->addr[RDT_PASSIVE] == c->end[RDT_PASSIVE].addr)
		return s->peer;
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		s->addr[side] = c->end[side].addr;
		cli_addr_text(session->opts, rdt_tracker_addr(session->tracker, c->end[side].addr),
			      addr[side], sizeof(addr[side]));
	}
	g_snprintf(name, sizeof(name), "%s > %s", addr[RDT_ACTIVE], addr[RDT_PASSIVE]);
	s->peer = group_of(s->peers, s->by_peer, name);
	return s->peer;
}

void stats_conn(struct stats *s, const struct session *session, const struct rdt_conn *c)
{
	char reason[64];

	count(s->all, c);
	add_steps(s, c);
	count(service_of(s, c), c);
	count(peer_of(s, session, c), c);
	if (reason_name(c, rdt_conn_outcome(c), reason))
		count(group_of(s->reasons, s->by_reason, reason), c);
}

void stats_resolved(struct stats *s, uint64_t ns)
{
	add(&s->steps[STATS_STEP_RESOLVE], 0, (int64_t)ns);
}

/* ---- peaks ------------------------------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Most times within one second. */
static uint64_t most_in_a_second(GArray *times)
{
	uint64_t most = 0;

	g_array_sort(times, by_time);
	for (guint i = 0, first = 0; i < times->len; i++) {
		while (g_array_index(times, int64_t, i) - g_array_index(times, int64_t, first) >=
		       SECOND)
			first++;
		most = MAX(most, i - first + 1);
	}
	return most;
}

/* Most spans that overlap. */
static uint64_t most_at_a_time(const GArray *spans)
{
	GArray *from = g_array_sized_new(FALSE, FALSE, sizeof(int64_t), spans->len);
	GArray *to = g_array_sized_new(FALSE, FALSE, sizeof(int64_t), spans->len);
	uint64_t most = 0;

	for (guint i = 0; i < spans->len; i++) {
		const struct span *span = &g_array_index(spans, struct span, i);

		g_array_append_val(from, span->from);
		g_array_append_val(to, span->to);
	}
	g_array_sort(from, by_time);
	g_array_sort(to, by_time);
	for (guint i = 0, ended = 0; i < from->len; i++) {
		while (ended < to->len &&
		       g_array_index(to, int64_t, ended) < g_array_index(from, int64_t, i))
			ended++;
		most = MAX(most, i + 1 - ended);
	}
	g_array_unref(from);
	g_array_unref(to);
	return most;
}

static void finish(struct stats_group *g)
{
	sort(&g->setup);
	g->peak_rate = most_in_a_second(g->starts);
	g->peak_setups = most_at_a_time(g->setups);
	g->peak_open = most_at_a_time(g->lives);
}

static int by_size(const void *a, const void *b)
{
	const struct stats_group *const *x = a, *const *y = b;

	if ((*x)->conns != (*y)->conns)
		return (*x)->conns < (*y)->conns ? 1 : -1;
	return strcmp((*x)->name, (*y)->name);
}

void stats_finish(struct stats *s)
{
	GPtrArray *const lists[] = { s->services, s->peers, s->reasons };

	for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
		for (guint k = 0; k < lists[i]->len; k++)
			finish(lists[i]->pdata[k]);
		g_ptr_array_sort(lists[i], by_size);
	}
	finish(s->all);
	for (unsigned i = 0; i < STATS_STEPS; i++)
		sort(&s->steps[i]);
}

void stats_free(struct stats *s)
{
	if (!s->all)
		return;
	g_hash_table_destroy(s->by_service);
	g_hash_table_destroy(s->by_peer);
	g_hash_table_destroy(s->by_reason);
	g_ptr_array_free(s->services, TRUE);
	g_ptr_array_free(s->peers, TRUE);
	g_ptr_array_free(s->reasons, TRUE);
	group_free(s->all);
	for (unsigned i = 0; i < STATS_STEPS; i++)
		if (s->steps[i].ns)
			g_array_unref(s->steps[i].ns);
}
