package import Picture

/// A camera, as an agent drives it.
///
/// A backend lives on the agent's loop, from the time that the camera is found to the time that it is gone. None of its calls waits: where the device is slow, the answer comes later, by a report or
/// by the closure that was given, always on the loop.
package protocol CameraBackend: AnyObject {
    /// What the camera is and can do.
    var description: CameraDescription { get }

    /// What a person should know of it, such as a zoom that can't be used.
    var remarks: [String] { get }

    /// Called with what the lens does; see ``LensReport``.
    var lensReported: (LensReport) -> Void { get set }

    /// Called when controls are others than before by somebody else's hand.
    var controlsChanged: () -> Void { get set }

    /// Called now and then while frames come, and when they have stopped: how many there were since the last call, and how many the driver
    /// lost.
    var streamed: (_ frames: Int, _ lost: Int) -> Void { get set }

    /// Drives the lens to an optical factor, in 1…``CameraDescription/opticalMax``. There is one request at a time: the next
    /// comes after ``LensReport/written(optical:moving:)`` or ``LensReport/failed(_:)``.
    func driveLens(to optical: Double)

    /// Stops the lens where it is, also while a request is under way; answered by ``LensReport/stopped(optical:)``.
    func stopLens()

    /// The controls with their present values, in the order in which a person would like to see them.
    var controls: [Control] { get }

    /// Sets controls, all or none of them, and says what was read back. Values are those that ``Control/nearest(to:)`` gives.
    func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void)

    /// How frames come. It is another one only by ``setMode(_:then:)``.
    var mode: CameraMode { get }

    /// Changes how frames come, and says what the driver really gives: the rate may be one that it rounded, the rest is as it was
    /// asked for, or the change has failed and all is as it was.
    ///
    /// Frames that are wanted meanwhile come as they are by then; those that are wanted after the answer come in the new mode. Several
    /// changes are made in the order in which they were asked for. When it is answered, ``description`` says how far the lens goes in the
    /// new mode, and where it is; one that couldn't stay where it was says so by ``LensReport/moved(optical:moving:)``, too, after the
    /// answer, unless it is driven elsewhere by then.
    func setMode(_ mode: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void)

    /// The first frame exposed at or after this time, which may be in the past.
    func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void)

    /// Ends the use of the device. Every completion that is still pending (``setControls(_:then:)``, ``setMode(_:then:)``,
    /// ``frame(exposedAfter:then:)``) is called exactly once with `.failure(.unplugged)` before `close()` returns, and no
    /// callback (``lensReported``, ``controlsChanged``, ``streamed``) is called afterwards. Calls after `close()` complete
    /// with `.unplugged`; a second `close()` does nothing.
    func close()
}

/// Where a camera comes from: it may come and go.
package protocol CameraSource: AnyObject {
    /// Called with the camera each time that it is found: again when it was lost meanwhile.
    var found: (any CameraBackend) -> Void { get set }

    /// Called when the camera isn't there, with the reason. If ``found`` was called before, the source has closed that camera:
    /// all its pending completions have been called. See ``CameraBackend/close()``.
    var missing: (CameraAbsence) -> Void { get set }

    /// Begins to look for the camera. Either ``found`` or ``missing`` is called soon.
    func look()
}

/// Why a camera isn't there.
package enum CameraAbsence: Sendable, Equatable {
    /// It was never there.
    case notFound
    /// It was, and was taken away.
    case unplugged
    /// It is there and can't be used, in the driver's words.
    case unusable(String)
    /// One that is to be preferred has come.
    case replaced
}

extension CameraBackend {
    package var remarks: [String] { [] }
}

/// What became of the lens.
package enum LensReport: Sendable, Equatable {
    /// The request was taken; the lens is at `optical`, and perhaps on its way.
    case written(optical: Double, moving: Bool)
    /// The lens got to `optical`, on its way or by somebody else's hand.
    case moved(optical: Double, moving: Bool)
    /// Somebody else has turned the lens to `optical`.
    case taken(optical: Double)
    /// The lens stands still and no request is under way.
    case stopped(optical: Double)
    /// The request was refused; the lens is where it was.
    case failed(CameraError)
}

/// One picture from a camera.
package struct Frame: Sendable {
    package let picture: Picture
    /// The part of the picture that the lens sees: all of it, but for a simulated lens, which sees a part of its scene.
    package let field: Region
    /// The camera's count of frames.
    package let number: Int
    package let exposedAt: ContinuousClock.Instant

    package init(picture: Picture, field: Region, number: Int, exposedAt: ContinuousClock.Instant) {
        self.picture = picture
        self.field = field
        self.number = number
        self.exposedAt = exposedAt
    }
}

/// Why a camera didn't do what it was asked.
package enum CameraError: Error, Sendable, Equatable {
    /// A control is there but can't be set at the moment.
    case disabled(control: String, reason: String)
    /// The device refused, in the driver's words.
    case device(String)
    /// The device is gone.
    case unplugged
}
