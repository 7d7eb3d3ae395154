internal import Glibc

/// A thread for what blocks: it does one job after the other, in the order in which they were submitted.
///
/// The body runs on the thread and takes its jobs from the queue; what it makes for itself (a codec, a buffer) never
/// leaves it and so needn't be `Sendable`.
package final class Worker<Job: Sendable>: Sendable {
    private let jobs = JobQueue<Job>()
    private let thread: Thread

    /// - Parameters:
    ///   - name: what the system's tools show for the thread; its first 15 bytes.
    ///   - body: ends when ``JobQueue/next()`` gives nil.
    /// - Throws: ``LoopError`` when there can be no further thread.
    package init(name: String, body: @escaping @Sendable (JobQueue<Job>) -> Void) throws(LoopError) {
        let jobs = jobs
        thread = try Thread(name: name) { body(jobs) }
    }

    /// Adds a job. Any thread may call this; it never waits for the job.
    package func submit(_ job: Job) {
        jobs.append(job)
    }

    /// Lets the thread end after the jobs that it has, and waits for that.
    package func finish() {
        if jobs.close() { thread.join() }
    }

    /// Lets the thread end after the jobs that it has, without waiting: for a thread that may be stuck in a call.
    package func abandon() {
        if jobs.close() { thread.detach() }
    }
}

/// The jobs that wait for a ``Worker``.
///
/// `@unchecked Sendable`: everything inside is touched under the mutex only.
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

    /// Adds a job behind those that wait: a job may have others follow it.
    package func append(_ job: Job) {
        pthread_mutex_lock(mutex)
        jobs.append(job)
        pthread_cond_signal(changed)
        pthread_mutex_unlock(mutex)
    }

    /// Returns whether it wasn't closed already.
    func close() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isClosed { return false }
        isClosed = true
        pthread_cond_broadcast(changed)
        return true
    }

    /// The next job; waits for one. Nil when the queue is closed and empty.
    package func next() -> Job? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while jobs.isEmpty && !isClosed { pthread_cond_wait(changed, mutex) }
        return jobs.isEmpty ? nil : jobs.removeFirst()
    }
}
