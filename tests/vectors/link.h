/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* Link layers, IP, tunnels, LRH and GRH. See test_vectors.c. */

/* least significant byte first */
VECTOR(null,
	"227c2abd",
	N(family, 0xbd2a7c22))

/* most significant byte first */
VECTOR(loop,
	"f4fbb8f5",
	N(family, 0xf4fbb8f5))

/* LINKTYPE_LINUX_SLL */
VECTOR(sll,
	"986588dee3d7bbc7e3cd61416fcfefe8",
	N(packet_type, 0x9865), N(arphrd, 0x88de), N(addr_len, 0xe3d7),
	B(addr, "bbc7e3cd61416fcf"), N(protocol, 0xefe8))

/* LINKTYPE_LINUX_SLL2 */
VECTOR(sll2,
	"da8bfaf685aeeecf8b9b0f344f5f4f05e53dc13f",
	N(protocol, 0xda8b), N(rsvd2, 0xfaf6), N(ifindex, 0x85aeeecf), N(arphrd, 0x8b9b),
	N(packet_type, 0x0f), N(addr_len, 0x34), B(addr, "4f5f4f05e53dc13f"))

/* time stamp least significant byte first; type; flags: res2 ds rx trunc vlen iface2; rlen; lctr; wlen */
VECTOR(erf,
	"1a553c207daccbc3f256aff7cbc7d99f",
	N(ts_frac, 0x203c551a), N(ts_sec, 0xc3cbac7d), N(ext, 1), N(type, 0x72), N(rsvd9, 1),
	N(ds_error, 0), N(rx_error, 1), N(truncated, 0), N(varying, 1), N(interface, 2),
	N(rlen, 0xaff7), N(lctr, 0xcbc7), N(wlen, 0xd99f))
VECTOR(erf,
	"20a37c919340f1117d30f7278e7091e2",
	N(ts_frac, 0x917ca320), N(ts_sec, 0x11f14093), N(ext, 0), N(type, 0x7d), N(rsvd9, 0),
	N(ds_error, 1), N(rx_error, 1), N(truncated, 0), N(varying, 0), N(interface, 0),
	N(rlen, 0xf727), N(lctr, 0x8e70), N(wlen, 0x91e2))
VECTOR(erf,
	"a75aa16f8b89a8d2090cd731ab53b923",
	N(ts_frac, 0x6fa15aa7), N(ts_sec, 0xd2a8898b), N(ext, 0), N(type, 0x09), N(rsvd9, 0),
	N(ds_error, 0), N(rx_error, 0), N(truncated, 1), N(varying, 1), N(interface, 0),
	N(rlen, 0xd731), N(lctr, 0xab53), N(wlen, 0xb923))

VECTOR(erf_ext,
	"f2238b65d771f5fb",
	N(more, 1), N(type, 0x72), B(data, "238b65d771f5fb"))

/* IEEE 802.3 */
VECTOR(eth,
	"9078fbc9698aeaf41cd8aa85c68b",
	N(dst, 0x9078fbc9698a), N(src, 0xeaf41cd8aa85), N(type, 0xc68b))

/* IEEE 802.1Q: PCP DEI VID, type */
VECTOR(vlan,
	"318bb995",
	N(pcp, 1), N(dei, 1), N(vid, 0x18b), N(type, 0xb995))

/* RFC 3032, 2.1 */
VECTOR(mpls,
	"95b7c30f",
	N(label, 0x95b7c), N(tc, 1), N(bottom, 1), N(ttl, 0x0f))

/* RFC 4385, 3 */
VECTOR(mpls_cw,
	"1257c8de",
	N(zero, 1), N(flags, 2), N(frag, 1), N(len, 0x17), N(seq, 0xc8de))

/* RFC 791, 3.1; RFC 2474; RFC 3168 */
VECTOR(ipv4,
	"125d834cce05b4030f34e5e4a6237ed4fe3bea8c",
	N(version, 1), N(ihl, 2), N(dscp, 0x17), N(ecn, 1), N(total_len, 0x834c), N(id, 0xce05),
	N(rsvd6, 1), N(df, 0), N(mf, 1), N(frag_off, 0x1403), N(ttl, 0x0f), N(protocol, 0x34),
	N(checksum, 0xe5e4), N(src, 0xa6237ed4), N(dst, 0xfe3bea8c))
VECTOR(ipv4,
	"0088c9b18ea36e301a3fa909c9accb5fef4ac8aa",
	N(version, 0), N(ihl, 0), N(dscp, 0x22), N(ecn, 0), N(total_len, 0xc9b1), N(id, 0x8ea3),
	N(rsvd6, 0), N(df, 1), N(mf, 1), N(frag_off, 0x0e30), N(ttl, 0x1a), N(protocol, 0x3f),
	N(checksum, 0xa909), N(src, 0xc9accb5f), N(dst, 0xef4ac8aa))

/* RFC 8200, 3 */
VECTOR(ipv6,
	"15dd09eee2b90f34eff123cb8fc7c31fb9a14b7b19ddcd21497d5dc1755dc9ed"
	"7f9bb1c7e38dfbd7",
	N(version, 1), N(dscp, 0x17), N(ecn, 1), N(flow_label, 0xd09ee), N(payload_len, 0xe2b9),
	N(next_header, 0x0f), N(hop_limit, 0x34), B(src, "eff123cb8fc7c31fb9a14b7b19ddcd21"),
	B(dst, "497d5dc1755dc9ed7f9bb1c7e38dfbd7"))

/* RFC 8200, 4.3 */
VECTOR(ipv6_ext,
	"0f342dfb59f97379",
	N(next_header, 0x0f), N(len, 0x34), B(data, "2dfb59f97379"))

/* RFC 8200, 4.5 */
VECTOR(ipv6_frag,
	"0f34ba3bc32888bc",
	N(next_header, 0x0f), N(rsvd1, 0x34), N(frag_off, 0x1747), N(rsvd3, 1), N(more, 1),
	N(id, 0xc32888bc))

/* RFC 768 */
VECTOR(udp,
	"e177db0ba60def42",
	N(sport, 0xe177), N(dport, 0xdb0b), N(len, 0xa60d), N(checksum, 0xef42))

/* RFC 9293, 3.1 */
VECTOR(tcp,
	"9ba6a9acb09e82c9e605e51b12aacab4af9895cf",
	N(sport, 0x9ba6), N(dport, 0xa9ac), N(seq, 0xb09e82c9), N(ack_num, 0xe605e51b),
	N(data_off, 1), N(rsvd12, 2), N(cwr, 1), N(ece, 0), N(urg, 1), N(ack, 0), N(psh, 1),
	N(rst, 0), N(syn, 1), N(fin, 0), N(window, 0xcab4), N(checksum, 0xaf98),
	N(urgent, 0x95cf))
VECTOR(tcp,
	"83a3d188b4f8b686d7293c070066ceb5dfba88aa",
	N(sport, 0x83a3), N(dport, 0xd188), N(seq, 0xb4f8b686), N(ack_num, 0xd7293c07),
	N(data_off, 0), N(rsvd12, 0), N(cwr, 0), N(ece, 1), N(urg, 1), N(ack, 0), N(psh, 0),
	N(rst, 1), N(syn, 1), N(fin, 0), N(window, 0xceb5), N(checksum, 0xdfba),
	N(urgent, 0x88aa))
VECTOR(tcp,
	"b922ae8f91b10f92e3390a31001ee5f1b5e1e19b",
	N(sport, 0xb922), N(dport, 0xae8f), N(seq, 0x91b10f92), N(ack_num, 0xe3390a31),
	N(data_off, 0), N(rsvd12, 0), N(cwr, 0), N(ece, 0), N(urg, 0), N(ack, 1), N(psh, 1),
	N(rst, 1), N(syn, 1), N(fin, 0), N(window, 0xe5f1), N(checksum, 0xb5e1),
	N(urgent, 0xe19b))
VECTOR(tcp,
	"e636addae8cfc40791e96a730001f328ac3bc490",
	N(sport, 0xe636), N(dport, 0xadda), N(seq, 0xe8cfc407), N(ack_num, 0x91e96a73),
	N(data_off, 0), N(rsvd12, 0), N(cwr, 0), N(ece, 0), N(urg, 0), N(ack, 0), N(psh, 0),
	N(rst, 0), N(syn, 0), N(fin, 1), N(window, 0xf328), N(checksum, 0xac3b),
	N(urgent, 0xc490))

/* RFC 826 */
VECTOR(arp,
	"fa8fdefe0f349d0b9c09b237390ab3bb92a1ca2a0005a63ccd0e824f",
	N(hw_type, 0xfa8f), N(proto_type, 0xdefe), N(hw_len, 0x0f), N(proto_len, 0x34),
	N(op, 0x9d0b), N(sender_mac, 0x9c09b237390a), N(sender_ip, 0xb3bb92a1),
	N(target_mac, 0xca2a0005a63c), N(target_ip, 0xcd0e824f))

/* RFC 792 */
VECTOR(icmp,
	"0f34f55ad4d01f98",
	N(type, 0x0f), N(code, 0x34), N(checksum, 0xf55a), N(rest, 0xd4d01f98))

/* RFC 4443, 2.1 */
VECTOR(icmpv6,
	"0f34ab4c9d91a182",
	N(type, 0x0f), N(code, 0x34), N(checksum, 0xab4c), N(rest, 0x9d91a182))

/* RFC 4861, 4.3 and 4.4 */
VECTOR(icmpv6_nd,
	"0f34f34ab14faf73355d2719b3fbc955ebcba5f9bbc979e7",
	N(type, 0x0f), N(code, 0x34), N(checksum, 0xf34a), N(router, 1), N(solicited, 0),
	N(override, 1), N(rsvd4, 0x114faf73), B(target, "355d2719b3fbc955ebcba5f9bbc979e7"))
VECTOR(icmpv6_nd,
	"1a3ffbb57ef3c9865153670909e743a105f9d59b257701ff",
	N(type, 0x1a), N(code, 0x3f), N(checksum, 0xfbb5), N(router, 0), N(solicited, 1),
	N(override, 1), N(rsvd4, 0x1ef3c986), B(target, "5153670909e743a105f9d59b257701ff"))

/* RFC 7348, 5: R R R R I R R R */
VECTOR(vxlan,
	"19e54d4ec280d90f",
	N(rsvd0, 1), N(valid, 1), N(rsvd0b, 1), N(rsvd1, 0xe54d4e), N(vni, 0xc280d9),
	N(rsvd7, 0x0f))

/* RFC 1701: C R K S, res9, version */
VECTOR(gre,
	"aaa9d1c2",
	N(has_checksum, 1), N(has_routing, 0), N(has_key, 1), N(has_seq, 0), N(rsvd0, 0x155),
	N(version, 1), N(protocol, 0xd1c2))
VECTOR(gre,
	"6988c5bf",
	N(has_checksum, 0), N(has_routing, 1), N(has_key, 1), N(has_seq, 0), N(rsvd0, 0x131),
	N(version, 0), N(protocol, 0xc5bf))
VECTOR(gre,
	"1b50c07f",
	N(has_checksum, 0), N(has_routing, 0), N(has_key, 0), N(has_seq, 1), N(rsvd0, 0x16a),
	N(version, 0), N(protocol, 0xc07f))

/* RFC 2784, 2.5 */
VECTOR(gre_checksum,
	"cea4f446",
	N(value, 0xcea4), N(rsvd2, 0xf446))

/* RFC 2890 */
VECTOR(gre_key,
	"af7b2104",
	N(value, 0xaf7b2104))

/* RFC 2890 */
VECTOR(gre_seq,
	"c4d27d5e",
	N(value, 0xc4d27d5e))

/* draft-foschiano-erspan-03, 4.2 */
VECTOR(erspan2,
	"124a2c66331d30c2",
	N(version, 1), N(vlan, 0x24a), N(cos, 1), N(en, 1), N(truncated, 1), N(session, 0x066),
	N(rsvd4, 0x331), N(index, 0xd30c2))

/* draft-foschiano-erspan-03, 4.3 */
VECTOR(erspan3,
	"11e32effaf22fa89bc96717c",
	N(version, 1), N(vlan, 0x1e3), N(cos, 1), N(bso, 1), N(truncated, 1), N(session, 0x2ff),
	N(timestamp, 0xaf22fa89), N(sgt, 0xbc96), N(p, 0), N(frame_type, 0x1c), N(hw_id, 0x17),
	N(egress, 1), N(granularity, 2), N(optional, 0))
VECTOR(erspan3,
	"0c690368ba93945ca565a228",
	N(version, 0), N(vlan, 0xc69), N(cos, 0), N(bso, 0), N(truncated, 0), N(session, 0x368),
	N(timestamp, 0xba93945c), N(sgt, 0xa565), N(p, 1), N(frame_type, 0x08), N(hw_id, 0x22),
	N(egress, 1), N(granularity, 0), N(optional, 0))
VECTOR(erspan3,
	"0e4e00d3d97b31acfe5b4ed1",
	N(version, 0), N(vlan, 0xe4e), N(cos, 0), N(bso, 0), N(truncated, 0), N(session, 0x0d3),
	N(timestamp, 0xd97b31ac), N(sgt, 0xfe5b), N(p, 0), N(frame_type, 0x13), N(hw_id, 0x2d),
	N(egress, 0), N(granularity, 0), N(optional, 1))

/* 7.7 */
VECTOR(lrh,
	"1236ce90e595e661",
	N(vl, 1), N(lver, 2), N(sl, 3), N(rsvd1, 1), N(lnh, 2), N(dlid, 0xce90), N(rsvd4, 0x1c),
	N(pktlen, 0x595), N(slid, 0xe661))

/* 8.3 */
VECTOR(grh,
	"10fbc285ca5e3459b10bed7177d9bb553fa1b3631b61c7ff0d234557eb792363"
	"4d19d3b1db73a551",
	N(ipver, 1), N(tclass, 0x0f), N(flow_label, 0xbc285), N(paylen, 0xca5e),
	N(nxthdr, 0x34), N(hoplmt, 0x59), B(sgid, "b10bed7177d9bb553fa1b3631b61c7ff"),
	B(dgid, "0d234557eb7923634d19d3b1db73a551"))

/* 5.3 */
VECTOR(rwh,
	"b6c79509",
	N(rsvd0, 0xb6c7), N(type, 0x9509))
