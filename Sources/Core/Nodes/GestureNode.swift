internal import Contract
internal import ZoomModel

/// The states of `pinch` and `touch`: the gesture that is under way, or `null`.
final class GestureNode: BasedNode {
    let base: NodeBase
    /// Whether `null` is what was published of a node last.
    private var isNull = (pinch: false, touch: false)

    init(_ base: NodeBase) { self.base = base }

    func observe(_ change: CameraChange) {
        switch change {
        case .gesturesChanged, .deviceDetached: publish()
        default: break
        }
    }

    func publish() {
        publish(zoom.model.runningGesture, as: .pinch, after: &isNull.pinch)
        publish(zoom.model.runningTouch, as: .touch, after: &isNull.touch)
    }

    /// Publishes `null` once after each gesture, and once at the start.
    private func publish(_ state: RunningGesture?, as node: Node, after isNull: inout Bool) {
        if state == nil && isNull { return }
        isNull = state == nil
        context.publish(state, as: node)
    }
}
