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
    private var state = State.idle

    private enum State {
        case idle
        /// For these cameras; there is at least one.
        case encoding(SerialWorker<Tools>, Set<String>)
    }

    /// The maker is made when it is first needed.
    private struct Tools {
        var maker: PhotoMaker?
        var decoders: CameraDecoders

        init(_ decoders: StreamDecoders) { self.decoders = CameraDecoders(decoders) }
    }

    /// - Parameter decoders: of all cameras' streams.
    package init(on loop: EventLoop, decoders: StreamDecoders) {
        (self.loop, self.decoders) = (loop, decoders)
    }

    package func begin(camera: String) throws(CommandError) {
        switch state {
        case .idle: state = .encoding(try makeWorker(), [camera])
        case .encoding(let worker, let cameras): state = .encoding(worker, cameras.union([camera]))
        }
    }

    private func makeWorker() throws(CommandError) -> SerialWorker<Tools> {
        do throws(LoopError) {
            return try SerialWorker(
                name: "preview", on: loop, idleTime: Self.idleTime, tools: { [decoders] in Tools(decoders) },
                release: { [decoders] in $0 = Tools(decoders) })
        } catch {
            throw CommandError(.device, "The system refuses a further descriptor for previews: \(error)")
        }
    }

    package func end(camera: String) {
        guard case .encoding(let worker, let cameras) = state else { return }
        // If the system refuses a thread, there is none with a decoder: it ended with its tools.
        if cameras.contains(camera) { try? worker.run({ $0.decoders.endLease(of: camera) }, then: {}) }
        let rest = cameras.subtracting([camera])
        state = rest.isEmpty ? .idle : .encoding(worker, rest)
    }

    package func encode(
        _ frame: Frame, camera: String, view: Region, width: Int, effect: Effect,
        then: @escaping (Result<EncodedFrame, EncodingFailure>) -> Void
    ) {
        guard case .encoding(let worker, let cameras) = state, cameras.contains(camera) else {
            let error = CommandError(.device, "No preview of this camera is encoded.")
            return then(.failure(EncodingFailure(error, isOfFrame: false)))
        }
        do throws(LoopError) {
            try worker.run(
                { tools in
                    Result { () throws(EncodingFailure) in
                        try Self.encode(frame, camera, view: view, width: width, effect: effect, with: &tools)
                    }
                }, then: then)
        } catch {
            let error = CommandError(.device, "The system refuses a further thread for previews: \(error)")
            then(.failure(EncodingFailure(error, isOfFrame: false)))
        }
    }

    private static func encode(
        _ frame: Frame, _ camera: String, view: Region, width: Int, effect: Effect, with tools: inout Tools
    ) throws(EncodingFailure) -> EncodedFrame {
        do throws(ImagingError) {
            let ready = if let maker = tools.maker { maker } else { try PhotoMaker() }
            tools.maker = ready
            let picture = try tools.decoders.decoded(frame.picture, of: camera)
            let photo = try ready.photo(
                of: picture, showing: view, fitting: PhotoSize(width: width).within(picture),
                sampling: .yuv420, quality: quality, effect: effect)
            return EncodedFrame(bytes: photo.bytes, width: photo.width, height: photo.height)
        } catch {
            throw EncodingFailure(error, "The frame can't be made into a preview: \(error)")
        }
    }
}
