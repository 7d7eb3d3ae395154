internal import Base
internal import Contract
internal import Logging
internal import ZoomModel

/// `media`: the files of photos and recordings. Clients list, describe, read and delete them.
///
/// Few requests wait, and clients take turns. At most one request reads the disk, and at most one file is
/// hashed at the same time: a disk that hangs keeps these requests waiting, and nothing else.
final class MediaNode: StateNode<Node.Media>, CommandNode {
    /// What a request waits for. Each of these does one request at a time.
    private enum Step: CaseIterable {
        case reading, hashing
    }

    private final class Job {
        let command: MediaSet
        let request: Request
        /// Its place in the order of requests: those with a lower turn come first.
        let turn: Int
        var step = Step.reading
        /// It is with the disk; otherwise it waits.
        var isRunning = false

        /// Whether its answer is a part of a picture.
        var isPicture: Bool { if case .get = command { true } else { false } }

        init(_ command: MediaSet, _ request: Request, turn: Int) {
            (self.command, self.request, self.turn) = (command, request, turn)
        }
    }

    /// Descriptions of one client, and as many other requests of it: a hash may take long, and a client that
    /// does not wait for it goes on. Then requests of all that wait.
    private static let maxOfClient = 4
    private static let maxWaiting = 16
    /// How long to wait when the broker is slow.
    private static let retryDelay = Duration.milliseconds(50)
    /// From one count of the files to the next, at least; and at least so many times the duration of the last
    /// one, as large folders take longer.
    private static let countInterval = Duration.seconds(1)
    private static let countShare = 20

    /// The count of the files.
    private enum Counting {
        /// It begins at this time at the earliest.
        case idle(next: ContinuousClock.Instant?)
        case running(since: ContinuousClock.Instant, isOutdated: Bool)
    }

    /// In the order in which they came.
    private var jobs: [Job] = []
    /// The turn of the last request that began.
    private var presentTurn = 0
    private var count: MediaState?
    /// Whether the camera publishes its states: it is known whether there is a device.
    private var isPublishing = false
    private var counting = Counting.idle(next: nil)
    private lazy var retryTimer = context.timer { [weak self] in self?.startNext() }
    private lazy var countTimer = context.timer { [weak self] in self?.startCount() }

    /// Counts the files that earlier runs have left.
    func start() { startCount() }

    // MARK: Requests

    func handle(_ command: MediaSet, _ request: Request) throws(CommandError) {
        try admit(command, request)
        let job = Job(command, request, turn: nextTurn(of: request.client))
        try makeRoom(for: request)
        jobs.append(job)
        startNext()
    }

    private func admit(_ command: MediaSet, _ request: Request) throws(CommandError) {
        if case .get = command {
            if device.presence == .private { throw .pictureOfPrivateCamera }
            if !request.acceptsPhotos { throw .noAddressForBytes }
        }
        let own = jobs.count {
            $0.request.client == request.client && $0.command.isDescription == command.isDescription
        }
        guard own >= Self.maxOfClient else { return }
        let kind = command.isDescription ? "descriptions" : "requests"
        throw CommandError(.busy, "\(own) \(kind) of this client are under way. Wait for their answers.")
    }

    /// Ends a waiting request of a client that has more than this one, if too many wait.
    private func makeRoom(for request: Request) throws(CommandError) {
        let waiting = jobs.filter { !$0.isRunning }
        let place = try FairShare.place(
            for: request.owner, among: waiting.map(\.request.owner), atMost: Self.maxWaiting,
            else: "\(waiting.count) requests for files wait already.")
        guard let place else { return }
        jobs.removeAll { $0 === waiting[place] }
        context.refuse(waiting[place].request, .madeRoom("request"))
    }

    private func nextTurn(of client: ClientIdentity?) -> Int {
        let last = jobs.filter { $0.request.client == client }.map(\.turn).max() ?? 0
        return max(last, presentTurn) + 1
    }

    // MARK: Steps

    private func startNext() {
        for step in Step.allCases {
            let waiting = jobs.filter { $0.step == step }
            guard !waiting.contains(where: \.isRunning), let job = waiting.min(by: { $0.turn < $1.turn })
            else { continue }
            // The next part is read when the broker has taken those before.
            if job.isPicture && !context.hasCapacity {
                retryTimer.set(after: Self.retryDelay)
                continue
            }
            job.isRunning = true
            presentTurn = max(presentTurn, job.turn)
            start(job)
        }
    }

    private func start(_ job: Job) {
        switch (job.command, job.step) {
        case (.list(let page), _):
            media.files.list(camera: context.id, page) { [weak self] in
                self?.finished(job, $0) { $0.answer(with: $1) }
            }
        case (.describe(let name), .reading):
            media.files.describe(camera: context.id, name: name) { [weak self] in self?.described(job, $0) }
        case (.describe(let name), .hashing):
            media.files.digest(camera: context.id, name: name) { [weak self] in
                self?.finished(job, $0) { $0.file = $1 }
            }
        case (.get(let part), _):
            media.files.read(camera: context.id, part) { [weak self] in self?.read(job, $0) }
        case (.delete(let name), _):
            media.files.delete(camera: context.id, name: name) { [weak self] in self?.deleted(job, name, $0) }
        }
    }

    private func finished<Value>(
        _ job: Job, _ result: Result<Value, CommandError>, _ fill: (inout Reply, Value) -> Void
    ) {
        guard job.request.isOpen else { return }
        jobs.removeAll { $0 === job }
        switch result {
        case .success(let value): context.reply(.done, to: job.request) { fill(&$0, value) }
        case .failure(let error): context.refuse(job.request, error)
        }
        startNext()
    }

    /// The client gets what is known at once; the hash follows.
    private func described(_ job: Job, _ result: Result<MediaFields, CommandError>) {
        guard case .success(let file) = result else { return finished(job, result) { $0.file = $1 } }
        guard job.request.isOpen else { return }
        context.reply(.accepted, to: job.request) { $0.file = file }
        (job.step, job.isRunning) = (.hashing, false)
        startNext()
    }

    private func read(_ job: Job, _ result: Result<MediaPart, CommandError>) {
        guard case .success(let part) = result else { return finished(job, result) { _, _ in } }
        guard job.request.isOpen else { return }
        jobs.removeAll { $0 === job }
        job.request.answer(part: part.bytes, part.fields)
        startNext()
    }

    private func deleted(_ job: Job, _ name: String, _ result: Result<Void, CommandError>) {
        if case .success = result {
            context.post(.fileDeleted(name: name))
            countFiles()
        }
        finished(job, result) { _, _ in }
    }

    // MARK: Ends

    override func observe(_ change: CameraChange) {
        switch change {
        case .filesChanged: countFiles()
        case .stopped: countTimer.cancel()
        default: break
        }
    }

    override func failPending(_ cause: PendingFailure) {
        switch cause {
        case .deviceGone: return
        // What is no picture may be read still.
        case .privacy:
            for job in jobs where job.isPicture { context.refuse(job.request, .pictureOfPrivateCamera) }
        case .stopping: context.end(jobs.map(\.request), cause)
        }
        // A request that is with the disk is answered now; what the disk gives is dropped.
        jobs.removeAll { !$0.request.isOpen }
        if cause == .stopping { retryTimer.cancel() } else { startNext() }
    }

    // MARK: State

    /// Counts the files again, soon.
    private func countFiles() {
        switch counting {
        case .idle(let next):
            if let next, next > context.now { countTimer.set(at: next) } else { startCount() }
        case .running(let since, _): counting = .running(since: since, isOutdated: true)
        }
    }

    private func startCount() {
        guard case .idle = counting else { return }
        counting = .running(since: context.now, isOutdated: false)
        media.files.count(camera: context.id) { [weak self] in self?.counted($0) }
    }

    private func counted(_ result: Result<MediaState, CommandError>) {
        guard case .running(let since, let isOutdated) = counting else { return }
        let pause = max(Self.countInterval, since.duration(to: context.now) * Self.countShare)
        counting = .idle(next: context.now.advanced(by: pause))
        switch result {
        case .success(let count):
            self.count = count
            if isPublishing { publication.update(count) }
        case .failure(let error):
            context.logger.warning("\(context.id): the files can't be counted: \(error.message)")
        }
        if isOutdated && !context.isStopping { countFiles() }
    }

    override func publish() {
        isPublishing = true
        if let count { publication.publish(count) }
    }
}

extension MediaSet {
    /// Whether its answer waits for a hash.
    fileprivate var isDescription: Bool { if case .describe = self { true } else { false } }
}

extension Reply {
    fileprivate mutating func answer(with page: MediaPage) {
        (media, next) = (page.files, page.next)
    }
}

extension CommandError {
    fileprivate static let pictureOfPrivateCamera = CommandError(
        .private, "The camera is private: pictures aren't sent. Switch privacy off first.")
    fileprivate static let noAddressForBytes = CommandError(
        .unsupported,
        "get is answered with bytes. Send it with MQTT 5 and a response topic of your own.", field: "get")
}
