// SPDX-License-Identifier: BSD-2-Clause
/* The ladder as text for Mermaid and PlantUML, which wikis and tickets draw. */
#include <string.h>

#include "ladder.h"

static const char *const life[RDT_SIDES] = { "A", "P" };

/*
 * Text that neither language takes for its own: Mermaid ends statements at ; and begins entities
 * with #, PlantUML reads ~ and backslashes.
 */
static char *safe(const char *text)
{
	GString *out = g_string_new(NULL);

	for (; *text; text++)
		if (*text == ';')
			g_string_append_c(out, ',');
		else if (*text == '#' || *text == '\\' || *text == '~' || *text == '<' ||
			 *text == '"')
			g_string_append_c(out, ' ');
		else
			g_string_append_c(out, *text);
	return g_string_free(out, FALSE);
}

/* "REQ  PSN 0x4d858a, MTU 1024  +24.22 ms" */
static char *label(const struct rung *r)
{
	char span[RDT_TEXT_MAX];
	GString *text = g_string_new(r->name);
	char *out;

	if (*r->detail)
		g_string_append_printf(text, "%s%s", text->len ? " " : "", r->detail);
	if (r->kind == RUNG_MSG && r->delta_ns >= 0)
		g_string_append_printf(
			text, " (+%s)",
			rdt_duration_text((uint64_t)r->delta_ns, span, sizeof(span)));
	out = safe(text->str);
	g_string_free(text, TRUE);
	return out;
}

/* The lines at the head of a lifeline. */
static char *name(const struct ladder *l, unsigned side, const char *between)
{
	GString *text = g_string_new(NULL);
	char *out;

	for (size_t i = 0; l->lines[side][i]; i++) {
		char *line = safe(l->lines[side][i]);

		g_string_append_printf(text, "%s%s", i ? between : "", line);
		g_free(line);
	}
	out = g_string_free(text, FALSE);
	return out;
}

/* Both sides established, or one of them: the only state worth a note of its own here. */
static void established(const struct rung *r, const char *note)
{
	const bool a = r->good[RDT_ACTIVE], p = r->good[RDT_PASSIVE];

	if (a || p)
		fprintf(cli_out(), "%s over %s%s%s: %s%s\n", note, a ? life[RDT_ACTIVE] : "",
			a && p ? "," : "", p ? life[RDT_PASSIVE] : "",
			r->inferred[a ? RDT_ACTIVE : RDT_PASSIVE] ? "(inferred) " : "",
			r->state[a ? RDT_ACTIVE : RDT_PASSIVE]);
}

void ladder_mermaid(const struct ladder *l)
{
	char *title = safe(l->title), *verdict = safe(l->verdict);

	fprintf(cli_out(), "sequenceDiagram\n  %%%% %s\n", title);
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		char *text = name(l, side, "<br/>");

		fprintf(cli_out(), "  participant %s as %s\n", life[side], text);
		g_free(text);
	}
	for (size_t i = 0; i < l->count; i++) {
		const struct rung *r = &l->rungs[i];
		char *text = label(r);

		if (r->kind == RUNG_DATA)
			fprintf(cli_out(), "  Note over A,P: %s\n", text);
		else if (r->kind == RUNG_NOTE)
			fprintf(cli_out(), "  Note over %s: (inferred) %s\n", life[r->from], text);
		else
			fprintf(cli_out(), "  %s%s%s: %s\n", life[r->from],
				r->tone == CLI_TONE_BAD ? "-x" : "->>",
				life[rdt_side_other(r->from)], text);
		established(r, "  Note");
		g_free(text);
	}
	fprintf(cli_out(), "  Note over A,P: %s\n", verdict);
	g_free(title);
	g_free(verdict);
}

void ladder_plantuml(const struct ladder *l)
{
	char *title = safe(l->title), *verdict = safe(l->verdict);

	fprintf(cli_out(), "@startuml\ntitle %s\\n%s\n", title, verdict);
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		char *text = name(l, side, "\\n");

		fprintf(cli_out(), "participant \"%s\" as %s\n", text, life[side]);
		g_free(text);
	}
	for (size_t i = 0; i < l->count; i++) {
		const struct rung *r = &l->rungs[i];
		char *text = label(r);

		if (r->kind == RUNG_DATA)
			fprintf(cli_out(), "note over A,P: %s\n", text);
		else if (r->kind == RUNG_NOTE)
			fprintf(cli_out(), "note over %s: (inferred) %s\n", life[r->from], text);
		else
			fprintf(cli_out(), "%s %s %s: %s\n", life[r->from],
				r->tone == CLI_TONE_BAD    ? "-[#red]>x"
				: r->tone == CLI_TONE_WARN ? "-[#orange]>"
							   : "->",
				life[rdt_side_other(r->from)], text);
		established(r, "hnote");
		g_free(text);
	}
	fputs("@enduml\n", cli_out());
	g_free(title);
	g_free(verdict);
}
