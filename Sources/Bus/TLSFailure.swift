internal import COpenSSL

/// Why TLS with a broker failed, in words.
struct TLSFailure: CustomStringConvertible {
    enum Cause: Equatable {
        /// The broker's certificate, or one of its issuers', was refused.
        case refused(Certificate, Refusal)
        /// The broker ended the connection with an alert (RFC 8446, 6.2).
        ///
        /// - requestsCertificate: it had requested a certificate.
        case alert(Int32, name: String, requestsCertificate: Bool)
        /// What the broker sent isn't TLS.
        case noTLS
        /// The broker has no TLS 1.2 or newer.
        case oldVersion
        /// The broker closed the connection during the handshake, or before its answer to CONNECT.
        case closed(requestsCertificate: Bool)
        /// In OpenSSL's words.
        case other(String)
    }

    enum Refusal: Equatable {
        case unknownIssuer(hasOtherKey: Bool)
        case selfSigned, wrongSignature, expired, notYetValid, otherHost
        /// In OpenSSL's words.
        case other(String)
    }

    /// All texts are printable ASCII.
    struct Certificate: Equatable {
        /// 0: the broker's own; above, the certificate of an issuer.
        var depth: Int
        var subject: String
        var issuer: String
        /// DNS names and addresses: the first of them.
        var names: [String]
        /// How many more there are.
        var unlistedNames: Int
        var commonName: String?
        /// UTC, as 2026-11-22T12:00:00Z.
        var validFrom: String
        var validUntil: String
    }

    let cause: Cause
    /// The name or address that was connected to.
    let host: String
    /// The trusted authorities, in words.
    let authorities: String
    /// The client's own certificate.
    let certificateFile: String?

    var description: String {
        switch cause {
        case .refused(let certificate, let refusal): words(for: refusal, of: certificate)
        case .alert(let number, let name, let requestsCertificate):
            words(forAlert: number, name, requestsCertificate: requestsCertificate)
        case .noTLS: "the answer isn't TLS; \(Self.portHint)"
        case .oldVersion: "the broker offers no TLS 1.2 or newer"
        case .closed(requestsCertificate: true):
            if let certificateFile {
                "the broker closed the connection; "
                    + "it may refuse the client's certificate in \(certificateFile)"
            } else {
                "the broker closed the connection; \(Self.missingCertificate)"
            }
        case .closed(requestsCertificate: false):
            "the broker closed the connection before TLS was established; \(Self.portHint)"
        case .other(let reason): "TLS failed: \(reason)"
        }
    }

    private static let portHint = "the port may be one without TLS"
    private static let missingCertificate = "it requires a certificate of the client, and none is set"

    private func words(for refusal: Refusal, of certificate: Certificate) -> String {
        let isBrokers = certificate.depth == 0
        let name =
            isBrokers
            ? "the broker's certificate" : "the certificate of the authority \"\(certificate.subject)\""
        switch refusal {
        case .unknownIssuer(hasOtherKey: false):
            return "\(name) was issued by \"\(certificate.issuer)\", which is none of \(authorities)"
        case .unknownIssuer(hasOtherKey: true), .wrongSignature:
            return "\(name) was issued by \"\(certificate.issuer)\" with another key than that of the "
                + "certificate of this name among \(authorities)"
        case .selfSigned where isBrokers:
            return "\(name) is self-signed (\"\(certificate.subject)\"), and isn't among \(authorities)"
        case .selfSigned:
            return "the broker's certificate was issued under \"\(certificate.subject)\", "
                + "which is none of \(authorities)"
        case .expired: return "\(name) expired on \(certificate.validUntil)"
        case .notYetValid:
            return "\(name) isn't valid before \(certificate.validFrom); is the clock of this machine right?"
        case .otherHost:
            return "\(name) is \(Self.names(of: certificate)), not for \"\(host)\""
        case .other(let reason): return "\(name) (\"\(certificate.subject)\") was refused: \(reason)"
        }
    }

    /// Whom a certificate is for. Its common name counts only where it has no other names.
    private static func names(of certificate: Certificate) -> String {
        guard let last = certificate.names.last else {
            let name = certificate.commonName ?? certificate.subject
            return "for the common name \"\(name)\" alone"
        }
        let quoted = certificate.names.map { "\"\($0)\"" }
        if certificate.unlistedNames > 0 {
            return "for \(quoted.joined(separator: ", ")) and \(certificate.unlistedNames) more"
        }
        let others = quoted.dropLast().joined(separator: ", ")
        return others.isEmpty ? "for \"\(last)\"" : "for \(others) and \"\(last)\""
    }

    private func words(forAlert number: Int32, _ name: String, requestsCertificate: Bool) -> String {
        switch number {
        // handshake_failure is what TLS 1.2 has for certificate_required.
        case 116: return "the broker refuses the connection: \(Self.missingCertificate)"
        case _ where requestsCertificate && certificateFile == nil:
            return "the broker refuses the connection (\(name)): \(Self.missingCertificate)"
        case 70: return Self(cause: .oldVersion, self).description
        case 48:
            return "the broker doesn't know the authority of the client's certificate\(inFile)"
        case 42...46, 49, 51:
            return "the broker refuses the client's certificate\(inFile): \(name)"
        default: return "the broker refuses the connection: \(name)"
        }
    }

    private var inFile: String { certificateFile.map { " in \($0)" } ?? "" }
}

extension TLSFailure {
    private init(cause: Cause, _ other: TLSFailure) {
        self.init(
            cause: cause, host: other.host, authorities: other.authorities,
            certificateFile: other.certificateFile)
    }
}

extension TLSFailure.Cause {
    /// The number of the alert decode_error, which is also sent when the connection ends.
    private static let decodeError: Int32 = 50

    /// Nil: TLS has not failed.
    ///
    /// - Parameter isAnswered: the broker had answered CONNECT, so it had accepted the client's certificate.
    init?(_ record: copenssl_record, isAnswered: Bool) {
        if record.refusal != COPENSSL_ACCEPTED {
            self = .refused(TLSFailure.Certificate(record), TLSFailure.Refusal(record))
        } else if record.received_alert >= 0 {
            self = .alert(
                record.received_alert, name: text(record.received_alert_text),
                requestsCertificate: record.peer_requested_certificate)
        } else if !record.is_established {
            self.init(breakdown: record)
        } else if record.sent_alert >= 0 && record.sent_alert != Self.decodeError {
            self = .other(text(record.sent_alert_text))
        } else if record.peer_requested_certificate && !isAnswered {
            // The alert was lost with the connection.
            self = .closed(requestsCertificate: true)
        } else {
            return nil
        }
    }

    private init?(breakdown record: copenssl_record) {
        switch record.breakdown {
        case COPENSSL_NO_BREAKDOWN: return nil
        case COPENSSL_NO_TLS: self = .noTLS
        case COPENSSL_OLD_VERSION: self = .oldVersion
        case COPENSSL_OTHER_BREAKDOWN: self = .other(text(record.reason))
        default: self = .closed(requestsCertificate: record.peer_requested_certificate)
        }
    }
}

extension TLSFailure.Refusal {
    init(_ record: copenssl_record) {
        self =
            switch record.refusal {
            case COPENSSL_UNKNOWN_ISSUER: .unknownIssuer(hasOtherKey: record.issuer_has_other_key)
            case COPENSSL_SELF_SIGNED: .selfSigned
            case COPENSSL_WRONG_SIGNATURE: .wrongSignature
            case COPENSSL_EXPIRED: .expired
            case COPENSSL_NOT_YET_VALID: .notYetValid
            case COPENSSL_OTHER_HOST: .otherHost
            default: .other(text(record.verification))
            }
    }
}

extension TLSFailure.Certificate {
    init(_ record: copenssl_record) {
        let certificate = record.certificate
        let names = withUnsafeBytes(of: certificate.names) { bytes in
            bytes.bindMemory(to: UnsafePointer<CChar>?.self).compactMap { $0.map { String(cString: $0) } }
        }
        self.init(
            depth: Int(record.depth), subject: text(certificate.subject), issuer: text(certificate.issuer),
            names: names, unlistedNames: Int(certificate.name_count) - names.count,
            commonName: certificate.common_name.map { String(cString: $0) },
            validFrom: text(certificate.valid_from), validUntil: text(certificate.valid_until))
    }
}

private func text(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
