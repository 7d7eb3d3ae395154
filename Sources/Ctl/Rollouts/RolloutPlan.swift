internal import Base
internal import Bus
package import Contract

/// What one run of `ctl desired apply` does.
package struct RolloutPlan: Sendable {
    /// A number of cameras of the group.
    package enum Share: Sendable, Equatable {
        case cameras(Int)
        /// Of all cameras of the group. At least one camera, unless it is 0.
        case percent(Double)

        /// A number of cameras, or a percentage up to 100, as in `5%`; nil: it is neither.
        ///
        /// - Parameter least: 0 or 1; with 1, a percentage is above 0.
        package init?(_ text: String, atLeast least: Int = 1) {
            if text.hasSuffix("%") {
                guard let percent = Double(text.dropLast()), percent >= 0, percent <= 100,
                    percent > 0 || least == 0
                else { return nil }
                self = .percent(percent)
            } else {
                guard let count = Int(text), count >= least else { return nil }
                self = .cameras(count)
            }
        }

        package func count(of all: Int) -> Int {
            switch self {
            case .cameras(let count): count
            case .percent(0): 0
            case .percent(let percent): max(1, Int(Double(all) * percent / 100))
            }
        }
    }

    package var group: String
    /// The file with the desired state.
    package var document: [UInt8]
    /// How many cameras one step has.
    var step: Share
    /// How many cameras may get the version by the group's copy alone, as they are away when all others have
    /// it; nil: as many as one step has.
    var maxAway: Share?
    /// The rollout stops after a step when so many cameras have refused the version, or were silent.
    var maxFailures: Int
    /// How long the cameras of a step have for their outcomes.
    var timeout: Duration
    /// The version of a file without one, which `--version` gives; nil: the file has one.
    var version: Int?

    package init(
        group: String, document: [UInt8], version: Int? = nil, step: Share, maxAway: Share? = nil,
        maxFailures: Int, timeout: Duration
    ) {
        (self.group, self.document, self.step, self.maxAway) = (group, document, step, maxAway)
        (self.version, self.maxFailures, self.timeout) = (version, maxFailures, timeout)
    }

    /// The longest file that can be a command, and some white space.
    private static let longestFile = 65_536

    /// The bytes of the file with the desired state.
    package static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, atMost: longestFile + 1)
        } catch {
            throw CommandError(.device, "\(path) can't be read: \(error.reason)")
        }
        if bytes.count > longestFile {
            throw CommandError(.tooLarge, "\(path) has more than \(longestFile) bytes.")
        }
        return bytes
    }
}

/// A file with a desired state, as it is published.
struct DesiredDocument {
    private var fields: JSONObject
    /// Nil: neither the file nor the plan has one.
    let version: Int?
    /// Whether the version begins a new count.
    let resets: Bool

    /// - Throws: why it is no desired state for a group.
    init(_ plan: RolloutPlan) throws(CommandError) {
        guard var fields = JSON(plan.document)?.object else {
            throw CommandError(.badPayload, "The file is no JSON object.")
        }
        for name in ["id", "client", "ts", "ttl_ms", "if_rev"] where fields[name] != nil {
            throw CommandError(.badPayload, "\(name): not in a file that is rolled out.", field: name)
        }
        if let named = fields["group"], named != .text(plan.group) {
            throw CommandError(
                .badPayload, "group: the rollout is for the group \(plan.group).", field: "group")
        }
        if plan.version != nil, fields["version"] != nil {
            throw CommandError(.badPayload, "version: the file has one; omit --version.", field: "version")
        }
        let hasVersion = fields["version"] != nil || plan.version != nil
        if fields["version"] == nil { fields["version"] = .integer(plan.version ?? 1) }
        self.fields = fields
        // Whatever an agent would refuse in it is refused here.
        let command = try DesiredSet.receive(JSON.bytes(JSON.object(fields))).1.get()
        guard let desired = command as? DesiredSet else {
            throw CommandError(.badPayload, "The file is no desired state.")
        }
        resets = desired.resets
        version = hasVersion ? desired.version : nil
    }

    /// What cameras are to apply, without the fields that differ from message to message.
    var contents: JSON? { Self.contents(of: payload(version: 1, group: "", id: "", client: "")) }

    /// The same of a message; nil: it is no JSON object.
    static func contents(of payload: [UInt8]) -> JSON? {
        guard var fields = JSON(payload)?.object else { return nil }
        for name in ["version", "group", "id", "client"] { fields[name] = nil }
        return .object(fields)
    }

    func payload(version: Int, group: String, id: String, client: String) -> [UInt8] {
        var fields = fields
        (fields["version"], fields["group"]) = (.integer(version), .text(group))
        (fields["id"], fields["client"]) = (.text(id), .text(client))
        return JSON.bytes(JSON.object(fields))
    }
}

/// The version of a group in its copy at the broker.
struct RetainedVersion {
    let topic: String
    let version: Int
    /// As those of ``DesiredDocument``.
    let contents: JSON?

    /// - Returns: nil: the message is no copy for the group.
    init?(_ message: BusMessage, group: String, _ base: String) {
        guard let parts = Topics.parse(message.topic, below: base), parts.place == .group(group),
            parts.node == Node.desired.name, case .command = parts.kind,
            case .success(let desired as DesiredSet) = DesiredSet.receive(message.payload).1,
            desired.group ?? group == group
        else { return nil }
        (topic, version) = (message.topic, desired.version)
        contents = DesiredDocument.contents(of: message.payload)
    }
}
