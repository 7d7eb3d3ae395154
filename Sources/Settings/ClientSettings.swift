/// What the agent requires of the clients that send commands.
package struct ClientSettings: Sendable, Equatable {
    /// The prefix of the topics for answers to proved clients, and by default to all others.
    package static let answers = "replies/"

    package var mode = ClientMode.open
    /// The accounts of the broker that may speak for other clients. Each is a name of 1 to 64 of `a-z0-9_-`.
    package var delegates: [String] = []
}

/// Which commands the agent accepts.
package enum ClientMode: String, CaseIterable, Sendable {
    /// Those of all clients. A client is proved if the topic names it.
    case open
    /// Those whose topic names their client. The broker's ACL lets only this client publish there.
    case proved
}
