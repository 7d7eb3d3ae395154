internal import NIOCore
internal import NIOHTTP1

/// A response without a stream.
struct Response {
    var status: HTTPResponseStatus
    var headers: [(String, String)] = []
    var body = ByteBuffer()

    static func text(_ status: HTTPResponseStatus, _ text: String) -> Response {
        Response(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: ByteBuffer(string: text + "\n"))
    }

    /// The headers that every response has.
    ///
    /// - Parameter frameAncestors: the sites that may show the page in a frame.
    static func securityHeaders(frameAncestors: String) -> [(String, String)] {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
            "media-src 'self'", "connect-src 'self'", "manifest-src 'self'", "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors \(frameAncestors)",
        ]
        return [
            ("Content-Security-Policy", policy.joined(separator: "; ")),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
    }
}
