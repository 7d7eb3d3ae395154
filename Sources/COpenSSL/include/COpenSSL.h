// What Base/OpenSSL needs of OpenSSL and of the kernel: TLS for clients, and why a connection failed;
// digests; random bytes. Functions report success as true.
//
// All texts of certificates are printable ASCII: what they have beyond it is escaped as \xx.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// MARK: TLS

enum copenssl_file {
    /// None of the files.
    COPENSSL_NO_FILE,
    COPENSSL_AUTHORITIES,
    COPENSSL_CERTIFICATE,
    COPENSSL_KEY,
};

/// Which file can't be used, and why.
struct copenssl_file_error {
    enum copenssl_file file;
    char reason[1024];
};

/// How TLS failed.
enum copenssl_failure {
    COPENSSL_NO_FAILURE,
    /// The peer's certificate, or that of an issuer, is refused: `reason` says why, and which.
    COPENSSL_REFUSED_PEER,
    /// The peer sent the alert `reason` (RFC 8446, 6.2).
    COPENSSL_ALERT,
    /// The peer closed the connection during the handshake.
    COPENSSL_CLOSED,
    /// What the peer sent isn't TLS.
    COPENSSL_NO_TLS,
    /// Otherwise: `reason` has OpenSSL's words.
    COPENSSL_OTHER_FAILURE,
};

/// A context for one connection. It notes why that failed.
struct copenssl_context {
    /// The SSL_CTX for a library that makes the connection.
    void *ssl;
    /// The name that a handshake sends (RFC 6066, 3); NULL for an address.
    char *name;
    /// The first failure: others follow from it.
    enum copenssl_failure failure;
    char reason[512];
    /// With TLS 1.3 the peer may still refuse the client's certificate after the handshake.
    bool peer_requested_certificate;
    /// Why the system could not transport the handshake, as errno; 0: it could.
    int system_error;
};

/// Makes a context for TLS 1.2 or newer that accepts only a peer with a valid certificate for the host.
///
/// - `host`: a name or an address. A name is sent to the peer.
/// - `authorities`: the file with the trusted certificates (PEM); NULL: those of the system.
/// - `certificate`, `key`: the client's own certificate with its chain, and its key (PEM); both or neither.
///   Nothing asks for the passphrase of an encrypted key.
///
/// NULL on a failure, with the reason in `error`.
struct copenssl_context *copenssl_make_context(
    const char *host, const char *authorities, const char *certificate, const char *key,
    struct copenssl_file_error *error);

/// No connection may use the context any more.
void copenssl_free_context(struct copenssl_context *context);

/// Whether the handshake of a connection, an SSL, has not ended.
bool copenssl_is_in_handshake(void *connection);

/// Whether it waits until its socket is writable, during the handshake.
bool copenssl_wants_to_write(void *connection);

/// Whether decrypted data can be read: that does not make the socket readable.
bool copenssl_has_pending(void *connection);

/// Forgets the errors of this thread, errno too. An old one would end the next connection that has nothing to
/// read, or be the reason of an end that sets none.
void copenssl_clear_errors(void);

/// Why the client's own certificate isn't valid now: "expired on" or "isn't valid before" with the time, in
/// UTC. NULL: it is valid, or there is none. The text is `reason` of the context.
const char *copenssl_why_own_is_invalid(struct copenssl_context *context);

/// Likewise for the authorities' file, if all of them have expired: when the last one did.
const char *copenssl_why_authorities_are_invalid(struct copenssl_context *context);

/// The folder with the authorities that the system trusts.
const char *copenssl_system_folder(void);

/// Whether the system has authorities: a file of them, or something in their folder.
bool copenssl_system_has_authorities(void);

/// The common name of the first certificate in a file (PEM), as a new string that the caller frees. NULL: the
/// file can't be read, or has no certificate with a common name.
char *copenssl_common_name(const char *file);

// MARK: Digests

enum { COPENSSL_SHA256_BYTES = 32 };

/// A SHA-256 computation in progress; NULL if OpenSSL has no memory or no SHA-256. The caller frees it.
struct copenssl_sha256 *copenssl_sha256_new(void);
void copenssl_sha256_free(struct copenssl_sha256 *digest);
/// Adds bytes to the data.
bool copenssl_sha256_update(struct copenssl_sha256 *digest, const void *bytes, size_t count);
/// Writes the hash of all data. Afterwards the computation can only be freed.
bool copenssl_sha256_finish(struct copenssl_sha256 *digest, uint8_t hash[COPENSSL_SHA256_BYTES]);

/// HMAC with SHA-256 (RFC 2104). Key and data may be empty.
bool copenssl_hmac_sha256(
    const void *key, size_t key_count, const void *bytes, size_t count, uint8_t code[COPENSSL_SHA256_BYTES]);

/// Fills memory with random bytes of the kernel, as keys need them (getrandom(2)). 0, or -errno.
int copenssl_random(void *bytes, size_t count);

#endif
