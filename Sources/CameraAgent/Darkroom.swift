internal import Cameras
internal import Imaging
internal import LoopThread
internal import Messages
internal import Picture

/// Where frames become photos: a thread of its own, so that neither a codec nor a disk holds up a stop.
final class Darkroom {
    /// A frame, and what is to be made of it.
    struct Job: Sendable {
        let frame: Frame
        /// The part of the frame that is in view.
        let view: Region
        let size: PhotoSize?
        let quality: Int?
        let camera: String
        /// The photo's file name.
        let name: String
        /// Comes back with the print.
        let number: Int
    }

    /// A photo that is made and kept.
    struct Print: Sendable {
        let photo: Photo
        let path: String
    }

    private struct Result: Sendable {
        let number: Int
        let outcome: Swift.Result<Print, CommandError>
    }

    private let worker: Worker<Job>
    private let results: Inbox<Result>
    private var waiting: [Int: (Swift.Result<Print, CommandError>) -> Void] = [:]
    private var lastNumber = 0

    init(_ settings: CaptureSettings, on loop: EventLoop) throws(LoopError) {
        let results = try Inbox<Result>()
        self.results = results
        worker = try Worker(name: "darkroom") { jobs in
            var folder = CaptureFolder(settings)
            var maker: PhotoMaker?
            while let job = jobs.next() {
                let outcome = Swift.Result { () throws(CommandError) in
                    try Self.develop(job, &maker, &folder)
                }
                results.send(Result(number: job.number, outcome: outcome))
            }
        }
        results.attach(to: loop) { [weak self] result in
            self?.waiting.removeValue(forKey: result.number)?(result.outcome)
        }
    }

    deinit { worker.abandon() }

    /// Makes a photo of a frame and keeps it; calls back on the loop.
    func develop(
        _ frame: Frame, view: Region, size: PhotoSize?, quality: Int?, camera: String, name: String,
        then: @escaping (Swift.Result<Print, CommandError>) -> Void
    ) {
        lastNumber += 1
        waiting[lastNumber] = then
        worker.submit(
            Job(
                frame: frame, view: view, size: size, quality: quality, camera: camera, name: name,
                number: lastNumber))
    }

    private static func develop(
        _ job: Job, _ maker: inout PhotoMaker?, _ folder: inout CaptureFolder
    ) throws(CommandError) -> Print {
        let photo: Photo
        do throws(ImagingError) {
            // Made with the first photo: an agent that takes none has no buffers for it.
            if maker == nil { maker = try PhotoMaker() }
            guard let ready = maker else { throw .library("no photo maker") }
            photo = try ready.photo(
                of: job.frame.picture, showing: job.frame.field.part(job.view), fitting: job.size,
                quality: job.quality)
        } catch {
            throw CommandError(.device, "The frame can't be made into a photo: \(error)")
        }
        do throws(CaptureFolder.Failure) {
            return Print(photo: photo, path: try folder.keep(photo.bytes, camera: job.camera, name: job.name))
        } catch {
            switch error {
            case .full(let words): throw CommandError(.storageFull, words)
            case .disk(let words): throw CommandError(.device, words)
            }
        }
    }
}
