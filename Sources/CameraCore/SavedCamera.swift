internal import FoundationEssentials
package import Messages

/// The part of a camera's state that outlives the agent.
package struct SavedCamera: Sendable, Equatable, Codable {
    /// The last zoom factor, above 0.
    package var factor = 1.0
    /// The middle of the view, in fractions (0…1) of the lens's widest field.
    package var centerX = 0.5
    package var centerY = 0.5
    /// The controls that a command set, with the values that were read back.
    package var controls: [String: ControlValue] = [:]
    /// The `rev` that no earlier run has reached.
    package var revReserve = 0
    /// Photos made.
    package var photoCount = 0
    /// The last version of the desired state that was applied; nil: none, or the file was written before the
    /// node existed.
    package var desired: SavedDesired?
    /// Recordings begun.
    package var recordingCount = 0
    /// The session that a command requested; nil: as configured.
    package var session: SavedSession?
    package var presets: [String: PresetFields] = [:]

    /// The names in the state file. A property without a case here is not saved.
    private enum CodingKeys: String, CodingKey {
        case factor
        case centerX
        case centerY
        case controls
        case revReserve
        case photoCount = "captures"
        case desired
        case recordingCount = "recordings"
        case session
        case presets
    }

    package init() {}

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        factor = try fields.decode(Double.self, forKey: .factor)
        centerX = try fields.decode(Double.self, forKey: .centerX)
        centerY = try fields.decode(Double.self, forKey: .centerY)
        controls = try fields.decode([String: ControlValue].self, forKey: .controls)
        revReserve = try fields.count(.revReserve)
        photoCount = try fields.count(.photoCount)
        desired = try fields.decodeIfPresent(SavedDesired.self, forKey: .desired)
        // Files of earlier versions lack these.
        recordingCount = fields.contains(.recordingCount) ? try fields.count(.recordingCount) : 0
        session = try fields.decodeIfPresent(SavedSession.self, forKey: .session)
        presets = try fields.decodeIfPresent([String: PresetFields].self, forKey: .presets) ?? [:]
        // These are published unchanged, so they have to be valid.
        guard session?.isValid ?? true else {
            throw fields.corruption(.session, "expected a name of 1 to 64 bytes, and a rate above 0")
        }
        for (name, preset) in presets where !(name.isValidName && preset.isValid) {
            throw fields.corruption(
                .presets,
                "expected names of 1 to 64 bytes, factors above 0 and centers from 0 to 1, found \"\(name.beginning(64))\""
            )
        }
    }
}

/// The session that a command requested.
package struct SavedSession: Sendable, Equatable, Codable {
    /// The name of the quality.
    package var quality: String
    /// Frames per second, above 0; nil: no command requested a rate.
    package var rate: Double?

    package init(quality: String, rate: Double?) { (self.quality, self.rate) = (quality, rate) }
}

/// The outcome of a version of the desired state.
package struct SavedDesired: Sendable, Equatable, Codable {
    package var version: Int
    package var outcome: DesiredState.Outcome
    package var error: CommandError?
}

// The agent saves only valid values; an invalid one was written by another program.

extension SavedSession {
    fileprivate var isValid: Bool { quality.isValidName && rate.map { $0 > 0 } ?? true }
}

extension PresetFields {
    fileprivate var isValid: Bool { factor > 0 && 0...1 ~= center.x && 0...1 ~= center.y }
}

extension String {
    fileprivate var isValidName: Bool { 1...64 ~= utf8.count }
}

extension KeyedDecodingContainer {
    /// A counter of the agent's. A number beyond 2^53 was never reached by an agent and could overflow, so
    /// the file counts as damaged.
    package func count(_ key: Key) throws -> Int {
        let number = try decode(Int.self, forKey: key)
        guard (0...1 << 53).contains(number) else {
            throw corruption(key, "expected a number from 0 to 2^53, found \(number)")
        }
        return number
    }

    fileprivate func corruption(_ key: Key, _ words: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: words)
    }
}
