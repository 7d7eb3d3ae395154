internal import Contract
internal import ZoomModel

// The nodes whose states follow from the zoom's, and whose commands move it.

/// The gesture of a kind that is under way, or `null`.
class GestureNode<Of: NodeContract>: StateNode<Of> {
    override final func observe(_ change: CameraChange) {
        switch change {
        case .gesturesChanged, .deviceDetached: update()
        default: break
        }
    }

    override final func publish() { update() }
}

/// `pinch`: two fingers.
final class PinchNode: GestureNode<Node.Pinch>, CommandNode {
    func handle(_ sample: PinchSample, _ request: Request) { zoom.take(sample, request) }

    override var state: PinchState? { zoom.model.runningGesture.map(PinchState.init) }
}

/// `touch`: fingers on the view.
final class TouchNode: GestureNode<Node.Touch>, CommandNode {
    func handle(_ sample: TouchSample, _ request: Request) { zoom.take(sample, request) }

    override var state: TouchState? { zoom.model.runningTouch.map(TouchState.init) }
}

/// `viewport`: what is in view. It is part of the zoom's state too, so it follows with a minimum interval.
final class ViewportNode: StateNode<Node.Viewport>, CommandNode {
    override init(_ base: NodeBase) {
        super.init(base)
        publication.due = { [weak self] in self?.update() }
    }

    func handle(_ move: ZoomCommand.ViewMove, _ request: Request) { zoom.moveView(move, request) }

    override var state: ViewportState? { ViewportState(zoom.model.snapshot.viewport.forMessages) }

    override func observe(_ change: CameraChange) {
        switch change {
        case .zoomPublished: publication.updateSoon()
        case .deviceDetached: publication.cancel()
        case .stopped: if device.presence == .ready { update() }
        default: break
        }
    }

    override func publish() {}
}
