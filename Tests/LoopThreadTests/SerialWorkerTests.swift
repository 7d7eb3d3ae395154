import Base
import Glibc
import Synchronization
import Testing

/// Work in order on a thread, with results on the loop.
@Suite(.timeLimit(.minutes(10))) struct SerialWorkerTests {
    /// Not `Sendable`: one thread at a time has it.
    final class Counter {
        var count = 0
    }

    let loop = EventLoop()

    func turn(until isSo: () -> Bool) {
        while !isSo() { loop.runOnce(timeout: .milliseconds(10)) }
    }

    @Test func resultsComeOnTheLoopInTheOrderOfTheWork() throws {
        let worker = try SerialWorker(name: "counter", on: loop, idleTime: .zero) { Counter() }
        var numbers: [Int] = []
        var words: [String] = []
        for step in 1...100 {
            try worker.run({ counter in
                counter.count += step
                return counter.count
            }) { numbers.append($0) }
            try worker.run({ counter in "\(counter.count)" }) { words.append($0) }
        }
        #expect(numbers.isEmpty, "results wait for the loop")
        turn { words.count == 100 }
        #expect(numbers == (1...100).map { $0 * ($0 + 1) / 2 })
        #expect(words == numbers.map { "\($0)" })
    }

    @Test func aSubmissionDoesNotWaitForEarlierWork() throws {
        let gate = Gate()
        let worker = try SerialWorker(name: "stuck", on: loop, idleTime: nil) { Counter() }
        try worker.run({ _ in gate.wait() }) {}
        var results: [Int] = []
        for number in 0..<3 { try worker.run({ _ in number }) { results.append($0) } }
        loop.runOnce(timeout: .zero)
        #expect(results.isEmpty)
        gate.open()
        turn { results.count == 3 }
        #expect(results == [0, 1, 2])
    }

    @Test func workFromAResultIsDoneToo() throws {
        let worker = try SerialWorker(name: "again", on: loop, idleTime: nil) { Counter() }
        var last = 0
        func again(_ number: Int) throws {
            last = number
            if number == 10 { return }
            try worker.run({ counter in
                counter.count += 1
                return counter.count
            }) { number in try? again(number) }
        }
        try again(0)
        turn { last == 10 }
    }

    @Test func otherThreadsMaySubmitWork() throws {
        let worker = try SerialWorker(name: "shared", on: loop, idleTime: nil) { Counter() }
        let submit = worker.submit
        let others = try (0..<4).map { number in
            try Thread(name: "other \(number)") {
                for _ in 0..<250 { try? submit { $0.count += 1 } }
            }
        }
        for thread in others { thread.join() }
        var count = 0
        try worker.run({ $0.count }) { count = $0 }
        turn { count > 0 }
        #expect(count == 1000)
    }

    @Test func aReleasedWorkerDoesItsWorkAndCallsNoCompletion() throws {
        let names = Names()
        let gate = Gate()
        let released = Gate()
        var results = 0
        do {
            let worker = try SerialWorker(
                name: "released", on: loop, idleTime: nil, tools: {}, release: { _ in released.open() })
            try worker.run({ _ in gate.wait() }) { results += 1 }
            try worker.run({ _ in names.add("done") }) { results += 1 }
        }
        gate.open()
        released.wait()
        #expect(names.all == ["done"])
        loop.runOnce(timeout: .zero)
        #expect(results == 0)
    }

    @Test func aClosedWorkerAcceptsNoWork() throws {
        let names = Names()
        let released = Gate()
        let worker = try SerialWorker(
            name: "closed", on: loop, idleTime: nil, tools: {}, release: { _ in released.open() })
        try worker.run({ _ in names.add("before") }) {}
        worker.close()
        try worker.run({ _ in names.add("after") }) {}
        released.wait()
        #expect(names.all == ["before"])
    }
}

/// What several threads note.
final class Names: Sendable {
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
}

/// A thread waits until another one has opened it.
final class Gate: Sendable {
    private let isOpen = Monitor(false)

    func open() { isOpen.change { isOpen, _ in isOpen = true } }
    func wait() { isOpen.wait { isOpen, _ in isOpen ? .answer(()) : .wait(until: nil) } }
}
