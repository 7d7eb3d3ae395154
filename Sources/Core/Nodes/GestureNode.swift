internal import Contract
internal import ZoomModel

/// The states that follow from the zoom's: `pinch` and `touch`, the gesture that is under way or `null`, and
/// `viewport`. The latter is part of the zoom's state too, so it follows with a minimum interval.
final class GestureNode: BasedNode {
    /// Whether `null` is what was published of a node last.
    private var isNull = (pinch: false, touch: false)
    private var lastViewport: Viewport?
    private lazy var throttle = ThrottledPublication(on: context.loop) { [weak self] in
        self?.publishViewport()
    }

    override func observe(_ change: CameraChange) {
        switch change {
        case .gesturesChanged: publish()
        case .zoomPublished: throttle.markDue()
        case .deviceDetached:
            publish()
            throttle.cancel()
        case .stopped: if device.presence == .ready { publishViewport() }
        default: break
        }
    }

    override func publish() {
        publish(zoom.model.runningGesture.map(PinchState.init), as: .pinch, after: &isNull.pinch)
        publish(zoom.model.runningTouch.map(TouchState.init), as: .touch, after: &isNull.touch)
    }

    /// Publishes `null` once after each gesture, and once at the start.
    private func publish(_ state: (some StateForm)?, as node: Node, after isNull: inout Bool) {
        if state == nil && isNull { return }
        isNull = state == nil
        context.publish(state, as: node)
    }

    private func publishViewport() {
        let viewport = zoom.model.snapshot.viewport.forMessages
        guard viewport != lastViewport else { return }
        lastViewport = viewport
        throttle.markPublished()
        context.publish(ViewportState(viewport), as: .viewport)
    }
}
