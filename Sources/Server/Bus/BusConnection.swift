internal import Base
package import Bus
package import NIOCore

/// The connection of a server to the broker, on a thread of its own. Messages are handled on the server's
/// thread; all calls come from it.
package final class BusConnection {
    /// The bytes of payloads that the server has not handled; above this the thread stops reading. One
    /// message may be larger.
    private static let maxWaiting = 1 << 20
    /// The group of commands that are to be answered. When the connection ends, those that the broker has not
    /// taken are not sent later: the page was told that they failed.
    private static let requests = "requests"

    private let server: any NIOCore.EventLoop
    private let calls: Inbox<@Sendable (MQTTBus, Base.EventLoop) -> Void>
    private var isStarted = false

    /// - Throws: `LoopError`.
    package init(on server: any NIOCore.EventLoop) throws {
        (self.server, calls) = (server, try Inbox())
    }

    /// Connects. To be called once, before all else.
    ///
    /// - Parameters:
    ///   - received: called with each message.
    ///   - refused: called with the topic of a message that the broker refuses, and the reason.
    ///   - changed: called when the state of the connection changes.
    /// - Throws: `BusError` for settings that cannot be used, or `LoopError`.
    package func start(
        _ settings: BusSettings, filters: [BusFilter], received: @escaping (BusMessage) -> Void,
        refused: @escaping (String, String) -> Void = { _, _ in },
        changed: @escaping (BusEvent) -> Void
    ) throws {
        // Only the new thread uses them from now on.
        nonisolated(unsafe) let loop = Base.EventLoop()
        nonisolated(unsafe) let bus = try MQTTBus(settings, filters: filters, on: loop)
        let (server, calls, waiting) = (server, calls, Monitor(0))
        let receiver = NIOLoopBound(
            (received: received, refused: refused, changed: changed), eventLoop: server)
        bus.received = { message in
            let count = message.payload.count
            waiting.wait { sum, _ -> Monitor<Int>.Decision<Void> in
                if sum > Self.maxWaiting { return .wait(until: nil) }
                sum += count
                return .answer(())
            }
            server.execute {
                receiver.value.received(message)
                waiting.update { sum, _ in
                    sum -= count
                    return sum <= Self.maxWaiting
                }
            }
        }
        bus.publicationRefused = { topic, reason in
            server.execute { receiver.value.refused(topic, reason) }
        }
        bus.connectionChanged = { [unowned bus] event in
            if case .disconnected = event { bus.withdraw(group: Self.requests) }
            server.execute { receiver.value.changed(event) }
        }
        try Thread(name: "broker") {
            calls.attach(to: loop) { $0(bus, loop) }
            bus.start()
            loop.run()
            calls.detach(from: loop)
        }.detach()
        isStarted = true
    }

    func subscribe(_ filters: [BusFilter]) { calls.send { bus, _ in bus.subscribe(filters) } }

    func unsubscribe(_ filters: [BusFilter]) { calls.send { bus, _ in bus.unsubscribe(filters) } }

    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties
    ) {
        calls.send { bus, _ in
            if qos == .atMostOnce {
                // A sample of a gesture that cannot be sent now is out of date later.
                bus.publishIfReady(topic, payload, properties)
            } else {
                let isRequest = properties.correlation != nil
                bus.publishQueued(
                    topic, payload, qos: qos, properties, group: isRequest ? Self.requests : nil)
            }
        }
    }

    /// Disconnects after everything is sent: half a second at the most.
    package func stop() -> EventLoopFuture<Void> {
        guard isStarted else { return server.makeSucceededVoidFuture() }
        let stopped = server.makePromise(of: Void.self)
        calls.send { bus, loop in
            bus.stop {
                loop.stop()
                stopped.succeed()
            }
        }
        return stopped.futureResult
    }
}
