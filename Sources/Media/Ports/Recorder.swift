package import Base
package import Contract
package import Core
internal import FoundationEssentials
internal import Settings

/// Starts recordings, and inspects those that a crash cut off. Each recording has a thread of its own, so
/// that neither an encoder nor a disk delays anything else.
package final class Recorder: RecordingService {
    /// How long the libraries are kept for the next recording, which would have to load them.
    private static let idleTime = Duration.seconds(30)

    private let folder: RecordingFolder
    private let maximumFileBytes: Int
    private let decoders: StreamDecoders
    private let loop: EventLoop
    /// Inspects files, and keeps the libraries loaded as long as it has a thread.
    private let movies: SerialWorker<MovieLibraries.Loaded?>

    /// - Parameters:
    ///   - maximumFileBytes: of one recording; it ends there.
    ///   - decoders: of all cameras' streams.
    /// - Throws: ``LoopError`` when the system refuses a further descriptor.
    package init(
        folder: RecordingFolder, maximumFileBytes: Int, decoders: StreamDecoders, on loop: EventLoop
    ) throws(LoopError) {
        (self.folder, self.maximumFileBytes) = (folder, maximumFileBytes)
        (self.decoders, self.loop) = (decoders, loop)
        movies = try SerialWorker(
            name: "movies", on: loop, idleTime: Self.idleTime, tools: { nil }, release: { $0 = nil })
    }

    package func begin(
        _ options: RecordingOptions, report: @escaping (RecordingReport) -> Void
    ) throws(CommandError) -> any ActiveRecording {
        let plan = RecordingPlan(
            options: options,
            name: MediaFileName.of(
                camera: options.camera, at: options.startedAt, sequence: options.sequence,
                suffix: MediaFolder.suffix(of: options.codec)),
            folder: folder, maximumFileBytes: maximumFileBytes, decoders: decoders)
        do throws(LoopError) {
            return try RecordingThread(
                plan, on: loop, finishing: { [weak self] in self?.keepLibraries() }, report: report)
        } catch {
            throw Self.withoutThread(error)
        }
    }

    package func inspect(_ path: String, then: @escaping (RecordingOutcome?) -> Void) throws(CommandError) {
        do throws(LoopError) {
            try movies.run({ _ in Self.inspect(path) }, then: then)
        } catch {
            throw Self.withoutThread(error)
        }
    }

    private func keepLibraries() {
        // If the system refuses a thread, they are unloaded with the end of the recording.
        try? movies.run({ $0 = try? MovieLibraries.installed.load() }) {}
    }

    private static func withoutThread(_ error: LoopError) -> CommandError {
        CommandError(.device, "The system refuses a further thread for a recording: \(error)")
    }

    /// Inspects a file, on the thread of `movies`.
    private static func inspect(_ path: String) -> RecordingOutcome? {
        var outcome = RecordingOutcome()
        outcome.path = path
        do throws(MovieError) {
            guard let movie = try InterruptedMovie.recover(path) else { return nil }
            if movie.frames == 0 { outcome.path = nil }
            (outcome.bytes, outcome.frames, outcome.duration) = (movie.bytes, movie.frames, movie.duration)
            outcome.error = movie.failure?.forMessages
        } catch {
            outcome.error = error.forMessages
            if let bytes = MediaFolder.stat(path)?.bytes { outcome.bytes = bytes }
        }
        return outcome
    }
}

/// What a recording's thread has to know.
struct RecordingPlan: Sendable {
    let options: RecordingOptions
    /// The file's name.
    let name: String
    let folder: RecordingFolder
    let maximumFileBytes: Int
    /// Of all cameras' streams.
    var decoders = StreamDecoders()
    /// Others, for tests.
    var hardware = HardwareEncoders.installed

    /// The name of a file with which the recording is continued.
    ///
    /// - Parameter time: since the recording's first frame, when the file begins.
    func name(at time: Duration) -> String {
        MediaFileName.of(
            camera: options.camera, at: options.startedAt.addingTimeInterval(time / .seconds(1)),
            sequence: options.sequence, suffix: MediaFolder.suffix(of: options.codec))
    }
}
