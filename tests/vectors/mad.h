/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* IBTA Vol 1 chapter 13: MAD header and RMPP. See test_vectors.c. */

/* 13.4.2 */
VECTOR(mad,
	"0f34597ecb74bec4f8fd0016351ac3e1b0d8f088b4d1bf49",
	N(base_version, 0x0f), N(mgmt_class, 0x34), N(class_version, 0x59), N(method, 0x7e),
	N(status, 0xcb74), N(class_specific, 0xbec4), N(tid, 0xf8fd0016351ac3e1),
	N(attr_id, 0xb0d8), N(rsvd18, 0xf088), N(attr_mod, 0xb4d1bf49))

/* 13.6.2: version, type, RRespTime 5 + flags 3 (last, first, active), status, data 1, data 2 */
VECTOR(rmpp,
	"0f34e5599adf073cbf023d5f",
	N(version, 0x0f), N(type, 0x34), N(resp_time, 0x1c), N(last, 1), N(first, 0),
	N(active, 1), N(status, 0x59), N(seg_num, 0x9adf073c), N(paylen_newwin, 0xbf023d5f))
VECTOR(rmpp,
	"1a3f4364f8daff4ae1b6cc3f",
	N(version, 0x1a), N(type, 0x3f), N(resp_time, 0x08), N(last, 0), N(first, 1),
	N(active, 1), N(status, 0x64), N(seg_num, 0xf8daff4a), N(paylen_newwin, 0xe1b6cc3f))
