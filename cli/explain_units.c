// SPDX-License-Identifier: BSD-2-Clause
/* Topics whose texts are computed: timers, sizes, opcodes, service ids. */
#include "explain.h"

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "rdmatrace/text.h"
#include "rdmatrace/track.h"

static void begin(struct meaning *m, enum topic topic, uint64_t value, uint8_t hex)
{
	*m = (struct meaning){
		.topic = topic,
		.has_value = true,
		.hex = hex,
		.value = (int64_t)value,
		.detail_topic = topic,
		.detail_value = (int64_t)value,
	};
}

static bool timeout(uint64_t code, struct meaning *m)
{
	char exact[RDT_TEXT_MAX], linux_ms[RDT_TEXT_MAX];

	if (code > 31)
		return false;
	begin(m, TOPIC_timeout, code, 0);
	snprintf(
		m->text, sizeof(m->text), "%s (4.096 us x 2^%u); the Linux CM waits %s%s",
		rdt_duration_text(rdt_cm_timeout_ns((unsigned)code), exact, sizeof(exact)),
		(unsigned)code,
		rdt_duration_text(rdt_linux_timeout_ns((unsigned)code), linux_ms, sizeof(linux_ms)),
		code ? "" : "; as a local ACK timeout, 0 is infinite");
	return true;
}

static bool simple(enum topic topic, enum rdt_unit unit, uint64_t code, uint64_t max,
		   struct meaning *m)
{
	char text[RDT_TEXT_MAX], *paren;
	uint64_t scaled;

	if (code > max || !rdt_unit_scale(unit, code, &scaled))
		return false;
	begin(m, topic, code, 0);
	rdt_unit_text(unit, code, text, sizeof(text));
	/* The code in parentheses was said already. */
	paren = strstr(text, " (");
	if (paren)
		*paren = 0;
	snprintf(m->text, sizeof(m->text), "%s%s", text,
		 topic == TOPIC_rnr_timer && !code ? ", the longest, not the shortest" : "");
	return true;
}

static bool credits(uint64_t code, struct meaning *m)
{
	if (code > 31)
		return false;
	begin(m, TOPIC_credits, code, 0);
	if (code == 31)
		snprintf(m->text, sizeof(m->text), "no limit stated");
	else
		snprintf(m->text, sizeof(m->text), "%" PRIu32 " messages may be sent",
			 rdt_aeth_credits((unsigned)code));
	return true;
}

static bool syndrome(uint64_t value, struct meaning *m)
{
	const unsigned code = value & 31, kind = value >> 5 & 3;
	char timer[RDT_TEXT_MAX];
	const struct rdt_name *nak;

	if (value > 0x7f)
		return false;
	begin(m, TOPIC_syndrome, value, 2);
	switch (kind) {
	case RDT_AETH_ACK:
		if (code == 31)
			snprintf(m->text, sizeof(m->text), "ACK, no credit limit stated");
		else
			snprintf(m->text, sizeof(m->text), "ACK, %" PRIu32 " credits",
				 rdt_aeth_credits(code));
		break;
	case RDT_AETH_RNR:
		snprintf(m->text, sizeof(m->text),
			 "RNR NAK: no receive posted, try again after %s (timer code %u)",
			 rdt_duration_text(rdt_rnr_timer_ns(code), timer, sizeof(timer)), code);
		break;
	case RDT_AETH_NAK:
		nak = rdt_name_find(RDT_NAMES_nak_code, code);
		snprintf(m->text, sizeof(m->text), "NAK, %s", nak ? nak->text : "a reserved code");
		m->detail_topic = TOPIC_nak_code;
		m->detail_value = code;
		break;
	default:
		snprintf(m->text, sizeof(m->text), "reserved");
		break;
	}
	return true;
}

static bool mad_status(uint64_t value, struct meaning *m)
{
	static const char *const codes[8] = {
		[1] = "base or class version not supported",
		[2] = "method not supported",
		[3] = "method and attribute not supported",
		[7] = "a field has an invalid value",
	};
	static const char *const sa[] = {
		[1] = "no resources",   [2] = "request invalid",
		[3] = "no records",     [4] = "too many records",
		[5] = "GID invalid",    [6] = "not enough components",
		[7] = "request denied", [8] = "another priority suggested",
	};
	const unsigned code = value >> 2 & 7, class_code = value >> 8 & 0xff;
	size_t n = 0;

	if (value > 0xffff)
		return false;
	begin(m, TOPIC_mad_status, value, 4);
	if (value & 1)
		n += (size_t)snprintf(m->text + n, sizeof(m->text) - n, "busy, try again; ");
	if (value & 2)
		n += (size_t)snprintf(m->text + n, sizeof(m->text) - n, "redirected; ");
	if (code)
		n += (size_t)snprintf(m->text + n, sizeof(m->text) - n, "%s; ",
				      codes[code] ? codes[code] : "a reserved code");
	if (class_code)
		n += (size_t)snprintf(m->text + n, sizeof(m->text) - n, "from an SA: %s; ",
				      class_code < G_N_ELEMENTS(sa) ? sa[class_code]
								    : "not assigned");
	if (!n)
		snprintf(m->text, sizeof(m->text), "good");
	else
		m->text[n - 2] = 0;
	return true;
}

/* "BTH, RETH, payload" */
static void headers_text(const struct rdt_opcode *op, char *buf, size_t size)
{
	static const char *const names[RDT_EXT_COUNT] = {
#define X(h) [RDT_EXT_##h] = #h,
		RDT_EXT_LIST(X)
#undef X
	};
	size_t n = (size_t)snprintf(buf, size, "bth");

	for (unsigned i = 0; i < RDT_EXT_COUNT; i++)
		if (op->ext >> i & 1)
			n += (size_t)snprintf(buf + n, size - n, ", %s", names[i]);
	snprintf(buf + n, size - n, "%s", op->payload ? ", payload" : "; no payload");
}

static bool opcode(uint64_t value, struct meaning *m)
{
	static const char *const kinds[] = { "", "request", "response", "notification" };
	static const char *const services[8] = { "RC", "UC", "RD", "UD", "CNP", "XRC", "", "" };
	const struct rdt_name *name;
	char headers[128];

	if (value > 0xff)
		return false;
	begin(m, TOPIC_opcode, value, 2);
	name = rdt_name_find(RDT_NAMES_bth_opcode, value);
	if (name) {
		g_strlcpy(m->name, name->key, sizeof(m->name));
		headers_text(&rdt_opcodes[value], headers, sizeof(headers));
		snprintf(m->text, sizeof(m->text), "%s, a %s; headers %s", name->text,
			 kinds[rdt_opcodes[value].kind], headers);
	} else if (value >= 0xc0) {
		snprintf(m->text, sizeof(m->text), "manufacturer-specific: headers not published");
	} else {
		snprintf(m->text, sizeof(m->text), "not assigned (%s range)", services[value >> 5]);
	}
	return true;
}

static bool service(uint64_t value, struct meaning *m)
{
	const struct rdt_name *space = rdt_name_find(RDT_NAMES_port_space, value >> 16);
	struct rdt_conn conn = { .port_space = (uint16_t)(value >> 16),
				 .p_port = (uint16_t)value,
				 .svc = value,
				 .has_svc = 1 };
	const char *app;

	begin(m, TOPIC_service, value, 16);
	if (space) {
		app = rdt_conn_app(&conn);
		snprintf(m->text, sizeof(m->text), "%s port %u%s%s", space->text,
			 (unsigned)(value & 0xffff), app ? ", usually " : "", app ? app : "");
		return true;
	}
	/* A number that small is none of these: a port, if anything. */
	if (value < 0x10000)
		return false;
	if (value >> 56 == 0x02)
		snprintf(m->text, sizeof(m->text),
			 "handed out by the Linux kernel (not by the RDMA CM)");
	else if (value >> 56 == 0x10)
		snprintf(m->text, sizeof(m->text), "of the organization with OUI %06" PRIx64,
			 value >> 32 & 0xffffff);
	else
		snprintf(m->text, sizeof(m->text), "not of the RDMA CM: it has no port");
	return true;
}

/* A bare port: the service id that rdma_connect() makes of it. */
static bool port(uint64_t value, struct meaning *m)
{
	return value >= 1 && value <= UINT16_MAX && service((uint64_t)RDT_PS_TCP << 16 | value, m);
}

bool explain_unit(enum topic topic, uint64_t value, struct meaning *ret)
{
	switch (topic) {
	case TOPIC_timeout:
		return timeout(value, ret);
	case TOPIC_rnr_timer:
		return simple(topic, RDT_UNIT_RNR_TIMER, value, 31, ret);
	case TOPIC_mtu:
		return simple(topic, RDT_UNIT_MTU_CODE, value, 5, ret);
	case TOPIC_rate:
		return simple(topic, RDT_UNIT_RATE_CODE, value, 63, ret);
	case TOPIC_credits:
		return credits(value, ret);
	case TOPIC_syndrome:
		return syndrome(value, ret);
	case TOPIC_mad_status:
		return mad_status(value, ret);
	case TOPIC_opcode:
		return opcode(value, ret);
	case TOPIC_service:
		return service(value, ret) || port(value, ret);
	case TOPIC_rej_reason:
	case TOPIC_event:
	case TOPIC_error:
	case TOPIC_sidr_status:
	case TOPIC_wc_status:
	case TOPIC_message:
	case TOPIC_nak_code:
	case TOPIC_cm_state:
	case TOPIC_rdma_state:
	case TOPIC_qp_state:
	case TOPIC_apr_status:
	case TOPIC_nvme_status:
	case TOPIC_finding:
	case TOPIC_outcome:
	case TOPIC_code:
	case TOPIC_name:
	case TOPIC_COUNT:
		break;
	}
	return false;
}

/* Which field's texts a topic's quantities are written like. */
static const struct rdt_field *like(enum topic topic)
{
	if (topic == TOPIC_timeout)
		return &rdt_fields[RDT_F_req_remote_cm_resp_timeout];
	if (topic == TOPIC_mtu)
		return &rdt_fields[RDT_F_req_path_mtu];
	if (topic == TOPIC_rate)
		return &rdt_fields[RDT_F_req_primary_packet_rate];
	if (topic == TOPIC_service)
		return &rdt_fields[RDT_F_req_service_id];
	if (topic == TOPIC_opcode)
		return &rdt_fields[RDT_F_bth_opcode];
	return NULL;
}

/* "2.56ms": the nearest code. */
static bool rnr_quantity(const char *text, struct meaning *ret)
{
	uint64_t ns, best = 0, best_off = UINT64_MAX;

	if (rdt_duration_parse(text, strlen(text), &ns) != RDT_OK)
		return false;
	for (unsigned code = 0; code < 32; code++) {
		const uint64_t timer = rdt_rnr_timer_ns(code),
			       off = timer > ns ? timer - ns : ns - timer;

		if (off < best_off) {
			best_off = off;
			best = code;
		}
	}
	return best_off <= ns / 100 && explain_unit(TOPIC_rnr_timer, best, ret);
}

bool explain_quantity(enum topic topic, const char *text, struct meaning *ret)
{
	const struct rdt_field *f = like(topic);
	uint64_t value;

	if (topic == TOPIC_rnr_timer)
		return rnr_quantity(text, ret);
	return f && rdt_field_parse(f, text, strlen(text), &value) == RDT_OK &&
	       explain_unit(topic, value, ret);
}
