// SPDX-License-Identifier: BSD-2-Clause
#include "replay/route.h"

#include <endian.h>
#include <errno.h>
#include <glib.h>
#include <infiniband/sa.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "rdmatrace/wire.h"

#define RESOLVE_MS 4000

/* Path records say of some values that they are exact: the selector in the two high bits. */
#define EXACTLY 0x80u

/* Wait for the end of a resolution; the channel may be one that does not block. */
static bool await(struct rdma_cm_id *id, enum rdma_cm_event_type type, const char *what,
		  char **ret_why)
{
	struct pollfd ready = { .fd = id->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	bool ok;

	/* The kernel has its own limit, and an event for it. */
	if (poll(&ready, 1, 2 * RESOLVE_MS) <= 0 || rdma_get_cm_event(id->channel, &event)) {
		*ret_why = g_strdup_printf("%s: no event of the kernel", what);
		return false;
	}
	ok = event->event == type;
	if (!ok)
		*ret_why =
			g_strdup_printf("%s: the kernel says %s (status %d); is the peer's address "
					"right, and is it reached over an RDMA device?",
					what, rdma_event_str(event->event), event->status);
	rdma_ack_cm_event(event);
	return ok;
}

bool rp_route_address(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to,
		      char **ret_why)
{
	if (rdma_resolve_addr(id, from, to, RESOLVE_MS)) {
		*ret_why = g_strdup_printf("rdma_resolve_addr: %s", strerror(errno));
		return false;
	}
	return await(id, RDMA_CM_EVENT_ADDR_RESOLVED, "the peer's address", ret_why);
}

/* ---- ACK timeout ------------------------------------------------------------------------------- */

/* Which timeout the kernel says for a packet lifetime (cm_ack_timeout in drivers/infiniband/core/cm.c). */
static unsigned timeout_of(unsigned ack_delay, unsigned lifetime)
{
	unsigned timeout = lifetime + 1;

	if (timeout >= ack_delay)
		timeout += ack_delay >= timeout - 1;
	else
		timeout = ack_delay + (timeout >= ack_delay - 1);
	return MIN(timeout, 31);
}

/* The lifetime whose timeout comes nearest; the device's own delay is the least. */
static unsigned lifetime_for(unsigned ack_delay, unsigned timeout)
{
	unsigned lifetime = 0;

	while (lifetime < 31 && timeout_of(ack_delay, lifetime) < timeout)
		lifetime++;
	return lifetime;
}

static unsigned ack_delay_of(const struct rdma_cm_id *id)
{
	struct ibv_device_attr attr;

	return id->verbs && !ibv_query_device(id->verbs, &attr) ? attr.local_ca_ack_delay : 0;
}

/* ---- the path ---------------------------------------------------------------------------------- */

static bool is_roce(const struct rdma_cm_id *id)
{
	struct ibv_port_attr port;

	return id->verbs && !ibv_query_port(id->verbs, id->port_num, &port) &&
	       port.link_layer == IBV_LINK_LAYER_ETHERNET;
}

static int say_path(struct rdma_cm_id *id, const uint8_t *req)
{
	const unsigned lifetime = lifetime_for(ack_delay_of(id), rdt_req_primary_ack_timeout(req));
	struct ibv_path_data path = {
		.flags = IBV_PATH_FLAG_GMP | IBV_PATH_FLAG_PRIMARY | IBV_PATH_FLAG_BIDIRECTIONAL,
		.path = { .dgid = id->route.addr.addr.ibaddr.dgid,
			  .sgid = id->route.addr.addr.ibaddr.sgid,
			  .flowlabel_hoplimit = htobe32(rdt_req_primary_flow_label(req) << 8 |
							rdt_req_primary_hop_limit(req)),
			  .tclass = (uint8_t)rdt_req_primary_traffic_class(req),
			  .reversible_numpath = IBV_PATH_RECORD_REVERSIBLE | 1,
			  .pkey = htobe16((uint16_t)rdt_req_pkey(req)),
			  .qosclass_sl = htobe16((uint16_t)rdt_req_primary_sl(req)),
			  .mtu = (uint8_t)(EXACTLY | rdt_req_path_mtu(req)),
			  .rate = (uint8_t)(EXACTLY | rdt_req_primary_packet_rate(req)),
			  .packetlifetime = (uint8_t)(EXACTLY | lifetime) },
	};

	return rdma_set_option(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &path, sizeof(path));
}

static void tell(const struct ibv_sa_path_rec *path, unsigned timeout, uint8_t *req)
{
	rdt_req_set_path_mtu(req, path->mtu & 0xf);
	rdt_req_set_primary_packet_rate(req, path->rate & 0x3f);
	rdt_req_set_primary_traffic_class(req, path->traffic_class);
	rdt_req_set_primary_flow_label(req, be32toh(path->flow_label) & 0xfffff);
	rdt_req_set_primary_hop_limit(req, path->hop_limit);
	rdt_req_set_primary_sl(req, path->sl & 0xf);
	rdt_req_set_primary_ack_timeout(req, timeout);
}

bool rp_route_take(struct rdma_cm_id *id, uint8_t *req, char **ret_why)
{
	const struct ibv_sa_path_rec *path;

	if (req && is_roce(id) ? say_path(id, req) : rdma_resolve_route(id, RESOLVE_MS)) {
		*ret_why = g_strdup_printf("the route to the peer: %s", strerror(errno));
		return false;
	}
	if (!await(id, RDMA_CM_EVENT_ROUTE_RESOLVED, "the route to the peer", ret_why))
		return false;
	path = id->route.path_rec;
	if (req && id->route.num_paths && path)
		tell(path, timeout_of(ack_delay_of(id), path->packet_life_time), req);
	return true;
}

/* The kernel takes the peer's timeout for twice a lifetime (cm_format_paths_from_req). */
void rp_route_came(const struct rdma_cm_id *id, uint8_t *req)
{
	const struct ibv_sa_path_rec *path = id->route.path_rec;

	if (id->route.num_paths && path)
		tell(path, path->packet_life_time ? path->packet_life_time + 1u : 0, req);
}

/* ---- ECE ---------------------------------------------------------------------------------------- */

bool rp_route_offer_ece(struct rdma_cm_id *id, uint32_t vendor, uint32_t options)
{
	struct ibv_ece ece = { .vendor_id = vendor, .options = options };

	return (!vendor && !options) || !rdma_set_local_ece(id, &ece);
}

void rp_route_peer_ece(struct rdma_cm_id *id, uint32_t *ret_vendor, uint32_t *ret_options)
{
	struct ibv_ece ece = { .vendor_id = 0 };

	if (rdma_get_remote_ece(id, &ece))
		ece = (struct ibv_ece){ .vendor_id = 0 };
	*ret_vendor = ece.vendor_id;
	*ret_options = ece.options;
}
