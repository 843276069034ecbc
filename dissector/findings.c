/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings of the engine behind rdma-trace diagnose, each as an expert item of its code at the packet
 * that shows it. They are made when the capture has been read: from the second look on they are there.
 */
#include <string.h>

#include "rdmacm.h"

/* ---- registration ---------------------------------------------------------------------------------- */

enum { F_CODE, F_TITLE, F_SEEN, F_MEANS, F_NEXT, F_CONFIDENCE, F_COUNT };

static int hf[F_COUNT];
static int ett_finding;
static expert_field fields[RDT_WHY_COUNT];

static int severity_of(uint8_t severity)
{
	return severity == RDT_SEVERITY_ERROR     ? PI_ERROR
	       : severity == RDT_SEVERITY_WARNING ? PI_WARN
						  : PI_NOTE;
}

/* "CM-REJ-8" is rdmacm.finding.cm_rej_8; a family of codes has the name of what they share. */
static const char *filter_of(const char *code)
{
	char *name = wmem_strdup_printf(wmem_epan_scope(), "rdmacm.finding.%s", code);
	char *end = strchr(name, '{');

	if (end)
		end[-1] = 0;
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : g_ascii_tolower(*c);
	return name;
}

static void register_experts(void)
{
	static ei_register_info regs[RDT_WHY_COUNT];

	for (size_t i = 0; i < RDT_WHY_COUNT; i++) {
		const struct rdt_why_row *row = &rdt_why_rows[i];

		fields[i] = (expert_field)EI_INIT;
		regs[i] = (ei_register_info){
			&fields[i],
			{ filter_of(row->code), PI_ASSUMPTION, severity_of(row->severity),
			  wmem_strdup_printf(wmem_epan_scope(), "Finding %s", row->code), EXPFILL }
		};
	}
	expert_register_field_array(expert_register_protocol(proto_rdmacm), regs, RDT_WHY_COUNT);
}

void findings_register(void)
{
	static hf_register_info regs[] = {
#define T(symbol, name, label)                                                                    \
	{                                                                                         \
		&hf[symbol],                                                                      \
		{                                                                                 \
			label, "rdmacm.finding." name, FT_STRING, BASE_NONE, NULL, 0, NULL, HFILL \
		}                                                                                 \
	}
		T(F_CODE, "code", "Code"),
		T(F_TITLE, "title", "Finding"),
		T(F_SEEN, "seen", "Seen"),
		T(F_MEANS, "means", "Means"),
		T(F_NEXT, "next", "What to do"),
#undef T
		{ &hf[F_CONFIDENCE],
		  { "Confidence, percent", "rdmacm.finding.confidence", FT_UINT8, BASE_DEC, NULL, 0,
		    NULL, HFILL } },
	};
	static int *etts[] = { &ett_finding };

	for (size_t i = 0; i < F_COUNT; i++)
		hf[i] = -1;
	ett_finding = -1;
	proto_register_field_array(proto_rdmacm, regs, G_N_ELEMENTS(regs));
	proto_register_subtree_array(etts, G_N_ELEMENTS(etts));
	register_experts();
}

/* ---- making ------------------------------------------------------------------------------------------ */

struct finding {
	struct finding *next;
	struct rdt_finding what;
};

/* The packet that shows it: the first of its evidence; without, the last of its connection. */
static uint32_t frame_of(const struct rdt_finding *f, uint32_t last_frame)
{
	uint32_t frame = 0;

	for (unsigned i = 0; i < f->ev_count && !frame; i++)
		frame = f->ev[i].frame;
	if (!frame && f->conn != RDT_CONN_NONE)
		frame = stream_of(f->conn)->last_frame;
	return frame ? frame : last_frame;
}

void finding_add(const struct rdt_finding *f, uint32_t last_frame)
{
	const uint32_t frame = frame_of(f, last_frame);
	struct finding *made, **at;

	if (!frame)
		return;
	made = wmem_new(wmem_file_scope(), struct finding);
	*made = (struct finding){ .what = *f };
	made->what.ranges = NULL;
	for (at = &note_make(frame)->findings; *at; at = &(*at)->next)
		;
	*at = made;
}

/* ---- showing ------------------------------------------------------------------------------------------ */

static void put(proto_tree *tree, const struct packet *p, int id, const char *text)
{
	if (*text)
		proto_item_set_generated(proto_tree_add_string(tree, hf[id], p->tvb, 0, 0, text));
}

static void add_words(proto_tree *tree, const struct packet *p, const struct rdt_finding *f)
{
	static const struct {
		int id;
		enum rdt_why_part part;
	} parts[] = { { F_TITLE, RDT_WHY_TITLE },
		      { F_SEEN, RDT_WHY_SEEN },
		      { F_MEANS, RDT_WHY_MEANS } };
	char text[RDT_WHY_TEXT], **steps;

	for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
		put(tree, p, parts[i].id,
		    rdt_why_text(feed_tracker(), f, parts[i].part, text, sizeof(text)));
	steps = g_strsplit(rdt_why_text(feed_tracker(), f, RDT_WHY_NEXT, text, sizeof(text)), "\n",
			   0);
	for (char **step = steps; *step; step++)
		put(tree, p, F_NEXT, *step);
	g_strfreev(steps);
}

void findings_show(proto_tree *tree, const struct packet *p)
{
	char code[32], title[RDT_WHY_TEXT];

	for (const struct finding *f = p->note->findings; f; f = f->next) {
		proto_item *item = NULL;
		proto_tree *sub;

		rdt_why_code_text(&f->what, code);
		rdt_why_text(feed_tracker(), &f->what, RDT_WHY_TITLE, title, sizeof(title));
		if (tree) {
			sub = proto_tree_add_subtree_format(tree, p->tvb, 0, 0, ett_finding, &item,
							    "[%s: %s]", code, title);
			put(sub, p, F_CODE, code);
			add_words(sub, p, &f->what);
			proto_item_set_generated(proto_tree_add_uint(sub, hf[F_CONFIDENCE], p->tvb,
								     0, 0, f->what.confidence));
		}
		expert_add_info_format(p->pinfo, item, &fields[f->what.code], "%s: %s", code,
				       title);
	}
}
