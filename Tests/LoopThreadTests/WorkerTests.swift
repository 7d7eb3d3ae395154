import Glibc
import LoopThread
import Synchronization
import Testing

/// A thread that does one job after the other.
@Suite(.timeLimit(.minutes(10))) struct WorkerTests {
    final class Done: Sendable {
        let jobs = Mutex<[Int]>([])
    }

    let done = Done()

    func worker() throws -> Worker<Int> {
        try Worker(name: "a name that is longer than 15 bytes") { [done] queue in
            while let job = queue.next() { done.jobs.withLock { $0.append(job) } }
        }
    }

    @Test func jobsAreDoneInTheOrderInWhichTheyWereSubmittedAndFinishWaitsForThem() throws {
        let worker = try worker()
        for job in 0..<1000 { worker.submit(job) }
        worker.finish()
        #expect(done.jobs.withLock { $0 } == Array(0..<1000))
    }

    @Test func finishEndsAWorkerThatHasNothingToDo() throws {
        try worker().finish()
        #expect(done.jobs.withLock { $0 }.isEmpty)
    }

    @Test func submittingNeverWaitsForAJob() throws {
        let opened = try Inbox<Void>()
        let worker = try Worker<Int>(name: "stuck") { [done] queue in
            let waiting = EventLoop()
            opened.attach(to: waiting) { _ in waiting.stop() }
            waiting.run()
            while let job = queue.next() { done.jobs.withLock { $0.append(job) } }
        }
        for job in 0..<3 { worker.submit(job) }
        #expect(done.jobs.withLock { $0 }.isEmpty)
        opened.send(())
        worker.finish()
        #expect(done.jobs.withLock { $0 } == [0, 1, 2])
    }

    @Test func anAbandonedWorkerStillDoesWhatItHas() throws {
        let ended = try Inbox<[Int]>()
        let loop = EventLoop()
        let worker = try Worker<Int>(name: "abandoned") { queue in
            var jobs: [Int] = []
            while let job = queue.next() { jobs.append(job) }
            ended.send(jobs)
        }
        worker.submit(1)
        worker.submit(2)
        worker.abandon()
        var jobs: [Int] = []
        ended.attach(to: loop) { jobs = $0 }
        loop.runOnce(timeout: nil)
        #expect(jobs == [1, 2])
    }
}

/// The scheduling priority of threads, in a process with a higher one.
@Suite struct ThreadPriorityTests {
    @Test(arguments: [(Thread.Priority.process, Int32(-5)), (.batch, -5), (.normal, 0)])
    func aThreadHasThePriorityOfItsWork(priority: Thread.Priority, nice: Int32) throws {
        let seen = Mutex<Int32?>(nil)
        // Only this thread and those that it starts have the higher priority.
        let outer = try Thread(name: "outer") {
            guard setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -5) == 0 else { return }
            let inner = try? Thread(name: "inner", priority: priority) {
                seen.withLock { $0 = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) }
            }
            inner?.join()
        }
        outer.join()
        // Without the right to raise its priority, the system has nothing to show.
        guard let found = seen.withLock({ $0 }) else { return }
        #expect(found == nice)
    }

    /// SCHED_BATCH, which the C library declares with GNU extensions only.
    private static let batch: Int32 = 3

    @Test(arguments: [(Thread.Priority.process, SCHED_OTHER), (.batch, batch), (.normal, SCHED_OTHER)])
    func workThatOnlyAnAnswerWaitsForIsScheduledAsBatch(priority: Thread.Priority, policy: Int32) throws {
        let seen = Mutex<Int32?>(nil)
        let thread = try Thread(name: "policy", priority: priority) {
            seen.withLock { $0 = sched_getscheduler(0) }
        }
        thread.join()
        #expect(seen.withLock { $0 } == policy)
    }
}
