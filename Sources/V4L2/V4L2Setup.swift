internal import CV4L2
internal import Cameras

/// How a device is set up to give frames.
struct V4L2Setup: Sendable, Equatable {
    var format: V4L2Format
    /// Frames per second.
    var rate: Double
    /// How far the sensor's crop zooms in this format; nil: it isn't used.
    var crop: V4L2Lens.Crop?

    var mode: CameraMode {
        CameraMode(
            pixelFormat: V4L2Format.letters(format.pixelFormat), width: format.width, height: format.height,
            rate: V4L2Format.rounded(rate))
    }
}

// MARK: Calls

/// None of these may be made while there are buffers.
extension V4L2Device {
    /// Sets the device up for a mode, and the crop to what it was. When it fails, it may be half done: see ``restore(_:crop:)``.
    ///
    /// - Parameters:
    ///   - setup: how it is set up now.
    ///   - rectangle: where the crop is now.
    func change(
        _ setup: V4L2Setup, to mode: CameraMode, crop rectangle: V4L2Lens.Rectangle?
    ) throws(CameraError) -> V4L2Setup {
        var wanted = setup.format
        wanted.pixelFormat = V4L2Format.code(mode.pixelFormat)
        (wanted.width, wanted.height) = (mode.width, mode.height)
        let made = try setFormat(wanted)
        guard made.isSame(as: wanted) else {
            throw .device("VIDIOC_S_FMT: asked for \(wanted.words), the driver makes it \(made.words)")
        }
        fillFrame(made)
        // How far a crop goes is a matter of the format, and the driver may have moved it.
        let crop = setup.crop.map { crop in
            let now = probeCrop() ?? V4L2Lens.Crop(bounds: crop.bounds, max: 1)
            // One that can't be set is read where it is.
            if let rectangle { try? setCrop(now.nearest(to: rectangle, of: crop)) }
            return now
        }
        // Last, as formats have rates of their own; and some drivers make the buffers another size for another rate.
        let rate = setRate(mode.rate) ?? mode.rate
        let format = try format()
        guard format.isSame(as: wanted) else {
            throw .device("VIDIOC_S_SELECTION: the frame doesn't stay \(wanted.words)")
        }
        return V4L2Setup(format: format, rate: rate, crop: crop)
    }

    /// Puts back what ``change(_:to:crop:)`` may have changed.
    func restore(_ setup: V4L2Setup, crop rectangle: V4L2Lens.Rectangle?) {
        // One that refuses this as well was never changed.
        guard (try? setFormat(setup.format)) != nil else { return }
        fillFrame(setup.format)
        if let rectangle { try? setCrop(rectangle) }
        _ = setRate(setup.rate)
    }

    /// Makes sure that the device is still set up for a mode: others may have used it. Returns how it is.
    func renew(_ setup: V4L2Setup) throws(CameraError) -> V4L2Setup {
        guard try format() != setup.format else { return setup }
        guard try setFormat(setup.format).isSame(as: setup.format) else {
            throw .device("VIDIOC_S_FMT: the format can't be set any more")
        }
        fillFrame(setup.format)
        _ = setRate(setup.rate)
        var setup = setup
        setup.format = try format()
        return setup
    }

    /// Lets others stream: a driver may keep the device for whoever set its format.
    func release() {
        var none: UInt32 = 0
        _ = cv4l2_request_buffers(descriptor, &none)
    }
}

extension V4L2Lens.Crop {
    /// Where a crop of another format, that was there, is in this one.
    package func nearest(to rectangle: V4L2Lens.Rectangle, of other: V4L2Lens.Crop) -> V4L2Lens.Rectangle {
        let factor = other.factor(at: rectangle)
        // What rounding made a trifle longer than the longest is what it was.
        if other.bounds == bounds && factor <= max * 1.01 { return rectangle }
        return self.rectangle(at: Swift.min(factor, max))
    }
}
