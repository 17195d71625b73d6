/* The part of OpenSSL's libcrypto that the project uses, with its own declarations: Swift sees no <openssl/…> header.
 * All functions may be called from any thread. */
#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <stddef.h>
#include <stdint.h>

#define CCRYPTO_SHA256_BYTES 32

/* Writes the SHA-256 (FIPS 180-4) of the bytes of `first` followed by those of `second` to the 32 bytes of `digest`.
 * Returns 1, or 0 on failure: only when memory ran out or the system's policy forbids SHA-256. */
int ccrypto_sha256(
    const uint8_t *first, size_t first_count, const uint8_t *second, size_t second_count, uint8_t *digest);

/* SHA-256 of bytes that are added in parts. `end` also frees the state. On failure `begin` returns NULL, and the others
 * return 0. One caller at a time. */
typedef struct ccrypto_sha256_state ccrypto_sha256_state;
ccrypto_sha256_state *ccrypto_sha256_begin(void);
int ccrypto_sha256_add(ccrypto_sha256_state *state, const uint8_t *bytes, size_t count);
int ccrypto_sha256_end(ccrypto_sha256_state *state, uint8_t *digest);

/* Whether `count` bytes are equal. The time does not depend on where they differ. */
int ccrypto_equal(const uint8_t *left, const uint8_t *right, size_t count);

#endif
