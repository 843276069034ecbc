/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures through Wireshark's wiretap: pcap, pcapng, ERF, snoop and the rest of what it opens,
 * compressed or not. The only file that includes wiretap, and the place for what differs between
 * its versions; a program built with it is under the GPL.
 */
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <wiretap/pcap-encap.h>
#include <wiretap/wtap.h>
#include <ws_version.h>
#include <wsutil/wslog.h>

#include "progress.h"
#include "rdmatrace/field.h"
#include "rdmatrace/track.h"
#include "source.h"

#if WIRESHARK_VERSION_MAJOR != 4 || WIRESHARK_VERSION_MINOR > 2
#error "source_wtap.c is written for the wiretap of Wireshark 4.0 and 4.2: adapt it here"
#endif

/* Interfaces whose link type wiretap does not know, found in the first bytes of a pcapng. */
#define IFACES_MAX 64

struct wtap_source {
	struct source base;
	wtap *wth;
	wtap_rec rec;
	Buffer buf;
	int encap; /* of the last frame, and its LINKTYPE: they seldom change */
	uint32_t link;
	int64_t last_ns;
	uint8_t *erf; /* a record put together again */
	size_t erf_size;
	uint32_t iface_links[IFACES_MAX];
	unsigned iface_count;
	const char *compressed; /* peek.compressed */
	bool guessed;           /* the format has no magic number */
};

static void init_once(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	/* Its log goes to stderr, which is ours. */
	ws_log_init(CLI_NAME, NULL);
	ws_log_set_level(LOG_LEVEL_ERROR);
	wtap_init(FALSE);
}

/* ---- link types -------------------------------------------------------------------------- */

bool source_wtap_knows_link(uint32_t link)
{
	init_once();
	return wtap_pcap_encap_to_wtap_encap((int)link) != WTAP_ENCAP_UNKNOWN;
}

/*
 * The LINKTYPE number of a WTAP_ENCAP. Wiretap has the table but exports only the other direction.
 * Where several numbers mean one encapsulation ours is the official one.
 */
static uint32_t link_of(int encap)
{
	static const struct {
		int encap;
		uint32_t link;
	} ours[] = {
		{ WTAP_ENCAP_ETHERNET, RDT_LINK_ETHERNET },
		{ WTAP_ENCAP_NULL, RDT_LINK_NULL },
		{ WTAP_ENCAP_LOOP, RDT_LINK_LOOP },
		{ WTAP_ENCAP_RAW_IP, RDT_LINK_RAW },
		{ WTAP_ENCAP_RAW_IP4, RDT_LINK_IPV4 },
		{ WTAP_ENCAP_RAW_IP6, RDT_LINK_IPV6 },
		{ WTAP_ENCAP_SLL, RDT_LINK_SLL },
		{ WTAP_ENCAP_SLL2, RDT_LINK_SLL2 },
		{ WTAP_ENCAP_ERF, RDT_LINK_ERF },
		{ WTAP_ENCAP_INFINIBAND, RDT_LINK_INFINIBAND },
	};

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (ours[i].encap == encap)
			return ours[i].link;
	}
	if (encap != WTAP_ENCAP_UNKNOWN) {
		for (int link = 0; link < 400; link++) {
			if (wtap_pcap_encap_to_wtap_encap(link) == encap)
				return (uint32_t)link;
		}
	}
	return SOURCE_LINK_UNKNOWN;
}

/*
 * Wiretap forgets the number of a link type it does not know (247, native InfiniBand, is one), so
 * read the interface descriptions at the beginning of a pcapng ourselves.
 */
static void find_ifaces(struct wtap_source *s, const struct source_peek *peek)
{
	size_t at = 0;

	while (at + 12 <= peek->len && s->iface_count < IFACES_MAX) {
		const uint32_t type = source_peek_u32(peek, at),
			       len = source_peek_u32(peek, at + 4);

		if (type == 1 && at + 10 <= peek->len) {
			const uint32_t word = source_peek_u32(peek, at + 8);
			const bool big =
				peek->swapped == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

			s->iface_links[s->iface_count++] = big ? word >> 16 : word & 0xffff;
		}
		if (len < 12 || len % 4 || len > peek->len)
			break;
		at += len;
	}
}

static uint32_t link_of_record(struct wtap_source *s)
{
	const wtap_rec *rec = &s->rec;
	const int encap = rec->rec_header.packet_header.pkt_encap;

	if (encap == WTAP_ENCAP_UNKNOWN && rec->presence_flags & WTAP_HAS_INTERFACE_ID &&
	    rec->rec_header.packet_header.interface_id < s->iface_count)
		return s->iface_links[rec->rec_header.packet_header.interface_id];
	if (encap != s->encap) {
		s->encap = encap;
		s->link = link_of(encap);
	}
	return s->link;
}

/* ---- ERF --------------------------------------------------------------------------------- */

/* Wiretap takes an ERF record apart; frame.h wants it as it was captured. */
static void rebuild_erf(struct wtap_source *s, struct packet *packet)
{
	const struct erf_mc_phdr *mc = &s->rec.rec_header.packet_header.pseudo_header.erf;
	const struct erf_phdr *hdr = &mc->phdr;
	const size_t size = 16 + MAX_ERF_EHDR * 8 + 4 + packet->have;
	uint8_t *p;
	uint32_t extra;
	bool more = hdr->type & 0x80;

	if (size > s->erf_size) {
		free(s->erf);
		s->erf_size = size + 65536;
		s->erf = malloc(s->erf_size);
		if (!s->erf)
			cli_no_memory();
	}
	p = s->erf;
	for (int i = 0; i < 8; i++)
		*p++ = (uint8_t)(hdr->ts >> 8 * i);
	*p++ = hdr->type;
	*p++ = hdr->flags;
	*p++ = (uint8_t)(hdr->rlen >> 8);
	*p++ = (uint8_t)hdr->rlen;
	*p++ = (uint8_t)(hdr->lctr >> 8);
	*p++ = (uint8_t)hdr->lctr;
	*p++ = (uint8_t)(hdr->wlen >> 8);
	*p++ = (uint8_t)hdr->wlen;
	for (int n = 0; more && n < MAX_ERF_EHDR; n++) {
		const uint64_t ext = mc->ehdr_list[n].ehdr;

		for (int i = 7; i >= 0; i--)
			*p++ = (uint8_t)(ext >> 8 * i);
		more = ext >> 63;
	}
	switch (hdr->type & 0x7f) {
	case RDT_ERF_ETH:
	case RDT_ERF_COLOR_ETH:
	case RDT_ERF_DSM_COLOR_ETH:
	case RDT_ERF_COLOR_HASH_ETH:
		*p++ = mc->subhdr.eth_hdr.offset;
		*p++ = mc->subhdr.eth_hdr.pad;
		break;
	}
	extra = (uint32_t)(p - s->erf);
	if (packet->have)
		memcpy(p, packet->bytes, packet->have);
	packet->bytes = s->erf;
	packet->have += extra;
	packet->len += extra;
}

/* ---- errors ------------------------------------------------------------------------------ */

/* The end of a sentence that begins with the file. Takes info. */
static char *words(int err, char *info)
{
	char *text;

	switch (err) {
	case WTAP_ERR_FILE_UNKNOWN_FORMAT:
		text = g_strdup("it is no capture file of a kind that is known here");
		break;
	case WTAP_ERR_SHORT_READ:
		text = g_strdup("the file ends there, in the middle of a record");
		break;
	case WTAP_ERR_DECOMPRESS:
		text = g_strdup_printf("the compressed data is damaged (%s)",
				       info ? info : "no details");
		break;
	case WTAP_ERR_DECOMPRESSION_NOT_SUPPORTED:
		text = g_strdup_printf("this wiretap cannot decompress it (%s)",
				       info ? info : "no details");
		break;
	case WTAP_ERR_BAD_FILE:
	case WTAP_ERR_UNSUPPORTED:
		text = g_strdup(info ? info : wtap_strerror(err));
		break;
	default:
		text = info ? g_strdup_printf("%s (%s)", wtap_strerror(err), info)
			    : g_strdup(wtap_strerror(err));
		break;
	}
	g_free(info);
	return text;
}

/* ---- the ops ----------------------------------------------------------------------------- */

static struct wtap_source *self(struct source *source)
{
	return (struct wtap_source *)source;
}

/*
 * Nothing at all looks like an ERF file to wiretap: so do compressed captures that are cut off
 * before their first block ends.
 */
static enum source_result at_end(struct wtap_source *s)
{
	if (s->base.number || !s->guessed)
		return SOURCE_END;
	s->base.damage =
		s->compressed
			? g_strdup_printf(
				  "%s: its compressed data (%s) is cut off before the first packet",
				  s->base.name, s->compressed)
			: g_strdup_printf("%s: it is no capture of a kind that is known here",
					  s->base.name);
	return SOURCE_DAMAGED;
}

/* A damaged pcapng block can hold any 64 bits for a time. */
static bool is_time(const nstime_t *ts)
{
	return ts->secs > RDT_NS_MIN / 1000000000 && ts->secs < RDT_NS_MAX / 1000000000 &&
	       ts->nsecs >= 0 && ts->nsecs < 1000000000;
}

static enum source_result wtap_source_next(struct source *source, struct packet *ret_packet)
{
	struct wtap_source *s = self(source);
	wtap_rec *rec = &s->rec;
	const wtap_packet_header *hdr = &rec->rec_header.packet_header;
	gint64 offset = 0;
	char *info = NULL, *why;
	int err = 0;

	do {
		wtap_rec_reset(rec); /* frees the options of the packet before */
		if (!wtap_read(s->wth, rec, &s->buf, &err, &info, &offset)) {
			if (!err) {
				g_free(info);
				return at_end(s);
			}
			if (err == EINTR && progress_stopped()) {
				g_free(info);
				return SOURCE_STOPPED;
			}
			why = words(err, info);
			source->damage = g_strdup_printf(
				"%s: damaged at frame %" PRIu32 ", byte %" PRIi64 ": %s",
				source->name, source->number + 1, (int64_t)offset, why);
			g_free(why);
			return SOURCE_DAMAGED;
		}
		/* A reader of text formats may leave its complaint and go on. */
		g_clear_pointer(&info, g_free);
		source->number++;
	} while (rec->rec_type != REC_TYPE_PACKET);

	if (rec->presence_flags & WTAP_HAS_TS && is_time(&rec->ts))
		s->last_ns = (int64_t)rec->ts.secs * 1000000000 + rec->ts.nsecs;
	else
		source->no_times = true;
	if (rec->tsprec > WTAP_TSPREC_USEC)
		source->time_digits = 9;
	*ret_packet = (struct packet){
		.bytes = ws_buffer_start_ptr(&s->buf),
		.have = hdr->caplen,
		.len = hdr->len > hdr->caplen ? hdr->len : hdr->caplen,
		.link = link_of_record(s),
		.when = { .ns = s->last_ns, .frame = source->number },
	};
	if (ret_packet->link == RDT_LINK_ERF)
		rebuild_erf(s, ret_packet);
	return SOURCE_FRAME;
}

static uint64_t wtap_source_position(struct source *source)
{
	return (uint64_t)wtap_read_so_far(self(source)->wth);
}

static void wtap_source_close(struct source *source)
{
	struct wtap_source *s = self(source);

	wtap_rec_cleanup(&s->rec);
	ws_buffer_free(&s->buf);
	wtap_close(s->wth);
	free(s->erf);
	free(s);
}

static const struct source_ops wtap_ops = {
	.next = wtap_source_next,
	.position = wtap_source_position,
	.close = wtap_source_close,
};

struct source *source_wtap_open(const char *path, const struct source_peek *peek, char **ret_why)
{
	struct wtap_source *s;
	char *info = NULL;
	wtap *wth;
	int err;

	init_once();
	wth = wtap_open_offline(path, WTAP_TYPE_AUTO, &err, &info, FALSE);
	if (!wth) {
		*ret_why = words(err, info);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		cli_no_memory();
	s->base.ops = &wtap_ops;
	s->base.file_kind = wtap_file_type_subtype_description(wtap_file_type_subtype(wth));
	s->base.time_digits = 6;
	s->wth = wth;
	s->encap = WTAP_ENCAP_PER_PACKET; /* which no packet has */
	s->link = SOURCE_LINK_UNKNOWN;
	wtap_rec_init(&s->rec);
	ws_buffer_init(&s->buf, 65536);
	s->base.no_link = wtap_file_encap(wth) != WTAP_ENCAP_PER_PACKET &&
			  link_of(wtap_file_encap(wth)) == SOURCE_LINK_UNKNOWN;
	s->compressed = peek->compressed;
	s->guessed = strstr(s->base.file_kind, "ERF") != NULL;
	if (peek->pcapng)
		find_ifaces(s, peek);
	return &s->base;
}

void source_wtap_version(FILE *out)
{
	fprintf(out, "wiretap (Wireshark) %d.%d.%d, which makes this program GPL-2.0-or-later\n",
		WIRESHARK_VERSION_MAJOR, WIRESHARK_VERSION_MINOR, WIRESHARK_VERSION_MICRO);
}
