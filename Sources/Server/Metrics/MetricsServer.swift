package import Bus
internal import Fleet
internal import Glibc
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves `/metrics`: the broker and all readers on one thread.
package final class MetricsServer {
    /// In bytes, of what the broker sends. A larger payload would be left out (``FleetMetrics``).
    private static let maxPacketSize: UInt32 = 128 << 10

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let bus: NIOLoopBound<BusConnection>
    private let listener: any Channel
    private let timer: RepeatedTask

    /// The port on which the server listens.
    package var port: Int { listener.localAddress?.port ?? 0 }

    /// Listens, and connects to the broker.
    ///
    /// - Parameters:
    ///   - metrics: belongs to the server from now on.
    ///   - incomplete: called on the server's thread when all retained messages should have come, with the
    ///     number of cameras of which some are missing, unless that is 0.
    ///   - changed: called on the server's thread when the connection to the broker changes.
    /// - Throws: `IOError` if the address cannot be used; `BusError` for settings of the broker that cannot
    ///   be used; `LoopError` when the process is out of descriptors.
    package init(
        _ metrics: sending FleetMetrics, at place: ListenAddress, broker: BusSettings,
        incomplete: @escaping @Sendable (Int) -> Void, changed: @escaping @Sendable (BusEvent) -> Void
    ) throws {
        let loop = group.next()
        let filters = metrics.filters
        let state = MetricsState(metrics)
        var broker = broker
        broker.maxPacketSize = Self.maxPacketSize
        let settings = broker
        bus = try loop.submit { NIOLoopBound(try BusConnection(on: loop), eventLoop: loop) }.wait()
        listener = try ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try Self.setUp(channel, state) }
            }
            .bind(host: place.address, port: place.port).wait()
        let bus = bus
        try loop.submit {
            try bus.value.start(settings, filters: filters) { message in
                state.metrics.receive(message, at: .now, seconds: Self.seconds)
                state.carryOut(bus.value)
            } changed: { event in
                switch event {
                case .connected: state.metrics.connected(at: .now)
                case .disconnected: state.metrics.disconnected()
                case .subscribed: state.metrics.subscribed(at: .now)
                case .subscriptionRefused: break
                }
                state.carryOut(bus.value)
                changed(event)
            }
        }.flatMap { $0 }.wait()
        timer = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            if let count = state.metrics.secondPassed(at: .now) { incomplete(count) }
            state.carryOut(bus.value)
        }
    }

    /// Disconnects from the broker, and closes all connections. Waits for it.
    package func stop() {
        timer.cancel()
        let bus = bus
        _ = try? group.next().flatSubmit { bus.value.stop() }.wait()
        try? group.syncShutdownGracefully()
    }

    /// The time of day, in seconds since 1970.
    private static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec / 1_000_000) / 1000
    }

    private static func setUp(_ channel: any Channel, _ state: MetricsState) throws {
        let hasRoom = state.addConnection()
        channel.closeFuture.whenComplete { _ in state.removeConnection() }
        guard hasRoom else {
            channel.close(promise: nil)
            return
        }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
        try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(60)))
        try pipeline.addHandler(MetricsHandler(state.metrics))
    }
}

/// What all connections share.
///
/// `@unchecked Sendable`: it is used on the thread of the server only, after `init`.
private final class MetricsState: @unchecked Sendable {
    /// Connections at once: several Prometheus servers, and people.
    private static let maxConnections = 64

    let metrics: FleetMetrics
    private var connections = 0

    init(_ metrics: sending FleetMetrics) { self.metrics = metrics }

    /// Counts a connection until ``removeConnection()``, also one too many.
    ///
    /// - Returns: false: there are too many.
    func addConnection() -> Bool {
        connections += 1
        return connections <= Self.maxConnections
    }

    func removeConnection() { connections -= 1 }

    /// Begins and ends the subscriptions that the metrics need.
    func carryOut(_ bus: BusConnection) {
        for action in metrics.takeActions() {
            if case .unsubscribe = action {
                bus.unsubscribe(action.filters)
            } else {
                bus.subscribe(action.filters)
            }
        }
    }
}

/// The requests of one connection, one after the other. Bodies are ignored.
private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let metrics: FleetMetrics
    private var head: HTTPRequestHead?

    init(_ metrics: FleetMetrics) { self.metrics = metrics }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            if let head { respond(to: head, context) }
            head = nil
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A reader that sends or takes nothing for a minute.
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
    }

    private func respond(to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = request.uri.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
        let (status, type, text): (HTTPResponseStatus, String, String) =
            switch (request.method, path) {
            case (.GET, "/metrics"), (.HEAD, "/metrics"):
                (.ok, "text/plain; version=0.0.4; charset=utf-8", metrics.text(at: .now))
            case (.GET, "/"), (.HEAD, "/"):
                (.ok, "text/plain; charset=utf-8", "The metrics are at /metrics.\n")
            case (.GET, _), (.HEAD, _):
                (.notFound, "text/plain; charset=utf-8", "The metrics are at /metrics.\n")
            default: (.methodNotAllowed, "text/plain; charset=utf-8", "Only GET and HEAD are permitted.\n")
            }
        let body = ByteBuffer(string: text)
        var head = HTTPResponseHead(version: request.version, status: status)
        head.headers.add(name: "Content-Type", value: type)
        head.headers.add(name: "Content-Length", value: "\(body.readableBytes)")
        head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
        if status == .methodNotAllowed { head.headers.add(name: "Allow", value: "GET, HEAD") }
        let staysOpen = request.isKeepAlive
        head.headers.add(name: "Connection", value: staysOpen ? "keep-alive" : "close")
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            if !staysOpen { channel.close(promise: nil) }
        }
    }
}
