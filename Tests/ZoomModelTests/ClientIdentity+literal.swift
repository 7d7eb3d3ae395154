import Clients

extension ClientIdentity: ExpressibleByStringInterpolation {
    /// A client that gives itself this name.
    init(stringLiteral name: String) { self.init(claimed: name) }
}
