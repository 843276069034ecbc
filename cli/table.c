/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define GAP 2
#define CELL_MAX 4000
/* Short texts are copied in whole steps: what lies behind is overwritten next, or is slack. */
#define STEP 16u

/* Stands before each text in table.text; no alignment. */
struct cell {
	uint16_t len, width;
};

void table_init(struct table *t, const struct table_column *columns, size_t count)
{
	*t = (struct table){ .columns = columns, .count = count };
	for (size_t i = 0; i < count; i++) {
		const size_t title = cli_text_width(columns[i].title);

		t->width[i] = title > columns[i].min ? (unsigned)title : columns[i].min;
	}
}

static char *make_room(struct table *t, size_t size)
{
	char *at;

	if (t->used + size + STEP > t->room) {
		t->room = (t->used + size + STEP) * 3 / 2 + 65536;
		t->text = realloc(t->text, t->room);
		if (!t->text)
			cli_no_memory();
	}
	at = t->text + t->used;
	t->used += size;
	return at;
}

void table_row(struct table *t, enum cli_tone tone)
{
	*make_room(t, 1) = (char)tone;
	t->rows++;
	t->cell = 0;
}

/* Copy len bytes, and up to STEP - 1 more of both's slack: without a call for each of ten short cells. */
static char *put_steps(char *to, const char *from, size_t len)
{
	for (size_t n = 0; n < len; n += STEP)
		memcpy(to + n, from + n, STEP);
	return to + len;
}

static char *put_spaces(char *to, size_t count)
{
	for (size_t n = 0; n < count; n += STEP)
		memset(to + n, ' ', STEP);
	return to + count;
}

/* Columns that len bytes take. Most cells are ASCII, and there may be a million. */
static size_t width_of(const char *text, size_t len)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t word;
	size_t n = 0;

	for (; n + sizeof(word) <= len; n += sizeof(word)) {
		memcpy(&word, text + n, sizeof(word));
		if (word & high)
			return cli_text_width(text);
	}
	for (; n < len; n++) {
		if (text[n] & 0x80)
			return cli_text_width(text);
	}
	return len;
}

void table_cell(struct table *t, const char *text)
{
	const size_t whole = strlen(text), len = whole < CELL_MAX ? whole : CELL_MAX;
	const struct cell cell = { (uint16_t)len, (uint16_t)width_of(text, len) };
	char *at = make_room(t, sizeof(cell) + len + 1);

	memcpy(at, &cell, sizeof(cell));
	memcpy(at + sizeof(cell), text, len);
	at[sizeof(cell) + len] = 0;
	if (cell.width > t->width[t->cell])
		t->width[t->cell] = cell.width;
	t->cell++;
}

/* The bytes of text that take at most width columns. */
static size_t fitting(const char *text, size_t width)
{
	size_t n = 0, columns = 0;

	while (text[n]) {
		size_t len = 1;

		while (((unsigned char)text[n + len] & 0xc0) == 0x80)
			len++;
		if (++columns > width)
			break;
		n += len;
	}
	return n;
}

/* Which columns to show, and how wide the last may be. */
static unsigned fit(const struct table *t, unsigned screen, bool show[TABLE_COLUMNS])
{
	unsigned total = 0, last = t->width[t->count - 1];

	for (size_t i = 0; i < t->count; i++) {
		show[i] = true;
		total += t->width[i] + (i ? GAP : 0);
	}
	if (!screen || total <= screen)
		return last;
	/* The last column, for notes, shrinks first, but not below what says something. */
	for (unsigned drop = 1; drop < 16; drop++) {
		if (total - last + (last < 20 ? last : 20) <= screen)
			break;
		for (size_t i = 0; i < t->count; i++) {
			if (t->columns[i].drop == drop && show[i]) {
				show[i] = false;
				total -= t->width[i] + GAP;
			}
		}
	}
	return total <= screen ? last : total - last >= screen ? 0 : last - (total - screen);
}

static char *add(char *at, const char *text)
{
	const size_t len = strlen(text);

	/* Lines are written by length. NOLINTNEXTLINE(bugprone-not-null-terminated-result) */
	memcpy(at, text, len);
	return at + len;
}

/* Room for the longest line that these cells can make. */
static char *line_room(struct table *t, const struct cell *cells)
{
	size_t need = 16 + 2 * STEP;

	for (size_t i = 0; i < t->count; i++)
		need += cells[i].len + (size_t)t->width[i] + GAP + 32;
	if (need > t->line_size) {
		free(t->line);
		t->line_size = 2 * need;
		t->line = malloc(t->line_size);
		if (!t->line)
			cli_no_memory();
	}
	return t->line;
}

/* One line of cells. It is cut where the screen ends, so that it never wraps. */
static void put_line(struct table *t, const struct cli_opts *opts, const struct cell *cells,
		     const char *const *texts, const bool *show, unsigned last_width,
		     enum cli_tone tone)
{
	size_t left = opts->width ? opts->width : SIZE_MAX, owed = 0;
	char *at = line_room(t, cells);

	for (size_t i = 0; i < t->count && left > owed; i++) {
		const bool toned = tone != CLI_TONE_OFF && t->columns[i].toned;
		size_t room = i + 1 == t->count ? last_width : t->width[i];
		size_t width = cells[i].width, len = cells[i].len;

		if (!show[i])
			continue;
		room = room < left - owed ? room : left - owed;
		if (width > room) {
			len = fitting(texts[i], room ? room - 1 : 0);
			width = room;
		}
		if (t->columns[i].right)
			owed += room - width;
		if (width) {
			at = put_spaces(at, owed);
			left -= owed + width;
			owed = 0;
			if (toned)
				at = add(at, cli_tone(opts, tone));
			at = put_steps(at, texts[i], len);
			if (len < cells[i].len)
				at = add(at, opts->ascii ? "~" : "…");
			if (toned)
				at = add(at, cli_tone(opts, CLI_TONE_OFF));
		}
		if (!t->columns[i].right)
			owed += room - width;
		owed += GAP;
	}
	*at++ = '\n';
	fwrite(t->line, 1, (size_t)(at - t->line), cli_out());
}

/* The cells of a row, from its place in table.text. Returns where the next begins. */
static const char *row_cells(const struct table *t, const char *at, struct cell *cells,
			     const char **texts)
{
	for (size_t i = 0; i < t->count; i++) {
		memcpy(&cells[i], at, sizeof(cells[i]));
		texts[i] = at + sizeof(cells[i]);
		at = texts[i] + cells[i].len + 1;
	}
	return at;
}

static void put_titles(struct table *t, const struct cli_opts *opts, const bool *show,
		       unsigned last_width)
{
	struct cell cells[TABLE_COLUMNS];
	const char *texts[TABLE_COLUMNS];
	const size_t rows_end = t->used;

	t->cell = 0;
	for (size_t i = 0; i < t->count; i++)
		table_cell(t, t->columns[i].title);
	row_cells(t, t->text + rows_end, cells, texts);
	fputs(cli_tone(opts, CLI_TONE_BOLD), cli_out());
	put_line(t, opts, cells, texts, show, last_width, CLI_TONE_OFF);
	fputs(cli_tone(opts, CLI_TONE_OFF), cli_out());
	t->used = rows_end;
}

void table_flush(struct table *t, const struct cli_opts *opts)
{
	struct cell cells[TABLE_COLUMNS];
	const char *texts[TABLE_COLUMNS], *at;
	bool show[TABLE_COLUMNS];
	const unsigned last_width = fit(t, opts->width, show);

	if (!t->titled && t->rows)
		put_titles(t, opts, show, last_width);
	t->titled |= t->rows > 0;
	at = t->text;
	for (size_t row = 0; row < t->rows; row++) {
		const enum cli_tone tone = (enum cli_tone) * at++;

		at = row_cells(t, at, cells, texts);
		put_line(t, opts, cells, texts, show, last_width, tone);
	}
	t->used = t->rows = 0;
}

void table_free(struct table *t)
{
	free(t->text);
	free(t->line);
	*t = (struct table){ 0 };
}
