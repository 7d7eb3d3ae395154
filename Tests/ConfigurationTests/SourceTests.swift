import Testing

@testable import Configuration
@testable import Settings

/// Sources by properties, and tags of devices.
struct SourceTests {
    private let yaml = """
        devices:
          - { model: "Acme: Cam", kind: wide, position: front }
          - { serial: "0012", bus: usb-1, kind: dual }
        cameras:
          - { id: a, source: [{ kind: dual, position: back }, { kind: wide }, any, simulated] }
          - { id: b, source: { driver: uvcvideo, serial: "7" }, rotation: 90, mirror: vertical }
          - { id: c, source: { }, rotation: auto }
          - { id: d, source: { serial: "7" } }
        """

    @Test func propertiesAndTagsAreRead() throws {
        let settings = try load(yaml).get().settings
        #expect(
            settings.deviceTags == [
                .init(model: "Acme: Cam", kind: .wide, position: .front),
                .init(serial: "0012", bus: "usb-1", kind: .dual),
            ])
        #expect(
            settings.cameras.map(\.sources) == [
                [
                    .properties(.init(kind: .dual, position: .back)), .properties(.init(kind: .wide)),
                    .properties(.init()), .simulated,
                ],
                [.properties(.init(serial: "7", driver: "uvcvideo"))], [.properties(.init())], [.serial("7")],
            ])
        #expect(
            settings.cameras.map(\.orientation) == [
                .init(), .init(rotation: .quarter, mirror: .vertical), .init(rotation: .auto), .init(),
            ])
    }

    @Test func theEffectiveConfigurationReadsAsTheSame() throws {
        let configuration = try load(yaml).get()
        let again = try load(configuration.effective()).get()
        #expect(again.settings == configuration.settings)
    }
}
