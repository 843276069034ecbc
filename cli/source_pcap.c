/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures through libpcap: link types that wiretap refuses (247, native InfiniBand), and all of
 * pcap and uniform pcapng where the program was built without wiretap. Also -f, whose language is
 * libpcap's. The only file that includes <pcap.h>.
 */
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "source.h"

/* ---- link types -------------------------------------------------------------------------- */

/* libpcap gives DLT_ values, which are LINKTYPE numbers but for a few. */
static uint32_t link_of_dlt(int dlt)
{
	return dlt == DLT_RAW ? RDT_LINK_RAW : dlt == DLT_LOOP ? RDT_LINK_LOOP : (uint32_t)dlt;
}

static int dlt_of_link(uint32_t link)
{
	return link == RDT_LINK_RAW ? DLT_RAW : link == RDT_LINK_LOOP ? DLT_LOOP : (int)link;
}

const char *source_link_text(uint32_t link, char *buf, size_t size)
{
	const char *text = rdt_link_text(link);

	if (link == SOURCE_LINK_UNKNOWN)
		return "a link type without a number";
	if (!text)
		text = pcap_datalink_val_to_description(dlt_of_link(link));
	if (text)
		snprintf(buf, size, "link type %" PRIu32 " (%s)", link, text);
	else
		snprintf(buf, size, "link type %" PRIu32, link);
	return buf;
}

/* Large enough to save calls, small enough to stay in the first cache: four times as much costs more. */
#define BUFFER_SIZE (1 << 15)

/* ---- files ------------------------------------------------------------------------------- */

struct pcap_source {
	struct source base;
	pcap_t *pcap;
	FILE *file;   /* pcap's */
	char *buffer; /* the file's */
	uint64_t at;  /* where the next record begins; pcap format only */
	uint32_t link;
	bool counted; /* at is right */
};

static struct pcap_source *self(struct source *source)
{
	return (struct pcap_source *)source;
}

static enum source_result pcap_source_next(struct source *source, struct packet *ret_packet)
{
	struct pcap_source *s = self(source);
	struct pcap_pkthdr *hdr;
	const u_char *bytes;
	int got = pcap_next_ex(s->pcap, &hdr, &bytes);

	if (got == 1) {
		source->number++;
		s->at += 16 + hdr->caplen;
		*ret_packet = (struct packet){
			.bytes = bytes,
			.have = hdr->caplen,
			.len = hdr->len > hdr->caplen ? hdr->len : hdr->caplen,
			.link = s->link,
			/* tv_usec holds ns: that precision was asked for */
			.when = { .ns = (int64_t)hdr->ts.tv_sec * 1000000000 + hdr->ts.tv_usec,
				  .frame = source->number },
		};
		return SOURCE_FRAME;
	}
	if (got == PCAP_ERROR_BREAK)
		return SOURCE_END;
	if (progress_stopped())
		return SOURCE_STOPPED;
	source->damage = g_strdup_printf("%s: damaged at frame %" PRIu32 ", byte %" PRIu64 ": %s",
					 source->name, source->number + 1,
					 s->counted ? s->at : (uint64_t)MAX(ftello(s->file), 0),
					 pcap_geterr(s->pcap));
	return SOURCE_DAMAGED;
}

static uint64_t pcap_source_position(struct source *source)
{
	return self(source)->at;
}

static void pcap_source_close(struct source *source)
{
	pcap_close(self(source)->pcap);
	free(self(source)->buffer);
	free(source);
}

static const struct source_ops pcap_ops = {
	.next = pcap_source_next,
	.position = pcap_source_position,
	.close = pcap_source_close,
};

struct source *source_pcap_open(const char *path, const struct source_peek *peek, char **ret_why)
{
	char error[PCAP_ERRBUF_SIZE];
	struct pcap_source *s;
	pcap_t *pcap;
	char *buffer;
	FILE *file;

	if (peek->compressed) {
		*ret_why =
			g_strdup_printf("it is compressed (%s) and this program was built without "
					"wiretap: decompress it first",
					peek->compressed);
		return NULL;
	}
	file = strcmp(path, "-") ? fopen(path, "re") : fdopen(dup(STDIN_FILENO), "r");
	if (!file) {
		*ret_why = g_strdup(strerror(errno));
		return NULL;
	}
	/* The C library makes no larger buffer than a block by itself, whatever size it is asked for. */
	buffer = malloc(BUFFER_SIZE);
	if (!buffer)
		cli_no_memory();
	setvbuf(file, buffer, _IOFBF, BUFFER_SIZE);
	pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, error);
	if (!pcap) {
		*ret_why = g_strdup(error);
		fclose(file);
		free(buffer);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		cli_no_memory();
	s->base.ops = &pcap_ops;
	s->base.file_kind = peek->pcapng ? "pcapng" : "pcap";
	/* The nanosecond magics end (or begin, swapped) in 4d. */
	s->base.time_digits =
		peek->pcapng || peek->bytes[0] == 0x4d || peek->bytes[3] == 0x4d ? 9 : 6;
	s->pcap = pcap;
	s->file = file;
	s->buffer = buffer;
	s->at = 24;
	s->counted = peek->pcap;
	s->link = link_of_dlt(pcap_datalink(pcap));
	return &s->base;
}

void source_pcap_version(FILE *out)
{
	fprintf(out, "%s\n", pcap_lib_version());
}

/* ---- -f ------------------------------------------------------------------------------------ */

#define PROGRAMS_MAX 16

struct source_bpf {
	const char *expr;
	struct bpf_program programs[PROGRAMS_MAX];
	uint32_t links[PROGRAMS_MAX];
	unsigned count, last;
};

struct source_bpf *source_bpf_new(const char *expr)
{
	struct source_bpf *bpf = calloc(1, sizeof(*bpf));

	if (!bpf)
		cli_no_memory();
	bpf->expr = expr;
	return bpf;
}

void source_bpf_free(struct source_bpf *bpf)
{
	if (!bpf)
		return;
	for (unsigned i = 0; i < bpf->count; i++)
		pcap_freecode(&bpf->programs[i]);
	free(bpf);
}

static bool compile(struct source_bpf *bpf, uint32_t link)
{
	pcap_t *pcap;
	char text[128];
	bool ok;

	if (bpf->count == PROGRAMS_MAX) {
		cli_error("-f: more than %d link types in one input", PROGRAMS_MAX);
		return false;
	}
	pcap = pcap_open_dead(dlt_of_link(link), 262144);
	if (!pcap)
		cli_no_memory();
	ok = !pcap_compile(pcap, &bpf->programs[bpf->count], bpf->expr, 1, PCAP_NETMASK_UNKNOWN);
	if (!ok) {
		cli_error("-f \"%s\" is not a filter for %s: %s; see pcap-filter(7)", bpf->expr,
			  source_link_text(link, text, sizeof(text)), pcap_geterr(pcap));
	} else {
		bpf->links[bpf->count] = link;
		bpf->last = bpf->count++;
	}
	pcap_close(pcap);
	return ok;
}

int source_bpf_match(struct source_bpf *bpf, const struct packet *packet)
{
	struct pcap_pkthdr hdr = { .caplen = packet->have, .len = packet->len };

	if (bpf->last >= bpf->count || bpf->links[bpf->last] != packet->link) {
		for (bpf->last = 0; bpf->last < bpf->count; bpf->last++) {
			if (bpf->links[bpf->last] == packet->link)
				break;
		}
		if (bpf->last == bpf->count && !compile(bpf, packet->link))
			return -1;
	}
	return pcap_offline_filter(&bpf->programs[bpf->last], &hdr, packet->bytes) != 0;
}
