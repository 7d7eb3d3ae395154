internal import Cameras
internal import Imaging
internal import LoopThread
internal import Picture

/// Where frames become small pictures to look at: a thread that there is while somebody looks.
final class Previewer {
    private let worker: SerialWorker<PhotoMaker?>

    init(on loop: EventLoop) throws(LoopError) {
        worker = try SerialWorker(name: "preview", on: loop) { try? PhotoMaker() }
    }

    /// Makes a picture of a frame, no wider than the frame is; calls back on the loop, with nothing when the frame is damaged.
    func develop(
        _ frame: Frame, view: Region, width: Int, effect: Effect, quality: Int,
        then: @escaping ([UInt8]?) -> Void
    ) {
        worker.run(
            { maker in
                try? maker?.photo(
                    of: frame.picture, showing: view, fitting: PhotoSize(width: width).within(frame.picture),
                    sampling: .yuv420, quality: quality, effect: effect
                ).bytes
            }, then: then)
    }
}
