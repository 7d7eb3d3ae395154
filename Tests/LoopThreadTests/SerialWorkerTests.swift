import LoopThread
import Synchronization
import Testing

/// A thread that runs jobs in order and calls back on the loop.
@Suite(.timeLimit(.minutes(10))) struct SerialWorkerTests {
    /// Not `Sendable`: it never leaves the worker's thread.
    final class Counter {
        var count = 0
    }

    let loop = EventLoop()

    func turn(until isSo: () -> Bool) {
        while !isSo() { loop.runOnce(timeout: .milliseconds(10)) }
    }

    @Test func eachGetsWhatItAskedForInTheOrderOfAsking() throws {
        let worker = try SerialWorker(name: "counter", on: loop) { Counter() }
        var numbers: [Int] = []
        var words: [String] = []
        for step in 1...100 {
            worker.run({ counter in
                counter.count += step
                return counter.count
            }) { numbers.append($0) }
            worker.run({ counter in "\(counter.count)" }) { words.append($0) }
        }
        #expect(numbers.isEmpty, "it comes on the loop, and so not before it turns")
        turn { words.count == 100 }
        #expect(numbers == (1...100).map { $0 * ($0 + 1) / 2 })
        #expect(words == numbers.map { "\($0)" })
    }

    @Test func theToolsAreMadeOnceAndOnTheThread() throws {
        let names = Names()
        let worker = try SerialWorker(name: "tools", on: loop) { names.add("made") }
        var done = 0
        for _ in 0..<3 { worker.run({ _ in names.add("used") }) { done += 1 } }
        turn { done == 3 }
        #expect(names.all == ["made", "used", "used", "used"])
    }

    @Test func askingFromAnAnswerIsAnsweredToo() throws {
        let worker = try SerialWorker(name: "again", on: loop) { Counter() }
        var last = 0
        func again(_ number: Int) {
            last = number
            if number < 10 {
                worker.run(
                    { counter in
                        counter.count += 1
                        return counter.count
                    }, then: again)
            }
        }
        again(0)
        turn { last == 10 }
    }

    @Test func aReleasedWorkerCallsNoCompletion() throws {
        let names = Names()
        var callbacks = 0
        do {
            let worker = try SerialWorker(name: "gone", on: loop) {}
            worker.run({ _ in names.add("done") }) { _ in callbacks += 1 }
        }
        while names.all.isEmpty { loop.runOnce(timeout: .milliseconds(5)) }
        for _ in 0..<5 { loop.runOnce(timeout: .milliseconds(5)) }
        #expect(callbacks == 0)
    }

    private final class Names: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }
}
