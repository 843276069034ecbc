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
