package import ZoomModel

/// The origin of a node's last change.
package struct OriginField: Sendable, Equatable, Codable {
    package var client: String?
    /// Whether the command came on the topic of the client's account. Nil: there is no client.
    package var proved: Bool?
    package var id: String?
    /// `command`, `gesture`, `restore`, `desired` or `external`.
    package var kind: String

    package init(client: ClientIdentity?, id: String?, kind: String) {
        self.client = client?.name
        proved = client?.isProved
        self.id = id
        self.kind = kind
    }
}
