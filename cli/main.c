/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of commands, and who gets the command line. */
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include <glib.h>

#include "options.h"
#include "source.h"

const struct rdt_cmd cli_cmds[CLI_CMD_COUNT] = {
#define C(name, takes, args, summary, examples) \
	{ #name, args, summary, examples, takes, cmd_##name },
#include "commands.def"
#undef C
};

static void usage(FILE *to)
{
	fputs("rdma-trace rebuilds RDMA connections from captures.\n\n"
	      "usage: " CLI_NAME " [COMMAND] [OPTIONS] [FILE...]\n\n",
	      to);
	for (size_t i = 0; i < CLI_CMD_COUNT; i++)
		fprintf(to, "  %-9s %s\n", cli_cmds[i].name, cli_cmds[i].summary);
	fputs("\nExamples:\n", to);
	for (size_t i = 0; i < CLI_CMD_COUNT; i++)
		fprintf(to, "%.*s",
			(int)(strchr(cli_cmds[i].examples, '\n') - cli_cmds[i].examples + 1),
			cli_cmds[i].examples);
	fputs("\nrdma-trace COMMAND --help tells the options of a command; rdma-trace --version "
	      "the "
	      "libraries.\nEverything is in the manual page: man rdma-trace\n",
	      to);
}

void cli_version(FILE *out)
{
	fputs(CLI_NAME " " RDT_VERSION "\n", out);
	fprintf(out, "GLib %u.%u.%u\n", glib_major_version, glib_minor_version, glib_micro_version);
	source_pcap_version(out);
#ifdef RDT_HAVE_WIRETAP
	source_wtap_version(out);
	fputs("licence: GPL-2.0-or-later (built with wiretap); without it BSD-2-Clause\n", out);
#else
	fputs("without wiretap: no compressed captures, no pcapng of several link types\n"
	      "licence: BSD-2-Clause\n",
	      out);
#endif
}

static const struct rdt_cmd *find_command(const char *name)
{
	for (size_t i = 0; i < CLI_CMD_COUNT; i++) {
		if (!strcmp(name, cli_cmds[i].name))
			return &cli_cmds[i];
	}
	return NULL;
}

static int say_unknown(const char *word)
{
	const char *names[CLI_CMD_COUNT + 1] = { 0 };
	const char *near;

	for (size_t i = 0; i < CLI_CMD_COUNT; i++)
		names[i] = cli_cmds[i].name;
	near = cli_closest(word, names);
	if (near)
		cli_error("there is no command or file %s; did you mean rdma-trace %s?", word,
			  near);
	else
		cli_error("there is no command or file %s; rdma-trace --help lists the commands",
			  word);
	return CLI_USAGE;
}

static int run(const struct rdt_cmd *cmd, int argc, char **argv)
{
	struct cli_opts opts;
	int code = options_parse(cmd, argc, argv, &opts);

	if (code >= 0)
		return code;
	code = cli_out_done(cmd->run(&opts));
	options_free(&opts);
	return code;
}

/* A million connections are kept to the end: ask for memory seldom, and give none back before. */
static void take_memory_in_large_steps(void)
{
#ifdef M_TOP_PAD
	mallopt(M_TOP_PAD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

int main(int argc, char **argv)
{
	const struct rdt_cmd *cmd;
	struct stat st;

	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	/* A reader that has seen enough closes the pipe: die of it silently, as tools do. */
	signal(SIGPIPE, SIG_DFL);
	take_memory_in_large_steps();

	if (argc < 2) {
		usage(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		cli_version(stdout);
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--dump-options")) {
		options_dump(stdout);
		return CLI_OK;
	}
	cmd = find_command(argv[1]);
	if (cmd)
		return run(cmd, argc - 1, argv + 1);
	/* No command: list. Something that looks like a path is taken for one, though it is not there. */
	if (argv[1][0] != '-' && stat(argv[1], &st) && !strpbrk(argv[1], "/."))
		return say_unknown(argv[1]);
	return run(&cli_cmds[CLI_CMD_list], argc, argv);
}
