// SPDX-License-Identifier: BSD-2-Clause
#include "filter_int.h"

#include <string.h>

#include "rdmatrace/text.h"

/* ---- short names -------------------------------------------------------------------------- */

/*
 * One name for several values. conn is asked where a connection is known, packet otherwise; one
 * of them may be empty. Names of columns may be written with dots (svc.port) without a row here.
 */
static const struct {
	const char *name, *conn, *packet, *text;
} aliases[] = {
	{ "addr", "active passive", "src dst", "an address of either side" },
	{ "qpn", "a_qpn p_qpn", "bth.dest_qpn", "a QPN of either side" },
	{ "comm_id", "a_comm_id p_comm_id", "msg.local_comm_id msg.remote_comm_id",
	  "a communication id of either side" },
	{ "svc.port", "svc_port", "", "port of the service" },
	{ "port", "a_port svc_port", "tcp.sport tcp.dport", "a port of either program" },
	{ "guid", "", "req.local_ca_guid rep.local_ca_guid", "a CA GUID of either side" },
	{ "private_data", "",
	  "req.private_data rep.private_data rej.private_data rtu.private_data "
	  "dreq.private_data drep.private_data mra.private_data sidr_req.private_data "
	  "sidr_rep.private_data lap.private_data apr.private_data",
	  "private data of any message" },
	{ "opcode", "", "bth.opcode", "BTH opcode" },
	{ "state", "outcome", "", "how it ended" },
	{ "setup", "setup_ns", "", "time to set up" },
	{ "life", "life_ns", "", "time from first to last packet" },
	{ "rel", "rel_ns", "", "time of its first packet in the capture" },
	{ "conn", "n", "", "connection number" },
	{ "reason", "rej_reason", "", "reason of the first REJ" },
	{ "rej.origin", "rej_by", "", "who refused" },
	{ "cm.retries", "retries", "", "messages that were repetitions" },
	{ "cm.msgs", "msgs", "", "set-up and close messages" },
};

static const struct {
	const char *name, *text;
} protos[PROTO_COUNT] = {
#define X(name, text) [PROTO_##name] = { #name, text },
	PROTO_LIST(X)
#undef X
};

int rdt_filter_alias(size_t i, const char **ret_name, const char **ret_means, const char **ret_text)
{
	if (i >= G_N_ELEMENTS(aliases) + PROTO_COUNT)
		return 0;
	if (i >= G_N_ELEMENTS(aliases)) {
		*ret_name = protos[i - G_N_ELEMENTS(aliases)].name;
		*ret_means = "stands alone";
		*ret_text = protos[i - G_N_ELEMENTS(aliases)].text;
		return 1;
	}
	*ret_name = aliases[i].name;
	*ret_means = *aliases[i].conn ? aliases[i].conn : aliases[i].packet;
	*ret_text = aliases[i].text;
	return 1;
}

/* ---- guesses ------------------------------------------------------------------------------ */

void filter_guess_try(struct filter_guess *g, const char *name)
{
	const size_t len = strlen(name), most = MIN(MAX(g->len / 3, 1), g->len - 1);
	const char *dot = strrchr(name, '.');
	size_t d = most + 1;

	if (!g->len || g->len >= FILTER_NAME_MAX || len >= FILTER_NAME_MAX)
		return;
	/* The end of a full name is what people remember: retry_count for req.retry_count. */
	if (dot && strlen(dot + 1) == g->len &&
	    !rdt_text_distance(g->word, g->len, dot + 1, g->len))
		d = 1;
	else if (len <= g->len + most && g->len <= len + most)
		d = rdt_text_distance(g->word, g->len, name, len);
	if (d > most)
		return;
	for (unsigned i = 0; i < 3; i++) {
		if (g->name[i][0] && g->best[i] <= d) {
			if (!strcmp(g->name[i], name))
				return;
			continue;
		}
		for (unsigned j = 2; j > i; j--) {
			g->best[j] = g->best[j - 1];
			memcpy(g->name[j], g->name[j - 1], sizeof(g->name[j]));
		}
		g->best[i] = (unsigned)d;
		g_strlcpy(g->name[i], name, sizeof(g->name[i]));
		return;
	}
}

bool filter_guess_text(const struct filter_guess *g, char *hint, size_t size)
{
	/* The second best are named only when they are about as good. */
	const unsigned worst = g->best[0] + (g->best[0] > 1);
	unsigned n = 0;

	while (n < 3 && g->name[n][0] && g->best[n] <= worst)
		n++;
	if (!n) {
		hint[0] = 0;
		return false;
	}
	g_snprintf(hint, size, "did you mean %s%s%s%s%s?", g->name[0],
		   n == 3   ? ", "
		   : n == 2 ? " or "
			    : "",
		   n > 1 ? g->name[1] : "", n > 2 ? " or " : "", n > 2 ? g->name[2] : "");
	return true;
}

static void guess_names(const char *name, size_t len, struct rdt_filter_error *err)
{
	struct filter_guess g = { .word = name, .len = len };
	char full[2 * FILTER_NAME_MAX];

	for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
		filter_guess_try(&g, aliases[i].name);
	for (size_t i = 0; i < RDT_COL_COUNT; i++) {
		const struct rdt_col *c = &rdt_cols[i];

		g_snprintf(full, sizeof(full), "%s%s%s",
			   c->rec == RDT_REC_conn ? "" : rdt_rec_key((enum rdt_rec)c->rec),
			   c->rec == RDT_REC_conn ? "" : ".", c->key);
		filter_guess_try(&g, full);
	}
	for (size_t i = 0; i < RDT_FIELD_COUNT; i++) {
		g_snprintf(full, sizeof(full), "%s.%s", rdt_hdrs[rdt_fields[i].hdr].key,
			   rdt_fields[i].key);
		filter_guess_try(&g, full);
	}
	for (size_t i = 0; i < RDT_HDR_COUNT; i++)
		filter_guess_try(&g, rdt_hdrs[i].key);
	for (size_t i = 0; i < PROTO_COUNT; i++)
		filter_guess_try(&g, protos[i].name);
	if (!filter_guess_text(&g, err->hint, sizeof(err->hint)))
		g_strlcpy(err->hint, "rdma-trace fields lists all names", sizeof(err->hint));
}

/* ---- resolving ---------------------------------------------------------------------------- */

static bool one(struct targets *t, enum target_kind kind, size_t id, bool of_conn)
{
	if (t->count == FILTER_TARGETS_MAX)
		return false;
	t->of[t->count++] = (struct target){ (uint8_t)kind, (uint16_t)id };
	if (of_conn)
		t->conn_count++;
	return true;
}

/* A column by name, its dots written as underscores. */
static bool column(enum rdt_rec rec, const char *name, size_t len, struct targets *t)
{
	char key[FILTER_NAME_MAX];
	size_t id;

	for (size_t i = 0; i < len; i++)
		key[i] = name[i] == '.' ? '_' : name[i];
	id = rdt_col_find(rec, key, len);
	return id != RDT_COL_COUNT && one(t, TARGET_COL, id, rec == RDT_REC_conn);
}

/* "msg.from" */
static bool qualified(const char *name, size_t len, struct targets *t)
{
	const char *dot = memchr(name, '.', len);

	if (!dot)
		return false;
	for (unsigned r = 0; r < RDT_REC_COUNT; r++) {
		const char *rec = rdt_rec_key((enum rdt_rec)r);
		const size_t n = (size_t)(dot - name);

		if (strlen(rec) == n && !memcmp(rec, name, n))
			return column((enum rdt_rec)r, dot + 1, len - n - 1, t);
	}
	return false;
}

/* "frame", which is its number, and "frame.len". */
static bool frame_part(const char *name, size_t len, struct targets *t)
{
	static const char *const parts[] = {
#define X(part, type) #part,
		FRAME_PART_LIST(X)
#undef X
	};

	if (len < 5 || memcmp(name, "frame", 5) != 0)
		return false;
	if (len == 5)
		return one(t, TARGET_FRAME, FRAME_number, false);
	if (name[5] != '.')
		return false;
	name += 6;
	len -= 6;
	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		if (strlen(parts[i]) == len && !memcmp(parts[i], name, len))
			return one(t, TARGET_FRAME, i, false);
	if (len == 3 && (!memcmp(name, "src", 3) || !memcmp(name, "dst", 3)))
		return one(t, *name == 's' ? TARGET_SRC : TARGET_DST, 0, false);
	return false;
}

/* A full name: a field, a column, or one of the packet's own values. */
static bool full_name(const char *name, size_t len, struct targets *t)
{
	const struct rdt_field *f = rdt_field_find(name, len);

	if (f)
		return one(t, TARGET_FIELD, (size_t)(f - rdt_fields), false);
	if (len == 3 && !memcmp(name, "src", 3))
		return one(t, TARGET_SRC, 0, false);
	if (len == 3 && !memcmp(name, "dst", 3))
		return one(t, TARGET_DST, 0, false);
	if (frame_part(name, len, t))
		return true;
	return qualified(name, len, t) || column(RDT_REC_conn, name, len, t);
}

static bool each_name(const char *list, struct targets *t)
{
	while (*list) {
		const size_t len = strcspn(list, " ");

		if (!full_name(list, len, t))
			return false;
		list += len + (list[len] == ' ');
	}
	return true;
}

/* An alias may be written with the other separator: rej_origin for rej.origin. */
static bool alias(const char *name, size_t len, struct targets *t)
{
	for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
		if (strlen(aliases[i].name) == len &&
		    !rdt_text_distance(aliases[i].name, len, name, len))
			return each_name(aliases[i].conn, t) && each_name(aliases[i].packet, t);
	return false;
}

static bool header(const char *name, size_t len, struct targets *t)
{
	const struct rdt_hdr *hdr = rdt_hdr_find(name, len);

	for (size_t i = 0; i < PROTO_COUNT; i++)
		if (strlen(protos[i].name) == len && !memcmp(protos[i].name, name, len))
			return one(t, TARGET_PROTO, i, false);
	return hdr && one(t, TARGET_HDR, (size_t)(hdr - rdt_hdrs), false);
}

static bool bare(const char *name, size_t len, struct targets *t)
{
	return column(RDT_REC_msg, name, len, t) || column(RDT_REC_event, name, len, t) ||
	       column(RDT_REC_state, name, len, t);
}

bool filter_resolve(const char *name, size_t len, bool compared, struct targets *ret_targets,
		    struct rdt_filter_error *reterr)
{
	static const char wireshark[] = "rdmacm.";
	const size_t prefix = sizeof(wireshark) - 1;
	struct targets t = { .count = 0 };
	char low[FILTER_NAME_MAX];

	/* Wireshark's filters are the same names behind the name of our protocol. */
	if (len > prefix && !g_ascii_strncasecmp(name, wireshark, prefix)) {
		name += prefix;
		len -= prefix;
	}
	if (len < sizeof(low)) {
		for (size_t i = 0; i < len; i++)
			low[i] = g_ascii_tolower(name[i]);
		if (alias(low, len, &t) || full_name(low, len, &t) ||
		    (!compared && header(low, len, &t)) || bare(low, len, &t)) {
			*ret_targets = t;
			return true;
		}
	}
	if (len < sizeof(low) && header(low, len, &t)) {
		g_snprintf(reterr->what, sizeof(reterr->what),
			   "%.*s has no value of its own to compare", (int)len, name);
		if (t.of[0].kind == TARGET_HDR)
			g_snprintf(reterr->hint, sizeof(reterr->hint),
				   "ask for one of its fields, as %s.%s", rdt_hdrs[t.of[0].id].key,
				   rdt_fields[rdt_hdrs[t.of[0].id].begin].key);
		else
			g_strlcpy(reterr->hint, "it stands alone: is there any",
				  sizeof(reterr->hint));
		return false;
	}
	g_snprintf(reterr->what, sizeof(reterr->what), "there is no name %.*s", (int)MIN(len, 64),
		   name);
	guess_names(name, len, reterr);
	return false;
}
