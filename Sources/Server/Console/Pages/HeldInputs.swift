internal import Contract

/// What a page has begun and not ended: gestures, buttons that are held, and a zoom that moves. It is ended
/// when the page disappears.
struct HeldInputs {
    struct Command: Equatable {
        let camera: CameraAddress
        let node: String
        let payload: JSONObject
    }

    /// What the answer to a command decides: a refused one has begun nothing, and ended nothing.
    struct Outcome {
        fileprivate var begun: [(input: Input, number: Int, before: Hold?)] = []
        fileprivate var ended: [(input: Input, number: Int)] = []
    }

    /// One thing that a page can hold.
    fileprivate enum Input: Hashable {
        case pinch(CameraAddress, gesture: String)
        case finger(CameraAddress, gesture: String, id: JSON)
        case button(CameraAddress, name: String)
        case motion(CameraAddress)
    }

    fileprivate struct Hold {
        /// Tells it from an earlier or later one of the same input.
        let number: Int
        /// The newest fields of a finger; empty for other inputs.
        var fields: JSONObject
    }

    private enum Phase {
        case begins
        case goesOn
        case ends
    }

    /// The largest number of inputs that are remembered; a person has ten fingers.
    private static let maxInputs = 64
    /// The longest name that an agent takes, in bytes.
    private static let maxNameBytes = 64

    private var holds: [Input: Hold] = [:]
    private var lastNumber = 0

    /// Takes note of a command that is sent.
    ///
    /// - Parameter isAnswered: whether ``answered(_:isRefused:)`` follows. Otherwise, as for a sample of a
    ///   gesture, the command counts as carried out.
    /// - Returns: what the answer decides.
    @discardableResult
    mutating func note(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject, isAnswered: Bool = false
    ) -> Outcome {
        var outcome = Outcome()
        for (input, phase, fields) in Self.changes(camera, node, payload) {
            switch phase {
            case .begins: if let begun = begin(input, fields) { outcome.begun.append(begun) }
            case .goesOn:
                // Without a hold, the command that began it was lost.
                if holds[input] == nil { _ = begin(input, fields) } else { holds[input]?.fields = fields }
            case .ends:
                guard let hold = holds[input] else { continue }
                if isAnswered { outcome.ended.append((input, hold.number)) } else { holds[input] = nil }
            }
        }
        return outcome
    }

    /// Takes the final answer to a command, or its acceptance. What has begun since then stays.
    mutating func answered(_ outcome: Outcome, isRefused: Bool) {
        if isRefused {
            for (input, number, before) in outcome.begun where holds[input]?.number == number {
                holds[input] = before
            }
        } else {
            for (input, number) in outcome.ended where holds[input]?.number == number { holds[input] = nil }
        }
    }

    private mutating func begin(
        _ input: Input, _ fields: JSONObject
    ) -> (input: Input, number: Int, before: Hold?)? {
        let before = holds[input]
        guard before != nil || holds.count < Self.maxInputs else { return nil }
        lastNumber += 1
        holds[input] = Hold(number: lastNumber, fields: fields)
        return (input, lastNumber, before)
    }

    /// The commands that end everything, and forget it.
    mutating func end() -> [Command] {
        var commands: [Command] = []
        var touches: [CameraAddress: [String: [JSON]]] = [:]
        for (input, hold) in holds {
            switch input {
            case .pinch(let camera, let gesture):
                let payload: JSONObject = ["gesture": .text(gesture), "phase": .text("cancelled")]
                commands.append(Command(camera: camera, node: "pinch", payload: payload))
            case .finger(let camera, let gesture, id: _):
                var finger = hold.fields
                finger["phase"] = .text("cancelled")
                touches[camera, default: [:]][gesture, default: []].append(.object(finger))
            case .button(let camera, let name):
                let payload: JSONObject = ["phase": .text("cancelled"), "button": .text(name)]
                commands.append(Command(camera: camera, node: "capture", payload: payload))
            case .motion(let camera):
                commands.append(Command(camera: camera, node: "zoom", payload: ["stop": .flag(true)]))
            }
        }
        for (camera, gestures) in touches {
            for (gesture, fingers) in gestures {
                let payload: JSONObject = ["gesture": .text(gesture), "touches": .list(fingers)]
                commands.append(Command(camera: camera, node: "touch", payload: payload))
            }
        }
        holds = [:]
        return commands
    }
}

// MARK: Commands

extension HeldInputs {
    private typealias Change = (input: Input, phase: Phase, fields: JSONObject)

    /// What a command changes. A command that an agent refuses for its form changes nothing.
    private static func changes(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject
    ) -> [Change] {
        switch node {
        case "pinch":
            guard let gesture = name(payload["gesture"]), let phase = phase(payload) else { return [] }
            return [(.pinch(camera, gesture: gesture), phase, [:])]
        case "touch":
            guard let gesture = name(payload["gesture"]) else { return [] }
            return (payload["touches"]?.list ?? []).compactMap(\.object).compactMap { finger in
                finger["id"].flatMap { id in
                    phase(finger).map { (.finger(camera, gesture: gesture, id: id), $0, finger) }
                }
            }
        case "capture":
            guard let phase = phase(payload), let name = name(payload["button"] ?? .text("primary")) else {
                return []
            }
            return [(.button(camera, name: name), phase, [:])]
        case "zoom": return [(.motion(camera), payload["move"] != nil ? .begins : .ends, [:])]
        default: return []
        }
    }

    /// A name that an agent takes.
    private static func name(_ value: JSON?) -> String? {
        value?.text.flatMap { (1...maxNameBytes).contains($0.utf8.count) ? $0 : nil }
    }

    private static func phase(_ fields: JSONObject) -> Phase? {
        switch fields["phase"]?.text {
        case "began": .begins
        case "ended", "cancelled": .ends
        case "changed", "moved": .goesOn
        default: nil
        }
    }
}
