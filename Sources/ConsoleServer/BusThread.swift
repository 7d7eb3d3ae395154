internal import Console
internal import LoopThread
internal import MQTTBus
internal import Synchronization

/// The console's connection to the broker, on a thread with a loop of its own. What it receives goes to the
/// thread of the server, where the ``Console`` is.
final class BusThread: ConsoleBus, Sendable {
    private enum Work: Sendable {
        case subscribe([BusFilter])
        case unsubscribe([BusFilter])
        case publish(String, [UInt8], QualityOfService, BusProperties)
        case stop
    }

    /// What happens at the broker.
    enum Event: Sendable {
        case received(BusMessage)
        case changed(BusEvent)
    }

    private let work: Inbox<Work>
    private let thread = Mutex<Thread?>(nil)

    /// - Throws: `LoopError`.
    init() throws { work = try Inbox() }

    /// Connects. What was published or subscribed before is done then.
    ///
    /// - Parameter receive: called on the thread of the connection.
    /// - Throws: `BusError` for settings that cannot be used, or `LoopError`.
    func start(
        _ settings: BusSettings, filters: [BusFilter], receive: @escaping @Sendable (Event) -> Void
    ) throws {
        // A client belongs to the thread of its loop; this one only reports errors to the caller.
        _ = try MQTTBus(settings, filters: filters, on: EventLoop())
        let work = work
        let started = try Thread(name: "mqtt") {
            let loop = EventLoop()
            guard let bus = try? MQTTBus(settings, filters: filters, on: loop) else { return }
            bus.received = { receive(.received($0)) }
            bus.connectionChanged = { receive(.changed($0)) }
            work.attach(to: loop) { work in
                switch work {
                case .subscribe(let filters): bus.subscribe(filters)
                case .unsubscribe(let filters): bus.unsubscribe(filters)
                case .publish(let topic, let payload, .atMostOnce, let properties):
                    // A sample of a gesture that cannot be sent now is out of date later.
                    bus.publishIfReady(topic, payload, properties)
                case .publish(let topic, let payload, let qos, let properties):
                    bus.publishQueued(topic, payload, qos: qos, properties, group: nil)
                case .stop: bus.stop { loop.stop() }
                }
            }
            bus.start()
            loop.run()
        }
        thread.withLock { $0 = started }
    }

    func subscribe(_ filters: [BusFilter]) { work.send(.subscribe(filters)) }
    func unsubscribe(_ filters: [BusFilter]) { work.send(.unsubscribe(filters)) }

    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties
    ) {
        work.send(.publish(topic, payload, qos, properties))
    }

    /// Disconnects after everything is sent, and waits for it: half a second at the most.
    func stop() {
        work.send(.stop)
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }
}
