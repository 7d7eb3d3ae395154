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
    private var cameras: Set<String> = []
    private var worker: SerialWorker<PhotoMaker?>?

    package init(on loop: EventLoop) { self.loop = loop }

    package func begin(camera: String) throws(CommandError) {
        if worker == nil {
            do throws(LoopError) {
                worker = try SerialWorker(name: "preview", on: loop) { try? PhotoMaker() }
            } catch {
                throw CommandError(.device, "The system refuses a further thread for previews: \(error)")
            }
        }
        cameras.insert(camera)
    }

    package func end(camera: String) {
        cameras.remove(camera)
        if cameras.isEmpty { worker = nil }
    }

    package func encode(
        _ frame: Frame, view: Region, width: Int, effect: Effect, then: @escaping ([UInt8]?) -> Void
    ) {
        guard let worker else { return then(nil) }
        worker.run(
            { maker in
                try? maker?.photo(
                    of: frame.picture, showing: view, fitting: PhotoSize(width: width).within(frame.picture),
                    sampling: .yuv420, quality: Self.quality, effect: effect
                ).bytes
            }, then: then)
    }
}
