internal import CV4L2
internal import Glibc

extension V4L2Device {
    /// All formats, sizes and rates, as the driver lists them.
    func formats() -> [CameraDescription.Format] {
        var list: [CameraDescription.Format] = []
        for pixelFormat in pixelFormats() {
            var size = cv4l2_size()
            for index in 0..<256 as Range<UInt32> {
                guard cv4l2_frame_size(descriptor, pixelFormat, index, &size) == 0 else { break }
                guard isDelivered(pixelFormat, &size) else { continue }
                let (rates, slowest) = rates(pixelFormat, size.width, size.height)
                list.append(
                    CameraDescription.Format(
                        pixelFormat: V4L2Format.letters(pixelFormat), width: Int(size.width),
                        height: Int(size.height), rates: rates, slowestRate: slowest,
                        range: size.is_range ? CameraDescription.SizeRange(size) : nil))
                // A range is a single entry.
                if size.is_range { break }
            }
        }
        return identity.isFromLibcamera ? list.uniqueSizes : list
    }

    /// V4L2's numbers of the pixel formats that the driver lists.
    func pixelFormats() -> [UInt32] {
        var list: [UInt32] = []
        var found: UInt32 = 0
        for index in 0..<256 as Range<UInt32> {
            guard cv4l2_pixel_format(node, index, &found) == 0 else { break }
            list.append(found)
        }
        return list
    }

    /// Whether frames come in a size that was listed. Libcamera lists usual sizes between the least and the
    /// greatest one; the size becomes the one that it would deliver.
    private func isDelivered(_ pixelFormat: UInt32, _ size: inout cv4l2_size) -> Bool {
        guard identity.isFromLibcamera else { return true }
        var format = cv4l2_format()
        (format.pixel_format, format.width, format.height) = (pixelFormat, size.width, size.height)
        guard cv4l2_try_format(node, &format) == 0, format.pixel_format == pixelFormat else { return false }
        (size.width, size.height, size.is_range) = (format.width, format.height, false)
        return true
    }

    private func rates(_ pixelFormat: UInt32, _ width: UInt32, _ height: UInt32)
        -> ([Double], slowest: Double?)
    {
        func rate(_ interval: cv4l2_interval) -> Double {
            interval.numerator == 0 ? 0 : Double(interval.denominator) / Double(interval.numerator)
        }
        var rates: [Double] = []
        var found = cv4l2_intervals()
        while rates.count < 64 {
            let index = UInt32(rates.count)
            guard cv4l2_intervals(descriptor, pixelFormat, width, height, index, &found) == 0 else { break }
            let (fastest, slowest) = (rate(found.least), rate(found.greatest))
            rates.append(V4L2Format.rounded(fastest))
            // A range is a single entry.
            if slowest < fastest { return (rates, V4L2Format.rounded(slowest)) }
        }
        return (rates, nil)
    }

    /// - Throws: also if the driver describes memory that the pixel format does not have.
    func format() throws(CameraError) -> V4L2Format {
        var found = cv4l2_format()
        try check(cv4l2_get_format(node, &found), "VIDIOC_G_FMT")
        let format = V4L2Format(found)
        try format.checkMemory()
        return format
    }

    /// Sets a pixel format and a size; returns the format that the driver has chosen.
    func setFormat(_ format: V4L2Format) throws(CameraError) -> V4L2Format {
        var made = cv4l2_format()
        try check(set(format, &made), "VIDIOC_S_FMT")
        return V4L2Format(made)
    }

    /// Whether the driver doesn't set a format because the device is in use.
    func isBusy(for format: V4L2Format) -> Bool {
        var made = cv4l2_format()
        return set(format, &made) == -EBUSY
    }

    private func set(_ format: V4L2Format, _ made: inout cv4l2_format) -> Int32 {
        (made.pixel_format, made.width, made.height) = (
            format.pixelFormat, UInt32(format.width), UInt32(format.height)
        )
        return cv4l2_set_format(node, &made)
    }

    /// Sets a frame rate; returns the one that the driver has chosen, or nil if it has no frame rate.
    func setRate(_ rate: Double) -> Double? {
        var rate = rate
        return cv4l2_set_rate(node, &rate) == 0 && rate > 0 ? rate : nil
    }
}

extension [CameraDescription.Format] {
    /// Each size of a pixel format once.
    fileprivate var uniqueSizes: [Element] {
        var list: [Element] = []
        for format in self where !list.contains(format) { list.append(format) }
        return list
    }
}

extension CameraDescription.SizeRange {
    fileprivate init(_ found: cv4l2_size) {
        self.init(
            minWidth: Int(found.least_width), minHeight: Int(found.least_height),
            widthStep: Int(found.width_step), heightStep: Int(found.height_step))
    }
}
