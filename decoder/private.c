// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/private.h"

#include "rdmatrace/wire.h"

/* What was captured of private data, and how much there was. */
struct span {
	const uint8_t *at;
	size_t have, len;
};

/* ---- do the bytes speak for it? -------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Is all that was captured behind a header zero, as in a field that is longer than what was put in? */
static bool is_end(struct span s, size_t header)
{
	return is_zero(s.at + header, s.have - header);
}

static bool is_rpcrdma(struct span s)
{
	return rdt_rpcrdma_magic(s.at) == 0xf6ab0e18;
}

static bool is_nvme(struct span s)
{
	return !rdt_nvme_req_recfmt(s.at);
}

static bool is_nvme_rej(struct span s)
{
	return !rdt_nvme_rej_recfmt(s.at) && rdt_nvme_rej_sts(s.at);
}

/* Formats that are named in a login; a target port; units of a size that one can work with. */
static bool is_srp_login(uint32_t formats, uint32_t unit, const uint8_t *target)
{
	return formats && !(formats & ~6u) && unit >= 64 && unit <= 1u << 20 &&
	       !is_zero(target, RDT_SIZE_srp_req_target);
}

static bool is_srp_req(struct span s)
{
	return rdt_srp_req_opcode(s.at) == 0 && !rdt_srp_req_rsvd1(s.at) &&
	       !rdt_srp_req_rsvd20(s.at) &&
	       is_srp_login(rdt_srp_req_buf_fmt(s.at), rdt_srp_req_it_iu_len(s.at),
			    rdt_srp_req_target(s.at));
}

static bool is_srp_req_cm(struct span s)
{
	return rdt_srp_req_cm_opcode(s.at) == 0 && !rdt_srp_req_cm_rsvd50(s.at) &&
	       is_srp_login(rdt_srp_req_cm_buf_fmt(s.at), rdt_srp_req_cm_it_iu_len(s.at),
			    rdt_srp_req_cm_target(s.at));
}

static bool is_srp_rsp(struct span s)
{
	return rdt_srp_rsp_opcode(s.at) == 0xc0 && !rdt_srp_rsp_rsvd1(s.at) &&
	       !(rdt_srp_rsp_buf_fmt(s.at) & ~6u) &&
	       is_zero(rdt_srp_rsp_rsvd27(s.at), RDT_SIZE_srp_rsp_rsvd27);
}

static bool is_srp_rej(struct span s)
{
	return rdt_srp_rej_opcode(s.at) == 0xc2 && !rdt_srp_rej_rsvd1(s.at) &&
	       rdt_srp_rej_reason(s.at) >> 16 == 1;
}

static bool is_iser(struct span s)
{
	return !rdt_iser_rsvd0(s.at) && !rdt_iser_rsvd1(s.at);
}

static bool is_rds(struct span s)
{
	return rdt_rds_major(s.at) >= 3 && rdt_rds_major(s.at) <= 4;
}

static bool is_rds6(struct span s)
{
	return rdt_rds6_major(s.at) >= 3 && rdt_rds6_major(s.at) <= 4;
}

static bool is_smbd(struct span s)
{
	return s.len == RDT_LEN_smbd && rdt_smbd_ird(s.at) < 1u << 16 &&
	       rdt_smbd_ord(s.at) < 1u << 16;
}

static bool is_rsocket(struct span s)
{
	return rdt_rsocket_version(s.at) == 1 && !rdt_rsocket_rsvd1(s.at) &&
	       !rdt_rsocket_rsvd4(s.at) && rdt_rsocket_credits(s.at) &&
	       rdt_rsocket_sgl_addr(s.at) && rdt_rsocket_sgl_length(s.at) &&
	       rdt_rsocket_sgl_length(s.at) < 256 && rdt_rsocket_buf_addr(s.at) &&
	       is_end(s, RDT_LEN_rsocket);
}

/*
 * A length, in old versions a status of zero, then that many bytes, of which the last four are not all
 * zero, then nothing but zeros. Short lengths fit too much else.
 */
static bool is_ucx(struct span s)
{
	const size_t length = rdt_ucx_length(s.at);
	size_t end = RDT_LEN_ucx + length;

	if (length < 16 || end + 1 > s.have)
		return false;
	if (is_zero(s.at + end - 4, 4))
		return false;
	if (!s.at[RDT_LEN_ucx])
		end++; /* the status */
	return is_end(s, end);
}

/* ---- the rows of payload.def ----------------------------------------------------------------- */

struct row {
	uint8_t message, next; /* enum rdt_hdr_id */
	uint16_t port;
	bool alone;
	bool (*check)(struct span s);
	const char *why;
};

#define M(cls, attribute, h, offset)
#define P(h, field, space, maybe)
#define D(h, field)
#define R(h, code, is, field, next)
#define V(h, number, by_itself, what, test, text) \
	{ .message = RDT_H_##h,                   \
	  .next = RDT_H_##what,                   \
	  .port = (number),                       \
	  .alone = (by_itself),                   \
	  .check = (test),                        \
	  .why = (text) },
static const struct row rows[] = {
#include "wire/payload.def"
};
#undef M
#undef P
#undef D
#undef R
#undef V

bool rdt_private_find(enum rdt_hdr_id message, unsigned port, const uint8_t *bytes, size_t have,
		      size_t len, struct rdt_private *ret)
{
	const struct span s = { bytes, have, len };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];

		if (row->message != message || have < rdt_hdrs[row->next].len ||
		    (row->port ? row->port != port : !row->alone) || !row->check(s))
			continue;
		*ret = (struct rdt_private){ (enum rdt_hdr_id)row->next, row->why };
		return true;
	}
	return false;
}
