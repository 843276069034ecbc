// SPDX-License-Identifier: BSD-2-Clause
#include "replay/verbs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#define RECEIVES 64u
#define RECEIVE_LEN 16384u
#define OURS UINT64_MAX /* wr_id of what we post to send */

struct rp_verbs {
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *buffers;
	struct ibv_mr *buffers_mr;
	GPtrArray *mrs; /* of the player's memories */
	/* what is in flight */
	struct rp_item *item;
	uint8_t *bytes;
	size_t len;
	struct ibv_mr *mr;
	bool done, ready;
	char *why;
	GQueue *received;
};

static void no(struct rp_problem *p, const char *what)
{
	p->text = g_strdup_printf("%s: %s; is there enough lockable memory? (ulimit -l)", what,
				  strerror(errno));
	p->environment = true;
}

static void release(struct rp_verbs *v)
{
	if (v->mr)
		ibv_dereg_mr(v->mr);
	g_free(v->bytes);
	v->mr = NULL;
	v->bytes = NULL;
}

void rp_verbs_free(struct rp_verbs *v)
{
	if (!v)
		return;
	if (v->qp)
		ibv_destroy_qp(v->qp);
	release(v);
	if (v->buffers_mr)
		ibv_dereg_mr(v->buffers_mr);
	for (guint i = 0; i < v->mrs->len; i++)
		ibv_dereg_mr(v->mrs->pdata[i]);
	g_ptr_array_unref(v->mrs);
	if (v->cq)
		ibv_destroy_cq(v->cq);
	if (v->channel)
		ibv_destroy_comp_channel(v->channel);
	if (v->pd)
		ibv_dealloc_pd(v->pd);
	g_queue_free_full(v->received, rp_item_free);
	g_free(v->buffers);
	g_free(v->why);
	g_free(v);
}

static bool post_receive(struct rp_verbs *v, uint64_t number)
{
	struct ibv_sge sge = { .addr = (uintptr_t)(v->buffers + number * RECEIVE_LEN),
			       .length = RECEIVE_LEN,
			       .lkey = v->buffers_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = number, .sg_list = &sge, .num_sge = 1 }, *bad;

	return !ibv_post_recv(v->qp, &wr, &bad);
}

static bool make(struct rp_verbs *v, struct ibv_context *context, bool ud)
{
	struct ibv_qp_init_attr attr = { .qp_type = ud ? IBV_QPT_UD : IBV_QPT_RC,
					 .sq_sig_all = 1,
					 .cap = { .max_send_wr = 16,
						  .max_recv_wr = RECEIVES,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };

	v->pd = ibv_alloc_pd(context);
	v->channel = ibv_create_comp_channel(context);
	if (!v->pd || !v->channel)
		return false;
	fcntl(v->channel->fd, F_SETFL, fcntl(v->channel->fd, F_GETFL) | O_NONBLOCK);
	v->cq = ibv_create_cq(context, RECEIVES + 16, NULL, v->channel, 0);
	if (!v->cq || ibv_req_notify_cq(v->cq, 0))
		return false;
	v->buffers = g_malloc0((size_t)RECEIVES * RECEIVE_LEN);
	v->buffers_mr = ibv_reg_mr(v->pd, v->buffers, (size_t)RECEIVES * RECEIVE_LEN,
				   IBV_ACCESS_LOCAL_WRITE);
	attr.send_cq = attr.recv_cq = v->cq;
	v->qp = v->buffers_mr ? ibv_create_qp(v->pd, &attr) : NULL;
	return v->qp != NULL;
}

struct rp_verbs *rp_verbs_new(struct ibv_context *context, bool ud, struct rp_problem *problem)
{
	struct rp_verbs *v = g_new0(struct rp_verbs, 1);

	v->mrs = g_ptr_array_new();
	v->received = g_queue_new();
	if (make(v, context, ud))
		return v;
	no(problem, "no queue pair on the device");
	rp_verbs_free(v);
	return NULL;
}

uint32_t rp_verbs_qpn(const struct rp_verbs *v)
{
	return v->qp->qp_num;
}

int rp_verbs_fd(const struct rp_verbs *v)
{
	return v->channel->fd;
}

void rp_verbs_memory(struct rp_verbs *v, struct rp_player *p)
{
	for (size_t i = 0; i < p->memories.count; i++) {
		struct rp_memory *m = &p->memories.items[i];
		struct ibv_mr *mr =
			ibv_reg_mr(v->pd, m->bytes, m->len + 1,
				   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
					   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC);

		if (!mr)
			continue;
		g_ptr_array_add(v->mrs, mr);
		m->va = (uintptr_t)m->bytes;
		m->rkey = mr->rkey;
		rp_memory_tell(p->env.symbols, m->name, RP_FORCED, m->va, m->rkey);
	}
}

static bool to_state(struct rp_verbs *v, struct rdma_cm_id *id, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };
	int mask, error;

	if (rdma_init_qp_attr(id, &attr, &mask))
		return false;
	attr.qp_state = state;
	if (state == IBV_QPS_INIT)
		attr.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
				       IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	error = ibv_modify_qp(v->qp, &attr, mask);
	errno = error;
	return !error;
}

bool rp_verbs_ready(struct rp_verbs *v, struct rdma_cm_id *id, bool send)
{
	if (v->ready)
		return true;
	if (!to_state(v, id, IBV_QPS_INIT))
		return false;
	for (uint64_t i = 0; i < RECEIVES; i++) {
		if (!post_receive(v, i))
			return false;
	}
	v->ready = to_state(v, id, IBV_QPS_RTR) && (!send || to_state(v, id, IBV_QPS_RTS));
	return v->ready;
}

/* ---- operations ---------------------------------------------------------------------------------- */

static size_t local_len(const struct rp_op *op)
{
	switch (op->kind) {
	case RP_OP_READ:
		return rdt_reth_dma_len(op->reth);
	case RP_OP_CMP_SWAP:
	case RP_OP_FETCH_ADD:
		return 8;
	default:
		return op->payload_len;
	}
}

static void describe(const struct rp_op *op, struct ibv_send_wr *wr)
{
	static const enum ibv_wr_opcode opcodes[RP_OP_COUNT] = {
		[RP_OP_SEND] = IBV_WR_SEND,
		[RP_OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[RP_OP_SEND_INV] = IBV_WR_SEND_WITH_INV,
		[RP_OP_WRITE] = IBV_WR_RDMA_WRITE,
		[RP_OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[RP_OP_READ] = IBV_WR_RDMA_READ,
		[RP_OP_CMP_SWAP] = IBV_WR_ATOMIC_CMP_AND_SWP,
		[RP_OP_FETCH_ADD] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};

	wr->opcode = opcodes[op->kind];
	if (rdt_bth_se(op->bth))
		wr->send_flags |= IBV_SEND_SOLICITED;
	if (op->kind == RP_OP_SEND_INV)
		wr->invalidate_rkey = rdt_ieth_rkey(op->ieth);
	if (op->kind == RP_OP_SEND_IMM || op->kind == RP_OP_WRITE_IMM)
		wr->imm_data = htonl(rdt_immdt_data(op->immdt));
	if (op->kind == RP_OP_CMP_SWAP || op->kind == RP_OP_FETCH_ADD) {
		wr->wr.atomic.remote_addr = rdt_atomiceth_va(op->atomiceth);
		wr->wr.atomic.rkey = rdt_atomiceth_rkey(op->atomiceth);
		wr->wr.atomic.compare_add = op->kind == RP_OP_FETCH_ADD
						    ? rdt_atomiceth_swap_add(op->atomiceth)
						    : rdt_atomiceth_compare(op->atomiceth);
		wr->wr.atomic.swap = rdt_atomiceth_swap_add(op->atomiceth);
	} else {
		wr->wr.rdma.remote_addr = rdt_reth_va(op->reth);
		wr->wr.rdma.rkey = rdt_reth_rkey(op->reth);
	}
}

bool rp_verbs_post(struct rp_verbs *v, struct rp_item *item, char **ret_why)
{
	struct ibv_sge sge = { .length = (uint32_t)local_len(&item->op) };
	struct ibv_send_wr wr = { .wr_id = OURS, .sg_list = &sge, .num_sge = sge.length != 0 },
			   *bad;
	int error;

	release(v);
	v->len = sge.length;
	v->bytes = g_malloc0(v->len + 8);
	if (item->op.payload)
		memcpy(v->bytes, item->op.payload, MIN(v->len, item->op.payload_len));
	v->mr = ibv_reg_mr(v->pd, v->bytes, v->len + 8, IBV_ACCESS_LOCAL_WRITE);
	if (!v->mr) {
		*ret_why = g_strdup_printf("memory cannot be registered: %s (ulimit -l)",
					   strerror(errno));
		return false;
	}
	sge.addr = (uintptr_t)v->bytes;
	sge.lkey = v->mr->lkey;
	describe(&item->op, &wr);
	item->ns = rp_now();
	error = ibv_post_send(v->qp, &wr, &bad);
	if (error) {
		*ret_why =
			g_strdup_printf("the work request cannot be posted: %s", strerror(error));
		return false;
	}
	v->item = item;
	v->done = false;
	return true;
}

/* ---- completions ------------------------------------------------------------------------------------ */

static void sent(struct rp_verbs *v, const struct ibv_wc *wc)
{
	struct rp_op *op = v->item ? &v->item->op : NULL;

	v->done = true;
	if (wc->status != IBV_WC_SUCCESS) {
		v->why = g_strdup_printf("the device says %s", ibv_wc_status_str(wc->status));
	} else if (op && (op->kind == RP_OP_READ || op->kind == RP_OP_CMP_SWAP ||
			  op->kind == RP_OP_FETCH_ADD)) {
		g_free(op->reply);
		op->reply = g_memdup2(v->bytes, v->len);
		op->reply_len = v->len;
		if (op->kind != RP_OP_READ) {
			uint64_t number;

			/* In memory as this machine has numbers; on the wire most significant first. */
			memcpy(&number, v->bytes, 8);
			rdt_bits_set(op->reply, 0, 64, number);
		}
	}
	v->item = NULL;
}

static void received(struct rp_verbs *v, const struct ibv_wc *wc, unsigned from)
{
	struct rp_item *item;

	if (wc->status != IBV_WC_SUCCESS)
		return;
	item = rp_item_new((enum rdt_side)from, rp_now());
	item->op.kind = RP_OP_SEND;
	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM)
		item->op.kind = RP_OP_WRITE_IMM;
	else if (wc->wc_flags & IBV_WC_WITH_IMM)
		item->op.kind = RP_OP_SEND_IMM;
	else if (wc->wc_flags & IBV_WC_WITH_INV)
		item->op.kind = RP_OP_SEND_INV;
	item->msg = (struct rp_msg){ RP_OP, item->op.kind };
	if (wc->wc_flags & IBV_WC_WITH_IMM)
		rdt_immdt_set_data(item->op.immdt, ntohl(wc->imm_data));
	item->op.payload_len = wc->opcode == IBV_WC_RECV ? wc->byte_len : 0;
	item->op.payload = g_memdup2(v->buffers + wc->wr_id * RECEIVE_LEN, wc->byte_len + 1);
	g_queue_push_tail(v->received, item);
	post_receive(v, wc->wr_id);
}

static void poll_all(struct rp_verbs *v, unsigned from)
{
	struct ibv_cq *cq;
	void *context;
	struct ibv_wc wc;

	if (!ibv_get_cq_event(v->channel, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		if (ibv_req_notify_cq(v->cq, 0))
			return;
	}
	while (ibv_poll_cq(v->cq, 1, &wc) > 0) {
		if (wc.wr_id == OURS)
			sent(v, &wc);
		else
			received(v, &wc, from);
	}
}

struct rp_item *rp_verbs_received(struct rp_verbs *v, unsigned from)
{
	poll_all(v, from);
	return g_queue_pop_head(v->received);
}

bool rp_verbs_done(struct rp_verbs *v, char **ret_why)
{
	if (!v->done)
		return false;
	v->done = false;
	*ret_why = v->why;
	v->why = NULL;
	return true;
}
