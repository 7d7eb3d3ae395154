internal import Glibc
internal import LoopThread

/// One attempt to connect to a host at one of its addresses: TCP, TLS and CONNECT, within one time limit.
final class Attempt {
    /// A connection that the broker has accepted.
    struct Accepted {
        let connection: Connection
        let descriptor: Int32
        let limits: BrokerLimits
    }

    struct Failure: Error {
        let kind: ConnectionPlan.Failure
        /// With the host and its port.
        let reason: String
    }

    private enum Phase {
        case preparing
        /// TCP or TLS is being established, or CONNECT is on its way.
        case connecting(Connection, Int32)
        case over
    }

    private let target: ConnectionPlan.Target
    private let host: BrokerHost
    private let settings: BusSettings
    private let connector: Connector
    private let loop: EventLoop
    private let finished: (Result<Accepted, Failure>) -> Void
    private var phase = Phase.preparing
    private lazy var deadline = loop.timer { [weak self] in self?.timeOut() }

    /// - Parameter finished: called on the loop, at most once, unless the attempt is abandoned.
    init(
        _ target: ConnectionPlan.Target, _ settings: BusSettings, _ connector: Connector, on loop: EventLoop,
        finished: @escaping (Result<Accepted, Failure>) -> Void
    ) {
        (self.target, self.settings, self.connector) = (target, settings, connector)
        (self.loop, self.finished, host) = (loop, finished, settings.hosts[target.host])
    }

    deinit { abandon() }

    /// - Parameter found: called with the number of addresses of the host.
    func start(found: @escaping (Int) -> Void) {
        deadline.set(after: settings.connectTimeout)
        connector.find(target.host, address: target.address) { [weak self] result in
            switch result {
            case .success(let result):
                found(result.count)
                self?.found(result)
            case .failure(let failure): self?.fail(.noAddress, failure.reason)
            }
        }
    }

    /// Ends the attempt without a result.
    func abandon() {
        deadline.cancel()
        switch phase {
        case .preparing: connector.abandon()
        case .connecting(let connection, let descriptor):
            loop.unwatch(descriptor)
            connection.disconnect()
        case .over: break
        }
        phase = .over
    }

    private func found(_ found: Connector.Found) {
        do throws(BusError) {
            let connection = try Connection(settings, target.level, tls: found.tls)
            guard connection.open(found.address, port: host.port), let descriptor = connection.descriptor
            else {
                return handle(connection.takeEvent())
            }
            phase = .connecting(connection, descriptor)
            loop.watch(descriptor, for: { [connection] in connection.interest }) { [weak self] _ in
                self?.isReady(connection)
            }
        } catch {
            fail(.other, "\(error)")
        }
    }

    private func isReady(_ connection: Connection) {
        connection.read()
        if connection.descriptor != nil && connection.wantsToWrite { connection.write() }
        guard case .connecting = phase, let event = connection.takeEvent() else { return }
        if case .accepted(let limits) = event, case .connecting(_, let descriptor) = phase {
            loop.unwatch(descriptor)
            return end(
                .success(Accepted(connection: connection, descriptor: descriptor, limits: limits)))
        }
        handle(event)
    }

    private func handle(_ event: Connection.Event?) {
        switch event {
        case .refused(let reason, let isVersion): refused(reason, isVersion: isVersion)
        case .unreachable(let error): fail(.other, Self.words(forError: error))
        case .closed(_, .silence): closedSilently()
        case .closed(let reason, _): fail(.other, reason)
        case .accepted, .message, .subscriptionRefused, .subscribed, .acknowledged, .answered:
            fail(.other, "sends messages before its answer to CONNECT")
        case nil: fail(.other, "the connection was closed")
        }
    }

    // MARK: The end

    private func refused(_ reason: String, isVersion: Bool) {
        guard isVersion else { return fail(.other, "refuses the connection: \(reason)") }
        switch target.level {
        case .v5:
            fail(
                .versionUnknown,
                "supports only MQTT 3.1.1; \(settings.versionKey) has to be auto or 3.1.1")
        case .v311: fail(.versionUnknown, "does not support MQTT 3.1.1")
        }
    }

    private func closedSilently() {
        let reason = "closes the connection without an answer to CONNECT"
        let mayBeOlder = target.level == .v5 && settings.version == .v5
        let hint = "; if it supports only MQTT 3.1.1, \(settings.versionKey) has to be auto or 3.1.1"
        fail(.versionUnknown, mayBeOlder ? reason + hint : reason)
    }

    private func timeOut() {
        let limit = settings.connectTimeout.inSeconds
        switch phase {
        case .preparing: fail(.noAddress, "the name has no address after \(limit)")
        case .connecting(let connection, _) where !connection.isOpen():
            fail(.other, "does not answer: no TCP connection after \(limit)")
        case .connecting:
            let expected = settings.tls == nil ? "answer to CONNECT" : "answer to TLS and CONNECT"
            fail(.other, "does not answer: no \(expected) after \(limit)")
        case .over: break
        }
    }

    private static func words(forError code: Int32) -> String {
        let reason = String(cString: strerror(code))
        switch code {
        case ECONNREFUSED: return "refuses the connection: \(reason)"
        case ETIMEDOUT: return "does not answer: \(reason)"
        default: return reason
        }
    }

    private func fail(_ kind: ConnectionPlan.Failure, _ reason: String) {
        if case .connecting(_, let descriptor) = phase { loop.unwatch(descriptor) }
        if case .preparing = phase { connector.abandon() }
        end(.failure(Failure(kind: kind, reason: "\(host): \(reason)")))
    }

    private func end(_ result: Result<Accepted, Failure>) {
        phase = .over
        deadline.cancel()
        finished(result)
    }
}

extension Duration {
    /// As `10 s`, or `0.2 s`.
    package var inSeconds: String {
        let tenths = (self / .milliseconds(100)).rounded() / 10
        return (Int(exactly: tenths).map { "\($0)" } ?? "\(tenths)") + " s"
    }
}
