internal import Base
internal import Bus
internal import CLinux
internal import Contract
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
    /// - Parameter catchesSignals: whether SIGINT and SIGTERM are inputs. Only the first one is: the next one
    ///   ends the program.
    /// - Throws: `BusError` or `LoopError` if the client can't be created.
    init(_ options: CtlOptions, filters: [BusFilter], maxPacketSize: UInt32, catchesSignals: Bool) throws {
        var settings = options.broker
        settings.maxPacketSize = maxPacketSize
        responseTopic = options.responseTopic
        bus = try MQTTBus(settings, filters: filters, on: loop)
        if catchesSignals {
            signals = try Signals([SIGTERM, SIGINT], on: loop) { [weak self] _ in
                self?.inputs.append(.interrupt)
                Self.unblock([SIGTERM, SIGINT])
            }
        }
        bus.received = { [weak self] in self?.inputs.append(.message($0)) }
        bus.drained = { [weak self] in self?.inputs.append(.drained) }
        bus.publicationRefused = { [weak self] in self?.inputs.append(.refused(topic: $0, reason: $1)) }
        bus.connectionChanged = { [weak self] in self?.inputs.append(.connection($0)) }
        bus.start()
    }

    deinit { bus.stop {} }

    /// Signals have their usual effect again, which ends the program.
    private static func unblock(_ signals: [Int32]) {
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
        let properties = message.id.map {
            BusProperties(responseTopic: responseTopic, correlation: Array($0.utf8))
        }
        bus.publish(message.topic, message.payload, qos: .atLeastOnce, properties ?? BusProperties())
    }

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
