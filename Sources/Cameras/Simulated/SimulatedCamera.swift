package import LoopThread
internal import Picture

/// A camera without hardware: a picture, a lens of any speed, and a handful of controls.
///
/// It does what a real one would, on time: frames come at its rate, the lens takes as long as it is told to. A thousand of them need
/// no thread.
package final class SimulatedCamera: CameraBackend {
    /// How it behaves.
    package struct Settings: Sendable {
        package enum Fault: Sendable {
            /// The lens refuses every request.
            case write
            /// No frame can be had.
            case frame
            /// The driver refuses every change of its mode.
            case mode
        }

        /// The picture of every frame, a JPEG of exactly ``width`` × ``height`` pixels; nil: a generated scene.
        package var jpeg: [UInt8]?
        /// Size of the largest frames, in pixels, which is also the first mode.
        package var width: Int
        package var height: Int
        /// Frames per second: the fastest, and what it begins with.
        package var rate: Double
        package var opticalMax: Double
        /// Octaves per second; 0: the lens is there at once.
        package var lensSpeed: Double
        /// How long a request to the lens takes before it is done.
        package var writeLatency: Duration
        package var fault: Fault?

        package init(
            jpeg: [UInt8]? = nil, width: Int = 1920, height: Int = 1080, rate: Double = 30,
            opticalMax: Double = 1,
            lensSpeed: Double = 0, writeLatency: Duration = .zero, fault: Fault? = nil
        ) {
            (self.jpeg, self.width, self.height, self.rate) = (jpeg, width, height, rate)
            (self.opticalMax, self.lensSpeed) = (opticalMax, lensSpeed)
            (self.writeLatency, self.fault) = (writeLatency, fault)
        }
    }

    /// How often a moving lens says where it is, per second.
    private static let reportRate = 60.0

    package let description: CameraDescription
    package var lensReported: (LensReport) -> Void = { _ in }
    /// Nobody but the agent has a hand in it.
    package var controlsChanged: () -> Void = {}
    package var streamed: (_ frames: Int, _ lost: Int) -> Void = { _, _ in }

    package private(set) var mode: CameraMode
    private let settings: Settings
    private let loop: EventLoop
    /// The first frame of the present mode, by whose rate the others follow it.
    private var first: (number: Int, exposedAt: ContinuousClock.Instant)
    /// The last one that somebody was given.
    private var lastGiven = -1
    private var lens: SteadyLens
    private var simulatedControls = SimulatedControls()
    /// Where the lens is to go once the request is through.
    private var requested: Double?
    private var awaited: [(time: ContinuousClock.Instant, then: (Result<Frame, CameraError>) -> Void)] = []
    private var isClosed = false

    private lazy var requestIsThrough = loop.timer { [weak self] in self?.takeRequest() }
    private lazy var lensTick = loop.timer { [weak self] in self?.reportMovement() }
    private lazy var nextFrame = loop.timer { [weak self] in self?.giveFrames() }

    /// - Parameter serial: by what a real camera would be known.
    package init(_ settings: Settings, serial: String, on loop: EventLoop) {
        self.settings = settings
        self.loop = loop
        first = (0, loop.now)
        lens = SteadyLens(speed: settings.lensSpeed, at: 1, now: loop.now)
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
            return lensReported(.failed(.device("VIDIOC_S_EXT_CTRLS: Input/output error (simulated)")))
        }
        requested = optical
        if settings.writeLatency > .zero {
            requestIsThrough.set(after: settings.writeLatency)
        } else {
            takeRequest()
        }
    }

    package func stopLens() {
        if isClosed { return }
        requestIsThrough.cancel()
        requested = nil
        lensTick.cancel()
        lens.stop(at: loop.now)
        lensReported(.stopped(optical: lens.factor(at: loop.now)))
    }

    private func takeRequest() {
        guard let optical = requested else { return }
        requested = nil
        let now = loop.now
        lens.drive(to: optical, at: now)
        watchLens(now)
        lensReported(.written(optical: lens.factor(at: now), moving: now < lens.arrival))
    }

    private func reportMovement() {
        let now = loop.now
        watchLens(now)
        lensReported(.moved(optical: lens.factor(at: now), moving: now < lens.arrival))
    }

    private func watchLens(_ now: ContinuousClock.Instant) {
        guard now < lens.arrival else { return lensTick.cancel() }
        lensTick.set(at: min(lens.arrival, now.advanced(by: .seconds(1 / Self.reportRate))))
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
        let number = number(ofFrameAtOrBefore: loop.now)
        if exposure(ofFrame: number) >= time { return then(.success(frame(number))) }
        awaited.append((time, then))
        nextFrame.set(at: exposure(ofFrame: number + 1))
    }

    private func giveFrames() {
        // A completion may close the camera or change its mode: the other requests are judged anew after each.
        while true {
            let number = number(ofFrameAtOrBefore: loop.now)
            let exposed = exposure(ofFrame: number)
            guard let place = awaited.firstIndex(where: { $0.time <= exposed }) else { break }
            awaited.remove(at: place).then(.success(frame(number)))
        }
        if !awaited.isEmpty {
            nextFrame.set(at: exposure(ofFrame: number(ofFrameAtOrBefore: loop.now) + 1))
        }
    }

    private func frame(_ number: Int) -> Frame {
        if number > lastGiven {
            lastGiven = number
            streamed(1, 0)
        }
        let exposed = exposure(ofFrame: number)
        let size = 1 / lens.factor(at: exposed)
        let picture: Picture =
            if let jpeg = settings.jpeg { .jpeg(jpeg) } else {
                .planar(Scene.picture(width: mode.width, height: mode.height))
            }
        return Frame(
            picture: picture, field: Region(x: (1 - size) / 2, y: (1 - size) / 2, width: size, height: size),
            number: number, exposedAt: exposed)
    }

    private func number(ofFrameAtOrBefore time: ContinuousClock.Instant) -> Int {
        // A frame's own time is on its edge: half a microsecond keeps rounding from taking it for the one before.
        first.number + Int((first.exposedAt.duration(to: time) / .seconds(1) + 5e-7) * mode.rate)
    }

    private func exposure(ofFrame number: Int) -> ContinuousClock.Instant {
        first.exposedAt.advanced(by: .seconds(Double(number - first.number) / mode.rate))
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
        first = (number(ofFrameAtOrBefore: loop.now) + 1, loop.now)
        mode = wanted
        mode.rate = format.rate(nearestTo: wanted.rate).rate
        if !awaited.isEmpty { nextFrame.set(at: first.exposedAt) }
        then(.success(mode))
    }

    // MARK: The end

    package func close() {
        isClosed = true
        lensReported = { _ in }
        controlsChanged = {}
        streamed = { _, _ in }
        for timer in [requestIsThrough, lensTick, nextFrame] { timer.cancel() }
        while !awaited.isEmpty { awaited.removeFirst().then(.failure(.unplugged)) }
    }
}

extension SimulatedCamera.Settings {
    /// The usual widths below the own one; each is there when the own shape makes it whole.
    private static let widths = [1920, 1280, 640, 320]
    private static let rates = [15.0, 10, 5]

    /// A scene can be drawn in any size; a JPEG has its own.
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
