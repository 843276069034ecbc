// SPDX-License-Identifier: BSD-2-Clause
#include "support/pcap_read.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* pcap_datalink() is a DLT_ number; the few that differ from LINKTYPE_ on Linux. */
static unsigned linktype_of(int dlt)
{
	return dlt == DLT_RAW ? 101 : (unsigned)dlt;
}

const char *test_captures(void)
{
	const char *other = getenv("RDT_CAPTURES");

	return other && *other ? other : RDT_CAPTURES;
}

int test_pcap_walk(const char *name, test_frame_fn fn, void *arg)
{
	char error[PCAP_ERRBUF_SIZE], path[4096];
	struct pcap_pkthdr *header;
	const u_char *bytes;
	pcap_t *pcap;
	int count = 0, stop = 0;

	snprintf(path, sizeof(path), "%s/%s", test_captures(), name);
	pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!pcap) {
		fprintf(stderr, "%s: %s\n", path, error);
		return -1;
	}
	while (!stop && pcap_next_ex(pcap, &header, &bytes) == 1) {
		uint8_t *copy = malloc(header->caplen ? header->caplen : 1);
		struct test_frame frame = {
			.bytes = copy,
			.have = header->caplen,
			.wire_len = header->len,
			.linktype = linktype_of(pcap_datalink(pcap)),
			.ns = (uint64_t)header->ts.tv_sec * 1000000000u +
			      (uint64_t)header->ts.tv_usec,
			.number = (unsigned)++count,
		};

		if (!copy)
			abort();
		memcpy(copy, bytes, header->caplen);
		stop = fn(&frame, arg);
		free(copy);
	}
	pcap_close(pcap);
	return count;
}
