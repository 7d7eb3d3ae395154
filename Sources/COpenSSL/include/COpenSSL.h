// TLS for clients by OpenSSL: contexts with certificates from files, and why a connection with one failed.
//
// All texts are printable ASCII: what a certificate has beyond it is escaped as \xx.
#ifndef COPENSSL_H
#define COPENSSL_H

#include <stdbool.h>

/// A context for one connection. It notes why that failed.
struct copenssl_context;

/// A certificate. The context owns the texts.
struct copenssl_certificate {
    /// Such as CN=broker,O=Example (RFC 4514).
    const char *subject;
    const char *issuer;
    /// The DNS names and addresses of the extension subjectAltName, at most 8 of them.
    const char *names[8];
    /// The number of these names, also of those beyond 8.
    int name_count;
    /// NULL: none.
    const char *common_name;
    /// UTC, as 2026-11-22T12:00:00Z.
    const char *valid_from;
    const char *valid_until;
};

/// The file that can't be used.
enum copenssl_file {
    /// The reason is none of the files.
    COPENSSL_NO_FILE,
    COPENSSL_AUTHORITIES,
    COPENSSL_CERTIFICATE,
    COPENSSL_KEY,
};

/// What is wrong with it.
enum copenssl_problem {
    COPENSSL_USABLE,
    /// The system can't open it: `code` is errno.
    COPENSSL_UNREADABLE,
    /// It has no certificate in PEM form, or one that is damaged.
    COPENSSL_NO_CERTIFICATE,
    /// It has no private key in PEM form, or a damaged one.
    COPENSSL_NO_KEY,
    /// The private key can only be read with a passphrase.
    COPENSSL_ENCRYPTED_KEY,
    /// The private key isn't that of the certificate.
    COPENSSL_OTHER_KEY,
    /// OpenSSL refuses it: `reason` has its words.
    COPENSSL_REFUSED,
};

/// Which file can't be used, and why.
struct copenssl_file_error {
    enum copenssl_file file;
    enum copenssl_problem problem;
    int code;
    char reason[256];
};

/// Makes a context for TLS 1.2 or newer that accepts only a peer with a valid certificate for the host.
///
/// - `host`: a name or an address.
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

/// The SSL_CTX for a library that makes the connection.
void *copenssl_ssl_context(struct copenssl_context *context);

/// The common name of the first certificate in a file (PEM), as a new string that the caller frees. NULL: the
/// file can't be read, or has no certificate with a common name.
char *copenssl_common_name(const char *file);

/// Why the peer's certificate was refused.
enum copenssl_refusal {
    COPENSSL_ACCEPTED,
    /// Its issuer isn't trusted.
    COPENSSL_UNKNOWN_ISSUER,
    /// It is its own issuer, and isn't trusted itself.
    COPENSSL_SELF_SIGNED,
    /// Signed with another key than that of the trusted certificate of this name.
    COPENSSL_WRONG_SIGNATURE,
    COPENSSL_EXPIRED,
    COPENSSL_NOT_YET_VALID,
    /// It isn't for the host.
    COPENSSL_OTHER_HOST,
    /// `verification` has OpenSSL's words.
    COPENSSL_OTHER_REFUSAL,
};

/// How a handshake failed, apart from refused certificates and alerts.
enum copenssl_breakdown {
    COPENSSL_NO_BREAKDOWN,
    /// What the peer sent isn't TLS.
    COPENSSL_NO_TLS,
    /// The peer chose a version before TLS 1.2.
    COPENSSL_OLD_VERSION,
    /// The peer closed the connection.
    COPENSSL_CLOSED,
    /// `reason` has OpenSSL's words.
    COPENSSL_OTHER_BREAKDOWN,
};

/// What happened in the connection.
struct copenssl_record {
    /// The handshake was completed on this side; with TLS 1.3 the peer may still refuse the client's
    /// certificate.
    bool is_established;
    bool peer_requested_certificate;

    enum copenssl_refusal refusal;
    /// The refused certificate. NULL texts unless one was refused.
    struct copenssl_certificate certificate;
    /// Its place in the chain: 0 is the peer's, 1 that of its issuer.
    int depth;
    /// A trusted certificate has the name of its issuer, but another key.
    bool issuer_has_other_key;
    const char *verification;

    /// The fatal alert that was received (RFC 8446, 6); -1: none.
    int received_alert;
    const char *received_alert_text;
    /// The fatal alert that was sent; -1: none.
    int sent_alert;
    const char *sent_alert_text;

    enum copenssl_breakdown breakdown;
    const char *reason;
    /// Why the system could not transport the handshake, as errno; 0: it could.
    int system_error;
};

const struct copenssl_record *copenssl_context_record(const struct copenssl_context *context);

/// Whether the handshake of a connection, an SSL, has not ended.
bool copenssl_is_in_handshake(void *connection);

/// Whether it waits until its socket is writable, during the handshake.
bool copenssl_wants_to_write(void *connection);

/// Whether decrypted data can be read: that does not make the socket readable.
bool copenssl_has_pending(void *connection);

/// Forgets the errors of this thread. An old one would end the next connection that has nothing to read.
void copenssl_clear_errors(void);

/// Whether a certificate is valid now.
enum copenssl_validity {
    COPENSSL_VALID,
    COPENSSL_NO_LONGER_VALID,
    COPENSSL_NOT_VALID_YET,
    /// There is no certificate.
    COPENSSL_NONE,
};

/// The client's own certificate; COPENSSL_NONE: the context has none. `text` receives the beginning or the
/// end of its validity, in UTC, if it isn't valid now.
enum copenssl_validity copenssl_own_validity(const struct copenssl_context *context, char text[32]);

/// The certificates of the authorities' file: COPENSSL_VALID if one of them is valid now. `text` receives
/// when the last one expired.
enum copenssl_validity copenssl_authorities_validity(const struct copenssl_context *context, char text[32]);

/// The folder with the authorities that the system trusts.
const char *copenssl_system_folder(void);

/// Whether the system has authorities: a file of them, or something in their folder.
bool copenssl_system_has_authorities(void);

#endif
