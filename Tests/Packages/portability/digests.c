// COpenSSL: a hash in parts, an authentication code and random bytes.
#include "COpenSSL.h"
#include "samples.h"
#include <string.h>

int main(void) {
    enum { length = 100000 };
    uint8_t *bytes = make_samples(length, 9), hash[COPENSSL_SHA256_BYTES], code[COPENSSL_SHA256_BYTES];
    struct copenssl_sha256 *digest = copenssl_sha256_new();
    require(digest != NULL, "SHA-256");
    for (size_t at = 0; at < length; at += 1000) require(copenssl_sha256_update(digest, bytes + at, 1000), "update");
    require(copenssl_sha256_finish(digest, hash), "finish");
    copenssl_sha256_free(digest);
    print("hash", checksum(hash, sizeof hash));
    require(copenssl_hmac_sha256(bytes, 131, bytes, length, code), "HMAC");
    print("code", checksum(code, sizeof code));
    uint8_t random[2][64];
    require(copenssl_random(random[0], 64) == 0 && copenssl_random(random[1], 64) == 0, "random bytes");
    require(memcmp(random[0], random[1], 64) != 0, "different random bytes");
    return 0;
}
