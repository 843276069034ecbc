/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic on 24-bit packet sequence numbers, the only place it is done.
 *
 * A PSN is a uint32_t that holds 24 bits. a is "before" b when it is at most 2^23 - 1
 * behind it, modulo 2^24 (IBTA Vol 1, 9.7.1).
 */
#ifndef RDMATRACE_PSN_H
#define RDMATRACE_PSN_H

#include <stdint.h>

#define RDT_PSN_MASK 0xffffffu

/* a + n, modulo 2^24. */
static inline uint32_t rdt_psn_add(uint32_t a, uint32_t n)
{
	return (a + n) & RDT_PSN_MASK;
}

/* a - b as a signed distance in -2^23 .. 2^23 - 1. */
static inline int32_t rdt_psn_diff(uint32_t a, uint32_t b)
{
	const uint32_t d = (a - b) & RDT_PSN_MASK;

	return d < 0x800000 ? (int32_t)d : (int32_t)d - 0x1000000;
}

#endif
