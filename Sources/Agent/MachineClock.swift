internal import Base
internal import Contract
internal import Core
internal import FoundationEssentials

/// The machine's clock: for the cameras, and for the agent's `info`.
///
/// The kernel doesn't report when the clock becomes synchronised, or how its error changes. Both are read
/// once a minute, when the clock is set, and whenever a command needs them.
final class MachineClock: WallClock {
    private static let interval = Duration.seconds(60)
    /// A change of the error is published if the error is so many times the published one, or a fraction
    /// of it. It grows by 0.5 ms in each second until the next synchronisation.
    private static let materialFactor = 4.0
    /// Errors below this count as equal, in milliseconds.
    private static let negligibleError = 1.0

    private final class Observation {
        let stepped: () -> Void
        init(_ stepped: @escaping () -> Void) { self.stepped = stepped }
    }

    private struct Observer {
        weak var observation: Observation?
    }

    private let loop: EventLoop
    private let readTime: () -> Date
    /// The error of the clock; nil: it isn't synchronised.
    private let readError: () -> Duration?
    /// What was published last.
    private(set) var published: ClockFields
    /// Called when what is published changes.
    var changed: () -> Void = {}
    private var observers: [Observer] = []
    private var steps: ClockSteps?
    private lazy var timer = loop.timer { [weak self] in self?.timerFired() }

    /// - Parameter readError: the error of the clock; nil: it isn't synchronised.
    init(
        on loop: EventLoop, now: @escaping () -> Date = { Timestamp.now },
        readError: @escaping () -> Duration?
    ) {
        (self.loop, readTime, self.readError) = (loop, now, readError)
        published = ClockFields(error: readError())
    }

    /// Publishes from now on what changes.
    func start() { timer.set(after: Self.interval) }

    func stop() { timer.cancel() }

    // MARK: The cameras

    var now: Date { readTime() }

    var isSynchronized: Bool {
        check()
        return published.isSynchronized
    }

    func observeSteps(_ stepped: @escaping () -> Void) -> AnyObject {
        observers.removeAll { $0.observation == nil }
        let observation = Observation(stepped)
        observers.append(Observer(observation: observation))
        // Without a descriptor, a step is noticed when the time of a command has come.
        if steps == nil { steps = try? ClockSteps(on: loop) { [weak self] in self?.clockWasSet() } }
        return observation
    }

    private func clockWasSet() {
        observers.removeAll { $0.observation == nil }
        for observer in observers { observer.observation?.stepped() }
        if observers.isEmpty { steps = nil }
        check()
    }

    // MARK: What is published

    private func timerFired() {
        timer.set(after: Self.interval)
        observers.removeAll { $0.observation == nil }
        if observers.isEmpty { steps = nil }
        check()
    }

    private func check() {
        let present = ClockFields(error: readError())
        guard isMaterial(present) else { return }
        published = present
        changed()
    }

    private func isMaterial(_ present: ClockFields) -> Bool {
        guard let before = published.errorMilliseconds, let error = present.errorMilliseconds else {
            return present != published
        }
        let (least, most) = (min(before, error), max(before, error))
        return most >= max(least, Self.negligibleError) * Self.materialFactor
    }
}

extension ClockFields {
    fileprivate init(error: Duration?) {
        self.init(isSynchronized: error != nil, errorMilliseconds: error.map { $0 / .milliseconds(1) })
    }
}
