// SPDX-License-Identifier: BSD-2-Clause
#include "cli.h"
int cmd_replay(const struct cli_opts *opts)
{
	(void)opts;
	return CLI_USAGE;
}
int cmd_diff(const struct cli_opts *opts)
{
	(void)opts;
	return CLI_USAGE;
}
