internal import NIOCore
internal import NIOWebSocket

/// The WebSocket of a page.
final class SocketHandler: ChannelInboundHandler, PageConnection {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The largest message of a page in bytes.
    static let maxMessageBytes = 64 << 10
    private static let pingPeriod = TimeAmount.seconds(20)

    private let server: ServerState
    private let source: RequestSource
    private let admission: Admission?
    private var place = Place.none
    private var context: ChannelHandlerContext?
    private var page: Page?
    private var pings: RepeatedTask?
    private var isAnswered = true
    private var isClosing = false

    /// Among which sockets it is counted.
    private enum Place {
        case none, stranger, page
    }

    /// - Parameter admission: nil: the page has to send its token first.
    init(_ server: ServerState, _ source: RequestSource, _ admission: Admission?) {
        (self.server, self.source, self.admission) = (server, source, admission)
    }

    /// Counts the socket among those of pages, or of those that have not proved who they are.
    ///
    /// - Returns: false: there is no room for it.
    func takePlace() -> Bool {
        let isStranger = admission == nil && page?.viewer == nil
        let hasRoom =
            isStranger ? server.strangers.add(source.network) : server.sockets.add(source.network)
        guard hasRoom else { return false }
        leavePlace()
        place = isStranger ? .stranger : .page
        return true
    }

    private func leavePlace() {
        switch place {
        case .none: break
        case .stranger: server.strangers.remove(source.network)
        case .page: server.sockets.remove(source.network)
        }
        place = .none
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        // The proxy has said who it is: no other token counts.
        if admission == nil, source.user != nil { return close(.unknownUser) }
        let page = server.console.connect(self, admission)
        self.page = isClosing ? nil : page
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        pings = context.eventLoop.scheduleRepeatedTask(initialDelay: Self.pingPeriod, delay: Self.pingPeriod)
        { _ in
            bound.value.ping()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }
    func channelInactive(context: ChannelHandlerContext) { end() }

    private func end() {
        guard context != nil else { return }
        context = nil
        pings?.cancel()
        if let page { server.console.disconnected(page) }
        page = nil
        leavePlace()
    }

    private func ping() {
        guard let context else { return }
        // The page did not answer the ping before this one.
        guard isAnswered else { return context.close(promise: nil) }
        isAnswered = false
        write(.ping, ByteBuffer())
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            server.updateTokens()
            guard let page, !isClosing else { return }
            server.console.receive(Array(frame.unmaskedData.readableBytesView), from: page)
            if place == .stranger, page.viewer != nil, !takePlace() {
                close(.noRoom)
            }
        case .binary: close(PageError(.unacceptable, "messages of pages are text"))
        // A page that sends pings and reads nothing must not fill the memory with answers.
        case .ping: if isWritable { write(.pong, frame.unmaskedData) }
        case .pong: isAnswered = true
        case .connectionClose:
            if !isClosing { write(.connectionClose, frame.unmaskedData) }
            context.close(promise: nil)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let page { server.console.becameWritable(page) }
        context.fireChannelWritabilityChanged()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength,
            NIOWebSocketFrameAggregator.Error.accumulatedFrameSizeIsTooLarge,
            NIOWebSocketFrameAggregator.Error.tooManyFragments:
            close(PageError(.tooLarge, "a message has at most 64 KiB"))
        case is NIOWebSocketError, is NIOWebSocketFrameAggregator.Error:
            close(PageError(.protocolError, "the frame is not permitted here"))
        default: context.close(promise: nil)
        }
    }

    // MARK: PageConnection

    var isWritable: Bool { !isClosing && context?.channel.isWritable == true }

    func send(text: [UInt8]) { write(.text, ByteBuffer(bytes: text)) }

    func send(_ picture: PreviewPicture, number: Int) {
        send(header: picture.header(number: number), picture.content)
    }

    func send(header: [UInt8], file: [UInt8]) { send(header: header, ByteBuffer(bytes: file)) }

    /// The file is a frame of its own, so that it is not copied for each page.
    private func send(header: [UInt8], _ file: ByteBuffer) {
        guard let context, !isClosing, header.count <= PictureHeader.maxBytes else { return }
        var start = context.channel.allocator.buffer(capacity: header.count + 2)
        start.writeInteger(UInt16(header.count))
        start.writeBytes(header)
        context.write(wrapOutboundOut(WebSocketFrame(fin: false, opcode: .binary, data: start)), promise: nil)
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: .continuation, data: file)), promise: nil)
    }

    func close(_ error: PageError) {
        guard let context, !isClosing else { return }
        isClosing = true
        // What the page has begun ends now, not when its browser has answered.
        if let page { server.console.disconnected(page) }
        page = nil
        var data = context.channel.allocator.buffer(capacity: 2 + error.reason.utf8.count)
        data.write(webSocketErrorCode: WebSocketErrorCode(codeNumber: error.code.rawValue))
        data.writeString(error.reason)
        write(.connectionClose, data)
        // A page that reads nothing does not answer either.
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
    }

    private func write(_ code: WebSocketOpcode, _ data: ByteBuffer) {
        guard let context else { return }
        context.writeAndFlush(
            wrapOutboundOut(WebSocketFrame(fin: true, opcode: code, data: data)), promise: nil)
    }
}
