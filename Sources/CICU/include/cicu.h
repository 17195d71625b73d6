/* The part of ICU that the project uses, with its own declarations.
 *
 * No <unicode/…> header may be included here: the Swift toolchain contains the headers of another ICU, and a Swift
 * target that sees both does not compile. All functions take and return plain integers and bytes, and may be called
 * from any thread. */
#ifndef CICU_H
#define CICU_H

#include <stdint.h>

/* Width-folds (RFC 8264, 5.2.1) and composes (NFC) `count` code points. Returns the number of code points in the
 * result, or -1 when they don't fit in `capacity` or memory ran out. */
int32_t cicu_fold_width_and_compose(const uint32_t *text, int32_t count, uint32_t *result, int32_t capacity);

/* Writes the Unicode name of a code point in ASCII, or its label if it has no name, such as "control-0000". Returns
 * the length. */
int32_t cicu_name(uint32_t code_point, char *name, int32_t capacity);

/* Whether the code point has the property White_Space. */
int cicu_is_white_space(uint32_t code_point);

/* The ASCII letter or digit that the code point looks like according to UTS #39, or 0. */
uint32_t cicu_ascii_lookalike(uint32_t code_point);

/* Transliterates `text`, `count` bytes of UTF-8 in any script, to ASCII with ICU. Returns the length of the result, or
 * -1 when it does not fit or ICU fails. */
int32_t cicu_transliterate(const char *text, int32_t count, char *result, int32_t capacity);

#endif
