// SPDX-License-Identifier: BSD-2-Clause
#include "replay/slurp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536

static int open_it(const char *path, bool pipe_ok, char **ret_why)
{
	struct stat st;
	int fd;

	if (pipe_ok && !strcmp(path, "-"))
		return dup(STDIN_FILENO);
	/* To open a pipe without a writer would wait for ever. */
	fd = open(path, O_RDONLY | O_CLOEXEC | (pipe_ok ? 0 : O_NONBLOCK));
	if (fd < 0 || fstat(fd, &st)) {
		*ret_why = g_strdup(g_strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		*ret_why = g_strdup(g_strerror(EISDIR));
	} else if (!S_ISREG(st.st_mode) && !(pipe_ok && S_ISFIFO(st.st_mode))) {
		*ret_why = g_strdup("not a regular file");
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

bool rp_slurp(const char *path, size_t limit, bool pipe_ok, gchar **ret_bytes, gsize *ret_len,
	      char **ret_why)
{
	GByteArray *all;
	ssize_t got;
	const int fd = open_it(path, pipe_ok, ret_why);

	if (fd < 0)
		return false;
	all = g_byte_array_new();
	do {
		const guint at = all->len;

		g_byte_array_set_size(all, at + CHUNK);
		got = read(fd, all->data + at, CHUNK);
		g_byte_array_set_size(all, at + (got > 0 ? (guint)got : 0));
	} while (got > 0 && all->len <= limit);
	if (got < 0)
		*ret_why = g_strdup(g_strerror(errno));
	else if (all->len > limit)
		*ret_why = g_strdup_printf("more than %zu bytes", limit);
	close(fd);
	if (got < 0 || all->len > limit) {
		g_byte_array_unref(all);
		return false;
	}
	*ret_len = all->len;
	/* Text is read to its end: a zero behind the last byte. */
	g_byte_array_append(all, (const guint8 *)"", 1);
	*ret_bytes = (gchar *)g_byte_array_free(all, FALSE);
	return true;
}
