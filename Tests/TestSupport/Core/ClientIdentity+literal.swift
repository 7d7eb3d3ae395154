package import ZoomModel

extension ClientIdentity: ExpressibleByStringInterpolation {
    /// A client that gives itself this name.
    package init(stringLiteral name: String) { self.init(claimed: name) }
}
