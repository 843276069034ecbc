// SPDX-License-Identifier: BSD-2-Clause
#include "replay/roce_link.h"

#include <inttypes.h>

#include "replay/wait.h"

void rp_roce_heard(struct rp_link *l, struct rp_item *item)
{
	if (l->opts.tap)
		l->opts.tap(l->opts.tap_user, item, false);
	l->heard = true;
	l->knock_at = 0;
}

static bool rc_send(void *user, struct rp_item *item, char **ret_why)
{
	return ((struct rp_link *)user)->put(user, item, ret_why);
}

void rp_roce_attach(struct rp_link *l, struct rp_player *player)
{
	l->player = player;
	for (size_t i = 0; i < player->script->stmt_count; i++) {
		const struct rp_stmt *s = &player->script->stmts[i];

		if (s->kind == RP_STMT_MSG && s->msg.family == RP_PACKET &&
		    s->msg.code >> 5 == RDT_SVC_RC)
			l->raw_rc = true;
	}
	if (!l->raw_rc)
		l->rc = rp_rc_new(player, rc_send, l);
}

bool rp_roce_send(struct rp_link *l, struct rp_item *item, char **ret_why)
{
	if (item->msg.family == RP_OP) {
		if (l->rc) {
			item->ns = rp_now();
			return rp_rc_start(l->rc, item, item->ns, ret_why);
		}
		*ret_why = g_strdup("a script with single RC packets cannot have operations too");
		return false;
	}
	if (!l->put(l, item, ret_why))
		return false;
	if (!l->heard) {
		rp_item_free(l->knock);
		l->knock = rp_item_copy(item);
	}
	return true;
}

/* What of a packet concerns the script: a message, or an operation that it completes. */
static struct rp_item *take(struct rp_link *l, struct rp_item *item)
{
	struct rp_item *op = NULL;

	/* A part of a MAD would be taken for a message, or for a packet of data. */
	if (rp_item_is_malformed(item))
		return item;
	if (!rp_item_know(item)) {
		item->msg = (struct rp_msg){ RP_PACKET, RDT_OP_CNP };
		rp_item_free(item);
		return NULL;
	}
	if (l->rc && item->msg.family == RP_PACKET && item->msg.code >> 5 == RDT_SVC_RC) {
		/* A wrong ICRC: as if it had never come. */
		if (!item->bad_icrc)
			rp_rc_packet(l->rc, item, rp_now(), &op);
		rp_item_free(item);
		return op;
	}
	return item;
}

static void knock(struct rp_link *l)
{
	char *why = NULL;

	l->knock_at = 0;
	/* It counts as any other message does. */
	if (!rp_player_may_resend(l->player, rp_now()))
		return;
	if (!l->put(l, l->knock, &why))
		g_free(why);
}

char *rp_roce_silence(const struct rp_link *l)
{
	char peer[RDT_ADDR_TEXT];
	uint64_t times;

	if (!l->refused || l->heard)
		return NULL;
	rdt_addr_text(&l->opts.peer, peer, sizeof(peer));
	if (!l->knock)
		return g_strdup_printf("nobody listens on UDP %u of %s (ICMP port unreachable)",
				       l->opts.port, peer);
	times = l->player->resent + 1;
	return g_strdup_printf(
		"nobody listens on UDP %u of %s (ICMP port unreachable); %s was sent "
		"%" PRIu64 " time%s",
		l->opts.port, peer, rp_msg_name(l->knock->msg), times, times == 1 ? "" : "s");
}

ssize_t rp_roce_read(const struct rp_link *l, struct rp_received *ret)
{
	ret->iov = (struct iovec){ ret->bytes, sizeof(ret->bytes) };
	ret->msg = (struct msghdr){ .msg_name = &ret->from,
				    .msg_namelen = sizeof(ret->from),
				    .msg_iov = &ret->iov,
				    .msg_iovlen = 1,
				    .msg_control = ret->control,
				    .msg_controllen = sizeof(ret->control) };
	return recvmsg(l->fd, &ret->msg, 0);
}

enum rp_wait rp_roce_wait(struct rp_link *l, int64_t until, struct rp_item **ret_item,
			  char **ret_why)
{
	bool ready = false;

	for (;;) {
		int64_t first = until;
		struct rp_item *item;
		bool more;
		int got;

		if (l->rc && rp_rc_done(l->rc, ret_why))
			return RP_WAIT_DONE;
		item = l->get(l, &more);
		if (item && (item = take(l, item))) {
			*ret_item = item;
			return RP_WAIT_ITEM;
		}
		/* Strangers who send without end do not stop the time. */
		if (more && rp_now() < until)
			continue;
		if (ready && !more && l->trouble)
			l->trouble(l);
		if (l->knock_at)
			first = MIN(first, l->knock_at);
		if (l->rc)
			first = MIN(first, rp_rc_deadline(l->rc));
		got = rp_wait_fd(l->fd, first);
		if (got < 0)
			return RP_WAIT_STOP;
		if (got > 0 && !ready) {
			ready = true;
			continue;
		}
		ready = false;
		if (l->knock_at && rp_now() >= l->knock_at)
			knock(l);
		if (l->rc)
			rp_rc_timer(l->rc, rp_now());
		if (rp_now() >= until)
			return RP_WAIT_TIME;
	}
}
