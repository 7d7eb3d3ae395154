import Contract
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import Settings
import Synchronization
import Testing

@testable import Bus
@testable import Server

/// A token that was removed admits nothing more, before a second has passed.
@Suite struct TokenRemovalTests {
    private final class RecordedBus: ConsoleBus {
        private(set) var topics: [String] = []
        func subscribe(_ filters: [BusFilter]) {}
        func unsubscribe(_ filters: [BusFilter]) {}
        func publish(
            _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties
        ) { topics.append(topic) }
    }

    /// The file with the tokens.
    private final class Stored: Sendable {
        private let content = Mutex((tokens: TokenList(), version: UInt(0)))

        func change(_ body: (inout TokenList) -> Void) {
            content.withLock {
                body(&$0.tokens)
                $0.version += 1
            }
        }

        func read(_ version: inout TokenVersion?) -> TokenList? {
            let (tokens, number) = content.withLock { ($0.tokens, $0.version) }
            guard version != TokenVersion(inode: number) else { return nil }
            version = TokenVersion(inode: number)
            return tokens
        }
    }

    private let bus = RecordedBus()
    private let stored = Stored()
    private let server: ServerState
    private let secret: String

    init() throws {
        let (made, secret) = try AccessToken.make(name: "tablet", role: .manage, cameras: ["*"], use: .page)
        let (other, _) = try AccessToken.make(name: "phone", role: .look, cameras: ["*"], use: .page)
        self.secret = secret
        stored.change {
            $0.set(made)
            $0.set(other)
        }
        var options = ServerOptions(at: try #require(ListenAddress("127.0.0.1:0")))
        options.readTokens = { [stored] in stored.read(&$0) }
        let settings = ConsoleSettings(
            baseTopic: "v4l2mqtt", name: "console", account: nil, clientID: "id1", version: "1")
        let access = AccessControl(tokens: TokenList(), name: "console", options.requests)
        let console = Console(settings, access: access, bus: bus)
        let metrics = MetricsFeed(
            FleetMetrics(baseTopic: "v4l2mqtt"), BusSettings(.standard), changed: { _ in }, log: { _ in })
        server = ServerState(console, metrics, options)
        server.updateTokens()
        console.brokerConnected()
        for (topic, payload) in [
            ("porch/availability", #"{"state":"online"}"#), ("porch/info", #"{"cameras":["door"]}"#),
            ("porch/door/availability", #"{"state":"online"}"#),
        ] {
            console.receive(
                BusMessage(
                    topic: "v4l2mqtt/\(topic)", payload: Array(payload.utf8), qos: .atMostOnce,
                    isRetained: false))
        }
    }

    private func removeToken() { stored.change { _ = $0.remove("tablet") } }

    @Test func aPageSendsNoFurtherCommand() throws {
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/socket")
        let source = RequestSource(head, peer: "192.168.1.20", port: 8177, RequestOptions())
        let handler = SocketHandler(server, source, server.console.access.admission(secret: secret, .page))
        let channel = EmbeddedChannel(handler: handler)
        func command(_ id: Int) throws {
            let text =
                #"{"command":{"id":"\#(id)","camera":"porch/door","node":"capture","payload":{}}}"#
            try channel.writeInbound(
                WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text)))
        }
        try command(1)
        #expect(bus.topics.count { $0.hasSuffix("/capture/set") } == 1)
        removeToken()
        try command(2)
        #expect(bus.topics.count { $0.hasSuffix("/capture/set") } == 1)
        var last: WebSocketFrame?
        while let frame = try channel.readOutbound(as: WebSocketFrame.self) { last = frame }
        #expect(last?.opcode == .connectionClose)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }

    @Test func aRequestIsRefused() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(RequestHandler(server, RequestPipeline(server)))
        try channel.connect(to: SocketAddress(ipAddress: "192.168.1.20", port: 1)).wait()
        func status() throws -> HTTPResponseStatus? {
            let headers: HTTPHeaders = ["Host": "console", "Authorization": "Bearer \(secret)"]
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/media/porch/none/a.jpg", headers: headers)
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            var status: HTTPResponseStatus?
            while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                if case .head(let head) = part { status = head.status }
            }
            return status
        }
        #expect(try status() == .serviceUnavailable, "the cameras are being read")
        removeToken()
        #expect(try status() == .forbidden)
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
