// SPDX-License-Identifier: BSD-2-Clause
/* What goes over TCP: iWARP, and QPs that programs tell each other. */
#include "why/stories.h"

#include <stdio.h>
#include <string.h>

#include "rdmatrace/icrc.h"

static uint32_t sent[2]; /* bytes of each direction: a story begins with none */

static void begin(void)
{
	sent[0] = sent[1] = 0;
}

/* Ethernet, IPv4, TCP and its payload; the client has port 40000. */
static void tcp(struct story *s, enum rdt_side from, unsigned port, unsigned flags,
		const void *payload, size_t len)
{
	uint8_t f[600] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0 };
	uint8_t *ip = f + 14, *t = ip + 20;
	const unsigned total = (unsigned)(40 + len), ports[2] = { 40000, port };
	const uint32_t seq = 1000 + sent[from], ack = 1000 + sent[!from];

	ip[0] = 0x45;
	ip[2] = (uint8_t)(total >> 8);
	ip[3] = (uint8_t)total;
	ip[8] = 64;
	ip[9] = 6;
	memcpy(ip + 12, s->addr[from].bytes + 12, 4);
	memcpy(ip + 16, s->addr[!from].bytes + 12, 4);
	t[0] = (uint8_t)(ports[from] >> 8);
	t[1] = (uint8_t)ports[from];
	t[2] = (uint8_t)(ports[!from] >> 8);
	t[3] = (uint8_t)ports[!from];
	for (unsigned i = 0; i < 4; i++) {
		t[4 + i] = (uint8_t)(seq >> (24 - 8 * i));
		t[8 + i] = (uint8_t)(ack >> (24 - 8 * i));
	}
	t[12] = 0x50;
	t[13] = (uint8_t)flags;
	memcpy(t + 20, payload, len);
	sent[from] += (uint32_t)len + (flags & 3 ? 1 : 0);
	send_raw(s, 1, f, 14 + total);
}

#define SYN 0x02u
#define PSH 0x18u

static void open_tcp(struct story *s, unsigned port)
{
	begin();
	tcp(s, RDT_ACTIVE, port, SYN, "", 0);
	tcp(s, RDT_PASSIVE, port, SYN | 0x10, "", 0);
	tcp(s, RDT_ACTIVE, port, 0x10, "", 0);
}

/* ---- iWARP ------------------------------------------------------------------------------------------- */

static void mpa(struct story *s, enum rdt_side from, unsigned flags)
{
	uint8_t frame[20];

	memcpy(frame, from == RDT_ACTIVE ? "MPA ID Req Frame" : "MPA ID Rep Frame", 16);
	frame[16] = (uint8_t)flags;
	frame[17] = 1;
	frame[18] = frame[19] = 0;
	tcp(s, from, 7174, PSH, frame, sizeof(frame));
}

#define MARKERS 0x80u
#define CRC 0x40u

static void mpa_crc(struct story *s)
{
	open_tcp(s, 7174);
	mpa(s, RDT_ACTIVE, CRC);
	mpa(s, RDT_PASSIVE, 0);
}

/* A SEND of 4 bytes with a right CRC; a marker that points pointer bytes back stands before it. */
static void fpdu(struct story *s, enum rdt_side from, const uint8_t *ulpdu, uint32_t len,
		 int marker)
{
	uint8_t frame[128];
	uint8_t *at = frame;
	uint32_t crc, pad = (4 - (len + 2) % 4) % 4;

	if (marker >= 0) {
		memset(at, 0, 4);
		at[3] = (uint8_t)marker;
		at += 4;
	}
	at[0] = 0;
	at[1] = (uint8_t)len;
	memcpy(at + 2, ulpdu, len);
	memset(at + 2 + len, 0, pad);
	crc = rdt_crc32c(0, frame, (size_t)(at - frame) + 2 + len + pad);
	at += 2 + len + pad;
	for (unsigned i = 0; i < 4; i++)
		at[i] = (uint8_t)(crc >> (8 * i));
	tcp(s, from, 7174, PSH, frame, (size_t)(at + 4 - frame));
}

/* Untagged, last, DDP and RDMAP version 1; queue, message number, offset. */
static size_t untagged(uint8_t *ulpdu, unsigned opcode, unsigned queue, const void *data,
		       size_t len)
{
	memset(ulpdu, 0, 18);
	ulpdu[0] = 0x41;
	ulpdu[1] = (uint8_t)(0x40 | opcode);
	ulpdu[9] = (uint8_t)queue;
	ulpdu[13] = 1;
	memcpy(ulpdu + 18, data, len);
	return 18 + len;
}

static void terminate_without_name(struct story *s)
{
	uint8_t ulpdu[64];

	open_tcp(s, 7174);
	mpa(s, RDT_ACTIVE, CRC);
	mpa(s, RDT_PASSIVE, CRC);
	fpdu(s, RDT_ACTIVE, ulpdu, (uint32_t)untagged(ulpdu, 3, 0, "ping", 4), -1);
	fpdu(s, RDT_PASSIVE, ulpdu, (uint32_t)untagged(ulpdu, 7, 2, "\x0e\xee\0\0", 4), -1);
}

/* The initiator asked for markers; the responder's first one does not point to its FPDU. */
static void wrong_marker(struct story *s)
{
	uint8_t ulpdu[64];

	open_tcp(s, 7174);
	mpa(s, RDT_ACTIVE, CRC | MARKERS);
	mpa(s, RDT_PASSIVE, CRC);
	fpdu(s, RDT_PASSIVE, ulpdu, (uint32_t)untagged(ulpdu, 3, 0, "ping", 4), 64);
}

/* ---- exchanges ------------------------------------------------------------------------------------------ */

#define GID_2 "00000000000000000000ffff0a000002"
#define GID_1 "00000000000000000000ffff0a000001"
#define GID_9 "00000000000000000000ffff0a000009"
#define GID_6 "20010db8000000000000000000000001"
#define GID_LOCAL "fe80000000000000505400fffe000001"
#define GID_ZERO "00000000000000000000000000000000"

static void told(struct story *s, enum rdt_side from, const char *gid)
{
	char text[64];

	snprintf(text, sizeof(text), "0000:%06x:%06x:%s", (unsigned)s->qpn[from],
		 from == RDT_ACTIVE ? 0x200 : 0x100, gid);
	tcp(s, from, 18515, PSH, text, strlen(text) + 1);
}

static void exchange(struct story *s, const char *active, const char *passive)
{
	open_tcp(s, 18515);
	told(s, RDT_ACTIVE, active);
	told(s, RDT_PASSIVE, passive);
}

static void pings(struct story *s)
{
	for (unsigned i = 0; i < 4; i++) {
		send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200 + i, NULL, 64);
		send_ack(s, 1, RDT_PASSIVE, 0x200 + i, ACK, i + 1);
	}
}

static void exchange_and_data(struct story *s)
{
	exchange(s, GID_2, GID_1);
	pings(s);
	wait_ms(s, 5000);
}

static void exchange_and_nothing(struct story *s)
{
	exchange(s, GID_2, GID_1);
	wait_ms(s, 5000);
}

static void zero_gid(struct story *s)
{
	exchange(s, GID_ZERO, GID_1);
	wait_ms(s, 5000);
}

static void mixed_gids(struct story *s)
{
	exchange(s, GID_2, GID_6);
	wait_ms(s, 5000);
}

static void one_link_local(struct story *s)
{
	exchange(s, GID_LOCAL, GID_6);
	wait_ms(s, 5000);
}

static void other_address(struct story *s)
{
	exchange(s, GID_9, GID_1);
	pings(s);
}

static void exchange_other_psn(struct story *s)
{
	exchange(s, GID_2, GID_1);
	send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x9000, NULL, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x9000, ACK, 1);
}

/* perftest tells R_Keys: the peer writes with another. */
static void other_rkey(struct story *s)
{
	uint8_t reth[RDT_LEN_reth] = { 0 };
	char text[160];

	open_tcp(s, 18515);
	for (unsigned from = 0; from < 2; from++) {
		snprintf(text, sizeof(text),
			 "0000:0010:%06x:%06x:%08x:%016llx:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:"
			 "00:00:%02x:"
			 "00000000:",
			 (unsigned)s->qpn[from], from == RDT_ACTIVE ? 0x200 : 0x100, 0x1000 + from,
			 0x7f0000001000ull, 2 - from);
		tcp(s, (enum rdt_side)from, 18515, PSH, text, strlen(text) + 1);
	}
	rdt_reth_set_dma_len(reth, 64);
	rdt_reth_set_rkey(reth, 0x7777);
	rdt_reth_set_va(reth, 0x7f0000001000ull);
	send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_WRITE_ONLY, 0x200, reth, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x200, ACK, 1);
}

const struct why_story stories_tcp[] = {
	{ "mpa-crc", "MPA-CRC-MISMATCH", mpa_crc },
	{ "terminate-without-name", "MPA-TERMINATE-ODD", terminate_without_name },
	{ "wrong-marker", "MPA-MARKERS MPA-MARKER-WRONG", wrong_marker },
	{ "exchange-and-data", "", exchange_and_data },
	{ "exchange-and-nothing", "OOB-NODATA", exchange_and_nothing },
	{ "zero-gid", "OOB-GID-ZERO OOB-NODATA", zero_gid },
	{ "mixed-gids", "OOB-GID-MIXED OOB-NODATA", mixed_gids },
	{ "one-link-local", "OOB-GID-LOCAL OOB-NODATA", one_link_local },
	{ "other-address", "OOB-ADDR", other_address },
	{ "exchange-other-psn", "CM-PSN-MISMATCH", exchange_other_psn },
	{ "other-rkey", "OOB-RKEY", other_rkey },
	{ NULL, NULL, NULL },
};
