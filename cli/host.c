// SPDX-License-Identifier: BSD-2-Clause
#include "host.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"
#include "records.h"

/* ---- reading ------------------------------------------------------------------------------ */

/* "active=FILE" */
static struct host host_of(const char *text)
{
	static const char *const prefix[RDT_SIDES] = { "active=", "passive=" };

	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (g_str_has_prefix(text, prefix[side]))
			return (struct host){ .path = text + strlen(prefix[side]),
					      .claimed = (enum rdt_side)side };
	return (struct host){ .path = text, .claimed = RDT_SIDES };
}

/* One line without its newline into text; the rest of one that is too long is skipped. */
static bool next_line(gzFile file, char *text, int size, size_t *ret_len)
{
	char rest[256];

	if (!gzgets(file, text, size))
		return false;
	*ret_len = strcspn(text, "\n");
	for (size_t len = *ret_len; !text[len];) {
		if (!gzgets(file, rest, sizeof(rest)) || strchr(rest, '\n'))
			break;
	}
	text[*ret_len] = '\0';
	return true;
}

static int read_lines(struct host *host, gzFile file)
{
	char text[4096];
	uint64_t useful = 0;
	const char *why;
	size_t len;
	int err;

	while (next_line(file, text, sizeof(text), &len)) {
		struct rdt_ftrace line;

		host->lines++;
		if (!rdt_ftrace_parse(text, len, &line))
			continue;
		useful++;
		if (rdt_host_add(host->trace, &line) != RDT_OK)
			cli_no_memory();
	}
	why = gzerror(file, &err);
	host->damaged = err != Z_OK && err != Z_STREAM_END;
	if (host->damaged)
		cli_error("%s: damaged after line %" PRIu64 ": %s", host->path, host->lines,
			  err == Z_ERRNO ? g_strerror(errno) : why);
	if (!useful) {
		cli_error("%s is no kernel trace of connections: none of its %" PRIu64
			  " lines is an event of ib_cma, rdma_cma or ib_mad. Record one with: "
			  "trace-cmd record -e ib_cma -e rdma_cma -e ib_mad; trace-cmd report",
			  host->path, host->lines);
		return CLI_USAGE;
	}
	return CLI_OK;
}

static int read_host(struct host *host)
{
	struct stat st;
	gzFile file;
	int code;

	if (g_file_test(host->path, G_FILE_TEST_IS_DIR)) {
		cli_error("--ftrace %s is a directory", host->path);
		return CLI_USAGE;
	}
	if (!stat(host->path, &st) && (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))) {
		cli_error("--ftrace %s is a device and no trace", host->path);
		return CLI_USAGE;
	}
	errno = 0;
	file = gzopen(host->path, "rbe");
	if (!file) {
		cli_error("--ftrace %s cannot be read: %s", host->path, g_strerror(errno));
		return CLI_USAGE;
	}
	host->trace = rdt_host_new(session_memory());
	if (!host->trace)
		cli_no_memory();
	code = read_lines(host, file);
	gzclose(file);
	return code;
}

int hosts_read(struct hosts *hosts, const struct cli_opts *opts)
{
	int code = CLI_OK;

	for (const char *const *text = opts->ftrace; text && *text; text++) {
		if (hosts->count == HOSTS_MAX) {
			cli_error("--ftrace is given more than twice; a connection has two hosts");
			return CLI_USAGE;
		}
		hosts->host[hosts->count++] = host_of(*text);
	}
	if (hosts->count == HOSTS_MAX && !strcmp(hosts->host[0].path, hosts->host[1].path)) {
		cli_error("--ftrace %s is given twice; each host has a trace of its own",
			  hosts->host[0].path);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < hosts->count && code == CLI_OK; i++)
		code = read_host(&hosts->host[i]);
	return code;
}

void hosts_free(struct hosts *hosts)
{
	for (size_t i = 0; i < hosts->count; i++)
		rdt_host_free(hosts->host[i].trace);
	hosts->count = 0;
}

/* ---- joining ------------------------------------------------------------------------------ */

static void check_sides(const struct host *host, uint32_t conns)
{
	uint32_t sides[RDT_SIDES + 1] = { 0 };

	for (uint32_t i = 0; i < conns; i++)
		sides[rdt_host_side(host->trace, i)]++;
	if (!sides[RDT_ACTIVE] && !sides[RDT_PASSIVE])
		cli_warn("%s: none of its lines belongs to a connection of the capture; is it of "
			 "another run?",
			 host->path);
	else if (host->claimed != RDT_SIDES && !sides[host->claimed])
		cli_warn("%s: this host is the %s side of every connection that its trace has; "
			 "--ftrace says %s",
			 host->path, rdt_side_key(rdt_side_other(host->claimed)),
			 rdt_side_key(host->claimed));
}

void hosts_join(struct hosts *hosts, const struct rdt_tracker *tracker, struct rdt_journal *journal)
{
	for (size_t i = 0; i < hosts->count; i++) {
		if (rdt_host_join(hosts->host[i].trace, tracker, journal) != RDT_OK)
			cli_no_memory();
		check_sides(&hosts->host[i], rdt_tracker_conn_count(tracker));
	}
}

const struct host *hosts_of(const struct hosts *hosts, uint32_t conn, enum rdt_side side)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (rdt_host_side(hosts->host[i].trace, conn) == side)
			return &hosts->host[i];
	return NULL;
}

/* ---- merging ------------------------------------------------------------------------------ */

static bool same_event(const struct rdt_event_rec *a, const struct rdt_event_rec *b)
{
	return a->side == b->side && a->kernel_event == b->kernel_event && a->status == b->status;
}

/* Does the kernel tell this step of the tracker's, too? */
static bool same_step(const struct rdt_state_rec *a, const struct rdt_state_rec *b)
{
	return a->side == b->side && a->machine == b->machine && a->to == b->to &&
	       a->when.frame == b->when.frame && a->when.input == b->when.input;
}

/*
 * Add a host's records. What the tracker has of them from a packet stays as it is; what it
 * inferred is overwritten: the kernel knows. taken marks events that have found theirs.
 */
static void merge_one(GArray *all, guint wire, bool *taken, const struct rdt_entry *e)
{
	for (guint i = 0; i < wire; i++) {
		struct rdt_entry *have = &g_array_index(all, struct rdt_entry, i);

		if (have->kind != e->kind || taken[i])
			continue;
		if (e->kind == RDT_REC_event && same_event(&have->event, &e->event)) {
			const uint8_t program = have->event.event;

			*have = *e;
			have->event.event = program;
			taken[i] = true;
			return;
		}
		if (e->kind == RDT_REC_state && same_step(&have->state, &e->state)) {
			if (have->state.basis == RDT_BASIS_INFERRED)
				*have = *e;
			taken[i] = true;
			return;
		}
	}
	g_array_append_val(all, *e);
}

/* Events of this side that the tracker inferred, and that a kernel which told others did not. */
static void deny(GArray *all, guint wire, const bool *taken, unsigned side)
{
	for (guint i = 0; i < wire; i++) {
		struct rdt_entry *e = &g_array_index(all, struct rdt_entry, i);

		if (e->kind == RDT_REC_event && e->event.side == side && !taken[i])
			e->event.why =
				"inferred from the packets; the kernel's trace does not have it";
	}
}

static bool tells_events(const struct rdt_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (entries[i].kind == RDT_REC_event)
			return true;
	return false;
}

static int64_t entry_ns(const struct rdt_entry *e)
{
	return e->kind == RDT_REC_msg     ? e->msg.when.ns
	       : e->kind == RDT_REC_state ? e->state.when.ns
					  : e->event.when.ns;
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const int64_t x = entry_ns(a), y = entry_ns(b);

	return (x > y) - (x < y);
}

GArray *hosts_merge(const struct hosts *hosts, uint32_t conn, const struct rdt_entry *entries,
		    size_t count)
{
	GArray *all = g_array_sized_new(FALSE, FALSE, sizeof(struct rdt_entry), (guint)count + 16);
	bool *taken = g_new0(bool, count + 1);

	if (count)
		g_array_append_vals(all, entries, (guint)count);
	for (size_t i = 0; i < hosts->count; i++) {
		const struct rdt_entry *of_host;
		const size_t n = rdt_host_entries(hosts->host[i].trace, conn, &of_host);

		for (size_t k = 0; k < n; k++)
			merge_one(all, (guint)count, taken, &of_host[k]);
		if (tells_events(of_host, n))
			deny(all, (guint)count, taken, rdt_host_side(hosts->host[i].trace, conn));
	}
	g_free(taken);
	g_array_sort(all, by_time); /* stable */
	return all;
}

/* ---- json --------------------------------------------------------------------------------- */

static void put_clock(struct json *j, const struct host *host)
{
	const struct rdt_host_clock clock = rdt_host_clock(host->trace);

	if (clock.sends || clock.receipts)
		json_int(j, "clock_offset_ns", clock.offset_ns);
	else
		json_null(j, "clock_offset_ns");
	if (clock.doubt_ns != UINT64_MAX)
		json_uint(j, "clock_doubt_ns", clock.doubt_ns);
	else
		json_null(j, "clock_doubt_ns");
	json_bool(j, "clock_steady", !clock.unsteady);
}

void hosts_json(const struct hosts *hosts, struct records *records,
		const struct rdt_tracker *tracker)
{
	for (size_t i = 0; i < hosts->count; i++) {
		const struct host *host = &hosts->host[i];
		const struct rdt_host_stats stats = rdt_host_stats(host->trace);
		const struct rdt_host_conflict *conflicts;
		struct json *j = records_open(records, "host");
		size_t count;

		json_text(j, "file", host->path);
		json_uint(j, "lines", host->lines);
		json_uint(j, "events", stats.lines);
		json_uint(j, "joined", stats.joined);
		put_clock(j, host);
		json_uint(j, "compared", stats.compared);
		json_uint(j, "conflicts", stats.conflicts);
		json_uint(j, "unsent", stats.unsent);
		records_close(records);
		conflicts = rdt_host_conflicts(host->trace, &count);
		for (size_t k = 0; k < count; k++) {
			const struct rdt_host_conflict *c = &conflicts[k];
			const struct rdt_conn *conn = rdt_tracker_conn(tracker, c->conn);

			j = records_open(records, "conflict");
			if (conn)
				json_uint(j, "conn", conn->n);
			else
				json_null(j, "conn");
			json_uint(j, "frame", c->frame);
			json_text(j, "side", rdt_side_key((enum rdt_side)c->side));
			json_text(j, "msg", rdt_msg_key((enum rdt_msg)c->msg));
			json_text(j, "kernel_state", rdt_state_key(RDT_MACHINE_CM, c->kernel));
			json_text(j, "wire_state", rdt_state_key(RDT_MACHINE_CM, c->wire));
			records_close(records);
		}
	}
}
