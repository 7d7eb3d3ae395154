#include "COpenSSL.h"
#include <dirent.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool has_ended(X509 *certificate) { return X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0; }

static const char *with_time(struct copenssl_context *context, const char *words, const ASN1_TIME *time) {
    char text[32] = "an unknown time";
    struct tm parts;
    if (ASN1_TIME_to_tm(time, &parts)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    snprintf(context->reason, sizeof context->reason, "%s %s", words, text);
    return context->reason;
}

const char *copenssl_why_own_is_invalid(struct copenssl_context *context) {
    X509 *certificate = SSL_CTX_get0_certificate(context->ssl);
    if (!certificate) return NULL;
    if (has_ended(certificate)) return with_time(context, "expired on", X509_get0_notAfter(certificate));
    const ASN1_TIME *first = X509_get0_notBefore(certificate);
    return X509_cmp_current_time(first) > 0 ? with_time(context, "isn't valid before", first) : NULL;
}

const char *copenssl_why_authorities_are_invalid(struct copenssl_context *context) {
    STACK_OF(X509_OBJECT) *objects = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context->ssl));
    const ASN1_TIME *last = NULL;
    for (int i = 0; i < sk_X509_OBJECT_num(objects); i++) {
        X509 *certificate = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i));
        if (!certificate) continue;
        if (!has_ended(certificate)) return NULL;
        const ASN1_TIME *end = X509_get0_notAfter(certificate);
        if (!last || ASN1_TIME_compare(end, last) > 0) last = end;
    }
    return last ? with_time(context, "expired on", last) : NULL;
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

char *copenssl_common_name(const char *path) {
    BIO *file = BIO_new_file(path, "r"), *words = BIO_new(BIO_s_mem());
    X509 *certificate = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;
    X509_NAME *subject = certificate ? X509_get_subject_name(certificate) : NULL;
    int index = subject ? X509_NAME_get_index_by_NID(subject, NID_commonName, -1) : -1;
    char *name = NULL, *text;
    if (index >= 0 && words) {
        ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index));
        ASN1_STRING_print_ex(words, value, ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_ESC_MSB);
        long count = BIO_get_mem_data(words, &text);
        name = strndup(count > 0 ? text : "", (size_t)count);
    }
    BIO_free(words);
    BIO_free(file);
    X509_free(certificate);
    return name;
}
