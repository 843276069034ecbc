/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What codes, timers and names mean. A topic is a kind of number or name (REJ reason, event, CM
 * timeout ...); one number has a meaning in many of them. No capture is needed.
 */
#ifndef RDT_CLI_EXPLAIN_H
#define RDT_CLI_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdmatrace/field.h"

/*
 * X(symbol, JSON key, title, words that name it on the command line: the first is the one shown)
 * The order is that of likelihood for a bare number.
 */
#define TOPIC_LIST(X)                                                                \
	X(rej_reason, "rej_reason", "REJ reason", "rej reject reason rej-reason")    \
	X(event, "event", "event", "event rdma-cm-event")                            \
	X(error, "errno", "error", "errno error")                                    \
	X(sidr_status, "sidr_status", "SIDR status", "sidr sidr-status")             \
	X(wc_status, "wc_status", "completion status", "wc completion wc-status")    \
	X(message, "message", "message", "message msg attr")                         \
	X(nak_code, "nak_code", "NAK code", "nak nak-code")                          \
	X(cm_state, "cm_state", "CM state", "cm-state state")                        \
	X(rdma_state, "rdma_state", "rdma_cm state", "rdma-state")                   \
	X(qp_state, "qp_state", "QP state", "qp-state qp")                           \
	X(apr_status, "apr_status", "APR status", "apr apr-status")                  \
	X(nvme_status, "nvme_status", "NVMe/RDMA reject status", "nvme nvme-status") \
	X(timeout, "cm_timeout", "timeout code", "timeout cm-timeout ack-timeout")   \
	X(rnr_timer, "rnr_timer", "RNR timer code", "rnr rnr-timer")                 \
	X(mtu, "mtu", "MTU code", "mtu")                                             \
	X(rate, "rate", "rate code", "rate")                                         \
	X(credits, "credits", "credit code", "credits credit")                       \
	X(opcode, "bth_opcode", "BTH opcode", "opcode bth-opcode")                   \
	X(syndrome, "aeth_syndrome", "AETH syndrome", "syndrome aeth")               \
	X(mad_status, "mad_status", "MAD status", "mad mad-status")                  \
	X(service, "service_id", "service id", "svc service service-id port")        \
	X(finding, "finding", "finding", "finding why")                              \
	X(outcome, "outcome", "outcome", "outcome")                                  \
	X(code, "code", "code", "")                                                  \
	X(name, "name", "name", "field")

enum topic {
#define X(symbol, key, title, words) TOPIC_##symbol,
	TOPIC_LIST(X)
#undef X
		TOPIC_COUNT
};

#define LABEL_LIST(X) X(who) X(cause) X(read) X(seen) X(note) X(where) X(sent) X(got) X(next)

enum label {
#define X(name) LABEL_##name,
	LABEL_LIST(X)
#undef X
		LABEL_COUNT
};

const char *label_text(enum label label);

struct meaning {
	int64_t value;
	int64_t detail_value;          /* with detail_topic: whose details are told */
	const struct rdt_field *field; /* of TOPIC_name, or NULL */
	enum topic topic;
	enum topic detail_topic;
	enum rdt_names_id list; /* of TOPIC_code */
	bool has_value;
	uint8_t hex;   /* digits to show value in, 0 for decimal */
	char name[80]; /* "invalid-service-id", may be empty */
	char text[256];
};

/* The JSON key and the title: those of the list for TOPIC_code. */
const char *meaning_key(const struct meaning *m);
const char *meaning_title(const struct meaning *m);

/* What is typed after "explain" to get this one alone: "rej 8". */
char *meaning_query(const struct meaning *m, char *buf, size_t size);

/* More about it: row i; false past the end. text may point into buf. */
bool meaning_detail(const struct meaning *m, size_t i, enum label *ret_label, const char **ret_text,
		    char *buf, size_t size);

/* The topic, or the list of names of enums.def, that a word names. False: none. */
bool topic_find(const char *word, enum topic *ret_topic, enum rdt_names_id *ret_list);

/* A value of one topic. False when it has no meaning there. */
bool explain_value(enum topic topic, enum rdt_names_id list, int64_t value, struct meaning *ret);

/* A text of one topic: a name, or a quantity ("4.3s", "1024", "tcp:4420"). */
bool explain_text(enum topic topic, enum rdt_names_id list, const char *text, struct meaning *ret);

#define MEANINGS_MAX 32

/*
 * All meanings of a bare number or name, the likeliest first; hex tells that it was written 0x.
 * Returns how many.
 */
size_t explain_number(int64_t value, bool hex, struct meaning ret[MEANINGS_MAX]);
size_t explain_name(const char *text, struct meaning ret[MEANINGS_MAX]);

/* ---- between the files -------------------------------------------------------------------- */

/* Topics that are computed (explain_units.c). */
bool explain_unit(enum topic topic, uint64_t value, struct meaning *ret);
bool explain_quantity(enum topic topic, const char *text, struct meaning *ret);

/* Names of the vocabulary (explain_vocab.c). */
size_t explain_vocab(const char *text, struct meaning *ret, size_t room);
/* Fields of all headers whose key begins or ends with this word: mtu, rnr_retry. */
size_t explain_vocab_part(const char *text, struct meaning *ret, size_t room);
bool explain_vocab_detail(const struct meaning *m, size_t i, enum label *ret_label, char *buf,
			  size_t size);

/* Are two names one? Case, dashes, underscores and the kernel's prefixes do not count. */
bool explain_same(const char *a, const char *b);

#endif
