package import Base

/// A camera without hardware: a picture, a lens of any speed, and a few controls.
///
/// It behaves in time as a device does: frames come at its rate, the lens takes its time. It needs no thread.
package final class SimulatedCamera: CameraBackend {
    /// What is simulated.
    package struct Settings: Sendable {
        package enum Fault: Sendable {
            /// The lens refuses every request.
            case write
            /// Every request for a frame fails.
            case frame
            /// The driver refuses every change of its mode.
            case mode
        }

        /// The picture of every frame, a JPEG of exactly ``width`` × ``height`` pixels; nil: a generated
        /// scene.
        package var jpeg: [UInt8]?
        /// Size of the largest frames, in pixels, which is also the first mode.
        package var width: Int
        package var height: Int
        /// Frames per second: the fastest, and what it begins with.
        package var rate: Double
        package var opticalMax: Double
        /// Octaves per second; 0: the lens arrives immediately.
        package var lensSpeed: Double
        /// Time from a request to the lens until its report.
        package var writeLatency: Duration
        /// Moves over the generated scene from the first frame on. Nil: nothing moves.
        package var object: MovingObject?
        package var fault: Fault?

        package init(
            jpeg: [UInt8]? = nil, width: Int = 1920, height: Int = 1080, rate: Double = 30,
            opticalMax: Double = 1, lensSpeed: Double = 0, writeLatency: Duration = .zero,
            object: MovingObject? = nil, fault: Fault? = nil
        ) {
            (self.jpeg, self.width, self.height, self.rate) = (jpeg, width, height, rate)
            (self.opticalMax, self.lensSpeed) = (opticalMax, lensSpeed)
            (self.writeLatency, self.object, self.fault) = (writeLatency, object, fault)
        }
    }

    /// Reports of a moving lens per second.
    private static let reportRate = 60.0

    /// The calls that are not answered yet.
    private struct Pending {
        /// The factor of the request to the lens; see ``Settings/writeLatency``.
        var optical: Double?
        var frames: [(time: ContinuousClock.Instant, then: (Result<Frame, CameraError>) -> Void)] = []
    }

    package private(set) var description: CameraDescription
    package private(set) var mode: CameraMode
    package var lensReported: (LensReport) -> Void = { _ in }
    /// Never called: no other program has access.
    package var controlsChanged: () -> Void = {}
    package var streamed: (_ frames: Int, _ lost: Int) -> Void = { _, _ in }

    private let settings: Settings
    private let loop: EventLoop
    /// When its first frame was exposed.
    private let started: ContinuousClock.Instant
    private var schedule: FrameSchedule
    /// The number of the newest frame that was given out.
    private var lastGiven = -1
    private var lens: ConstantRateLens
    private var simulatedControls = SimulatedControls()
    private var pending = Pending()
    private var isClosed = false
    private lazy var requestTimer = loop.timer { [weak self] in self?.takeRequest() }
    private lazy var reportTimer = loop.timer { [weak self] in self?.reportMovement() }
    private lazy var frameTimer = loop.timer { [weak self] in self?.deliverFrames() }

    /// - Parameter serial: a device's serial number stands here.
    package init(_ settings: Settings, serial: String, on loop: EventLoop) {
        self.settings = settings
        self.loop = loop
        started = loop.now
        schedule = FrameSchedule(rate: settings.rate, number: 0, exposedAt: started)
        lens = ConstantRateLens(speed: settings.lensSpeed, at: 1, now: started)
        let formats = settings.formats
        mode = CameraMode(
            pixelFormat: formats[0].pixelFormat, width: settings.width, height: settings.height,
            rate: settings.rate)
        description = CameraDescription(
            model: "Simulated camera", bus: "simulated", serial: serial, opticalMax: settings.opticalMax,
            optical: 1, formats: formats,
            actuators: settings.opticalMax > 1 ? [.init(kind: "simulated", max: settings.opticalMax)] : [],
            limits: .init(width: settings.width, height: settings.height, rate: settings.rate))
    }

    // MARK: The lens

    package func driveLens(to optical: Double) {
        if isClosed { return }
        if settings.fault == .write {
            return report(.failed(.device("VIDIOC_S_EXT_CTRLS: Input/output error (simulated)")))
        }
        pending.optical = optical
        if settings.writeLatency > .zero {
            requestTimer.set(after: settings.writeLatency)
        } else {
            takeRequest()
        }
    }

    package func stopLens() {
        if isClosed { return }
        requestTimer.cancel()
        pending.optical = nil
        reportTimer.cancel()
        let now = loop.now
        lens.stop(at: now)
        report(.stopped(optical: lens.factor(at: now)))
    }

    private func takeRequest() {
        guard let optical = pending.optical else { return }
        pending.optical = nil
        let now = loop.now
        lens.drive(to: optical, at: now)
        watchLens(now)
        report(.written(optical: lens.factor(at: now), moving: now < lens.arrival))
    }

    private func reportMovement() {
        let now = loop.now
        watchLens(now)
        report(.moved(optical: lens.factor(at: now), moving: now < lens.arrival))
    }

    private func watchLens(_ now: ContinuousClock.Instant) {
        guard now < lens.arrival else { return reportTimer.cancel() }
        reportTimer.set(at: min(lens.arrival, now.advanced(by: .seconds(1 / Self.reportRate))))
    }

    private func report(_ report: LensReport) {
        description.optical = lens.factor(at: loop.now)
        lensReported(report)
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
        if settings.fault == .frame {
            return then(.failure(.device("VIDIOC_DQBUF: Input/output error (simulated)")))
        }
        let number = schedule.number(ofFrameAtOrBefore: loop.now)
        if schedule.exposure(ofFrame: number) >= time { return then(.success(frame(number))) }
        pending.frames.append((time, then))
        frameTimer.set(at: schedule.exposure(ofFrame: number + 1))
    }

    private func deliverFrames() {
        // A completion may close the camera or change its mode: the other requests are checked again after
        // each.
        while true {
            let number = schedule.number(ofFrameAtOrBefore: loop.now)
            let exposed = schedule.exposure(ofFrame: number)
            guard let place = pending.frames.firstIndex(where: { $0.time <= exposed }) else { break }
            pending.frames.remove(at: place).then(.success(frame(number)))
        }
        if !pending.frames.isEmpty {
            let number = schedule.number(ofFrameAtOrBefore: loop.now)
            frameTimer.set(at: schedule.exposure(ofFrame: number + 1))
        }
    }

    private func frame(_ number: Int) -> Frame {
        if number > lastGiven {
            lastGiven = number
            streamed(1, 0)
        }
        let exposed = schedule.exposure(ofFrame: number)
        let size = 1 / lens.factor(at: exposed)
        let picture: Picture =
            if let jpeg = settings.jpeg { .jpeg(jpeg) } else { .planar(scene(at: exposed)) }
        return Frame(
            picture: picture, field: Region(x: (1 - size) / 2, y: (1 - size) / 2, width: size, height: size),
            number: number, exposedAt: exposed)
    }

    private func scene(at time: ContinuousClock.Instant) -> PlanarPicture {
        let scene = Scene.picture(width: mode.width, height: mode.height)
        guard let object = settings.object else { return scene }
        return object.drawn(on: scene, after: started.duration(to: time) / .seconds(1))
    }

    package func setMode(
        _ wanted: CameraMode, then: @escaping (Result<CameraMode, CameraError>) -> Void
    ) {
        if isClosed { return then(.failure(.unplugged)) }
        let format = description.formats.first {
            ($0.pixelFormat, $0.width, $0.height) == (wanted.pixelFormat, wanted.width, wanted.height)
        }
        guard let format, settings.fault != .mode else {
            return then(.failure(.device("VIDIOC_S_FMT: Invalid argument (simulated)")))
        }
        let now = loop.now
        mode = wanted
        mode.rate = format.rate(nearestTo: wanted.rate).rate
        schedule = FrameSchedule(
            rate: mode.rate, number: schedule.number(ofFrameAtOrBefore: now) + 1, exposedAt: now)
        if !pending.frames.isEmpty { frameTimer.set(at: now) }
        then(.success(mode))
    }

    // MARK: The end

    package func close() {
        isClosed = true
        lensReported = { _ in }
        controlsChanged = {}
        streamed = { _, _ in }
        for timer in [requestTimer, reportTimer, frameTimer] { timer.cancel() }
        while !pending.frames.isEmpty { pending.frames.removeFirst().then(.failure(.unplugged)) }
    }
}

extension SimulatedCamera.Settings {
    /// Widths of the smaller formats; each is offered if its height is a whole, even number.
    private static let widths = [1920, 1280, 640, 320]
    private static let rates = [15.0, 10, 5]

    /// The scene can be drawn in any size; a JPEG has one.
    fileprivate var formats: [CameraDescription.Format] {
        let rates = [rate] + Self.rates.filter { $0 < rate }
        let own = CameraDescription.Format(
            pixelFormat: jpeg == nil ? "422P" : "MJPG", width: width, height: height, rates: rates)
        guard jpeg == nil else { return [own] }
        let smaller = Self.widths.filter { $0 < width && ($0 * height).isMultiple(of: width * 2) }
        return [own]
            + smaller.map { smallerWidth in
                var format = own
                (format.width, format.height) = (smallerWidth, smallerWidth * height / width)
                return format
            }
    }
}
