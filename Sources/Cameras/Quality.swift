/// The size of a session's frames: a size class by a phone's name for it, or an exact size.
///
/// `low`, `medium` and `high` stand for a box: 352 × 288, 640 × 480, and the configured limits
/// (``CameraDescription/limits``); a box is never larger than these limits. The box is a preference. Among
/// the formats of which pictures can be made (and of the configured pixel format, if there is one), the first
/// by these criteria is taken:
///
/// 1. its frames fit in the box, both in width and in height;
/// 2. it gives at least 15 frames per second, or its driver lists no rates;
/// 3. if it fits, it has more pixels; if none fits, it has fewer;
/// 4. it has the requested rate;
/// 5. it is MJPG, then JPEG, then YUYV, then UYVY, NV12 or YU12, then any other but H264, then H264.
///
/// H264 is among them only if there is neither MJPG nor JPEG. It is the last one, because its pictures have
/// to be decoded: so it is taken where uncompressed frames are smaller, are slower than 15 frames per second,
/// or do not have the requested rate. Without a request that is the configured rate here.
///
/// So a camera without a format that fits gives its smallest frames of at least 15 frames per second, which
/// are larger than the box. Only a camera without any usable format has none of these qualities.
package enum Quality: Sendable, Hashable {
    /// Fits in 352 × 288 where the camera has such a format.
    case low
    /// Fits in 640 × 480 where the camera has such a format.
    case medium
    /// Fits in the configured limits where the camera has such a format.
    case high
    /// Exactly these sizes, also beyond the configured limits; a camera without this size does not have the
    /// quality.
    case hd1280x720, hd1920x1080, hd4K3840x2160
    /// Exactly this size, in pixels, also beyond the configured limits.
    case size(width: Int, height: Int)

    /// The qualities that have a name of their own.
    static let named: [Quality] = [.low, .medium, .high, .hd1280x720, .hd1920x1080, .hd4K3840x2160]

    /// The longest side that V4L2 can express.
    private static let longestSide = 65_535

    /// - Parameter name: as ``name`` returns it: `medium`, `hd1280x720`, `640x360`.
    package init?(name: String) {
        if let quality = Self.named.first(where: { $0.name == name }) {
            self = quality
            return
        }
        let sides = name.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1],
            1...Self.longestSide ~= width, 1...Self.longestSide ~= height
        else { return nil }
        self = .size(width: width, height: height)
        // Each size has one name: without signs and leading zeros.
        if self.name != name { return nil }
    }

    package var name: String {
        switch self {
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        case .hd1280x720: "hd1280x720"
        case .hd1920x1080: "hd1920x1080"
        case .hd4K3840x2160: "hd4K3840x2160"
        case .size(let width, let height): "\(width)x\(height)"
        }
    }

    /// The exact size; nil for a size class.
    var size: PixelSize? {
        switch self {
        case .low, .medium, .high: nil
        case .hd1280x720: PixelSize(1280, 720)
        case .hd1920x1080: PixelSize(1920, 1080)
        case .hd4K3840x2160: PixelSize(3840, 2160)
        case .size(let width, let height): PixelSize(width, height)
        }
    }

    /// The box of `low` and `medium`; the limits apply beside it.
    var box: PixelSize? {
        switch self {
        case .low: PixelSize(352, 288)
        case .medium: PixelSize(640, 480)
        default: nil
        }
    }
}
