/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* IBTA Vol 1 chapter 15: SA header and records; 13.4.8.1: ClassPortInfo. See test_vectors.c. */

/* 15.2.1.1 */
VECTOR(sa,
	"974be547500504b2f614ab59a7e591e85a840907",
	N(sm_key, 0x974be547500504b2), N(attr_offset, 0xf614), N(rsvd10, 0xab59),
	N(comp_mask, 0xa7e591e85a840907))

/* 15.2.5.16 */
VECTOR(pathrec,
	"93b411557b1e1b59171d9d9341fd2bb349abbd0121bb470f1d3d9d69a1953fb9"
	"697f37758399c965808a99559f3c9c0f3472ea06533157bce259d66a74b438fd",
	N(service_id, 0x93b411557b1e1b59), B(dgid, "171d9d9341fd2bb349abbd0121bb470f"),
	B(sgid, "1d3d9d69a1953fb9697f37758399c965"), N(dlid, 0x808a), N(slid, 0x9955),
	N(raw_traffic, 1), N(rsvd44, 1), N(flow_label, 0xf3c9c), N(hop_limit, 0x0f),
	N(traffic_class, 0x34), N(reversible, 0), N(numb_path, 0x72), N(pkey, 0xea06),
	N(qos_class, 0x533), N(sl, 1), N(mtu_sel, 1), N(mtu, 0x17), N(rate_sel, 2),
	N(rate, 0x3c), N(life_sel, 3), N(life, 0x22), N(preference, 0x59),
	N(rsvd58, 0xd66a74b438fd))
VECTOR(pathrec,
	"8d5497b6e7e3148f01f5a5597d99b90521ad6973f94b412dd71dbb3b01c7696f"
	"6db505a5f13d5573a372be9e0d79af1a3ffdbb42d30022082d64b6249a7c3966",
	N(service_id, 0x8d5497b6e7e3148f), B(dgid, "01f5a5597d99b90521ad6973f94b412d"),
	B(sgid, "d71dbb3b01c7696f6db505a5f13d5573"), N(dlid, 0xa372), N(slid, 0xbe9e),
	N(raw_traffic, 0), N(rsvd44, 0), N(flow_label, 0xd79af), N(hop_limit, 0x1a),
	N(traffic_class, 0x3f), N(reversible, 1), N(numb_path, 0x7d), N(pkey, 0xbb42),
	N(qos_class, 0xd30), N(sl, 0), N(mtu_sel, 0), N(mtu, 0x22), N(rate_sel, 0),
	N(rate, 0x08), N(life_sel, 0), N(life, 0x2d), N(preference, 0x64),
	N(rsvd58, 0xb6249a7c3966))

/* 15.2.5.17 */
VECTOR(mcmember,
	"b3a9e5597d1d1fa1491d1767119789e5c101e50f11ad696db3899ff735b9dd25"
	"e2fd7570c215570ff7b9bce21f48273423c31792",
	B(mgid, "b3a9e5597d1d1fa1491d1767119789e5"),
	B(port_gid, "c101e50f11ad696db3899ff735b9dd25"), N(qkey, 0xe2fd7570), N(mlid, 0xc215),
	N(mtu_sel, 1), N(mtu, 0x17), N(traffic_class, 0x0f), N(pkey, 0xf7b9), N(rate_sel, 2),
	N(rate, 0x3c), N(life_sel, 3), N(life, 0x22), N(sl, 1), N(flow_label, 0xf4827),
	N(hop_limit, 0x34), N(scope, 2), N(join_state, 3), N(proxy_join, 1), N(rsvd49, 0x431792))

/* 15.2.5.14 */
VECTOR(servicerec,
	"b98511e79e1e6b06399f6fb39f910117e9afc1138f817d29d4a6beef9ddbcc9a"
	"e9492f1d7d41f583132dbf2dc1a91b55917f0161e9b5fb9b23f5df7f3fc5b9bf"
	"79a14fbb411341b797cf05e3478f0d15a7357fd7e75573fd13415f6d7189bd81"
	"ad27a76183335f1fdb93b309bf7ff5f51b7ded6bc1b51f0d9b2bbff3ab396d4b"
	"dd77b5bfb1bd73d79b1f81c991d3851b6b878fffad85d573bd67d98f1bcfa58f"
	"313f6dd1b70defe3c91d5103e7f75947",
	N(service_id, 0xb98511e79e1e6b06), B(service_gid, "399f6fb39f910117e9afc1138f817d29"),
	N(pkey, 0xd4a6), N(rsvd26, 0xbeef), N(lease, 0x9ddbcc9a),
	B(service_key, "e9492f1d7d41f583132dbf2dc1a91b55"),
	B(name, 
	  "917f0161e9b5fb9b23f5df7f3fc5b9bf79a14fbb411341b797cf05e3478f0d15"
	  "a7357fd7e75573fd13415f6d7189bd81ad27a76183335f1fdb93b309bf7ff5f5"),
	B(data8, "1b7ded6bc1b51f0d9b2bbff3ab396d4b"),
	B(data16, "dd77b5bfb1bd73d79b1f81c991d3851b"),
	B(data32, "6b878fffad85d573bd67d98f1bcfa58f"),
	B(data64, "313f6dd1b70defe3c91d5103e7f75947"))

/* 13.4.8.1 */
VECTOR(cpi,
	"0f34c6faf4cfee1c3fff9501e7eba39f93cf81c1f5fb4f69591bf108891ef915"
	"7ed47c489ae99a5be521432d7987ab973db57d1b5f8dd119a32e93cadebb8fe0"
	"c8892112cd602031",
	N(base_version, 0x0f), N(class_version, 0x34), N(cap_mask, 0xc6fa),
	N(cap_mask2, 0x7a67f70), N(resp_time, 0x1c),
	B(redirect_gid, "3fff9501e7eba39f93cf81c1f5fb4f69"), N(redirect_traffic_class, 0x59),
	N(redirect_sl, 1), N(redirect_flow_label, 0xbf108), N(redirect_lid, 0x891e),
	N(redirect_pkey, 0xf915), N(rsvd32, 0x7e), N(redirect_qpn, 0xd47c48),
	N(redirect_qkey, 0x9ae99a5b), B(trap_gid, "e521432d7987ab973db57d1b5f8dd119"),
	N(trap_traffic_class, 0xa3), N(trap_sl, 2), N(trap_flow_label, 0xe93ca),
	N(trap_lid, 0xdebb), N(trap_pkey, 0x8fe0), N(trap_hop_limit, 0xc8),
	N(trap_qpn, 0x892112), N(trap_qkey, 0xcd602031))
