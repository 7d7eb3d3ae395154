internal import CTurboJPEG
package import Picture

/// What the head of a JPEG says of the picture.
package struct JPEGHeader: Equatable {
    /// The longest side, in pixels, of a picture that is decoded or made. Larger ones are more likely damaged
    /// or hostile than real, and libyuv's 16.16 arithmetic ends at twice this.
    package static let longestSide = 16_384

    package let width: Int
    package let height: Int
    package let sampling: Sampling

    /// Reads the head of a JPEG; the picture in it may still be damaged.
    ///
    /// - Throws: ``ImagingError/damaged(_:)``, ``ImagingError/unsupported(_:)``,
    ///   ``ImagingError/tooLarge(width:height:)``, ``ImagingError/library(_:)``.
    package init(of bytes: [UInt8]) throws(ImagingError) {
        let handle = try TurboJPEGHandle(tjInitDecompress())
        var width: Int32 = 0
        var height: Int32 = 0
        var code: Int32 = 0
        var space: Int32 = 0
        guard
            tjDecompressHeader3(
                handle.pointer, bytes, UInt(bytes.count), &width, &height, &code, &space) == 0
        else { throw .damaged(handle.lastWords) }
        // To libjpeg-turbo a JPEG that ends before its picture is one that carries tables for others.
        guard width > 0, height > 0 else { throw .damaged("it ends before its picture") }
        switch UInt32(bitPattern: space) {
        case TJCS_YCbCr.rawValue, TJCS_GRAY.rawValue: break
        case TJCS_RGB.rawValue: throw .unsupported("a JPEG in RGB")
        default: throw .unsupported("a JPEG in CMYK")
        }
        guard let sampling = Sampling(code: code) else {
            throw .unsupported("a JPEG with chroma subsampling number \(code)")
        }
        self.width = Int(width)
        self.height = Int(height)
        self.sampling = sampling
        guard self.width <= Self.longestSide, self.height <= Self.longestSide else {
            throw .tooLarge(width: self.width, height: self.height)
        }
    }
}

/// Tells whether the bytes reach the JPEG's end: whether the last marker among them is the end-of-image
/// marker (ITU-T T.81, table B.1). A transfer that broke off leaves a file whose last marker is that of a
/// segment or a scan. What a camera's driver appends as padding doesn't matter.
func reachesEnd(ofJPEG bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
        var index = bytes.count - 2
        while index >= 0 {
            if bytes[index] == 0xFF {
                switch bytes[index + 1] {
                case 0x00, 0x01, 0xD0...0xD7, 0xFF: break  // A byte of data, a restart, or padding.
                case let marker: return marker == 0xD9
                }
            }
            index -= 1
        }
        return false
    }
}
