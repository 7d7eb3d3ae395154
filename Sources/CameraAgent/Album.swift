internal import LoopThread
internal import Messages

/// Where photos are kept: a thread of its own, so that a slow disk doesn't hold up the next photo.
final class Album {
    private struct Job: Sendable {
        let number: Int
        let photo: [UInt8]
        let camera: String
        /// The photo's file name.
        let name: String
    }

    private struct Outcome: Sendable {
        let number: Int
        let result: Result<Void, CommandError>
    }

    private let settings: FolderSettings
    private let worker: Worker<Job>
    private let outcomes: Inbox<Outcome>
    private var waiting: [Int: (Result<Void, CommandError>) -> Void] = [:]
    private var lastNumber = 0

    /// - Parameter recordings: their folder is swept on the same thread, once.
    init(
        _ settings: FolderSettings, cameras: [String], recordings: RecordingFolder, on loop: EventLoop
    ) throws(LoopError) {
        let outcomes = try Inbox<Outcome>()
        (self.settings, self.outcomes) = (settings, outcomes)
        worker = try Worker(name: "album") { jobs in
            recordings.sweep()
            var folder = MediaFolder(settings, of: .photos, cameras: cameras)
            while let job = jobs.next() {
                let result = Result { () throws(CommandError) in
                    do throws(MediaFolder.Failure) {
                        try folder.keep(job.photo, camera: job.camera, name: job.name)
                    } catch {
                        throw error.forMessages
                    }
                }
                outcomes.send(Outcome(number: job.number, result: result))
            }
        }
        outcomes.attach(to: loop) { [weak self] outcome in
            self?.waiting.removeValue(forKey: outcome.number)?(outcome.result)
        }
    }

    deinit { worker.abandon() }

    /// Where a photo of this name is, once it is kept.
    func path(camera: String, name: String) -> String {
        MediaFolder.path(in: settings, camera: camera, name: name)
    }

    /// Keeps a photo; calls back on the loop.
    func keep(
        _ photo: [UInt8], camera: String, name: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        lastNumber += 1
        waiting[lastNumber] = then
        worker.submit(Job(number: lastNumber, photo: photo, camera: camera, name: name))
    }
}
