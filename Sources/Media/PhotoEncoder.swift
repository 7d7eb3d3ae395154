internal import CameraCore
internal import Cameras
internal import Imaging
internal import LoopThread
internal import Messages
internal import Picture

/// The thread that encodes photos, so that no codec delays the loop.
final class PhotoEncoder {
    /// Each tool is made when it is first needed: an agent that takes no photos has no buffers for them.
    private struct Tools {
        var maker: PhotoMaker?
        var meter: LightMeter?

        mutating func encode(_ frame: Frame, _ options: PhotoOptions) throws(CommandError) -> EncodedPhoto {
            do throws(ImagingError) {
                let ready = if let maker { maker } else { try PhotoMaker() }
                maker = ready
                let wanted = options.size
                let size = try wanted?.within(frame.picture)
                let photo = try ready.photo(
                    of: frame.picture, showing: frame.field.part(options.view), fitting: size,
                    quality: options.quality, effect: options.effect)
                return EncodedPhoto(
                    bytes: photo.bytes, width: photo.width, height: photo.height, quality: photo.quality,
                    isClamped: size != wanted)
            } catch {
                throw CommandError(.device, "The frame can't be made into a photo: \(error)")
            }
        }

        mutating func brightness(of frame: Frame) throws(ImagingError) -> Double {
            let ready = if let meter { meter } else { try LightMeter() }
            meter = ready
            return try ready.brightness(of: frame.picture)
        }
    }

    private let worker: SerialWorker<Tools>

    init(on loop: EventLoop) throws(LoopError) {
        worker = try SerialWorker(name: "photo-encoder", on: loop) { Tools() }
    }

    /// Encodes a frame as a photo, and calls back on the loop.
    func encode(
        _ frame: Frame, _ options: PhotoOptions, then: @escaping (Result<EncodedPhoto, CommandError>) -> Void
    ) {
        worker.run(
            { tools in Result { () throws(CommandError) in try tools.encode(frame, options) } }, then: then)
    }

    /// Measures the mean luma of a frame, 0…1; nil where the frame is damaged. Calls back on the loop.
    func measureBrightness(of frame: Frame, then: @escaping (Double?) -> Void) {
        worker.run({ tools in try? tools.brightness(of: frame) }, then: then)
    }
}

extension PhotoOptions {
    fileprivate var size: PhotoSize? {
        width == nil && height == nil ? nil : PhotoSize(width: width, height: height)
    }
}
