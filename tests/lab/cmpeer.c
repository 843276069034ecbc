// SPDX-License-Identifier: BSD-2-Clause
/*
 * One end of librdmacm connections that does what the stock tools never do: refuse, stay silent,
 * answer late, keep an id without a queue pair, close at a given moment, use each kind of work
 * request. Prints one line for each event and each work request.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <infiniband/sa.h>
#include <netdb.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NEVER INT64_MAX
#define CONNS 4096
#define BUFFER 65536 /* the first half is ours to send from, the second the peer's to touch */
#define TEXT 48      /* private data: text, zero-padded */

/* ---- options ------------------------------------------------------------------------------ */

static struct {
	long port, count, interval, answer, establish, hold, close, life, fetch, receive;
	long qpn, retry, rnr, resources, depth, ack, tos, mtu, hop, size;
	const char *address, *source, *space, *text, *ece, *ops, *mode;
	long noqp, uc, mute, serve, keep, backlog;
} o = { .port = 7471,
	.count = 1,
	.interval = -1,
	.hold = -1,
	.backlog = 128,
	.qpn = -1,
	.retry = 7,
	.rnr = 7,
	.resources = 1,
	.depth = 1,
	.ack = -1,
	.tos = -1,
	.mtu = -1,
	.hop = 64,
	.size = 64,
	.space = "tcp",
	.mode = "accept" };

static const struct row {
	char letter;
	long *number; /* with an argument, or the flag when flag is set */
	const char **word;
	bool flag;
	const char *text;
} rows[] = {
	{ 'a', NULL, &o.address, false, "ADDR  connect to it; without it: listen" },
	{ 'b', NULL, &o.source, false, "ADDR  bind to it" },
	{ 'p', &o.port, NULL, false, "PORT  (7471)" },
	{ 'S', NULL, &o.space, false, "tcp | udp | ib  port space" },
	{ 'n', &o.count, NULL, false, "N  connections, then end; 0: no end" },
	{ 'B', &o.backlog, NULL, false, "N  backlog of the listener (128)" },
	{ 'I', &o.interval, NULL, false, "MS  between starts; default: one after the other" },
	{ 'L', &o.life, NULL, false, "MS  end after that time, whatever is open" },
	{ 'P', NULL, &o.text, false, "TEXT  private data of REQ, REP or REJ" },
	{ 'm', NULL, &o.mode, false,
	  "accept | reject | reject-ece | ignore | destroy: answer to REQ or REP" },
	{ 'd', &o.answer, NULL, false, "MS  before the answer to a REQ" },
	{ 'e', &o.establish, NULL, false, "MS  before the answer to a REP (with -q)" },
	{ 'f', &o.fetch, NULL, false,
	  "MS  without fetching events, once, after connect or listen" },
	{ 't', &o.hold, NULL, false,
	  "MS  from established to disconnect (active 200, passive never)" },
	{ 'k', &o.keep, NULL, true, "active: never disconnect first" },
	{ 'D', &o.mute, NULL, true, "do not answer a DREQ" },
	{ 'C', &o.close, NULL, false, "MS  before the answer to a DREQ" },
	{ 'q', &o.noqp, NULL, true, "no queue pair: answer a REP by hand" },
	{ 'Q', &o.qpn, NULL, false, "QPN  no queue pair, but this number" },
	{ 'u', &o.uc, NULL, true, "UC (with -S ib)" },
	{ 'r', &o.retry, NULL, false, "N  retry count (7)" },
	{ 'R', &o.rnr, NULL, false, "N  RNR retry count (7: no end)" },
	{ 'i', &o.resources, NULL, false, "N  responder resources (1)" },
	{ 'o', &o.depth, NULL, false, "N  initiator depth (1)" },
	{ 'A', &o.ack, NULL, false, "CODE  ack timeout" },
	{ 'T', &o.tos, NULL, false, "TOS  type of service" },
	{ 'M', &o.mtu, NULL, false, "CODE  path MTU 1..5, by setting the path record" },
	{ 'H', &o.hop, NULL, false, "N  hop limit of that path record" },
	{ 'E', NULL, &o.ece, false, "VENDOR/OPTIONS  ECE, hexadecimal (with -q: rxe has none)" },
	{ 'x', NULL, &o.ops, false,
	  "OPS  send,imm,inv,write,wimm,read,swap,add, far (out of bounds); peer: -X" },
	{ 's', &o.size, NULL, false, "N  bytes of an operation (64)" },
	{ 'X', &o.serve, NULL, true, "let the peer do its operations" },
	{ 'w', &o.receive, NULL, false, "MS  before receives are posted (with -X)" },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void options(int argc, char **argv)
{
	char letters[2 * ROWS + 1] = "", *at = letters;
	int c;

	for (size_t i = 0; i < ROWS; i++) {
		*at++ = rows[i].letter;
		if (!rows[i].flag)
			*at++ = ':';
	}
	while ((c = getopt(argc, argv, letters)) != -1) {
		size_t i = 0;

		while (i < ROWS && rows[i].letter != c)
			i++;
		if (i == ROWS) {
			for (i = 0; i < ROWS; i++)
				fprintf(stderr, "  -%c %s\n", rows[i].letter, rows[i].text);
			exit(2);
		}
		if (rows[i].word)
			*rows[i].word = optarg;
		else
			*rows[i].number = rows[i].flag ? 1 : strtol(optarg, NULL, 0);
	}
	if (o.qpn >= 0)
		o.noqp = 1;
	if (o.hold < 0) {
		o.keep |= !o.address;
		o.hold = 200;
	}
}

/* ---- connections -------------------------------------------------------------------------- */

enum step { NONE, ANSWER, ESTABLISH, SERVE, OPERATE, DISCONNECT, REPLY, END };

struct conn {
	struct rdma_cm_id *id;
	enum step step; /* what is to be done ... */
	int64_t due;    /* ... and when, ms */
	unsigned n;
	bool up, closing, ended;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_mw *mw;
	char *buffer;
};

/* What the passive side tells about its memory before the first operation. */
struct memory {
	uint64_t address;
	uint32_t rkey, window;
};

static struct conn conns[CONNS];
static unsigned made, ended;
static struct rdma_event_channel *channel;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((format(printf, 2, 3))) static void say(const struct conn *c, const char *format, ...)
{
	va_list args;

	printf("%u ", c ? c->n : 0);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/* Report a call that failed (-1 and errno, or the error itself); the scenario decides whether it may. */
static int check(const struct conn *c, const char *what, int rc)
{
	if (rc)
		say(c, "%s: %s", what, strerror(rc < 0 ? errno : rc));
	return rc;
}

static void plan(struct conn *c, enum step step, int64_t delay)
{
	c->step = step;
	c->due = now() + delay;
}

static struct conn *conn_new(struct rdma_cm_id *id)
{
	struct conn *c;

	if (made == CONNS)
		exit(3);
	c = &conns[made];
	*c = (struct conn){ .id = id, .due = NEVER, .n = ++made };
	if (id)
		id->context = c;
	return c;
}

static int resolve(const char *name, struct sockaddr_storage *ret)
{
	struct addrinfo *info, hints = { .ai_flags = AI_NUMERICHOST };
	char port[16];

	snprintf(port, sizeof(port), "%ld", o.port);
	if (getaddrinfo(name, port, &hints, &info))
		return -1;
	memcpy(ret, info->ai_addr, info->ai_addrlen);
	freeaddrinfo(info);
	return 0;
}

static enum rdma_port_space space(void)
{
	return !strcmp(o.space, "udp")  ? RDMA_PS_UDP
	       : !strcmp(o.space, "ib") ? RDMA_PS_IB
					: RDMA_PS_TCP;
}

static int id_new(struct rdma_cm_id **ret_id, const char *address)
{
	struct rdma_addrinfo *info,
		hints = { .ai_qp_type = IBV_QPT_UC, .ai_port_space = RDMA_PS_IB };
	char port[16];
	int rc;

	if (!o.uc)
		return rdma_create_id(channel, ret_id, NULL, space());
	/* only this way leads to UC */
	snprintf(port, sizeof(port), "%ld", o.port);
	hints.ai_flags = RAI_NUMERICHOST | (o.address ? 0 : RAI_PASSIVE);
	rc = rdma_getaddrinfo(address, port, &hints, &info);
	if (rc)
		return rc;
	rc = rdma_create_ep(ret_id, info, NULL, NULL);
	rdma_freeaddrinfo(info);
	return rc ? rc : rdma_migrate_id(*ret_id, channel);
}

static int make_qp(struct conn *c)
{
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 32,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = space() == RDMA_PS_UDP ? IBV_QPT_UD
			   : o.uc                 ? IBV_QPT_UC
						  : IBV_QPT_RC,
	};

	c->pd = ibv_alloc_pd(c->id->verbs);
	c->cq = ibv_create_cq(c->id->verbs, 64, NULL, NULL, 0);
	c->buffer = aligned_alloc(4096, BUFFER);
	if (!c->pd || !c->cq || !c->buffer)
		exit(3);
	memset(c->buffer, 'x', BUFFER);
	c->mr = ibv_reg_mr(c->pd, c->buffer, BUFFER,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |
				   IBV_ACCESS_MW_BIND);
	if (!c->mr)
		exit(3);
	attr.send_cq = attr.recv_cq = c->cq;
	return check(c, "rdma_create_qp", rdma_create_qp(c->id, c->pd, &attr));
}

static void receive(struct conn *c, unsigned count)
{
	struct ibv_sge sge = { (uintptr_t)c->buffer + BUFFER / 2, BUFFER / 2, c->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	while (count--)
		check(c, "receive", ibv_post_recv(c->id->qp, &wr, &bad));
}

static struct rdma_conn_param param(char *text)
{
	struct rdma_conn_param p = {
		.retry_count = (uint8_t)o.retry,
		.rnr_retry_count = (uint8_t)o.rnr,
		.responder_resources = (uint8_t)o.resources,
		.initiator_depth = (uint8_t)o.depth,
		.qp_num = o.qpn >= 0 ? (uint32_t)o.qpn : 0xabcdef,
	};

	memset(text, 0, TEXT);
	if (o.text) {
		snprintf(text, TEXT, "%s", o.text);
		p.private_data = text;
		p.private_data_len = TEXT;
	}
	return p;
}

static void set_ece(struct conn *c)
{
	struct ibv_ece ece = { 0 };

	if (o.ece && sscanf(o.ece, "%x/%x", &ece.vendor_id, &ece.options) == 2)
		check(c, "rdma_set_local_ece", rdma_set_local_ece(c->id, &ece));
}

static void end(struct conn *c)
{
	if (c->ended)
		return;
	c->ended = true;
	c->due = NEVER;
	ended++;
	if (c->id->qp)
		rdma_destroy_qp(c->id);
	rdma_destroy_id(c->id);
	say(c, "end");
}

/* ---- active side -------------------------------------------------------------------------- */

static void start(void)
{
	struct conn *c = conn_new(NULL);
	struct sockaddr_storage to, from;
	uint8_t tos = (uint8_t)o.tos, ack = (uint8_t)o.ack;
	const bool bound = o.source && !resolve(o.source, &from);

	if (check(c, "create", id_new(&c->id, o.address)))
		exit(3);
	c->id->context = c;
	if (o.tos >= 0)
		check(c, "tos",
		      rdma_set_option(c->id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, 1));
	if (o.ack >= 0)
		check(c, "ack timeout",
		      rdma_set_option(c->id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &ack, 1));
	if (bound)
		((struct sockaddr_in *)&from)->sin_port = 0;
	if (!o.uc && (resolve(o.address, &to) ||
		      check(c, "resolve address",
			    rdma_resolve_addr(c->id, bound ? (struct sockaddr *)&from : NULL,
					      (struct sockaddr *)&to, 3000))))
		end(c);
}

/* The path record in place of rdma_resolve_route. */
static int set_path(struct conn *c)
{
	const struct rdma_ib_addr *addr = &c->id->route.addr.addr.ibaddr;
	struct ibv_path_data path = {
		.flags = IBV_PATH_FLAG_GMP | IBV_PATH_FLAG_PRIMARY | IBV_PATH_FLAG_BIDIRECTIONAL,
		.path = { .flowlabel_hoplimit = htobe32((uint32_t)o.hop),
			  .tclass = o.tos >= 0 ? (uint8_t)o.tos : 0,
			  .reversible_numpath = IBV_PATH_RECORD_REVERSIBLE | 1,
			  .pkey = 0xffff,
			  .mtu = (uint8_t)(0x80 | o.mtu),
			  .rate = 0x80 | IBV_RATE_10_GBPS,
			  .packetlifetime = 0x80 | 18 },
	};

	path.path.dgid = addr->dgid;
	path.path.sgid = addr->sgid;
	return rdma_set_option(c->id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &path, sizeof(path));
}

static void request(struct conn *c)
{
	char text[TEXT];
	struct rdma_conn_param p = param(text);

	set_ece(c);
	if (!o.noqp && make_qp(c)) {
		plan(c, END, 0);
		return;
	}
	if (o.ops)
		receive(c, 1);
	if (check(c, "connect", rdma_connect(c->id, &p)))
		plan(c, END, 0); /* not now: its event is not acknowledged yet */
	if (o.fetch)
		usleep((useconds_t)o.fetch * 1000);
	o.fetch = 0;
}

/* ---- operations --------------------------------------------------------------------------- */

/* Wait for one completion; its status, or -1 when none comes. */
static int completion(struct conn *c, const char *what, struct ibv_wc *wc, int64_t limit)
{
	const int64_t until = now() + limit;

	while (!ibv_poll_cq(c->cq, 1, wc)) {
		if (now() > until) {
			say(c, "%s: no completion", what);
			return -1;
		}
		usleep(500);
	}
	say(c, "%s: %s", what, ibv_wc_status_str(wc->status));
	return (int)wc->status;
}

/* Passive: bind a window for send with invalidate, and tell the peer where our memory is. */
static void serve(struct conn *c)
{
	struct memory *memory = (struct memory *)c->buffer;
	struct ibv_sge sge = { (uintptr_t)c->buffer, sizeof(*memory), c->mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW, .send_flags = IBV_SEND_SIGNALED }, *bad;
	struct ibv_wc wc;

	memory->address = htobe64((uintptr_t)c->buffer + BUFFER / 2);
	memory->rkey = htobe32(c->mr->rkey);
	memory->window = 0;
	c->mw = o.uc ? NULL : ibv_alloc_mw(c->pd, IBV_MW_TYPE_2);
	if (c->mw) {
		wr.bind_mw.mw = c->mw;
		wr.bind_mw.rkey = ibv_inc_rkey(c->mw->rkey);
		wr.bind_mw.bind_info =
			(struct ibv_mw_bind_info){ c->mr, (uintptr_t)c->buffer + BUFFER / 2,
						   BUFFER / 2, IBV_ACCESS_REMOTE_WRITE };
		if (!check(c, "bind", ibv_post_send(c->id->qp, &wr, &bad)) &&
		    !completion(c, "bind", &wc, 1000))
			memory->window = htobe32(wr.bind_mw.rkey);
	}
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND,
				   .send_flags = IBV_SEND_SIGNALED,
				   .sg_list = &sge,
				   .num_sge = 1 };
	check(c, "tell", ibv_post_send(c->id->qp, &wr, &bad));
	completion(c, "tell", &wc, 5000);
	if (o.receive)
		usleep((useconds_t)o.receive * 1000);
	receive(c, 16);
}

static const struct {
	const char *name;
	enum ibv_wr_opcode opcode;
} kinds[] = {
	{ "send", IBV_WR_SEND },
	{ "imm", IBV_WR_SEND_WITH_IMM },
	{ "inv", IBV_WR_SEND_WITH_INV },
	{ "write", IBV_WR_RDMA_WRITE },
	{ "wimm", IBV_WR_RDMA_WRITE_WITH_IMM },
	{ "read", IBV_WR_RDMA_READ },
	{ "swap", IBV_WR_ATOMIC_CMP_AND_SWP },
	{ "add", IBV_WR_ATOMIC_FETCH_AND_ADD },
	{ "far", IBV_WR_RDMA_WRITE },
};

/* Active: one work request of each kind in the list, each after the completion of the last. */
static void operate(struct conn *c)
{
	struct memory memory;
	char list[128], *name, *rest = list;
	struct ibv_wc wc;

	if (completion(c, "told", &wc, 10000))
		return;
	memcpy(&memory, c->buffer + BUFFER / 2, sizeof(memory));
	snprintf(list, sizeof(list), "%s", o.ops);
	while ((name = strsep(&rest, ","))) {
		struct ibv_sge sge = { (uintptr_t)c->buffer, (uint32_t)o.size, c->mr->lkey };
		struct ibv_send_wr wr = { .send_flags = IBV_SEND_SIGNALED,
					  .sg_list = &sge,
					  .num_sge = 1 };
		struct ibv_send_wr *bad;
		size_t i = 0;

		while (i < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[i].name, name))
			i++;
		if (i == sizeof(kinds) / sizeof(kinds[0])) {
			say(c, "no operation is called %s", name);
			return;
		}
		wr.opcode = kinds[i].opcode;
		if (!strcmp(name, "inv"))
			wr.invalidate_rkey = be32toh(memory.window);
		else if (strstr(name, "imm"))
			wr.imm_data = htobe32(0x12345678);
		if (!strcmp(name, "swap") || !strcmp(name, "add")) {
			sge.length = 8;
			wr.wr.atomic.remote_addr = be64toh(memory.address);
			wr.wr.atomic.rkey = be32toh(memory.rkey);
			wr.wr.atomic.compare_add = 1;
			wr.wr.atomic.swap = 2;
		} else {
			wr.wr.rdma.remote_addr =
				be64toh(memory.address) + (strcmp(name, "far") ? 0 : 1 << 30);
			wr.wr.rdma.rkey = be32toh(memory.rkey);
		}
		if (check(c, name, ibv_post_send(c->id->qp, &wr, &bad)) ||
		    completion(c, name, &wc, 60000))
			return;
	}
}

/* ---- events ------------------------------------------------------------------------------- */

static void answer(struct conn *c)
{
	char text[TEXT];
	struct rdma_conn_param p = param(text);
	struct ibv_ece ece = { 0 };

	if (!strcmp(o.mode, "ignore"))
		return;
	if (o.ece && !rdma_get_remote_ece(c->id, &ece))
		say(c, "ece of the peer %x/%x", ece.vendor_id, ece.options);
	if (!strncmp(o.mode, "reject", 6)) {
		check(c, "reject",
		      strcmp(o.mode, "reject")
			      ? rdma_reject_ece(c->id, p.private_data, p.private_data_len)
			      : rdma_reject(c->id, p.private_data, p.private_data_len));
		plan(c, END, 100);
		return;
	}
	set_ece(c);
	if (!o.noqp) {
		if (make_qp(c)) { /* the peer gave up */
			plan(c, END, 0);
			return;
		}
		p.qp_num = c->id->qp->qp_num;
		if (o.serve && !o.receive)
			receive(c, 16);
	}
	check(c, "accept", rdma_accept(c->id, &p));
	if (!strcmp(o.mode, "destroy"))
		plan(c, END, 100);
	else if (space() == RDMA_PS_UDP)
		plan(c, END, o.hold);
}

static void established(struct conn *c)
{
	c->up = true;
	if (o.serve)
		plan(c, SERVE, 0);
	else if (o.ops)
		plan(c, OPERATE, 0);
	else if (!o.keep)
		plan(c, DISCONNECT, o.hold);
}

static void establish(struct conn *c)
{
	char text[TEXT];
	struct rdma_conn_param p = param(text);

	if (!strcmp(o.mode, "reject")) {
		check(c, "reject", rdma_reject(c->id, p.private_data, p.private_data_len));
		plan(c, END, 100);
	} else if (!strcmp(o.mode, "destroy")) {
		end(c);
	} else if (strcmp(o.mode, "ignore") && !check(c, "establish", rdma_establish(c->id))) {
		established(c);
	}
}

static void disconnected(struct conn *c)
{
	if (o.mute)
		c->due = NEVER;
	else if (c->closing)
		plan(c, END, 3000); /* or TIMEWAIT_EXIT before */
	else
		plan(c, REPLY, o.close);
}

static void handle(struct rdma_cm_event *event)
{
	struct conn *c = event->id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		c = conn_new(event->id);
	say(c, "%s %d", rdma_event_str(event->event), event->status);
	if (event->param.conn.private_data && event->param.conn.private_data_len)
		say(c, "private data \"%.48s\"", (const char *)event->param.conn.private_data);
	if (!c)
		return;
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		/* either gives ROUTE_RESOLVED */
		if (o.mtu > 0)
			check(c, "path", set_path(c));
		else
			check(c, "resolve route", rdma_resolve_route(c->id, 3000));
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		request(c);
		break;
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		plan(c, ANSWER, o.answer);
		break;
	case RDMA_CM_EVENT_CONNECT_RESPONSE:
		plan(c, ESTABLISH, o.establish);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (!c->up)
			established(c);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		disconnected(c);
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		plan(c, END, 0);
		break;
	default: /* every other event is the end of it */
		plan(c, END, 100);
	}
}

static void act(struct conn *c)
{
	const enum step step = c->step;

	c->step = NONE;
	c->due = NEVER;
	switch (step) {
	case ANSWER:
		answer(c);
		break;
	case ESTABLISH:
		establish(c);
		break;
	case SERVE:
		serve(c);
		break;
	case OPERATE:
		operate(c);
		if (!o.keep)
			plan(c, DISCONNECT, o.hold);
		break;
	case DISCONNECT:
		say(c, "disconnect");
		c->closing = true;
		check(c, "disconnect", rdma_disconnect(c->id));
		break;
	case REPLY:
		check(c, "disconnect", rdma_disconnect(c->id));
		plan(c, END, 3000);
		break;
	case END:
		end(c);
		break;
	case NONE:
		break;
	}
}

static void listen_on(void)
{
	struct sockaddr_storage any = { .ss_family = AF_INET6 };
	struct rdma_cm_id *id;

	if (check(NULL, "create", id_new(&id, o.source)))
		exit(3);
	((struct sockaddr_in6 *)&any)->sin6_port = htons((uint16_t)o.port);
	if (o.source && resolve(o.source, &any))
		exit(2);
	if (!o.uc && check(NULL, "bind", rdma_bind_addr(id, (struct sockaddr *)&any)))
		exit(3);
	id->context = NULL;
	if (check(NULL, "listen", rdma_listen(id, (int)o.backlog)))
		exit(3);
	if (o.fetch)
		usleep((useconds_t)o.fetch * 1000);
}

int main(int argc, char **argv)
{
	const int64_t begun = now();
	int64_t next = begun;

	options(argc, argv);
	channel = rdma_create_event_channel();
	if (check(NULL, "channel", channel ? 0 : -1))
		return 3;
	if (!o.address)
		listen_on();
	while (!o.count || ended < (unsigned)o.count) {
		struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
		int64_t wake = now() + 1000;

		if (o.life && now() >= begun + o.life)
			break;
		if (o.address && made < (unsigned)o.count &&
		    (o.interval < 0 ? made == ended : now() >= next)) {
			next = now() + o.interval;
			start();
			if (o.uc)
				request(&conns[made - 1]);
		}
		if (o.address && o.interval >= 0 && made < (unsigned)o.count && next < wake)
			wake = next;
		for (unsigned i = 0; i < made; i++)
			if (conns[i].due < wake)
				wake = conns[i].due;
		if (poll(&fd, 1, wake > now() ? (int)(wake - now()) : 0) > 0) {
			struct rdma_cm_event *event;

			if (check(NULL, "event", rdma_get_cm_event(channel, &event)))
				return 3;
			/* destroying an id waits for its events */
			handle(event);
			rdma_ack_cm_event(event);
		}
		for (unsigned i = 0; i < made; i++)
			if (conns[i].due <= now())
				act(&conns[i]);
	}
	return 0;
}
