internal import NIOCore

/// Answers the request of a connection that is not accepted, and closes it.
final class RefusalHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let body = "too many connections of this address\n"
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
