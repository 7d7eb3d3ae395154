internal import CLinux
package import CameraCore
internal import FoundationEssentials
package import LoopThread
package import Messages
internal import Movies
internal import Settings

/// Starts recordings, and inspects those that a crash cut off. Each recording has a thread of its own, so
/// that neither an encoder nor a disk delays anything else.
package final class Recorder: RecordingService {
    private let folder: RecordingFolder
    private let maximumFileBytes: Int
    private let loop: EventLoop
    /// Its thread exists only while there are files to inspect.
    private var inspector: SerialWorker<Void>?
    /// Files that are inspected or wait for it.
    private var inspections = 0

    /// - Parameter maximumFileBytes: of one recording; it ends there.
    package init(folder: RecordingFolder, maximumFileBytes: Int, on loop: EventLoop) {
        (self.folder, self.maximumFileBytes, self.loop) = (folder, maximumFileBytes, loop)
    }

    package func begin(
        _ options: RecordingOptions, report: @escaping (RecordingReport) -> Void
    ) throws(CommandError) -> any ActiveRecording {
        let plan = RecordingPlan(
            options: options,
            name: MediaFileName.of(
                camera: options.camera, at: options.startedAt, sequence: options.sequence,
                suffix: MediaFolder.suffix(of: options.codec)),
            folder: folder, maximumFileBytes: maximumFileBytes)
        do throws(LoopError) {
            return try RecordingThread(plan, on: loop, report: report)
        } catch {
            throw Self.withoutThread(error)
        }
    }

    package func inspect(_ path: String, then: @escaping (RecordingOutcome?) -> Void) throws(CommandError) {
        let inspector = try startedInspector()
        inspections += 1
        inspector.run({ _ in Self.inspect(path) }) { [weak self] outcome in
            then(outcome)
            self?.inspectionEnded()
        }
    }

    private func startedInspector() throws(CommandError) -> SerialWorker<Void> {
        if let inspector { return inspector }
        do throws(LoopError) {
            let inspector = try SerialWorker(name: "inspector", on: loop) {}
            self.inspector = inspector
            return inspector
        } catch {
            throw Self.withoutThread(error)
        }
    }

    private static func withoutThread(_ error: LoopError) -> CommandError {
        CommandError(.device, "The system refuses a further thread for a recording: \(error)")
    }

    private func inspectionEnded() {
        inspections -= 1
        if inspections == 0 { inspector = nil }
    }

    /// Inspects a file, on the inspector's thread.
    private static func inspect(_ path: String) -> RecordingOutcome? {
        var outcome = RecordingOutcome()
        outcome.path = path
        do throws(MovieError) {
            guard let movie = try InterruptedMovie.recover(path) else { return nil }
            if movie.frames == 0 { outcome.path = nil }
            (outcome.bytes, outcome.frames, outcome.duration) = (movie.bytes, movie.frames, movie.duration)
        } catch {
            outcome.error = error.forMessages
            var (bytes, made): (Int64, Int64) = (0, 0)
            if clinux_stat(path, &bytes, &made) == 0 { outcome.bytes = Int(bytes) }
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
}
