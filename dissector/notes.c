/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the first pass left of each packet, by frame number. */
#include "rdmacm.h"
#include "table.h"

/* Most places of a chunk stay empty in a capture that is not all RDMA. */
struct place {
	struct note note;
	bool made;
};

static struct table notes = { .size = sizeof(struct place) };

struct note *note_find(uint32_t frame)
{
	struct place *place = table_find(&notes, frame);

	return place && place->made ? &place->note : NULL;
}

struct note *note_make(uint32_t frame)
{
	struct place *place = table_make(&notes, frame);

	if (!place->made) {
		place->made = true;
		place->note.conn = RDT_CONN_NONE;
		place->note.rtt_ns = -1;
	}
	return &place->note;
}

void notes_reset(void)
{
	table_reset(&notes);
}
