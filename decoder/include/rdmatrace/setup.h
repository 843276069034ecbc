/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known beside struct rdt_conn of connections that no InfiniBand CM message set up: those that
 * programs told each other over TCP (kind OOB), and those of iWARP (kind MPA).
 *
 * The records belong to the tracker: borrowed, valid until the connection is evicted, and their
 * members change while feeding.
 */
#ifndef RDMATRACE_SETUP_H
#define RDMATRACE_SETUP_H

#include <stdint.h>

#include "exchange.h"
#include "track.h"

/* ---- out-of-band ---------------------------------------------------------------------------- */

/* What one side told of its QP, and what its peer then did with it. */
struct rdt_told {
	int64_t ns;
	uint32_t frame; /* of the text's last byte; 0: not captured, and nothing below is valid */
	uint32_t lid, rkey, srqn, out_reads;
	uint64_t vaddr;
	uint8_t gid[16];
	uint8_t has;          /* 1 << RDT_TELLS_x: which of them its format has */
	uint8_t addr_differs; /* 1: its packets come from another address than it told */
	uint8_t input;
	uint32_t again;      /* times it told the same again (perftest's barriers) */
	uint32_t done_frame; /* of its "done", 0 when none was seen */
	/* The peer's first RDMA access to it: READ, WRITE or atomic. */
	uint32_t access_frame; /* 0: none */
	uint32_t access_rkey;
	uint64_t access_va;
	uint32_t other_rkey_frame; /* first access by another rkey than it told, 0: none */
};

struct rdt_exchange {
	struct rdt_told told[RDT_SIDES];
	uint32_t tcp_addr[RDT_SIDES];       /* rdt_tracker_addr(): where the exchange took place */
	char version[RDT_PERFTEST_VERSION]; /* perftest's, "" when not captured */
	uint8_t program;                    /* enum rdt_program */
	uint8_t format;                     /* enum rdt_exchange_format */
	uint8_t by_psn; /* 1: a side was recognised by its first PSN, for want of its text */
};

/* The exchange that announced a connection; NULL when its kind is another. */
const struct rdt_exchange *rdt_tracker_exchange(const struct rdt_tracker *t,
						const struct rdt_conn *conn);

/* Can packets between the GIDs that were told arrive? X(symbol, JSON value, text) */
#define RDT_GIDS_LIST(X)                                                                      \
	X(UNKNOWN, NULL, "not both sides told one")                                           \
	X(FINE, "fine", "nothing speaks against them")                                        \
	X(ZERO, "zero",                                                                       \
	  "a GID is zero: RoCE needs one, and the program must be told which (-g or -x)")     \
	X(MIXED, "mixed",                                                                     \
	  "one GID is an IPv4 address, the other is not: no packet goes between the kinds")   \
	X(LINK_LOCAL_ONE, "link-local-one",                                                   \
	  "one GID is link-local (fe80::) and the other is not: nothing routes between them") \
	X(LINK_LOCAL, "link-local",                                                           \
	  "both GIDs are link-local (fe80::): they work on one and the same link only")

enum rdt_gids {
#define X(symbol, key, text) RDT_GIDS_##symbol,
	RDT_GIDS_LIST(X)
#undef X
		RDT_GIDS_COUNT
};

const char *rdt_gids_key(enum rdt_gids gids);
const char *rdt_gids_text(enum rdt_gids gids);
enum rdt_gids rdt_exchange_gids(const struct rdt_exchange *exchange);

/* ---- iWARP ---------------------------------------------------------------------------------- */

#define RDT_RDMAP_OPCODES 12

/* One end: its start frame, and the stream that it sent after it. */
struct rdt_iwarp_end {
	uint32_t start_frame; /* of its MPA request or reply; 0: not captured */
	uint16_t ird, ord;    /* of the enhanced data; valid with enhanced */
	uint16_t pd_length;   /* private data, enhanced data included */
	uint8_t rev;
	uint8_t has_start : 1, markers : 1, crc : 1, reject : 1, enhanced : 1, peer_to_peer : 1;
	uint8_t rtr; /* kinds of ready-to-receive: RDT_RTR_x bits */

	uint32_t fpdus;
	uint32_t crc_ok, crc_bad;
	uint32_t crc_unknown; /* CRC in use, but the capture lacks some of the bytes */
	uint32_t crc_bad_frame;
	uint32_t markers_ok, markers_bad, marker_bad_frame;
	uint32_t malformed; /* FPDUs whose DDP or RDMAP header contradicts itself */
	uint32_t malformed_frame;
	uint64_t unframed; /* bytes of the stream that could not be told apart */
	uint32_t gaps;     /* times that framing was lost: the capture lacks bytes */
	uint32_t messages[RDT_RDMAP_OPCODES]; /* whole DDP messages, by RDMAP opcode */
	uint32_t first_frame;                 /* of its first FPDU */
	uint32_t term_frame;                  /* of its TERMINATE; 0: none */
	uint16_t term_error; /* value of the list term_error (enums.def); valid with term_known */
	uint8_t term_known : 1, term_swapped : 1; /* swapped: nibbles in host order (Linux siw) */
};

#define RDT_RTR_SEND 1u
#define RDT_RTR_WRITE 2u
#define RDT_RTR_READ 4u

/* The initiator's ready-to-receive (RFC 6581): X(symbol, JSON value, text) */
#define RDT_RTR_LIST(X)                                                        \
	X(NONE, NULL, "not asked for")                                         \
	X(WAITING, "waiting", "agreed, not seen")                              \
	X(OK, "ok", "came as agreed")                                          \
	X(OTHER, "other-kind", "came, but of a kind that was not agreed")      \
	X(NO_COMMON, "no-common-kind", "the two sides have no kind in common") \
	X(MISSING, "missing", "agreed, but the initiator's first message is no ready-to-receive")

enum rdt_rtr {
#define X(symbol, key, text) RDT_RTR_IS_##symbol,
	RDT_RTR_LIST(X)
#undef X
		RDT_RTR_COUNT
};

const char *rdt_rtr_key(enum rdt_rtr rtr);
const char *rdt_rtr_text(enum rdt_rtr rtr);

struct rdt_iwarp {
	struct rdt_iwarp_end end[RDT_SIDES];
	uint8_t rtr;        /* enum rdt_rtr */
	uint8_t rtr_agreed; /* RDT_RTR_x bits that both sides named */
	uint8_t crc_used;   /* 1: FPDUs carry a CRC */
};

/* The iWARP part of a connection; NULL when its kind is another. */
const struct rdt_iwarp *rdt_tracker_iwarp(const struct rdt_tracker *t, const struct rdt_conn *conn);

#endif
