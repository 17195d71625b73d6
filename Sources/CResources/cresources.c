#include "cresources.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t reserved_words[] = {
#embed "../../seeds/reserved-words.tsv"
};
static const uint8_t offensive_words[] = {
#embed "../../seeds/offensive-words.tsv"
};
static const uint8_t innocent_names[] = {
#embed "../../seeds/innocent-names.tsv"
};
static const uint8_t common_names[] = {
#embed "../../seeds/common-names.txt"
};
static const uint8_t problems[] = {
#embed "../../docs/problems.md"
};
static const uint8_t openapi[] = {
#embed "../HandleServer/Contract/openapi.json"
};

cresource cresources_reserved_words(void) { return (cresource){reserved_words, sizeof reserved_words}; }
cresource cresources_offensive_words(void) { return (cresource){offensive_words, sizeof offensive_words}; }
cresource cresources_innocent_names(void) { return (cresource){innocent_names, sizeof innocent_names}; }
cresource cresources_common_names(void) { return (cresource){common_names, sizeof common_names}; }
cresource cresources_problems(void) { return (cresource){problems, sizeof problems}; }
cresource cresources_openapi(void) { return (cresource){openapi, sizeof openapi}; }
