internal import Cameras

/// Decodes the frames of a camera that delivers H.264, so that pictures can be made of them. For one thread.
///
/// Other frames are returned as they are. With the first frame of H.264 it takes a lease on the decoder of
/// the camera's stream, which ends with the frame decoder, or when the camera begins another stream or gives
/// frames of another format. The libraries are loaded with the first decoder of all, and unloaded with the
/// last.
final class FrameDecoder {
    private let decoders: StreamDecoders
    /// Nil: there was no frame of H.264 yet.
    private var lease: StreamDecoders.Lease?

    init(_ decoders: StreamDecoders) { self.decoders = decoders }

    /// - Throws: ``ImagingError/video(_:)`` when the frame is damaged, ``ImagingError/noDecoder(_:)`` when
    ///   the libraries are missing.
    func decoded(_ picture: Picture) throws(ImagingError) -> Picture {
        if case .oriented(let inner, let orientation) = picture {
            return try decoded(inner).oriented(orientation)
        }
        guard case .h264(let video) = picture else {
            lease = nil
            return picture
        }
        do throws(MovieError) {
            return .planar(try decoder(of: video.stream).picture(of: video))
        } catch {
            switch error {
            case .missing(let words): throw .noDecoder(words)
            case .full, .disk, .codec, .encoder, .unsupported: throw .video(error.description)
            }
        }
    }

    /// Ends the lease. The next frame takes another one.
    func endLease() { lease = nil }

    private func decoder(of stream: H264Picture.StreamID) -> StreamDecoder {
        if let lease, lease.stream == stream { return lease.decoder }
        let new = decoders.lease(stream)
        lease = new
        return new.decoder
    }
}
