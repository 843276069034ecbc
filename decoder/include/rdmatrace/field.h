/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same rows as in wire.h, as a table that can be walked: list every field, read, write,
 * name, print and parse one knowing only its row. For people and for formats; a walked field
 * costs some twenty times an accessor, so the tracker never comes here.
 *
 * All tables are constant and in static storage. Nothing is allocated or kept.
 */
#ifndef RDMATRACE_FIELD_H
#define RDMATRACE_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"
#include "wire.h"

/* What the bits are. */
enum rdt_kind {
	RDT_KIND_UINT,    /* unsigned number, 1..64 bits, most significant bit first */
	RDT_KIND_UINT_LE, /* unsigned number, whole bytes, least significant byte first */
	RDT_KIND_FLAG,    /* one bit */
	RDT_KIND_RSVD,    /* reserved: zero on the wire unless somebody is wrong */
	RDT_KIND_BYTES,   /* bytes, shown in hex */
	RDT_KIND_TEXT,    /* bytes, shown as characters */
	RDT_KIND_GID,     /* 16 bytes, shown like an IPv6 address (IPv4 when mapped) */
	RDT_KIND_GUID,    /* 64 bits, shown as 5054:00ff:fe00:0002 */
	RDT_KIND_MAC,     /* 48 bits, shown as 52:54:00:00:00:02 */
	RDT_KIND_IPV4,    /* 32 bits, shown as 10.0.0.2 */
};

enum rdt_show { RDT_SHOW_DEC, RDT_SHOW_HEX };

/*
 * What a raw number measures. The scaled value is what text.h converts to:
 * X(symbol, suffix of the scaled JSON key, what it is)
 */
#define RDT_UNIT_LIST(X)                                                        \
	X(NONE, "", "a plain number")                                           \
	X(BYTES, "", "bytes")                                                   \
	X(DWORDS, "_bytes", "32-bit words")                                     \
	X(OCTETS8, "_bytes", "8-byte units")                                    \
	X(KIB_LESS1, "_bytes", "n + 1 times 1024 bytes")                        \
	X(SECONDS, "_ns", "seconds")                                            \
	X(CM_TIMEOUT, "_ns", "4.096 us x 2^n")                                  \
	X(ACK_TIMEOUT, "_ns", "4.096 us x 2^n, 0 is infinite")                  \
	X(RNR_TIMER, "_ns", "RNR NAK timer code, 0 is the longest (655.36 ms)") \
	X(RNR_RETRY, "", "7 is infinite")                                       \
	X(MTU_CODE, "_bytes", "1..5 are 256..4096 bytes")                       \
	X(RATE_CODE, "_bps", "IBTA rate code")                                  \
	X(AETH_VALUE, "", "credits, RNR timer or NAK code, by the AETH kind")   \
	X(SERVICE_ID, "", "IB service id; port space and port where it is of the RDMA IP CM")

enum rdt_unit {
#define X(symbol, suffix, text) RDT_UNIT_##symbol,
	RDT_UNIT_LIST(X)
#undef X
		RDT_UNIT_COUNT
};

/* ---- named codes ---------------------------------------------------------------------- */

/* RDT_NAMES_rej_reason and so on: one for each list of wire/enums.def, and bth_opcode. */
enum rdt_names_id {
#define L(list, title, source) RDT_NAMES_##list,
#define N(list, value, symbol, key, text)
#define LE(list)
#include "wire/enums.def"
#undef L
#undef N
	RDT_NAMES_bth_opcode,
	RDT_NAMES_COUNT
};

/* RDT_REJ_CONSUMER and so on: the values. */
enum {
#define L(list, title, source)
#define N(list, value, symbol, key, text) RDT_##symbol = (value),
#include "wire/enums.def"
#undef L
#undef N
#undef LE
};

struct rdt_name {
	uint32_t value;
	const char *key;  /* what filters, JSON and scripts say: "invalid-service-id" */
	const char *text; /* what people read */
};

/* One list, its values ascending. */
struct rdt_names {
	const char *list, *title, *source;
	const struct rdt_name *rows;
	size_t count;
};

extern const struct rdt_names rdt_names[RDT_NAMES_COUNT];

/* The row of a value; NULL when the list does not name it. */
const struct rdt_name *rdt_name_find(enum rdt_names_id list, uint64_t value);

/* The key of a value, or fallback when it has none (fallback may be NULL). */
const char *rdt_name_key(enum rdt_names_id list, uint64_t value, const char *fallback);

/* The row whose key is key (len bytes, any case; '_' and '-' are alike); NULL if none. */
const struct rdt_name *rdt_name_parse(enum rdt_names_id list, const char *key, size_t len);

/* ---- fields --------------------------------------------------------------------------- */

struct rdt_field {
	const char *key;   /* "psn"; the full name is the header's key, a dot, this */
	const char *label; /* "Packet sequence number" */
	uint16_t at;       /* first bit, counted from the header's first (most significant) bit */
	uint16_t width;    /* bits */
	uint8_t hdr;       /* enum rdt_hdr_id */
	uint8_t kind;      /* enum rdt_kind */
	uint8_t show;      /* enum rdt_show */
	uint8_t unit;      /* enum rdt_unit */
	uint8_t names;     /* enum rdt_names_id, RDT_NAMES_none for most */
};

struct rdt_hdr {
	const char *key, *label, *spec;
	uint16_t len;        /* bytes */
	uint16_t begin, end; /* its rows are rdt_fields[begin .. end - 1], in wire order */
};

extern const struct rdt_field rdt_fields[RDT_FIELD_COUNT];
extern const struct rdt_hdr rdt_hdrs[RDT_HDR_COUNT];

/* Is the value a number (rdt_field_get) rather than a run of bytes (rdt_field_bytes)? */
static inline bool rdt_field_is_num(const struct rdt_field *f)
{
	return f->kind != RDT_KIND_BYTES && f->kind != RDT_KIND_TEXT && f->kind != RDT_KIND_GID;
}

/* Bytes of the header that must be there for the field to be read. */
static inline size_t rdt_field_need(const struct rdt_field *f)
{
	return ((size_t)f->at + f->width + 7) / 8;
}

/*
 * The number in a field, host order. hdr has at least rdt_field_need(f) bytes.
 * Only for fields that are numbers; 0 for others.
 */
uint64_t rdt_field_get(const struct rdt_field *f, const uint8_t *hdr);

/* Write a number. RDT_RANGE when it needs more bits than the field has; hdr is then untouched. */
RDT_NODISCARD enum rdt_status rdt_field_set(const struct rdt_field *f, uint8_t *hdr,
					    uint64_t value);

/* The first byte of a field that is a run of f->width / 8 bytes. */
static inline const uint8_t *rdt_field_bytes(const struct rdt_field *f, const uint8_t *hdr)
{
	return hdr + f->at / 8;
}

/* The field named "header.key" (len bytes); NULL when there is none. Case matters. */
const struct rdt_field *rdt_field_find(const char *name, size_t len);

/* The header whose key is key (len bytes); NULL when there is none. */
const struct rdt_hdr *rdt_hdr_find(const char *key, size_t len);

#endif
