package import Base
package import Contract
package import Core
package import Settings

/// Reads and deletes the files of all cameras: on one thread, and hashes on another, as a hash takes as long
/// as reading the file.
package final class MediaFiles: MediaFileService {
    /// How long a thread is kept for the next request.
    private static let idleTime = Duration.seconds(1)

    private let photos: FolderSettings
    private let recordings: FolderSettings
    private let open: RecordingFolder
    private let reader: SerialWorker<Void>
    private let hasher: SerialWorker<DigestCache>

    /// - Parameter open: knows the files of recordings under way.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(
        photos: FolderSettings, recordings: FolderSettings, open: RecordingFolder, on loop: EventLoop
    ) throws(LoopError) {
        (self.photos, self.recordings, self.open) = (photos, recordings, open)
        reader = try SerialWorker(name: "media", on: loop, idleTime: Self.idleTime) {}
        hasher = try SerialWorker(name: "media-hash", on: loop, idleTime: Self.idleTime) { DigestCache() }
    }

    package func count(camera: String, then: @escaping (Result<MediaState, CommandError>) -> Void) {
        run(on: reader, camera, then) { (_, files) throws(CommandError) in try files.count() }
    }

    package func list(
        camera: String, _ page: MediaSet.Page, then: @escaping (Result<MediaPage, CommandError>) -> Void
    ) {
        run(on: reader, camera, then) { (_, files) throws(CommandError) in try files.list(page) }
    }

    package func describe(
        camera: String, name: String, then: @escaping (Result<MediaFields, CommandError>) -> Void
    ) {
        run(on: reader, camera, then) { (_, files) throws(CommandError) in try files.describe(name) }
    }

    package func digest(
        camera: String, name: String, then: @escaping (Result<MediaFields, CommandError>) -> Void
    ) {
        run(on: hasher, camera, then) { (cache, files) throws(CommandError) in
            try files.digest(name, &cache)
        }
    }

    package func read(
        camera: String, _ part: MediaSet.Part, then: @escaping (Result<MediaPart, CommandError>) -> Void
    ) {
        run(on: reader, camera, then) { (_, files) throws(CommandError) in try files.read(part) }
    }

    package func delete(
        camera: String, name: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        run(on: reader, camera, then) { (_, files) throws(CommandError) in try files.delete(name) }
    }

    private func run<Tools, Value: Sendable>(
        on worker: SerialWorker<Tools>, _ camera: String,
        _ then: @escaping (Result<Value, CommandError>) -> Void,
        _ work: @escaping @Sendable (inout Tools, CameraFiles) throws(CommandError) -> Value
    ) {
        let files = CameraFiles(photos: photos, recordings: recordings, open: open, camera: camera)
        do throws(LoopError) {
            try worker.run(
                { tools in Result { () throws(CommandError) in try work(&tools, files) } }, then: then)
        } catch {
            let words = "The system refuses a further thread for files: \(error)"
            then(.failure(CommandError(.device, words)))
        }
    }
}
