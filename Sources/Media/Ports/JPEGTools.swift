internal import Base
internal import Cameras
internal import Contract
internal import Core

/// What a thread has that makes JPEGs of the frames of all cameras. The maker is made when it is first
/// needed: an agent that takes no photos and has no previews has no buffers for them.
struct JPEGTools {
    private var maker: PhotoMaker?
    private let streams: StreamDecoders
    private var decoders: [String: FrameDecoder] = [:]

    init(_ decoders: StreamDecoders) { streams = decoders }

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
            let decoder = decoders[camera] ?? FrameDecoder(streams)
            decoders[camera] = decoder
            return try body(ready, decoder.decoded(frame.picture))
        } catch {
            throw EncodingFailure(
                CommandError(.device, "\(words): \(error)"), isOfFrame: error.isOfPicture)
        }
    }

    /// Ends the lease of a camera.
    mutating func endLease(of camera: String) { decoders[camera] = nil }
}

extension SerialWorker<JPEGTools> {
    /// Makes something of a frame on the worker's thread, and calls back on the loop.
    ///
    /// - Parameters:
    ///   - words: what can't be done if that fails.
    ///   - purpose: the work of the thread, for the error if the system refuses one.
    ///   - body: gets the decoded picture.
    func make<Value: Sendable>(
        of frame: Frame, camera: String, orFail words: String, for purpose: String,
        then: @escaping (Result<Value, EncodingFailure>) -> Void,
        _ body: @escaping @Sendable (PhotoMaker, Picture) throws(ImagingError) -> Value
    ) {
        do throws(LoopError) {
            try run(
                { tools in
                    Result { () throws(EncodingFailure) in
                        try tools.make(of: frame, camera: camera, orFail: words, body)
                    }
                }, then: then)
        } catch {
            let error = CommandError(.device, "The system refuses a further thread for \(purpose): \(error)")
            then(.failure(EncodingFailure(error, isOfFrame: false)))
        }
    }
}

extension EncodedPhoto {
    init(_ photo: Photo, isClamped: Bool = false) {
        self.init(
            bytes: photo.bytes, width: photo.width, height: photo.height, quality: photo.quality,
            isClamped: isClamped)
    }
}
