internal import CV4L2
internal import Glibc
internal import Settings

/// The control thread of a device: it makes all calls that can block for as long as the device takes.
struct ControlThread {
    enum Job: Sendable, Equatable {
        case open
        case drive(V4L2Lens.Goal)
        /// Stops the motor.
        ///
        /// - known: its value according to the last event.
        case halt(isMoving: Bool, known: Int64?)
        /// Reads where the lens is.
        case poll
        /// Drives the lens to where an event reported it, and reads where it is then.
        case settle(V4L2Lens.Goal)
        /// A lens without a position: in (1), out (-1), or stop (0).
        case turn(Int64)
        case set([String: Control.Value])
        /// Reads the controls.
        case refresh
        /// Has the camera's encoder send a key frame, by the control with this id.
        case forceKeyFrame(UInt32)
        /// Takes over the lens as it is in a new mode, and reads the controls.
        case adopt(V4L2Lens)

        /// Whether it brings the lens to a stop.
        var isStop: Bool {
            switch self {
            case .halt, .turn(0): true
            case .open, .drive, .poll, .settle, .turn, .set, .refresh, .forceKeyFrame, .adopt: false
            }
        }
    }

    enum Report: Sendable {
        case opened(Result<OpenedDevice, CameraError>)
        case lens(LensJobReport)
        case set(Result<ControlMap, CameraError>)
        case refreshed(Result<ControlMap, CameraError>)
        case adopted(Result<ControlMap, CameraError>)
        /// A key frame was requested. An error means that none comes before the next one of the camera's own.
        case keyFrameForced(CameraError?)
    }

    /// Everything that is known of a device when it is opened.
    struct OpenedDevice: Sendable {
        let device: V4L2Device
        let setup: V4L2Setup
        let formats: [CameraDescription.Format]
        let lens: V4L2Lens
        let place: LensPosition
        let controls: ControlMap
        /// Remarks for the user, such as a zoom that cannot be used.
        let remarks: [String]
        /// Nil: none is configured.
        let orientation: DeviceOrientation?
        /// Another node, and its H.264; nil: there is none.
        let videoNode: (path: String, formats: [CameraDescription.Format])?
    }

    private let path: String
    /// See ``FoundDevice/sensorRotation``.
    private let sensorRotation: Int?
    private let camera: CameraSettings
    private var device: V4L2Device?
    private var lens = V4L2Lens()

    init(_ found: FoundDevice, of camera: CameraSettings) {
        (path, sensorRotation, self.camera) = (found.path, found.sensorRotation, camera)
    }

    mutating func perform(_ job: Job) -> Report {
        if case .open = job { return .opened(Result { () throws(CameraError) in try open() }) }
        guard let device else { return .refreshed(.failure(.unplugged)) }
        let lens = lens
        switch job {
        case .open: return .refreshed(.failure(.unplugged))
        case .drive(let goal):
            return .lens(.driven(Result { () throws(CameraError) in try device.drive(lens, to: goal) }))
        case .halt(let isMoving, let known):
            let halted = Result { () throws(CameraError) in
                try device.halt(lens, isMoving: isMoving, known: known)
            }
            return .lens(.halted(halted))
        case .poll:
            return .lens(.polled(Result { () throws(CameraError) in try device.place(of: lens) }))
        case .settle(let goal):
            return .lens(.settled(Result { () throws(CameraError) in try device.drive(lens, to: goal) }))
        case .turn(let speed):
            return .lens(.turned(speed: speed, device.write([(cv4l2_zoom_continuous, speed)])?.error))
        case .set(let values):
            return .set(Result { () throws(CameraError) in try device.set(values) })
        case .refresh: return .refreshed(Result { () throws(CameraError) in try device.controlMap() })
        case .forceKeyFrame(let control): return .keyFrameForced(device.write([(control, 1)])?.error)
        case .adopt(let lens):
            self.lens = lens
            return .adopted(Result { () throws(CameraError) in try device.controlMap() })
        }
    }

    private mutating func open() throws(CameraError) -> OpenedDevice {
        let settings = camera.device
        let device = try V4L2Device.forFrames(path, ownsOrientation: camera.orientation.isSet)
        guard device.identity.captures else { throw .device("\(path) does not capture video") }
        if let input = settings.input {
            try device.check(cv4l2_set_input(device.descriptor, Int32(input)), "VIDIOC_S_INPUT")
        }
        // First, as a flip can change the formats of a sensor.
        let orientation = camera.orientation.orientation(sensorRotation: sensorRotation).map(device.orient)
        let formats = device.formats()
        if let best = formats.best(within: settings) {
            var format = try device.format()
            format.pixelFormat = V4L2Format.code(best.pixelFormat)
            (format.width, format.height) = (best.width, best.height)
            // If another program streams, the format stays as it is, and the zoom works.
            _ = try? device.setFormat(format)
        }
        let controls = try device.controlMap()
        let (lens, remarks) = device.lens(
            controls, calibration: Calibration(settings.calibration),
            speedControl: V4L2Lens.SpeedControl(settings))
        if let speedControl = lens.speedControl { try device.home(speedControl) }
        for entry in controls.entries { _ = device.subscribe(to: entry.control.id) }
        let place = try device.place(of: lens)
        // After the probes of the lens, which set formats. Before the format is read, because with some
        // drivers the rate changes the buffers' size.
        let rate = device.setRate(settings.rate) ?? settings.rate
        let setup = V4L2Setup(format: try device.format(), rate: rate, crop: lens.crop)
        device.release()
        self.device = device
        self.lens = lens
        return OpenedDevice(
            device: device, setup: setup, formats: formats, lens: lens, place: place,
            controls: controls, remarks: remarks, orientation: orientation,
            // Last: the driver makes the nodes one after the other.
            videoNode: device.videoNode())
    }
}

extension V4L2Device {
    /// All the controls with their values.
    func controlMap() throws(CameraError) -> ControlMap {
        let list = try controls()
        var values: [UInt32: Int64] = [:]
        var texts: [UInt32: String] = [:]
        for control in list where !control.isWriteOnly && !control.isDisabled {
            switch control.kind {
            case .heading, .button, .compound: continue
            case .text: texts[control.id] = try? readText(control.id, longest: Int(control.maximum))
            case .integer, .boolean, .menu, .integerMenu, .bitmask:
                let began = ContinuousClock.now
                do throws(CameraError) { values[control.id] = try read(control.id) } catch {
                    // One control that cannot be read must not hide the others. If the device hangs, all of
                    // them would.
                    if error == .unplugged || began.duration(to: .now) > .seconds(1) { throw error }
                }
            }
        }
        return ControlMap(list, values: values, texts: texts)
    }

    /// Sets controls, all or none of them, and reads all back.
    func set(_ values: [String: Control.Value]) throws(CameraError) -> ControlMap {
        let before = try controlMap()
        var wanted: [RequestedValue] = []
        for (name, value) in values {
            guard let entry = before[name], let raw = before.raw(value, of: entry) else {
                throw .device("\(name): the control has changed since it was listed")
            }
            if let reason = ControlMap.reasonToLeave(entry.control) {
                throw .disabled(control: name, reason: reason)
            }
            wanted.append((name, entry.control.id, raw))
        }
        // Controls that can enable others are set first, by a call of their own: within one call a driver may
        // use another order, and find a control inactive that the same call enables.
        func rules(_ id: UInt32) -> Bool {
            let kind = before[id]?.control.kind
            return kind == .boolean || kind == .menu
        }
        wanted.sort { $0.name < $1.name }
        let calls = [wanted.filter { rules($0.id) }, wanted.filter { !rules($0.id) }].filter { !$0.isEmpty }
        do throws(CameraError) {
            for call in calls { try setTogether(call, of: wanted) }
        } catch {
            // In reverse order: a control can only be restored while it is still enabled.
            if error != .unplugged { restore(before, calls.reversed().flatMap { $0.map(\.id) }) }
            throw error
        }
        return try readBack(wanted.map(\.id), before)
    }

    private typealias RequestedValue = (name: String, id: UInt32, value: Int64)

    /// Sets controls in one call. An error names the control that failed and the reason, where they are
    /// known.
    ///
    /// - Parameter all: the controls of this call and of the other one.
    private func setTogether(_ call: [RequestedValue], of all: [RequestedValue]) throws(CameraError) {
        // Some drivers accept a value for a disabled control and ignore it.
        if let (name, reason) = ControlMap(try controls(), values: [:]).firstDisabled(of: call.map(\.name)) {
            throw .disabled(control: name, reason: reason)
        }
        guard let problem = write(call.map { ($0.id, $0.value) }) else { return }
        guard case .device(let words) = problem.error else { throw problem.error }
        let suspects = all.filter { problem.failed == nil || problem.failed == $0.id }.map(\.name)
        if let (name, reason) = (try? controlMap())?.firstDisabled(of: suspects) {
            throw .disabled(control: name, reason: reason)
        }
        guard problem.failed != nil, let name = suspects.first else { throw problem.error }
        throw .device("\(name): \(words)")
    }

    /// All controls after some were set. If not all can be read, at least these.
    private func readBack(_ ids: [UInt32], _ before: ControlMap) throws(CameraError) -> ControlMap {
        do throws(CameraError) { return try controlMap() } catch {
            if error == .unplugged { throw error }
        }
        var map = before
        for id in ids where before[id]?.control.kind != .button { _ = map.note(try read(id), of: id) }
        return map
    }

    /// Undoes what a call has set before it failed: a driver that refuses the third control may have set two.
    private func restore(_ before: ControlMap, _ ids: [UInt32]) {
        for id in ids {
            guard let entry = before[id], entry.control.kind != .button, let now = try? read(id),
                now != entry.value
            else { continue }
            _ = write([(id, entry.value)])
        }
    }

    /// The parts that zoom, and remarks for the user.
    func lens(
        _ controls: ControlMap, calibration: Calibration?, speedControl: V4L2Lens.SpeedControl?
    ) -> (V4L2Lens, remarks: [String]) {
        var lens = V4L2Lens()
        var remarks: [String] = []
        if let zoom = controls[cv4l2_zoom_absolute]?.control, !zoom.isDisabled, !zoom.isReadOnly,
            zoom.maximum > zoom.minimum
        {
            if calibration == nil && zoom.minimum <= 0 {
                remarks.append(
                    "the lens has the values \(zoom.minimum) to \(zoom.maximum), from which no zoom factor follows; 1 to \(Calibration.unknownMax) is assumed. Set zoom.calibration to the real factors."
                )
            }
            lens.motor = (calibration ?? Calibration(minimum: zoom.minimum, maximum: zoom.maximum)).map {
                V4L2Lens.Motor(
                    control: zoom.id, range: zoom.minimum...zoom.maximum, step: max(1, zoom.step),
                    calibration: $0)
            }
        } else if controls[cv4l2_zoom_continuous] != nil {
            let (found, remark) = probeContinuousZoom(speedControl)
            lens.speedControl = found
            if let remark { remarks.append(remark) }
        }
        if lens.speedControl == nil { lens.crop = probeCrop() }
        return (lens, remarks)
    }

    /// Whether a lens that has only a speed can stop and zoom out. Some drivers report a range of speeds that
    /// the lens does not have.
    private func probeContinuousZoom(_ wanted: V4L2Lens.SpeedControl?) -> (
        V4L2Lens.SpeedControl?, remark: String?
    ) {
        // VIDIOC_TRY_EXT_CTRLS sets nothing: a lens that cannot stop must not be set moving.
        func isTaken(_ speed: Int64) -> Bool {
            var value = speed
            return cv4l2_try_control(descriptor, cv4l2_zoom_continuous, &value) == 0 && value == speed
        }
        let (canStop, canGoOut) = (isTaken(0), isTaken(-1))
        let lacks = [canStop ? nil : "stop", canGoOut ? nil : "zoom out"].compactMap { $0 }
        if lacks.isEmpty, let wanted { return (wanted, nil) }
        let why =
            lacks.isEmpty
            ? "; set zoom.continuous_rate and zoom.continuous_max to its rate and range. Until then"
            : " (and cannot \(lacks.joined(separator: " or ")));"
        return (nil, "the lens has a speed and no position\(why) the zoom is digital")
    }

    /// Drives a lens that has no position to its wide end, where the estimate of its position begins.
    func home(_ speedControl: V4L2Lens.SpeedControl) throws(CameraError) {
        if let problem = write([(cv4l2_zoom_continuous, -1)]) { throw problem.error }
        usleep(UInt32(speedControl.homingTime / .microseconds(1)))
        if let problem = write([(cv4l2_zoom_continuous, 0)]) { throw problem.error }
    }
}
