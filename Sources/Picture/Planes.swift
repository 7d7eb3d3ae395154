/// Where the samples of a picture lie in memory that somebody else owns and keeps while this is in use.
package struct Planes {
    /// Rows of `width` samples, each `stride` bytes after the one before.
    package struct Plane {
        package let base: UnsafePointer<UInt8>
        package let stride: Int
        package let width: Int
        package let height: Int

        package init(base: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int) {
            self.base = base
            self.stride = stride
            self.width = width
            self.height = height
        }
    }

    package let sampling: Sampling
    /// Pixels in a row.
    package let width: Int
    /// Rows of pixels.
    package let height: Int
    /// Luma, and blue and red difference unless the picture is gray.
    package let planes: [Plane]

    /// - Parameter planes: of the sizes that ``Sampling/size(ofPlane:width:height:)`` gives.
    package init(sampling: Sampling, width: Int, height: Int, planes: [Plane]) {
        self.sampling = sampling
        self.width = width
        self.height = height
        self.planes = planes
    }
}
