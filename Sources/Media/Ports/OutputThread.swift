package import Base
package import Cameras
package import Contract
package import Core
package import Settings

/// Opens virtual cameras, each with a thread of its own: a device that blocks delays no other one.
package final class OutputThreads: OutputService {
    private let loop: EventLoop
    private let open: OpenOutput?
    private let decoders: StreamDecoders

    /// - Parameters:
    ///   - decoders: of all cameras' streams.
    ///   - open: opens a device; nil: this program has no output devices.
    package init(on loop: EventLoop, decoders: StreamDecoders, open: OpenOutput?) {
        (self.loop, self.decoders, self.open) = (loop, decoders, open)
    }

    package func begin(
        _ path: String, _ settings: OutputSettings,
        opened: @escaping (Result<OutputFormat, CommandError>) -> Void
    ) throws(CommandError) -> any ActiveOutput {
        guard let open else {
            throw CommandError(.unsupported, "This program has no output devices.")
        }
        do throws(LoopError) {
            return try OutputThread(path, settings, by: open, decoders, on: loop, opened: opened)
        } catch {
            throw CommandError(.device, "The system refuses a further thread for \(path): \(error)")
        }
    }
}

/// The thread of one virtual camera, as the loop sees it: pictures in, reports out. It ends when the output
/// is released, which waits for nothing.
final class OutputThread: ActiveOutput {
    private let worker: SerialWorker<OutputPipeline>
    private let generation = OutputGeneration()
    private let path: String

    init(
        _ path: String, _ settings: OutputSettings, by open: @escaping OpenOutput,
        _ decoders: StreamDecoders, on loop: EventLoop,
        opened: @escaping (Result<OutputFormat, CommandError>) -> Void
    ) throws(LoopError) {
        self.path = path
        worker = try SerialWorker(
            name: "output", on: loop, idleTime: nil,
            tools: { [generation] in OutputPipeline(generation, decoders) })
        try worker.run({ $0.open(path, settings, by: open) }, then: opened)
    }

    // What the thread still does must not show a picture after the release.
    deinit { generation.advance() }

    func show(_ picture: OutputPicture, then: @escaping (OutputReport) -> Void) {
        let number = generation.present
        // The thread is there since `init`: none has to be started, which could fail.
        try? worker.run(
            { [path] pipeline in pipeline.show(picture, generation: number, path: path) }, then: then)
    }

    func withdrawPictures() { generation.advance() }
}
