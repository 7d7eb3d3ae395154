package import ZoomModel

/// A received command: its sender, and its content or the reason why that cannot be read.
package struct Command: Sendable {
    package var envelope: Envelope
    package let body: Result<Body, CommandError>

    /// Long contents are behind a reference: a body is passed on and copied several times, also of samples.
    package enum Body: Sendable, Equatable {
        case zoom(ZoomCommand)
        case pinch(PinchSample)
        case touch(TouchSample)
        case viewport(ZoomCommand.ViewMove)
        indirect case capture(CaptureSet)
        case press(PressSet)
        case stopCapture(CaptureStop)
        case recording(RecordingSet)
        indirect case session(SessionSet)
        case controls(ControlsSet)
        case presets(PresetsSet)
        case preview(PreviewSet)
        case lease(LeaseSet)
        indirect case desired(DesiredSet)
        case privacy(PrivacySet)
        indirect case media(MediaSet)
        /// Cancels the command with this id that waits for its time on the same node.
        case cancel(id: String)
    }

    /// The largest payload that is decoded, in bytes. The longest useful command is one of `desired` with a
    /// session, a zoom and 64 controls: about 8,000 bytes, and twice as many when it is indented.
    static let largest = 16_384

    /// Reads the payload of a command. For any bytes, the result is the command or the error.
    package init(for node: Node, payload: [UInt8]) {
        switch node {
        case .zoom: (envelope, body) = Self.read(payload, Body.zoom)
        case .pinch: (envelope, body) = Self.read(payload, Body.pinch)
        case .touch: (envelope, body) = Self.read(payload, Body.touch)
        case .viewport: (envelope, body) = Self.read(payload, Body.viewport)
        case .capture: (envelope, body) = Self.read(payload, \CaptureCommand.body)
        case .recording: (envelope, body) = Self.read(payload, Body.recording)
        case .session: (envelope, body) = Self.read(payload, Body.session)
        case .controls: (envelope, body) = Self.read(payload, Body.controls)
        case .presets: (envelope, body) = Self.read(payload, Body.presets)
        case .preview: (envelope, body) = Self.read(payload, Body.preview)
        case .lease: (envelope, body) = Self.read(payload, Body.lease)
        case .desired: (envelope, body) = Self.read(payload, Body.desired)
        case .privacy:
            (envelope, body) = Self.read(payload) { (command: PrivacyCommand) in .privacy(command.state) }
        case .media: (envelope, body) = Self.read(payload, Body.media)
        }
    }

    /// A payload that isn't JSON, as one word.
    private static func singleWord(_ payload: [UInt8]) -> String? {
        let words = payload.split(maxSplits: 2, whereSeparator: \.isJSONSpace)
        guard words.count == 1, words[0].count <= 64 else { return nil }
        return String(validating: words[0], as: UTF8.self)
    }

    static func read<Content: CommandForm, Output: ReadCommand>(
        _ payload: [UInt8], _ body: (Content) throws(CommandError) -> Output
    ) -> (Envelope, Result<Output, CommandError>) {
        var envelope = Envelope()
        do throws(CommandError) {
            if payload.count > largest {
                throw CommandError(
                    .tooLarge, "The payload has \(payload.count) bytes; a command has at most \(largest).")
            }
            if payload.allSatisfy(\.isJSONSpace) {
                guard let content = Content.ofEmptyPayload else {
                    throw CommandError(.badPayload, "The payload is empty; a command is a JSON object.")
                }
                return (envelope, .success(try body(content)))
            }
            let part: JSON
            do throws(CommandError) {
                part = try JSON(reading: payload, within: .command)
            } catch {
                guard let word = singleWord(payload), let content = Content(shortForm: word) else {
                    throw error
                }
                return (envelope, .success(try body(content)))
            }
            if let content = try Content(bare: part) { return (envelope, .success(try body(content))) }
            guard case .object(let object) = part else {
                throw CommandError(.badPayload, "A command is a JSON object; found \(part.words).")
            }
            var fields = FieldReader(object, .strict)
            envelope.read(&fields, of: Content.self)
            if Content.mayHaveTime, let id: String = fields.value("cancel", .upTo(64)),
                let end = Output.end(ofCommand: id)
            {
                if envelope.at != nil { throw FormError(.field("at"), "unknown field.").asCommandError }
                try fields.endCommand()
                return (envelope, .success(end))
            }
            let content = fields.read(Content.self)
            try fields.endCommand()
            let command = try body(content)
            if envelope.at != nil && !command.canWait {
                throw FormError(.field("at"), "not allowed with phase or stop.").asCommandError
            }
            return (envelope, .success(command))
        } catch {
            return (envelope, .failure(error))
        }
    }
}

/// What the payload of a command is read as.
protocol ReadCommand {
    /// The end of a waiting command; nil: there is none.
    static func end(ofCommand id: String) -> Self?
    /// Whether the command can be given a time.
    var canWait: Bool { get }
}

extension Command.Body: ReadCommand {
    static func end(ofCommand id: String) -> Self? { .cancel(id: id) }

    /// A press of a button and the end of captures act at once.
    var canWait: Bool {
        switch self {
        case .press, .stopCapture: false
        default: true
        }
    }
}
