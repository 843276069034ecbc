// SPDX-License-Identifier: BSD-2-Clause
/* QPs that programs told each other over TCP: what was told against what came. */
#include "internal.h"

#include "rdmatrace/setup.h"

#define SILENCE_NS NS_PER_S

static void tell(const struct look *k, enum rdt_why_code code, enum rdt_side side, uint32_t frame,
		 uint8_t input, unsigned confidence)
{
	struct rdt_finding *f = why_begin(k, code, side, confidence);

	why_add(f, RDT_WHY_V_PACKETS, 1, frame, input);
	why_emit(k->w, f);
}

/* GIDs between which no packet can go. */
static void rule_gids(const struct look *k)
{
	static const uint16_t codes[RDT_GIDS_COUNT] = {
		[RDT_GIDS_ZERO] = RDT_WHY_OOB_GID_ZERO,
		[RDT_GIDS_MIXED] = RDT_WHY_OOB_GID_MIXED,
		[RDT_GIDS_LINK_LOCAL_ONE] = RDT_WHY_OOB_GID_LOCAL,
	};
	const struct rdt_exchange *x = rdt_tracker_exchange(k->t, k->c);
	const enum rdt_gids gids = x ? rdt_exchange_gids(x) : RDT_GIDS_UNKNOWN;
	const struct rdt_told *told;

	/* Where packets came all the same it cannot be so wrong: InfiniBand has no use for a GID. */
	if (!codes[gids] || k->c->end[RDT_ACTIVE].data.pkts || k->c->end[RDT_PASSIVE].data.pkts)
		return;
	told = &x->told[RDT_ACTIVE];
	tell(k, codes[gids], RDT_ACTIVE, told->frame, told->input, 90);
}

static void rule_no_data(const struct look *k)
{
	const struct rdt_exchange *x = rdt_tracker_exchange(k->t, k->c);
	const struct rdt_told *a, *p;
	struct rdt_finding *f;
	int64_t since;

	if (!x || k->c->end[RDT_ACTIVE].data.pkts || k->c->end[RDT_PASSIVE].data.pkts)
		return;
	a = &x->told[RDT_ACTIVE];
	p = &x->told[RDT_PASSIVE];
	if (!a->frame || !p->frame)
		return;
	since = a->ns > p->ns ? a->ns : p->ns;
	/* A program that said "done" did what it wanted, where this capture does not see it. */
	if (look_end(k) - since < SILENCE_NS)
		return;
	f = why_begin(k, RDT_WHY_OOB_NODATA, RDT_ACTIVE, a->done_frame || p->done_frame ? 60 : 90);
	why_add(f, RDT_WHY_V_PACKETS, 2, a->frame, a->input);
	why_add(f, RDT_WHY_V_MORE, 0, p->frame, p->input);
	why_add_ns(f, RDT_WHY_V_WAITED, look_end(k) - since, 0, 0);
	why_emit(k->w, f);
}

static void rule_told(const struct look *k)
{
	const struct rdt_exchange *x = rdt_tracker_exchange(k->t, k->c);

	for (unsigned side = 0; x && side < RDT_SIDES; side++) {
		const struct rdt_told *told = &x->told[side];

		if (told->frame && told->addr_differs)
			tell(k, RDT_WHY_OOB_ADDR, (enum rdt_side)side, told->frame, told->input,
			     90);
		/* The access is the peer's. */
		if (told->frame && told->other_rkey_frame)
			tell(k, RDT_WHY_OOB_RKEY, rdt_side_other((enum rdt_side)side),
			     told->other_rkey_frame, told->input, 80);
	}
}

rule_fn *const oob_rules[] = { rule_gids, rule_no_data, rule_told, NULL };
