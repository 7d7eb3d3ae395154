package import ZoomModel

/// The state of `preview` while a client has a preview; otherwise `null`.
package struct PreviewState: Sendable, Equatable {
    var fps: Double
    var width: Int
    var until: String
    var clients: [String]
    var provedClients: [String]
    var live: Bool
    var error: CommandError?

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

extension PreviewState: StateForm {
    package init(_ f: inout some FormVisitor<Self>) {
        fps = f("fps", \.fps, .above(0), "The most that was requested.")
        width = f("width", \.width, .pixels, "The most that was requested.")
        until = f("until", \.until, .stamp, "End of the last lease.")
        clients = f(
            "clients", \.clients, .each(.identity),
            "Who has one; `v4l2mqtt`: the agent itself.")
        provedClients = f(
            "proved_clients", \.provedClients, .each(.identity), "Those that are proved.")
        live = f("live", \.live, .any, "Frames are published.")
        error = f.maybe("error", \.error, .any, "Why no frames are published.")
    }
}
