import Testing

@testable import Cameras
@testable import Media

/// A picture whose colours give the position: blue difference goes from 16 at the left to 240 at the right,
/// red difference from 16 at the top to 240 at the bottom, luma is the mean of both.
func map(_ width: Int, _ height: Int, _ sampling: Sampling = .yuv422) -> PlanarPicture {
    func plane(_ columns: Int, _ rows: Int, _ value: (Double, Double) -> Double) -> [UInt8] {
        (0..<columns * rows).map { index in
            UInt8(
                value(
                    (Double(index % columns) + 0.5) / Double(columns),
                    (Double(index / columns) + 0.5) / Double(rows)
                ).rounded())
        }
    }
    let chroma = sampling.size(ofPlane: 1, width: width, height: height)
    return PlanarPicture(
        sampling: sampling, width: width, height: height,
        samples: plane(width, height) { 16 + ($0 + $1) * 112 }
            + plane(chroma.width, chroma.height) { x, _ in 16 + x * 224 }
            + plane(chroma.width, chroma.height) { _, y in 16 + y * 224 })
}

extension PlanarPicture {
    /// The samples of each plane.
    var planes: [[UInt8]] {
        var rest = samples[...]
        return (0..<3).map { index in
            let size = sampling.size(ofPlane: index, width: width, height: height)
            defer { rest = rest.dropFirst(size.width * size.height) }
            return Array(rest.prefix(size.width * size.height))
        }
    }

    /// - Parameter planes: the value that all samples of a plane have.
    init(plain planes: [UInt8], sampling: Sampling = .yuv420, width: Int, height: Int) {
        let chroma = sampling.size(ofPlane: 1, width: width, height: height)
        let counts = [width * height] + [Int](repeating: chroma.width * chroma.height, count: 2)
        self.init(
            sampling: sampling, width: width, height: height,
            samples: zip(planes, counts).flatMap { [UInt8](repeating: $0, count: $1) })
    }
}

extension Planes {
    /// The samples of each plane, without what lies between the rows.
    var samples: [[UInt8]] {
        planes.map { plane in
            (0..<plane.height).flatMap { row in
                (0..<plane.width).map { plane.base[row * plane.stride + $0] }
            }
        }
    }
}

/// The region that a JPEG of a ``map(_:_:_:)`` shows, by the colours of its corners.
func regionShown(by bytes: [UInt8]) throws -> Region {
    try decoded(bytes) { planes in
        func place(_ plane: Planes.Plane, _ x: Int, _ y: Int) -> Double {
            (Double(plane.base[y * plane.stride + x]) - 16) / 224
        }
        // Half-way along the other side, away from the corners' ringing.
        let (across, down) = (planes[1], planes[2])
        let left = place(across, 0, across.height / 2)
        let right = place(across, across.width - 1, across.height / 2)
        let top = place(down, down.width / 2, 0)
        let bottom = place(down, down.width / 2, down.height - 1)
        return Region(x: left, y: top, width: right - left, height: bottom - top)
    }
}

/// The samples of a decoded JPEG's planes, without what lies between the rows.
func samples(of bytes: [UInt8]) throws -> [[UInt8]] {
    try decoded(bytes) { $0.samples }
}

/// Lends `body` the planes of a JPEG, which the decoder owns.
private func decoded<Result>(_ bytes: [UInt8], _ body: (Planes) throws -> Result) throws -> Result {
    let decoder = try JPEGDecoder()
    return try withExtendedLifetime(decoder) { try body(decoder.decode(bytes)) }
}

/// A JPEG of a ``map(_:_:_:)`` in any sampling, also those that no planar picture has.
func jpegMap(_ width: Int, _ height: Int, _ sampling: Sampling = .yuv422) throws -> [UInt8] {
    let full = map(width, height, .yuv444)
    let size = sampling.size(ofPlane: 1, width: width, height: height)
    func thinned(_ plane: [UInt8]) -> [UInt8] {
        (0..<size.width * size.height).map { index in
            let x = min(index % size.width * sampling.columns + sampling.columns / 2, width - 1)
            let y = min(index / size.width * sampling.rows + sampling.rows / 2, height - 1)
            return plane[y * width + x]
        }
    }
    let (blue, red) = (thinned(full.planes[1]), thinned(full.planes[2]))
    return try full.planes[0].withUnsafeBufferPointer { luma in
        try blue.withUnsafeBufferPointer { blue in
            try red.withUnsafeBufferPointer { red in
                func plane(_ samples: UnsafeBufferPointer<UInt8>, _ width: Int, _ height: Int) throws
                    -> Planes.Plane
                {
                    try Planes.Plane(
                        base: #require(samples.baseAddress), stride: width, width: width, height: height)
                }
                let planes = Planes(
                    sampling: sampling, luma: try plane(luma, width, height),
                    chroma: sampling == .gray
                        ? nil
                        : (try plane(blue, size.width, size.height), try plane(red, size.width, size.height)))
                return try JPEGEncoder().encode(planes, quality: 98) { Array($0) }
            }
        }
    }
}

/// A gray progressive JPEG without any detail: a scan of all blocks' means, then scans of one coefficient
/// each. A block costs a bit in the first scan, and 16,384 blocks two bytes in each further one.
func progressive(_ width: Int, _ height: Int, scans: Int) -> [UInt8] {
    let blocks = ((width + 7) / 8) * ((height + 7) / 8)
    func table(_ kind: UInt8, _ symbol: UInt8) -> [UInt8] {
        [0xFF, 0xC4, 0, 20, kind, 1] + [UInt8](repeating: 0, count: 15) + [symbol]
    }
    func scan(_ coefficient: UInt8, _ bytes: Int) -> [UInt8] {
        [0xFF, 0xDA, 0, 8, 1, 1, 0, coefficient, coefficient, 0] + [UInt8](repeating: 0, count: bytes)
    }
    var bytes: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0] + [UInt8](repeating: 1, count: 64)
    bytes += [
        0xFF, 0xC2, 0, 11, 8, UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8),
        UInt8(width & 255),
    ]
    bytes += [1, 1, 0x11, 0]
    // The means do not differ; the further coefficients are zero to the end of a run of 16,384 blocks.
    bytes += table(0x00, 0) + table(0x10, 0xE0)
    bytes += scan(0, (blocks + 7) / 8)
    for coefficient in 1..<max(1, scans) {
        bytes += scan(UInt8(coefficient), ((blocks + 16_383) / 16_384 * 15 + 7) / 8)
    }
    return bytes + [0xFF, 0xD9]
}
