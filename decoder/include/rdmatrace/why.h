/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why it went as it did: findings. Rules look at the tracker's connections, messages and data paths
 * and say what is wrong, from what this can be seen, what it means and what to do next. All that is
 * said stands in why/findings.def, a row a code; rules only choose the row and fill in values.
 *
 * A finding is made for one connection (or for the capture). Those that are alike (same code, same
 * ends, same service) are one in the list, with a count; whoever wants each by itself, as the
 * Wireshark plugin does, takes the hit callback.
 *
 * Put rdt_why_sink() between the tracker and the sink you have, rdt_why_frame() after each
 * rdt_tracker_feed() if frames shall be looked at too (ICRC, ICMP, ARP), and rdt_why_finish() after
 * rdt_tracker_finish(). Memory comes from the caller and is bounded by the options; what did not
 * fit is counted in rdt_why_stats.
 */
#ifndef RDMATRACE_WHY_H
#define RDMATRACE_WHY_H

#include "flow.h"
#include "track.h"

/* ---- codes -------------------------------------------------------------------------------- */

/* X(symbol, key): the order is that of gravity. */
#define RDT_SEVERITY_LIST(X)  \
	X(NOTE, "note")       \
	X(WARNING, "warning") \
	X(ERROR, "error")

enum rdt_severity {
#define X(symbol, key) RDT_SEVERITY_##symbol,
	RDT_SEVERITY_LIST(X)
#undef X
		RDT_SEVERITY_COUNT
};

const char *rdt_severity_key(enum rdt_severity severity);

/* RDT_WHY_CM_REJ_8 and so on, in the order of the rows. */
enum rdt_why_code {
#define F(symbol, code, severity, title, seen, means, next, filter) RDT_WHY_##symbol,
#include "why/findings.def"
#undef F
	RDT_WHY_COUNT
};

/* One row of findings.def. Texts have placeholders: see there. */
struct rdt_why_row {
	const char *code; /* "CM-REJ-8"; in codes of a family "CM-REJ-{reason}" */
	const char *title, *seen, *means, *next, *filter;
	uint8_t severity; /* enum rdt_severity */
};

extern const struct rdt_why_row rdt_why_rows[RDT_WHY_COUNT];

/* ---- values ------------------------------------------------------------------------------- */

/*
 * What a finding says in numbers: X(symbol, name, type, label). name is what placeholders and the
 * JSON key "field" say; type how it is shown:
 *   COUNT_OF a count; of alike findings the sum     NUM   a number; of alike ones the first
 *   NS      a duration in ns; of alike ones the range
 *   HEX     a number in hex                        CODE  a number with a name, see the name's list
 *   ADDR    the finding's address                  BYTES a length
 */
#define RDT_WHY_VALUE_LIST(X)                                                                \
	X(REASON, "rej.reason", CODE, "reason of the REJ")                                   \
	X(STAGE, "rej.msg_rejected", CODE, "message that was rejected")                      \
	X(STATUS, "sidr_rep.status", CODE, "status of the SIDR_REP")                         \
	X(SENT, "sent", COUNT_OF, "times it was sent")                                       \
	X(AT, "rel_ns", NS, "time after the first sending")                                  \
	X(ANSWER, "answer_ns", NS, "time to the answer")                                     \
	X(LAST_ANSWER, "last_answer_ns", NS, "time from the last sending to the answer")     \
	X(WAITED, "waited_ns", NS, "time waited")                                            \
	X(TIMER, "timer_ns", NS, "timer by the announced fields")                            \
	X(LIFETIME, "lifetime_ns", NS, "packet lifetime, as Linux counts it")                \
	X(RESPONSE, "cm_response_ns", NS, "CM response timeout, as Linux counts it")         \
	X(TOTAL, "total_ns", NS, "all retries together")                                     \
	X(RTT, "rtt_ns", NS, "shortest answer on this path")                                 \
	X(MSG, "msg", CODE, "message")                                                       \
	X(NEIGHBOUR, "neighbour", CODE, "whether ARP or neighbour discovery was answered")   \
	X(MRA, "mra", COUNT_OF, "MRA messages")                                              \
	X(OTHER_CONN, "older_conn", NUM, "number of the other connection")                   \
	X(QPN, "qpn", HEX, "QP number")                                                      \
	X(COMM_ID, "comm_id", HEX, "communication id")                                       \
	X(PSN, "psn", HEX, "packet sequence number")                                         \
	X(WANT_PSN, "announced_psn", HEX, "PSN that was announced")                          \
	X(ASKS, "asks", NUM, "READs and atomics that may be asked for at a time")            \
	X(SERVES, "serves", NUM, "READs and atomics that are served at a time")              \
	X(MTU, "mtu", BYTES, "MTU")                                                          \
	X(SEEN_MTU, "seen_mtu", BYTES, "payload of packets that do not end their message")   \
	X(SIZE, "size", BYTES, "bytes")                                                      \
	X(RETRY, "retry_count", NUM, "retry count that was announced")                       \
	X(RNR_RETRY, "rnr_retry_count", NUM, "RNR retry count that was announced")           \
	X(ACK_TIMEOUT, "ack_timeout_ns", NS, "ACK timeout that was announced")               \
	X(WAIT, "wait_ns", NS, "time between two sendings")                                  \
	X(MISSED, "missed", COUNT_OF, "sendings that the timer tells and the capture lacks") \
	X(ACKED, "acked_packets", COUNT_OF, "packets whose acknowledge had passed")          \
	X(PACKETS, "packets", COUNT_OF, "packets")                                           \
	X(MORE, "more_packets", COUNT_OF, "other packets")                                   \
	X(ROUNDS, "rounds", COUNT_OF, "times that sending again began")                      \
	X(SELECTIVE, "rounds_selective", COUNT_OF, "of these, selective")                    \
	X(NAK, "aeth.nak_code", CODE, "NAK code")                                            \
	X(NAKS, "naks", COUNT_OF, "NAKs: PSN sequence error")                                \
	X(OPCODE, "bth.opcode", CODE, "opcode of the request")                               \
	X(RNR_TIME, "rnr_ns", NS, "time that RNR NAKs asked for")                            \
	X(MACS, "macs", COUNT_OF, "MAC addresses")                                           \
	X(ADDRESS, "address", ADDR, "address")                                               \
	X(GID, "gid", ADDR, "GID")                                                           \
	X(PORT, "udp.sport", NUM, "UDP source port")                                         \
	X(RATE, "rate", COUNT_OF, "in one second, most")                                     \
	X(FAILED, "failed", COUNT_OF, "connections that failed")                             \
	X(REVISION, "mpa.rev", NUM, "MPA revision")                                          \
	X(PEER_REVISION, "peer.mpa.rev", NUM, "MPA revision of the peer")                    \
	X(TERM, "terminate.error", CODE, "error of the TERMINATE")

enum rdt_why_value {
#define X(symbol, name, type, label) RDT_WHY_V_##symbol,
	RDT_WHY_VALUE_LIST(X)
#undef X
		RDT_WHY_V_COUNT
};

/* How a value is shown. */
enum rdt_why_type {
	RDT_WHY_COUNT_OF,
	RDT_WHY_NUM,
	RDT_WHY_NS,
	RDT_WHY_HEX,
	RDT_WHY_CODE,
	RDT_WHY_ADDR,
	RDT_WHY_BYTES
};

enum rdt_why_type rdt_why_value_type(enum rdt_why_value value);

/* Of RDT_WHY_V_NEIGHBOUR: X(symbol, key, text) */
#define RDT_WHY_NEIGHBOUR_LIST(X)                                                               \
	X(UNKNOWN, "not-captured", "the capture shows no ARP or neighbour discovery for it")    \
	X(ANSWERED, "answered", "its MAC address was asked for and answered: the host is up")   \
	X(SILENT, "silent",                                                                     \
	  "its MAC address was asked for and nobody answered: the host is down or not on this " \
	  "network")

enum {
#define X(symbol, key, text) RDT_WHY_NEIGHBOUR_##symbol,
	RDT_WHY_NEIGHBOUR_LIST(X)
#undef X
		RDT_WHY_NEIGHBOUR_COUNT
};

const char *rdt_why_value_name(enum rdt_why_value value);
const char *rdt_why_value_label(enum rdt_why_value value);

/* One thing seen. frame 0: it is of no single packet. */
struct rdt_evidence {
	uint64_t num, most; /* the value; of alike findings the largest in most */
	uint32_t frame;
	uint8_t input;
	uint8_t value; /* enum rdt_why_value */
	uint8_t more;  /* 1: num was added up or widened from several findings */
};

#define RDT_WHY_EVIDENCE 14

/* Connection numbers first .. last. */
struct rdt_conn_range {
	uint32_t first, last;
};

struct rdt_finding {
	uint16_t code;      /* enum rdt_why_code */
	uint8_t severity;   /* enum rdt_severity */
	uint8_t confidence; /* percent: 100 where packets show it */
	uint8_t side;       /* enum rdt_side: who did it, or whose requests it is about */
	uint8_t kind;       /* enum rdt_conn_kind */
	uint8_t transport;  /* enum rdt_transport */
	uint8_t service;    /* as in struct rdt_conn */
	uint8_t many;       /* bit 1 << side: connections of several addresses of that side */
	uint8_t ev_count;
	uint16_t port, port_space; /* the service's, as in struct rdt_conn; 0 when it has none */
	uint32_t addr[RDT_SIDES];  /* for rdt_tracker_addr(); RDT_CONN_NONE: about no connection */
	uint32_t qpn[RDT_SIDES];   /* valid with has_qpn */
	uint8_t has_qpn[RDT_SIDES];
	struct rdt_addr address;         /* of values of type ADDR */
	struct rdt_addr path[RDT_SIDES]; /* ends that are of no connection; valid with has_path */
	uint8_t has_path;
	uint64_t svc;
	const char *app; /* program that the port suggests, static; NULL */
	uint32_t conn;   /* tracker's index of the first connection, RDT_CONN_NONE: the capture */
	uint32_t count;  /* connections; 0: it is about the capture */
	int64_t first_ns, last_ns; /* when, as far as known */
	struct rdt_evidence ev[RDT_WHY_EVIDENCE];
	/* In the list only: numbers of the connections, ascending. */
	const struct rdt_conn_range *ranges;
	uint32_t range_count;
	uint32_t unlisted; /* connections that had no room in ranges */
};

/* ---- the engine ---------------------------------------------------------------------------- */

struct rdt_why_opts {
	uint32_t max_findings; /* different ones kept, 0 for 4096 */
	uint32_t max_notes;    /* connections whose odd messages are kept, 0 for 16384 */
	uint8_t icrc;          /* 1: rdt_why_frame() checks the ICRC of data packets too */
	void *user;
	/* Each finding as it is made, before it joins those alike. Borrowed for the call. */
	void (*hit)(void *user, const struct rdt_finding *hit);
};

struct rdt_why_stats {
	uint64_t hits;          /* findings made */
	uint64_t notes_lost;    /* connections whose odd messages were not kept: too many */
	uint64_t findings_lost; /* findings that had no room in the list */
	uint64_t icrc_checked, icrc_bad;      /* of data packets and messages */
	uint64_t counted[RDT_SEVERITY_COUNT]; /* findings in the list */
};

struct rdt_why;

/* NULL when there is no memory. opts may be NULL. */
struct rdt_why *rdt_why_new(const struct rdt_memory *memory, const struct rdt_why_opts *opts);
void rdt_why_free(struct rdt_why *w);

/*
 * The sink to give to rdt_tracker_new(); next (copied, may be NULL) is told everything too. Then
 * say which tracker it became. One engine belongs to one tracker.
 */
struct rdt_sink rdt_why_sink(struct rdt_why *w, const struct rdt_sink *next);
void rdt_why_set_tracker(struct rdt_why *w, const struct rdt_tracker *t);

/*
 * A frame after it was fed, with what the tracker said of it. Who has checked the ICRC of a data packet
 * already may put the answer into verdict->icrc: it is then not checked again.
 */
void rdt_why_frame(struct rdt_why *w, const struct rdt_frame *frame, const struct rdt_when *when,
		   const struct rdt_verdict *verdict);

/* An input could not be read to its end: damaged or cut short. */
void rdt_why_input_cut(struct rdt_why *w, uint8_t input);

/*
 * After rdt_tracker_finish(): looks at the connections that are left and at the capture, and sorts
 * the list. RDT_NO_MEMORY when something could not be kept; the rest is valid.
 */
enum rdt_status rdt_why_finish(struct rdt_why *w, int64_t end_ns);

/* The list after rdt_why_finish(): gravest first, then by time. Borrowed as long as w. */
size_t rdt_why_count(const struct rdt_why *w);
const struct rdt_finding *rdt_why_finding(const struct rdt_why *w, size_t i);

/* Where in the list a finding of it is. */
size_t rdt_why_place(const struct rdt_why *w, const struct rdt_finding *f);

/*
 * Those of one connection (tracker's index), gravest first: at most room of them into ret.
 * Returns how many there are.
 */
size_t rdt_why_of(const struct rdt_why *w, uint32_t conn, const struct rdt_finding **ret,
		  size_t room);

const struct rdt_why_stats *rdt_why_stats(const struct rdt_why *w);

/* ---- text ----------------------------------------------------------------------------------- */

#define RDT_WHY_TEXT 2048

/* The code of a finding: "CM-REJ-26". buf has 32 bytes. */
char *rdt_why_code_text(const struct rdt_finding *f, char buf[32]);

/*
 * The parts of a finding in words: placeholders filled in. Always terminated; cut when size (use
 * RDT_WHY_TEXT) is too small. next can have several lines.
 */
enum rdt_why_part {
	RDT_WHY_TITLE,  /* one sentence: the cause */
	RDT_WHY_SEEN,   /* from what it can be seen */
	RDT_WHY_MEANS,  /* what it means */
	RDT_WHY_NEXT,   /* what to do: commands, one a line, may be empty */
	RDT_WHY_FILTER, /* a Wireshark display filter, may be empty */
};
char *rdt_why_text(const struct rdt_tracker *t, const struct rdt_finding *f, enum rdt_why_part part,
		   char *buf, size_t size);

/* The same of a code, without a finding: "the active side" stands for its address and so on. */
char *rdt_why_row_text(enum rdt_why_code code, enum rdt_why_part part, char *buf, size_t size);

/* The code of this name ("CM-REJ-8", "cm-rej-26"; case does not count), RDT_WHY_COUNT: none. */
enum rdt_why_code rdt_why_code_find(const char *text);

/* One value in words: "invalid-service-id (8)", "4.608 s", "10.0.0.2". size >= RDT_TEXT_MAX. */
char *rdt_why_value_text(const struct rdt_tracker *t, const struct rdt_finding *f,
			 const struct rdt_evidence *ev, char *buf, size_t size);

#endif
