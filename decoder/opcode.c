// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/wire.h"

enum {
#define X(h) X_##h = 1 << RDT_EXT_##h,
	RDT_EXT_LIST(X)
#undef X
};

/* Offsets follow from the list of headers: each begins where those before it end. */
#define HAS(ext, h) (((ext) >> RDT_EXT_##h & 1) * RDT_LEN_##h)
#define OFF_rdeth(ext) RDT_LEN_bth
#define OFF_xrceth(ext) (OFF_rdeth(ext) + HAS(ext, rdeth))
#define OFF_deth(ext) (OFF_xrceth(ext) + HAS(ext, xrceth))
#define OFF_feth(ext) (OFF_deth(ext) + HAS(ext, deth))
#define OFF_reth(ext) (OFF_feth(ext) + HAS(ext, feth))
#define OFF_atomiceth(ext) (OFF_reth(ext) + HAS(ext, reth))
#define OFF_aeth(ext) (OFF_atomiceth(ext) + HAS(ext, atomiceth))
#define OFF_atomicacketh(ext) (OFF_aeth(ext) + HAS(ext, aeth))
#define OFF_immdt(ext) (OFF_atomicacketh(ext) + HAS(ext, atomicacketh))
#define OFF_ieth(ext) (OFF_immdt(ext) + HAS(ext, immdt))
#define OFF_cnp(ext) (OFF_ieth(ext) + HAS(ext, ieth))
#define OFF_END(ext) (OFF_cnp(ext) + HAS(ext, cnp))

#define X_OFF(h, e) [RDT_EXT_##h] = OFF_##h(e),

const struct rdt_opcode rdt_opcodes[256] = {
#define OP(value, symbol, txt, e, knd, plc, pay)                                                   \
	[value] = { .text = txt,                                                                   \
		    .ext = (e),                                                                    \
		    .hdr_len = OFF_END(e),                                                         \
		    .kind = RDT_OP_##knd,                                                          \
		    .place = RDT_OP_##plc,                                                         \
		    .payload = pay,                                                                \
		    .plain = (value) >> 5 != RDT_SVC_RD,                                           \
		    .off = { X_OFF(rdeth, e) X_OFF(xrceth, e) X_OFF(deth, e) X_OFF(feth, e) X_OFF( \
			    reth, e) X_OFF(atomiceth, e) X_OFF(aeth, e) X_OFF(atomicacketh, e)     \
				     X_OFF(immdt, e) X_OFF(ieth, e) X_OFF(cnp, e) } },
#include "wire/opcode.def"
};

enum rdt_status rdt_pkt_parse_odd(const uint8_t *bth, size_t have, size_t len,
				  struct rdt_pkt *ret_pkt)
{
	const struct rdt_opcode *op;
	size_t need;

	if (len < RDT_LEN_bth)
		return RDT_MALFORMED;
	if (have < RDT_LEN_bth)
		return RDT_SNAPPED;
	op = &rdt_opcodes[rdt_bth_opcode(bth)];
	if (!op->hdr_len)
		return RDT_OPCODE;
	if (rdt_opcode_service((uint8_t)rdt_bth_opcode(bth)) == RDT_SVC_RD &&
	    rdt_pkt_is_vendor(bth, have, len))
		return RDT_OPCODE;
	need = (size_t)op->hdr_len + rdt_bth_pad_count(bth) + RDT_LEN_icrc;
	if (len < need)
		return RDT_MALFORMED;
	if (have < op->hdr_len)
		return RDT_SNAPPED;
	*ret_pkt = (struct rdt_pkt){ .bth = bth,
				     .op = op,
				     .payload_len = (uint32_t)(len - need),
				     .have = (uint32_t)(have < len ? have : len) };
	return RDT_OK;
}

bool rdt_pkt_is_vendor(const uint8_t *bth, size_t have, size_t len)
{
	const uint8_t opcode = (uint8_t)rdt_bth_opcode(bth);
	const struct rdt_opcode *op = &rdt_opcodes[opcode];
	const uint8_t *rdeth, *deth;

	if (rdt_opcode_service(opcode) >= RDT_SVC_VENDOR0)
		return true;
	if (rdt_opcode_service(opcode) != RDT_SVC_RD)
		return false;
	if (!op->hdr_len || len < (size_t)op->hdr_len + RDT_LEN_icrc)
		return true;
	rdeth = bth + op->off[RDT_EXT_rdeth];
	deth = bth + op->off[RDT_EXT_deth];
	if (have >= (size_t)op->off[RDT_EXT_rdeth] + RDT_LEN_rdeth && rdt_rdeth_rsvd0(rdeth))
		return true;
	return (op->ext & X_deth) && have >= (size_t)op->off[RDT_EXT_deth] + RDT_LEN_deth &&
	       rdt_deth_rsvd4(deth);
}
