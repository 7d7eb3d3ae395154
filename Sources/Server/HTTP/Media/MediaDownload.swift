internal import Bus
internal import Contract
internal import Fleet
internal import NIOCore
internal import NIOHTTP1

/// Sends a photo or a recording of a camera to a browser, part by part as the browser takes it.
///
/// The first part tells the size and the version of the file, before the head of the response is written.
final class MediaDownload {
    /// The time for an answer of the agent.
    private static let timeout = TimeAmount.seconds(20)
    /// The time for the answers to the requests of other downloads that come first.
    private static let turnTimeout = TimeAmount.seconds(60)
    /// The time in which the browser has to take a part. A player that is paused takes none, and asks again
    /// later.
    private static let stallTimeout = TimeAmount.seconds(60)
    /// A part that the agent has no room for is requested again after each delay, for this time.
    private static let retryDelay = TimeAmount.milliseconds(200)
    private static let retryTime = TimeAmount.seconds(10)

    private let camera: CameraAddress
    private let name: String
    private let admission: Admission
    private let conditions: MediaConditions
    private let context: NIOLoopBound<ChannelHandlerContext>
    private let server: ServerState
    private let request: HTTPRequestHead
    /// Called once.
    private let ended: (RequestHandler.StreamEnd) -> Void
    private var turn: MediaTurns.Turn?
    /// The name of the request that is not answered.
    private var open: String?
    /// When the agent is not asked again for a part that it has no room for.
    private var retryEnd: NIODeadline?
    private var hasBegun = false
    /// Nil: the first part has not come.
    private var version: String?
    /// The bytes that the browser gets yet.
    private var rest = 0..<0
    private var isOver = false
    private var timer: Scheduled<Void>?

    /// - Parameter request: `GET` or `HEAD`, perhaps of a part.
    init(
        _ camera: CameraAddress, _ name: String, of request: HTTPRequestHead, for admission: Admission,
        _ context: ChannelHandlerContext, _ server: ServerState,
        ended: @escaping (RequestHandler.StreamEnd) -> Void
    ) {
        (self.camera, self.name, self.request, self.admission) = (camera, name, request, admission)
        conditions = MediaConditions(request)
        self.context = NIOLoopBound(context, eventLoop: context.eventLoop)
        (self.server, self.ended) = (server, ended)
    }

    func start() {
        // Otherwise one byte is enough to know the file.
        let wantsFirstBytes = request.method != .HEAD && conditions.wantsFirstBytes
        ask(from: 0, count: wantsFirstBytes ? MediaSet.longestPart : 1)
    }

    /// The browser is gone.
    func cancel() { _ = stop() }

    /// - Returns: whether it was not over before.
    private func stop() -> Bool {
        guard !isOver else { return false }
        isOver = true
        timer?.cancel()
        if let open { server.console.forget(open) }
        endTurn()
        return true
    }

    private func schedule(in time: TimeAmount, _ action: @escaping (MediaDownload) -> Void) {
        timer?.cancel()
        let bound = NIOLoopBound((self, action), eventLoop: context.value.eventLoop)
        timer = context.value.eventLoop.scheduleTask(in: time) {
            let (download, action) = bound.value
            action(download)
        }
    }

    // MARK: Parts

    /// Requests a part when it is the turn of this download.
    private func ask(from offset: Int, count: Int) {
        schedule(in: Self.turnTimeout) { $0.fail(.gatewayTimeout, "the agent answers slowly") }
        let owner = MediaTurns.Owner(agent: camera.agent, client: admission.viewer.name)
        let turn = MediaTurns.Turn(of: owner) { [weak self] in self?.send(from: offset, count: count) }
        self.turn = turn
        server.mediaTurns.add(turn)
    }

    private func endTurn() {
        if let turn { server.mediaTurns.end(turn) }
        turn = nil
    }

    private func send(from offset: Int, count: Int) {
        // The file may be sent for hours, and the token may be removed meanwhile.
        server.updateTokens()
        guard server.console.access.isValid(admission) else { return end(.tokenNeeded()) }
        schedule(in: Self.timeout) { $0.fail(.gatewayTimeout, "the agent does not answer") }
        var payload: JSONObject = [
            "get": .text(name), "offset": .integer(offset), "length": .integer(count),
        ]
        if let version { payload["version"] = .text(version) }
        do throws(CommandError) {
            open = try server.console.request(camera, "media", payload, admission.viewer) { [weak self] in
                self?.take($0, from: offset, count: count)
            }
        } catch {
            fail(Self.status(of: error.code), error.message)
        }
    }

    private func take(_ result: CommandResult, from offset: Int, count: Int) {
        guard !isOver, !result.isAccepted else { return }
        open = nil
        endTurn()
        switch result {
        case .reply(let reply, _):
            let error = reply.error
            if error?.code == .busy || error?.code == .rateLimited, mayRetry() {
                schedule(in: Self.retryDelay) { $0.ask(from: offset, count: count) }
            } else {
                fail(Self.status(of: error?.code), error?.message ?? "the agent sends no part of the file")
            }
        case .file(let message):
            let bytes = message.payload
            guard let part = ReceivedPartFields(message.user), part.offset == offset, bytes.count <= count,
                version == nil || version == part.version
            else { return fail(.badGateway, "the agent sends another part of the file") }
            retryEnd = nil
            if version == nil { begin(part, bytes) } else { pass(bytes) }
        case .failed(let error): fail(Self.status(of: error.code), error.message)
        }
    }

    /// Whether the agent, which had no room for a request, is to be asked again.
    private func mayRetry() -> Bool {
        let end = retryEnd ?? .now() + Self.retryTime
        retryEnd = end
        return .now() < end
    }

    private static func status(of code: CommandError.Code?) -> HTTPResponseStatus {
        switch code {
        case .badPayload, .badTopic: .notFound
        case .private, .forbidden: .forbidden
        case .busy, .unavailable, .rateLimited: .serviceUnavailable
        case .unsupported: .notImplemented
        default: .badGateway
        }
    }

    // MARK: The response

    /// - Parameter bytes: from the beginning of the file.
    private func begin(_ part: ReceivedPartFields, _ bytes: [UInt8]) {
        version = part.version
        var headers = [("Accept-Ranges", "bytes"), ("Cache-Control", "private, no-cache")]
        if let tag = part.tag { headers.append(("ETag", tag)) }
        let status: HTTPResponseStatus
        switch conditions.result(total: part.total, tag: part.tag) {
        case .unchanged: return end(Response(status: .notModified, headers: headers))
        case .beyond:
            var response = Response.text(.rangeNotSatisfiable, "the file has \(part.total) bytes")
            response.headers += headers + [("Content-Range", "bytes */\(part.total)")]
            return end(response)
        case .whole: (status, rest) = (.ok, 0..<part.total)
        case .part(let wanted):
            (status, rest) = (.partialContent, wanted)
            let last = wanted.upperBound - 1
            headers.append(("Content-Range", "bytes \(wanted.lowerBound)-\(last)/\(part.total)"))
        }
        headers += [("Content-Type", type), ("Content-Length", String(rest.count))]
        hasBegun = true
        let head = HTTPResponseHead(
            status, to: request, isKeepAlive: request.keepsConnection, server.headers() + headers)
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        if request.method == .HEAD { rest = 0..<0 }
        if rest.lowerBound == 0, !rest.isEmpty, !bytes.isEmpty {
            pass(Array(bytes.prefix(rest.count)))
        } else {
            next()
        }
    }

    private var type: String {
        [".jpg": "image/jpeg", ".mp4": "video/mp4", ".mkv": "video/x-matroska"]
            .first { name.hasSuffix($0.key) }?.value ?? "application/octet-stream"
    }

    /// Sends the next bytes to the browser, and requests the part after them when it has taken them.
    private func pass(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= rest.count else {
            return fail(.badGateway, "the file cannot be read further")
        }
        rest = (rest.lowerBound + bytes.count)..<rest.upperBound
        schedule(in: Self.stallTimeout) { $0.fail(.gatewayTimeout, "the browser does not read") }
        let sent = context.value.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        sent.futureResult.whenSuccess { bound.value.next() }
        context.value.writeAndFlush(
            NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: sent)
    }

    private func next() {
        guard !isOver else { return }
        guard !rest.isEmpty else {
            if stop() { ended(.complete) }
            return
        }
        ask(from: rest.lowerBound, count: min(MediaSet.longestPart, rest.count))
    }

    private func fail(_ status: HTTPResponseStatus, _ message: String) { end(.text(status, message)) }

    /// Before the head: with another response. After it: the connection is closed, as the browser waits for
    /// more bytes.
    private func end(_ response: Response) {
        if stop() { ended(hasBegun ? .broken : .instead(response)) }
    }
}
