internal import Contract

/// What a page has begun and not ended: gestures, buttons that are held, and a zoom that moves. It is ended
/// when the page disappears.
struct HeldInputs {
    struct Command: Equatable {
        let camera: CameraAddress
        let node: Node
        let payload: JSONObject
    }

    /// What the answer to a command decides: a refused one has begun nothing, and ended nothing.
    struct Outcome {
        fileprivate var begun: (input: Input, number: Int, before: Int?)?
        fileprivate var ended: (input: Input, number: Int)?
    }

    /// One thing that a page can hold.
    fileprivate enum Input: Hashable {
        case pinch(CameraAddress, gesture: String)
        case button(CameraAddress, name: String)
        case motion(CameraAddress)
    }

    private enum Phase {
        case begins, goesOn, ends
    }

    /// The largest number of inputs that are remembered; a person has ten fingers.
    private static let maxInputs = 64
    /// The longest name that an agent takes, in bytes.
    private static let maxNameBytes = 64

    /// The number of each tells it from an earlier or later one of the same input.
    private var holds: [Input: Int] = [:]
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
        guard let (input, phase) = Self.change(camera, node, payload) else { return Outcome() }
        let before = holds[input]
        switch (phase, before) {
        // Without a hold, the command that began it was lost.
        case (.begins, _), (.goesOn, nil):
            guard before != nil || holds.count < Self.maxInputs else { return Outcome() }
            lastNumber += 1
            holds[input] = lastNumber
            return phase == .begins ? Outcome(begun: (input, lastNumber, before)) : Outcome()
        case (.ends, let number?):
            if isAnswered { return Outcome(ended: (input, number)) }
            holds[input] = nil
        case (.goesOn, _), (.ends, nil): break
        }
        return Outcome()
    }

    /// Takes the final answer to a command, or its acceptance. What has begun since then stays.
    mutating func answered(_ outcome: Outcome, isRefused: Bool) {
        if isRefused, let begun = outcome.begun, holds[begun.input] == begun.number {
            holds[begun.input] = begun.before
        }
        if !isRefused, let ended = outcome.ended, holds[ended.input] == ended.number {
            holds[ended.input] = nil
        }
    }

    /// The commands that end everything, and forget it.
    mutating func end() -> [Command] {
        defer { holds = [:] }
        return holds.keys.map { input in
            switch input {
            case .pinch(let camera, let gesture):
                let payload: JSONObject = ["gesture": .text(gesture), "phase": .text("cancelled")]
                return Command(camera: camera, node: .pinch, payload: payload)
            case .button(let camera, let name):
                let payload: JSONObject = ["phase": .text("cancelled"), "button": .text(name)]
                return Command(camera: camera, node: .capture, payload: payload)
            case .motion(let camera):
                return Command(camera: camera, node: .zoom, payload: ["stop": .flag(true)])
            }
        }
    }
}

// MARK: Commands

extension HeldInputs {
    /// What a command changes. A command that an agent refuses for its form changes nothing.
    private static func change(
        _ camera: CameraAddress, _ node: String, _ payload: JSONObject
    ) -> (input: Input, phase: Phase)? {
        switch node {
        case "pinch":
            guard let gesture = name(payload["gesture"]), let phase = phase(payload) else { return nil }
            return (.pinch(camera, gesture: gesture), phase)
        case "capture":
            guard let phase = phase(payload), let name = name(payload["button"] ?? .text("primary")) else {
                return nil
            }
            return (.button(camera, name: name), phase)
        case "zoom": return (.motion(camera), payload["move"] != nil ? .begins : .ends)
        default: return nil
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
