/// The state of `privacy`.
package struct PrivacyState: Sendable, Equatable, Encodable {
    var state: PrivacySet
    /// The client that set the state; nil: it gave no name, or the privacy was never switched.
    var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    var proved: Bool?
    /// When the state was set (RFC 3339); nil: the privacy was never switched.
    var since: String?

    package init(_ state: PrivacySet, client: String?, proved: Bool?, since: String?) {
        (self.state, self.client, self.proved, self.since) = (state, client, proved, since)
    }
}
