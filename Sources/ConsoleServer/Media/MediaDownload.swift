internal import Console
internal import Messages
internal import NIOCore
internal import NIOHTTP1

/// Sends a photo or a recording of a camera to a browser, chunk by chunk as the browser takes it.
final class MediaDownload {
    /// The largest chunk that an agent sends.
    private static let chunkBytes = 131_072
    /// The time for an answer of the agent.
    private static let timeout = TimeAmount.seconds(20)
    /// The time in which the browser has to take a chunk. A player that is paused takes none, and asks again
    /// later.
    private static let stallTimeout = TimeAmount.seconds(60)

    private struct Description: Decodable {
        struct File: Decodable {
            var bytes: Int
            var version: String
        }

        struct Failure: Decodable {
            var code: String
            var message: String
        }

        var status: String
        var file: File?
        var error: Failure?
    }

    private let camera: CameraName
    private let name: String
    private let viewer: Viewer
    private let range: ByteRange
    private let context: NIOLoopBound<ChannelHandlerContext>
    private let server: ServerState
    private let request: HTTPRequestHead
    /// Called once. `isComplete`: the response ends regularly; otherwise the connection is of no more use.
    private let ended: (_ isComplete: Bool) -> Void
    /// The name of the request that is not answered.
    private var open: String?
    private var hasBegun = false
    private var version = ""
    private var rest = 0..<0
    private var isOver = false
    private var timer: Scheduled<Void>?

    /// - Parameter request: `GET` or `HEAD`, perhaps of a part.
    init(
        _ camera: CameraName, _ name: String, of request: HTTPRequestHead, for viewer: Viewer,
        _ context: ChannelHandlerContext, _ server: ServerState, ended: @escaping (_ isComplete: Bool) -> Void
    ) {
        (self.camera, self.name, self.request, self.viewer) = (camera, name, request, viewer)
        range = ByteRange(header: request.method == .HEAD ? nil : request.headers.first(name: "Range"))
        self.context = NIOLoopBound(context, eventLoop: context.eventLoop)
        (self.server, self.ended) = (server, ended)
    }

    func start() {
        ask(["describe": .text(name)]) { [weak self] in self?.described($0) }
    }

    /// The browser is gone.
    func cancel() { _ = stop() }

    /// - Returns: whether it was not over before.
    private func stop() -> Bool {
        guard !isOver else { return false }
        isOver = true
        timer?.cancel()
        if let open { server.console.forget(open) }
        return true
    }

    private func ask(_ payload: [String: JSONTree], _ handle: @escaping (RequestResult) -> Void) {
        startTimer(Self.timeout, "the agent does not answer")
        open = server.console.request(camera, "media", payload, viewer, handle: handle)
        guard open == nil else { return }
        if server.console.isConnected {
            fail(.forbidden, "the role does not permit this")
        } else {
            fail(.serviceUnavailable, "the console has no connection to the broker")
        }
    }

    private func startTimer(_ time: TimeAmount, _ message: String) {
        timer?.cancel()
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        timer = context.value.eventLoop.scheduleTask(in: time) { bound.value.fail(.gatewayTimeout, message) }
    }

    private func described(_ result: RequestResult) {
        guard !isOver, !hasBegun else { return }
        guard case .answer(let payload, let isFinal) = result else {
            return fail(.badGateway, "the connection to the broker ended")
        }
        let description = JSON.value(Description.self, from: payload)
        guard let file = description?.file, file.bytes >= 0 else {
            guard isFinal else { return }
            let error = description?.error
            return fail(Self.status(of: error?.code), error?.message ?? "no description")
        }
        // The final answer comes when the hash is computed, which a download does not wait for.
        if let open { server.console.forget(open) }
        open = nil
        version = file.version
        guard let bytes = range.bytes(of: file.bytes) else {
            return fail(.rangeNotSatisfiable, "the file has \(file.bytes) bytes")
        }
        rest = bytes
        var headers = server.commonHeaders
        headers += [
            ("Content-Type", type), ("Content-Length", String(bytes.count)), ("Accept-Ranges", "bytes"),
            ("Cache-Control", "private, no-cache"),
        ]
        if range != .all {
            let last = bytes.upperBound - 1
            headers.append(("Content-Range", "bytes \(bytes.lowerBound)-\(last)/\(file.bytes)"))
        }
        write(range == .all ? .ok : .partialContent, headers)
        if request.method == .HEAD { rest = 0..<0 }
        next()
    }

    private static func status(of code: String?) -> HTTPResponseStatus {
        switch code {
        case "bad_payload": .notFound
        case "private": .forbidden
        case "busy", "unavailable", "rate_limited": .serviceUnavailable
        case "unsupported": .notImplemented
        default: .badGateway
        }
    }

    private func write(_ status: HTTPResponseStatus, _ headers: [(String, String)]) {
        hasBegun = true
        let head = HTTPResponseHead(status, to: request, isKeepAlive: request.keepsConnection, headers)
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
    }

    private var type: String {
        [".jpg": "image/jpeg", ".mp4": "video/mp4", ".mkv": "video/x-matroska"]
            .first { name.hasSuffix($0.key) }?.value ?? "application/octet-stream"
    }

    private func next() {
        guard !isOver else { return }
        guard !rest.isEmpty else {
            if stop() { ended(true) }
            return
        }
        let count = min(Self.chunkBytes, rest.count)
        let payload: [String: JSONTree] = [
            "get": .text(name), "offset": .integer(rest.lowerBound), "length": .integer(count),
            "version": .text(version),
        ]
        ask(payload) { [weak self] in self?.received($0) }
    }

    private func received(_ result: RequestResult) {
        guard !isOver else { return }
        guard case .file(_, let bytes, _) = result, !bytes.isEmpty, bytes.count <= rest.count else {
            if case .answer(_, isFinal: false) = result { return }
            return fail(.badGateway, "the file cannot be read further")
        }
        rest = (rest.lowerBound + bytes.count)..<rest.upperBound
        startTimer(Self.stallTimeout, "the browser does not read")
        let sent = context.value.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        sent.futureResult.whenSuccess { bound.value.next() }
        context.value.writeAndFlush(
            NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: sent)
    }

    /// Before the head: an error. After it: the connection is closed, as the browser waits for more bytes.
    private func fail(_ status: HTTPResponseStatus, _ message: String) {
        guard stop() else { return }
        guard !hasBegun else { return ended(false) }
        let body = ByteBuffer(string: message + "\n")
        write(
            status,
            server.commonHeaders + [
                ("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", String(body.readableBytes)),
            ])
        if request.method != .HEAD {
            context.value.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: nil)
        }
        ended(true)
    }
}
