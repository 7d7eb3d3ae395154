/// The parts of a camera that have a state at `<node>` and take commands at `<node>/set`.
package enum Node: String, Sendable, CaseIterable {
    case zoom, pinch, touch, viewport, capture, recording, session, controls, presets, preview, lease, desired

    /// The nodes that this version serves; commands for the others are answered as unsupported.
    package static let served: [Node] = [
        .zoom, .pinch, .touch, .viewport, .capture, .controls, .lease, .desired,
    ]
}
