// SPDX-License-Identifier: BSD-2-Clause
/*
 * The active side of a connection by hand-made MADs through /dev/infiniband/umad0, on a host whose
 * kernel has no CM of its own: REQ, then RTU, DREQ when the peer's REP comes. It shows that the
 * lab's guest without ib_cm works; nothing but the kernel's interface is used.
 *
 *     umadpeer FROM TO PORT     IPv4 addresses of both, the port of the service
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/types.h>
#include <poll.h>
#include <rdma/ib_user_mad.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MAD 256
#define HEADER 24
#define LOCAL_ID 0x4c414231 /* any */
#define LOCAL_QPN 0x123456

enum { REQ = 0x10, MRA, REJ, REP, RTU, DREQ, DREP };

static struct {
	struct ib_user_mad_hdr hdr;
	uint8_t mad[MAD];
} out, in;

static int fd, agent;
static uint8_t from[4], to[4];

static void put(size_t at, uint64_t value, size_t bytes)
{
	while (bytes--) {
		out.mad[HEADER + at + bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static void gid(size_t at, const uint8_t address[4])
{
	put(at + 10, 0xffff, 2);
	memcpy(&out.mad[HEADER + at + 12], address, 4);
}

static void fail(const char *what)
{
	fprintf(stderr, "umadpeer: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* An empty MAD to the peer's QP1. */
static void begin(uint16_t attribute)
{
	memset(&out, 0, sizeof(out));
	out.hdr.id = (uint32_t)agent;
	out.hdr.qpn = htonl(1);
	out.hdr.qkey = htonl(0x80010000);
	out.hdr.grh_present = 1;
	out.hdr.gid_index = 1; /* the IPv4 one */
	out.hdr.hop_limit = 64;
	out.hdr.gid[10] = out.hdr.gid[11] = 0xff;
	memcpy(&out.hdr.gid[12], to, 4);
	memcpy(out.mad, (uint8_t[]){ 1, 7, 2, 3 }, 4);
	memcpy(&out.mad[8], "\0\0\0\0lab!", 8);
	out.mad[17] = (uint8_t)attribute;
}

static void post(const char *name)
{
	if (write(fd, &out, sizeof(out)) != sizeof(out))
		fail(name);
	printf("sent %s\n", name);
	fflush(stdout);
}

static void request(unsigned port)
{
	begin(REQ);
	put(0, LOCAL_ID, 4);
	put(8, 0x1060000 + port, 8);
	put(16, 0x4c414200000000ff, 8); /* CA GUID */
	put(32, LOCAL_QPN, 3);
	put(35, 1, 1);
	put(39, 1, 1);
	put(43, 20 << 3 | 1, 1); /* response timeout, flow control */
	put(44, 0x654321, 3);
	put(47, 20 << 3 | 7, 1);
	put(48, 0xffff, 2);
	put(50, 3 << 4 | 7, 1); /* MTU 1024 */
	put(51, 15 << 4, 1);
	put(52, 0xffffffff, 4);
	gid(56, from);
	gid(72, to);
	put(91, 3, 1);
	put(93, 64, 1);
	put(95, 19 << 3, 1);
	/* the RDMA IP CM header */
	put(141, 0x40, 1);
	put(142, 40000, 2);
	memcpy(&out.mad[HEADER + 156], from, 4);
	memcpy(&out.mad[HEADER + 172], to, 4);
	post("REQ");
}

/* The attribute of what comes, or -1. */
static int receive(void)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		if (poll(&p, 1, 10000) <= 0)
			return -1;
		if (read(fd, &in, sizeof(in)) < (ssize_t)sizeof(in.hdr))
			fail("read");
		/* what we sent comes back when it failed */
		if (in.hdr.status)
			return -1;
		if (in.mad[1] == 7)
			return in.mad[17];
	}
}

static void ids(uint32_t remote)
{
	put(0, LOCAL_ID, 4);
	put(4, remote, 4);
}

int main(int argc, char **argv)
{
	struct ib_user_mad_reg_req reg = { .qpn = 1, .mgmt_class = 7, .mgmt_class_version = 2 };
	uint32_t remote, qpn;
	int got;

	if (argc != 4 || !inet_pton(AF_INET, argv[1], from) || !inet_pton(AF_INET, argv[2], to))
		return 2;
	fd = open("/dev/infiniband/umad0", O_RDWR);
	if (fd < 0)
		fail("umad0");
	reg.method_mask[0] = 1 << 3; /* Send */
	if (ioctl(fd, IB_USER_MAD_ENABLE_PKEY) || ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &reg))
		fail("register");
	agent = (int)reg.id;
	request((unsigned)strtoul(argv[3], NULL, 0));
	got = receive();
	printf("received attribute 0x%02x\n", (unsigned)got);
	if (got != REP)
		return got == REJ ? 3 : 1;
	memcpy(&remote, &in.mad[HEADER], 4);
	memcpy(&qpn, &in.mad[HEADER + 12], 4);
	remote = ntohl(remote);
	qpn = ntohl(qpn) >> 8;
	begin(RTU);
	ids(remote);
	post("RTU");
	usleep(500000);
	begin(DREQ);
	ids(remote);
	put(8, qpn, 3);
	post("DREQ");
	got = receive();
	printf("received attribute 0x%02x\n", (unsigned)got);
	return got == DREP ? 0 : 1;
}
