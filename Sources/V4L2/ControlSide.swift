internal import CV4L2
internal import Cameras
internal import Glibc

/// What a device's control thread does: all the calls that may block for as long as the device pleases.
struct ControlSide {
    enum Job: Sendable {
        case open
        case drive(V4L2Lens.Goal)
        /// - known: what an event said of the motor.
        case halt(isMoving: Bool, known: Int64?)
        /// Where the lens has got to.
        case look
        /// A lens without a position: in (1), out (-1), or stop (0).
        case turn(Int64)
        case set([String: Control.Value])
        /// What the controls are by now.
        case refresh
        /// Frames come in another mode: the lens as it is in that, and what the controls are by now.
        case adopt(V4L2Lens)

        /// Whether it brings the lens to a stop.
        var isStop: Bool {
            switch self {
            case .halt, .turn(0): true
            case .open, .drive, .look, .turn, .set, .refresh, .adopt: false
            }
        }
    }

    enum Report: Sendable {
        case opened(Result<Opened, CameraError>)
        case driven(Result<LensPlace, CameraError>)
        case halted(Result<LensPlace, CameraError>)
        case looked(Result<LensPlace, CameraError>)
        case turned(speed: Int64, CameraError?)
        case set(Result<ControlMap, CameraError>)
        case refreshed(Result<ControlMap, CameraError>)
        case adopted(Result<ControlMap, CameraError>)
    }

    /// All that there is to know of a device when it is taken up.
    struct Opened: Sendable {
        let device: V4L2Device
        let setup: V4L2Setup
        let formats: [CameraDescription.Format]
        let lens: V4L2Lens
        let place: LensPlace
        let controls: ControlMap
        /// What a person should know, such as a zoom that can't be used.
        let remarks: [String]
    }

    private let path: String
    private let settings: V4L2Camera.Settings
    private var device: V4L2Device?
    private var lens = V4L2Lens()

    init(path: String, settings: V4L2Camera.Settings) {
        (self.path, self.settings) = (path, settings)
    }

    mutating func perform(_ job: Job) -> Report {
        if case .open = job { return .opened(result { side throws(CameraError) in try side.open() }) }
        guard let device else { return .refreshed(.failure(.unplugged)) }
        let lens = lens
        switch job {
        case .open: return .refreshed(.failure(.unplugged))
        case .drive(let goal):
            return .driven(Result { () throws(CameraError) in try device.drive(lens, to: goal) })
        case .halt(let isMoving, let known):
            return .halted(
                Result { () throws(CameraError) in
                    try device.halt(lens, isMoving: isMoving, known: known)
                })
        case .look: return .looked(Result { () throws(CameraError) in try device.place(of: lens) })
        case .turn(let speed):
            return .turned(speed: speed, device.write([(cv4l2_zoom_continuous, speed)])?.error)
        case .set(let values):
            return .set(Result { () throws(CameraError) in try device.set(values) })
        case .refresh: return .refreshed(Result { () throws(CameraError) in try device.controlMap() })
        case .adopt(let lens):
            self.lens = lens
            return .adopted(Result { () throws(CameraError) in try device.controlMap() })
        }
    }

    private mutating func result<Success>(
        _ body: (inout ControlSide) throws(CameraError) -> Success
    ) -> Result<Success, CameraError> {
        do { return .success(try body(&self)) } catch { return .failure(error) }
    }

    private mutating func open() throws(CameraError) -> Opened {
        let device = try V4L2Device(path: path)
        guard device.identity.captures else { throw .device("\(path) gives no pictures") }
        if let input = settings.input {
            try device.check(cv4l2_set_input(device.descriptor, Int32(input)), "VIDIOC_S_INPUT")
        }
        let formats = device.formats()
        if let best = formats.best(
            width: settings.width, height: settings.height, pixelFormat: settings.pixelFormat)
        {
            var format = try device.format()
            format.pixelFormat = V4L2Format.code(best.pixelFormat)
            (format.width, format.height) = (best.width, best.height)
            // Somebody else streams from it: it is as it is, and can be zoomed all the same.
            _ = try? device.setFormat(format)
        }
        let controls = try device.controlMap()
        let (lens, remarks) = device.lens(
            controls, calibration: settings.calibration, drift: settings.drift)
        if let drift = lens.drift { try device.home(drift) }
        for entry in controls.entries { _ = device.subscribe(to: entry.control.id) }
        let place = try device.place(of: lens)
        // After the lens, for which formats were set; and before the format is read, as some drivers make the buffers another size.
        let rate = device.setRate(settings.rate) ?? settings.rate
        let setup = V4L2Setup(format: try device.format(), rate: rate, crop: lens.crop)
        device.release()
        self.device = device
        self.lens = lens
        return Opened(
            device: device, setup: setup, formats: formats, lens: lens, place: place,
            controls: controls, remarks: remarks)
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
                    // One that can't be read at the moment doesn't hide the others; but where one hangs, all do.
                    if error == .unplugged || began.duration(to: .now) > .seconds(1) { throw error }
                }
            }
        }
        return ControlMap(list, values: values, texts: texts)
    }

    /// Sets controls, all or none of them; what was read back is in the map.
    func set(_ wishes: [String: Control.Value]) throws(CameraError) -> ControlMap {
        let before = try controlMap()
        var wanted: [Wanted] = []
        for (name, wish) in wishes {
            guard let entry = before[name], let raw = before.raw(wish, of: entry) else {
                throw .device("\(name): the control is another one by now")
            }
            if let reason = ControlMap.reasonToLeaveToZoom(entry.control) {
                throw .disabled(control: name, reason: reason)
            }
            wanted.append((name, entry.control.id, raw))
        }
        // What rules others is set by a call of its own, before them: in one call, a driver may go by an order of its own, and then find
        // inactive what the other was to enable.
        func rules(_ id: UInt32) -> Bool {
            let kind = before[id]?.control.kind
            return kind == .boolean || kind == .menu
        }
        wanted.sort { $0.name < $1.name }
        let calls = [wanted.filter { rules($0.id) }, wanted.filter { !rules($0.id) }].filter { !$0.isEmpty }
        do throws(CameraError) {
            for call in calls { try setTogether(call, of: wanted) }
        } catch {
            // What is ruled can't be written any more when what rules it is as it was.
            if error != .unplugged { takeBack(to: before, of: calls.reversed().flatMap { $0.map(\.id) }) }
            throw error
        }
        return try readBack(wanted.map(\.id), before)
    }

    private typealias Wanted = (name: String, id: UInt32, value: Int64)

    /// Sets controls by one call; an error names the one that is to blame, and why it can't be set, where that is known.
    ///
    /// - Parameter all: what is to be set by this call and others.
    private func setTogether(_ call: [Wanted], of all: [Wanted]) throws(CameraError) {
        // Not every driver refuses what it won't do.
        if let (name, reason) = ControlMap(try controls(), values: [:]).firstDisabled(of: call.map(\.name)) {
            throw .disabled(control: name, reason: reason)
        }
        guard let problem = write(call.map { ($0.id, $0.value) }) else { return }
        guard case .device(let words) = problem.error else { throw problem.error }
        let suspects = all.filter { problem.blamed == nil || problem.blamed == $0.id }.map(\.name)
        if let (name, reason) = (try? controlMap())?.firstDisabled(of: suspects) {
            throw .disabled(control: name, reason: reason)
        }
        guard problem.blamed != nil, let name = suspects.first else { throw problem.error }
        throw .device("\(name): \(words)")
    }

    /// The controls after they were set; where others can't be read meanwhile, at least these.
    private func readBack(_ ids: [UInt32], _ before: ControlMap) throws(CameraError) -> ControlMap {
        do throws(CameraError) { return try controlMap() } catch {
            if error == .unplugged { throw error }
        }
        var map = before
        for id in ids where before[id]?.control.kind != .button { _ = map.note(try read(id), of: id) }
        return map
    }

    /// A driver that refuses the third control may have set two.
    private func takeBack(to before: ControlMap, of ids: [UInt32]) {
        for id in ids {
            guard let entry = before[id], entry.control.kind != .button, let now = try? read(id),
                now != entry.value
            else { continue }
            _ = write([(id, entry.value)])
        }
    }

    /// What zooms, and what a person should know of it.
    func lens(
        _ controls: ControlMap, calibration: Calibration?, drift: V4L2Lens.Drift?
    ) -> (V4L2Lens, remarks: [String]) {
        var lens = V4L2Lens()
        var remarks: [String] = []
        if let zoom = controls[cv4l2_zoom_absolute]?.control, !zoom.isDisabled, !zoom.isReadOnly,
            zoom.maximum > zoom.minimum
        {
            if calibration == nil && zoom.minimum <= 0 {
                remarks.append(
                    "the lens counts from \(zoom.minimum) to \(zoom.maximum), which says nothing of factors; it is taken for 1 to \(Calibration.unknownMax). Say what it is by zoom.calibration."
                )
            }
            lens.motor = (calibration ?? Calibration(minimum: zoom.minimum, maximum: zoom.maximum)).map {
                V4L2Lens.Motor(
                    control: zoom.id, range: zoom.minimum...zoom.maximum, step: max(1, zoom.step),
                    calibration: $0)
            }
        } else if controls[cv4l2_zoom_continuous] != nil {
            let (found, remark) = probeContinuousZoom(drift)
            lens.drift = found
            if let remark { remarks.append(remark) }
        }
        if lens.drift == nil { lens.crop = probeCrop() }
        return (lens, remarks)
    }

    /// Whether a lens that only knows faster and slower can stop and go out: many a driver reports a range in which it can't.
    private func probeContinuousZoom(_ wanted: V4L2Lens.Drift?) -> (
        V4L2Lens.Drift?, remark: String?
    ) {
        // Only asked: a lens that can't stop mustn't be set moving to find that out.
        func isTaken(_ speed: Int64) -> Bool {
            var value = speed
            return cv4l2_try_control(descriptor, cv4l2_zoom_continuous, &value) == 0 && value == speed
        }
        let (canStop, canGoOut) = (isTaken(0), isTaken(-1))
        let lacks = [canStop ? nil : "stop", canGoOut ? nil : "go out"].compactMap { $0 }
        if lacks.isEmpty, let wanted { return (wanted, nil) }
        let why =
            lacks.isEmpty
            ? ": say by zoom.continuous_rate and zoom.continuous_max how fast and how far it goes; until then"
            : " (and can't \(lacks.joined(separator: " or "))):"
        return (nil, "the lens has no position, only a speed\(why) the frame is cropped instead")
    }

    /// Drives a lens that has no position to its wide end, from where it is reckoned.
    func home(_ drift: V4L2Lens.Drift) throws(CameraError) {
        if let problem = write([(cv4l2_zoom_continuous, -1)]) { throw problem.error }
        usleep(UInt32(drift.wholeWay / .microseconds(1)))
        if let problem = write([(cv4l2_zoom_continuous, 0)]) { throw problem.error }
    }
}
