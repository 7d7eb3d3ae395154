package import Picture

/// Makes JPEG photos of pictures: cut out, scaled, encoded.
///
/// It belongs to one thread, where it may take milliseconds. It keeps its memory, so that after the first
/// photo of a size the bytes that it returns are the only large thing allocated (besides what libjpeg-turbo
/// needs for progressive JPEGs).
package final class PhotoMaker {
    /// JPEG quality, 1…100, of a photo for which none was asked.
    package static let defaultQuality = 90

    private let decoder = JPEGDecoder()
    private let scaler = PlaneScaler()
    private let encoder: JPEGEncoder

    /// - Throws: ``ImagingError/library(_:)``.
    package init() throws(ImagingError) {
        encoder = try JPEGEncoder()
    }

    /// - Parameters:
    ///   - region: the part of the picture to show; what of it lies outside the picture is cut off. Its edges
    ///     are rounded to at most half a chroma sample.
    ///   - size: what the photo has to fit in. Nil is the picture's own size, to which a smaller region is
    ///     scaled up, as phones do.
    ///   - quality: of the JPEG, 1…100. With nil, a camera's JPEG that needn't be changed is passed through
    ///     untouched, and any other photo has ``defaultQuality``.
    /// - Throws: ``ImagingError``. The maker can be used again.
    package func photo(
        of picture: Picture, showing region: Region = .whole, fitting size: PhotoSize? = nil,
        quality: Int? = nil
    ) throws(ImagingError) -> Photo {
        if let quality, !(1...100).contains(quality) {
            throw .badRequest("a JPEG's quality is 1…100, not \(quality)")
        }
        let region = try region.insidePicture()
        switch picture {
        case .jpeg(let bytes): return try photo(ofJPEG: bytes, region, size, quality)
        case .planar(let picture):
            let (width, height) = (picture.width, picture.height)
            guard max(width, height) <= JPEGHeader.longestSide else {
                throw .tooLarge(width: width, height: height)
            }
            return try Planes.of(picture) { planes throws(ImagingError) in
                let size = try PhotoSize.ofPhoto(
                    showing: region, width: width, height: height, fitting: size)
                return try photo(of: planes, region, size, quality)
            }
        }
    }

    private func photo(
        ofJPEG bytes: [UInt8], _ region: Region, _ box: PhotoSize?, _ quality: Int?
    ) throws(ImagingError) -> Photo {
        let header = try JPEGHeader(of: bytes)
        let (width, height) = (header.width, header.height)
        let size = try PhotoSize.ofPhoto(showing: region, width: width, height: height, fitting: box)
        let shown = PixelRectangle(region, width: width, height: height, sampling: .yuv444)

        let needsNoChange = (shown.width, shown.height) == (width, height) && size == (width, height)
        if quality == nil && needsNoChange {
            guard reachesEnd(ofJPEG: bytes) else { throw .damaged("it breaks off before its end") }
            return Photo(bytes: bytes, width: width, height: height, quality: nil)
        }

        // As small as can be without having to be scaled up again.
        let reduction = [8, 4, 2].first { shown.width >= size.width * $0 && shown.height >= size.height * $0 }
        let planes = try decoder.decode(bytes, header: header, reducedBy: reduction ?? 1)
        return try photo(of: planes, region, size, quality)
    }

    private func photo(
        of planes: Planes, _ region: Region, _ size: (width: Int, height: Int), _ quality: Int?
    ) throws(ImagingError) -> Photo {
        let rectangle = PixelRectangle(
            region, width: planes.width, height: planes.height, sampling: planes.sampling)
        let scaled = scaler.scale(planes.cropped(to: rectangle), width: size.width, height: size.height)
        let quality = quality ?? Self.defaultQuality
        return Photo(
            bytes: try encoder.encode(scaled, quality: quality),
            width: size.width, height: size.height, quality: quality)
    }
}
