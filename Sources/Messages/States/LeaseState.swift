/// The state of `lease` while a client holds it; otherwise `null`.
package struct LeaseState: Sendable, Equatable, Codable {
    package var client: String
    /// When it ends by itself.
    package var until: String
    package var rev: Int
    package var boot: Int
    package var ts: String

    package init(client: String, until: String, rev: Int, boot: Int, ts: String) {
        (self.client, self.until, self.rev, self.boot, self.ts) = (client, until, rev, boot, ts)
    }
}
