/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From the packets of a reliable or unreliable connection to the operations that they carry: SENDs,
 * WRITEs, READs with what they brought back, atomics. Repeated packets and acknowledges are none.
 */
#ifndef REPLAY_OPS_H
#define REPLAY_OPS_H

#include <glib.h>

#include "replay/item.h"

/* The kind of an operation by the opcode of its request, as RC has it. False: it is none. */
bool rp_op_kind(unsigned op, uint8_t *ret_kind);

struct rp_ops;

struct rp_ops *rp_ops_new(void);
void rp_ops_free(struct rp_ops *ops);

/*
 * Feed a packet, in the order of the capture. A new operation is appended to items (of struct
 * rp_item *) when its first packet is seen; its bytes grow with the packets that follow.
 * Returns false when the packet is none of an operation.
 */
bool rp_ops_feed(struct rp_ops *ops, const struct rp_item *packet, GPtrArray *items);

#endif
