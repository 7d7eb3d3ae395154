internal import NIOCore
internal import NIOHTTP1

/// A response without a stream. As an error it is that to a request which is refused.
///
/// `@unchecked Sendable`, as errors are: it stays on the thread of the server.
struct Response: Error, @unchecked Sendable {
    var status: HTTPResponseStatus
    var headers: [(String, String)] = []
    var body = ByteBuffer()
    /// Kept until the network has taken the body.
    var held: AnyObject?
    /// True for an answer to `HEAD` whose `GET` response has no fixed length: `Content-Length` is omitted.
    var hasUnknownLength = false
    /// Whether pages of other sites may show the response, such as a dashboard with a picture.
    var isForOthers = false

    static func text(_ status: HTTPResponseStatus, _ text: String) -> Response {
        Response(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8")],
            body: ByteBuffer(string: text + "\n"))
    }

    /// The answer to a request that proves nothing.
    static func tokenNeeded(_ text: String = "a token is needed") -> Response {
        var response = Response.text(.unauthorized, text)
        response.headers.append(("WWW-Authenticate", "Bearer"))
        return response
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
