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

    /// What is to be done with a frame; the number comes back with the result.
    private struct Job: Sendable {
        let number: Int
        let frame: Frame
        let task: Task

        enum Task: Sendable {
            case photo(Order)
            /// Tell how bright it is.
            case measure
        }
    }

    private struct Outcome: Sendable {
        let number: Int
        let result: Result

        enum Result: Sendable {
            case print(Swift.Result<Print, CommandError>)
            case brightness(Double?)
        }
    }

    private let worker: Worker<Job>
    private let outcomes: Inbox<Outcome>
    private var waiting: [Int: (Outcome.Result) -> Void] = [:]
    private var lastNumber = 0

    init(on loop: EventLoop) throws(LoopError) {
        let outcomes = try Inbox<Outcome>()
        self.outcomes = outcomes
        worker = try Worker(name: "darkroom") { jobs in
            var maker: PhotoMaker?
            var meter: LightMeter?
            while let job = jobs.next() {
                let result: Outcome.Result
                switch job.task {
                case .photo(let order):
                    result = .print(
                        Result { () throws(CommandError) in
                            try Self.develop(job.frame, order, &maker)
                        })
                case .measure:
                    if meter == nil { meter = try? LightMeter() }
                    result = .brightness(try? meter?.brightness(of: job.frame.picture))
                }
                outcomes.send(Outcome(number: job.number, result: result))
            }
        }
        outcomes.attach(to: loop) { [weak self] outcome in
            self?.waiting.removeValue(forKey: outcome.number)?(outcome.result)
        }
    }

    deinit { worker.abandon() }

    /// Makes a photo of a frame; calls back on the loop.
    func develop(_ frame: Frame, _ order: Order, then: @escaping (Result<Print, CommandError>) -> Void) {
        submit(frame, .photo(order)) { result in
            if case .print(let print) = result { then(print) }
        }
    }

    /// Tells how bright a frame is, 0…1; nothing where it is damaged. Calls back on the loop.
    func measure(_ frame: Frame, then: @escaping (Double?) -> Void) {
        submit(frame, .measure) { result in
            if case .brightness(let brightness) = result { then(brightness) }
        }
    }

    private func submit(_ frame: Frame, _ task: Job.Task, then: @escaping (Outcome.Result) -> Void) {
        lastNumber += 1
        waiting[lastNumber] = then
        worker.submit(Job(number: lastNumber, frame: frame, task: task))
    }

    private static func develop(
        _ frame: Frame, _ order: Order, _ maker: inout PhotoMaker?
    ) throws(CommandError) -> Print {
        do throws(ImagingError) {
            // Made with the first photo: an agent that takes none has no buffers for it.
            if maker == nil { maker = try PhotoMaker() }
            guard let ready = maker else { throw .library("no photo maker") }
            let size = try order.size?.within(frame.picture)
            let photo = try ready.photo(
                of: frame.picture, showing: frame.field.part(order.view), fitting: size,
                quality: order.quality, effect: order.effect)
            return Print(photo: photo, isClamped: size != order.size)
        } catch {
            throw CommandError(.device, "The frame can't be made into a photo: \(error)")
        }
    }
}

extension PhotoSize {
    /// The size, but no larger than the picture: more pixels would show no more, and cost memory by the hundred megabytes.
    func within(_ picture: Picture) throws(ImagingError) -> PhotoSize {
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
