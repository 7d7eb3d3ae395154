/// Free disk space and frame counts of a camera; published at most once a minute.
package struct DiagnosticsState: Sendable, Equatable {
    var freeBytes: Int?
    var frames: Int
    var lost: Int

    package init(freeBytes: Int?, frames: Int, lost: Int) {
        (self.freeBytes, self.frames, self.lost) = (freeBytes, frames, lost)
    }
}

extension DiagnosticsState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        freeBytes = f.maybe(
            "free_bytes", \.freeBytes, .count, "For recordings, in steps of 10,000,000.")
        frames = f(
            "frames", \.frames, .count, "Received since the start.")
        lost = f(
            "lost", \.lost, .count, "Lost by the driver, or damaged, since the start.")
    }
}
