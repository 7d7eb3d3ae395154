#include "Text.h"
#include <dirent.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct copenssl_context {
    SSL_CTX *ssl;
    /// The name that a handshake sends (RFC 6066, 3); NULL for an address.
    char *name;
    struct copenssl_record record;
};

// MARK: Files

static bool fail(
    struct copenssl_file_error *error, enum copenssl_file file, enum copenssl_problem problem, int code
) {
    error->problem = problem;
    error->file = file;
    error->code = code;
    const char *words = problem == COPENSSL_REFUSED ? ERR_reason_error_string(ERR_peek_error()) : NULL;
    strncpy(error->reason, words ? words : "", sizeof error->reason - 1);
    ERR_clear_error();
    return false;
}

/// A file for reading; NULL on a failure.
static BIO *open_file(const char *path, enum copenssl_file role, struct copenssl_file_error *error) {
    errno = 0;
    BIO *file = BIO_new_file(path, "r");
    if (!file) fail(error, role, COPENSSL_UNREADABLE, errno ? errno : ENOMEM);
    return file;
}

static bool load_authorities(SSL_CTX *ssl, const char *path, struct copenssl_file_error *error) {
    if (!path) return SSL_CTX_set_default_verify_paths(ssl) || fail(error, COPENSSL_NO_FILE, COPENSSL_REFUSED, 0);
    BIO *file = open_file(path, COPENSSL_AUTHORITIES, error);
    if (!file) return false;
    BIO_free(file);
    return SSL_CTX_load_verify_file(ssl, path) || fail(error, COPENSSL_AUTHORITIES, COPENSSL_NO_CERTIFICATE, 0);
}

/// Whether what was read is no certificate at all.
static bool is_missing(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM || ERR_GET_LIB(error) == ERR_LIB_ASN1;
}

static bool load_certificate(SSL_CTX *ssl, const char *path, struct copenssl_file_error *error) {
    BIO *file = open_file(path, COPENSSL_CERTIFICATE, error);
    if (!file) return false;
    BIO_free(file);
    if (SSL_CTX_use_certificate_chain_file(ssl, path) == 1) return true;
    bool missing = is_missing(ERR_peek_error());
    return fail(error, COPENSSL_CERTIFICATE, missing ? COPENSSL_NO_CERTIFICATE : COPENSSL_REFUSED, 0);
}

/// Called for the passphrase of a key: refuses, and notes that it was asked.
static int refuse_passphrase(char *buffer, int size, int writing, void *was_asked) {
    (void)buffer, (void)size, (void)writing;
    *(bool *)was_asked = true;
    return -1;
}

static bool load_key(SSL_CTX *ssl, const char *path, struct copenssl_file_error *error) {
    BIO *file = open_file(path, COPENSSL_KEY, error);
    if (!file) return false;
    bool was_asked = false;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(file, NULL, refuse_passphrase, &was_asked);
    BIO_free(file);
    if (!key) return fail(error, COPENSSL_KEY, was_asked ? COPENSSL_ENCRYPTED_KEY : COPENSSL_NO_KEY, 0);
    bool used = X509_check_private_key(SSL_CTX_get0_certificate(ssl), key) == 1;
    if (!used) fail(error, COPENSSL_KEY, COPENSSL_OTHER_KEY, 0);
    else if (SSL_CTX_use_PrivateKey(ssl, key) != 1) used = fail(error, COPENSSL_KEY, COPENSSL_REFUSED, 0);
    EVP_PKEY_free(key);
    return used;
}

// MARK: What OpenSSL calls during a connection

static struct copenssl_context *context_of(const SSL *ssl) { return SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)); }

static struct copenssl_record *record_of(const SSL *ssl) { return &context_of(ssl)->record; }

static enum copenssl_refusal refusal(int code) {
    switch (code) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
        return COPENSSL_UNKNOWN_ISSUER;
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        return COPENSSL_SELF_SIGNED;
    case X509_V_ERR_CERT_SIGNATURE_FAILURE: return COPENSSL_WRONG_SIGNATURE;
    case X509_V_ERR_CERT_HAS_EXPIRED: return COPENSSL_EXPIRED;
    case X509_V_ERR_CERT_NOT_YET_VALID: return COPENSSL_NOT_YET_VALID;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return COPENSSL_OTHER_HOST;
    default: return COPENSSL_OTHER_REFUSAL;
    }
}

/// Whether a trusted certificate has the name of the issuer.
static bool trusts_name_of_issuer(X509_STORE_CTX *store, X509 *certificate) {
    X509_OBJECT *found =
        X509_STORE_CTX_get_obj_by_subject(store, X509_LU_X509, X509_get_issuer_name(certificate));
    X509_OBJECT_free(found);
    return found != NULL;
}

static int verify(int is_valid, X509_STORE_CTX *store) {
    if (is_valid) return 1;
    struct copenssl_record *record =
        record_of(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    X509 *certificate = X509_STORE_CTX_get_current_cert(store);
    int code = X509_STORE_CTX_get_error(store);
    record->refusal = refusal(code);
    record->verification = X509_verify_cert_error_string(code);
    record->depth = X509_STORE_CTX_get_error_depth(store);
    if (certificate) {
        copenssl_copy_certificate(certificate, &record->certificate);
        record->issuer_has_other_key = trusts_name_of_issuer(store, certificate);
    }
    ERR_clear_error();
    return 0;
}

/// Called when the peer requests a certificate.
static int certificate_is_requested(SSL *ssl, void *context) {
    struct copenssl_context *owner = context;
    (void)ssl;
    owner->record.peer_requested_certificate = true;
    return 1;
}

static enum copenssl_breakdown breakdown(unsigned long error) {
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return COPENSSL_OTHER_BREAKDOWN;
    switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_UNKNOWN_PROTOCOL:
        return COPENSSL_NO_TLS;
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_UNSUPPORTED_SSL_VERSION:
    case SSL_R_VERSION_TOO_LOW:
        return COPENSSL_OLD_VERSION;
    case SSL_R_UNEXPECTED_EOF_WHILE_READING: return COPENSSL_CLOSED;
    default: return COPENSSL_OTHER_BREAKDOWN;
    }
}

/// The handshake stopped: because of an error, or until there is more to read or write.
static void handshake_stopped(const SSL *ssl, int value, int system_error) {
    struct copenssl_record *record = record_of(ssl);
    unsigned long error = ERR_peek_error();
    if (error) {
        record->breakdown = breakdown(error);
        const char *words = ERR_reason_error_string(error);
        record->reason = words ? words : "unknown error";
    } else if (SSL_get_error(ssl, value) == SSL_ERROR_SYSCALL) {
        record->system_error = system_error ? system_error : ECONNRESET;
        if (record->system_error == ECONNRESET || record->system_error == EPIPE) record->breakdown = COPENSSL_CLOSED;
    }
}

/// Called with each step of a connection.
static void observe(const SSL *ssl, int where, int value) {
    int system_error = errno;
    struct copenssl_record *record = record_of(ssl);
    if (where & SSL_CB_HANDSHAKE_START) {
        // Not the address, which libmosquitto has set.
        SSL_set_tlsext_host_name((SSL *)ssl, context_of(ssl)->name);
    } else if (where & SSL_CB_ALERT) {
        // In TLS 1.3 every alert is fatal whatever its level says, but for close_notify and user_canceled.
        int alert = value & 0xFF;
        if (alert == SSL_AD_CLOSE_NOTIFY || alert == SSL_AD_USER_CANCELLED) return;
        bool is_received = where & SSL_CB_READ;
        *(is_received ? &record->received_alert : &record->sent_alert) = alert;
        *(is_received ? &record->received_alert_text : &record->sent_alert_text) =
            SSL_alert_desc_string_long(value);
    } else if (where & SSL_CB_HANDSHAKE_DONE) {
        record->is_established = true;
    } else if (where == SSL_CB_CONNECT_EXIT && value <= 0) {
        handshake_stopped(ssl, value, system_error);
    }
    errno = system_error;
}

// MARK: The context

/// Which certificates of the peer are accepted.
static bool restrict_peer(struct copenssl_context *context, const char *host) {
    X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context->ssl);
    X509_VERIFY_PARAM_set_hostflags(parameters, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    SSL_CTX_set_verify(context->ssl, SSL_VERIFY_PEER, verify);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return true;
    context->name = strdup(host);
    return context->name && X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1;
}

static bool prepare(struct copenssl_context *context, const char *host) {
    SSL_CTX *ssl = context->ssl;
    SSL_CTX_set_options(ssl, SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_info_callback(ssl, observe);
    bool is_ready = SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) == 1 && restrict_peer(context, host);
    if (is_ready) ERR_clear_error();  // a host that is no address
    return is_ready;
}

struct copenssl_context *copenssl_make_context(
    const char *host, const char *authorities, const char *certificate, const char *key,
    struct copenssl_file_error *error
) {
    memset(error, 0, sizeof *error);
    ERR_clear_error();
    struct copenssl_context *context = calloc(1, sizeof *context);
    if (context) context->ssl = SSL_CTX_new(TLS_client_method());
    if (!context || !context->ssl || !prepare(context, host)) {
        fail(error, COPENSSL_NO_FILE, COPENSSL_REFUSED, 0);
    } else if (load_authorities(context->ssl, authorities, error)
        && (!certificate || load_certificate(context->ssl, certificate, error))
        && (!certificate || !key || load_key(context->ssl, key, error))) {
        context->record.received_alert = context->record.sent_alert = -1;
        SSL_CTX_set_app_data(context->ssl, context);
        SSL_CTX_set_cert_cb(context->ssl, certificate_is_requested, context);
        return context;
    }
    copenssl_free_context(context);
    return NULL;
}

void copenssl_free_context(struct copenssl_context *context) {
    if (!context) return;
    SSL_CTX_free(context->ssl);
    copenssl_clear_certificate(&context->record.certificate);
    free(context->name);
    free(context);
}

void *copenssl_ssl_context(struct copenssl_context *context) { return context->ssl; }

const struct copenssl_record *copenssl_context_record(const struct copenssl_context *context) {
    return &context->record;
}

// MARK: A connection that another library drives

bool copenssl_is_in_handshake(void *connection) { return SSL_in_init(connection); }

bool copenssl_wants_to_write(void *connection) { return SSL_want_write((SSL *)connection); }

bool copenssl_has_pending(void *connection) { return SSL_pending(connection) > 0; }

void copenssl_clear_errors(void) {
    ERR_clear_error();
    errno = 0;  // the end of a connection sets none, so that an old one would be its reason
}

// MARK: Validity

static enum copenssl_validity validity(X509 *certificate) {
    if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) return COPENSSL_NO_LONGER_VALID;
    if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0) return COPENSSL_NOT_VALID_YET;
    return COPENSSL_VALID;
}

enum copenssl_validity copenssl_own_validity(const struct copenssl_context *context, char text[32]) {
    X509 *certificate = SSL_CTX_get0_certificate(context->ssl);
    if (!certificate) return COPENSSL_NONE;
    enum copenssl_validity result = validity(certificate);
    copenssl_time_text(
        result == COPENSSL_NOT_VALID_YET ? X509_get0_notBefore(certificate) : X509_get0_notAfter(certificate),
        text);
    return result;
}

enum copenssl_validity copenssl_authorities_validity(const struct copenssl_context *context, char text[32]) {
    STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context->ssl));
    const ASN1_TIME *last = NULL;
    for (int i = 0; i < sk_X509_OBJECT_num(objects); i++) {
        X509 *certificate = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
        if (!certificate) continue;
        if (validity(certificate) != COPENSSL_NO_LONGER_VALID) return COPENSSL_VALID;
        const ASN1_TIME *end = X509_get0_notAfter(certificate);
        if (!last || ASN1_TIME_compare(end, last) > 0) last = end;
    }
    if (!last) return COPENSSL_NONE;
    copenssl_time_text(last, text);
    return COPENSSL_NO_LONGER_VALID;
}

const char *copenssl_system_folder(void) {
    const char *chosen = getenv(X509_get_default_cert_dir_env());
    return chosen ? chosen : X509_get_default_cert_dir();
}

bool copenssl_system_has_authorities(void) {
    const char *file = getenv(X509_get_default_cert_file_env());
    if (access(file ? file : X509_get_default_cert_file(), R_OK) == 0) return true;
    DIR *folder = opendir(copenssl_system_folder());
    if (!folder) return false;
    struct dirent *entry;
    while ((entry = readdir(folder)) && entry->d_name[0] == '.') continue;
    closedir(folder);
    return entry != NULL;
}
