internal import Glibc
internal import LoopThread
internal import Messages

/// Where photos are kept: a thread of its own, so that a slow disk doesn't hold up the next photo.
final class Album {
    private enum Job: Sendable {
        /// A photo, and its file's name.
        case keep(number: Int, photo: [UInt8], camera: String, name: String)
        case room(number: Int, folder: String)
    }

    private enum Outcome: Sendable {
        case kept(number: Int, Result<Void, CommandError>)
        case room(number: Int, bytes: Int?)
    }

    private let settings: FolderSettings
    private let worker: Worker<Job>
    private let outcomes: Inbox<Outcome>
    private var waiting: [Int: (Result<Void, CommandError>) -> Void] = [:]
    private var curious: [Int: (Int?) -> Void] = [:]
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
                switch job {
                case .room(let number, let folder):
                    outcomes.send(.room(number: number, bytes: Self.room(in: folder)))
                case .keep(let number, let photo, let camera, let name):
                    let result = Result { () throws(CommandError) in
                        do throws(MediaFolder.Failure) {
                            try folder.keep(photo, camera: camera, name: name)
                        } catch {
                            throw error.forMessages
                        }
                    }
                    outcomes.send(.kept(number: number, result))
                }
            }
        }
        outcomes.attach(to: loop) { [weak self] outcome in
            switch outcome {
            case .kept(let number, let result): self?.waiting.removeValue(forKey: number)?(result)
            case .room(let number, let bytes): self?.curious.removeValue(forKey: number)?(bytes)
            }
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
        worker.submit(.keep(number: lastNumber, photo: photo, camera: camera, name: name))
    }

    /// How many bytes there is room for where a folder is or will be; nil: nobody knows. Calls back on the loop.
    func room(in folder: String, then: @escaping (Int?) -> Void) {
        lastNumber += 1
        curious[lastNumber] = then
        worker.submit(.room(number: lastNumber, folder: folder))
    }

    /// A folder that isn't there yet is made in the one above it.
    private static func room(in folder: String) -> Int? {
        var state = statvfs()
        var path = folder
        while statvfs(path, &state) != 0 {
            guard path != "/", path != "." else { return nil }
            guard let slash = path.lastIndex(of: "/") else {
                path = "."
                continue
            }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        return Int(exactly: UInt64(state.f_bavail) * UInt64(state.f_frsize))
    }
}
