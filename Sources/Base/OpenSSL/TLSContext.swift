internal import COpenSSL

/// The certificates for one connection, and the record of how that connection failed.
///
/// OpenSSL calls back into it during the connection: it has to outlive the client that uses it.
package final class TLSContext {
    private let context: UnsafeMutablePointer<copenssl_context>
    private let files: TLSFiles
    private let host: String

    /// Reads the certificates and the key. Blocks while the disk does.
    ///
    /// - Parameter host: the name or address that the broker's certificate must have.
    package init(_ files: TLSFiles, host: String) throws(TLSFileError) {
        var error = copenssl_file_error()
        let made = copenssl_make_context(host, files.authorities, files.certificate, files.key, &error)
        guard let made else { throw TLSFileError(error) }
        (context, self.files, self.host) = (made, files, host)
    }

    deinit { copenssl_free_context(context) }

    /// The `SSL_CTX`.
    package var pointer: UnsafeMutableRawPointer { context.pointee.ssl }

    /// Why the system could not transport the handshake, as `errno`; nil: it could, up to now.
    package var systemError: Int32? {
        let error = context.pointee.system_error
        return error == 0 ? nil : error
    }

    /// Why the connection failed, mostly in OpenSSL's words; nil if TLS wasn't the reason.
    ///
    /// To be asked after the end of the connection only.
    ///
    /// - Parameters:
    ///   - isAnswered: the broker had answered CONNECT, so it had accepted the client's certificate.
    ///   - isReset: the connection was reset before that.
    package func failure(isAnswered: Bool, isReset: Bool = false) -> String? {
        let reason = String(ofC: context.pointee.reason)
        let isAsked = context.pointee.peer_requested_certificate
        switch context.pointee.failure {
        case COPENSSL_REFUSED_PEER:
            return "the broker's certificate is refused: \(reason); "
                + "expected one for \"\(host)\", of \(files.nameOfAuthorities)"
        case COPENSSL_ALERT:
            return "the broker refuses the connection: \(reason)" + (isAsked ? "; \(ownCertificate)" : "")
        case COPENSSL_NO_TLS: return "the answer isn't TLS (\(reason)); \(Self.portHint)"
        case COPENSSL_OTHER_FAILURE: return "TLS failed: \(reason)"
        // The alert was lost with the connection.
        case _ where isAsked && !isAnswered: return "the broker closed the connection; \(ownCertificate)"
        case COPENSSL_CLOSED,
            _ where isReset:
            return "the broker closed the connection before TLS was established; \(Self.portHint)"
        default: return nil
        }
    }

    private static let portHint = "the port may be one without TLS"

    /// What the broker may not like about it.
    private var ownCertificate: String {
        files.certificate.map { "it may refuse the client's certificate in \($0)" }
            ?? "it requires a certificate of the client, and none is set"
    }
}

extension TLSFiles {
    /// Reads the files, as for a connection. Returns what a user should know of those that can be used.
    package func check(host: String) throws(TLSFileError) -> [(file: Purpose, message: String)] {
        try TLSContext(self, host: host).warnings
    }
}

extension TLSContext {
    fileprivate var warnings: [(file: TLSFiles.Purpose, message: String)] {
        var found: [(file: TLSFiles.Purpose, message: String)] = []
        if files.authorities == nil && !copenssl_system_has_authorities() {
            found.append((.authorities, "the system has no authorities: is ca-certificates installed?"))
        }
        if files.authorities != nil, let reason = copenssl_why_authorities_are_invalid(context) {
            found.append((.authorities, "\(files.nameOfAuthorities) \(String(cString: reason))"))
        }
        if let file = files.certificate, let reason = copenssl_why_own_is_invalid(context) {
            found.append((.certificate, "the certificate in \(file) \(String(cString: reason))"))
        }
        return found
    }
}

/// A connection with a ``TLSContext`` that another library drives.
package struct TLSConnection {
    private let ssl: UnsafeMutableRawPointer

    /// - Parameter ssl: an `SSL`.
    package init(_ ssl: UnsafeMutableRawPointer) { self.ssl = ssl }

    package var isInHandshake: Bool { copenssl_is_in_handshake(ssl) }

    /// Whether the handshake waits until the socket is writable.
    package var wantsToWrite: Bool { copenssl_wants_to_write(ssl) }

    /// Whether decrypted data can be read: that does not make the socket readable.
    package var hasPending: Bool { copenssl_has_pending(ssl) }

    /// Forgets the errors of this thread, `errno` too. An old one would end the next connection that has
    /// nothing to read, or be the reason of an end that sets none.
    package static func clearErrors() { copenssl_clear_errors() }
}
