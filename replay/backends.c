// SPDX-License-Identifier: BSD-2-Clause
/* The backends that were built in. sim is none of them: it needs no link (sim.h). */
#include "replay/backend.h"

extern const struct rp_backend rp_backend_udp;

const struct rp_backend *const rp_backends[] = {
	&rp_backend_udp,
	NULL,
};
