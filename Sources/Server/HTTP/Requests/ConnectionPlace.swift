internal import NIOCore

/// The place of one connection among those of its address. The connections of a trusted proxy count for the
/// addresses of the browsers, which their requests name.
final class ConnectionPlace {
    private let server: ServerState
    private var address: String?

    init(_ server: ServerState) { self.server = server }

    /// Counts the connection for the address of its other end, unless that is a proxy.
    ///
    /// - Returns: false: the address has as many connections as it may.
    func take(peer: String) -> Bool {
        let peer = RequestSource.withoutMapping(peer)
        return server.options.proxies.addresses.contains(peer) || move(to: peer)
    }

    /// Counts the connection for the browser whose request comes over it.
    ///
    /// - Returns: false: the address of the browser has as many connections as it may.
    func take(_ source: RequestSource) -> Bool { !source.isFromProxy || move(to: source.address) }

    /// The connection is closed.
    func end() {
        if let address { server.connectionsOfAddresses.remove(address) }
        address = nil
    }

    private func move(to new: String) -> Bool {
        guard address != new else { return true }
        end()
        guard server.connectionsOfAddresses.add(new) else {
            if server.connectionReports.mayReport(at: .now) {
                let count = server.connectionsOfAddresses.maxOfAddress
                server.options.log("warning: \(new) has \(count) connections; further ones are refused")
            }
            return false
        }
        address = new
        return true
    }
}

/// Answers the request of a connection that is not accepted, and closes it.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    static let message = "too many connections of this address"

    func channelActive(context: ChannelHandlerContext) {
        let body = Self.message + "\n"
        let response = [
            "HTTP/1.1 503 Service Unavailable", "Content-Type: text/plain; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Connection: close", "", body,
        ]
        let sent = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        sent.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(
            wrapOutboundOut(ByteBuffer(string: response.joined(separator: "\r\n"))), promise: sent)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
