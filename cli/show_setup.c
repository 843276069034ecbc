// SPDX-License-Identifier: BSD-2-Clause
/* Parameters of connections that no IB CM handshake set up: SIDR, iWARP, out of band. */
#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "rdmatrace/setup.h"
#include "show_params.h"

/* ---- SIDR --------------------------------------------------------------------------------- */

void params_sidr(struct params *p)
{
	static const enum rdt_msg rep = RDT_MSG_SIDR_REP;
	char buf[RDT_TEXT_MAX];

	g_strlcpy(params_add(p, "request id")->cell[RDT_ACTIVE],
		  story_text(p->s, RDT_ACTIVE, RDT_MSG_SIDR_REQ, RDT_F_sidr_req_request_id, buf),
		  CELL);
	if (!story_msg(p->s, RDT_PASSIVE, rep))
		return;
	g_strlcpy(params_add(p, "status")->cell[RDT_PASSIVE],
		  story_text(p->s, RDT_PASSIVE, rep, RDT_F_sidr_rep_status, buf), CELL);
	params_qpns(p);
	g_strlcpy(params_add(p, "Q_Key")->cell[RDT_PASSIVE],
		  story_text(p->s, RDT_PASSIVE, rep, RDT_F_sidr_rep_qkey, buf), CELL);
}

/* ---- iWARP: start frames -------------------------------------------------------------------- */

#define MPA_BOTH(p, label, field) \
	params_fields(p, label, RDT_MSG_MPA_REQ, RDT_F_##field, RDT_MSG_MPA_REP, RDT_F_##field)
#define MPA(side, field)                                                                \
	story_num(p->s, side, (side) == RDT_ACTIVE ? RDT_MSG_MPA_REQ : RDT_MSG_MPA_REP, \
		  RDT_F_##field)

static void mpa_depths(struct params *p)
{
	struct row *row;
	const unsigned a_ird = (unsigned)MPA(RDT_ACTIVE, mpa2_ird),
		       a_ord = (unsigned)MPA(RDT_ACTIVE, mpa2_ord);
	const unsigned p_ird = (unsigned)MPA(RDT_PASSIVE, mpa2_ird),
		       p_ord = (unsigned)MPA(RDT_PASSIVE, mpa2_ord);

	if (!story_has(p->s, RDT_ACTIVE, RDT_MSG_MPA_REQ, RDT_F_mpa2_ord))
		return;
	row = params_add(p, "responder / initiator");
	snprintf(row->cell[RDT_ACTIVE], CELL, "%u / %u", a_ird, a_ord);
	if (!story_has(p->s, RDT_PASSIVE, RDT_MSG_MPA_REP, RDT_F_mpa2_ord))
		return;
	snprintf(row->cell[RDT_PASSIVE], CELL, "%u / %u", p_ird, p_ord);
	if (p_ord > a_ird)
		params_check(row, CLI_TONE_BAD,
			     "mismatch: passive may ask for %u at a time, active serves %u", p_ord,
			     a_ird);
	else if (a_ord > p_ird)
		params_check(row, CLI_TONE_WARN, "active wanted %u at a time, passive serves %u",
			     a_ord, p_ird);
	else
		params_check(row, CLI_TONE_GOOD, "compatible");
}

/* ---- iWARP: what came after them ------------------------------------------------------------ */

/* The ready-to-receive kinds as "SEND, READ". */
static void rtr_text(unsigned kinds, char cell[CELL])
{
	static const char *const names[] = { "SEND", "WRITE", "READ" };

	cell[0] = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (kinds >> i & 1) {
			g_strlcat(cell, cell[0] ? ", " : "", CELL);
			g_strlcat(cell, names[i], CELL);
		}
	if (!cell[0])
		g_strlcpy(cell, "none", CELL);
}

static enum cli_tone rtr_tone(unsigned rtr)
{
	return rtr == RDT_RTR_IS_OK                                  ? CLI_TONE_GOOD
	       : rtr == RDT_RTR_IS_NONE || rtr == RDT_RTR_IS_WAITING ? CLI_TONE_OFF
								     : CLI_TONE_BAD;
}

static void rtr_row(struct params *p, const struct rdt_iwarp *i)
{
	struct row *row;

	if (!i->end[RDT_ACTIVE].peer_to_peer && !i->end[RDT_PASSIVE].peer_to_peer)
		return;
	row = params_add(p, "ready-to-receive by");
	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (i->end[side].peer_to_peer)
			rtr_text(i->end[side].rtr, row->cell[side]);
	params_check(row, rtr_tone(i->rtr), "%s", rdt_rtr_text((enum rdt_rtr)i->rtr));
}

/* "2 SEND, 5 READ request" */
static void messages_text(const struct rdt_iwarp_end *e, char cell[CELL])
{
	static const char *const names[RDT_RDMAP_OPCODES] = {
		"WRITE",     "READ request", "READ response",  "SEND",
		"SEND inv.", "SEND sol.",    "SEND sol. inv.", "TERMINATE",
		"immediate", "imm. sol.",    "atomic request", "atomic response",
	};
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < RDT_RDMAP_OPCODES; i++)
		if (e->messages[i])
			g_string_append_printf(text, "%s%" PRIu32 " %s", text->len ? ", " : "",
					       e->messages[i], names[i]);
	g_strlcpy(cell, text->len ? text->str : "-", CELL);
	g_string_free(text, TRUE);
}

/* What was counted of a stream. */
struct counted {
	uint32_t good, bad, bad_frame, cut;
};

/* "32 right, 1 WRONG (first #58), 2 cut" of each side. */
static void counted_row(struct params *p, const char *label, const struct counted count[RDT_SIDES],
			const char *wrong)
{
	struct row *row = params_add(p, label);

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct counted *c = &count[side];
		GString *text = g_string_new(NULL);

		if (c->good || c->bad)
			g_string_append_printf(text, "%" PRIu32 " right", c->good);
		if (c->bad)
			g_string_append_printf(text, ", %" PRIu32 " WRONG (first #%" PRIu32 ")",
					       c->bad, c->bad_frame);
		if (c->cut)
			g_string_append_printf(text, "%s%" PRIu32 " cut by the capture",
					       text->len ? ", " : "", c->cut);
		if (text->len)
			g_strlcpy(row->cell[side], text->str, CELL);
		g_string_free(text, TRUE);
	}
	if (count[RDT_ACTIVE].bad || count[RDT_PASSIVE].bad)
		params_check(row, CLI_TONE_BAD, "%s", wrong);
}

static struct counted crcs(const struct rdt_iwarp_end *e)
{
	return (struct counted){ e->crc_ok, e->crc_bad, e->crc_bad_frame, e->crc_unknown };
}

static struct counted markers(const struct rdt_iwarp_end *e)
{
	return (struct counted){ e->markers_ok, e->markers_bad, e->marker_bad_frame, 0 };
}

static void term_row(struct params *p, const struct rdt_iwarp *i)
{
	struct row *row;

	if (!i->end[RDT_ACTIVE].term_frame && !i->end[RDT_PASSIVE].term_frame)
		return;
	row = params_add(p, "TERMINATE sent");
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_iwarp_end *e = &i->end[side];
		const struct rdt_name *name = rdt_name_find(RDT_NAMES_term_error, e->term_error);

		if (!e->term_frame)
			continue;
		snprintf(row->cell[side], CELL, "#%" PRIu32, e->term_frame);
		params_check(row, CLI_TONE_BAD, "%s%s",
			     e->term_known && name ? name->text : "an error that has no name",
			     e->term_swapped ? " (nibbles in host order, as Linux siw writes them)"
					     : "");
	}
}

#define ANY(i, member) ((i)->end[RDT_ACTIVE].member || (i)->end[RDT_PASSIVE].member)

static void streams(struct params *p, const struct rdt_iwarp *i)
{
	struct row *row;

	if (!i)
		return;
	rtr_row(p, i);
	if (!ANY(i, fpdus))
		return;
	row = params_add(p, "FPDUs sent");
	for (unsigned side = 0; side < RDT_SIDES; side++)
		snprintf(row->cell[side], CELL, "%" PRIu32, i->end[side].fpdus);
	if (ANY(i, malformed))
		params_check(row, CLI_TONE_BAD,
			     "some contradict themselves, the first is in #%" PRIu32,
			     i->end[RDT_ACTIVE].malformed ? i->end[RDT_ACTIVE].malformed_frame
							  : i->end[RDT_PASSIVE].malformed_frame);
	else if (ANY(i, gaps))
		params_check(row, CLI_TONE_WARN, "the capture lacks bytes: more may have passed");
	row = params_add(p, "messages sent");
	for (unsigned side = 0; side < RDT_SIDES; side++)
		messages_text(&i->end[side], row->cell[side]);
	if (i->crc_used)
		counted_row(p, "CRC32C",
			    (const struct counted[]){ crcs(&i->end[RDT_ACTIVE]),
						      crcs(&i->end[RDT_PASSIVE]) },
			    "not what the bytes before it give");
	if (ANY(i, markers_ok) || ANY(i, markers_bad))
		counted_row(p, "markers",
			    (const struct counted[]){ markers(&i->end[RDT_ACTIVE]),
						      markers(&i->end[RDT_PASSIVE]) },
			    "does not point to where its FPDU begins");
	term_row(p, i);
}

void params_mpa(struct params *p)
{
	const struct rdt_conn *c = p->s->conn;
	const bool both = story_msg(p->s, RDT_ACTIVE, RDT_MSG_MPA_REQ) &&
			  story_msg(p->s, RDT_PASSIVE, RDT_MSG_MPA_REP);
	struct row *row = params_add(p, "TCP port");

	snprintf(row->cell[RDT_ACTIVE], CELL, "%u", c->a_port);
	snprintf(row->cell[RDT_PASSIVE], CELL, "%u", c->p_port);
	row = MPA_BOTH(p, "MPA revision", mpa_rev);
	if (both && MPA(RDT_ACTIVE, mpa_rev) != MPA(RDT_PASSIVE, mpa_rev))
		params_check(row, CLI_TONE_WARN, "the sides differ");
	row = MPA_BOTH(p, "CRC wanted", mpa_crc);
	if (both)
		params_check(row, CLI_TONE_OFF, "%s",
			     MPA(RDT_ACTIVE, mpa_crc) || MPA(RDT_PASSIVE, mpa_crc) ? "used"
										   : "not used");
	row = MPA_BOTH(p, "markers wanted", mpa_markers);
	if (both && (MPA(RDT_ACTIVE, mpa_markers) || MPA(RDT_PASSIVE, mpa_markers)))
		params_check(row, CLI_TONE_WARN, "Linux siw refuses markers");
	mpa_depths(p);
	if (story_has(p->s, RDT_ACTIVE, RDT_MSG_MPA_REQ, RDT_F_mpa2_peer_to_peer))
		MPA_BOTH(p, "peer-to-peer", mpa2_peer_to_peer);
	streams(p, rdt_tracker_iwarp(p->s->tracker, c));
}

/* ---- out of band ---------------------------------------------------------------------------- */

static bool has_told(const struct rdt_exchange *x, unsigned side, enum rdt_tells what)
{
	return x->told[side].frame && (x->told[side].has >> what & 1);
}

/* A row of numbers, where a side told one. */
static struct row *told_row(struct params *p, const struct rdt_exchange *x, const char *label,
			    enum rdt_tells what, const uint32_t value[RDT_SIDES])
{
	struct row *row;

	/* Formats have a place for it; zero says that it is not used. */
	if ((!has_told(x, RDT_ACTIVE, what) || !value[RDT_ACTIVE]) &&
	    (!has_told(x, RDT_PASSIVE, what) || !value[RDT_PASSIVE]))
		return NULL;
	row = params_add(p, label);
	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (has_told(x, side, what))
			snprintf(row->cell[side], CELL, "0x%08" PRIx32, value[side]);
	return row;
}
#define OF_TOLD(x, member) \
	((const uint32_t[]){ (x)->told[RDT_ACTIVE].member, (x)->told[RDT_PASSIVE].member })

static void oob_psns(struct params *p)
{
	const struct rdt_end *end = p->s->conn->end;
	enum cli_tone tone = CLI_TONE_GOOD;
	char buf[RDT_SIDES][32];
	struct row *row = params_add(p, "sends from PSN");

	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (end[side].has_psn)
			snprintf(row->cell[side], CELL, "0x%06" PRIx32, end[side].psn);
	if (!end[RDT_ACTIVE].data.first_frame && !end[RDT_PASSIVE].data.first_frame)
		params_check(row, CLI_TONE_WARN, "no data seen");
	else if (end[RDT_ACTIVE].has_psn && end[RDT_PASSIVE].has_psn) {
		const char *a = params_begins(&end[RDT_ACTIVE], buf[0], sizeof(buf[0]), &tone),
			   *b = params_begins(&end[RDT_PASSIVE], buf[1], sizeof(buf[1]), &tone);

		params_check(row, tone, "data begins there: %s / %s", a, b);
	}
}

static void oob_gids(struct params *p, const struct rdt_exchange *x)
{
	const enum rdt_gids gids = rdt_exchange_gids(x);
	struct row *row;

	if (!has_told(x, RDT_ACTIVE, RDT_TELLS_GID) && !has_told(x, RDT_PASSIVE, RDT_TELLS_GID))
		return;
	row = params_add(p, "GID");
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_addr gid = rdt_addr_gid(x->told[side].gid);

		if (!has_told(x, side, RDT_TELLS_GID))
			continue;
		if (gid.kind == RDT_ADDR_NONE)
			g_strlcpy(row->cell[side], "0", CELL);
		else
			rdt_addr_text(&gid, row->cell[side], CELL);
	}
	if (x->told[RDT_ACTIVE].addr_differs || x->told[RDT_PASSIVE].addr_differs)
		params_check(row, CLI_TONE_WARN, "packets of %s come from another address",
			     x->told[RDT_ACTIVE].addr_differs && x->told[RDT_PASSIVE].addr_differs
				     ? "both sides"
			     : x->told[RDT_ACTIVE].addr_differs ? "the active side"
								: "the passive side");
	else if (gids != RDT_GIDS_UNKNOWN && gids != RDT_GIDS_FINE)
		params_check(row, gids == RDT_GIDS_LINK_LOCAL ? CLI_TONE_WARN : CLI_TONE_BAD, "%s",
			     rdt_gids_text(gids));
}

/* The memory that the peer may access, and what it then did. */
static void oob_memory(struct params *p, const struct rdt_exchange *x)
{
	struct row *row = told_row(p, x, "R_Key", RDT_TELLS_RKEY, OF_TOLD(x, rkey));

	if (!row)
		return;
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_told *told = &x->told[side];

		if (!told->access_frame)
			continue;
		if (told->other_rkey_frame)
			params_check(row, CLI_TONE_BAD,
				     "the peer of the %s side uses another: 0x%08" PRIx32
				     " in #%" PRIu32,
				     rdt_side_key((enum rdt_side)side), told->access_rkey,
				     told->other_rkey_frame);
		else
			params_check(row, CLI_TONE_GOOD, "used as told: #%" PRIu32,
				     told->access_frame);
	}
	row = params_add(p, "address");
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_told *told = &x->told[side];

		if (!told->frame)
			continue;
		snprintf(row->cell[side], CELL, "0x%016" PRIx64, told->vaddr);
		if (!told->access_frame)
			continue;
		if (told->access_va >= told->vaddr)
			params_check(row, CLI_TONE_OFF, "first access at +%" PRIu64 " B",
				     told->access_va - told->vaddr);
		else
			params_check(row, CLI_TONE_BAD, "first access before it: 0x%016" PRIx64,
				     told->access_va);
	}
}

static void oob_when(struct params *p, const struct rdt_exchange *x)
{
	struct row *row = params_add(p, "told in");

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_told *told = &x->told[side];

		if (!told->frame) {
			g_strlcpy(row->cell[side], "not in the capture", CELL);
			continue;
		}
		snprintf(row->cell[side], CELL, "#%" PRIu32, told->frame);
		if (told->again)
			snprintf(row->cell[side], CELL, "#%" PRIu32 ", %" PRIu32 " times again",
				 told->frame, told->again);
	}
	if (x->by_psn)
		params_check(row, CLI_TONE_WARN, "~ one side is known by its first PSN only");
}

void params_oob(struct params *p)
{
	const struct rdt_conn *c = p->s->conn;
	const struct rdt_exchange *x = rdt_tracker_exchange(p->s->tracker, c);
	char addr[CLI_HOST_TEXT];
	struct row *row;

	if (!x)
		return;
	row = params_add(p, "exchange over TCP");
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		cli_addr_text(p->s->opts, rdt_tracker_addr(p->s->tracker, x->tcp_addr[side]), addr,
			      sizeof(addr));
		snprintf(row->cell[side], CELL, "%.80s port %u", addr,
			 side == RDT_ACTIVE ? c->a_port : c->p_port);
	}
	oob_when(p, x);
	params_qpns(p);
	told_row(p, x, "SRQ", RDT_TELLS_SRQN, OF_TOLD(x, srqn));
	oob_psns(p);
	if (x->told[RDT_ACTIVE].lid || x->told[RDT_PASSIVE].lid) {
		row = params_add(p, "LID");
		for (unsigned side = 0; side < RDT_SIDES; side++)
			if (x->told[side].frame)
				snprintf(row->cell[side], CELL, "0x%04" PRIx32, x->told[side].lid);
	}
	oob_gids(p, x);
	oob_memory(p, x);
}
