/// The location of a picture's samples in memory that another object owns and keeps during the use.
///
/// A value without memory of its own: making one allocates nothing.
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
    package let luma: Plane
    /// Blue and red difference; nil in a gray picture.
    package let chroma: (blue: Plane, red: Plane)?

    /// - Parameters:
    ///   - luma: of the picture's size.
    ///   - chroma: of the sizes that ``Sampling/size(ofPlane:width:height:)`` gives; nil for `gray`.
    package init(sampling: Sampling, luma: Plane, chroma: (blue: Plane, red: Plane)?) {
        self.sampling = sampling
        width = luma.width
        height = luma.height
        self.luma = luma
        self.chroma = chroma
    }

    /// How many planes there are: 1 or 3.
    package var count: Int { chroma == nil ? 1 : 3 }

    /// Luma is 0, blue difference 1, red difference 2; only the first in a gray picture.
    package subscript(index: Int) -> Plane {
        guard index > 0, let chroma else { return luma }
        return index == 1 ? chroma.blue : chroma.red
    }

    /// Luma, and blue and red difference unless the picture is gray. Unlike the subscript this allocates.
    package var planes: [Plane] { (0..<count).map { self[$0] } }
}

extension Planes {
    /// Three planes, one after the other, as those of a ``PlanarPicture``.
    ///
    /// - Parameters:
    ///   - start: of luma.
    ///   - sampling: not `gray`.
    package init(at start: UnsafePointer<UInt8>, sampling: Sampling, width: Int, height: Int) {
        let chroma = sampling.size(ofPlane: 1, width: width, height: height)
        let (blue, red) = (width * height, width * height + chroma.width * chroma.height)
        func plane(_ place: Int, _ size: (width: Int, height: Int)) -> Plane {
            Plane(base: start + place, stride: size.width, width: size.width, height: size.height)
        }
        self.init(
            sampling: sampling, luma: plane(0, (width, height)),
            chroma: (plane(blue, chroma), plane(red, chroma)))
    }
}
