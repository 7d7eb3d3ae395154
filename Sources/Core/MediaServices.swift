package import Cameras
package import Contract
package import FoundationEssentials
package import Settings

/// Why nothing could be made of a frame.
package struct EncodingFailure: Error, Sendable, Equatable {
    var error: CommandError
    /// Whether the frame is damaged, or is of a kind that isn't supported: the next frame may be intact.
    package var isOfFrame: Bool

    package init(_ error: CommandError, isOfFrame: Bool) {
        (self.error, self.isOfFrame) = (error, isOfFrame)
    }
}

/// The ports to the threads that encode and store photos.
package protocol PhotoService: AnyObject {
    /// Encodes a frame as a photo, and calls back once, on the loop.
    func encode(
        _ frame: Frame, camera: String, _ options: PhotoOptions,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void)

    /// Measures the mean luma of a frame, 0…1, and calls back once, on the loop.
    func measureBrightness(
        of frame: Frame, camera: String, then: @escaping (Result<Double, EncodingFailure>) -> Void)

    /// Where the photo with this number will be stored.
    func path(camera: String, exposedAt: Date, sequence: Int) -> String

    /// Stores a photo under a path that ``path(camera:exposedAt:sequence:)`` gave, and calls back once, on
    /// the loop.
    func store(
        _ photo: [UInt8], camera: String, path: String,
        then: @escaping (Result<Void, CommandError>) -> Void)

    /// Deletes the photos of a camera whose storing was begun and isn't reported yet. Calls back once, on the
    /// loop, when none of them is or will be in the folder.
    func discardUnreported(camera: String, then: @escaping () -> Void)
}

/// How a photo is made of a frame.
package struct PhotoOptions: Sendable, Equatable {
    /// The part of the frame that is shown.
    package var view: Region
    /// Pixels that the photo has to fit into; nil: no limit.
    package var width: Int?
    package var height: Int?
    /// JPEG quality, 1…100; nil: the camera's own encoding, where the picture needn't be changed.
    package var quality: Int?
    package var effect: Effect

    package init(view: Region, width: Int? = nil, height: Int? = nil, quality: Int? = nil, effect: Effect) {
        (self.view, self.width, self.height) = (view, width, height)
        (self.quality, self.effect) = (quality, effect)
    }
}

/// A finished photo, or a finished frame of a preview.
package struct EncodedPhoto: Sendable, Equatable {
    /// The JPEG file.
    var bytes: [UInt8]
    var width: Int
    var height: Int
    /// JPEG quality; nil: the camera's own JPEG was passed through, or turned without loss.
    var quality: Int?
    /// The requested picture is larger than the camera's.
    var isClamped: Bool

    package init(bytes: [UInt8], width: Int, height: Int, quality: Int?, isClamped: Bool) {
        (self.bytes, self.width, self.height) = (bytes, width, height)
        (self.quality, self.isClamped) = (quality, isClamped)
    }
}

/// The port to the thread that encodes previews.
package protocol PreviewService: AnyObject {
    /// Starts to encode for a camera; without effect when it did already.
    ///
    /// - Throws: `device` when the system refuses a further descriptor.
    func begin(camera: String) throws(CommandError)

    /// Ends the encoding for a camera.
    func end(camera: String)

    /// Encodes a frame as a JPEG of at most `width` pixels in a row, and calls back once, on the loop. Fails
    /// before ``begin(camera:)`` and after ``end(camera:)``.
    func encode(
        _ frame: Frame, camera: String, view: Region, width: Int, effect: Effect,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void)
}

/// The port to the threads that encode and write recordings.
package protocol RecordingService: AnyObject {
    /// Starts a recording.
    ///
    /// - Parameter report: called on the loop; ``RecordingReport/finished(_:)`` comes once, and last.
    /// - Throws: `device` when the system refuses a further thread.
    func begin(
        _ options: RecordingOptions, report: @escaping (RecordingReport) -> Void
    ) throws(CommandError) -> any ActiveRecording

    /// Inspects the file of a recording that a crash cut off. Takes as long as reading the file.
    ///
    /// - Parameter then: called once, on the loop, and not during the call: with the part of the recording
    ///   that plays; without a path if there was no frame, then the file is deleted; nil if the file is gone.
    /// - Throws: `device` when the system refuses a further thread.
    func inspect(_ path: String, then: @escaping (RecordingOutcome?) -> Void) throws(CommandError)
}

/// A recording under way. Releasing it abandons the file that isn't finished.
package protocol ActiveRecording: AnyObject {
    /// Adds a frame, of which the part in view is shown. Answered, in the order of the frames, by
    /// ``RecordingReport/encoded`` or ``RecordingReport/damaged``.
    ///
    /// - Parameters:
    ///   - time: since the first frame.
    ///   - copyWidth: if it isn't nil and the frame has to be decoded, a copy of what is in view, of at most
    ///     so many pixels in a row and without effect, is reported before: ``RecordingReport/reduced(_:)``.
    func add(_ frame: Frame, showing view: Region, effect: Effect, at time: Duration, copyWidth: Int?)

    /// Completes the file; ``RecordingReport/finished(_:)`` follows.
    func finish()
}

/// How a recording is made.
package struct RecordingOptions: Sendable {
    package var camera: String
    package var startedAt: Date
    /// The number of the recording, for the file's name.
    package var sequence: Int
    package var codec: RecordingCodec
    /// Pixels, even.
    package var width: Int
    package var height: Int
    /// Frames per second, as the driver reports them.
    package var rate: Double
    /// An ALSA device; nil: without sound.
    package var microphone: String?
    /// The recording fails when there is no sound.
    package var requiresSound: Bool
    package var encoding: RecordingEncoding
    /// Video of the camera is stored as it is, as long as ``passes(_:showing:effect:)`` says so.
    var passesThrough: Bool

    package init(
        camera: String, startedAt: Date, sequence: Int, codec: RecordingCodec, width: Int, height: Int,
        rate: Double, microphone: String?, requiresSound: Bool,
        encoding: RecordingEncoding = .standard, passesThrough: Bool = false
    ) {
        (self.camera, self.startedAt, self.sequence, self.codec) = (camera, startedAt, sequence, codec)
        (self.width, self.height, self.rate) = (width, height, rate)
        (self.microphone, self.requiresSound) = (microphone, requiresSound)
        (self.encoding, self.passesThrough) = (encoding, passesThrough)
    }

    /// Whether a frame is stored as the camera encoded it: the whole picture is shown, without an effect.
    package func passes(_ frame: Frame, showing view: Region, effect: Effect) -> Bool {
        guard passesThrough, case .h264 = frame.picture else { return false }
        return changeOfPicture(showing: view, effect: effect) == nil
    }

    /// Why a picture can't be stored as the camera encoded it; nil: it can.
    package func changeOfPicture(showing view: Region, effect: Effect) -> RecordingFields.Cause? {
        if effect != .none { return .effect }
        let (whole, tolerance) = (Region.whole, 1e-6)
        let differences = [
            view.x - whole.x, view.y - whole.y, view.width - whole.width, view.height - whole.height,
        ]
        return differences.allSatisfy { abs($0) < tolerance } ? nil : .zoom
    }
}

package enum RecordingReport: Sendable {
    /// The first frame is in the file, or in the next file of a recording that is continued.
    case began(RecordingFileStart)
    /// The reduced copy of a frame that was added, in 4:2:0. The frame isn't done yet.
    case reduced(PlanarPicture)
    /// One frame that was added is done.
    case encoded
    /// One frame that was added is done, and isn't in the file: it is damaged.
    case damaged
    /// The file has its maximum size.
    case full
    /// An earlier file of the recording is complete. The recording was continued in another one, because the
    /// pictures of a file all have the same parameters.
    case continued(RecordingOutcome, RecordingFields.Cause)
    case finished(RecordingOutcome)
}

/// A file of a recording that has its first frame.
package struct RecordingFileStart: Sendable {
    package var path: String
    package var hasSound: Bool
    /// What encodes the frames; nil: they are the camera's own.
    package var encoder: String?
    /// Nil: it has JPEGs.
    package var source: RecordingSource?
    /// Pixels in a row of its pictures, which need not be that of ``RecordingOptions`` if they are the
    /// camera's own.
    package var width: Int
    /// Rows.
    package var height: Int

    package init(
        path: String, hasSound: Bool, encoder: String?, source: RecordingSource?, width: Int, height: Int
    ) {
        (self.path, self.hasSound, self.encoder, self.source) = (path, hasSound, encoder, source)
        (self.width, self.height) = (width, height)
    }
}

/// The end of a recording.
package struct RecordingOutcome: Sendable {
    /// Nil: there is no file.
    package var path: String?
    /// The name of the encoder.
    package var encoder: String?
    package var bytes = 0
    package var frames = 0
    package var duration = Duration.zero
    /// Why the recording failed.
    package var error: CommandError?
    /// An error while the file was completed; the file is playable.
    package var warning: CommandError?

    package init() {}
}

/// The port to the threads that read and delete the files of photos and recordings.
///
/// Names are those of files; a name that no photo or recording of the camera has is `bad_payload`. Each call
/// calls back once, on the loop. One call waits for the one before it; ``digest(camera:name:then:)`` has a
/// thread of its own, as it takes as long as reading the file.
package protocol MediaFileService: AnyObject {
    /// Counts the files.
    func count(camera: String, then: @escaping (Result<MediaState, CommandError>) -> Void)

    /// Lists files, the newest first.
    func list(
        camera: String, _ page: MediaSet.Page, then: @escaping (Result<MediaPage, CommandError>) -> Void)

    /// Describes a file without its hash.
    func describe(
        camera: String, name: String, then: @escaping (Result<MediaFields, CommandError>) -> Void)

    /// Describes a file with its hash.
    func digest(
        camera: String, name: String, then: @escaping (Result<MediaFields, CommandError>) -> Void)

    /// Reads a part of a file. It fails with `conflict` if the file has another version.
    func read(
        camera: String, _ part: MediaSet.Part, then: @escaping (Result<MediaPart, CommandError>) -> Void)

    /// Deletes a file. It fails with `busy` while a recording is written to it.
    func delete(camera: String, name: String, then: @escaping (Result<Void, CommandError>) -> Void)
}

/// Some files of a camera.
package struct MediaPage: Sendable, Equatable {
    package var files: [MediaFields]
    /// The name after which older files follow, also if the file with it has been deleted meanwhile; nil:
    /// there are no older files.
    package var next: String?

    package init(files: [MediaFields], next: String?) { (self.files, self.next) = (files, next) }
}

/// A part of a file.
package struct MediaPart: Sendable, Equatable {
    package var bytes: [UInt8]
    package var fields: MediaPartFields

    package init(bytes: [UInt8], fields: MediaPartFields) { (self.bytes, self.fields) = (bytes, fields) }
}

/// The port to the threads that show pictures on output devices, for virtual cameras.
package protocol OutputService: AnyObject {
    /// Opens a device.
    ///
    /// - Parameter opened: called once, on the loop, and not during the call; not after the output was
    ///   released.
    /// - Throws: `device` when the system refuses a further thread, `unsupported` when the program has no
    ///   output devices.
    func begin(
        _ path: String, _ settings: OutputSettings,
        opened: @escaping (Result<OutputFormat, CommandError>) -> Void
    ) throws(CommandError) -> any ActiveOutput
}

/// A virtual camera whose device is open. Releasing it closes the device, and waits for nothing.
package protocol ActiveOutput: AnyObject {
    /// Shows a picture, and calls back once, on the loop, unless the output was released. One at a time,
    /// after it was opened.
    func show(_ picture: OutputPicture, then: @escaping (OutputReport) -> Void)

    /// Drops the picture of the camera that is under way: it isn't given to the device any more, unless that
    /// has begun.
    func withdrawPictures()
}

/// What an output device is to show.
package enum OutputPicture: Sendable {
    /// The part of a frame that is in view.
    case frame(Frame, view: Region, effect: Effect)
    /// The picture that was shown last.
    case again
    case black
    /// No picture: the report only tells whether the device is read.
    case nothing
}

/// What became of a picture.
package enum OutputReport: Sendable {
    /// - Parameters:
    ///   - isRead: whether a program reads the device; nil: the driver doesn't report it.
    ///   - isDamaged: nothing could be made of the frame: the device has the picture before.
    case shown(isRead: Bool?, isDamaged: Bool)
    /// The device can't be used any more.
    case failed(CommandError)
}

/// The media ports of one camera.
package struct MediaServices {
    var photos: any PhotoService
    var previews: any PreviewService
    var recordings: any RecordingService
    var files: any MediaFileService
    var outputs: any OutputService

    package init(
        photos: any PhotoService, previews: any PreviewService, recordings: any RecordingService,
        files: any MediaFileService, outputs: any OutputService
    ) {
        (self.photos, self.previews, self.recordings) = (photos, previews, recordings)
        (self.files, self.outputs) = (files, outputs)
    }
}
