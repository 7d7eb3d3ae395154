package import Base
package import Cameras
package import Contract
package import Core
package import FoundationEssentials
package import Settings

/// The photos of all cameras: encoded on one thread, stored on another.
package final class PhotoPipeline: PhotoService {
    private let settings: FolderSettings
    private let encoder: PhotoEncoder
    private let photoStore: PhotoStore

    /// - Parameter recordings: their unfinished files are deleted on the store's thread, before its first
    ///   use.
    /// - Parameter decoders: of all cameras' streams.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(
        _ settings: FolderSettings, cameras: [String], recordings: RecordingFolder,
        decoders: StreamDecoders, on loop: EventLoop
    ) throws(LoopError) {
        self.settings = settings
        encoder = try PhotoEncoder(on: loop, decoders: decoders)
        photoStore = try PhotoStore(settings, cameras: cameras, recordings: recordings, on: loop)
    }

    package func encode(
        _ frame: Frame, camera: String, _ options: PhotoOptions,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void
    ) {
        encoder.encode(frame, camera: camera, options, then: then)
    }

    package func measureBrightness(
        of frame: Frame, camera: String, then: @escaping (Result<Double, EncodingFailure>) -> Void
    ) {
        encoder.measureBrightness(of: frame, camera: camera, then: then)
    }

    package func path(camera: String, exposedAt: Date, sequence: Int) -> String {
        let name = MediaFileName.of(
            camera: camera, at: exposedAt, sequence: sequence, suffix: MediaFolder.photo)
        return MediaFolder.path(in: settings, camera: camera, name: name)
    }

    package func store(
        _ photo: [UInt8], camera: String, path: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        photoStore.store(photo, camera: camera, path: path, then: then)
    }

    package func discardUnreported(camera: String, then: @escaping () -> Void) {
        photoStore.discardUnreported(camera: camera, then: then)
    }

    /// Measures the free bytes of the file system where a folder is or will be; nil: unknown. Calls back on
    /// the loop.
    package func measureFreeBytes(in folder: String, then: @escaping (Int?) -> Void) {
        photoStore.measureFreeBytes(in: folder, then: then)
    }
}
