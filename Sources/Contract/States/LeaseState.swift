package import ZoomModel

/// The state of `lease` while a client holds it; otherwise `null`.
package struct LeaseState: Sendable, Equatable, Codable {
    package var client: String
    /// Whether the command came on the topic of the client's account.
    package var proved: Bool
    /// When it ends by itself.
    package var until: String
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(client: ClientIdentity, until: String, rev: Int, boot: Int, ts: String) {
        (self.client, proved) = (client.name, client.isProved)
        (self.until, self.rev, self.boot, self.ts) = (until, rev, boot, ts)
    }
}
