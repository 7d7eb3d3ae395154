internal import FoundationEssentials
internal import Messages

/// The revision numbers of a camera's changes: each higher than the one before, over crashes too.
///
/// A block of numbers is reserved in the state file ahead of use, so that a number needn't wait for the disk:
/// a run begins where the reserve of the run before ended.
package struct Revisions {
    /// At 60 changes a second, two days' worth.
    package static let block = 10_000_000
    /// A number that no earlier run has reached: microseconds since 1970, which outgrow a block every ten
    /// seconds. A clock that was never set counts as one of 2026.
    package static var beyondAll: Int {
        max(Int(Timestamp.now.timeIntervalSince1970), 1_790_000_000) * 1_000_000
    }

    package private(set) var current: Int
    /// The number that the state file has to contain: no number of this run is above it.
    package private(set) var reserve: Int

    package init(after reserve: Int) {
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
