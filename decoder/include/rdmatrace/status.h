/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every error the decoder can return, and its text.
 *
 * Values are stable: new ones are appended. Functions that can fail return an
 * enum rdt_status, leave their ret_ parameters untouched on failure, and never
 * print, log, exit or set errno.
 */
#ifndef RDMATRACE_STATUS_H
#define RDMATRACE_STATUS_H

#define RDT_NODISCARD __attribute__((warn_unused_result))

/* name, value, text (what is wrong, as the end of a sentence that begins with the place) */
#define RDT_STATUS_LIST(X)                                                   \
	X(OK, 0, "ok")                                                       \
	X(SNAPPED, -1, "the capture cut the packet before this header ends") \
	X(MALFORMED, -2, "a length or a fixed value contradicts the packet") \
	X(OPCODE, -3, "the BTH opcode is not assigned")                      \
	X(RANGE, -4, "the value does not fit the field")                     \
	X(NOT_FOUND, -5, "there is no such name")                            \
	X(SPACE, -6, "the caller's buffer is too small")                     \
	X(NO_MEMORY, -7, "the allocator returned nothing")                   \
	X(SYNTAX, -8, "the text is not a value of this kind")

enum rdt_status {
#define X(name, value, text) RDT_##name = (value),
	RDT_STATUS_LIST(X)
#undef X
};

/* The text of a status. Static storage; "unknown status" for a value not in the list. */
const char *rdt_status_text(enum rdt_status status);

#endif
