internal import CV4L2

/// The format, rate and crop that a device is set to.
struct V4L2Setup: Sendable, Equatable {
    var format: V4L2Format
    /// Frames per second.
    var rate: Double
    /// The sensor's crop in this format; nil: it is not used.
    var crop: V4L2Lens.Crop?

    var mode: CameraMode {
        CameraMode(
            pixelFormat: V4L2Format.letters(format.pixelFormat), width: format.width, height: format.height,
            rate: V4L2Format.rounded(rate))
    }

    /// The format in another mode.
    func format(for mode: CameraMode) -> V4L2Format {
        var wanted = format
        wanted.pixelFormat = V4L2Format.code(mode.pixelFormat)
        (wanted.width, wanted.height) = (mode.width, mode.height)
        return wanted
    }
}

// MARK: Calls

/// None of these may be called while there are buffers.
extension V4L2Device {
    /// Sets a mode, and the crop to the factor that it had. After an error the device may be in between: see
    /// ``restore(_:crop:)``.
    ///
    /// - Parameters:
    ///   - setup: the present one.
    ///   - rectangle: the present crop.
    func change(
        _ setup: V4L2Setup, to mode: CameraMode, crop rectangle: V4L2Lens.Rectangle?
    ) throws(CameraError) -> V4L2Setup {
        let wanted = setup.format(for: mode)
        let made = try setFormat(wanted)
        guard made.isSame(as: wanted) else {
            throw .device("VIDIOC_S_FMT: requested \(wanted.words), the driver set \(made.words)")
        }
        fillFrame(made)
        // The crop's range depends on the format, and the driver may have changed the crop.
        let crop = setup.crop.map { crop in
            let now = probeCrop() ?? V4L2Lens.Crop(bounds: crop.bounds, max: 1)
            // If it cannot be set, the caller reads where it is.
            if let rectangle { try? setCrop(now.nearest(to: rectangle, of: crop)) }
            return now
        }
        // Last, because rates depend on the format, and the buffers' size can depend on the rate.
        let rate = setRate(mode.rate) ?? mode.rate
        let format = try format()
        guard format.isSame(as: wanted) else {
            throw .device("VIDIOC_S_SELECTION: the frame did not stay \(wanted.words)")
        }
        return V4L2Setup(format: format, rate: rate, crop: crop)
    }

    /// Puts back what ``change(_:to:crop:)`` may have changed.
    func restore(_ setup: V4L2Setup, crop rectangle: V4L2Lens.Rectangle?) {
        // A device that refuses this as well was not changed.
        guard (try? setFormat(setup.format)) != nil else { return }
        fillFrame(setup.format)
        if let rectangle { try? setCrop(rectangle) }
        _ = setRate(setup.rate)
    }

    /// Sets the device again if another program has changed it. Returns the present setup.
    func renew(_ setup: V4L2Setup) throws(CameraError) -> V4L2Setup {
        guard try format() != setup.format else { return setup }
        guard try setFormat(setup.format).isSame(as: setup.format) else {
            throw .device("VIDIOC_S_FMT: the format can no longer be set")
        }
        fillFrame(setup.format)
        _ = setRate(setup.rate)
        var setup = setup
        setup.format = try format()
        return setup
    }

    /// Lets other programs stream: some drivers reserve the device for the program that set its format.
    func release() {
        var none: UInt32 = 0
        _ = cv4l2_request_buffers(node, &none)
    }
}

extension V4L2Lens.Crop {
    /// The crop in this format that corresponds to one of another format.
    func nearest(to rectangle: V4L2Lens.Rectangle, of other: V4L2Lens.Crop) -> V4L2Lens.Rectangle {
        let factor = other.factor(at: rectangle)
        // The tolerance is for rounding errors at the largest factor.
        if other.bounds == bounds && factor <= max * 1.01 { return rectangle }
        return self.rectangle(at: Swift.min(factor, max))
    }
}
