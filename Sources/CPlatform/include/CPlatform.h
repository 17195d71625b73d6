/* The system's C libraries: SHA-256 by OpenSSL's libcrypto, zlib, the settings of the allocator, and the type of a file. */
#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zlib.h>
/* mallopt, which is missing from Swift's module of the C library. */
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* The part of libcrypto that the project uses, so that Swift sees no <openssl/…> header. All functions may be called from
 * any thread. */

#define CPLATFORM_SHA256_BYTES 32

/* SHA-256 (FIPS 180-4) of bytes that are added in parts. `end` writes the 32 bytes of `digest` and frees the state. On
 * failure `begin` returns NULL, and the others return 0: only when memory ran out or the system's policy forbids SHA-256.
 * One caller at a time. */
typedef struct cplatform_sha256_state cplatform_sha256_state;
cplatform_sha256_state *cplatform_sha256_begin(void);
int cplatform_sha256_add(cplatform_sha256_state *state, const uint8_t *bytes, size_t count);
int cplatform_sha256_end(cplatform_sha256_state *state, uint8_t *digest);

/* Whether `count` bytes are equal. The time does not depend on where they differ. */
int cplatform_equal(const uint8_t *left, const uint8_t *right, size_t count);

/* Whether a descriptor is that of a regular file. (In a module that imports SwiftNIO too, `stat` has two owners.) */
static inline int cplatform_is_regular_file(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/* inflateInit2 is a macro, which Swift does not import. 15 is the largest window; 16 selects gzip's header and CRC. */
static inline int cplatform_gunzip_init(z_stream *stream) {
    return inflateInit2(stream, 15 + 16);
}

#endif
