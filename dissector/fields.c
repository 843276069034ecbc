/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wireshark's fields from the decoder's tables: one for each wire field, header and column of the
 * vocabulary, named rdmacm. and what rdma-trace fields prints. No field is written down here.
 */
#include "rdmacm.h"
#include "rdmatrace/field.h"
#include "rdmatrace/text.h"

static int hf_field[RDT_FIELD_COUNT], hf_hdr[RDT_HDR_COUNT], hf_col[RDT_COL_COUNT];
static int ett_hdr[RDT_HDR_COUNT];
static hf_register_info regs[RDT_FIELD_COUNT + RDT_HDR_COUNT + RDT_COL_COUNT];
static unsigned reg_count;

/* ---- registration ------------------------------------------------------------------------------ */

static bool is_carrier(size_t hdr)
{
	switch (hdr) {
#define C(h) case RDT_H_##h:
#include "carriers.def"
#undef C
		return true;
	default:
		return false;
	}
}

static void reg(int *hf, const char *abbrev, const char *name, enum ftenum type, int display,
		const void *strings, const char *blurb)
{
	*hf = -1;
	regs[reg_count++] =
		(hf_register_info){ hf,
				    { name,
				      wmem_strdup_printf(wmem_epan_scope(), "rdmacm.%s", abbrev),
				      type, display, strings, 0, blurb, HFILL } };
}

static const void *names_of(const struct rdt_field *f)
{
	static value_string *lists[RDT_NAMES_COUNT];
	const struct rdt_names *names = &rdt_names[f->names];

	if (f->names == RDT_NAMES_none || !names->count)
		return NULL;
	if (!lists[f->names]) {
		value_string *list =
			wmem_alloc0_array(wmem_epan_scope(), value_string, names->count + 1);

		for (size_t i = 0; i < names->count; i++)
			list[i] = (value_string){ names->rows[i].value, names->rows[i].text };
		lists[f->names] = list;
	}
	return lists[f->names];
}

static enum ftenum uint_type(unsigned width)
{
	return width <= 8    ? FT_UINT8
	       : width <= 16 ? FT_UINT16
	       : width <= 24 ? FT_UINT24
	       : width <= 32 ? FT_UINT32
	       : width <= 40 ? FT_UINT40
	       : width <= 48 ? FT_UINT48
	       : width <= 56 ? FT_UINT56
			     : FT_UINT64;
}

/* One for each unit: the text of a raw number, as everywhere in rdma-trace. */
#define X(symbol, suffix, text)                                                \
	static void unit_##symbol(char *buf, uint32_t raw)                     \
	{                                                                      \
		rdt_unit_text(RDT_UNIT_##symbol, raw, buf, ITEM_LABEL_LENGTH); \
	}
RDT_UNIT_LIST(X)
#undef X

static const void *unit_text(const struct rdt_field *f)
{
	static const custom_fmt_func_t texts[] = {
#define X(symbol, suffix, text) unit_##symbol,
		RDT_UNIT_LIST(X)
#undef X
	};

	return CF_FUNC(texts[f->unit]);
}

static void reg_uint(const struct rdt_field *f, int *hf, const char *abbrev)
{
	const enum ftenum type = uint_type(f->width);
	const void *names = names_of(f);
	int display = f->show == RDT_SHOW_HEX ? BASE_HEX : BASE_DEC;

	/* What names and units cannot say because another field decides is said by field_add(). */
	if (names)
		reg(hf, abbrev, f->label, type, display == BASE_HEX ? BASE_HEX : BASE_DEC, names,
		    rdt_names[f->names].source);
	else if (f->unit != RDT_UNIT_NONE && f->unit != RDT_UNIT_SERVICE_ID &&
		 f->unit != RDT_UNIT_AETH_VALUE && f->width <= 32)
		reg(hf, abbrev, f->label, type, BASE_CUSTOM, unit_text(f), NULL);
	else
		reg(hf, abbrev, f->label, type, display, NULL, NULL);
}

static void reg_field(const struct rdt_field *f, int *hf)
{
	char abbrev[96];

	snprintf(abbrev, sizeof(abbrev), "%s.%s", rdt_hdrs[f->hdr].key, f->key);
	switch ((enum rdt_kind)f->kind) {
	case RDT_KIND_UINT:
	case RDT_KIND_UINT_LE:
	case RDT_KIND_RSVD:
		reg_uint(f, hf, abbrev);
		break;
	case RDT_KIND_FLAG:
		reg(hf, abbrev, f->label, FT_BOOLEAN, BASE_NONE, TFS(&tfs_set_notset), NULL);
		break;
	case RDT_KIND_BYTES:
		reg(hf, abbrev, f->label, FT_BYTES, BASE_NONE, NULL, NULL);
		break;
	case RDT_KIND_TEXT:
		reg(hf, abbrev, f->label, FT_STRING, BASE_NONE, NULL, NULL);
		break;
	case RDT_KIND_GID:
		reg(hf, abbrev, f->label, FT_IPv6, BASE_NONE, NULL, NULL);
		break;
	case RDT_KIND_GUID:
		reg(hf, abbrev, f->label, FT_EUI64, BASE_NONE, NULL, NULL);
		break;
	case RDT_KIND_MAC:
		reg(hf, abbrev, f->label, FT_ETHER, BASE_NONE, NULL, NULL);
		break;
	case RDT_KIND_IPV4:
		reg(hf, abbrev, f->label, FT_IPv4, BASE_NONE, NULL, NULL);
		break;
	}
}

/* Columns that are frame numbers: Wireshark makes links of them. */
static bool is_frame(size_t col)
{
	return col == RDT_COL_conn_first_frame || col == RDT_COL_msg_frame ||
	       col == RDT_COL_state_frame || col == RDT_COL_event_frame;
}

/* Columns that are the number of a connection. */
static bool is_number(size_t col)
{
	return col == RDT_COL_conn_n || col == RDT_COL_msg_conn || col == RDT_COL_state_conn ||
	       col == RDT_COL_event_conn;
}

static void reg_column(size_t i)
{
	const struct rdt_col *col = &rdt_cols[i];
	char abbrev[96];

	/* A connection's columns have no record before them, as in filters of rdma-trace. */
	snprintf(abbrev, sizeof(abbrev), "%s%s%s",
		 col->rec == RDT_REC_conn ? "" : rdt_rec_key((enum rdt_rec)col->rec),
		 col->rec == RDT_REC_conn ? "" : ".", col->key);
	switch ((enum rdt_value_type)col->type) {
	case RDT_VALUE_UINT:
		if (is_frame(i))
			reg(&hf_col[i], abbrev, col->label, FT_FRAMENUM, BASE_NONE, NULL, NULL);
		else
			reg(&hf_col[i], abbrev, col->label, FT_UINT64, BASE_DEC, NULL, NULL);
		break;
	case RDT_VALUE_INT:
		reg(&hf_col[i], abbrev, col->label, FT_INT64, BASE_DEC, NULL, NULL);
		break;
	case RDT_VALUE_BOOL:
		reg(&hf_col[i], abbrev, col->label, FT_BOOLEAN, BASE_NONE, TFS(&tfs_yes_no), NULL);
		break;
	case RDT_VALUE_HEX32:
		reg(&hf_col[i], abbrev, col->label, FT_UINT32, BASE_HEX, NULL, NULL);
		break;
	case RDT_VALUE_HEX64:
		reg(&hf_col[i], abbrev, col->label, FT_UINT64, BASE_HEX, NULL, NULL);
		break;
	case RDT_VALUE_TIME:
		reg(&hf_col[i], abbrev, col->label, FT_ABSOLUTE_TIME, ABSOLUTE_TIME_LOCAL, NULL,
		    NULL);
		break;
	case RDT_VALUE_DURATION:
		reg(&hf_col[i], abbrev, col->label, FT_RELATIVE_TIME, BASE_NONE, NULL, NULL);
		break;
	case RDT_VALUE_ID32:
	case RDT_VALUE_TEXT:
	case RDT_VALUE_ADDR:
	case RDT_VALUE_NULL:
		reg(&hf_col[i], abbrev, col->label, FT_STRING, BASE_NONE, NULL, NULL);
		break;
	}
}

void fields_register(void)
{
	int *etts[RDT_HDR_COUNT];

	for (size_t h = 0; h < RDT_HDR_COUNT; h++) {
		ett_hdr[h] = -1;
		etts[h] = &ett_hdr[h];
		if (is_carrier(h))
			continue;
		reg(&hf_hdr[h], rdt_hdrs[h].key, rdt_hdrs[h].label, FT_NONE, BASE_NONE, NULL,
		    rdt_hdrs[h].spec);
		for (size_t i = rdt_hdrs[h].begin; i < rdt_hdrs[h].end; i++)
			reg_field(&rdt_fields[i], &hf_field[i]);
	}
	for (size_t i = 0; i < RDT_COL_COUNT; i++)
		reg_column(i);
	proto_register_field_array(proto_rdmacm, regs, (int)reg_count);
	proto_register_subtree_array(etts, RDT_HDR_COUNT);
}

/* ---- wire fields into the tree --------------------------------------------------------------------- */

bool hdr_shows(enum rdt_hdr_id hdr)
{
	return !is_carrier(hdr);
}

proto_tree *hdr_add(proto_tree *tree, const struct packet *p, const struct rdt_layer *layer)
{
	proto_item *item = proto_tree_add_item(tree, hf_hdr[layer->hdr], p->tvb, (int)layer->off,
					       (int)layer->have, ENC_NA);

	if (layer->guess)
		proto_item_append_text(item, " (a guess by its bytes)");
	return proto_item_add_subtree(item, ett_hdr[layer->hdr]);
}

static proto_item *add_number(proto_tree *tree, tvbuff_t *tvb, const struct rdt_field *f, int hf,
			      int off, int len, const struct rdt_layer *layer)
{
	const uint64_t value = rdt_field_get(f, layer->bytes);
	uint8_t mac[6];

	switch (f->kind) {
	case RDT_KIND_FLAG:
		return proto_tree_add_boolean(tree, hf, tvb, off, len, value != 0);
	case RDT_KIND_GUID:
		return proto_tree_add_eui64(tree, hf, tvb, off, len, value);
	case RDT_KIND_MAC:
		for (unsigned i = 0; i < sizeof(mac); i++)
			mac[i] = (uint8_t)(value >> (40 - 8 * i));
		return proto_tree_add_ether(tree, hf, tvb, off, len, mac);
	case RDT_KIND_IPV4:
		return proto_tree_add_ipv4(tree, hf, tvb, off, len, g_htonl((uint32_t)value));
	default:
		return f->width > 32
			       ? proto_tree_add_uint64(tree, hf, tvb, off, len, value)
			       : proto_tree_add_uint(tree, hf, tvb, off, len, (uint32_t)value);
	}
}

/* Another field of the header gives this one its meaning: the decoder has the words. */
static bool is_dependent(const struct rdt_field *f)
{
	return f->unit == RDT_UNIT_SERVICE_ID || f->unit == RDT_UNIT_AETH_VALUE ||
	       (f->hdr == RDT_H_ipcm && f->kind == RDT_KIND_GID) || f->hdr == RDT_H_terminate;
}

/*
 * Bytes of a field. Additional information says in another field how long it is; where that is 0
 * though somebody wrote something, all of it is shown.
 */
static int len_of(const struct rdt_field *f, const struct rdt_layer *layer)
{
	static const struct {
		uint16_t field, len;
	} rows[] = {
		{ RDT_F_rej_ari, RDT_F_rej_info_length },
		{ RDT_F_apr_info, RDT_F_apr_info_length },
		{ RDT_F_sidr_rep_info, RDT_F_sidr_rep_info_length },
	};
	const int whole = (int)(rdt_field_need(f) - f->at / 8);

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		const uint8_t *bytes = rdt_field_bytes(f, layer->bytes);
		int len;

		if (f != &rdt_fields[rows[i].field] || !rdt_layer_has(layer, f))
			continue;
		len = (int)rdt_field_get(&rdt_fields[rows[i].len], layer->bytes);
		for (int k = 0; !len && k < whole; k++)
			if (bytes[k])
				return whole;
		return len < whole ? len : whole;
	}
	return whole;
}

void field_add(proto_tree *tree, struct packet *p, const struct rdt_layer *layer,
	       const struct rdt_field *f)
{
	const int hf = hf_field[f - rdt_fields], off = (int)(layer->off + f->at / 8);
	const int len = len_of(f, layer);
	const enum rdmacm_expert ei = expert_of_field(p, f);
	proto_item *item;
	char text[RDT_TEXT_MAX];

	if (!rdt_layer_has(layer, f)) {
		/* What the capture left of a run of bytes is still worth seeing. */
		if ((f->kind != RDT_KIND_BYTES && f->kind != RDT_KIND_TEXT) ||
		    layer->have <= f->at / 8u)
			return;
		item = proto_tree_add_item(tree, hf, p->tvb, off, (int)(layer->have - f->at / 8u),
					   ENC_ASCII);
		proto_item_append_text(item, " (the capture cut it)");
		return;
	}
	if (!len)
		return;
	if (rdt_field_is_num(f))
		item = add_number(tree, p->tvb, f, hf, off, len, layer);
	else
		item = proto_tree_add_item(tree, hf, p->tvb, off, len,
					   f->kind == RDT_KIND_TEXT ? ENC_ASCII : ENC_NA);
	if (is_dependent(f) && !proto_item_is_hidden(item))
		proto_item_set_text(item, "%s: %s", f->label,
				    rdt_field_text(f, layer->bytes, text, sizeof(text)));
	if (ei != EI_COUNT)
		p->anchor[ei] = item;
}

/* ---- the vocabulary into the tree ------------------------------------------------------------------- */

static nstime_t nstime_of(int64_t ns)
{
	nstime_t t = { (time_t)(ns / 1000000000), (int)(ns % 1000000000) };

	return t;
}

proto_item *column_add(proto_tree *tree, const struct packet *p, const struct rdt_conn *conn,
		       size_t col, const void *record)
{
	const struct rdt_value v = rdt_col_value(feed_tracker(), col, conn, record, feed_base_ns());
	const int hf = hf_col[col];
	char text[RDT_ADDR_TEXT];
	proto_item *item = NULL;
	nstime_t t;

	/* Connections are numbered when all that are one have been joined. */
	if (is_number(col) && !conn->n)
		return NULL;
	switch (v.type) {
	case RDT_VALUE_NULL:
		return NULL;
	case RDT_VALUE_UINT:
		if (is_frame(col))
			item = proto_tree_add_uint(tree, hf, p->tvb, 0, 0, (uint32_t)v.num);
		else
			item = proto_tree_add_uint64(tree, hf, p->tvb, 0, 0, v.num);
		break;
	case RDT_VALUE_HEX64:
		item = proto_tree_add_uint64(tree, hf, p->tvb, 0, 0, v.num);
		break;
	case RDT_VALUE_INT:
		item = proto_tree_add_int64(tree, hf, p->tvb, 0, 0, (int64_t)v.num);
		break;
	case RDT_VALUE_BOOL:
		item = proto_tree_add_boolean(tree, hf, p->tvb, 0, 0, v.num != 0);
		break;
	case RDT_VALUE_HEX32:
		item = proto_tree_add_uint(tree, hf, p->tvb, 0, 0, (uint32_t)v.num);
		break;
	case RDT_VALUE_ID32:
		snprintf(text, sizeof(text), "%08x", (unsigned)v.num);
		item = proto_tree_add_string(tree, hf, p->tvb, 0, 0, text);
		break;
	case RDT_VALUE_TEXT:
		item = proto_tree_add_string(tree, hf, p->tvb, 0, 0, v.text);
		break;
	case RDT_VALUE_ADDR:
		item = proto_tree_add_string(tree, hf, p->tvb, 0, 0,
					     rdt_addr_text(v.addr, text, sizeof(text)));
		break;
	case RDT_VALUE_TIME:
	case RDT_VALUE_DURATION:
		t = nstime_of((int64_t)v.num);
		item = proto_tree_add_time(tree, hf, p->tvb, 0, 0, &t);
		break;
	}
	proto_item_set_generated(item);
	return item;
}
