/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32 on processors with carry-less multiplication. Internal to rdt_crc32(). */
#ifndef RDT_CRC32_H
#define RDT_CRC32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May crc32_x86() be called on this processor? */
bool crc32_x86_usable(void);

/*
 * The CRC's inner state (not complemented) after len bytes: len is a multiple of 16, at least 16.
 */
uint32_t crc32_x86(uint32_t state, const uint8_t *buf, size_t len);

#endif
