internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

extension RequestSource {
    init(_ head: HTTPRequestHead, _ channel: any Channel, _ server: ServerState) {
        self.init(head, peer: channel.remoteAddress?.ipAddress ?? "", server.options.proxies)
    }

    /// Why a request is not taken that only pages of this console may send.
    func crossSiteRefusal(_ head: HTTPRequestHead) -> Response? {
        RequestRules.isSameOrigin(head.headers.first(name: "Origin"), host: host)
            ? nil : .text(.forbidden, "the request comes from another site")
    }
}

extension Response {
    /// The answer to a request whose token is not admitted.
    init(refusing error: PageError) {
        self = .text(error.code == .tryAgainLater ? .tooManyRequests : .forbidden, error.reason)
    }
}

extension HTTPRequestHead {
    /// All cookies; HTTP/2 proxies may send them in several headers (RFC 9113, 8.2.3).
    var cookies: String { headers["Cookie"].joined(separator: "; ") }

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
        if options.proxies.isRequired, !source.isFromProxy {
            return .text(.forbidden, "this console is reached through its proxy only")
        }
        // A site whose name leads to this address must not use a console that asks for no token.
        if console.access.isOpen, !source.isFromProxy,
            !RequestRules.isLocalName(host: source.host)
        {
            return .text(.forbidden, "without tokens the console is reached by localhost or an address only")
        }
        return nil
    }

    /// The admission of a page.
    ///
    /// - Parameter page: the name that it gives itself; nil: the request is not for a socket.
    func admission(_ head: HTTPRequestHead, _ source: RequestSource, page: String? = nil) -> Admission? {
        if let user = source.user { return console.access.admission(user: user) }
        return console.access.admission(cookie: head.cookies, page: page, at: Self.time)
    }

    /// The admission for a photo or a recording: that of a page, or the token of a page in a foreign frame.
    /// Such a page has no cookie, and sends the token with each request (`Authorization: Bearer`).
    ///
    /// - Throws: ``PageError`` for an unknown token, and for too many of them.
    func fileAdmission(_ head: HTTPRequestHead, _ source: RequestSource) throws(PageError) -> Admission? {
        if let admission = admission(head, source) { return admission }
        guard source.user == nil, let secret = head.bearerToken else { return nil }
        // A page of another site cannot send this header without being asked whether it may
        // (`OPTIONS`, which is refused); a browser that does not ask names the site.
        if head.headers.contains(name: "Origin"), source.crossSiteRefusal(head) != nil { return nil }
        return try console.access.admission(
            secret: secret, use: .page, address: source.address, at: .now)
    }

    /// Whether a request for a WebSocket is permitted: it comes from the page of this console, and there is
    /// room. Otherwise the request is answered as any other.
    func mayOpenSocket(
        _ head: HTTPRequestHead, _ channel: any Channel, _ place: ConnectionPlace
    ) -> Bool {
        let source = RequestSource(head, channel, self)
        return RequestAddress(head.uri)?.parts == ["socket"] && refusal(of: head, source) == nil
            && refusalOfSocket(head, source) == nil && place.take(source)
    }

    /// The headers of the response that opens a WebSocket: a new cookie, if it is time for one.
    func socketHeaders(_ head: HTTPRequestHead, _ channel: any Channel) -> HTTPHeaders {
        let (access, source) = (console.access, RequestSource(head, channel, self))
        let value = access.cookies.value(inHeader: head.cookies).flatMap {
            access.cookies.renewed($0, in: access.tokens, at: Self.time)
        }
        return HTTPHeaders(value.map { [cookieHeader($0, source)] } ?? [])
    }

    /// The header that gives a browser the cookie of this console, or takes it.
    ///
    /// - Parameter lifetime: in seconds.
    func cookieHeader(
        _ value: String, _ source: RequestSource, lifetime: Int = SessionCookie.lifetime
    ) -> (String, String) {
        // Without Path the cookie is for the folder of this request, also below a path of a proxy.
        let cookie =
            "\(console.access.cookies.name)=\(value); HttpOnly; SameSite=Strict; Max-Age=\(lifetime)"
            + (source.isSecure ? "; Secure" : "")
        return ("Set-Cookie", cookie)
    }

    /// Why a WebSocket is not opened.
    func refusalOfSocket(_ head: HTTPRequestHead, _ source: RequestSource) -> Response? {
        source.crossSiteRefusal(head) ?? lackOfRoom(source)
    }

    /// Why no further socket or stream of an address is opened.
    func lackOfRoom(_ source: RequestSource) -> Response? {
        sockets.hasRoom(source.address)
            ? nil : .text(.serviceUnavailable, "too many pages and streams are open")
    }

    /// Adds the page of a WebSocket that was opened.
    func openSocket(_ head: HTTPRequestHead, _ channel: any Channel) throws {
        let source = RequestSource(head, channel, self)
        // Two requests of the same moment may both have been permitted.
        guard sockets.add(source.address) else {
            channel.close(promise: nil)
            return
        }
        let page = PageName.own(RequestAddress(head.uri)?.value(of: "page"))
        let admission = admission(head, source, page: page)
        let handler = SocketHandler(self, admission, address: source.address) { [weak self] in
            self?.sockets.remove(source.address)
        }
        let aggregator = NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
            maxAccumulatedFrameSize: SocketHandler.maxMessageBytes)
        try channel.pipeline.syncOperations.addHandlers([aggregator, handler])
    }

    /// The admission of an address of `live` or `snapshot`.
    func pictureAdmission(token: String?, _ source: RequestSource) throws(PageError) -> Admission {
        if let token {
            return try console.access.admission(secret: token, use: .url, address: source.address, at: .now)
        }
        guard let admission = console.access.admission(cookie: nil, at: Self.time) else {
            throw PageError(.policy, "a token for addresses is needed: ?token=…")
        }
        return admission
    }
}
