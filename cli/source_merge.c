/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several inputs as one stream, in order of time. Each input keeps the order of its file, even
 * where its times step back; frames keep the number they have in their file.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

#define INPUTS_MAX 255 /* rdt_when.input */
#define CHUNK (1u << 17)

struct input {
	struct source *source;
	struct packet head;         /* read, not handed out yet */
	int64_t first_ns;           /* time of its first packet, whether -f let it through or not */
	bool has_head, done, taken; /* taken: head was handed out, its bytes are still in use */
};

struct inputs {
	struct input input[INPUTS_MAX];
	struct input_info info[INPUTS_MAX];
	const char *open_path[INPUTS_MAX]; /* what to open, where it is not the name */
	size_t count;
	struct source_bpf *bpf;
	bool bad_filter, stopped;
	int64_t base_ns;
	int spools[INPUTS_MAX]; /* descriptors of the unlinked copies of pipes */
	size_t spool_count;
};

/* ---- one input ----------------------------------------------------------------------------- */

static void note_link(struct input_info *info, uint32_t link)
{
	const unsigned max = sizeof(info->links) / sizeof(info->links[0]);

	for (unsigned i = 0; i < info->link_count; i++) {
		if (info->links[i] == link)
			return;
	}
	if (info->link_count < max)
		info->links[info->link_count++] = link;
}

/* Read on until a packet that -f lets through is in head, or there is none. */
static void refill(struct inputs *in, size_t i)
{
	struct input *input = &in->input[i];
	struct input_info *info = &in->info[i];
	enum source_result result;
	uint32_t last_link = SOURCE_LINK_UNKNOWN - 1;
	int match = 1;

	input->has_head = input->taken = false;
	if (info->link_count)
		last_link = info->links[info->link_count - 1];
	while (!input->done) {
		result = input->source->ops->next(input->source, &input->head);
		if (result != SOURCE_FRAME) {
			input->done = true;
			info->truncated = result == SOURCE_DAMAGED;
			in->stopped |= result == SOURCE_STOPPED;
			return;
		}
		if (!info->packets++)
			input->first_ns = input->head.when.ns;
		if (input->head.link != last_link) {
			note_link(info, input->head.link);
			last_link = input->head.link;
		}
		if (in->bpf)
			match = source_bpf_match(in->bpf, &input->head);
		if (match < 0) {
			in->bad_filter = input->done = true;
			return;
		}
		if (match) {
			input->head.when.input = (uint8_t)i;
			input->has_head = true;
			return;
		}
	}
}

/* ---- pipes that are read twice --------------------------------------------------------------- */

/* Copy what comes from a descriptor to a file without a name. Returns its descriptor, or -1. */
static int spool(int from, const char *what)
{
	const char *dir = g_get_tmp_dir();
	char *name = g_strdup_printf("%s/" CLI_NAME "-XXXXXX", dir), *chunk = g_malloc(CHUNK);
	int fd = mkstemp(name), failed = fd < 0 ? errno : 0;
	ssize_t got;

	if (fd >= 0) {
		unlink(name);
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	while (!failed && (got = read(from, chunk, CHUNK)) != 0) {
		if (got < 0) {
			/* Ctrl-C: go on with what there is */
			failed = errno == EINTR ? 0 : errno;
			break;
		}
		for (ssize_t done = 0, put; !failed && done < got; done += put) {
			put = write(fd, chunk + done, (size_t)(got - done));
			if (put < 0)
				failed = errno;
		}
	}
	if (failed) {
		cli_error("cannot keep a copy of %s in %s: %s; set TMPDIR to a place with room",
			  what, dir, strerror(failed));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	g_free(name);
	g_free(chunk);
	return fd;
}

/*
 * What to open for a file that the user named: a pipe that will be read again is copied first.
 * NULL after a message.
 */
static char *path_of(struct inputs *in, const char *file, const char *what, bool again)
{
	const bool is_stdin = !strcmp(file, "-");
	struct stat st = { 0 };
	int from, copy;

	if (is_stdin ? fstat(STDIN_FILENO, &st) : stat(file, &st))
		return g_strdup(file); /* source_open() says what is wrong with it */
	/* A file by redirection can be opened anew, from its beginning. */
	if (is_stdin && S_ISREG(st.st_mode) && !access("/proc/self/fd/0", R_OK))
		return g_strdup("/proc/self/fd/0");
	if (!again || S_ISREG(st.st_mode) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return g_strdup(file);
	from = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	if (from < 0)
		return g_strdup(file);
	copy = spool(from, what);
	if (!is_stdin)
		close(from);
	if (copy < 0)
		return NULL;
	in->spools[in->spool_count++] = copy;
	return g_strdup_printf("/proc/self/fd/%d", copy);
}

/* ---- all of them ------------------------------------------------------------------------------ */

static int open_all(struct inputs *in)
{
	for (size_t i = 0; i < in->count; i++) {
		in->input[i] = (struct input){ 0 };
		in->input[i].source = source_open(in->open_path[i], in->info[i].path);
		if (!in->input[i].source)
			return CLI_USAGE;
	}
	for (size_t i = 0; i < in->count; i++) {
		in->info[i] = (struct input_info){ .path = in->info[i].path };
		refill(in, i);
		if (in->bad_filter)
			return CLI_USAGE;
	}
	return CLI_OK;
}

static void close_all(struct inputs *in)
{
	for (size_t i = 0; i < in->count; i++) {
		struct source *source = in->input[i].source;

		if (!source)
			continue;
		source_close(source);
		in->input[i].source = NULL;
	}
}

int inputs_open(const struct cli_opts *opts, bool again, struct inputs **ret_inputs)
{
	struct inputs *in = g_new0(struct inputs, 1);
	bool had_stdin = false;
	int code = CLI_USAGE;

	for (const char *const *file = opts->files; *file; file++) {
		const bool is_stdin = !strcmp(*file, "-");
		const size_t i = in->count;

		if (i == INPUTS_MAX) {
			cli_error("more than %d captures at a time; merge some with mergecap",
				  INPUTS_MAX);
			goto fail;
		}
		if (is_stdin && had_stdin) {
			cli_error("standard input (-) is named twice; it can be read once");
			goto fail;
		}
		had_stdin |= is_stdin;
		in->info[i].path = is_stdin ? "standard input" : *file;
		in->open_path[i] = path_of(in, *file, in->info[i].path, again);
		if (!in->open_path[i])
			goto fail;
		in->count++;
	}
	if (opts->bpf)
		in->bpf = source_bpf_new(opts->bpf);
	code = open_all(in);
	if (code != CLI_OK)
		goto fail;
	/* The earliest, so that no time is negative; 0 is of a capture without times. */
	for (size_t i = 0; i < in->count; i++) {
		const int64_t first = in->input[i].first_ns;

		if (in->info[i].packets && first && (!in->base_ns || first < in->base_ns))
			in->base_ns = first;
	}
	*ret_inputs = in;
	return CLI_OK;
fail:
	inputs_close(in);
	return code;
}

int inputs_rewind(struct inputs *in)
{
	close_all(in);
	in->stopped = false;
	return open_all(in);
}

enum source_result inputs_next(struct inputs *in, struct packet *ret_packet)
{
	struct input *best = &in->input[0];

	if (in->count == 1) {
		if (best->taken)
			refill(in, 0);
	} else {
		best = NULL;
		for (size_t i = 0; i < in->count; i++) {
			struct input *input = &in->input[i];

			if (input->taken)
				refill(in, i);
			if (input->has_head && (!best || input->head.when.ns < best->head.when.ns))
				best = input;
		}
	}
	if (!best || !best->has_head)
		return in->stopped ? SOURCE_STOPPED : SOURCE_END;
	best->taken = true;
	*ret_packet = best->head;
	return SOURCE_FRAME;
}

int64_t inputs_base_ns(const struct inputs *in)
{
	return in->base_ns;
}

unsigned inputs_time_digits(const struct inputs *in)
{
	unsigned digits = 6;

	for (size_t i = 0; i < in->count; i++) {
		if (in->input[i].source->time_digits > digits)
			digits = in->input[i].source->time_digits;
	}
	return digits;
}

size_t inputs_info(struct inputs *in, const struct input_info **ret_infos)
{
	*ret_infos = in->info;
	return in->count;
}

uint64_t inputs_position(struct inputs *in, uint64_t *ret_size)
{
	uint64_t position = 0, size = 0;
	bool known = true;

	for (size_t i = 0; i < in->count; i++) {
		struct source *source = in->input[i].source;

		position += source->ops->position(source);
		size += source->size;
		known &= source->size != 0;
	}
	*ret_size = known ? size : 0;
	return position;
}

bool inputs_report(const struct inputs *in)
{
	bool damaged = false;

	for (size_t i = 0; i < in->count; i++) {
		const struct source *source = in->input[i].source;

		if (!source)
			continue;
		if (source->no_times)
			cli_warn("%s: some packets have no usable time; they were given the time "
				 "before "
				 "them",
				 source->name);
		if (!source->damage)
			continue;
		if (source->number)
			cli_error("%s; the %" PRIu32 " frame%s before it %s read", source->damage,
				  source->number, source->number == 1 ? "" : "s",
				  source->number == 1 ? "was" : "were");
		else
			cli_error("%s; no frame could be read", source->damage);
		damaged = true;
	}
	return damaged;
}

bool inputs_bad_filter(const struct inputs *in)
{
	return in->bad_filter;
}

void inputs_close(struct inputs *in)
{
	if (!in)
		return;
	close_all(in);
	for (size_t i = 0; i < in->count; i++)
		g_free((gpointer)(uintptr_t)in->open_path[i]);
	source_bpf_free(in->bpf);
	for (size_t i = 0; i < in->spool_count; i++)
		close(in->spools[i]);
	g_free(in);
}
