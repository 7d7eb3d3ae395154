package import Cameras

/// A source whose camera the test attaches and detaches.
package final class ScriptedSource: CameraSource {
    private enum State {
        case unknown
        case missing(CameraAbsence)
        case attached(any CameraBackend)
        /// The camera is there, and was closed.
        case closed
    }

    package var found: (any CameraBackend) -> Void = { _ in }
    package var missing: (CameraAbsence) -> Void = { _ in }
    package var isInUse: () -> Bool = { false }

    private var state = State.unknown
    private var isLooking = false
    /// The calls of ``search()`` and ``close()``.
    package private(set) var searches = 0
    package private(set) var closes = 0
    /// Opens the camera that was closed once more; nil: it is gone.
    package var reopens: () -> (any CameraBackend)? = { nil }

    /// Until ``attach(_:)`` or ``detach(_:)`` is called, ``search()`` reports nothing.
    package init() {}

    /// The camera that is attached.
    package var camera: (any CameraBackend)? {
        if case .attached(let camera) = state { camera } else { nil }
    }

    package func search() {
        isLooking = true
        searches += 1
        switch state {
        case .unknown: return
        case .missing(let absence): missing(absence)
        case .attached(let camera): found(camera)
        case .closed: if let camera = reopens() { attach(camera) } else { detach(.notFound) }
        }
    }

    package func close() {
        isLooking = false
        closes += 1
        guard let camera else { return }
        camera.close()
        state = .closed
    }

    /// Reports a camera as found. One that is attached already is replaced: it is closed and reported as
    /// ``CameraAbsence/replaced`` first.
    package func attach(_ camera: any CameraBackend) {
        if self.camera != nil { detach(.replaced) }
        state = .attached(camera)
        (camera as? ScriptedCamera)?.wasUnplugged = { [weak self, weak camera] in
            guard let self, let camera, self.camera === camera else { return }
            end(.unplugged)
        }
        if isLooking { found(camera) }
    }

    /// Takes the camera away, if there is one, and reports the reason. With `.unplugged` a ``ScriptedCamera``
    /// is unplugged, otherwise it is closed: either way everything pending is answered first.
    package func detach(_ absence: CameraAbsence) {
        if absence == .unplugged, let camera = camera as? ScriptedCamera {
            camera.unplug()
            // Its end has been reported, unless it had been unplugged or closed before.
            guard self.camera === camera else { return }
        }
        end(absence)
    }

    private func end(_ absence: CameraAbsence) {
        camera?.close()
        state = .missing(absence)
        if isLooking { missing(absence) }
    }
}
