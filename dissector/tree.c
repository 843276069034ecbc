/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The details pane: where the packet stands in its connection, then every header's fields. */
#include "rdmacm.h"
#include "rdmatrace/field.h"

static int ett_rdmacm;

void tree_register(void)
{
	static int *etts[] = { &ett_rdmacm };

	ett_rdmacm = -1;
	proto_register_subtree_array(etts, G_N_ELEMENTS(etts));
}

/* Bytes from the first header that shows to the last. */
static void span_of(const struct packet *p, int *ret_off, int *ret_len)
{
	uint32_t begin = 0, end = 0;

	for (size_t i = 0; i < p->layer_count; i++) {
		const struct rdt_layer *layer = &p->layers[i];

		if (!hdr_shows(layer->hdr))
			continue;
		if (!end)
			begin = layer->off;
		if (layer->off + layer->have > end)
			end = layer->off + layer->have;
	}
	*ret_off = (int)begin;
	*ret_len = (int)(end - begin);
}

static void add_header(proto_tree *tree, struct packet *p, const struct rdt_layer *layer)
{
	const struct rdt_hdr *hdr = &rdt_hdrs[layer->hdr];
	proto_tree *sub = hdr_add(tree, p, layer);

	for (size_t i = hdr->begin; i < hdr->end; i++) {
		const struct rdt_field *f = &rdt_fields[i];

		/* Reserved bits are worth a line when somebody set them. */
		if (f->kind == RDT_KIND_RSVD &&
		    (!rdt_layer_has(layer, f) || !rdt_field_get(f, layer->bytes)))
			continue;
		field_add(sub, p, layer, f);
	}
	analysis_header(sub, p, layer);
}

void tree_add(proto_tree *tree, struct packet *p)
{
	proto_item *stream = NULL;
	proto_tree *top = NULL;
	char what[64];

	if (tree && proto_field_is_referenced(tree, proto_rdmacm)) {
		int off, len;
		proto_item *item;

		span_of(p, &off, &len);
		item = proto_tree_add_protocol_format(tree, proto_rdmacm, p->tvb, off, len,
						      "RDMA connection, %s",
						      packet_what(p, what, sizeof(what)));
		top = proto_item_add_subtree(item, ett_rdmacm);
		stream = analysis_add(top, p);
		for (size_t i = 0; i < p->layer_count; i++)
			if (hdr_shows(p->layers[i].hdr))
				add_header(top, p, &p->layers[i]);
	}
	experts_add(p, stream);
	findings_show(top, p);
}
