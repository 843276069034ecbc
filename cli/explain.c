// SPDX-License-Identifier: BSD-2-Clause
#include "explain.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "rdmatrace/track.h"
#include "rdmatrace/why.h"

/* ---- rows --------------------------------------------------------------------------------- */

struct value_row {
	uint8_t topic;
	int32_t value;
	const char *name, *text;
};

static const struct value_row values[] = {
#define V(t, v, n, x) { .topic = TOPIC_##t, .value = (v), .name = n, .text = x },
#define A(t, v, n)
#define D(t, v, l, x)
#include "explain.def"
#undef V
#undef A
#undef D
};

/* Other names; text is not used. */
static const struct value_row names[] = {
#define V(t, v, n, x)
#define A(t, v, n) { .topic = TOPIC_##t, .value = (v), .name = n },
#define D(t, v, l, x)
#include "explain.def"
#undef V
#undef A
#undef D
};

struct detail_row {
	uint8_t topic, label;
	int32_t value;
	const char *text;
};

static const struct detail_row details[] = {
#define V(t, v, n, x)
#define A(t, v, n)
#define D(t, v, l, x) { .topic = TOPIC_##t, .label = LABEL_##l, .value = (v), .text = x },
#include "explain.def"
#undef V
#undef A
#undef D
};

static const struct {
	const char *key, *title, *words;
} topics[TOPIC_COUNT] = {
#define X(s, k, t, w) [TOPIC_##s] = { k, t, w },
	TOPIC_LIST(X)
#undef X
};

const char *label_text(enum label label)
{
	static const char *const text[LABEL_COUNT] = {
#define X(name) [LABEL_##name] = #name,
		LABEL_LIST(X)
#undef X
	};

	return text[label];
}

/* ---- names -------------------------------------------------------------------------------- */

static const char *skip_prefix(const char *s)
{
	static const char *const prefixes[] = { "RDMA_CM_EVENT_", "IBV_WC_",  "IB_WC_",
						"IB_CM_REJ_",     "IB_SIDR_", "IB_CM_",
						"RDMA_CM_",       "IBV_QPS_", "IB_QPS_",
						"IB_OPCODE_" };

	for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (!g_ascii_strncasecmp(s, prefixes[i], strlen(prefixes[i])))
			return s + strlen(prefixes[i]);
	return s;
}

static char fold(char c)
{
	return c == '_' || c == ' ' ? '-' : g_ascii_tolower(c);
}

bool explain_same(const char *a, const char *b)
{
	a = skip_prefix(a);
	b = skip_prefix(b);
	while (*a && fold(*a) == fold(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

bool topic_find(const char *word, enum topic *ret_topic, enum rdt_names_id *ret_list)
{
	for (unsigned t = 0; t < TOPIC_COUNT; t++) {
		const char *w = topics[t].words;

		while (*w) {
			const size_t len = strcspn(w, " ");
			char one[32];

			g_snprintf(one, sizeof(one), "%.*s", (int)len, w);
			if (explain_same(one, word)) {
				*ret_topic = (enum topic)t;
				*ret_list = RDT_NAMES_none;
				return true;
			}
			w += len + (w[len] == ' ');
		}
	}
	for (unsigned l = RDT_NAMES_none + 1; l < RDT_NAMES_COUNT; l++)
		if (explain_same(rdt_names[l].list, word)) {
			*ret_topic = TOPIC_code;
			*ret_list = (enum rdt_names_id)l;
			return true;
		}
	return false;
}

/* The list of enums.def that is a topic of its own. */
static enum rdt_names_id topic_list(enum topic topic)
{
	if (topic == TOPIC_rej_reason)
		return RDT_NAMES_rej_reason;
	if (topic == TOPIC_sidr_status)
		return RDT_NAMES_sidr_status;
	if (topic == TOPIC_apr_status)
		return RDT_NAMES_apr_status;
	if (topic == TOPIC_nak_code)
		return RDT_NAMES_nak_code;
	if (topic == TOPIC_nvme_status)
		return RDT_NAMES_nvme_status;
	return RDT_NAMES_none;
}

const char *meaning_key(const struct meaning *m)
{
	return m->topic == TOPIC_code ? rdt_names[m->list].list : topics[m->topic].key;
}

const char *meaning_title(const struct meaning *m)
{
	return m->topic == TOPIC_code ? rdt_names[m->list].title : topics[m->topic].title;
}

char *meaning_query(const struct meaning *m, char *buf, size_t size)
{
	const char *words =
		m->topic == TOPIC_code ? rdt_names[m->list].list : topics[m->topic].words;
	const int len = (int)strcspn(words, " ");

	if (!m->has_value)
		g_snprintf(buf, size, "%s", m->name);
	else if (m->hex)
		g_snprintf(buf, size, "%.*s 0x%0*" G_GINT64_MODIFIER "x", len, words, m->hex,
			   (guint64)m->value);
	else
		g_snprintf(buf, size, "%.*s %" G_GINT64_FORMAT, len, words, (gint64)m->value);
	return buf;
}

/* ---- values ------------------------------------------------------------------------------- */

static struct meaning make(enum topic topic, int64_t value, const char *name, const char *text)
{
	struct meaning m = {
		.topic = topic,
		.has_value = true,
		.value = value,
		.detail_topic = topic,
		.detail_value = value,
	};

	g_strlcpy(m.name, name, sizeof(m.name));
	g_strlcpy(m.text, text, sizeof(m.text));
	return m;
}

/* Messages have the number of their attribute; those of TCP and MPA have none. */
static struct meaning message(enum rdt_msg msg)
{
	const bool cm = msg <= RDT_MSG_APR;
	struct meaning m = make(TOPIC_message, cm ? RDT_CM_ATTR_REQ + (int)msg : -1 - (int)msg,
				rdt_msg_key(msg), rdt_msg_text(msg));

	m.has_value = cm;
	m.hex = 2;
	return m;
}

static struct meaning outcome(enum rdt_outcome o)
{
	struct meaning m = make(TOPIC_outcome, o, rdt_outcome_key(o), rdt_outcome_text(o));

	m.has_value = false;
	return m;
}

static bool list_value(enum topic topic, enum rdt_names_id list, int64_t value, struct meaning *ret)
{
	const struct rdt_name *name = value < 0 ? NULL : rdt_name_find(list, (uint64_t)value);

	if (!name)
		return false;
	*ret = make(topic, value, name->key, name->text);
	ret->list = list;
	return true;
}

bool explain_value(enum topic topic, enum rdt_names_id list, int64_t value, struct meaning *ret)
{
	if (topic == TOPIC_code)
		return list_value(topic, list, value, ret);
	if (topic == TOPIC_rej_reason && value < 0)
		value = -value; /* libfabric prints it so */
	if (topic_list(topic) != RDT_NAMES_none)
		return list_value(topic, topic_list(topic), value, ret);
	if (topic == TOPIC_message) {
		if (value < RDT_CM_ATTR_REQ || value > RDT_CM_ATTR_APR)
			return list_value(TOPIC_code, RDT_NAMES_cm_attr, value, ret);
		*ret = message((enum rdt_msg)(value - RDT_CM_ATTR_REQ));
		return true;
	}
	if (topic == TOPIC_error && value < 0)
		value = -value;
	for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
		if (values[i].topic == topic && values[i].value == value) {
			*ret = make(topic, value, values[i].name, values[i].text);
			if (topic == TOPIC_error)
				ret->value = -value;
			return true;
		}
	return value >= 0 && explain_unit(topic, (uint64_t)value, ret);
}

static bool finding(const char *text, struct meaning *ret)
{
	const enum rdt_why_code code = rdt_why_code_find(text);
	char buf[RDT_WHY_TEXT];

	if (code == RDT_WHY_COUNT)
		return false;
	*ret = (struct meaning){ .topic = TOPIC_finding,
				 .detail_topic = TOPIC_finding,
				 .detail_value = (int64_t)code };
	for (size_t i = 0; text[i] && i + 1 < sizeof(ret->name); i++)
		ret->name[i] = g_ascii_toupper(text[i]);
	g_snprintf(ret->text, sizeof(ret->text), "%s: %s",
		   rdt_severity_key((enum rdt_severity)rdt_why_rows[code].severity),
		   rdt_why_row_text(code, RDT_WHY_TITLE, buf, sizeof(buf)));
	return true;
}

/* Line i of a text; false past its end. */
static bool line_of(char *text, size_t i)
{
	char *line = text;

	for (; i && *line; i--) {
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	if (!*line)
		return false;
	line[strcspn(line, "\n")] = 0;
	memmove(text, line, strlen(line) + 1);
	return true;
}

static bool finding_detail(const struct meaning *m, size_t i, enum label *ret_label, char *buf,
			   size_t size)
{
	const enum rdt_why_code code = (enum rdt_why_code)m->detail_value;

	if (i < 2) {
		*ret_label = i ? LABEL_cause : LABEL_seen;
		rdt_why_row_text(code, i ? RDT_WHY_MEANS : RDT_WHY_SEEN, buf, size);
		return true;
	}
	*ret_label = LABEL_next;
	rdt_why_row_text(code, RDT_WHY_NEXT, buf, size);
	return line_of(buf, i - 2);
}

bool explain_text(enum topic topic, enum rdt_names_id list, const char *text, struct meaning *ret)
{
	const enum rdt_names_id of = topic == TOPIC_code ? list : topic_list(topic);

	for (size_t i = 0; i < rdt_names[of].count; i++)
		if (explain_same(rdt_names[of].rows[i].key, text))
			return list_value(topic, of, rdt_names[of].rows[i].value, ret);
	for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
		if (values[i].topic == topic && explain_same(values[i].name, text))
			return explain_value(topic, list, values[i].value, ret);
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (names[i].topic == topic && explain_same(names[i].name, text))
			return explain_value(topic, list, names[i].value, ret);
	for (unsigned m = 0; topic == TOPIC_message && m < RDT_MSG_COUNT; m++)
		if (explain_same(rdt_msg_key((enum rdt_msg)m), text)) {
			*ret = message((enum rdt_msg)m);
			return true;
		}
	for (unsigned o = 0; topic == TOPIC_outcome && o < RDT_OUTCOME_COUNT; o++)
		if (explain_same(rdt_outcome_key((enum rdt_outcome)o), text)) {
			*ret = outcome((enum rdt_outcome)o);
			return true;
		}
	if (topic == TOPIC_finding)
		return finding(text, ret);
	if (topic == TOPIC_name)
		return explain_vocab(text, ret, 1) == 1;
	return explain_quantity(topic, text, ret);
}

/* ---- everything a bare number or name can be ---------------------------------------------- */

static bool add(struct meaning *all, size_t *count, const struct meaning *m)
{
	if (*count == MEANINGS_MAX)
		return false;
	all[(*count)++] = *m;
	return true;
}

static void try_value(struct meaning *all, size_t *count, enum topic topic, int64_t value)
{
	struct meaning m;

	if (explain_value(topic, RDT_NAMES_none, value, &m))
		add(all, count, &m);
}

/*
 * Which topics a bare number can be of. Those of the wire are written in hex by everybody; ports
 * below 1024 are not used; and a number that has no meaning in a topic says nothing there.
 */
static const enum topic hex_topics[] = { TOPIC_opcode, TOPIC_message, TOPIC_syndrome,
					 TOPIC_mad_status };

static bool is_hex_topic(enum topic topic)
{
	for (size_t i = 0; i < G_N_ELEMENTS(hex_topics); i++)
		if (hex_topics[i] == topic)
			return true;
	return false;
}

static bool is_told(const struct meaning *m)
{
	return !strstr(m->text, "not assigned") && !strstr(m->text, "reserved");
}

static void try_hex(struct meaning *all, size_t *count, int64_t value)
{
	struct meaning m;

	/* Service ids have no upper limit; all else is a byte or two. */
	if (value > 0xffff)
		try_value(all, count, TOPIC_service, value);
	for (size_t i = 0; i < G_N_ELEMENTS(hex_topics); i++)
		if (explain_value(hex_topics[i], RDT_NAMES_none, value, &m) && is_told(&m))
			add(all, count, &m);
}

size_t explain_number(int64_t value, bool hex, struct meaning ret[MEANINGS_MAX])
{
	size_t count = 0;

	if (value < 0) {
		/* -110 is an errno; -28 is how libfabric prints a REJ reason. */
		try_value(ret, &count, TOPIC_error, value);
		try_value(ret, &count, TOPIC_rej_reason, value);
		return count;
	}
	if (hex)
		try_hex(ret, &count, value);
	else if (value >= 1024 && value <= UINT16_MAX)
		try_value(ret, &count, TOPIC_service, value);
	for (unsigned t = 0; t < TOPIC_code; t++)
		if (!is_hex_topic((enum topic)t) && t != TOPIC_service && t != TOPIC_credits)
			try_value(ret, &count, (enum topic)t, value);
	return count;
}

size_t explain_name(const char *text, struct meaning ret[MEANINGS_MAX])
{
	size_t count = 0;
	struct meaning m;

	for (unsigned t = 0; t < TOPIC_code; t++)
		if (t != TOPIC_opcode && explain_text((enum topic)t, RDT_NAMES_none, text, &m))
			add(ret, &count, &m);
	count += explain_vocab(text, ret + count, MEANINGS_MAX - count);
	for (unsigned l = RDT_NAMES_none + 1; l < RDT_NAMES_COUNT; l++) {
		bool told = l == RDT_NAMES_cm_attr && count;

		for (unsigned t = 0; t < TOPIC_code; t++)
			told |= topic_list((enum topic)t) == l;
		/* "REQ" among the messages that an MRA can be of means nothing more than REQ. */
		if (!told && explain_text(TOPIC_code, (enum rdt_names_id)l, text, &m) &&
		    (strcmp(m.name, m.text) != 0 || !count))
			add(ret, &count, &m);
	}
	return count ? count : explain_vocab_part(text, ret, MEANINGS_MAX);
}

/* ---- details ------------------------------------------------------------------------------ */

/* "a > b > c", empty ones left out. */
static void chain(char *buf, size_t size, const char *const *parts, size_t count)
{
	size_t used = 0;

	buf[0] = 0;
	for (size_t i = 0; i < count; i++)
		if (*parts[i] && used < size)
			used += (size_t)g_snprintf(buf + used, size - used, "%s%s",
						   used ? " > " : "", parts[i]);
}

static bool call_detail(const struct meaning *m, size_t i, enum label *ret_label, char *buf,
			size_t size)
{
	const enum rdt_msg msg =
		(enum rdt_msg)(m->has_value ? m->value - RDT_CM_ATTR_REQ : -1 - m->value);
	const struct call_send *s = calls_send(msg, CALL_ANY);
	const struct call_receive *r = calls_receive(msg, CALL_ANY);

	if (i == 0 && s) {
		const char *const parts[] = { s->call, s->command, s->rdma_cm, s->cm };

		*ret_label = LABEL_sent;
		chain(buf, size, parts, G_N_ELEMENTS(parts));
		return true;
	}
	if (i == 1 && r) {
		const char *const parts[] = { r->first, r->rdma_cm, r->user };

		*ret_label = LABEL_got;
		chain(buf, size, parts, G_N_ELEMENTS(parts));
		return true;
	}
	return false;
}

bool meaning_detail(const struct meaning *m, size_t i, enum label *ret_label, const char **ret_text,
		    char *buf, size_t size)
{
	*ret_text = buf;
	if (m->topic == TOPIC_name)
		return explain_vocab_detail(m, i, ret_label, buf, size);
	if (m->topic == TOPIC_finding)
		return finding_detail(m, i, ret_label, buf, size);
	for (size_t row = 0; row < G_N_ELEMENTS(details); row++) {
		if (details[row].topic != m->detail_topic || details[row].value != m->detail_value)
			continue;
		if (!i--) {
			*ret_label = (enum label)details[row].label;
			*ret_text = details[row].text;
			return true;
		}
	}
	return m->topic == TOPIC_message && call_detail(m, i, ret_label, buf, size);
}
