/// How good pictures are to be: a size, by one of the names that phones have for it or by itself.
package enum Quality: Sendable, Hashable {
    /// The largest that fits in 352 × 288; where none does, the smallest there is.
    case low
    /// The largest that fits in 640 × 480; where none does, the smallest there is.
    case medium
    /// The largest within what the configuration allows.
    case high
    /// Exactly these sizes, whatever the configuration allows.
    case hd1280x720, hd1920x1080, hd4K3840x2160
    /// Exactly this size, in pixels, whatever the configuration allows.
    case size(width: Int, height: Int)

    /// Those that have a name.
    static let named: [Quality] = [.low, .medium, .high, .hd1280x720, .hd1920x1080, .hd4K3840x2160]

    /// So wide or high nothing is that V4L2 knows of.
    private static let longestSide = 65_535

    /// - Parameter name: as ``name`` gives it: `medium`, `hd1280x720`, `640x360`.
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
        // One name for each: no signs, no leading zeros.
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

    /// The only size that it may be.
    var size: PixelSize? {
        switch self {
        case .low, .medium, .high: nil
        case .hd1280x720: PixelSize(1280, 720)
        case .hd1920x1080: PixelSize(1920, 1080)
        case .hd4K3840x2160: PixelSize(3840, 2160)
        case .size(let width, let height): PixelSize(width, height)
        }
    }

    /// What it has to fit in, beside what the configuration allows.
    var room: PixelSize? {
        switch self {
        case .low: PixelSize(352, 288)
        case .medium: PixelSize(640, 480)
        default: nil
        }
    }
}
