/// A picture as three planes of bytes (ITU-R BT.601, full range, as JPEG has it): luma, and the two chroma
/// planes.
package struct PlanarPicture: Sendable {
    /// Not ``Sampling/gray``.
    package let sampling: Sampling
    /// Pixels in a row.
    package let width: Int
    /// Rows of pixels.
    package let height: Int
    /// Luma, blue difference and red difference, one plane after the other. The rows of a plane follow one
    /// another without gaps.
    package let samples: [UInt8]

    /// - Parameter samples: as many as planes of this size have.
    package init(sampling: Sampling, width: Int, height: Int, samples: [UInt8]) {
        precondition(
            samples.count == Self.count(sampling, width, height), "a picture has all samples of its planes")
        (self.sampling, self.width, self.height, self.samples) = (sampling, width, height, samples)
    }

    /// Makes a picture in memory of its own.
    ///
    /// - Parameter fill: writes all samples of a plane: luma is 0, blue difference 1, red difference 2.
    package init(
        sampling: Sampling, width: Int, height: Int, fill: (_ index: Int, _ plane: Planes.Plane) -> Void
    ) {
        let all = Self.count(sampling, width, height)
        let samples = [UInt8](unsafeUninitializedCapacity: all) { memory, count in
            count = all
            guard let start = memory.baseAddress else { return }
            let planes = Planes(at: start, sampling: sampling, width: width, height: height)
            for index in 0..<3 { fill(index, planes[index]) }
        }
        self.init(sampling: sampling, width: width, height: height, samples: samples)
    }

    private static func count(_ sampling: Sampling, _ width: Int, _ height: Int) -> Int {
        let chroma = sampling.size(ofPlane: 1, width: width, height: height)
        return width * height + 2 * chroma.width * chroma.height
    }
}
