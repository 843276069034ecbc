/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* IBTA Vol 1 chapter 9 and annexes A14, A17: base and extended transport headers. See test_vectors.c. */

/* 9.2: opcode, SE M Pad TVer, P_Key, FECN BECN resv6, DestQP, A resv7, PSN */
VECTOR(bth,
	"0f91dc1b9797101df29ad2e1",
	N(opcode, 0x0f), N(se, 1), N(migreq, 0), N(pad_count, 1), N(tver, 1), N(pkey, 0xdc1b),
	N(fecn, 1), N(becn, 0), N(rsvd4, 0x17), N(dest_qpn, 0x97101d), N(ack_req, 1),
	N(rsvd8, 0x72), N(psn, 0x9ad2e1))
VECTOR(bth,
	"1a40d9aaa2ddaa4e7d8f8ea9",
	N(opcode, 0x1a), N(se, 0), N(migreq, 1), N(pad_count, 0), N(tver, 0), N(pkey, 0xd9aa),
	N(fecn, 1), N(becn, 0), N(rsvd4, 0x22), N(dest_qpn, 0xddaa4e), N(ack_req, 0),
	N(rsvd8, 0x7d), N(psn, 0x8f8ea9))
VECTOR(bth,
	"2500b9216dc5765089a32eda",
	N(opcode, 0x25), N(se, 0), N(migreq, 0), N(pad_count, 0), N(tver, 0), N(pkey, 0xb921),
	N(fecn, 0), N(becn, 1), N(rsvd4, 0x2d), N(dest_qpn, 0xc57650), N(ack_req, 1),
	N(rsvd8, 0x09), N(psn, 0xa32eda))

/* 9.3.1: resv8, EE context */
VECTOR(rdeth,
	"0ffc5639",
	N(rsvd0, 0x0f), N(eecn, 0xfc5639))

/* A14: resv8, XRC SRQ */
VECTOR(xrceth,
	"0f92fb2d",
	N(rsvd0, 0x0f), N(srqn, 0x92fb2d))

/* 9.3.2: Q_Key, resv8, SrcQP */
VECTOR(deth,
	"bcbb9b7e0f80ae21",
	N(qkey, 0xbcbb9b7e), N(rsvd4, 0x0f), N(src_qpn, 0x80ae21))

/* 1.5 as rxe reads it: resv26, selectivity 2, placement type 4 (bit 1 persistence, bit 0 global) */
VECTOR(feth,
	"dc86b3da",
	N(rsvd0, 0x3721acf), N(sel, 1), N(rsvd3, 2), N(persist, 1), N(global, 0))
VECTOR(feth,
	"ccb87001",
	N(rsvd0, 0x332e1c0), N(sel, 0), N(rsvd3, 0), N(persist, 0), N(global, 1))

/* 9.3.3: VA, R_Key, DMA length */
VECTOR(reth,
	"9f07b27a78869b5ab0ba91e4c72b4c36",
	N(va, 0x9f07b27a78869b5a), N(rkey, 0xb0ba91e4), N(dma_len, 0xc72b4c36))

/* 9.3.4: VA, R_Key, swap or add, compare */
VECTOR(atomiceth,
	"8e39b81de71b7d09bfcbffffbc3a5b419a43afd2e71a7567edb8c675",
	N(va, 0x8e39b81de71b7d09), N(rkey, 0xbfcbffff), N(swap_add, 0xbc3a5b419a43afd2),
	N(compare, 0xe71a7567edb8c675))

/* 9.3.5: syndrome (1 zero, 2 kind, 5 value), MSN */
VECTOR(aeth,
	"bce37583",
	N(rsvd0, 1), N(kind, 1), N(value, 0x1c), N(msn, 0xe37583))

/* 9.3.5.3 */
VECTOR(atomicacketh,
	"f3b363e938295a26",
	N(orig_data, 0xf3b363e938295a26))

/* 9.3.6 */
VECTOR(immdt,
	"b809d78e",
	N(data, 0xb809d78e))

/* 9.3.7 */
VECTOR(ieth,
	"8947b5fe",
	N(rkey, 0x8947b5fe))

/* 7.8.1: least significant byte first */
VECTOR(icrc,
	"9be23a4a",
	N(value, 0x4a3ae29b))

/* 7.8.2: least significant byte first */
VECTOR(vcrc,
	"d0bf",
	N(value, 0xbfd0))

/* A17.9.3: 16 reserved bytes */
VECTOR(cnp,
	"ed3d5b9145d97155b3996557f5a9514d",
	B(rsvd0, "ed3d5b9145d97155b3996557f5a9514d"))
