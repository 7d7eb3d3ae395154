/// The states of a camera that take no commands. Each is retained at `<state>` below the camera.
///
/// Everything that needs the list of a camera's states takes it from here and from ``Node``: topics, the way
/// out of a camera (`Channel`), `ctl watch --json`, the console.
package enum ReadOnlyState: String, Sendable, CaseIterable {
    case availability, info, diagnostics
    /// The virtual camera.
    case output

    /// The names of all states of a camera that are JSON, with those of nodes.
    package static let namesWithNodes = allCases.map(\.rawValue) + Node.allCases.map(\.name)
}
