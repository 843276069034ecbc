// SPDX-License-Identifier: BSD-2-Clause
/* What the capture itself lacks or does wrong. */
#include "internal.h"

static void step(struct rdt_why *w, int64_t ns)
{
	const bool back = ns < w->previous_ns;
	/* Times are bounded (RDT_NS_MIN, _MAX), the sums are not: they stay at the most there is. */
	const uint64_t size =
		back ? (uint64_t)(w->previous_ns - ns) : (uint64_t)(ns - w->previous_ns);
	uint64_t *sum = back ? &w->back_ns : &w->ahead_ns;

	if (w->steps++) {
		*sum = size < UINT64_MAX / 2 - *sum ? *sum + size : UINT64_MAX / 2;
		w->steps_back += back;
	}
	w->previous_ns = ns;
}

/*
 * A quarter of the steps and half of the time. One frame with a clock of its own is less, and so
 * are queues that are some microseconds apart.
 */
bool cap_disordered(const struct rdt_why *w)
{
	return w->steps_back >= 3 && w->steps_back * 4 > w->steps && w->back_ns > w->ahead_ns / 2;
}

/* The frame in which each was seen first: told while frames pass, since counters have none. */
void cap_frame(struct rdt_why *w, const struct rdt_when *when)
{
	const struct rdt_track_stats *s = rdt_tracker_stats(w->t);

	step(w, when->ns);
	if (s->time_back && !w->time_back_frame) {
		w->time_back_frame = when->frame;
		w->time_back_input = when->input;
	}
	if (s->duplicated && !w->twice_frame)
		w->twice_frame = when->frame;
	if (s->snapped && !w->snapped_frame)
		w->snapped_frame = when->frame;
	if (s->malformed && !w->malformed_frame)
		w->malformed_frame = when->frame;
	if (s->vendor && !w->vendor_frame)
		w->vendor_frame = when->frame;
}

static void tell(struct rdt_why *w, enum rdt_why_code code, uint64_t n, uint32_t frame,
		 unsigned input)
{
	struct rdt_finding *f;

	if (!n)
		return;
	f = why_begin_capture(w, code, 100);
	why_add(f, RDT_WHY_V_PACKETS, n, frame, input);
	why_emit(w, f);
}

static void time_back(struct rdt_why *w, uint64_t n)
{
	struct rdt_finding *f;

	if (!n)
		return;
	f = why_begin_capture(w, RDT_WHY_CAP_TIME, 100);
	why_add(f, RDT_WHY_V_PACKETS, n, w->time_back_frame, w->time_back_input);
	if (cap_disordered(w))
		why_add(f, RDT_WHY_V_MORE, w->steps_back, 0, 0);
	why_emit(w, f);
}

void cap_rules(struct rdt_why *w)
{
	const struct rdt_track_stats *s = rdt_tracker_stats(w->t);

	tell(w, RDT_WHY_CAP_TRUNC, s->snapped, w->snapped_frame, 0);
	time_back(w, s->time_back);
	tell(w, RDT_WHY_CAP_TWICE, s->duplicated, w->twice_frame, 0);
	tell(w, RDT_WHY_CAP_MID, w->mid_count, w->mid_first, 0);
	tell(w, RDT_WHY_CAP_MALFORMED, s->malformed, w->malformed_frame, 0);
	tell(w, RDT_WHY_CAP_VENDOR, s->vendor, w->vendor_frame, 0);
	for (unsigned i = 0; i < 32; i++)
		if (w->cut_inputs >> i & 1)
			tell(w, RDT_WHY_CAP_FILE, i + 1, 0, i);
	tell(w, RDT_WHY_CAP_EVICTED, s->evicted, 0, 0);
	tell(w, RDT_WHY_CAP_FLOWS, s->flows_evicted, 0, 0);
}
