/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the commands share: exit codes, error sentences, the options, reading captures through a
 * tracker (struct session), and how values are shown.
 *
 * A command is one file cmd_<name>.c with one function, int cmd_<name>(const struct cli_opts *).
 * Data goes to cli_out(), everything else to stderr. The program is one thread that runs one
 * command and exits, so this folder may use globals where the decoder may not.
 */
#ifndef RDMA_TRACE_CLI_H
#define RDMA_TRACE_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "rdmatrace/frame.h"
#include "rdmatrace/track.h"

#define CLI_NAME "rdma-trace"
#define CLI_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* ---- exit codes: a public interface, as the man page has them ------------------------------ */

enum cli_exit {
	CLI_OK = 0,       /* done */
	CLI_FINDINGS = 1, /* done, and something is wrong or differs */
	CLI_USAGE =
		2, /* bad command line, unreadable or unknown input: nothing useful was printed */
	CLI_PARTIAL = 3, /* damaged input or evicted state: what could be read was printed */
	CLI_ENV = 4,     /* the system lacks a right or a device */
};

/* ---- commands ------------------------------------------------------------------------------ */

struct cli_opts;

/* One row of commands.def. */
struct rdt_cmd {
	const char *name;
	const char *args;     /* what the usage line says after the options */
	const char *summary;  /* one line, for rdma-trace --help */
	const char *examples; /* lines "  rdma-trace show 1 c.pcap" of its own --help */
	unsigned takes;       /* CLI_TAKES_x */
	int (*run)(const struct cli_opts *opts); /* returns an enum cli_exit */
};

#define CLI_TAKES_FILES 1u /* positional arguments are captures */
#define CLI_TAKES_CONNS 2u /* those that are numbers or ids (and no file) select connections */
#define CLI_TAKES_WORDS 4u /* they are words: cli_opts.words */

/* CLI_CMD_list and so on: the index of a command in the table. */
enum cli_cmd {
#define C(name, takes, args, summary, examples) CLI_CMD_##name,
#include "commands.def"
#undef C
	CLI_CMD_COUNT
};

#define C(name, takes, args, summary, examples) int cmd_##name(const struct cli_opts *opts);
#include "commands.def"
#undef C

extern const struct rdt_cmd cli_cmds[CLI_CMD_COUNT];

/* ---- errors -------------------------------------------------------------------------------- */

/*
 * One sentence on stderr: where, what is wrong, what to do. "rdma-trace: " goes before it, a
 * newline after it; control bytes of the text (file names!) are shown as \xNN. cli_warn is silent
 * with -q.
 */
void cli_error(const char *fmt, ...) CLI_PRINTF(1, 2);
void cli_warn(const char *fmt, ...) CLI_PRINTF(1, 2);

/* The error for memory that ran out; ends the program with CLI_ENV. */
_Noreturn void cli_no_memory(void);

/*
 * Which of the candidates (a list that ends in NULL) was word probably meant to be: NULL when none
 * is near. For "closest match" in messages.
 */
const char *cli_closest(const char *word, const char *const *candidates);

/* ---- options ------------------------------------------------------------------------------- */

enum cli_format { CLI_TEXT, CLI_JSON, CLI_NDJSON, CLI_CSV, CLI_TSV, CLI_MD, CLI_JUNIT, CLI_TAP };

/* -T of ladder. */
enum cli_picture { CLI_NO_PICTURE, CLI_MERMAID, CLI_PLANTUML, CLI_SVG };

/* -t: how times are shown in text. */
enum cli_time_form {
	CLI_TIME_REL,   /* r: seconds since the earliest first packet of the inputs */
	CLI_TIME_ABS,   /* a: time of day here */
	CLI_TIME_DATE,  /* ad: date and time of day here */
	CLI_TIME_DELTA, /* d: seconds since the line before */
	CLI_TIME_EPOCH, /* e: seconds since 1970 */
	CLI_TIME_UTC,   /* u: time of day in UTC */
};

struct rdt_filter; /* filter.h */
struct selection;

/* What -e says: names as written, checked by the command that knows its columns. */
struct cli_table {
	bool header;    /* -E header=y|n; csv and tsv: on by default */
	char separator; /* -E separator=X; csv ',' tsv '\t' */
	char quote;     /* -E quote=d|s|n: '"', '\'' or 0 */
};

/* What replay and diff take besides; texts as they were written, NULL without. */
struct cli_replay {
	const char *play, *backend, *local, *peer, *device, *speed, *timeout, *require;
	uint64_t tolerance; /* percent */
	uint64_t max_msgs, rate, seed;
	uint64_t share; /* TCP port, 0: none */
	bool keep_ids, realtime, check;
};

/* The options, checked. Strings live as long as the program. */
struct cli_opts {
	const struct rdt_cmd *cmd;
	const char *const *files; /* -r and positional, in this order; ends in NULL */
	const char *const
		*words;  /* positional arguments of CLI_TAKES_WORDS commands; ends in NULL */
	const char *bpf; /* -f, NULL without */
	const char *filter_text;   /* -Y, NULL without */
	struct rdt_filter *filter; /* -Y compiled, NULL without */
	struct selection *select;  /* -s and positional numbers (select.h); NULL without: all */
	uint64_t count;            /* -c, 0 for all */
	enum cli_time_form time;   /* -t */
	bool resolve;              /* --resolve, and no -n */
	enum cli_format format;    /* -T */
	enum cli_picture picture;  /* -T of ladder, whose format is text */
	const char *const *fields; /* -e, comma lists split; ends in NULL; empty without -e */
	struct cli_table table;    /* -E */
	const char *output;        /* -o, NULL for stdout */
	const char *write;         /* -w, NULL without */
	bool color;                /* --color, NO_COLOR and the terminal decided */
	bool ascii;                /* --ascii, or the locale is not UTF-8 */
	unsigned width;            /* --width, or the terminal's; 0 for no limit */
	bool quiet;                /* -q */
	bool verbose;              /* -v */
	bool decode;               /* -V */
	bool calls;                /* show --calls */
	bool expand;               /* ladder --expand */
	int fail_on;               /* --fail-on: enum rdt_severity, RDT_SEVERITY_COUNT for never */
	bool no_icrc;              /* --no-icrc */
	const char *const *ftrace; /* --ftrace, ends in NULL; NULL without */
	uint16_t port;             /* --port, 0 for 4791 */
	uint32_t max_conns;        /* --max-conns, 0 for the tracker's default */
	struct cli_replay replay;
	bool tty_out, tty_err; /* is the output, is stderr a terminal */
};

/* ---- output -------------------------------------------------------------------------------- */

/* Where data goes: stdout or the -o file, with a large buffer. */
FILE *cli_out(void);

/* Before something is said on stderr, so that both come in order. */
void cli_out_flush(void);

/*
 * Would writing to path overwrite one of the captures that opts reads? Says so (option is "-w").
 */
bool cli_overwrites(const struct cli_opts *opts, const char *path, const char *option);

/* Flush and close it; reports a write error (full disk) and returns CLI_ENV then, else code. */
int cli_out_done(int code);

/* What a colour says. All are "" without colour. */
enum cli_tone {
	CLI_TONE_OFF,
	CLI_TONE_GOOD,
	CLI_TONE_BAD,
	CLI_TONE_WARN,
	CLI_TONE_DIM,
	CLI_TONE_BOLD
};
const char *cli_tone(const struct cli_opts *opts, enum cli_tone tone);
enum cli_tone cli_outcome_tone(enum rdt_outcome outcome);

#define CLI_TIME_TEXT 64

/*
 * A time in the form of -t. base is the session's; *prev (may be NULL) is the time of the line
 * before, kept by this function for form d. digits is 6 or 9: session.time_digits.
 */
char *cli_time_text(const struct cli_opts *opts, int64_t ns, int64_t base, int64_t *prev,
		    unsigned digits, char buf[CLI_TIME_TEXT]);

/* ns since 1970 as 2026-11-29T13:22:15.404052000Z. */
char *cli_rfc3339(int64_t ns, char buf[CLI_TIME_TEXT]);

/* An address as text, with --resolve its host name where it has one. size >= CLI_HOST_TEXT. */
#define CLI_HOST_TEXT 256
char *cli_addr_text(const struct cli_opts *opts, const struct rdt_addr *addr, char *buf,
		    size_t size);

/* 1234567 as "1,234,567". */
char *cli_count_text(uint64_t n, char *buf, size_t size);

/* Columns that text takes on a terminal: UTF-8 code points. */
size_t cli_text_width(const char *text);

/* ---- the session: captures through a tracker ------------------------------------------------ */

/* A frame as it was read. Borrowed for the call. */
struct packet {
	const uint8_t *bytes;
	uint32_t have, len;   /* captured; on the wire */
	uint32_t link;        /* LINKTYPE number */
	struct rdt_when when; /* number and time */
};

/* What an input held, for the header and the summary. */
struct input_info {
	const char *path;
	uint64_t packets;  /* records read, filtered ones included */
	uint32_t links[8]; /* LINKTYPE numbers met */
	unsigned link_count;
	bool truncated; /* damaged or cut short: reading stopped before its end */
	bool limited;   /* reading stopped because of -c or a signal */
};

struct session {
	const struct cli_opts *opts;
	struct rdt_tracker *tracker;
	struct rdt_tracker *first; /* a second pass: the finished tracker of the first; else NULL */
	int64_t base_ns;           /* time of the earliest first packet of the inputs */
	int64_t end_ns;            /* latest time seen */
	unsigned time_digits;      /* 6, or 9 where times have parts below 1 us */
	uint64_t packets;          /* fed; what -f dropped is not counted */
	uint64_t tcp, udp, arp, icmp, other; /* of those that are not RDMA */
	uint64_t tcp_cut;                    /* of tcp: the capture cut their payload */
	bool partial; /* an input was damaged or all of its packets cut before what tells their
			 connection, state was evicted, or a signal stopped reading */
	int64_t started_ns;            /* monotonic clock, for elapsed_ns */
	const struct rdt_conn **conns; /* session_select(): the selected ones */
	size_t conn_count;
};

/*
 * Called for each frame after the tracker was fed. Return 0 to go on, 1 to stop reading.
 * frame and verdict are borrowed for the call.
 */
typedef int (*session_packet_fn)(void *user, const struct packet *packet,
				 const struct rdt_frame *frame, const struct rdt_verdict *verdict);

/*
 * Open the inputs of opts. Returns CLI_OK; else the message was printed and the value is the exit
 * code. again: the command reads its inputs twice, so a pipe is spooled to an unlinked file.
 */
int session_open(struct session *s, const struct cli_opts *opts, bool again);

/*
 * Make a tracker with sink (NULL for none) and feed it everything; each (NULL for none) sees every
 * frame. When it returns the tracker is finished.
 *
 * Called again it reads everything again, with a new tracker that does the same once more; the one
 * of the first pass stays as session.first, and session.conns of it stay valid. What session_conn()
 * says is then final while the frames pass.
 *
 * Returns CLI_OK; CLI_PARTIAL when something is missing, which session_close() tells after the
 * results; CLI_USAGE when nothing useful was read (message printed).
 */
int session_read(struct session *s, const struct rdt_sink *sink, session_packet_fn each,
		 void *user);

/* As session_read(), and keep what the sink needs the tracker for: told before the first frame. */
int session_read_with(struct session *s, const struct rdt_sink *sink,
		      void (*ready)(void *user, const struct rdt_tracker *tracker),
		      session_packet_fn each, void *user);

/*
 * After session_read(): s->conns are the connections that -s and -Y select, in order of n.
 * Returns CLI_OK; CLI_USAGE when -s names one that is not there (message printed).
 */
int session_select(struct session *s);

/*
 * The connection of a frame, as far as it is known: final in a second pass. NULL when it has none.
 */
const struct rdt_conn *session_conn(const struct session *s, const struct rdt_verdict *verdict);

/* The tracker whose connections session_conn() and session.conns are. */
const struct rdt_tracker *session_tracker(const struct session *s);

/* Is this connection among those that -s and -Y select? Valid when its n is set. */
bool session_wants(const struct session *s, const struct rdt_conn *conn);

size_t session_inputs(const struct session *s, const struct input_info **ret_infos);

/* "no RDMA in 1,234 packets: 900 TCP, 300 UDP ..." on stderr when there was none. */
void session_explain_nothing(const struct session *s);

/* malloc and free as the decoder wants them, for a journal. */
const struct rdt_memory *session_memory(void);

/* Close everything. Returns code, or CLI_PARTIAL when code is CLI_OK and something is missing. */
int session_close(struct session *s, int code);

#endif
