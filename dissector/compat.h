/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between Wireshark 4.0, 4.2, 4.4 and 4.6, and nowhere else: types of callbacks,
 * arguments that came, names that went. All other files are written for the newest.
 */
#ifndef RDMACM_COMPAT_H
#define RDMACM_COMPAT_H

#include <stdbool.h>
#include <stdint.h>

/* Wireshark's headers ask for it where ssize_t is known. */
#ifndef HAVE_SSIZE_T
#define HAVE_SSIZE_T 1
#endif

#include <glib.h>
#include <ws_version.h>

#define WS_AT_LEAST(major, minor)             \
	(WIRESHARK_VERSION_MAJOR > (major) || \
	 (WIRESHARK_VERSION_MAJOR == (major) && WIRESHARK_VERSION_MINOR >= (minor)))

#if !WS_AT_LEAST(4, 0)
#error "the plugin needs Wireshark 4.0 or newer"
#endif

/* Some of the others use its types without naming it. */
#include <epan/packet.h>

#include <epan/conversation_filter.h>
#include <epan/conversation_table.h>
#include <epan/expert.h>
#include <epan/exported_pdu.h>
#include <epan/follow.h>
#include <epan/prefs.h>
#include <epan/proto.h>
#include <epan/stat_tap_ui.h>
#include <epan/stats_tree.h>
#include <epan/tap.h>
#include <epan/tfs.h>
#include <epan/to_str.h>
#include <wiretap/pcap-encap.h>
#include <wiretap/wtap.h>
#include <wsutil/report_message.h>

/* What callbacks return, and what flags are. */
#if WS_AT_LEAST(4, 4)
typedef bool ws_bool;
#else
typedef gboolean ws_bool;
#endif

/* Conversation filters are handed the user data of their registration. */
#if WS_AT_LEAST(4, 2)
#define WS_FILTER_DATA , void *user_data
#define WS_FILTER_DATA_UNUSED (void)user_data
#define WS_REGISTER_CONVERSATION_FILTER(name, text, valid, build) \
	register_conversation_filter(name, text, valid, build, NULL)
#else
#define WS_FILTER_DATA
#define WS_FILTER_DATA_UNUSED (void)0
#define WS_REGISTER_CONVERSATION_FILTER(name, text, valid, build) \
	register_conversation_filter(name, text, valid, build)
#endif

/* Followers say how many streams there are. */
#if WS_AT_LEAST(4, 2)
#define WS_FOLLOW_COUNT(count) , count, NULL
#else
#define WS_FOLLOW_COUNT(count)
#endif

/* Where a statistics tree stands in the menu. */
#if WS_AT_LEAST(4, 4)
#define WS_STATS_MENU "//"
#else
#define WS_STATS_MENU "/"
#endif

/* ---- sequence analysis: exported by every version, but no header is installed ----------------- */

/*
 * Declared here as far as it is used. The library allocates the items; the members up to
 * line_style lie alike in all versions, but for the type of the two flags.
 */
struct seq_item {
	uint32_t frame_number;
	address src_addr;
	uint16_t port_src;
	address dst_addr;
	uint16_t port_dst;
	char *frame_label; /* g_malloc()ed, as the next two */
	char *time_str;
	char *comment;
	uint16_t conv_num;
	unsigned fg_color, bg_color;
	ws_bool has_color_filter, display;
	unsigned src_node, dst_node;
	uint16_t line_style;
};

struct seq_info {
	const char *name;
	ws_bool any_addr;
	int nconv;
	GQueue *items;
};

extern void register_seq_analysis(const char *name, const char *ui_name, int proto_id,
				  const char *tap_listener, unsigned tap_flags,
				  tap_packet_cb tap_func);
extern struct seq_item *sequence_analysis_create_sai_with_addresses(packet_info *pinfo,
								    struct seq_info *info);
extern void sequence_analysis_use_color_filter(packet_info *pinfo, struct seq_item *item);

#endif
