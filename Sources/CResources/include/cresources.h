/* Files that the program carries. The C compiler includes them as they are (#embed): the Swift compiler takes a tenth of
 * a second for each kilobyte of an array literal. */
#ifndef CRESOURCES_H
#define CRESOURCES_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a file, for as long as the program runs. */
typedef struct {
    const uint8_t *_Nonnull bytes;
    size_t count;
} cresource;

/* Of seeds/: the reserved words, and two lists of names. */
cresource cresources_reserved_words(void);
cresource cresources_innocent_names(void);
cresource cresources_common_names(void);

/* docs/problems.md */
cresource cresources_problems(void);

/* The OpenAPI document of the service. */
cresource cresources_openapi(void);

#endif
