package import Base
internal import Contract
package import Settings

/// A camera without hardware: a picture, a lens of any speed, and a few controls.
///
/// It behaves in time as a device does: frames come at its rate, the lens takes its time. It needs no thread.
package final class SimulatedCamera: CameraBackend {
    /// Reports of a moving lens per second.
    private static let reportRate = 60.0

    package private(set) var description: CameraDescription
    package private(set) var mode: CameraMode
    package var callbacks = CameraCallbacks()

    private let settings: SimulationSettings
    /// The picture of every frame; nil: a generated scene.
    private let jpeg: [UInt8]?
    /// Moves over the generated scene from the first frame on. Nil: nothing moves.
    private let object: MovingObject?
    private let loop: EventLoop
    /// When its first frame was exposed.
    private let started: ContinuousClock.Instant
    private var schedule: FrameSchedule
    /// The number of the newest frame that was given out.
    private var lastGiven = -1
    private var lens: ConstantRateLens
    private var simulatedControls = SimulatedControls()
    /// The factor of the request to the lens that is not carried out yet; see
    /// `SimulationSettings.writeLatency`.
    private var pendingOptical: Double?
    private var pendingFrames: [(time: ContinuousClock.Instant, then: (Result<Frame, CameraError>) -> Void)] =
        []
    private var isClosed = false
    private lazy var requestTimer = loop.timer { [weak self] in self?.takeRequest() }
    private lazy var reportTimer = loop.timer { [weak self] in self?.reportMovement() }
    private lazy var frameTimer = loop.timer { [weak self] in self?.deliverFrames() }

    /// - Parameters:
    ///   - jpeg: the picture of every frame, of exactly the size in the settings; nil: a generated scene.
    ///   - serial: a device's serial number stands here.
    package init(
        _ settings: SimulationSettings, jpeg: [UInt8]? = nil, serial: String, on loop: EventLoop
    ) {
        (self.settings, self.jpeg, self.loop) = (settings, jpeg, loop)
        object = settings.objectSize.map { MovingObject(size: $0, period: settings.objectPeriod) }
        started = loop.now
        let rate = Double(settings.frameRate)
        schedule = FrameSchedule(rate: rate, number: 0, exposedAt: started)
        lens = ConstantRateLens(speed: settings.lensSpeed, at: 1, now: started)
        let largest = CameraDescription.Format(
            pixelFormat: jpeg == nil ? "422P" : "MJPG", width: settings.width ?? 1_920,
            height: settings.height ?? 1_080, rates: [rate] + Self.rates.filter { $0 < rate })
        mode = largest.mode(rate: rate)
        var limits = DeviceSettings.standard
        (limits.width, limits.height, limits.rate) = (largest.width, largest.height, rate)
        let lensMax = settings.opticalMaximum
        description = CameraDescription(
            model: "Simulated camera", bus: "simulated", serial: serial, opticalMax: lensMax, optical: 1,
            formats: jpeg == nil ? Self.formats(largest) : [largest],
            actuators: lensMax > 1 ? [.init(kind: "simulated", max: lensMax)] : [],
            limits: limits)
    }

    // MARK: The lens

    package func driveLens(to optical: Double) {
        if isClosed { return }
        if settings.fault == .writeError {
            let error = CameraError.device("VIDIOC_S_EXT_CTRLS: Input/output error (simulated)")
            return report(.failed(error), at: loop.now)
        }
        pendingOptical = optical
        if settings.writeLatency > .zero {
            requestTimer.set(after: settings.writeLatency)
        } else {
            takeRequest()
        }
    }

    package func stopLens() {
        if isClosed { return }
        requestTimer.cancel()
        pendingOptical = nil
        reportTimer.cancel()
        let now = loop.now
        lens.stop(at: now)
        report(.stopped(optical: lens.factor(at: now)), at: now)
    }

    private func takeRequest() {
        guard let optical = pendingOptical else { return }
        pendingOptical = nil
        let now = loop.now
        lens.drive(to: optical, at: now)
        watchLens(now)
        report(.written(optical: lens.factor(at: now), moving: now < lens.arrival), at: now)
    }

    private func reportMovement() {
        let now = loop.now
        watchLens(now)
        report(.moved(optical: lens.factor(at: now), moving: now < lens.arrival), at: now)
    }

    private func watchLens(_ now: ContinuousClock.Instant) {
        guard now < lens.arrival else { return reportTimer.cancel() }
        reportTimer.set(at: min(lens.arrival, now.advanced(by: .seconds(1 / Self.reportRate))))
    }

    /// - Parameter now: the time of the report, which is also that of the description: the lens moves on.
    private func report(_ report: LensReport, at now: ContinuousClock.Instant) {
        description.optical = lens.factor(at: now)
        callbacks.lensReported(report)
    }

    // MARK: Controls

    package var controls: [Control] { simulatedControls.list }

    package func setControls(
        _ values: [String: Control.Value], then: @escaping (Result<[Control], CameraError>) -> Void
    ) {
        if isClosed { return then(.failure(.unplugged)) }
        do throws(CameraError) {
            try simulatedControls.set(values)
            then(.success(controls))
        } catch {
            then(.failure(error))
        }
    }

    // MARK: Frames

    package func frame(
        exposedAfter time: ContinuousClock.Instant, then: @escaping (Result<Frame, CameraError>) -> Void
    ) {
        if isClosed { return then(.failure(.unplugged)) }
        if settings.fault == .frameError {
            return then(.failure(.device("VIDIOC_DQBUF: Input/output error (simulated)")))
        }
        let number = schedule.number(ofFrameAtOrBefore: loop.now)
        if schedule.exposure(ofFrame: number) >= time { return then(.success(frame(number))) }
        pendingFrames.append((time, then))
        frameTimer.set(at: schedule.exposure(ofFrame: number + 1))
    }

    private func deliverFrames() {
        // A completion may close the camera or change its mode: the other requests are checked again after
        // each.
        while true {
            let number = schedule.number(ofFrameAtOrBefore: loop.now)
            let exposed = schedule.exposure(ofFrame: number)
            guard let place = pendingFrames.firstIndex(where: { $0.time <= exposed }) else { break }
            pendingFrames.remove(at: place).then(.success(frame(number)))
        }
        if !pendingFrames.isEmpty {
            let number = schedule.number(ofFrameAtOrBefore: loop.now)
            frameTimer.set(at: schedule.exposure(ofFrame: number + 1))
        }
    }

    private func frame(_ number: Int) -> Frame {
        if number > lastGiven {
            lastGiven = number
            callbacks.streamed(1, 0)
        }
        let exposed = schedule.exposure(ofFrame: number)
        let size = 1 / lens.factor(at: exposed)
        let picture: Picture =
            if let jpeg { .jpeg(jpeg) } else { .planar(scene(at: exposed)) }
        return Frame(
            picture: picture, field: Region(x: (1 - size) / 2, y: (1 - size) / 2, width: size, height: size),
            number: number, exposedAt: exposed)
    }

    private func scene(at time: ContinuousClock.Instant) -> PlanarPicture {
        let scene = Scene.picture(of: settings.scene, width: mode.width, height: mode.height)
        guard let object else { return scene }
        return object.drawn(on: scene, after: started.duration(to: time) / .seconds(1))
    }

    package func setMode(
        _ wanted: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        if isClosed { return then(.failure(.unplugged)) }
        let format = description.formats.first {
            ($0.pixelFormat, $0.width, $0.height) == (wanted.pixelFormat, wanted.width, wanted.height)
        }
        guard let format, settings.fault != .modeError else {
            return then(.failure(.device("VIDIOC_S_FMT: Invalid argument (simulated)")))
        }
        let now = loop.now
        mode = wanted
        mode.rate = format.rate(nearestTo: wanted.rate).rate
        schedule = FrameSchedule(
            rate: mode.rate, number: schedule.number(ofFrameAtOrBefore: now) + 1, exposedAt: now)
        if !pendingFrames.isEmpty { frameTimer.set(at: now) }
        then(.success(mode))
    }

    // MARK: The end

    package func close() {
        isClosed = true
        callbacks = CameraCallbacks()
        for timer in [requestTimer, reportTimer, frameTimer] { timer.cancel() }
        pendingFrames = []
    }

    // MARK: Formats

    /// Widths of the smaller formats; each is offered if its height is a whole, even number.
    private static let widths = [1920, 1280, 640, 320]
    private static let rates = [15.0, 10, 5]

    /// The scene can be drawn in any size; a JPEG has one.
    private static func formats(_ largest: CameraDescription.Format) -> [CameraDescription.Format] {
        let (width, height) = (largest.width, largest.height)
        let smaller = widths.filter { $0 < width && ($0 * height).isMultiple(of: width * 2) }
        return [largest]
            + smaller.map { smallerWidth in
                var format = largest
                (format.width, format.height) = (smallerWidth, smallerWidth * height / width)
                return format
            }
    }
}
