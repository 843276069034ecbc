// SPDX-License-Identifier: BSD-2-Clause
/* The backends that were built in. sim is none of them: it needs no link (sim.h). */
#include "replay/backend.h"

extern const struct rp_backend rp_backend_mpa;
extern const struct rp_backend rp_backend_packet;
extern const struct rp_backend rp_backend_udp;
#ifdef RDT_HAVE_UMAD
extern const struct rp_backend rp_backend_umad;
#endif
#ifdef RDT_HAVE_RDMACM
extern const struct rp_backend rp_backend_rdmacm;
#endif

const struct rp_backend *const rp_backends[] = {
	&rp_backend_udp,
	&rp_backend_mpa,
	&rp_backend_packet,
#ifdef RDT_HAVE_RDMACM
	&rp_backend_rdmacm,
#endif
#ifdef RDT_HAVE_UMAD
	&rp_backend_umad,
#endif
	NULL,
};
