/// The mode for a wish.
package struct ModeChoice: Sendable, Equatable {
    package let mode: CameraMode
    /// The rate that was asked for is faster or slower than all that there are. To be taken to the next one isn't to be out of range.
    package let isClamped: Bool
}

extension CameraDescription {
    /// The best mode of a quality; nil: the camera can't do it.
    ///
    /// - Parameter rate: frames per second; nil: those of ``limits``.
    package func mode(for quality: Quality, rate: Double? = nil) -> ModeChoice? {
        formats.mode(for: quality, rate: rate, within: limits)
    }

    /// The names of the qualities that the camera can do: those with a name of their own, then its sizes from large to small. Of a
    /// range of sizes there is only the greatest, though all can be had.
    package var qualities: [String] { formats.qualities(within: limits) }
}

extension [CameraDescription.Format] {
    package func mode(
        for quality: Quality, rate: Double? = nil, within limits: CameraDescription.Limits
    ) -> ModeChoice? {
        let format: CameraDescription.Format? =
            if let size = quality.size {
                best(of: size, pixelFormat: limits.pixelFormat, rate: rate)
            } else {
                best(within: quality.room ?? limits.size, limits, rate: rate)
            }
        guard let format else { return nil }
        let (nearest, isOutOfRange) = format.rate(nearestTo: rate ?? limits.rate)
        return ModeChoice(
            mode: CameraMode(
                pixelFormat: format.pixelFormat, width: format.width, height: format.height, rate: nearest),
            isClamped: rate != nil && isOutOfRange)
    }

    package func qualities(within limits: CameraDescription.Limits) -> [String] {
        let named = Quality.named.filter { mode(for: $0, within: limits) != nil }
        let sizes = Set(candidates(limits.pixelFormat).map { PixelSize($0.width, $0.height) })
            .filter { mode(for: .size(width: $0.width, height: $0.height), within: limits) != nil }
            .sorted { ($0.pixels, $0.width) > ($1.pixels, $1.width) }
        return named.map(\.name) + sizes.map { Quality.size(width: $0.width, height: $0.height).name }
    }

    /// The best way to get pictures: as many pixels as there are up to a limit, fast enough to be of use; among equals those that come as
    /// JPEGs, which cost nothing to pass on.
    package func best(width: Int, height: Int, pixelFormat: String?) -> CameraDescription.Format? {
        let limits = CameraDescription.Limits(width: width, height: height, pixelFormat: pixelFormat)
        return best(within: limits.size, limits, rate: nil)
    }

    /// - Parameters:
    ///   - room: what the pictures may measure at the most; above the limits it is of no use.
    ///   - rate: one that was asked for: among formats of one size, those that have it are the better ones.
    private func best(
        within room: PixelSize, _ limits: CameraDescription.Limits, rate: Double?
    ) -> CameraDescription.Format? {
        let room = PixelSize(
            Swift.min(room.width, limits.width), Swift.min(room.height, limits.height))
        return candidates(limits.pixelFormat).map { $0.narrowed(to: room, shapedAs: limits.size) }
            .best { format in
                let fits = format.width <= room.width && format.height <= room.height
                let pixels = format.width * format.height
                return [
                    fits ? 1 : 0, format.isSmooth ? 1 : 0, fits ? pixels : -pixels, format.has(rate) ? 1 : 0,
                    preference(format.pixelFormat),
                ]
            }
    }

    /// The best of those that have exactly this size.
    private func best(
        of size: PixelSize, pixelFormat: String?, rate: Double?
    ) -> CameraDescription.Format? {
        candidates(pixelFormat).compactMap { $0.exactly(size) }.best { format in
            [format.has(rate) ? 1 : 0, format.isSmooth ? 1 : 0, preference(format.pixelFormat)]
        }
    }

    /// The formats that are of use, as long as there is one: from others no picture can be made.
    private func candidates(_ pixelFormat: String?) -> Self {
        let wanted = pixelFormat.map { letters in filter { $0.pixelFormat == letters } } ?? self
        let usable = wanted.filter { preference($0.pixelFormat) >= 0 }
        return usable.isEmpty ? wanted : usable
    }

    private func best(by rank: (CameraDescription.Format) -> [Int]) -> CameraDescription.Format? {
        self.max { rank($0).lexicographicallyPrecedes(rank($1)) }
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

/// In pixels.
struct PixelSize: Hashable {
    let width: Int
    let height: Int

    init(_ width: Int, _ height: Int) { (self.width, self.height) = (width, height) }

    var pixels: Int { width * height }
}

extension CameraDescription.Limits {
    fileprivate var size: PixelSize { PixelSize(width, height) }
}

// MARK: Sizes and rates of a format

extension CameraDescription.Format {
    /// A rate that is asked for is met by one that is so near: 29.97 is 30 to everybody.
    private static let near = 0.01

    /// What a driver is asked for that doesn't say its rates: what is beyond doesn't fit into V4L2's fractions.
    private static let rates = 0.01...1_000

    /// Fast enough for somebody who wants to aim. What doesn't say its rates has the usual ones.
    fileprivate var isSmooth: Bool { (rates.max() ?? 30) >= 15 }

    /// The rate next to a wish, the faster of two, and whether the wish is beyond all of them.
    package func rate(nearestTo wish: Double) -> (rate: Double, isOutOfRange: Bool) {
        guard let fastest = rates.max(), let least = rates.min() else {
            let possible = Swift.min(Swift.max(wish, Self.rates.lowerBound), Self.rates.upperBound)
            return (possible, possible != wish)
        }
        let slowest = slowestRate.map { Swift.min($0, least) } ?? least
        let isOutOfRange = wish > fastest * (1 + Self.near) || wish < slowest * (1 - Self.near)
        if slowestRate != nil { return (Swift.min(Swift.max(wish, slowest), fastest), isOutOfRange) }
        let nearest = rates.sorted(by: >).min { abs($0 - wish) < abs($1 - wish) }
        return (nearest ?? fastest, isOutOfRange)
    }

    fileprivate func has(_ rate: Double?) -> Bool {
        guard let rate else { return true }
        return abs(self.rate(nearestTo: rate).rate / rate - 1) <= Self.near
    }

    /// Of a range of sizes, the greatest in some room, with the shape that the pictures have where there is room enough.
    fileprivate func narrowed(to room: PixelSize, shapedAs limits: PixelSize) -> Self {
        guard let range else { return self }
        let (full, tall) = (min(width, limits.width), min(height, limits.height))
        let share = min(1, Double(room.width) / Double(full), Double(room.height) / Double(tall))
        func onStep(_ length: Int, _ least: Int, _ step: Int) -> Int {
            let wanted = Int(Double(length) * share + 1e-6)
            return least + max(0, wanted - least) / step * step
        }
        var format = self
        format.width = onStep(full, range.leastWidth, range.widthStep)
        format.height = onStep(tall, range.leastHeight, range.heightStep)
        return format
    }

    /// The same in exactly this size; nil: it can't be had.
    fileprivate func exactly(_ size: PixelSize) -> Self? {
        // Pictures are made of pairs of rows and columns, but where the camera makes them itself.
        let isEven = size.width.isMultiple(of: 2) && size.height.isMultiple(of: 2)
        guard isEven || pixelFormat == "MJPG" || pixelFormat == "JPEG" else { return nil }
        guard let range else { return size == PixelSize(width, height) ? self : nil }
        guard (range.leastWidth...max(range.leastWidth, width)).contains(size.width),
            (range.leastHeight...max(range.leastHeight, height)).contains(size.height),
            (size.width - range.leastWidth).isMultiple(of: range.widthStep),
            (size.height - range.leastHeight).isMultiple(of: range.heightStep)
        else { return nil }
        var format = self
        (format.width, format.height) = (size.width, size.height)
        return format
    }
}
