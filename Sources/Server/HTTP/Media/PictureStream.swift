internal import Contract
internal import NIOCore
internal import NIOHTTP1

/// The pictures of a camera for a program that knows only HTTP: one JPEG, or an endless sequence of them
/// (`multipart/x-mixed-replace`). It is a page that draws each picture when the network has taken it.
final class PictureStream: PageConnection {
    enum Kind {
        case snapshot, live

        var contentType: String {
            switch self {
            case .snapshot: "image/jpeg"
            case .live: "multipart/x-mixed-replace; boundary=\(boundary)"
            }
        }
    }

    private static let boundary = "v4l2mqtt"
    private static let width = 1280
    /// Of a snapshot: the one after it takes the next picture of the same lease.
    private var rate: Double { kind == .snapshot ? 5 : 15 }
    /// The time in which the reader has to take a picture. A reader that is slower gets none, and its lease
    /// ends.
    private static let stallTimeout = TimeAmount.seconds(30)

    /// How long a wider picture is waited for, when those that come may be of an earlier, smaller lease.
    private static let narrowTime = TimeAmount.seconds(1)

    private let kind: Kind
    private let context: NIOLoopBound<ChannelHandlerContext>
    private let server: ServerState
    private let request: HTTPRequestHead
    /// Called once.
    private let ended: (RequestHandler.StreamEnd) -> Void
    private let admission: Admission
    private var page: Page?
    private var hasBegun = false
    private var isOver = false
    /// Pictures that the network has not taken completely.
    private var unread = 0
    private var stallTimer: Scheduled<Void>?
    /// Whether pictures may still be of an earlier, smaller lease, and the width of the first one.
    private var waitsForWidth = false
    private var narrowWidth: Int?

    init(
        _ kind: Kind, of camera: CameraAddress, _ admission: Admission, to request: HTTPRequestHead,
        _ context: ChannelHandlerContext, _ server: ServerState,
        ended: @escaping (RequestHandler.StreamEnd) -> Void
    ) {
        (self.kind, self.server, self.request, self.ended) = (kind, server, request, ended)
        self.admission = admission
        self.context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let page = server.console.connect(self, admission, hasText: false)
        self.page = page
        let request = PreviewRequest(camera: camera, width: Self.width, rate: rate)
        guard !server.console.watch([request], page).isEmpty else { return }
        waitsForWidth = true
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.narrowTime) { bound.value.waitsForWidth = false }
    }

    var isWritable: Bool { !isOver && context.value.channel.isWritable }

    func send(text: [UInt8]) {}
    func send(header: [UInt8], file: [UInt8]) {}

    /// Whether a picture is of an earlier, smaller lease. A camera may have no wider ones, so that this ends.
    private func isNarrow(_ picture: PreviewPicture) -> Bool {
        guard waitsForWidth, let width = picture.width, width < Self.width else { return false }
        let first = narrowWidth ?? width
        narrowWidth = first
        waitsForWidth = width <= first
        return waitsForWidth
    }

    func send(_ picture: PreviewPicture, number: Int) {
        if isNarrow(picture) {
            // The console sends the next one when this one is drawn, but not from within this call.
            let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
            context.value.eventLoop.execute { bound.value.report(number) }
            return
        }
        switch kind {
        case .snapshot:
            head(length: picture.content.readableBytes)
            write(picture.content)
            end(.complete)
        case .live:
            if !hasBegun { head(length: nil) }
            write(
                ByteBuffer(
                    string: "--\(Self.boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: "
                        + "\(picture.content.readableBytes)\r\n\r\n"))
            write(picture.content)
            let sent = context.value.eventLoop.makePromise(of: Void.self)
            let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
            sent.futureResult.whenComplete { _ in bound.value.drawn(number) }
            unread += 1
            if unread == 1 { startStallTimer() }
            write(ByteBuffer(string: "\r\n"), promise: sent)
        }
    }

    private func startStallTimer() {
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        stallTimer?.cancel()
        stallTimer = context.value.eventLoop.scheduleTask(in: Self.stallTimeout) { bound.value.close() }
    }

    /// The network has taken a picture.
    private func drawn(_ number: Int) {
        guard !isOver else { return }
        unread -= 1
        if unread > 0 { startStallTimer() } else { stallTimer?.cancel() }
        report(number)
    }

    private func report(_ number: Int) {
        if let page { server.console.drawn(number, page) }
    }

    private func head(length: Int?) {
        hasBegun = true
        // Pages of other sites may show the pictures if they know a token.
        var headers = server.headers(isForOthers: admission.token != nil)
        headers += [("Content-Type", kind.contentType), ("Cache-Control", "no-store")]
        if let length { headers.append(("Content-Length", String(length))) }
        let isKeepAlive = kind == .snapshot && request.keepsConnection
        let head = HTTPResponseHead(.ok, to: request, isKeepAlive: isKeepAlive, headers)
        context.value.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
    }

    private func write(_ data: ByteBuffer, promise: EventLoopPromise<Void>? = nil) {
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.body(.byteBuffer(data))), promise: promise)
    }

    /// The response in the place of pictures.
    static func unavailable(_ reason: String, to admission: Admission) -> Response {
        var response = Response.text(.serviceUnavailable, reason)
        response.headers.append(("Cache-Control", "no-store"))
        response.isForOthers = admission.token != nil
        return response
    }

    /// The console ends the stream, or no picture came in time.
    func close(_ error: PageError) {
        end(hasBegun ? .broken : .instead(Self.unavailable(error.reason, to: admission)))
    }

    /// Ends a response whose first picture has not come.
    func closeIfIdle(_ error: PageError) {
        if !hasBegun { close(error) }
    }

    func becameWritable() {
        if let page { server.console.becameWritable(page) }
    }

    /// The reader is gone, or takes nothing.
    func close() { end(.broken) }

    /// Nothing more is sent.
    private func end(_ end: RequestHandler.StreamEnd) {
        guard !isOver else { return }
        isOver = true
        stallTimer?.cancel()
        let isPolled = kind == .snapshot && hasBegun
        if let page { server.console.disconnected(page, keepsLeases: isPolled) }
        page = nil
        ended(end)
    }
}
