internal import Contract
internal import ZoomModel

/// The states of `pinch` and `touch`: the gesture that is under way, or `null`.
final class GestureNode: BasedNode {
    /// What was published of a node last.
    private enum Published { case nothing, null, gesture }

    let base: NodeBase
    private var pinch = Published.nothing
    private var touch = Published.nothing

    init(_ base: NodeBase) { self.base = base }

    func observe(_ change: CameraChange) {
        switch change {
        case .gesturesChanged, .deviceDetached: publish()
        default: break
        }
    }

    func publish() {
        publish(zoom.model.runningGesture, as: .pinch, after: &pinch)
        publish(zoom.model.runningTouch, as: .touch, after: &touch)
    }

    /// Publishes `null` once after each gesture, and once at the start.
    private func publish(_ state: RunningGesture?, as node: Node, after last: inout Published) {
        if state == nil && last == .null { return }
        last = state == nil ? .null : .gesture
        context.publish(state, as: node)
    }
}
