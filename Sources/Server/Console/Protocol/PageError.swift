/// Why a socket is closed.
struct PageError: Error, Equatable, Sendable {
    /// Codes of RFC 6455, section 7.4, and of its registry.
    enum Code: Int, Sendable {
        case goingAway = 1001
        case protocolError = 1002
        case unacceptable = 1003
        case invalidData = 1007
        case policy = 1008
        case tooLarge = 1009
        case tryAgainLater = 1013
    }

    let code: Code
    /// At most ``maxReasonBytes``.
    let reason: String

    static let unknownToken = PageError(.policy, "the token is unknown")
    static let noRoom = PageError(.tryAgainLater, "too many pages and streams are open")
    static let unknownUser = PageError(.policy, "the user that the proxy names has no token")

    /// The limit of the protocol.
    private static let maxReasonBytes = 123

    init(_ code: Code, _ reason: String) {
        var reason = reason
        while reason.utf8.count > Self.maxReasonBytes { reason.unicodeScalars.removeLast() }
        (self.code, self.reason) = (code, reason)
    }
}
