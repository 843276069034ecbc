/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values for people and back: units, durations, field values.
 *
 * Every function writes into the caller's buffer, always terminates it, and returns it. Texts
 * that do not fit are cut; RDT_TEXT_MAX bytes hold any but BYTES and TEXT fields.
 * Nothing is allocated or kept; independent of the locale.
 */
#ifndef RDMATRACE_TEXT_H
#define RDMATRACE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "status.h"

#define RDT_TEXT_MAX 96

/* ---- codes to base units ---------------------------------------------------------------- */

/* 4.096 us x 2^code in ns, exactly; code 0..51 (the field has 5 bits, in SA records 6). */
uint64_t rdt_cm_timeout_ns(unsigned code);

/* How Linux counts the same code: 2^max(code - 8, 0) ms, in ns (kernel cm_convert_to_ms). */
uint64_t rdt_linux_timeout_ns(unsigned code);

/* RNR NAK timer code 0..31 in ns; 0 is 655.36 ms. IBTA Vol 1, table 45. */
uint64_t rdt_rnr_timer_ns(unsigned code);

/* MTU code 1..5 in bytes; 0 for a code that is not assigned. */
unsigned rdt_mtu_bytes(unsigned code);

/* Rate code in bit/s; 0 for a code that is not assigned, and for code 0 (the port's own rate). */
uint64_t rdt_rate_bps(unsigned code);

/* Credit code 0..31 of an ACK's AETH in messages; UINT32_MAX for 31 (no limit stated). */
uint32_t rdt_aeth_credits(unsigned code);

/*
 * A raw value in the unit's base (ns, bytes, bit/s). Returns 0 when the unit has no scale or the
 * code is not assigned, else 1 and *ret_scaled.
 */
int rdt_unit_scale(enum rdt_unit unit, uint64_t raw, uint64_t *ret_scaled);

/* ---- text ----------------------------------------------------------------------------- */

/*
 * A duration with four digits and the unit that suits: 640 ns, 24.22 ms, 4.295 s; from two minutes
 * on in two units, rounded down: 8 min 35 s, 2 h 26 min.
 */
char *rdt_duration_text(uint64_t ns, char *buf, size_t size);

/*
 * Read a duration: number and unit ns, us, ms, s, min or h ("4.295s", "100 ms"), or a sum of such
 * ("2 h 26 min"). RDT_SYNTAX when it is none, RDT_RANGE past 64 bits of ns.
 */
RDT_NODISCARD enum rdt_status rdt_duration_parse(const char *text, size_t len, uint64_t *ret_ns);

/* A raw value with its unit in words: "4.295 s (20)", "7 (infinite)", "1024 B (3)", "tcp port 7174". */
char *rdt_unit_text(enum rdt_unit unit, uint64_t raw, char *buf, size_t size);

/*
 * The error that an RDMAP Terminate (hdr: terminate, 4 bytes) tells: its row of the list
 * term_error; NULL when the list does not have it. Linux siw stores layer and type, and the three
 * flags, in the bit order of its host: ret_swapped (may be NULL) is 1 when the bytes make sense
 * only so. Layer and type must then be read the other way round.
 */
const struct rdt_name *rdt_terminate_error(const uint8_t *terminate, int *ret_swapped);

/*
 * What the additional information of a REJ (hdr: rej, have bytes of it) says, as far as its length
 * and the reason give it a meaning that peers were seen to use: "CA GUID 5054:00ff:fe00:0002"
 * (reason 4), a GID (12, 18), else "13 bytes: 0a1b...". Returns NULL when there is none or the
 * capture cut it off.
 */
char *rdt_rej_ari_text(const uint8_t *rej, size_t have, char *buf, size_t size);

/*
 * A field's value for people: number in its show form, named text, unit, address or hex.
 * hdr has at least rdt_field_need(f) bytes. Long byte runs end in "..." when size is reached.
 */
char *rdt_field_text(const struct rdt_field *f, const uint8_t *hdr, char *buf, size_t size);

/*
 * Read a value for a numeric field: decimal, 0x hex, a name of its list, a duration, size or rate
 * in its unit ("4.295s", "1024"), yes/no for a flag, an address for GUID, MAC, IPV4.
 * A time that no code hits exactly gives the nearest code if it is within 1 %, else RDT_RANGE.
 * RDT_SYNTAX when the text is none of these, RDT_RANGE when it does not fit the field.
 */
RDT_NODISCARD enum rdt_status rdt_field_parse(const struct rdt_field *f, const char *text,
					      size_t len, uint64_t *ret_value);

/*
 * How many letters must be changed, added or left out to make one name of the other, for "did you mean". Case does not
 * count, and dots, dashes and underscores are alike. Both are at most RDT_DISTANCE_MAX bytes.
 */
#define RDT_DISTANCE_MAX 63
unsigned rdt_text_distance(const char *a, size_t alen, const char *b, size_t blen);

#endif
