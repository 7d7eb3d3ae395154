package import Messages

/// What one run of `ctl desired apply` does.
package struct RolloutPlan: Sendable {
    /// How many cameras one step has.
    package enum Step: Sendable, Equatable {
        case cameras(Int)
        /// Of all cameras of the group.
        case percent(Double)

        /// A number of cameras from 1, or a percentage above 0 up to 100, as in `5%`; nil: it is neither.
        package init?(_ text: String) {
            if text.hasSuffix("%") {
                guard let percent = Double(text.dropLast()), percent > 0, percent <= 100 else { return nil }
                self = .percent(percent)
            } else {
                guard let count = Int(text), count >= 1 else { return nil }
                self = .cameras(count)
            }
        }

        /// - Returns: at least 1.
        package func count(of all: Int) -> Int {
            switch self {
            case .cameras(let count): count
            case .percent(let percent): max(1, Int(Double(all) * percent / 100))
            }
        }
    }

    package var group: String
    /// The file with the desired state.
    package var document: [UInt8]
    package var step: Step
    /// The rollout stops after a step when so many cameras have refused the version, or were silent.
    package var maxFailures: Int
    /// How long the cameras of a step have for their outcomes.
    package var timeout: Duration
    /// The bytes of the state file; nil: there is none yet.
    package var savedState: [UInt8]?

    package init(
        group: String, document: [UInt8], step: Step, maxFailures: Int, timeout: Duration,
        savedState: [UInt8]?
    ) {
        (self.group, self.document, self.step) = (group, document, step)
        (self.maxFailures, self.timeout, self.savedState) = (maxFailures, timeout, savedState)
    }

    /// Checks the file with the desired state, which needs no broker.
    ///
    /// - Throws: why it is no desired state for the group.
    package func checkDocument() throws(CommandError) { _ = try DesiredDocument(document, group: group) }
}

/// A file with a desired state, as it is published.
struct DesiredDocument {
    /// Without the fields that the rollout sets.
    private var fields: [String: JSONTree]
    /// The version in the file; nil: the rollout chooses one.
    let version: Int?
    /// Whether the version begins a new count.
    let resets: Bool

    /// - Throws: why it is no desired state for a group.
    init(_ file: [UInt8], group: String) throws(CommandError) {
        guard var fields = JSONTree(file)?.object else {
            throw CommandError(.badPayload, "The file is no JSON object.")
        }
        for name in ["id", "client", "ts", "ttl_ms", "if_rev"] where fields[name] != nil {
            throw CommandError(.badPayload, "\(name): not in a file that is rolled out.", field: name)
        }
        if let named = fields["group"], named != .text(group) {
            throw CommandError(.badPayload, "group: the rollout is for the group \(group).", field: "group")
        }
        version = fields["version"]?.integer
        if fields["version"] == nil { fields["version"] = .integer(1) }
        self.fields = fields
        // Whatever an agent would refuse in it is refused here.
        let command = try Command(
            for: .desired, payload: JSON.bytes(.object(fields))
        ).body.get()
        guard case .desired(let desired) = command else {
            throw CommandError(.badPayload, "The file is no desired state.")
        }
        resets = desired.resets
    }

    func payload(version: Int, group: String, id: String, client: String) -> [UInt8] {
        var fields = fields
        (fields["version"], fields["group"]) = (.integer(version), .text(group))
        (fields["id"], fields["client"]) = (.text(id), .text(client))
        return JSON.bytes(.object(fields))
    }
}
