/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading and writing bit ranges of a header. The only place that knows how bits
 * lie in bytes; everything else names a field.
 *
 * A place is AT(byte, bit) as the InfiniBand specification writes it: byte from the
 * first byte of the header, bit 0 is the first (most significant) bit of that byte.
 * A field may begin and end anywhere, as long as it touches at most 8 bytes.
 */
#ifndef RDMATRACE_BITS_H
#define RDMATRACE_BITS_H

#include <stdint.h>
#include <string.h>

#define RDT_INLINE static inline __attribute__((always_inline))

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define RDT_BE16(v) __builtin_bswap16(v)
#define RDT_BE32(v) __builtin_bswap32(v)
#define RDT_BE64(v) __builtin_bswap64(v)
#else
#define RDT_BE16(v) (v)
#define RDT_BE32(v) (v)
#define RDT_BE64(v) (v)
#endif

#define AT(byte, bit) ((byte)*8 + (bit))

/* The n (1..8) bytes at p as one big-endian number. With a constant n this is one or two loads. */
RDT_INLINE uint64_t rdt_be_load(const uint8_t *p, unsigned n)
{
	uint16_t h;
	uint32_t w;
	uint64_t d;

	switch (n) {
	case 1:
		return p[0];
	case 2:
		memcpy(&h, p, sizeof(h));
		return RDT_BE16(h);
	case 3:
		memcpy(&h, p, sizeof(h));
		return (uint64_t)RDT_BE16(h) << 8 | p[2];
	case 4:
		memcpy(&w, p, sizeof(w));
		return RDT_BE32(w);
	case 8:
		memcpy(&d, p, sizeof(d));
		return RDT_BE64(d);
	default: /* 5, 6, 7: no field of a hot path */
		d = 0;
		for (unsigned i = 0; i < n; i++)
			d = d << 8 | p[i];
		return d;
	}
}

/* The width (1..64) bits at bit position at of hdr. Reads nothing after the bytes that hold them. */
RDT_INLINE uint64_t rdt_bits_get(const uint8_t *hdr, unsigned at, unsigned width)
{
	const unsigned first = at / 8, last = (at + width - 1) / 8, bytes = last - first + 1;
	const unsigned below = 7 - (at + width - 1) % 8;
	uint64_t v;

	/* QPNs and PSNs are three bytes: with the byte before them they are one load. */
	if (bytes == 3 && first >= 1)
		v = rdt_be_load(hdr + first - 1, 4);
	else
		v = rdt_be_load(hdr + first, bytes);
	return v >> below & UINT64_MAX >> (64 - width);
}

/* Put the low width bits of value there. Bits around the field keep their value. */
static inline void rdt_bits_set(uint8_t *hdr, unsigned at, unsigned width, uint64_t value)
{
	const unsigned first = at / 8, last = (at + width - 1) / 8;
	const unsigned below = 7 - (at + width - 1) % 8;
	const uint64_t mask = (UINT64_MAX >> (64 - width)) << below;

	value = value << below & mask;
	for (unsigned i = last + 1, shift = 0; i-- > first; shift += 8)
		hdr[i] = (uint8_t)((hdr[i] & ~(mask >> shift)) | value >> shift);
}

/* The n (1..8) bytes at p as one number, least significant byte first; and back. */
static inline uint64_t rdt_le_get(const uint8_t *p, unsigned n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static inline void rdt_le_set(uint8_t *p, unsigned n, uint64_t value)
{
	for (unsigned i = 0; i < n; i++, value >>= 8)
		p[i] = (uint8_t)value;
}

#endif
