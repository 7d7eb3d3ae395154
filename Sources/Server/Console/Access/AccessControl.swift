internal import Contract

/// A viewer and the token that admitted it; an open console needs none.
struct Admission: Equatable {
    let viewer: Viewer
    let token: AccessToken?
}

/// Who may use the console: its tokens, its cookies, and the limit of wrong tokens.
final class AccessControl {
    var tokens: TokenList {
        didSet { if !tokens.isEmpty { isOpen = false } }
    }
    /// Whether all requests are admitted, because there never was a token. When the last one is removed, no
    /// request is admitted.
    private(set) var isOpen: Bool
    /// Made at its first use: OpenSSL needs 2 MB from its first code on.
    lazy var cookies = SessionCookie(key: key)
    private let key: [UInt8]
    private let name: String
    private var attempts = AttemptLimit()

    /// - Parameters:
    ///   - key: 32 random bytes that sign the cookies.
    ///   - name: of the console; begins the names of the pages of an open console.
    ///   - mayBeOpen: whether requests are admitted while there are no tokens: true if only this machine or
    ///     only a trusted proxy can connect. When there was a token once, the console stays closed until it
    ///     is started again.
    init(tokens: TokenList, key: [UInt8], name: String, mayBeOpen: Bool) {
        (self.tokens, self.key, self.name, isOpen) = (tokens, key, name, mayBeOpen && tokens.isEmpty)
    }

    /// The longest name of a client, in bytes.
    private static let maxNameBytes = 64

    /// The admission without tokens. Then the pages have no names: each is a client of its own, so
    /// that states and leases tell them apart.
    private func openAdmission(page: String?) -> Admission? {
        guard isOpen else { return nil }
        let client = page.map { "\(name.prefix(Self.maxNameBytes - 1 - $0.utf8.count))-\($0)" } ?? name
        return Admission(viewer: Viewer(name: client, role: .manage), token: nil)
    }

    /// The admission by a request's cookie, or without one while the console is open; nil: a token is needed.
    ///
    /// - Parameters:
    ///   - cookie: the header `Cookie`.
    ///   - page: the name that a page gives itself (``PageName/own(_:)``); nil: it is no page.
    ///   - time: seconds since 1970.
    func admission(cookie: String?, page: String? = nil, at time: Int) -> Admission? {
        if let admission = openAdmission(page: page) { return admission }
        guard let value = cookie.flatMap(cookies.value(inHeader:)),
            let token = cookies.token(of: value, in: tokens, at: time)
        else { return nil }
        return Admission(viewer: Viewer(token), token: token)
    }

    /// A right token is admitted at all times: other clients of its address may send wrong ones.
    ///
    /// - Throws: ``PageError`` for an unknown token, and for more wrong ones than an address has.
    func admission(
        secret: String, use: AccessToken.Use, address: String, at time: ContinuousClock.Instant
    ) throws(PageError) -> Admission {
        if let token = tokens.token(secret: secret, use: use) {
            return Admission(viewer: Viewer(token), token: token)
        }
        guard attempts.mayTry(address, at: time) else {
            throw PageError(.tryAgainLater, "too many wrong tokens; try again in a minute")
        }
        attempts.failed(address, at: time)
        throw PageError(.policy, "the token is unknown")
    }

    /// The admission of a user that a trusted proxy has authenticated: the token for pages of this name.
    func admission(user: String) -> Admission? {
        guard let token = tokens.token(named: user), token.use == .page else { return nil }
        return Admission(viewer: Viewer(token), token: token)
    }

    /// Whether the token of a page is still there, as it was.
    func isValid(_ admission: Admission) -> Bool {
        guard let token = admission.token else { return isOpen }
        return tokens.token(named: token.name) == token
    }
}
