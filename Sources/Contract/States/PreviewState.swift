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
        fps = f("fps", \.fps, .above(0), "Frames per second: the most that a client requested.")
        width = f("width", \.width, .pixels, "Pixels: the most that a client requested.")
        until = f("until", \.until, .stamp, "When the last lease ends by itself.")
        clients = f(
            "clients", \.clients, .each(.identity),
            "Who has one, as far as named; `v4l2mqtt`: the agent itself, for a standing preview.")
        provedClients = f(
            "proved_clients", \.provedClients, .each(.identity), "Those whose commands came on their topics.")
        live = f("live", \.live, .any, "Whether a frame was published since the first lease.")
        error = f.maybe("error", \.error, .any, "Why no frames are published.")
    }
}
