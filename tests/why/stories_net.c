// SPDX-License-Identifier: BSD-2-Clause
/* The network and the capture. */
#include "why/stories.h"

#include <string.h>

static void one(struct story *s, enum rdt_side from, uint32_t psn, size_t size, int bad,
		uint16_t sport)
{
	send_packet(s, 1, from,
		    (struct rdt_packet){ .opcode = RDT_OP_UC_SEND_ONLY,
					 .psn = psn,
					 .payload_len = size,
					 .sport = sport,
					 .bad_icrc = bad });
}

/* UC packets of both sides, so that no answers are missed; those of the active one as bad() says. */
static void senders(struct story *s, int (*bad)(unsigned i), unsigned odd_size)
{
	for (unsigned i = 0; i < 20; i++) {
		one(s, RDT_ACTIVE, 0x200 + i, i % 2 ? 64 : 64 - odd_size, bad(i), 0);
		one(s, RDT_PASSIVE, 0x100 + i, 64, 0, 0);
	}
}

static int bad_some(unsigned i)
{
	return i % 7 == 3;
}

static int bad_even(unsigned i)
{
	return i % 2 == 0;
}

static int bad_all(unsigned i)
{
	(void)i;
	return 1;
}

static void line_noise(struct story *s)
{
	senders(s, bad_some, 0);
}

static void padded(struct story *s)
{
	senders(s, bad_even, 3);
}

static void all_bad(struct story *s)
{
	senders(s, bad_all, 0);
}

/* A whole packet as it would be sent, changed before it is captured. */
static void changed(struct story *s, unsigned count, void (*change)(uint8_t *frame, size_t len))
{
	for (unsigned i = 0; i < count; i++) {
		struct rdt_packet p = s->packet;
		uint8_t frame[512];
		size_t len;

		p.src = s->addr[RDT_ACTIVE];
		p.dst = s->addr[RDT_PASSIVE];
		p.opcode = RDT_OP_UC_SEND_ONLY;
		p.dest_qpn = s->qpn[RDT_PASSIVE];
		p.psn = 0x200 + i;
		p.payload_len = 64;
		if (rdt_packet_encode(&p, frame, sizeof(frame), &len) != RDT_OK)
			return;
		change(frame, len);
		send_raw(s, 1, frame, len);
	}
}

static void set_sport(uint8_t *frame, size_t len)
{
	(void)len;
	frame[34] = 0x12; /* 4791, whatever it was */
	frame[35] = 0xb7;
}

static void zero_icrc(uint8_t *frame, size_t len)
{
	memset(frame + len - 4, 0, 4);
}

/* The last bytes of the BTH and what is behind: one pad byte more than there are bytes. */
static void wrong_length(uint8_t *frame, size_t len)
{
	(void)len;
	frame[42] = 0x1f; /* RC opcode that is not assigned */
}

static void vendor_opcode(uint8_t *frame, size_t len)
{
	(void)len;
	frame[42] = 0xc3;
}

static void rewritten_port(struct story *s)
{
	changed(s, 10, set_sport);
}

static void no_icrc(struct story *s)
{
	changed(s, 10, zero_icrc);
}

static void malformed(struct story *s)
{
	changed(s, 3, wrong_length);
}

static void vendor(struct story *s)
{
	changed(s, 3, vendor_opcode);
}

static void data_before(struct story *s)
{
	connect_both(s);
	send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200, NULL, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x200, ACK, 1);
}

/* Type 3 or whatever, about a RoCE packet of the active side. */
static void icmp(struct story *s, unsigned code, unsigned mtu)
{
	uint8_t f[14 + 20 + 8 + 20 + 8] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 9, 8, 0 };
	uint8_t *ip = f + 14, *inner = f + 14 + 28;

	ip[0] = inner[0] = 0x45;
	ip[3] = 56;
	ip[8] = inner[8] = 64;
	ip[9] = 1;
	memcpy(ip + 12, "\x0a\0\0\x09\x0a\0\0\x02", 8); /* a router to the active side */
	ip[20] = 3;
	ip[21] = (uint8_t)code;
	ip[26] = (uint8_t)(mtu >> 8);
	ip[27] = (uint8_t)mtu;
	inner[3] = 80;
	inner[9] = 17;
	memcpy(inner + 12, "\x0a\0\0\x02\x0a\0\0\x01", 8);
	memcpy(inner + 20, "\xc0\0\x12\xb7", 4);
	send_raw(s, 1, f, sizeof(f));
}

static void too_big(struct story *s)
{
	data_before(s);
	icmp(s, 4, 1500);
}

static void unreachable(struct story *s)
{
	data_before(s);
	icmp(s, 3, 0);
}

static void cnp(struct story *s)
{
	data_before(s);
	send_packet(s, 1, RDT_PASSIVE, (struct rdt_packet){ .opcode = 0x81 });
}

static void arp(struct story *s, unsigned op, unsigned mac)
{
	uint8_t f[60] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, (uint8_t)mac, 8, 6 };

	memcpy(f + 14, "\0\1\x08\0\6\4\0", 7);
	f[21] = (uint8_t)op;
	memcpy(f + 22, "\2\0\0\0\0", 5);
	f[27] = (uint8_t)mac;
	memcpy(f + 28, "\x0a\0\0\1", 4);
	memcpy(f + 32, "\2\0\0\0\0\2\x0a\0\0\2", 10);
	send_raw(s, 1, f, sizeof(f));
}

static void mac_moves(struct story *s)
{
	arp(s, 2, 1);
	data_before(s);
	arp(s, 2, 7);
}

static void other_version(struct story *s)
{
	data_before(s);
	for (unsigned i = 0; i < 3; i++)
		send_packet(s, 1, RDT_PASSIVE,
			    (struct rdt_packet){ .encap = RDT_ENCAP_ROCEV1,
						 .opcode = RDT_OP_RC_SEND_ONLY,
						 .psn = 0x100 + i,
						 .payload_len = 64 });
}

static void times_back(struct story *s)
{
	data_before(s);
	wait_ms(s, -5);
	wait_ms(s, 10);
}

/* The same frame on two VLANs, as a mirror shows it. */
static void seen_twice(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 0, ACTIVE, REQ, .same_packet = 1, .vlan = 7);
	SAY(s, 10, PASSIVE, REP, 0);
	SAY(s, 10, ACTIVE, RTU, 0);
}

static void middle(struct story *s)
{
	close_by(s, RDT_ACTIVE);
}

const struct why_story stories_net[] = {
	{ "line-noise", "NET-ICRC", line_noise },
	{ "padded", "NET-ICRC-PAD", padded },
	{ "rewritten-port", "NET-ICRC-SPORT", rewritten_port },
	{ "all-bad", "NET-ICRC-SENDER", all_bad },
	{ "no-icrc", "NET-ICRC-ABSENT", no_icrc },
	{ "too-big", "NET-MTU", too_big },
	{ "unreachable", "NET-UNREACHABLE", unreachable },
	{ "cnp", "NET-CNP", cnp },
	{ "mac-moves", "NET-ARP-MOVE", mac_moves },
	{ "other-version", "CM-GID-TYPE", other_version },
	{ "times-back", "CAP-TIME", times_back },
	{ "seen-twice", "CAP-TWICE", seen_twice },
	{ "middle", "CAP-MID", middle },
	{ "malformed", "CAP-MALFORMED", malformed },
	{ "vendor", "CAP-VENDOR", vendor },
	{ NULL, NULL, NULL },
};
