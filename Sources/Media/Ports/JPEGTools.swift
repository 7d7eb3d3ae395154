internal import Cameras
internal import Contract
internal import Core

/// What a thread has that makes JPEGs of the frames of all cameras. The maker is made when it is first
/// needed: an agent that takes no photos and has no previews has no buffers for them.
struct JPEGTools {
    private var maker: PhotoMaker?
    private var decoders: CameraDecoders

    init(_ decoders: StreamDecoders) { self.decoders = CameraDecoders(decoders) }

    /// Makes something of a frame.
    ///
    /// - Parameters:
    ///   - words: what can't be done if that fails.
    ///   - body: gets the decoded picture.
    mutating func make<Value>(
        of frame: Frame, camera: String, orFail words: String,
        _ body: (PhotoMaker, Picture) throws(ImagingError) -> Value
    ) throws(EncodingFailure) -> Value {
        do throws(ImagingError) {
            let ready = if let maker { maker } else { try PhotoMaker() }
            maker = ready
            return try body(ready, decoders.decoded(frame.picture, of: camera))
        } catch {
            throw EncodingFailure(
                CommandError(.device, "\(words): \(error)"), isOfFrame: error.isOfPicture)
        }
    }

    /// Ends the lease of a camera.
    mutating func endLease(of camera: String) { decoders.endLease(of: camera) }
}
