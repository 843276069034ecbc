// SPDX-License-Identifier: BSD-2-Clause
/* What the filter looks at: records of the tracker, layers of a packet, and protocol names. */
#include "filter_int.h"

#include <string.h>

struct rdt_value rdt_view_records_col(void *user, size_t col)
{
	const struct rdt_view_records *r = user;
	const unsigned rec = rdt_cols[col].rec;

	return rdt_col_value(r->tracker, col, r->conn, rec == RDT_REC_conn ? NULL : r->rec[rec],
			     r->base);
}

struct rdt_view rdt_view_of(struct rdt_view_records *records)
{
	struct rdt_view view = { .col = rdt_view_records_col, .user = records };

	if (!records->conn)
		return view;
	view.has = RDT_VIEW_CONN;
	for (unsigned i = RDT_REC_conn + 1; i < RDT_REC_COUNT; i++)
		if (records->rec[i])
			view.has |= 1u << i;
	if (records->rec[RDT_REC_msg]) {
		const struct rdt_msg_rec *msg = records->rec[RDT_REC_msg];

		msg_layers(msg, &records->body);
		view.has |= RDT_VIEW_BODY;
		view.layers = records->body.layer;
		view.layer_count = records->body.count;
		records->frame =
			(struct rdt_view_frame){ .when = msg->when, .base = records->base };
		view.frame = &records->frame;
	}
	return view;
}

void rdt_view_set_packet(struct rdt_view *view, const struct rdt_layer *layers, size_t count,
			 const struct rdt_frame *frame)
{
	view->has |= RDT_VIEW_PACKET | RDT_VIEW_BODY;
	view->layers = layers;
	view->layer_count = count;
	view->src = frame ? &frame->src : NULL;
	view->dst = frame ? &frame->dst : NULL;
}

/* ---- protocol names ----------------------------------------------------------------------- */

static const struct rdt_layer *layer(const struct rdt_view *view, enum rdt_hdr_id hdr)
{
	return rdt_layer_find(view->layers, view->layer_count, hdr);
}

static bool is_cm(const struct rdt_view *view)
{
	const struct rdt_layer *mad = layer(view, RDT_H_mad);

	return mad && mad->have >= 2 && rdt_mad_mgmt_class(mad->bytes) == RDT_CLASS_CM;
}

static bool is_service(const struct rdt_view *view, enum rdt_service service)
{
	const struct rdt_layer *bth = layer(view, RDT_H_bth);

	return bth && bth->have >= 1 &&
	       rdt_opcode_service((uint8_t)rdt_bth_opcode(bth->bytes)) == service;
}

static bool is_iwarp(const struct rdt_view *view)
{
	return layer(view, RDT_H_mpa) || layer(view, RDT_H_fpdu) || layer(view, RDT_H_ddp_tagged) ||
	       layer(view, RDT_H_ddp_untagged);
}

static bool is_data(const struct rdt_view *view)
{
	const struct rdt_layer *bth = layer(view, RDT_H_bth);

	if (bth)
		return !layer(view, RDT_H_mad) && !layer(view, RDT_H_cnp) &&
		       !is_service(view, RDT_SVC_CNP);
	return is_iwarp(view) && !layer(view, RDT_H_mpa);
}

bool filter_proto_packet(enum proto proto, const struct rdt_view *view)
{
	switch (proto) {
	case PROTO_cm:
		return is_cm(view);
	case PROTO_sidr:
		return layer(view, RDT_H_sidr_req) || layer(view, RDT_H_sidr_rep);
	case PROTO_mpa:
		return layer(view, RDT_H_mpa) != NULL;
	case PROTO_iwarp:
		return is_iwarp(view);
	case PROTO_rocev2:
		return layer(view, RDT_H_bth) && layer(view, RDT_H_udp);
	case PROTO_rocev1:
		return layer(view, RDT_H_bth) && layer(view, RDT_H_grh) && !layer(view, RDT_H_lrh);
	case PROTO_ib:
		return layer(view, RDT_H_lrh) != NULL;
	case PROTO_rc:
		return is_service(view, RDT_SVC_RC);
	case PROTO_uc:
		return is_service(view, RDT_SVC_UC);
	case PROTO_ud:
		return is_service(view, RDT_SVC_UD);
	case PROTO_xrc:
		return is_service(view, RDT_SVC_XRC);
	case PROTO_data:
		return is_data(view);
	case PROTO_COUNT:
		break;
	}
	return false;
}

static bool col_is(const struct rdt_view *view, enum rdt_col_id col, const char *text)
{
	const struct rdt_value v = view->col(view->user, col);

	return v.type == RDT_VALUE_TEXT && v.text && !strcmp(v.text, text);
}

bool filter_proto_conn(enum proto proto, const struct rdt_view *view)
{
	switch (proto) {
	case PROTO_cm:
		return col_is(view, RDT_COL_conn_kind, "cm") ||
		       col_is(view, RDT_COL_conn_kind, "sidr");
	case PROTO_sidr:
		return col_is(view, RDT_COL_conn_kind, "sidr");
	case PROTO_mpa:
		return col_is(view, RDT_COL_conn_kind, "mpa");
	case PROTO_iwarp:
		return col_is(view, RDT_COL_conn_transport, "iwarp");
	case PROTO_rocev2:
		return col_is(view, RDT_COL_conn_transport, "rocev2");
	case PROTO_rocev1:
		return col_is(view, RDT_COL_conn_transport, "rocev1");
	case PROTO_ib:
		return col_is(view, RDT_COL_conn_transport, "ib");
	case PROTO_rc:
		return col_is(view, RDT_COL_conn_service, "rc");
	case PROTO_uc:
		return col_is(view, RDT_COL_conn_service, "uc");
	case PROTO_ud:
		return col_is(view, RDT_COL_conn_service, "ud");
	case PROTO_xrc:
		return col_is(view, RDT_COL_conn_service, "xrc");
	case PROTO_data:
		return view->col(view->user, RDT_COL_conn_data_pkts).num > 0;
	case PROTO_COUNT:
		break;
	}
	return false;
}
