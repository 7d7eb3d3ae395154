internal import Contract
internal import ZoomModel

/// The state of `viewport`. It is part of the zoom's state too, so this one follows with a minimum interval.
final class ViewportNode: BasedNode {
    let base: NodeBase
    private var lastPublished: Viewport?
    private lazy var throttle = ThrottledPublication(on: context.loop) { [weak self] in
        self?.publishIfChanged()
    }

    init(_ base: NodeBase) { self.base = base }

    func observe(_ change: CameraChange) {
        switch change {
        case .zoomPublished: throttle.markDue()
        case .deviceDetached: throttle.cancel()
        case .stopped: if device.presence == .ready { publishIfChanged() }
        default: break
        }
    }

    private func publishIfChanged() {
        let viewport = zoom.model.snapshot.viewport.forMessages
        guard viewport != lastPublished else { return }
        lastPublished = viewport
        throttle.markPublished()
        context.publish(ViewportState(viewport), as: .viewport)
    }
}
