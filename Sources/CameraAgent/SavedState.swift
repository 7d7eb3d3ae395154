package import Messages

/// What outlives the agent.
package struct SavedState: Sendable, Equatable, Codable {
    /// Counts the starts.
    package var boot = 0
    package var cameras: [String: SavedCamera] = [:]

    package init() {}
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

    package init() {}
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
