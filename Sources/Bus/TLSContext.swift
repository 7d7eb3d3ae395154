internal import COpenSSL
internal import Glibc

/// The certificates for one connection, and the record of how that connection failed.
///
/// OpenSSL calls back into it during the connection: it has to outlive the client that uses it.
final class TLSContext {
    private let context: OpaquePointer
    private let settings: BusSettings.TLS
    private let host: String

    /// Reads the certificates and the key. Blocks while the disk does.
    ///
    /// - Parameter host: the name or address that the broker's certificate must have.
    init(_ settings: BusSettings.TLS, host: String) throws(TLSFileError) {
        (self.settings, self.host) = (settings, host)
        context = try Self.make(settings, host: host)
    }

    deinit { copenssl_free_context(context) }

    private static func make(
        _ settings: BusSettings.TLS, host: String
    ) throws(TLSFileError) -> OpaquePointer {
        var error = copenssl_file_error()
        let context = host.withCString { host in
            settings.withPaths { copenssl_make_context(host, $0, $1, $2, &error) }
        }
        guard let context else { throw TLSFileError(error, in: settings) }
        return context
    }

    /// The `SSL_CTX`.
    var pointer: UnsafeMutableRawPointer { copenssl_ssl_context(context) }

    /// Why the connection failed; nil if TLS wasn't the reason.
    ///
    /// To be asked after the end of the connection only.
    ///
    /// - Parameter isAnswered: the broker had answered CONNECT.
    func failure(isAnswered: Bool) -> TLSFailure? {
        guard let record = copenssl_context_record(context)?.pointee,
            let cause = TLSFailure.Cause(record, isAnswered: isAnswered)
        else { return nil }
        return failure(cause)
    }

    /// The failure of a connection that was reset before the broker had answered CONNECT.
    func failureOfReset() -> TLSFailure {
        let record = copenssl_context_record(context)?.pointee
        return failure(.closed(requestsCertificate: record?.peer_requested_certificate ?? false))
    }

    private func failure(_ cause: TLSFailure.Cause) -> TLSFailure {
        TLSFailure(
            cause: cause, host: host, authorities: settings.authorities,
            certificateFile: settings.certificateFile)
    }

    /// Why the system could not transport the handshake, as `errno`; nil: it could, up to now.
    var systemError: Int32? {
        guard let error = copenssl_context_record(context)?.pointee.system_error, error != 0 else {
            return nil
        }
        return error
    }

    /// What is wrong with certificates that can be loaded.
    fileprivate var warnings: [BusSettings.TLS.Warning] {
        var found: [BusSettings.TLS.Warning] = []
        if settings.caFile == nil && !copenssl_system_has_authorities() {
            found.append((.authorities, "the system has no authorities: is ca-certificates installed?"))
        }
        if settings.caFile != nil, let validity = Self.validity(copenssl_authorities_validity, context) {
            found.append((.authorities, "\(settings.authorities) \(validity)"))
        }
        if let file = settings.certificateFile,
            let validity = Self.validity(copenssl_own_validity, context)
        {
            found.append((.certificate, "the certificate in \(file) \(validity)"))
        }
        return found
    }

    /// Why certificates aren't valid now; nil: they are.
    private static func validity(
        _ judge: (OpaquePointer?, UnsafeMutablePointer<CChar>?) -> copenssl_validity,
        _ context: OpaquePointer
    ) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
            text.initialize(repeating: 0)
            let validity = judge(context, text.baseAddress)
            let time = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return switch validity {
            case COPENSSL_NO_LONGER_VALID: "expired on \(time)"
            case COPENSSL_NOT_VALID_YET: "isn't valid before \(time)"
            default: nil
            }
        }
    }
}

extension BusSettings.TLS {
    /// What a user should know of a file that can be used.
    package typealias Warning = (file: File, message: String)

    /// Reads the files, as for a connection.
    package func check(host: String) throws(TLSFileError) -> [Warning] {
        try TLSContext(self, host: host).warnings
    }
}

extension BusSettings.TLS {
    /// The common name of the certificate in a file (PEM), as printable ASCII; nil: there is none.
    package static func commonName(inCertificate file: String) -> String? {
        guard let name = copenssl_common_name(file) else { return nil }
        defer { free(name) }
        return String(cString: name)
    }

    /// The authorities, in words.
    fileprivate var authorities: String {
        caFile.map { "the authorities in \($0)" }
            ?? "the system's authorities (\(String(cString: copenssl_system_folder())))"
    }

    fileprivate func withPaths<Result>(
        _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
    ) -> Result {
        Self.withPath(caFile) { authorities in
            Self.withPath(certificateFile) { certificate in
                Self.withPath(keyFile) { key in body(authorities, certificate, key) }
            }
        }
    }

    private static func withPath<Result>(
        _ path: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        if let path { path.withCString(body) } else { body(nil) }
    }
}
