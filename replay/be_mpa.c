// SPDX-License-Identifier: BSD-2-Clause
/*
 * iWARP handshakes over a plain TCP socket: MPA request and reply, reject, TERMINATE. Every byte of
 * the frames is ours. Data of an established connection is not: no iWARP stack stands behind it.
 */
#define _GNU_SOURCE /* accept4 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "replay/backend.h"
#include "replay/sockaddr.h"
#include "replay/wait.h"

#define STREAM_MAX (1u << 16)
#define KNOCK_NS 50000000

struct rp_link {
	struct rp_link_opts opts;
	int listener, fd;
	bool connected, ended;
	GByteArray *in; /* received and not yet a whole frame */
	unsigned frames;
};

static int new_socket(const struct rp_link *l)
{
	return socket(l->opts.local.kind == RDT_ADDR_IPV4 ? AF_INET : AF_INET6,
		      SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static bool start(struct rp_link *l, struct rp_problem *p)
{
	struct sockaddr_storage ss;
	char text[RDT_ADDR_TEXT];
	int one = 1;
	socklen_t len;

	rdt_addr_text(&l->opts.local, text, sizeof(text));
	if (!l->opts.tcp_port)
		return rp_no_host(p, g_strdup("the script has no service line with a TCP port"));
	if (l->opts.side == RDT_ACTIVE)
		return true;
	l->listener = new_socket(l);
	len = rp_sockaddr(&l->opts.local, l->opts.tcp_port, l->opts.device, &ss);
	(void)!setsockopt(l->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (l->listener < 0 || bind(l->listener, (void *)&ss, len) || listen(l->listener, 1))
		return rp_no_host(
			p, g_strdup_printf("cannot listen on %s port %u: %s; give an address of "
					   "this host with --local, and a port that nobody has",
					   text, l->opts.tcp_port, strerror(errno)));
	fcntl(l->listener, F_SETFL, O_NONBLOCK);
	return true;
}

static void mpa_close(struct rp_link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->listener >= 0)
		close(l->listener);
	g_byte_array_unref(l->in);
	g_free(l);
}

static struct rp_link *mpa_open(const struct rp_link_opts *opts, bool check, GPtrArray *lines,
				struct rp_problem *p)
{
	struct rp_link *l = g_new0(struct rp_link, 1);
	char local[RDT_ADDR_TEXT], peer[RDT_ADDR_TEXT];

	(void)check;
	l->opts = *opts;
	l->fd = l->listener = -1;
	l->in = g_byte_array_new();
	if (!start(l, p)) {
		mpa_close(l);
		return NULL;
	}
	g_ptr_array_add(lines,
			g_strdup_printf("mpa TCP %s to %s port %u   reachable: F5 on MPA frames",
					rdt_addr_text(&opts->local, local, sizeof(local)),
					rdt_addr_text(&opts->peer, peer, sizeof(peer)),
					opts->tcp_port));
	rp_wait_prepare(opts->realtime);
	return l;
}

/* ---- TCP -------------------------------------------------------------------------------------- */

/* Nobody listens yet: knock again for some seconds. */
static bool connect_it(struct rp_link *l, char **ret_why)
{
	struct sockaddr_storage from, to;
	const int64_t until = rp_now() + 5000000000;
	const socklen_t from_len = rp_sockaddr(&l->opts.local, 0, l->opts.device, &from);
	const socklen_t to_len = rp_sockaddr(&l->opts.peer, l->opts.tcp_port, l->opts.device, &to);
	int one = 1;

	for (;;) {
		l->fd = new_socket(l);
		if (l->fd < 0 || bind(l->fd, (void *)&from, from_len)) {
			*ret_why = g_strdup_printf("--local is no address of this host: %s",
						   strerror(errno));
			return false;
		}
		if (!connect(l->fd, (void *)&to, to_len))
			break;
		if (errno != ECONNREFUSED || rp_now() > until) {
			*ret_why = g_strdup_printf(
				"the peer does not take TCP connections on port %u: "
				"%s",
				l->opts.tcp_port, strerror(errno));
			return false;
		}
		close(l->fd);
		l->fd = -1;
		g_usleep(KNOCK_NS / 1000);
	}
	(void)!setsockopt(l->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(l->fd, F_SETFL, O_NONBLOCK);
	l->connected = true;
	return true;
}

static bool tcp_event(struct rp_link *l, const struct rp_item *item, char **ret_why)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };

	switch ((enum rp_tcp)item->msg.code) {
	case RP_TCP_CONNECT:
		return connect_it(l, ret_why);
	case RP_TCP_RESET:
		if (l->fd >= 0) {
			(void)!setsockopt(l->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
			close(l->fd);
			l->fd = -1;
		}
		l->ended = true;
		return true;
	case RP_TCP_CLOSE:
		if (l->fd >= 0)
			shutdown(l->fd, SHUT_WR);
		return true;
	case RP_TCP_COUNT:
		break;
	}
	return true;
}

static bool mpa_send(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	const uint8_t *payload;
	size_t at = 0, len = 0;

	if (item->msg.family == RP_TCP) {
		item->ns = rp_now();
		return tcp_event(l, item, ret_why);
	}
	if (l->fd < 0) {
		*ret_why =
			g_strdup("there is no TCP connection: the script begins with tcp connect");
		return false;
	}
	payload = rp_item_tcp_payload(item, &len);
	while (at < len) {
		const ssize_t n = send(l->fd, payload + at, len - at, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			*ret_why =
				g_strdup_printf("the TCP connection is gone: %s", strerror(errno));
			return false;
		}
		at += n > 0 ? (size_t)n : 0;
	}
	item->ns = rp_now();
	l->frames += item->msg.family == RP_MPA;
	if (l->opts.tap)
		l->opts.tap(l->opts.tap_user, item, true);
	return true;
}

/* ---- receiving ---------------------------------------------------------------------------------- */

static struct rp_item *tcp_item(unsigned from, enum rp_tcp event)
{
	struct rp_item *item = rp_item_new((enum rdt_side)from, rp_now());

	item->msg = (struct rp_msg){ RP_TCP, (uint8_t)event };
	return item;
}

/* How long the next frame is; 0 when that is not known yet. */
static size_t next_len(const struct rp_link *l)
{
	const uint8_t *p = l->in->data;

	if (l->frames < 2) {
		if (l->in->len < RDT_LEN_mpa)
			return 0;
		return RDT_LEN_mpa + (size_t)rdt_mpa_pd_length(p);
	}
	if (l->in->len < RDT_LEN_fpdu)
		return 0;
	return (RDT_LEN_fpdu + (size_t)rdt_fpdu_ulpdu_length(p) + 3) / 4 * 4 + 4;
}

static struct rp_item *next_frame(struct rp_link *l)
{
	const struct rp_carrier c = { .src = l->opts.peer,
				      .dst = l->opts.local,
				      .sport = l->opts.side == RDT_ACTIVE ? 40001 : 40000,
				      .dport = l->opts.side == RDT_ACTIVE ? 40000 : 40001 };
	size_t len = next_len(l);
	struct rp_item *item;

	while (len && len <= l->in->len) {
		item = rp_item_new((enum rdt_side) !l->opts.side, rp_now());
		if (rp_item_wrap_tcp(item, &c, l->in->data, len) && rp_item_know(item)) {
			l->frames += item->msg.family == RP_MPA;
			g_byte_array_remove_range(l->in, 0, (guint)len);
			if (l->opts.tap)
				l->opts.tap(l->opts.tap_user, item, false);
			return item;
		}
		/* Data, or no MPA: nothing a script speaks of. */
		rp_item_free(item);
		g_byte_array_remove_range(l->in, 0, (guint)len);
		len = next_len(l);
	}
	return NULL;
}

static bool accept_it(struct rp_link *l)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	const int fd = accept4(l->listener, (void *)&ss, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	int one = 1;

	if (fd < 0)
		return false;
	if (!rp_sockaddr_is((void *)&ss, &l->opts.peer)) {
		/* Not the peer of the command line. */
		close(fd);
		return false;
	}
	(void)!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	l->fd = fd;
	l->connected = true;
	return true;
}

/* Bytes, or the end of the stream; NULL when there is nothing new. */
static struct rp_item *read_stream(struct rp_link *l)
{
	uint8_t buf[4096];
	const ssize_t n = recv(l->fd, buf, sizeof(buf), 0);

	if (n > 0) {
		if (l->in->len < STREAM_MAX * 2)
			g_byte_array_append(l->in, buf, (guint)n);
		return NULL;
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return NULL;
	l->ended = true;
	return tcp_item(!l->opts.side, n ? RP_TCP_RESET : RP_TCP_CLOSE);
}

static enum rp_wait mpa_wait(struct rp_link *l, int64_t until, struct rp_item **ret_item,
			     char **ret_why)
{
	(void)ret_why;
	for (;;) {
		const int fd = l->connected ? (l->ended ? -1 : l->fd) : l->listener;
		int got;

		*ret_item = next_frame(l);
		if (*ret_item)
			return RP_WAIT_ITEM;
		got = rp_wait_fd(fd, until);
		if (got < 0)
			return RP_WAIT_STOP;
		if (!got)
			return RP_WAIT_TIME;
		if (!l->connected) {
			if (!accept_it(l))
				continue;
			*ret_item = tcp_item(!l->opts.side, RP_TCP_CONNECT);
			return RP_WAIT_ITEM;
		}
		*ret_item = read_stream(l);
		if (*ret_item)
			return RP_WAIT_ITEM;
	}
}

const struct rp_backend rp_backend_mpa = {
	.name = "mpa",
	.summary = "a TCP socket: every byte of the MPA frames",
	.reach = RP_F5,
	.families = { [RP_MPA] = true, [RP_FPDU] = true, [RP_TCP] = true },
	.open = mpa_open,
	.send = mpa_send,
	.wait = mpa_wait,
	.close = mpa_close,
};
