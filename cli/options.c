/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "error.h"
#include "filter.h"
#include "pcapng.h"
#include "rdmatrace/why.h"
#include "select.h"

/* ---- the rows ---------------------------------------------------------------------------- */

#define L (1u << CLI_CMD_list)
#define S (1u << CLI_CMD_show)
#define P (1u << CLI_CMD_ladder)
#define G (1u << CLI_CMD_diagnose)
#define T (1u << CLI_CMD_stats)
#define D (1u << CLI_CMD_dump)
#define E (1u << CLI_CMD_explain)
#define F (1u << CLI_CMD_fields)
#define X (1u << CLI_CMD_script)
#define R (1u << CLI_CMD_replay)
#define I (1u << CLI_CMD_diff)
#define SHOWS (L | S | P | G | T | D)
#define READS (SHOWS | X)
#define EVERY (READS | R | I | E | F)

#define RAW_FLAG gboolean
#define RAW_TEXT char *
#define RAW_LIST char **

/* As GOption leaves them. */
struct cli_raw {
#define O(member, letter, name, kind, arg, cmds, help) RAW_##kind member;
#include "options.def"
#undef O
};

/* FILENAME keeps the bytes of an argument whatever the locale says. */
#define GOPTION_FLAG G_OPTION_ARG_NONE
#define GOPTION_TEXT G_OPTION_ARG_FILENAME
#define GOPTION_LIST G_OPTION_ARG_FILENAME_ARRAY

static const struct option_row {
	const char *name, *arg, *help;
	size_t at; /* in struct cli_raw */
	GOptionArg kind;
	unsigned cmds;
	char letter;
} rows[] = {
#define O(member, letter, name, kind, arg, cmds, help) \
	{ name, arg, help, offsetof(struct cli_raw, member), GOPTION_##kind, cmds, letter },
#include "options.def"
#undef O
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void *member_of(struct cli_raw *raw, const struct option_row *row)
{
	return (char *)raw + row->at;
}

static bool row_given(struct cli_raw *raw, const struct option_row *row)
{
	void *member = member_of(raw, row);

	if (row->kind == G_OPTION_ARG_NONE)
		return *(gboolean *)member;
	return *(void **)member != NULL;
}

static char *row_text(const struct option_row *row, char *buf, size_t size)
{
	if (row->letter)
		snprintf(buf, size, "-%c", row->letter);
	else
		snprintf(buf, size, "--%s", row->name);
	return buf;
}

void options_dump(FILE *out)
{
	for (size_t c = 0; c < CLI_CMD_COUNT; c++) {
		fprintf(out, "command %s\n", cli_cmds[c].name);
		for (size_t i = 0; i < ROWS; i++) {
			if (!(rows[i].cmds >> c & 1))
				continue;
			fprintf(out, "option %s --%s %s %s\n", cli_cmds[c].name, rows[i].name,
				rows[i].letter ? (char[]){ '-', rows[i].letter, 0 } : "-",
				rows[i].arg ? rows[i].arg : "-");
		}
	}
}

/* ---- values ------------------------------------------------------------------------------ */

/* A table of words and what they mean; ends in NULL. */
struct word {
	const char *word;
	int value;
};

static const struct word formats[] = { { "text", CLI_TEXT },     { "json", CLI_JSON },
				       { "ndjson", CLI_NDJSON }, { "csv", CLI_CSV },
				       { "tsv", CLI_TSV },       { NULL, 0 } };
static const struct word page_formats[] = {
	{ "text", CLI_TEXT }, { "json", CLI_JSON }, { "ndjson", CLI_NDJSON },
	{ "csv", CLI_CSV },   { "tsv", CLI_TSV },   { "md", CLI_MD },
	{ NULL, 0 }
};
static const struct word result_formats[] = { { "text", CLI_TEXT },     { "json", CLI_JSON },
					      { "ndjson", CLI_NDJSON }, { "junit", CLI_JUNIT },
					      { "tap", CLI_TAP },       { NULL, 0 } };
static const struct word pictures[] = { { "text", CLI_NO_PICTURE },
					{ "mermaid", CLI_MERMAID },
					{ "plantuml", CLI_PLANTUML },
					{ "svg", CLI_SVG },
					{ NULL, 0 } };
static const struct word times[] = { { "r", CLI_TIME_REL },
				     { "a", CLI_TIME_ABS },
				     { "ad", CLI_TIME_DATE },
				     { "d", CLI_TIME_DELTA },
				     { "e", CLI_TIME_EPOCH },
				     { "u", CLI_TIME_UTC },
				     { NULL, 0 } };

static const struct word severities[] = { { "note", RDT_SEVERITY_NOTE },
					  { "warning", RDT_SEVERITY_WARNING },
					  { "error", RDT_SEVERITY_ERROR },
					  { "never", RDT_SEVERITY_COUNT },
					  { NULL, 0 } };

/* What -T takes. */
static const struct word *formats_of(const struct rdt_cmd *cmd)
{
	if (cmd->run == cmd_ladder)
		return pictures;
	if (cmd->run == cmd_replay || cmd->run == cmd_diff)
		return result_formats;
	return cmd->run == cmd_fields ? page_formats : formats;
}

/* "text, json or csv"; the caller frees it. */
static char *words_text(const struct word *words)
{
	GString *all = g_string_new(NULL);

	for (const struct word *w = words; w->word; w++)
		g_string_append_printf(all, "%s%s",
				       w == words  ? ""
				       : w[1].word ? ", "
						   : " or ",
				       w->word);
	return g_string_free(all, FALSE);
}

static bool read_word(const struct word *words, const char *text, const char *option,
		      int *ret_value)
{
	char *all;

	for (const struct word *w = words; w->word; w++) {
		if (!strcmp(text, w->word)) {
			*ret_value = w->value;
			return true;
		}
	}
	all = words_text(words);
	cli_error("%s %s: that is none of %s", option, text, all);
	g_free(all);
	return false;
}

static bool read_number(const char *text, const char *option, uint64_t min, uint64_t max,
			uint64_t *ret_value)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = g_ascii_strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end || errno || value < min || value > max) {
		cli_error("%s %s: give a number from %" PRIu64 " to %" PRIu64, option, text, min,
			  max);
		return false;
	}
	*ret_value = value;
	return true;
}

static bool read_table(char **list, struct cli_table *table)
{
	for (; list && *list; list++) {
		const char *p = *list;

		/* A comma may itself be the separator that is asked for. */
		while (*p) {
			size_t len;
			const char *value;

			if (g_str_has_prefix(p, "header=") && p[7] && strchr("yn", p[7])) {
				table->header = p[7] == 'y';
				len = 8;
			} else if (g_str_has_prefix(p, "separator=")) {
				value = p + 10;
				if (!strncmp(value, "/t", 2) || !strncmp(value, "\\t", 2)) {
					table->separator = '\t';
					len = 12;
				} else if (!strncmp(value, "/s", 2)) {
					table->separator = ' ';
					len = 12;
				} else {
					table->separator = *value;
					len = 10 + !!*value;
				}
				if (!*value || strchr("\"'\n\r", *value))
					goto bad;
			} else if (g_str_has_prefix(p, "quote=") && p[6] && strchr("dsn", p[6])) {
				table->quote = p[6] == 'd' ? '"' : p[6] == 's' ? '\'' : 0;
				len = 7;
			} else {
				goto bad;
			}
			p += len;
			if (*p == ',')
				p++;
			else if (*p)
				goto bad;
			continue;
		bad:
			cli_error("-E %s: give header=y or n, separator= and one character (/t "
				  "tab, /s "
				  "space), quote=d, s or n",
				  p);
			return false;
		}
	}
	return true;
}

static const char *const *split_list(char **list)
{
	GPtrArray *all = g_ptr_array_new();

	for (; list && *list; list++) {
		char **parts = g_strsplit(*list, ",", -1);

		for (char **p = parts; *p; p++) {
			if (*g_strstrip(*p))
				g_ptr_array_add(all, g_strdup(*p));
		}
		g_strfreev(parts);
	}
	g_ptr_array_add(all, NULL);
	return (const char *const *)g_ptr_array_free(all, FALSE);
}

static bool compile_filter(struct cli_opts *opts)
{
	struct rdt_filter_error err;
	const size_t len = strlen(opts->filter_text);

	opts->filter = rdt_filter_new(opts->filter_text, len, &err);
	if (!opts->filter)
		rdt_filter_error_print(stderr, CLI_NAME ": -Y: ", opts->filter_text, len, &err);
	return opts->filter != NULL;
}

/* Positional arguments: words, selections, files. */
static bool take_arguments(struct cli_opts *opts, struct selection *sel, char **read, char **args)
{
	GPtrArray *files = g_ptr_array_new(), *words = g_ptr_array_new();
	struct stat st;
	bool ok = true, dashes = false;

	for (char **p = read; p && *p; p++)
		g_ptr_array_add(files, g_strdup(*p));
	for (char **p = args; *p; p++) {
		/* GOption leaves the -- where a name with a dash follows. */
		if (!dashes && !strcmp(*p, "--"))
			dashes = true;
		else if (opts->cmd->takes & CLI_TAKES_WORDS)
			g_ptr_array_add(words, g_strdup(*p));
		else if (opts->cmd->takes & CLI_TAKES_CONNS && stat(*p, &st) && selection_is(*p))
			selection_add(sel, *p);
		else
			g_ptr_array_add(files, g_strdup(*p));
	}
	if (opts->cmd->takes & CLI_TAKES_FILES && !files->len) {
		cli_error("%s: no %s, or - for standard input", opts->cmd->name,
			  strcmp(opts->cmd->name, "replay")
				  ? "capture to read; name a file"
				  : "script to play; name a script (.rdt), a folder of them");
		ok = false;
	}
	g_ptr_array_add(files, NULL);
	g_ptr_array_add(words, NULL);
	opts->files = (const char *const *)g_ptr_array_free(files, FALSE);
	opts->words = (const char *const *)g_ptr_array_free(words, FALSE);
	return ok;
}

static bool take_selection(struct cli_opts *opts, char **list, struct selection *sel)
{
	for (char **p = list; p && *p; p++) {
		if (!selection_add(sel, *p)) {
			cli_error("-s %s: give connection numbers (3), ranges (3-7, 3-) or 8-digit "
				  "ids, "
				  "with commas between them",
				  *p);
			return false;
		}
	}
	opts->select = sel->count ? sel : NULL;
	return true;
}

/* What replay and diff take, as it was written. */
static bool take_replay(struct cli_opts *opts, const struct cli_raw *raw)
{
	struct cli_replay *r = &opts->replay;

	*r = (struct cli_replay){ .play = raw->play,
				  .backend = raw->backend,
				  .local = raw->local,
				  .peer = raw->peer,
				  .device = raw->device,
				  .speed = raw->speed,
				  .timeout = raw->timeout,
				  .require = raw->require,
				  .tolerance = 20,
				  .max_msgs = 1000,
				  .rate = 1000,
				  .keep_ids = raw->keep_ids,
				  .realtime = raw->realtime,
				  .check = raw->check };
	return (!raw->tolerance ||
		read_number(raw->tolerance, "--tolerance", 0, 10000, &r->tolerance)) &&
	       (!raw->max_msgs ||
		read_number(raw->max_msgs, "--max-msgs", 1, 10000000, &r->max_msgs)) &&
	       (!raw->share || read_number(raw->share, "--share", 1, 65535, &r->share)) &&
	       (!raw->rate || read_number(raw->rate, "--rate", 1, 1000000, &r->rate)) &&
	       (!raw->seed || read_number(raw->seed, "--seed", 1, UINT64_MAX, &r->seed));
}

static bool take_values(struct cli_opts *opts, struct cli_raw *raw)
{
	uint64_t number;
	int value = CLI_TEXT;

	if (opts->cmd->run == cmd_ladder)
		value = CLI_NO_PICTURE;
	if (raw->format && !read_word(formats_of(opts->cmd), raw->format, "-T", &value))
		return false;
	if (opts->cmd->run == cmd_ladder)
		opts->picture = (enum cli_picture)value;
	else
		opts->format = (enum cli_format)value;
	value = CLI_TIME_REL;
	if (raw->time && !read_word(times, raw->time, "-t", &value))
		return false;
	opts->time = (enum cli_time_form)value;
	opts->fail_on = RDT_SEVERITY_ERROR;
	if (raw->fail_on && !read_word(severities, raw->fail_on, "--fail-on", &opts->fail_on))
		return false;
	if (raw->count) {
		if (!read_number(raw->count, "-c", 1, UINT64_MAX, &opts->count))
			return false;
	}
	if (raw->port) {
		if (!read_number(raw->port, "--port", 1, 65535, &number))
			return false;
		opts->port = (uint16_t)number;
	}
	if (raw->max_conns) {
		if (!read_number(raw->max_conns, "--max-conns", 1, UINT32_MAX, &number))
			return false;
		opts->max_conns = (uint32_t)number;
	}
	opts->table = (struct cli_table){ true, opts->format == CLI_TSV ? '\t' : ',', '"' };
	if (!read_table(raw->table, &opts->table))
		return false;
	opts->fields = split_list(raw->field);
	opts->bpf = raw->bpf;
	opts->filter_text = raw->filter;
	opts->output = raw->output;
	opts->write = raw->write;
	opts->resolve = raw->resolve && !raw->numeric;
	opts->quiet = raw->quiet;
	opts->verbose = raw->verbose;
	opts->decode = raw->decode;
	opts->calls = raw->calls;
	opts->expand = raw->expand;
	opts->no_icrc = raw->no_icrc;
	opts->ftrace = (const char *const *)raw->ftrace;
	opts->ascii = raw->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	cli_set_quiet(opts->quiet);
	return take_replay(opts, raw);
}

/* CLI_OK, or what to exit with. */
static int take_screen(struct cli_opts *opts, const struct cli_raw *raw)
{
	uint64_t number;
	int code;

	if (opts->write && cli_overwrites(opts, opts->write, "-w"))
		return CLI_USAGE;
	if (opts->write && !strcmp(opts->write, "-") && !opts->output) {
		cli_error("-w - takes standard output; add -o FILE for the text, or -o /dev/null");
		return CLI_USAGE;
	}
	/* Before anything is read or printed, which may take long. */
	if (opts->write && !pcapng_can_create(opts->write))
		return CLI_ENV;
	code = output_open(opts, raw->color);
	if (code != CLI_OK)
		return code;
	if (raw->width) {
		if (!read_number(raw->width, "--width", 0, 10000, &number))
			return CLI_USAGE;
		opts->width = (unsigned)number;
	}
	return CLI_OK;
}

/* ---- parsing ----------------------------------------------------------------------------- */

static char *commands_of(unsigned cmds)
{
	GString *text = g_string_new(NULL);

	for (unsigned c = 0; c < CLI_CMD_COUNT; c++) {
		if (cmds >> c & 1)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "",
					       cli_cmds[c].name);
	}
	return g_string_free(text, FALSE);
}

static bool options_belong(const struct rdt_cmd *cmd, struct cli_raw *raw)
{
	const unsigned bit = 1u << (cmd - cli_cmds);
	char text[64], *takers;

	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].cmds & bit || !row_given(raw, &rows[i]))
			continue;
		takers = commands_of(rows[i].cmds);
		cli_error("%s does not take %s; it is for %s", cmd->name,
			  row_text(&rows[i], text, sizeof(text)), takers);
		g_free(takers);
		return false;
	}
	return true;
}

/* What help says of -T: GOption keeps the pointer. */
static const char *format_help(const struct rdt_cmd *cmd)
{
	static char help[96];
	char *all = words_text(formats_of(cmd));

	g_snprintf(help, sizeof(help), "%s (text without it)", all);
	g_free(all);
	return help;
}

static GOptionContext *make_context(const struct rdt_cmd *cmd, struct cli_raw *raw)
{
	const unsigned bit = 1u << (cmd - cli_cmds);
	GOptionEntry entries[ROWS + 1] = { 0 };
	GOptionContext *ctx = g_option_context_new(cmd->args);
	char *summary;

	for (size_t i = 0; i < ROWS; i++) {
		entries[i] = (GOptionEntry){
			.long_name = rows[i].name,
			.short_name = rows[i].letter,
			.flags = rows[i].cmds & bit ? 0 : G_OPTION_FLAG_HIDDEN,
			.arg = rows[i].kind,
			.arg_data = member_of(raw, &rows[i]),
			.description = rows[i].help ? rows[i].help : format_help(cmd),
			.arg_description = rows[i].arg,
		};
	}
	g_option_context_set_help_enabled(ctx, FALSE);
	g_option_context_add_main_entries(ctx, entries, NULL);
	summary = g_strdup_printf("%s: %s", cmd->name, cmd->summary);
	g_option_context_set_summary(ctx, summary);
	g_free(summary);
	summary = g_strdup_printf(
		"Examples:\n%s\nExit: 0 done, %s2 usage or unreadable input, 3 partial, "
		"4 environment. More in rdma-trace(1).",
		cmd->examples,
		cmd->run == cmd_diagnose                         ? "1 findings (see --fail-on), "
		: cmd->run == cmd_replay || cmd->run == cmd_diff ? "1 differs or failed, "
								 : "");
	g_option_context_set_description(ctx, summary);
	g_free(summary);
	return ctx;
}

/* explain -28: a negative number is a word, not options -2 and -8. */
static void hide_numbers(const struct rdt_cmd *cmd, int argc, char **argv, GPtrArray *given,
			 GPtrArray *numbers)
{
	bool rest = false;

	g_ptr_array_add(given, argv[0]);
	for (int i = 1; i < argc; i++) {
		rest |= !strcmp(argv[i], "--");
		if (cmd->takes & CLI_TAKES_WORDS && !rest && argv[i][0] == '-' &&
		    g_ascii_isdigit(argv[i][1]))
			g_ptr_array_add(numbers, argv[i]);
		else
			g_ptr_array_add(given, argv[i]);
	}
	g_ptr_array_add(given, NULL);
}

/* GLib's sentence ends without telling what to do. */
static void say_parse_error(const struct rdt_cmd *cmd, const char *message, int argc, char **argv)
{
	const char *names[ROWS + 1] = { 0 };
	const char *near = NULL;

	for (size_t i = 0; i < ROWS; i++)
		names[i] = rows[i].name;
	for (int i = 1; i < argc && !near; i++) {
		if (argv[i][0] == '-' && argv[i][1] == '-' && argv[i][2] &&
		    strstr(message, argv[i]))
			near = cli_closest(argv[i] + 2, names);
	}
	if (near)
		cli_error("%s: %s; did you mean --%s? See rdma-trace %s --help", cmd->name, message,
			  near, cmd->name);
	else
		cli_error("%s: %s; see rdma-trace %s --help", cmd->name, message, cmd->name);
}

static struct cli_raw raw; /* its strings are handed on in struct cli_opts */
static struct selection selection;

int options_parse(const struct rdt_cmd *cmd, int argc, char **argv, struct cli_opts *ret_opts)
{
	struct cli_opts opts = { .cmd = cmd };
	GPtrArray *given = g_ptr_array_new(), *numbers = g_ptr_array_new();
	GOptionContext *ctx = make_context(cmd, &raw);
	GError *error = NULL;
	int code = CLI_USAGE;
	guint count;
	char **args, *program = g_strdup_printf(CLI_NAME " %s", cmd->name);

	hide_numbers(cmd, argc, argv, given, numbers);
	/* A copy of the array: GOption takes out of it what it understands. */
	args = g_strdupv((char **)given->pdata);
	g_free(args[0]);
	args[0] = program;
	g_set_prgname(program);
	if (!g_option_context_parse_strv(ctx, &args, &error)) {
		say_parse_error(cmd, error->message, argc, argv);
		g_error_free(error);
		goto out;
	}
	if (raw.help) {
		char *help = g_option_context_get_help(ctx, TRUE, NULL);

		fputs(help, stdout);
		g_free(help);
		code = CLI_OK;
		goto out;
	}
	if (raw.version) {
		cli_version(stdout);
		code = CLI_OK;
		goto out;
	}
	count = g_strv_length(args);
	args = g_realloc_n(args, count + numbers->len + 1, sizeof(*args));
	for (guint i = 0; i < numbers->len; i++)
		args[count++] = g_strdup(numbers->pdata[i]);
	args[count] = NULL;
	if (!options_belong(cmd, &raw) || !take_values(&opts, &raw) ||
	    !take_selection(&opts, raw.select, &selection) ||
	    !take_arguments(&opts, &selection, raw.read, args + 1))
		goto out;
	if (selection.count)
		opts.select = &selection;
	if (opts.filter_text && !compile_filter(&opts))
		goto out;
	code = take_screen(&opts, &raw);
	if (code != CLI_OK)
		goto out;
	*ret_opts = opts;
	code = -1;
out:
	if (code >= 0)
		options_free(&opts);
	g_ptr_array_free(given, TRUE);
	g_ptr_array_free(numbers, TRUE);
	g_option_context_free(ctx);
	g_strfreev(args);
	return code;
}

static void free_list(const char *const *list)
{
	for (const char *const *p = list; p && *p; p++)
		g_free((gpointer)(uintptr_t)*p);
	g_free((gpointer)(uintptr_t)list);
}

void options_free(struct cli_opts *opts)
{
	rdt_filter_free(opts->filter);
	free_list(opts->files);
	free_list(opts->words);
	free_list(opts->fields);
	selection_free(&selection);
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].kind == G_OPTION_ARG_FILENAME)
			g_free(*(char **)member_of(&raw, &rows[i]));
		else if (rows[i].kind == G_OPTION_ARG_FILENAME_ARRAY)
			g_strfreev(*(char ***)member_of(&raw, &rows[i]));
	}
	raw = (struct cli_raw){ 0 };
	*opts = (struct cli_opts){ 0 };
}
