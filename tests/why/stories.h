/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stories that no capture of a real kernel shows: made through the encoder, each with the findings
 * it must give, and no others.
 */
#ifndef TESTS_WHY_STORIES_H
#define TESTS_WHY_STORIES_H

#include "support/story.h"

struct why_story {
	const char *name;
	const char
		*codes; /* all that must be found, in the order of findings.def; blanks between */
	void (*tell)(struct story *s);
};

/* Each ends with a row without a name. */
extern const struct why_story stories_cm[], stories_data[], stories_net[], stories_tcp[];

#define ACK 0x1f /* no credit limit */
#define RNR(code) (0x20 | (code))
#define NAK(code) (0x60 | (code))

/* Time passes, and the capture goes on: a frame that is nobody's. */
void wait_ms(struct story *s, int64_t ms);

#endif
