import NIOCore
import NIOEmbedded
import NIOHTTP1
import Settings
import Testing

@testable import Bus
@testable import Server

/// An address of `live` whose reader is slow, in the time of an embedded event loop.
@Suite struct PictureStreamTests {
    private final class RecordedBus: ConsoleBus {
        private(set) var topics: [String] = []
        private(set) var payloads: [String] = []
        func subscribe(_ filters: [BusFilter]) {}
        func unsubscribe(_ filters: [BusFilter]) {}
        func publish(
            _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties
        ) {
            topics.append(topic)
            payloads.append(String(decoding: payload, as: UTF8.self))
        }
    }

    /// Keeps what is written, as a network does whose receiver reads nothing.
    private final class ClosedWindow: ChannelOutboundHandler {
        typealias OutboundIn = HTTPServerResponsePart
        private var kept: [EventLoopPromise<Void>] = []
        /// The parts of pictures that were written.
        private(set) var count = 0
        private(set) var texts: [String] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .body(.byteBuffer(let part)) = unwrapOutboundIn(data) {
                count += 1
                texts.append(String(buffer: part))
            }
            if let promise { kept.append(promise) }
        }

        /// The receiver reads everything.
        func open() {
            let taken = kept
            kept = []
            for promise in taken { promise.succeed() }
        }
    }

    private struct Bench {
        let bus = RecordedBus()
        let window = ClosedWindow()
        let console: Console
        let channel = EmbeddedChannel()
        private let clock = Clock()

        private final class Clock {
            var now = ContinuousClock.now
        }

        init() throws {
            let options = ServerOptions(at: try #require(ListenAddress("127.0.0.1:0")))
            let access = AccessControl(tokens: TokenList(), name: "console", options.requests)
            console = Console(
                ConsoleSettings(
                    baseTopic: "v4l2mqtt", name: "console", account: nil, clientID: "id1", version: "1"),
                access: access, bus: bus
            ) { [clock] in clock.now }
            let metrics = MetricsFeed(
                FleetMetrics(baseTopic: "v4l2mqtt"), BusSettings(.standard), changed: { _ in }, log: { _ in })
            let server = ServerState(console, metrics, options)
            try channel.pipeline.syncOperations.addHandlers([
                window, RequestHandler(server, RequestPipeline(server)),
            ])
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            console.brokerConnected()
            publish("porch/availability", #"{"state":"online"}"#)
            publish("porch/info", #"{"cameras":["door"]}"#)
            publish("porch/door/availability", #"{"state":"online"}"#)
        }

        func publish(_ topic: String, _ text: String) {
            let message = BusMessage(
                topic: "v4l2mqtt/\(topic)", payload: Array(text.utf8), qos: .atMostOnce, isRetained: false,
                correlation: nil, contentType: nil, user: [])
            console.receive(message)
        }

        /// A picture comes from the camera.
        func takePicture() { publish("porch/door/preview/live", "a picture") }

        func request(_ path: String) throws {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: path, headers: ["Host": "localhost"])
            try channel.writeInbound(HTTPServerRequestPart.head(head))
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
        }

        /// The channel keeps itself by its handlers, and by what it has scheduled.
        func close() {
            window.open()
            wait(60)
            _ = try? channel.finish(acceptAlreadyClosed: true)
        }

        func wait(_ seconds: Int64) {
            clock.now += .seconds(seconds)
            channel.embeddedEventLoop.advanceTime(by: .seconds(seconds))
        }
    }

    /// A program that polls must not start and stop the camera each time.
    @Test func aPolledSnapshotKeepsItsLease() throws {
        let bench = try Bench()
        for _ in 0..<3 {
            try bench.request("/snapshot/porch/door")
            #expect(bench.bus.topics.count { $0.hasSuffix("/preview/set") } == 1, "one lease for all")
            bench.takePicture()
            bench.window.open()
            bench.wait(2)
            bench.console.tick(milliseconds: 0)
        }
        bench.wait(7)
        bench.console.tick(milliseconds: 0)
        #expect(bench.bus.payloads.allSatisfy { !$0.contains("stop") }, "9 s after the last one")
        bench.wait(1)
        bench.console.tick(milliseconds: 0)
        #expect(bench.bus.payloads.last?.contains(#""stop":true"#) == true)
    }

    @Test(arguments: [
        ("porch/door", #"{"state":"offline","reason":"private"}"#, "the camera is private"),
        ("porch/door", #"{"state":"offline","reason":"unplugged"}"#, "the camera is offline"),
        ("porch", #"{"state":"offline"}"#, "the camera's agent is offline"),
    ])
    func aSnapshotOfACameraWithoutPicturesIsRefusedAtOnce(topic: String, payload: String, reason: String)
        throws
    {
        let bench = try Bench()
        bench.publish("\(topic)/availability", payload)
        for path in ["snapshot", "live"] {
            let before = bench.window.texts.count
            try bench.request("/\(path)/porch/door")
            #expect(bench.window.texts.dropFirst(before) == ["\(reason)\n"])
        }
        #expect(bench.bus.topics.isEmpty, "no lease")
        bench.close()
    }

    @Test func aSnapshotThatWaitsIsRefusedWhenItsCameraBecomesPrivate() throws {
        let bench = try Bench()
        try bench.request("/snapshot/porch/door")
        #expect(bench.bus.topics == ["v4l2mqtt/porch/door/preview/set"])
        bench.publish("porch/door/availability", #"{"state":"offline","reason":"private"}"#)
        #expect(bench.window.texts.last == "the camera is private\n")
        bench.close()
    }

    @Test func aReaderThatTakesNothingIsLeft() throws {
        let bench = try Bench()
        try bench.request("/live/porch/door")
        #expect(bench.bus.topics == ["v4l2mqtt/porch/door/preview/set"])
        bench.takePicture()
        let partsOfAPicture = bench.window.count
        bench.wait(20)
        bench.takePicture()
        #expect(bench.window.count == 2 * partsOfAPicture)
        bench.wait(9)
        #expect(bench.channel.isActive)
        #expect(bench.bus.payloads.count == 1)
        bench.wait(1)
        #expect(!bench.channel.isActive, "30 s after the first picture")
        #expect(bench.bus.payloads.last?.contains(#""stop":true"#) == true, "its lease has ended")
        bench.window.open()
    }

    @Test func aSlowReaderStays() throws {
        let bench = try Bench()
        try bench.request("/live/porch/door")
        for number in 1...10 {
            let before = bench.window.count
            bench.takePicture()
            #expect(bench.window.count > before, "picture \(number)")
            bench.wait(29)
            bench.window.open()
        }
        // A camera that gives no pictures for a while.
        bench.wait(100)
        #expect(bench.channel.isActive)
        #expect(bench.bus.payloads.allSatisfy { !$0.contains("stop") })
        _ = try bench.channel.finish()
        #expect(bench.bus.payloads.last?.contains(#""stop":true"#) == true)
    }
}
