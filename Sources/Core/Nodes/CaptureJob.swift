internal import Contract
internal import FoundationEssentials
internal import ZoomModel

/// A request for photos, from the command to its last photo.
final class CaptureJob {
    enum Step: Equatable {
        /// It waits for its turn, or for the time of its next photo.
        case queued
        /// The zoom is on its way to where the photo is to be taken.
        case zooming
        /// The zoom has to come to rest.
        case settling
        /// A frame is being exposed and encoded. The frame has to show the lens at this optical factor.
        case exposing(optical: Double)
        /// The photo is encoded, and is being stored. A client that is answered by the photo has it already.
        case storing
    }

    let command: CaptureSet
    let request: Request
    /// The sound of a remote button.
    let sound: ShutterSound?
    let requestedAt: Date
    var step = Step.queued
    /// Until when its next photo waits for the zoom to be at rest; nil: it doesn't wait yet.
    var settlesUntil: ContinuousClock.Instant?
    /// The client ends the series: the photo that is being stored is its last.
    var isStopped = false
    /// Its place in the order of captures that are due: those with a lower turn come first. Each capture of a
    /// client has the turn after the one before it, so that clients take turns.
    var turn: Int
    var photos: [PhotoFields] = []
    /// The requested picture is larger than the camera's.
    var isClamped = false
    /// The earliest time of the next photo. Between two photos of a series, other captures have their turn.
    private(set) var due: ContinuousClock.Instant
    /// When the first photo was exposed, and the number of intervals from then to ``due``.
    private var firstExposure: ContinuousClock.Instant?
    private var intervals = 0

    init(
        _ command: CaptureSet, turn: Int, request: Request, sound: ShutterSound?,
        requestedAt: Date, now: ContinuousClock.Instant
    ) {
        (self.command, self.turn, self.request) = (command, turn, request)
        (self.sound, self.requestedAt, due) = (sound, requestedAt, now)
    }

    var remaining: Int { command.count - photos.count }

    var client: ClientIdentity? { request.client }

    var isSeries: Bool { command.count > 1 }

    /// It waits for its first photo.
    var isNew: Bool { photos.isEmpty }

    var isAnsweredByPhoto: Bool { command.isAnsweredByPhoto(to: request) }

    /// The earliest exposure that is good for the next photo.
    ///
    /// - Parameter settled: since when the zoom is where it is, if it was published.
    func earliestExposure(
        now: ContinuousClock.Instant, settled: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant {
        if let age = command.maximumAgeMilliseconds {
            return (request.time ?? now).advanced(by: .milliseconds(-age))
        }
        // A frame of the time that the command was given may have come since then.
        if photos.isEmpty, let time = request.time { return min(now, max(time, settled ?? time)) }
        // A photo of a series is due at its time; a frame of that time may have come while the photo before
        // was stored.
        return photos.isEmpty ? now : min(now, max(due, settled ?? due))
    }

    /// From the time that the command was given to an exposure, in milliseconds; nil: it was given none.
    func offset(of exposure: ContinuousClock.Instant) -> Double? {
        request.time.map { ($0.duration(to: exposure) / .microseconds(1)).rounded() / 1000 }
    }

    /// Notes a photo, and when the next is due: at a whole number of intervals from the first one. A time is
    /// skipped once the one after it has passed; the others keep their times.
    func add(
        _ photo: PhotoFields, exposed: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) {
        photos.append(photo)
        let first = firstExposure ?? exposed
        firstExposure = first
        // Without an interval the next photo shows the next frame, not this one once more.
        guard command.intervalMilliseconds > 0 else { return due = exposed.advanced(by: .nanoseconds(1)) }
        let interval = Duration.milliseconds(command.intervalMilliseconds)
        intervals = max(intervals + 1, Int(first.duration(to: now) / interval))
        due = first.advanced(by: interval * intervals)
    }
}

extension CaptureSet {
    /// Whether the answer is the JPEG itself: wanted, and possible at the address for answers.
    func isAnsweredByPhoto(to request: Request) -> Bool { look.reply == .image && request.acceptsPhotos }
}
