import Base
import Bus

/// Connects to a broker, subscribes, and drives a state machine with what is received.
final class BusObserver<Machine: BusMachine> {
    let loop = EventLoop()
    private(set) var machine: Machine
    private let bus: MQTTBus
    private lazy var timer = loop.timer { [weak self] in self?.handle(.deadline) }

    /// Performs an action of the machine.
    var perform: (Machine.Action) -> Void = { _ in }

    /// - Throws: `BusError` or `LoopError` if the client can't be created, for instance because of an invalid
    ///   certificate.
    init(_ machine: Machine, _ settings: BusSettings, filters: [BusFilter]) throws {
        self.machine = machine
        bus = try MQTTBus(settings, filters: filters, on: loop)
    }

    /// Runs until ``stop()``.
    func run() {
        bus.received = { [weak self] in self?.handle(.message($0)) }
        bus.drained = { [weak self] in self?.handle(.drained) }
        bus.publicationRefused = { [weak self] in self?.handle(.refused(topic: $0, reason: $1)) }
        bus.connectionChanged = { [weak self] in self?.handle(.connection($0)) }
        bus.start()
        timer.set(at: machine.deadline)
        loop.run()
        bus.stop {}
    }

    func stop() { loop.stop() }

    func publish(_ topic: String, _ payload: [UInt8], _ properties: BusProperties) {
        bus.publish(topic, payload, qos: .atLeastOnce, properties)
    }

    /// Publishes a message that the broker retains, now and after each reconnect.
    func retain(_ topic: String, _ payload: [UInt8]) { bus.retain(topic, payload) }

    /// Changes the machine by something other than a message of the bus, and performs the resulting actions.
    func update(_ change: (inout Machine, ContinuousClock.Instant) -> [Machine.Action]) {
        let actions = change(&machine, loop.now)
        timer.set(at: machine.deadline)
        for action in actions { perform(action) }
    }

    private func handle(_ input: BusInput) {
        update { $0.handle(input, at: $1) }
    }
}
