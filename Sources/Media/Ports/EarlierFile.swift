internal import Base
internal import Contract
internal import Core

/// A file of a recording that was continued in another one, on its way to the thread that completes it.
///
/// `@unchecked`: the recording's thread gives the file away, so that one thread at a time has it.
struct EarlierFile: @unchecked Sendable {
    let file: RecordingFile
    let cause: RecordingFields.Cause

    func complete() -> RecordingOutcome { file.finish(nil) }

    /// Completes the file on a thread of its own: that takes as long as copying it.
    ///
    /// - Parameter then: called on that thread.
    func completeElsewhere(then: @escaping @Sendable (RecordingOutcome) -> Void) throws(LoopError) {
        let thread = try Thread(name: "recording-file", priority: .normal) { then(complete()) }
        thread.detach()
    }
}
