#include "cp256.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

cp256_key *cp256_make(void) { return (cp256_key *)EVP_EC_gen("P-256"); }

void cp256_free(cp256_key *key) { EVP_PKEY_free((EVP_PKEY *)key); }

static int coordinate(const cp256_key *key, const char *name, uint8_t *bytes) {
    BIGNUM *number = NULL;
    int is_done = EVP_PKEY_get_bn_param((const EVP_PKEY *)key, name, &number) &&
                  BN_bn2binpad(number, bytes, CP256_COORDINATE_BYTES) == CP256_COORDINATE_BYTES;
    BN_free(number);
    return is_done;
}

int cp256_public(const cp256_key *key, uint8_t *x, uint8_t *y) {
    return coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X, x) && coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y, y);
}

/* Turns a signature of libcrypto (DER) into that of a JSON web token: the two numbers one after the other. */
static int raw(const uint8_t *der, size_t count, uint8_t *signature) {
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)count);
    if (pair == NULL) return 0;
    int half = CP256_SIGNATURE_BYTES / 2;
    int is_done = BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, half) == half &&
                  BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + half, half) == half;
    ECDSA_SIG_free(pair);
    return is_done;
}

int cp256_sign(const cp256_key *key, const uint8_t *bytes, size_t count, uint8_t *signature) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context == NULL) return 0;
    uint8_t der[80];
    size_t length = sizeof der;
    int is_done = EVP_DigestSignInit_ex(context, NULL, "SHA256", NULL, NULL, (EVP_PKEY *)key, NULL) &&
                  EVP_DigestSign(context, der, &length, bytes, count) && raw(der, length, signature);
    EVP_MD_CTX_free(context);
    return is_done;
}

int cp256_sha256(const uint8_t *bytes, size_t count, uint8_t *digest) {
    return EVP_Q_digest(NULL, "SHA256", NULL, bytes, count, digest, NULL);
}
