/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of what the two sides told each other: rows are gathered by those who know a way of
 * setting up, and printed by show_params.c.
 */
#ifndef RDT_CLI_SHOW_PARAMS_H
#define RDT_CLI_SHOW_PARAMS_H

#include "show.h"

#define CELL 96
#define ROWS 32

struct row {
	const char *label;
	char cell[RDT_SIDES][CELL];
	char check[2 * CELL];
	enum cli_tone tone; /* of check */
};

struct params {
	const struct story *s;
	struct row rows[ROWS];
	size_t count;
};

/* A new row with "-" in both cells. */
struct row *params_add(struct params *p, const char *label);

/* A row of one field each, of the messages that the sides sent. */
struct row *params_fields(struct params *p, const char *label, enum rdt_msg a_msg,
			  enum rdt_field_id a, enum rdt_msg p_msg, enum rdt_field_id b);

/* What the two cells together mean. */
void params_check(struct row *row, enum cli_tone tone, const char *fmt, ...) CLI_PRINTF(3, 4);

void params_qpns(struct params *p);

/* Does data of a side begin where it was announced? "yes", "no, at 0x000007", "no data". */
const char *params_begins(const struct rdt_end *end, char *buf, size_t size, enum cli_tone *tone);

/* The rows of SIDR, iWARP and out-of-band set-ups: show_setup.c. */
void params_sidr(struct params *p);
void params_mpa(struct params *p);
void params_oob(struct params *p);

#endif
