internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

extension RequestSource {
    /// In seconds: 90 days after a page was last opened.
    private static let cookieLifetime = 90 * 86_400

    /// The header that gives a browser the cookie of this console, or takes it.
    ///
    /// - Parameters:
    ///   - secret: of a token, which is the value.
    ///   - lifetime: in seconds.
    func cookieHeader(_ secret: String, lifetime: Int = cookieLifetime) -> (String, String) {
        // Without Path the cookie is for the folder of this request, also below a path of a proxy.
        let cookie = "\(cookieName)=\(secret); HttpOnly; SameSite=Strict; Max-Age=\(lifetime)"
        return ("Set-Cookie", cookie + (isSecure ? "; Secure" : ""))
    }

    /// Why a request is not taken that only pages of this console may send.
    func crossSiteRefusal(_ head: HTTPRequestHead) -> Response? {
        RequestRules.isSameOrigin(head.headers.first(name: "Origin"), host: host)
            ? nil : .text(.forbidden, "the request comes from another site")
    }
}

extension HTTPRequestHead {
    /// The value of a cookie (RFC 6265, 4.2.1). HTTP/2 proxies may send several headers (RFC 9113, 8.2.3).
    func cookie(_ name: String) -> String? {
        headers["Cookie"].lazy.flatMap { $0.split(separator: ";") }.map { $0.drop { $0 == " " } }
            .first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// The token of the header `Authorization: Bearer` (RFC 6750); nil: there is none, or more than one such
    /// header.
    var bearerToken: String? {
        let values = headers["Authorization"]
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bearer", !parts[1].isEmpty else { return nil }
        return String(parts[1])
    }
}

extension ServerState {
    /// The headers that every response has.
    ///
    /// - Parameter isForOthers: whether pages of other sites may show the response.
    func headers(isForOthers: Bool = false) -> [(String, String)] {
        let ancestors =
            options.frameAncestors.isEmpty ? "'none'" : options.frameAncestors.joined(separator: " ")
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:",
            "media-src 'self' blob:", "connect-src 'self'", "manifest-src 'self'", "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors \(ancestors)",
        ]
        return [
            ("Content-Security-Policy", policy.joined(separator: "; ")),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", isForOthers ? "cross-origin" : "same-origin"),
        ]
    }

    /// Why a request is not taken at all.
    func refusal(of head: HTTPRequestHead, _ source: RequestSource) -> Response? {
        guard head.headers["Host"].count <= 1 else { return .text(.badRequest, "the request has two hosts") }
        if options.requests.isForProxiesOnly, !source.isFromProxy {
            return .text(.forbidden, "this console is reached through its proxy only")
        }
        if console.access.tokens.isEmpty, !source.hasExpectedHost {
            let text = "without a token this is reached by localhost, an address, or a name of --public-host"
            return .text(.forbidden, text)
        }
        return nil
    }

    /// The admission of a page, or of a request of its browser; nil: a token is needed.
    ///
    /// - Parameter page: the name that it gives itself; nil: the request is not for a socket.
    func admission(_ head: HTTPRequestHead, _ source: RequestSource, page: String? = nil) -> Admission? {
        console.access.admission(source, secret: head.cookie(source.cookieName), page: page)
    }

    /// - Throws: the refusal of an unknown token.
    func admission(secret: String, _ use: AccessToken.Use) throws(Response) -> Admission {
        guard let admission = console.access.admission(secret: secret, use) else {
            throw .text(.forbidden, PageError.unknownToken.reason)
        }
        return admission
    }

    /// The admission for a photo or a recording: that of a page, or the token of a page in a foreign frame.
    /// Such a page has no cookie, and sends the token with each request (`Authorization: Bearer`).
    ///
    /// - Throws: the refusal of a request without a token, or with an unknown one.
    func fileAdmission(_ head: HTTPRequestHead, _ source: RequestSource) throws(Response) -> Admission {
        if let admission = admission(head, source) { return admission }
        if source.user != nil { throw .text(.forbidden, PageError.unknownUser.reason) }
        guard let secret = head.bearerToken else { throw .tokenNeeded() }
        // A page of another site cannot send this header without being asked whether it may
        // (`OPTIONS`, which is refused); a browser that does not ask names the site.
        if head.headers.contains(name: "Origin"), let refusal = source.crossSiteRefusal(head) {
            throw refusal
        }
        return try admission(secret: secret, .page)
    }

    /// The admission of an address of `live` or `snapshot`.
    ///
    /// - Throws: the refusal of a request without a token, or with an unknown one.
    func pictureAdmission(token: String?, _ source: RequestSource) throws(Response) -> Admission {
        if let token { return try admission(secret: token, .url) }
        guard let admission = console.access.openAdmission(source) else {
            throw .tokenNeeded("a token for addresses is needed: ?token=…")
        }
        return admission
    }

    /// - Throws: the refusal of a request that may not read the metrics.
    func admitToMetrics(_ head: HTTPRequestHead, _ source: RequestSource) throws(Response) {
        if options.isForMetricsOnly { return }
        if let secret = head.bearerToken {
            _ = try admission(secret: secret, .metrics)
        } else if console.access.openAdmission(source) == nil {
            throw .tokenNeeded("a token for metrics is needed: Authorization: Bearer …")
        }
    }

    // MARK: Sockets

    /// Whether a request for a WebSocket is permitted: it comes from the page of this console, and there is
    /// room. Otherwise the request is answered as any other.
    func mayOpenSocket(_ head: HTTPRequestHead, _ channel: any Channel) -> Bool {
        updateTokens()
        let source = RequestSource(head, channel, self)
        return RequestAddress(head.uri)?.parts == ["socket"] && refusal(of: head, source) == nil
            && refusalOfSocket(head, source) == nil
    }

    /// The headers of the response that opens a WebSocket: the cookie, so that it does not end while it is
    /// used.
    func socketHeaders(_ head: HTTPRequestHead, _ channel: any Channel) -> HTTPHeaders {
        let source = RequestSource(head, channel, self)
        guard let secret = head.cookie(source.cookieName), admission(head, source)?.token != nil else {
            return HTTPHeaders()
        }
        return HTTPHeaders([source.cookieHeader(secret)])
    }

    /// Why a WebSocket is not opened.
    func refusalOfSocket(_ head: HTTPRequestHead, _ source: RequestSource) -> Response? {
        source.crossSiteRefusal(head) ?? lackOfRoom(head, source)
    }

    /// Why no further page of a browser is opened.
    func lackOfRoom(_ head: HTTPRequestHead, _ source: RequestSource) -> Response? {
        let places = admission(head, source) == nil ? strangers : sockets
        return places.hasRoom(source.network) ? nil : Self.isFull
    }

    static let isFull = Response.text(.serviceUnavailable, PageError.noRoom.reason)

    /// Adds the page of a WebSocket that was opened.
    func openSocket(_ head: HTTPRequestHead, _ channel: any Channel) throws {
        let source = RequestSource(head, channel, self)
        let address = RequestAddress(head.uri)
        let page = PageName.own(address?.value(of: "page"), given: address?.value(of: "name"))
        let handler = SocketHandler(self, source, admission(head, source, page: page))
        // Two requests of the same moment may both have been permitted.
        guard handler.takePlace() else {
            channel.close(promise: nil)
            return
        }
        let aggregator = NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
            maxAccumulatedFrameSize: SocketHandler.maxMessageBytes)
        try channel.pipeline.syncOperations.addHandlers([aggregator, handler])
    }
}
