internal import CV4L2
internal import Contract
internal import Glibc
internal import Settings

/// The parts of a device that zoom before a frame is made: a motor, and the sensor's crop. The motor is used
/// first.
struct V4L2Lens: Sendable, Equatable {
    /// A lens that goes to a value.
    struct Motor: Sendable, Equatable {
        let control: UInt32
        let range: ClosedRange<Int64>
        let step: Int64
        let calibration: Calibration

        /// The step at a factor or just below it, so that a crop can make up for the rest.
        func raw(at factor: Double) -> Int64 {
            let exact = calibration.raw(at: factor) - Double(range.lowerBound)
            let steps = Int64((exact / Double(step) + 1e-6).rounded(.down))
            return min(Swift.max(range.lowerBound + steps * step, range.lowerBound), range.upperBound)
        }

        /// The step that is nearest to a value.
        func step(at raw: Int64) -> Int64 {
            let steps = (Double(raw - range.lowerBound) / Double(step)).rounded()
            return min(range.lowerBound + Int64(steps) * step, range.upperBound)
        }
    }

    /// A sensor that scales its middle part to the size of the whole frame.
    struct Crop: Sendable, Equatable {
        let bounds: Rectangle
        let max: Double

        func rectangle(at factor: Double) -> Rectangle {
            let width = Int((Double(bounds.width) / factor).rounded(.up))
            let height = Int((Double(bounds.height) / factor).rounded(.up))
            return Rectangle(
                left: bounds.left + (bounds.width - width) / 2,
                top: bounds.top + (bounds.height - height) / 2,
                width: width, height: height)
        }

        func factor(at rectangle: Rectangle) -> Double {
            Swift.max(1, Double(bounds.width) / Double(Swift.max(1, rectangle.width)))
        }
    }

    struct Rectangle: Sendable, Equatable {
        var left, top, width, height: Int
    }

    /// A lens that has a speed and no position: the position is estimated by the clock.
    struct SpeedControl: Sendable, Equatable {
        /// Octaves per second at the slowest speed.
        let rate: Double
        /// Its largest factor.
        let max: Double

        /// The time from one end to the other, with a margin, after which it is certainly at the end.
        var homingTime: Duration { .seconds(log2(max) / rate * 1.1 + 0.2) }
    }

    var motor: Motor?
    var speedControl: SpeedControl?
    var crop: Crop?

    /// The largest factor of all parts together.
    var max: Double { (motor?.calibration.max ?? speedControl?.max ?? 1) * (crop?.max ?? 1) }

    /// A factor in the driver's units. Several factors can have the same goal.
    struct Goal: Sendable, Equatable {
        var raw: Int64?
        var rectangle: Rectangle?
    }

    /// The goal of a factor: the motor goes as far as it can, the crop does the rest.
    func goal(at factor: Double) -> Goal {
        var goal = Goal()
        var rest = factor
        if let motor {
            let raw = motor.raw(at: factor)
            goal.raw = raw
            rest = factor < motor.calibration.max ? 1 : factor / motor.calibration.factor(at: raw)
        }
        goal.rectangle = crop.map { $0.rectangle(at: min(Swift.max(rest, 1), $0.max)) }
        return goal
    }

    /// The parts with their largest factors, in optical order.
    var actuators: [CameraDescription.Actuator] {
        var list: [CameraDescription.Actuator] = []
        if let motor { list.append(.init(kind: "absolute", max: motor.calibration.max)) }
        if let speedControl { list.append(.init(kind: "continuous", max: speedControl.max)) }
        if let crop { list.append(.init(kind: "selection", max: crop.max)) }
        return list
    }
}

extension V4L2Lens.SpeedControl {
    /// Nil: rate and range are not configured.
    init?(_ settings: DeviceSettings) {
        guard let rate = settings.continuousRate, let max = settings.continuousMaximum else { return nil }
        self.init(rate: rate, max: max)
    }
}

/// Where a lens is.
struct LensPosition: Sendable, Equatable {
    var factor: Double
    /// The motor's value in the driver's units; nil if there is no motor.
    var raw: Int64?
    /// Whether the motor has not reached its goal yet.
    var isBeforeGoal: Bool
}

// MARK: Calls

extension V4L2Device {
    /// Reads where the lens is.
    ///
    /// - Parameter known: the motor's value according to an event; some drivers return an older value when
    ///   read.
    func place(of lens: V4L2Lens, known: Int64? = nil) throws(CameraError) -> LensPosition {
        var place = LensPosition(factor: 1, raw: nil, isBeforeGoal: false)
        if let motor = lens.motor {
            let raw: Int64
            if let known { raw = known } else { raw = try read(motor.control) }
            place.raw = raw
            place.factor = motor.calibration.factor(at: raw)
        }
        if let crop = lens.crop { place.factor *= crop.factor(at: try cropRectangle()) }
        return place
    }

    /// Drives the lens to a goal, and reads where it is then.
    func drive(_ lens: V4L2Lens, to goal: V4L2Lens.Goal) throws(CameraError) -> LensPosition {
        if let motor = lens.motor, let raw = goal.raw, let problem = write([(motor.control, raw)]) {
            throw problem.error
        }
        if let rectangle = goal.rectangle { try setCrop(rectangle) }
        var place = try place(of: lens)
        place.isBeforeGoal = goal.raw != place.raw
        return place
    }

    /// Stops the motor at the step where it is, and waits until it has stopped: half a second at most.
    ///
    /// The motor goes back to that step, at its own speed. So a reading that repeats does not mean yet that
    /// it stands; five in a row do, for a motor that never reaches the step.
    func halt(_ lens: V4L2Lens, isMoving: Bool, known: Int64?) throws(CameraError) -> LensPosition {
        var here = try place(of: lens, known: known)
        guard isMoving, let motor = lens.motor, let raw = here.raw else { return here }
        let step = motor.step(at: raw)
        if let problem = write([(motor.control, step)]) { throw problem.error }
        var sameReadings = 0
        for _ in 0..<25 where sameReadings < 5 {
            let before = here.raw
            usleep(20_000)
            here = try place(of: lens)
            if here.raw == step { break }
            sameReadings = here.raw == before ? sameReadings + 1 : 0
        }
        return here
    }

    func cropRectangle() throws(CameraError) -> V4L2Lens.Rectangle {
        try rectangle(cv4l2_crop)
    }

    func setCrop(_ rectangle: V4L2Lens.Rectangle) throws(CameraError) {
        try set(cv4l2_crop, to: rectangle)
    }

    private func rectangle(_ target: UInt32) throws(CameraError) -> V4L2Lens.Rectangle {
        var found = cv4l2_rectangle()
        let result = cv4l2_get_selection(descriptor, node.buffers.rawValue, target, &found)
        try check(result, "VIDIOC_G_SELECTION")
        return V4L2Lens.Rectangle(
            left: Int(found.left), top: Int(found.top), width: Int(found.width), height: Int(found.height))
    }

    private func set(_ target: UInt32, to rectangle: V4L2Lens.Rectangle) throws(CameraError) {
        var wanted = cv4l2_rectangle(
            left: Int32(rectangle.left), top: Int32(rectangle.top), width: UInt32(rectangle.width),
            height: UInt32(rectangle.height))
        let result = cv4l2_set_selection(descriptor, node.buffers.rawValue, target, &wanted)
        try check(result, "VIDIOC_S_SELECTION")
    }

    /// Tries how far the sensor's crop zooms without a change of the frame's size. Beyond, a driver refuses,
    /// or shrinks the frame without an error.
    ///
    /// The crop stays as it was. Returns nil if it does not zoom.
    func probeCrop() -> V4L2Lens.Crop? {
        guard let bounds = try? rectangle(cv4l2_whole_crop), bounds.width > 0, bounds.height > 0,
            let before = try? cropRectangle(), let format = try? format()
        else { return nil }
        guard let whole = widestCrop(bounds, format) else {
            try? setCrop(before)
            return nil
        }
        let widest = V4L2Lens.Crop(bounds: whole, max: 1)
        fillFrame(format)
        let composed = try? rectangle(cv4l2_compose)
        func works(_ factor: Double) -> Bool {
            guard (try? setCrop(widest.rectangle(at: factor))) != nil, (try? self.format()) == format,
                (try? rectangle(cv4l2_compose)) == composed, let now = try? cropRectangle()
            else {
                // Restores a frame that was shrunk, for the next try.
                try? setCrop(whole)
                _ = try? setFormat(format)
                fillFrame(format)
                return false
            }
            return abs(widest.factor(at: now) / factor - 1) < 0.1
        }
        var (good, bad) = (1.0, 16.0)
        while bad / good > 1.02 {
            let factor = good == 1 && bad == 16 ? 2 : (good * bad).squareRoot()
            if works(factor) { good = factor } else { bad = factor }
            if good == 1 && bad <= 2 { break }
        }
        // The limit is probably the next whole factor.
        if works(good.rounded(.up)) { good = good.rounded(.up) }
        try? setCrop(before)
        return good > 1 ? V4L2Lens.Crop(bounds: whole, max: good) : nil
    }

    /// The largest crop that leaves the frame as it is. A driver that cannot scale the whole sensor down to a
    /// small frame changes the frame instead.
    private func widestCrop(
        _ whole: V4L2Lens.Rectangle, _ format: V4L2Format
    ) -> V4L2Lens.Rectangle? {
        if (try? setCrop(whole)) != nil, (try? self.format()) == format { return whole }
        _ = try? setFormat(format)
        guard let most = try? cropRectangle(), (try? self.format()) == format else { return nil }
        return most
    }

    /// Lets the picture fill the frame, with drivers that can compose.
    func fillFrame(_ format: V4L2Format) {
        let whole = V4L2Lens.Rectangle(left: 0, top: 0, width: format.width, height: format.height)
        try? set(cv4l2_compose, to: whole)
    }
}
