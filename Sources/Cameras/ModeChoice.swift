internal import Settings

/// A mode chosen for a request.
package struct ModeChoice: Sendable, Equatable {
    package let mode: CameraMode
    /// Whether the requested rate is faster or slower than all that the format has. A rate between two of
    /// them is rounded, not clamped.
    package let isClamped: Bool
}

extension CameraDescription {
    /// The best mode for a quality, by the criteria of ``Quality``; nil: the camera does not have it.
    ///
    /// - Parameter rate: frames per second; nil: the rate of ``limits``.
    package func mode(for quality: Quality, rate: Double? = nil) -> ModeChoice? {
        sensorFormats.mode(for: exchanged(quality), rate: rate, within: limits).map(exchanged)
    }

    /// The names of the qualities that the camera has: those with a name of their own, then its sizes from
    /// large to small. A range of sizes is listed by its largest only.
    package var qualities: [String] {
        sensorFormats.qualities(within: limits).map { name in
            Quality(name: name).map { exchanged($0).name } ?? name
        }
    }
}

extension [CameraDescription.Format] {
    func mode(
        for quality: Quality, rate: Double? = nil, within limits: DeviceSettings
    ) -> ModeChoice? {
        let format: CameraDescription.Format? =
            if let size = quality.size {
                best(of: size, limits, rate: rate)
            } else {
                best(within: quality.box ?? limits.size, limits, rate: rate)
            }
        guard let format else { return nil }
        let (nearest, isOutOfRange) = format.rate(nearestTo: rate ?? limits.rate)
        return ModeChoice(mode: format.mode(rate: nearest), isClamped: rate != nil && isOutOfRange)
    }

    func qualities(within limits: DeviceSettings) -> [String] {
        let named = Quality.named.filter { mode(for: $0, within: limits) != nil }
        let sizes = Set(candidates(limits, rate: nil).formats.map { PixelSize($0.width, $0.height) })
            .filter { mode(for: .size(width: $0.width, height: $0.height), within: limits) != nil }
            .sorted { ($0.pixels, $0.width) > ($1.pixels, $1.width) }
        return named.map(\.name) + sizes.map { Quality.size(width: $0.width, height: $0.height).name }
    }

    /// The format of quality ``Quality/high`` within these limits. Among equals JPEGs are preferred, because
    /// they can be passed on without encoding.
    func best(within limits: DeviceSettings) -> CameraDescription.Format? {
        best(within: limits.size, limits, rate: nil)
    }

    /// - Parameters:
    ///   - box: the size that is preferred not to be exceeded, see ``Quality``; the limits apply beside it.
    ///   - rate: the requested rate, which decides among formats of one size; nil: none.
    private func best(
        within box: PixelSize, _ limits: DeviceSettings, rate: Double?
    ) -> CameraDescription.Format? {
        let box = PixelSize(
            Swift.min(box.width, limits.width), Swift.min(box.height, limits.height))
        let (candidates, rate) = candidates(limits, rate: rate)
        return candidates.map { $0.narrowed(to: box, shapedAs: limits.size) }
            .best { format in
                let fits = format.width <= box.width && format.height <= box.height
                let pixels = format.width * format.height
                return [
                    fits ? 1 : 0, format.isSmooth ? 1 : 0, fits ? pixels : -pixels, format.has(rate) ? 1 : 0,
                    preference(format.pixelFormat),
                ]
            }
    }

    /// The best format of exactly this size.
    private func best(
        of size: PixelSize, _ limits: DeviceSettings, rate: Double?
    ) -> CameraDescription.Format? {
        let (candidates, rate) = candidates(limits, rate: rate)
        return candidates.compactMap { $0.exactly(size) }.best { format in
            [format.has(rate) ? 1 : 0, format.isSmooth ? 1 : 0, preference(format.pixelFormat)]
        }
    }

    /// The formats among which a mode is chosen, and the rate that decides; see ``Quality``.
    private func candidates(
        _ limits: DeviceSettings, rate: Double?
    ) -> (formats: Self, rate: Double?) {
        let wanted = limits.pixelFormat.map { letters in filter { $0.pixelFormat == letters } } ?? self
        let pictures = wanted.filter { preference($0.pixelFormat) > 0 }
        let video = wanted.filter { $0.pixelFormat == CameraDescription.videoFormat }
        let hasJPEG = pictures.contains { ["MJPG", "JPEG"].contains($0.pixelFormat) }
        if hasJPEG || video.isEmpty { return (pictures.isEmpty ? wanted : pictures, rate) }
        // Uncompressed frames of this size may be slower than the video.
        return (pictures + video, rate ?? limits.rate)
    }

    private func best(by rank: (CameraDescription.Format) -> [Int]) -> CameraDescription.Format? {
        self.max { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    private func preference(_ pixelFormat: String) -> Int {
        switch pixelFormat {
        case "MJPG": 5
        case "JPEG": 4
        case "YUYV": 3
        case "UYVY", "NV12", "YU12", "NM12", "YM12": 2
        // Its pictures have to be decoded from its last key frame on.
        case CameraDescription.videoFormat: 0
        // Not what no picture is made of: other video whose frames are no complete pictures, depth maps,
        // formats of one manufacturer.
        default: PixelLayout(of: pixelFormat) == nil ? -1 : 1
        }
    }
}

/// In pixels.
struct PixelSize: Hashable {
    let width: Int
    let height: Int

    init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    var pixels: Int { width * height }
}

extension DeviceSettings {
    fileprivate var size: PixelSize { PixelSize(width, height) }
}

// MARK: Sizes and rates of a format

extension CameraDescription.Format {
    /// Relative difference up to which two rates count as the same, such as 29.97 and 30.
    private static let rateTolerance = 0.01

    /// The rates that are requested of a driver that lists none: V4L2's fractions can express these.
    private static let possibleRates = 0.01...1_000

    /// Fast enough to aim the camera by its preview. A driver that lists no rates is assumed to have 30.
    fileprivate var isSmooth: Bool { (rates.max() ?? 30) >= 15 }

    /// The nearest rate, the faster of two equally near ones, and whether the wanted one is beyond all of
    /// them.
    package func rate(nearestTo wanted: Double) -> (rate: Double, isOutOfRange: Bool) {
        guard let fastest = rates.max(), let least = rates.min() else {
            let possible = Swift.min(
                Swift.max(wanted, Self.possibleRates.lowerBound), Self.possibleRates.upperBound)
            return (possible, possible != wanted)
        }
        let slowest = slowestRate.map { Swift.min($0, least) } ?? least
        let isOutOfRange =
            wanted > fastest * (1 + Self.rateTolerance) || wanted < slowest * (1 - Self.rateTolerance)
        if slowestRate != nil { return (Swift.min(Swift.max(wanted, slowest), fastest), isOutOfRange) }
        let nearest = rates.sorted(by: >).min { abs($0 - wanted) < abs($1 - wanted) }
        return (nearest ?? fastest, isOutOfRange)
    }

    func has(_ rate: Double?) -> Bool {
        guard let rate else { return true }
        return abs(self.rate(nearestTo: rate).rate / rate - 1) <= Self.rateTolerance
    }

    /// Of a range of sizes, the largest in a box, with the proportions that the frames have within the
    /// limits.
    fileprivate func narrowed(to box: PixelSize, shapedAs limits: PixelSize) -> Self {
        guard let range else { return self }
        let (full, tall) = (min(width, limits.width), min(height, limits.height))
        let share = min(1, Double(box.width) / Double(full), Double(box.height) / Double(tall))
        func onStep(_ length: Int, _ least: Int, _ step: Int) -> Int {
            let wanted = Int(Double(length) * share + 1e-6)
            return least + max(0, wanted - least) / step * step
        }
        var format = self
        format.width = onStep(full, range.minWidth, range.widthStep)
        format.height = onStep(tall, range.minHeight, range.heightStep)
        return format
    }

    /// The format in exactly this size; nil: it does not have it.
    func exactly(_ size: PixelSize) -> Self? {
        // Chroma is subsampled, so sizes are even; a JPEG is used as the camera encoded it.
        let isEven = size.width.isMultiple(of: 2) && size.height.isMultiple(of: 2)
        guard isEven || pixelFormat == "MJPG" || pixelFormat == "JPEG" else { return nil }
        guard let range else { return size == PixelSize(width, height) ? self : nil }
        guard (range.minWidth...max(range.minWidth, width)).contains(size.width),
            (range.minHeight...max(range.minHeight, height)).contains(size.height),
            (size.width - range.minWidth).isMultiple(of: range.widthStep),
            (size.height - range.minHeight).isMultiple(of: range.heightStep)
        else { return nil }
        var format = self
        (format.width, format.height) = (size.width, size.height)
        return format
    }
}
