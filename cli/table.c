/* SPDX-License-Identifier: BSD-2-Clause */
#include "table.h"

#include <stdlib.h>
#include <string.h>

#define GAP 2

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

	if (t->used + size > t->room) {
		t->room = (t->used + size) * 3 / 2 + 65536;
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

void table_cell(struct table *t, const char *text)
{
	const size_t len = strlen(text);
	const size_t width = cli_text_width(text);

	memcpy(make_room(t, len + 1), text, len + 1);
	if (width > t->width[t->cell])
		t->width[t->cell] = (unsigned)width;
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

static void pad(FILE *out, size_t n)
{
	static const char spaces[] = "                                                                ";

	for (; n >= sizeof(spaces); n -= sizeof(spaces) - 1)
		fwrite_unlocked(spaces, 1, sizeof(spaces) - 1, out);
	fwrite_unlocked(spaces, 1, n, out);
}

/*
 * One line. cell(i) of each column is the next text. left is what the screen still has: the line
 * is cut there, so that it never wraps.
 */
static void put_line(const struct table *t, const struct cli_opts *opts, const char *const *cells,
		     const bool *show, unsigned last_width, enum cli_tone tone)
{
	FILE *out = cli_out();
	size_t left = opts->width ? opts->width : SIZE_MAX, owed = 0;

	for (size_t i = 0; i < t->count && left; i++) {
		const bool last = i + 1 == t->count;
		const bool toned = tone != CLI_TONE_OFF && t->columns[i].toned;
		size_t width = cli_text_width(cells[i]), room = last ? last_width : t->width[i], len;

		if (!show[i])
			continue;
		if (owed >= left)
			break;
		room = room < left - owed ? room : left - owed;
		len = strlen(cells[i]);
		if (width > room) {
			len = fitting(cells[i], room ? room - 1 : 0);
			width = room;
		}
		if (t->columns[i].right)
			owed += room - width;
		if (width) {
			pad(out, owed);
			left -= owed + width;
			owed = 0;
			if (toned)
				fputs(cli_tone(opts, tone), out);
			fwrite_unlocked(cells[i], 1, len, out);
			if (cells[i][len])
				fputs(opts->ascii ? "~" : "…", out);
			if (toned)
				fputs(cli_tone(opts, CLI_TONE_OFF), out);
		}
		if (!t->columns[i].right)
			owed += room - width;
		owed += GAP;
	}
	putc_unlocked('\n', out);
}

void table_flush(struct table *t, const struct cli_opts *opts)
{
	const char *cells[TABLE_COLUMNS], *at = t->text;
	bool show[TABLE_COLUMNS];
	const unsigned last_width = fit(t, opts->width, show);

	if (!t->titled && t->rows) {
		for (size_t i = 0; i < t->count; i++)
			cells[i] = t->columns[i].title;
		fputs(cli_tone(opts, CLI_TONE_BOLD), cli_out());
		put_line(t, opts, cells, show, last_width, CLI_TONE_OFF);
		fputs(cli_tone(opts, CLI_TONE_OFF), cli_out());
		t->titled = true;
	}
	for (size_t row = 0; row < t->rows; row++) {
		const enum cli_tone tone = (enum cli_tone)*at++;

		for (size_t i = 0; i < t->count; i++) {
			cells[i] = at;
			at += strlen(at) + 1;
		}
		put_line(t, opts, cells, show, last_width, tone);
	}
	t->used = t->rows = 0;
}

void table_free(struct table *t)
{
	free(t->text);
	*t = (struct table){ 0 };
}
