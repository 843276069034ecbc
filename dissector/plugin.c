/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rdmacm: a post-dissector. Wireshark calls it for every packet after all others, whatever they made
 * of it; the decoder finds the transport in the frame's own bytes. So it works in all encapsulations
 * that rdma-trace reads, beside any upper layer, and after one that threw.
 */
#include "rdmacm.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT const char plugin_version[] = RDT_VERSION;
EXPORT const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
EXPORT const int plugin_want_minor = WIRESHARK_VERSION_MINOR;
EXPORT void plugin_register(void);
#if WS_AT_LEAST(4, 4)
#include <wsutil/plugins.h>
EXPORT uint32_t plugin_describe(void);

uint32_t plugin_describe(void)
{
	return WS_PLUGIN_DESC_DISSECTOR | WS_PLUGIN_DESC_TAP_LISTENER;
}
#endif

int proto_rdmacm = -1;
int tap_rdmacm = -1, tap_follow = -1;

struct rdmacm_prefs rdmacm_prefs = {
	.port = RDT_ROCEV2_PORT, .analysis = TRUE, .icrc = TRUE, .timers = TRUE, .columns = TRUE
};

/* Show what is known of a packet whose transport was found. */
static int show(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct rdt_frame *frame)
{
	const struct note *note = feed(pinfo, frame);
	struct packet *p;

	if (!note)
		return 0;
	p = wmem_new0(pinfo->pool, struct packet);
	p->pinfo = pinfo;
	p->tvb = tvb;
	p->frame = *frame;
	p->note = note;
	p->final = feed_is_final();
	p->stream = feed_stream(note);
	p->conn = feed_tracker() ? rdt_tracker_conn(feed_tracker(), p->stream) : NULL;
	p->layer_count = rdt_layers(tvb_get_ptr(tvb, 0, -1), &p->frame, p->layers);
	consumer_add(p);
	columns_set(p);
	tree_add(tree, p);
	tap_queue_packet(tap_rdmacm, pinfo, p);
	follow_queue(p);
	return (int)tvb_captured_length(tvb);
}

static int dissect_post(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	struct rdt_frame frame;

	(void)data;
	if (!link_parse(pinfo, tvb, &frame)) {
		feed_time(pinfo);
		return 0;
	}
	return show(tvb, pinfo, tree, &frame);
}

/* A transport packet alone, as Export PDU writes it: BTH to ICRC. */
static int dissect_packet(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
	struct rdt_frame frame;

	(void)data;
	return link_bare(pinfo, tvb, &frame) ? show(tvb, pinfo, tree, &frame) : 0;
}

static void register_prefs(void)
{
	module_t *module = prefs_register_protocol(proto_rdmacm, NULL);

	prefs_register_uint_preference(
		module, "port", "UDP port of RoCEv2",
		"Besides the ports that the InfiniBand dissector is given by its preferences or by "
		"Decode As.",
		10, &rdmacm_prefs.port);
	prefs_register_bool_preference(module, "analysis", "Track connections",
				       "Follow each connection: states of both sides, answers, "
				       "repetitions, PSNs. Without it "
				       "packets are only decoded.",
				       &rdmacm_prefs.analysis);
	prefs_register_bool_preference(module, "icrc", "Check the ICRC of data packets",
				       "Messages that set up or close a connection are always "
				       "checked while connections are "
				       "tracked.",
				       &rdmacm_prefs.icrc);
	prefs_register_bool_preference(
		module, "timers", "Tell what follows from timers",
		"Retries that run out and TIMEWAIT that ends: no packet shows them, the announced "
		"timers do.",
		&rdmacm_prefs.timers);
	prefs_register_bool_preference(
		module, "columns", "Write the packet list's columns",
		"Protocol and Info of RDMA packets, and Source where it was lost.",
		&rdmacm_prefs.columns);
	prefs_register_uint_preference(module, "max_conns", "Connections kept",
				       "More drop the oldest. 0 is a million.", 10,
				       &rdmacm_prefs.max_conns);
}

static void proto_register_rdmacm(void)
{
	proto_rdmacm =
		proto_register_protocol("RDMA Connections (rdma-trace)", "RDMA CM", "rdmacm");
	fields_register();
	analysis_register();
	tree_register();
	experts_register();
	findings_register();
	register_prefs();
	feed_register();
	tap_rdmacm = register_tap("rdmacm");
	tap_follow = register_tap("rdmacm_follow");
	talk_register();
	flow_register();
	follow_register();
	register_dissector("rdmacm.packet", dissect_packet, proto_rdmacm);
	register_postdissector(register_dissector("rdmacm", dissect_post, proto_rdmacm));
}

static void proto_reg_handoff_rdmacm(void)
{
	link_handoff();
	stats_register();
	follow_handoff();
}

void plugin_register(void)
{
	static proto_plugin plugin;

	plugin.register_protoinfo = proto_register_rdmacm;
	plugin.register_handoff = proto_reg_handoff_rdmacm;
	proto_register_plugin(&plugin);
}
