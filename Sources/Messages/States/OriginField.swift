/// The origin of a node's last change.
package struct OriginField: Sendable, Equatable, Codable {
    package var client: String?
    package var id: String?
    /// `command`, `gesture`, `restore`, `desired` or `external`.
    package var kind: String

    package init(client: String?, id: String?, kind: String) {
        self.client = client
        self.id = id
        self.kind = kind
    }
}
