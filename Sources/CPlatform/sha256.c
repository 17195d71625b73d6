#include "CPlatform.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>

/* Fetched once, because that takes longer than hashing a name. Never freed. */
static EVP_MD *sha256;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fetch(void) { sha256 = EVP_MD_fetch(NULL, "SHA256", NULL); }

cplatform_sha256_state *cplatform_sha256_begin(void) {
    if (pthread_once(&once, fetch) != 0 || sha256 == NULL) return NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL) return NULL;
    if (EVP_DigestInit_ex2(context, sha256, NULL)) return (cplatform_sha256_state *)context;
    EVP_MD_CTX_free(context);
    return NULL;
}

int cplatform_sha256_add(cplatform_sha256_state *state, const uint8_t *bytes, size_t count) {
    return EVP_DigestUpdate((EVP_MD_CTX *)state, bytes, count);
}

int cplatform_sha256_end(cplatform_sha256_state *state, uint8_t *digest) {
    EVP_MD_CTX *context = (EVP_MD_CTX *)state;
    int is_done = EVP_DigestFinal_ex(context, digest, NULL);
    EVP_MD_CTX_free(context);
    return is_done;
}

int cplatform_equal(const uint8_t *left, const uint8_t *right, size_t count) {
    return CRYPTO_memcmp(left, right, count) == 0;
}
