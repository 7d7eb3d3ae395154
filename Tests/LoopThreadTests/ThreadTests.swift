import Base
import Glibc
import Synchronization
import Testing

/// The scheduling of threads, in a process with a higher priority.
@Suite struct ThreadPriorityTests {
    /// Calls `start` in a thread with the nice value -5, and returns the priority of the thread in which that
    /// calls its argument. Nil without the right to raise a priority: then there is nothing to see.
    private func priority(
        in start: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
    ) throws -> Int32? {
        let seen = Mutex<Int32?>(nil)
        // Only this thread and those that it starts have the higher priority.
        let outer = try Thread(name: "outer") {
            guard setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -5) == 0 else { return }
            start { seen.withLock { $0 = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) } }
        }
        outer.join()
        return seen.withLock { $0 }
    }

    @Test(arguments: [(Thread.Priority.process, Int32(-5)), (.normal, 0)])
    func aThreadHasThePriorityOfItsWork(priority: Thread.Priority, nice: Int32) throws {
        let found = try self.priority { body in
            let inner = try? Thread(name: "inner", priority: priority, body: body)
            inner?.join()
        }
        if let found { #expect(found == nice) }
    }

    @Test func aSerialWorkerHasNormalPriority() throws {
        let found = try priority { body in
            let loop = EventLoop()
            let worker = try? SerialWorker(name: "inner", on: loop, idleTime: .zero) {}
            var isDone = false
            try? worker?.run({ _ in body() }) { isDone = true }
            while !isDone { loop.runOnce(timeout: nil) }
        }
        if let found { #expect(found == 0) }
    }
}
