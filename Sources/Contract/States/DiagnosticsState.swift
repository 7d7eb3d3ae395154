/// Free disk space and frame counts of a camera; published at most once a minute.
package struct DiagnosticsState: Sendable, Equatable, Encodable {
    /// Free space in the folder of recordings, in bytes; nil: unknown.
    var freeBytes: Int?
    /// Frames that came since the agent's start, and those that were lost, as far as the counting is
    /// complete.
    var frames: Int
    var lost: Int

    private enum CodingKeys: String, CodingKey {
        case freeBytes = "free_bytes"
        case frames, lost
    }

    package init(freeBytes: Int?, frames: Int, lost: Int) {
        (self.freeBytes, self.frames, self.lost) = (freeBytes, frames, lost)
    }
}
