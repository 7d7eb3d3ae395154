package import MQTTBus
package import Messages

/// Observes all agents and the selected cameras of a broker. It publishes nothing but requests for retained
/// messages, where that is wanted.
///
/// A broker sends its retained messages with the answers to the subscriptions, and no message marks their
/// end. They are taken as complete after a period without messages.
package struct FleetObservation: BusMachine {
    package typealias Instant = ContinuousClock.Instant

    package enum Action {
        case connected
        /// The connection was lost; the bus connects again.
        case disconnected(reason: String)
        /// The fleet was updated with this message.
        case received(BusMessage)
        /// All retained messages of the present connection have been received.
        case settled
        /// Asks an agent for its retained messages by this topic.
        case ask(topic: String, payload: [UInt8])
        /// There is no connection or no subscription. The observation has ended.
        case failed(CommandError)
    }

    private enum State {
        /// There was no connection yet. The broker has to answer the first subscriptions until then.
        case connecting(until: Instant)
        /// Connected; the subscriptions are not answered yet. No limit after a reconnect.
        case subscribing(until: Instant?)
        /// Retained messages arrive. They are complete when nothing was received until `quiet`, at the latest
        /// at `latest`.
        case settling(quiet: Instant, latest: Instant)
        /// The same after agents were asked for what is missing. Some have promised it.
        case asking(quiet: Instant, latest: Instant, promised: Bool)
        case settled
        /// The connection was lost.
        case disconnected(until: Instant?)
        case failed
    }

    static let quietPeriod = Duration.milliseconds(300)
    static let longestSettling = Duration.seconds(5)
    /// How long an agent that was asked may be silent.
    static let askingPeriod = Duration.seconds(1)
    /// How long an agent that has answered may be silent: it publishes its messages once in ten seconds.
    static let promisePeriod = Duration.seconds(11)

    package private(set) var fleet: Fleet
    private let options: CtlOptions
    /// Whether agents of which messages are missing are asked for them, once for each connection.
    private let asks: Bool
    /// Whether an agent is also asked when the `info` of one of its cameras is missing.
    private let needsCameraInfo: Bool
    private var state: State
    /// The fleet as the present connection reports it. It replaces `fleet` when it is complete, so that
    /// cameras that the broker has no longer disappear. Nil on the first connection and when settled.
    private var incoming: Fleet?

    /// - Parameters:
    ///   - timeout: until when the broker has to answer the first subscriptions; nil: as in other commands.
    ///   - asks: whether agents of which messages are missing are asked for them.
    ///   - needsCameraInfo: whether the `info` of a camera is one of them.
    package init(
        _ options: CtlOptions, timeout: Duration? = nil, asks: Bool = false, needsCameraInfo: Bool = false,
        at now: Instant
    ) {
        (self.options, self.asks, self.needsCameraInfo) = (options, asks, needsCameraInfo)
        fleet = Fleet(options)
        state = .connecting(until: now + (timeout ?? options.connectLimit))
    }

    package var deadline: Instant? {
        switch state {
        case .connecting(let until): until
        case .subscribing(let until), .disconnected(let until): until
        case .settling(let quiet, let latest): min(quiet, latest)
        case .asking(let quiet, let latest, let promised):
            promised && isIncomplete ? latest : min(quiet, latest)
        case .settled, .failed: nil
        }
    }

    private var isIncomplete: Bool {
        !(incoming ?? fleet).agentsLacking(cameraInfo: needsCameraInfo).isEmpty
    }

    package mutating func handle(_ input: BusInput, at now: Instant) -> [Action] {
        if case .failed = state { return [] }
        switch input {
        case .connection(let event): return connectionChanged(event, at: now)
        case .message(let message): return received(message, at: now)
        case .drained, .refused: return []
        case .deadline: return deadlinePassed(at: now)
        }
    }

    private mutating func connectionChanged(_ event: BusEvent, at now: Instant) -> [Action] {
        switch event {
        case .connected:
            switch state {
            case .connecting(let until): state = .subscribing(until: until)
            case .disconnected(let until):
                incoming = Fleet(options)
                state = .subscribing(until: until)
            case .subscribing, .settling, .asking, .settled, .failed: break
            }
            return [.connected]
        case .subscribed:
            state = .settling(quiet: now + Self.quietPeriod, latest: now + Self.longestSettling)
            return []
        case .subscriptionRefused(let filter):
            return fail(CommandError(.unavailable, refusal(of: filter)))
        case .disconnected(let reason, _):
            switch state {
            case .connecting: return fail(CommandError(.unavailable, reason))
            case .subscribing(let until), .disconnected(let until): state = .disconnected(until: until)
            case .settling, .asking, .settled, .failed: state = .disconnected(until: nil)
            }
            return [.disconnected(reason: reason)]
        }
    }

    private mutating func received(_ message: BusMessage, at now: Instant) -> [Action] {
        fleet.update(with: message, at: now)
        incoming?.update(with: message, at: now)
        switch state {
        case .settling(_, let latest):
            state = .settling(quiet: now + Self.quietPeriod, latest: latest)
        case .asking(_, let latest, let promised):
            let promises = options.isRefreshPromise(message)
            state = .asking(
                quiet: now + Self.quietPeriod,
                latest: promises && !promised ? now + Self.promisePeriod : latest,
                promised: promised || promises)
        case .connecting, .subscribing, .settled, .disconnected, .failed: break
        }
        return [.received(message)]
    }

    private mutating func deadlinePassed(at now: Instant) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        switch state {
        case .settling:
            let requests =
                asks
                ? (incoming ?? fleet).requestsForMissing(
                    client: options.client, needsCameraInfo: needsCameraInfo) : []
            if requests.isEmpty { break }
            state = .asking(
                quiet: now + Self.askingPeriod, latest: now + Self.longestSettling, promised: false)
            return requests.map { .ask(topic: $0.topic, payload: $0.payload) }
        case .asking: break
        case .connecting, .subscribing, .settled, .disconnected, .failed: return fail(.brokerTimedOut)
        }
        if var complete = incoming {
            complete.keepRefusals(of: fleet)
            fleet = complete
        }
        incoming = nil
        state = .settled
        return [.settled]
    }

    private mutating func fail(_ error: CommandError) -> [Action] {
        state = .failed
        return [.failed(error)]
    }
}

func refusal(of filter: String) -> String { "The broker refuses the subscription to \(filter)." }

extension CommandError {
    static let brokerTimedOut = CommandError(.unavailable, "The broker doesn't answer.")
}
