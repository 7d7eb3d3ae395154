package import CameraCore
internal import FoundationEssentials
package import LoopThread
package import Messages
internal import Settings

/// Starts recordings. Each has a thread of its own, so that neither an encoder nor a disk delays anything
/// else.
package final class Recorder: RecordingService {
    private let folder: RecordingFolder
    private let maximumFileBytes: Int
    private let loop: EventLoop

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
            throw CommandError(.device, "The system refuses a further thread for a recording: \(error)")
        }
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
