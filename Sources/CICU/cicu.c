#include "cicu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uspoof.h>
#include <unicode/ustring.h>
#include <unicode/utrans.h>

/* Replaces a wide or narrow form by its plain code point; others are unchanged. All decompositions of this kind in
 * Unicode are a single code point (verified). */
static UChar32 fold_width(const UNormalizer2 *nfkc, UChar32 c) {
    int32_t type = u_getIntPropertyValue(c, UCHAR_DECOMPOSITION_TYPE);
    if (type != U_DT_WIDE && type != U_DT_NARROW) return c;
    UErrorCode status = U_ZERO_ERROR;
    UChar plain[8];
    int32_t length = unorm2_getRawDecomposition(nfkc, c, plain, 8, &status);
    if (U_FAILURE(status) || length <= 0) return c;
    UChar32 folded;
    int32_t index = 0;
    U16_NEXT(plain, index, length, folded);
    return index == length ? folded : c;
}

int32_t cicu_fold_width_and_compose(const uint32_t *text, int32_t count, uint32_t *result, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2 *nfc = unorm2_getNFCInstance(&status);
    const UNormalizer2 *nfkc = unorm2_getNFKCInstance(&status);
    if (U_FAILURE(status)) return -1;

    /* A code point has at most two units, and composing makes text at most three times as long (UAX #15). */
    int32_t room = count * 6 + 16;
    UChar *folded = malloc(sizeof(UChar) * (size_t)room * 2);
    if (folded == NULL) return -1;
    UChar *composed = folded + room;
    int32_t length = 0;
    for (int32_t i = 0; i < count; i++) {
        UChar32 c = fold_width(nfkc, (UChar32)text[i]);
        U16_APPEND_UNSAFE(folded, length, c);
    }
    length = unorm2_normalize(nfc, folded, length, composed, room, &status);
    int32_t written = U_FAILURE(status) ? -1 : 0;
    for (int32_t i = 0; written >= 0 && i < length;) {
        UChar32 c;
        U16_NEXT(composed, i, length, c);
        if (written == capacity) {
            written = -1;
        } else {
            result[written++] = (uint32_t)c;
        }
    }
    free(folded);
    return written;
}

int32_t cicu_name(uint32_t code_point, char *name, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t length = u_charName((UChar32)code_point, U_UNICODE_CHAR_NAME, name, capacity, &status);
    if (U_SUCCESS(status) && length == 0) {
        length = u_charName((UChar32)code_point, U_CHAR_NAME_ALIAS, name, capacity, &status);
    }
    if (U_SUCCESS(status) && length == 0) {
        length = u_charName((UChar32)code_point, U_EXTENDED_CHAR_NAME, name, capacity, &status);
    }
    return U_FAILURE(status) || length > capacity ? 0 : length;
}

int cicu_is_white_space(uint32_t code_point) { return u_isUWhiteSpace((UChar32)code_point); }

/* Opened once and never closed: ICU's checkers and transliterators are expensive to open. */
static USpoofChecker *checker;
static UTransliterator *transliterator;
static pthread_mutex_t transliterator_lock = PTHREAD_MUTEX_INITIALIZER;

static void open_checker(void) {
    UErrorCode status = U_ZERO_ERROR;
    checker = uspoof_open(&status);
    if (U_FAILURE(status)) checker = NULL;
}

uint32_t cicu_ascii_lookalike(uint32_t code_point) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_checker);
    if (checker == NULL) return 0;
    UChar source[2], skeleton[8];
    int32_t length = 0;
    U16_APPEND_UNSAFE(source, length, (UChar32)code_point);
    UErrorCode status = U_ZERO_ERROR;
    length = uspoof_getSkeleton(checker, 0, source, length, skeleton, 8, &status);
    if (U_FAILURE(status) || length < 1) return 0;
    /* The skeleton of m is rn: Unicode's prototype for it is the pair. */
    if (length == 2 && skeleton[0] == 'r' && skeleton[1] == 'n') return 'm';
    UChar c = skeleton[0];
    int plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return length == 1 && plain ? c : 0;
}

static void open_transliterator(void) {
    UErrorCode status = U_ZERO_ERROR;
    UChar id[128];
    /* NFKC folds letters of mathematics and in circles. A filter at the very start would be one of all steps,
     * hence Null. */
    u_uastrcpy(id, "Null; [[:dt=Font:][:dt=Circle:]] NFKC; Any-Latin; Latin-ASCII");
    transliterator = utrans_openU(id, -1, UTRANS_FORWARD, NULL, 0, NULL, &status);
    if (U_FAILURE(status)) transliterator = NULL;
}

int32_t cicu_transliterate(const char *text, int32_t count, char *result, int32_t capacity) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_transliterator);
    if (transliterator == NULL) return -1;

    /* A Chinese character or a ligature becomes several letters, but fewer than eight. */
    int32_t room = count * 8 + 16, length = 0;
    UErrorCode status = U_ZERO_ERROR;
    UChar *buffer = malloc(sizeof(UChar) * (size_t)room);
    if (buffer == NULL) return -1;
    u_strFromUTF8(buffer, room, &length, text, count, &status);
    if (U_SUCCESS(status)) {
        int32_t limit = length;
        /* A transliterator has state while it works, so only one thread may use it at a time. */
        pthread_mutex_lock(&transliterator_lock);
        utrans_transUChars(transliterator, buffer, &length, room, 0, &limit, &status);
        pthread_mutex_unlock(&transliterator_lock);
    }
    int32_t written = 0;
    if (U_SUCCESS(status)) {
        u_strToUTF8(result, capacity, &written, buffer, length, &status);
    }
    free(buffer);
    return U_FAILURE(status) ? -1 : written;
}
