/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Out-of-band set-up: the texts by which programs that use verbs without a connection manager tell
 * each other their QPs, over a TCP connection of their own (ibv_*_pingpong, perftest). The formats stand
 * in wire/exchange.def.
 *
 * Looks at bytes and nothing else: which connection they set up is the tracker's to say. Allocates
 * nothing, keeps nothing, safe from any thread.
 */
#ifndef RDMATRACE_EXCHANGE_H
#define RDMATRACE_EXCHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose text it is: X(symbol, JSON value, text) */
#define RDT_PROGRAM_LIST(X)                                                      \
	X(NONE, NULL, "unknown")                                                 \
	X(PINGPONG, "pingpong", "ibv_rc_pingpong, ibv_uc_, ibv_ud_ or ibv_srq_") \
	X(XSRQ_PINGPONG, "xsrq_pingpong", "ibv_xsrq_pingpong")                   \
	X(PERFTEST, "perftest", "perftest (ib_write_bw, ib_send_lat and the like)")

enum rdt_program {
#define X(symbol, key, text) RDT_PROGRAM_##symbol,
	RDT_PROGRAM_LIST(X)
#undef X
		RDT_PROGRAM_COUNT
};

const char *rdt_program_key(enum rdt_program program);
const char *rdt_program_text(enum rdt_program program);

enum rdt_exchange_format {
#define X(symbol, program, pattern, source) RDT_EXCHANGE_##symbol,
#include "wire/exchange.def"
#undef X
	RDT_EXCHANGE_FORMATS
};

/* Of a format: its program, its length with the zero byte, and who writes it (static texts). */
enum rdt_program rdt_exchange_program(enum rdt_exchange_format format);
size_t rdt_exchange_len(enum rdt_exchange_format format);
const char *rdt_exchange_source(enum rdt_exchange_format format);

/* No text is longer, its zero byte included. */
#define RDT_EXCHANGE_MAX 132

/* What a side tells of one QP. Values that the format does not have are 0: see has(). */
struct rdt_exchange_text {
	uint8_t format;    /* enum rdt_exchange_format */
	uint8_t has;       /* 1 << RDT_TELLS_x */
	uint32_t lid;      /* 0 on RoCE */
	uint32_t qpn;      /* the sender's own; XRC: the one it sends from */
	uint32_t recv_qpn; /* XRC: the one it receives on */
	uint32_t psn;      /* the first PSN that it will send */
	uint32_t rkey, srqn, out_reads;
	uint64_t vaddr;
	uint8_t gid[16]; /* all zero: LIDs are used, or nobody thought of it (-g, -x) */
};

enum rdt_tells { RDT_TELLS_GID, RDT_TELLS_RKEY, RDT_TELLS_RECV_QPN, RDT_TELLS_SRQN };

static inline bool rdt_exchange_has(const struct rdt_exchange_text *text, enum rdt_tells what)
{
	return text->has >> what & 1;
}

/* How bytes fit what is looked for. */
enum rdt_fit {
	RDT_FIT_NO,
	RDT_FIT_MORE, /* so far they do: more of them would tell */
	RDT_FIT_YES,
};

/*
 * Do bytes begin with one of the texts?
 *
 * bytes, len  what is there; bytes after the text are not looked at.
 * ret_text    filled when the answer is RDT_FIT_YES, untouched otherwise.
 */
enum rdt_fit rdt_exchange_parse(const uint8_t *bytes, size_t len,
				struct rdt_exchange_text *ret_text);

/* perftest begins with its version, "6.06" filled up with zeros to this many bytes. */
#define RDT_PERFTEST_VERSION 16
enum rdt_fit rdt_exchange_version(const uint8_t *bytes, size_t len);

/* "done" or "END" and a zero byte: the sender is ready, or has finished. *ret_len is its length. */
enum rdt_fit rdt_exchange_done(const uint8_t *bytes, size_t len, size_t *ret_len);

#endif
