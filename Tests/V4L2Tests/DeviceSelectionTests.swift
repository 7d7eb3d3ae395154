import Testing

@testable import Cameras

/// What an entry of a list of sources describes, and which device is chosen.
struct DeviceSelectionTests {
    private let wide = FoundDevice(
        path: "/dev/video0", model: "Wide Cam", bus: "usb-1", serial: "W1", kind: "wide", position: "back")
    private let tele = FoundDevice(
        path: "/dev/video2", model: "Tele Cam", bus: "usb-2", serial: "T1", kind: "tele", position: "back")
    private let selfie = FoundDevice(
        path: "/dev/video4", model: "Wide Cam", bus: "usb-3", serial: "F1", kind: "wide", position: "front")

    private func path(
        _ choices: [DeviceChoice], among devices: [FoundDevice], reservations: [DeviceReservation] = []
    ) -> String? {
        let selection = DeviceSelection(choices, owner: "porch")
        guard case (_, .device(let device))? = selection.first(among: devices, reservations: reservations)
        else { return nil }
        return device.path
    }

    @Test(
        arguments: [
            (DeviceProperties(kind: "wide", position: "front"), "/dev/video4"),
            (DeviceProperties(kind: "wide"), "/dev/video0"),
            (DeviceProperties(position: "back"), "/dev/video0"),
            (DeviceProperties(model: "Tele Cam"), "/dev/video2"),
            (DeviceProperties(bus: "usb-3"), "/dev/video4"),
            (DeviceProperties(serial: "T1", kind: "tele"), "/dev/video2"),
            (DeviceProperties(), "/dev/video0"),
            (DeviceProperties(kind: "dual"), nil),
            (DeviceProperties(kind: "tele", position: "front"), nil),
        ] as [(DeviceProperties, String?)])
    func everyPropertyHasToAgree(_ properties: DeviceProperties, _ expected: String?) {
        #expect(path([.properties(properties)], among: [wide, tele, selfie]) == expected)
    }

    @Test func theFirstEntryThatIsPresentWins() {
        let phone: [DeviceChoice] = [
            .properties(.init(kind: "dual")), .properties(.init(kind: "wide")), .properties(.init()),
        ]
        #expect(path(phone, among: [tele, selfie]) == "/dev/video4")
        #expect(path(phone, among: [tele]) == "/dev/video2")
        #expect(path(phone, among: []) == nil)
    }

    @Test func ofSeveralDevicesTheOneThatWasUsedBeforeIsChosen() {
        var selection = DeviceSelection([.properties(.init(kind: "wide"))], owner: "porch")
        selection.used(selfie, of: 0)
        var moved = selfie
        moved.path = "/dev/video9"
        guard case (0, .device(let device))? = selection.first(among: [wide, moved], reservations: []) else {
            Issue.record("nothing was chosen")
            return
        }
        #expect(device.path == "/dev/video9")
    }

    @Test func aDeviceThatAnotherCameraNamesIsLeftToIt() {
        let names: [DeviceReservation] = [
            .init(owner: "yard", name: .serial("W1")), .init(owner: "yard", name: .path("/dev/video2")),
        ]
        let all = [wide, tele, selfie]
        #expect(path([.properties(.init())], among: all, reservations: names) == "/dev/video4")
        #expect(path([.properties(.init(kind: "tele"))], among: all, reservations: names) == nil)
        #expect(path([.path("/dev/video0")], among: all, reservations: names) == nil)
        #expect(path([.path("/dev/video2")], among: all, reservations: names) == "/dev/video2")
        let own = [DeviceReservation(owner: "porch", name: .serial("W1"))]
        #expect(
            path([.properties(.init(kind: "wide"))], among: all, reservations: own) == "/dev/video0",
            "what the camera itself names is no reservation against it")
    }

    @Test func aTagWinsOverTheDriverAndAnEarlierTagOverALaterOne() {
        let tagged = [wide, tele].tagged(by: [
            .init(of: .init(serial: "W1"), position: "external"),
            .init(of: .init(model: "Wide Cam"), kind: "dual", position: "front"),
        ])
        #expect(tagged.map(\.kind) == ["dual", "tele"])
        #expect(tagged.map(\.position) == ["external", "back"])
    }
}
