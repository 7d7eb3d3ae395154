internal import Contract
internal import ZoomModel

/// The states that follow from the zoom's: `pinch` and `touch`, the gesture that is under way or `null`, and
/// `viewport`. The latter is part of the zoom's state too, so it follows with a minimum interval.
final class GestureNode: BasedNode {
    private lazy var pinch = Publication<PinchState>(context, .node(.pinch))
    private lazy var touch = Publication<TouchState>(context, .node(.touch))
    private lazy var viewport = Publication<ViewportState>(
        context, .node(.viewport), due: { [weak self] in self?.updateViewport() })

    override func observe(_ change: CameraChange) {
        switch change {
        case .gesturesChanged: publish()
        case .zoomPublished: viewport.updateSoon()
        case .deviceDetached:
            publish()
            viewport.cancel()
        case .stopped: if device.presence == .ready { updateViewport() }
        default: break
        }
    }

    override func publish() {
        pinch.update(zoom.model.runningGesture.map(PinchState.init))
        touch.update(zoom.model.runningTouch.map(TouchState.init))
    }

    private func updateViewport() { viewport.update(ViewportState(zoom.model.snapshot.viewport.forMessages)) }
}
