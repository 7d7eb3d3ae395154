package import Base
package import Cameras
package import Contract
package import Core

/// Encodes the previews of all cameras on a thread of its own, which exists while it has frames to encode.
package final class PreviewEncoder: PreviewService {
    private static let quality = 75
    /// How long the thread is kept for the next frame.
    private static let idleTime = Duration.seconds(10)

    private let loop: EventLoop
    private let decoders: StreamDecoders
    /// Nil: no camera has a preview.
    private var worker: SerialWorker<JPEGTools>?
    private var cameras: Set<String> = []

    /// - Parameter decoders: of all cameras' streams.
    package init(on loop: EventLoop, decoders: StreamDecoders) {
        (self.loop, self.decoders) = (loop, decoders)
    }

    package func begin(camera: String) throws(CommandError) {
        worker = if let worker { worker } else { try makeWorker() }
        cameras.insert(camera)
    }

    private func makeWorker() throws(CommandError) -> SerialWorker<JPEGTools> {
        do throws(LoopError) {
            return try SerialWorker(
                name: "preview", on: loop, idleTime: Self.idleTime,
                tools: { [decoders] in JPEGTools(decoders) },
                release: { [decoders] in $0 = JPEGTools(decoders) })
        } catch {
            throw CommandError(.device, "The system refuses a further descriptor for previews: \(error)")
        }
    }

    package func end(camera: String) {
        guard cameras.remove(camera) != nil else { return }
        // If the system refuses a thread, there is none with a decoder: it ended with its tools.
        try? worker?.run({ $0.endLease(of: camera) }, then: {})
        if cameras.isEmpty { worker = nil }
    }

    package func encode(
        _ frame: Frame, camera: String, view: Region, width: Int, effect: Effect,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void
    ) {
        guard let worker, cameras.contains(camera) else {
            let error = CommandError(.device, "No preview of this camera is encoded.")
            return then(.failure(EncodingFailure(error, isOfFrame: false)))
        }
        worker.make(
            of: frame, camera: camera, orFail: "The frame can't be made into a preview", for: "previews",
            then: then
        ) { maker, picture throws(ImagingError) in
            let size = try maker.limited(PhotoSize(width: width), to: picture)
            return EncodedPhoto(
                try maker.photo(
                    of: picture, showing: view, fitting: size, sampling: .yuv420, quality: Self.quality,
                    effect: effect))
        }
    }
}
