import Bus
import Glibc
import Settings
import Testing

@testable import Server

/// A broker takes the size from CONNECT (MQTT 5, 3.1.2.11.4): it leaves out what is larger, so that no client
/// fills the memory of a server.
struct PacketSizeTests {
    /// A broker that takes one connection and answers nothing.
    private struct Broker: ~Copyable {
        private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

        init() {
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            precondition(listen(listener, 1) == 0)
        }

        deinit { close(listener) }

        /// Of a client.
        var settings: BusSettings {
            var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    precondition(getsockname(listener, $0, &length) == 0)
                }
            }
            var mqtt = MQTTSettings.standard
            (mqtt.host, mqtt.clientID) = ("127.0.0.1", "test")
            mqtt.port = Int(UInt16(bigEndian: address.sin_port))
            return BusSettings(mqtt)
        }

        /// The properties of the first CONNECT, which is shorter than 128 bytes.
        func connectProperties() -> [UInt8] {
            let client = accept(listener, nil, nil)
            defer { close(client) }
            var (packet, part) = ([UInt8](), [UInt8](repeating: 0, count: 256))
            while packet.count < 2 || packet.count < 2 + Int(packet[1]) {
                let count = read(client, &part, part.count)
                guard count > 0 else { return [] }
                packet += part.prefix(count)
            }
            // After the protocol's name, its level, the flags and the keep-alive interval.
            return Array(packet.dropFirst(13).prefix(Int(packet[12])))
        }
    }

    private func announced(_ size: UInt32) -> [UInt8] {
        [0x27] + withUnsafeBytes(of: size.bigEndian, Array.init)
    }

    private func server(_ broker: BusSettings, isForMetricsOnly: Bool) throws -> ConsoleServer {
        var options = ServerOptions(at: try #require(ListenAddress("127.0.0.1:0")))
        options.isForMetricsOnly = isForMetricsOnly
        let settings = ConsoleSettings(
            baseTopic: "v4l2mqtt", name: "console", account: nil, clientID: "test", version: "1")
        return try ConsoleServer(settings, options, broker: broker, tokens: TokenList()) { _ in }
    }

    @Test func theConsoleTakesAPhoto() throws {
        let broker = Broker()
        let server = try server(broker.settings, isForMetricsOnly: false)
        #expect(broker.connectProperties().starts(with: announced(16 << 20)))
        server.stop()
    }

    @Test func theMetricsTakeAState() throws {
        let broker = Broker()
        let server = try server(broker.settings, isForMetricsOnly: true)
        #expect(broker.connectProperties().starts(with: announced(128 << 10)))
        server.stop()
    }

    @Test func aPortThatIsInUseIsSaid() throws {
        let broker = Broker()
        let server = try server(broker.settings, isForMetricsOnly: true)
        let place = try #require(ListenAddress("127.0.0.1:\(server.port)"))
        let settings = ConsoleSettings(
            baseTopic: "v4l2mqtt", name: "console", account: nil, clientID: "test", version: "1")
        let error = #expect(throws: ListenError.self) {
            try ConsoleServer(
                settings, ServerOptions(at: place), broker: broker.settings, tokens: TokenList()
            ) {
                _ in
            }
        }
        #expect(error?.description.hasPrefix("another program listens on port \(server.port);") == true)
        server.stop()
    }
}
