internal import Base
internal import Contract

/// Restores a device that was found: its own privacy control and the session first, then the controls, then
/// the zoom. After that the camera is published as online.
///
/// It has all nodes publish their states when the controls are restored.
final class Restoration: BasedNode {
    /// Maximum duration of the session and the controls together, and again of the zoom. After it, the next
    /// step follows without the rest being restored.
    private static let timeout = Duration.seconds(5)

    private let privacy: PrivacyNode
    private let session: SessionNode
    /// Whether the nodes' states have been published in this run.
    private var isPublished = false
    private lazy var timer = context.timer { [weak self] in self?.timedOut() }

    init(_ base: NodeBase, privacy: PrivacyNode, session: SessionNode) {
        (self.privacy, self.session) = (privacy, session)
        super.init(base)
    }

    override func observe(_ change: CameraChange) {
        switch change {
        case .deviceAttached: begin()
        case .deviceDetached: timer.cancel()
        // What an earlier run published is out of date.
        case .presenceKnown: if device.absence != nil && !isPublished { publishStates() }
        case .zoomSettled: if device.presence == .restoring { end() }
        default: break
        }
    }

    private func begin() {
        timer.set(after: Self.timeout)
        let camera = device.backend
        // Weak: a device that never answers keeps the closure.
        privacy.restoreControl { [weak self, weak camera] in
            guard let self, isRestoring(camera) else { return }
            session.restore { [weak self] in
                guard let self, isRestoring(camera) else { return }
                controls.restore { [weak self] in
                    guard let self, isRestoring(camera) else { return }
                    restoreZoom()
                }
            }
        }
    }

    /// Whether the device is still the same, and hasn't timed out.
    private func isRestoring(_ camera: AnyObject?) -> Bool {
        device.backend === camera && device.presence == .arriving
    }

    private func restoreZoom() {
        device.beginRestoringZoom()
        timer.set(after: Self.timeout)
        publishStates()
        zoom.restore()
    }

    private func publishStates() {
        isPublished = true
        context.publishStates()
    }

    private func timedOut() {
        if device.presence == .arriving { return restoreZoom() }
        // A position on the way isn't the saved one, so it isn't saved.
        zoom.keepSavedZoom()
        end()
    }

    private func end() {
        timer.cancel()
        guard device.presence == .restoring else { return }
        device.becomeReady()
    }
}
