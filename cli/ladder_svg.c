// SPDX-License-Identifier: BSD-2-Clause
/* The ladder as a picture of its own: no script, no font file, no link to anywhere. */
#include <inttypes.h>
#include <string.h>

#include "ladder.h"
#include "xml.h"

/* Places in the picture, in its units. */
#define WIDTH 1040
#define LIFE_A 330
#define LIFE_P 780
#define TOP 76
#define HEAD_LINE 17
#define ROW 34
#define LINE 15
#define CHARS 58u /* of the font that stand between the lifelines */
#define TITLE_CHARS 125u

#define INK "#1f2933"
#define SOFT "#7b8794"
#define GOOD "#13795b"
#define BAD "#c81e1e"
#define WARN "#b45309"
#define BAND "#e3ecf7"

static const char *ink_of(enum cli_tone tone)
{
	switch (tone) {
	case CLI_TONE_BAD:
		return BAD;
	case CLI_TONE_WARN:
		return WARN;
	case CLI_TONE_DIM:
		return SOFT;
	case CLI_TONE_GOOD:
		return GOOD;
	case CLI_TONE_OFF:
	case CLI_TONE_BOLD:
		break;
	}
	return INK;
}

/* A line of text; anchor is start, middle or end. */
static void text_at(int x, int y, const char *anchor, const char *class, const char *ink,
		    const char *text)
{
	char *escaped = xml_escape(text);

	fprintf(cli_out(),
		"<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" class=\"%s\" fill=\"%s\">%s</text>\n",
		x, y, anchor, class, ink, escaped);
	g_free(escaped);
}

static void line_at(int x1, int y1, int x2, int y2, const char *ink, const char *more)
{
	fprintf(cli_out(), "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\"%s/>\n", x1,
		y1, x2, y2, ink, more);
}

/* The label of a rung as lines. */
static char **label(const struct rung *r)
{
	char *all = g_strdup_printf("%s%s%s%s", r->kind == RUNG_NOTE ? "~ " : "", r->name,
				    *r->name && *r->detail ? "  " : "", r->detail);
	char **lines = ladder_wrap(all, CHARS);

	g_free(all);
	return lines;
}

static int height_of(const struct rung *r)
{
	char **lines = label(r);
	const int n = (int)g_strv_length(lines);

	g_strfreev(lines);
	return ROW + (n > 1 ? (n - 1) * LINE : 0);
}

/* A state beside its lifeline, in a box with round ends. */
static void state(const struct rung *r, unsigned side, int y)
{
	const bool active = side == RDT_ACTIVE;
	const char *ink = r->inferred[side] ? SOFT : r->good[side] ? GOOD : INK;
	char name[64];
	int width, x;

	if (!r->state[side])
		return;
	g_snprintf(name, sizeof(name), "%s%s", r->inferred[side] ? "~" : "", r->state[side]);
	width = (int)strlen(name) * 7 + 14;
	x = active ? LIFE_A - 10 - width : LIFE_P + 10;
	fprintf(cli_out(),
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"18\" rx=\"9\" fill=\"#fff\" "
		"stroke=\"%s\"%s/>\n",
		x, y - 12, width, ink, r->inferred[side] ? " stroke-dasharray=\"3 2\"" : "");
	text_at(x + width / 2, y + 1, "middle", "s", ink, name);
}

static void arrow(const struct rung *r, int y)
{
	const bool to_p = r->from == RDT_ACTIVE;
	const char *ink = ink_of(r->tone);
	const int tip = to_p ? LIFE_P - 1 : LIFE_A + 1, back = to_p ? tip - 9 : tip + 9;

	line_at(to_p ? LIFE_A : LIFE_P, y, back, y, ink, " stroke-width=\"1.6\"");
	fprintf(cli_out(), "<path d=\"M%d %d L%d %d L%d %d Z\" fill=\"%s\"/>\n", tip, y, back,
		y - 4, back, y + 4, ink);
}

static void rung(const struct ladder *l, const struct rung *r, int top, int64_t *prev)
{
	char time[CLI_TIME_TEXT], span[RDT_TEXT_MAX], text[RDT_TEXT_MAX + 40];
	char **lines = label(r);
	const int n = (int)g_strv_length(lines), y = top + height_of(r) - 8;
	const int middle = (LIFE_A + LIFE_P) / 2;
	const bool wide = show_time_width(l->s) > 14;

	show_time(l->s, r->ns, prev, time);
	/* Long forms of -t take the place of the difference. */
	text_at(wide ? 16 : 108, y + 1, wide ? "start" : "end", "t", INK, time);
	if (r->delta_ns >= 0 && !wide && l->s->opts->time != CLI_TIME_DELTA) {
		g_snprintf(text, sizeof(text), "+%s",
			   rdt_duration_text((uint64_t)r->delta_ns, span, sizeof(span)));
		text_at(188, y + 1, "end", "t", SOFT, text);
	}
	if (r->kind == RUNG_DATA)
		fprintf(cli_out(),
			"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>\n",
			LIFE_A + 1, top + 4, LIFE_P - LIFE_A - 2, y - top + 2, BAND);
	else if (r->kind == RUNG_MSG)
		arrow(r, y);
	else
		fprintf(cli_out(), "<circle cx=\"%d\" cy=\"%d\" r=\"4\" fill=\"%s\"/>\n",
			r->from == RDT_ACTIVE ? LIFE_A : LIFE_P, y - 4, SOFT);
	for (int i = 0; i < n; i++)
		text_at(middle, y - 6 + (r->kind == RUNG_MSG ? 0 : 3) - (n - 1 - i) * LINE,
			"middle", "m", ink_of(r->tone), lines[i]);
	for (unsigned side = 0; side < RDT_SIDES; side++)
		state(r, side, y);
	if (r->frame) {
		show_frame(l->s, r->input, r->frame, span);
		g_snprintf(text, sizeof(text), "%s", span);
		if (r->last_frame != r->frame)
			g_snprintf(text, sizeof(text), "%s-%" PRIu32, span, r->last_frame);
		text_at(WIDTH - 14, y + 1, "end", "t", SOFT, text);
	}
	g_strfreev(lines);
}

static int head_lines(const struct ladder *l)
{
	int most = 0;

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		int n = 0;

		while (l->lines[side][n])
			n++;
		most = MAX(most, n);
	}
	return most;
}

static void head(const struct ladder *l, int y)
{
	for (unsigned side = 0; side < RDT_SIDES; side++)
		for (int i = 0; l->lines[side][i]; i++)
			text_at(side == RDT_ACTIVE ? LIFE_A : LIFE_P, y + i * HEAD_LINE, "middle",
				i ? "h" : "b", i ? INK : SOFT, l->lines[side][i]);
}

void ladder_svg(const struct ladder *l)
{
	char **verdict = ladder_wrap(l->verdict, TITLE_CHARS);
	const int verdict_lines = (int)g_strv_length(verdict);
	const int names = TOP + (verdict_lines > 1 ? verdict_lines - 1 : 0) * LINE;
	const int begin = names + head_lines(l) * HEAD_LINE;
	const enum cli_tone tone = cli_outcome_tone(rdt_conn_outcome(l->s->conn));
	int height = begin + 12, y;
	int64_t prev = INT64_MIN;

	for (size_t i = 0; i < l->count; i++)
		height += height_of(&l->rungs[i]);
	height += 34;
	fprintf(cli_out(),
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" role=\"img\" xml:space=\"preserve\">\n"
		"<style>text{font-family:ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;"
		"font-size:12px}.b{font-size:11px}.t,.s{font-size:11px}.h{font-weight:bold}"
		".v{font-size:14px;font-weight:bold}</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
		WIDTH, height, WIDTH, height, WIDTH, height);
	text_at(16, 26, "start", "v", INK, l->title);
	for (int i = 0; i < verdict_lines; i++)
		text_at(16, 46 + i * LINE, "start", "m", ink_of(tone), verdict[i]);
	head(l, names);
	line_at(LIFE_A, begin, LIFE_A, height - 30, SOFT, "");
	line_at(LIFE_P, begin, LIFE_P, height - 30, SOFT, "");
	y = begin;
	for (size_t i = 0; i < l->count; i++) {
		rung(l, &l->rungs[i], y, &prev);
		y += height_of(&l->rungs[i]);
	}
	if (ladder_infers(l))
		text_at(16, height - 10, "start", "t", SOFT,
			"~ no packet shows it: it follows from others");
	text_at(WIDTH - 14, height - 10, "end", "t", SOFT, CLI_NAME " ladder");
	fputs("</svg>\n", cli_out());
	g_strfreev(verdict);
}
