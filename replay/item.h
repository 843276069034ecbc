/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What passes between the two ends of a replay: one message, packet or operation, when and from
 * whom. Frames are whole Ethernet frames; where a backend has no link or network header (a socket,
 * another link type) they are made here, with an ICRC that is right or wrong as it was.
 */
#ifndef REPLAY_ITEM_H
#define REPLAY_ITEM_H

#include "rdmatrace/track.h"
#include "replay/image.h"

struct rp_item {
	int64_t ns; /* when it was sent or received */
	struct rp_msg msg;
	uint8_t from; /* enum rdt_side */
	bool bad_icrc;
	bool malformed; /* too short for what its opcode says: msg is the opcode, nothing else is read */
	bool cut;       /* the script has shortened it: its last bytes are no ICRC */
	bool duplicated; /* a copy that the network made */
	uint32_t frame;  /* its number in a capture, 0 without */
	uint8_t *bytes;  /* the frame; NULL for operations and TCP events */
	size_t len;
	struct rp_op op; /* family RP_OP */
};

struct rp_item *rp_item_new(enum rdt_side from, int64_t ns);
void rp_item_free(void *item); /* NULL is allowed */
struct rp_item *rp_item_copy(const struct rp_item *item);

/* What carries a packet, when only the bytes from the BTH on are there. */
struct rp_carrier {
	struct rdt_addr src, dst;
	uint16_t sport, dport;
	uint8_t tos, ttl;
	uint16_t ip_id;
	bool tagged;   /* with a VLAN tag */
	uint16_t vlan; /* its control: PCP 3, DEI 1, VID 12 bits */
};

/* MAC addresses of frames for which nobody has said any. */
#define RP_MAC_DST UINT64_C(0x020000000001)
#define RP_MAC_SRC UINT64_C(0x020000000002)

struct rdt_packet;

/* Make an item's frame of a packet's description, from Ethernet on. False when it cannot be one. */
bool rp_item_encode(struct rp_item *item, const struct rdt_packet *packet);

/*
 * Make an item's frame of the bytes from the BTH to the end of the ICRC. The ICRC is computed anew,
 * wrong when item->bad_icrc says so. Returns false when the bytes cannot be a packet.
 */
bool rp_item_wrap(struct rp_item *item, const struct rp_carrier *carrier, const uint8_t *bth,
		  size_t len);

/* The same for the payload of a TCP segment. */
bool rp_item_wrap_tcp(struct rp_item *item, const struct rp_carrier *carrier,
		      const uint8_t *payload, size_t len);

/*
 * Write the ICRC (and the IPv4 checksum) of item's frame again, after its bytes were changed; nothing
 * when it has none.
 */
void rp_item_seal(struct rp_item *item);

/* Find out which message the frame is: sets msg. False when it is none of a script. */
bool rp_item_know(struct rp_item *item);

/* Is it a RoCE packet that is too short for its headers or its MAD? Sets malformed, and msg then. */
bool rp_item_is_malformed(struct rp_item *item);

/* Keep so many bytes from the BTH on, fewer than there are; the lengths of IP and UDP follow. */
void rp_item_cut(struct rp_item *item, size_t keep);

/* Its image; false for a TCP event and for what is no message. */
bool rp_item_image(const struct rp_item *item, struct rp_image *ret_image);

/* The IP header; NULL when the frame has none that is whole. */
uint8_t *rp_item_net(const struct rp_item *item);

/* The bytes from the BTH to the end of the ICRC; NULL when it is not UDP or too short. */
const uint8_t *rp_item_bth(const struct rp_item *item, size_t *ret_len);

/* The bytes that the TCP segment carries; NULL when it is none or too short. */
const uint8_t *rp_item_tcp_payload(const struct rp_item *item, size_t *ret_len);

/* An address in a form that a frame can have: LIDs become addresses of their own. */
struct rdt_addr rp_addr_ip(const struct rdt_addr *addr);

#endif
