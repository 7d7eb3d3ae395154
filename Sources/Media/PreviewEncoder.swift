internal import CameraCore
package import Cameras
internal import Imaging
package import LoopThread
package import Messages
package import Picture

/// The thread that encodes previews. It exists while a camera needs it.
package final class PreviewEncoder: PreviewService {
    private static let quality = 75

    private let loop: EventLoop
    private var state = State.idle

    private enum State {
        case idle
        /// The thread encodes for these cameras; there is at least one.
        case encoding(SerialWorker<PhotoMaker?>, Set<String>)
    }

    package init(on loop: EventLoop) { self.loop = loop }

    package func begin(camera: String) throws(CommandError) {
        switch state {
        case .idle: state = .encoding(try makeWorker(), [camera])
        case .encoding(let worker, let cameras): state = .encoding(worker, cameras.union([camera]))
        }
    }

    private func makeWorker() throws(CommandError) -> SerialWorker<PhotoMaker?> {
        do throws(LoopError) {
            return try SerialWorker(name: "preview", on: loop) { try? PhotoMaker() }
        } catch {
            throw CommandError(.device, "The system refuses a further thread for previews: \(error)")
        }
    }

    package func end(camera: String) {
        guard case .encoding(let worker, let cameras) = state else { return }
        let rest = cameras.subtracting([camera])
        state = rest.isEmpty ? .idle : .encoding(worker, rest)
    }

    package func encode(
        _ frame: Frame, view: Region, width: Int, effect: Effect, then: @escaping ([UInt8]?) -> Void
    ) {
        guard case .encoding(let worker, _) = state else { return then(nil) }
        worker.run(
            { maker in
                try? maker?.photo(
                    of: frame.picture, showing: view, fitting: PhotoSize(width: width).within(frame.picture),
                    sampling: .yuv420, quality: Self.quality, effect: effect
                ).bytes
            }, then: then)
    }
}
