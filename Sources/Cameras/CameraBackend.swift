/// A camera that was found: what can be requested of it, and what it reports.
///
/// A backend lives on the agent's loop, from the time when the camera is found until it is gone or
/// ``close()`` is called. No call blocks: where the device is slow, the answer comes later, by a callback or
/// a completion, always on the loop. Each completion is called at most once; the `Device` of
/// `Core` calls those of a backend that is closed.
package protocol CameraBackend: AnyObject {
    /// The camera's identity and abilities.
    var description: CameraDescription { get }

    /// Remarks for the user, such as a zoom that cannot be used.
    var remarks: [String] { get }

    /// What is called when the camera reports something on its own.
    var callbacks: CameraCallbacks { get set }

    /// Drives the lens to an optical factor, in 1…``CameraDescription/opticalMax``. One request at a time:
    /// the next may be made after ``LensReport/written(optical:moving:)`` or ``LensReport/failed(_:)``.
    func driveLens(to optical: Double)

    /// Stops the lens where it is, also while a request is pending, which is then not reported any more.
    /// Reported by ``LensReport/stopped(optical:)`` or ``LensReport/failed(_:)``.
    func stopLens()

    /// The controls with their present values, in the order in which they are shown to users.
    var controls: [Control] { get }

    /// Sets controls, all or none of them. Success returns all controls as they were read back afterwards.
    ///
    /// - Parameter values: of controls that exist, each as ``Control/nearest(to:)`` returned it.
    func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void)

    /// The present mode. Only ``setMode(_:then:)`` changes it.
    var mode: CameraMode { get }

    /// Changes the mode. Success returns the mode that the driver gives: the rate may be rounded, everything
    /// else is as requested. After a failure everything is as before.
    ///
    /// Several changes are made in the order of their calls. A frame that is requested before the completion
    /// comes in the old or the new mode; one that is requested afterwards comes in the new mode. When the
    /// completion is called, ``description`` has the lens's range and position in the new mode. A lens that
    /// could not stay where it was also reports ``LensReport/moved(optical:moving:)`` after the completion,
    /// unless it has been driven elsewhere.
    func setMode(_ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void)

    /// Requests the first frame exposed at or after a time, which may be in the past: then it is the newest
    /// frame, if that is new enough.
    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void)

    /// Asks a camera that delivers H.264 for a key frame, which comes soon if the camera can do that. Does
    /// nothing otherwise.
    func requestKeyFrame()

    /// Opens the camera's own video that comes beside its frames.
    ///
    /// - Parameter mode: one that ``CameraDescription/video(for:)`` returned as ``VideoAccess/beside(_:)``.
    func openVideo(
        _ mode: CameraMode, then: @escaping (Result<any VideoStream, CameraError>) -> Void)

    /// Ends the use of the device. Nothing is called afterwards, neither completions that are pending nor
    /// ``callbacks``, and streams of ``openVideo(_:then:)`` are closed. Calls after `close()` complete with
    /// `.unplugged`; a second `close()` does nothing.
    func close()
}

/// What a camera calls, always on the loop.
package struct CameraCallbacks {
    /// Called with every report of the lens.
    package var lensReported: (LensReport) -> Void = { _ in }

    /// Called when another program or the device itself has changed controls.
    package var controlsChanged: () -> Void = {}

    /// Called from time to time while the camera streams, and when the stream has stopped: how many frames
    /// came since the last call, and how many were lost: by the driver, or refused by the
    /// backend.
    package var streamed: (_ frames: Int, _ lost: Int) -> Void = { _, _ in }

    package init() {}
}

/// Finds a camera that may come and go.
package protocol CameraSource: AnyObject {
    /// Called with the camera each time that it is found.
    var found: (any CameraBackend) -> Void { get set }

    /// Called when there is no camera, with the reason. If ``found`` was called before, the source has closed
    /// that camera: all its pending completions have been called with `.unplugged`. See
    /// ``CameraBackend/close()``.
    var missing: (CameraAbsence) -> Void { get set }

    /// Asked before a better device replaces the camera. True during a recording, and for 15 s after a photo,
    /// a preview or a recording requested a frame. A virtual camera does not count.
    var isInUse: () -> Bool { get set }

    /// Begins to search for the camera. ``found`` or ``missing`` is called soon. After ``close()`` it
    /// searches again.
    func search()

    /// Closes the camera that was found, and opens none before the next ``search()``: neither ``found`` nor
    /// ``missing`` is called until then. No other camera of the agent gets its device meanwhile. May be
    /// called before the first ``search()``, and again.
    func close()
}

/// Why there is no camera.
package struct CameraAbsence: Sendable, Equatable {
    package enum Kind: String, Sendable {
        /// It was not found since the start.
        case notFound = "not_found"
        /// It was there, and was unplugged.
        case unplugged
        /// It is there and cannot be used.
        case unusable
        /// A camera that the configuration prefers has come.
        case replaced
    }

    package let kind: Kind
    /// What is wrong with the device, for the user; nil: nothing more is known.
    package var problem: String?

    package static let notFound = CameraAbsence(kind: .notFound)
    package static let unplugged = CameraAbsence(kind: .unplugged)
    package static let replaced = CameraAbsence(kind: .replaced)

    /// - Parameter words: the driver's reason.
    package static func unusable(_ words: String) -> CameraAbsence {
        CameraAbsence(kind: .unusable, problem: words)
    }
}

extension CameraBackend {
    package var remarks: [String] { [] }

    package func requestKeyFrame() {}

    package func openVideo(
        _ mode: CameraMode, then: @escaping (Result<any VideoStream, CameraError>) -> Void
    ) {
        then(.failure(.device("the camera has no video beside its frames")))
    }
}

/// What a lens reports.
package enum LensReport: Sendable, Equatable {
    /// The request was carried out; the lens is at `optical`, and may still be moving.
    case written(optical: Double, moving: Bool)
    /// The lens is at `optical` on its way, at its end, or after a change of the mode.
    case moved(optical: Double, moving: Bool)
    /// Another program or the device itself has moved the lens to `optical`.
    case taken(optical: Double)
    /// The lens was stopped; no request is pending.
    case stopped(optical: Double)
    /// The request failed; the lens is where it was.
    case failed(CameraError)
}

/// One frame of a camera.
package struct Frame: Sendable {
    package let picture: Picture
    /// The part of the picture that the lens sees: all of it, except for a simulated lens, whose zoom is a
    /// part of the picture.
    package let field: Region
    /// The number that the camera counts; it rises, with gaps for lost frames.
    package let number: Int
    package let exposedAt: ContinuousClock.Instant

    package init(picture: Picture, field: Region, number: Int, exposedAt: ContinuousClock.Instant) {
        self.picture = picture
        self.field = field
        self.number = number
        self.exposedAt = exposedAt
    }
}

/// Why a request to a camera failed.
package enum CameraError: Error, Sendable, Equatable {
    /// The control exists and cannot be set at the moment.
    case disabled(control: String, reason: String)
    /// The device refused, with the driver's message.
    case device(String)
    /// The device is gone, or the camera was closed.
    case unplugged
}
