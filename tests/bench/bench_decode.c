// SPDX-License-Identifier: BSD-2-Clause
/*
 * Nanoseconds a packet, over the RoCE packets of a real capture held in memory: header parse with
 * accessors, the same fields through descriptors, every field walked, the frame parser, the ICRC.
 * Figures move with the machine; the ratios between them do not.
 */
#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rdmatrace/field.h"
#include "rdmatrace/frame.h"
#include "rdmatrace/icrc.h"

#define MOST 64 /* they stay in the first cache: what is measured is the decoding */
#define ROUNDS 5000
/* Short ones, of which the quickest counts: a shared machine disturbs the others. */
#define TURNS 500

struct packet {
	uint8_t bytes[2048];
	uint32_t len;
	struct rdt_frame frame;
};

static struct packet packets[MOST];
static unsigned count;
static volatile uint64_t sink;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t accessors(const struct packet *p)
{
	struct rdt_pkt pkt;
	uint64_t sum;

	if (rdt_pkt_parse(p->frame.bth, p->frame.bth_have, p->frame.bth_len, &pkt) != RDT_OK)
		return 0;
	sum = rdt_bth_dest_qpn(pkt.bth) + rdt_bth_psn(pkt.bth) + rdt_bth_ack_req(pkt.bth) +
	      rdt_bth_pkey(pkt.bth);
	if (rdt_pkt_deth(&pkt))
		sum += rdt_deth_src_qpn(rdt_pkt_deth(&pkt));
	if (rdt_pkt_reth(&pkt))
		sum += rdt_reth_va(rdt_pkt_reth(&pkt)) + rdt_reth_dma_len(rdt_pkt_reth(&pkt));
	if (rdt_pkt_aeth(&pkt))
		sum += rdt_aeth_msn(rdt_pkt_aeth(&pkt));
	return sum;
}

static uint64_t descriptors(const struct packet *p)
{
	struct rdt_pkt pkt;
	uint64_t sum;

	if (rdt_pkt_parse(p->frame.bth, p->frame.bth_have, p->frame.bth_len, &pkt) != RDT_OK)
		return 0;
#define GET(h, f) rdt_field_get(&rdt_fields[RDT_F_##h##_##f], rdt_pkt_##h(&pkt))
	sum = rdt_field_get(&rdt_fields[RDT_F_bth_dest_qpn], pkt.bth) +
	      rdt_field_get(&rdt_fields[RDT_F_bth_psn], pkt.bth) +
	      rdt_field_get(&rdt_fields[RDT_F_bth_ack_req], pkt.bth) +
	      rdt_field_get(&rdt_fields[RDT_F_bth_pkey], pkt.bth);
	if (rdt_pkt_deth(&pkt))
		sum += GET(deth, src_qpn);
	if (rdt_pkt_reth(&pkt))
		sum += GET(reth, va) + GET(reth, dma_len);
	if (rdt_pkt_aeth(&pkt))
		sum += GET(aeth, msn);
	return sum;
}

static uint64_t walk(const struct packet *p)
{
	const struct rdt_hdr *h = &rdt_hdrs[RDT_H_bth];
	uint64_t sum = 0;

	for (unsigned i = h->begin; i < h->end; i++)
		sum += rdt_field_get(&rdt_fields[i], p->frame.bth);
	return sum;
}

static uint64_t frame(const struct packet *p)
{
	struct rdt_frame f;

	rdt_frame_parse(RDT_LINK_ETHERNET, p->bytes, p->len, p->len, 0, &f);
	return f.bth_len;
}

static uint64_t icrc(const struct packet *p)
{
	return rdt_icrc_check(&p->frame, NULL, NULL);
}

static double measure(const char *what, uint64_t (*fn)(const struct packet *p), unsigned rounds)
{
	double best = 1e18;

	for (unsigned turn = 0; turn < TURNS; turn++) {
		const double start = now_ns();
		uint64_t sum = 0;

		for (unsigned r = 0; r < rounds; r++)
			for (unsigned i = 0; i < count; i++)
				sum += fn(&packets[i]);
		sink = sum;
		if (now_ns() - start < best)
			best = now_ns() - start;
	}
	best /= (double)rounds * count;
	printf("%-44s %7.2f ns a packet\n", what, best);
	return best;
}

int main(int argc, char **argv)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *header;
	const u_char *data;
	pcap_t *pcap = argc > 1 ? pcap_open_offline(argv[1], error) : NULL;
	double fast, slow, all;

	if (!pcap) {
		fprintf(stderr, "usage: bench_decode CAPTURE\n");
		return 2;
	}
	while (count < MOST && pcap_next_ex(pcap, &header, &data) == 1) {
		struct packet *p = &packets[count];

		if (header->caplen > sizeof(p->bytes))
			continue;
		memcpy(p->bytes, data, header->caplen);
		p->len = header->caplen;
		rdt_frame_parse(RDT_LINK_ETHERNET, p->bytes, p->len, p->len, 0, &p->frame);
		count += p->frame.kind == RDT_FRAME_IB;
	}
	pcap_close(pcap);
	printf("%u RoCE packets of %s\n", count, argv[1]);
	fast = measure("headers: parse and accessors", accessors, ROUNDS);
	slow = measure("headers: parse and descriptors", descriptors, ROUNDS / 4);
	all = measure("headers: every BTH field by descriptor", walk, ROUNDS / 4);
	measure("frame: Ethernet to BTH", frame, ROUNDS / 4);
	measure("ICRC", icrc, ROUNDS / 40);
	printf("descriptors : accessors %.1f    walk : accessors %.1f\n", slow / fast, all / fast);
	return 0;
}
