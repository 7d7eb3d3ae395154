import Base
import Core
import Glibc
import TestSupport
import Testing

@testable import Agent
@testable import Contract
@testable import FrontEnds
@testable import State

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

    /// The keeper of a run whose start is on the disk.
    private func started(_ cameras: [String] = ["door"], in folder: TemporaryFolder? = nil) throws
        -> StateKeeper
    {
        let keeper = try keeper(in: folder ?? self.folder, cameras: cameras)
        var outcome: Result<Void, any Error>?
        keeper.storeStart { outcome = $0 }
        loop.run { outcome != nil }
        try #require(outcome).get()
        return keeper
    }

    /// It is killed: nothing has the mark of a clean end.
    @Test func theIdentityOfTheDeviceIsKept() throws {
        let first = try started()
        #expect(!first.instance.isEmpty)
        #expect(try afterAKill().instance == first.instance)
        #expect(try keeper(in: TemporaryFolder()).instance != first.instance)
        #expect(first.stopped(on: loop))
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
        keeper.save(camera, of: "door", stored: { outcomes.append($0) }, synced: {})
        loop.run { !outcomes.isEmpty }
        #expect(outcomes.count == 1)
        return outcomes[0]
    }

    /// Numbers of a run, and of the one after it, that differ by so many crashes.
    private func expect(_ next: StateKeeper, _ before: CameraNumbers, crashes: Int) {
        #expect(next.camera("door").numbers == before.after(crashes: crashes))
    }

    @Test func aRunThatIsKilledReachedNoNumberOfTheNextOne() throws {
        let first = try started()
        let next = try afterAKill()
        #expect(next.boot == first.boot + 1)
        expect(next, first.camera("door").numbers, crashes: 1)
        #expect(first.stopped(on: loop))
    }

    /// Its camera has stored nothing in any of the runs.
    @Test func eachOfSeveralCrashesCounts() throws {
        var folder = folder
        let numbers = try started().camera("door").numbers
        for crashes in 1...3 {
            folder = copy(of: folder)
            expect(try started(in: folder), numbers, crashes: crashes)
        }
        let last = try keeper(in: copy(of: folder))
        expect(last, numbers, crashes: 4)
    }

    @Test func afterACleanStopNothingIsSkipped() throws {
        let first = try started()
        first.revisionsAreKnown()
        var camera = first.camera("door")
        camera.numbers.rev += 7
        #expect(save(camera, by: first) == nil && first.stopped(on: loop))
        expect(try afterAKill(), camera.numbers, crashes: 0)
        #expect(try !afterAKill().lacksRevisions)
    }

    /// A slot that isn't whole may have had the newest numbers, also after a clean stop.
    @Test func aDamagedSlotTakesTheLastChangeOnly() throws {
        let first = try started()
        first.revisionsAreKnown()
        var camera = first.camera("door")
        for factor in [2.0, 3] {
            (camera.factor, camera.numbers.rev) = (factor, camera.numbers.rev + 1)
            #expect(save(camera, by: first) == nil)
        }
        #expect(first.stopped(on: loop))
        let damaged = copy(of: folder)
        let file = damaged.file("state.json.slots/camera-door")
        let bytes = try #require(readFile(file))
        let text = String(decoding: bytes, as: UTF8.self)
        damaged.write(
            text.replacing(#""factor":3"#, with: #""factor":4"#), to: "state.json.slots/camera-door")
        let next = try keeper(in: damaged)
        #expect(next.camera("door").factor == 2 && !next.lacksRevisions)
        #expect(next.camera("door").numbers.rev >= camera.numbers.rev)
        #expect(next.camera("door").numbers.photo == camera.numbers.photo + 200)
    }

    /// Lines go into the first slots, so that none would go into the last one.
    @Test(arguments: ["agent", "camera-door"]) func aTornSlotCountsOnce(name: String) throws {
        let first = try started()
        first.revisionsAreKnown()
        let before = first.camera("door").numbers
        #expect(first.stopped(on: loop))
        var folder = copy(of: folder)
        let file = "state.json.slots/\(name)"
        let text = String(decoding: try #require(readFile(folder.file(file))), as: UTF8.self)
        folder.write(text.dropLast(4) + "torn", to: file)
        var boots: [Int] = []
        for _ in 0..<3 {
            folder = copy(of: folder)
            let run = try started(in: folder)
            let (now, expected) = (run.camera("door").numbers, before.after(crashes: 1))
            #expect((now.rev, now.photo) == (expected.rev, expected.photo))
            boots.append(run.boot)
            #expect(run.stopped(on: loop))
        }
        #expect(boots == (name == "agent" ? [3, 4, 5] : [2, 3, 4]))
    }

    @Test(arguments: [true, false]) func aCameraWhoseFileIsLostContinuesAboveAllRevisions(
        isRemoved: Bool
    ) throws {
        let first = try started(["door", "yard"])
        first.revisionsAreKnown()
        var isIdle = false
        first.whenIdle { isIdle = true }
        loop.run { isIdle }
        let killed = copy(of: folder)
        if isRemoved {
            unlink(killed.file("state.json.slots/camera-door"))
        } else {
            killed.write("rubbish", to: "state.json.slots/camera-door")
        }
        let next = try keeper(in: killed, cameras: ["door", "yard"])
        #expect(next.camera("door").numbers.rev > first.camera("door").numbers.rev && next.lacksRevisions)
        #expect(next.camera("door").factor == 1 && next.boot == 2)
        #expect(
            killed.names(in: "state.json.slots").contains { $0.hasPrefix("camera-door.damaged-") }
                != isRemoved)
    }

    @Test func withoutTheAgentsFileAllCamerasContinueAboveAllRevisions() throws {
        let first = try started()
        var camera = first.camera("door")
        camera.factor = 2.5
        #expect(save(camera, by: first) == nil)
        let killed = copy(of: folder)
        unlink(killed.file("state.json.slots/agent"))
        let next = try keeper(in: killed)
        #expect(next.camera("door").numbers.rev > 1_000_000_000_000_000 && next.lacksRevisions)
        #expect(next.camera("door").factor == 2.5 && next.boot == 1)
    }

    @Test func aStateOfANewerProgramIsLeftAlone() throws {
        _ = try started()
        for name in ["agent", "camera-door"] {
            let newer = copy(of: folder)
            let line = #"{"version":3,"whatever":true}"#
            let checksum = String(crc32("1 " + line), radix: 16)
            let bytes = "1 \(String(repeating: "0", count: 8 - checksum.count))\(checksum) \(line)\n"
            newer.write(bytes, to: "state.json.slots/\(name)")
            #expect(throws: StateStoreError.self) { try keeper(in: newer) }
            #expect(readFile(newer.file("state.json.slots/\(name)")) == Array(bytes.utf8))
        }
    }

    @Test func aPresetThatIsNotValidTakesNothingElseWithIt() throws {
        let first = try started()
        var camera = first.camera("door")
        camera.factor = 2.5
        #expect(save(camera, by: first) == nil)
        let contents = try #require(readFile(folder.file("state.json.slots/camera-door")))
        let tail = #""presets":{}"#
        let line = String(decoding: contents, as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: " ", maxSplits: 2)[2] }.first { $0.contains(#""factor":2.5"#) }
        let changed = try #require(line).replacing(tail, with: #""presets":{"gate":{"factor":-1}}"#)
        let checksum = String(crc32("9 " + changed), radix: 16)
        let killed = copy(of: folder)
        killed.write(
            "9 \(String(repeating: "0", count: 8 - checksum.count))\(checksum) \(changed)\n",
            to: "state.json.slots/camera-door")
        let next = try keeper(in: killed)
        #expect(next.camera("door").factor == 2.5 && next.camera("door").presets.isEmpty)
    }

    @Test func camerasThatWereNotServedForLongestAreForgotten() throws {
        let numbers = 100..<165
        let first = try started(["first"])
        let second = copy(of: folder)
        let others = try started(numbers.map { "c\($0)" }, in: second)
        let third = copy(of: second)
        // Sixty-five besides the one that is served: the first is forgotten, and one of the others.
        let keeper = try started(["door"], in: third)
        #expect(third.names(in: "state.json.slots").count == SavedAgent.maxUnserved + 2)
        #expect(!third.names(in: "state.json.slots").contains("camera-first"))
        // A camera that comes back continues above its revisions.
        let next = try self.keeper(in: copy(of: third), cameras: ["first"])
        #expect(next.camera("first").numbers.rev > first.camera("first").numbers.rev)
        #expect(next.camera("first").numbers.rev < 2 * first.camera("first").numbers.rev)
        #expect(first.stopped(on: loop) && others.stopped(on: loop) && keeper.stopped(on: loop))
    }

    @Test func aChangeThatWasReportedOutlivesAKill() throws {
        let keeper = try started()
        var camera = keeper.camera("door")
        camera.factor = 2.5
        #expect(save(camera, by: keeper) == nil)
        #expect(try afterAKill().camera("door").factor == 2.5)
        #expect(keeper.stopped(on: loop))
    }

    @Test func theNumbersOfARunAreAboveAllThatItCanGiveOut() throws {
        let keeper = try started()
        let before = keeper.numbers
        var camera = keeper.camera("door")
        #expect(before == camera.numbers.rev + CameraNumbers.revisionBlock)
        camera.numbers.rev = before - CameraNumbers.skippedRevisions
        #expect(save(camera, by: keeper) == nil && keeper.numbers == before)
        camera.numbers.rev += 1
        #expect(save(camera, by: keeper) == nil)
        #expect(keeper.numbers == camera.numbers.rev + CameraNumbers.revisionBlock)
        #expect(keeper.stopped(on: loop))
    }

    /// The start of a run is stored before the broker is asked.
    @Test func aRunThatEndsBeforeItKnowsTheRevisionsLeavesThatToTheNextOne() throws {
        let first = try started()
        #expect(first.lacksRevisions)
        #expect(try afterAKill().lacksRevisions)
        first.revisionsAreKnown()
        #expect(save(first.camera("door"), by: first) == nil)
        #expect(try !first.lacksRevisions && !afterAKill().lacksRevisions)
        #expect(first.stopped(on: loop))
        #expect(try !afterAKill().lacksRevisions)
    }

    @Test func theGreatestRevisionThatCountsLeavesRoomForManyCrashes() throws {
        let keeper = try started()
        var camera = keeper.camera("door")
        camera.numbers.rev = CameraNumbers.largest + 1_000 * CameraNumbers.skippedRevisions
        #expect(save(camera, by: keeper) == nil)
        #expect(try afterAKill().camera("door").numbers == camera.numbers.after(crashes: 1))
        #expect(keeper.stopped(on: loop))
        #expect(try afterAKill().camera("door").numbers == camera.numbers)
    }

    @Test func aChangeThatCannotBeStoredIsReportedAsThat() throws {
        let keeper = try started()
        removeAll(folder.file("state.json.slots"))
        folder.write("a file in place of the folder", to: "state.json.slots")
        var camera = keeper.camera("door")
        camera.factor = 2.5
        #expect(save(camera, by: keeper)?.code == .storageFull)
        #expect(!keeper.stopped(on: loop))
    }

    @Test func aStopWaitsForTheChanges() throws {
        let keeper = try started()
        var saved = 0
        var savedWhenIdle: Int?
        for _ in 0..<10 {
            keeper.save(keeper.camera("door"), of: "door", stored: { _ in saved += 1 }, synced: {})
        }
        keeper.whenIdle { savedWhenIdle = saved }
        loop.run { savedWhenIdle != nil }
        #expect(savedWhenIdle == 10)
        var isIdle = false
        keeper.whenIdle { isIdle = true }
        #expect(isIdle)
        #expect(keeper.stopped(on: loop))
    }
}

extension StateKeeper {
    /// Stops, and returns whether the state is stored.
    func stopped(on loop: EventLoop) -> Bool {
        var isSaved: Bool?
        stop { isSaved = $0 }
        loop.run { isSaved != nil }
        return isSaved ?? false
    }
}

private func readFile(_ path: String) -> [UInt8]? { try? Files.read(path) }

/// As zip has it.
private func crc32(_ text: String) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in text.utf8 {
        crc ^= UInt32(byte)
        for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
}
