internal import Cameras
internal import Imaging
internal import LoopThread
internal import Picture

/// Where frames become small pictures to look at: a thread that there is while somebody looks.
final class Previewer {
    private struct Job: Sendable {
        let frame: Frame
        let view: Region
        let width: Int
        let effect: Effect
        let quality: Int
        let number: Int
    }

    private let worker: Worker<Job>
    private struct Picture: Sendable {
        let number: Int
        let jpeg: [UInt8]?
    }

    private let loop: EventLoop
    private let results: Inbox<Picture>
    private var waiting: [Int: ([UInt8]?) -> Void] = [:]
    private var lastNumber = 0

    init(on loop: EventLoop) throws(LoopError) {
        let results = try Inbox<Picture>()
        (self.results, self.loop) = (results, loop)
        worker = try Worker(name: "preview") { jobs in
            let maker = try? PhotoMaker()
            while let job = jobs.next() {
                let jpeg = try? maker.map { (maker) throws(ImagingError) in try Self.develop(job, maker) }
                results.send(Picture(number: job.number, jpeg: jpeg))
            }
        }
        results.attach(to: loop) { [weak self] result in
            self?.waiting.removeValue(forKey: result.number)?(result.jpeg)
        }
    }

    deinit {
        worker.abandon()
        results.detach(from: loop)
    }

    private static func develop(_ job: Job, _ maker: PhotoMaker) throws(ImagingError) -> [UInt8] {
        try maker.photo(
            of: job.frame.picture, showing: job.view,
            fitting: PhotoSize(width: job.width).within(job.frame.picture), sampling: .yuv420,
            quality: job.quality, effect: job.effect
        ).bytes
    }

    /// Makes a picture of a frame, no wider than the frame is; calls back on the loop, with nothing when the frame is damaged.
    func develop(
        _ frame: Frame, view: Region, width: Int, effect: Effect, quality: Int,
        then: @escaping ([UInt8]?) -> Void
    ) {
        lastNumber += 1
        waiting[lastNumber] = then
        worker.submit(
            Job(
                frame: frame, view: view, width: width, effect: effect, quality: quality, number: lastNumber))
    }
}
