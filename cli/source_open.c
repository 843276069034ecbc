/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at what an input is, says clearly what it is not, and chooses who reads it. */
#define _GNU_SOURCE /* tee() */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "source.h"

#ifdef RDT_HAVE_WIRETAP
#define READABLE "pcap, pcapng and ERF"
#else
#define READABLE "pcap and pcapng"
#endif

#define MAGIC_PCAP_US 0xa1b2c3d4u
#define MAGIC_PCAP_NS 0xa1b23c4du
#define MAGIC_PCAP_MODIFIED 0xa1b2cd34u
#define MAGIC_PCAPNG 0x0a0d0d0au
#define MAGIC_PCAPNG_ORDER 0x1a2b3c4du

uint32_t source_peek_u32(const struct source_peek *peek, size_t at)
{
	uint32_t value = 0;

	if (at + 4 > peek->len)
		return 0;
	memcpy(&value, peek->bytes + at, 4);
	return peek->swapped ? __builtin_bswap32(value) : value;
}

/* ---- the first bytes ------------------------------------------------------------------------ */

/*
 * Copy what is waiting in a pipe without taking it out. A writer may deliver in pieces: wait until
 * there is enough to recognize a file header, or the writer is gone.
 */
static ssize_t peek_pipe(int fd, uint8_t *buf, size_t size)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	ssize_t got = -1;
	int ends[2];

	for (;;) {
		struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

		if (pipe2(ends, O_CLOEXEC))
			return -1;
		/* Blocks while the pipe is empty and has a writer. */
		got = tee(fd, ends[1], size, 0);
		if (got > 0)
			got = read(ends[0], buf, (size_t)got);
		close(ends[0]);
		close(ends[1]);
		if (got <= 0 || got >= 24 || progress_stopped())
			return got;
		poll(&poll_fd, 1, 0);
		if (poll_fd.revents & POLLHUP)
			return got;
		nanosleep(&pause, NULL);
	}
}

static void recognize(struct source_peek *peek)
{
	static const struct {
		const char *name;
		uint8_t magic[6];
		uint8_t len;
	} packers[] = {
		{ "gzip", { 0x1f, 0x8b }, 2 },
		{ "zstd", { 0x28, 0xb5, 0x2f, 0xfd }, 4 },
		{ "lz4", { 0x04, 0x22, 0x4d, 0x18 }, 4 },
		{ "xz", { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6 },
		{ "bzip2", { 'B', 'Z', 'h' }, 3 },
	};
	const uint32_t magic = source_peek_u32(peek, 0);
	const uint32_t turned = __builtin_bswap32(magic);

	if (magic == MAGIC_PCAP_US || magic == MAGIC_PCAP_NS || magic == MAGIC_PCAP_MODIFIED) {
		peek->pcap = true;
	} else if (turned == MAGIC_PCAP_US || turned == MAGIC_PCAP_NS ||
		   turned == MAGIC_PCAP_MODIFIED) {
		peek->pcap = peek->swapped = true;
	} else if (magic == MAGIC_PCAPNG) {
		peek->pcapng = true;
		peek->swapped = source_peek_u32(peek, 8) != MAGIC_PCAPNG_ORDER;
	}
	/* The upper bits may tell about a frame check sequence. */
	if (peek->pcap) {
		peek->snaplen = source_peek_u32(peek, 16);
		peek->link = source_peek_u32(peek, 20) & 0x03ffffff;
	}
	for (size_t i = 0; i < sizeof(packers) / sizeof(packers[0]); i++) {
		if (peek->len >= packers[i].len &&
		    !memcmp(peek->bytes, packers[i].magic, packers[i].len))
			peek->compressed = packers[i].name;
	}
}

bool source_is_capture(const char *bytes, size_t len)
{
	struct source_peek peek = { .len = MIN(len, sizeof(peek.bytes)) };

	memcpy(peek.bytes, bytes, peek.len);
	recognize(&peek);
	return peek.pcap || peek.pcapng || peek.compressed;
}

/* What a file that is no capture probably is: for people who named the wrong one. */
static const char *looks_like(const struct source_peek *peek)
{
	static const struct {
		const char *what;
		const char *magic;
	} kinds[] = {
		{ "a zip archive: unpack it first", "PK\003\004" },
		{ "a program", "\177ELF" },
		{ "an HTML page", "<" },
		{ "JSON: rdma-trace writes that, it does not read it", "{" },
		{ "JSON: rdma-trace writes that, it does not read it", "[" },
		{ "an xz file: unpack it first, unxz FILE", "\3757zXZ" },
		{ "a bzip2 file: unpack it first, bunzip2 FILE", "BZh" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const size_t len = strlen(kinds[i].magic);

		if (peek->len >= len && !memcmp(peek->bytes, kinds[i].magic, len))
			return kinds[i].what;
	}
	for (size_t i = 0; i < peek->len; i++) {
		if (peek->bytes[i] < 9 || peek->bytes[i] == 0x7f)
			return NULL;
	}
	return "text";
}

/* Fill peek from fd. False after printing why there is nothing to read. */
static bool take_peek(int fd, const char *name, struct source_peek *peek)
{
	struct stat st;
	ssize_t got;

	if (fstat(fd, &st)) {
		cli_error("%s: %s", name, strerror(errno));
		return false;
	}
	if (S_ISDIR(st.st_mode)) {
		cli_error("%s is a directory; name the capture files in it", name);
		return false;
	}
	if (isatty(fd)) {
		cli_error("%s is a terminal; pipe a capture in, as in tcpdump -w - | " CLI_NAME
			  " -",
			  name);
		return false;
	}
	if (S_ISREG(st.st_mode))
		got = pread(fd, peek->bytes, sizeof(peek->bytes), 0);
	else if (S_ISFIFO(st.st_mode))
		got = peek_pipe(fd, peek->bytes, sizeof(peek->bytes));
	else if (S_ISSOCK(st.st_mode))
		got = recv(fd, peek->bytes, sizeof(peek->bytes), MSG_PEEK);
	else
		got = read(fd, peek->bytes, sizeof(peek->bytes)) > 0 ? -2 : 0;
	if (got == -2) {
		cli_error("%s is a device, not a capture; name a file, or - for standard input",
			  name);
		return false;
	}
	if (got < 0) {
		cli_error("%s: cannot read it: %s", name, strerror(errno));
		return false;
	}
	if (!got) {
		cli_error("%s is empty: there is no capture in it", name);
		return false;
	}
	peek->len = (size_t)got;
	recognize(peek);
	return true;
}

/* ---- choosing --------------------------------------------------------------------------------- */

static void say_unknown(const char *name, const struct source_peek *peek, const char *why)
{
	const char *kind = looks_like(peek);
	char hex[3 * 8 + 1] = "";

	if (peek->pcap || peek->pcapng || (peek->compressed && !kind)) {
		cli_error("%s cannot be read: %s", name, why);
		return;
	}
	for (size_t i = 0; i < 8 && i < peek->len; i++)
		snprintf(hex + 3 * i, 4, "%02x ", peek->bytes[i]);
	g_strchomp(hex);
	if (kind)
		cli_error("%s is not a capture: it looks like %s", name, kind);
	else
		cli_error("%s is not a capture: it begins with %s; " READABLE " files can be read",
			  name, hex);
}

#ifdef RDT_HAVE_WIRETAP
/*
 * Plain pcap goes to libpcap, which reads it at two thirds of wiretap's cost (it allocates nothing
 * a packet). Not where the header names a short snapshot length: libpcap cuts packets to it, and
 * there are tools that write wrong ones.
 */
static bool is_for_libpcap(const struct source_peek *peek)
{
	if (!peek->pcap || peek->len < 24)
		return false;
	return peek->snaplen == 0 || peek->snaplen >= 65535 || !source_wtap_knows_link(peek->link);
}
#endif

static struct source *open_known(const char *path, const char *name, const struct source_peek *peek)
{
	struct source *source;
	char *why = NULL;

#ifdef RDT_HAVE_WIRETAP
	if (is_for_libpcap(peek)) {
		source = source_pcap_open(path, peek, &why);
	} else {
		source = source_wtap_open(path, peek, &why);
		/*
		 * Wiretap also opens things that are no captures (JSON, pictures, programs): one
		 * whole file as one record, of a kind that has no link type.
		 */
		if (source && source->no_link && !peek->pcapng) {
			say_unknown(name, peek, source->file_kind);
			source_close(source);
			return NULL;
		}
	}
#else
	source = source_pcap_open(path, peek, &why);
#endif
	if (!source) {
		if (peek->pcap && peek->len < 24)
			cli_error("%s is cut off inside its file header: %zu of 24 bytes are "
				  "there; capture "
				  "again",
				  name, peek->len);
		else
			say_unknown(name, peek, why);
		g_free(why);
		return NULL;
	}
	source->name = name;
	return source;
}

struct source *source_open(const char *path, const char *name)
{
	const bool is_stdin = !strcmp(path, "-");
	struct source_peek *peek = calloc(1, sizeof(*peek));
	struct source *source = NULL;
	struct stat st = { 0 };
	int fd, kept;

	if (!peek)
		cli_no_memory();
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno == ENOENT)
			cli_error("%s: there is no such file", name);
		else if (errno == EACCES)
			cli_error("%s: no permission to read it; run as its owner, or chmod it",
				  name);
		else
			cli_error("%s: cannot open it: %s", name, strerror(errno));
		free(peek);
		return NULL;
	}
	if (!take_peek(fd, name, peek))
		goto out;
	fstat(fd, &st);
	/*
	 * A named pipe cannot be opened a second time: its writer may be gone. Wiretap takes a path or
	 * "-", so lend it this descriptor as standard input while it opens.
	 */
	if (!is_stdin && S_ISFIFO(st.st_mode)) {
		kept = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(fd, STDIN_FILENO);
		source = open_known("-", name, peek);
		if (kept >= 0) {
			dup2(kept, STDIN_FILENO);
			close(kept);
		} else {
			close(STDIN_FILENO);
		}
	} else {
		source = open_known(path, name, peek);
	}
	if (source && S_ISREG(st.st_mode))
		source->size = (uint64_t)st.st_size;
out:
	if (!is_stdin)
		close(fd);
	free(peek);
	return source;
}

void source_close(struct source *source)
{
	g_free(source->damage);
	source->ops->close(source);
}
