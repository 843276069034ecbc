// SPDX-License-Identifier: BSD-2-Clause
#include "replay/share.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "replay/sockaddr.h"

#define TEXT_MAX 65536u /* of what the peer tells */
#define END "end\n"
#define AGAIN_US 20000 /* the peer may not listen yet */

struct rp_share {
	struct rp_link_opts opts;
	uint16_t port;
	int listener;          /* passive: -1 when not open */
	bool (*stopped)(void); /* a signal came; may be NULL */
};

struct rp_share *rp_share_open(const struct rp_link_opts *opts, uint16_t port, struct rp_problem *p)
{
	struct rp_share *s = g_new0(struct rp_share, 1);
	struct sockaddr_storage own;
	const socklen_t len = rp_sockaddr(&opts->local, port, opts->device, &own);
	const int on = 1;

	s->opts = *opts;
	s->port = port;
	s->listener = -1;
	if (opts->side == RDT_ACTIVE)
		return s;
	s->listener = socket(own.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (s->listener >= 0 && !bind(s->listener, (void *)&own, len) && !listen(s->listener, 4))
		return s;
	rp_no_host(p, g_strdup_printf("--share: cannot listen on TCP port %u: %s", port,
				      strerror(errno)));
	rp_share_close(s);
	return NULL;
}

void rp_share_close(struct rp_share *s)
{
	if (s && s->listener >= 0)
		close(s->listener);
	g_free(s);
}

static bool is_stopped(const struct rp_share *s)
{
	return s->stopped && s->stopped();
}

/* Is there something to read, or room to write, before that time and a signal? */
static bool ready(const struct rp_share *s, int fd, short events, int64_t until)
{
	struct pollfd p = { .fd = fd, .events = events };

	while (!is_stopped(s)) {
		const int64_t ms = (until - rp_now()) / 1000000;
		const int got = ms > 0 ? poll(&p, 1, (int)MIN(ms, 60000)) : 0;

		if (got >= 0 || errno != EINTR)
			return got > 0;
	}
	return false;
}

/* Strangers are turned away: only the peer is ever heard. */
static int accept_peer(const struct rp_share *s, int64_t until)
{
	struct sockaddr_storage from;
	int fd;

	while (ready(s, s->listener, POLLIN, until)) {
		socklen_t len = sizeof(from);

		fd = accept(s->listener, (void *)&from, &len);
		if (fd >= 0 && rp_sockaddr_is((void *)&from, &s->opts.peer))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static int connect_peer(const struct rp_share *s, int64_t until)
{
	struct sockaddr_storage local, peer;
	const socklen_t local_len = rp_sockaddr(&s->opts.local, 0, s->opts.device, &local);
	const socklen_t len = rp_sockaddr(&s->opts.peer, s->port, s->opts.device, &peer);

	while (rp_now() < until && !is_stopped(s)) {
		const int fd =
			socket(peer.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		int error = 0;
		socklen_t size = sizeof(error);

		if (fd < 0 || bind(fd, (void *)&local, local_len)) {
			if (fd >= 0)
				close(fd);
			return -1;
		}
		if ((!connect(fd, (void *)&peer, len) || errno == EINPROGRESS) &&
		    ready(s, fd, POLLOUT, until) &&
		    !getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) && !error)
			return fd;
		close(fd);
		g_usleep(AGAIN_US);
	}
	return -1;
}

static bool tell(const struct rp_share *s, int fd, const struct rp_player *p, int64_t until)
{
	GString *text = g_string_new(NULL);
	size_t done = 0;
	bool all;

	for (size_t i = 0; i < p->memories.count; i++) {
		const struct rp_memory *m = &p->memories.items[i];

		g_string_append_printf(text, "%s 0x%" PRIx64 " 0x%" PRIx32 "\n", m->name, m->va,
				       m->rkey);
	}
	g_string_append(text, END);
	while (done < text->len && ready(s, fd, POLLOUT, until)) {
		const ssize_t n = send(fd, text->str + done, text->len - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	all = done == text->len;
	g_string_free(text, TRUE);
	return all;
}

/* All that the peer says before its end; NULL when that does not come. */
static GString *hear(const struct rp_share *s, int fd, int64_t until)
{
	GString *text = g_string_new(NULL);
	char part[4096];

	while (text->len < TEXT_MAX && ready(s, fd, POLLIN, until)) {
		const ssize_t n = recv(fd, part, sizeof(part), 0);

		if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
			break;
		g_string_append_len(text, part, MAX(n, 0));
		if (g_str_has_suffix(text->str, END)) {
			g_string_truncate(text, text->len - strlen(END));
			return text;
		}
	}
	g_string_free(text, TRUE);
	return NULL;
}

/* False when the script has no memory of that name on the peer's side. */
static bool learn(struct rp_player *p, const char *name, uint64_t va, uint32_t rkey)
{
	for (size_t i = 0; i < p->script->memory_count; i++) {
		const struct rp_memory_decl *m = &p->script->memories[i];

		if (strcmp(m->name, name) != 0 || rp_plays(p, m->role))
			continue;
		rp_memory_tell(p->env.symbols, name, RP_LEARNED, va, rkey);
		return true;
	}
	return false;
}

/* "NAME 0xVA 0xRKEY", and nothing more. */
static bool learn_line(struct rp_player *p, const char *line)
{
	char name[64], va[17], rkey[9];
	int end = 0;

	return sscanf(line, "%63s 0x%16[0-9a-f] 0x%8[0-9a-f]%n", name, va, rkey, &end) == 3 &&
	       !line[end] &&
	       learn(p, name, g_ascii_strtoull(va, NULL, 16),
		     (uint32_t)g_ascii_strtoull(rkey, NULL, 16));
}

/* Memory of the peer that it did not tell of; NULL when there is none. */
static const char *untold(const struct rp_player *p)
{
	for (size_t i = 0; i < p->script->memory_count; i++) {
		const struct rp_memory_decl *m = &p->script->memories[i];

		if (!rp_plays(p, m->role) &&
		    rp_symbol_of(p->env.symbols, m->name, "rkey")->origin != RP_LEARNED)
			return m->name;
	}
	return NULL;
}

static bool learn_all(struct rp_player *p, const GString *text, char **ret_why)
{
	char **lines = g_strsplit(text->str, "\n", -1);

	for (char **line = lines; *line && !*ret_why; line++) {
		if (**line && !learn_line(p, *line))
			*ret_why = g_strdup(
				"--share: the peer tells of memory that is none of its own in "
				"this script; does it play the same one?");
	}
	g_strfreev(lines);
	if (!*ret_why && untold(p))
		*ret_why = g_strdup_printf(
			"--share: the peer did not tell of its memory %s; does it play "
			"the same script?",
			untold(p));
	return !*ret_why;
}

bool rp_share_exchange(struct rp_share *s, struct rp_player *p, int64_t until,
		       bool (*stopped)(void), char **ret_why)
{
	GString *text;
	bool ok;
	int fd;

	*ret_why = NULL;
	s->stopped = stopped;
	fd = s->opts.side == RDT_ACTIVE ? connect_peer(s, until) : accept_peer(s, until);
	text = fd >= 0 && tell(s, fd, p, until) ? hear(s, fd, until) : NULL;
	if (fd >= 0)
		close(fd);
	if (is_stopped(s))
		*ret_why = g_strdup("stopped by a signal");
	else if (fd < 0)
		*ret_why = g_strdup_printf(
			"--share: no replay at the peer on TCP port %u; does it have "
			"--share too?",
			s->port);
	else if (!text)
		*ret_why = g_strdup("--share: the peer did not tell its keys");
	ok = !*ret_why && learn_all(p, text, ret_why);
	if (text)
		g_string_free(text, TRUE);
	return ok;
}
