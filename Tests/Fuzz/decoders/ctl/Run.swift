import Contract
import Ctl
import Fleet
import Settings

@testable import Bus

/// What an input stands for: an operation, and what happens while it runs.
///
/// The first two bytes choose the operation and the options. After them come events, separated by zero bytes:
/// their first byte is their kind.
struct Run {
    enum Event {
        case connected, subscribed, interrupted
        case lost(reason: String)
        case wait(Duration)
        case message(BusMessage)
    }

    let operation: CtlOperation
    let isJSON: Bool
    private(set) var events: [Event] = []
    private let choices: UInt8

    private static let operations: [CtlOperation] = [
        .command(.zoom, [:]), .listPresets, .listControls,
        .setControls([ControlSetting(name: "brightness", value: "7")]),
        .capture([:], to: .standardOutput), .capture([:], to: .file("photo.jpg")),
        .startRecording([:]), .record([:]),
        .pinch(PinchGesture(name: "g", scale: 2, milliseconds: 20, anchor: nil)),
        .listMedia(kind: nil, limit: 200),
        .copyMedia(.newest(kind: nil, count: 3), to: .folder("photos"), replaces: false),
        .cancel("take-1"),
    ]

    /// What each run rolls out.
    static let plan = RolloutPlan(
        group: "stage", document: Array(#"{"zoom":{"factor":2}}"#.utf8), version: 1, step: .cameras(1),
        maxFailures: 2,
        timeout: .seconds(1))

    init(_ bytes: [UInt8]) {
        operation = Self.operations[Int(bytes.first ?? 0) % Self.operations.count]
        choices = bytes.dropFirst().first ?? 0
        isJSON = choices & 1 != 0
        let options = Run.options(choices, isJSON: false)
        for event in bytes.dropFirst(2).split(separator: 0).prefix(100) {
            if let event = Self.event(event, options) { events.append(event) }
        }
    }

    func options(isJSON: Bool) -> CtlOptions { Self.options(choices, isJSON: isJSON) }

    private static func options(_ choices: UInt8, isJSON: Bool) -> CtlOptions {
        var mqtt = MQTTSettings.standard
        (mqtt.host, mqtt.clientID) = ("broker", "run")
        mqtt.protocolVersion = choices & 2 != 0 ? .v311 : .v5
        var options = CtlOptions(
            broker: BusSettings(mqtt), baseTopic: "b", agent: choices & 4 != 0 ? "porch" : nil,
            camera: choices & 8 != 0 ? "door" : nil,
            client: "ctl", json: isJSON)
        options.requestID = { "run-\($0)" }
        return options
    }

    /// `c`, `s`, `i`; `l` and a reason; `w` and a number of tenths of a second; `r`, a number of the flags
    /// below, and a payload on the response topic; `m`, the end of a topic, a line feed and a payload.
    private static func event(_ bytes: ArraySlice<UInt8>, _ options: CtlOptions) -> Event? {
        let rest = bytes.dropFirst()
        switch bytes.first.map({ Unicode.Scalar($0) }) {
        case "c": return .connected
        case "s": return .subscribed
        case "i": return .interrupted
        case "l": return .lost(reason: text(rest))
        case "w": return .wait(.milliseconds(100 * Int(rest.first ?? 1)))
        case "r":
            let flags = rest.first ?? 0
            let correlations: [String?] = ["run-1", "run-2", nil, "run-"]
            return .message(
                BusMessage(
                    topic: options.topics.responseTopic, payload: Array(rest.dropFirst()), qos: .atMostOnce,
                    isRetained: false, correlation: correlations[Int(flags & 3)].map { Array($0.utf8) },
                    contentType: flags & 4 != 0 ? "image/jpeg" : nil))
        case "m":
            let topic = rest.prefix { $0 != 0x0A }
            return .message(
                BusMessage(
                    topic: "b/" + text(topic), payload: Array(rest.dropFirst(topic.count + 1)),
                    qos: .atMostOnce, isRetained: false))
        default: return nil
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
