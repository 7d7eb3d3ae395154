package import Bus
internal import NIOCore
internal import NIOPosix

/// The console as a program: the broker and all browsers on one thread.
package final class ConsoleServer {
    /// Connections of browsers and programs at once.
    private static let maxConnections = 256
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
    /// - Throws: `IOError` if the address cannot be used; `BusError` for settings of the broker that cannot
    ///   be used; `LoopError` when the process is out of descriptors.
    package init(
        _ settings: ConsoleSettings, _ options: ServerOptions, broker: BusSettings, tokens: TokenList,
        key: [UInt8],
        changed: @escaping @Sendable (BusEvent) -> Void
    ) throws {
        var broker = broker
        (broker.maxPacketSize, broker.readsUserProperties) = (Self.maxPacketSize, true)
        let brokerSettings = broker
        let loop = group.next()
        (bus, state) = try loop.submit {
            let access = AccessControl(
                tokens: tokens, key: key, name: settings.name, mayBeOpen: options.mayBeOpen)
            let bus = try BusConnection(on: loop)
            let state = ServerState(Console(settings, access: access, bus: bus), options)
            return (NIOLoopBound(bus, eventLoop: loop), NIOLoopBound(state, eventLoop: loop))
        }.wait()
        let (bus, state) = (bus, state)
        listener = try Self.listen(options, state, on: group)
        try loop.submit {
            try bus.value.start(brokerSettings, filters: state.value.console.filters) {
                state.value.receive($0)
            } changed: { event in
                state.value.brokerChanged(event)
                changed(event)
            }
        }.flatMap { $0 }.wait()
        timer = loop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            state.value.console.tick(milliseconds: ServerState.milliseconds)
        }
    }

    /// Puts other tokens into effect. Pages of tokens that are gone are closed.
    package func set(_ tokens: TokenList) {
        let state = state
        group.next().execute {
            state.value.console.access.tokens = tokens
            state.value.console.tokensChanged()
        }
    }

    /// Closes all pages, ends what they have begun, and disconnects from the broker. Waits for it.
    package func stop() {
        timer?.cancel()
        let state = state
        let bus = bus
        _ = try? group.next().flatSubmit {
            state.value.console.stop()
            return bus.value.stop()
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
        guard state.connections < maxConnections else {
            channel.close(promise: nil)
            return
        }
        let place = ConnectionPlace(state)
        guard place.take(peer: channel.remoteAddress?.ipAddress ?? "") else {
            return try channel.pipeline.syncOperations.addHandler(RefusalHandler())
        }
        state.connections += 1
        let bound = NIOLoopBound((state, place), eventLoop: channel.eventLoop)
        channel.closeFuture.whenComplete { _ in
            bound.value.0.connections -= 1
            bound.value.1.end()
        }
        try RequestPipeline(state, place).add(to: channel)
    }
}

extension BusConnection: ConsoleBus {}
