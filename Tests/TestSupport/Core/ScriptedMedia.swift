package import Base
package import Cameras
package import Contract
package import Core
package import FoundationEssentials
package import Settings

/// The media threads for tests: the test decides when a call is answered, and how.
///
/// By default every call is answered immediately, with success. An operation in ``held`` is answered only by
/// ``release(_:)``. Nothing is encoded and nothing is stored.
package final class ScriptedMedia: PhotoService, PreviewService, RecordingService, MediaFileService,
    OutputService
{
    package enum Operation: Hashable, Sendable, CaseIterable {
        /// Photos: encoding one, measuring the brightness of a frame, storing one, deleting those whose
        /// storing isn't reported.
        case encode, measure, store, discard
        /// Encoding a frame of the preview.
        case preview
        /// Recordings: encoding a frame, completing the file.
        case recordingFrame, recordingEnd
        /// Inspecting the file of a recording that a crash cut off.
        case inspection
        /// Virtual cameras: opening the device, showing a picture.
        case outputOpen, output
        /// Files: counting them; listing, describing, reading and deleting; computing a hash.
        case count, file, hash
    }

    /// The operations whose calls wait until the test answers them.
    package var held: Set<Operation> = []
    /// The operations that fail instead of succeeding, when they are answered. A recording whose frame fails
    /// ends by itself.
    package var failures: [Operation: CommandError] = [:]
    /// Whether frames are damaged: then they are the reason of all failures of ``Operation/encode``,
    /// ``Operation/measure`` and ``Operation/preview``, and recordings leave all frames out.
    package var framesAreDamaged = false
    /// What ``begin(camera:)``, ``begin(_:report:)`` and ``inspect(_:then:)`` throw.
    package var beginFailure: CommandError?
    /// The mean luma of the next frames that are measured; nil: they are damaged.
    package var brightness: Double? = 0.5
    /// Called before each recording begins.
    package var beginsRecording: () -> Void = {}
    package private(set) var encoded: [PhotoOptions] = []
    /// The paths of the photos that were stored.
    package private(set) var stored: [String] = []
    /// What the frames of previews show, also of those that fail.
    package private(set) var previewed: [(view: Region, width: Int, effect: Effect)] = []
    /// The frames that previews were made of, likewise.
    package private(set) var previewedFrames: [Frame] = []
    /// Whether recordings have to decode their frames: then they make the reduced copies that are requested,
    /// of 4 × 2 pixels.
    package var recordingsDecode = false
    /// The size of the pictures in files of recordings; nil: as requested.
    package var recordedSize: (width: Int, height: Int)?
    /// How often ``begin(camera:)`` was called.
    package private(set) var previewBegins = 0
    /// The cameras whose previews are encoded.
    package private(set) var previewing: Set<String> = []
    package private(set) var recordings: [ScriptedRecording] = []
    /// What an inspection finds in the files that a crash cut off, by their paths.
    package var interruptedFiles: [String: RecordingOutcome] = [:]
    /// The paths of the files that are or were inspected.
    package private(set) var inspected: [String] = []
    /// The contents of the files that clients see, by name. What is stored is not added.
    package var files: [String: [UInt8]] = [:]
    /// The virtual cameras that were begun.
    package private(set) var outputs: [ScriptedOutput] = []
    /// The size that devices of virtual cameras take; nil: as requested.
    package var outputSize: (width: Int, height: Int)?
    /// Whether the devices of virtual cameras are read; nil: the driver doesn't report it.
    package var outputIsRead: Bool?
    /// How often the files were counted.
    package private(set) var counts = 0
    /// The calls for single files and lists that were begun, in order.
    package private(set) var fileCalls: [String] = []
    /// Called when a recording gets a frame that it had before.
    package var frameRepeated: () -> Void = {}

    private let loop: EventLoop
    private var pending: [(operation: Operation, answer: (CommandError?) -> Void)] = []

    package init(on loop: EventLoop) { self.loop = loop }

    package var services: MediaServices {
        MediaServices(photos: self, previews: self, recordings: self, files: self, outputs: self)
    }

    /// How many calls of an operation wait for their answer.
    package func pendingCalls(of operation: Operation) -> Int { pending.count { $0.operation == operation } }

    /// Answers the oldest pending call of an operation: with success, or with its error in ``failures``.
    ///
    /// - Returns: false when none is pending.
    @discardableResult package func release(_ operation: Operation) -> Bool {
        guard let place = pending.firstIndex(where: { $0.operation == operation }) else { return false }
        pending.remove(at: place).answer(failures[operation])
        return true
    }

    func perform(_ operation: Operation, _ answer: @escaping (CommandError?) -> Void) {
        if held.contains(operation) { return pending.append((operation, answer)) }
        answer(failures[operation])
    }

    /// Performs the operation in the next turn of the loop: the reports of a recording never come during a
    /// call.
    func performLater(_ operation: Operation, _ answer: @escaping (CommandError?) -> Void) {
        loop.timer { [weak self] in self?.perform(operation, answer) }.set(after: .zero)
    }

    // MARK: PhotoService

    package func encode(
        _ frame: Frame, camera: String, _ options: PhotoOptions,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void
    ) {
        perform(.encode) { [weak self] error in
            if let error { return then(.failure(Self.failure(error, self))) }
            self?.encoded.append(options)
            then(
                .success(
                    EncodedPhoto(
                        bytes: Self.jpeg, width: options.width ?? 64, height: options.height ?? 36,
                        quality: options.quality, isClamped: (options.width ?? 0) > 64)))
        }
    }

    package func measureBrightness(
        of frame: Frame, camera: String, then: @escaping (Result<Double, EncodingFailure>) -> Void
    ) {
        perform(.measure) { [weak self] error in
            if let brightness = self?.brightness, error == nil { return then(.success(brightness)) }
            then(.failure(Self.failure(error ?? CommandError(.device, "The frame is damaged."), self)))
        }
    }

    package func path(camera: String, exposedAt: Date, sequence: Int) -> String {
        "captures/\(camera)-\(sequence).jpg"
    }

    package func store(
        _ photo: [UInt8], camera: String, path: String,
        then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        perform(.store) { [weak self] error in
            if let error { return then(.failure(error)) }
            self?.stored.append(path)
            then(.success(()))
        }
    }

    package func discardUnreported(camera: String, then: @escaping () -> Void) {
        perform(.discard) { _ in then() }
    }

    private static func failure(_ error: CommandError, _ media: ScriptedMedia?) -> EncodingFailure {
        EncodingFailure(error, isOfFrame: media?.framesAreDamaged == true)
    }

    // MARK: PreviewService

    package func begin(camera: String) throws(CommandError) {
        previewBegins += 1
        if let beginFailure { throw beginFailure }
        previewing.insert(camera)
    }

    package func end(camera: String) { previewing.remove(camera) }

    package func encode(
        _ frame: Frame, camera: String, view: Region, width: Int, effect: Effect,
        then: @escaping (Result<EncodedPhoto, EncodingFailure>) -> Void
    ) {
        previewed.append((view, width, effect))
        previewedFrames.append(frame)
        perform(.preview) { [weak self] error in
            if let error { return then(.failure(Self.failure(error, self))) }
            then(
                .success(
                    EncodedPhoto(
                        bytes: Self.jpeg, width: width, height: width / 2, quality: nil, isClamped: false)))
        }
    }

    // MARK: OutputService

    package func begin(
        _ path: String, _ settings: OutputSettings,
        opened: @escaping (Result<OutputFormat, CommandError>) -> Void
    ) throws(CommandError) -> any ActiveOutput {
        if let beginFailure { throw beginFailure }
        let output = ScriptedOutput(at: path, in: self)
        outputs.append(output)
        performLater(.outputOpen) { [weak self, weak output] error in
            guard let self, output != nil else { return }
            if let error { return opened(.failure(error)) }
            let (width, height) = outputSize ?? (settings.width, settings.height)
            guard let format = OutputFormat(settings.pixelFormat ?? .yuyv, width: width, height: height)
            else {
                return
            }
            opened(.success(format))
        }
        return output
    }

    // MARK: MediaFileService

    /// The kind of a file, by the end of its name.
    private func kind(_ name: String) -> MediaKind { name.hasSuffix(".jpg") ? .photo : .recording }

    private func fields(_ name: String) -> MediaFields? {
        files[name].map {
            MediaFields(
                name: name, kind: kind(name), contentType: "image/jpeg", bytes: $0.count,
                createdAt: "2026-11-21T09:05:38.958Z", version: "v\($0.count)")
        }
    }

    private func noFile(_ name: String) -> CommandError {
        CommandError(.badPayload, "There is no photo or recording \(name).", field: "get")
    }

    package func count(camera: String, then: @escaping (Result<MediaState, CommandError>) -> Void) {
        counts += 1
        perform(.count) { [weak self] error in
            if let error { return then(.failure(error)) }
            var count = MediaState(newest: self?.files.keys.max())
            for (name, bytes) in self?.files ?? [:] {
                let path = self?.kind(name) == .photo ? \MediaState.photos : \MediaState.recordings
                count[keyPath: path].count += 1
                count[keyPath: path].bytes += bytes.count
            }
            then(.success(count))
        }
    }

    package func list(
        camera: String, _ page: MediaSet.Page, then: @escaping (Result<MediaPage, CommandError>) -> Void
    ) {
        fileCalls.append("list")
        perform(.file) { [weak self] error in
            guard error == nil, let self else { return then(.failure(error ?? .stopping)) }
            let names = files.keys.filter { name in
                (page.kind.map { $0 == self.kind(name) } ?? true) && page.before.map { name < $0 } ?? true
            }.sorted(by: >)
            let shown = names.prefix(page.limit)
            let list = shown.compactMap(fields).map { file in
                var file = file
                file.version = nil
                return file
            }
            then(.success(MediaPage(files: list, next: names.count > page.limit ? shown.last : nil)))
        }
    }

    package func describe(
        camera: String, name: String, then: @escaping (Result<MediaFields, CommandError>) -> Void
    ) {
        fileCalls.append("describe \(name)")
        perform(.file) { [weak self] error in
            if let error { return then(.failure(error)) }
            guard let self else { return then(.failure(.stopping)) }
            then(fields(name).map { .success($0) } ?? .failure(noFile(name)))
        }
    }

    package func digest(
        camera: String, name: String, then: @escaping (Result<MediaFields, CommandError>) -> Void
    ) {
        fileCalls.append("hash \(name)")
        perform(.hash) { [weak self] error in
            guard error == nil, let self, var file = fields(name) else {
                return then(.failure(error ?? CommandError(.badPayload, "There is no \(name).")))
            }
            file.sha256 = String(repeating: "0", count: 64)
            then(.success(file))
        }
    }

    package func read(
        camera: String, _ part: MediaSet.Part, then: @escaping (Result<MediaPart, CommandError>) -> Void
    ) {
        fileCalls.append("get \(part.name)")
        perform(.file) { [weak self] error in
            guard error == nil, let self, let file = fields(part.name), let content = files[part.name] else {
                return then(.failure(error ?? CommandError(.badPayload, "There is no \(part.name).")))
            }
            let bytes = Array(content.dropFirst(part.offset).prefix(part.length))
            let fields = MediaPartFields(
                name: part.name, contentType: file.contentType, offset: part.offset, total: content.count,
                version: file.version ?? "")
            then(.success(MediaPart(bytes: bytes, fields: fields)))
        }
    }

    package func delete(
        camera: String, name: String, then: @escaping (Result<Void, CommandError>) -> Void
    ) {
        fileCalls.append("delete \(name)")
        perform(.file) { [weak self] error in
            if let error { return then(.failure(error)) }
            self?.files[name] = nil
            then(.success(()))
        }
    }

    // MARK: RecordingService

    package func begin(
        _ options: RecordingOptions, report: @escaping (RecordingReport) -> Void
    ) throws(CommandError) -> any ActiveRecording {
        beginsRecording()
        if let beginFailure { throw beginFailure }
        let recording = ScriptedRecording(options, media: self, report: report)
        recordings.append(recording)
        return recording
    }

    package func inspect(_ path: String, then: @escaping (RecordingOutcome?) -> Void) throws(CommandError) {
        if let beginFailure { throw beginFailure }
        inspected.append(path)
        performLater(.inspection) { [weak self] _ in then(self?.interruptedFiles[path]) }
    }

    /// The smallest bytes that begin and end as a JPEG.
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xD9]
}

/// A recording of ``ScriptedMedia``: it counts the frames, and reports as the test lets it.
package final class ScriptedRecording: ActiveRecording {
    package let options: RecordingOptions
    package private(set) var frames = 0
    package private(set) var isFinished = false
    /// What the frames show that are in the file.
    package private(set) var shown: [(view: Region, effect: Effect)] = []
    /// The numbers of the frames of which a reduced copy was requested, and its width.
    package private(set) var copies: [(frame: Int, width: Int)] = []
    /// Whether each frame was the camera's H.264, and whether it could be stored unchanged.
    package private(set) var videos: [(isVideo: Bool, isPassed: Bool)] = []
    private weak var media: ScriptedMedia?
    private let report: (RecordingReport) -> Void
    private var hasBegun = false
    private var file = 1
    private var lastFrame = 0
    private var duration = Duration.zero

    fileprivate init(
        _ options: RecordingOptions, media: ScriptedMedia, report: @escaping (RecordingReport) -> Void
    ) {
        (self.options, self.media, self.report) = (options, media, report)
    }

    package var path: String {
        "recordings/\(options.camera)-\(options.sequence)\(file == 1 ? "" : "-\(file)")."
            + (options.codec == .h264 ? "mp4" : "mkv")
    }

    package func add(
        _ frame: Frame, showing view: Region, effect: Effect, at time: Duration, copyWidth: Int?
    ) {
        if let copyWidth { copies.append((frame.number, copyWidth)) }
        if frame.number <= lastFrame { media?.frameRepeated() }
        lastFrame = frame.number
        var isVideo = false
        if case .h264 = frame.picture { isVideo = true }
        videos.append((isVideo, options.passes(frame, showing: view, effect: effect)))
        media?.performLater(.recordingFrame) { [weak self] error in
            guard let self, !isFinished else { return }
            if let error { return end(error) }
            if media?.framesAreDamaged == true { return report(.damaged) }
            frames += 1
            shown.append((view, effect))
            duration = time + .seconds(1 / options.rate)
            if copyWidth != nil && media?.recordingsDecode == true { report(.reduced(Self.copy)) }
            if !hasBegun {
                hasBegun = true
                let (width, height) = media?.recordedSize ?? (options.width, options.height)
                report(
                    .began(
                        RecordingFileStart(
                            path: path, hasSound: options.microphone != nil, encoder: nil, source: source,
                            width: width, height: height)))
            }
            report(.encoded)
        }
    }

    /// Of the first frame.
    private var source: RecordingSource? {
        options.codec == .mjpeg ? nil : videos.first?.isPassed == true ? .camera : .encoder
    }

    private static let copy = PlanarPicture(
        sampling: .yuv420, width: 4, height: 2,
        samples: [UInt8](repeating: 50, count: 8) + [UInt8](repeating: 128, count: 4))

    package func finish() {
        media?.performLater(.recordingEnd) { [weak self] error in self?.end(error) }
    }

    /// The file is complete, and the next frame is in another one.
    package func goOn(because cause: RecordingFields.Cause) {
        let outcome = outcome(nil)
        (hasBegun, frames) = (false, 0)
        file += 1
        report(.continued(outcome, cause))
    }

    /// The file has its maximum size.
    package func fill() { if !isFinished { report(.full) } }

    private func end(_ error: CommandError?) {
        if isFinished { return }
        isFinished = true
        report(.finished(outcome(error)))
    }

    private func outcome(_ error: CommandError?) -> RecordingOutcome {
        var outcome = RecordingOutcome()
        outcome.error = error
        if hasBegun {
            (outcome.path, outcome.encoder) = (path, "scripted")
            (outcome.bytes, outcome.frames, outcome.duration) = (1_000 * frames, frames, duration)
        }
        return outcome
    }
}
