internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// The handlers of a connection: requests one after the other, each of which may open a WebSocket.
///
/// A `HTTPServerUpgradeHandler` is for the first request of a connection only. A proxy may have sent others
/// over the same connection before the page opens its socket, so each request gets a handler of its own.
final class RequestPipeline {
    private let server: ServerState
    private let encoder = HTTPResponseEncoder()
    /// The HTTP handlers, removed when the connection becomes a WebSocket.
    private let httpHandlers: [any RemovableChannelHandler]

    init(_ server: ServerState) {
        self.server = server
        httpHandlers = [
            ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
            HTTPServerPipelineHandler(), NIOHTTPResponseHeadersValidator(), HTTPServerProtocolErrorHandler(),
        ]
    }

    /// - Throws: an error of the channel, if it is closed already.
    func add(to channel: any Channel) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(encoder)
        for handler in httpHandlers { try pipeline.addHandler(handler) }
        let requests = RequestHandler(server, self)
        try pipeline.addHandler(requests)
        prepareRequest(for: requests, channel)
    }

    /// To be called before the next request is taken, which is before the last part of a response is written.
    func prepareRequest(for requests: RequestHandler, _ channel: any Channel) {
        let server = NIOLoopBound(server, eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: SocketHandler.maxMessageBytes,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(
                    server.value.mayOpenSocket(head, channel)
                        ? server.value.socketHeaders(head, channel) : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture { try server.value.openSocket(head, channel) }
            })
        let bound = NIOLoopBound(requests, eventLoop: channel.eventLoop)
        let handler = HTTPServerUpgradeHandler(
            upgraders: [upgrader], httpEncoder: encoder, extraHTTPHandlers: httpHandlers,
            upgradeCompletionHandler: { context in
                context.pipeline.syncOperations.removeHandler(bound.value, promise: nil)
            })
        // Fails only for a connection that is closed.
        try? channel.pipeline.syncOperations.addHandler(handler, position: .before(requests))
    }
}
