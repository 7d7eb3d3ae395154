package import Base
package import Cameras
package import Contract
package import Core
package import FoundationEssentials
internal import Glibc
package import Settings

/// The photos of all cameras: encoded on one thread, so that no codec delays the loop, and stored on another,
/// so that a slow disk doesn't delay the next photo. The threads and their buffers (10 MB for pictures of
/// 1920×1080) exist while they are needed.
package final class PhotoPipeline: PhotoService {
    /// How long they are kept for the next photo.
    private static let encoderIdleTime = Duration.seconds(10)
    private static let storeIdleTime = Duration.seconds(1)

    private let settings: FolderSettings
    private let encoder: SerialWorker<JPEGTools>
    private let disk: SerialWorker<MediaFolder>
    /// The paths of the photos that are being stored and aren't reported yet, by camera.
    private var unreported: [String: Set<String>] = [:]

    /// - Parameter recordings: their unfinished files are deleted on the store's thread, before its first
    ///   use.
    /// - Parameter decoders: of all cameras' streams.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(
        _ settings: FolderSettings, cameras: [String], recordings: RecordingFolder,
        decoders: StreamDecoders, on loop: EventLoop
    ) throws(LoopError) {
        self.settings = settings
        encoder = try SerialWorker(
            name: "photo-encoder", on: loop, idleTime: Self.encoderIdleTime,
            tools: { JPEGTools(decoders) }, release: { $0 = JPEGTools(decoders) })
        disk = try SerialWorker(name: "photo-store", on: loop, idleTime: Self.storeIdleTime) {
            recordings.deleteUnfinished()
            return MediaFolder(settings, of: .photo, cameras: cameras)
        }
    }

    // MARK: Encoding

    package func encode(
        _ frame: Frame, camera: String, _ options: PhotoOptions,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void
    ) {
        encoder.make(
            of: frame, camera: camera, orFail: "The frame can't be made into a photo", for: "photos",
            then: then
        ) { maker, picture throws(ImagingError) in
            let wanted = options.size
            let size = try wanted.map { size throws(ImagingError) in try maker.limited(size, to: picture) }
            let photo = try maker.photo(
                of: picture, showing: frame.field.part(options.view), fitting: size,
                quality: options.quality, effect: options.effect)
            return EncodedPhoto(photo, isClamped: size != wanted)
        }
    }

    package func measureBrightness(
        of frame: Frame, camera: String, then: @escaping (Result<Double, EncodingFailure>) -> Void
    ) {
        encoder.make(
            of: frame, camera: camera, orFail: "The brightness of the frame can't be measured",
            for: "photos", then: then
        ) { maker, picture throws(ImagingError) in try maker.brightness(of: picture) }
    }

    private static func withoutThread(_ error: LoopError) -> CommandError {
        CommandError(.device, "The system refuses a further thread for photos: \(error)")
    }

    // MARK: Storing

    package func path(camera: String, exposedAt: Date, sequence: Int) -> String {
        let name = MediaFileName.of(
            camera: camera, at: exposedAt, sequence: sequence, suffix: MediaFolder.photo)
        return MediaFolder.path(in: settings, camera: camera, name: name)
    }

    package func store(
        _ photo: [UInt8], camera: String, path: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        unreported[camera, default: []].insert(path)
        let reported = { [weak self] (result: Result<Void, CommandError>) in
            self?.unreported[camera]?.remove(path)
            then(result)
        }
        do throws(LoopError) {
            try disk.run(
                { folder in
                    Result { () throws(CommandError) in
                        try folder.store(photo, camera: camera, path: path)
                    }
                }, then: reported)
        } catch {
            reported(.failure(Self.withoutThread(error)))
        }
    }

    /// The thread stores the photos of the camera first: it does one piece of work after the other.
    package func discardUnreported(camera: String, then: @escaping () -> Void) {
        let paths = unreported[camera] ?? []
        if paths.isEmpty { return then() }
        do throws(LoopError) {
            try disk.run({ folder in for path in paths { folder.delete(path) } }) { then() }
        } catch {
            // Without a thread there is no photo either.
            then()
        }
    }

    /// Measures the free bytes of the file system where a folder is or will be; nil: unknown. Calls back on
    /// the loop.
    package func measureFreeBytes(in folder: String, then: @escaping (Int?) -> Void) {
        do throws(LoopError) {
            try disk.run({ _ in Self.freeBytes(in: folder) }, then: then)
        } catch {
            then(nil)
        }
    }

    /// A folder that doesn't exist yet will be created in the one above it.
    private static func freeBytes(in folder: String) -> Int? {
        var state = statvfs()
        var path = folder
        while statvfs(path, &state) != 0 {
            guard path != "/", path != "." else { return nil }
            path = Files.folder(of: path)
        }
        let (bytes, isTooLarge) = UInt64(state.f_bavail).multipliedReportingOverflow(
            by: UInt64(state.f_frsize))
        return isTooLarge ? nil : Int(exactly: bytes)
    }
}

extension PhotoOptions {
    fileprivate var size: PhotoSize? {
        width == nil && height == nil ? nil : PhotoSize(width: width, height: height)
    }
}
