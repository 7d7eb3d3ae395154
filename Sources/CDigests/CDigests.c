#include "CDigests.h"
#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

static EVP_MD_CTX *context(struct cdigests_sha256 *digest) { return (EVP_MD_CTX *)digest; }

struct cdigests_sha256 *cdigests_sha256_new(void) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1) return (struct cdigests_sha256 *)context;
    EVP_MD_CTX_free(context);
    return NULL;
}

void cdigests_sha256_free(struct cdigests_sha256 *digest) { EVP_MD_CTX_free(context(digest)); }

bool cdigests_sha256_update(struct cdigests_sha256 *digest, const void *bytes, size_t count) {
    return EVP_DigestUpdate(context(digest), bytes, count) == 1;
}

bool cdigests_sha256_finish(struct cdigests_sha256 *digest, uint8_t hash[CDIGESTS_SHA256_BYTES]) {
    unsigned count = 0;
    return EVP_DigestFinal_ex(context(digest), hash, &count) == 1 && count == CDIGESTS_SHA256_BYTES;
}

bool cdigests_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, uint8_t code[CDIGESTS_SHA256_BYTES]
) {
    unsigned length = 0;
    return key_count <= INT_MAX && HMAC(EVP_sha256(), key ? key : "", (int)key_count, bytes, count, code, &length)
        && length == CDIGESTS_SHA256_BYTES;
}

bool cdigests_are_equal(const void *a, const void *b, size_t count) {
    return count == 0 || CRYPTO_memcmp(a, b, count) == 0;
}

int cdigests_random(void *bytes, size_t count) {
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
