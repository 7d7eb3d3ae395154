internal import CAV
import Cameras

/// Decodes pictures of H.264, for photos and previews, and for recordings of a part of them.
///
/// It belongs to one thread. Within a stream it goes on from the last picture that it has decoded, so that
/// each access unit is decoded once; otherwise it begins at the newest key frame. The libraries are loaded
/// with the first picture, and stay as long as the decoder.
final class H264Decoder {
    private let libraries: MovieLibraries
    /// Nil: there was no picture yet.
    private var opened: Opened?
    /// Nil: none was decoded, or the last one was damaged.
    private var last: Last?

    /// The last access unit that was decoded, and its picture.
    private struct Last {
        let stream: H264Picture.StreamID
        let ordinal: Int
        let picture: PlanarPicture
    }

    /// The library's decoder.
    private final class Opened {
        let libraries: MovieLibraries.Loaded
        let pointer: OpaquePointer

        init(_ libraries: MovieLibraries.Loaded) throws(MovieError) {
            var pointer: OpaquePointer?
            let result = cav_open_decoder(&pointer)
            guard let pointer, result == 0 else {
                throw MovieError(doing: "open the decoder of H.264", error: result)
            }
            (self.libraries, self.pointer) = (libraries, pointer)
        }

        deinit { cav_close_decoder(pointer) }
    }

    /// - Parameter libraries: by another name, for tests.
    init(libraries: MovieLibraries = .installed) { self.libraries = libraries }

    /// Access units that were decoded, also damaged ones.
    private(set) var decodings = 0

    /// The ordinal of the access unit of the last picture; nil: there is none, or the last one was damaged.
    var lastOrdinal: Int? { last?.ordinal }

    /// Decodes a picture.
    ///
    /// - Returns: 4:2:0, full range.
    /// - Throws: ``MovieError/missing(_:)``; ``MovieError/codec(_:)`` when the picture or one before it is
    ///   damaged: then a later key frame can be decoded.
    func picture(of video: H264Picture) throws(MovieError) -> PlanarPicture {
        let opened = if let opened { opened } else { try Opened(try libraries.load()) }
        self.opened = opened
        var units = video.unitsToDecode
        guard let first = units.first, let newest = units.last else {
            throw .codec("H.264 without a key frame")
        }
        // Another part of the same frame may be wanted.
        if let last, last.stream == video.stream, last.ordinal == newest.ordinal { return last.picture }
        if let last, last.stream == video.stream, last.ordinal >= first.ordinal, last.ordinal < newest.ordinal
        {
            units = units.drop { $0.ordinal <= last.ordinal }
        } else {
            cav_flush_decoder(opened.pointer)
        }
        last = nil
        // Encoders round sizes up to whole blocks, and the library checks them so.
        let picture = try decode(units, opened, pixels: Int64((video.width + 64) * (video.height + 64)))
        last = Last(stream: video.stream, ordinal: newest.ordinal, picture: picture)
        return picture
    }

    private func decode(
        _ units: ArraySlice<H264AccessUnit>, _ opened: Opened, pixels: Int64
    ) throws(MovieError) -> PlanarPicture {
        var picture = cav_picture()
        var result: Int32 = 0
        for unit in units {
            result = unit.bytes.withUnsafeBufferPointer {
                cav_decode(opened.pointer, $0.baseAddress, $0.count, pixels, &picture)
            }
            decodings += 1
            if result == cav_unsupported_picture {
                throw .unsupported(
                    "can't show this kind of H.264: only 8 bits, and colours of 4:2:0 or 4:2:2, are supported"
                )
            }
            if result < 0 { throw MovieError(doing: "decode H.264", error: result) }
        }
        guard result == 1 else { throw .codec("can't decode H.264: the decoder holds the picture back") }
        let planes = [picture.planes.0, picture.planes.1, picture.planes.2].compactMap(\.self)
        guard picture.width >= 2, picture.height >= 2, planes.count == 3 else {
            throw .codec("H.264 without pixels")
        }
        return PlanarPicture(picture, planes)
    }
}

extension PlanarPicture {
    /// A copy of a decoded picture in full range. An odd column or row at its edge is left out.
    fileprivate init(_ picture: cav_picture, _ sources: [UnsafePointer<UInt8>]) {
        let strides = [picture.strides.0, picture.strides.1, picture.strides.2].map(Int.init)
        self.init(
            sampling: picture.halves_rows ? .yuv420 : .yuv422, width: Int(picture.width) & ~1,
            height: Int(picture.height) & ~1
        ) { index, plane in
            for row in 0..<plane.height {
                let (from, to) = (sources[index] + row * strides[index], plane.target + row * plane.stride)
                if picture.full_range {
                    to.update(from: from, count: plane.width)
                } else {
                    LimitedRange.expand(from, to: to, count: plane.width, isChroma: index > 0)
                }
            }
        }
    }
}
