/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Captures: where frames come from. One input is a struct source with an ops table; wiretap
 * (source_wtap.c) and libpcap (source_pcap.c) are the two implementations, source_open.c chooses
 * between them, and struct inputs (source_merge.c) makes one stream of several.
 *
 * What an input cannot do is said in words: opening prints its message and returns an exit code;
 * damage met while reading is kept as a sentence until the results have been printed.
 */
#ifndef RDMA_TRACE_SOURCE_H
#define RDMA_TRACE_SOURCE_H

#include "cli.h"

enum source_result {
	SOURCE_FRAME,
	SOURCE_END,     /* the end of the file, where it should be */
	SOURCE_DAMAGED, /* no more can be read: source.damage says why */
	SOURCE_STOPPED, /* by a signal */
};

/* Given to a link type that has no LINKTYPE number. */
#define SOURCE_LINK_UNKNOWN UINT32_MAX

struct source {
	const struct source_ops *ops;
	const char *name;      /* as the user wrote it; "standard input" for - */
	const char *file_kind; /* what opened it calls the format, for messages */
	unsigned time_digits;  /* 6 or 9: what the file's times resolve */
	uint64_t size;         /* bytes of the file, 0 when not known */
	uint32_t number;       /* of the last record read, from 1 */
	bool no_times;         /* records without a time were met */
	bool no_link;          /* all of the file is of one kind that has no LINKTYPE */
	char *damage;          /* malloc: the sentence of SOURCE_DAMAGED */
};

struct source_ops {
	/* The next packet; its bytes are valid until the next call. when.input is not set. */
	enum source_result (*next)(struct source *source, struct packet *ret_packet);
	/* Bytes of the file consumed so far, for the progress line. */
	uint64_t (*position)(struct source *source);
	void (*close)(struct source *source);
};

/* The first bytes of an input, read without consuming them. */
struct source_peek {
	uint8_t bytes[16384];
	size_t len;
	bool pcap, pcapng,
		swapped;        /* by the magic number; swapped: not this machine's byte order */
	uint32_t link, snaplen; /* pcap: LINKTYPE and snapshot length of the header */
	const char *compressed; /* "gzip" ... or NULL */
};

uint32_t source_peek_u32(const struct source_peek *peek, size_t at);

/* Does a file that begins so call itself a capture, or a packed file? */
bool source_is_capture(const char *bytes, size_t len);

/*
 * Open one input. path is what to open ("-" is fd 0), name what messages call it.
 * Returns NULL after printing why.
 */
struct source *source_open(const char *path, const char *name);

/* And everything that it owns. */
void source_close(struct source *source);

/*
 * The implementations. *ret_why is a malloc'd end of a sentence ("it ends inside the file header").
 * source_wtap_open() exists only where the program was built with wiretap.
 */
struct source *source_wtap_open(const char *path, const struct source_peek *peek, char **ret_why);
struct source *source_pcap_open(const char *path, const struct source_peek *peek, char **ret_why);

/* Does wiretap know this LINKTYPE? */
bool source_wtap_knows_link(uint32_t link);

/* Library names and versions for --version. */
void source_wtap_version(FILE *out);
void source_pcap_version(FILE *out);

/* A link type for people: "Ethernet", "USB with Linux header"; "LINKTYPE 999" when nobody knows it. */
const char *source_link_text(uint32_t link, char *buf, size_t size);

/* ---- -f ------------------------------------------------------------------------------------ */

struct source_bpf;

/* A filter for later; expr is borrowed. Compiled for each link type when it is first met. */
struct source_bpf *source_bpf_new(const char *expr);
void source_bpf_free(struct source_bpf *bpf);

/* 1 match, 0 none; -1 when expr does not compile for this link type (message printed). */
int source_bpf_match(struct source_bpf *bpf, const struct packet *packet);

/* ---- several inputs as one ------------------------------------------------------------------ */

struct inputs;

/*
 * Open all. Returns CLI_OK, or the exit code of the first that failed (message printed).
 * again: standard input will be read twice, spool it.
 */
int inputs_open(const struct cli_opts *opts, bool again, struct inputs **ret_inputs);

/* Open them once more for a second pass. */
int inputs_rewind(struct inputs *inputs);

/* The next packet in order of time; those that -f refuses are counted and skipped. */
enum source_result inputs_next(struct inputs *inputs, struct packet *ret_packet);

/* Time of the earliest of the first packets of all inputs, 0 when none has one. */
int64_t inputs_base_ns(const struct inputs *inputs);
unsigned inputs_time_digits(const struct inputs *inputs);
size_t inputs_info(struct inputs *inputs, const struct input_info **ret_infos);

/* Bytes consumed and bytes there are, over all inputs; *ret_size is 0 when not known. */
uint64_t inputs_position(struct inputs *inputs, uint64_t *ret_size);

/* Print what was damaged. Returns true when something was. */
bool inputs_report(const struct inputs *inputs);

/* Was -f refused for a link type? Then nothing that was read is worth printing. */
bool inputs_bad_filter(const struct inputs *inputs);

void inputs_close(struct inputs *inputs);

#endif
