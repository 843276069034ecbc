/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expert items: registered from experts.def, each with what this packet has to say about it. */
#include <inttypes.h>

#include "rdmacm.h"
#include "rdmatrace/field.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/line.h"
#include "rdmatrace/psn.h"
#include "rdmatrace/setup.h"
#include "rdmatrace/states.h"
#include "rdmatrace/text.h"

#define TEXT_MAX 240

static expert_field fields[EI_COUNT];

static const struct {
	uint16_t field; /* enum rdt_field_id */
	const char *before, *summary;
} rows[EI_COUNT] = {
#define X(symbol, name, group, severity, field, before, summary) { field, before, summary },
#include "experts.def"
#undef X
};

void experts_register(void)
{
	static ei_register_info regs[] = {
#define X(symbol, name, group, severity, field, before, summary) \
	{ &fields[EI_##symbol], { "rdmacm.analysis." name, group, severity, summary, EXPFILL } },
#include "experts.def"
#undef X
	};

	for (size_t i = 0; i < EI_COUNT; i++)
		fields[i] = (expert_field)EI_INIT;
	expert_register_field_array(expert_register_protocol(proto_rdmacm), regs, EI_COUNT);
}

const char *expert_summary(enum rdmacm_expert ei)
{
	return rows[ei].summary;
}

const char *expert_before(enum rdmacm_expert ei)
{
	return rows[ei].before;
}

enum rdmacm_expert expert_of_field(const struct packet *p, const struct rdt_field *f)
{
	const size_t id = (size_t)(f - rdt_fields);

	for (uint64_t left = p->note ? p->note->experts : 0; left; left &= left - 1) {
		const unsigned ei = (unsigned)__builtin_ctzll(left);

		if (rows[ei].field == id)
			return (enum rdmacm_expert)ei;
	}
	return EI_COUNT;
}

/* ---- words ------------------------------------------------------------------------------------- */

/* The text of a field of the packet, "?" when it was not captured. */
static const char *field_text(const struct packet *p, enum rdt_field_id id, char buf[RDT_TEXT_MAX])
{
	const struct rdt_field *f = &rdt_fields[id];
	const struct rdt_layer *layer =
		rdt_layer_find(p->layers, p->layer_count, (enum rdt_hdr_id)f->hdr);

	if (!layer || !rdt_layer_has(layer, f))
		return "?";
	return rdt_field_text(f, layer->bytes, buf, RDT_TEXT_MAX);
}

/* Who gave up, from the record that says so. */
static void say_timeout(const struct packet *p, char *buf, size_t size)
{
	for (const struct record *r = p->note->records; r; r = r->next) {
		if (r->rec == RDT_REC_state &&
		    (is_give_up(&r->state) || r->state.event == RDT_CM_EV_TIMER_DREQ)) {
			snprintf(buf, size, "%s side, %s%s",
				 rdt_side_key((enum rdt_side)r->state.side), r->state.why,
				 r->state.basis == RDT_BASIS_WIRE ? "" : " (inferred)");
			return;
		}
	}
}

static void say_terminate(const struct packet *p, char *buf, size_t size)
{
	const struct rdt_iwarp *iwarp = p->conn ? rdt_tracker_iwarp(feed_tracker(), p->conn) : NULL;
	const struct rdt_iwarp_end *end = iwarp ? &iwarp->end[p->note->side] : NULL;

	if (end && end->term_known && rdt_name_find(RDT_NAMES_term_error, end->term_error))
		snprintf(buf, size, "%s",
			 rdt_name_find(RDT_NAMES_term_error, end->term_error)->text);
}

static void say_psn_first(const struct packet *p, char *buf, size_t size)
{
	const struct rdt_end *end = &p->conn->end[p->note->side];

	snprintf(buf, size,
		 "first PSN 0x%06" PRIx32 ", announced 0x%06" PRIx32 ": %" PRId32 " apart",
		 end->data.first_psn, end->psn, rdt_psn_diff(end->data.first_psn, end->psn));
}

/*
 * What this packet has to say beyond the summary; buf stays empty when that is all. Codes and names,
 * not times and frames: those are fields, and equal texts are one line of the expert summary.
 */
static void details(const struct packet *p, enum rdmacm_expert ei, char *buf, size_t size)
{
	const struct message *m = p->note->message;
	char a[RDT_TEXT_MAX], b[RDT_TEXT_MAX];

	switch (ei) {
	case EI_REJECT:
	case EI_REJECT_KERNEL:
	case EI_REJECT_APPLICATION:
	case EI_STALE:
		snprintf(buf, size, "REJ of %s, %s", field_text(p, RDT_F_rej_msg_rejected, a),
			 field_text(p, RDT_F_rej_reason, b));
		break;
	case EI_SIDR_REFUSED:
		snprintf(buf, size, "%s", field_text(p, RDT_F_sidr_rep_status, a));
		break;
	case EI_MAD_STATUS:
		snprintf(buf, size, "status %s", field_text(p, RDT_F_mad_status, a));
		break;
	case EI_TIMEOUT:
	case EI_CLOSE_TIMEOUT:
		say_timeout(p, buf, size);
		break;
	case EI_RETRANSMISSION:
	case EI_DUPLICATED:
		if (m)
			snprintf(buf, size, "%s", rdt_msg_key((enum rdt_msg)m->rec.msg));
		break;
	case EI_UNEXPECTED:
		if (m)
			snprintf(buf, size, "%s from the %s side",
				 rdt_msg_key((enum rdt_msg)m->rec.msg),
				 rdt_side_key((enum rdt_side)m->rec.from));
		break;
	case EI_MORE_TIME:
		snprintf(buf, size, "%s for its answer to the %s",
			 field_text(p, RDT_F_mra_service_timeout, a),
			 field_text(p, RDT_F_mra_msg_mraed, b));
		break;
	case EI_SLOW:
		if (m)
			snprintf(buf, size, "%s", rdt_msg_key((enum rdt_msg)m->rec.msg));
		break;
	case EI_PARAM_MISMATCH:
		if (p->conn)
			snprintf(buf, size,
				 "initiator depth %s, but the requester takes %u READs and atomics "
				 "at a time",
				 field_text(p, RDT_F_rep_initiator_depth, a),
				 p->conn->end[RDT_ACTIVE].resources);
		break;
	case EI_QPN_MISMATCH:
		if (p->conn)
			snprintf(buf, size, "it says %s, the receiver's is 0x%06" PRIx32,
				 field_text(p, RDT_F_dreq_remote_qpn, a),
				 p->conn->end[rdt_side_other((enum rdt_side)p->note->side)].qpn);
		break;
	case EI_SNAPPED:
	case EI_MALFORMED:
		snprintf(buf, size, "%s",
			 rdt_line_problem(&p->frame) ? rdt_line_problem(&p->frame) : "");
		break;
	case EI_OPCODE:
	case EI_VENDOR:
		snprintf(buf, size, "opcode 0x%02x", rdt_bth_opcode(p->frame.bth));
		break;
	case EI_PSN_FIRST:
		if (p->conn)
			say_psn_first(p, buf, size);
		break;
	case EI_NAK_SEQUENCE:
	case EI_NAK_ERROR:
		snprintf(buf, size, "%s", field_text(p, RDT_F_aeth_value, a));
		break;
	case EI_RNR:
		snprintf(buf, size, "try again after %s", field_text(p, RDT_F_aeth_value, a));
		break;
	case EI_TERMINATE:
		say_terminate(p, buf, size);
		break;
	case EI_PSN_GAP:
	case EI_PSN_AGAIN:
	case EI_MPA_REJECT:
	case EI_RTU_MISSING:
	case EI_ICRC_BAD:
	case EI_ICRC_ABSENT:
	case EI_ICRC_SPORT:
	case EI_CAPTURED_TWICE:
	case EI_EVICTED:
	case EI_MPA_CRC:
	case EI_MPA_MARKER:
	case EI_FPDU:
	case EI_CNP:
	case EI_CONGESTION:
	case EI_COUNT:
		break;
	}
}

void experts_add(const struct packet *p, proto_item *stream_item)
{
	char text[TEXT_MAX];

	for (uint64_t left = p->note ? p->note->experts : 0; left; left &= left - 1) {
		const enum rdmacm_expert ei = (enum rdmacm_expert)__builtin_ctzll(left);
		proto_item *item = p->anchor[ei] ? p->anchor[ei] : stream_item;

		text[0] = 0;
		details(p, ei, text, sizeof(text));
		if (text[0])
			expert_add_info_format(p->pinfo, item, &fields[ei], "%s: %s",
					       rows[ei].summary, text);
		else
			expert_add_info(p->pinfo, item, &fields[ei]);
	}
}
