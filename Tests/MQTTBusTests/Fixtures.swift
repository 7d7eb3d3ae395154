import Glibc
import Settings

@testable import Bus

/// A socket that is bound to a free port of loopback. It refuses connections until it listens. The caller
/// closes it.
func freePort() -> (socket: Int32, port: Int) {
    let bound = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            precondition(bind(bound, $0, length) == 0 && getsockname(bound, $0, &length) == 0)
        }
    }
    return (bound, Int(UInt16(bigEndian: address.sin_port)))
}

/// A socket that has connected to a port of loopback, or waits for its listener. The caller closes it.
func connectingSocket(to port: Int) -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            let code = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            precondition(code == 0 || errno == EINPROGRESS)
        }
    }
    return descriptor
}

/// Occupies the descriptors below a number, so that the next ones are at least this number.
final class OccupiedDescriptors {
    private var descriptors: [Int32] = []

    init(below number: Int32) {
        var limit = rlimit()
        precondition(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, rlim_t(number) + 1_000))
        precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        let first = open("/dev/null", O_RDONLY | O_CLOEXEC)
        descriptors = [first]
        while let last = descriptors.last, 0 <= last && last < number - 1 {
            descriptors.append(fcntl(first, F_DUPFD_CLOEXEC, 0))
        }
        precondition(descriptors.allSatisfy { $0 >= 0 })
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}

/// A generator whose numbers are all the same: the smallest or the largest.
struct ConstantGenerator: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }
}

extension BusSettings {
    /// One broker.
    init(_ host: String = "127.0.0.1", port: Int, _ version: MQTTVersion = .v5) {
        self.init(.standard)
        (mqtt.host, mqtt.port, mqtt.protocolVersion, mqtt.clientID) = (host, port, version, "test")
    }
}

extension Outgoing {
    init(
        _ topic: String, bytes: Int = 1, qos: QualityOfService = .atLeastOnce, group: String? = nil
    ) {
        self.init(topic: topic, payload: [UInt8](repeating: 0, count: bytes), qos: qos, group: group)
    }
}

extension Outbox {
    /// With a connection.
    static func open(maxCount: Int = 100, maxBytes: Int = 1000, window: Int = 100) -> Outbox {
        var outbox = Outbox(maxCount: maxCount, maxBytes: maxBytes)
        outbox.connected(window: window)
        return outbox
    }

    /// Replaces the message of a topic with a text.
    mutating func retain(_ topic: String, _ text: String, isDue: Bool = false) {
        retain(topic, .bytes(Array(text.utf8)), isDue: isDue)
    }

    /// Removes all that wait: the topics.
    mutating func nextTopics() -> [String] {
        var topics: [String] = []
        while let message = next() { topics.append(message.topic) }
        return topics
    }

    /// Removes all that wait: `topic=text` for each.
    mutating func nextTexts() -> [String] {
        var texts: [String] = []
        while let message = next() {
            texts.append("\(message.topic)=\(String(decoding: message.payload, as: UTF8.self))")
        }
        return texts
    }
}
