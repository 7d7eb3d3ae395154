import Base
import Glibc
import Settings
import Testing

@testable import Bus

/// Files that can't be used for TLS. `Tests/Broker/test_tls.py` has those that need real certificates.
@Suite struct TLSFileTests {
    private func refusal(of files: TLSFiles) -> (TLSFiles.Purpose?, String)? {
        do throws(TLSFileError) {
            _ = try files.check(host: "127.0.0.1")
            return nil
        } catch {
            return (error.file, error.description)
        }
    }

    @Test func aMissingFileIsNamedWithTheReasonOfTheSystem() throws {
        let missing = "can't read /nowhere/a.pem: No such file or directory"
        let authorities = try #require(refusal(of: .init(authorities: "/nowhere/a.pem")))
        #expect(authorities == (.authorities, missing))
        let own = TLSFiles(certificate: "/nowhere/a.pem", key: "/nowhere/b.key")
        #expect(try #require(refusal(of: own)) == (.certificate, missing))
    }

    @Test func aFileWithoutCertificatesIsNamed() throws {
        let expected = "expected certificates in PEM form in /dev/null"
        #expect(try #require(refusal(of: .init(authorities: "/dev/null"))) == (.authorities, expected))
        let own = TLSFiles(certificate: "/dev/null", key: "/dev/null")
        #expect(try #require(refusal(of: own)) == (.certificate, expected))
    }

    @Test func aConnectionWithoutItsFilesFailsWithTheReason() throws {
        var settings = BusSettings(port: 1)
        (settings.mqtt.tls.isOn, settings.mqtt.tls.caFile) = (true, "/nowhere/a.pem")
        let loop = EventLoop()
        let bus = try MQTTBus(settings, filters: [], on: loop)
        var reasons: [String] = []
        bus.connectionChanged = { if case .disconnected(let reason, _) = $0 { reasons.append(reason) } }
        bus.start()
        while reasons.count < 2 { loop.runOnce(timeout: .milliseconds(100)) }
        let expected = "127.0.0.1:1: can't read /nowhere/a.pem: No such file or directory"
        #expect(reasons == [expected, expected])
    }

    @Test(arguments: ["127.0.0.1", "::1", "broker.example"])
    func theAuthoritiesOfTheSystemNeedNoFile(host: String) throws {
        let warnings = try TLSFiles().check(host: host)
        #expect(warnings.allSatisfy { $0.file == .authorities })
    }
}
