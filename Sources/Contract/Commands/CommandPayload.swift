package import Settings

/// The payload of a command, as a controller encodes it.
package protocol ControllerCommand: Sendable, Encodable {
    /// New for each command of a client; its answer has it too.
    var id: String? { get set }
    var client: String? { get set }
    /// When it is to be carried out, as RFC 3339 has it; nil: at once.
    var at: String? { get set }
    var at_any_clock: Bool? { get set }
}

/// The payload of a command of any node except `controls`. Fields that are nil are not encoded.
package struct CommandPayload: ControllerCommand {
    package struct Anchor: Sendable, Encodable {
        package var x: Double
        package var y: Double
        package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    }

    package struct Move: Sendable, Encodable {
        package var velocity: Double
        package var timeout_ms: Int
        package init(velocity: Double, timeoutMilliseconds: Int) {
            (self.velocity, timeout_ms) = (velocity, timeoutMilliseconds)
        }
    }

    package struct Size: Sendable, Encodable {
        package var width: Int?
        package var height: Int?
        package init(width: Int?, height: Int?) { (self.width, self.height) = (width, height) }
    }

    package struct Goal: Sendable, Encodable {
        package var factor: Double
        package init(factor: Double) { self.factor = factor }
    }

    package struct MediaList: Sendable, Encodable {
        package var kind: MediaKind?
        package var before: String?
        package var limit: Int
        package init(kind: MediaKind?, before: String?, limit: Int) {
            (self.kind, self.before, self.limit) = (kind, before, limit)
        }
    }

    // Every command.
    package var id: String?
    package var client: String?
    package var at: String?
    package var at_any_clock: Bool?
    /// The id of a command that waits for its time.
    package var cancel: String?
    // zoom/set
    package var factor: Double?
    package var position: Double?
    package var by: Double?
    package var rate: Double?
    package var anchor: Anchor?
    package var move: Move?
    package var stop: Bool?
    // pinch/set
    package var gesture: String?
    package var phase: String?
    package var scale: Double?
    package var seq: Int?
    // capture/set; `quality` also recording/set
    package var quality: Int?
    package var size: Size?
    package var count: Int?
    package var zoom: Goal?
    package var reply: String?
    // recording/set
    package var on: Bool?
    package var max_duration_s: Double?
    package var codec: RecordingCodec?
    package var audio: Bool?
    package var max_bit_rate: Int?
    package var key_frame_interval_s: Double?
    // presets/set; `rate` goes with `go`
    package var save: String?
    package var go: String?
    package var delete: String?
    // media/set; also `delete`
    package var list: MediaList?
    package var describe: String?
    package var get: String?
    package var offset: Int?
    package var length: Int?
    package var version: String?
    // privacy/set
    package var state: PrivacySet.Word?

    package init() {}
}

/// A command of `controls`, whose fields are named by the camera's controls.
package struct ControlsPayload: ControllerCommand {
    package var id: String?
    package var client: String?
    package var at: String?
    package var at_any_clock: Bool?
    package var values: [String: ControlValue]

    package init(_ values: [String: ControlValue]) { self.values = values }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        try container.encodeIfPresent(id, forKey: Name(stringValue: "id"))
        try container.encodeIfPresent(client, forKey: Name(stringValue: "client"))
        try container.encodeIfPresent(at, forKey: Name(stringValue: "at"))
        try container.encodeIfPresent(at_any_clock, forKey: Name(stringValue: "at_any_clock"))
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where !Envelope.names.contains(name) {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }
}
