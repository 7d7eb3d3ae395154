package import ZoomModel

/// The state of `lease` while a client holds it; otherwise `null`.
package struct LeaseState: Sendable, Equatable, Encodable {
    var client: String
    /// Whether the command came on the topic of the client's account.
    var proved: Bool
    /// When it ends by itself.
    var until: String

    package init(client: ClientIdentity, until: String) {
        (self.client, proved, self.until) = (client.name, client.isProved, until)
    }
}
