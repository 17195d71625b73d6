/* Keys on the curve P-256 and their signatures (ES256), and SHA-256, by OpenSSL's libcrypto. */
#ifndef CP256_H
#define CP256_H

#include <stddef.h>
#include <stdint.h>

#define CP256_COORDINATE_BYTES 32
#define CP256_SIGNATURE_BYTES 64

typedef struct cp256_key cp256_key;

/* A new key, to be freed with cp256_free; NULL on failure. */
cp256_key *cp256_make(void);
void cp256_free(cp256_key *key);

/* The coordinates of the public key, 32 bytes each. Returns 1, or 0 on failure. */
int cp256_public(const cp256_key *key, uint8_t *x, uint8_t *y);

/* Signs with SHA-256: r and s, 32 bytes each (RFC 7518, 3.4). Returns 1, or 0 on failure. Safe to call from any thread. */
int cp256_sign(const cp256_key *key, const uint8_t *bytes, size_t count, uint8_t *signature);

/* Writes the 32 bytes of the SHA-256 of `bytes` to `digest`. Returns 1, or 0 on failure. */
int cp256_sha256(const uint8_t *bytes, size_t count, uint8_t *digest);

#endif
