internal import FoundationEssentials
package import Messages

/// What outlives the agent.
package struct SavedState: Sendable, Equatable, Codable {
    /// Counts the starts.
    package var boot = 0
    package var cameras: [String: SavedCamera] = [:]
    /// What Home Assistant may know of: the topics of devices, each with the components that it ever had.
    package var discovered: [String: [String]] = [:]
    /// What a broker may keep of this agent: what its topics began with, under each of its names, and the cameras that it served there.
    package var served: [String: [String]] = [:]

    package init() {}

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        boot = try fields.count(.boot)
        cameras = try fields.decode([String: SavedCamera].self, forKey: .cameras)
        // A file from before there was any lacks it.
        discovered = try fields.decodeIfPresent([String: [String]].self, forKey: .discovered) ?? [:]
        served = try fields.decodeIfPresent([String: [String]].self, forKey: .served) ?? [:]
    }
}

/// What outlives the agent of one camera.
package struct SavedCamera: Sendable, Equatable, Codable {
    /// The zoom as it was.
    package var factor = 1.0
    /// The middle of the view, in fractions of the lens's widest field.
    package var centerX = 0.5
    package var centerY = 0.5
    /// The controls that somebody set.
    package var controls: [String: ControlValue] = [:]
    /// The `rev` that no earlier run has reached.
    package var revReserve = 0
    /// Photos made.
    package var captures = 0
    /// The last version of what is desired that was applied; nil: none, or the file is from before there were any.
    package var desired: SavedDesired?
    /// Recordings begun.
    package var recordings = 0
    /// How somebody wanted frames to come; nil: as it is configured.
    package var session: SavedSession?
    package var presets: [String: PresetFields] = [:]

    package init() {}

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        factor = try fields.decode(Double.self, forKey: .factor)
        centerX = try fields.decode(Double.self, forKey: .centerX)
        centerY = try fields.decode(Double.self, forKey: .centerY)
        controls = try fields.decode([String: ControlValue].self, forKey: .controls)
        revReserve = try fields.count(.revReserve)
        captures = try fields.count(.captures)
        desired = try fields.decodeIfPresent(SavedDesired.self, forKey: .desired)
        // A file from before these were there lacks them.
        recordings = fields.contains(.recordings) ? try fields.count(.recordings) : 0
        session = try fields.decodeIfPresent(SavedSession.self, forKey: .session)
        presets = try fields.decodeIfPresent([String: PresetFields].self, forKey: .presets) ?? [:]
        // They are published as they are.
        guard session?.isPossible ?? true else {
            throw fields.damage(.session, "expected a name of 1 to 64 bytes, and a rate above 0")
        }
        for (name, preset) in presets where !(name.isPossible && preset.isPossible) {
            throw fields.damage(
                .presets,
                "expected names of 1 to 64 bytes, factors above 0 and middles from 0 to 1, found \"\(name.beginning(64))\""
            )
        }
    }
}

// What an agent saves was a command of somebody's, and in range; what isn't is somebody's editing.

extension SavedSession {
    fileprivate var isPossible: Bool { quality.isPossible && rate.map { $0 > 0 } ?? true }
}

extension PresetFields {
    fileprivate var isPossible: Bool { factor > 0 && 0...1 ~= center.x && 0...1 ~= center.y }
}

extension String {
    fileprivate var isPossible: Bool { 1...64 ~= utf8.count }
}

extension KeyedDecodingContainer {
    /// A number that the agent counts on from. One that no agent has reached is somebody's editing, and would overflow: so the file counts as
    /// damaged.
    fileprivate func count(_ key: Key) throws -> Int {
        let number = try decode(Int.self, forKey: key)
        guard (0...1 << 53).contains(number) else {
            throw damage(key, "expected a number from 0 to 2^53, found \(number)")
        }
        return number
    }

    fileprivate func damage(_ key: Key, _ words: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: words)
    }
}

/// How somebody wanted frames to come.
package struct SavedSession: Sendable, Equatable, Codable {
    /// The name of the quality.
    package var quality: String
    /// Frames per second; nil: nobody asked for any.
    package var rate: Double?
}

/// How a version of what is desired went.
package struct SavedDesired: Sendable, Equatable, Codable {
    package var version: Int
    package var outcome: DesiredState.Outcome
    package var error: CommandError?
}

/// The numbers of a camera's changes: each higher than the one before, over crashes too.
///
/// A block of numbers is reserved in the state file ahead of use, so that a number needn't wait for the disk: a run begins where the
/// reserve of the run before ended.
struct Revisions {
    /// At 60 changes a second, two days' worth.
    static let block = 10_000_000
    /// A number that no earlier run has reached: microseconds since 1970, which outgrow a block with every ten seconds. A clock that was
    /// never set counts as one of 2026.
    static var beyondAll: Int { max(Int(Timestamp.now.timeIntervalSince1970), 1_790_000_000) * 1_000_000 }

    private(set) var current: Int
    /// What the state file has to say.
    private(set) var reserve: Int

    init(after reserve: Int) {
        current = reserve
        self.reserve = reserve + Self.block
    }

    /// The number of a new change.
    mutating func next() -> Int {
        current += 1
        // Extended at half: the state file is written long before the other half is used up.
        if reserve - current < Self.block / 2 { reserve += Self.block }
        return current
    }
}
