internal import Glibc

/// A thread for blocking work: it does one job after the other, in the order in which they were submitted.
///
/// The body runs on the thread and takes its jobs from the queue. Its own values (a codec, a buffer) never
/// leave the thread, so they needn't be `Sendable`.
package final class Worker<Job: Sendable>: Sendable {
    private let jobs = JobQueue<Job>()
    private let thread: Thread

    /// - Parameters:
    ///   - name: what the system's tools show for the thread; its first 15 bytes.
    ///   - priority: of the thread.
    ///   - body: ends when ``JobQueue/next()`` gives nil.
    /// - Throws: ``LoopError`` when the system refuses a further thread.
    package init(
        name: String, priority: Thread.Priority = .normal,
        body: @escaping @Sendable (JobQueue<Job>) -> Void
    ) throws(LoopError) {
        let jobs = jobs
        thread = try Thread(name: name, priority: priority) { body(jobs) }
    }

    /// Adds a job. Any thread may call this; it doesn't wait for the job.
    package func submit(_ job: Job) {
        jobs.append(job)
    }

    /// Lets the thread end after its queued jobs, and waits for that.
    package func finish() {
        if jobs.close() { thread.join() }
    }

    /// Lets the thread end after its queued jobs, without waiting: for a thread that may be stuck in a system
    /// call.
    package func abandon() {
        if jobs.close() { thread.detach() }
    }
}

/// The queued jobs of a ``Worker``.
///
/// `@unchecked Sendable`: all properties are read and written under the mutex only.
package final class JobQueue<Job: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [Job] = []
    private var isClosed = false

    init() {
        mutex = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(mutex)
        changed.deallocate()
        mutex.deallocate()
    }

    /// Adds a job at the end; a running job may add others.
    package func append(_ job: Job) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Closes the queue. Returns false if it was closed already.
    func close() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isClosed { return false }
        isClosed = true
        pthread_cond_broadcast(changed)
        return true
    }

    /// Waits for the next job. Nil when the queue is closed and empty.
    package func next() -> Job? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty && !isClosed { pthread_cond_wait(changed, mutex) }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}
