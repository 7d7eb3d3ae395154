import Contract
import FoundationEssentials
import Settings
import TestSupport
import Testing

@testable import ZoomModel

/// Messages that write their fields themselves write all of them, in the order of their declaration.
struct FrequentMessagesTests {
    /// Values for the fields of messages: what can occur, and what is hard to write.
    private struct Values {
        private var generator: SeededGenerator

        init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

        private static let numbers = [
            0, -0.0, 1, -1, 8, 0.5, 1e-6, 1e-5, 0.1 + 0.2, 2.718_282, 1e15, 123_456_789.125, 1e21, .pi,
            .leastNonzeroMagnitude, 1e300,
        ]
        private static let integers = [0, 1, -1, 9, 10, 118, 1_790_000_000_000_123, .max, .min]
        private static let texts = [
            "", "phone", "2026-11-21T09:05:38.958Z", "\"quoted\" \\ back\\",
            "line\nbreak\ttab\u{1F}\u{7F}",
            "tür 😀 e\u{301}", "</script>\u{2028}", String(repeating: "long ", count: 200), "{[,:",
        ]

        mutating func number() -> Double {
            switch Int.random(in: 0...2, using: &generator) {
            case 0: one(of: Self.numbers)
            case 1: Double.random(in: -10...10, using: &generator).forMessages
            default: Double.random(in: -1e300...1e300, using: &generator)
            }
        }

        /// As a message has it.
        mutating func rounded() -> Double { number().forMessages }

        mutating func integer() -> Int {
            Bool.random(using: &generator)
                ? one(of: Self.integers) : Int(truncatingIfNeeded: generator.next())
        }

        mutating func flag() -> Bool { Bool.random(using: &generator) }
        mutating func text() -> String { one(of: Self.texts) }
        mutating func one<Value>(of values: [Value]) -> Value {
            values[Int.random(in: values.indices, using: &generator)]
        }

        /// A value or nil; always a value if `isFull`.
        var isFull = false
        mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
            isFull || flag() ? make(&self) : nil
        }

        mutating func viewport() -> Viewport {
            Viewport(x: number(), y: number(), width: number(), height: number()).forMessages
        }

        mutating func client() -> ClientIdentity {
            flag() ? ClientIdentity(account: text()) : ClientIdentity(claimed: text())
        }

        mutating func origin() -> Origin {
            Origin(
                client: optional { $0.client() }, id: optional { $0.text() },
                kind: one(of: Origin.Kind.allCases))
        }

        mutating func error() -> CommandError {
            CommandError(
                one(of: CommandError.Code.allCases), text(), field: optional { $0.text() })
        }

        mutating func zoom() -> Stamped<ZoomState> {
            let zoom = ZoomState(
                factor: rounded(), target: rounded(), ramping: flag(), velocity: optional { $0.rounded() },
                min: number(), max: number(), position: rounded(), optical: rounded(), digital: rounded(),
                viewport: viewport(), origin: origin())
            return stamped(zoom, zoom.origin)
        }

        mutating func stamped<State>(_ state: State, _ origin: Origin? = nil) -> Stamped<State> {
            Stamped(state, Stamp(rev: integer(), boot: integer(), origin: origin, ts: text()))
        }

        mutating func photo() -> PhotoFields {
            PhotoFields(
                path: text(), bytes: integer(), width: integer(), height: integer(),
                quality: optional { $0.integer() }, factor: number(), viewport: viewport(), frame: integer(),
                exposedAt: text(), requestedAt: text(), sequence: integer(), index: integer(), of: integer())
        }

        mutating func recording() -> RecordingFields {
            RecordingFields(
                path: optional { $0.text() }, codec: .h264, encoder: optional { $0.text() }, width: integer(),
                height: integer(), duration: number(), bytes: integer(), frames: integer(), lost: integer(),
                audio: flag(), startedAt: text(), reason: one(of: RecordingFields.Reason.allCases),
                error: optional { $0.error() })
        }

        mutating func file() -> MediaFields {
            MediaFields(
                name: text(), kind: one(of: MediaKind.allCases), contentType: text(), bytes: integer(),
                createdAt: text(), version: optional { $0.text() }, sha256: optional { $0.text() })
        }

        mutating func session() -> SessionState {
            SessionState(
                quality: text(), width: integer(), height: integer(), rate: number(), pixelFormat: text())
        }

        mutating func viewportState() -> Stamped<ViewportState> { stamped(ViewportState(viewport())) }

        mutating func reply() -> Reply {
            var reply = Reply(one(of: [.accepted, .done, .superseded, .error]), boot: integer(), ts: text())
            (reply.id, reply.client) = (optional { $0.text() }, optional { $0.text() })
            (reply.camera, reply.node) = (optional { $0.text() }, optional { $0.text() })
            (reply.rev, reply.clamped) = (optional { $0.integer() }, optional { $0.flag() })
            (reply.factor, reply.target) = (optional { $0.number() }, optional { $0.number() })
            reply.photos = optional { values in (0..<values.one(of: [0, 1, 3])).map { _ in values.photo() } }
            (reply.recording, reply.session) = (optional { $0.recording() }, optional { $0.session() })
            // A dictionary has no order: one key at most.
            reply.values = optional { $0.flag() ? [:] : [$0.text(): .number($0.number())] }
            reply.media = optional { values in (0..<values.one(of: [0, 1, 3])).map { _ in values.file() } }
            (reply.next, reply.file) = (optional { $0.text() }, optional { $0.file() })
            (reply.error, reply.state) = (optional { $0.error() }, optional { $0.zoom() })
            reply.isPersisted = optional { $0.flag() }
            return reply
        }
    }

    /// Checks random messages of a kind, and one with a value in each field.
    private func check<Message: Codable & Equatable>(
        _ make: (inout Values) -> Message, at location: SourceLocation = #_sourceLocation
    ) {
        for seed in UInt64(1)...500 {
            var values = Values(seed: seed)
            values.isFull = seed == 1
            let message = make(&values)
            let bytes = JSON.bytes(message)
            if values.isFull { expectEachField(of: message, in: bytes, at: location) }
            #expect(
                JSON.value(Message.self, from: bytes) == message, "seed \(seed)", sourceLocation: location)
        }
    }

    private func expectEachField(of message: Any, in bytes: [UInt8], at location: SourceLocation) {
        let fields = Self.fields(of: message)
        for field in fields {
            let mirror = Mirror(reflecting: field.value)
            #expect(
                mirror.displayStyle != .optional || !mirror.children.isEmpty,
                "the test gives no value to \(field.label ?? "a field")", sourceLocation: location)
        }
        let written = JSON(bytes)?.object?.names ?? []
        let order = written.map { ["persisted": "isPersisted"][$0] ?? $0 }
        #expect(order == fields.compactMap(\.label), sourceLocation: location)
    }

    /// The fields of a message, in their order. The origin of a stamped state is the stamp's.
    private static func fields(of message: Any) -> [Mirror.Child] {
        let fields = Array(Mirror(reflecting: message).children)
        guard fields.map(\.label) == ["value", "stamp"] else { return fields }
        return Mirror(reflecting: fields[0].value).children.filter { $0.label != "origin" }
            + Mirror(reflecting: fields[1].value).children.filter {
                $0.label != "origin" || $0.value is Origin
            }
    }

    @Test func theZoom() { check { $0.zoom() } }
    @Test func aSampleOfTheZoom() { check { values in values.stamped(values.zoom().value.sample) } }
    /// The middle of the view is rounded where it is written, so it is compared after that.
    @Test func theViewport() {
        check { values in
            let state = values.viewportState()
            let written = JSON.value(Stamped<ViewportState>.self, from: JSON.bytes(state))
            #expect(written?.viewport == state.viewport)
            return written ?? state
        }
    }
    @Test func anAnswer() { check { $0.reply() } }
    @Test func anError() { check { $0.error() } }
    @Test func nothing() { #expect(JSON.bytes(Stamped<RunningGesture>?.none) == Array("null".utf8)) }

    @Test func anotherEncoderIsRefused() {
        var values = Values(seed: 1)
        let zoom = values.zoom()
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(zoom) }
    }
}
