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
