/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hot path: from bytes to field values, without tables at run time.
 *
 * Every wire field is one row of wire/<family>.def. From a row F(bth, psn, ...) come
 *
 *   uint32_t rdt_bth_psn(const uint8_t *hdr)              the value, host order
 *   void     rdt_bth_set_psn(uint8_t *hdr, uint32_t v)    the low bits of v; others untouched
 *   RDT_F_bth_psn                                         its index in rdt_fields[] (field.h)
 *
 * and from H(bth, 12, ...) the header's id RDT_H_bth and length RDT_LEN_bth in bytes.
 * Fields of kind BYTES, TEXT and GID have rdt_x_y(hdr), a pointer into hdr, and
 * RDT_SIZE_x_y, their size in bytes. hdr is the first byte of the header; no alignment
 * is needed. Accessors check nothing: the caller has checked once that the header is
 * there (rdt_pkt_parse here, rdt_layer in layers.h).
 *
 * Allocates nothing, keeps nothing, safe from any thread.
 */
#ifndef RDMATRACE_WIRE_H
#define RDMATRACE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"
#include "status.h"

/* Header ids and lengths. */
enum rdt_hdr_id {
#define H(h, bytes, label, spec) RDT_H_##h,
#define F(h, name, at, width, kind, show, unit, names, label)
#define E(h)
#include "wire/all.def"
#undef H
	RDT_HDR_COUNT
};

enum {
#define H(h, bytes, label, spec) RDT_LEN_##h = (bytes),
#include "wire/all.def"
#undef H
#undef F
};

/* Field ids, in the order of the rows; and the size of those that are byte runs. */
enum rdt_field_id {
#define H(h, bytes, label, spec)
#define F(h, name, at, width, kind, show, unit, names, label) RDT_F_##h##_##name,
#include "wire/all.def"
#undef F
	RDT_FIELD_COUNT
};

enum {
#define F(h, name, at, width, kind, show, unit, names, label) \
	RDT_SIZE_##h##_##name = ((width) + 7) / 8,
#include "wire/all.def"
#undef F
/* Bytes of the header that must be there for a field to be read. */
#define F(h, name, at, width, kind, show, unit, names, label) \
	RDT_NEED_##h##_##name = ((at) + (width) + 7) / 8,
#include "wire/all.def"
#undef F
#undef H
#undef E
};

/* What a row is checked for: it lies in its header, and its value can be loaded at once. */
#define RDT_CHECK_NUM(h, name, at, width)                                                  \
	_Static_assert((width) >= 1 && (width) <= 64 && (at) + (width) <= RDT_LEN_##h * 8, \
		       #h "." #name " leaves the header");                                 \
	_Static_assert(((at) + (width)-1) / 8 - (at) / 8 < 8, #h "." #name " touches 9 bytes");
#define RDT_CHECK_BYTES(h, name, at, width)                               \
	_Static_assert((width) >= 8 && (at) + (width) <= RDT_LEN_##h * 8, \
		       #h "." #name " leaves the header");                \
	_Static_assert((at) % 8 == 0 && (width) % 8 == 0, #h "." #name " is not whole bytes");

#define RDT_ACCESS_NUM(type, h, name, at, width)                       \
	RDT_CHECK_NUM(h, name, at, width)                              \
	RDT_INLINE type rdt_##h##_##name(const uint8_t *hdr)           \
	{                                                              \
		return (type)rdt_bits_get(hdr, (at), (width));         \
	}                                                              \
	RDT_INLINE void rdt_##h##_set_##name(uint8_t *hdr, type value) \
	{                                                              \
		rdt_bits_set(hdr, (at), (width), value);               \
	}
#define RDT_ACCESS_RUN(h, name, at, width)                                       \
	RDT_CHECK_BYTES(h, name, at, width)                                      \
	RDT_INLINE const uint8_t *rdt_##h##_##name(const uint8_t *hdr)           \
	{                                                                        \
		return hdr + (at) / 8;                                           \
	}                                                                        \
	RDT_INLINE void rdt_##h##_set_##name(uint8_t *hdr, const uint8_t *bytes) \
	{                                                                        \
		memcpy(hdr + (at) / 8, bytes, (width) / 8);                      \
	}

#define RDT_UINT_TYPE(width) \
	__typeof__(__builtin_choose_expr((width) > 32, (uint64_t)0, (uint32_t)0))
#define RDT_ACCESS_UINT(h, name, at, width) RDT_ACCESS_NUM(RDT_UINT_TYPE(width), h, name, at, width)
#define RDT_ACCESS_RSVD(h, name, at, width) RDT_ACCESS_NUM(RDT_UINT_TYPE(width), h, name, at, width)
#define RDT_ACCESS_FLAG(h, name, at, width)                               \
	_Static_assert((width) == 1, #h "." #name ": a flag is one bit"); \
	RDT_ACCESS_NUM(bool, h, name, at, width)
#define RDT_ACCESS_GUID(h, name, at, width) RDT_ACCESS_NUM(uint64_t, h, name, at, width)
#define RDT_ACCESS_MAC(h, name, at, width) RDT_ACCESS_NUM(uint64_t, h, name, at, width)
#define RDT_ACCESS_IPV4(h, name, at, width) RDT_ACCESS_NUM(uint32_t, h, name, at, width)
#define RDT_ACCESS_BYTES(h, name, at, width) RDT_ACCESS_RUN(h, name, at, width)
#define RDT_ACCESS_TEXT(h, name, at, width) RDT_ACCESS_RUN(h, name, at, width)
#define RDT_ACCESS_GID(h, name, at, width)                                  \
	_Static_assert((width) == 128, #h "." #name ": a GID is 16 bytes"); \
	RDT_ACCESS_RUN(h, name, at, width)
/* Numbers stored least significant byte first: whole bytes only. */
#define RDT_ACCESS_UINT_LE(h, name, at, width)                                                 \
	RDT_CHECK_NUM(h, name, at, width)                                                      \
	_Static_assert((at) % 8 == 0 && (width) % 8 == 0, #h "." #name " is not whole bytes"); \
	RDT_INLINE RDT_UINT_TYPE(width) rdt_##h##_##name(const uint8_t *hdr)                   \
	{                                                                                      \
		return (RDT_UINT_TYPE(width))rdt_le_get(hdr + (at) / 8, (width) / 8);          \
	}                                                                                      \
	RDT_INLINE void rdt_##h##_set_##name(uint8_t *hdr, RDT_UINT_TYPE(width) value)         \
	{                                                                                      \
		rdt_le_set(hdr + (at) / 8, (width) / 8, value);                                \
	}

#define H(h, bytes, label, spec)
#define F(h, name, at, width, kind, show, unit, names, label) RDT_ACCESS_##kind(h, name, at, width)
#define E(h)
#include "wire/all.def"
#undef H
#undef F
#undef E

/* Every bit of every header has a row. */
#define H(h, bytes, label, spec) _Static_assert(0
#define F(h, name, at, width, kind, show, unit, names, label) +(width)
#define E(h) == RDT_LEN_##h * 8, #h ": the rows do not cover the header");
#include "wire/all.def"
#undef H
#undef F
#undef E

/* ---- BTH opcodes ---------------------------------------------------------------------- */

/* Extended headers in the one order in which they can follow a BTH. */
#define RDT_EXT_LIST(X) \
	X(rdeth)        \
	X(xrceth)       \
	X(deth) X(feth) X(reth) X(atomiceth) X(aeth) X(atomicacketh) X(immdt) X(ieth) X(cnp)

enum rdt_ext_id {
#define X(h) RDT_EXT_##h,
	RDT_EXT_LIST(X)
#undef X
		RDT_EXT_COUNT
};

/* The upper three bits of an opcode. */
enum rdt_service {
	RDT_SVC_RC,
	RDT_SVC_UC,
	RDT_SVC_RD, /* also NVIDIA's DC, whose headers are not published: see rdt_pkt_is_vendor() */
	RDT_SVC_UD,
	RDT_SVC_CNP,
	RDT_SVC_XRC,
	RDT_SVC_VENDOR0,
	RDT_SVC_VENDOR1,
};

enum rdt_op_kind { RDT_OP_NONE, RDT_OP_REQUEST, RDT_OP_RESPONSE, RDT_OP_NOTIFY };
enum rdt_op_place { RDT_OP_FIRST, RDT_OP_MIDDLE, RDT_OP_LAST, RDT_OP_ONLY };

/* One of the 256 opcodes. text is NULL and hdr_len 0 for those that are not assigned. */
struct rdt_opcode {
	const char *text;
	uint16_t ext;               /* bit RDT_EXT_x: that header is there */
	uint8_t hdr_len;            /* bytes of BTH and extended headers */
	uint8_t kind;               /* enum rdt_op_kind */
	uint8_t place;              /* enum rdt_op_place */
	uint8_t payload;            /* 1: bytes of the message follow */
	uint8_t plain;              /* 1: assigned, and no vendor uses it otherwise (RD range) */
	uint8_t off[RDT_EXT_COUNT]; /* from the BTH's first byte; valid where ext says so */
};

extern const struct rdt_opcode rdt_opcodes[256];

/* Names of the opcode bytes: RDT_OP_RC_SEND_ONLY and so on. */
enum rdt_opcode_value {
#define OP(value, symbol, text, ext, kind, place, payload) RDT_OP_##symbol = (value),
#include "wire/opcode.def"
#undef OP
};

RDT_INLINE enum rdt_service rdt_opcode_service(uint8_t opcode)
{
	return (enum rdt_service)(opcode >> 5);
}

/* ---- one transport packet ------------------------------------------------------------- */

/* The headers of a packet; borrows the bytes it was parsed from. */
struct rdt_pkt {
	const uint8_t *bth;
	const struct rdt_opcode *op;
	uint32_t payload_len; /* bytes of message on the wire, pad and ICRC not counted */
	uint32_t have;        /* bytes captured from the BTH on, at most the wire length */
};

/*
 * Find the headers of one transport packet.
 *
 * bth      first byte of the BTH.
 * have     bytes that can be read there.
 * len      bytes from the BTH to the last byte of the ICRC on the wire; >= have. The length
 *          must come from the enclosing header, not from the capture (frame.h).
 * ret_pkt  filled on RDT_OK, untouched otherwise. Borrows bth.
 *
 * After RDT_OK every rdt_pkt_x() that is not NULL points at a whole header: one bounds check
 * a packet, here. The payload itself may be cut (have).
 *
 * Returns RDT_OK; RDT_SNAPPED when the headers are longer than have; RDT_MALFORMED when len
 * cannot hold the headers, the pad and the ICRC; RDT_OPCODE when the opcode is not assigned
 * or the vendor's (BTH accessors work when have >= RDT_LEN_bth).
 */
RDT_INLINE RDT_NODISCARD enum rdt_status rdt_pkt_parse(const uint8_t *bth, size_t have, size_t len,
						       struct rdt_pkt *ret_pkt);

/*
 * Is this a vendor's transport whose headers nobody published? True for opcodes 0xc0-0xff and
 * for 0x40-0x5f where the bytes cannot be RD (reserved bytes of RDETH or DETH are not zero, or
 * the packet is too short for them): NVIDIA's DC uses the RD range.
 * bth has have >= RDT_LEN_bth bytes; len as in rdt_pkt_parse().
 */
bool rdt_pkt_is_vendor(const uint8_t *bth, size_t have, size_t len);

/* The rest of rdt_pkt_parse(): packets that are cut, wrong, of RD or of a vendor. */
RDT_NODISCARD enum rdt_status rdt_pkt_parse_odd(const uint8_t *bth, size_t have, size_t len,
						struct rdt_pkt *ret_pkt);

RDT_INLINE enum rdt_status rdt_pkt_parse(const uint8_t *bth, size_t have, size_t len,
					 struct rdt_pkt *ret_pkt)
{
	if (have >= RDT_LEN_bth) {
		const struct rdt_opcode *op = &rdt_opcodes[rdt_bth_opcode(bth)];
		const size_t need = (size_t)op->hdr_len + rdt_bth_pad_count(bth) + RDT_LEN_icrc;

		if (op->plain && len >= need && have >= op->hdr_len) {
			ret_pkt->bth = bth;
			ret_pkt->op = op;
			ret_pkt->payload_len = (uint32_t)(len - need);
			ret_pkt->have = (uint32_t)(have < len ? have : len);
			return RDT_OK;
		}
	}
	return rdt_pkt_parse_odd(bth, have, len, ret_pkt);
}

/* rdt_pkt_deth(pkt) and so on: the header's first byte, NULL where the opcode has none. */
#define X(h)                                                                                  \
	RDT_INLINE const uint8_t *rdt_pkt_##h(const struct rdt_pkt *pkt)                      \
	{                                                                                     \
		return pkt->op->ext >> RDT_EXT_##h & 1 ? pkt->bth + pkt->op->off[RDT_EXT_##h] \
						       : NULL;                                \
	}
RDT_EXT_LIST(X)
#undef X

RDT_INLINE const uint8_t *rdt_pkt_payload(const struct rdt_pkt *pkt)
{
	return pkt->bth + pkt->op->hdr_len;
}

/* ---- queue pairs and keys with a fixed meaning ------------------------------------------ */

#define RDT_QPN_MASK 0xffffffu
#define RDT_QP1 1u /* general services: where CM and SA datagrams go */
#define RDT_QP1_QKEY 0x80010000u
#define RDT_MAD_LEN 256u
#define RDT_ROCEV2_PORT 4791u

#endif
