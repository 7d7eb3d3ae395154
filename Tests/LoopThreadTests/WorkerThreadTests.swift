import Base
import Glibc
import TestSupport
import Testing

/// The calling thread as the system numbers it, e.g. `812/task/815`. Numbers are not used again soon.
private func threadNumber() -> String {
    var target = [CChar](repeating: 0, count: 64)
    _ = readlink("/proc/thread-self", &target, target.count - 1)
    return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// When a worker has a thread. Its idle time is virtual.
@Suite(.timeLimit(.minutes(10))) struct WorkerThreadTests {
    let clock = ManualClock()
    let loop: EventLoop
    let events = Names()

    init() { loop = EventLoop(clock: clock) }

    func turn(until isSo: () -> Bool) {
        while !isSo() { loop.runOnce(timeout: .milliseconds(10)) }
    }

    /// A worker that notes what its thread does.
    func worker(_ name: String, idleTime: Duration?) throws -> SerialWorker<Int> {
        try SerialWorker(
            name: name, on: loop, idleTime: idleTime,
            tools: { [events] in
                events.add("tools")
                return 0
            }, release: { [events] _ in events.add("release") })
    }

    /// Counts work with the tools, and returns the number of the thread that did it.
    @discardableResult
    func work(_ worker: SerialWorker<Int>) throws -> String {
        var thread: String?
        try worker.run({ [events] count -> String in
            count += 1
            events.add("work \(count)")
            return threadNumber()
        }) { thread = $0 }
        turn { thread != nil }
        return thread ?? ""
    }

    /// Whether the thread with this number has not ended.
    func exists(_ thread: String) -> Bool { access("/proc/\(thread)", F_OK) == 0 }

    @Test func aWorkerWithoutWorkHasNoThread() throws {
        let worker = try worker("nowork", idleTime: nil)
        loop.runOnce(timeout: .zero)
        withExtendedLifetime(worker) {}
        #expect(events.all.isEmpty)
    }

    @Test func theThreadEndsAfterTheIdleTime() throws {
        let worker = try worker("idle", idleTime: .seconds(10))
        let thread = try work(worker)
        clock.advance(by: .seconds(10) - .nanoseconds(1))
        loop.runOnce(timeout: .zero)
        #expect(exists(thread))
        #expect(events.all == ["tools", "work 1"])
        clock.advance(by: .nanoseconds(1))
        turn { !exists(thread) }
        #expect(events.all == ["tools", "work 1", "release"])
        withExtendedLifetime(worker) {}
    }

    @Test func workBeginsTheIdleTimeAnew() throws {
        let worker = try worker("busy", idleTime: .seconds(10))
        var threads: Set<String> = []
        for _ in 0..<5 {
            threads.insert(try work(worker))
            clock.advance(by: .seconds(9))
            loop.runOnce(timeout: .zero)
        }
        #expect(threads.count == 1)
        #expect(!events.all.contains("release"))
    }

    @Test func theIdleTimeBeginsWithTheLastResult() throws {
        let gate = Gate()
        let worker = try worker("slow", idleTime: .seconds(10))
        let thread = try work(worker)
        var isDone = false
        try worker.run({ _ in gate.wait() }) { isDone = true }
        clock.advance(by: .seconds(100))
        loop.runOnce(timeout: .zero)
        gate.open()
        turn { isDone }
        clock.advance(by: .seconds(9))
        loop.runOnce(timeout: .zero)
        #expect(exists(thread))
        #expect(!events.all.contains("release"))
        withExtendedLifetime(worker) {}
    }

    @Test func newWorkStartsANewThreadWithTheSameTools() throws {
        let worker = try worker("renewed", idleTime: .seconds(10))
        let first = try work(worker)
        clock.advance(by: .seconds(10))
        turn { !exists(first) }
        let second = try work(worker)
        #expect(first != second)
        for _ in 0..<10 { #expect(try work(worker) == second) }
        #expect(events.all.prefix(4) == ["tools", "work 1", "release", "work 2"])
        #expect(events.all.count(where: { $0 == "release" }) == 1)
    }

    @Test func withoutAnIdleTimeTheThreadStaysUntilTheWorkerIsReleased() throws {
        let thread: String
        do {
            let worker = try worker("lasting", idleTime: nil)
            thread = try work(worker)
            clock.advance(by: .seconds(1_000_000))
            loop.runOnce(timeout: .zero)
            #expect(exists(thread))
            #expect(events.all == ["tools", "work 1"])
            withExtendedLifetime(worker) {}
        }
        turn { !exists(thread) }
        #expect(events.all == ["tools", "work 1", "release"])
    }

    @Test func workThatIsSubmittedWhileTheThreadEndsIsDone() throws {
        let (ending, gate) = (Gate(), Gate())
        let worker = try SerialWorker(
            name: "ending", on: loop, idleTime: .zero, tools: { 0 },
            release: { _ in
                ending.open()
                gate.wait()
            })
        let first = try work(worker)
        loop.runOnce(timeout: .zero)
        // The thread has seen that there is no work, and does not look again by itself.
        ending.wait()
        var second: String?
        try worker.run({ count in
            count += 1
            return count == 2 ? threadNumber() : ""
        }) { second = $0 }
        gate.open()
        turn { second != nil }
        #expect(second == first, "the thread that was ending goes on, with the tools that it had")
    }

    @Test func noWorkIsLostWhenThreadsEndAllTheTime() throws {
        let worker = try SerialWorker(name: "restless", on: loop, idleTime: .zero) { 0 }
        let submit = worker.submit
        let other = try Thread(name: "other") {
            for _ in 0..<2000 { try? submit { $0 += 1 } }
        }
        var results = 0
        for _ in 0..<2000 {
            var isDone = false
            try worker.run({ $0 += 1 }) { isDone = true }
            turn { isDone }
            results += 1
        }
        other.join()
        var count = 0
        try worker.run({ $0 }) { count = $0 }
        turn { count > 0 }
        #expect((count, results) == (4000, 2000))
    }
}
