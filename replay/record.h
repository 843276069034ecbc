/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a capture shows of a connection to a script that plays it. */
#ifndef REPLAY_RECORD_H
#define REPLAY_RECORD_H

#include <glib.h>

#include "replay/item.h"
#include "replay/script.h"

/* Longer payloads are kept as their size; so are those above the second when the third is used up. */
#define RP_RECORD_PAYLOAD 16384u
#define RP_RECORD_SMALL 256u
#define RP_RECORD_TOTAL 65536u

struct rp_recording {
	struct rdt_addr addr[RP_ROLES];
	bool iwarp;
	uint16_t tcp_port; /* iWARP: where the passive side listens */
	/* What an exchange outside the connection's own messages told: first PSN that a role sends. */
	struct rp_told {
		bool known;
		uint32_t qpn, psn; /* 24 bits */
	} told[RP_ROLES];
	const char *const *sources; /* lines of provenance; ends in NULL */
	GPtrArray *items;           /* struct rp_item *, in the order of time */
};

/* The caller frees it. Every message of the recording is a statement of it. */
struct rp_script *rp_record(const struct rp_recording *recording);

#endif
