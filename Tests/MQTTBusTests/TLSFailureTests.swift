import Testing

@testable import Bus

/// The words for each way in which TLS can fail.
@Suite struct TLSFailureTests {
    private let certificate = TLSFailure.Certificate(
        depth: 0, subject: "CN=broker,O=Porch", issuer: "CN=Porch CA", names: ["broker.example"],
        unlistedNames: 0, commonName: "broker", validFrom: "2026-11-01T00:00:00Z",
        validUntil: "2026-11-20T00:00:00Z")

    private func words(_ cause: TLSFailure.Cause, own: String? = nil) -> String {
        TLSFailure(
            cause: cause, host: "127.0.0.1", authorities: "the authorities in /ca.pem", certificateFile: own
        ).description
    }

    private func refused(
        _ refusal: TLSFailure.Refusal, _ change: (inout TLSFailure.Certificate) -> Void = { _ in }
    ) -> String {
        var changed = certificate
        change(&changed)
        return words(.refused(changed, refusal))
    }

    @Test func anUnknownIssuerIsNamedWithTheAuthorities() {
        #expect(
            refused(.unknownIssuer(hasOtherKey: false))
                == "the broker's certificate was issued by \"CN=Porch CA\", which is none of the authorities in /ca.pem"
        )
    }

    @Test func theIssuerOfAnIntermediateAuthorityIsNamed() {
        let found = refused(.unknownIssuer(hasOtherKey: false)) {
            ($0.depth, $0.subject, $0.issuer) = (1, "CN=Porch CA", "CN=Root")
        }
        #expect(
            found
                == "the certificate of the authority \"CN=Porch CA\" was issued by \"CN=Root\", which is none of the authorities in /ca.pem"
        )
    }

    @Test(arguments: [TLSFailure.Refusal.unknownIssuer(hasOtherKey: true), .wrongSignature])
    func anAuthorityThatWasMadeAnewHasAnotherKey(refusal: TLSFailure.Refusal) {
        #expect(refused(refusal).contains("another key than that of the certificate of this name"))
    }

    @Test func aSelfSignedCertificateIsNamed() {
        #expect(
            refused(.selfSigned)
                == "the broker's certificate is self-signed (\"CN=broker,O=Porch\"), and isn't among the authorities in /ca.pem"
        )
        let root = refused(.selfSigned) { ($0.depth, $0.subject) = (1, "CN=Root") }
        #expect(
            root
                == "the broker's certificate was issued under \"CN=Root\", which is none of the authorities in /ca.pem"
        )
    }

    @Test func anExpiredCertificateHasItsEndAndAFutureOneItsBeginning() {
        #expect(refused(.expired) == "the broker's certificate expired on 2026-11-20T00:00:00Z")
        #expect(
            refused(.expired) { ($0.depth, $0.subject) = (1, "CN=Porch CA") }
                == "the certificate of the authority \"CN=Porch CA\" expired on 2026-11-20T00:00:00Z")
        #expect(
            refused(.notYetValid)
                == "the broker's certificate isn't valid before 2026-11-01T00:00:00Z; is the clock of this machine right?"
        )
    }

    @Test func aCertificateForAnotherHostHasItsNames() {
        #expect(
            refused(.otherHost) == "the broker's certificate is for \"broker.example\", not for \"127.0.0.1\""
        )
        #expect(
            refused(.otherHost) { $0.names = ["a", "192.0.2.1", "c"] }
                == "the broker's certificate is for \"a\", \"192.0.2.1\" and \"c\", not for \"127.0.0.1\"")
        #expect(
            refused(.otherHost) { ($0.names, $0.unlistedNames) = (["a", "b"], 7) }
                == "the broker's certificate is for \"a\", \"b\" and 7 more, not for \"127.0.0.1\"")
        // The common name of a certificate never counts for an address.
        #expect(
            refused(.otherHost) { ($0.names, $0.commonName) = ([], "127.0.0.1") }
                == "the broker's certificate is for the common name \"127.0.0.1\" alone, not for \"127.0.0.1\""
        )
        #expect(
            refused(.otherHost) { ($0.names, $0.commonName) = ([], nil) }.contains("\"CN=broker,O=Porch\""))
    }

    @Test func otherRefusalsAreInTheWordsOfOpenSSL() {
        #expect(
            refused(.other("unsuitable certificate purpose"))
                == "the broker's certificate (\"CN=broker,O=Porch\") was refused: unsuitable certificate purpose"
        )
    }

    @Test func aMissingCertificateOfTheClientIsNamed() {
        let missing = "it requires a certificate of the client, and none is set"
        #expect(
            words(.alert(116, name: "certificate required", requestsCertificate: true))
                == "the broker refuses the connection: \(missing)")
        #expect(
            words(.alert(40, name: "handshake failure", requestsCertificate: true))
                == "the broker refuses the connection (handshake failure): \(missing)")
        #expect(words(.closed(requestsCertificate: true)) == "the broker closed the connection; \(missing)")
    }

    @Test func aRefusedCertificateOfTheClientIsNamed() {
        #expect(
            words(.alert(48, name: "unknown CA", requestsCertificate: true), own: "/agent.pem")
                == "the broker doesn't know the authority of the client's certificate in /agent.pem")
        #expect(
            words(.alert(45, name: "certificate expired", requestsCertificate: true), own: "/agent.pem")
                == "the broker refuses the client's certificate in /agent.pem: certificate expired")
        // The alert may be lost with the connection.
        #expect(
            words(.closed(requestsCertificate: true), own: "/agent.pem")
                == "the broker closed the connection; it may refuse the client's certificate in /agent.pem")
    }

    @Test func theOtherEndMayHaveNoTLSOrAnOldOne() {
        #expect(words(.noTLS) == "the answer isn't TLS; the port may be one without TLS")
        #expect(
            words(.closed(requestsCertificate: false))
                == "the broker closed the connection before TLS was established; the port may be one without TLS"
        )
        let old = "the broker offers no TLS 1.2 or newer"
        #expect(words(.oldVersion) == old)
        #expect(words(.alert(70, name: "protocol version", requestsCertificate: false)) == old)
    }

    @Test func otherFailuresAreInTheWordsOfOpenSSL() {
        #expect(words(.other("bad record mac")) == "TLS failed: bad record mac")
        #expect(
            words(.alert(80, name: "internal error", requestsCertificate: false))
                == "the broker refuses the connection: internal error")
    }
}
