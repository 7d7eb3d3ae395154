package import Contract

/// The configuration that a fleet manager publishes for all agents: values of some keys
/// (``Key/fleetMaySet``), which win over those of the file. The environment and the flags of a
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
        var readVersion: Int?
        do throws(CommandError) {
            guard payload.count <= Self.maximumSize else {
                throw CommandError(
                    .tooLarge, "expected at most \(Self.maximumSize) bytes, found \(payload.count)")
            }
            guard let document = try JSON(reading: payload).object else {
                throw CommandError(.badPayload, "expected a JSON object with version and config")
            }
            guard let versionField = document["version"] else {
                throw CommandError(.badPayload, "required: a whole number from 1", field: "version")
            }
            let version = try Self.value(.whole(Self.versions), of: versionField, key: "version")
            readVersion = version
            let known = ["version", "reset", "config"]
            if let name = document.names.sorted().first(where: { !known.contains($0) }) {
                throw CommandError(
                    .badPayload, "unknown field \(quote(name)); known are version, reset and config",
                    field: name)
            }
            let reset = document["reset"] ?? .flag(false)
            resets = try Self.value(.boolean, of: reset, key: "reset")
            guard let config = document["config"] else {
                throw CommandError(
                    .badPayload, "required: an object with keys of the configuration", field: "config")
            }
            values = YAMLNode(config, .fleet(version: version))
            var layers = Layers()
            layers.add(values)
            if let error = layers.errors.first {
                let code = error.message == Layers.notForFleets ? CommandError.Code.forbidden : .badPayload
                throw CommandError(code, error.message, field: error.path.isEmpty ? "config" : error.path)
            }
            (self.payload, self.version) = (payload, version)
        } catch {
            throw FleetRefusal(version: readVersion, error: error)
        }
    }

    private static func value<Value>(
        _ type: ValueType<Value>, of field: JSON, key: String
    ) throws(CommandError) -> Value {
        do throws(ValueError) {
            return try type.read(YAMLNode(field, .fleet(version: 0)))
        } catch {
            throw CommandError(.badPayload, error.message, field: key)
        }
    }

    /// Why it does not follow the one that the agent has. Nil: it does.
    func problem(after last: FleetConfiguration?) -> FleetRefusal? {
        guard let last, payload != last.payload else { return nil }
        if version == last.version {
            return stale("version \(version) is known with other contents; a change needs a higher version")
        }
        guard version < last.version, !resets else { return nil }
        return stale("version \(version) is older than \(last.version), which this agent has")
    }

    private func stale(_ message: String) -> FleetRefusal {
        FleetRefusal(version: version, error: CommandError(.stale, message, field: "version"))
    }
}

/// Why a configuration of the fleet is not applied: `badPayload` (it isn't what an agent understands, or
/// contradicts the other values of the device), `forbidden` (the fleet may not set a key), `stale`,
/// `tooLarge`, or `storageFull` (the disk does not take it). The field is the key, or one of the document.
package typealias FleetRefusal = FleetFields.Refusal

extension FleetRefusal: CustomStringConvertible {
    /// The first of the errors that a device finds in its configuration with that of the fleet.
    init(_ errors: ConfigurationErrors, version: Int) {
        let first = errors.errors.first
        let key = first.flatMap { $0.path.isEmpty ? nil : $0.path }
        let message = (key == nil ? first?.description : first?.message) ?? ""
        self.init(version: version, error: CommandError(.badPayload, message, field: key))
    }

    package var description: String {
        let version = version.map { " version \($0)" } ?? ""
        return "fleet/config\(version) is not applied: \(error.field.map { "\($0): " } ?? "")\(error.message)"
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
            case .number(let number): .scalar(number.shortText, .plain)
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
