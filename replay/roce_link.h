/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What backends share that send and receive RoCEv2 packets by themselves (udp, packet): knocking
 * until somebody listens, the reliable connection of operations, waiting. Each has its own way to put
 * a frame on the wire and to get one.
 */
#ifndef REPLAY_ROCE_LINK_H
#define REPLAY_ROCE_LINK_H

#include <sys/socket.h>

#include "replay/backend.h"
#include "replay/rc.h"

struct rp_link {
	int fd;
	/* Puts a frame on the wire; takes one of the peer from it (*ret_more: look again). */
	bool (*put)(struct rp_link *l, struct rp_item *item, char **ret_why);
	struct rp_item *(*get)(struct rp_link *l, bool *ret_more);
	void (*trouble)(
		struct rp_link *l); /* something is to be read that get() does not; may be NULL */
	struct rp_link_opts opts;
	struct sockaddr_storage to;
	socklen_t to_len;
	struct rp_player *player;
	struct rp_rc *rc;
	bool raw_rc;           /* the script speaks of single packets: no engine of ours */
	bool heard;            /* something has come from the peer */
	struct rp_item *knock; /* the last message, while nobody listened */
	int64_t knock_at;
	unsigned refused, strangers;
	int tos, ttl;
	int guard; /* packet: a UDP socket, so that the host does not answer by ICMP */
	uint8_t mac[6], peer_mac[6];
	int ifindex;
};

/* What one read of a socket gave: a frame or a datagram, who sent it, what the kernel says beside. */
struct rp_received {
	uint8_t bytes[RP_FRAME_MAX];
	_Alignas(struct cmsghdr) char control[512];
	struct sockaddr_storage from;
	struct iovec iov;
	struct msghdr msg; /* refers to the others */
};

/* How many bytes came; below 0 with errno. */
ssize_t rp_roce_read(const struct rp_link *l, struct rp_received *ret);

void rp_roce_attach(struct rp_link *l, struct rp_player *player);
bool rp_roce_send(struct rp_link *l, struct rp_item *item, char **ret_why);
enum rp_wait rp_roce_wait(struct rp_link *l, int64_t until, struct rp_item **ret_item,
			  char **ret_why);

/* Tell that a frame of the peer has come: nobody has to be knocked for any more. */
void rp_roce_heard(struct rp_link *l, struct rp_item *item);

#define KNOCK_NS 1000000000 /* between attempts while nobody listens */

/* Why the peer has said nothing, if ICMP has told it; NULL for no more than silence. g_malloc. */
char *rp_roce_silence(const struct rp_link *l);

#endif
