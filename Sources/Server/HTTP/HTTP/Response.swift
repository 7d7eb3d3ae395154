internal import NIOCore
internal import NIOHTTP1

/// A response without a stream.
struct Response {
    var status: HTTPResponseStatus
    var headers: [(String, String)] = []
    var body = ByteBuffer()
    /// True for an answer to `HEAD` whose `GET` response has no fixed length: `Content-Length` is omitted.
    var hasUnknownLength = false

    static func text(_ status: HTTPResponseStatus, _ text: String) -> Response {
        Response(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: ByteBuffer(string: text + "\n"))
    }

    /// The headers that every response has.
    ///
    /// - Parameters:
    ///   - frameAncestors: the sites that may show the page in a frame.
    ///   - isForOthers: whether pages of other sites may show the response, such as a dashboard with a
    ///   picture.
    static func securityHeaders(frameAncestors: String, isForOthers: Bool = false) -> [(String, String)] {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
            "media-src 'self' blob:", "connect-src 'self'", "manifest-src 'self'", "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors \(frameAncestors)",
        ]
        return [
            ("Content-Security-Policy", policy.joined(separator: "; ")),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", isForOthers ? "cross-origin" : "same-origin"),
        ]
    }
}

extension HTTPResponseHead {
    /// The head of a response. It has the version of the request: a program that knows only HTTP 1.0 cannot
    /// read a body in chunks.
    init(
        _ status: HTTPResponseStatus, to request: HTTPRequestHead, isKeepAlive: Bool,
        _ headers: [(String, String)]
    ) {
        self.init(version: request.version.minor == 0 ? .http1_0 : .http1_1, status: status)
        for (name, value) in headers { self.headers.add(name: name, value: value) }
        if !isKeepAlive {
            self.headers.add(name: "Connection", value: "close")
        } else if version == .http1_0 {
            self.headers.add(name: "Connection", value: "keep-alive")
        }
    }
}

extension HTTPRequestHead {
    /// Whether the connection takes another request after this one. A decoder reads nothing after a request
    /// for another protocol, also if that is refused (`HTTPRequestDecoder`).
    var keepsConnection: Bool { isKeepAlive && !headers.contains(name: "Upgrade") }
}
