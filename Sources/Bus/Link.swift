internal import Base
internal import Glibc
internal import Settings

/// The life of the connection to a broker: connects to one of the hosts, reconnects as ``HostPlan`` decides,
/// reads, writes, keeps alive, disconnects. It decides nothing about messages.
final class Link {
    enum Event {
        /// When the broker has accepted the connection, the subscriptions have been requested.
        case change(BusEvent)
        /// The broker has acknowledged or refused a message with QoS 1 or 2.
        case acknowledged(packet: Int32, refusal: String?)
        /// The socket was served: it may take more messages than before.
        case served
    }

    /// One connection after the other. The deadline is that of the state. It is read many times for each
    /// message, so that it has no payload.
    private enum State {
        /// The next attempt begins at the deadline, if it is set.
        case waiting
        /// An attempt: the addresses of the host are looked up.
        case lookingUp
        /// The rest of the attempt: TCP, TLS and the answer to CONNECT.
        case connecting
        case connected
        /// The last messages are acknowledged, or the deadline comes; then the connection ends.
        case draining
        case stopped
    }

    /// Messages that are read before timers and other descriptors have their turn.
    private static let maxMessagesPerTurn = 64
    private static let keepAliveInterval = Duration.seconds(1)
    private static let drainTimeout = Duration.milliseconds(500)

    private let loop: EventLoop
    private let settings: BusSettings
    private let lookup: Lookup
    private var filters: [String: (number: Int, filter: BusFilter)] = [:]
    private var filterCount = 0
    private var state = State.waiting
    /// That of the states from `connecting` to `draining`.
    private var client: Client?
    /// When the broker accepted the connection.
    private var acceptedAt: ContinuousClock.Instant
    /// Called at the end of `draining`.
    private var drained: () -> Void = {}
    private var plan: HostPlan
    private var faults: Faults
    /// The addresses of its host, once they were looked up.
    private var addresses: [String] = []
    /// Why the attempts since the last connection, or since the last delay, have failed.
    private var failures: [String] = []
    /// The messages that may be unacknowledged at a time.
    private(set) var window = 0
    /// The descriptor that is watched.
    private var watched: Int32?
    /// Receives all events but messages, in the order in which they occurred.
    var handle: (Event) -> Void = { _ in }
    /// Receives all messages, each in its place between the events.
    var received: (BusMessage) -> Void = { _ in }
    /// Decides how long to wait after a connection that has ended, where the usual time is not right.
    var retryDelay: (_ end: ConnectionEnd, _ usual: Duration) -> Duration = { $1 }

    private lazy var deadline = loop.timer { [weak self] in self?.deadlinePassed() }
    private lazy var keepAlive = loop.timer { [weak self] in self?.runMaintenance() }
    /// Continues with packets that have been decrypted but not read: no descriptor becomes ready for them.
    private lazy var rest = loop.timer { [weak self] in self?.serve() }

    /// - Throws: ``BusError`` or `LoopError` when the client cannot be made.
    init(_ settings: BusSettings, filters: [BusFilter], on loop: EventLoop) throws {
        (self.loop, self.settings, acceptedAt) = (loop, settings, loop.now)
        // Whether the settings can be used.
        _ = try Client(settings)
        lookup = Lookup(settings, on: loop)
        faults = Faults(file: settings.faultFile)
        plan = HostPlan(hostCount: settings.mqtt.brokers.count, order: settings.mqtt.order)
        subscribe(filters)
    }

    deinit { if let watched { loop.unwatch(watched) } }

    var isConnected: Bool { state == .connected }

    /// What is waited for before the first attempt, because earlier runs ended by a fault.
    var waitAfterFaults: Duration { faults.wait }

    /// Whether the last messages are waited for.
    var isDraining: Bool { state == .draining }

    /// Whether messages can still be sent.
    var canSend: Bool { isConnected || isDraining }

    /// Whether the socket has taken everything that was sent.
    var hasFlushed: Bool { client.map { !$0.wantsToWrite } ?? true }

    private var host: BrokerAddress { settings.mqtt.brokers[plan.host] }

    /// For one address of a host: TCP, TLS and the answer to CONNECT together.
    private var connectTimeout: Duration { .seconds(settings.mqtt.connectTimeout) }

    /// Sends a message. Returns the packet identifier of its acknowledgement; nil: there is none.
    ///
    /// - Throws: ``BusError`` if it can't be sent, for instance because it is larger than the broker permits.
    func publish(_ message: Outgoing) throws(BusError) -> Int32? {
        guard let client else { throw BusError(call: "publish", reason: "there is no connection") }
        return try client.publish(message)
    }

    /// Adds subscriptions to this connection and to later ones. One that exists already stays as it is; with
    /// other options it is replaced, as brokers do.
    func subscribe(_ added: [BusFilter]) {
        let new = added.filter { filter in
            if filters[filter.filter]?.filter == filter { return false }
            filterCount += 1
            filters[filter.filter] = (filterCount, filter)
            return true
        }
        if isConnected { client?.subscribe(to: new) }
    }

    /// Ends subscriptions, also for later connections.
    func unsubscribe(_ ended: [BusFilter]) {
        for filter in ended { filters[filter.filter] = nil }
        if isConnected { client?.unsubscribe(from: ended) }
    }

    /// Connects, and reconnects until ``stop(then:)``.
    ///
    /// - Parameter wait: before the first attempt.
    func start(after wait: Duration) {
        faults.observe()
        let wait = max(wait, faults.wait)
        if wait > .zero { deadline.set(after: wait) } else { connect() }
    }

    /// Waits for ``disconnectIfDraining()``, half a second at most, disconnects from the broker, and calls
    /// back. Without a connection it calls back immediately.
    func stop(then: @escaping () -> Void) {
        drain { [weak self] in
            self?.enter(.stopped)
            then()
        }
    }

    /// Disconnects, so that the broker discards the will, and connects again later. Does nothing without a
    /// connection.
    func pause(for delay: Duration, _ reason: String) {
        guard isConnected else { return }
        drain { [weak self] in
            guard let self else { return }
            connectionEnded(reason, after: acceptedAt.duration(to: loop.now)) { _ in delay }
        }
    }

    /// To be called when the last message was acknowledged.
    func disconnectIfDraining() {
        guard isDraining, let client else { return }
        client.disconnect()
        client.write()
        drained()
    }

    /// A broker that finds the connection closed while it sends an acknowledgement publishes the will.
    private func drain(then: @escaping () -> Void) {
        switch state {
        case .connected, .draining:
            (state, drained) = (.draining, then)
            deadline.set(after: Self.drainTimeout)
        case .connecting:
            client?.disconnect()
            then()
        case .waiting, .lookingUp, .stopped: then()
        }
    }
}

// MARK: The states

extension Link {
    /// Leaves the present state, with its connection and its deadline.
    private func enter(_ next: State) {
        drop()
        deadline.cancel()
        state = next
    }

    private func drop() {
        if let watched { loop.unwatch(watched) }
        (watched, client, drained) = (nil, nil, {})
        lookup.abandon()
        for timer in [keepAlive, rest] { timer.cancel() }
    }

    private func deadlinePassed() {
        let limit = connectTimeout.inSeconds
        switch state {
        case .waiting: connect()
        case .lookingUp: attemptFailed("no address of the name, or no files of TLS, after \(limit)", of: 0)
        case .connecting: attemptFailed("does not answer: no \(client?.awaited ?? "") after \(limit)")
        case .draining: disconnectIfDraining()
        case .connected, .stopped: break
        }
    }

    private func connect() {
        enter(.lookingUp)
        deadline.set(after: connectTimeout)
        lookup.find(plan.host, known: plan.address == 0 ? nil : addresses) { [weak self] result in
            guard let self, state == .lookingUp else { return }
            switch result {
            case .success(let found): open(found)
            case .failure(let failure): attemptFailed(failure.reason, of: 0)
            }
        }
    }

    private func open(_ found: Lookup.Found) {
        addresses = found.addresses
        do throws(BusError) {
            let client = try Client(settings, tls: found.tls)
            (state, self.client) = (.connecting, client)
            client.open(
                addresses[min(plan.address, addresses.count - 1)], port: host.port ?? settings.mqtt.port)
            if let descriptor = client.descriptor {
                watched = descriptor
                loop.watch(descriptor, for: { client.interest }, ready: { [weak self] _ in self?.serve() })
            }
            handleEvents()
        } catch {
            attemptFailed("\(error)")
        }
    }

    /// - Parameter addressCount: how many addresses the host has; nil: those that were found.
    private func attemptFailed(_ reason: String, of addressCount: Int? = nil) {
        enter(.waiting)
        let failure = "\(host): \(reason)"
        let delay = plan.failed(addresses: addressCount ?? addresses.count)
        if !failures.contains(failure) { failures.append(failure) }
        if let delay { reportEnd(retryIn: delay) }
        wait(delay ?? .zero)
    }

    private func accepted(_ client: Client, _ limits: BrokerLimits) {
        deadline.cancel()
        (state, acceptedAt) = (.connected, loop.now)
        keepAlive.set(after: Self.keepAliveInterval)
        for (_, filter) in filters.values.sorted(by: { $0.number < $1.number }) {
            client.subscribe(to: [filter])
        }
        let session = BusSession(
            host: host, isV5: settings.isV5, notes: limits.notes, warnings: limits.warnings,
            failures: failures)
        failures = []
        window = min(Client.maxInFlight, Int(limits.receiveMaximum))
        handle(.change(.connected(session)))
    }

    private func closed(_ reason: String, isTakeover: Bool) {
        switch state {
        case .connecting: attemptFailed(reason)
        case .connected:
            let end = ConnectionEnd(length: acceptedAt.duration(to: loop.now), isTakeover: isTakeover)
            // After a short connection, and after an attempt that failed, the client does not wait: the
            // broker did not lose its whole fleet at once, and another host may answer.
            let spread = end.length >= HostPlan.stableAfter ? Spread.wait(settings.mqtt) : .zero
            connectionEnded(reason, after: end.length) { retryDelay(end, $0 + spread) }
        case .draining: disconnectIfDraining()
        case .waiting, .lookingUp, .stopped: break
        }
    }

    private func connectionEnded(
        _ reason: String, after length: Duration, delay: (_ usual: Duration) -> Duration
    ) {
        enter(.waiting)
        failures = ["\(host): \(reason)"]
        let delay = delay(plan.ended(after: length))
        reportEnd(retryIn: delay)
        wait(delay)
    }

    private func reportEnd(retryIn delay: Duration) {
        var reason = failures.joined(separator: "; ")
        if plan.suspectsSharedClientID {
            reason += "; does another client use the id \(settings.mqtt.clientID)?"
        }
        failures = []
        handle(.change(.disconnected(reason: reason, retryIn: delay)))
    }

    private func wait(_ delay: Duration) {
        // The receiver of an event may have stopped the bus.
        if state == .waiting { deadline.set(after: delay) }
    }
}

// MARK: Serving the socket

extension Link {
    private func serve() {
        guard let client else { return }
        // Each message is handled before the next one is read, so that the answer to a command does not wait
        // for later commands.
        for _ in 0..<Self.maxMessagesPerTurn {
            client.read()
            guard handleEvents(), self.client === client, client.descriptor != nil else { break }
        }
        if self.client === client && client.wantsToWrite {
            client.write()
            handleEvents()
        }
        // Any call of libmosquitto may write, without an event for it.
        if canSend { handle(.served) }
        guard self.client === client, client.descriptor != nil else { return }
        if client.hasPending { rest.set(after: .zero) }
        client.acknowledge()
    }

    private func runMaintenance() {
        if isConnected, acceptedAt.duration(to: loop.now) >= Faults.clearedAfter {
            faults.clear()
        }
        client?.runMaintenance()
        keepAlive.set(after: Self.keepAliveInterval)
        handleEvents()
    }

    /// Returns whether there was an event.
    @discardableResult
    private func handleEvents() -> Bool {
        let client = client
        var hadEvent = false
        // The receiver of an event may have ended the connection.
        while let client, self.client === client, let event = client.takeEvent() {
            hadEvent = true
            switch consume event {
            case .accepted(let limits): accepted(client, limits)
            case .message(let message):
                if canSend {
                    received(message)
                } else {
                    attemptFailed("sends messages before its answer to CONNECT")
                }
            case .subscription(let change): handle(.change(change))
            case .acknowledged(let packet, let refusal):
                handle(.acknowledged(packet: packet, refusal: refusal))
            case .closed(let reason, let isTakeover): closed(reason, isTakeover: isTakeover)
            }
        }
        return hadEvent
    }
}

extension Duration {
    /// As `10 s`, or `0.2 s`.
    package var inSeconds: String {
        let tenths = (self / .milliseconds(100)).rounded() / 10
        return (Int(exactly: tenths).map { "\($0)" } ?? "\(tenths)") + " s"
    }
}
