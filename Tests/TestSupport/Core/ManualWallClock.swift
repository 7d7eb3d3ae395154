package import Base
internal import Core
package import FoundationEssentials

/// A time of day that passes with the clock of a loop, and that a test can set.
package final class ManualWallClock: WallClock {
    private final class Observation {
        let stepped: () -> Void
        init(_ stepped: @escaping () -> Void) { self.stepped = stepped }
    }

    private struct Observer {
        weak var observation: Observation?
    }

    private let loop: EventLoop
    private let start: ContinuousClock.Instant
    private var epoch: Date
    private var observers: [Observer] = []
    package var isSynchronized = true

    /// - Parameter epoch: the time of day now.
    package init(_ epoch: Date = .now, on loop: EventLoop) {
        (self.epoch, self.loop, start) = (epoch, loop, loop.now)
    }

    package var now: Date { epoch.addingTimeInterval(start.duration(to: loop.now) / .seconds(1)) }

    /// Whether a step would be reported to anybody.
    package var isObserved: Bool { observers.contains { $0.observation != nil } }

    package func observeSteps(_ stepped: @escaping () -> Void) -> AnyObject {
        let observation = Observation(stepped)
        observers.append(Observer(observation: observation))
        return observation
    }

    /// Sets the clock.
    ///
    /// - Parameters:
    ///   - seconds: forward; back when negative.
    ///   - isReported: whether the observers are told.
    package func step(by seconds: Double, isReported: Bool = true) {
        epoch.addTimeInterval(seconds)
        if isReported { for observer in observers { observer.observation?.stepped() } }
    }
}
