internal import Synchronization

/// A thread that is asked for things and hands over what it made, on the loop of who asked.
///
/// It has tools (codecs, buffers, a folder) that never leave it, and so needn't be `Sendable`. It does one thing after the other; what was asked
/// for and isn't done when the workshop goes is done, and nobody hears of it.
package final class Workshop<Tools> {
    private struct Job: Sendable {
        let number: Int
        let work: @Sendable (inout Tools) -> Void
    }

    /// Where a thing is put between the two threads.
    private final class Shelf<Made: Sendable>: Sendable {
        private let made = Mutex<Made?>(nil)

        func put(_ made: sending Made) { self.made.withLock { $0 = made } }
        func take() -> Made? { made.withLock { $0.take() } }
    }

    private let worker: Worker<Job>
    private let done: Inbox<Int>
    private let loop: EventLoop
    private var waiting: [Int: () -> Void] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - name: what the system's tools show for the thread; its first 15 bytes.
    ///   - tools: makes the tools, on the thread, before the first thing is done.
    /// - Throws: ``LoopError`` when there can be no further thread.
    package init(
        name: String, on loop: EventLoop, tools: @escaping @Sendable () -> Tools
    ) throws(LoopError) {
        let done = try Inbox<Int>()
        (self.loop, self.done) = (loop, done)
        worker = try Worker(name: name) { jobs in
            var tools = tools()
            while let job = jobs.next() {
                job.work(&tools)
                done.send(job.number)
            }
        }
        done.attach(to: loop) { [weak self] number in self?.waiting.removeValue(forKey: number)?() }
    }

    deinit {
        worker.abandon()
        done.detach(from: loop)
    }

    /// Has something made, and calls back with it on the loop.
    package func ask<Made: Sendable>(
        _ work: @escaping @Sendable (inout Tools) -> Made, then: @escaping (Made) -> Void
    ) {
        let shelf = Shelf<Made>()
        lastNumber += 1
        waiting[lastNumber] = {
            if let made = shelf.take() { then(made) }
        }
        worker.submit(Job(number: lastNumber) { tools in shelf.put(work(&tools)) })
    }
}
