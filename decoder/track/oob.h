/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Out-of-band set-up: oob.c reads the texts of an exchange and makes a connection of each pair of
 * QPs; oob_match.c finds the packets that belong to them, and holds what was told against them.
 */
#ifndef RDT_TRACK_OOB_H
#define RDT_TRACK_OOB_H

#include "rdmatrace/setup.h"
#include "tcp.h"

#define OOB_CONNS_MAX 16384u /* perftest's most QPs in one run */

/* A side has told its QP: packets to it, and perhaps its first PSN, are waited for. */
void oob_await(struct rdt_tracker *t, struct slot *s, enum rdt_side side);

/* Both sides have: what goes between them is this connection's. */
void oob_pair(struct rdt_tracker *t, struct slot *s);

#endif
