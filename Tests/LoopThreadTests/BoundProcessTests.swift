import Base
import Glibc
import Testing

/// Programs that run for this one.
struct BoundProcessTests {
    @Test func aProgramRunsUntilItIsEnded() throws {
        let process = try BoundProcess(["sleep", "1000"], log: STDERR_FILENO)
        #expect(process.isRunning)
        process.end()
    }

    /// The negative number of the error isn't taken for a process: kill(2) would signal a group of processes.
    @Test func aForkThatFailsIsAnError() {
        let error = #expect(throws: LoopError.self) {
            try BoundProcess(["sleep", "1000"], log: STDERR_FILENO) { _, _ in -EAGAIN }
        }
        #expect(error?.code == EAGAIN && error?.call == "fork")
    }
}
