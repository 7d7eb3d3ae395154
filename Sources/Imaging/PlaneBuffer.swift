internal import Picture

/// Memory for the planes of one picture, kept from one picture to the next: it grows and never shrinks.
final class PlaneBuffer {
    /// Rows start at multiples of this, as vector instructions like it.
    private static let alignment = 64
    /// Rows below each plane. TurboJPEG writes luma up to the end of the last chroma sample, which can lie
    /// outside the picture by three columns (the stride has room for them) and a row. The others are a
    /// precaution against JPEGs with sampling factors that nobody thought of.
    private static let spareRows = 32

    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// Where to write the planes of the picture laid out last.
    private(set) var targets: [UnsafeMutablePointer<UInt8>?] = []
    /// Bytes from row to row, for each plane.
    private(set) var strides: [Int32] = []

    deinit {
        memory.deallocate()
    }

    /// Makes room for a picture, whose samples are then to be written to ``targets``.
    ///
    /// - Returns: the same places for reading, until the next call.
    func layOut(_ sampling: Sampling, width: Int, height: Int) -> Planes {
        let sizes = (0..<sampling.planes).map { sampling.size(ofPlane: $0, width: width, height: height) }
        let strides = sizes.map { ($0.width + Self.alignment) / Self.alignment * Self.alignment }
        let lengths = zip(sizes, strides).map { ($0.height + Self.spareRows) * $1 }
        let length = lengths.reduce(0, +)
        if length > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: length, alignment: Self.alignment)
        }
        let samples = memory.bindMemory(to: UInt8.self)
        var starts: [UnsafeMutablePointer<UInt8>] = []
        var offset = 0
        for length in lengths {
            guard let base = samples.baseAddress else { break }
            starts.append(base + offset)
            offset += length
        }
        targets = starts
        self.strides = strides.map(Int32.init)
        let planes = zip(starts, zip(sizes, strides)).map { start, shape in
            Planes.Plane(base: start, stride: shape.1, width: shape.0.width, height: shape.0.height)
        }
        return Planes(sampling: sampling, width: width, height: height, planes: planes)
    }
}
