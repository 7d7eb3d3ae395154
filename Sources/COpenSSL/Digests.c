#include "COpenSSL.h"
#include <errno.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

static EVP_MD_CTX *context(struct copenssl_sha256 *digest) { return (EVP_MD_CTX *)digest; }

struct copenssl_sha256 *copenssl_sha256_new(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1) return (struct copenssl_sha256 *)context;
    EVP_MD_CTX_free(context);
    return NULL;
}

void copenssl_sha256_free(struct copenssl_sha256 *digest) { EVP_MD_CTX_free(context(digest)); }

bool copenssl_sha256_update(struct copenssl_sha256 *digest, const void *bytes, size_t count) {
    return EVP_DigestUpdate(context(digest), bytes, count) == 1;
}

bool copenssl_sha256_finish(struct copenssl_sha256 *digest, uint8_t hash[COPENSSL_SHA256_BYTES]) {
    unsigned count = 0;
    return EVP_DigestFinal_ex(context(digest), hash, &count) == 1 && count == COPENSSL_SHA256_BYTES;
}

bool copenssl_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, uint8_t code[COPENSSL_SHA256_BYTES]
) {
    unsigned length = 0;
    return key_count <= INT_MAX && HMAC(EVP_sha256(), key ? key : "", (int)key_count, bytes, count, code, &length)
        && length == COPENSSL_SHA256_BYTES;
}

int copenssl_random(void *bytes, size_t count) {
    uint8_t *next = bytes;
    while (count > 0) {
        ssize_t got = getrandom(next, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -errno;
        next += got;
        count -= (size_t)got;
    }
    return 0;
}
