// SPDX-License-Identifier: BSD-2-Clause
/* script: a connection of a capture as a replay script. */
#include <stdlib.h>
#include <string.h>

#include "replay_read.h"

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
			fputs(text, cli_out());
		}
		rp_script_free(back);
		rp_script_free(script);
		g_free(text);
	}
	replay_read_free(&capture);
	return code;
}
