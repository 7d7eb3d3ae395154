internal import Base
internal import Contract
internal import FoundationEssentials

/// Numbers that are given out once, over crashes and power cuts too, such as the revisions of a camera.
///
/// A block is reserved on the disk before its first number is used, so that a number needn't wait for the
/// disk: a run begins where the reserve of the run before ended.
package struct ReservedNumbers: Sendable {
    /// Revisions: at 60 changes per second, two days' worth.
    package static let revisionBlock = 10_000_000
    /// Photos and recordings: what a crash skips at most.
    static let fileBlock = 200
    /// JSON's numbers are exact in every language up to 2⁵³. Below it, there is room for the blocks that a
    /// hundred thousand starts reserve. A greater number isn't one of ours.
    package static let largest = (1 << 53) - (1 << 40)

    /// Where the revisions of a run begin whose state is lost. Controllers ignore states with lower ones than
    /// they know, so it is above all that could have been given out: microseconds since 1970 outgrow a block
    /// every ten seconds. A clock that was never set counts as one of the day on which the program was built.
    ///
    /// - Parameter numbers: what the broker has of the run before (`numbers` of the agent's `info`); nil:
    ///   nothing.
    package static func floor(
        numbers: Int? = nil, now: Double = Timestamp.now.timeIntervalSince1970,
        built: Int = TimeOfDay.built
    ) -> Int {
        let known = numbers.map { $0 <= largest ? $0 : 0 } ?? 0
        return max(Int(now * 1_000_000), built * 1_000_000, known) + revisionBlock
    }

    /// The last number that was given out.
    private(set) var current: Int
    /// The number that the state has to contain while the agent runs: no number of this run is above it.
    private(set) var reserve: Int
    /// What the state on the disk contains: a file number above it could be given out again after a crash.
    private var stored: Int
    private let block: Int

    /// - Parameter reserve: the reserve of the run before; this run has reserved a block behind it.
    init(after reserve: Int, block: Int) {
        (current, self.reserve, self.block) = (reserve, reserve + block, block)
        stored = self.reserve
    }

    /// Whether no further number may be given out: the disk doesn't take a new reserve.
    var isExhausted: Bool { current >= stored }

    /// Notes the reserve that the disk has.
    mutating func noteStored(_ reserve: Int) { stored = max(stored, reserve) }

    /// Reserves a block behind a number that was given out by a run whose state is lost.
    mutating func reserve(after number: Int) { reserve = max(reserve, number + block) }

    /// The number that comes next.
    var following: Int { current + 1 }

    /// Gives out the number that comes next.
    package mutating func next() -> Int {
        use(following)
        return current
    }

    /// Counts a number as given out. A further block is reserved when half of one is used: it is on the disk
    /// long before the other half is used up.
    mutating func use(_ number: Int) {
        current = max(current, number)
        if reserve - current < block / 2 { reserve += block }
    }
}
