import TestSupport

@testable import Cameras
@testable import Contract

/// Random events from a seed: the same seed gives the same events.
struct CoreTraffic {
    var random: SeededGenerator
    /// Decides which commands wait for a time, without a change of all else.
    private var times: SeededGenerator
    private var requests = 0
    private var version = 0
    private var isStopping = false
    /// The buttons that are held down, so that their release often comes from the same client.
    private var pressed: [(client: String?, button: String)] = []
    /// The client of the present request, where it isn't to be chosen at random.
    private var client: String??

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        times = SeededGenerator(seed: ~seed)
    }

    mutating func events(_ count: Int) -> [CoreEvent] {
        // Most runs begin with a device.
        let first: [CoreEvent] = chance(0.8) ? [attachment()] : []
        return first + (0..<count).map { event(share: Double($0) / Double(count)) }
    }

    private mutating func event(share: Double) -> CoreEvent {
        if share > 0.9 && chance(0.1) {
            isStopping.toggle()
            return isStopping ? .beginStop : .finishStop
        }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<52:
            requests += 1
            return .request(node(), isPhotoRefused: chance(0.1), &self)
        case 52..<67: return .pass(pause())
        case 67..<71: return attachment()
        case 71..<73: return .detach(pick([.unplugged, .replaced, .notFound, .unusable("scripted")]))
        case 73..<78: return .hold(operation())
        case 78..<84: return .release(pick([.lens, .stop, .controls, .mode, .frame]), isLast: chance(0.6))
        case 84..<87: return .holdMedia(pick(ScriptedMedia.Operation.allCases))
        case 87..<92:
            return .releaseMedia(pick(ScriptedMedia.Operation.allCases), isLast: chance(0.6))
        case 92..<95: return deviceFailure()
        case 95..<97: return mediaFailure()
        default: return disturbance()
        }
    }

    // MARK: The device and the media threads

    private mutating func attachment() -> CoreEvent {
        let fault: Set<MisbehavingCamera.Fault> = chance(0.3) ? [pick(MisbehavingCamera.Fault.allCases)] : []
        return .attach(opticalMax: chance(0.6) ? 4 : 1, fault)
    }

    private mutating func operation() -> ScriptedCamera.Operation {
        pick([.lens, .lens, .stop, .controls, .controls, .mode, .mode, .frame])
    }

    private mutating func deviceFailure() -> CoreEvent {
        let error: CameraError? =
            chance(0.5) ? nil : pick([.device("scripted"), .disabled(control: "focus", reason: "scripted")])
        return chance(0.2) ? .unplugDuring(operation()) : .fail(operation(), error)
    }

    private mutating func mediaFailure() -> CoreEvent {
        let error = chance(0.5) ? nil : CommandError(pick([.storageFull, .device]), "scripted")
        return chance(0.15) ? .failThreads(error) : .failMedia(pick(ScriptedMedia.Operation.allCases), error)
    }

    private mutating func disturbance() -> CoreEvent {
        switch Int.random(in: 0..<11, using: &random) {
        case 0: .beginMoving
        case 1: .lens(.moved(optical: between(1, 4), moving: chance(0.5)))
        case 2: .lens(.taken(optical: between(1, 4)))
        case 3, 4: .turnControl(pick(["brightness", "bias"]), pick([-1, 0, 1]))
        case 5: .answerLate
        case 6: .fillRecording
        case 7: .holdDisk(true)
        case 8: .holdDisk(false)
        case 9: .failDisk(chance(0.5) ? nil : CommandError(.storageFull, "scripted"))
        default: .capacity(chance(0.7))
        }
    }

    private mutating func pause() -> Duration {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: .zero
        case 2..<5: .milliseconds(Int.random(in: 1...40, using: &random))
        case 5..<9: .milliseconds(Int.random(in: 40...1_500, using: &random))
        default: .milliseconds(Int.random(in: 1_500...12_000, using: &random))
        }
    }

    // MARK: Requests

    private mutating func node() -> Node {
        if chance(0.35) { return pick([.capture, .session, .recording, .desired, .zoom]) }
        let node = pick(Node.allCases)
        // A private camera refuses most of what follows.
        return node == .privacy && chance(0.6) ? .zoom : node
    }

    /// The JSON of a request: its own fields, and those that each request may have.
    mutating func json(for node: Node) -> String {
        if chance(0.06) {
            return pick(["", "{", "[]", "2.5", "ON", "OFF", "low", #"{"nonsense": 1}"#, "null"])
        }
        client = nil
        return "{" + timed(fields(node) + envelope(node), on: node).joined(separator: ", ") + "}"
    }

    private mutating func timed(_ fields: [String], on node: Node) -> [String] {
        guard Self.timedNodes.contains(node) else { return fields }
        switch Int.random(in: 0..<100, using: &times) {
        case 0..<10: return fields + [#""at": "$SOON""#]
        case 10: return fields + [#""at": "$PAST""#]
        case 11..<14:
            let number = Int.random(in: max(0, requests - 8)...requests, using: &times)
            return fields.filter { $0.hasPrefix(#""client""#) } + [#""cancel": "q\#(number)""#]
        default: return fields
        }
    }

    private static let timedNodes: Set<Node> = [
        .zoom, .capture, .recording, .session, .controls, .presets,
    ]

    private mutating func envelope(_ node: Node) -> [String] {
        var fields: [String] = []
        if chance(0.7) {
            let number = chance(0.1) ? Int.random(in: 0...max(1, requests), using: &random) : requests
            fields.append(#""id": "q\#(number)""#)
        }
        let client = self.client ?? (chance(0.7) ? pick(["a", "b", "c"]) : nil)
        self.client = nil
        if let client { fields.append(#""client": "\#(client)""#) }
        if chance(0.05) { fields.append(#""if_rev": \#(pick(["$REV", "$REV", "7"]))"#) }
        if chance(0.08) {
            fields.append(#""ts": "\#(pick(["$NOW", "$PAST"]))""#)
            if node != .lease { fields.append(#""ttl_ms": 1000"#) }
        }
        return fields
    }

    private mutating func fields(_ node: Node) -> [String] {
        if node == .capture && chance(0.4) { return press() }
        var command = RandomCommand(Self.usual, random)
        var object = command.object(node.command.form)
        random = command.random
        if node == .desired {
            if chance(0.75) { version += 1 }
            object["version"] = .integer(max(1, version - (chance(0.1) ? 1 : 0)))
            object["group"] = nil
            if object["zoom"]?.object?["by"] != nil { object["zoom"] = .object(["factor": .integer(2)]) }
        }
        return object.members.map {
            #""\#($0.name)": \#(String(decoding: JSON.bytes($0.value), as: UTF8.self))"#
        }
    }

    /// Values that the scripted camera can do, or all but one; names that meet again.
    private static let usual: [String: [JSON]] = {
        let text = #"""
            {
            "factor": [1, 1.5, 2, 3, 4, 6, 8, 20], "by": [0.5, 1, 2], "rate": [0.5, 1, 4, 20],
            "velocity": [-2, -0.5, 0, 0.5, 2], "timeout_ms": [100, 1000, 9000], "scale": [0.3, 0.7, 1.2, 2, 3],
            "x": [0, 0.1, 0.4, 0.5, 0.8, 1], "y": [0, 0.3, 0.5, 1], "dx": [-0.5, 0.2], "dy": [0, 0.5],
            "gesture": ["g", "h"], "id": [0, 1], "seq": [1, 2, 3],
            "phase": ["began", "changed", "changed", "changed", "moved", "moved", "ended", "cancelled"],
            "width": [32, 640], "height": [32, 640], "count": [1, 2, 3, 5], "interval_ms": [0, 100, 1000],
            "max_age_ms": [500], "capture": ["q1", "q20"], "max_duration_s": [1, 3], "max_bit_rate": [4000000],
            "quality": ["low", "high", "32x18", "64x36", "hd4K3840x2160", 50], "fps": [1, 5, 15, 30, 90],
            "save": ["desk", "door"], "go": ["desk", "door", "home"], "delete": ["desk", "door", "a.jpg"],
            "describe": ["a.jpg", "missing.jpg"], "get": ["a.jpg", "b.jpg", "c.mp4", "missing.jpg"],
            "seconds": [1, 3, 20], "ttl_ms": [100, 2000, 9000],
            "…": ["brightness", "brightness", "bias", "autofocus", "color", "color_effects", "focus", "unknown"]
            }
            """#
        return (JSON(Array(text.utf8))?.object?.index ?? [:]).compactMapValues(\.list)
    }()

    private mutating func press() -> [String] {
        var phase = pick(["began", "began", "ended", "ended", "cancelled"])
        var button = chance(0.4) ? "secondary" : "primary"
        if phase == "began" {
            let client = chance(0.7) ? pick(["a", "b", "c"]) : nil
            pressed.append((client, button))
            self.client = .some(client)
        } else if let press = pressed.popLast() {
            (client, button) = (.some(press.client), press.button)
            if chance(0.7) { phase = "ended" }
        }
        var fields = [#""phase": "\#(phase)""#]
        if button == "secondary" || chance(0.2) { fields.append(#""button": "\#(button)""#) }
        if chance(0.3) { fields.append(#""remote": true"#) }
        if phase == "ended" {
            if chance(0.4) { fields.append(#""reply": "image""#) }
            if chance(0.2) { fields.append(#""size": {"width": \#(pick([32, 640]))}"#) }
        }
        return fields
    }

    // MARK: Chance

    mutating func chance(_ share: Double) -> Bool { .random(in: 0..<1, using: &random) < share }
    private mutating func between(_ least: Double, _ most: Double) -> Double {
        (1_000 * .random(in: least...most, using: &random)).rounded() / 1_000
    }
    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }
}

extension CoreEvent {
    fileprivate static func request(_ node: Node, isPhotoRefused: Bool, _ traffic: inout CoreTraffic)
        -> CoreEvent
    {
        .request(node, traffic.json(for: node), acceptsPhotos: !isPhotoRefused)
    }
}
