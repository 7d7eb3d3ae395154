internal import CV4L2

/// How frames come.
struct V4L2Format: Sendable, Equatable {
    var pixelFormat: UInt32
    var width: Int
    var height: Int
    /// Bytes in a row; bytes of a frame at the most.
    var stride: Int
    var size: Int
    /// Samples from 0 to 255.
    var isFullRange: Bool

    /// Motion-JPEG, of which each frame is a JPEG.
    var isJPEG: Bool { pixelFormat == Self.code("MJPG") || pixelFormat == Self.code("JPEG") }

    /// The number of the four letters of a pixel format.
    static func code(_ letters: String) -> UInt32 {
        letters.utf8.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
    }

    static func letters(_ code: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * UInt32($0))) }
        // The highest bit of the last letter says that the samples' bytes are the other way round.
        let isBigEndian = bytes[3] & 0x80 != 0
        return String(decoding: bytes.map { $0 & 0x7F }, as: UTF8.self) + (isBigEndian ? "-BE" : "")
    }
}

extension V4L2Device {
    /// All formats, sizes and rates, as the driver lists them.
    func formats() -> [CameraDescription.Format] {
        var list: [CameraDescription.Format] = []
        var pixelFormat: UInt32 = 0
        for index in 0..<128 as Range<UInt32> {
            guard cv4l2_pixel_format(descriptor, index, &pixelFormat) == 0 else { break }
            var (width, height): (UInt32, UInt32) = (0, 0)
            var isRange = false
            for size in 0..<256 as Range<UInt32> {
                guard cv4l2_frame_size(descriptor, pixelFormat, size, &width, &height, &isRange) == 0 else {
                    break
                }
                list.append(
                    CameraDescription.Format(
                        pixelFormat: V4L2Format.letters(pixelFormat), width: Int(width), height: Int(height),
                        rates: rates(pixelFormat, width, height), isRange: isRange))
                // A range is one entry.
                if isRange { break }
            }
        }
        return list
    }

    private func rates(_ pixelFormat: UInt32, _ width: UInt32, _ height: UInt32) -> [Double] {
        var rates: [Double] = []
        var rate = 0.0
        while rates.count < 64 {
            let index = UInt32(rates.count)
            guard cv4l2_frame_rate(descriptor, pixelFormat, width, height, index, &rate) == 0 else { break }
            rates.append((rate * 1000).rounded() / 1000)
        }
        return rates
    }

    func format() throws(CameraError) -> V4L2Format {
        var found = cv4l2_format()
        try check(cv4l2_get_format(descriptor, &found), "VIDIOC_G_FMT")
        return V4L2Format(found)
    }

    /// Asks for a format; returns what the driver makes of it.
    func setFormat(_ format: V4L2Format) throws(CameraError) -> V4L2Format {
        var wanted = format.forC
        try check(cv4l2_set_format(descriptor, &wanted), "VIDIOC_S_FMT")
        return V4L2Format(wanted)
    }

    /// Asks for a frame rate; returns the one that the driver chose, or nil where it knows of none.
    func setRate(_ rate: Double) -> Double? {
        var rate = rate
        return cv4l2_set_rate(descriptor, &rate) == 0 && rate > 0 ? rate : nil
    }
}

extension V4L2Format {
    init(_ found: cv4l2_format) {
        self.init(
            pixelFormat: found.pixel_format, width: Int(found.width), height: Int(found.height),
            stride: Int(found.stride), size: Int(found.size), isFullRange: found.full_range)
    }

    var forC: cv4l2_format {
        cv4l2_format(
            pixel_format: pixelFormat, width: UInt32(width), height: UInt32(height), stride: UInt32(stride),
            size: UInt32(size), full_range: isFullRange)
    }
}

extension [CameraDescription.Format] {
    /// The best way to get pictures: as many pixels as there are up to a limit, fast enough to be of use; among equals those that come as
    /// JPEGs, which cost nothing to pass on.
    package func best(width: Int, height: Int, pixelFormat: String?) -> CameraDescription.Format? {
        func rank(_ format: CameraDescription.Format) -> [Int] {
            let fits = format.width <= width && format.height <= height
            let pixels = format.width * format.height
            let isSmooth = (format.rates.max() ?? 30) >= 15
            let isOfUse = preference(format.pixelFormat) >= 0
            return [
                isOfUse ? 1 : 0, fits ? 1 : 0, isSmooth ? 1 : 0, fits ? pixels : -pixels,
                preference(format.pixelFormat),
            ]
        }
        var wanted = pixelFormat.map { letters in filter { $0.pixelFormat == letters } } ?? self
        for place in wanted.indices where wanted[place].isRange {
            wanted[place].width = Swift.min(wanted[place].width, width)
            wanted[place].height = Swift.min(wanted[place].height, height)
        }
        return wanted.max { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    private func preference(_ pixelFormat: String) -> Int {
        switch pixelFormat {
        case "MJPG": 4
        case "JPEG": 3
        case "YUYV": 2
        case "UYVY", "NV12", "YU12": 1
        // Video that isn't made of pictures, and depths.
        case "H264", "HEVC", "H263", "MPEG", "MPG2", "MPG4", "VP80", "VP90", "AVC1", "Z16 ", "INZI": -1
        default: 0
        }
    }
}
