// SPDX-License-Identifier: BSD-2-Clause
#include "private_data.h"

#include <string.h>

#include "columns.h"

/* Where each message of the CM has its private data. */
static const struct {
	enum rdt_msg msg;
	enum rdt_field_id field;
} fields[] = {
	{ RDT_MSG_REQ, RDT_F_req_private_data },
	{ RDT_MSG_MRA, RDT_F_mra_private_data },
	{ RDT_MSG_REJ, RDT_F_rej_private_data },
	{ RDT_MSG_REP, RDT_F_rep_private_data },
	{ RDT_MSG_RTU, RDT_F_rtu_private_data },
	{ RDT_MSG_DREQ, RDT_F_dreq_private_data },
	{ RDT_MSG_DREP, RDT_F_drep_private_data },
	{ RDT_MSG_SIDR_REQ, RDT_F_sidr_req_private_data },
	{ RDT_MSG_SIDR_REP, RDT_F_sidr_rep_private_data },
	{ RDT_MSG_LAP, RDT_F_lap_private_data },
	{ RDT_MSG_APR, RDT_F_apr_private_data },
};

/* The field of a CM message, behind the RDMA IP CM header where there is one. */
static bool of_cm(const struct msg_layers *layers, const struct rdt_field *f,
		  struct private_data *ret)
{
	const struct rdt_layer *msg = &layers->layer[0], *ipcm = msg_layer(layers, RDT_H_ipcm);
	const size_t at = f->at / 8u, skip = ipcm ? ipcm->have : 0;

	if (msg->have <= at)
		return false;
	*ret = (struct private_data){ .bytes = msg->bytes + at + skip,
				      .have = msg->have - at - skip,
				      .size = f->width / 8u - skip };
	return true;
}

/* MPA says how long they are; enhanced connection data come first. */
static bool of_mpa(const struct rdt_msg_rec *rec, const struct msg_layers *layers,
		   struct private_data *ret)
{
	const size_t skip = RDT_LEN_mpa + (msg_layer(layers, RDT_H_mpa2) ? RDT_LEN_mpa2 : 0u);
	size_t size;

	if (rec->body_have < skip)
		return false;
	size = rdt_mpa_pd_length(rec->body) + RDT_LEN_mpa;
	size = size > skip ? size - skip : 0;
	*ret = (struct private_data){ .bytes = rec->body + skip,
				      .have = rec->body_have - skip < size ? rec->body_have - skip
									   : size,
				      .size = size,
				      .exact = true };
	return true;
}

bool private_data_of(const struct rdt_msg_rec *rec, const struct msg_layers *layers,
		     struct private_data *ret_data)
{
	if (!layers->count)
		return false;
	if (rec->msg == RDT_MSG_MPA_REQ || rec->msg == RDT_MSG_MPA_REP)
		return of_mpa(rec, layers, ret_data);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].msg == (enum rdt_msg)rec->msg)
			return of_cm(layers, &rdt_fields[fields[i].field], ret_data);
	return false;
}

size_t private_data_used(const struct private_data *data)
{
	size_t used = data->have;

	while (!data->exact && used && !data->bytes[used - 1])
		used--;
	return used;
}

bool private_data_find(const struct rdt_conn *conn, const struct rdt_msg_rec *rec,
		       const struct private_data *data, struct rdt_private *ret_found)
{
	const unsigned port = conn->port_space || conn->kind == RDT_CONN_MPA ? conn->p_port : 0;

	return rdt_private_find(msg_hdr((enum rdt_msg)rec->msg), port, data->bytes, data->have,
				data->size, ret_found);
}

void private_data_json(struct json *json, const struct rdt_conn *conn,
		       const struct rdt_msg_rec *rec)
{
	struct private_data data = { .have = 0 };
	struct rdt_private found;
	struct msg_layers layers;
	const struct rdt_hdr *hdr;
	bool has;

	msg_layers(rec, &layers);
	has = private_data_of(rec, &layers, &data);
	if (has)
		json_hex_run(json, "private_data", data.bytes, private_data_used(&data));
	else
		json_null(json, "private_data");
	if (!has || !private_data_find(conn, rec, &data, &found)) {
		json_null(json, "private_type");
		json_null(json, "private_why");
		json_null(json, "private");
		return;
	}
	hdr = &rdt_hdrs[found.hdr];
	json_text(json, "private_type", hdr->key);
	json_text(json, "private_why", found.why);
	json_open(json, "private", '{');
	for (unsigned i = hdr->begin; i < hdr->end; i++)
		if (strncmp(rdt_fields[i].key, "rsvd", 4) != 0)
			field_json(json, NULL, &rdt_fields[i], data.bytes);
	json_close(json, '}');
}
