// What Base/Digests needs of OpenSSL's libcrypto and of the kernel. Functions report success as true.
#ifndef CDIGESTS_H
#define CDIGESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CDIGESTS_SHA256_BYTES = 32 };

/// A SHA-256 computation in progress; NULL if OpenSSL has no memory or no SHA-256. The caller frees it.
struct cdigests_sha256 *cdigests_sha256_new(void);
void cdigests_sha256_free(struct cdigests_sha256 *digest);
/// Adds bytes to the data.
bool cdigests_sha256_update(struct cdigests_sha256 *digest, const void *bytes, size_t count);
/// Writes the hash of all data. Afterwards the computation can only be freed.
bool cdigests_sha256_finish(struct cdigests_sha256 *digest, uint8_t hash[CDIGESTS_SHA256_BYTES]);

/// HMAC with SHA-256 (RFC 2104). Key and data may be empty.
bool cdigests_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, uint8_t code[CDIGESTS_SHA256_BYTES]);

/// Compares without branches that depend on the bytes, so that the time tells nothing about them.
bool cdigests_are_equal(const void *a, const void *b, size_t count);

/// Fills memory with random bytes of the kernel, as keys need them (getrandom(2)). 0, or -errno.
int cdigests_random(void *bytes, size_t count);

#endif
