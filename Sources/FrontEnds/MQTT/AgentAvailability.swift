package import Base
internal import Bus
package import Contract
internal import Core
internal import Settings

/// Publishes the availability of the agent, and renews it while the agent is online.
///
/// The will doesn't tell everything: if the broker dies together with the agent, or the node of a cluster to
/// which the agent was connected, no will is published. So `online` has a lifetime. The broker keeps it no
/// longer (MQTT 5), and clients that received it count for themselves.
package final class AgentAvailability {
    /// In seconds. With this period 10,000 agents send 167 messages a second.
    private static let leastPeriod = 60
    /// Renewals are rarer than pings, which cost the broker less.
    private static let keepAlivesOfPeriod = 2

    private let frontEnd: MQTTFrontEnd
    private let period: Int
    /// From the first message to its renewal, so that agents that start at the same moment, as after a power
    /// cut, do not renew at the same moment from then on.
    private let firstPeriod: Duration
    private let loop: EventLoop
    private var availability: Availability?
    private lazy var timer = loop.timer { [weak self] in self?.renew() }

    package init(_ frontEnd: MQTTFrontEnd, on loop: EventLoop) {
        (self.frontEnd, self.loop) = (frontEnd, loop)
        period = Self.period(keepAlive: frontEnd.settings.mqtt.keepAlive)
        // Not by the client identifier, which decides when the agent connects.
        firstPeriod = Spread.wait(seconds: period, of: frontEnd.topics.agentAvailability)
    }

    /// The seconds between two renewals: 60, or twice the keep-alive interval if that is longer.
    static func period(keepAlive: Int) -> Int { max(leastPeriod, keepAlivesOfPeriod * keepAlive) }

    package func publish(_ state: Availability.State, boot: Int) {
        let isOnline = state == .online
        let availability = Availability(state, boot: boot, renewSeconds: isOnline ? period : nil)
        self.availability = availability
        if isOnline { timer.set(after: firstPeriod) } else { timer.cancel() }
        frontEnd.publishAgent(availability)
    }

    /// Without a connection there is nothing to renew: the next one publishes it.
    private func renew() {
        guard let availability else { return }
        timer.set(after: .seconds(period))
        if frontEnd.bus.isConnected { frontEnd.publishAgent(availability) }
    }
}
