/// A picture as three planes of bytes (ITU-R BT.601, full range, as JPEG has it): luma, and the two chroma
/// planes.
package struct PlanarPicture: Sendable {
    /// One plane, its rows one after the other without gaps.
    package struct Plane: Sendable {
        /// Samples in a row.
        package let width: Int
        /// Rows.
        package let height: Int
        /// `width * height` samples; planes that came as one share their memory.
        package let samples: ArraySlice<UInt8>

        package init(width: Int, height: Int, samples: [UInt8]) {
            self.init(width: width, height: height, samples: samples[...])
        }

        package init(width: Int, height: Int, samples: ArraySlice<UInt8>) {
            precondition(samples.count == width * height, "a plane has width × height samples")
            self.width = width
            self.height = height
            self.samples = samples
        }
    }

    /// Not ``Sampling/gray``.
    package let sampling: Sampling
    package let luma: Plane
    package let blueDifference: Plane
    package let redDifference: Plane

    /// Luma samples in a row.
    package var width: Int { luma.width }
    /// Luma rows.
    package var height: Int { luma.height }

    package init(sampling: Sampling, luma: Plane, blueDifference: Plane, redDifference: Plane) {
        self.sampling = sampling
        self.luma = luma
        self.blueDifference = blueDifference
        self.redDifference = redDifference
    }
}

extension PlanarPicture {
    /// - Parameter samples: of the planes one after the other, without gaps.
    init(sampling: Sampling, width: Int, height: Int, samples: [UInt8]) {
        let chroma = sampling.size(ofPlane: 1, width: width, height: height)
        let (blue, red) = (width * height, width * height + chroma.width * chroma.height)
        self.init(
            sampling: sampling, luma: Plane(width: width, height: height, samples: samples[..<blue]),
            blueDifference: Plane(width: chroma.width, height: chroma.height, samples: samples[blue..<red]),
            redDifference: Plane(width: chroma.width, height: chroma.height, samples: samples[red...]))
    }

    /// Makes a picture in memory of its own.
    ///
    /// - Parameter fill: writes all samples of a plane: luma is 0, blue difference 1, red difference 2.
    package init(
        sampling: Sampling, width: Int, height: Int, fill: (_ index: Int, _ plane: Planes.Plane) -> Void
    ) {
        let chroma = sampling.size(ofPlane: 1, width: width, height: height)
        let all = width * height + 2 * chroma.width * chroma.height
        let samples = [UInt8](unsafeUninitializedCapacity: all) { memory, count in
            count = all
            guard let base = memory.baseAddress else { return }
            var start = UnsafePointer(base)
            for index in 0..<3 {
                let size = sampling.size(ofPlane: index, width: width, height: height)
                fill(
                    index,
                    Planes.Plane(base: start, stride: size.width, width: size.width, height: size.height))
                start += size.width * size.height
            }
        }
        self.init(sampling: sampling, width: width, height: height, samples: samples)
    }
}
