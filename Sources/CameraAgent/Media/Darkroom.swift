internal import Cameras
internal import Imaging
internal import LoopThread
internal import Messages
internal import Picture

/// Where frames become photos: a thread of its own, so that no codec holds up a stop.
final class Darkroom {
    /// What is to be made of a frame.
    struct Order: Sendable {
        /// The part of the frame that is in view.
        let view: Region
        let size: PhotoSize?
        let quality: Int?
        let effect: Effect
    }

    /// A photo that is made.
    struct Print: Sendable {
        let photo: Photo
        /// A larger picture was asked for than the camera gives.
        let isClamped: Bool
    }

    /// Each is made when it is first needed: an agent that takes no photos has no buffers for them.
    private struct Tools {
        var maker: PhotoMaker?
        var meter: LightMeter?

        mutating func develop(_ frame: Frame, _ order: Order) throws(CommandError) -> Print {
            do throws(ImagingError) {
                let ready = if let maker { maker } else { try PhotoMaker() }
                maker = ready
                let size = try order.size?.within(frame.picture)
                let photo = try ready.photo(
                    of: frame.picture, showing: frame.field.part(order.view), fitting: size,
                    quality: order.quality, effect: order.effect)
                return Print(photo: photo, isClamped: size != order.size)
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
        worker = try SerialWorker(name: "darkroom", on: loop) { Tools() }
    }

    /// Makes a photo of a frame; calls back on the loop.
    func develop(_ frame: Frame, _ order: Order, then: @escaping (Result<Print, CommandError>) -> Void) {
        worker.run(
            { tools in Result { () throws(CommandError) in try tools.develop(frame, order) } }, then: then)
    }

    /// Tells how bright a frame is, 0…1; nothing where it is damaged. Calls back on the loop.
    func measure(_ frame: Frame, then: @escaping (Double?) -> Void) {
        worker.run({ tools in try? tools.brightness(of: frame) }, then: then)
    }
}
