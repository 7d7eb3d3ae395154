internal import Base
internal import Cameras
internal import Contract
internal import Core

/// Encodes photos on a thread of its own, so that no codec delays the loop. The thread and its buffers (10 MB
/// for pictures of 1920×1080) exist while they are needed.
final class PhotoEncoder {
    /// How long they are kept for the next photo.
    private static let idleTime = Duration.seconds(10)

    /// Each tool is made when it is first needed: an agent that takes no photos has no buffers for them.
    private struct Tools {
        var maker: PhotoMaker?
        var meter: LightMeter?
        var decoders: CameraDecoders

        init(_ decoders: StreamDecoders) { self.decoders = CameraDecoders(decoders) }

        mutating func encode(
            _ frame: Frame, _ camera: String, _ options: PhotoOptions
        ) throws(EncodingFailure) -> EncodedPhoto {
            do throws(ImagingError) {
                let ready = if let maker { maker } else { try PhotoMaker() }
                maker = ready
                let wanted = options.size
                let picture = try decoders.decoded(frame.picture, of: camera)
                let size = try wanted?.within(picture)
                let photo = try ready.photo(
                    of: picture, showing: frame.field.part(options.view), fitting: size,
                    quality: options.quality, effect: options.effect)
                return EncodedPhoto(
                    bytes: photo.bytes, width: photo.width, height: photo.height, quality: photo.quality,
                    isClamped: size != wanted)
            } catch {
                throw EncodingFailure(error, "The frame can't be made into a photo: \(error)")
            }
        }

        mutating func brightness(of frame: Frame, _ camera: String) throws(EncodingFailure) -> Double {
            do throws(ImagingError) {
                let ready = if let meter { meter } else { try LightMeter() }
                meter = ready
                return try ready.brightness(of: decoders.decoded(frame.picture, of: camera))
            } catch {
                throw EncodingFailure(error, "The brightness of the frame can't be measured: \(error)")
            }
        }
    }

    private let worker: SerialWorker<Tools>

    /// - Parameter decoders: of all cameras' streams.
    init(on loop: EventLoop, decoders: StreamDecoders) throws(LoopError) {
        worker = try SerialWorker(
            name: "photo-encoder", on: loop, idleTime: Self.idleTime, tools: { Tools(decoders) },
            release: { $0 = Tools(decoders) })
    }

    /// Encodes a frame as a photo, and calls back on the loop.
    func encode(
        _ frame: Frame, camera: String, _ options: PhotoOptions,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void
    ) {
        do throws(LoopError) {
            try worker.run(
                { tools in Result { () throws(EncodingFailure) in try tools.encode(frame, camera, options) }
                },
                then: then)
        } catch {
            then(.failure(Self.withoutThread(error)))
        }
    }

    /// Measures the mean luma of a frame, 0…1, and calls back on the loop.
    func measureBrightness(
        of frame: Frame, camera: String, then: @escaping (Result<Double, EncodingFailure>) -> Void
    ) {
        do throws(LoopError) {
            try worker.run(
                { tools in Result { () throws(EncodingFailure) in try tools.brightness(of: frame, camera) } },
                then: then)
        } catch {
            then(.failure(Self.withoutThread(error)))
        }
    }

    private static func withoutThread(_ error: LoopError) -> EncodingFailure {
        EncodingFailure(
            CommandError(.device, "The system refuses a further thread for photos: \(error)"),
            isOfFrame: false)
    }
}

extension PhotoOptions {
    fileprivate var size: PhotoSize? {
        width == nil && height == nil ? nil : PhotoSize(width: width, height: height)
    }
}
