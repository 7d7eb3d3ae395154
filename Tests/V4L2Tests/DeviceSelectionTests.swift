import Testing

@testable import Cameras
@testable import Settings

/// What an entry of a list of sources describes, and which device is chosen.
struct DeviceSelectionTests {
    private let wide = FoundDevice(
        path: "/dev/video0", model: "Wide Cam", bus: "usb-1", serial: "W1", kind: .wide, position: .back)
    private let tele = FoundDevice(
        path: "/dev/video2", model: "Tele Cam", bus: "usb-2", serial: "T1", kind: .tele, position: .back)
    private let selfie = FoundDevice(
        path: "/dev/video4", model: "Wide Cam", bus: "usb-3", serial: "F1", kind: .wide, position: .front)

    private func path(
        _ choices: [SourceChoice], among devices: [FoundDevice], reservations: [DeviceReservation] = []
    ) -> String? {
        let selection = DeviceSelection(choices, owner: "porch")
        return selection.first(among: devices, reservations: reservations)?.device?.path
    }

    @Test(
        arguments: [
            (DevicePattern(kind: .wide, position: .front), "/dev/video4"),
            (DevicePattern(kind: .wide), "/dev/video0"),
            (DevicePattern(position: .back), "/dev/video0"),
            (DevicePattern(model: "Tele Cam"), "/dev/video2"),
            (DevicePattern(bus: "usb-3"), "/dev/video4"),
            (DevicePattern(serial: "T1", kind: .tele), "/dev/video2"),
            (DevicePattern(), "/dev/video0"),
            (DevicePattern(kind: .dual), nil),
            (DevicePattern(kind: .tele, position: .front), nil),
        ] as [(DevicePattern, String?)])
    func everyPropertyHasToAgree(_ properties: DevicePattern, _ expected: String?) {
        #expect(path([.properties(properties)], among: [wide, tele, selfie]) == expected)
    }

    @Test func theFirstEntryThatIsPresentWins() {
        let phone: [SourceChoice] = [
            .properties(.init(kind: .dual)), .properties(.init(kind: .wide)), .properties(.init()),
        ]
        #expect(path(phone, among: [tele, selfie]) == "/dev/video4")
        #expect(path(phone, among: [tele]) == "/dev/video2")
        #expect(path(phone, among: []) == nil)
    }

    @Test func ofSeveralDevicesTheOneThatWasUsedBeforeIsChosen() {
        var selection = DeviceSelection([.properties(.init(kind: .wide))], owner: "porch")
        selection.used(selfie, of: 0)
        var moved = selfie
        moved.path = "/dev/video9"
        let first = selection.first(among: [wide, moved], reservations: [])
        #expect(first?.choice == 0 && first?.device?.path == "/dev/video9")
    }

    @Test func aDeviceThatAnotherCameraNamesIsLeftToIt() {
        let names: [DeviceReservation] = [
            .init(owner: "yard", name: .serial("W1")), .init(owner: "yard", name: .v4l2(path: "/dev/video2")),
        ]
        let all = [wide, tele, selfie]
        #expect(path([.properties(.init())], among: all, reservations: names) == "/dev/video4")
        #expect(path([.properties(.init(kind: .tele))], among: all, reservations: names) == nil)
        #expect(path([.v4l2(path: "/dev/video0")], among: all, reservations: names) == nil)
        #expect(path([.v4l2(path: "/dev/video2")], among: all, reservations: names) == "/dev/video2")
        let own = [DeviceReservation(owner: "porch", name: .serial("W1"))]
        #expect(
            path([.properties(.init(kind: .wide))], among: all, reservations: own) == "/dev/video0",
            "what the camera itself names is no reservation against it")
    }

    @Test func aTagWinsOverTheDriverAndAnEarlierTagOverALaterOne() {
        let tagged = [wide, tele].tagged(by: [
            .init(serial: "W1", position: .external),
            .init(model: "Wide Cam", kind: .dual, position: .front),
        ])
        #expect(tagged.map(\.kind) == [.dual, .tele])
        #expect(tagged.map(\.position) == [.external, .back])
    }
}
