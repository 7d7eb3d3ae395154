import Base
import Glibc
import Settings

@testable import Bus

/// A broker for one client at a time, on the loop of the client. It accepts every connection, answers
/// subscriptions, and keeps what it received.
final class ScriptedBroker {
    enum Received: Equatable {
        case connect
        case subscribe(String)
        case unsubscribe(String)
        /// A client that ends its connection in this way has no will any more.
        case disconnect
    }

    /// What follows a CONNECT.
    enum Conduct: Sendable {
        case accepts, isSilent, closes
        /// With this reason code of MQTT 5, or return code of MQTT 3.1.1.
        case refuses(UInt8)
        /// As a broker that supports only MQTT 3.1.1: MQTT 5 is refused in the form of 3.1.1 (3.1.2.2).
        case refusesV5
        /// As a broker that does not look at the version: MQTT 5 is accepted in the form of 3.1.1.
        case acceptsAs311
    }

    var conduct = Conduct.accepts
    /// The properties of CONNACK, with MQTT 5.
    var acknowledgement: [UInt8] = []
    /// The protocol level of each CONNECT: 5, or 4 for MQTT 3.1.1.
    private(set) var levels: [UInt8] = []
    /// The properties of the last CONNECT with MQTT 5; they have less than 128 bytes.
    private(set) var connectProperties: [UInt8] = []
    /// The options of each SUBSCRIBE.
    private(set) var subscriptionOptions: [UInt8] = []
    /// The first byte of each PUBLISH: QoS and retain flag.
    private(set) var publications: [UInt8] = []
    /// The topics of the PUBLISH that were acknowledged; nil: none is.
    var acknowledged: [String]?
    private(set) var pings = 0

    private let loop: EventLoop
    private var isV5: Bool
    private let listener: Int32
    private var client: Int32 = -1
    private var input: [UInt8] = []
    let port: Int
    private(set) var received: [Received] = []
    /// Subscriptions to these filters are refused.
    var refused: Set<String> = []

    init(_ version: MQTTVersion, on loop: EventLoop) {
        (self.loop, isV5) = (loop, version == .v5)
        (listener, port) = freePort()
        precondition(listen(listener, 4) == 0)
        loop.watch(listener) { [weak self] _ in self?.accept() }
    }

    deinit {
        loop.unwatch(listener)
        close(listener)
        closeConnection()
    }

    func settings(
        maxPacketSize: UInt32 = BusSettings.usualMaxPacketSize, readsUserProperties: Bool = false
    ) -> BusSettings {
        var settings = BusSettings(port: port, isV5 ? .v5 : .v311)
        (settings.maxPacketSize, settings.readsUserProperties) = (maxPacketSize, readsUserProperties)
        return settings
    }

    /// Ends the connection without a packet.
    func closeConnection() {
        guard client >= 0 else { return }
        loop.unwatch(client)
        close(client)
        client = -1
    }

    /// Ends the connection with a DISCONNECT of MQTT 5.
    func disconnect(reason: UInt8) {
        send(0xE0, [reason, 0])
        closeConnection()
    }

    /// Returns what was received since the last call.
    func takeReceived() -> [Received] {
        defer { received = [] }
        return received
    }

    /// Sends a message with QoS 0, whose payload has so many bytes.
    func send(_ topic: String, user: [(name: String, value: String)] = [], bytes: Int = 0) {
        var properties: [UInt8] = []
        for (name, value) in user { properties += [0x26] + Self.text(name) + Self.text(value) }
        var body = Self.text(topic)
        if isV5 { body += Self.number(properties.count) + properties }
        send(0x30, body + [UInt8](repeating: 0, count: bytes))
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
        if input[0] & 0xF0 == 0x30 { publications.append(input[0]) }
        return (input[0] & 0xF0, Array(input[end..<end + length]))
    }

    private func handle(_ type: UInt8, _ body: [UInt8]) {
        switch type {
        case 0x10:
            received.append(.connect)
            levels.append(body[6])
            isV5 = body[6] == 5
            // After the protocol's name, its level, the flags and the keep-alive interval.
            if isV5 { connectProperties = Array(body[11...].prefix(Int(body[10]))) }
            answerConnect()
        case 0x80:
            let (packet, filters) = filters(body, optionBytes: 1)
            received += filters.map { .subscribe($0) }
            subscriptionOptions.append(body[body.count - 1])
            send(0x90, packet + (isV5 ? [0] : []) + filters.map { refused.contains($0) ? 0x87 : 0 })
        case 0xA0:
            let (packet, filters) = filters(body, optionBytes: 0)
            received += filters.map { .unsubscribe($0) }
            send(0xB0, packet + (isV5 ? [0] + filters.map { _ in 0 } : []))
        case 0x30:
            let end = 2 + Int(body[0]) << 8 + Int(body[1])
            guard acknowledged != nil, publications.last.map({ $0 & 0x06 == 0x02 }) == true else { return }
            acknowledged?.append(String(decoding: body[2..<end], as: UTF8.self))
            send(0x40, Array(body[end..<end + 2]))
        case 0xE0: received.append(.disconnect)
        case 0xC0:
            pings += 1
            send(0xD0, [])
        default: break
        }
    }

    private func answerConnect() {
        switch conduct {
        case .accepts: acknowledge(code: 0)
        case .isSilent: break
        case .closes: closeConnection()
        case .refuses(let code): acknowledge(code: code)
        case .refusesV5: if isV5 { send(0x20, [0, 1]) } else { acknowledge(code: 0) }
        case .acceptsAs311: send(0x20, [0, 0])
        }
    }

    private func acknowledge(code: UInt8) {
        send(0x20, [0, code] + (isV5 ? Self.number(acknowledgement.count) + acknowledgement : []))
    }

    /// The packet identifier and the filters.
    private func filters(_ body: [UInt8], optionBytes: Int) -> (packet: [UInt8], filters: [String]) {
        // The properties have less than 128 bytes, so that their length is one byte.
        var start = isV5 ? 3 + Int(body[2]) : 2
        var filters: [String] = []
        while start + 2 < body.count {
            let length = Int(body[start]) << 8 | Int(body[start + 1])
            filters.append(String(decoding: body[(start + 2)...].prefix(length), as: UTF8.self))
            start += 2 + length + optionBytes
        }
        return (Array(body[..<2]), filters)
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
