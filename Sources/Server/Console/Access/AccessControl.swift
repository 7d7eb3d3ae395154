internal import Contract

/// A viewer and the token that admitted it; an open console needs none.
struct Admission: Equatable {
    let viewer: Viewer
    let token: AccessToken?
    /// Whether a proxy that admits people itself has brought the request, which had no token.
    var isOfProxy = false
}

/// Who may use the console: its tokens, and which requests need none.
final class AccessControl {
    var tokens: TokenList {
        didSet {
            byHash = tokens.byHash
            if !tokens.isEmpty { proxiesAreOpen = false }
        }
    }
    private var byHash: [String: AccessToken]
    private let localhostIsOpen: Bool
    /// Whether the requests that trusted proxies bring are admitted, because there never was a token. When
    /// the last one is removed, they are not.
    private var proxiesAreOpen: Bool
    private let name: String

    /// - Parameter name: of the console; begins the names of pages without tokens.
    init(tokens: TokenList, name: String, _ options: RequestOptions) {
        (self.tokens, byHash, self.name) = (tokens, tokens.byHash, name)
        localhostIsOpen = options.localhostIsOpen
        proxiesAreOpen = options.opensProxies && tokens.isEmpty
    }

    /// The longest name of a client, in bytes.
    private static let maxNameBytes = 64

    /// The admission of a request by the cookie of its browser, or without one.
    ///
    /// - Parameters:
    ///   - secret: that of the cookie.
    ///   - page: the name that a page gives itself (``PageName/own(_:)``); nil: it is no page.
    /// - Returns: nil: a token is needed.
    func admission(_ source: RequestSource, secret: String?, page: String? = nil) -> Admission? {
        if let user = source.user { return admission(user: user) }
        return secret.flatMap { admission(secret: $0, .page) } ?? openAdmission(source, page: page)
    }

    /// The admission without a token. Then the pages have no names: each is a client of its own, so that
    /// states and leases tell them apart.
    ///
    /// A page of another site that a person visits may send requests too; it gets no picture, but could start
    /// a camera.
    func openAdmission(_ source: RequestSource, page: String? = nil) -> Admission? {
        let isLocal = source.isLocal && localhostIsOpen
        let isOfProxy = source.isFromProxy && source.hasExpectedHost && proxiesAreOpen
        guard isLocal || isOfProxy, !source.isOfOtherSite else { return nil }
        let client = page.map { "\(name.prefix(Self.maxNameBytes - 1 - $0.utf8.count))-\($0)" } ?? name
        return Admission(viewer: Viewer(name: client, role: .manage), token: nil, isOfProxy: !isLocal)
    }

    /// The admission by the secret of a token, which is found by its hash: a wrong one costs one hash.
    ///
    /// - Returns: nil: there is no such token for this use.
    func admission(secret: String, _ use: AccessToken.Use) -> Admission? {
        guard let token = byHash[AccessToken.hash(of: secret)], token.use == use else { return nil }
        return Admission(viewer: Viewer(token), token: token)
    }

    /// The admission of a user that a trusted proxy has authenticated: the token for pages of this name.
    private func admission(user: String) -> Admission? {
        guard let token = tokens.token(named: user), token.use == .page else { return nil }
        return Admission(viewer: Viewer(token), token: token)
    }

    /// Whether what admitted a page is still there, as it was.
    func isValid(_ admission: Admission) -> Bool {
        guard let token = admission.token else { return !admission.isOfProxy || proxiesAreOpen }
        return tokens.token(named: token.name) == token
    }
}
