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
        /// A larger picture was asked for than the camera gives.
        let isClamped: Bool
    }

    private struct Development: Sendable {
        let number: Int
        let outcome: Result<Print, CommandError>
    }

    private let worker: Worker<Job>
    private let results: Inbox<Development>
    private var waiting: [Int: (Result<Print, CommandError>) -> Void] = [:]
    private var lastNumber = 0

    init(_ settings: CaptureSettings, cameras: [String], on loop: EventLoop) throws(LoopError) {
        let results = try Inbox<Development>()
        self.results = results
        worker = try Worker(name: "darkroom") { jobs in
            var folder = CaptureFolder(settings, cameras: cameras)
            var maker: PhotoMaker?
            while let job = jobs.next() {
                let outcome = Result { () throws(CommandError) in
                    try Self.develop(job, &maker, &folder)
                }
                results.send(Development(number: job.number, outcome: outcome))
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
        then: @escaping (Result<Print, CommandError>) -> Void
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
        let size: PhotoSize?
        do throws(ImagingError) {
            // Made with the first photo: an agent that takes none has no buffers for it.
            if maker == nil { maker = try PhotoMaker() }
            guard let ready = maker else { throw .library("no photo maker") }
            size = try job.size?.within(job.frame.picture)
            photo = try ready.photo(
                of: job.frame.picture, showing: job.frame.field.part(job.view), fitting: size,
                quality: job.quality)
        } catch {
            throw CommandError(.device, "The frame can't be made into a photo: \(error)")
        }
        do throws(CaptureFolder.Failure) {
            let path = try folder.keep(photo.bytes, camera: job.camera, name: job.name)
            return Print(photo: photo, path: path, isClamped: size != job.size)
        } catch {
            switch error {
            case .full(let words): throw CommandError(.storageFull, words)
            case .disk(let words): throw CommandError(.device, words)
            }
        }
    }
}

extension PhotoSize {
    /// The size, but no larger than the picture: more pixels would show no more, and cost memory by the hundred megabytes.
    fileprivate func within(_ picture: Picture) throws(ImagingError) -> PhotoSize {
        let limit: (width: Int, height: Int)
        switch picture {
        case .planar(let planes): limit = (planes.width, planes.height)
        case .jpeg(let bytes):
            let header = try JPEGHeader(of: bytes)
            limit = (header.width, header.height)
        }
        return PhotoSize(
            width: width.map { min($0, limit.width) }, height: height.map { min($0, limit.height) })
    }
}
