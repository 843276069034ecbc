/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* RFC 5040, 5041, 5044, 6581, 7306. See test_vectors.c. */

/* RFC 5044, 7.1: key, M C R S res4, rev, PD_Length */
VECTOR(mpa,
	"6bd5335d49b55f772dbd4bd5d911ddb3a10fe5ca",
	B(key, "6bd5335d49b55f772dbd4bd5d911ddb3"), N(markers, 1), N(crc, 0), N(reject, 1),
	N(enhanced, 0), N(rsvd16, 1), N(rev, 0x0f), N(pd_length, 0xe5ca))
VECTOR(mpa,
	"43cb4d7b8ddfc597f7932b43470fcd3b601aaac7",
	B(key, "43cb4d7b8ddfc597f7932b43470fcd3b"), N(markers, 0), N(crc, 1), N(reject, 1),
	N(enhanced, 0), N(rsvd16, 0), N(rev, 0x1a), N(pd_length, 0xaac7))
VECTOR(mpa,
	"376fdb9d2547f58beb79092dfd5b7d591025a0ae",
	B(key, "376fdb9d2547f58beb79092dfd5b7d59"), N(markers, 0), N(crc, 0), N(reject, 0),
	N(enhanced, 1), N(rsvd16, 0), N(rev, 0x25), N(pd_length, 0xa0ae))

/* RFC 6581, 9: A B IRD, C D ORD */
VECTOR(mpa2,
	"883583f5",
	N(peer_to_peer, 1), N(rtr_send, 0), N(ird, 0x0835), N(rtr_write, 1), N(rtr_read, 0),
	N(ord, 0x03f5))
VECTOR(mpa2,
	"66949651",
	N(peer_to_peer, 0), N(rtr_send, 1), N(ird, 0x2694), N(rtr_write, 1), N(rtr_read, 0),
	N(ord, 0x1651))
VECTOR(mpa2,
	"351c7860",
	N(peer_to_peer, 0), N(rtr_send, 0), N(ird, 0x351c), N(rtr_write, 0), N(rtr_read, 1),
	N(ord, 0x3860))

/* RFC 5044, 4.3 */
VECTOR(fpdu,
	"bdff",
	N(ulpdu_length, 0xbdff))

/* RFC 5044, 4.3 */
VECTOR(mpa_marker,
	"ee91ed26",
	N(rsvd0, 0xee91), N(fpduptr, 0xed26))

/* RFC 5044, 4.3: least significant byte first */
VECTOR(mpa_crc,
	"171045aa",
	N(value, 0xaa451017))

/* RFC 5041, 4.2 */
VECTOR(ddp_tagged,
	"85b2f8092540f0020fa747e8c34b",
	N(tagged, 1), N(last, 0), N(rsvd0, 1), N(dv, 1), N(rv, 2), N(rsvd1, 3), N(opcode, 2),
	N(stag, 0xf8092540), N(to, 0xf0020fa747e8c34b))
VECTOR(ddp_tagged,
	"4000a5bcdce9ec56b469da42384e",
	N(tagged, 0), N(last, 1), N(rsvd0, 0), N(dv, 0), N(rv, 0), N(rsvd1, 0), N(opcode, 0),
	N(stag, 0xa5bcdce9), N(to, 0xec56b469da42384e))

/* RFC 5041, 4.3 */
VECTOR(ddp_untagged,
	"85b2fffb5a6694ed5a0487678c8bc48e9e5b",
	N(tagged, 1), N(last, 0), N(rsvd0, 1), N(dv, 1), N(rv, 2), N(rsvd1, 3), N(opcode, 2),
	N(inv_stag, 0xfffb5a66), N(qn, 0x94ed5a04), N(msn, 0x87678c8b), N(mo, 0xc48e9e5b))
VECTOR(ddp_untagged,
	"4000c0b4f957f627d7b6e67829929656ffd5",
	N(tagged, 0), N(last, 1), N(rsvd0, 0), N(dv, 0), N(rv, 0), N(rsvd1, 0), N(opcode, 0),
	N(inv_stag, 0xc0b4f957), N(qn, 0xf627d7b6), N(msn, 0xe6782992), N(mo, 0x9656ffd5))

/* RFC 5040, 4.4 */
VECTOR(rdmap_read,
	"8a7289859e58dbf8e4856c2995e0bbc2e46041de9bc3b94af8a95cce",
	N(sink_stag, 0x8a728985), N(sink_to, 0x9e58dbf8e4856c29), N(size, 0x95e0bbc2),
	N(src_stag, 0xe46041de), N(src_to, 0x9bc3b94af8a95cce))

/* RFC 5040, 4.8 */
VECTOR(terminate,
	"120fb142",
	N(layer, 1), N(etype, 2), N(code, 0x0f), N(seg_length_valid, 1), N(ddp_included, 0),
	N(rdmap_included, 1), N(rsvd2, 0x1142))
VECTOR(terminate,
	"001a69ed",
	N(layer, 0), N(etype, 0), N(code, 0x1a), N(seg_length_valid, 0), N(ddp_included, 1),
	N(rdmap_included, 1), N(rsvd2, 0x09ed))

/* RFC 5040, 4.8 */
VECTOR(term_segment,
	"ba9e",
	N(length, 0xba9e))

/* RFC 7306, 5.2.1 */
VECTOR(rdmap_atomic,
	"c9ef87a1ef300745e947d2fcc8e9d073daa0023683c35ac3d34ccd2dc49c2a12"
	"6192bff7f48536ed78908748b1178ff857184570",
	N(rsvd0, 0xc9ef87a), N(op, 1), N(request_id, 0xef300745), N(remote_stag, 0xe947d2fc),
	N(remote_to, 0xc8e9d073daa00236), N(add_swap_data, 0x83c35ac3d34ccd2d),
	N(add_swap_mask, 0xc49c2a126192bff7), N(compare_data, 0xf48536ed78908748),
	N(compare_mask, 0xb1178ff857184570))

/* RFC 7306, 5.2.2 */
VECTOR(rdmap_atomic_resp,
	"e84b8603fd299e08d3ea49c2",
	N(request_id, 0xe84b8603), N(orig_data, 0xfd299e08d3ea49c2))

/* RFC 7306, 6 */
VECTOR(rdmap_imm,
	"b9b10e23b72e6698",
	N(data, 0xb9b10e23b72e6698))
