/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which values a column can have: the named codes of a number, the words of a text. So that a
 * filter can say "outcome is never rejeted" where it would silently match nothing.
 */
#ifndef RDT_CLI_FILTER_WORDS_H
#define RDT_CLI_FILTER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "rdmatrace/field.h"

/* The list that names a number column's codes; RDT_NAMES_none for most. */
enum rdt_names_id filter_col_names(size_t col);

/*
 * The words a text column is made of: i counts from 0 to filter_col_words(col) - 1, some are
 * NULL. 0 words: it can be anything.
 */
size_t filter_col_words(size_t col);
const char *filter_col_word(size_t col, size_t i);

/*
 * Is text (len bytes) that word? Case does not count, dashes and underscores are alike, and
 * RDMA_CM_EVENT_ before an event's name may be missing on either side.
 */
bool filter_word_equal(const char *word, const char *text, size_t len);

#endif
