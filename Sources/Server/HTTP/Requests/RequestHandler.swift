internal import Contract
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// The requests of one connection, one after the other.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The time for a request's head and body.
    private static let requestTimeout = TimeAmount.seconds(10)
    /// The time in which a browser has to take a response.
    private static let responseTimeout = TimeAmount.seconds(30)
    /// The time in which a snapshot needs a picture.
    private static let pictureTimeout = TimeAmount.seconds(10)
    private static let maxBodyBytes = 1024

    /// A response that is sent in parts.
    private enum Stream {
        case picture(PictureStream)
        case download(MediaDownload)
    }

    /// How a stream ends.
    enum StreamEnd {
        /// The response is complete.
        case complete
        /// Nothing was sent, and this is the response.
        case instead(Response)
        /// The connection is of no more use.
        case broken
    }

    private let server: ServerState
    private let pipeline: RequestPipeline
    private var request: (head: HTTPRequestHead, body: ByteBuffer)?
    private var stream: Stream?
    private var timer: Scheduled<Void>?

    init(_ server: ServerState, _ pipeline: RequestPipeline) {
        (self.server, self.pipeline) = (server, pipeline)
    }

    func handlerAdded(context: ChannelHandlerContext) { startTimer(context) }
    func handlerRemoved(context: ChannelHandlerContext) { end() }
    func channelInactive(context: ChannelHandlerContext) { end() }

    private func end() {
        timer?.cancel()
        switch stream {
        case .picture(let stream): stream.close()
        case .download(let download): download.cancel()
        case nil: break
        }
        stream = nil
    }

    /// Closes the connection after a time in which nothing has happened.
    private func startTimer(_ context: ChannelHandlerContext, _ time: TimeAmount = requestTimeout) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = (head, ByteBuffer())
        case .body(var part):
            guard request != nil else { return }
            request?.body.writeBuffer(&part)
            guard let (head, body) = request, body.readableBytes > Self.maxBodyBytes else { return }
            request = nil
            send(
                .text(.payloadTooLarge, "a body has at most \(Self.maxBodyBytes) bytes"), to: head,
                isLast: true, context)
        case .end:
            guard let request else { return }
            self.request = nil
            timer?.cancel()
            let response: Response?
            do throws(Response) {
                response = try answer(request.head, request.body, context)
            } catch {
                response = error
            }
            if let response { send(response, to: request.head, context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The request for a WebSocket that is not opened comes next, and is answered.
        if error is NIOWebSocketUpgradeError { return }
        context.close(promise: nil)
    }

    /// - Parameter isLast: the connection is closed after the response.
    private func send(
        _ response: Response, to request: HTTPRequestHead, isLast: Bool = false,
        _ context: ChannelHandlerContext
    ) {
        // Without a length, the end of the connection is the end of the response.
        let isKeepAlive = request.keepsConnection && !isLast && !response.hasUnknownLength
        var head = HTTPResponseHead(
            response.status, to: request, isKeepAlive: isKeepAlive,
            server.headers(isForOthers: response.isForOthers) + response.headers)
        if response.status != .noContent, response.status != .notModified, !response.hasUnknownLength {
            head.headers.add(name: "Content-Length", value: String(response.body.readableBytes))
        }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD, response.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
        }
        finish(isKeepAlive: isKeepAlive, holding: response.held, context)
    }

    /// Ends a response. The connection is closed when everything is sent, or takes the next request then.
    ///
    /// - Parameter object: kept until then.
    private func finish(
        isKeepAlive: Bool, holding object: AnyObject? = nil, _ context: ChannelHandlerContext
    ) {
        startTimer(context, Self.responseTimeout)
        let sent = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context, object), eventLoop: context.eventLoop)
        sent.futureResult.whenSuccess {
            let (handler, context, _) = bound.value
            if isKeepAlive { handler.startTimer(context) } else { context.close(promise: nil) }
        }
        if isKeepAlive { pipeline.prepareRequest(for: self, context.channel) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
    }

    /// What a stream calls when it is over.
    private func streamEnds(
        of head: HTTPRequestHead, isKeepAlive: Bool, _ context: ChannelHandlerContext
    ) -> (StreamEnd) -> Void {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        return { end in
            let (handler, context) = bound.value
            handler.stream = nil
            switch end {
            case .complete: handler.finish(isKeepAlive: isKeepAlive, context)
            case .instead(let response): handler.send(response, to: head, isLast: !isKeepAlive, context)
            case .broken:
                handler.timer?.cancel()
                context.close(promise: nil)
            }
        }
    }

    // MARK: Routes

    /// - Returns: nil: the response is a stream.
    /// - Throws: the response to a request that is refused.
    private func answer(
        _ head: HTTPRequestHead, _ body: ByteBuffer, _ context: ChannelHandlerContext
    ) throws(Response) -> Response? {
        server.updateTokens()
        let source = RequestSource(head, context.channel, server)
        if let refusal = server.refusal(of: head, source) { return refusal }
        guard let address = RequestAddress(head.uri) else { return .text(.badRequest, "not an address") }
        if server.options.isForMetricsOnly {
            return try metricsAlone(head, address, source, context.eventLoop)
        }
        switch (head.method, address.parts.first ?? "", address.parts.count) {
        case (.POST, "session", 1): return try signIn(head, body, source)
        case (.DELETE, "session", 1): return signOut(head, source)
        case (.GET, "socket", 1):
            // A page asks here why its socket was not opened; such a request of a browser has no origin.
            let refusal =
                head.headers.contains(name: "Upgrade")
                ? server.refusalOfSocket(head, source) : server.lackOfRoom(head, source)
            return refusal ?? .text(.upgradeRequired, "this address is for the WebSocket of the page")
        case (.GET, "media", 4), (.HEAD, "media", 4): return try download(head, address, source, context)
        case (.GET, "live", 3), (.HEAD, "live", 3): return try pictures(.live, head, address, source, context)
        case (.GET, "snapshot", 3), (.HEAD, "snapshot", 3):
            return try pictures(.snapshot, head, address, source, context)
        case (.GET, "metrics", 1), (.HEAD, "metrics", 1): return try metrics(head, source, context.eventLoop)
        case (.GET, let name, 1), (.HEAD, let name, 1): return file(name, head)
        case (.GET, _, _), (.HEAD, _, _): return .text(.notFound, "there is nothing at this address")
        default: return .text(.methodNotAllowed, "this address does not take \(head.method)")
        }
    }

    /// Of a server without a page.
    private func metricsAlone(
        _ head: HTTPRequestHead, _ address: RequestAddress, _ source: RequestSource, _ loop: any EventLoop
    ) throws(Response) -> Response {
        let isRead = [.GET, .HEAD].contains(head.method)
        if isRead, address.parts == ["metrics"] { return try metrics(head, source, loop) }
        let status: HTTPResponseStatus =
            !isRead ? .methodNotAllowed : address.parts == [""] ? .ok : .notFound
        return .text(status, isRead ? "The metrics are at /metrics." : "Only GET and HEAD are permitted.")
    }

    private func metrics(
        _ head: HTTPRequestHead, _ source: RequestSource, _ loop: any EventLoop
    ) throws(Response) -> Response {
        try server.admitToMetrics(head, source)
        do {
            try server.metrics.start(on: loop)
        } catch {
            throw .text(.serviceUnavailable, "\(error)")
        }
        let text = server.metrics.text(at: .now)
        return Response(
            status: .ok, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
            body: text.body, held: text)
    }

    private func file(_ name: String, _ head: HTTPRequestHead) -> Response {
        guard let file = PageFiles.all[name] else {
            return .text(.notFound, "there is nothing at this address")
        }
        let headers = [("Content-Type", file.type), ("Cache-Control", "no-cache"), ("ETag", file.tag)]
        if head.headers.first(name: "If-None-Match") == file.tag {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: file.content)
    }

    private func signIn(
        _ head: HTTPRequestHead, _ body: ByteBuffer, _ source: RequestSource
    ) throws(Response) -> Response {
        if let refusal = source.crossSiteRefusal(head) { return refusal }
        // Another token would not change who the user is.
        if source.user != nil { return .text(.forbidden, PageError.unknownUser.reason) }
        guard let secret = JSON(Array(body.readableBytesView))?.object?["token"]?.text else {
            return .text(.badRequest, "expected {\"token\": \"…\"}")
        }
        _ = try server.admission(secret: secret, .page)
        let cookie = source.cookieHeader(secret)
        return Response(status: .noContent, headers: [cookie, ("Cache-Control", "no-store")])
    }

    private func signOut(_ head: HTTPRequestHead, _ source: RequestSource) -> Response {
        if let refusal = source.crossSiteRefusal(head) { return refusal }
        return Response(status: .noContent, headers: [source.cookieHeader("", lifetime: 0)])
    }

    private func download(
        _ head: HTTPRequestHead, _ address: RequestAddress, _ source: RequestSource,
        _ context: ChannelHandlerContext
    ) throws(Response) -> Response? {
        let admission = try server.fileAdmission(head, source)
        guard let camera = address.camera else { return .text(.notFound, "there is no such camera") }
        if let refusal = absence(of: camera, for: admission.viewer) { return refusal }
        let download = MediaDownload(
            camera, address.parts[3], of: head, for: admission, context, server,
            ended: streamEnds(of: head, isKeepAlive: head.keepsConnection, context))
        stream = .download(download)
        download.start()
        return nil
    }

    /// Why a camera cannot be shown to a viewer; nil: it can be.
    private func absence(of camera: CameraAddress, for viewer: Viewer) -> Response? {
        switch server.console.shows(camera, to: viewer) {
        case true?: nil
        case false?: .text(.notFound, "there is no such camera")
        case nil where server.console.isConnected:
            .text(.serviceUnavailable, "the console is reading the cameras of the broker")
        case nil: .text(.serviceUnavailable, "the console has no connection to the broker")
        }
    }

    private func pictures(
        _ kind: PictureStream.Kind, _ head: HTTPRequestHead, _ address: RequestAddress,
        _ source: RequestSource,
        _ context: ChannelHandlerContext
    ) throws(Response) -> Response? {
        let admission = try server.pictureAdmission(token: address.value(of: "token"), source)
        guard let camera = address.camera else { return .text(.notFound, "there is no such camera") }
        if let refusal = absence(of: camera, for: admission.viewer) { return refusal }
        if let reason = server.console.reasonWithoutPictures(of: camera) {
            return PictureStream.unavailable(reason, to: admission)
        }
        if head.method == .HEAD {
            return Response(
                status: .ok, headers: [("Content-Type", kind.contentType)], hasUnknownLength: true)
        }
        guard server.sockets.add(source.network) else {
            return ServerState.isFull
        }
        let isKeepAlive = kind == .snapshot && head.keepsConnection
        let ends = streamEnds(of: head, isKeepAlive: isKeepAlive, context)
        let server = server
        let stream = PictureStream(kind, of: camera, admission, to: head, context, server) { end in
            server.sockets.remove(source.network)
            ends(end)
        }
        self.stream = .picture(stream)
        let waiting = NIOLoopBound(stream, eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: Self.pictureTimeout) {
            waiting.value.closeIfIdle(PageError(.tryAgainLater, "the camera gives no picture"))
        }
        return nil
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, case .picture(let stream) = stream { stream.becameWritable() }
        context.fireChannelWritabilityChanged()
    }
}
