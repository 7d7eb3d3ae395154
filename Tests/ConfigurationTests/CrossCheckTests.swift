import Glibc
import TestSupport
import Testing

@testable import Configuration
@testable import Settings

@Suite struct CrossCheckTests {
    let folder = TemporaryFolder()

    @Test(arguments: [
        ("s3cret\n", "s3cret"), ("s3cret", "s3cret"), ("s3cret\r\n", "s3cret"), ("two\n\n", "two\n"),
        (" spaced \n", " spaced "),
    ])
    func aPasswordLosesOneNewline(text: String, password: String) throws {
        folder.write(text, to: "password")
        let mqtt = try load("mqtt: { username: a, password_file: password }", in: folder).get().settings.mqtt
        #expect(mqtt.password?.text == password)
        #expect("\(mqtt)".contains("(hidden)"))
    }

    @Test func filesThatCannotBeReadAreNamedWithTheirKey() {
        folder.write("\n", to: "password")
        let yaml = """
            mqtt:
              username: a
              password_file: password
              tls:
                ca_file: missing.pem
            cameras:
              - id: a
                image: .
            """
        #expect(
            load(yaml, in: folder).lines == [
                "porch.yaml:3: mqtt.password_file: expected a password of 1 to 65535 bytes of text in password",
                "porch.yaml:5: mqtt.tls.ca_file: can't read missing.pem: No such file or directory",
                "porch.yaml:8: cameras.0.image: can't read .: Is a directory",
            ])
    }

    /// Any client can give itself a name of the list.
    @Test func aListOfClientsNeedsProvedNames() throws {
        let yaml = """
            cameras:
              - id: a
                privacy: { off: [owner] }
              - id: b
            """
        #expect(
            load(yaml, in: folder).lines == [
                "porch.yaml:3: cameras.0.privacy.off: needs clients: proved beside it"
            ])
        let cameras = try load("clients: proved\n" + yaml, in: folder).get().settings.cameras
        #expect(cameras[0].privacy.off == ["owner"] && cameras[1].privacy.off == nil)
    }

    @Test func aPreviewRateIsZeroOrInItsRange() throws {
        #expect(
            load("home_assistant: { preview_fps: 0.05 }", in: folder).lines == [
                "porch.yaml:1: home_assistant.preview_fps: expected 0, or a number from 0.1 to 60, found \"0.05\""
            ])
        let some = try load("home_assistant: { preview_fps: 0.1 }", in: folder).get().settings.homeAssistant
        #expect(some.previewRate == 0.1)
        let none = try load("home_assistant: { preview_fps: 0 }", in: folder).get().settings.homeAssistant
        #expect(none.previewRate == nil)
    }

    @Test func aRelativePathIsRelativeToTheFileThatSetsItOrToTheWorkingFolder() throws {
        folder.write("x", to: "picture.jpg")
        let yaml = "state_file: state.json\ncameras: [{ id: a, image: picture.jpg }]"
        let configuration = try load(yaml, flags: [("captures.directory", "photos")], in: folder).get()
        #expect(configuration.settings.stateFile == folder.path + "/state.json")
        #expect(configuration.settings.cameras[0].image == folder.path + "/picture.jpg")
        let here = try #require(realpath(".", nil))
        defer { free(here) }
        #expect(configuration.settings.captures.folder.directory == String(cString: here) + "/photos")
    }

    @Test func tlsChangesThePort() throws {
        folder.write("x", to: "ca.pem")
        let mqtt = try load("mqtt: { tls: { ca_file: ca.pem } }", in: folder).get().settings.mqtt
        #expect(mqtt.port == 8883)
        #expect(mqtt.tls == TLSSettings(isOn: true, caFile: folder.path + "/ca.pem"))
        #expect(
            try load("mqtt: { port: 1884, tls: { ca_file: ca.pem } }", in: folder).get().settings.mqtt.port
                == 1884)
    }

    @Test func aCertificateComesWithItsKey() throws {
        for name in ["ca.pem", "cert.pem", "key.pem"] { folder.write("x", to: name) }
        let both = "mqtt: { tls: { ca_file: ca.pem, cert_file: cert.pem, key_file: key.pem } }"
        let tls = try load(both, in: folder).get().settings.mqtt.tls
        #expect(tls.certificateFile == folder.path + "/cert.pem")
        #expect(tls.keyFile == folder.path + "/key.pem")
        #expect(
            load("mqtt: { tls: { ca_file: ca.pem, cert_file: cert.pem } }", in: folder).lines == [
                "porch.yaml:1: mqtt.tls.cert_file: needs mqtt.tls.key_file beside it"
            ])
        #expect(
            load("mqtt: { tls: { ca_file: ca.pem, key_file: key.pem } }", in: folder).lines == [
                "porch.yaml:1: mqtt.tls.key_file: needs mqtt.tls.cert_file beside it"
            ])
    }

    @Test func aCertificateOfTheAgentAloneTrustsTheSystem() throws {
        for name in ["cert.pem", "key.pem"] { folder.write("x", to: name) }
        let files = "mqtt: { tls: { cert_file: cert.pem, key_file: key.pem } }"
        let mqtt = try load(files, in: folder).get().settings.mqtt
        #expect(mqtt.tls.isOn && mqtt.tls.caFile == nil && mqtt.port == 8883)
    }

    @Test func tlsIsTurnedOffBesideItsFiles() throws {
        folder.write("x", to: "ca.pem")
        let mqtt = try load("mqtt: { tls: { enabled: false, ca_file: ca.pem } }", in: folder).get().settings
            .mqtt
        #expect(!mqtt.tls.isOn && mqtt.port == 1883)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.8.8.8", "::1", "LOCALHOST"])
    func aPasswordMayStayOnThisMachineWithoutTLS(host: String) throws {
        folder.write("secret", to: "password")
        let yaml = "mqtt: { host: '\(host)', username: a, password_file: password }"
        #expect(try load(yaml, in: folder).get().warnings == [])
    }

    @Test(arguments: ["192.0.2.1", "127.example.com", "broker.local"])
    func aPasswordForAnotherMachineWithoutTLSIsAWarning(host: String) throws {
        folder.write("secret", to: "password")
        let yaml = "mqtt:\n  host: \(host)\n  username: a\n  password_file: password\n"
        let warnings = try load(yaml, in: folder).get().warnings.map { "\($0)" }
        #expect(
            warnings == [
                "\(folder.path)/porch.yaml:4: mqtt.password_file: "
                    + "without TLS, the network between here and \(host) can read the password"
            ])
        #expect(try load(yaml, flags: [("mqtt.tls", "true")], in: folder).get().warnings == [])
    }

    @Test func aSecretThatEveryUserCanReadIsAWarning() throws {
        let password = folder.write("secret", to: "password")
        let yaml = "mqtt:\n  username: a\n  password_file: password\n"
        let warnings = { try load(yaml, in: folder).get().warnings.map { "\($0)" } }
        chmod(password, 0o644)
        // No other user can enter the folder.
        chmod(folder.path, 0o700)
        #expect(try warnings() == [])
        chmod(folder.path, 0o755)
        #expect(
            try warnings() == [
                "\(folder.path)/porch.yaml:3: mqtt.password_file: every user of this machine can read "
                    + "\(password) (mode 0644); it should be 0600 or 0640"
            ])
        chmod(password, 0o640)
        #expect(try warnings() == [])
    }

    /// No such unit exists on the machines of the tests.
    @Test func aCredentialOfAServiceIsNotCheckedOutsideOfIt() throws {
        let credentials = "/run/credentials/nowhere.service"
        folder.write("x", to: "cert.pem")
        let yaml = """
            mqtt:
              username: a
              password_file: \(credentials)/nowhere.password
              tls:
                cert_file: cert.pem
                key_file: \(credentials)/nowhere.key
            """
        let message = { (name: String) in
            "not checked: systemd makes \(credentials)/\(name) for nowhere.service only, when it starts "
                + "(LoadCredential=, usually from /etc/credstore/\(name)); here: No such file or directory"
        }
        let configuration = try load(yaml, in: folder, needsCredentials: false).get()
        let file = folder.path + "/porch.yaml"
        #expect(
            configuration.warnings.map { "\($0)" } == [
                "\(file):3: mqtt.password_file: \(message("nowhere.password"))",
                "\(file):6: mqtt.tls.key_file: \(message("nowhere.key"))",
            ])
        #expect(
            configuration.uncheckedFiles == [
                credentials + "/nowhere.password", credentials + "/nowhere.key",
            ])
        #expect(configuration.settings.mqtt.password == nil)
    }

    /// A start needs the password, and so does a check by a process that has credentials.
    @Test(arguments: [(true, [:]), (false, ["CREDENTIALS_DIRECTORY": "/run/credentials/nowhere.service"])])
    func aCredentialThatIsMissingInTheServiceIsAnError(needed: Bool, environment: [String: String]) {
        let path = "/run/credentials/nowhere.service/password"
        let yaml = "mqtt: { username: a, password_file: \(path) }"
        #expect(
            load(yaml, environment: environment, in: folder, needsCredentials: needed).lines == [
                "porch.yaml:1: mqtt.password_file: can't read \(path): No such file or directory"
            ])
    }

    @Test(arguments: [
        "/run/credentials/password", "/run/credentials//password", "/run/credential/a/password",
    ])
    func aMissingFileThatIsNoCredentialIsAnError(path: String) {
        let yaml = "mqtt: { username: a, password_file: \(path) }"
        #expect(
            load(yaml, in: folder, needsCredentials: false).lines == [
                "porch.yaml:1: mqtt.password_file: can't read \(path): No such file or directory"
            ])
    }

    @Test func errorsAndWarningsOfFilesHaveThePlaceOfTheirKey() throws {
        for name in ["ca.pem", "picture.jpg"] { folder.write("x", to: name) }
        let yaml = "mqtt:\n  tls:\n    ca_file: ca.pem\ncameras:\n- id: a\n  image: picture.jpg\n"
        var configuration = try load(yaml, in: folder).get()
        let file = folder.path + "/porch.yaml"
        #expect("\(configuration.error(in: "mqtt.tls.ca_file", "no"))" == "\(file):3: mqtt.tls.ca_file: no")
        #expect("\(configuration.error(in: "cameras.0.image", "no"))" == "\(file):6: cameras.0.image: no")
        configuration.warn(about: "mqtt.tls.ca_file", "old")
        #expect(configuration.warnings.map { "\($0)" } == ["\(file):3: mqtt.tls.ca_file: old"])
    }

    @Test func aUserNeedsNoPasswordButAPasswordNeedsAUser() throws {
        #expect(try load("mqtt: { username: a }").get().settings.mqtt.username == "a")
        folder.write("x", to: "password")
        #expect(
            load("mqtt: { password_file: password }", in: folder).lines == [
                "porch.yaml:1: mqtt.password_file: needs mqtt.username beside it"
            ])
    }

    @Test func answersAndTheTopicsOfAgentsDontMeet() throws {
        for base in ["replies", "replies/cameras"] {
            #expect(
                load("mqtt: { base_topic: \(base) }").lines == [
                    "porch.yaml:1: mqtt.base_topic: expected a topic other than replies/, where the answers to proved clients are, found \"\(base)\""
                ])
        }
        #expect(
            load("mqtt: { base_topic: site/cams, response_topics: [site/, site/cams/x/] }").lines == [
                "porch.yaml:1: mqtt.response_topics: expected topics that aren't below \"site/cams\", found \"site/cams/x/\""
            ])
        let settings = try load("mqtt: { base_topic: replies2, response_topics: [a/, b/c/] }").get().settings
        #expect(settings.mqtt.responseTopics == ["a/", "b/c/"])
    }

    @Test(arguments: [
        "replies", "/", "/a/", "$SYS/", "a/#/", "+/", "", String(repeating: "a", count: 256) + "/",
    ])
    func aPrefixOfTopicsEndsWithASlash(prefix: String) {
        let lines = load("mqtt: { response_topics: ['\(prefix)'] }").lines
        #expect(
            lines.count == 1 && lines[0].contains("mqtt.response_topics: expected the beginning of a topic"))
    }

    @Test func theZoomHasARange() {
        #expect(
            load("cameras: [{ id: a, zoom: { min: 3, max: 3 } }]").lines == [
                "porch.yaml:1: cameras.0.zoom.max: expected zoom.min below zoom.max, found 3 and 3"
            ])
        #expect(
            load("cameras:\n- id: a\n  zoom: { min: 9 }").lines == [
                "porch.yaml:3: cameras.0.zoom.min: expected zoom.min below zoom.max, found 9 and 8"
            ])
    }

    @Test func idsOfCamerasDiffer() {
        #expect(
            load("cameras:\n- id: a\n- id: a\n- groups: []\n").lines == [
                "porch.yaml:3: cameras.1.id: expected an id of its own, found that of cameras.0",
                "porch.yaml:4: cameras.2.id is missing: each camera needs an id",
            ])
    }

    @Test func aMissingFileIsNamed() {
        do throws(ConfigurationErrors) {
            _ = try LoadedConfiguration.load(file: "/nowhere/porch.yaml", environment: [:], overrides: [])
            Issue.record("no error")
        } catch {
            #expect(error.description == "can't read /nowhere/porch.yaml: No such file or directory")
        }
    }
}
