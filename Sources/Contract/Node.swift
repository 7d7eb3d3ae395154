/// The parts of a camera that have a state at `<node>` and take commands at `<node>/set`.
package enum Node: String, Sendable, CaseIterable {
    case zoom, pinch, touch, viewport, capture, recording, session, controls, presets, preview, lease, desired
    case privacy, media
}
