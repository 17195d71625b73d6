/* Instructions of the processor that Swift has no functions for. */
#pragma once
#include <stdint.h>

/* Begins to load the cache line of an address, for writing. The address may be any. */
static inline __attribute__((always_inline)) void processor_prefetch(const void *address) {
    __builtin_prefetch(address, 1);
}

/* Quick looks at many names, by shuffles of bytes and the removal of bytes by a mask. Each function has a counterpart
 * in Swift that says the same. */

/* Whether this processor has the instructions, and fast ones. The other functions may be called only if it has. */
int32_t names_can_scan(void);

/* Up to 15 bytes, the first in the highest place of `high`; the lowest byte of `low` is their number. */
struct packed_name {
    uint64_t high, low;
};

/* The place of a name in the bytes of a file. A negative count means no name. */
struct name_cell {
    int32_t start, count;
};

/* Kinds of names: letters, digits and underscores; digits alone; other names, and empty ones and too long ones. */
#define NAME_IS_PLAIN 0
#define NAME_IS_NUMBER 1
#define NAME_IS_OTHER 2

/* Reads names of letters, digits and underscores.
 *
 * `letters` gets each name as spelled, `handles` in lowercase, and `kinds` its kind. Of other names nothing else is set.
 * Names in the last 15 of the `size` bytes may count as others. */
void names_read(const uint8_t *bytes, int64_t size, const struct name_cell *cells, int64_t count,
                struct packed_name *letters, struct packed_name *handles, uint8_t *kinds);

/* Bits of what a quick look suspects of a name: that it is like a word, contains one, has an affix around one, or has
 * a number behind one. */
#define SUSPECT_LIKENESS 1
#define SUSPECT_INSIDE 2
#define SUSPECT_AFFIX 4
#define SUSPECT_NUMBER 8
/* The name has, folded and without underscores, three of a letter but i in a row, or a v before a v or w; or it has six
 * underscores at the start. Only its index is set, and its key is not computed. */
#define SUSPECT_FORM 16

/* A name of which something is suspected. */
struct suspect_name {
    struct packed_name folded, bare, key, rough_key;
    int32_t index, suspicions;
};

/* Filters of words: those that the suspicions need, one after the other, in words of 64 bits. */
struct word_filters;
#define WORD_FILTERS_COUNT 5120

/* Computes the look-alike keys of `count` canonical names, and finds those of which something is suspected. Returns the
 * number of `suspects`, which needs room for `count`. */
int64_t names_scan(const struct packed_name *names, int64_t count, const struct word_filters *filters,
                   struct packed_name *keys, struct suspect_name *suspects);
