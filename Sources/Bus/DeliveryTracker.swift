/// Messages with QoS 1 or 2 that were sent and are not yet acknowledged by the broker.
struct DeliveryTracker {
    private struct InFlight {
        let topic: String
        /// Nil for a retained message, because the newest one is sent again after a reconnect anyway.
        var oneShot: OneShot?
        /// Position in the order of sending. Packet identifiers do not give it: they start again at 1 after
        /// 65,535.
        let sequence: UInt64
    }

    /// Messages that may be unacknowledged at a time.
    var maxInFlight: Int
    private var inFlight: [Int32: InFlight] = [:]
    private var sent: UInt64 = 0

    init(maxInFlight: Int) { self.maxInFlight = maxInFlight }

    var isEmpty: Bool { inFlight.isEmpty }

    /// Whether another message may be sent before one is acknowledged.
    var hasCapacity: Bool { inFlight.count < maxInFlight }

    /// Notes that a message was sent with this packet identifier.
    mutating func sent(_ packet: Int32, topic: String, oneShot: OneShot? = nil) {
        sent += 1
        inFlight[packet] = InFlight(topic: topic, oneShot: oneShot, sequence: sent)
    }

    /// Removes an acknowledged message. Returns its topic; nil if the packet identifier is unknown.
    mutating func acknowledged(_ packet: Int32) -> String? { inFlight.removeValue(forKey: packet)?.topic }

    /// Forgets the contents of the one-shots of a group: they aren't sent again.
    mutating func withdraw(group: String) {
        for (packet, message) in inFlight where message.oneShot?.group == group {
            inFlight[packet]?.oneShot = nil
        }
    }

    /// Removes all messages and returns the one-shots among them in the order of sending. The broker may have
    /// received them: sent again, they may arrive twice, but none is lost.
    mutating func takeUnacknowledged() -> [OneShot] {
        defer { inFlight.removeAll(keepingCapacity: true) }
        return inFlight.values.sorted { $0.sequence < $1.sequence }.compactMap(\.oneShot)
    }
}
