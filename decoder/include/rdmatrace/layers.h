/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A packet as a flat list of known headers, outermost first: what dump, JSON, filters and the
 * Wireshark plugin walk. Which header follows which is decided here and nowhere else
 * (wire/payload.def has the rows: class and attribute, message and service id).
 */
#ifndef RDMATRACE_LAYERS_H
#define RDMATRACE_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#include "field.h"
#include "frame.h"

struct rdt_layer {
	enum rdt_hdr_id hdr;
	uint8_t guess; /* 1: chosen by what the bytes look like, not by a field that says so */
	const uint8_t *bytes; /* first byte of the header */
	uint32_t have; /* bytes of it that were captured; may be less than the header's length */
	uint32_t off;  /* its offset in the frame */
};

/* No packet has more known headers than this. */
#define RDT_LAYERS_MAX 40

/*
 * List the headers of a parsed frame.
 *
 * buf     the frame's first byte (offsets count from there); the same that frame was parsed from.
 * layers  room for RDT_LAYERS_MAX.
 *
 * A header that the capture cut is listed with have < its length; after it come only headers that
 * lie inside it (private data in a cut message). The bytes of layers follow each other or lie
 * inside the one before; options of IPv4 and TCP and payload are no layers.
 * A packet of tunnels in tunnels has more headers than the list has room: then the innermost link
 * and network headers are missing, never those from the BTH on.
 * Private data and TCP payload are looked into only where their first bytes say what they are;
 * TCP payload is taken to begin with a message (no reassembly here).
 * Returns how many were found.
 */
size_t rdt_layers(const uint8_t *buf, const struct rdt_frame *frame,
		  struct rdt_layer layers[RDT_LAYERS_MAX]);

/*
 * Add the headers of an FPDU (RFC 5044, 5041, 5040) to the list of a TCP frame.
 *
 * at  offset in the TCP payload where the FPDU begins; only who follows the stream knows it
 *     (struct rdt_verdict, fpdu_at - 1). Markers inside the headers are not looked for.
 * layers, count  as rdt_layers() left them.
 * Returns the new count.
 */
size_t rdt_layers_fpdu(const uint8_t *buf, const struct rdt_frame *frame, uint32_t at,
		       struct rdt_layer layers[RDT_LAYERS_MAX], size_t count);

/* The first layer of a kind; NULL when the packet has none. */
const struct rdt_layer *rdt_layer_find(const struct rdt_layer *layers, size_t count,
				       enum rdt_hdr_id hdr);

/* Is all of this field captured in that layer? (f->hdr == layer->hdr) */
static inline bool rdt_layer_has(const struct rdt_layer *layer, const struct rdt_field *f)
{
	return rdt_field_need(f) <= layer->have;
}

#endif
