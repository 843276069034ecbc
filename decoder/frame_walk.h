/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the decoder only: the walk of frame.c, told to write down the headers it passes.
 * So that the order of link, network and tunnel headers is known in one place.
 */
#ifndef RDMATRACE_FRAME_WALK_H
#define RDMATRACE_FRAME_WALK_H

#include "rdmatrace/layers.h"

/*
 * List the headers up to UDP, TCP, ARP, ICMP, GRH or LRH, outermost first, at most max.
 * buf and frame as in rdt_layers(). Returns how many there are.
 */
size_t rdt_frame_walk(const uint8_t *buf, const struct rdt_frame *frame, struct rdt_layer *layers,
		      size_t max);

#endif
