#include "cprocessor.h"

struct word_filters {
    uint64_t likeness[1024], inside[1024], whole[1024], beginnings[1024], prefixes[512], suffixes[512];
};
_Static_assert(sizeof(struct word_filters) == WORD_FILTERS_COUNT * sizeof(uint64_t), "");

#if defined(__x86_64__)
#include <immintrin.h>

#define FAST __attribute__((target("avx2,bmi,bmi2,popcnt,lzcnt")))

int32_t names_can_scan(void) {
    __builtin_cpu_init();
    /* Each processor with BMI2 has LZCNT. The first two generations of Zen remove bits one by one. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
        && __builtin_cpu_supports("popcnt") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

/* Turns each half of a vector round: between the bytes in their order and packed words. */
FAST static inline __m128i turned(__m128i bytes) {
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
}

/* Classes of bytes. A byte has the class that both tables have for its halves. */
enum { DIGIT = 1, UPPER_A_O = 2, LOWER_A_O = 4, UPPER_P_Z = 8, LOWER_P_Z = 16, UNDERSCORE = 32 };

FAST static inline __m128i classes(__m128i bytes) {
    const __m128i by_low = _mm_setr_epi8(
        DIGIT | UPPER_P_Z | LOWER_P_Z, 31, 31, 31, 31, 31, 31, 31, 31, 31, 30, 6, 6, 6, 6, 6 | UNDERSCORE);
    const __m128i by_high = _mm_setr_epi8(
        0, 0, 0, DIGIT, UPPER_A_O, UPPER_P_Z | UNDERSCORE, LOWER_A_O, LOWER_P_Z, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m128i high = _mm_and_si128(_mm_srli_epi16(bytes, 4), _mm_set1_epi8(15));
    return _mm_and_si128(_mm_shuffle_epi8(by_low, bytes), _mm_shuffle_epi8(by_high, high));
}

FAST void names_read(const uint8_t *bytes, int64_t size, const struct name_cell *cells, int64_t count,
                     struct packed_name *letters, struct packed_name *handles, uint8_t *kinds) {
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int64_t i = 0; i < count; i++) {
        const int32_t start = cells[i].start, length = cells[i].count;
        if (length < 1 || length > 15 || (int64_t)start + 16 > size) {
            kinds[i] = NAME_IS_OTHER;
            continue;
        }
        const __m128i used = _mm_cmpgt_epi8(_mm_set1_epi8((char)length), places);
        const __m128i name = _mm_and_si128(_mm_loadu_si128((const __m128i *)(bytes + start)), used);
        const __m128i class = classes(name);
        const int allowed = _mm_movemask_epi8(_mm_cmpgt_epi8(class, _mm_setzero_si128()));
        const int other_than_digits = _mm_movemask_epi8(_mm_cmpgt_epi8(class, _mm_set1_epi8(DIGIT)));
        const __m128i capitals = _mm_cmpgt_epi8(
            _mm_and_si128(class, _mm_set1_epi8(UPPER_A_O | UPPER_P_Z)), _mm_setzero_si128());
        const __m128i lower = _mm_or_si128(name, _mm_and_si128(capitals, _mm_set1_epi8(0x20)));
        const __m128i number = _mm_set_epi64x(length, 0);
        _mm_storeu_si128((__m128i *)&letters[i], _mm_or_si128(turned(name), number));
        _mm_storeu_si128((__m128i *)&handles[i], _mm_or_si128(turned(lower), number));
        kinds[i] = allowed != (1 << length) - 1 ? NAME_IS_OTHER : other_than_digits ? NAME_IS_PLAIN : NAME_IS_NUMBER;
    }
}

/* Two words of bytes in their order. */
typedef unsigned __int128 bytes16;

FAST static inline bytes16 bytes_of(__m128i vector) {
    return (uint64_t)_mm_cvtsi128_si64(vector) | (bytes16)(uint64_t)_mm_extract_epi64(vector, 1) << 64;
}

FAST static inline __m128i vector(bytes16 bytes) {
    return _mm_set_epi64x((int64_t)(bytes >> 64), (int64_t)bytes);
}

/* Removes the bytes that are marked, and sets their number. */
FAST static inline bytes16 without(__m128i marked, bytes16 bytes, int *removed) {
    const int marks = _mm_movemask_epi8(marked);
    const uint64_t low = _pext_u64((uint64_t)bytes, ~(uint64_t)_mm_cvtsi128_si64(marked));
    const uint64_t high = _pext_u64((uint64_t)(bytes >> 64), ~(uint64_t)_mm_extract_epi64(marked, 1));
    *removed = __builtin_popcount(marks);
    return low | (bytes16)high << (64 - 8 * __builtin_popcount(marks & 0xff));
}

FAST static inline struct packed_name packed(bytes16 bytes, int count) {
    const struct packed_name name = {
        __builtin_bswap64((uint64_t)bytes), __builtin_bswap64((uint64_t)(bytes >> 64)) | (uint64_t)count};
    return name;
}

/* Replaces each lowercase letter or digit by the first of its look-alike class. */
FAST static inline __m128i folded(__m128i name) {
    const __m128i digits = _mm_setr_epi8('o', 'i', 'z', 'e', 'a', 's', '6', 't', 'b', 'g', 0, 0, 0, 0, 0, 0);
    const __m128i a_o = _mm_setr_epi8(0, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'i', 'm', 'n', 'o');
    const __m128i p_z = _mm_setr_epi8('p', 'g', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 0, 0, 0, 0, '_');
    /* Bit 4 is set in p–z and the underscore, and bit 6 in all but digits. They are moved to the highest bit. */
    const __m128i letters = _mm_blendv_epi8(
        _mm_shuffle_epi8(a_o, name), _mm_shuffle_epi8(p_z, name), _mm_slli_epi16(name, 3));
    const __m128i all = _mm_blendv_epi8(_mm_shuffle_epi8(digits, name), letters, _mm_slli_epi16(name, 1));
    return _mm_and_si128(all, _mm_cmpgt_epi8(name, _mm_setzero_si128()));
}

/* Marks the bytes that are followed by the same one. */
FAST static inline __m128i repeated(__m128i letters, __m128i next) {
    return _mm_and_si128(_mm_cmpeq_epi8(letters, next), _mm_cmpgt_epi8(letters, _mm_setzero_si128()));
}

/* Marks the first letters of two that follow each other. */
FAST static inline __m128i pairs(__m128i letters, __m128i next, char first, char second) {
    return _mm_and_si128(
        _mm_cmpeq_epi8(letters, _mm_set1_epi8(first)), _mm_cmpeq_epi8(next, _mm_set1_epi8(second)));
}

/* As PackedTable.hash and its filter. */
static inline uint64_t has_key(const uint64_t *filter, struct packed_name key) {
    const uint64_t mixed = key.high * 0x9E3779B185EBCA87 ^ key.low * 0xC2B2AE3D27D4EB4F;
    const uint64_t hash = __builtin_bswap64(mixed ^ mixed >> 32) & 0x7FFFFFFF;
    const uint64_t word = filter[hash >> 12 & 1023];
    return word >> (hash & 63) & word >> (hash >> 6 & 63);
}

/* As GramFilter. The lowest bit says whether the filter has the letters. */
static inline uint64_t has_gram(const uint64_t *filter, uint64_t gram) {
    const uint32_t hash = (uint32_t)gram * 0x9E3779B1;
    const uint64_t word = filter[hash >> 22];
    return word >> (hash >> 16 & 63) & word >> (hash >> 10 & 63);
}

/* As GramFilter.mayContain(everySecond:). */
static inline uint64_t has_gram_inside(const uint64_t *filter, struct packed_name folded, int count) {
    const uint64_t middle = folded.high << 32 | folded.low >> 32, last = folded.low & ~(uint64_t)0xFF;
    uint64_t bits = has_gram(filter, folded.high >> 32) | has_gram(filter, folded.high >> 16)
        | has_gram(filter, middle >> 32) | has_gram(filter, middle >> 16) | has_gram(filter, last >> 32);
    if (count > 11) bits |= has_gram(filter, last >> 16) | has_gram(filter, last);
    return bits;
}

/* As TripleSet. */
FAST static inline uint64_t has_triple(const uint64_t *set, uint64_t letters) {
    const uint64_t place = _pext_u64(letters, 0x1F1F1F);
    return set[place >> 6] >> (place & 63);
}

/* The last eight bytes of a name, the last in the lowest place; zeros come before fewer bytes. */
FAST static inline uint64_t last_eight(__m128i name, int count) {
    const __m128i from_end = _mm_setr_epi8(-1, -2, -3, -4, -5, -6, -7, -8, -9, -9, -9, -9, -9, -9, -9, -9);
    return (uint64_t)_mm_cvtsi128_si64(_mm_shuffle_epi8(name, _mm_add_epi8(from_end, _mm_set1_epi8((char)count))));
}

/* The number of highest bits that are set. At least one is not. */
FAST static inline int run(uint32_t bits) { return __builtin_clz(~bits); }

/* As Affixes.suspicions. `first` and `end` are the first and the last eight bytes of the folded name. `underscores` and
 * `digits` have a bit for each byte of the name, the first the lowest. */
FAST static inline uint64_t affix_suspicions(
    const struct word_filters *filters, uint64_t first, uint64_t end, struct packed_name rough, int count,
    uint32_t underscores, uint32_t digits) {
    const uint64_t front = first << 8 * __builtin_ctz(~underscores) >> 40;
    const uint64_t prefix = has_triple(filters->prefixes, front);
    /* The end of the name: underscores, up to four digits, underscores. */
    const uint32_t marks = underscores << (32 - count), figures = digits << (32 - count);
    const int behind = run(marks), all = run(figures << behind), number = all < 4 ? all : 4;
    const int length = behind + number + run(marks << (behind + number));
    const uint64_t has_end = (marks | figures) >> 31 & (digits != (1u << count) - 1);
    const uint64_t suffix = (length > 5) | has_triple(filters->suffixes, end >> (8 * behind & 63))
        | has_triple(filters->suffixes, end >> (8 * length & 63));
    const uint64_t affix = (prefix | has_triple(filters->suffixes, end) | (has_end & suffix)) & 1;
    /* A word of four symbols or more, or a short one. */
    const uint64_t begins = has_gram(filters->beginnings, rough.high >> 32)
        | ((int)(rough.low & 0xFF) - number < 4);
    return affix * SUSPECT_AFFIX | (begins & has_end & (number > 0) & ~affix) * SUSPECT_NUMBER;
}

/* Computes the keys of a name from its folded letters. Returns 0 for a name of SUSPECT_FORM. */
FAST static inline int add_keys(struct suspect_name *suspect, __m128i fold, __m128i underscores, int length) {
    int removed, joined = 0, doubled;
    const bytes16 bare = without(underscores, bytes_of(fold), &removed);
    __m128i letters = vector(bare), next = _mm_srli_si128(letters, 1), runs = repeated(letters, next);
    /* Runs of i, l and 1 stay. */
    const int equal = _mm_movemask_epi8(_mm_andnot_si128(_mm_cmpeq_epi8(letters, _mm_set1_epi8('i')), runs));
    const __m128i wide = _mm_or_si128(pairs(letters, next, 'v', 'v'), pairs(letters, next, 'v', 'w'));
    if ((equal & equal >> 1) | _mm_movemask_epi8(wide)) return 0;
    const __m128i rn = pairs(letters, next, 'r', 'n'), ci = pairs(letters, next, 'c', 'i'), pair = _mm_or_si128(rn, ci);
    bytes16 symbols = bare;
    if (!_mm_testz_si128(pair, pair)) {
        letters = _mm_blendv_epi8(letters, _mm_set1_epi8('m'), rn);
        letters = _mm_blendv_epi8(letters, _mm_set1_epi8('d'), ci);
        symbols = without(_mm_slli_si128(pair, 1), bytes_of(letters), &joined);
        letters = vector(symbols);
        runs = repeated(letters, _mm_srli_si128(letters, 1));
    }
    const bytes16 rough = without(runs, symbols, &doubled);
    suspect->bare = packed(bare, length - removed);
    suspect->key = packed(symbols, length - removed - joined);
    suspect->rough_key = packed(rough, length - removed - joined - doubled);
    return 1;
}

FAST int64_t names_scan(const struct packed_name *names, int64_t count, const struct word_filters *filters,
                        struct packed_name *keys, struct suspect_name *suspects) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        const int length = names[i].low & 0xFF;
        if (length == 0) {
            keys[i] = names[i];
            continue;
        }
        struct suspect_name *suspect = &suspects[found];
        suspect->index = (int32_t)i;
        /* The lowest byte of the second word is the length, which becomes the last byte. */
        const __m128i name = _mm_insert_epi8(turned(_mm_loadu_si128((const __m128i *)&names[i])), 0, 15);
        const __m128i fold = folded(name), underscores = _mm_cmpeq_epi8(fold, _mm_set1_epi8('_'));
        const uint32_t marks = (uint32_t)_mm_movemask_epi8(underscores);
        if (!add_keys(suspect, fold, underscores, length) || (marks & 0x3F) == 0x3F) {
            suspect->suspicions = SUSPECT_FORM;
            found++;
            continue;
        }
        suspect->folded = packed(bytes_of(fold), length);
        keys[i] = suspect->key;
        /* Bit 6, moved to the highest, is set in all but digits. */
        const uint32_t digits = ~(uint32_t)_mm_movemask_epi8(_mm_slli_epi16(name, 1)) & ((1u << length) - 1);
        const int same = _mm_movemask_epi8(repeated(name, _mm_srli_si128(name, 1)));
        const uint64_t inside = has_gram_inside(filters->inside, suspect->folded, length)
            | has_gram(filters->whole, suspect->bare.high >> 32) | ((same & same >> 1) != 0);
        suspect->suspicions = (int32_t)((has_key(filters->likeness, suspect->rough_key) & 1) * SUSPECT_LIKENESS
            | (inside & 1) * SUSPECT_INSIDE
            | affix_suspicions(
                filters, suspect->folded.high, last_eight(fold, length), suspect->rough_key, length, marks, digits));
        found += suspect->suspicions != 0;
    }
    return found;
}

#else

int32_t names_can_scan(void) { return 0; }

void names_read(const uint8_t *bytes, int64_t size, const struct name_cell *cells, int64_t count,
                struct packed_name *letters, struct packed_name *handles, uint8_t *kinds) {
    __builtin_trap();
}

int64_t names_scan(const struct packed_name *names, int64_t count, const struct word_filters *filters,
                   struct packed_name *keys, struct suspect_name *suspects) {
    __builtin_trap();
}

#endif
