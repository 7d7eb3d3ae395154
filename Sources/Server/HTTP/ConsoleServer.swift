package import Bus
internal import NIOCore
internal import NIOPosix
internal import Settings

/// The console as a program: all browsers, and what the broker sends, on one thread. Or only its metrics.
package final class ConsoleServer {
    /// In bytes, of what the broker sends. Photos are smaller.
    private static let maxPacketSize: UInt32 = 16 << 20

    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let bus: NIOLoopBound<BusConnection>
    private let state: NIOLoopBound<ServerState>
    private let listener: any Channel
    private var timer: RepeatedTask?

    /// The port on which the server listens.
    package var port: Int { listener.localAddress?.port ?? 0 }

    /// Listens, and connects to the broker.
    ///
    /// - Parameter changed: called on the server's thread when the connection to the broker changes.
    /// - Throws: ``ListenError`` if the address cannot be used; `BusError` for settings of the broker that
    ///   cannot be used; `LoopError` when the process is out of descriptors.
    package init(
        _ settings: ConsoleSettings, _ options: ServerOptions, broker: BusSettings, tokens: TokenList,
        changed: @escaping @Sendable (BusEvent) -> Void
    ) throws {
        var settingsOfBroker = broker
        // There is no other version to choose.
        settingsOfBroker.versionKey = nil
        let broker = settingsOfBroker
        let loop = group.next()
        (bus, state) = try loop.submit {
            let access = AccessControl(tokens: tokens, name: settings.name, options.requests)
            let bus = try BusConnection(on: loop)
            let metrics = Self.metrics(settings, options, broker, changed)
            let state = ServerState(Console(settings, access: access, bus: bus), metrics, options)
            return (NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(state, eventLoop: loop))
        }.wait()
        let (bus, state) = (bus, state)
        do {
            listener = try Self.listen(options, state, on: group)
        } catch {
            throw ListenError(error, at: options.address, options.port)
        }
        try loop.submit {
            try state.value.startMetricsIfWanted(on: loop)
            if options.isForMetricsOnly { return }
            var broker = broker
            (broker.maxPacketSize, broker.readsUserProperties) = (Self.maxPacketSize, true)
            try bus.value.start(broker, filters: state.value.console.filters) {
                state.value.console.receive($0)
            } refused: {
                state.value.console.brokerRefused($0, $1)
            } changed: { event in
                state.value.brokerChanged(event)
                changed(event)
            }
        }.wait()
        timer = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            state.value.tick(on: loop)
        }
    }

    /// - Parameter changed: beside the page, only what the connection of the page does not tell.
    private static func metrics(
        _ settings: ConsoleSettings, _ options: ServerOptions, _ broker: BusSettings,
        _ changed: @escaping @Sendable (BusEvent) -> Void
    ) -> MetricsFeed {
        var broker = broker
        if !options.isForMetricsOnly { broker.mqtt.clientID += "-metrics" }
        let metrics = FleetMetrics(baseTopic: settings.baseTopic, limit: options.maxCameras)
        return MetricsFeed(metrics, broker) { event in
            if case .subscriptionRefused = event { return changed(event) }
            if options.isForMetricsOnly { changed(event) }
        } log: {
            options.log($0)
        }
    }

    /// Closes all pages, ends what they have begun, and disconnects from the broker. Waits for it.
    package func stop() {
        timer?.cancel()
        let state = state
        let bus = bus
        let loop = group.next()
        _ = try? loop.flatSubmit {
            state.value.console.stop()
            let ends = [bus.value.stop(), state.value.metrics.stop()].compactMap { $0 }
            return EventLoopFuture.andAllComplete(ends, on: loop)
        }.wait()
        try? group.syncShutdownGracefully()
    }

    private static func listen(
        _ options: ServerOptions, _ state: NIOLoopBound<ServerState>, on group: MultiThreadedEventLoopGroup
    ) throws -> any Channel {
        try ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try setUp(channel, state.value) }
            }
            .bind(host: options.address, port: options.port).wait()
    }

    /// Prepares the connection of a browser for requests and for a WebSocket.
    private static func setUp(_ channel: any Channel, _ state: ServerState) throws {
        guard !state.connections.isFull else {
            channel.close(promise: nil)
            return
        }
        let peer = RequestSource.withoutMapping(channel.remoteAddress?.ipAddress ?? "")
        let network = state.options.requests.proxies.contains(peer) ? nil : RequestRules.network(of: peer)
        guard state.connections.add(network) else {
            if state.connectionReports.mayReport(at: .now) {
                let count = state.connections.maxOfAddress
                state.options.log("warning: \(peer) has \(count) connections; further ones are refused")
            }
            return try channel.pipeline.syncOperations.addHandler(RefusalHandler())
        }
        let bound = NIOLoopBound(state, eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.connections.remove(network) }
        try RequestPipeline(state).add(to: channel)
    }
}

extension BusConnection: ConsoleBus {}
