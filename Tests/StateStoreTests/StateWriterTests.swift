import Glibc
import StateStore
import Synchronization
import Testing

/// What a writer reported, for a test that waits for it.
private final class Reports: Sendable {
    private let results = Mutex<[Result<Void, StateStoreError>]>([])
    private let arrivals: AsyncStream<Void>
    private let arrive: AsyncStream<Void>.Continuation

    init() { (arrivals, arrive) = AsyncStream.makeStream() }

    func add(_ result: Result<Void, StateStoreError>) {
        results.withLock { $0.append(result) }
        arrive.yield()
    }

    var failures: [Bool] {
        results.withLock { $0.map { if case .failure = $0 { true } else { false } } }
    }

    func wait(for count: Int) async {
        var arrived = 0
        for await _ in arrivals {
            arrived += 1
            if arrived == count { return }
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct StateWriterTests {
    let folder = TemporaryFolder()
    var path: String { folder.file("state.json") }
    private let reports = Reports()

    func writer(
        debounce: Duration = .seconds(600), retry: Duration = .seconds(600)
    ) throws -> StateWriter<Note> {
        try StateWriter(file: StateFile<Note>.open(path).file, debounce: debounce, retry: retry) {
            [reports] in reports.add($0)
        }
    }

    func saved() throws -> Note? { try StateFile<Note>.open(path).found.document }

    @Test func aBurstIsOneWriteOfItsNewest() async throws {
        let writer = try writer(debounce: .milliseconds(300))
        let start = ContinuousClock.now
        for count in 1...100 { writer.submit(Note(text: "burst", count: count)) }
        await reports.wait(for: 1)
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(reports.failures == [false])
        try writer.stop()
        #expect(reports.failures == [false])
        #expect(try saved()?.count == 100)
    }

    @Test func changesWithoutEndDoNotPutTheWriteOff() throws {
        let writer = try writer(debounce: .milliseconds(50))
        var count = 0
        while reports.failures.isEmpty {
            count += 1
            writer.submit(Note(text: "busy", count: count))
        }
        try writer.stop()
        #expect(try saved()?.count == count)
    }

    @Test func aFlushDoesNotWaitForTheDebounce() throws {
        let writer = try writer()
        writer.submit(Note(text: "now", count: 1))
        try writer.flush()
        #expect(reports.failures == [false])
        #expect(read(path) != nil)
        try writer.flush()
        #expect(reports.failures == [false])
    }

    @Test func aStopWritesWhatWaits() throws {
        let writer = try writer()
        writer.submit(Note(text: "last", count: 1))
        try writer.stop()
        try writer.stop()
        #expect(try saved()?.text == "last")
    }

    @Test func aFailureIsReportedAndTheNextChangeTriesAgain() async throws {
        let writer = try writer(debounce: .zero)
        mkdir(path + ".new", 0o755)
        writer.submit(Note(text: "first", count: 1))
        await reports.wait(for: 1)
        #expect(reports.failures == [true])
        rmdir(path + ".new")
        writer.submit(Note(text: "second", count: 2))
        try writer.flush()
        #expect(reports.failures == [true, false])
        try writer.stop()
        #expect(try saved()?.count == 2)
    }

    @Test func aFailureIsTriedAgainWithoutAChange() async throws {
        let writer = try writer(debounce: .zero, retry: .milliseconds(1))
        mkdir(path + ".new", 0o755)
        writer.submit(Note(text: "kept", count: 1))
        await reports.wait(for: 3)
        #expect(reports.failures.prefix(3).allSatisfy { $0 })
        rmdir(path + ".new")
        // The flush may catch a try that began before the folder was removed.
        while thrown(by: { () throws(StateStoreError) in try writer.flush() }) != nil {}
        try writer.stop()
        #expect(try saved()?.text == "kept")
    }

    @Test func aStopThatCannotWriteSaysSoAndEnds() throws {
        let writer = try writer()
        mkdir(path + ".new", 0o755)
        writer.submit(Note(text: "lost", count: 1))
        #expect(
            thrown { () throws(StateStoreError) in try writer.stop() }
                == .file(doing: "create", path: path + ".new", code: EISDIR))
        #expect(reports.failures == [true])
    }

    @Test func aSlowDiskDoesNotHoldUpTheStop() throws {
        // The report runs on the writer's thread: a report that waits is as good as a slow disk.
        var descriptors: [Int32] = [0, 0]
        pipe(&descriptors)
        let reading = descriptors[0]
        let writer = try StateWriter(file: StateFile<Note>.open(path).file, debounce: .zero) { _ in
            var byte: UInt8 = 0
            _ = Glibc.read(reading, &byte, 1)
        }
        writer.submit(Note(text: "slow", count: 1))
        #expect(
            thrown { () throws(StateStoreError) in try writer.stop(within: .milliseconds(20)) }
                == .late(path: path))
        close(descriptors[1])
    }
}
