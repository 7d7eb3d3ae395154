internal import CLinux
internal import Synchronization

/// A thread that runs one piece of work after the other and hands each result over on an event loop.
///
/// Its tools (codecs, buffers, a folder) never leave the thread, so they needn't be `Sendable`. Work that was
/// submitted and isn't done when the worker is released is still done, but its result is dropped.
package final class SerialWorker<Tools> {
    private struct Job: Sendable {
        let number: Int
        let work: @Sendable (inout Tools) -> Void
    }

    /// Carries one result from the thread to the loop.
    private final class ResultSlot<Output: Sendable>: Sendable {
        private let output = Mutex<Output?>(nil)

        func put(_ output: sending Output) { self.output.withLock { $0 = output } }
        func take() -> Output? { output.withLock { $0.take() } }
    }

    private let worker: Worker<Job>
    private let done: Inbox<Int>
    private let loop: EventLoop
    private var pending: [Int: () -> Void] = [:]
    private var lastNumber = 0

    /// - Parameters:
    ///   - name: what the system's tools show for the thread; its first 15 bytes.
    ///   - loop: where results are handed over.
    ///   - tools: makes the tools, on the thread, before the first piece of work.
    /// - Throws: ``LoopError`` when the system refuses a further thread or descriptor.
    package init(
        name: String, on loop: EventLoop, tools: @escaping @Sendable () -> Tools
    ) throws(LoopError) {
        let done = try Inbox<Int>()
        (self.loop, self.done) = (loop, done)
        worker = try Worker(name: name) { jobs in
            Self.work(on: jobs, with: tools(), done)
            // The tools are released: their memory goes back to the system.
            clinux_trim_heap()
        }
        done.attach(to: loop) { [weak self] number in self?.pending.removeValue(forKey: number)?() }
    }

    private static func work(on jobs: JobQueue<Job>, with tools: consuming Tools, _ done: Inbox<Int>) {
        var tools = tools
        while let job = jobs.next() {
            job.work(&tools)
            done.send(job.number)
        }
    }

    deinit {
        worker.abandon()
        done.detach(from: loop)
    }

    /// Runs work on the thread, and calls back with its result on the loop.
    package func run<Output: Sendable>(
        _ work: @escaping @Sendable (inout Tools) -> Output, then: @escaping (Output) -> Void
    ) {
        let slot = ResultSlot<Output>()
        lastNumber += 1
        pending[lastNumber] = {
            if let output = slot.take() { then(output) }
        }
        worker.submit(Job(number: lastNumber) { tools in slot.put(work(&tools)) })
    }
}
