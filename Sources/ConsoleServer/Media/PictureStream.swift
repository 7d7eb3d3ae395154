internal import Console
internal import NIOCore
internal import NIOHTTP1

/// The pictures of a camera for a program that knows only HTTP: one JPEG, or an endless sequence of them
/// (`multipart/x-mixed-replace`). It is a page that draws each picture when the network has taken it.
final class PictureStream: PageConnection {
    enum Kind {
        case snapshot, live
    }

    static let boundary = "v4l2mqtt"
    private static let width = 1280
    private static let rate = 15.0

    private let kind: Kind
    private let context: NIOLoopBound<ChannelHandlerContext>
    private let server: ServerState
    private let headers: [(String, String)]
    /// Called once, after a snapshot, or when the stream cannot go on.
    private let ended: () -> Void
    private var page: Page?
    private var hasBegun = false
    private var isOver = false

    /// - Parameter headers: those that every response has.
    init(
        _ kind: Kind, of camera: CameraName, _ admission: Admission, _ context: ChannelHandlerContext,
        _ server: ServerState, headers: [(String, String)], ended: @escaping () -> Void
    ) {
        (self.kind, self.server, self.headers, self.ended) = (kind, server, headers, ended)
        self.context = NIOLoopBound(context, eventLoop: context.eventLoop)
        let page = server.console.connect(self, admission, hasText: false)
        self.page = page
        server.console.watch([PreviewWish(camera: camera, width: Self.width, rate: Self.rate)], page)
    }

    var isWritable: Bool { !isOver && context.value.channel.isWritable }

    func send(text: [UInt8]) {}
    func send(header: [UInt8], file: [UInt8]) {}

    func send(_ picture: Picture, number: Int) {
        guard let content = picture.content as? PictureBuffer else { return }
        switch kind {
        case .snapshot:
            head(type: "image/jpeg", length: content.buffer.readableBytes)
            write(content.buffer)
            finish()
        case .live:
            if !hasBegun { head(type: "multipart/x-mixed-replace; boundary=\(Self.boundary)", length: nil) }
            write(
                ByteBuffer(
                    string: "--\(Self.boundary)\r\nContent-Type: image/jpeg\r\nContent-Length: "
                        + "\(content.buffer.readableBytes)\r\n\r\n"))
            write(content.buffer)
            let sent = context.value.eventLoop.makePromise(of: Void.self)
            let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
            sent.futureResult.whenComplete { _ in bound.value.drawn(number) }
            write(ByteBuffer(string: "\r\n"), promise: sent)
        }
    }

    private func drawn(_ number: Int) {
        if let page { server.console.drawn(number, page) }
    }

    private func head(type: String, length: Int?) {
        hasBegun = true
        var head = HTTPResponseHead(version: .http1_1, status: .ok)
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "Content-Type", value: type)
        head.headers.add(name: "Cache-Control", value: "no-store")
        if let length { head.headers.add(name: "Content-Length", value: String(length)) }
        context.value.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
    }

    private func write(_ data: ByteBuffer, promise: EventLoopPromise<Void>? = nil) {
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.body(.byteBuffer(data))), promise: promise)
    }

    private func finish() {
        guard !isOver else { return }
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
        close()
    }

    /// The console ends the stream, or no picture came in time.
    func close(_ error: PageError) {
        guard !isOver else { return }
        if !hasBegun {
            var head = HTTPResponseHead(version: .http1_1, status: .serviceUnavailable)
            for (name, value) in headers { head.headers.add(name: name, value: value) }
            let text = ByteBuffer(string: error.reason + "\n")
            head.headers.add(name: "Content-Length", value: String(text.readableBytes))
            context.value.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
            write(text)
            finish()
        } else {
            let channel = context.value.channel
            close()
            channel.close(promise: nil)
        }
    }

    /// Ends a response whose first picture has not come.
    func closeIfIdle(_ error: PageError) {
        if !hasBegun { close(error) }
    }

    func becameWritable() {
        if let page { server.console.becameWritable(page) }
    }

    /// Nothing more is sent: the response is complete, or the reader is gone.
    func close() {
        guard !isOver else { return }
        isOver = true
        if let page { server.console.disconnected(page) }
        page = nil
        ended()
    }
}
