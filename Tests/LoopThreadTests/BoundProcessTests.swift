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

    /// As a broker that has installed its handler, but not begun its loop.
    @Test func aProgramThatMissesTheFirstSignalIsEnded() throws {
        let (ready, log) = try pipe()
        defer { close(ready) }
        let missesOne = "trap 'trap - TERM' TERM; echo ready; while :; do sleep 0.01; done"
        let process = try BoundProcess(["sh", "-c", missesOne], log: log)
        close(log)
        var first: UInt8 = 0
        #expect(read(ready, &first, 1) == 1)
        process.end()
        #expect(!process.isRunning)
    }

    private func pipe() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    /// The negative number of the error isn't taken for a process: kill(2) would signal a group of processes.
    @Test func aForkThatFailsIsAnError() {
        let error = #expect(throws: LoopError.self) {
            try BoundProcess(["sleep", "1000"], log: STDERR_FILENO) { _, _ in -EAGAIN }
        }
        #expect(error?.code == EAGAIN && error?.call == "fork")
    }
}
