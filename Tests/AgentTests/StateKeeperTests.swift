import Base
import Core
import Glibc
import TestSupport
import Testing

@testable import Agent
@testable import Contract
@testable import FrontEnds

/// The state on the disk, and what a crash leaves of it.
@Suite(.timeLimit(.minutes(10))) struct StateKeeperTests {
    let folder = TemporaryFolder()
    let loop = EventLoop()

    private func keeper(
        in folder: TemporaryFolder, cameras: [String] = ["door"]
    ) throws -> StateKeeper {
        try StateKeeper(
            folder.file("state.json"), cameras: cameras, root: "v4l2mqtt/porch", isSynced: false,
            on: loop, logger: silent)
    }

    /// The keeper of a run that has reserved its numbers.
    private func started(_ cameras: [String] = ["door"], in folder: TemporaryFolder? = nil) throws
        -> StateKeeper
    {
        let keeper = try keeper(in: folder ?? self.folder, cameras: cameras)
        var outcome: Result<Void, any Error>?
        keeper.reserveNumbers { outcome = $0 }
        loop.run { outcome != nil }
        try #require(outcome).get()
        return keeper
    }

    /// It is killed, so that only the journal has it.
    @Test func theIdentityOfTheDeviceIsKept() throws {
        let first = try started()
        #expect(!first.instance.isEmpty)
        #expect(try afterAKill().instance == first.instance)
        #expect(try keeper(in: TemporaryFolder()).instance != first.instance)
        #expect(first.stop())
    }

    /// A copy of the folder, as the next run finds it if this one is killed now.
    private func copy(of folder: TemporaryFolder) -> TemporaryFolder {
        folder.copy { !$0.hasSuffix(".lock") }
    }

    /// What the next run finds if this one is killed now.
    private func afterAKill() throws -> StateKeeper { try keeper(in: copy(of: folder)) }

    /// Saves a camera, and returns the error.
    private func save(_ camera: SavedCamera, by keeper: StateKeeper) -> CommandError? {
        var outcomes: [CommandError?] = []
        keeper.save(camera, of: "door", isSynced: false) { outcomes.append($0) }
        loop.run { !outcomes.isEmpty }
        #expect(outcomes.count == 1)
        return outcomes[0]
    }

    @Test func aRunThatIsKilledReachedNoNumberOfTheNextOne() throws {
        let first = try started()
        let next = try afterAKill()
        #expect(next.boot == first.boot + 1)
        #expect(next.camera("door").revReserve > first.camera("door").revReserve)
        #expect(next.camera("door").photoReserve > first.camera("door").photoReserve)
        #expect(next.camera("door").recordingReserve > first.camera("door").recordingReserve)
        #expect(first.stop())
    }

    @Test func withoutItsJournalTheStateContinuesAboveAllEarlierRevisions() throws {
        let first = try started()
        let killed = copy(of: folder)
        #expect(unlink(killed.file("state.json.journal")) == 0)
        let next = try keeper(in: killed)
        // Microseconds since 1970: above all numbers that a run can have reached.
        #expect(next.camera("door").revReserve > first.camera("door").revReserve)
        #expect(next.camera("door").revReserve > 1_000_000_000_000_000 && next.lacksRevisions)
        #expect(first.stop())
    }

    @Test func camerasThatWereNotServedForLongestAreForgotten() throws {
        let numbers = 100..<165
        let first = try started(["first"])
        let second = copy(of: folder)
        let others = try started(numbers.map { "c\($0)" }, in: second)
        let third = copy(of: second)
        // Sixty-five besides the one that is served: the first is forgotten, and one of the others.
        let keeper = try started(["door"], in: third)
        let known = numbers.filter { keeper.camera("c\($0)").revReserve > 0 }
        #expect(known.count == SavedState.maxUnserved && keeper.camera("first") == SavedCamera())
        // A camera that comes back continues above its revisions.
        let next = try self.keeper(in: copy(of: third), cameras: ["first"])
        #expect(next.camera("first").revReserve >= ReservedNumbers.revisionBlock)
        #expect(numbers.count { next.camera("c\($0)").revReserve > 0 } < SavedState.maxUnserved)
        #expect(first.stop() && others.stop() && keeper.stop())
    }

    @Test func aChangeThatWasReportedOutlivesAKill() throws {
        let keeper = try started()
        var camera = keeper.camera("door")
        camera.factor = 2.5
        #expect(save(camera, by: keeper) == nil)
        #expect(try afterAKill().camera("door").factor == 2.5)
        #expect(keeper.stop())
    }

    @Test func theNumbersOfARunGrowWithThoseThatItReserves() throws {
        let keeper = try started()
        let before = keeper.numbers
        #expect(before == keeper.camera("door").revReserve + ReservedNumbers.revisionBlock)
        var camera = keeper.camera("door")
        camera.revReserve = before + 1
        #expect(save(camera, by: keeper) == nil && keeper.numbers == before + 1)
        camera.revReserve = 1
        #expect(save(camera, by: keeper) == nil && keeper.numbers == before + 1)
        #expect(keeper.stop())
    }

    /// The numbers of a new state are reserved before the broker is asked.
    @Test func aRunThatEndsBeforeItKnowsTheRevisionsLeavesThatToTheNextOne() throws {
        let first = try started()
        #expect(first.lacksRevisions)
        #expect(try afterAKill().lacksRevisions)
        first.revisionsAreKnown()
        #expect(save(first.camera("door"), by: first) == nil)
        #expect(try !first.lacksRevisions && !afterAKill().lacksRevisions)
        #expect(first.stop())
        #expect(try !afterAKill().lacksRevisions)
    }

    @Test func theGreatestRevisionThatCountsLeavesRoomForTheBlocksOfLaterRuns() throws {
        let keeper = try started()
        var camera = keeper.camera("door")
        camera.revReserve = ReservedNumbers.largest
        for _ in 0..<1000 { camera.reserveNumbers() }
        #expect(save(camera, by: keeper) == nil)
        #expect(try afterAKill().camera("door").revReserve == camera.revReserve)
        #expect(keeper.stop())
        #expect(try afterAKill().camera("door").revReserve == camera.revReserve)
    }

    @Test func aChangeThatCannotBeStoredIsReportedAsThat() throws {
        let keeper = try started()
        for name in folder.names { unlink(folder.file(name)) }
        for name in ["state.json.new", "state.json.journal"] { mkdir(folder.file(name), 0o755) }
        var camera = keeper.camera("door")
        camera.factor = 2.5
        #expect(save(camera, by: keeper)?.code == .storageFull)
        #expect(!keeper.stop())
    }

    @Test func aStopWaitsForTheChanges() throws {
        let keeper = try started()
        var saved = 0
        var savedWhenIdle: Int?
        for _ in 0..<10 {
            keeper.save(keeper.camera("door"), of: "door", isSynced: false) { _ in saved += 1 }
        }
        keeper.whenIdle { savedWhenIdle = saved }
        loop.run { savedWhenIdle != nil }
        #expect(savedWhenIdle == 10)
        var isIdle = false
        keeper.whenIdle { isIdle = true }
        #expect(isIdle)
        #expect(keeper.stop())
    }
}
