internal import Console
internal import Messages
internal import NIOCore
internal import NIOHTTP1

/// Sends a photo or a recording of a camera to a browser, chunk by chunk as the browser takes it.
final class MediaDownload {
    /// The largest chunk that an agent sends.
    private static let chunkBytes = 131_072
    private static let timeout = TimeAmount.seconds(20)

    /// The part of a file that a browser wants, from its header `Range`.
    enum Range: Equatable {
        case all
        case from(Int, to: Int?)
        case last(Int)

        /// - Returns: ``all`` for headers that a server may ignore: several ranges, and other units.
        init(header: String?) {
            guard let header, header.hasPrefix("bytes="), !header.contains(",") else {
                self = .all
                return
            }
            let ends = header.dropFirst("bytes=".count).split(
                separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2 else {
                self = .all
                return
            }
            switch (Int(ends[0]), Int(ends[1])) {
            case (let from?, let to): self = from >= 0 && (to ?? from) >= from ? .from(from, to: to) : .all
            case (nil, let count?) where ends[0].isEmpty && count >= 0: self = .last(count)
            default: self = .all
            }
        }

        /// The bytes of a file; nil: there are none.
        func bytes(of total: Int) -> Swift.Range<Int>? {
            switch self {
            case .all: return 0..<total
            case .from(let from, let to):
                guard from < total else { return nil }
                return from..<min(total, (to ?? total - 1) + 1)
            case .last(let count): return count > 0 && total > 0 ? max(0, total - count)..<total : nil
            }
        }
    }

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
    private let range: Range
    private let context: NIOLoopBound<ChannelHandlerContext>
    private let server: ServerState
    private let headers: [(String, String)]
    private let ended: (_ isComplete: Bool) -> Void
    private var version = ""
    private var rest = 0..<0
    private var isOver = false
    private var timer: Scheduled<Void>?

    init(
        _ camera: CameraName, _ name: String, _ range: Range, for viewer: Viewer,
        _ context: ChannelHandlerContext,
        _ server: ServerState, headers: [(String, String)], ended: @escaping (_ isComplete: Bool) -> Void
    ) {
        (self.camera, self.name, self.range, self.viewer) = (camera, name, range, viewer)
        self.context = NIOLoopBound(context, eventLoop: context.eventLoop)
        (self.server, self.headers, self.ended) = (server, headers, ended)
    }

    func start() {
        request(["describe": .text(name)]) { [weak self] in self?.described($0) }
    }

    /// The browser is gone.
    func cancel() {
        isOver = true
        timer?.cancel()
    }

    private func request(_ payload: [String: JSONValue], _ handle: @escaping (RequestResult) -> Void) {
        timer?.cancel()
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        timer = context.value.eventLoop.scheduleTask(in: Self.timeout) {
            bound.value.fail(.gatewayTimeout, "the agent does not answer")
        }
        if !server.console.request(camera, "media", payload, viewer, handle: handle) {
            fail(.notFound, "there is no such camera, or the role does not permit this")
        }
    }

    private func described(_ result: RequestResult) {
        guard !isOver else { return }
        guard case .answer(let payload, let isFinal) = result else {
            return fail(.badGateway, "the connection to the broker ended")
        }
        guard isFinal else { return }
        guard let description = JSON.value(Description.self, from: payload), let file = description.file
        else {
            let error = JSON.value(Description.self, from: payload)?.error
            return fail(
                error?.code == "bad_payload" ? .notFound : .badGateway, error?.message ?? "no description")
        }
        version = file.version
        guard let bytes = range.bytes(of: file.bytes) else {
            return fail(.rangeNotSatisfiable, "the file has \(file.bytes) bytes")
        }
        rest = bytes
        var head = HTTPResponseHead(version: .http1_1, status: range == .all ? .ok : .partialContent)
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "Content-Type", value: type)
        head.headers.add(name: "Content-Length", value: String(bytes.count))
        head.headers.add(name: "Accept-Ranges", value: "bytes")
        head.headers.add(name: "Cache-Control", value: "private, no-cache")
        if range != .all {
            let last = bytes.upperBound - 1
            head.headers.add(name: "Content-Range", value: "bytes \(bytes.lowerBound)-\(last)/\(file.bytes)")
        }
        hasBegun = true
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        next()
    }

    private var hasBegun = false

    private var type: String {
        [".jpg": "image/jpeg", ".mp4": "video/mp4", ".mkv": "video/x-matroska"]
            .first { name.hasSuffix($0.key) }?.value ?? "application/octet-stream"
    }

    private func next() {
        guard !isOver else { return }
        guard !rest.isEmpty else {
            timer?.cancel()
            isOver = true
            context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
            return ended(true)
        }
        let count = min(Self.chunkBytes, rest.count)
        let payload: [String: JSONValue] = [
            "get": .text(name), "offset": .integer(rest.lowerBound), "length": .integer(count),
            "version": .text(version),
        ]
        request(payload) { [weak self] in self?.received($0) }
    }

    private func received(_ result: RequestResult) {
        guard !isOver else { return }
        guard case .file(_, let bytes, _) = result, !bytes.isEmpty, bytes.count <= rest.count else {
            if case .answer(_, isFinal: false) = result { return }
            return fail(.badGateway, "the file cannot be read further")
        }
        rest = (rest.lowerBound + bytes.count)..<rest.upperBound
        let sent = context.value.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: context.value.eventLoop)
        sent.futureResult.whenSuccess { bound.value.next() }
        context.value.writeAndFlush(
            NIOAny(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))), promise: sent)
    }

    /// Before the head: an error. After it: the connection is closed, as the browser waits for more bytes.
    private func fail(_ status: HTTPResponseStatus, _ message: String) {
        guard !isOver else { return }
        timer?.cancel()
        isOver = true
        if hasBegun {
            context.value.close(promise: nil)
            return ended(false)
        }
        let body = ByteBuffer(string: message + "\n")
        var head = HTTPResponseHead(version: .http1_1, status: status)
        for (name, value) in headers { head.headers.add(name: name, value: value) }
        head.headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
        head.headers.add(name: "Content-Length", value: String(body.readableBytes))
        context.value.write(NIOAny(HTTPServerResponsePart.head(head)), promise: nil)
        context.value.write(NIOAny(HTTPServerResponsePart.body(.byteBuffer(body))), promise: nil)
        context.value.writeAndFlush(NIOAny(HTTPServerResponsePart.end(nil)), promise: nil)
        ended(true)
    }
}
