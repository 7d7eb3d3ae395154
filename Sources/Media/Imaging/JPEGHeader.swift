internal import CJPEG
import Cameras

/// The properties of a picture that the header of its JPEG has.
struct JPEGHeader: Equatable {
    /// The longest side, in pixels, of a picture that is decoded or made. Larger ones are more likely damaged
    /// or hostile than real, and libyuv's 16.16 arithmetic ends at twice this.
    static let longestSide = 16_384

    let width: Int
    let height: Int
    let sampling: Sampling

    /// Reads the head of a JPEG; the picture in it may still be damaged.
    ///
    /// - Throws: ``ImagingError/damaged(_:)``, ``ImagingError/unsupported(_:)``,
    ///   ``ImagingError/tooLarge(width:height:)``, ``ImagingError/library(_:)``.
    init(of bytes: [UInt8]) throws(ImagingError) {
        self = try JPEGDecoder().head(of: bytes)
    }

    /// - Throws: ``ImagingError/damaged(_:)``, ``ImagingError/unsupported(_:)``,
    ///   ``ImagingError/tooLarge(width:height:)``.
    init(_ head: jpeg_head) throws(ImagingError) {
        width = Int(head.width)
        height = Int(head.height)
        // To libjpeg-turbo a JPEG that ends before its picture is one that carries tables for others.
        guard width > 0, height > 0 else { throw .damaged("it ends before its picture") }
        switch head.colours {
        case JPEG_GRAY: sampling = .gray
        case JPEG_YCBCR:
            guard let sampling = Sampling(columns: Int(head.columns), rows: Int(head.rows)) else {
                throw .unsupported("a JPEG with one chroma sample for \(head.columns)×\(head.rows) pixels")
            }
            self.sampling = sampling
        case JPEG_RGB: throw .unsupported("a JPEG in RGB")
        case JPEG_CMYK: throw .unsupported("a JPEG in CMYK")
        default: throw .unsupported("a JPEG in unknown colours")
        }
        guard width <= Self.longestSide, height <= Self.longestSide else {
            throw .tooLarge(width: width, height: height)
        }
    }
}
