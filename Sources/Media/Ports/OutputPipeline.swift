internal import Cameras
internal import Contract
internal import Core
internal import Settings
internal import Synchronization

/// The work of an output's thread: it opens the device, makes pictures, and gives them to the device.
final class OutputPipeline {
    private struct Opened {
        let device: any OutputDevice
        let maker: OutputPictureMaker
    }

    private var opened: Opened?
    private let decoder: FrameDecoder
    /// Pictures of the camera are shown only while this is the number of the request: see ``OutputThread``.
    private let generation: OutputGeneration

    init(_ generation: OutputGeneration, _ decoders: StreamDecoders) {
        (self.generation, decoder) = (generation, FrameDecoder(decoders))
    }

    func open(
        _ path: String, _ settings: OutputSettings, by open: OpenOutput
    ) -> Result<OutputFormat, CommandError> {
        switch open(path, settings) {
        case .failure(let error): return .failure(Self.words(error, path))
        case .success(let device):
            do throws(ImagingError) {
                opened = Opened(device: device, maker: try OutputPictureMaker(device.format))
                return .success(device.format)
            } catch {
                return .failure(CommandError(.device, "\(path) can't be used: \(error)"))
            }
        }
    }

    /// - Parameter path: of the device, for the words of an error.
    func show(_ picture: OutputPicture, generation number: Int, path: String) -> OutputReport {
        guard let opened else { return .failed(CommandError(.device, "\(path) isn't open.")) }
        var isDamaged = false
        do throws(ImagingError) {
            switch picture {
            case .nothing: break
            case .again: break
            case .black:
                decoder.endLease()
                opened.maker.makeBlack()
            case .frame(let frame, let view, let effect):
                if generation.isPresent(number) {
                    let picture = try decoder.decoded(frame.picture)
                    try opened.maker.make(of: picture, showing: view, effect: effect)
                }
            }
        } catch {
            isDamaged = error.isOfPicture
            if !isDamaged {
                self.opened = nil
                return .failed(CommandError(.device, "\(path) gets no pictures: \(error)."))
            }
        }
        do throws(CameraError) {
            if case .nothing = picture {
            } else {
                try opened.device.show(opened.maker.picture) {
                    if case .black = picture { true } else { generation.isPresent(number) }
                }
            }
            return .shown(isRead: try opened.device.isRead(), isDamaged: isDamaged)
        } catch {
            self.opened = nil
            return .failed(Self.words(error, path))
        }
    }

    private static func words(_ error: CameraError, _ path: String) -> CommandError {
        switch error {
        case .unplugged: CommandError(.device, "There is no device \(path).")
        case .device(let words): CommandError(.device, "\(path) can't be used: \(words).")
        case .disabled(_, let reason): CommandError(.device, "\(path) can't be used: \(reason).")
        }
    }
}

/// The number of the present run of pictures, which the loop raises when pictures of the camera may not be
/// shown any more. The thread compares it immediately before it gives a picture to the driver.
final class OutputGeneration: Sendable {
    private let number = Atomic(0)

    var present: Int { number.load(ordering: .acquiring) }
    func advance() { number.add(1, ordering: .acquiringAndReleasing) }
    func isPresent(_ number: Int) -> Bool { present == number }
}
