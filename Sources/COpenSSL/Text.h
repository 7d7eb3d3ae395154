// OpenSSL's values as printable ASCII.
#ifndef COPENSSL_TEXT_H
#define COPENSSL_TEXT_H

#include "COpenSSL.h"
#include <openssl/x509.h>

/// Copies a certificate's texts. They are freed by copenssl_clear_certificate.
void copenssl_copy_certificate(X509 *from, struct copenssl_certificate *to);
void copenssl_clear_certificate(struct copenssl_certificate *certificate);

/// A time as 2026-11-22T12:00:00Z.
void copenssl_time_text(const ASN1_TIME *time, char text[32]);

#endif
