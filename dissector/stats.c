/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics: what there is (-z rdmacm,tree) and how fast answers come (-z rdmacm,stat). */
#include "rdmacm.h"
#include "rdmatrace/field.h"
#include "rdmatrace/icrc.h"

/* ---- the tree ------------------------------------------------------------------------------------ */

static const char *const root = "RDMA packets", *const messages = "Messages",
			 *const rejects = "Rejects", *const data = "Data",
			 *const faults = "Expert items", *const icrcs = "ICRC";
static int root_id, messages_id, rejects_id, data_id, faults_id, icrcs_id;

static void tree_init(stats_tree *st)
{
	root_id = stats_tree_create_node(st, root, 0, STAT_DT_INT, TRUE);
	messages_id = stats_tree_create_node(st, messages, root_id, STAT_DT_INT, TRUE);
	rejects_id = stats_tree_create_node(st, rejects, root_id, STAT_DT_INT, TRUE);
	data_id = stats_tree_create_node(st, data, root_id, STAT_DT_INT, TRUE);
	faults_id = stats_tree_create_node(st, faults, root_id, STAT_DT_INT, TRUE);
	icrcs_id = stats_tree_create_node(st, icrcs, root_id, STAT_DT_INT, TRUE);
}

static void tick(stats_tree *st, const char *parent, int parent_id, const char *name)
{
	tick_stat_node(st, parent, root_id, TRUE);
	tick_stat_node(st, name, parent_id, FALSE);
}

static tap_packet_status tree_packet(stats_tree *st, packet_info *pinfo, epan_dissect_t *edt,
				     const void *tapped, tap_flags_t flags)
{
	const struct packet *p = tapped;
	const struct rdt_layer *rej = rdt_layer_find(p->layers, p->layer_count, RDT_H_rej);
	char text[96];

	(void)pinfo;
	(void)edt;
	(void)flags;
	tick_stat_node(st, root, 0, TRUE);
	if (p->note->message) {
		packet_what(p, text, sizeof(text));
		if (p->note->message->rec.copy)
			g_strlcat(text, ", repeated", sizeof(text));
		tick(st, messages, messages_id, text);
	} else if (p->frame.kind == RDT_FRAME_IB || p->frame.kind == RDT_FRAME_TCP) {
		tick(st, data, data_id, packet_what(p, text, sizeof(text)));
	}
	if (rej && rej->have >= RDT_NEED_rej_reason) {
		g_snprintf(text, sizeof(text), "%u %s", rdt_rej_reason(rej->bytes),
			   rdt_name_key(RDT_NAMES_rej_reason, rdt_rej_reason(rej->bytes),
					"not assigned"));
		tick(st, rejects, rejects_id, text);
	}
	for (uint64_t left = p->note->experts; left; left &= left - 1)
		tick(st, faults, faults_id,
		     expert_summary((enum rdmacm_expert)__builtin_ctzll(left)));
	if (p->frame.kind == RDT_FRAME_IB)
		tick(st, icrcs, icrcs_id, rdt_icrc_key((enum rdt_icrc_state)p->note->icrc));
	return TAP_PACKET_REDRAW;
}

/* ---- the table ------------------------------------------------------------------------------------ */

enum column { COL_MSG, COL_COUNT, COL_REPEATED, COL_ANSWERS, COL_LEAST, COL_MEAN, COL_MOST, COL_N };

static stat_tap_table_item columns[COL_N] = {
	{ TABLE_ITEM_STRING, TAP_ALIGN_LEFT, "Message", "%-12s" },
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Packets", "%d" },
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Repeated", "%d" },
	{ TABLE_ITEM_UINT, TAP_ALIGN_RIGHT, "Answers", "%d" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Least ms", "%.3f" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Mean ms", "%.3f" },
	{ TABLE_ITEM_FLOAT, TAP_ALIGN_RIGHT, "Most ms", "%.3f" },
};

static void put_row(stat_tap_table *table, unsigned row, const char *msg)
{
	stat_tap_table_item_type items[COL_N] = {
		[COL_MSG] = { .type = TABLE_ITEM_STRING, .value.string_value = msg },
		[COL_COUNT] = { .type = TABLE_ITEM_UINT },
		[COL_REPEATED] = { .type = TABLE_ITEM_UINT },
		[COL_ANSWERS] = { .type = TABLE_ITEM_UINT },
		[COL_LEAST] = { .type = TABLE_ITEM_FLOAT },
		[COL_MEAN] = { .type = TABLE_ITEM_FLOAT },
		[COL_MOST] = { .type = TABLE_ITEM_FLOAT },
	};

	stat_tap_init_table_row(table, row, COL_N, items);
}

/* The row of a message: there is one for each that came, in the order of their first packets. */
static unsigned row_of(stat_tap_table *table, enum rdt_msg msg)
{
	const char *key = rdt_msg_key(msg);
	unsigned row = 0;

	for (; row < table->num_elements; row++)
		if (!strcmp(stat_tap_get_field_data(table, row, COL_MSG)->value.string_value, key))
			return row;
	put_row(table, row, key);
	return row;
}

static void table_clear(stat_tap_table *table)
{
	for (unsigned row = 0; row < table->num_elements; row++)
		put_row(table, row,
			stat_tap_get_field_data(table, row, COL_MSG)->value.string_value);
}

static void table_init(stat_tap_table_ui *ui)
{
	static const char name[] =
		"RDMA set-up messages, and how long after the message that they answer";
	stat_tap_table *table = stat_tap_find_table(ui, name);

	if (table) {
		if (ui->stat_tap_reset_table_cb)
			ui->stat_tap_reset_table_cb(table);
		return;
	}
	table = stat_tap_init_table(name, COL_N, 0, NULL);
	stat_tap_add_table(ui, table);
}

static void count(stat_tap_table *table, unsigned row, enum column column)
{
	stat_tap_table_item_type *item = stat_tap_get_field_data(table, row, column);

	item->value.uint_value++;
	stat_tap_set_field_data(table, row, column, item);
}

static void count_time(stat_tap_table *table, unsigned row, double ms)
{
	stat_tap_table_item_type *least = stat_tap_get_field_data(table, row, COL_LEAST);
	stat_tap_table_item_type *mean = stat_tap_get_field_data(table, row, COL_MEAN);
	stat_tap_table_item_type *most = stat_tap_get_field_data(table, row, COL_MOST);
	const unsigned n = stat_tap_get_field_data(table, row, COL_ANSWERS)->value.uint_value;

	count(table, row, COL_ANSWERS);
	if (!n || ms < least->value.float_value)
		least->value.float_value = ms;
	if (!n || ms > most->value.float_value)
		most->value.float_value = ms;
	mean->value.float_value += (ms - mean->value.float_value) / (n + 1);
}

static tap_packet_status table_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt,
				      const void *tapped, tap_flags_t flags)
{
	const stat_data_t *stat = tapdata;
	const struct packet *p = tapped;
	const struct message *m = p->note->message;
	stat_tap_table *table = g_array_index(stat->stat_tap_data->tables, stat_tap_table *, 0);
	unsigned row;

	(void)pinfo;
	(void)edt;
	(void)flags;
	if (!m)
		return TAP_PACKET_DONT_REDRAW;
	row = row_of(table, (enum rdt_msg)m->rec.msg);
	count(table, row, COL_COUNT);
	if (m->rec.copy)
		count(table, row, COL_REPEATED);
	else if (m->response_ns >= 0)
		count_time(table, row, (double)m->response_ns / 1e6);
	return TAP_PACKET_REDRAW;
}

void stats_register(void)
{
	static stat_tap_table_ui ui = {
		.group = REGISTER_PACKET_STAT_GROUP_UNSORTED,
		.title = "RDMA Set-up Messages",
		.tap_name = "rdmacm",
		.cli_string = "rdmacm,stat",
		.stat_tap_init_cb = table_init,
		.packet_func = table_packet,
		.stat_tap_reset_table_cb = table_clear,
		.nfields = COL_N,
		.fields = columns,
	};

	stats_tree_register_plugin("rdmacm", "rdmacm", "RDMA" WS_STATS_MENU "Packets", 0,
				   tree_packet, tree_init, NULL);
	register_stat_tap_table_ui(&ui);
}
