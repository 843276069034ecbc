// SPDX-License-Identifier: BSD-2-Clause
/* diff: two connections compared as a replay is: the second against what the first one says. */
#include <string.h>

#include "replay.h"
#include "replay_read.h"
#include "select.h"

/* "a.pcap:3": a file, and which connection of it. A file that has a colon in its name is a file. */
static bool split(const char *arg, char **file, struct selection *sel)
{
	const char *colon = strrchr(arg, ':');

	*file = g_strdup(arg);
	if (!colon || g_file_test(arg, G_FILE_TEST_EXISTS))
		return true;
	(*file)[colon - arg] = 0;
	if (colon[1] && selection_is(colon + 1) && selection_add(sel, colon + 1))
		return true;
	cli_error("%s: after the colon comes the number of a connection, or its 8-digit id", arg);
	return false;
}

static int read_one(const struct cli_opts *opts, const char *arg, struct replay_capture *capture)
{
	struct selection sel = { .count = 0 };
	const char *files[2] = { NULL, NULL };
	struct cli_opts one = *opts;
	char *file;
	int code = CLI_USAGE;

	*capture = (struct replay_capture){ .left_out = 0 };
	if (split(arg, &file, &sel)) {
		files[0] = file;
		one.files = files;
		one.select = sel.count ? &sel : NULL;
		code = replay_read(&one, capture);
	}
	selection_free(&sel);
	g_free(file);
	return code;
}

static struct rp_player *compare(const struct rp_script *script, const struct rp_recording *with,
				 const struct cli_opts *opts)
{
	const struct rp_play_opts play = { .speed = 1, .offline = true };
	const struct rdt_addr nowhere[RP_ROLES] = { { .kind = RDT_ADDR_NONE } };
	struct rp_player *p = rp_player_new(script, &play, NULL, 1, false, nowhere);
	int64_t now = 0;

	p->tolerance = (unsigned)opts->replay.tolerance;
	for (guint i = 0; i < with->items->len; i++) {
		struct rp_item *item = rp_item_copy(with->items->pdata[i]);

		now = item->ns;
		rp_player_run(p, now);
		rp_player_receive(p, item);
	}
	rp_player_run(p, now);
	rp_player_end(p, now, NULL);
	return p;
}

int cmd_diff(const struct cli_opts *opts)
{
	struct replay_capture a = { .left_out = 0 }, b = { .left_out = 0 };
	enum rp_level require = RP_F5;
	struct replay_run run = { .backend = "diff", .played = "" };
	int code;

	if (!opts->files[0] || !opts->files[1] || opts->files[2]) {
		cli_error("diff: give two connections, as in rdma-trace diff a.pcap:1 b.pcap:1");
		return CLI_USAGE;
	}
	if (!replay_require(opts, &require))
		return CLI_USAGE;
	code = read_one(opts, opts->files[0], &a);
	if (code == CLI_OK || code == CLI_PARTIAL) {
		const int second = read_one(opts, opts->files[1], &b);

		code = second == CLI_OK ? code : second;
	}
	if (code == CLI_OK || code == CLI_PARTIAL) {
		struct rp_script *script = rp_record(&a.recording);
		char *name = g_strdup_printf("%s %s", opts->files[0], opts->files[1]);
		struct replay_report *report = replay_report_begin(opts, 1);

		run.name = name;
		run.player = compare(script, &b.recording, opts);
		rp_grade(run.player, "diff", &run.grade);
		run.passed =
			rp_grade_passes(&run.grade, run.player, &require, RP_F5, &run.required);
		replay_report_run(report, &run);
		replay_report_end(report);
		if (code == CLI_OK && !run.passed)
			code = CLI_FINDINGS;
		rp_grade_clear(&run.grade);
		rp_player_free(run.player);
		rp_script_free(script);
		g_free(name);
	}
	replay_read_free(&a);
	replay_read_free(&b);
	return code;
}
