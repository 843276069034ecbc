/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What carries a replay. A backend is one struct of functions and one row of capabilities; the
 * engine knows nothing else of it. All of them speak to one peer only, the one they were opened with.
 */
#ifndef REPLAY_BACKEND_H
#define REPLAY_BACKEND_H

#include "replay/player.h"

struct rp_link_opts {
	struct rdt_addr local, peer;
	const char *device;  /* RDMA device or network interface; NULL: found by local */
	uint16_t port;       /* UDP port of RoCEv2 */
	uint16_t tcp_port;   /* of the service, for iWARP and rdma_cm */
	uint16_t port_space; /* of the service, as RDMA_PS_x has it */
	enum rdt_side side;  /* what we play */
	bool realtime;
	/* Told of every frame that passes, acknowledges included; NULL for none. */
	void (*tap)(void *user, const struct rp_item *item, bool sent);
	void *tap_user;
};

/* Why something cannot be: a sentence that says what to do. exit is CLI_USAGE or CLI_ENV (2, 4). */
struct rp_problem {
	char *text; /* g_malloc */
	bool environment;
};

/* The host is in the way, not the command line. Takes text; false for the caller to return. */
static inline bool rp_no_host(struct rp_problem *p, char *text)
{
	p->text = text;
	p->environment = true;
	return false;
}

struct rp_link;

enum rp_wait { RP_WAIT_ITEM, RP_WAIT_TIME, RP_WAIT_DONE, RP_WAIT_ERROR, RP_WAIT_STOP };

struct rp_backend {
	const char *name;
	const char *summary;       /* what it needs and chooses, one line */
	enum rp_level reach;       /* best level */
	bool families[RP_TCP + 1]; /* which it can send */
	rp_can_set_fn can_set;     /* NULL: all */

	/*
	 * Pre-flight and opening. lines (of char *, g_free) tells what was found. check: look only.
	 * NULL and *ret_problem when it cannot be.
	 */
	struct rp_link *(*open)(const struct rp_link_opts *opts, bool check, GPtrArray *lines,
				struct rp_problem *ret_problem);
	/* The script and its symbols, before the first message. */
	void (*attach)(struct rp_link *link, struct rp_player *player);
	bool (*send)(struct rp_link *link, struct rp_item *item, char **ret_why);
	/*
	 * Wait for a message until the time. RP_WAIT_ITEM: *ret_item is the caller's. RP_WAIT_DONE: the
	 * operation in flight is done, *ret_why is NULL or why it failed. RP_WAIT_STOP: a signal came.
	 */
	enum rp_wait (*wait)(struct rp_link *link, int64_t until, struct rp_item **ret_item,
			     char **ret_why);
	/* What the link knows of why the peer was silent; NULL: nothing, or no such function. g_malloc. */
	char *(*silence)(const struct rp_link *link);
	void (*close)(struct rp_link *link);
};

/* All that were built in; ends in NULL. */
extern const struct rp_backend *const rp_backends[];

const struct rp_backend *rp_backend_find(const char *name);

/* CLOCK_REALTIME in ns, as packet times are. */
int64_t rp_now(void);

struct rp_share;

/*
 * Play a script over an open link until its end, its failure or a signal (*stop). On failure and on
 * a signal a connection that is open is closed as the CM wants it, and the records stay.
 */
struct rp_live {
	const struct rp_backend *backend;
	struct rp_link *link;
	struct rp_share *share; /* share.h; NULL: none */
	bool (*stopped)(void);
	/* Told when a message of the peer is waited for, so that nobody thinks it hangs; may be NULL. */
	void (*waiting)(void *user, const char *msg, int64_t ns);
	void *user;
};

void rp_live_run(struct rp_live *live, struct rp_player *player);

#endif
