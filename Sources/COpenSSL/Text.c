#include "Text.h"
#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_TEXT = 256 };

/// The text of a BIO as a new string, cut where it is too long.
static char *taken(BIO *from) {
    char *bytes;
    long count = BIO_get_mem_data(from, &bytes);
    char *text = strndup(count > 0 ? bytes : "", count > MAX_TEXT ? MAX_TEXT : (size_t)(count > 0 ? count : 0));
    BIO_free(from);
    return text;
}

/// Bytes as a new string. What is no printable ASCII is written as \xx.
static char *printable(const unsigned char *bytes, int count) {
    BIO *text = BIO_new(BIO_s_mem());
    if (!text) return NULL;
    for (int i = 0; i < count && i < MAX_TEXT; i++) {
        if (bytes[i] >= 0x20 && bytes[i] < 0x7F) BIO_write(text, bytes + i, 1);
        else BIO_printf(text, "\\%02X", bytes[i]);
    }
    return taken(text);
}

static char *name_text(const X509_NAME *name) {
    BIO *text = BIO_new(BIO_s_mem());
    if (!text) return NULL;
    X509_NAME_print_ex(text, name, 0, XN_FLAG_RFC2253);
    return taken(text);
}

static char *common_name(const X509_NAME *name) {
    int index = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
    if (index < 0) return NULL;
    const ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, index));
    return printable(ASN1_STRING_get0_data(value), ASN1_STRING_length(value));
}

char *copenssl_common_name(const char *path) {
    BIO *file = BIO_new_file(path, "r");
    if (!file) return NULL;
    X509 *certificate = PEM_read_bio_X509(file, NULL, NULL, NULL);
    BIO_free(file);
    if (!certificate) return NULL;
    char *name = common_name(X509_get_subject_name(certificate));
    X509_free(certificate);
    return name;
}

/// A DNS name or an address as a new string; NULL if it is of another kind.
static char *host_text(const GENERAL_NAME *name) {
    if (name->type == GEN_DNS) {
        return printable(ASN1_STRING_get0_data(name->d.dNSName), ASN1_STRING_length(name->d.dNSName));
    }
    if (name->type != GEN_IPADD) return NULL;
    int count = ASN1_STRING_length(name->d.iPAddress);
    char text[INET6_ADDRSTRLEN];
    if (count != 4 && count != 16) return NULL;
    int family = count == 4 ? AF_INET : AF_INET6;
    return inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), text, sizeof text) ? strdup(text) : NULL;
}

static void copy_names(X509 *from, struct copenssl_certificate *to) {
    GENERAL_NAMES *names = X509_get_ext_d2i(from, NID_subject_alt_name, NULL, NULL);
    for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
        char *text = host_text(sk_GENERAL_NAME_value(names, i));
        if (!text) continue;
        if (to->name_count < (int)(sizeof to->names / sizeof *to->names)) to->names[to->name_count] = text;
        else free(text);
        to->name_count++;
    }
    GENERAL_NAMES_free(names);
}

static char *time_copy(const ASN1_TIME *time) {
    char text[32];
    copenssl_time_text(time, text);
    return strdup(text);
}

void copenssl_time_text(const ASN1_TIME *time, char text[32]) {
    struct tm parts;
    if (!ASN1_TIME_to_tm(time, &parts) || !strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts)) strcpy(text, "?");
}

void copenssl_copy_certificate(X509 *from, struct copenssl_certificate *to) {
    copenssl_clear_certificate(to);
    to->subject = name_text(X509_get_subject_name(from));
    to->issuer = name_text(X509_get_issuer_name(from));
    to->common_name = common_name(X509_get_subject_name(from));
    to->valid_from = time_copy(X509_get0_notBefore(from));
    to->valid_until = time_copy(X509_get0_notAfter(from));
    copy_names(from, to);
}

void copenssl_clear_certificate(struct copenssl_certificate *certificate) {
    free((char *)certificate->subject);
    free((char *)certificate->issuer);
    free((char *)certificate->common_name);
    free((char *)certificate->valid_from);
    free((char *)certificate->valid_until);
    for (size_t i = 0; i < sizeof certificate->names / sizeof *certificate->names; i++) {
        free((char *)certificate->names[i]);
    }
    memset(certificate, 0, sizeof *certificate);
}
