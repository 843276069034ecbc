// SPDX-License-Identifier: BSD-2-Clause
/* replay: scripts against a live peer, or both ends simulated. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "pcapng.h"
#include "progress.h"
#include "rdmatrace/text.h"
#include "replay.h"
#include "replay/backend.h"
#include "replay/share.h"
#include "replay/sim.h"
#include "replay/slurp.h"
#include "source.h"

struct replaying {
	const struct cli_opts *opts;
	struct rp_play_opts play;
	const struct rp_backend *backend; /* NULL: sim */
	const char *why;                  /* it was chosen */
	struct rp_link_opts link;
	enum rp_level require;
	bool has_require;
	struct pcapng *file;
	uint32_t frames;
	struct replay_report *report;
};

/* ---- the command line -------------------------------------------------------------------------- */

static bool read_speed(const char *text, double *ret)
{
	char *end;

	*ret = 1;
	if (!text || !strcmp(text, "orig"))
		return true;
	*ret = 0;
	if (!strcmp(text, "asap"))
		return true;
	if (*text == 'x') {
		*ret = g_ascii_strtod(text + 1, &end);
		if (text[1] && !*end && *ret >= 0.001 && *ret <= 1000000)
			return true;
	}
	cli_error("--speed %s: give orig, asap or x and a number, as in x4", text);
	return false;
}

static bool read_address(const char *text, const char *option, struct rdt_addr *ret)
{
	const uint8_t *b = ret->bytes;

	if (!text)
		return true;
	if (rdt_addr_parse(text, strlen(text), ret) != RDT_OK ||
	    (ret->kind != RDT_ADDR_IPV4 && ret->kind != RDT_ADDR_GID)) {
		cli_error("%s %s: give an IPv4 or IPv6 address", option, text);
		return false;
	}
	if ((ret->kind == RDT_ADDR_IPV4 && (b[12] >= 224 || !b[12] || b[15] == 255)) ||
	    (ret->kind == RDT_ADDR_GID && b[0] == 0xff)) {
		cli_error("%s %s: broadcast, multicast and reserved addresses are never spoken to; "
			  "give the address of one host",
			  option, text);
		return false;
	}
	return true;
}

static bool read_timeout(const char *text, struct rp_play_opts *play)
{
	play->timeout_ns = UINT64_C(5000000000);
	play->first_timeout_ns = UINT64_C(30000000000);
	if (!text)
		return true;
	if (rdt_duration_parse(text, strlen(text), &play->timeout_ns) != RDT_OK ||
	    play->timeout_ns > UINT64_C(86400000000000)) {
		cli_error("--timeout %s: give a time such as 500ms or 10s", text);
		return false;
	}
	play->first_timeout_ns = play->timeout_ns;
	return true;
}

static bool read_options(struct replaying *r)
{
	const struct cli_replay *o = &r->opts->replay;

	r->play = (struct rp_play_opts){ .max_msgs = o->max_msgs, .rate = o->rate };
	r->has_require = o->require;
	if (!replay_require(r->opts, &r->require))
		return false;
	r->link.port = r->opts->port ? r->opts->port : RDT_ROCEV2_PORT;
	r->link.device = o->device;
	r->link.realtime = o->realtime;
	return read_speed(o->speed, &r->play.speed) && read_timeout(o->timeout, &r->play) &&
	       read_address(o->local, "--local", &r->link.local) &&
	       read_address(o->peer, "--peer", &r->link.peer);
}

/* ---- what plays it ------------------------------------------------------------------------------- */

static char *backend_names(void)
{
	GString *out = g_string_new("auto, sim");

	for (const struct rp_backend *const *b = rp_backends; *b; b++)
		g_string_append_printf(out, ", %s", (*b)->name);
	return g_string_free(out, FALSE);
}

static bool needs(const struct rp_script *script, enum rp_family family)
{
	for (size_t i = 0; i < script->stmt_count; i++) {
		if (script->stmts[i].kind == RP_STMT_MSG && script->stmts[i].msg.family == family)
			return true;
	}
	return false;
}

static bool script_allows(const struct rp_script *script, const char *name)
{
	const char *const *list = script->require.backends;

	while (list && *list && strcmp(*list, name) != 0)
		list++;
	return !script->require.backends || (list && *list);
}

/* NULL after saying why: a sentence for the report is in *ret_why. */
static bool choose_backend(struct replaying *r, const struct rp_script *script, char **ret_why)
{
	const struct cli_replay *o = &r->opts->replay;
	const char *name = o->backend ? o->backend : "auto";
	const bool tcp = needs(script, RP_MPA) || needs(script, RP_TCP) || needs(script, RP_FPDU);
	char *names;

	r->backend = NULL;
	if (!strcmp(name, "auto")) {
		if (r->link.peer.kind == RDT_ADDR_NONE) {
			name = "sim";
			r->why = "no --peer was given: both ends are simulated";
		} else if (tcp) {
			name = "mpa";
			r->why = "the script is of iWARP";
		} else {
			name = "udp";
			r->why = "it needs no rights and chooses every byte of the messages";
		}
	}
	if (!script_allows(script, name)) {
		*ret_why = g_strdup_printf("the script does not allow backend %s (require backend)",
					   name);
		return false;
	}
	if (!strcmp(name, "sim"))
		return true;
	r->backend = rp_backend_find(name);
	if (r->backend)
		return true;
	names = backend_names();
	*ret_why =
		g_strdup_printf("there is no backend %s in this program; it has %s", name, names);
	g_free(names);
	return false;
}

static bool choose_role(struct replaying *r, const struct rp_script *script, char **ret_why)
{
	const char *name = r->opts->replay.play;
	unsigned role;

	r->play.played = 1u << RDT_ACTIVE;
	if (!name && !r->backend)
		return true;
	if (!name) {
		*ret_why = g_strdup_printf("say which role is played: --play %s or --play %s",
					   script->roles[0].name, script->roles[1].name);
		return false;
	}
	if (!strcmp(name, "both") && !r->backend)
		return true;
	role = rp_role_find(script, name, strlen(name));
	if (role == RP_ROLES && !strcmp(name, "active"))
		role = RDT_ACTIVE;
	if (role == RP_ROLES && !strcmp(name, "passive"))
		role = RDT_PASSIVE;
	if (role == RP_ROLES) {
		*ret_why = g_strdup_printf(
			"--play %s: the roles of the script are %s and %s%s", name,
			script->roles[0].name, script->roles[1].name,
			strcmp(name, "both") ? "" : "; both are played by backend sim");
		return false;
	}
	r->play.played = 1u << role;
	r->link.side = (enum rdt_side)role;
	return true;
}

static bool check_link(const struct replaying *r, char **ret_why)
{
	if (!r->backend)
		return true;
	if (r->link.peer.kind == RDT_ADDR_NONE) {
		*ret_why = g_strdup_printf("backend %s speaks to one peer: say which with --peer",
					   r->backend->name);
		return false;
	}
	if (r->link.local.kind == RDT_ADDR_NONE) {
		*ret_why = g_strdup("say which address is played from: --local");
		return false;
	}
	if (r->link.local.kind != r->link.peer.kind) {
		*ret_why =
			g_strdup("--local and --peer are not of one kind: both IPv4 or both IPv6");
		return false;
	}
	return true;
}

/* ---- the replay's own capture --------------------------------------------------------------------- */

static void tap(void *user, const struct rp_item *item, bool sent)
{
	struct replaying *r = user;
	char text[160];
	struct packet packet = { .bytes = item->bytes,
				 .have = (uint32_t)item->len,
				 .len = (uint32_t)item->len,
				 .link = RDT_LINK_ETHERNET,
				 .when = { .ns = item->ns, .frame = ++r->frames } };

	if (!r->file || !item->bytes)
		return;
	g_snprintf(text, sizeof(text),
		   "rdma-trace replay: %s; link and IP header were written by the replay",
		   sent ? "sent" : "received");
	pcapng_add(r->file, &packet, "replay", text);
}

/* What a simulation passed, afterwards. */
static void tap_all(struct replaying *r, const struct rp_player *p)
{
	for (guint i = 0; i < p->recs->len; i++) {
		const struct rp_rec *rec = p->recs->pdata[i];

		if (rec->got && rec->kind != RP_REC_DROPPED)
			tap(r, rec->got, rec->kind == RP_REC_SENT);
	}
}

/* It is no hang: somebody has to start the peer. */
static void waiting(void *user, const char *msg, int64_t ns)
{
	const struct replaying *r = user;
	char peer[RDT_ADDR_TEXT], span[RDT_TEXT_MAX];

	/* To the nearest 0.1 s: the wait began a moment ago. */
	ns = (ns + 50000000) / 100000000 * 100000000;
	cli_warn("waiting for %s of %s (%s)", msg, rdt_addr_text(&r->link.peer, peer, sizeof(peer)),
		 rdt_duration_text((uint64_t)ns, span, sizeof(span)));
}

/* ---- one script -------------------------------------------------------------------------------------- */

static void addresses(const struct replaying *r, struct rdt_addr addr[RP_ROLES])
{
	addr[r->link.side] = r->link.local;
	addr[!r->link.side] = r->link.peer;
}

static struct rp_player *play_live(struct replaying *r, const struct rp_script *script,
				   GPtrArray *lines, struct rp_problem *problem)
{
	struct rdt_addr addr[RP_ROLES];
	struct rp_live live = {
		.backend = r->backend, .stopped = progress_stopped, .waiting = waiting, .user = r
	};
	struct rp_player *player;

	r->link.tap = tap;
	r->link.tap_user = r;
	r->link.tcp_port = (uint16_t)(script->service & 0xffff);
	r->link.port_space = (uint16_t)(script->service >> 16 & 0xffff);
	live.link = r->backend->open(&r->link, r->opts->replay.check, lines, problem);
	if (!live.link)
		return NULL;
	if (!r->opts->replay.check && r->opts->replay.share)
		live.share = rp_share_open(&r->link, (uint16_t)r->opts->replay.share, problem);
	if (r->opts->replay.check || problem->text) {
		r->backend->close(live.link);
		return NULL;
	}
	addresses(r, addr);
	player = rp_player_new(script, &r->play, NULL, r->opts->replay.seed,
			       r->opts->replay.keep_ids, addr);
	player->tolerance = (unsigned)r->opts->replay.tolerance;
	if (r->opts->verbose) {
		for (guint i = 0; i < lines->len; i++)
			cli_warn("%s", (const char *)lines->pdata[i]);
	}
	rp_live_run(&live, player);
	r->backend->close(live.link);
	rp_share_close(live.share);
	return player;
}

static struct rp_player *play_sim(const struct replaying *r, const struct rp_script *script)
{
	struct rp_play_opts play = r->play;

	play.rate = 0; /* time costs nothing here */
	play.share = r->opts->replay.share != 0;
	return rp_sim_run(script, script, &play, r->opts->replay.seed, r->opts->replay.keep_ids,
			  NULL);
}

/* Every message is built as it will be. Returns NULL, or where it stops although the peer does all. */
static char *rehearse(const struct replaying *r, const struct rp_script *script)
{
	struct rp_player *player = play_sim(r, script);
	char *why = NULL;

	if (player->state == RP_FAILED)
		why = g_strdup_printf(
			"it stops even against a peer that does all it should: %s%s", player->why,
			script->memory_count && !r->opts->replay.share
				? "; keys of memory that no message tells need --share"
				: "");
	rp_player_free(player);
	return why;
}

/* Reports why a script could not be played; returns the exit code. */
static int refuse(struct replaying *r, const char *name, int code, const char *why)
{
	if (r->opts->format == CLI_TEXT)
		cli_error("%s: %s", name, why);
	replay_report_error(r->report, name, why);
	return code;
}

static void print_check(const struct replaying *r, const char *name, const GPtrArray *lines)
{
	fprintf(cli_out(), "%s: backend %s: %s\n", name, r->backend ? r->backend->name : "sim",
		r->why       ? r->why
		: r->backend ? r->backend->summary
			     : "both ends are simulated");
	for (guint i = 0; i < lines->len; i++)
		fprintf(cli_out(), "  %s\n", (const char *)lines->pdata[i]);
}

static int grade_it(struct replaying *r, const char *name, struct rp_player *player,
		    GPtrArray *lines, double seconds)
{
	const char *backend = r->backend ? r->backend->name : "sim";
	struct replay_run run = { .name = name,
				  .backend = backend,
				  .player = player,
				  .preflight = lines,
				  .seconds = seconds,
				  .played = r->backend ? player->script->roles[r->link.side].name
						       : "both" };
	GPtrArray *untested = replay_untested(player, r->backend != NULL);
	char *compare = NULL;
	unsigned unwritten = 0;

	run.untested = untested;
	rp_grade(player, backend, &run.grade);
	run.passed = rp_grade_passes(&run.grade, player, r->has_require ? &r->require : NULL, RP_F3,
				     &run.required);
	for (guint i = 0; !r->backend && i < player->recs->len; i++) {
		const struct rp_rec *rec = player->recs->pdata[i];

		unwritten += rec->got && !rec->got->bytes && rec->kind != RP_REC_DROPPED;
	}
	if (unwritten && r->opts->write) {
		compare = g_strdup_printf(
			"%s; without %u operation%s: a simulation makes no data packets (a live "
			"replay with --peer does)",
			r->opts->write, unwritten, unwritten == 1 ? "" : "s");
		run.compare = compare;
	} else if (r->opts->write) {
		compare = g_strdup_printf("%s; compare it with rdma-trace diff CAPTURE:N %s:1",
					  r->opts->write, r->opts->write);
		run.compare = compare;
	}
	replay_report_run(r->report, &run);
	rp_grade_clear(&run.grade);
	g_ptr_array_unref(untested);
	g_free(compare);
	return run.passed ? CLI_OK : CLI_FINDINGS;
}

static int play_script(struct replaying *r, const char *name, const struct rp_script *script)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	struct rp_problem problem = { .text = NULL };
	struct rp_player *player;
	struct rp_env env;
	char *why = NULL;
	int code = CLI_USAGE;
	const int64_t begin = rp_now();

	r->why = NULL;
	rp_env_init(&env, script, 1, NULL);
	if (!rp_env_check(&env))
		why = g_strdup_printf("line %u, column %u: %s", env.error_pos.line,
				      env.error_pos.col, env.error);
	rp_env_clear(&env);
	if (why || !choose_backend(r, script, &why) || !choose_role(r, script, &why) ||
	    !check_link(r, &why) ||
	    (r->opts->replay.check && (why = rehearse(r, script)) != NULL)) {
		code = refuse(r, name, CLI_USAGE, why);
		goto out;
	}
	if (!r->backend) {
		g_ptr_array_add(lines, g_strdup("sim, a virtual clock, both ends from the script   "
						"reachable: F5+T of the model; no real peer"));
		if (!rp_script_tells_data(script))
			g_ptr_array_add(lines,
					g_strdup("the script does not tell the QPNs and first "
						 "PSNs of the data: no live backend can play "
						 "it without bind lines for them"));
		player = r->opts->replay.check ? NULL : play_sim(r, script);
		if (player)
			tap_all(r, player);
	} else {
		if (r->backend->reach < (r->has_require ? r->require : script->require.level)) {
			why = g_strdup_printf(
				"backend %s reaches %s at best, and %s is required",
				r->backend->name, rp_level_name(r->backend->reach),
				rp_level_name(r->has_require ? r->require : script->require.level));
			code = refuse(r, name, CLI_ENV, why);
			goto out;
		}
		player = play_live(r, script, lines, &problem);
	}
	if (problem.text) {
		code = refuse(r, name, problem.environment ? CLI_ENV : CLI_USAGE, problem.text);
	} else if (!player) {
		print_check(r, name, lines);
		code = CLI_OK;
	} else {
		code = grade_it(r, name, player, lines, (double)(rp_now() - begin) / 1e9);
		rp_player_free(player);
	}
out:
	g_free(why);
	g_free(problem.text);
	g_ptr_array_unref(lines);
	return code;
}

static int play_file(struct replaying *r, const char *path)
{
	struct rp_script *script;
	struct rp_error error;
	gchar *text;
	gsize len;
	char *failed;
	int code;

	if (!rp_slurp(path, RP_SCRIPT_MAX, true, &text, &len, &failed)) {
		code = refuse(r, path, CLI_USAGE, failed);
		g_free(failed);
		return code;
	}
	if (source_is_capture(text, len)) {
		char *why = g_strdup_printf(
			"is a capture; make a script first: rdma-trace script N %s", path);

		code = refuse(r, path, CLI_USAGE, why);
		g_free(why);
		g_free(text);
		return code;
	}
	script = rp_script_parse(path, text, len, &error);
	g_free(text);
	if (!script) {
		char *why = g_strdup_printf("%u:%u: %s", error.pos.line, error.pos.col, error.what);

		code = refuse(r, path, CLI_USAGE, why);
		g_free(why);
		return code;
	}
	code = play_script(r, path, script);
	rp_script_free(script);
	return code;
}

/* ---- the command --------------------------------------------------------------------------------------- */

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files, and the scripts of folders in order of their names. */
static GPtrArray *find_scripts(const struct cli_opts *opts, int *ret_code)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	for (const char *const *file = opts->files; *file; file++) {
		GDir *dir = g_dir_open(*file, 0, NULL);
		GPtrArray *inside = g_ptr_array_new();
		const char *name;

		if (!dir)
			g_ptr_array_add(all, g_strdup(*file));
		while (dir && (name = g_dir_read_name(dir))) {
			if (g_str_has_suffix(name, ".rdt"))
				g_ptr_array_add(inside, g_build_filename(*file, name, NULL));
		}
		g_ptr_array_sort(inside, by_name);
		for (guint i = 0; i < inside->len; i++)
			g_ptr_array_add(all, inside->pdata[i]);
		if (dir && !inside->len) {
			cli_error("%s: there is no script (*.rdt) in this folder", *file);
			*ret_code = CLI_USAGE;
		}
		g_ptr_array_unref(inside);
		if (dir)
			g_dir_close(dir);
	}
	return all;
}

int cmd_replay(const struct cli_opts *opts)
{
	struct replaying r = { .opts = opts };
	GPtrArray *scripts;
	int code = CLI_OK;

	if (!read_options(&r))
		return CLI_USAGE;
	scripts = find_scripts(opts, &code);
	if (!scripts->len) {
		g_ptr_array_unref(scripts);
		return CLI_USAGE;
	}
	if (opts->write) {
		r.file = pcapng_create(opts->write, CLI_NAME ": a replay");
		if (!r.file) {
			g_ptr_array_unref(scripts);
			return CLI_USAGE;
		}
	}
	progress_catch_stop();
	r.report = replay_report_begin(opts, scripts->len);
	for (guint i = 0; i < scripts->len && !progress_stopped(); i++) {
		const int one = play_file(&r, scripts->pdata[i]);

		/* The worst counts: 4 over 2 over 1. */
		code = MAX(code, one);
		cli_out_flush();
	}
	replay_report_end(r.report);
	g_ptr_array_unref(scripts);
	return pcapng_close(r.file, code);
}
