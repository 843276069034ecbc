/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* RDMA IP CM (IBTA annex A11), NVMe RDMA Transport 1.0, RFC 8797. See test_vectors.c. */

/* A11.6: MajV MinV IPV rsvd, source port, source IP, destination IP */
VECTOR(ipcm,
	"1234a8c961f351b7bd534351d173e71f6f3b5d99274d7fc9d12b8d67f3c9714b"
	"9d41cf8d",
	N(major_version, 1), N(minor_version, 2), N(ip_version, 3), N(rsvd1, 4),
	N(src_port, 0xa8c9), B(src_ip, "61f351b7bd534351d173e71f6f3b5d99"),
	B(dst_ip, "274d7fc9d12b8d67f3c9714b9d41cf8d"))

/* least significant byte first */
VECTOR(nvme_req,
	"cdc5cfba95d49d1a44c37b49359dd32d575581b151cba3df69ddc9e5cdd75d33",
	N(recfmt, 0xc5cd), N(qid, 0xbacf), N(hrqsize, 0xd495), N(hsqsize, 0x1a9d),
	N(cntlid, 0xc344), B(rsvd10, "7b49359dd32d575581b151cba3df69ddc9e5cdd75d33"))

/* least significant byte first */
VECTOR(nvme_rep,
	"31525fddd58117b15b393d5f6f71b325e7a1890329ef63eda73df3e1132b63dd",
	N(recfmt, 0x5231), N(crqsize, 0xdd5f),
	B(rsvd4, "d58117b15b393d5f6f71b325e7a1890329ef63eda73df3e1132b63dd"))

/* least significant byte first */
VECTOR(nvme_rej,
	"95bfaa01",
	N(recfmt, 0xbf95), N(sts, 0x01aa))

/* RFC 8797, 4 */
VECTOR(rpcrdma,
	"a9bcd6180fe53459",
	N(magic, 0xa9bcd618), N(version, 0x0f), N(rsvd5, 0x72), N(remote_inv, 1),
	N(send_size, 0x34), N(recv_size, 0x59))

/* IBTA annex A12: flags 0x80, 0x40, then reserved */
VECTOR(iser,
	"f9b9096a",
	N(zbva_not_sup, 1), N(inv_not_sup, 1), N(rsvd0, 0x39), N(rsvd1, 0xb9096a))

/* SRP r16a 6.2: opcode, 7 reserved, tag, length, 4 reserved, formats, flags, 1, offset, 2, two port ids */
VECTOR(srp_req,
	"afc439f3c963cfe0e794ee14e1454c4026b563b142840d2bac8ba2d9e7aa19fc"
	"e7ca430e92ac3d4253d23c0bdf43efb26820212c6959935406e82a012b5c5cd1",
	N(opcode, 0xaf), N(rsvd1, 0xc439f3c963cfe0), N(tag, 0xe794ee14e1454c40),
	N(it_iu_len, 0x26b563b1), N(rsvd20, 0x42840d2b), N(buf_fmt, 0xac8b), N(flags, 0xa2),
	N(rsvd27, 0xd9), N(imm_offset, 0xe7aa), N(rsvd30, 0x19fc),
	B(initiator, "e7ca430e92ac3d4253d23c0bdf43efb2"),
	B(target, "6820212c6959935406e82a012b5c5cd1"))

/* the same without what is reserved: tag, formats, flags, opcode, length, two port ids, offset, 6 reserved */
VECTOR(srp_req_cm,
	"1333bc1cfe6c2b031a6e20517972a36d6977a41b730bed9c94a67f00f335c357"
	"a0187b4d51209e8f332726d0356a4152e89c55e7ae6ac4a9",
	N(tag, 0x1333bc1cfe6c2b03), N(buf_fmt, 0x1a6e), N(flags, 0x20), N(opcode, 0x51),
	N(it_iu_len, 0x7972a36d), B(initiator, "6977a41b730bed9c94a67f00f335c357"),
	B(target, "a0187b4d51209e8f332726d0356a4152"), N(imm_offset, 0xe89c),
	N(rsvd50, 0x55e7ae6ac4a9))

/* SRP r16a 6.3: opcode, 3 reserved, limit, tag, two lengths, formats, flags, 25 reserved */
VECTOR(srp_rsp,
	"546d683c17bcc74d8491cabea0afe356ce3ad2b2d775f5937dfb671833aa3918"
	"08fc20813e1dcfb592bde31c34d2ea1614daf467",
	N(opcode, 0x54), N(rsvd1, 0x6d683c), N(req_lim_delta, 0x17bcc74d),
	N(tag, 0x8491cabea0afe356), N(it_iu_len, 0xce3ad2b2), N(ti_iu_len, 0xd775f593),
	N(buf_fmt, 0x7dfb), N(flags, 0x67),
	B(rsvd27, "1833aa391808fc20813e1dcfb592bde31c34d2ea1614daf467"))

/* SRP r16a 6.4: opcode, 3 reserved, reason, tag, 8 reserved, formats, 6 reserved */
VECTOR(srp_rej,
	"1530b9f640e05299c3b1b366b1852ac84e18a3634891a61bb0b429d141bc858e",
	N(opcode, 0x15), N(rsvd1, 0x30b9f6), N(reason, 0x40e05299), N(tag, 0xc3b1b366b1852ac8),
	N(rsvd16, 0x4e18a3634891a61b), N(buf_fmt, 0xb0b4), N(rsvd26, 0x29d141bc858e))

/* two numbers of 32 bits */
VECTOR(smbd,
	"9fbba6381e216216",
	N(ird, 0x9fbba638), N(ord, 0x1e216216))

/* two IPv4 addresses, version 8.8, mask 16, tos 8, 24 reserved, sequence 64, credits 32 */
VECTOR(rds,
	"e7db270d05f9eb8744b43be4dbd756a492ed2607383c017b3cd158af",
	N(saddr, 0xe7db270d), N(daddr, 0x5f9eb87), N(major, 0x44), N(minor, 0xb4),
	N(minor_mask, 0x3be4), N(tos, 0xdb), N(rsvd13, 0xd756a4), N(ack_seq, 0x92ed2607383c017b),
	N(credit, 0x3cd158af))

/* the same with IPv6 addresses */
VECTOR(rds6,
	"a5157170cc8fc5260352a9bf0e56d581230a102c4786a2284cfdb1e79e1fcc46"
	"b1a555fa99b8a6ace810b08a72880e4a272be0ea",
	B(saddr, "a5157170cc8fc5260352a9bf0e56d581"),
	B(daddr, "230a102c4786a2284cfdb1e79e1fcc46"), N(major, 0xb1), N(minor, 0xa5),
	N(minor_mask, 0x55fa), N(tos, 0x99), N(rsvd37, 0xb8a6ac), N(ack_seq, 0xe810b08a72880e4a),
	N(credit, 0x272be0ea))

/* version, flags (0x01 network order, 0x02 map), credits, 3 reserved, entries, then twice address, key, length */
VECTOR(rsocket,
	"eca346178e41a7d5281f772f6ed299e42a27ead567e0e2a6b4ec0652edc81441"
	"dcf8bef61efc20c9",
	N(version, 0xec), N(rsvd1, 0x28), N(iomap, 1), N(net_order, 1), N(credits, 0x4617),
	N(rsvd4, 0x8e41a7), N(iomap_size, 0xd5), N(sgl_addr, 0x281f772f6ed299e4),
	N(sgl_key, 0x2a27ead5), N(sgl_length, 0x67e0e2a6), N(buf_addr, 0xb4ec0652edc81441),
	N(buf_key, 0xdcf8bef6), N(buf_length, 0x1efc20c9))

/* a length */
VECTOR(ucx,
	"b0",
	N(length, 0xb0))
VECTOR(iser,
	"40000000",
	N(zbva_not_sup, 0), N(inv_not_sup, 1), N(rsvd0, 0), N(rsvd1, 0))

/* the REQ of captures/rsocket.pcap */
VECTOR(rsocket,
	"010201800000000000007fae28003000000003e20000000200007fae2f4cf0000000043d00080000",
	N(version, 1), N(rsvd1, 0), N(iomap, 1), N(net_order, 0), N(credits, 384), N(rsvd4, 0),
	N(iomap_size, 0), N(sgl_addr, 0x7fae28003000), N(sgl_key, 0x3e2), N(sgl_length, 2),
	N(buf_addr, 0x7fae2f4cf000), N(buf_key, 0x43d), N(buf_length, 0x80000))
