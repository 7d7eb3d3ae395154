internal import COpenSSL
internal import Glibc

/// A file for TLS that can't be used, and why.
package struct TLSFileError: Error, CustomStringConvertible {
    /// Nil: the reason is none of the files.
    package let file: BusSettings.TLS.File?
    private let reason: String

    package var description: String { file == nil ? "TLS: \(reason)" : reason }

    init(_ error: copenssl_file_error, in settings: BusSettings.TLS) {
        file =
            switch error.file {
            case COPENSSL_AUTHORITIES: .authorities
            case COPENSSL_CERTIFICATE: .certificate
            case COPENSSL_KEY: .key
            default: nil
            }
        let path = file.flatMap { settings.path(of: $0) } ?? "TLS"
        let words = withUnsafeBytes(of: error.reason) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        reason =
            switch error.problem {
            case COPENSSL_UNREADABLE: "can't read \(path): \(String(cString: strerror(error.code)))"
            case COPENSSL_NO_CERTIFICATE: "expected certificates in PEM form in \(path)"
            case COPENSSL_NO_KEY: "expected a private key in PEM form in \(path)"
            case COPENSSL_ENCRYPTED_KEY:
                "the key in \(path) is encrypted; only one without a passphrase can be used"
            case COPENSSL_OTHER_KEY:
                "the key in \(path) isn't that of the certificate in \(settings.certificateFile ?? "")"
            default: "OpenSSL refuses \(path): \(words)"
            }
    }
}
