/* The part of ICU that the project uses, in words of its own.
 *
 * No <unicode/…> header may be included here: the Swift toolchain carries the headers of another ICU, and a Swift
 * target that sees both does not compile. Everything takes and returns plain integers and bytes, and is safe to call
 * from any thread. */
#ifndef CICU_H
#define CICU_H

#include <stdint.h>

/* Width-folds (RFC 8264, 5.2.1) and composes (NFC) `count` code points. Returns how many there are in the result, or
 * -1 when they don't fit in `capacity` or memory ran out. */
int32_t cicu_fold_width_and_compose(const uint32_t *text, int32_t count, uint32_t *result, int32_t capacity);

/* The Unicode name of a code point, as ASCII; for one that has none its label, as in "control-0000". Returns the
 * length. */
int32_t cicu_name(uint32_t code_point, char *name, int32_t capacity);

/* Whether the code point has the property White_Space. */
int cicu_is_white_space(uint32_t code_point);

/* The ASCII letter or digit that UTS #39 says the code point can be taken for, or 0. */
uint32_t cicu_ascii_lookalike(uint32_t code_point);

/* `text`, UTF-8 of `count` bytes in any script, in ASCII as near as ICU's transliteration comes. Returns the length
 * of the result, or -1 when it does not fit or ICU can't. */
int32_t cicu_transliterate(const char *text, int32_t count, char *result, int32_t capacity);

#endif
