import Glibc
import LoopThread

@testable import MQTTBus

/// A broker for one client at a time, on the loop of the client. It accepts every connection, answers
/// subscriptions, and keeps what it received.
final class ScriptedBroker {
    enum Received: Equatable {
        case connect
        case subscribe(String)
        case unsubscribe(String)
    }

    private let loop: EventLoop
    private let isV5: Bool
    private let listener: Int32
    private var client: Int32 = -1
    private var input: [UInt8] = []
    let port: Int
    private(set) var received: [Received] = []
    /// Subscriptions to these filters are refused.
    var refused: Set<String> = []

    init(_ version: BusSettings.Version, on loop: EventLoop) {
        (self.loop, isV5) = (loop, version == .v5)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { [listener] in
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0)
            }
        }
        precondition(listen(listener, 4) == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
        loop.watch(listener) { [weak self] _ in self?.accept() }
    }

    deinit {
        loop.unwatch(listener)
        close(listener)
        closeConnection()
    }

    func settings(readsUserProperties: Bool = false) -> BusSettings {
        BusSettings(
            host: "127.0.0.1", port: port, version: isV5 ? .v5 : .v311, clientID: "test",
            readsUserProperties: readsUserProperties)
    }

    /// Ends the connection without a packet.
    func closeConnection() {
        guard client >= 0 else { return }
        loop.unwatch(client)
        close(client)
        client = -1
    }

    /// Returns what was received since the last call.
    func takeReceived() -> [Received] {
        defer { received = [] }
        return received
    }

    /// Sends a message with QoS 0.
    func send(_ topic: String, user: [(name: String, value: String)] = []) {
        var properties: [UInt8] = []
        for (name, value) in user { properties += [0x26] + Self.text(name) + Self.text(value) }
        var body = Self.text(topic)
        if isV5 { body += Self.number(properties.count) + properties }
        send(0x30, body)
    }

    private func accept() {
        closeConnection()
        client = Glibc.accept(listener, nil, nil)
        input = []
        loop.watch(client) { [weak self] _ in self?.read() }
    }

    private func read() {
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = Glibc.read(client, &bytes, bytes.count)
        guard count > 0 else { return closeConnection() }
        input += bytes[..<count]
        while let (type, body) = nextPacket() { handle(type, body) }
    }

    /// The type and the content of a packet that has come completely.
    private func nextPacket() -> (type: UInt8, body: [UInt8])? {
        var (length, end) = (0, 1)
        repeat {
            guard end < input.count else { return nil }
            length |= Int(input[end] & 0x7F) << (7 * (end - 1))
            end += 1
        } while input[end - 1] & 0x80 != 0
        guard input.count >= end + length else { return nil }
        defer { input.removeFirst(end + length) }
        return (input[0] & 0xF0, Array(input[end..<end + length]))
    }

    private func handle(_ type: UInt8, _ body: [UInt8]) {
        switch type {
        case 0x10:
            received.append(.connect)
            send(0x20, isV5 ? [0, 0, 0] : [0, 0])
        case 0x80:
            let (packet, filter) = subscription(body)
            received.append(.subscribe(filter))
            send(0x90, packet + (isV5 ? [0] : []) + [refused.contains(filter) ? 0x87 : 0])
        case 0xA0:
            let (packet, filter) = subscription(body)
            received.append(.unsubscribe(filter))
            send(0xB0, packet + (isV5 ? [0, 0] : []))
        case 0xC0: send(0xD0, [])
        default: break
        }
    }

    /// The packet identifier and the only filter.
    private func subscription(_ body: [UInt8]) -> (packet: [UInt8], filter: String) {
        // The properties have less than 128 bytes, so that their length is one byte.
        let start = isV5 ? 3 + Int(body[2]) : 2
        let length = Int(body[start]) << 8 | Int(body[start + 1])
        return (Array(body[..<2]), String(decoding: body[(start + 2)...].prefix(length), as: UTF8.self))
    }

    private func send(_ type: UInt8, _ body: [UInt8]) {
        let packet = [type] + Self.number(body.count) + body
        precondition(write(client, packet, packet.count) == packet.count)
    }

    private static func text(_ text: String) -> [UInt8] {
        [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 0xFF)] + Array(text.utf8)
    }

    /// A variable byte integer (MQTT 5, 1.5.5).
    private static func number(_ value: Int) -> [UInt8] {
        value < 128 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + number(value >> 7)
    }
}
