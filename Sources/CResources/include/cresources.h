/* Files that are compiled into the program. The C compiler embeds them (#embed), because the Swift compiler takes a
 * tenth of a second for each kilobyte of an array literal. */
#ifndef CRESOURCES_H
#define CRESOURCES_H

#include <stddef.h>
#include <stdint.h>

/* The bytes of a file; valid until the program ends. */
typedef struct {
    const uint8_t *_Nonnull bytes;
    size_t count;
} cresource;

/* From seeds/: the reserved words, and two lists of names. */
cresource cresources_reserved_words(void);
cresource cresources_offensive_words(void);
cresource cresources_innocent_names(void);
cresource cresources_common_names(void);

/* docs/problems.md */
cresource cresources_problems(void);

/* The OpenAPI document of the service. */
cresource cresources_openapi(void);

#endif
