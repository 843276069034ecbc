/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table on the screen: rows are collected, columns get the width of their widest cell, and all
 * is printed at once, within the width of the screen.
 */
#ifndef RDMA_TRACE_TABLE_H
#define RDMA_TRACE_TABLE_H

#include "cli.h"

struct table_column {
	const char *title;
	unsigned min;  /* narrowest, however short the cells are */
	uint8_t right; /* 1: numbers, to the right */
	uint8_t toned; /* 1: the row's tone colours this cell */
	uint8_t drop;  /* 1..: left out first to last where the screen is too narrow; 0: never */
};

#define TABLE_COLUMNS 64

struct table {
	const struct table_column *columns;
	size_t count;
	unsigned width[TABLE_COLUMNS];
	char *text; /* cells, each with its terminating 0, and one byte of tone before a row */
	size_t used, room;
	size_t rows, cell;
	char *line; /* the line in the making: one write each */
	size_t line_size;
	bool titled; /* the title line was printed */
};

void table_init(struct table *t, const struct table_column *columns, size_t count);

/* Begin a row; its cells follow with table_cell(), left to right, all of them. */
void table_row(struct table *t, enum cli_tone tone);
void table_cell(struct table *t, const char *text);

/* Print what was collected and forget it; widths stay, so that later rows line up. */
void table_flush(struct table *t, const struct cli_opts *opts);

void table_free(struct table *t);

#endif
