package import ZoomModel

/// The state of `preview` while a client has a preview; otherwise `null`.
package struct PreviewState: Sendable, Equatable, Encodable {
    /// Frames per second and pixels: the maximum that was requested.
    var fps: Double
    var width: Int
    /// When the last lease ends by itself.
    var until: String
    /// The clients that have a preview, if they gave a name.
    var clients: [String]
    /// Those of them whose commands came on the topics of their accounts.
    var provedClients: [String]
    /// Whether a frame was published since the preview began, and the camera is present.
    var live: Bool
    /// Why no frames are published: the camera gives none, or they can't be encoded; nil: they are.
    var error: CommandError?

    private enum CodingKeys: String, CodingKey {
        case fps, width, until, clients
        case provedClients = "proved_clients"
        case live, error
    }

    /// - Parameter clients: in any order.
    package init(
        fps: Double, width: Int, until: String, clients: [ClientIdentity], live: Bool,
        error: CommandError? = nil
    ) {
        (self.fps, self.width, self.until) = (fps, width, until)
        self.clients = Set(clients.map(\.name)).sorted()
        provedClients = clients.filter(\.isProved).map(\.name).sorted()
        (self.live, self.error) = (live, error)
    }
}
