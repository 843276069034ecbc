/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -w: a pcapng of packets with comments. Written here and not by wiretap because wiretap cannot
 * write link type 247 (native InfiniBand), and a program without wiretap must write too. The format
 * is the IETF's draft-ietf-opsawg-pcapng: section, interface and enhanced packet blocks, options.
 */
#ifndef RDMA_TRACE_PCAPNG_H
#define RDMA_TRACE_PCAPNG_H

#include "cli.h"

struct pcapng;

/* Begin a file. comment goes into its section header. NULL after printing why. */
struct pcapng *pcapng_create(const char *path, const char *comment);

/* Could it be begun there? False after printing why not. Leaves nothing behind. */
bool pcapng_can_create(const char *path);

/* Add a packet, unchanged. name is the capture it is from; comment may be NULL. */
void pcapng_add(struct pcapng *p, const struct packet *packet, const char *name,
		const char *comment);

/* Finish. Returns code, or CLI_ENV after printing that it could not be written. */
int pcapng_close(struct pcapng *p, int code);

#endif
