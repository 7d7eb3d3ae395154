internal import Base
package import Contract
internal import FoundationEssentials

/// The numbers that a camera has given out: each once, over crashes and power cuts too.
///
/// They are a part of every saved state. A number needn't wait for the disk, as none is given out that is
/// further above the disk's than a crash skips: after an end that wasn't clean, a run begins that far above.
package struct CameraNumbers: Sendable, Equatable, Form {
    /// What a crash skips: at 60 changes per second, four hours' worth of revisions, and so many files.
    package static let skippedRevisions = 1_000_000
    static let skippedFiles = 200
    /// By how much revisions begin above a greatest one that isn't known exactly.
    package static let revisionBlock = 10_000_000
    /// JSON's numbers are exact in every language up to 2⁵³. Below it, there is room for hundreds of
    /// thousands of crashes. A greater number isn't one of ours.
    package static let largest = (1 << 53) - (1 << 40)

    /// The last revision.
    package var rev = 0
    /// The number of the last photo, and of the last recording. A file may have it already that isn't
    /// complete.
    package var photo = 0
    package var recording = 0
    /// How many ends of the agent that weren't clean came before these numbers.
    package var crashes = 0

    package init() {}

    package init(_ f: inout some FormVisitor<Self>) {
        rev = f("rev", \.rev, .counter, "The last revision.")
        photo = f("photo", \.photo, .counter, "Of the last photo.")
        recording = f("recording", \.recording, .counter, "Of the last recording.")
        crashes = f("crashes", \.crashes, .counter, "Ends that were not clean.")
    }

    /// Where a run begins after so many further ends that weren't clean.
    package func after(crashes: Int) -> CameraNumbers {
        var numbers = self
        numbers.crashes += crashes
        numbers.rev += crashes * Self.skippedRevisions
        numbers.photo += crashes * Self.skippedFiles
        numbers.recording += crashes * Self.skippedFiles
        return numbers
    }

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

    /// Skips all revisions that a run may have used whose state is lost.
    package mutating func skipToUnusedRevisions() { rev = max(rev, Self.floor()) }
}
