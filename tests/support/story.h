/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Made-up connections, told message by message through the encoder: for what no real capture
 * shows at will. Two hosts, a and p, over RoCEv2 and IPv4 unless told otherwise.
 */
#ifndef TESTS_STORY_H
#define TESTS_STORY_H

#include "rdmatrace/encode.h"
#include "rdmatrace/field.h"
#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"
#include "support/tracked.h"

/* What a message says; zero members are the story's defaults. */
struct say {
	enum rdt_side from; /* who sends it */
	enum rdt_msg msg;
	unsigned about;           /* MRA: message MRAed; REJ: message rejected; SIDR_REP: status */
	unsigned reason;          /* REJ */
	unsigned service_timeout; /* MRA */
	uint32_t qpn;             /* of the sender; DREQ: of the receiver as the sender knows it */
	uint32_t starting_psn;
	uint64_t svc;           /* REQ, SIDR_REQ */
	uint32_t local, remote; /* comm ids; NO_ID for zero */
	uint64_t tid;
	unsigned cut; /* captured bytes of the frame, 0 for all */
	const char *private_data;
	int same_packet; /* 1: the network doubles the last packet of this side */
	int bad_icrc;
	unsigned vlan; /* seen under this VLAN */
};

#define NO_ID 1u

struct story {
	struct tracked t;
	struct rdt_packet packet; /* link and network of all packets; addresses are set by say() */
	struct rdt_addr addr[2];
	uint32_t id[2], qpn[2], starting_psn[2];
	uint64_t tid, svc;
	int64_t now; /* ns; advance it between messages */
	uint32_t qp1_psn[2];
	unsigned max_cm_retries, ack_timeout, cm_timeout, target_ack_delay, path_mtu;
	unsigned retry_count, rnr_retry[2], depth[2], resources[2];
	struct rdt_addr req_addr[2]; /* the REQ's GIDs, where they are not those of the packets */
};

#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define STORY_START (INT64_C(1700000000) * SECOND)

void story_begin(struct story *s, const struct rdt_track_opts *opts);
void story_end(struct story *s);

/* One message, ms after the one before. Returns the tracker's verdict. */
struct rdt_verdict say(struct story *s, int64_t ms, struct say what);
#define SAY(s, ms, side, message, ...) \
	say(s, ms, (struct say){ .from = RDT_##side, .msg = RDT_MSG_##message, __VA_ARGS__ })

/* One data packet to the peer's QP. ext may be NULL. */
struct rdt_verdict send_data(struct story *s, int64_t ms, enum rdt_side from, unsigned opcode,
			     uint32_t psn, const uint8_t *ext, size_t payload);

/* The same with all that a packet can say; addresses and dest_qpn are filled in where they are 0. */
struct rdt_verdict send_packet(struct story *s, int64_t ms, enum rdt_side from,
			       struct rdt_packet packet);

/* An ACK, NAK or RNR NAK of the peer's requests: syndrome and MSN of the AETH. */
struct rdt_verdict send_ack(struct story *s, int64_t ms, enum rdt_side from, uint32_t psn,
			    unsigned syndrome, uint32_t msn);

/* A frame of any bytes. */
struct rdt_verdict send_raw(struct story *s, int64_t ms, const uint8_t *bytes, size_t len);

/* A datagram between the active side and a third party (from PASSIVE: to the active side). */
struct rdt_verdict send_mad(struct story *s, int64_t ms, enum rdt_side from, struct rdt_addr to,
			    const uint8_t mad[RDT_MAD_LEN]);

/* A column of a connection as text: "closed", "null", "0x00000001", "42". Static buffer. */
const char *col(struct story *s, uint32_t conn, const char *name);

/* Fails the test unless the column reads so. */
#define EXPECT(s, conn, name, want)                                                                \
	cr_expect_str_eq(col(s, conn, name), want, "connection %u: %s is %s, want %s", conn, name, \
			 col(s, conn, name), want)

/*
 * The path of a machine on a side as "IDLE>REQ_SENT>REP_RCVD": states in the order of the records'
 * times. A ~ follows steps that are inferred. Static buffer.
 */
const char *path(struct story *s, uint32_t conn, enum rdt_side side, enum rdt_machine machine);

/* The events of a side's program: "ADDR_RESOLVED ROUTE_RESOLVED REJECTED(8)". Static buffer. */
const char *events(struct story *s, uint32_t conn, enum rdt_side side);

#define EXPECT_PATH(s, conn, side, machine, want)                                               \
	cr_expect_str_eq(path(s, conn, RDT_##side, RDT_MACHINE_##machine), want, "%s, want %s", \
			 path(s, conn, RDT_##side, RDT_MACHINE_##machine), want)
#define EXPECT_EVENTS(s, conn, side, want)                                 \
	cr_expect_str_eq(events(s, conn, RDT_##side), want, "%s, want %s", \
			 events(s, conn, RDT_##side), want)

/* A whole handshake, 10 ms between messages; and a whole close by a side. */
void connect_both(struct story *s);
void close_by(struct story *s, enum rdt_side side);

#endif
