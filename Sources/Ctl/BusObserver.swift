import Base
import Bus

/// Connects to a broker, subscribes, and observes the fleet.
final class BusObserver {
    let loop = EventLoop()
    private(set) var observation: FleetObservation
    private let bus: MQTTBus
    private lazy var timer = loop.timer { [weak self] in self?.handle(nil) }

    /// Called with what has happened.
    var perform: (FleetObservation.Action) -> Void = { _ in }

    /// - Parameter nodes: the nodes of the selected cameras to subscribe to.
    /// - Throws: `BusError` or `LoopError` if the client can't be created, for instance because of an invalid
    ///   certificate.
    init(_ options: CtlOptions, nodes: [String]) throws {
        observation = FleetObservation(options, at: loop.now)
        bus = try MQTTBus(options.broker, filters: options.filters(cameraNodes: nodes), on: loop)
    }

    /// Runs until ``stop()``.
    func run() {
        bus.received = { [weak self] in self?.handle(.message($0)) }
        bus.connectionChanged = { [weak self] in self?.handle(.connection($0)) }
        bus.start()
        timer.set(at: observation.deadline)
        loop.run()
        bus.stop {}
    }

    func stop() { loop.stop() }

    private func handle(_ input: BusInput?) {
        let actions = observation.handle(input, at: loop.now)
        timer.set(at: observation.deadline)
        for action in actions { perform(action) }
    }
}
