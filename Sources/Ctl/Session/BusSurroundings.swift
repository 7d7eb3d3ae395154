internal import Base
internal import Bus
internal import CLinux
internal import Contract
internal import Fleet
internal import Glibc

/// The surroundings of a run of the program.
final class BusSurroundings: Surroundings {
    private let loop = EventLoop()
    private let bus: MQTTBus
    private let responseTopic: String
    private var signals: Signals?
    /// What has happened and was not taken yet, from ``taken`` on.
    private var inputs: [BusInput] = []
    private var taken = 0

    /// Connects to the broker.
    ///
    /// - Parameter filters: subscriptions besides those that ``subscribe(_:)`` begins.
    /// - Parameter signals: which are inputs. After the first one that ends the program, further ones do so
    ///   at once.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    init(
        _ options: CtlOptions, filters: [BusFilter], maxPacketSize: UInt32 = BusSettings.usualMaxPacketSize,
        signals: [Int32] = []
    ) throws {
        var settings = options.broker
        settings.maxPacketSize = maxPacketSize
        responseTopic = options.topics.responseTopic
        bus = try MQTTBus(settings, filters: filters, on: loop)
        if !signals.isEmpty {
            self.signals = try Signals(signals, on: loop) { [weak self] signal in
                let isEnd = Self.ends.contains(signal)
                self?.inputs.append(isEnd ? .interrupt : .signal(signal))
                if isEnd { Self.unblock(Self.ends) }
            }
        }
        bus.received = { [weak self] in self?.inputs.append(.message($0)) }
        bus.drained = { [weak self] in self?.inputs.append(.drained) }
        bus.publicationRefused = { [weak self] in self?.inputs.append(.refused(topic: $0, reason: $1)) }
        bus.connectionChanged = { [weak self] in self?.inputs.append(.connection($0)) }
        bus.start()
    }

    deinit { bus.stop {} }

    private static let ends = [SIGTERM, SIGINT, SIGHUP, SIGQUIT]

    /// Signals have their usual effect again, which ends the program. A shell that has started it in the
    /// background ignores SIGINT.
    private static func unblock(_ signals: [Int32]) {
        for signal in [SIGINT, SIGTERM] { Glibc.signal(signal, SIG_DFL) }
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    var now: ContinuousClock.Instant { loop.now }

    func next(before deadline: ContinuousClock.Instant?) -> BusInput? {
        while taken == inputs.count {
            inputs.removeAll(keepingCapacity: true)
            taken = 0
            if let deadline, deadline <= now { return nil }
            loop.runOnce(timeout: deadline.map { now.duration(to: $0) })
        }
        defer { taken += 1 }
        return inputs[taken]
    }

    func publish(_ message: SentMessage) {
        // What was acknowledged before says nothing of this message.
        inputs = inputs[taken...].filter { if case .drained = $0 { false } else { true } }
        taken = 0
        if message.isRetained { return bus.retain(message.topic, message.payload) }
        let properties = message.correlation.map {
            BusProperties(responseTopic: responseTopic, correlation: Array($0.utf8))
        }
        bus.publish(message.topic, message.payload, qos: .atLeastOnce, properties ?? BusProperties())
    }

    func subscribe(_ filters: [BusFilter]) { bus.subscribe(filters) }

    func unsubscribe(_ filters: [BusFilter]) { bus.unsubscribe(filters) }

    // MARK: The terminal

    func readKeys() {
        loop.watch(STDIN_FILENO) { [weak self] _ in
            var input = [UInt8](repeating: 0, count: 64)
            let count = read(STDIN_FILENO, &input, input.count)
            // End of file: the terminal is gone. SIGHUP ends the process if its session has ended.
            guard count > 0 else { self?.stopReadingKeys(); return }
            self?.inputs.append(.keys(String(decoding: input.prefix(count), as: UTF8.self)))
        }
    }

    func stopReadingKeys() { loop.unwatch(STDIN_FILENO) }

    /// Ends the program when the reader of a pipe is gone: without a message there is no write that fails.
    func endWithReader() { loop.watch(STDOUT_FILENO, for: { [] }) { _ in endByBrokenPipe() } }

    // MARK: Output

    func printLine(_ line: PrintableLine) { Base.printLine(line) }
    func printError(_ line: PrintableLine) { Base.printError(line) }
    func printPhoto(_ photo: [UInt8]) { printBytes(photo) }

    /// Replaces a regular file as a whole or not at all. Other files, such as pipes, are written in place.
    func write(_ photo: [UInt8], to path: String) throws(Ending) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        do throws(FileError) {
            if isThere && status.st_mode & S_IFMT != S_IFREG {
                try Files.write(photo, into: path)
            } else {
                // A symbolic link stays, and so does the mode, less the umask.
                try Files.replace(
                    Files.realPath(path) ?? path, with: photo, suffix: ".\(getpid()).new",
                    mode: isThere ? status.st_mode & 0o777 : 0o666)
            }
        } catch {
            throw Ending(writing: path, error)
        }
    }

    func openCopy(_ path: String, replaces: Bool, bytes: Int) throws(Ending) -> any CopyFile {
        try LocalCopy(path, replaces: replaces, bytes: bytes)
    }
}
