/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show --ftrace: what the hosts' kernels said (rdmatrace/host.h), read from files, joined to the
 * session and merged into the records of each connection.
 */
#ifndef RDMA_TRACE_HOST_H
#define RDMA_TRACE_HOST_H

#include <glib.h>

#include "cli.h"
#include "json.h"
#include "rdmatrace/host.h"

#define HOSTS_MAX 2

/* One --ftrace FILE. */
struct host {
	const char *path;
	enum rdt_side claimed; /* active=FILE or passive=FILE; RDT_SIDES without */
	uint64_t lines;        /* of the file */
	bool damaged;          /* said; the lines before are used */
	struct rdt_host *trace;
};

struct hosts {
	struct host host[HOSTS_MAX];
	size_t count;
};

/* Read the files. Returns CLI_OK, or CLI_USAGE after printing what is wrong with one. */
int hosts_read(struct hosts *hosts, const struct cli_opts *opts);

/* Join them with a tracker that is finished; warns of traces that have nothing to do with it. */
void hosts_join(struct hosts *hosts, const struct rdt_tracker *tracker,
		struct rdt_journal *journal);

/* The trace of a connection's side; NULL when there is none. */
const struct host *hosts_of(const struct hosts *hosts, uint32_t conn, enum rdt_side side);

/*
 * The records of a connection with those of its hosts: state and event records of basis KERNEL.
 * What the tracker inferred of a side and its kernel says itself is replaced by that. Sorted by
 * time. The caller frees it (g_array_unref()); its elements are struct rdt_entry.
 */
GArray *hosts_merge(const struct hosts *hosts, uint32_t conn, const struct rdt_entry *entries,
		    size_t count);

/* "host" lines: one a trace, and a "conflict" line for each disagreement. */
struct records;
void hosts_json(const struct hosts *hosts, struct records *records,
		const struct rdt_tracker *tracker);

void hosts_free(struct hosts *hosts);

#endif
