internal import Base
internal import Contract

/// How far a rollout is, as its state file has it. It is written before each step is published and after each
/// step's end, so that a rollout that was ended at any moment can go on.
struct RolloutState: Equatable {
    enum Progress: String, FieldWord {
        /// The version was published, and no outcome is known.
        case sent
        /// It waits at the camera, which applies it when it can.
        case waiting
        case done
        case refused
        /// No outcome came in time. It is published again when the rollout goes on.
        case silent
    }

    struct Camera: Equatable {
        var progress: Progress
        /// Why it is refused, or silent.
        var reason: String?
    }

    /// The level of this format.
    var format = 1
    var group: String
    /// The hash of the file with the desired state.
    var document: String
    var version: Int
    /// By `agent/camera`.
    var cameras: [String: Camera] = [:]
    /// Whether the copy for the group is at the broker.
    var isFinished = false
    /// Why it has ended for good: another rollout came between. Nil: it can go on.
    var conflict: String?

    init(group: String, document: [UInt8], version: Int) {
        (self.group, self.document) = (group, Self.digest(of: document))
        self.version = version
    }

    static func digest(of document: [UInt8]) -> String {
        Hexadecimal.text(of: SHA256.hash(of: document))
    }

    /// Reads the state of a rollout that is to go on.
    ///
    /// - Throws: why the rollout of a document to a group can't go on with it.
    static func read(
        _ bytes: [UInt8], group: String, document: [UInt8]
    ) throws(CommandError) -> RolloutState {
        guard let state = JSON.value(RolloutState.self, from: bytes), state.format == 1
        else { throw CommandError(.conflict, "The state file is not that of a rollout.") }
        guard state.group == group else {
            throw CommandError(
                .conflict, "The state file is that of a rollout to the group \(state.group).")
        }
        guard state.document == digest(of: document) else {
            throw CommandError(
                .conflict,
                "The state file is that of a rollout of another document. Use a new state file for this one."
            )
        }
        return state
    }
}

extension RolloutState.Camera: Form {
    init(_ f: inout some FormVisitor<Self>) {
        progress = f("progress", \.progress, .any, "How far it is.")
        reason = f.maybe("reason", \.reason, .any, "Why it is refused, or silent.")
    }
}

extension RolloutState: Form {
    init(_ f: inout some FormVisitor<Self>) {
        format = f("format", \.format, .any, "The level of this format.")
        group = f("group", \.group, .any, "To which it goes.")
        document = f("document", \.document, .any, "The hash of the file with the desired state.")
        version = f("version", \.version, .from(1), "Of the desired state.")
        cameras = f("cameras", \.cameras, .each(.any), "By `agent/camera`.")
        conflict = f.maybe("conflict", \.conflict, .any, "Why it has ended for good.")
        isFinished = f("finished", \.isFinished, .any, "Whether the copy for the group is at the broker.")
    }
}
