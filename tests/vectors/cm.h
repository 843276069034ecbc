/* SPDX-License-Identifier: BSD-2-Clause */
/* clang-format off */
/* IBTA Vol 1 chapter 12: communication management messages, without their MAD header. See test_vectors.c. */

/* 12.6.5, table 106 */
VECTOR(req,
	"a7c03b7e0fde1c95e3214444d913f27bd38e58fc3cac2b5fe10e29bff8cbe276"
	"d48e633483547059c85946e3d508c6198232122bc14ec2539b9d3fb7235f7b5b"
	"b5ad8747db255bdbb5830f6f63cffb2f8bf3bfe1cb216f99cb9ac5fc7ea3344d"
	"bae48a188de5333f11559bfbe3432f654de1432bddd593cd57dff177a5fb29c9"
	"01db4fc3cf812888c8ed4e7ac3b76f59911547757b3b83572d874787c3858379"
	"1309279b0b5d5b233969635bcb1789c15b8d6b014db103a9dbc77fb5399715a5"
	"db1f93fbb71b5501a1a18f3977df6f9931778bf56db97753dfe7d56159614bfd"
	"53158525ed2b6993",
	N(local_comm_id, 0xa7c03b7e), N(rsvd4, 0x0f), N(vendor_id, 0xde1c95),
	N(service_id, 0xe3214444d913f27b), N(local_ca_guid, 0xd38e58fc3cac2b5f),
	N(rsvd24, 0xe10e29bf), N(local_qkey, 0xf8cbe276), N(local_qpn, 0xd48e63),
	N(responder_resources, 0x34), N(local_eecn, 0x835470), N(initiator_depth, 0x59),
	N(remote_eecn, 0xc85946), N(remote_cm_resp_timeout, 0x1c), N(transport_service, 1),
	N(flow_control, 1), N(starting_psn, 0xd508c6), N(local_cm_resp_timeout, 0x03),
	N(retry_count, 1), N(pkey, 0x8232), N(path_mtu, 1), N(rdc_exists, 0),
	N(rnr_retry_count, 2), N(max_cm_retries, 2), N(srq, 1), N(ext_transport, 3),
	N(primary_local_lid, 0xc14e), N(primary_remote_lid, 0xc253),
	B(primary_local_gid, "9b9d3fb7235f7b5bb5ad8747db255bdb"),
	B(primary_remote_gid, "b5830f6f63cffb2f8bf3bfe1cb216f99"),
	N(primary_flow_label, 0xcb9ac), N(rsvd90, 0x17), N(primary_packet_rate, 0x3c),
	N(primary_traffic_class, 0x7e), N(primary_hop_limit, 0xa3), N(primary_sl, 3),
	N(primary_subnet_local, 0), N(rsvd94, 4), N(primary_ack_timeout, 0x09), N(rsvd95, 5),
	N(alt_local_lid, 0xbae4), N(alt_remote_lid, 0x8a18),
	B(alt_local_gid, "8de5333f11559bfbe3432f654de1432b"),
	B(alt_remote_gid, "ddd593cd57dff177a5fb29c901db4fc3"), N(alt_flow_label, 0xcf812),
	N(rsvd134, 0x22), N(alt_packet_rate, 0x08), N(alt_traffic_class, 0xc8),
	N(alt_hop_limit, 0xed), N(alt_sl, 4), N(alt_subnet_local, 1), N(rsvd138, 6),
	N(alt_ack_timeout, 0x0f), N(sap_supported, 0), N(rsvd139, 2),
	B(private_data, 
	  "c3b76f59911547757b3b83572d874787c38583791309279b0b5d5b233969635b"
	  "cb1789c15b8d6b014db103a9dbc77fb5399715a5db1f93fbb71b5501a1a18f39"
	  "77df6f9931778bf56db97753dfe7d56159614bfd53158525ed2b6993"))
VECTOR(req,
	"abd70e731af4f97fc689b6f3673e3cf4d49841f2d0ae3d24e4713316fce882d3"
	"f3f6b53ff1f033648a739c40c921dc70b64708089519c4884d7b35efeb9709b3"
	"bf01375135a7ebe705bd5915fd935d4ff3bf0367556f259bd3b4c88889ae00a0"
	"fc12fb122d19b7c3872bdbbf8b69cfe179158d19318d2fad3f61a7d76fd5b999"
	"c70fb3f7a0190b53d3f800d4abe1172bfb29eda713831dab69eb194fc153557f"
	"a7415b6d437d8f413333a1a9c9af65ff19f1a98b4d517badc5714fa53f63f7c1"
	"23fbff75a755975d47479fc911db51cfb5cb81052915a5b945a19d5587371517"
	"91d36b8343c5f727",
	N(local_comm_id, 0xabd70e73), N(rsvd4, 0x1a), N(vendor_id, 0xf4f97f),
	N(service_id, 0xc689b6f3673e3cf4), N(local_ca_guid, 0xd49841f2d0ae3d24),
	N(rsvd24, 0xe4713316), N(local_qkey, 0xfce882d3), N(local_qpn, 0xf3f6b5),
	N(responder_resources, 0x3f), N(local_eecn, 0xf1f033), N(initiator_depth, 0x64),
	N(remote_eecn, 0x8a739c), N(remote_cm_resp_timeout, 0x08), N(transport_service, 0),
	N(flow_control, 0), N(starting_psn, 0xc921dc), N(local_cm_resp_timeout, 0x0e),
	N(retry_count, 0), N(pkey, 0xb647), N(path_mtu, 0), N(rdc_exists, 1),
	N(rnr_retry_count, 0), N(max_cm_retries, 0), N(srq, 1), N(ext_transport, 0),
	N(primary_local_lid, 0x9519), N(primary_remote_lid, 0xc488),
	B(primary_local_gid, "4d7b35efeb9709b3bf01375135a7ebe7"),
	B(primary_remote_gid, "05bd5915fd935d4ff3bf0367556f259b"),
	N(primary_flow_label, 0xd3b4c), N(rsvd90, 0x22), N(primary_packet_rate, 0x08),
	N(primary_traffic_class, 0x89), N(primary_hop_limit, 0xae), N(primary_sl, 0),
	N(primary_subnet_local, 0), N(rsvd94, 0), N(primary_ack_timeout, 0x14), N(rsvd95, 0),
	N(alt_local_lid, 0xfc12), N(alt_remote_lid, 0xfb12),
	B(alt_local_gid, "2d19b7c3872bdbbf8b69cfe179158d19"),
	B(alt_remote_gid, "318d2fad3f61a7d76fd5b999c70fb3f7"), N(alt_flow_label, 0xa0190),
	N(rsvd134, 0x2d), N(alt_packet_rate, 0x13), N(alt_traffic_class, 0xd3),
	N(alt_hop_limit, 0xf8), N(alt_sl, 0), N(alt_subnet_local, 0), N(rsvd138, 0),
	N(alt_ack_timeout, 0x1a), N(sap_supported, 1), N(rsvd139, 0),
	B(private_data, 
	  "abe1172bfb29eda713831dab69eb194fc153557fa7415b6d437d8f413333a1a9"
	  "c9af65ff19f1a98b4d517badc5714fa53f63f7c123fbff75a755975d47479fc9"
	  "11db51cfb5cb81052915a5b945a19d558737151791d36b8343c5f727"))
VECTOR(req,
	"8d955c3e25d888eae1d6d8a767f3fa6b81334b5d654cd01ffea65653f3336eab"
	"f012434ac7a06b6f91498898a2f9d8c8e9370000f430bd6f55b741bf5fb94fbb"
	"99e15f212b5189a1f149c75d630b89013d935119ab8f61a1f7c8db5394b908f8"
	"f1fd9fe36d99053529b39597cd253bb1cb5f61d1ffa96733bb9953c5b5b1a971"
	"23e187b7ad4d2e1ede04083453c9219573e15def4777eb038909f5f7154583b7"
	"3d9f15b117e3d9713b7765395d31859f0f1d4dc141ddede7e181fffb6f0151f5"
	"2d79593929d93d4947732357735d910f23c7810d796789a5edf50f75afdb4bcf"
	"f96707b3f9819fc1",
	N(local_comm_id, 0x8d955c3e), N(rsvd4, 0x25), N(vendor_id, 0xd888ea),
	N(service_id, 0xe1d6d8a767f3fa6b), N(local_ca_guid, 0x81334b5d654cd01f),
	N(rsvd24, 0xfea65653), N(local_qkey, 0xf3336eab), N(local_qpn, 0xf01243),
	N(responder_resources, 0x4a), N(local_eecn, 0xc7a06b), N(initiator_depth, 0x6f),
	N(remote_eecn, 0x914988), N(remote_cm_resp_timeout, 0x13), N(transport_service, 0),
	N(flow_control, 0), N(starting_psn, 0xa2f9d8), N(local_cm_resp_timeout, 0x19),
	N(retry_count, 0), N(pkey, 0xe937), N(path_mtu, 0), N(rdc_exists, 0),
	N(rnr_retry_count, 0), N(max_cm_retries, 0), N(srq, 0), N(ext_transport, 0),
	N(primary_local_lid, 0xf430), N(primary_remote_lid, 0xbd6f),
	B(primary_local_gid, "55b741bf5fb94fbb99e15f212b5189a1"),
	B(primary_remote_gid, "f149c75d630b89013d935119ab8f61a1"),
	N(primary_flow_label, 0xf7c8d), N(rsvd90, 0x2d), N(primary_packet_rate, 0x13),
	N(primary_traffic_class, 0x94), N(primary_hop_limit, 0xb9), N(primary_sl, 0),
	N(primary_subnet_local, 1), N(rsvd94, 0), N(primary_ack_timeout, 0x1f), N(rsvd95, 0),
	N(alt_local_lid, 0xf1fd), N(alt_remote_lid, 0x9fe3),
	B(alt_local_gid, "6d99053529b39597cd253bb1cb5f61d1"),
	B(alt_remote_gid, "ffa96733bb9953c5b5b1a97123e187b7"), N(alt_flow_label, 0xad4d2),
	N(rsvd134, 0x38), N(alt_packet_rate, 0x1e), N(alt_traffic_class, 0xde),
	N(alt_hop_limit, 0x04), N(alt_sl, 0), N(alt_subnet_local, 1), N(rsvd138, 0),
	N(alt_ack_timeout, 0x06), N(sap_supported, 1), N(rsvd139, 0),
	B(private_data, 
	  "53c9219573e15def4777eb038909f5f7154583b73d9f15b117e3d9713b776539"
	  "5d31859f0f1d4dc141ddede7e181fffb6f0151f52d79593929d93d4947732357"
	  "735d910f23c7810d796789a5edf50f75afdb4bcff96707b3f9819fc1"))

/* 12.6.6, table 107 */
VECTOR(mra,
	"fca05149b3b4916757e18deded61d5cf1371cbc7f36189cd91a7df473389d183"
	"eb9929c1d34d315f03891381711fa7e3fbcda1a9590f7d7f432f1d810f9f7975"
	"d90901eb97f979e5e3b50f0f91e3c5e90905e5cbf16d374dc983d54b2d535505"
	"27cf3b798bed77fbd397894d9bfddf19095fa5d3b343db65af9b93e3d531b101"
	"c5cd61e3130981c3dd1bb13311b195afa5c3e12109cffb372329bfd16d87eb93"
	"319f3df3ddbd25f9178d37b7c90dddf9c75303b585a33b77e5ab97ab292d8303"
	"a51b7539df2d51ed9d4d994baf5b311797155b3fc3295b737be7ed75f1b1358f"
	"c36bd7e707cb93fd",
	N(local_comm_id, 0xfca05149), N(remote_comm_id, 0xb3b49167), N(msg_mraed, 1),
	N(rsvd8, 0x17), N(service_timeout, 0x1c), N(rsvd9, 1),
	B(private_data, 
	  "8deded61d5cf1371cbc7f36189cd91a7df473389d183eb9929c1d34d315f0389"
	  "1381711fa7e3fbcda1a9590f7d7f432f1d810f9f7975d90901eb97f979e5e3b5"
	  "0f0f91e3c5e90905e5cbf16d374dc983d54b2d53550527cf3b798bed77fbd397"
	  "894d9bfddf19095fa5d3b343db65af9b93e3d531b101c5cd61e3130981c3dd1b"
	  "b13311b195afa5c3e12109cffb372329bfd16d87eb93319f3df3ddbd25f9178d"
	  "37b7c90dddf9c75303b585a33b77e5ab97ab292d8303a51b7539df2d51ed9d4d"
	  "994baf5b311797155b3fc3295b737be7ed75f1b1358fc36bd7e707cb93fd"))

/* 12.6.7, table 108 */
VECTOR(rej,
	"ca959eeec0f47eaa57e5ad1f2bbb955511096bc9ef6f0b7bd1f3cbcd8bf9d1f5"
	"299dd1d5716d19b1cdaf7dd5971da5e32133f10969afe3f175f70d21b15d2123"
	"7ba57fd12f6931af3d7b8775b557d75d1d6d43df193dc9052fd3c9e7616be33b"
	"5f69379317e3b7f9637b6703bf519d31b5b1cb0b8db77d2dcb2bebfd3feb65c5"
	"5f1d8541d78135f7ebf3196b0f23fb55db0fedcf3b198dab8db56ffbd183f101"
	"77a7915bfd5b1dfbe1ef9f51eb6fedc1a9a99ff3691f63ef75d1279943fd210b"
	"ff2167cbcf5da581d5d50d3fe7ad95df6fb531f701c131afa361f191a3e5c1b7"
	"7b8febafffdf654d",
	N(local_comm_id, 0xca959eee), N(remote_comm_id, 0xc0f47eaa), N(msg_rejected, 1),
	N(rsvd8, 0x17), N(info_length, 0x72), N(rsvd9, 1), N(reason, 0xad1f),
	B(ari, 
	  "2bbb955511096bc9ef6f0b7bd1f3cbcd8bf9d1f5299dd1d5716d19b1cdaf7dd5"
	  "971da5e32133f10969afe3f175f70d21b15d21237ba57fd12f6931af3d7b8775"
	  "b557d75d1d6d43df"),
	B(private_data, 
	  "193dc9052fd3c9e7616be33b5f69379317e3b7f9637b6703bf519d31b5b1cb0b"
	  "8db77d2dcb2bebfd3feb65c55f1d8541d78135f7ebf3196b0f23fb55db0fedcf"
	  "3b198dab8db56ffbd183f10177a7915bfd5b1dfbe1ef9f51eb6fedc1a9a99ff3"
	  "691f63ef75d1279943fd210bff2167cbcf5da581d5d50d3fe7ad95df6fb531f7"
	  "01c131afa361f191a3e5c1b77b8febafffdf654d"))

/* 12.6.8, table 110 */
VECTOR(rep,
	"bc8c29929586338593e76eb6c3ceb00fb8e5a334dce344597ea3e321e4b9c30f"
	"2a68f125f19b85e91fd7a15f53fb5d5b79c92f9369dd93f94f4dbdd937e76b8f"
	"33e7d953510b872ffb97a9e1a1e915e58ff5b14d379f1b6777bfd7d7ebf7e7c9"
	"fbbdc72dab7bbb17d37b813b0f0fa72f398317c38d43310fe35f95cf1b29ef57"
	"bf3f054ba1690be96b67512bf70b033febab1f33f5bf23b71921031b6b2945a9"
	"4f19ef676b95f9f9a30d6bc773a1d7677df7db65b531ed8d619dabf3191b2d3b"
	"871b55438103cd0783bd4d698707d77ba94fb9db633bbb3b071f653f63255f3b"
	"9fb9ff27055579c9",
	N(local_comm_id, 0xbc8c2992), N(remote_comm_id, 0x95863385), N(local_qkey, 0x93e76eb6),
	N(local_qpn, 0xc3ceb0), N(vendor_id_h, 0x0f), N(local_eecn, 0xb8e5a3),
	N(vendor_id_m, 0x34), N(starting_psn, 0xdce344), N(vendor_id_l, 0x59),
	N(responder_resources, 0x7e), N(initiator_depth, 0xa3), N(target_ack_delay, 0x1c),
	N(failover_accepted, 1), N(flow_control, 1), N(rnr_retry_count, 1), N(srq, 0),
	N(rsvd27, 1), N(local_ca_guid, 0xe4b9c30f2a68f125),
	B(private_data, 
	  "f19b85e91fd7a15f53fb5d5b79c92f9369dd93f94f4dbdd937e76b8f33e7d953"
	  "510b872ffb97a9e1a1e915e58ff5b14d379f1b6777bfd7d7ebf7e7c9fbbdc72d"
	  "ab7bbb17d37b813b0f0fa72f398317c38d43310fe35f95cf1b29ef57bf3f054b"
	  "a1690be96b67512bf70b033febab1f33f5bf23b71921031b6b2945a94f19ef67"
	  "6b95f9f9a30d6bc773a1d7677df7db65b531ed8d619dabf3191b2d3b871b5543"
	  "8103cd0783bd4d698707d77ba94fb9db633bbb3b071f653f63255f3b9fb9ff27"
	  "055579c9"))
VECTOR(rep,
	"8cb7f952dbc11579b2a6a979b2b5401ace3dcf3fb9316b6489ae4010894d12c8"
	"e9837fc265e1c597c31317278143751b8d1f193bbbe5bf3beba9b737e941135f"
	"2745534b433f5ba7c7b10b51af63777f2d5939558ff3eba75329fd6de33957d5"
	"93477f9775d15dd3edadc30d3bd9cbdf9d831f771743e37dfbb7e175cf7927cf"
	"f9db296fb95125b78531b7dbadc3efeb01891dfb7fad31d9f1fb31593b7d7b0d"
	"218b71fd4bd75fddd1b39595b76df7053917cbf97b9799dd2d9f4f37114d1137"
	"8db795334fdf87d339a3a717936b9d917b5717efad876351491d47c9774347b7"
	"23e54f4deb673d47",
	N(local_comm_id, 0x8cb7f952), N(remote_comm_id, 0xdbc11579), N(local_qkey, 0xb2a6a979),
	N(local_qpn, 0xb2b540), N(vendor_id_h, 0x1a), N(local_eecn, 0xce3dcf),
	N(vendor_id_m, 0x3f), N(starting_psn, 0xb9316b), N(vendor_id_l, 0x64),
	N(responder_resources, 0x89), N(initiator_depth, 0xae), N(target_ack_delay, 0x08),
	N(failover_accepted, 0), N(flow_control, 0), N(rnr_retry_count, 0), N(srq, 1),
	N(rsvd27, 0), N(local_ca_guid, 0x894d12c8e9837fc2),
	B(private_data, 
	  "65e1c597c31317278143751b8d1f193bbbe5bf3beba9b737e941135f2745534b"
	  "433f5ba7c7b10b51af63777f2d5939558ff3eba75329fd6de33957d593477f97"
	  "75d15dd3edadc30d3bd9cbdf9d831f771743e37dfbb7e175cf7927cff9db296f"
	  "b95125b78531b7dbadc3efeb01891dfb7fad31d9f1fb31593b7d7b0d218b71fd"
	  "4bd75fddd1b39595b76df7053917cbf97b9799dd2d9f4f37114d11378db79533"
	  "4fdf87d339a3a717936b9d917b5717efad876351491d47c9774347b723e54f4d"
	  "eb673d47"))

/* 12.6.9, table 111 */
VECTOR(rtu,
	"b7d102f1e031c4c30fb30bbd8fcb151b11af4937d5fb91e1e5791911297b45f9"
	"f57d75a7f9fd3125251ff757dfff15c33d5b4bb13381513dbd31ed8549ff81e3"
	"e1e1f5aba73df137c989f7fb11514b6f7ff7575f8b0709abc9b7cb836fb9e77d"
	"c7ffc9adfd634be7c9f1cd0d5f4fa5e9bd53b3914b0923871313ab21cd97f513"
	"3f6de137f5df7d3d4d0157a7314b5b7f0905bdf95b854fff7dafbd998175bd5f"
	"5f85f14f152395dfa5d7170d7d65c7c7cfcd27e58957d16bf7dd5d675bc53b8b"
	"27497bf947b1f57f612bd901eb1f4721a5c53f9507d9332b1d4579833bd1790d"
	"e3773f8b8ba18de5",
	N(local_comm_id, 0xb7d102f1), N(remote_comm_id, 0xe031c4c3),
	B(private_data, 
	  "0fb30bbd8fcb151b11af4937d5fb91e1e5791911297b45f9f57d75a7f9fd3125"
	  "251ff757dfff15c33d5b4bb13381513dbd31ed8549ff81e3e1e1f5aba73df137"
	  "c989f7fb11514b6f7ff7575f8b0709abc9b7cb836fb9e77dc7ffc9adfd634be7"
	  "c9f1cd0d5f4fa5e9bd53b3914b0923871313ab21cd97f5133f6de137f5df7d3d"
	  "4d0157a7314b5b7f0905bdf95b854fff7dafbd998175bd5f5f85f14f152395df"
	  "a5d7170d7d65c7c7cfcd27e58957d16bf7dd5d675bc53b8b27497bf947b1f57f"
	  "612bd901eb1f4721a5c53f9507d9332b1d4579833bd1790de3773f8b8ba18de5"))

/* 12.6.10, table 112 */
VECTOR(dreq,
	"b5409ea789b988fddd56410f4bed439145a1ef9347e3ff51f985df33e36559db"
	"eb67ff51597fc73d5f5be7cf5f5fbff51b7955dbc77151a999b3ade3f96555b9"
	"6f37b381b16b533949ad79034dc70d797353ef739b1bcdb9b1d33993d97f858f"
	"3f87eb31ff91572591b1cb2f5543c5ff5bcd5b4dd353170dc1a7757b05b953f3"
	"e5111b27e70707391b8b1b8dd97bdf8d933b5b114585253d296d87b357c737b9"
	"f3e7755121dd33cf77a56d6553e983f1f76d7337f5131bd97d656f21c5add7f7"
	"0d91ad37d5d55de1a5477bfb3573539fb3c59fb58dd7db918b5571abf3ed9f69"
	"11e3e18f6bf5ff5b",
	N(local_comm_id, 0xb5409ea7), N(remote_comm_id, 0x89b988fd), N(remote_qpn, 0xdd5641),
	N(rsvd11, 0x0f),
	B(private_data, 
	  "4bed439145a1ef9347e3ff51f985df33e36559dbeb67ff51597fc73d5f5be7cf"
	  "5f5fbff51b7955dbc77151a999b3ade3f96555b96f37b381b16b533949ad7903"
	  "4dc70d797353ef739b1bcdb9b1d33993d97f858f3f87eb31ff91572591b1cb2f"
	  "5543c5ff5bcd5b4dd353170dc1a7757b05b953f3e5111b27e70707391b8b1b8d"
	  "d97bdf8d933b5b114585253d296d87b357c737b9f3e7755121dd33cf77a56d65"
	  "53e983f1f76d7337f5131bd97d656f21c5add7f70d91ad37d5d55de1a5477bfb"
	  "3573539fb3c59fb58dd7db918b5571abf3ed9f6911e3e18f6bf5ff5b"))

/* 12.6.11, table 113 */
VECTOR(drep,
	"db9d8355e7b45f966d43a7b7f35dd39dff4b733f2d7b7f0d75fff703dba547a1"
	"052fa7bbafef0967eb1b9f075db3a7973dcb132531055d3f8d7393fd83f9cd83"
	"59650bd3a5e5a3e1c97ded83e5614dd5e99d3faf596d0d0f65719f51bdbd8fd5"
	"851d5fa9374f4d1d13e35f85330bf7a7ed232b3f2de15f9303cb71090d6de5fd"
	"7371a90f2b7bafbf896b6165010ff7ffa1635d5f0b399f45c187fd8ff19de9d1"
	"d101c3c1ad1b630f530547c5fb7d7f315f095bad5d4739e9c9b3918f354d9fd9"
	"758d096519971bfb5b3fc787a38d9b5f571f216b5931bfcb3f99b737cddff5db"
	"aba12753a74b31f1",
	N(local_comm_id, 0xdb9d8355), N(remote_comm_id, 0xe7b45f96),
	B(private_data, 
	  "6d43a7b7f35dd39dff4b733f2d7b7f0d75fff703dba547a1052fa7bbafef0967"
	  "eb1b9f075db3a7973dcb132531055d3f8d7393fd83f9cd8359650bd3a5e5a3e1"
	  "c97ded83e5614dd5e99d3faf596d0d0f65719f51bdbd8fd5851d5fa9374f4d1d"
	  "13e35f85330bf7a7ed232b3f2de15f9303cb71090d6de5fd7371a90f2b7bafbf"
	  "896b6165010ff7ffa1635d5f0b399f45c187fd8ff19de9d1d101c3c1ad1b630f"
	  "530547c5fb7d7f315f095bad5d4739e9c9b3918f354d9fd9758d096519971bfb"
	  "5b3fc787a38d9b5f571f216b5931bfcb3f99b737cddff5dbaba12753a74b31f1"))

/* 12.8.1, table 115 */
VECTOR(lap,
	"83c897cd835db971d2855bb5a900e0e1c014687e850fd21cedbbad27dd29d185"
	"ffa77b272f8f7b91476795a7394dbbff69655795c53943bd8cdbe10f34572a1b"
	"152199816547e33b29d91567f9f1c3d737d16719815f01ef0909c127db8b6753"
	"b70fff99dbb38f39d1eb61d765c9d3b941fdbf5d838fc98b3169b711b75ba359"
	"7985c53bc1cba7470599851515e121af6d9f0991db6d07815b4331e3014bdfdb"
	"393dab3149d723a9c719e5a7f7076fcfcf1d4371213b99d7c93f53f95723c5b5"
	"2ba5a95d9fcbc117074bf93bc703d1f1cb49395dafabf36fc99b39af8be121a7"
	"2f5f45a70f0f3741",
	N(local_comm_id, 0x83c897cd), N(remote_comm_id, 0x835db971), N(rsvd8, 0xd2855bb5),
	N(remote_qpn, 0xa900e0), N(remote_cm_resp_timeout, 0x1c), N(rsvd15, 1),
	N(rsvd16, 0xc014687e), N(alt_local_lid, 0x850f), N(alt_remote_lid, 0xd21c),
	B(alt_local_gid, "edbbad27dd29d185ffa77b272f8f7b91"),
	B(alt_remote_gid, "476795a7394dbbff69655795c53943bd"), N(alt_flow_label, 0x8cdbe),
	N(rsvd58, 1), N(alt_traffic_class, 0x0f), N(alt_hop_limit, 0x34), N(rsvd61, 1),
	N(alt_packet_rate, 0x17), N(alt_sl, 2), N(alt_subnet_local, 1), N(rsvd62, 2),
	N(alt_ack_timeout, 0x03), N(rsvd63, 3),
	B(private_data, 
	  "152199816547e33b29d91567f9f1c3d737d16719815f01ef0909c127db8b6753"
	  "b70fff99dbb38f39d1eb61d765c9d3b941fdbf5d838fc98b3169b711b75ba359"
	  "7985c53bc1cba7470599851515e121af6d9f0991db6d07815b4331e3014bdfdb"
	  "393dab3149d723a9c719e5a7f7076fcfcf1d4371213b99d7c93f53f95723c5b5"
	  "2ba5a95d9fcbc117074bf93bc703d1f1cb49395dafabf36fc99b39af8be121a7"
	  "2f5f45a70f0f3741"))

/* 12.8.2, table 116 */
VECTOR(apr,
	"f769e8d196871cb30f34ed5797b58f0fd15bfdb3fd67d3c15fa92f23979fed0f"
	"c579dfb10571255113dbb31771fb616ba9619df901fd65ed132dd9674997b5c9"
	"f1f97151b3ef3f9d731f8b679fdfdde925e35bd9ed87478351c9f5e13fa53541"
	"4b1f61c1b1db0f55e5114f517307fd0ded63d9973573319ba19d033973678be5"
	"d319b1d97fb9e5b973b1c3c35dfde939bb675da589a5ad85ab192d671be16b93"
	"31090f0b29f57127d7016f8b6bb383a3337707cf9ba70f03578743e1bf994bc7"
	"79bbc3875df937556541af29e5fbbf6fabe92be5c53d5fad3b5b493ddb816be1"
	"473f6f03eda5f17f",
	N(local_comm_id, 0xf769e8d1), N(remote_comm_id, 0x96871cb3), N(info_length, 0x0f),
	N(ap_status, 0x34), N(rsvd10, 0xed57),
	B(info, 
	  "97b58f0fd15bfdb3fd67d3c15fa92f23979fed0fc579dfb10571255113dbb317"
	  "71fb616ba9619df901fd65ed132dd9674997b5c9f1f97151b3ef3f9d731f8b67"
	  "9fdfdde925e35bd9"),
	B(private_data, 
	  "ed87478351c9f5e13fa535414b1f61c1b1db0f55e5114f517307fd0ded63d997"
	  "3573319ba19d033973678be5d319b1d97fb9e5b973b1c3c35dfde939bb675da5"
	  "89a5ad85ab192d671be16b9331090f0b29f57127d7016f8b6bb383a3337707cf"
	  "9ba70f03578743e1bf994bc779bbc3875df937556541af29e5fbbf6fabe92be5"
	  "c53d5fad3b5b493ddb816be1473f6f03eda5f17f"))

/* 12.11.1, table 119 */
VECTOR(sidr_req,
	"c0e78cb8f70bccafd8140347ca25d8af5f897df5812fc937a353e7576179c98f"
	"59114d8b91d16fc529bb9f511da5cd11e53f51358dd551c72d8505d571e5631d"
	"732b4395f5adcb312dc3bb89f72bfff9d35599777d01eb6fdd35ff2729fd0d1f"
	"a7e36b2b237d0b496767515fc90d4ff375d90501a161b56145cd63a9efefbd8d"
	"a38befbb8759a115c77d875193cb075df18719cd77dbe1e11d19db19bfebf551"
	"83356101bf879ffb8b4df979e91741cd2731e709b57dbd4b539de1214975e147"
	"a147276f73efb5954709e5955705413d51ab272dc1bd911b4d3971c5153feb55"
	"a34ff535f5130da3",
	N(request_id, 0xc0e78cb8), N(pkey, 0xf70b), N(rsvd6, 0xccaf),
	N(service_id, 0xd8140347ca25d8af),
	B(private_data, 
	  "5f897df5812fc937a353e7576179c98f59114d8b91d16fc529bb9f511da5cd11"
	  "e53f51358dd551c72d8505d571e5631d732b4395f5adcb312dc3bb89f72bfff9"
	  "d35599777d01eb6fdd35ff2729fd0d1fa7e36b2b237d0b496767515fc90d4ff3"
	  "75d90501a161b56145cd63a9efefbd8da38befbb8759a115c77d875193cb075d"
	  "f18719cd77dbe1e11d19db19bfebf55183356101bf879ffb8b4df979e91741cd"
	  "2731e709b57dbd4b539de1214975e147a147276f73efb5954709e5955705413d"
	  "51ab272dc1bd911b4d3971c5153feb55a34ff535f5130da3"))

/* 12.11.2, table 120 */
VECTOR(sidr_rep,
	"99011ce70f34e59ecf9edf59a86c7c7a10d380f1d795b804713599935b058773"
	"1fcf319335599bb90959eded4789ad2bd3cd2d0539b5e1e5ebab1de9e581052d"
	"39f1df2fcb3dbd15630515f567c3df4757d16301a3676f1d2d0989eb2bf77dbf"
	"dfcb61dda5e749570b17ed2df3aff5bf1535990d71a1ab4d4ba5e1c5cbd16305"
	"078be35f85a3a35d613dd985a37b93a575493d053beb457d5b49a135c7cbb7b1"
	"15ddb987734bc1d56bb53533a35351dbbb11f1cfb353532fb5579b5f5b7d7163"
	"a5ebc79b77bda11199c1ad65df45d35fa357157d69a59b8b4f8957a577d9c3e9"
	"a327df71a15b5dc9",
	N(request_id, 0x99011ce7), N(status, 0x0f), N(info_length, 0x34),
	N(vendor_id_h, 0xe59e), N(qpn, 0xcf9edf), N(vendor_id_l, 0x59),
	N(service_id, 0xa86c7c7a10d380f1), N(qkey, 0xd795b804),
	B(info, 
	  "713599935b0587731fcf319335599bb90959eded4789ad2bd3cd2d0539b5e1e5"
	  "ebab1de9e581052d39f1df2fcb3dbd15630515f567c3df4757d16301a3676f1d"
	  "2d0989eb2bf77dbf"),
	B(private_data, 
	  "dfcb61dda5e749570b17ed2df3aff5bf1535990d71a1ab4d4ba5e1c5cbd16305"
	  "078be35f85a3a35d613dd985a37b93a575493d053beb457d5b49a135c7cbb7b1"
	  "15ddb987734bc1d56bb53533a35351dbbb11f1cfb353532fb5579b5f5b7d7163"
	  "a5ebc79b77bda11199c1ad65df45d35fa357157d69a59b8b4f8957a577d9c3e9"
	  "a327df71a15b5dc9"))

/* A13: raw */
VECTOR(sap,
	"03a9093b13017fc5c18d633dbb13cb63576173dff503674335ef316d21bfe15d"
	"4ffd770595313d61e5b52393f7f993771f2d6b534d69a97ddfedd195f523177b"
	"578ff57db32b3d93b7c9bbb9c96903872d114b69bfa7113b7b217da34b277715"
	"6b034f1bf93f29c7f999cfa955a3f94dbd15459ddded25257387b17db1a3e1f7"
	"39c79b0573bfb7412795cf0b2351d715f525b773b90fc99d539d97bff947ffa9"
	"47a9a721ade37917c98f512dad2dd1fb0fff99a5458bb18b53734f850991f35f"
	"259bc3c7791979b931eda5d1fb27b74fafe9bffd21f3cf090503573f8d87ddaf"
	"33bf5915e389bfb9",
	B(data, 
	  "03a9093b13017fc5c18d633dbb13cb63576173dff503674335ef316d21bfe15d"
	  "4ffd770595313d61e5b52393f7f993771f2d6b534d69a97ddfedd195f523177b"
	  "578ff57db32b3d93b7c9bbb9c96903872d114b69bfa7113b7b217da34b277715"
	  "6b034f1bf93f29c7f999cfa955a3f94dbd15459ddded25257387b17db1a3e1f7"
	  "39c79b0573bfb7412795cf0b2351d715f525b773b90fc99d539d97bff947ffa9"
	  "47a9a721ade37917c98f512dad2dd1fb0fff99a5458bb18b53734f850991f35f"
	  "259bc3c7791979b931eda5d1fb27b74fafe9bffd21f3cf090503573f8d87ddaf"
	  "33bf5915e389bfb9"))

/* A13: raw */
VECTOR(spr,
	"85619d4f3147756595b3a9fbbbade3ddfd17cb8dbd036f19f7811f3df50d5593"
	"9777f5bf9505c1055fd9199bd373b19d8da7c11f4b8da365b3dd03bbab4d9977"
	"ef8d71034fd709330f6909396f65e9d997d30de391ef8b8d63759b6b3d3795e5"
	"35232d3ffd35a1efef530dd9cd1fd3e97d65831187b953a795ef6b1943bd3939"
	"afbb05f3017935710d35af2b173ff7fd1fb5adc5d78917afbf6f77a50f2ba9b5"
	"195377776b6959c725ed77dff74dc3efe5b59151ab7bc96d6373071be73155ab"
	"59a507917dd13977b33dff271db71d937f63a1e9934f0f736f21352fe3a3ed51"
	"6b952f4d53294155",
	B(data, 
	  "85619d4f3147756595b3a9fbbbade3ddfd17cb8dbd036f19f7811f3df50d5593"
	  "9777f5bf9505c1055fd9199bd373b19d8da7c11f4b8da365b3dd03bbab4d9977"
	  "ef8d71034fd709330f6909396f65e9d997d30de391ef8b8d63759b6b3d3795e5"
	  "35232d3ffd35a1efef530dd9cd1fd3e97d65831187b953a795ef6b1943bd3939"
	  "afbb05f3017935710d35af2b173ff7fd1fb5adc5d78917afbf6f77a50f2ba9b5"
	  "195377776b6959c725ed77dff74dc3efe5b59151ab7bc96d6373071be73155ab"
	  "59a507917dd13977b33dff271db71d937f63a1e9934f0f736f21352fe3a3ed51"
	  "6b952f4d53294155"))
