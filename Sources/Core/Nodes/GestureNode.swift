internal import Contract
internal import ZoomModel

/// The states of `pinch` and `touch`: the gesture that is under way, or `null`.
final class GestureNode: CameraNode {
    /// What was published of a node last.
    private enum Published { case nothing, null, gesture }

    private let context: CameraContext
    private let zoom: ZoomNode
    private var pinch = Published.nothing
    private var touch = Published.nothing

    init(_ context: CameraContext, zoom: ZoomNode) { (self.context, self.zoom) = (context, zoom) }

    func observe(_ change: CameraChange) {
        switch change {
        case .gesturesChanged, .deviceDetached: publish()
        default: break
        }
    }

    func publish() {
        let pinchState = zoom.model.runningGesture.map {
            PinchState(
                gesture: $0.gesture, client: $0.client, base: $0.base, scale: $0.scale,
                rev: context.rev,
                boot: context.boot, ts: context.timestamp)
        }
        publish(pinchState, as: .pinch, after: &pinch)
        let touchState = zoom.model.runningTouch.map {
            TouchState(
                gesture: $0.gesture, client: $0.client, fingers: $0.fingers ?? 0, rev: context.rev,
                boot: context.boot, ts: context.timestamp)
        }
        publish(touchState, as: .touch, after: &touch)
    }

    /// Publishes `null` once after each gesture, and once at the start.
    private func publish(_ state: (some Encodable)?, as node: Node, after last: inout Published) {
        if state == nil && last == .null { return }
        last = state == nil ? .null : .gesture
        context.publish(state, as: node)
    }
}
