internal import FoundationEssentials
internal import Messages

/// A capture that was asked for, from the command to its last photo.
struct CaptureJob {
    enum Step: Equatable {
        /// The zoom is on its way to where the photo is to be taken.
        case zooming
        /// The zoom is to come to rest.
        case settling
        /// A frame is being exposed or made into a photo.
        case exposing
        /// The photo is made, and on its way to the disk.
        case keeping
    }

    let command: CaptureSet
    /// The camera's count of captures.
    let number: Int
    let asker: Asker
    /// Who is to hear the shutter.
    let sound: Sound?
    let requestedAt: Date
    var step = Step.settling
    var photos: [PhotoFields] = []
    /// Whoever asked has the photo that is being kept.
    var isAnswered = false
    /// A larger picture was asked for than there is.
    var isClamped = false
    /// Where the lens was when a frame was asked for: the frame is to show that.
    var opticalAtExposure: Double?
    /// When its next photo may be exposed: between two photos of a series, others have their turn.
    var due: ContinuousClock.Instant

    init(_ command: CaptureSet, number: Int, asker: Asker, sound: Sound?, at now: ContinuousClock.Instant) {
        self.command = command
        self.number = number
        self.asker = asker
        self.sound = sound
        requestedAt = .now
        due = now
    }

    var remaining: Int { command.count - photos.count }

    /// Whether the answer is the JPEG itself, and goes where it can be told from other answers.
    var isAnsweredByImage: Bool { command.reply == .image && asker.responseTopic != nil }

    /// The earliest exposure that will do, for a photo that could be taken now.
    func earliestExposure(now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let age = command.maximumAgeMilliseconds else { return now }
        return now.advanced(by: .milliseconds(-age))
    }

    /// Notes a photo, and when the next may follow.
    mutating func add(_ photo: PhotoFields, exposed: ContinuousClock.Instant) {
        photos.append(photo)
        due = exposed.advanced(by: .milliseconds(command.intervalMilliseconds))
    }
}
