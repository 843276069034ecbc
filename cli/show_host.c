// SPDX-License-Identifier: BSD-2-Clause
/* What show says of the hosts' traces: how well they fit, and where they and the packets differ. */
#include <inttypes.h>

#include "show.h"

static uint32_t conn_index(const struct story *s)
{
	return rdt_tracker_conn_index(s->tracker, s->conn);
}

/* Messages that this side's kernel sent and the capture lacks. */
static unsigned unsent(const struct story *s, unsigned side)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct rdt_state_rec *rec = &s->entries[i].state;

		n += s->entries[i].kind == RDT_REC_state && rec->basis == RDT_BASIS_KERNEL &&
		     rec->side == side && rec->machine == RDT_MACHINE_CM && !rec->when.frame &&
		     rec->event != RDT_CM_EV_ARM_MRA;
	}
	return n;
}

static unsigned conflicts(const struct story *s, const struct host *host)
{
	const uint32_t index = conn_index(s);
	unsigned n = 0;
	size_t count;
	const struct rdt_host_conflict *all = rdt_host_conflicts(host->trace, &count);

	for (size_t i = 0; i < count; i++)
		n += all[i].conn == index;
	return n;
}

static void clock_text(const struct host *host, GString *text)
{
	const struct rdt_host_clock clock = rdt_host_clock(host->trace);
	char buf[RDT_TEXT_MAX];

	if (clock.unsteady)
		g_string_append(text, "; its clock ran unevenly: lines are placed by their order, "
				      "times are those of the nearest message");
	else if (clock.doubt_ns == UINT64_MAX)
		g_string_append(text, "; clock set by one direction only: times may be wrong");
	else
		g_string_append_printf(text, "; clock set by %" PRIu32 " messages to within %s",
				       clock.sends + clock.receipts,
				       rdt_duration_text(clock.doubt_ns, buf, sizeof(buf)));
}

void show_hosts(const struct story *s)
{
	for (unsigned side = 0; s->hosts && side < RDT_SIDES; side++) {
		const struct host *host = hosts_of(s->hosts, conn_index(s), (enum rdt_side)side);
		const unsigned missing = host ? unsent(s, side) : 0;
		const unsigned differ = host ? conflicts(s, host) : 0;
		GString *text;

		if (!host)
			continue;
		text = g_string_new(NULL);
		g_string_append_printf(text, "%s: kernel trace %s",
				       rdt_side_key((enum rdt_side)side), host->path);
		clock_text(host, text);
		if (differ)
			g_string_append_printf(text, "; kernel and packets differ at %u message%s",
					       differ, differ == 1 ? "" : "s");
		if (missing)
			g_string_append_printf(text, "; %u message%s it sent %s not in the capture",
					       missing, missing == 1 ? "" : "s",
					       missing == 1 ? "is" : "are");
		if (!differ && !missing)
			g_string_append(text, "; agrees with the packets");
		show_line(s, "host",
			  differ    ? CLI_TONE_BAD
			  : missing ? CLI_TONE_WARN
				    : CLI_TONE_OFF,
			  text->str);
		g_string_free(text, TRUE);
	}
}

bool show_conflict(const struct story *s, const struct rdt_msg_rec *rec, GString *text)
{
	const struct host *host =
		s->hosts ? hosts_of(s->hosts, conn_index(s), (enum rdt_side)rec->from) : NULL;
	const struct rdt_host_conflict *all;
	size_t count;

	if (!host)
		return false;
	all = rdt_host_conflicts(host->trace, &count);
	for (size_t i = 0; i < count; i++)
		if (all[i].conn == conn_index(s) && all[i].frame == rec->when.frame &&
		    all[i].side == rec->from) {
			g_string_append_printf(
				text, "%sits kernel was in %s, the packets before it show %s",
				text->len ? "; " : "", rdt_state_key(RDT_MACHINE_CM, all[i].kernel),
				rdt_state_key(RDT_MACHINE_CM, all[i].wire));
			return true;
		}
	return false;
}
