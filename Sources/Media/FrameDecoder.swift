internal import Imaging
internal import Movies
internal import Picture

/// Decodes the frames of cameras that deliver H.264, so that pictures can be made of them. For one thread.
///
/// Other frames are returned as they are. The libraries are loaded for the first frame of H.264, and unloaded
/// with the last decoder.
final class FrameDecoder {
    /// Streams that are decoded alternately, each by a decoder of its own: previews of several cameras are.
    private static let mostDecoders = 4

    /// By their streams; the one that was used last is the last one.
    private var decoders: [(stream: H264Picture.StreamID, decoder: H264Decoder)] = []

    /// - Throws: ``ImagingError/video(_:)`` when the frame is damaged, ``ImagingError/noDecoder(_:)`` when
    ///   the libraries are missing.
    func decoded(_ picture: Picture) throws(ImagingError) -> Picture {
        if case .oriented(let inner, let orientation) = picture {
            return try decoded(inner).oriented(orientation)
        }
        guard case .h264(let video) = picture else { return picture }
        do throws(MovieError) {
            return .planar(try decoder(for: video.stream).picture(of: video))
        } catch {
            switch error {
            case .missing(let words): throw .noDecoder(words)
            case .full, .disk, .codec, .encoder, .unsupported: throw .video(error.description)
            }
        }
    }

    private func decoder(for stream: H264Picture.StreamID) -> H264Decoder {
        let place = decoders.firstIndex { $0.stream == stream }
        let decoder = place.map { decoders.remove(at: $0).decoder } ?? H264Decoder()
        if decoders.count >= Self.mostDecoders { decoders.removeFirst() }
        decoders.append((stream, decoder))
        return decoder
    }
}
