#include "COpenSSL.h"
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: Files

__attribute__((format(printf, 3, 4)))
static bool fail(struct copenssl_file_error *error, enum copenssl_file file, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(error->reason, sizeof error->reason, format, values);
    va_end(values);
    error->file = file;
    return false;
}

/// A failure in OpenSSL's words.
static bool refuse(struct copenssl_file_error *error, enum copenssl_file file, const char *path) {
    const char *words = ERR_reason_error_string(ERR_peek_error());
    return fail(error, file, "OpenSSL refuses %s: %s", path, words ? words : "unknown error");
}

static bool is_readable(const char *path, enum copenssl_file role, struct copenssl_file_error *error) {
    int file = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file >= 0) close(file);
    return !path || file >= 0 || fail(error, role, "can't read %s: %s", path, strerror(errno));
}

static bool load_authorities(SSL_CTX *ssl, const char *path, struct copenssl_file_error *error) {
    if (!path) {
        return SSL_CTX_set_default_verify_paths(ssl)
            || refuse(error, COPENSSL_NO_FILE, "the authorities of the system");
    }
    return SSL_CTX_load_verify_file(ssl, path)
        || fail(error, COPENSSL_AUTHORITIES, "expected certificates in PEM form in %s", path);
}

static bool load_certificate(SSL_CTX *ssl, const char *path, struct copenssl_file_error *error) {
    if (SSL_CTX_use_certificate_chain_file(ssl, path) == 1) return true;
    int library = ERR_GET_LIB(ERR_peek_error());
    if (library != ERR_LIB_PEM && library != ERR_LIB_ASN1) return refuse(error, COPENSSL_CERTIFICATE, path);
    return fail(error, COPENSSL_CERTIFICATE, "expected certificates in PEM form in %s", path);
}

/// Called for the passphrase of a key: refuses, and notes that it was asked.
static int refuse_passphrase(char *buffer, int size, int writing, void *was_asked) {
    (void)buffer, (void)size, (void)writing;
    *(bool *)was_asked = true;
    return -1;
}

static bool load_key(SSL_CTX *ssl, const char *path, const char *certificate, struct copenssl_file_error *error) {
    BIO *file = BIO_new_file(path, "r");
    bool was_asked = false;
    EVP_PKEY *key = file ? PEM_read_bio_PrivateKey(file, NULL, refuse_passphrase, &was_asked) : NULL;
    BIO_free(file);
    bool is_used = false;
    if (!key && was_asked) {
        fail(error, COPENSSL_KEY, "the key in %s is encrypted; only one without a passphrase can be used", path);
    } else if (!key) {
        fail(error, COPENSSL_KEY, "expected a private key in PEM form in %s", path);
    } else if (X509_check_private_key(SSL_CTX_get0_certificate(ssl), key) != 1) {
        fail(error, COPENSSL_KEY, "the key in %s isn't that of the certificate in %s", path, certificate);
    } else {
        is_used = SSL_CTX_use_PrivateKey(ssl, key) == 1 || refuse(error, COPENSSL_KEY, path);
    }
    EVP_PKEY_free(key);
    return is_used;
}

// MARK: What OpenSSL calls during a connection

static struct copenssl_context *context_of(const SSL *ssl) { return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)); }

static void failed(struct copenssl_context *context, enum copenssl_failure failure, const char *reason) {
    if (context->failure != COPENSSL_NO_FAILURE) return;
    context->failure = failure;
    snprintf(context->reason, sizeof context->reason, "%s", reason ? reason : "unknown error");
}

/// Notes OpenSSL's reason, the place in the chain (0: the peer's own), and the subject (RFC 4514).
static int verify(int is_valid, X509_STORE_CTX *store) {
    BIO *words = is_valid ? NULL : BIO_new(BIO_s_mem());
    if (!words) return is_valid;
    X509 *certificate = X509_STORE_CTX_get_current_cert(store);
    BIO_printf(words, "%s, depth %d", X509_verify_cert_error_string(X509_STORE_CTX_get_error(store)),
        X509_STORE_CTX_get_error_depth(store));
    if (certificate) {
        BIO_printf(words, ", subject ");
        X509_NAME_print_ex(words, X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
    }
    BIO_write(words, "", 1);
    char *text;
    BIO_get_mem_data(words, &text);
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    failed(context_of(ssl), COPENSSL_REFUSED_PEER, text);
    BIO_free(words);
    ERR_clear_error();
    return 0;
}

/// Called when the peer requests a certificate.
static int certificate_is_requested(SSL *ssl, void *context) {
    (void)ssl;
    ((struct copenssl_context *)context)->peer_requested_certificate = true;
    return 1;
}

static enum copenssl_failure kind(unsigned long error) {
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return COPENSSL_OTHER_FAILURE;
    switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_UNKNOWN_PROTOCOL:
        return COPENSSL_NO_TLS;
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return COPENSSL_CLOSED;
    default: return COPENSSL_OTHER_FAILURE;
    }
}

/// The handshake stopped: because of an error, or until there is more to read or write.
static void handshake_stopped(struct copenssl_context *context, const SSL *ssl, int value, int system_error) {
    unsigned long error = ERR_peek_error();
    if (error) {
        failed(context, kind(error), ERR_reason_error_string(error));
    } else if (SSL_get_error(ssl, value) == SSL_ERROR_SYSCALL) {
        context->system_error = system_error ? system_error : ECONNRESET;
        if (context->system_error == ECONNRESET || context->system_error == EPIPE) failed(context, COPENSSL_CLOSED, "");
    }
}

/// In TLS 1.3 every alert is fatal whatever its level says, but for close_notify and user_canceled. What this
/// side sends has a reason that was noted, but for decode_error at the end of a connection.
static void alert(struct copenssl_context *context, bool is_received, bool is_established, int value) {
    int number = value & 0xFF;
    if (number == SSL_AD_CLOSE_NOTIFY || number == SSL_AD_USER_CANCELLED) return;
    if (is_received) {
        failed(context, COPENSSL_ALERT, SSL_alert_desc_string_long(value));
    } else if (is_established && number != SSL_AD_DECODE_ERROR) {
        failed(context, COPENSSL_OTHER_FAILURE, SSL_alert_desc_string_long(value));
    }
}

/// Called with each step of a connection.
static void observe(const SSL *ssl, int where, int value) {
    int system_error = errno;
    struct copenssl_context *context = context_of(ssl);
    // Not the address, which libmosquitto has set.
    if (where & SSL_CB_HANDSHAKE_START) SSL_set_tlsext_host_name((SSL *)ssl, context->name);
    if (where & SSL_CB_ALERT) alert(context, where & SSL_CB_READ, SSL_is_init_finished(ssl), value);
    if (where == SSL_CB_CONNECT_EXIT && value <= 0) handshake_stopped(context, ssl, value, system_error);
    errno = system_error;
}

// MARK: The context

/// Which certificates of the peer are accepted.
static bool restrict_peer(struct copenssl_context *context, const char *host) {
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context->ssl);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, verify);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return true;
    ERR_clear_error();
    context->name = strdup(host);
    return context->name && X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1;
}

static bool prepare(struct copenssl_context *context, const char *host) {
    SSL_CTX *ssl = context->ssl = SSL_CTX_new(TLS_client_method());
    if (!ssl) return false;
    SSL_CTX_set_options(ssl, SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_app_data(ssl, context);
    SSL_CTX_set_info_callback(ssl, observe);
    SSL_CTX_set_cert_cb(ssl, certificate_is_requested, context);
    return SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) == 1 && restrict_peer(context, host);
}

struct copenssl_context *copenssl_make_context(
    const char *host, const char *authorities, const char *certificate, const char *key,
    struct copenssl_file_error *error
) {
    memset(error, 0, sizeof *error);
    ERR_clear_error();
    struct copenssl_context *context = calloc(1, sizeof *context);
    if (!context || !prepare(context, host)) {
        refuse(error, COPENSSL_NO_FILE, "a context for TLS");
    } else if (is_readable(authorities, COPENSSL_AUTHORITIES, error)
        && is_readable(certificate, COPENSSL_CERTIFICATE, error) && is_readable(key, COPENSSL_KEY, error)
        && load_authorities(context->ssl, authorities, error)
        && (!certificate || load_certificate(context->ssl, certificate, error))
        && (!certificate || !key || load_key(context->ssl, key, certificate, error))) {
        return context;
    }
    ERR_clear_error();
    copenssl_free_context(context);
    return NULL;
}

void copenssl_free_context(struct copenssl_context *context) {
    if (!context) return;
    SSL_CTX_free(context->ssl);
    free(context->name);
    free(context);
}

bool copenssl_is_in_handshake(void *connection) { return SSL_in_init(connection); }

bool copenssl_wants_to_write(void *connection) { return SSL_want_write((SSL *)connection); }

bool copenssl_has_pending(void *connection) { return SSL_pending(connection) > 0; }

void copenssl_clear_errors(void) {
    ERR_clear_error();
    errno = 0;
}
