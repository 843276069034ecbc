/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private data of a message: where they begin behind the headers of RDMA CM or MPA, how many there
 * are, and whose they may be.
 */
#ifndef RDT_CLI_PRIVATE_DATA_H
#define RDT_CLI_PRIVATE_DATA_H

#include <stdbool.h>

#include "json.h"
#include "msg_layers.h"
#include "rdmatrace/private.h"

struct private_data {
	const uint8_t *bytes;
	size_t have, size; /* captured; on the wire */
	bool exact;        /* size is what the sender gave, not that of the field: MPA */
};

/* False when the message has none, or was cut before they begin. Borrows from rec and layers. */
bool private_data_of(const struct rdt_msg_rec *rec, const struct msg_layers *layers,
		     struct private_data *ret_data);

/* How many of the captured bytes are not the zeros at the end that fill a field up. */
size_t private_data_used(const struct private_data *data);

/* Whose they may be: the connection's port tells more than the message alone. */
bool private_data_find(const struct rdt_conn *conn, const struct rdt_msg_rec *rec,
		       const struct private_data *data, struct rdt_private *ret_found);

/* "private_data", "private_type", "private_why" and "private": null where there is nothing. */
void private_data_json(struct json *json, const struct rdt_conn *conn,
		       const struct rdt_msg_rec *rec);

#endif
