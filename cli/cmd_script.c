// SPDX-License-Identifier: BSD-2-Clause
/* script: a connection of a capture as a replay script. */
#include <stdlib.h>
#include <string.h>

#include "replay_read.h"

static void print_script(const char *text, bool told)
{
	const char *rest = strchr(text, '\n');

	/* rdt 1 must be the first line. */
	if (!told && rest)
		fprintf(cli_out(),
			"%.*s\n# the capture does not tell the QPNs and first PSNs: for a "
			"live replay add bind $a.qpn = ... and the like\n%s",
			(int)(rest - text), text, rest + 1);
	else
		fputs(text, cli_out());
}

int cmd_script(const struct cli_opts *opts)
{
	struct replay_capture capture;
	int code = replay_read(opts, &capture);

	if (code == CLI_OK || code == CLI_PARTIAL) {
		struct rp_script *script = rp_record(&capture.recording);
		struct rp_error error;
		char *text = rp_script_print(script);
		struct rp_script *back = rp_script_parse("script", text, strlen(text), &error);

		/* What is written must be a script. */
		if (!back) {
			cli_error("line %u of the script does not parse: %s; please report this",
				  error.pos.line, error.what);
			code = CLI_USAGE;
		} else {
			if (!rp_script_tells_data(script)) {
				cli_warn("the capture does not tell the QPNs and first PSNs: the "
					 "script can be simulated and compared; for a live replay "
					 "add bind lines for $a.qpn, $a.psn, $p.qpn and $p.psn");
			}
			print_script(text, rp_script_tells_data(script));
		}
		rp_script_free(back);
		rp_script_free(script);
		g_free(text);
	}
	replay_read_free(&capture);
	return code;
}
