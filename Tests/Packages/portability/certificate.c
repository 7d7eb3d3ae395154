// COpenSSL: contexts with a certificate and its key, and files that can't be used. Arguments: these files
// (PEM).
#include "COpenSSL.h"
#include "samples.h"

static void refused(const char *authorities, const char *certificate, const char *key) {
    struct copenssl_file_error error;
    require(!copenssl_make_context("localhost", authorities, certificate, key, &error), "a file that can't be used");
    printf("file %d %s\n", error.file, error.reason);
}

int main(int count, char **arguments) {
    require(count == 3, "a certificate and a key");
    const char *certificate = arguments[1], *key = arguments[2];
    struct copenssl_file_error error = {0};
    struct copenssl_context *context = copenssl_make_context("localhost", certificate, certificate, key, &error);
    require(context != NULL, error.reason);
    require(!copenssl_why_own_is_invalid(context), "own validity");
    require(!copenssl_why_authorities_are_invalid(context), "validity of the authorities");
    require(context->ssl != NULL, "SSL_CTX");
    printf("failure %d\n", context->failure);
    copenssl_free_context(context);
    refused("/no/file", NULL, NULL);
    refused(key, NULL, NULL);
    refused(NULL, certificate, certificate);
    printf("%s\n", copenssl_system_folder());
}
