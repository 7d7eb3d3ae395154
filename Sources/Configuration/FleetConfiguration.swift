internal import Contract

/// The configuration that a fleet manager publishes for all agents: values of some keys
/// (``KeyDescription/fleetMaySet``), which win over those of the file. The environment and the flags of a
/// device win over them.
package struct FleetConfiguration: Sendable {
    /// Bytes of a document.
    package static let maximumSize = 16_384
    private static let versions = 1...(1 << 53)

    /// The document as it was published.
    package let payload: [UInt8]
    package let version: Int
    /// Whether the version begins a new count: it may be any other than the last one.
    let resets: Bool
    /// A map with the keys nested as in the file; each may be set by the fleet, and each value is one for its
    /// key.
    let values: YAMLNode

    /// Reads a document. Pure and bounded, whatever the bytes are.
    ///
    /// - Parameter payload: JSON with `version` and `config`.
    init(_ payload: [UInt8]) throws(FleetRefusal) {
        guard payload.count <= Self.maximumSize else {
            throw FleetRefusal(
                .tooLarge, "expected at most \(Self.maximumSize) bytes, found \(payload.count)")
        }
        let document = try Self.object(in: payload)
        guard let versionField = document["version"] else {
            throw FleetRefusal(.invalid, "required: a whole number from 1", key: "version")
        }
        let version = try Self.value(.whole(Self.versions), of: versionField, key: "version")
        let origin = ValueOrigin.fleet(version: version)
        do throws(FleetRefusal) {
            let known = ["version", "reset", "config"]
            if let name = document.names.sorted().first(where: { !known.contains($0) }) {
                throw FleetRefusal(
                    .invalid, "unknown field \(quote(name)); known are version, reset and config", key: name)
            }
            resets =
                try document["reset"].map { reset throws(FleetRefusal) in
                    try Self.value(.boolean, of: reset, key: "reset")
                } ?? false
            guard let config = document["config"] else {
                throw FleetRefusal(
                    .invalid, "required: an object with keys of the configuration", key: "config")
            }
            let values = YAMLNode(config, origin)
            try Self.check(values, in: .root, path: "")
            self.values = values
        } catch {
            throw error.with(version: version)
        }
        (self.payload, self.version) = (payload, version)
    }

    private static func object(in payload: [UInt8]) throws(FleetRefusal) -> JSONObject {
        let tree: JSON
        do throws(CommandError) {
            tree = try JSON(reading: payload)
        } catch {
            throw FleetRefusal(.invalid, error.message)
        }
        guard let document = tree.object else {
            throw FleetRefusal(.invalid, "expected a JSON object with version and config")
        }
        return document
    }

    private static func value<Value>(
        _ type: ValueType<Value>, of field: JSON, key: String
    ) throws(FleetRefusal) -> Value {
        do throws(TypeMismatch) {
            return try type.read(YAMLNode(field, .fleet(version: 0)))
        } catch {
            throw FleetRefusal(.invalid, error.message, key: key)
        }
    }

    /// - Throws: the first key that is unknown or not permitted, or whose value is none for it.
    private static func check(
        _ node: YAMLNode, in section: Section, path: String
    ) throws(FleetRefusal) {
        guard case .map(let entries) = node.content else {
            throw FleetRefusal(
                .invalid, "expected an object with keys (\(section.list())), found \(node.found)",
                key: path.isEmpty ? "config" : path)
        }
        for entry in entries {
            let path = path.isEmpty ? entry.key : "\(path).\(entry.key)"
            switch section[entry.key] {
            case .key(let key):
                guard key.fleetMaySet else { throw .notPermitted(path) }
                if let mismatch = key.mismatch(entry.value) {
                    throw FleetRefusal(.invalid, mismatch.message, key: path)
                }
            case .section(let inner):
                guard inner.hasKeysOfFleets else { throw .notPermitted(path) }
                try check(entry.value, in: inner, path: path)
            case .cameras: throw .notPermitted(path)
            case nil:
                if Keys.all.contains(where: { $0.path == path && !$0.fleetMaySet }) {
                    throw .notPermitted(path)
                }
                throw FleetRefusal(.invalid, Suggestions.unknownKey(path, in: section), key: path)
            }
        }
    }

    /// Why it does not follow the one that the agent has. Nil: it does.
    func problem(after last: FleetConfiguration?) -> FleetRefusal? {
        guard let last, !isSame(as: last) else { return nil }
        if version == last.version {
            return FleetRefusal(
                .stale, "version \(version) is known with other contents; a change needs a higher version",
                key: "version", version: version)
        }
        guard version < last.version, !resets else { return nil }
        return FleetRefusal(
            .stale, "version \(version) is older than \(last.version), which this agent has", key: "version",
            version: version)
    }

    /// Whether both are the same document.
    func isSame(as other: FleetConfiguration) -> Bool { payload == other.payload }
}

extension Section {
    /// Whether the fleet may set one of these keys.
    fileprivate var hasKeysOfFleets: Bool {
        members.contains { member in
            if case .key(let key) = member.member { return key.fleetMaySet }
            return false
        }
    }
}

extension Layers {
    /// Adds the configuration of the fleet. Its keys and values were checked.
    mutating func add(_ fleet: FleetConfiguration) {
        add(fleet.values, in: .root, path: "", camera: nil)
    }
}

/// Why a configuration of the fleet is not applied.
package struct FleetRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Reason: Sendable {
        /// It isn't what an agent understands, or contradicts the other values of the device.
        case invalid
        /// The fleet may not set a key.
        case notPermitted
        /// It is older than the one that the agent has.
        case stale
        case tooLarge
        /// The disk does not take it.
        case unsaved
    }

    let reason: Reason
    /// What was wrong, and what was allowed.
    let message: String
    /// The key or the field that it is about; nil: the document as a whole.
    let key: String?
    /// Nil: it has none that can be read.
    let version: Int?

    package init(_ reason: Reason, _ message: String, key: String? = nil, version: Int? = nil) {
        (self.reason, self.message, self.key, self.version) = (reason, message, key, version)
    }

    /// The first of the errors that a device finds in its configuration with that of the fleet.
    init(_ errors: ConfigurationErrors, version: Int) {
        let first = errors.errors.first
        self.init(
            .invalid, first.map { $0.path.isEmpty ? "\($0)" : $0.message } ?? "\(errors)",
            key: first.flatMap { $0.path.isEmpty ? nil : $0.path }, version: version)
    }

    package var description: String {
        let version = version.map { " version \($0)" } ?? ""
        return "fleet/config\(version) is not applied: \(key.map { "\($0): " } ?? "")\(message)"
    }

    fileprivate static func notPermitted(_ path: String) -> FleetRefusal {
        FleetRefusal(
            .notPermitted, "a key of each device, which the configuration of the fleet cannot set", key: path)
    }

    fileprivate func with(version: Int) -> FleetRefusal {
        FleetRefusal(reason, message, key: key, version: version)
    }
}

/// What became of the configuration of the fleet that a device has kept.
package enum FleetOutcome: Sendable {
    case applied(FleetConfiguration)
    /// The device is configured without it.
    case refused(FleetRefusal)
}

extension YAMLNode {
    /// The same value as it is written in YAML. A whole number has no fraction: `13.0` is 13.
    fileprivate init(_ tree: JSON, _ origin: ValueOrigin) {
        let content: Content =
            switch tree {
            case .null: .scalar("null", .plain)
            case .flag(let flag): .scalar(flag ? "true" : "false", .plain)
            case .integer(let number): .scalar("\(number)", .plain)
            case .number(let number): .scalar(numberText(number), .plain)
            case .text(let text): .scalar(text, .quoted)
            case .list(let values): .list(values.map { YAMLNode($0, origin) })
            case .object(let fields):
                .map(
                    fields.members.sorted { $0.name < $1.name }.map {
                        Entry(key: $0.name, keyOrigin: origin, value: YAMLNode($0.value, origin))
                    })
            }
        self.init(content: content, origin: origin)
    }
}
