// SPDX-License-Identifier: BSD-2-Clause
/* The data path. */
#include "why/stories.h"

#define SEND RDT_OP_RC_SEND_ONLY

static void request(struct story *s, int64_t ms, unsigned opcode, uint32_t psn, size_t size)
{
	send_data(s, ms, RDT_ACTIVE, opcode, psn, NULL, size);
}

static void acked(struct story *s, unsigned from, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		request(s, 1, SEND, 0x200 + from + i, 64);
		send_ack(s, 1, RDT_PASSIVE, 0x200 + from + i, ACK, from + i + 1);
	}
}

static void rnr_zero(struct story *s)
{
	s->rnr_retry[RDT_ACTIVE] = s->rnr_retry[RDT_PASSIVE] = 0;
	connect_both(s);
	request(s, 1, SEND, 0x200, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x200, RNR(14), 0);
	wait_ms(s, 2000);
}

static void nak(struct story *s, unsigned code)
{
	connect_both(s);
	acked(s, 0, 2);
	request(s, 1, SEND, 0x202, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x202, NAK(code), 2);
}

static void nak_1(struct story *s)
{
	nak(s, 1);
}

static void nak_3(struct story *s)
{
	nak(s, 3);
}

static void nak_5(struct story *s)
{
	nak(s, 5);
}

static void silence(struct story *s)
{
	s->ack_timeout = 14;
	s->retry_count = 3;
	connect_both(s);
	acked(s, 0, 2);
	for (unsigned i = 0; i < 4; i++)
		request(s, i ? 200 : 1, SEND, 0x202, 64);
	wait_ms(s, 3000);
}

/* The waits double from 4 ms on, whatever the REQ says. */
static void adaptive(struct story *s)
{
	connect_both(s);
	request(s, 1, SEND, 0x200, 64);
	for (unsigned wait = 4; wait <= 32; wait *= 2)
		request(s, wait, SEND, 0x200, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x200, ACK, 1);
}

/* IPv4 ids tell that 0x203 was sent before 0x204. */
static void out_of_order(struct story *s)
{
	static const unsigned order[] = { 0, 1, 2, 4, 3, 5, 6 };

	connect_both(s);
	for (unsigned i = 0; i < 7; i++)
		send_packet(s, 1, RDT_ACTIVE,
			    (struct rdt_packet){ .opcode = SEND,
						 .psn = 0x200 + order[i],
						 .ip_id = (uint16_t)(100 + order[i]),
						 .payload_len = 64 });
	send_ack(s, 1, RDT_PASSIVE, 0x206, ACK, 7);
}

static void read_unanswered(struct story *s)
{
	uint8_t reth[RDT_LEN_reth] = { 0 };

	rdt_reth_set_dma_len(reth, 512);
	connect_both(s);
	for (unsigned i = 0; i < 3; i++)
		request(s, 1, SEND, 0x200 + i, 64);
	send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_READ_REQUEST, 0x203, reth, 0);
	send_ack(s, 1, RDT_PASSIVE, 0x202, ACK, 3);
	for (unsigned i = 0; i < 3; i++)
		send_data(s, 2000, RDT_ACTIVE, RDT_OP_RC_READ_REQUEST, 0x203, reth, 0);
	wait_ms(s, 3000);
}

static void stopped(struct story *s)
{
	connect_both(s);
	acked(s, 0, 2);
	request(s, 1, SEND, 0x202, 64);
	wait_ms(s, 5000);
}

static void ghost(struct story *s)
{
	connect_both(s);
	acked(s, 0, 2);
	close_by(s, RDT_ACTIVE);
	request(s, 1, SEND, 0x202, 64);
}

static void credit(struct story *s)
{
	connect_both(s);
	request(s, 1, SEND, 0x200, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x200, 0, 1);
	request(s, 1, SEND, 0x201, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x201, ACK, 2);
}

static void msn(struct story *s)
{
	connect_both(s);
	acked(s, 0, 2);
	request(s, 1, SEND, 0x202, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x202, ACK, 1);
}

static void uc_loss(struct story *s)
{
	for (unsigned i = 0; i < 10; i++)
		if (i != 4)
			request(s, 1, RDT_OP_UC_SEND_ONLY, 0x200 + i, 64);
	for (unsigned i = 0; i < 10; i++)
		send_data(s, 1, RDT_PASSIVE, RDT_OP_UC_SEND_ONLY, 0x100 + i, NULL, 64);
}

/* The REQ says 1024, packets that do not end their message have 512. */
static void mtu(struct story *s)
{
	connect_both(s);
	request(s, 1, RDT_OP_RC_SEND_FIRST, 0x200, 512);
	request(s, 1, RDT_OP_RC_SEND_LAST, 0x201, 100);
	send_ack(s, 1, RDT_PASSIVE, 0x201, ACK, 1);
}

/* No CM: one side sends 1024, the other 256. */
static void mtu_of_two(struct story *s)
{
	request(s, 1, RDT_OP_RC_SEND_FIRST, 0x200, 1024);
	request(s, 1, RDT_OP_RC_SEND_LAST, 0x201, 100);
	send_ack(s, 1, RDT_PASSIVE, 0x201, ACK, 1);
	send_data(s, 1, RDT_PASSIVE, RDT_OP_RC_SEND_FIRST, 0x100, NULL, 256);
	send_data(s, 1, RDT_PASSIVE, RDT_OP_RC_SEND_LAST, 0x101, NULL, 100);
	send_ack(s, 1, RDT_ACTIVE, 0x101, ACK, 1);
}

static void large_do_not_pass(struct story *s)
{
	connect_both(s);
	acked(s, 0, 4);
	for (unsigned i = 0; i < 4; i++) {
		request(s, i ? 2000 : 1, RDT_OP_RC_SEND_FIRST, 0x204, 1024);
		request(s, 1, RDT_OP_RC_SEND_LAST, 0x205, 1000);
	}
	wait_ms(s, 3000);
}

/* What was acknowledged was sent, but the capture does not have it. */
static void capture_loss(struct story *s)
{
	connect_both(s);
	request(s, 1, SEND, 0x200, 64);
	request(s, 1, SEND, 0x204, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x204, ACK, 5);
}

static void one_way(struct story *s)
{
	for (unsigned i = 0; i < 40; i++)
		request(s, 1, SEND, 0x200 + i, 64);
}

const struct why_story stories_data[] = {
	{ "rnr-zero", "RC-RNR-ZERO", rnr_zero },
	{ "nak-1", "RC-NAK-1", nak_1 },
	{ "nak-3", "RC-NAK-3", nak_3 },
	{ "nak-5", "RC-NAK-5", nak_5 },
	{ "silence", "RC-RETRY-EXC", silence },
	{ "adaptive", "RC-RETRANS RC-ADAPTIVE", adaptive },
	{ "out-of-order", "RC-ORDER", out_of_order },
	{ "read-unanswered", "RC-READ-NOANSWER", read_unanswered },
	{ "stopped", "RC-STOPPED", stopped },
	{ "ghost", "RC-GHOST", ghost },
	{ "credit", "RC-CREDIT", credit },
	{ "msn", "RC-MSN", msn },
	{ "uc-loss", "UC-LOSS", uc_loss },
	{ "mtu", "CM-MTU", mtu },
	{ "mtu-of-two", "CM-MTU-SIDES", mtu_of_two },
	{ "large-do-not-pass", "NET-MTU-LOSS", large_do_not_pass },
	{ "capture-loss", "CAP-LOSS", capture_loss },
	{ "one-way", "CAP-ONEWAY", one_way },
	{ NULL, NULL, NULL },
};
