internal import Base
package import Bus
internal import Glibc
package import NIOCore
internal import NIOPosix

/// The connection of a server to the broker, on the thread of the server.
///
/// The connection has a loop of its own, because swift-nio reads and writes only descriptors of its own
/// channels. The server's loop runs it when it has something to do. With a thread for each, each message
/// would wake one thread more, which takes longer than all else that a server does with a message.
package final class BusConnection {
    private let server: any NIOCore.EventLoop
    private let loop = Base.EventLoop()
    private let readiness: LoopReadiness
    private var bus: MQTTBus?
    private var signals: (any Channel)?
    /// Runs the loop when its next timer is due.
    private var timer: (due: ContinuousClock.Instant, task: Scheduled<Void>)?
    /// Whether the loop runs: what is called from it need not wait for work.
    private var isRunning = false

    /// - Throws: `LoopError`.
    package init(on server: any NIOCore.EventLoop) throws {
        self.server = server
        readiness = try LoopReadiness(of: loop)
    }

    /// Connects. To be called once, before all else.
    ///
    /// - Parameters:
    ///   - received: called with each message.
    ///   - changed: called when the state of the connection changes.
    /// - Returns: fails with an error of the channel that carries the signals of the loop.
    /// - Throws: `BusError` for settings that cannot be used, or `LoopError`.
    package func start(
        _ settings: BusSettings, filters: [BusFilter], received: @escaping (BusMessage) -> Void,
        changed: @escaping (BusEvent) -> Void
    ) throws -> EventLoopFuture<Void> {
        let bus = try MQTTBus(settings, filters: filters, on: loop)
        bus.received = received
        bus.connectionChanged = changed
        self.bus = bus
        let bound = NIOLoopBound(self, eventLoop: server)
        let descriptor = try readiness.makeDescriptor()
        let opened = NIOPipeBootstrap(group: server)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SignalHandler { bound.value.signalled() })
                }
            }
            .takingOwnershipOfDescriptor(input: descriptor)
        opened.whenFailure { _ in Glibc.close(descriptor) }
        return opened.map { channel in
            let connection = bound.value
            connection.signals = channel
            connection.bus?.start()
            connection.waitForWork()
        }
    }

    func subscribe(_ filters: [BusFilter]) {
        bus?.subscribe(filters)
        waitForWork()
    }

    func unsubscribe(_ filters: [BusFilter]) {
        bus?.unsubscribe(filters)
        waitForWork()
    }

    func publish(
        _ topic: String, _ payload: [UInt8], qos: QualityOfService, _ properties: BusProperties
    ) {
        if qos == .atMostOnce {
            // A sample of a gesture that cannot be sent now is out of date later.
            bus?.publishIfReady(topic, payload, properties)
        } else {
            bus?.publishQueued(topic, payload, qos: qos, properties, group: nil)
        }
        waitForWork()
    }

    /// Disconnects after everything is sent: half a second at the most.
    package func stop() -> EventLoopFuture<Void> {
        let stopped = server.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: server)
        guard let bus else {
            stopped.succeed()
            return stopped.futureResult
        }
        bus.stop { stopped.succeed() }
        waitForWork()
        return stopped.futureResult.always { _ in bound.value.close() }
    }

    private func close() {
        timer?.task.cancel()
        timer = nil
        bus = nil
        signals?.close(promise: nil)
    }

    private func signalled() {
        readiness.signalled()
        run()
    }

    private func run() {
        isRunning = true
        loop.runOnce(timeout: .zero)
        isRunning = false
        waitForWork()
    }

    private func waitForWork() {
        if isRunning { return }
        readiness.signalWhenReady()
        guard let next = loop.nextTimer else { return }
        if let timer {
            if timer.due <= next { return }
            timer.task.cancel()
        }
        let bound = NIOLoopBound(self, eventLoop: server)
        let task = server.scheduleTask(in: TimeAmount(loop.now.duration(to: next))) {
            bound.value.timer = nil
            bound.value.run()
        }
        timer = (next, task)
    }
}

/// Reads the signals of an eventfd.
private final class SignalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let signalled: () -> Void

    init(_ signalled: @escaping () -> Void) { self.signalled = signalled }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}

    func channelReadComplete(context: ChannelHandlerContext) { signalled() }
}
