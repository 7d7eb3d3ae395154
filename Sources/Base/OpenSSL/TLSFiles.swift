internal import COpenSSL
internal import Glibc

/// Files for TLS in PEM form. They are read for each connection.
package struct TLSFiles: Sendable {
    /// The purpose of a file.
    package enum Purpose: Sendable, Equatable {
        case authorities, certificate, key
    }

    /// The certificate authorities that are trusted; nil for those of the system.
    var authorities: String?
    /// The certificate of the client, if the broker requests one.
    var certificate: String?
    /// Its key, without a passphrase.
    var key: String?

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
        (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
    }

    /// The authorities, in words.
    var nameOfAuthorities: String {
        authorities.map { "the authorities in \($0)" }
            ?? "the system's authorities (\(String(cString: copenssl_system_folder())))"
    }

    /// The common name of the certificate in a file (PEM), as printable ASCII; nil: there is none.
    package static func commonName(inCertificate file: String) -> String? {
        guard let name = copenssl_common_name(file) else { return nil }
        defer { free(name) }
        return String(cString: name)
    }
}

/// A file for TLS that can't be used, and why.
package struct TLSFileError: Error, CustomStringConvertible {
    /// Nil: the reason is none of the files.
    package let file: TLSFiles.Purpose?
    package let description: String

    init(_ error: copenssl_file_error) {
        file =
            switch error.file {
            case COPENSSL_AUTHORITIES: .authorities
            case COPENSSL_CERTIFICATE: .certificate
            case COPENSSL_KEY: .key
            default: nil
            }
        description = String(ofC: error.reason)
    }
}
