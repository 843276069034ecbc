// SPDX-License-Identifier: BSD-2-Clause
/* The ladder for terminals and tickets. */
#include <inttypes.h>
#include <string.h>

#include "ladder.h"

#define LANE_MIN 24u
#define LANE_USUAL 40u
#define DELTA_WIDTH 11u

/* The characters that it is drawn with. */
struct pen {
	const char *life, *tail_a, *tail_p, *line, *head_a, *head_p, *band, *dots;
};

static const struct pen unicode = {
	"\xe2\x94\x82", "\xe2\x94\x9c", "\xe2\x94\xa4", "\xe2\x94\x80",
	"\xe2\x97\x80", "\xe2\x96\xb6", "\xe2\x95\x90", "\xe2\x80\xa6"
};
static const struct pen ascii = { "|", "|", "|", "-", "<", ">", "=", "..." };

struct drawing {
	const struct ladder *l;
	const struct pen *pen;
	size_t time, delta, state[RDT_SIDES], lane;
	int64_t prev;
};

static void repeat(const char *text, size_t n)
{
	while (n--)
		fputs(text, cli_out());
}

static void toned(const struct drawing *d, enum cli_tone tone, const char *text)
{
	if (tone == CLI_TONE_OFF)
		fputs(text, cli_out());
	else
		fprintf(cli_out(), "%s%s%s", cli_tone(d->l->s->opts, tone), text,
			cli_tone(d->l->s->opts, CLI_TONE_OFF));
}

/* ---- widths -------------------------------------------------------------------------------- */

static size_t state_width(const struct rung *r, unsigned side)
{
	return r->state[side] ? strlen(r->state[side]) + r->inferred[side] : 0;
}

/* "name  detail" */
static size_t label_width(const struct rung *r)
{
	return cli_text_width(r->name) + (*r->detail && *r->name ? 2 : 0) +
	       cli_text_width(r->detail);
}

static size_t head_width(const struct ladder *l, unsigned side)
{
	size_t width = 0;

	for (size_t i = 0; l->lines[side][i]; i++)
		width = MAX(width, cli_text_width(l->lines[side][i]));
	return width;
}

static void measure(struct drawing *d)
{
	const struct ladder *l = d->l;
	const size_t screen = l->s->opts->width ? l->s->opts->width : 120;
	size_t wanted = LANE_USUAL, frames = 0, rest;
	char text[64];

	d->time = MAX(show_time_width(l->s), 10);
	d->delta = l->s->opts->time == CLI_TIME_DELTA ? 0 : DELTA_WIDTH;
	for (size_t i = 0; i < l->count; i++) {
		for (unsigned side = 0; side < RDT_SIDES; side++)
			d->state[side] = MAX(d->state[side], state_width(&l->rungs[i], side));
		wanted = MAX(wanted, label_width(&l->rungs[i]) + 10);
		g_snprintf(text, sizeof(text), "#%" PRIu32 "-%" PRIu32, l->rungs[i].frame,
			   l->rungs[i].last_frame);
		frames = MAX(frames, strlen(text));
	}
	wanted = MAX(wanted, (head_width(l, RDT_ACTIVE) + head_width(l, RDT_PASSIVE)) / 2 + 4);
	rest = d->time + d->state[RDT_ACTIVE] + d->state[RDT_PASSIVE] + frames + 10;
	if (rest + d->delta + LANE_USUAL > screen)
		d->delta = 0;
	d->lane = screen > rest + d->delta + LANE_MIN ? screen - rest - d->delta : LANE_MIN;
	d->lane = MIN(d->lane, wanted);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* Columns before the first lifeline. */
static size_t margin(const struct drawing *d)
{
	return 2 + d->time + d->delta + 2 + d->state[RDT_ACTIVE] + 1;
}

/* The state that a side gets into, if it does. */
static void put_state(const struct drawing *d, const struct rung *r, enum rdt_side side)
{
	char text[96];

	if (!state_width(r, side))
		return;
	g_snprintf(text, sizeof(text), "%s%s", r->inferred[side] ? "~" : "", r->state[side]);
	toned(d,
	      r->inferred[side] ? CLI_TONE_DIM
	      : r->good[side]   ? CLI_TONE_GOOD
				: CLI_TONE_OFF,
	      text);
}

static void left(struct drawing *d, const struct rung *r)
{
	const struct ladder *l = d->l;
	char buf[CLI_TIME_TEXT], span[RDT_TEXT_MAX], delta[RDT_TEXT_MAX + 1] = "";
	const size_t width = state_width(r, RDT_ACTIVE);

	fprintf(cli_out(), "  %*s", (int)d->time, show_time(l->s, r->ns, &d->prev, buf));
	if (d->delta) {
		if (r->delta_ns >= 0)
			g_snprintf(delta, sizeof(delta), "+%s",
				   rdt_duration_text((uint64_t)r->delta_ns, span, sizeof(span)));
		fprintf(cli_out(), "%*s", (int)d->delta, delta);
	}
	fprintf(cli_out(), "  %*s", (int)(d->state[RDT_ACTIVE] - width), "");
	put_state(d, r, RDT_ACTIVE);
	putc(' ', cli_out());
}

static void right(const struct drawing *d, const struct rung *r)
{
	const size_t width = state_width(r, RDT_PASSIVE);
	char text[96], first[32];

	if (width || r->frame)
		putc(' ', cli_out());
	put_state(d, r, RDT_PASSIVE);
	if (!r->frame) {
		putc('\n', cli_out());
		return;
	}
	show_frame(d->l->s, r->input, r->frame, first);
	g_snprintf(text, sizeof(text), "%s", first);
	if (r->last_frame != r->frame)
		g_snprintf(text, sizeof(text), "%s-%" PRIu32, first, r->last_frame);
	fprintf(cli_out(), "%*s  ", (int)(d->state[RDT_PASSIVE] - width), "");
	toned(d, CLI_TONE_DIM, text);
	putc('\n', cli_out());
}

/* Text between the lifelines, below an arrow or instead of one. */
static void between(const struct drawing *d, const char *text, enum cli_tone tone, bool first,
		    struct rung *r)
{
	char **lines = ladder_wrap(text, d->lane - 4);

	for (char **line = lines; *line; line++) {
		const size_t width = cli_text_width(*line);

		if (!first || line != lines)
			fprintf(cli_out(), "%*s", (int)margin(d), "");
		fputs(d->pen->life, cli_out());
		fputs("  ", cli_out());
		toned(d, tone, *line);
		fprintf(cli_out(), "%*s%s", (int)(d->lane > width + 2 ? d->lane - width - 2 : 0),
			"", d->pen->life);
		if (first && line == lines)
			right(d, r);
		else
			putc('\n', cli_out());
	}
	g_strfreev(lines);
}

/* A line through the lane with a label in it, and the rest of what there is to say below. */
static void through(const struct drawing *d, struct rung *r)
{
	const struct cli_opts *opts = d->l->s->opts;
	const bool data = r->kind == RUNG_DATA, to_p = r->from == RDT_ACTIVE;
	const char *line = data ? d->pen->band : d->pen->line;
	const bool whole = label_width(r) + 8 <= d->lane;
	size_t used = cli_text_width(r->name) + 2;

	if (whole && *r->detail)
		used += cli_text_width(r->detail) + 2;
	fputs(data || !to_p ? d->pen->life : d->pen->tail_a, cli_out());
	if (r->tone != CLI_TONE_OFF)
		fputs(cli_tone(opts, r->tone), cli_out());
	if (!data && !to_p)
		fputs(d->pen->head_a, cli_out());
	repeat(line, data || to_p ? 3 : 2);
	fprintf(cli_out(), " %s%s%s ", r->name, whole && *r->detail ? "  " : "",
		whole ? r->detail : "");
	repeat(line, d->lane > used + 4 ? d->lane - used - 4 : 0);
	fputs(!data && to_p ? d->pen->head_p : line, cli_out());
	if (r->tone != CLI_TONE_OFF)
		fputs(cli_tone(opts, CLI_TONE_OFF), cli_out());
	fputs(data || to_p ? d->pen->life : d->pen->tail_p, cli_out());
	right(d, r);
	if (!whole)
		between(d, r->detail, r->tone == CLI_TONE_OFF ? CLI_TONE_DIM : r->tone, false, r);
}

static void draw(struct drawing *d, struct rung *r)
{
	char *note;

	left(d, r);
	if (r->kind != RUNG_NOTE) {
		through(d, r);
		return;
	}
	note = g_strdup_printf("~ %s%s%s", r->name, *r->name ? ": " : "", r->detail);
	between(d, note, CLI_TONE_DIM, true, r);
	g_free(note);
}

/* ---- the head ------------------------------------------------------------------------------ */

/* The names of both sides above their lifelines, each in the middle of its own. */
static void head(const struct drawing *d)
{
	const struct ladder *l = d->l;
	const size_t life_a = margin(d), life_p = life_a + d->lane + 1;

	for (size_t i = 0; l->lines[RDT_ACTIVE][i] || l->lines[RDT_PASSIVE][i]; i++) {
		const char *text[RDT_SIDES];
		size_t at = 0;

		for (unsigned side = 0; side < RDT_SIDES; side++) {
			const size_t life = side == RDT_ACTIVE ? life_a : life_p;
			size_t width, begin;

			text[side] = l->lines[side][i] ? l->lines[side][i] : "";
			width = cli_text_width(text[side]);
			begin = life > width / 2 ? life - width / 2 : 0;
			if (!*text[side])
				continue;
			begin = MAX(begin, at + (side == RDT_PASSIVE));
			fprintf(cli_out(), "%*s", (int)(begin - at), "");
			toned(d, CLI_TONE_BOLD, text[side]);
			at = begin + width;
		}
		putc('\n', cli_out());
	}
	fprintf(cli_out(), "  %*s", (int)d->time, "time");
	if (d->delta)
		fprintf(cli_out(), "%*s", (int)d->delta, "delta");
	fprintf(cli_out(), "%*s%s%*s%s\n", (int)(d->state[RDT_ACTIVE] + 3), "", d->pen->life,
		(int)d->lane, "", d->pen->life);
}

void ladder_text(const struct ladder *l)
{
	struct drawing d = { .l = l,
			     .pen = l->s->opts->ascii ? &ascii : &unicode,
			     .prev = INT64_MIN };

	measure(&d);
	show_lead(l->s);
	putc('\n', cli_out());
	head(&d);
	for (size_t i = 0; i < l->count; i++)
		draw(&d, &l->rungs[i]);
	if (ladder_infers(l)) {
		putc('\n', cli_out());
		toned(&d, CLI_TONE_DIM, "  ~ no packet shows it: it follows from others");
		putc('\n', cli_out());
	}
}
